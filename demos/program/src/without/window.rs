//! A demo in a window, of a build without windows.

use anyhow::Result;

use crate::cli::ContextArguments;
use crate::demo::chosen::Chosen;
use crate::without::missing;

pub fn run(_: Option<&Chosen>, _: &ContextArguments) -> Result<()> {
    Err(missing("windows", "window; --headless runs without one"))
}

pub fn has_display() -> bool {
    false
}
