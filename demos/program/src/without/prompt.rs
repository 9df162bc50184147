//! The prompt of a build without one.

use anyhow::Result;
use quadrille::script::Interpreter;

use crate::without::missing;

pub fn run(_: &mut Interpreter, _: &str) -> Result<()> {
    Err(missing("prompt", "prompt"))
}
