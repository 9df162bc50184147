//! `quadrille kernel`.
use crate::cli::KernelArguments;
use anyhow::{Result, bail};
pub fn run(_arguments: &KernelArguments) -> Result<()> {
    bail!("no kernel yet")
}
