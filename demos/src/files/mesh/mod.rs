//! Triangle meshes in and out: Wavefront .obj, and .ply in text or binary.
//!
//! Polygons are cut into triangles. What else a file has (colours, normals, textures, groups) is not read.

mod obj;
mod ply;

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Result, bail};
use quadrille::mesh::Mesh;

use super::{atomic, named};

/// Vertices, and the corners of each polygon, from 0.
#[derive(Debug, Default, PartialEq)]
struct Polygons {
    positions: Vec<[f32; 3]>,
    corners: Vec<Vec<u32>>,
}

/// The kinds of files.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Obj,
    Ply,
}

impl Kind {
    fn of(path: &Path) -> Result<Kind> {
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        match extension.to_str() {
            Some("obj") => Ok(Kind::Obj),
            Some("ply") => Ok(Kind::Ply),
            _ => bail!("{}: expected a mesh, .obj or .ply", path.display()),
        }
    }
}

/// Reads a mesh, by the extension.
///
/// # Errors
/// One line that begins with the file: what cannot be read, with its line; what is no mesh, with its face from 0.
pub fn read(path: &Path) -> Result<Mesh> {
    let kind = Kind::of(path)?;
    let mesh = || -> Result<Mesh> {
        let file = BufReader::new(File::open(path)?);
        let Polygons { positions, corners } = match kind {
            Kind::Obj => obj::read(file),
            Kind::Ply => ply::read(file),
        }?;
        Ok(Mesh::of_polygons(positions, corners.iter().map(Vec::as_slice))?)
    };
    mesh().map_err(|error| named(path, error))
}

/// That a mesh can be written there: asked before a long computation.
///
/// # Errors
/// Those of [`atomic::check`]; another extension.
pub fn check(path: &Path) -> Result<()> {
    Kind::of(path)?;
    atomic::check(path)
}

/// Writes a mesh, by the extension; a .ply in text or binary. Numbers are read back to the bit.
///
/// # Errors
/// Those of [`atomic::write`].
pub fn write(path: &Path, mesh: &Mesh, text: bool) -> Result<()> {
    let kind = Kind::of(path)?;
    atomic::write(path, |out| match kind {
        Kind::Obj => obj::write(out, mesh),
        Kind::Ply => ply::write(out, mesh, text),
    })
}

#[cfg(test)]
mod tests;
