//! The flags of demos: those of all, and those of one.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

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
    /// Picture or data at the end, by extension: .png, .gif, .npy, .exr
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
    /// Pixels of a picture of a lit surface or of cubes, as WIDTHxHEIGHT [default: 800x600]
    #[arg(long)]
    pub picture: Option<Size>,
    /// Without a window; exit 1 past a bound. Of fields, compare about a hundred single steps, each from the GPU's own
    /// state, with f64 on the CPU; of wall, watch penetration, energy and, without gravity and ground, momentum
    #[arg(long)]
    pub check: bool,
    /// Print one JSON object, without a window
    #[arg(long)]
    pub json: bool,
    /// Write the state at the end: float32, height x width x channels; of wall, cubes x 13 (position, quaternion x y z
    /// w, velocity, angular velocity)
    #[arg(long, value_name = "STATE.npy")]
    pub save: Option<PathBuf>,
    /// Start from such a state
    #[arg(long, value_name = "STATE.npy", conflicts_with = "seed")]
    pub load: Option<PathBuf>,
    /// Reload the kernel when its file under glsl/ changes, in a window
    #[arg(long, conflicts_with_all = ["headless", "check", "json"])]
    pub watch: bool,
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
#[command(next_help_heading = "Only of reaction-diffusion")]
pub struct ReactionArguments {
    /// Named parameters; `demo NAME --preset help` lists them
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// Feed rate F
    #[arg(long = "F", allow_negative_numbers = true, value_name = "F")]
    pub feed: Option<f32>,
    /// Kill rate k
    #[arg(long = "k", allow_negative_numbers = true, value_name = "K")]
    pub kill: Option<f32>,
    /// Diffusion of u, as a share a step
    #[arg(long = "Du", allow_negative_numbers = true, value_name = "DU")]
    pub du: Option<f32>,
    /// Diffusion of v, as a share a step
    #[arg(long = "Dv", allow_negative_numbers = true, value_name = "DV")]
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
    #[arg(long, allow_negative_numbers = true, value_name = "B")]
    pub beta: Option<f32>,
    /// Of the implicit scheme: residual at which a step is solved, as part of the right-hand side, 1e-7 to 0.1
    /// [default: 1e-6]
    #[arg(long, allow_negative_numbers = true, value_name = "T")]
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
    /// Columns of cubes [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub columns: Option<u32>,
    /// Cubes in a column [default: 6]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub rows: Option<u32>,
    /// Coefficient of friction, 0 for none [default: 0.5]
    #[arg(long, allow_negative_numbers = true, value_name = "MU")]
    pub friction: Option<f64>,
    /// The contact LCP as one dense system, as one for each group of cubes that touch, or in f64 on the CPU
    /// [default: groups]
    #[arg(long, value_enum)]
    pub form: Option<FormName>,
    /// A blast before the wall at step 1: its impulse on a cube in the middle, in newton seconds; 6 brings the wall down
    /// [default: none]
    #[arg(long, allow_negative_numbers = true, value_name = "NS")]
    pub push: Option<f64>,
    /// Seconds a step [default: 1/60]
    #[arg(long, allow_negative_numbers = true, value_name = "S")]
    pub time_step: Option<f64>,
    /// Metres a second squared [default: 9.81]
    #[arg(long, allow_negative_numbers = true, value_name = "G")]
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
