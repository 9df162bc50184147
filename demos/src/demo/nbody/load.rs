//! Bodies from a file.

use std::path::Path;

use anyhow::{Result, bail};
use quadrille::sim::nbody::Body;

use super::NUMBERS;
use crate::files::{Array, npy};

/// The bodies of a file.
pub fn bodies(path: &Path) -> Result<Vec<Body>> {
    let array = npy::read(path)?;
    match rows(&array) {
        Ok(bodies) => Ok(bodies),
        Err(error) => bail!("{}: {error}", path.display()),
    }
}

/// A body for each row: position, velocity, mass.
pub fn rows(array: &Array) -> Result<Vec<Body>> {
    let Array { height, width, components, values } = array;
    if *width != NUMBERS || *components != 1 {
        let shape = if *components == 1 { String::new() } else { format!(" x {components}") };
        bail!("{height} x {width}{shape} numbers, bodies have {NUMBERS} each: position, velocity, mass");
    }
    let (rows, _) = values.as_chunks::<NUMBERS>();
    let body = |row: &[f32; NUMBERS]| {
        let [x, y, z, u, v, w, mass] = row.map(f64::from);
        Body { position: [x, y, z], velocity: [u, v, w], mass }
    };
    Ok(rows.iter().map(body).collect())
}
