//! Six scenes: a plume of smoke, a street of vortices, a channel behind a step, a cavity under a lid, pairs of vortices, and Taylor & Green's.

use std::f64::consts::{PI, TAU};

use super::{Fluid, Grid, Kind, Parameters, Setting, Side, Sides};
use crate::pug::Gpu;
use crate::{Error, Result};

/// Which scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Name {
    /// Smoke over a warm spot rises and curls.
    #[default]
    Plume,
    /// A stream past a cylinder, from which vortices part on one side and the other in turn: Re = 150.
    Street,
    /// A jet enters the upper half of a channel, over a step, and sheds vortices (Bolz et al., figure 5).
    Channel,
    /// A box whose lid moves: Re = 100.
    Cavity,
    /// Two pairs of vortices meet, and each vortex leaves with another one.
    Vortices,
    /// A lattice of vortices that decays as a whole.
    TaylorGreen,
}

impl Name {
    /// All of them.
    pub const ALL: [Name; 6] =
        [Name::Plume, Name::Street, Name::Channel, Name::Cavity, Name::Vortices, Name::TaylorGreen];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Name::Plume => "plume",
            Name::Street => "street",
            Name::Channel => "channel",
            Name::Cavity => "cavity",
            Name::Vortices => "vortices",
            Name::TaylorGreen => "taylor-green",
        }
    }

    /// A line about what there is to see.
    pub fn shows(self) -> &'static str {
        match self {
            Name::Plume => "hot smoke that rises in a closed box, and curls",
            Name::Street => {
                "a stream past a cylinder: vortices part left and right in turn, a Kármán vortex street"
            }
            Name::Channel => "a jet over a step: vortices are shed behind it",
            Name::Cavity => "a box under a lid that slides: one vortex, which becomes steady at Re = 100",
            Name::Vortices => "two pairs of vortices that run into each other, and part across",
            Name::TaylorGreen => "vortices side by side in a periodic box, whose decay is known",
        }
    }

    /// Cells of its picture: those of the papers where they name any.
    pub fn cells(self) -> [u32; 2] {
        match self {
            Name::Plume => [320, 384],
            Name::Street => [288, 192],
            Name::Channel => [512, 128],
            Name::Cavity => [128, 128],
            Name::Vortices | Name::TaylorGreen => [256, 256],
        }
    }
}

/// A scene: its box, how it is stepped, how it begins, and what it is fed.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The box.
    pub setting: Setting,
    /// How it is stepped.
    pub parameters: Parameters,
    /// Two numbers a texel of a velocity.
    pub velocity: Vec<f32>,
    /// Four a centre.
    pub dye: Vec<f32>,
    /// At centres.
    pub solids: Vec<bool>,
    /// The sources that flow in before each step.
    pub sources: Vec<Source>,
}

/// Dye that is poured before each step; see [`Fluid::pour`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source {
    /// Middle, lengths.
    pub centre: [f32; 2],
    /// A length.
    pub radius: f32,
    /// Three colours and heat.
    pub dye: [f32; 4],
}

impl Scene {
    /// The scene of that name, on that kind of grid and in so many cells.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::BadParameter`] for fewer than 4 cells across or up.
    pub fn new(name: Name, kind: Kind, cells: [u32; 2]) -> Result<Scene> {
        if cells.iter().any(|&count| count < 4) {
            let (found, expected) = (format!("{}x{} cells", cells[0], cells[1]), "4 or more each way".into());
            return Err(Error::BadParameter { name: "scene", found, expected });
        }
        match name {
            Name::Plume => plume(kind, cells),
            Name::Street => street(kind, cells),
            Name::Channel => channel(kind, cells),
            Name::Cavity => cavity(kind, cells),
            Name::Vortices => vortices(kind, cells),
            Name::TaylorGreen => taylor_green(kind, cells),
        }
    }

    /// The fluid as the scene begins.
    ///
    /// # Errors
    /// As [`Fluid::new`].
    pub fn fluid(&self, gpu: &Gpu) -> Result<Fluid> {
        let mut fluid = Fluid::new(gpu, self.setting, self.parameters)?;
        self.reset(&mut fluid)?;
        Ok(fluid)
    }

    /// Back to the beginning.
    ///
    /// # Errors
    /// [`Error::WrongLength`] for a fluid of another box.
    pub fn reset(&self, fluid: &mut Fluid) -> Result<()> {
        fluid.restart()?;
        // Paths among solids need loops: without them a channel's step is the closed part of its side alone.
        match fluid.takes_solids() {
            true => fluid.set_solids(&self.solids)?,
            false => fluid.set_solids(&vec![false; self.solids.len()])?,
        }
        fluid.set_velocity(&self.velocity)?;
        fluid.set_dye(&self.dye)
    }

