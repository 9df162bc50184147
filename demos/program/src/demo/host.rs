//! The program as the host of a demo.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use quadrille_gallery::demo::{Host, PlacedMesh, Shape};
use quadrille_gallery::state::Array;

use crate::files::{grey, mesh, npy};
use crate::{interrupt, output, script};

pub struct Program {
    began: Instant,
}

impl Program {
    pub fn new() -> Program {
        Program { began: Instant::now() }
    }
}

impl Host for Program {
    fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    fn stops(&self) -> bool {
        interrupt::asked()
    }

    fn warn(&self, line: &str) {
        output::complain(&format!("warning: {line}"));
    }

    fn array(&self, path: &Path, shape: Option<Shape>) -> Result<Array> {
        match shape {
            Some((fits, expected)) => npy::read_shape(path, fits, expected),
            None => npy::read(path),
        }
    }

    fn grey(&self, path: &Path, fits: &dyn Fn(u32, u32) -> Result<()>) -> Result<Array> {
        grey::read(path, fits)
    }

    fn channels(&self, path: &Path, fits: &dyn Fn(u32, u32) -> Result<()>) -> Result<Array> {
        grey::read_channels(path, fits)
    }

    fn text(&self, path: &Path) -> Result<String> {
        script::read(path, "an equation file")
    }

    fn mesh(&self, path: &Path) -> Result<PlacedMesh> {
        let placed = mesh::read(path)?;
        mesh::remark_on(path, &placed.mesh);
        Ok(PlacedMesh { origin: placed.origin(), mesh: placed.mesh })
    }
}
