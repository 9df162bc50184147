//! The flags of demos: those of all, and those of each.

mod arrays;
mod branches;
mod clouds;
mod fields;
mod fluid;
mod formats;
mod heat;
mod liquid;
mod nbody;
mod smooth;
mod wall;

use std::path::PathBuf;
use std::rc::Rc;

use clap::{Args, Subcommand, ValueEnum};
use quadrille::view::Camera;

use super::number::{whole, within};
use super::{ContextArguments, Size};
use crate::demo::Loaded;
use crate::files::Written;
use crate::files::output::Format;

pub use arrays::{ByName, HistogramArguments, SortArguments};
pub use branches::BranchesArguments;
pub use clouds::{CloudsArguments, CloudsShow};
pub use fields::{ReactionArguments, ReactionEdges, SchemeName, WaveArguments, WaveEdges};
pub use fluid::{FluidArguments, PressureName, ShowName};
pub use formats::{FormatsArguments, SubjectName};
pub use heat::{HeatArguments, HeatEdges};
pub use liquid::{LiquidArguments, LiquidPreconditioner, LiquidScene, Size3, VolumeView};
pub use nbody::{BODIES, ForcesName, IntegratorName, NBodyArguments, SceneName};
pub use smooth::{MeshName, SmoothDemoArguments};
pub use wall::{FormName, SweepsName, WallArguments};

#[derive(Subcommand)]
pub enum DemoName {
    /// Gray-Scott reaction-diffusion (chapter 31)
    ReactionDiffusion(Box<ReactionArguments>),
    /// Waves on water, explicit and implicit (chapter 44)
    Wave(Box<WaveArguments>),
    /// The number formats of Table 31-1 side by side, and their errors against f64 (chapter 31)
    Formats(Box<FormatsArguments>),
    /// A wall of cubes, whose contacts are a linear complementarity problem (dense matrices)
    Wall(Box<WallArguments>),
    /// Heat around obstacles that are drawn by hand, and seven ways to branch (slides of chapter 31)
    Heat(Box<HeatArguments>),
    /// A branch, arithmetic and masks in its place, on squares of 1x1 to 64x64; a loop with and without an early exit
    /// (course slides)
    #[command(after_help = branches::SEEN)]
    Branches(Box<BranchesArguments>),
    /// Bodies that attract one another: galaxies, a collapse, three bodies in an eight, planets (course slides)
    #[command(name = "nbody")]
    NBody(Box<NBodyArguments>),
    /// Water behind a broken dam, and smoke from a fire, in boxes of voxels (3D pressure projection)
    Liquid(Box<LiquidArguments>),
    /// Smoke, vortices and dye in a flat box: the fluid of Stam and of Bolz et al. (multigrid)
    Fluid(Box<FluidArguments>),
    /// Clouds that rise from a warm ground, with flat bases where air condenses (chapter 31)
    Clouds(Box<CloudsArguments>),
    /// The histogram of an image, by scatter or by gather, and the image equalised by it (chapter 31)
    Histogram(Box<HistogramArguments>),
    /// A field of random numbers, sorted by a bitonic network (chapter 31)
    Sort(Box<SortArguments>),
    /// A noisy mesh that becomes smooth by mean-curvature flow (sparse matrices)
    Smooth(Box<SmoothDemoArguments>),
}

impl DemoName {
    /// Its name, and the flags that every demo has.
    pub fn arguments(&mut self) -> (&'static str, &mut DemoArguments) {
        match self {
            DemoName::ReactionDiffusion(own) => ("reaction-diffusion", &mut own.demo),
            DemoName::Wave(own) => ("wave", &mut own.demo),
            DemoName::Formats(own) => ("formats", &mut own.demo),
            DemoName::Wall(own) => ("wall", &mut own.demo),
            DemoName::Heat(own) => ("heat", &mut own.demo),
            DemoName::Branches(own) => ("branches", &mut own.demo),
            DemoName::NBody(own) => ("nbody", &mut own.demo),
            DemoName::Liquid(own) => ("liquid", &mut own.demo),
            DemoName::Fluid(own) => ("fluid", &mut own.demo),
            DemoName::Clouds(own) => ("clouds", &mut own.demo),
            DemoName::Histogram(own) => ("histogram", &mut own.demo),
            DemoName::Sort(own) => ("sort", &mut own.demo),
            DemoName::Smooth(own) => ("smooth", &mut own.demo),
        }
    }
}

