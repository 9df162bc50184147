//! The flags of `pde`.

use std::path::PathBuf;

use clap::Args;
use quadrille::pde::{Overrides, Scheme};
use quadrille_gallery::number::whole;

use super::kernel::Extent;
use super::{ContextArguments, Size};

/// The steps that are halved from run to run, and the number of runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Order {
    /// True if the grid's are halved too.
    pub joint: bool,
    pub runs: u32,
}

#[derive(Args)]
pub struct PdeArguments {
    /// The equations (`docs/pde.md`), or the name of one of the gallery, as gray-scott.toml. With a display they open in a window,
    /// and the file is read again whenever it is saved
    #[arg(value_name = "FILE.toml")]
    pub file: PathBuf,
    /// Without a window, even where there is a display. Flags that name a file, a length, a check or a report need none either
    #[arg(long)]
    pub headless: bool,
    /// Steps to run [default: those up to the time `until`]
    #[arg(long, value_name = "N", conflicts_with = "until", value_parser = whole::<u64>(0, u64::MAX))]
    pub steps: Option<u64>,
    /// The time to run to, in the place of the file's
    #[arg(long, value_name = "T", value_parser = positive)]
    pub until: Option<f64>,
    /// The value of a parameter (repeatable)
    #[arg(long, value_name = "NAME=V", value_parser = set)]
    pub set: Vec<(String, f64)>,
    /// Nodes of the grid, in the place of the file's
    #[arg(long, value_name = "WxH|N")]
    pub size: Option<Extent>,
    /// The time step, in the place of the file's
    #[arg(long, value_name = "DT", value_parser = positive)]
    pub step: Option<f64>,
    /// Time scheme, in the place of the file's
    #[arg(long, value_name = "SCHEME", value_parser = scheme)]
    pub scheme: Option<Scheme>,
    /// Seed of the random numbers
    #[arg(long, value_name = "N", value_parser = whole::<u64>(0, u64::MAX))]
    pub seed: Option<u64>,
    /// Pictures of a view (.png, .gif) or the fields (.npy, .exr: a component each)
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Steps between two frames of --out, and two rows of --probes [default: --out the last, --probes a hundredth of the run]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1, u64::MAX))]
    pub every: Option<u64>,
    /// View that --out shows, from 1
    #[arg(long, value_name = "N", default_value = "1", value_parser = whole::<u32>(1, u64::MAX))]
    pub view: u32,
    /// Pixels of a picture, filled by the middle of the domain [default: one a node; of a curve or a surface 640x480]
    #[arg(long, value_name = "WxH", requires = "out")]
    pub picture: Option<Size>,
    /// The probes over time
    #[arg(long, value_name = "FILE.csv")]
    pub probes: Option<PathBuf>,
    /// State at the end, to go on from bit for bit
    #[arg(long, value_name = "FILE.npz")]
    pub save: Option<PathBuf>,
    /// State to go on from
    #[arg(long, value_name = "FILE.npz")]
    pub load: Option<PathBuf>,
    /// Write the kernels of a step into this folder, for `quadrille kernel`
    #[arg(long, value_name = "FOLDER")]
    pub kernels: Option<PathBuf>,
    /// Print what a step does and what it costs, counted in the fourth step
    #[arg(long, conflicts_with_all = ["check", "order"])]
    pub explain: bool,
    /// Compare the first three steps and the last with the same in 64 bits on the CPU
    #[arg(long)]
    pub check: bool,
    /// Run N times, with half the step each (time=N) or half the step and the cells (joint=N), and print the order by which the
    /// distance to `exact` shrinks
    #[arg(long, value_name = "time=N|joint=N", value_parser = order, conflicts_with_all = ["check", "steps", "out", "save", "load", "probes"])]
    pub order: Option<Order>,
    /// One JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub context: ContextArguments,
}

impl PdeArguments {
    /// Returns true if it runs without a window where there is a display: what it is to leave behind, or for how long, is said.
    pub fn is_windowless(&self) -> bool {
        let files = [&self.out, &self.probes, &self.save, &self.kernels];
        self.headless
            || self.check
            || self.json
            || self.explain
            || self.order.is_some()
            || self.steps.is_some()
            || self.every.is_some()
            || self.until.is_some()
            || files.iter().any(|file| file.is_some())
    }

    /// The values that take the place of those in the file.
    pub fn overrides(&self) -> Overrides {
        Overrides {
            set: self.set.clone(),
            size: self.size.map(|size| match size {
                Extent::Array(nodes) => [u32::try_from(nodes).unwrap_or(u32::MAX), 1],
                Extent::Field(Size { width, height }) => [width, height],
            }),
            step: self.step,
            until: self.until,
            scheme: self.scheme,
            seed: self.seed,
        }
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("expected a finite number above 0".to_owned()),
    }
}

fn set(text: &str) -> Result<(String, f64), String> {
    let parts = text.split_once('=').map(|(name, value)| (name.trim(), value.trim().parse::<f64>()));
    match parts {
        Some((name, Ok(value))) if !name.is_empty() && value.is_finite() => Ok((name.to_owned(), value)),
        _ => Err("expected NAME=V, as in a=0.5".to_owned()),
    }
}

fn scheme(text: &str) -> Result<Scheme, String> {
    Scheme::named(text).ok_or_else(|| {
        let names: Vec<&str> = Scheme::ALL.iter().map(|(name, _)| *name).collect();
        format!("expected {}", names.join(", "))
    })
}

fn order(text: &str) -> Result<Order, String> {
    let parts = text.split_once('=').map(|(way, runs)| (way, runs.parse::<u32>()));
    match parts {
        Some((way @ ("time" | "joint"), Ok(runs @ 2..=12))) => Ok(Order { joint: way == "joint", runs }),
        _ => Err("expected time=N or joint=N with N from 2 to 12".to_owned()),
    }
}
