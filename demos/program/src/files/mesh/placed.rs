//! A mesh and where it lies: far from the origin 32 bits have no room for both.

use std::path::Path;

use anyhow::Result;
use quadrille::mesh::Mesh;

use super::{Polygons, write_at};

/// A mesh as a file has it. If its middle is farther from the origin than it is large, the mesh is that about its middle,
/// and where its vertices were is kept in f64.
pub struct Placed {
    pub mesh: Mesh,
    far: Option<Far>,
}

struct Far {
    middle: [f64; 3],
    /// As read.
    positions: Vec<[f64; 3]>,
}

impl From<Mesh> for Placed {
    /// A mesh that is where it is.
    fn from(mesh: Mesh) -> Placed {
        Placed { mesh, far: None }
    }
}

impl Placed {
    pub(super) fn of(polygons: Polygons) -> Result<Placed> {
        let far = middle(&polygons.positions);
        let mesh = polygons.mesh(far.unwrap_or_default())?;
        let far = far.map(|middle| Far { middle, positions: polygons.positions });
        Ok(Placed { mesh, far })
    }

    /// Where the mesh has its origin: 0, or its middle.
    pub fn origin(&self) -> [f64; 3] {
        self.far.as_ref().map_or([0.0; 3], |far| far.middle)
    }

    /// Writes what became of the mesh, where it was. A vertex that has not moved is written as it was read.
    ///
    /// # Errors
    /// Those of writing a file.
    pub fn write(&self, path: &Path, after: &Mesh, text: bool) -> Result<()> {
        let positions = self.far.as_ref().map(|far| far.outward(&self.mesh, after));
        write_at(path, after, positions.as_deref(), text)
    }
}

impl Far {
    fn outward(&self, before: &Mesh, after: &Mesh) -> Vec<[f64; 3]> {
        let moved = before.positions().iter().zip(after.positions()).zip(&self.positions);
        moved
            .map(|((before, now), read)| match now == before {
                true => *read,
                false => [0, 1, 2].map(|k| self.middle[k] + f64::from(now[k])),
            })
            .collect()
    }
}

/// The middle of the box around positions that are far from the origin.
fn middle(positions: &[[f64; 3]]) -> Option<[f64; 3]> {
    let bounds = |k: usize| {
        let all = || positions.iter().map(|p| p[k]);
        (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max))
    };
    let bounds = [0, 1, 2].map(bounds);
    let side = bounds.map(|(low, high)| high - low).into_iter().fold(0.0, f64::max);
    let middle = bounds.map(|(low, high)| low / 2.0 + high / 2.0);
    let far = side.is_finite() && middle.iter().any(|x| x.is_finite() && x.abs() > side);
    far.then_some(middle)
}