/// The flags of every demo.
#[derive(Args, Clone)]
#[command(next_help_heading = "Every demo")]
pub struct DemoArguments {
    /// Steps to run: without a window 1000 unless said, of histogram and liquid 200, of fluid by its scene, of sort as many
    /// as it takes; a window then closes, else runs for ever
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = whole::<u64>(0, u64::MAX))]
    pub steps: Option<u64>,
    /// Without a window
    #[arg(long)]
    pub headless: bool,
    /// Picture or data at the end, by extension: .png, .gif, .npy, .exr. Frames of a .gif last 0.04 s, of a demo with a
    /// time as long as their steps, at least 0.02 s
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// A frame every N steps: numbered files, or one .gif
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = whole::<u64>(1, u64::MAX), requires = "out")]
    pub every: Option<u64>,
    /// Which of the initial states; of wall, which colours; of smooth, which noise [default: 1]
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = whole::<u64>(0, u64::MAX))]
    pub seed: Option<u64>,
    /// Without a window; exit 1 past a bound. Of fields, compare about a hundred single steps, each from the GPU's own
    /// state, with f64 on the CPU, and of nbody and smooth too, whose boundary must stay where it is fixed; of wall, watch
    /// penetration, energy and, without gravity and ground, momentum; of liquid, divergence and volume, of its smoke density
    #[arg(long)]
    pub check: bool,
    /// Print one JSON object, without a window
    #[arg(long)]
    pub json: bool,
    /// Write the state at the end. FILE.npz holds all that the demo needs to go on: the step, parameters, and named arrays, as
    /// numpy.savez writes them. FILE.npy holds its numbers as one array, float32, height x width x channels; of wall, cubes x 13:
    /// position (m), quaternion x y z w, velocity (m/s), angular velocity (rad/s), with x to the right, y up and z to the
    /// front; of nbody, bodies x 7: position, velocity, mass; of smooth, vertices x 3; of liquid, (NX + 1)(NY + 1)(NZ + 1)
    /// elements x 5: u, v, w (m/s), pressure and distance (voxels), of its smoke x 6 with density and temperature; the last
    /// element is the clock
    #[arg(long, value_name = "STATE.npz|.npy")]
    pub save: Option<PathBuf>,
    /// Start from such a state. With FILE.npz every demo goes on bit for bit, at the step and with the parameters of the file; a
    /// flag that is given counts, and where the file says otherwise that is said. FILE.npy is a beginning: step, parameters
    /// and rain are those of the flags
    #[arg(long, value_name = "STATE.npz|.npy")]
    pub load: Option<PathBuf>,
    /// The state in a .npz of --load.
    #[arg(skip)]
    pub loaded: Option<Rc<Loaded>>,
    #[command(flatten)]
    pub context: ContextArguments,
}

impl DemoArguments {
    /// Which of the initial states.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    /// The step that a run begins after.
    pub fn first_step(&self) -> u64 {
        self.loaded.as_ref().map_or(0, |loaded| loaded.state.step)
    }

    /// The files that every demo writes.
    pub fn outputs(&self) -> Vec<Written<'_>> {
        let animates = |path| Format::of(path).is_ok_and(|format| format == Format::Gif);
        let frames = self.out.as_deref().map(|path| {
            let numbered = self.every.is_some() && !animates(path);
            Written { flag: "--out", path, numbered }
        });
        let save = self.save.as_deref().map(|path| Written { flag: "--save", path, numbered: false });
        frames.into_iter().chain(save).collect()
    }

    /// Whether it runs without a window.
    pub fn is_windowless(&self) -> bool {
        self.headless || self.check || self.json
    }

    /// Whether there will be anything to see.
    pub fn draws(&self) -> bool {
        let pictures = |path: &PathBuf| Format::of(path).is_ok_and(Format::is_picture);
        !self.is_windowless() || self.out.as_ref().is_some_and(pictures)
    }
}

/// How a demo is to be looked at, as far as it was said.
#[derive(Clone, Default)]
pub struct Look {
    /// Name of a colour map.
    pub colours: Option<String>,
    pub view: Option<ViewName>,
    pub volume: Option<VolumeView>,
    pub camera: CameraArguments,
    /// Of a mesh: whether its edges are drawn, and whether its colours are those of its curvature.
    pub wires: bool,
    pub curvature: bool,
}

#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Pictures in perspective")]
pub struct CameraArguments {
    /// Pixels, as WIDTHxHEIGHT [default: 800x600]
    #[arg(long, allow_hyphen_values = true)]
    pub picture: Option<Size>,
    /// Where the viewer stands, in degrees to the right of the front: -180 to 180 [default: wave 25, wall 30, smooth 25, liquid 28, nbody by scene]
    #[arg(long, allow_negative_numbers = true, value_name = "DEGREES", value_parser = within(-180.0f32, 180.0))]
    pub turn: Option<f32>,
    /// How high, in degrees above the horizon: 5 to 90 [default: wave 35, wall 22, smooth 28, liquid 22, nbody by scene]
    #[arg(long, allow_negative_numbers = true, value_name = "DEGREES", value_parser = within(5.0f32, 90.0))]
    pub rise: Option<f32>,
    /// How far off, 0.2 to 3: from 1 on all of the water, of the room that the wall falls into, or of where bodies
    /// begin, is seen [default: 1]
    #[arg(long, allow_negative_numbers = true, value_name = "D", value_parser = within(0.2f32, 3.0))]
    pub distance: Option<f32>,
}

impl CameraArguments {
    /// One of them that was given.
    pub fn given(&self) -> Option<&'static str> {
        let number = |name, value: Option<f32>| value.map(|_| name);
        let picture = self.picture.map(|_| "--picture");
        let angles = number("--turn", self.turn).or(number("--rise", self.rise));
        picture.or(angles).or(number("--distance", self.distance))
    }

    /// That camera, but where it was told otherwise.
    pub fn of(&self, camera: Camera) -> Camera {
        Camera {
            azimuth: self.turn.unwrap_or(camera.azimuth),
            elevation: self.rise.unwrap_or(camera.elevation),
            distance: self.distance.unwrap_or(camera.distance),
            ..camera
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub enum ViewName {
    Water,
    Flat,
}
