//! The flags of clouds.

use clap::{Args, ValueEnum};
use quadrille::sim::clouds::Scene;
use quadrille::sim::fluid::Advection;

use super::super::Size;
use super::super::number::{above, within};
use super::fluid::by_name;
use super::{DemoArguments, PressureName};

const AFTER: &str = "\
--save of a .npz writes all that goes on, its planes each by its name; --save of a .npy, and --out of .npy or .exr, write planes of HEIGHT x WIDTH one below the other, rows from the ground up: u, v (m/s), \
potential temperature less that of the ground at first (K), vapour, cloud water (kg/kg), and the pressure from \
which the next solve begins, as a velocity. u is on the west, v on the lower sides of cells; there is a row more than cells, and \
with --walls a column, whose other numbers are 0, but for the last row of u, the wind, and of the temperature: how warm the \
ground is, 0 to 1. --load of a .npz goes on bit for bit; of a .npy, too, if the other flags are the same, but time and the account of the water begin anew.
--check: vapour and cloud water that are missing, what the ground gives and renewal replaces counted in, at most 0.1 % (not with --lossy); \
vapour beyond saturation; the base of clouds, in the median of five looks or more, within two cells of the lifting condensation level of the air at the ground; of stable air \
that nothing warms or moistens and no wind moves, its fastest. What advection loses before it is put back is printed.";

#[derive(Args, Clone)]
#[command(after_help = AFTER)]
#[command(mut_arg("steps", |arg| arg.help("Steps to run [default: without a window as many as an hour has; a window runs for ever]")))]
#[command(mut_arg("save", |arg| arg.help("Write the state at the end: float32, 6 planes of HEIGHT x WIDTH, see below")))]
pub struct CloudsArguments {
    /// What kind of day it is [default: cumulus]
    #[arg(long, value_parser = by_name(Scene::ALL.map(|scene| (scene.name(), scene.shows(), scene))))]
    pub scene: Option<Scene>,
    /// Cells, as WIDTHxHEIGHT [default: 192x112, or that of --load]
    #[arg(long, allow_hyphen_values = true)]
    pub size: Option<Size>,
    /// Side of a cell, in metres, 0.001 to 100000 [default: what makes the box 3584 m high]
    #[arg(long, allow_negative_numbers = true, value_name = "M", value_parser = within(1e-3f32, 1e5))]
    pub spacing: Option<f32>,
    /// Walls in the west and in the east; else what leaves there comes back from the other side
    #[arg(long)]
    pub walls: bool,
    /// Time a step, in seconds, 1e-4 to 1000 [default: the spacing by 8 m/s and --wind]
    #[arg(long, allow_negative_numbers = true, value_name = "DT", value_parser = within(1e-4f32, 1e3))]
    pub time_step: Option<f32>,
    /// Wind to the east, in m/s, -50 to 50; not with --walls or --load, whose air has its own [default: 0]
    #[arg(long, allow_negative_numbers = true, value_name = "V", value_parser = within(-50.0f32, 50.0))]
    pub wind: Option<f32>,
    /// Warmth from the ground where it gives most, in W/m^2 [default: that of the scene]
    #[arg(long, allow_negative_numbers = true, value_name = "W", value_parser = within(0.0f32, 1e4))]
    pub heat: Option<f32>,
    /// Vapour from there, by its latent heat, in W/m^2 [default: what keeps the humidity of the warm air]
    #[arg(long, allow_negative_numbers = true, value_name = "W", value_parser = within(0.0f32, 1e4))]
    pub evaporation: Option<f32>,
    /// Temperature of the ground, in degrees Celsius, -60 to 60 [default: 23.85]
    #[arg(long, allow_negative_numbers = true, value_name = "T", value_parser = within(-60.0f32, 60.0))]
    pub temperature: Option<f32>,
    /// Relative humidity at the ground, 0 to 1; not of stable, which is dry [default: that of the scene]
    #[arg(long, allow_negative_numbers = true, value_name = "H", value_parser = within(0.0f32, 1.0))]
    pub humidity: Option<f32>,
    /// Kelvins a kilometre by which air above the mixed layer is colder, -50 to 50 [default: that of the scene]
    #[arg(long, allow_negative_numbers = true, value_name = "K", value_parser = within(-50.0f32, 50.0))]
    pub lapse: Option<f32>,
    /// How much swirl is given back that the grid smears, 0 to 0.1: past 0.03 it makes storms [default: 0.015]
    #[arg(long, allow_negative_numbers = true, value_name = "E", value_parser = within(0.0f32, 0.1))]
    pub confinement: Option<f32>,
    /// K of eddies that cells do not resolve, which spreads velocity and what is different from the air at rest, in m^2/s, 0 to
    /// spacing^2/(4 DT), 0 for none [default: 3/16 m/s times the spacing, or what a step can mix]
    #[arg(long, allow_negative_numbers = true, value_name = "K", value_parser = within(0.0f32, 1e9))]
    pub mixing: Option<f32>,
    /// Time in which air at rest from before and behind the slice takes the place of its own, in seconds, DT to 1e9, or `never`
    /// [default: 3600]
    #[arg(long, allow_negative_numbers = true, value_name = "S", value_parser = renewal)]
    pub renewal: Option<Renewal>,
    /// What its colours show [default: clouds]
    #[arg(long, value_enum)]
    pub show: Option<CloudsShow>,
    /// Colour map of numbers; `help` lists them [default: red_blue, of those that are not below 0 inferno]
    #[arg(long, value_name = "NAME")]
    pub colours: Option<String>,
    /// How velocity and air are carried along [default: maccormack]
    #[arg(long, value_parser = by_name(Advection::ALL.map(|way| (way.name(), "", way))))]
    pub advection: Option<Advection>,
    /// How the pressure is found that makes the flow free of divergence: two cycles, to a residual of 1e-4 of its right-hand side, or 40 sweeps
    /// [default: multigrid]
    #[arg(long, value_enum)]
    pub pressure: Option<PressureName>,
    /// Let the water go that advection loses or makes
    #[arg(long)]
    pub lossy: bool,
    /// Pixels of a picture at most, as WIDTHxHEIGHT, within which all of the box is drawn [default: about 768 along the longer side]
    #[arg(long, allow_hyphen_values = true)]
    pub picture: Option<Size>,
    #[command(flatten)]
    pub demo: DemoArguments,
}

/// Seconds, or never.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Renewal(pub Option<f32>);

fn renewal(text: &str) -> Result<Renewal, String> {
    match text {
        "never" => Ok(Renewal(None)),
        _ => above(0.0f32, 1e9)(text)
            .map(|time| Renewal(Some(time)))
            .map_err(|expected| format!("{expected}, or never")),
    }
}

/// What is seen of a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CloudsShow {
    /// Clouds in the light of the sun
    #[default]
    Clouds,
    /// Potential temperature less that of the air at rest, -3 to 3 K: blue is colder, red is warmer
    Theta,
    /// Vapour, 0 to 15 g/kg
    Vapour,
    /// Cloud water, 0 to 2 g/kg
    CloudWater,
    /// |u|, 0 to 10 m/s
    Speed,
    /// How it turns, -0.1 to 0.1 a second: blue to the right, red to the left
    Vorticity,
}
