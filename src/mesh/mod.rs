//! Triangle meshes: positions, faces, and what is checked of them. No GPU here.

mod defects;
mod edges;
mod isosurface;
mod shapes;
mod space;

pub use defects::{Defects, THINNEST};
pub use edges::Edge;

use space::{Point, cross, difference, dot, length};

use crate::{Error, Result};

/// Triangles that share vertices: any number of pieces, closed or with boundaries.
///
/// An edge has one face, at a boundary, or two; or more, as scans have them. A face with a vertex twice has no edges. The
/// order of a face's corners matters to [`Mesh::volume`] alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    positions: Vec<[f32; 3]>,
    faces: Vec<[u32; 3]>,
    edges: Vec<Edge>,
    /// The corners opposite to each edge, one a face.
    wings: Vec<u32>,
}

impl Mesh {
    /// The mesh of these vertices and faces, as they come: [`Mesh::defects`] counts what is irregular. Vertices that no face
    /// has stay where they are.
    ///
    /// # Errors
    /// [`Error::BadMesh`] for no faces, a coordinate that is no finite number, and a corner that is no vertex: with the
    /// vertex or face, counted from 0.
    pub fn new(positions: Vec<[f32; 3]>, faces: Vec<[u32; 3]>) -> Result<Mesh> {
        let names = Names { first: 0, faces: (0..faces.len() as u32).collect() };
        Mesh::of_triangles(positions, faces, &names)
    }

    /// The mesh of polygons, whose triangles are cut from their first corner: right for those that are convex.
    ///
    /// Errors count faces and vertices from `first`, 0 or 1, as the file does that they are from. The corners given count
    /// from 0.
    ///
    /// # Errors
    /// As [`Mesh::new`], by the number of the polygon; [`Error::BadMesh`] for fewer than three corners.
    pub fn of_polygons<'a>(
        positions: Vec<[f32; 3]>,
        polygons: impl IntoIterator<Item = &'a [u32]>,
        first: u32,
    ) -> Result<Mesh> {
        let (mut triangles, mut names) = (Vec::new(), Names { first, faces: Vec::new() });
        for (number, polygon) in polygons.into_iter().enumerate() {
            let [corner, others @ ..] = polygon else { return Err(names.too_few(number, 0)) };
            if others.len() < 2 {
                return Err(names.too_few(number, polygon.len()));
            }
            for pair in others.windows(2) {
                triangles.push([*corner, pair[0], pair[1]]);
                names.faces.push(number as u32);
            }
        }
        Mesh::of_triangles(positions, triangles, &names)
    }

    fn of_triangles(positions: Vec<[f32; 3]>, faces: Vec<[u32; 3]>, names: &Names) -> Result<Mesh> {
        if faces.is_empty() {
            return Err(bad("mesh", "no faces"));
        }
        for (vertex, position) in positions.iter().enumerate() {
            if !position.iter().all(|x| x.is_finite()) {
                let [x, y, z] = position;
                let fault = format!("at {x}, {y}, {z}: expected finite numbers of 32 bits");
                return Err(bad(names.place("vertex", vertex as u32), fault));
            }
        }
        for (&face, corners) in names.faces.iter().zip(&faces) {
            names.check_corners(face, corners, positions.len())?;
        }
        let (edges, wings) = edges::of(&faces);
        Ok(Mesh { positions, faces, edges, wings })
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

    /// The corner opposite to an edge of this mesh in each of its faces.
    pub fn wings(&self, edge: &Edge) -> &[u32] {
        self.wings.get(edge.wings()).unwrap_or_default()
    }

    /// Counts the irregularities of the mesh.
    pub fn defects(&self) -> Defects {
        Defects::of(self)
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
            return Err(bad(
                format!("vertex {vertex} (counted from 0)"),
                "expected finite numbers of 32 bits",
            ));
        }
        let (faces, edges, wings) = (self.faces.clone(), self.edges.clone(), self.wings.clone());
        Ok(Mesh { positions, faces, edges, wings })
    }

    /// Returns, for each vertex, true if it lies on an edge of one face.
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
    /// boundary, or neighbours that do not turn the same way; at an edge of four faces two have to go each way.
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

/// The names of a mesh's parts in errors.
struct Names {
    /// The number of the first vertex and the first face: 0 or 1.
    first: u32,
    /// The face that each triangle was cut from, from 0.
    faces: Vec<u32>,
}

impl Names {
    /// "face 2 (counted from 1)".
    fn place(&self, what: &str, number: u32) -> String {
        format!("{what} {} (counted from {})", self.number(number), self.first)
    }

    /// The number of a vertex or face in errors, given from 0.
    fn number(&self, from_0: u32) -> u64 {
        u64::from(from_0) + u64::from(self.first)
    }

    fn check_corners(&self, face: u32, corners: &[u32; 3], vertices: usize) -> Result<()> {
        match corners.iter().find(|&&corner| corner as usize >= vertices) {
            Some(&corner) => {
                let fault = format!("vertex {}: there are {vertices}", self.number(corner));
                Err(bad(self.place("face", face), fault))
            }
            None => Ok(()),
        }
    }

    fn too_few(&self, face: usize, corners: usize) -> Error {
        bad(self.place("face", face as u32), format!("{corners} corners: expected three or more"))
    }
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
