//! The flags of a fluid in a flat box.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use quadrille::sim::fluid::scenes::Name;
use quadrille::sim::fluid::{Advection, Kind};

use super::super::Size;
use super::super::number::{whole, within};
use super::DemoArguments;

/// How many particles there may be: they are numbered by floats.
const PARTICLES: u64 = 1 << 24;

/// What files hold, and what a check looks at.
const AFTER: &str = "\
A box is 1 high, that of taylor-green 2 pi wide; speeds are about 1.
--save, and --out of .npy or .exr, write 12 planes of HEIGHT x WIDTH one below the other, rows from the south: u, v, red, green, \
blue, heat, solid (1 or 0), two of what the next step knows of pressures, u and v of the step before, and one whose first numbers are what there is to be \
of the three colours and of heat where it is kept, how much the next step knows of pressures (0 to 2), the time step of it, and the grid: 1 collocated, 2 staggered. Where a \
plane has fewer columns or rows than the nodes, the rest is 0. --load of a .npz, which has these planes by their names, goes on bit for bit, particles, too; of a .npy, on the grid of the file, where scene and flags are the same, and particles begin anew.
Advection loses and makes dye and heat: what is wrong is put back or taken away everywhere in proportion to what is there, unless --lossy \
is given. Not so in channel: what leaves through its outlet is not known any better than what is lost.
In a window the left button pushes the fluid and pours dye, the right one draws solids or erases them. The step of channel is the closed lower \
half of its west side, under the inlet.
--check: that velocities are finite; in f64, on the staggered grid ||div u|| after a projection, on the \
collocated one, whose differences see not all, the residual of the pressure, as a part of what it began with: a tenth for each cycle, the tolerance of cg (of jacobi the residual beside that of the last pressure, from which sweeps begin: the divergence may grow); and what is lost of the dye where it is kept, at most 0.1 %. \
It prints max |div u| before and after, the loss without the correction, of taylor-green (without confinement or --load) the rate of decay beside nu (kx^2 + ky^2), of a square cavity at \
Re = 100 u beside the table of Ghia, Ghia & Shin, of channel how many extrema its vorticity has downstream; --json has them as findings.";

