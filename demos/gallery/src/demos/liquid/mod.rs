//! Liquid and smoke in a box of voxels (rows D4, D5): what the pressure projection is for.

mod check;
mod fluid;
#[cfg(feature = "panel")]
mod panel;
mod start;

use anyhow::Result;
use quadrille::sim::liquid::{Parameters, State};
use quadrille::view::{Camera, Mapping, Medium, Ray};
use quadrille::{Buffer, Gpu};
use serde_json::Value as Json;

use self::fluid::Fluid;
use self::start::{MICE, Mouse, PRECONDITIONERS, SCENES, Scene, changed};
use crate::demo::{About, Demo, Measure, View};
use crate::param::{Offer, Param, Values, name_of};
use crate::picture::{self, Drag, Picture, Touch, VolumeContent, VolumePicture, VolumeView};
use crate::state::{Array, Named, Parts};

pub const ABOUT: About = About {
    name: "liquid",
    shows: "Water that breaks a dam or falls in drops, smoke and fire, in boxes of voxels (3D pressure projection)",
    keywords: "water dam smoke fire 3D voxels level set pressure multigrid",
    first: "Press into the box to push what flows; right button turns it",
    computes: "Water or smoke in a box of voxels. In a step the flow carries itself along, with the distance from the water's surface or \
               the density of smoke; gravity or warmth speeds it up; and a pressure is found that keeps water from being squeezed. Where \
               more flows into a voxel than out (its divergence), the pressure rises and pushes it away: a linear system with an unknown \
               a voxel, solved by conjugate gradients that multigrid makes short.",
    formula: "∂u/∂t = −(u · ∇) u − ∇p / ρ + g,   div u = 0\n\
              surface: φ = 0, the distance, with ∂φ/∂t = −u · ∇φ and |∇φ| = 1",
    kernels: &[
        "sim/liquid_advect.frag",
        "sim/liquid_force.frag",
        "sim/liquid_extend.frag",
        "sim/liquid_redistance.frag",
        "sim/voxel_divergence.frag",
        "sim/voxel_cells.frag",
        "solve/pcg_step.frag",
    ],
    quantity: "distance from the surface in voxels, or density of smoke",
    paper: "Batty, Bertails and Bridson, SIGGRAPH 2007; Bolz et al. 2003",
    more: AFTER,
    parameters: &[start::PARAMETERS, picture::CAMERA],
    flags: &[
        ("save", "Write the state at the end: float32, a row of 5 (smoke: 6) numbers an element, see below"),
        ("check", "Without a window; exit 1 past a bound, see below"),
        (
            "seed",
            "Moves the sides of the dam and the balls of drops by a twentieth of the box at most; 1 leaves them. In smoke and fire it says where the six flames burn, and how strongly [default: 1]",
        ),
    ],
    check: start::refuse,
    start: |gpu, request| Ok(Box::new(LiquidDemo::new(gpu, request)?)),
    ..About::NEW
};

/// The end of the help: what files hold, how slices lie, what a check looks at, and what a card needs.
const AFTER: &str = "\
--save, and --out of .npy or .exr, write the state: a row for each of (NX + 1)(NY + 1)(NZ + 1) elements, x fastest, then y, then z \
(up). A row of water is u, v, w (m/s, on the faces before the voxel), pressure, signed distance from the surface (voxels, below 0 \
in water); of smoke u, v, w, pressure, density, temperature. What lies beyond the box is 0, but the last row, the clock: seconds \
since the start, steps, seconds of the last step, and, as its last number, the voxels of water that are kept. --load tells the \
scene by the length of rows, and refuses speeds above 1e7 m/s and a clock below 0.
--view slices: the slices of the box, the lowest in the upper left corner, the next to its right, row after row; in each x leads \
to the right and y downward, to the front. Lines of mauve lie between them. A voxel is a square of as many pixels as make the \
longer side of the picture about 512.
--check, each step that it looks at: divergence left, of the velocity in f64, at most --tolerance or where 32 bits end, which is said; of water, unless --lossy, the part of its volume that \
came or went, at most 1/40 of a voxel for each that the surface runs through; of smoke, how far a density is from what f64 \
fetches, at most 24 e + 6 e (4 N + 24 D)(1 + 6 D), e = 2^-24, N voxels along the longest side, D voxels crossed in the step.
Old cards (--limits): a step needs 58 fetches a pass, and water two render targets; --view volume needs loops of 1280 iterations. \
So GEFORCE_FX has smoke, in slices, and RADEON_9700 has neither.";

