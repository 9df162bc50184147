//! Triangle meshes in and out: Wavefront .obj, and .ply in text or binary.
//!
//! Polygons are cut into triangles. What else a file has (colours, normals, textures, groups) is not read.

mod obj;
mod placed;
mod ply;

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Result, bail};
use quadrille::mesh::Mesh;

use super::{atomic, named, shown};
use crate::output;

pub use placed::Placed;

/// Bytes of a line at most: a face may have many corners, and a file without ends of lines must not take all memory.
const LONGEST: u64 = 1 << 26;

/// Vertices, and the corners of each polygon, as indices of vertices.
#[derive(Debug, Default, PartialEq)]
struct Polygons {
    positions: Vec<[f64; 3]>,
    corners: Vec<Vec<u32>>,
    /// The number that the file has for its first vertex, and errors for the first of anything.
    first: u32,
}

impl Polygons {
    /// The mesh about that origin.
    fn mesh(&self, origin: [f64; 3]) -> Result<Mesh> {
        let about = |p: &[f64; 3]| [0, 1, 2].map(|k| (p[k] - origin[k]) as f32);
        let positions = self.positions.iter().map(about).collect();
        Ok(Mesh::of_polygons(positions, self.corners.iter().map(Vec::as_slice), self.first)?)
    }
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
            _ => bail!("{}: expected a mesh, .obj or .ply", shown(path)),
        }
    }
}

/// Reads a mesh, by the extension.
///
/// # Errors
/// One line that begins with the file: what cannot be read, with its line; what is no mesh, with its face.
pub fn read(path: &Path) -> Result<Placed> {
    let kind = Kind::of(path)?;
    let found = || {
        let file = BufReader::new(File::open(path)?);
        Placed::of(match kind {
            Kind::Obj => obj::read(file)?,
            Kind::Ply => ply::read(file)?,
        })
    };
    found().map_err(|error| named(path, error))
}

/// Says in a line on stderr what is irregular about a mesh from a file, if anything is: it is computed all the same.
pub fn remark_on(path: &Path, mesh: &Mesh) {
    let defects = mesh.defects();
    if !defects.is_empty() {
        output::complain(&format!("note: {} has {defects}: computed as they are", shown(path)));
    }
}

/// Confirms that a mesh can be written there: asked before a long computation.
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
#[cfg(test)]
fn write(path: &Path, mesh: &Mesh, text: bool) -> Result<()> {
    write_at(path, mesh, None, text)
}

/// The same; vertices are at `positions`, if there are any.
fn write_at(path: &Path, mesh: &Mesh, positions: Option<&[[f64; 3]]>, text: bool) -> Result<()> {
    let kind = Kind::of(path)?;
    atomic::write(path, |out| match kind {
        Kind::Obj => obj::write(out, mesh, positions),
        Kind::Ply => ply::write(out, mesh, positions, text),
    })
}

#[cfg(test)]
mod tests;
