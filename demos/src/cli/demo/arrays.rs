//! The flags of demos on arrays: counting and sorting.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::super::Size;
use super::super::number::within;
use super::DemoArguments;

#[derive(Args, Clone)]
pub struct HistogramArguments {
    /// Pixels, as WIDTHxHEIGHT [default: 512x512, or those of --image or --load]
    #[arg(long)]
    pub size: Option<Size>,
    /// A picture to begin with, in shades of grey [default: a dark one made by the seed]
    #[arg(long, value_name = "FILE.png", conflicts_with_all = ["load", "seed", "size"])]
    pub image: Option<PathBuf>,
    /// Each pixel a point that adds 1 to its bin, or fragments that each count some bins of many pixels [default: gather]
    #[arg(long, value_enum)]
    pub by: Option<ByName>,
    /// Equal parts of the brightness from 0 to 1 [default: 256]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub bins: Option<u32>,
    /// How far a step goes towards equal bins, 0 to 1 [default: 0.02]
    #[arg(long, allow_negative_numbers = true, value_name = "R", value_parser = within(0.0f32, 1.0))]
    pub rate: Option<f32>,
    /// Colour map; `help` lists them [default: grey]
    #[arg(long, value_name = "NAME")]
    pub colours: Option<String>,
    #[command(flatten)]
    pub demo: DemoArguments,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum ByName {
    Points,
    Gather,
}

#[derive(Args, Clone)]
pub struct SortArguments {
    /// Numbers, as WIDTHxHEIGHT, sorted row after row [default: 512x512, or those of --load, which are sorted from the
    /// first pass on]
    #[arg(long)]
    pub size: Option<Size>,
    /// Colour map; `help` lists them [default: magma]
    #[arg(long, value_name = "NAME")]
    pub colours: Option<String>,
    #[command(flatten)]
    pub demo: DemoArguments,
}
