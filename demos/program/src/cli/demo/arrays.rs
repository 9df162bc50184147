//! The flags of demos on arrays: counting and sorting.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::super::Size;
use super::super::number::{whole, within};
use super::DemoArguments;

const HISTOGRAM_CHECK: &str = "Without a window; exit 1 past a bound. In about a hundred steps, the counts of the GPU against \
    those of the CPU, which must be the same, and each pixel of the step against f64";

const HISTOGRAM_JSON: &str = "Print one JSON object, without a window. Its findings, of the last image: total (pixels), outside \
    (of them, outside all bins), mode (the fullest bin, from 0), mode_count (its pixels), mean (of all pixels)";

const HISTOGRAM_OUT: &str = "What is there at the end, by extension. .png and .gif: the image with its bars; of more bins than \
    pixels across, a column shows the largest of its own. .npy and .exr: the image without bars, float32, height x width, 0 \
    (black) to 1";

#[derive(Args, Clone)]
#[command(mut_arg("check", |arg| arg.help(HISTOGRAM_CHECK)))]
#[command(mut_arg("json", |arg| arg.help(HISTOGRAM_JSON)))]
#[command(mut_arg("out", |arg| arg.help(HISTOGRAM_OUT)))]
#[command(mut_arg("save", |arg| arg.help("Write the image at the end, without bars: float32, height x width")))]
#[command(mut_arg("load", |arg| arg.help("Start from such an image, of finite numbers; 0 to 1 lies in the bins")))]
pub struct HistogramArguments {
    /// Pixels, as WIDTHxHEIGHT, 2^24 of them at most [default: 512x512, or those of --image or --load]
    #[arg(long, allow_hyphen_values = true)]
    pub size: Option<Size>,
    /// A picture to begin with, of 8 or 16 bits, in shades of grey: 0.299 red + 0.587 green + 0.114 blue; alpha is ignored
    /// [default: a dark one made by the seed]
    #[arg(long, value_name = "FILE.png", conflicts_with_all = ["load", "seed", "size"])]
    pub image: Option<PathBuf>,
    /// Each pixel a point that adds 1 to its bin, which needs vertex programs that fetch and blending of 32-bit floats; or
    /// fragments that each count some bins of many pixels [default: gather]
    #[arg(long, value_enum)]
    pub by: Option<ByName>,
    /// Equal parts of the brightness from 0 to 1, at most the size of a texture less 3: `info` says it [default: 256]
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = whole::<u32>(1, 1 << 24))]
    pub bins: Option<u32>,
    /// Write the counts of the last image: bin, from, to, count
    #[arg(long, value_name = "FILE.csv")]
    pub counts: Option<PathBuf>,
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

const SORT_CHECK: &str = "Without a window; exit 1 past a bound. Every pass against the same exchanges on the CPU: no number may \
    lie elsewhere";

#[derive(Args, Clone)]
#[command(mut_arg("check", |arg| arg.help(SORT_CHECK)))]
#[command(mut_arg("save", |arg| arg.help("Write the numbers as they lie at the end: float32, height x width")))]
#[command(mut_arg("load", |arg| arg.help("Sort such numbers, finite ones; colours go from the least to the largest of them")))]
pub struct SortArguments {
    /// Numbers, as WIDTHxHEIGHT, 2^24 of them at most, sorted row after row; a GPU may take subnormal ones (nearer to 0 than
    /// 1.2e-38) for 0 and leave them unsorted, which is said [default: 512x512, or those of --load, of a .npy sorted from the
    /// first pass on]
    #[arg(long, allow_hyphen_values = true)]
    pub size: Option<Size>,
    /// Colour map; `help` lists them [default: magma]
    #[arg(long, value_name = "NAME")]
    pub colours: Option<String>,
    #[command(flatten)]
    pub demo: DemoArguments,
}
