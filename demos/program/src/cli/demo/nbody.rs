//! The flags of the bodies that attract one another.

use std::ops::RangeInclusive;

use clap::{Args, ValueEnum};

use super::super::number::{above, bytes, whole, within};
use super::{CameraArguments, DemoArguments};

/// How many bodies there may be.
pub const BODIES: RangeInclusive<u64> = 2..=262_144;

#[derive(Args, Clone)]
#[command(after_help = AFTER)]
pub struct NBodyArguments {
    /// What begins, each with its time step and softening; with --load, the scene whose parameters and view are
    /// taken. The axes: x to the right, y up, z to the front; scenes lie about the plane of x and y [default: galaxies]
    #[arg(long, value_enum)]
    pub scene: Option<SceneName>,
    /// How many bodies galaxies and collapse have, 2 to 262144; with --load, what the file must hold [default: 4096; more
    /// want a GPU]
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = whole::<u32>(*BODIES.start(), *BODIES.end()))]
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
    /// What the texture of --forces matrix may take at most, in bytes or with KiB, MiB or GiB, as 64MiB; it is made in
    /// parts within that, of one row of forces at least [default: 256MiB]
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

/// What files and reports hold.
const AFTER: &str = "\
--save, and --out of .npy, write (bodies, 7): x, y, z, vx, vy, vz, mass; --out of .exr the same as a picture 7 wide.
--json finds energies and momenta at the end; energy_drift is (E - E0) / |E0| with E0 that of the first state, \
momentum_drift |P - P0| over the square root of 2 M (K0 + |W0|), which all of it as motion one way would be; \
in_view counts the bodies in a picture of the end.";

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub enum SceneName {
    /// Two galaxies that meet (time step 0.01, softening 0.05)
    Galaxies,
    /// A cold ball that falls together (time step 0.004, softening 0.05)
    Collapse,
    /// Three equal bodies on one path, a period in 1000 steps (time step 0.0063, softening 0)
    FigureEight,
    /// The sun, its planets and 500 asteroids; lengths in AU, a year is 2π (time step 0.02, softening 0)
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
