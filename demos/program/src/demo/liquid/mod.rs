//! Liquid and smoke in a box of voxels (rows D4, D5): what the pressure projection is for.

mod check;
mod fluid;
mod panel;
mod start;

use anyhow::Result;
use quadrille::Gpu;
use quadrille::sim::liquid::{Parameters, State};
use quadrille::view::{Camera, Mapping, Matter};
use serde_json::{Value, json};

use self::fluid::Fluid;
use super::shown::{Shown, Touch, Voluminous};
use super::state::{Kept, Parts};
use super::{Measure, Simulation, short};
use crate::cli::LiquidScene;
use crate::files::Array;
use crate::files::npz::Named;

pub use start::chosen;

pub const NAME: &str = "liquid";

/// The flags that a state keeps.
pub const KEPT: &[Kept] = &[
    ("scene", ""),
    ("length", ""),
    ("gravity", ""),
    ("lift", ""),
    ("weight", ""),
    ("cooling", ""),
    ("across", ""),
    ("longest", ""),
    ("tolerance", ""),
    ("preconditioner", ""),
    ("lossy", ""),
];

/// From where a box is seen at first: a little above, so that floor and surface are seen.
const CAMERA: Camera = Camera { azimuth: 28.0, elevation: 22.0, distance: 1.0, field_of_view: 30.0 };

struct Tank {
    gpu: Gpu,
    fluid: Fluid,
    scene: LiquidScene,
    size: [u32; 3],
    parameters: Parameters,
    seed: u64,
    /// A state from a file, which a reset of that seed brings back.
    loaded: Option<Vec<f32>>,
    loaded_seed: u64,
    /// Whether its widgets have put it back to a beginning.
    anew: bool,
}

impl Tank {
    /// The scene from its beginning.
    fn begin(&mut self, seed: u64) -> Result<()> {
        self.seed = seed;
        self.fluid = Fluid::new(&self.gpu, self.scene, self.size, self.seed, self.parameters)?;
        Ok(())
    }
}

impl Simulation for Tank {
    fn name(&self) -> &'static str {
        NAME
    }

    fn step(&mut self) -> Result<()> {
        self.fluid.step()
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        self.begin(seed)?;
        match &self.loaded {
            Some(values) if self.loaded_seed == seed => self.fluid.set_state(values),
            _ => Ok(()),
        }
    }

    fn size(&self) -> (String, &'static str) {
        let [nx, ny, nz] = self.size;
        (format!("{nx}x{ny}x{nz}"), "voxels")
    }

    fn shown(&self) -> Result<Shown<'_>> {
        let volume = self.fluid.volume();
        let (colours, mapping) = match volume.matter {
            // Blue is water: ten voxels below the surface, red ten above.
            Matter::Water => ("red_blue", Mapping::of_component(0, 10.0, -10.0)),
            Matter::Smoke => ("inferno", Mapping::of_component(0, 0.0, 1.0)),
        };
        Ok(Shown::Volume(Voluminous { volume, camera: CAMERA, colours, mapping }))
    }

    fn state(&self) -> Result<Array> {
        let State { size, numbers, values } = self.fluid.state()?;
        Ok(Array { height: size.iter().product(), width: numbers, components: 1, values })
    }

    /// Of the elements (k, j, i); the last of each is the clock, as `--help` has it.
    fn arrays(&self) -> Result<Vec<Named>> {
        let columns: Vec<_> = start::numbers(self.scene).iter().map(|&name| (name, 1)).collect();
        let [nx, ny, nz] = self.size.map(|n| n as usize + 1);
        Ok(Parts::Boxes(&columns).split(&self.state()?, [nz, ny, nx]))
    }

    fn values(&self) -> Result<Value> {
        let mut values = self.parameters();
        if self.scene == LiquidScene::Dam {
            values["lossy"] = (!self.parameters.keeps_volume).into();
        }
        Ok(values)
    }

    fn parameters(&self) -> Value {
        let p = self.parameters;
        let mut parameters = json!({
            "scene": start::scene_name(self.scene), "length": short(p.length), "gravity": short(p.gravity),
            "across": short(p.across), "longest": short(p.longest),
            "tolerance": short(p.projection.tolerance),
            "preconditioner": start::preconditioner_name(p.projection.preconditioning),
        });
        match self.scene {
            LiquidScene::Dam => parameters["keeps_volume"] = p.keeps_volume.into(),
            LiquidScene::Smoke => {
                for (name, value) in [("lift", p.lift), ("weight", p.weight), ("cooling", p.cooling)] {
                    parameters[name] = short(value).into();
                }
            }
        }
        parameters
    }

    /// Of the last step, and of the whole run.
    fn findings(&self) -> Result<Value> {
        let mut findings = self.fluid.findings()?;
        let check::Divergence { left, ends } = check::divergence(&self.fluid)?;
        findings["divergence_measured"] = left.into();
        findings["divergence_of_32_bits"] = ends.into();
        Ok(findings)
    }

    fn remarks(&self) -> Result<Vec<String>> {
        let check::Divergence { left, ends } = check::divergence(&self.fluid)?;
        let asked = self.parameters.projection.tolerance;
        if f64::from(asked) >= ends {
            return Ok(Vec::new());
        }
        let found = format!("div u of the last step: {left:.1e} of what it was, {asked:e} was asked");
        Ok(vec![format!("{found}; 32 bits end at {ends:.1e}")])
    }

    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        check::step(&self.fluid, before)
    }

    fn whole_run(&self) -> u64 {
        200
    }

    fn looks(&self) -> u64 {
        20
    }

    fn pace(&self) -> u64 {
        1
    }

    fn has_begun_anew(&mut self) -> bool {
        std::mem::take(&mut self.anew)
    }

    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        self.widgets(ui)
    }

    fn is_touchable(&self) -> bool {
        false
    }

    /// Nothing: the mouse turns the camera.
    fn touch(&mut self, _: Touch) -> Result<()> {
        Ok(())
    }
}
