//! The flags of demos: those of all, and those of one.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use quadrille::view::Camera;

use super::number::{above, within};
use super::{ContextArguments, Size};
use crate::files::output::Format;

#[derive(Args, Clone)]
pub struct DemoArguments {
    /// Which demo; none lists them
    pub name: Option<String>,
    /// Cells, as WIDTHxHEIGHT [default: 512x512, or that of --load]
    #[arg(long)]
    pub size: Option<Size>,
    /// Steps to run: 1000 without a window unless said; a window then closes, else runs for ever
    #[arg(long)]
    pub steps: Option<u64>,
    /// Without a window
    #[arg(long)]
    pub headless: bool,
    /// Picture or data at the end, by extension: .png, .gif, .npy, .exr. Frames of a .gif last 0.04 s, of wall as
    /// long as their steps, at least 0.02 s
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// A frame every N steps: numbered files, or one .gif
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), requires = "out")]
    pub every: Option<u64>,
    /// Which of the initial states; of wall, which colours [default: 1]
    #[arg(long)]
    pub seed: Option<u64>,
    /// What lies beyond the edges: of reaction-diffusion the other side (repeat, unless said) or the edge itself
    /// (clamp), of wave 0 (fixed, unless said) or the edge itself (reflecting)
    #[arg(long, value_enum)]
    pub edges: Option<DemoEdges>,
    /// Colour map; `help` lists them [default: magma; red_blue for heights]
    #[arg(long, value_name = "NAME")]
    pub colours: Option<String>,
    /// Heights as a lit surface or as a flat map [default: water, of demos that have heights]
    #[arg(long, value_enum)]
    pub view: Option<ViewName>,
    /// Without a window; exit 1 past a bound. Of fields, compare about a hundred single steps, each from the GPU's own
    /// state, with f64 on the CPU; of wall, watch penetration, energy and, without gravity and ground, momentum
    #[arg(long)]
    pub check: bool,
    /// Print one JSON object, without a window
    #[arg(long)]
    pub json: bool,
    /// Write the state at the end: float32, height x width x channels; of wall, cubes x 13: position (m), quaternion x y z
    /// w, velocity (m/s), angular velocity (rad/s), with x to the right, y up and z to the front
    #[arg(long, value_name = "STATE.npy")]
    pub save: Option<PathBuf>,
    /// Start from such a state: fields go on bit for bit, a wall does not (its solves start without the last impulses, its
    /// numbers are rounded to 32 bits)
    #[arg(long, value_name = "STATE.npy", conflicts_with = "seed")]
    pub load: Option<PathBuf>,
    /// Reload the kernel when its file under glsl/ changes, in a window
    #[arg(long, conflicts_with_all = ["headless", "check", "json"])]
    pub watch: bool,
    #[command(flatten)]
    pub camera: CameraArguments,
    #[command(flatten)]
    pub reaction: ReactionArguments,
    #[command(flatten)]
    pub wave: WaveArguments,
    #[command(flatten)]
    pub wall: WallArguments,
    #[command(flatten)]
    pub context: ContextArguments,
}

impl DemoArguments {
    /// A flag of fields that was given.
    pub fn of_fields(&self) -> Option<&'static str> {
        let size = self.size.map(|_| "--size").or(self.edges.map(|_| "--edges"));
        let colours = self.colours.as_ref().map(|_| "--colours");
        size.or(colours).or(self.view.map(|_| "--view"))
    }

    /// A flag of pictures that was given where there are none.
    pub fn for_nobody(&self) -> Option<&'static str> {
        self.camera.given().filter(|_| !self.draws())
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

#[derive(Args, Clone)]
#[command(next_help_heading = "Pictures of wave's water and of wall")]
pub struct CameraArguments {
    /// Pixels, as WIDTHxHEIGHT [default: 800x600]
    #[arg(long)]
    pub picture: Option<Size>,
    /// Where the viewer stands, in degrees to the right of the front: -180 to 180 [default: wave 25, wall 30]
    #[arg(long, allow_negative_numbers = true, value_name = "DEGREES", value_parser = within(-180.0f32, 180.0))]
    pub turn: Option<f32>,
    /// How high, in degrees above the horizon: 5 to 90 [default: wave 35, wall 22]
    #[arg(long, allow_negative_numbers = true, value_name = "DEGREES", value_parser = within(5.0f32, 90.0))]
    pub rise: Option<f32>,
    /// How far off, 0.2 to 3: from 1 on all of the water, or of the room that the wall falls into, is seen [default: 1]
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

#[derive(Args, Clone)]
#[command(next_help_heading = "Only of reaction-diffusion")]
pub struct ReactionArguments {
    /// Named parameters; `demo NAME --preset help` lists them
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// Feed rate F
    #[arg(long = "F", allow_negative_numbers = true, value_name = "F", value_parser = within(0.0f32, 1.0))]
    pub feed: Option<f32>,
    /// Kill rate k
    #[arg(long = "k", allow_negative_numbers = true, value_name = "K", value_parser = within(0.0f32, 1.0))]
    pub kill: Option<f32>,
    /// Diffusion of u, as a share a step
    #[arg(long = "Du", allow_negative_numbers = true, value_name = "DU", value_parser = within(0.0f32, 1.0))]
    pub du: Option<f32>,
    /// Diffusion of v, as a share a step
    #[arg(long = "Dv", allow_negative_numbers = true, value_name = "DV", value_parser = within(0.0f32, 1.0))]
    pub dv: Option<f32>,
}

impl ReactionArguments {
    /// One of them that was given.
    pub fn given(&self) -> Option<&'static str> {
        let number = |name, value: Option<f32>| value.map(|_| name);
        let preset = self.preset.as_ref().map(|_| "--preset");
        preset
            .or(number("--F", self.feed))
            .or(number("--k", self.kill))
            .or(number("--Du", self.du))
            .or(number("--Dv", self.dv))
    }
}

