//! Scenes: how a fluid begins, and how large its numbers become.

use anyhow::Result;
use quadrille::Gpu;
use quadrille::sim::fluid::scenes::{Name, Scene, Source};
use quadrille::sim::fluid::{Fluid, Kind, Parameters, Region, Side};

use super::dye::DyeCorrection;

/// The quantity that is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    Dye,
    Speed,
    Vorticity,
    Pressure,
    Divergence,
    Particles,
}

/// A scene on a grid, stepped as the user said.
#[derive(Clone)]
pub struct Setup {
    pub name: Name,
    /// With the parameters in force.
    pub scene: Scene,
    /// The parameters that the scene has of its own.
    pub usual: Parameters,
}

/// Numbers that are large in a scene: what the last colour stands for.
struct Scales {
    speed: f32,
    vorticity: f32,
}

impl Setup {
    /// The scene of that name, with its own size and parameters where nothing else is said.
    pub fn new(
        gpu: &Gpu,
        name: Name,
        kind: Kind,
        size: Option<[u32; 2]>,
        said: impl FnOnce(Parameters) -> Parameters,
    ) -> Result<Setup> {
        let cells = match size {
            // A periodic axis has as many nodes as cells.
            Some([width, height]) if name == Name::TaylorGreen => [width, height],
            Some([width, height]) => [width - 1, height - 1],
            // On a CPU smoke would take a minute to the ceiling.
            None if name == Name::Plume && gpu.driver().runs_on_cpu() => name.cells().map(|count| count / 2),
            None if name == Name::Street && gpu.driver().runs_on_cpu() => {
                name.cells().map(|count| 2 * count / 3)
            }
            // The paper's, four times as long as it is high, is a strip in a window.
            None if name == Name::Channel => [288, 192],
            None => name.cells(),
        };
        let mut scene = Scene::new(name, kind, cells)?;
        if name == Name::Plume {
            colour(&mut scene);
        }
        let usual = scene.parameters;
        scene.parameters = said(scene.parameters);
        Ok(Setup { name, scene, usual })
    }

    pub fn kind(&self) -> Kind {
        self.scene.setting.kind
    }

    /// Nodes.
    pub fn size(&self) -> Result<[u32; 2]> {
        Ok(self.scene.setting.grid()?.nodes())
    }

    /// Returns true if nothing flows in or out: only then there is an amount of dye to keep.
    pub fn is_tight(&self) -> bool {
        self.scene.setting.sides.are_tight()
    }

    /// The fluid at its beginning.
    pub fn begin(&self, gpu: &Gpu) -> Result<Fluid> {
        Ok(self.scene.fluid(gpu)?)
    }

    /// Lets in what flows in, and makes a step.
    pub fn step(&self, fluid: &mut Fluid, dye: &mut DyeCorrection) -> Result<()> {
        for source in &self.scene.sources {
            let [x, y] = source.centre;
            dye.pour(fluid, |fluid| fluid.pour(x, y, source.radius, source.dye))?;
        }
        fluid.step()?;
        dye.fade(fluid)
    }

    /// Where particles are born again: where fluid comes from an inlet in a step, so that they follow each other evenly, else anywhere.
    pub fn births(&self) -> Vec<Region> {
        let Scene { setting, parameters, .. } = &self.scene;
        match setting.sides.west {
            Side::Inlet { speed, from, to } => {
                let [width, height] = setting.cells.map(|cells| cells as f32 * setting.spacing);
                let way = (speed * parameters.time_step).clamp(0.0, width);
                vec![Region { low: [0.0, from * height], high: [way, to * height] }]
            }
            _ => Vec::new(),
        }
    }

    /// The quantity that is shown unless the user says otherwise.
    pub fn show(&self) -> Show {
        shown_of(self.name)
    }

    /// Steps of a run without a window unless the user says otherwise.
    pub fn whole_run(&self) -> u64 {
        match self.name {
            Name::Vortices => 400,
            Name::Plume => 800,
            // Twenty vortices and more.
            Name::Street => (12.0 / self.scene.parameters.time_step).round().clamp(1.0, 1e5) as u64,
            // Until the cavity is steady.
            Name::Channel | Name::Cavity => 2000,
            // Until t = 2.
            Name::TaylorGreen => (2.0 / self.scene.parameters.time_step).round().clamp(1.0, 1e5) as u64,
        }
    }

    /// The number that the last colour stands for.
    pub fn most(&self, show: Show) -> f32 {
        let Scales { speed, vorticity } = self.scales();
        match show {
            Show::Dye | Show::Speed | Show::Particles => speed,
            Show::Vorticity => vorticity,
            Show::Pressure => 0.5 * speed * speed,
            Show::Divergence => 0.01 * speed / self.scene.setting.spacing,
        }
    }

    fn scales(&self) -> Scales {
        let (speed, vorticity) = match self.name {
            Name::Plume => (1.0, 25.0),
            Name::Street => (1.5, 25.0),
            Name::Channel => (1.5, 15.0),
            Name::Cavity => (1.0, 8.0),
            Name::Vortices => (1.0, 30.0),
            Name::TaylorGreen => (1.0, 2.0),
        };
        Scales { speed, vorticity }
    }
}

/// Gives the smoke two colours, side by side, so that it is seen what the curls mix: the one source becomes two, of half its area each.
fn colour(scene: &mut Scene) {
    const COLOURS: [(f32, [f32; 3]); 2] = [(-0.35, [1.0, 0.22, 0.02]), (0.3, [0.02, 0.20, 1.0])];
    let halves = |source: Source| {
        COLOURS.map(|(side, [red, green, blue])| {
            let centre = [source.centre[0] + side * source.radius, source.centre[1]];
            let [.., heat] = source.dye;
            Source { centre, radius: source.radius * 0.5f32.sqrt(), dye: [red, green, blue, heat] }
        })
    };
    scene.sources = std::mem::take(&mut scene.sources).into_iter().flat_map(halves).collect();
}

/// The quantity that a scene is looked at for.
pub fn shown_of(name: Name) -> Show {
    match name {
        Name::Plume | Name::Vortices => Show::Dye,
        Name::Street | Name::Channel | Name::Cavity | Name::TaylorGreen => Show::Vorticity,
    }
}
