//! The command line.

mod demo;
mod exercise;
mod kernel;
pub mod params;
mod pde;
mod script;
mod smooth;
mod solve;
mod trace;

use std::str::FromStr;

use anyhow::{Result, bail};
use clap::builder::TypedValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use quadrille::{Api, Gpu, Limits, Options};
#[cfg(feature = "bench")]
use quadrille_bench::Suite as Table;
use quadrille_gallery::number::whole;

use crate::output;

pub use demo::{DemoArguments, DemoCommand};
pub use exercise::{ExerciseArguments, ExerciseTask};
pub use kernel::{Extent, KernelArguments, Of};
pub use pde::{Order, PdeArguments};
pub use script::{ScriptArguments, language};
pub use smooth::SmoothArguments;
pub use solve::{
    CycleName, MethodName, MultigridArguments, PrecisionName, PreconditionerName, SmootherName,
    SolveArguments, StorageName, Sweeps,
};
pub use trace::{CardName, TraceArguments};

/// The end of the help.
const GALLERY: &str =
    "Without a command: the gallery of demos in a window, or their list where there is no display.";

/// General-purpose computing by drawing: float textures, fragment kernels, passes.
#[derive(Parser)]
#[command(name = "quadrille", version, max_term_width = 100, after_help = GALLERY)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

impl Cli {
    /// The command; without one the gallery.
    pub fn command(self) -> Command {
        self.command.unwrap_or(Command::Demo { demo: None })
    }
}

#[derive(Subcommand)]
pub enum Command {
    /// Show the driver, its limits, and what tests of it found
    Info(InfoArguments),
    /// Run a demo in a window, or without one; no name opens the gallery, or lists them where there is no display
    // `make demo ARGS=...` may say otherwise than its own flags: the last counts.
    // Whoever has read of the gallery asks for it by its name.
    #[command(
        args_override_self = true,
        visible_alias = "gallery",
        subcommand_value_name = "DEMO",
        subcommand_help_heading = "Demos"
    )]
    Demo {
        #[command(subcommand)]
        demo: Option<DemoCommand>,
    },
    /// Run a kernel of your own over numbers, NumPy arrays or pictures
    Kernel(Box<KernelArguments>),
    /// Learn by doing: kernels to finish, checked when you save; without a command the current one is watched
    Exercise(ExerciseArguments),
    /// Solve a system of linear equations from Matrix Market files
    Solve(Box<SolveArguments>),
    /// Step partial differential equations that a file writes as formulas
    Pde(Box<PdeArguments>),
    /// Smooth a triangle mesh by mean-curvature flow
    Smooth(Box<SmoothArguments>),
    /// Run a script of matrix operations, or read them from a prompt
    Script(ScriptArguments),
    /// Show any run as the passes that it was
    Trace(Box<TraceArguments>),
    /// Measure, beside hand-written OpenGL
    Bench(BenchArguments),
}

/// Which context is opened.
#[derive(Args, Clone)]
#[command(next_help_heading = "Context")]
pub struct ContextArguments {
    /// OpenGL 3.3 core or OpenGL ES 3.0 [env: QUADRILLE_API; default: gl]
    #[arg(long, value_enum, ignore_case = true, global = true)]
    pub api: Option<ApiName>,
    /// EGL device without a window, by number or part of its name; `info` lists them [env: QUADRILLE_DEVICE]
    #[arg(long, value_name = "N|NAME", global = true)]
    pub device: Option<String>,
    /// Limits of an old card: RADEON_9700, GEFORCE_FX or GEFORCE_6800 [env: QUADRILLE_LIMITS]
    #[arg(long, value_name = "CARD", value_parser = card, global = true)]
    pub limits: Option<Limits>,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum ApiName {
    Gl,
    Gles,
}

fn card(name: &str) -> Result<Limits, String> {
    Limits::named(name).ok_or_else(|| "expected RADEON_9700, GEFORCE_FX or GEFORCE_6800".to_owned())
}

impl ContextArguments {
    pub fn api(&self) -> Option<Api> {
        self.api.map(|api| match api {
            ApiName::Gl => Api::Gl,
            ApiName::Gles => Api::Gles,
        })
    }

