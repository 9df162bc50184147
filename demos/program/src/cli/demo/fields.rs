//! The flags of demos on a grid.

use clap::{Args, ValueEnum};

use super::super::Size;
use super::super::number::{above, whole, within};
use super::{CameraArguments, DemoArguments, ViewName};

#[derive(Args, Clone)]
pub struct ReactionArguments {
    /// Cells, as WIDTHxHEIGHT [default: 512x512, or that of --load]
    #[arg(long, allow_hyphen_values = true)]
    pub size: Option<Size>,
    /// Named parameters; `help` lists them
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
    /// What lies beyond the edges: the other side, or the edge itself [default: repeat]
    #[arg(long, value_enum)]
    pub edges: Option<ReactionEdges>,
    /// Colour map; `help` lists them [default: magma]
    #[arg(long, value_name = "NAME")]
    pub colours: Option<String>,
    /// Reload the kernel when its file under glsl/ changes, in a window
    #[arg(long, conflicts_with_all = ["headless", "check", "json"])]
    pub watch: bool,
    #[command(flatten)]
    pub demo: DemoArguments,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum ReactionEdges {
    Repeat,
    Clamp,
}

#[derive(Args, Clone)]
pub struct WaveArguments {
    /// Cells, as WIDTHxHEIGHT [default: 512x512, or that of --load]
    #[arg(long, allow_hyphen_values = true)]
    pub size: Option<Size>,
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
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = whole::<u64>(0, u64::MAX))]
    pub drops: Option<u64>,
    /// What lies beyond the edges: 0, or the edge itself [default: fixed]
    #[arg(long, value_enum)]
    pub edges: Option<WaveEdges>,
    /// Heights as a lit surface or as a flat map [default: water]
    #[arg(long, value_enum)]
    pub view: Option<ViewName>,
    /// Colour map of the flat map; `help` lists them [default: red_blue]
    #[arg(long, value_name = "NAME")]
    pub colours: Option<String>,
    #[command(flatten)]
    pub camera: CameraArguments,
    #[command(flatten)]
    pub demo: DemoArguments,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum SchemeName {
    Explicit,
    Implicit,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum WaveEdges {
    Fixed,
    Reflecting,
}