    /// Lets in what flows in, and makes a step.
    ///
    /// # Errors
    /// As [`Fluid::step`].
    pub fn step(&self, fluid: &mut Fluid) -> Result<()> {
        for Source { centre: [x, y], radius, dye } in self.sources.iter().copied() {
            fluid.pour(x, y, radius, dye)?;
        }
        fluid.step()
    }

    /// At rest, empty, nothing poured.
    fn still(setting: Setting, parameters: Parameters) -> Result<Scene> {
        let grid = setting.grid()?;
        let texels = |[columns, rows]: [u32; 2]| columns as usize * rows as usize;
        let centres = texels(grid.centres());
        Ok(Scene {
            velocity: vec![0.0; 2 * texels(grid.nodes())],
            dye: vec![0.0; 4 * centres],
            solids: vec![false; centres],
            sources: Vec::new(),
            setting,
            parameters,
        })
    }

    /// Dye of that colour at each place, in lengths.
    fn paint(mut self, colour: impl Fn([f32; 2]) -> [f32; 4]) -> Result<Scene> {
        let grid = self.setting.grid()?;
        for (index, texel) in self.dye.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            *texel = colour(place(&grid, grid.centres()[0], index, grid.first_centre()));
        }
        Ok(self)
    }

    /// The velocity of a stream function at nodes, u = ∂ψ/∂y and v = −∂ψ/∂x by differences: on a staggered grid it has no
    /// divergence but that of rounding.
    fn stream(mut self, psi: impl Fn([f64; 2]) -> f64) -> Result<Scene> {
        let grid = self.setting.grid()?;
        let (columns, h) = (grid.nodes()[0] as usize, f64::from(grid.spacing));
        // Collocated: from half a cell on each side; staggered: from the ends of the face.
        let (low, high) = if grid.kind == Kind::Staggered { (0.0, 1.0) } else { (-0.5, 0.5) };
        for (index, texel) in self.velocity.as_chunks_mut::<2>().0.iter_mut().enumerate() {
            let [i, j] = [index % columns, index / columns].map(|k| k as f64);
            let psi = |i: f64, j: f64| psi([i * h, j * h]);
            let u = (psi(i, j + high) - psi(i, j + low)) / h;
            let v = -(psi(i + high, j) - psi(i + low, j)) / h;
            *texel = [u as f32, v as f32];
        }
        Ok(self)
    }
}

fn place(grid: &Grid, columns: u32, index: usize, first: [f32; 2]) -> [f32; 2] {
    let place = [index % columns as usize, index / columns as usize];
    [0, 1].map(|axis| (place[axis] as f32 + first[axis]) * grid.spacing)
}

/// A box of height 1 in which smoke rises over a warm spot at its floor.
fn plume(kind: Kind, cells: [u32; 2]) -> Result<Scene> {
    let spacing = 1.0 / cells[1] as f32;
    let setting = Setting { kind, cells, spacing, sides: Sides::all(Side::Wall) };
    // It becomes as fast as 2: two cells a step. Paths that are longer beside a stem of a few cells cross each other.
    let parameters = Parameters {
        time_step: spacing,
        buoyancy: [0.0, 3.0],
        confinement: 0.2,
        // Else the smoke fills the box, and nothing is left to see.
        fading: 0.25,
        keep_mass: true,
        ..Parameters::default()
    };
    let mut scene = Scene::still(setting, parameters)?;
    let middle = cells[0] as f32 * spacing / 2.0;
    scene.sources.push(Source {
        centre: [middle, 0.08],
        radius: 0.06_f32.max(spacing),
        dye: [0.9, 0.75, 0.6, 1.0],
    });
    Ok(scene)
}

/// The middle of the cylinder of a street, lengths.
pub const CYLINDER: [f32; 2] = [0.3, 0.5];
/// Its diameter, a length.
pub const DIAMETER: f32 = 0.1;