#[derive(Args, Clone)]
#[command(next_help_heading = "Only of wave")]
pub struct WaveArguments {
    /// One matrix-vector product a step, or a linear system a step, which takes any beta [default: explicit]
    #[arg(long, value_enum)]
    pub scheme: Option<SchemeName>,
    /// (c dt / h)^2: explicit steps are stable up to 0.5 [default: 0.45 explicit, 1 implicit]
    #[arg(long, allow_negative_numbers = true, value_name = "B", value_parser = above(0.0f32, 1e4))]
    pub beta: Option<f32>,
    /// Of the implicit scheme: residual at which a step is solved, as part of the right-hand side, 1e-7 to 0.1
    /// [default: 1e-6]
    #[arg(long, allow_negative_numbers = true, value_name = "T", value_parser = within(1e-7f32, 0.1))]
    pub tolerance: Option<f32>,
    /// A drop of rain every N steps, 0 for none [default: explicit 150, implicit 40; 0 with --load]
    #[arg(long, value_name = "N")]
    pub drops: Option<u64>,
}

impl WaveArguments {
    /// One of them that was given.
    pub fn given(&self) -> Option<&'static str> {
        let scheme = self.scheme.map(|_| "--scheme");
        let beta = self.beta.map(|_| "--beta");
        scheme.or(beta).or(self.tolerance.map(|_| "--tolerance")).or(self.drops.map(|_| "--drops"))
    }
}

#[derive(Args, Clone)]
#[command(next_help_heading = "Only of wall")]
pub struct WallArguments {
    /// Columns of cubes; with --load, what the file must hold [default: 10]
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub columns: Option<u32>,
    /// Cubes in a column [default: 6]
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub rows: Option<u32>,
    /// Coefficient of friction, 0 (none) to 10 [default: 0.5]
    #[arg(long, allow_negative_numbers = true, value_name = "MU", value_parser = within(0.0, 10.0))]
    pub friction: Option<f64>,
    /// The contact LCP as one dense system, as one for each group of cubes that touch, or in f64 on the CPU: without a
    /// GPU by far the fastest [default: groups]
    #[arg(long, value_enum)]
    pub form: Option<FormName>,
    /// A blast before the wall at step 1: its impulse on a cube in the middle, 0 to 1000 newton seconds; 6 brings the wall
    /// down [default: none]
    #[arg(long, allow_negative_numbers = true, value_name = "NS", value_parser = within(0.0, 1000.0))]
    pub push: Option<f64>,
    /// Seconds a step, as 0.02 or as 1/50: 0.0001 to 0.1 [default: 1/60]
    #[arg(long, allow_negative_numbers = true, value_name = "S", value_parser = within(1e-4, 0.1))]
    pub time_step: Option<f64>,
    /// Metres a second squared, 0 to 100 [default: 9.81]
    #[arg(long, allow_negative_numbers = true, value_name = "G", value_parser = within(0.0, 100.0))]
    pub gravity: Option<f64>,
    /// Without a ground
    #[arg(long)]
    pub no_ground: bool,
}

impl WallArguments {
    /// One of them that was given.
    pub fn given(&self) -> Option<&'static str> {
        let count = |name, value: Option<u32>| value.map(|_| name);
        let number = |name, value: Option<f64>| value.map(|_| name);
        count("--columns", self.columns)
            .or(count("--rows", self.rows))
            .or(number("--friction", self.friction))
            .or(self.form.map(|_| "--form"))
            .or(number("--push", self.push))
            .or(number("--time-step", self.time_step))
            .or(number("--gravity", self.gravity))
            .or(self.no_ground.then_some("--no-ground"))
    }
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum FormName {
    Dense,
    Groups,
    Reference,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum SchemeName {
    Explicit,
    Implicit,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub enum ViewName {
    Water,
    Flat,
}

/// What lies beyond the edges of a demo: each has two of these.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum DemoEdges {
    Repeat,
    Clamp,
    Fixed,
    Reflecting,
}