#[derive(Args, Clone)]
#[command(after_help = AFTER)]
#[command(mut_arg("save", |arg| arg.help("Write the state at the end: float32, 12 planes of HEIGHT x WIDTH, see below")))]
#[command(mut_arg("steps", |arg| arg.help("Steps to run [default: without a window 800 of plume, 400 of vortices, 2000 of channel and cavity, to time 2 of taylor-green; a window runs for ever]")))]
#[command(mut_arg("check", |arg| arg.help("Without a window; exit 1 past a bound, see below")))]
#[command(mut_arg("seed", |arg| arg.help("Where particles begin [default: 1]")))]
pub struct FluidArguments {
    /// What is in the box at first and at its sides [default: plume]
    #[arg(long, value_parser = by_name(Name::ALL.map(|name| (name.name(), name.shows(), name))))]
    pub scene: Option<Name>,
    /// Nodes, corners of cells, as WIDTHxHEIGHT, 5x5 or more (taylor-green: 4x4) [default: that of the scene, or of --load]
    #[arg(long, allow_hyphen_values = true)]
    pub size: Option<Size>,
    /// Velocities at nodes, as the paper has them, which leaves a divergence that its differences do not see, or at the sides of
    /// cells [default: staggered]
    #[arg(long, value_parser = by_name(Kind::ALL.map(|kind| (kind.name(), "", kind))))]
    pub grid: Option<Kind>,
    /// How the pressure is found that makes the flow free of divergence [default: multigrid]
    #[arg(long, value_enum)]
    pub pressure: Option<PressureName>,
    /// Of --pressure multigrid: V(4,2)-cycles a step, 1 to 100 [default: 2]
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = whole::<u32>(1, 100))]
    pub cycles: Option<u32>,
    /// Of --pressure cg: residual at which a step's pressure is found, as a part of its right-hand side, 1e-7 to 0.1 [default: 1e-4]
    #[arg(long, allow_negative_numbers = true, value_name = "T", value_parser = within(1e-7f32, 0.1))]
    pub tolerance: Option<f32>,
    /// Of --pressure jacobi: sweeps a step, 1 to 10000 [default: 40]
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = whole::<u32>(1, 10_000))]
    pub sweeps: Option<u32>,
    /// How velocity and dye are carried along [default: maccormack]
    #[arg(long, value_parser = by_name(Advection::ALL.map(|way| (way.name(), "", way))))]
    pub advection: Option<Advection>,
    /// Kinematic viscosity, a length^2 / time, 0 for none [default: that of the scene]
    #[arg(long, allow_negative_numbers = true, value_name = "NU", value_parser = within(0.0f32, 1e6))]
    pub viscosity: Option<f32>,
    /// Time a step, 1e-12 to 1e6; the slider goes from a tenth to ten times that of the scene [default: that of the scene]
    #[arg(long, allow_negative_numbers = true, value_name = "DT", value_parser = within(1e-12f32, 1e6))]
    pub time_step: Option<f32>,
    /// How much swirl is given back that the grid smears, 0 for none [default: that of the scene]
    #[arg(long, allow_negative_numbers = true, value_name = "E", value_parser = within(0.0f32, 100.0))]
    pub confinement: Option<f32>,
    /// How much of dye and heat fades in a time: a step leaves e^(-F DT) of them, 0 for none of it [default: 0.25 of plume, else 0]
    #[arg(long, allow_negative_numbers = true, value_name = "F", value_parser = within(0.0f32, 1e6))]
    pub fading: Option<f32>,
    /// Particles that the flow carries, drawn as points, 0 for none [default: 0]
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = whole::<u32>(0, PARTICLES))]
    pub particles: Option<u32>,
    /// What its colours show [default: dye of plume and vortices, else vorticity; particles with --particles]
    #[arg(long, value_enum)]
    pub show: Option<ShowName>,
    /// Let the dye go that advection loses, and stay what it makes; of channel nothing is put back in any case
    #[arg(long)]
    pub lossy: bool,
    /// Colour map of numbers and of the speeds of particles; `help` lists them [default: red_blue, of speed inferno, of
    /// particles plasma]
    #[arg(long, value_name = "NAME")]
    pub colours: Option<String>,
    /// Pixels of a picture at most, as WIDTHxHEIGHT, within which all of the box is drawn [default: about 768 along the longer side]
    #[arg(long, allow_hyphen_values = true)]
    pub picture: Option<Size>,
    #[command(flatten)]
    pub demo: DemoArguments,
}

/// One of these, by its name, which a line explains.
pub(super) fn by_name<T: Copy + Send + Sync + 'static, const N: usize>(
    known: [(&'static str, &'static str, T); N],
) -> impl TypedValueParser<Value = T> {
    let explained = |(name, line, _): (&'static str, &'static str, T)| {
        let value = PossibleValue::new(name);
        if line.is_empty() { value } else { value.help(line) }
    };
    PossibleValuesParser::new(known.map(explained)).try_map(move |name: String| {
        let found = known.iter().find(|(known, ..)| *known == name);
        found.map(|&(.., value)| value).ok_or("no such name")
    })
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PressureName {
    /// V-cycles, each a fixed number of passes
    #[default]
    Multigrid,
    /// Conjugate gradients up to a tolerance: looks at its residual every few iterations
    Cg,
    /// Sweeps of Jacobi's relaxation, as games of 2004 had it
    Jacobi,
}

impl PressureName {
    /// As it is typed.
    pub fn word(self) -> &'static str {
        match self {
            PressureName::Multigrid => "multigrid",
            PressureName::Cg => "cg",
            PressureName::Jacobi => "jacobi",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShowName {
    /// Three colours that the flow carries
    Dye,
    /// |u|, from 0 on
    Speed,
    /// How it turns: blue one way, red the other
    Vorticity,
    Pressure,
    /// What flows out of each cell, or, of nodes, out of the cell between four
    Divergence,
    /// Nothing but particles, a hundred thousand unless --particles says otherwise
    Particles,
}
