//! Benchmarks.
use crate::cli::BenchArguments;
use anyhow::{Result, bail};

pub fn run(_arguments: &BenchArguments) -> Result<()> {
    bail!("no benchmarks yet")
}