/// A stream of speed 1 past a cylinder, in a box of height 1 along whose sides it slips: Re = 150, at which vortices part from both sides in turn.
/// It begins with a row of them to either side, in the distances that von Kármán found: a wake without any would take long to lose its balance.
fn street(kind: Kind, cells: [u32; 2]) -> Result<Scene> {
    let spacing = 1.0 / cells[1] as f32;
    let inlet = Side::Inlet { speed: 1.0, from: 0.0, to: 1.0 };
    let sides = Sides { west: inlet, east: Side::Outlet, south: Side::Wall, north: Side::Wall };
    let setting = Setting { kind, cells, spacing, sides };
    let parameters =
        Parameters { time_step: 1.5 * spacing, viscosity: DIAMETER / 150.0, ..Parameters::default() };
    let [middle, diameter] = [CYLINDER.map(f64::from), [f64::from(DIAMETER); 2]];
    let (diameter, length) = (diameter[0], f64::from(cells[0]) * f64::from(spacing));
    // Half a wave is 2.2 diameters; the rows are 0.28 waves apart (von Kármán & Rubach 1912), and a vortex turns by 24 in its middle.
    let (half_wave, off, size) = (2.2 * diameter, 0.14 * 4.4 * diameter, 0.4 * diameter);
    let count = ((length - middle[0]) / half_wave).max(0.0) as usize;
    let psi = |[x, y]: [f64; 2]| {
        let vortex = |k: usize| {
            let turn = if k.is_multiple_of(2) { -1.0 } else { 1.0 };
            let [dx, dy] = [x - middle[0] - (k as f64 + 0.7) * half_wave, y - middle[1] + turn * off];
            turn * (-(dx * dx + dy * dy) / (2.0 * size * size)).exp()
        };
        y + 12.0 * size * size * (0..count).map(vortex).sum::<f64>()
    };
    let mut scene = Scene::still(setting, parameters)?.stream(psi)?;
    let grid = scene.setting.grid()?;
    for (index, solid) in scene.solids.iter_mut().enumerate() {
        let at = place(&grid, grid.centres()[0], index, grid.first_centre()).map(f64::from);
        *solid = (at[0] - middle[0]).hypot(at[1] - middle[1]) < 0.5 * diameter;
    }
    for (off, dye) in [(0.45, [1.0, 0.4, 0.08, 0.0]), (-0.45, [0.08, 0.5, 1.0, 0.0])] {
        let centre = [0.6 * CYLINDER[0], CYLINDER[1] + off * DIAMETER];
        scene.sources.push(Source { centre, radius: 0.4 * DIAMETER, dye });
    }
    Ok(scene)
}

/// How far the step of a channel reaches into it, in its heights, and how thick its layer of shear is at first.
const STEP: f64 = 0.25;
const SHEAR: f64 = 0.03;

/// The paper's step channel, of height 1: a jet through the upper half of its west side over a block of solid, two cells a step.
/// It begins as a layer of shear along its middle, u = (1 + tanh((y - ½)/δ))/2, with waves of the length that grows fastest, 14 δ
/// (Michalke, *On the inviscid instability of the hyperbolic-tangent velocity profile*, 1964): at rest it would take the jet four
/// times to fill it.
fn channel(kind: Kind, cells: [u32; 2]) -> Result<Scene> {
    let spacing = 1.0 / cells[1] as f32;
    let jet = Side::Inlet { speed: 1.0, from: 0.5, to: 1.0 };
    let sides = Sides { west: jet, east: Side::Outlet, south: Side::Wall, north: Side::Wall };
    let setting = Setting { kind, cells, spacing, sides };
    let parameters = Parameters { time_step: 2.0 * spacing, ..Parameters::default() };
    // A layer must be seen by the grid.
    let shear = SHEAR.max(1.5 * f64::from(spacing));
    let psi = |[x, y]: [f64; 2]| {
        let off = (y - 0.5) / shear;
        // ln cosh without overflow.
        let layer = off.abs() + (-2.0 * off.abs()).exp().ln_1p() - std::f64::consts::LN_2;
        let wave = 0.06 * shear * (TAU * x / (14.0 * shear)).sin() * (-(off / 3.0).powi(2)).exp();
        0.5 * (y + shear * layer) + wave
    };
    let mut scene = Scene::still(setting, parameters)?.stream(psi)?;
    let grid = scene.setting.grid()?;
    for (index, solid) in scene.solids.iter_mut().enumerate() {
        let [x, y] = place(&grid, grid.centres()[0], index, grid.first_centre()).map(f64::from);
        *solid = x < STEP && y < 0.5 - 1e-6;
    }
    // Off the west side: what stands there is fetched by all that flows in, and would stay for ever.
    for (y, dye) in
        [(0.54, [1.0, 0.35, 0.1, 0.0]), (0.7, [0.1, 0.45, 1.0, 0.0]), (0.86, [0.95, 0.75, 0.15, 0.0])]
    {
        scene.sources.push(Source { centre: [0.12, y], radius: 0.08, dye });
    }
    Ok(scene)
}

