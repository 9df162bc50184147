//! The flags of the number formats.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::super::Size;
use super::DemoArguments;

#[derive(Args, Clone)]
pub struct FormatsArguments {
    /// What runs in 32, 24 (ATI), 16 (NVIDIA) and 16 bits (ATI): upper left, upper right, lower left, lower right
    #[arg(long, value_enum, default_value = "gray-scott")]
    pub what: SubjectName,
    /// A panel, as WIDTHxHEIGHT in cells, or in texels of orbit and counter [default: 128x128, or that of --load; orbit
    /// 256x256, counter 200x192]
    #[arg(long)]
    pub size: Option<Size>,
    /// The error of each format against f64 over the steps, on a logarithmic axis; not of counter
    #[arg(long, value_name = "FILE.png")]
    pub plot: Option<PathBuf>,
    /// The same as numbers: root mean square and largest; not of counter
    #[arg(long, value_name = "FILE.csv")]
    pub history: Option<PathBuf>,
    /// Colour map; `help` lists them [default: magma; red_blue for wave and counter]
    #[arg(long, value_name = "NAME")]
    pub colours: Option<String>,
    #[command(flatten)]
    pub demo: DemoArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SubjectName {
    /// Reaction and diffusion
    GrayScott,
    /// The explicit wave between edges that reflect
    Wave,
    /// Four planets around a fixed sun
    Orbit,
    /// n + 1, from 0 and from 8 below each power of two: counted minus true, a band a step
    Counter,
}
