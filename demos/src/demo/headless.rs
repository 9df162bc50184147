//! A demo without a window.
use super::Start;
use crate::cli::DemoArguments;
use anyhow::{Result, bail};
pub fn run(_arguments: &DemoArguments, _start: Start) -> Result<()> {
    bail!("no headless yet")
}