/// A unit square whose lid moves eastward by 1: ν = 0.01.
fn cavity(kind: Kind, cells: [u32; 2]) -> Result<Scene> {
    let spacing = 1.0 / cells[0].max(cells[1]) as f32;
    let grip = |along| Side::NoSlip { along };
    let setting =
        Setting { kind, cells, spacing, sides: Sides { north: grip(1.0), ..Sides::all(grip(0.0)) } };
    let parameters =
        Parameters { time_step: 1.5 * spacing, viscosity: 0.01, keep_mass: true, ..Parameters::default() };
    let stripes = |[x, y]: [f32; 2]| {
        let odd = ((x * 8.0).floor() + (y * 8.0).floor()).rem_euclid(2.0);
        [0.15 + 0.75 * odd, 0.3 + 0.3 * y, 0.8 - 0.6 * odd, 0.0]
    };
    Scene::still(setting, parameters)?.paint(stripes)
}

/// Two pairs run at each other along the middle of a box of height 1.
fn vortices(kind: Kind, cells: [u32; 2]) -> Result<Scene> {
    let spacing = 1.0 / cells[1] as f32;
    let setting = Setting { kind, cells, spacing, sides: Sides::all(Side::Wall) };
    let parameters = Parameters { time_step: 1.5 * spacing, keep_mass: true, ..Parameters::default() };
    let width = f64::from(cells[0]) * f64::from(spacing);
    // Middle, and which way it turns: all push inward.
    let cores = [(0.25, 0.58, 1.0), (0.25, 0.42, -1.0), (0.75, 0.58, -1.0), (0.75, 0.42, 1.0)];
    let core = |[x, y]: [f64; 2], (at, height, turn): (f64, f64, f64)| {
        let (dx, dy) = (x - at * width, y - height);
        turn * (-(dx * dx + dy * dy) / (2.0 * 0.05 * 0.05)).exp()
    };
    let colours =
        [[0.95, 0.35, 0.1, 0.0], [1.0, 0.8, 0.2, 0.0], [0.1, 0.6, 0.95, 0.0], [0.4, 0.95, 0.8, 0.0]];
    Scene::still(setting, parameters)?
        .stream(|place| cores.iter().map(|&one| 0.05 * core(place, one)).sum())?
        .paint(|place| {
            let mut dye = [0.0f32; 4];
            for (&one, colour) in cores.iter().zip(colours) {
                let here = core(place.map(f64::from), one).abs() as f32;
                dye.iter_mut().zip(colour).for_each(|(dye, colour)| *dye += here * colour);
            }
            dye
        })
}

/// ψ = −cos x cos y in a periodic box, 2π wide if it is as high: u = cos x sin y, v = −sin x cos y, which decay by exp(−2νt).
fn taylor_green(kind: Kind, cells: [u32; 2]) -> Result<Scene> {
    let spacing = (TAU / f64::from(cells[0])) as f32;
    let setting = Setting { kind, cells, spacing, sides: Sides::all(Side::Periodic) };
    let parameters =
        Parameters { time_step: spacing / 2.0, viscosity: 0.01, keep_mass: true, ..Parameters::default() };
    let h = f64::from(spacing);
    // As many periods upward as there are whole ones of 2π, but one at least.
    let height = f64::from(cells[1]) * h;
    let k = TAU * (height / TAU).round().max(1.0) / height;
    let stripes = |[x, y]: [f32; 2]| {
        let wave = |z: f32| 0.5 + 0.5 * (z * 4.0).cos();
        [wave(x), 0.4 * wave(y + PI as f32 / 4.0), wave(y), 0.0]
    };
    let half = if kind == Kind::Staggered { 0.5 } else { 0.0 };
    let mut scene = Scene::still(setting, parameters)?.paint(stripes)?;
    let columns = cells[0] as usize;
    for (index, texel) in scene.velocity.as_chunks_mut::<2>().0.iter_mut().enumerate() {
        let [i, j] = [index % columns, index / columns].map(|place| place as f64);
        let u = k * (i * h).cos() * (k * (j + half) * h).sin();
        let v = -((i + half) * h).sin() * (k * j * h).cos();
        *texel = [u as f32, v as f32];
    }
    Ok(scene)
}
