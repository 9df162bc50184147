//! A demo in a window, of a build without windows.

use anyhow::Result;

use crate::demo::chosen::Chosen;
use crate::without::missing;

pub fn run(_: &Chosen) -> Result<()> {
    Err(missing("windows", "window; --headless runs without one"))
}
