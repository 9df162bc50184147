//! The flags of branches.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use quadrille::sim::branches::Way;

use super::super::Size;
use super::DemoArguments;

/// What there is to be seen.
pub const SEEN: &str = "\
Heavy squares (even) among light ones (noise), or orbits of z^2 + c. All ways to a picture are
seen to make the same one, and at which pace: --squares and --trips say which of them gains.";

#[derive(Args, Clone)]
pub struct BranchesArguments {
    /// Texels, as WIDTHxHEIGHT [default: 512x512]
    #[arg(long)]
    pub size: Option<Size>,
    /// How it is decided what a fragment does [default: branch]
    #[arg(long, value_name = "WAY", ignore_case = true, value_parser = way())]
    pub way: Option<Way>,
    /// Texels along the side of a square, 1 to 64; orbits have none [default: 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub squares: Option<u32>,
    /// How often a heavy square applies its formula, where a light one does once, or an orbit goes on at most: 1 to 4096
    /// [default: squares 100, orbits 256]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub trips: Option<u32>,
    /// Colour map; `help` lists them [default: viridis]
    #[arg(long, value_name = "NAME")]
    pub colours: Option<String>,
    #[command(flatten)]
    pub demo: DemoArguments,
}

/// A way by its name.
fn way() -> impl TypedValueParser<Value = Way> {
    let ways = Way::ALL.map(|way| PossibleValue::new(way.name()).help(way.shows()));
    PossibleValuesParser::new(ways).try_map(|name| Way::named(&name).ok_or("no such way"))
}
