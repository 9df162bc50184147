//! The window.
use crate::cli::DemoArguments;
use crate::demo::Simulation;
use anyhow::{Result, bail};
use quadrille::Gpu;

pub fn run(
    _arguments: &DemoArguments,
    _start: fn(&Gpu, &DemoArguments) -> Result<Box<dyn Simulation>>,
) -> Result<()> {
    bail!("no window yet")
}