/// The radius of a push as a part of that of the brush: it goes on beyond its radius, as what is poured does not.
const PUSHED: f32 = 0.83;

/// From where a box is seen at first: a little above, so that floor and surface are seen.
const CAMERA: Camera = Camera { azimuth: 28.0, elevation: 22.0, distance: 1.0, field_of_view: 30.0 };

struct LiquidDemo {
    gpu: Gpu,
    fluid: Fluid,
    scene: Scene,
    size: [u32; 3],
    parameters: Parameters,
    mouse: Mouse,
    seed: u64,
    /// A state from a file, and the seed whose reset brings it back.
    loaded: Option<(Vec<f32>, u64)>,
    /// Its widgets have put it back to a beginning.
    anew: bool,
    /// The last place of a stroke on slices since the last picture, and its way, in voxels.
    stroke: Option<([f64; 3], [f64; 2])>,
    view: VolumeView,
}

impl LiquidDemo {
    /// The scene from its beginning.
    fn begin(&mut self, seed: u64) -> Result<()> {
        (self.seed, self.stroke) = (seed, None);
        self.fluid = Fluid::new(&self.gpu, self.scene, self.size, self.seed, self.parameters)?;
        Ok(())
    }

    /// Begins anew with another scene or size: what was loaded was another one.
    fn begin_other(&mut self, scene: Scene, size: [u32; 3]) -> Result<()> {
        if (scene, size) == (self.scene, self.size) {
            return Ok(());
        }
        self.fluid = Fluid::new(&self.gpu, scene, size, self.seed, self.parameters)?;
        (self.scene, self.size, self.loaded, self.anew, self.stroke) = (scene, size, None, true, None);
        Ok(())
    }

    /// Pushes all that lies along the ray, or pours into the middle of the way through the box.
    fn touch_along(&mut self, ray: &Ray) -> Result<()> {
        // Space has y up and z towards the viewer, the box z up and y towards them.
        let in_box = |[x, y, z]: [f64; 3]| [x, z, y];
        let Some([from, to]) = self.fluid.volume().stage().crossing(ray) else { return Ok(()) };
        let middle = in_box(ray.at((from + to) / 2.0));
        match self.mouse {
            Mouse::Push => self.push(middle, in_box(ray.along), 1.0),
            Mouse::Pour => self.fluid.pour(middle, self.view.brush()),
        }
    }

    /// Pours into the slice at that place of the map, or pushes along it with the next picture: a stroke comes in pieces, all of which
    /// have the way of the whole.
    fn touch_slice(&mut self, at: [f32; 2], radius: f32, drag: Drag) -> Result<()> {
        let Some(middle) = self.fluid.volume().voxel(at.map(f64::from)) else { return Ok(()) };
        match self.mouse {
            Mouse::Push if drag.by == [0.0; 2] => Ok(()),
            Mouse::Push => {
                self.stroke = Some((middle, drag.by.map(f64::from)));
                Ok(())
            }
            Mouse::Pour => self.fluid.pour(middle, radius),
        }
    }

    /// Pushes all about a line, by a part of the speed of what falls through a quarter of the box, or of half a box a second where
    /// nothing falls.
    fn push(&mut self, middle: [f64; 3], along: [f64; 3], part: f32) -> Result<()> {
        let Parameters { gravity, length, .. } = self.parameters;
        let speed = (0.5 * gravity * length).sqrt().max(0.5 * length);
        Ok(self.fluid.flow_mut().push_along(middle, along, PUSHED * self.view.brush(), part * speed)?)
    }

    fn set_parameters(&mut self, parameters: Parameters) -> Result<()> {
        if parameters != self.parameters {
            self.fluid.flow_mut().set_parameters(parameters)?;
            self.parameters = parameters;
        }
        Ok(())
    }
}

/// The box as it is seen.
fn voluminous(fluid: &Fluid) -> VolumeContent<'_> {
    let volume = fluid.volume();
    let (colours, mapping) = match volume.matter {
        // Blue is water: ten voxels below the surface, red ten above.
        Medium::Water => ("blue_red", Mapping::of_component(0, -10.0, 10.0)),
        Medium::Smoke => ("inferno", Mapping::of_component(0, 0.0, 1.0)),
    };
    VolumeContent { volume, camera: CAMERA, colours, mapping }
}

