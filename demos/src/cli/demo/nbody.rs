//! The flags of the bodies that attract one another.

use clap::{Args, ValueEnum};

use super::super::number::{above, bytes, whole, within};
use super::{CameraArguments, DemoArguments};

#[derive(Args, Clone)]
pub struct NBodyArguments {
    /// What begins; with --load, the scene whose parameters and view are taken [default: galaxies]
    #[arg(long, value_enum)]
    pub scene: Option<SceneName>,
    /// How many bodies galaxies and collapse have, 2 to 262144; with --load, what the file must hold [default: 4096; more
    /// want a GPU]
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = whole::<u32>(2, 262_144))]
    pub bodies: Option<u32>,
    /// Forces as a texture of bodies x bodies whose columns are summed, as the course has it, or summed in a loop over tiles
    /// of bodies, which writes far fewer texels [default: tiled]
    #[arg(long, value_enum)]
    pub forces: Option<ForcesName>,
    /// Kick, drift, kick, which keeps the energy; or the course's Euler steps, which do not [default: leapfrog]
    #[arg(long, value_enum)]
    pub integrator: Option<IntegratorName>,
    /// Time a step, in units in which G = 1 [default: that of the scene]
    #[arg(long, allow_negative_numbers = true, value_name = "DT", value_parser = above(0.0f32, 1e6))]
    pub time_step: Option<f32>,
    /// Length below which attraction grows no more, 0 for none [default: that of the scene]
    #[arg(long, allow_negative_numbers = true, value_name = "EPS", value_parser = within(0.0f32, 1e6))]
    pub softening: Option<f32>,
    /// What the texture of --forces matrix may take at most, as 64MiB or in bytes; it is made in parts within that [default:
    /// 256MiB]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub bytes: Option<u64>,
    /// Colour map of speeds; `help` lists them [default:
    /// red_yellow_blue, as stars are]
    #[arg(long, value_name = "NAME")]
    pub colours: Option<String>,
    #[command(flatten)]
    pub camera: CameraArguments,
    #[command(flatten)]
    pub demo: DemoArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub enum SceneName {
    Galaxies,
    Collapse,
    FigureEight,
    SolarSystem,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum ForcesName {
    Matrix,
    Tiled,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum IntegratorName {
    Leapfrog,
    Euler,
}
