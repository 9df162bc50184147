//! Triangle meshes: positions, faces, and what is checked of them. No GPU here.

mod edges;
mod shapes;

pub use edges::Edge;

use crate::reference::space::{Point, cross, difference, dot, length};
use crate::{Error, Result};

/// Triangles that share vertices: any number of pieces, closed or with boundaries.
///
/// An edge has one face, at a boundary, or two. The order of a face's corners matters to [`Mesh::volume`] alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    positions: Vec<[f32; 3]>,
    faces: Vec<[u32; 3]>,
    edges: Vec<Edge>,
}

impl Mesh {
    /// The mesh of these vertices and faces. Vertices that no face has stay where they are; faces without area are
    /// taken as they come.
    ///
    /// # Errors
    /// [`Error::BadMesh`] for no faces, a coordinate that is no finite number, a corner that is no vertex, a vertex twice
    /// in a face, a face twice, and an edge of three faces: with the vertex or face, counted from 0.
    pub fn new(positions: Vec<[f32; 3]>, faces: Vec<[u32; 3]>) -> Result<Mesh> {
        let names = (0..faces.len() as u32).collect();
        Mesh::of_triangles(positions, faces, names)
    }

    /// The mesh of polygons, whose triangles are cut from their first corner: right for those that are convex.
    ///
    /// # Errors
    /// As [`Mesh::new`], by the number of the polygon; [`Error::BadMesh`] for fewer than three corners.
    pub fn of_polygons<'a>(
        positions: Vec<[f32; 3]>,
        polygons: impl IntoIterator<Item = &'a [u32]>,
    ) -> Result<Mesh> {
        let (mut triangles, mut names) = (Vec::new(), Vec::new());
        for (name, polygon) in polygons.into_iter().enumerate() {
            let [first, others @ ..] = polygon else { return Err(too_few(name, 0)) };
            if others.len() < 2 {
                return Err(too_few(name, polygon.len()));
            }
            for pair in others.windows(2) {
                triangles.push([*first, pair[0], pair[1]]);
                names.push(name as u32);
            }
        }
        Mesh::of_triangles(positions, triangles, names)
    }

    /// `names` are the numbers by which errors call the triangles.
    fn of_triangles(positions: Vec<[f32; 3]>, faces: Vec<[u32; 3]>, names: Vec<u32>) -> Result<Mesh> {
        if faces.is_empty() {
            return Err(bad("mesh", "no faces"));
        }
        for (vertex, position) in positions.iter().enumerate() {
            if !position.iter().all(|x| x.is_finite()) {
                let [x, y, z] = position;
                return Err(bad(
                    format!("vertex {vertex}"),
                    format!("at {x}, {y}, {z}: expected finite numbers"),
                ));
            }
        }
        for (name, corners) in names.iter().zip(&faces) {
            check_corners(*name, corners, positions.len())?;
        }
        let edges = edges::of(&faces, &names)?;
        Ok(Mesh { positions, faces, edges })
    }

    /// Where each vertex is.
    pub fn positions(&self) -> &[[f32; 3]] {
        &self.positions
    }

    /// The corners of each triangle, as numbers of vertices.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// The edges, each once, by their vertices ascending.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The same faces elsewhere.
    ///
    /// # Errors
    /// [`Error::WrongLength`] for another number of vertices; [`Error::BadMesh`] where one is nowhere.
    pub fn moved(&self, positions: Vec<[f32; 3]>) -> Result<Mesh> {
        if positions.len() != self.positions.len() {
            let (found, expected) = (positions.len(), self.positions.len());
            let (what, shape) = ("positions of a mesh".to_owned(), "one a vertex".to_owned());
            return Err(Error::WrongLength { what, found, expected, shape });
        }
        if let Some(vertex) = positions.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
            return Err(bad(format!("vertex {vertex}"), "expected finite numbers"));
        }
        Ok(Mesh { positions, faces: self.faces.clone(), edges: self.edges.clone() })
    }

    /// Whether each vertex lies on an edge of one face.
    pub fn on_boundary(&self) -> Vec<bool> {
        let mut on = vec![false; self.positions.len()];
        for edge in self.edges.iter().filter(|edge| edge.is_boundary()) {
            edge.ends.iter().for_each(|&end| on[end as usize] = true);
        }
        on
    }

    /// The area of all faces, in f64.
    pub fn area(&self) -> f64 {
        self.triangles().map(|t| length(doubled_area(t)) / 2.0).sum()
    }

    /// The volume inside, in f64: below 0 where faces go clockwise as seen from outside; none where the mesh has a
    /// boundary, or neighbours that do not turn the same way.
    pub fn volume(&self) -> Option<f64> {
        let closed = self.edges.iter().all(|edge| !edge.is_boundary() && edge.is_oriented());
        // About a vertex, so that a mesh far away loses no digits.
        let origin = self.triangles().next()?[0];
        let six = |t: [Point; 3]| {
            let [a, b, c] = t.map(|p| difference(p, origin));
            dot(a, cross(b, c))
        };
        closed.then(|| self.triangles().map(six).sum::<f64>() / 6.0)
    }

    /// The corners of the smallest box around the vertices.
    pub fn bounds(&self) -> [[f32; 3]; 2] {
        let mut bounds = [self.positions[0]; 2];
        for position in &self.positions {
            for k in 0..3 {
                bounds[0][k] = bounds[0][k].min(position[k]);
                bounds[1][k] = bounds[1][k].max(position[k]);
            }
        }
        bounds
    }

    fn triangles(&self) -> impl Iterator<Item = [Point; 3]> + '_ {
        self.faces.iter().map(|face| face.map(|corner| self.positions[corner as usize].map(f64::from)))
    }
}

fn check_corners(face: u32, corners: &[u32; 3], vertices: usize) -> Result<()> {
    if let Some(corner) = corners.iter().find(|&&corner| corner as usize >= vertices) {
        return Err(bad(format!("face {face}"), format!("vertex {corner} of {vertices}, the first is 0")));
    }
    let [a, b, c] = corners;
    if a == b || b == c || c == a {
        return Err(bad(format!("face {face}"), format!("vertices {a}, {b}, {c}: expected three")));
    }
    Ok(())
}

fn too_few(face: usize, corners: usize) -> Error {
    bad(format!("face {face}"), format!("{corners} corners: expected three or more"))
}

fn bad(place: impl Into<String>, fault: impl Into<String>) -> Error {
    Error::BadMesh { place: place.into(), fault: fault.into() }
}

/// A normal, twice as long as the triangle is large.
fn doubled_area([a, b, c]: [Point; 3]) -> Point {
    cross(difference(b, a), difference(c, a))
}

#[cfg(test)]
mod tests;