impl Demo for LiquidDemo {
    fn size(&self) -> (String, &'static str) {
        let [nx, ny, nz] = self.size;
        (format!("{nx}x{ny}x{nz}"), "voxels")
    }

    fn values(&self) -> Values {
        let p = self.parameters;
        let values = Values::new()
            .with("scene", name_of(&SCENES, &self.scene))
            .with("length", p.length)
            .with("gravity", p.gravity)
            .with("across", p.across)
            .with("longest", p.longest)
            .with("tolerance", p.projection.tolerance)
            .with("preconditioner", name_of(&PRECONDITIONERS, &p.projection.preconditioning))
            .with("mouse", name_of(&MICE, &self.mouse));
        match self.scene {
            Scene::Dam | Scene::Drops => values.with("lossy", !p.keeps_volume),
            Scene::Smoke | Scene::Fire => {
                values.with("lift", p.lift).with("weight", p.weight).with("cooling", p.cooling)
            }
        }
    }

    fn set(&mut self, values: &Values) -> Result<()> {
        let scene = values.choice("scene", &SCENES).unwrap_or(self.scene);
        if scene != self.scene {
            self.set_parameters(Parameters { cooling: scene.parameters().cooling, ..self.parameters })?;
        }
        self.begin_other(scene, values.size3("size").unwrap_or(self.size))?;
        self.mouse = values.choice("mouse", &MICE).unwrap_or(self.mouse);
        self.set_parameters(changed(values, self.parameters))
    }

    fn numbers(&self) -> Result<Array> {
        let State { size, numbers, values } = self.fluid.state()?;
        Ok(Array { height: size.iter().product(), width: numbers, components: 1, values })
    }

    /// The elements (k, j, i); the last of each is the clock, as the help has it.
    fn arrays(&self) -> Result<Vec<Named>> {
        let columns: Vec<_> = start::numbers(self.scene).iter().map(|&name| (name, 1)).collect();
        let [nx, ny, nz] = self.size.map(|n| n as usize + 1);
        Ok(Parts::Boxes(&columns).split(&self.numbers()?, [nz, ny, nx]))
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        self.begin(seed)?;
        match &self.loaded {
            Some((values, of)) if *of == seed => self.fluid.set_state(values),
            _ => Ok(()),
        }
    }

    fn step(&mut self) -> Result<()> {
        self.fluid.step()
    }

    fn whole_run(&self) -> u64 {
        200
    }

    fn pace(&self) -> u64 {
        1
    }

    fn drawn(&self) -> Option<Buffer> {
        None
    }

    fn looks(&self) -> u64 {
        20
    }

    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        check::step(&self.fluid, before)
    }

    /// Findings of the last step, and of the whole run.
    fn findings(&self) -> Result<Json> {
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

    fn views(&mut self) -> Vec<&mut dyn View> {
        vec![&mut self.view]
    }

    fn picture(&mut self) -> Box<dyn Picture + '_> {
        Box::new(VolumePicture { shown: voluminous(&self.fluid), view: &mut self.view })
    }

    /// Pushes along a stroke on slices: at full speed where it has gone as far as the brush reaches since the last picture.
    fn prepare(&mut self) -> Result<()> {
        let Some((middle, [x, y])) = self.stroke.take() else { return Ok(()) };
        let part = x.hypot(y) as f32 / self.view.brush();
        self.push(middle, [x, y, 0.0], part.min(1.0))
    }

    fn is_touchable(&self) -> bool {
        true
    }

    fn touch(&mut self, touch: Touch) -> Result<()> {
        match touch {
            Touch::Along(ray) => self.touch_along(&ray),
            Touch::Cell { x, y, tip, drag } => self.touch_slice([x, y], tip.radius, drag),
        }
    }

    fn offer(&self, param: &Param) -> Offer {
        match param.name {
            "size" => Offer::of(param).now(self.size),
            "cooling" => Offer::of(param).usual(self.scene.parameters().cooling),
            _ => Offer::of(param),
        }
    }

    fn has_begun_anew(&mut self) -> bool {
        std::mem::take(&mut self.anew)
    }

    #[cfg(feature = "panel")]
    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        self.show_findings(ui)
    }
}
