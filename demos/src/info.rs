//! `quadrille info`.
use crate::cli::InfoArguments;
use anyhow::{Result, bail};
pub fn run(_arguments: &InfoArguments) -> Result<()> {
    bail!("no info yet")
}
