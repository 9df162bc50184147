//! The flags of heat on a plate.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use quadrille::sim::heat::Flow;

use super::super::Size;
use super::super::number::{above, within};
use super::DemoArguments;

/// What there is at first, and what files hold.
const AFTER: &str = "\
The plate begins cold, at 0, with a hot disc of 1 in its middle and obstacles that --seed chooses.
--save and --out of .npy write (height, width, 3): temperature; open, 0 in an obstacle, else 1; free, 0 in an obstacle \
and where the temperature is held, else 1. --out of .exr has them as R, G and B.
The ways of --flow compute the same; branch may differ from the others by a rounding or two.";

#[derive(Args, Clone)]
#[command(after_help = AFTER)]
pub struct HeatArguments {
    /// Cells, as WIDTHxHEIGHT [default: 512x512, or that of --load]
    #[arg(long, allow_hyphen_values = true)]
    pub size: Option<Size>,
    /// How a step spares what need not be computed [default: combined]
    #[arg(long, value_name = "WAY", ignore_case = true, value_parser = flow())]
    pub flow: Option<Flow>,
    /// Share of a difference that flows in a step, above 0, at most 0.25: then a step is one sweep of Jacobi's
    /// relaxation [default: 0.25]
    #[arg(long, allow_negative_numbers = true, value_name = "B", value_parser = above(0.0f32, 0.25))]
    pub beta: Option<f32>,
    /// What is held beyond the plate: 1 on the left and 0 on the right, 0 all around, or nothing [default: hot-to-cold]
    #[arg(long, value_enum)]
    pub edges: Option<HeatEdges>,
    /// Run until a step changes no cell by more than EPS, where the hot side is 1: at the same step with a window, which
    /// then rests, or closes if --steps is given, and without one, where a million steps are the most unless --steps says
    /// otherwise
    #[arg(long, allow_negative_numbers = true, value_name = "EPS", value_parser = above(0.0f32, 1.0))]
    pub until: Option<f32>,
    /// Find the cells of at most 8x8 that the isotherm of temperature T crosses, by subdivision and occlusion queries; a
    /// window marks them. An obstacle has the temperature of the plate that it covers
    #[arg(long, allow_negative_numbers = true, value_name = "T", value_parser = within(-1e30f32, 1e30))]
    pub isotherm: Option<f32>,
    /// Colour map; `help` lists them [default: inferno]
    #[arg(long, value_name = "NAME")]
    pub colours: Option<String>,
    #[command(flatten)]
    pub demo: DemoArguments,
}

/// A way by its name.
fn flow() -> impl TypedValueParser<Value = Flow> {
    let ways = Flow::ALL.map(|flow| PossibleValue::new(flow.name()).help(flow.shows()));
    PossibleValuesParser::new(ways).try_map(|name| Flow::named(&name).ok_or("no such way"))
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum HeatEdges {
    HotToCold,
    Cold,
    Insulated,
}
