//! The flags of the number formats.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::super::Size;
use super::DemoArguments;

const CHECK: &str = "Without a window; exit 1 past a bound. About a hundred single steps of each format, each from its own state, \
    against f64, and that each stores numbers of its format; of counter, where the counters of all formats stand";

const LOAD: &str = "Start all formats and f64 from a state of the demo reaction-diffusion (with --what gray-scott) or wave (with \
    --what wave), .npz or .npy; orbit and counter take none of those; or go on from a .npz of this demo, bit for bit";

const SAVE: &str = "Write at the end all that the run needs to go on: the numbers of each format, those in f64, errors so far, and what \
    is seen of planets and counters";

const OUT: &str = "What is there at the end, by extension. .png and .gif: four panels, upper left 32 bits, upper right 24, lower \
    left 16 (NVIDIA), lower right 16 (ATI). .npy and .exr: the same panels as float32, with two rows and two columns between them \
    that are no state, x channels: u, v of gray-scott, height and last height of wave, counted minus true of counter; of orbit, \
    formats x planets x (x, y, vx, vy)";

#[derive(Args, Clone)]
#[command(mut_arg("check", |arg| arg.help(CHECK)))]
#[command(mut_arg("load", |arg| arg.help(LOAD)))]
#[command(mut_arg("out", |arg| arg.help(OUT)))]
#[command(mut_arg("save", |arg| arg.help(SAVE)))]
#[command(mut_arg("seed", |arg| arg.help("Which of the initial states [default: 1]; not of counter")))]
pub struct FormatsArguments {
    /// What runs in 32, 24 (ATI), 16 (NVIDIA) and 16 bits (ATI): upper left, upper right, lower left, lower right
    #[arg(long, value_enum, default_value = "gray-scott")]
    pub what: SubjectName,
    /// A panel, as WIDTHxHEIGHT in cells, or in texels of orbit and counter [default: 128x128, or that of --load; orbit
    /// 256x256, counter 200x192]
    #[arg(long, allow_hyphen_values = true)]
    pub size: Option<Size>,
    /// The error of each format against f64 over the steps, on a logarithmic axis; not of counter
    #[arg(long, value_name = "FILE.png")]
    pub plot: Option<PathBuf>,
    /// The same as numbers: root mean square and largest over the steps; not of counter
    #[arg(long, value_name = "FILE.csv")]
    pub history: Option<PathBuf>,
    /// Colour map; `help` lists them [default: magma; red_blue for wave and counter]
    #[arg(long, value_name = "NAME")]
    pub colours: Option<String>,
    #[command(flatten)]
    pub demo: DemoArguments,
}

impl SubjectName {
    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            SubjectName::GrayScott => "gray-scott",
            SubjectName::Wave => "wave",
            SubjectName::Orbit => "orbit",
            SubjectName::Counter => "counter",
        }
    }
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
