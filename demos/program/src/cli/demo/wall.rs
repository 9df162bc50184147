//! The flags of the wall.

use clap::{Args, ValueEnum};

use super::super::number::{whole, within};
use super::{CameraArguments, DemoArguments};

#[derive(Args, Clone)]
pub struct WallArguments {
    /// Columns of cubes; with --load, what the file must hold [default: 10]
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = whole::<u32>(1, 10_000))]
    pub columns: Option<u32>,
    /// Cubes in a column [default: 6]
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = whole::<u32>(1, 10_000))]
    pub rows: Option<u32>,
    /// Coefficient of friction, 0 (none) to 10 [default: 0.5]
    #[arg(long, allow_negative_numbers = true, value_name = "MU", value_parser = within(0.0, 10.0))]
    pub friction: Option<f64>,
    /// The contact LCP as one dense system, as one for each group of cubes that touch, or in f64 on the CPU: without a
    /// GPU by far the fastest [default: groups]
    #[arg(long, value_enum)]
    pub form: Option<FormName>,
    /// How the GPU solves it: by accelerated gradients until its tolerance is met, or as the paper did, by 2n sweeps of projected
    /// Jacobi, n the unknowns of the largest system [default: accelerated]
    #[arg(long, value_enum)]
    pub method: Option<SweepsName>,
    /// Relaxation of projected Jacobi, -2 to -0.000001: larger steps need fewer sweeps, past -2/lambda none is enough; needs
    /// --method jacobi [default: -0.1, as in the paper]
    #[arg(long, allow_negative_numbers = true, value_name = "W", value_parser = within(-2.0, -1e-6))]
    pub omega: Option<f64>,
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
    #[command(flatten)]
    pub camera: CameraArguments,
    #[command(flatten)]
    pub demo: DemoArguments,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum FormName {
    Dense,
    Groups,
    Reference,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum SweepsName {
    Accelerated,
    Jacobi,
}
