//! The command line of `quadrille trace`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use quadrille_gallery::number::whole;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct TraceArguments {
    /// Writes a page for a browser: the tree of scopes, a film strip of passes, each pass with its kernel, inputs and outputs
    #[arg(long, value_name = "FILE.html")]
    pub page: Option<PathBuf>,
    /// Draws the passes as a film strip: textures in their order, small ones as tables of numbers, others by the false colours of their first channel, with an arrow for each pass; 64 passes at most
    #[arg(long, value_name = "FILE.svg")]
    pub strip: Option<PathBuf>,
    /// The passes of --strip: those of the first scope of that name [default: all]
    #[arg(long, value_name = "NAME", requires = "strip")]
    pub scope: Option<String>,
    /// Marks in the page what differs from an earlier trace, a page or a file of --json
    #[arg(long, value_name = "FILE", requires = "page")]
    pub against: Option<PathBuf>,
    /// Writes everything as JSON, with a hash of each output: for --compare
    #[arg(long, value_name = "FILE.json")]
    pub json: Option<PathBuf>,
    /// Writes the events of Chrome's trace format, which ui.perfetto.dev opens
    #[arg(long, value_name = "FILE.json")]
    pub chrome: Option<PathBuf>,
    /// Prints passes, texels and fetches of each scope, and what cards would take for them at least
    #[arg(long)]
    pub plan: bool,
    /// The card of --plan [default: all of them]
    #[arg(long, value_enum, value_name = "CARD", requires = "plan")]
    pub card: Option<CardName>,
    /// The first pass that is recorded, by its number in the run, from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(1, u64::MAX))]
    pub from: u64,
    /// The most passes that are recorded
    #[arg(long, value_name = "K", default_value_t = 20_000, value_parser = whole::<u64>(1, u64::MAX))]
    pub passes: u64,
    /// Keeps all numbers that passes FIRST to LAST read and write, not only those of small textures
    #[arg(long, value_name = "FIRST-LAST", value_parser = passes)]
    pub copy: Option<(u64, u64)>,
    /// The most megabytes of such copies
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = whole::<u64>(0, 4096))]
    pub memory: u64,
    /// Ends at the first pass that makes NaN or infinity out of finite numbers, and tells the texel and what it was made of
    #[arg(long)]
    pub nan: bool,
    /// Compares two files of --json, or two pages, instead: tells the first pass whose outputs differ
    #[arg(long, num_args = 2, value_names = ["A.json", "B.json"], conflicts_with_all = ["page", "against", "strip", "json", "chrome", "plan", "nan", "command"])]
    pub compare: Option<Vec<PathBuf>>,
    /// The command that is traced: demo, pde, solve, kernel, script or smooth, with its arguments; demos and equations run without a window
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CardName {
    /// The GPU at hand, if it is one of the others or `quadrille bench costs` has measured it
    This,
    H200,
    Llvmpipe,
    #[value(name = "geforce-6800")]
    Geforce6800,
    #[value(name = "radeon-9700")]
    Radeon9700,
}

const EXAMPLES: &str = "\
Examples:
  quadrille trace --page trace.html demo fluid --steps 1
  quadrille trace --strip cycle.svg --scope cycle demo fluid --size 33x33 --steps 1
  quadrille trace --plan --card geforce-6800 demo reaction-diffusion --steps 10
  quadrille trace --nan kernel mine.frag --stream a=a.npy --out b.npy
  quadrille trace --json a.json demo fluid --api gl --steps 1
  quadrille trace --compare a.json b.json
  quadrille trace --page new.html --against old.html kernel mine.frag --stream a=a.npy --out b.npy";

fn passes(text: &str) -> Result<(u64, u64), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.trim().parse(), last.trim().parse()) {
        (Ok(first), Ok(last)) if 0 < first && first <= last => Ok((first, last)),
        _ => Err("expected a pass or two, as in 17 or 17-20".to_owned()),
    }
}
