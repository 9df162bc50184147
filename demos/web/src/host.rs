//! The page as the host of a demo.

use std::path::Path;

use anyhow::{Result, bail};
use quadrille_gallery::demo::{Host, PlacedMesh, Shape};
use quadrille_gallery::state::Array;

/// The page: it has a clock and a console, and no files.
pub struct Browser(Option<web_sys::Performance>);

impl Browser {
    pub fn new() -> Browser {
        Browser(web_sys::window().and_then(|window| window.performance()))
    }
}

impl Host for Browser {
    fn seconds(&self) -> f64 {
        self.0.as_ref().map_or(0.0, |clock| clock.now() / 1e3)
    }

    fn stops(&self) -> bool {
        false
    }

    fn warn(&self, line: &str) {
        web_sys::console::info_1(&line.into());
    }

    fn array(&self, path: &Path, _: Option<Shape>) -> Result<Array> {
        no_files(path)
    }

    fn grey(&self, path: &Path, _: &dyn Fn(u32, u32) -> Result<()>) -> Result<Array> {
        no_files(path)
    }

    fn channels(&self, path: &Path, _: &dyn Fn(u32, u32) -> Result<()>) -> Result<Array> {
        no_files(path)
    }

    fn mesh(&self, path: &Path) -> Result<PlacedMesh> {
        no_files(path)
    }
}

fn no_files<T>(path: &Path) -> Result<T> {
    bail!("{}: a page reads no such files; the program does", path.display())
}