    pub fn headless(&self) -> Result<Gpu> {
        let (api, device, limits) = (self.api(), self.device.clone(), self.limits);
        let gpu = Gpu::headless_with(Options { api, device, limits })?;
        warn(&gpu);
        Ok(gpu)
    }
}

/// Says what is wrong with the driver, if something is.
pub fn warn(gpu: &Gpu) {
    if let Some(fault) = gpu.driver().fault() {
        output::remark(&format!("quadrille: warning: {fault}"));
    }
}

#[derive(Args)]
pub struct InfoArguments {
    /// One JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub context: ContextArguments,
}

/// WIDTHxHEIGHT in elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

impl FromStr for Size {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Size> {
        let sides = text.split_once(['x', 'X', '×']);
        match sides.map(|(w, h)| (w.trim().parse(), h.trim().parse())) {
            Some((Ok(width), Ok(height))) if width > 0 && height > 0 => Ok(Size { width, height }),
            _ => bail!("expected WIDTHxHEIGHT with both above 0, as in 512x512"),
        }
    }
}

#[derive(Args)]
pub struct BenchArguments {
    #[command(subcommand)]
    pub suite: Suite,
}

#[derive(Subcommand)]
pub enum Suite {
    /// Passes, sums, transfers, start-up, Gray-Scott: each beside a hand-written OpenGL loop
    #[cfg_attr(feature = "bench", command(after_help = Table::Passes.help()))]
    Passes(SuiteArguments),
    /// Table 44-1, products of each kind of matrix, conjugate gradients: beside hand-written OpenGL, a library
    /// on the CPU and the card of 2005
    #[cfg_attr(feature = "bench", command(after_help = Table::Chapter44.help()))]
    Chapter44(SuiteArguments),
    /// Dense matrices: the six operations of Moravanszky's Figure 3, multiply by 1 to 8 render targets, the wall
    #[cfg_attr(feature = "bench", command(after_help = Table::Dense.help()))]
    Dense(SuiteArguments),
    /// The same sparse matrices in every storage that fits, rates of Bolz et al., rectangles of rows, the
    /// pressure of a million voxels (Batty et al.): beside hand-written OpenGL and a library on the CPU
    #[cfg_attr(feature = "bench", command(after_help = Table::Sparse.help()))]
    Sparse(SuiteArguments),
    /// Measure what passes and products cost on this driver, and keep it for `solve --storage auto` and the floors of `trace`
    ///
    /// The floors are the least seconds of a pass and the most that is written, fetched and moved a second: `trace` compares each kernel
    /// with them. The costs are kept in a file for each renderer, driver version and API (--api gl and --api gles measure apart), in the
    /// folder quadrille/costs of $XDG_STATE_HOME, or of ~/.local/state where that is not set; its name is printed. Measuring
    /// again replaces the file; without one, `solve` goes by the structure of a matrix. Refused with --limits or
    /// QUADRILLE_LIMITS: costs are those of the driver, and under the limits of a card none are used.
    Costs(ContextArguments),
    /// Chapter 31 at work: bodies, branches, histograms, sums and sorting
    #[cfg_attr(feature = "bench", command(after_help = Table::Streams.help()))]
    Streams(SuiteArguments),
    /// Multigrid as Bolz et al. measured it: products in two layouts, transfers, V-cycles level by level beside their
    /// passes by hand, Poisson systems by cycles and by conjugate gradients, steps of a fluid
    #[cfg_attr(feature = "bench", command(after_help = Table::Fluids.help()))]
    Fluids(SuiteArguments),
    /// Equations of files: explicit steps beside the built-in demo, implicit ones beside explicit ones, passes and fetches as counted
    #[cfg_attr(feature = "bench", command(after_help = Table::Pde.help()))]
    Pde(SuiteArguments),
    /// How the time of a step or a solve grows over six sizes, of each demo and solver: the exponent of the last three, and where
    /// latency ends
    Growth(GrowthArguments),
    /// The floors alone, in a process of its own; `costs` calls it
    #[command(hide = true)]
    Floors(ContextArguments),
    /// One start-up in a process of its own; `passes` calls it
    #[command(hide = true)]
    Start {
        /// Without the library
        #[arg(long)]
        bare: bool,
        #[command(flatten)]
        context: ContextArguments,
    },
}

/// The flags of `bench growth`.
#[derive(Args)]
pub struct GrowthArguments {
    /// Only demos and solvers whose name contains this
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// The smallest N of the six sizes
    #[arg(long, value_name = "N", default_value = "6", allow_negative_numbers = true, value_parser = clap::value_parser!(u8).range(1..=6).map(usize::from))]
    pub sizes: usize,
    /// Sizes that would take longer are left out, and those beyond
    #[arg(long, value_name = "S", default_value = "30", allow_negative_numbers = true, value_parser = seconds)]
    pub seconds: f64,
    /// The times over the sizes as a picture, on logarithmic axes
    #[arg(long, value_name = "FILE.png")]
    pub plot: Option<std::path::PathBuf>,
    /// One JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub context: ContextArguments,
}

/// A number of seconds, not below 0.
fn seconds(text: &str) -> Result<f64, &'static str> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or("expected a number of seconds that is not below 0")
}

#[derive(Args)]
pub struct SuiteArguments {
    /// One JSON object
    #[arg(long)]
    pub json: bool,
    /// Interleaved rounds a figure, 3 or more; each figure is their median [default: passes 31, chapter44 11, dense 7, sparse 7, streams 7, fluids 7]; a
    /// start-up is repeated 31 times at most
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u32>(3, u64::MAX))]
    pub rounds: Option<u32>,
    /// Only rows whose name and size contain this; the names are below
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    #[command(flatten)]
    pub context: ContextArguments,
}
