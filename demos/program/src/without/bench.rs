//! `quadrille bench` of a build without benchmarks.

use anyhow::Result;

use crate::cli::BenchArguments;
use crate::without::missing;

pub fn run(_: &BenchArguments) -> Result<()> {
    Err(missing("benchmarks", "bench"))
}
