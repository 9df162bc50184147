//! Irregularities that scans have.

use std::fmt;

use super::Mesh;
use super::edges::has_three_corners;
use super::space::{Point, cross, difference, dot, length};

/// The sum of the cotangents of a triangle, (a² + b² + c²) / 4A, at most: thinner ones are slivers, which the flow takes for
/// one that has it.
///
/// No triangle whose angles are a tenth of a degree or more is thinner: the sum is largest with two of them, 859.5.
pub const THINNEST: f64 = 1024.0;

/// Irregularities of a mesh, counted. None of them keeps it from being computed: triangles add up all the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Defects {
    /// Edges of three faces or more.
    pub non_manifold_edges: usize,
    /// Faces with a vertex twice: they have no area, and no edges.
    pub degenerate_faces: usize,
    /// Faces with the same corners as one before.
    pub duplicate_faces: usize,
    /// Triangles that the flow takes for thicker ones ([`crate::sim::geometric_flow`]), those without area among them.
    pub slivers: usize,
    /// Vertices at the place of one before.
    pub duplicate_vertices: usize,
    /// Vertices that no face has.
    pub isolated_vertices: usize,
}

impl Defects {
    /// Those of a mesh.
    pub(super) fn of(mesh: &Mesh) -> Defects {
        let mut known = vec![false; mesh.positions.len()];
        mesh.faces.iter().flatten().for_each(|&corner| known[corner as usize] = true);
        let whole = || mesh.faces.iter().filter(|corners| has_three_corners(corners));
        let sorted = |corners: &[u32; 3]| {
            let mut corners = *corners;
            corners.sort_unstable();
            corners
        };
        let place = |p: &[f32; 3]| p.map(|x| (x + 0.0).to_bits()); // −0 is 0
        let triangle = |corners: &[u32; 3]| -> [Point; 3] {
            corners.map(|corner| mesh.positions[corner as usize].map(f64::from))
        };
        Defects {
            non_manifold_edges: mesh.edges.iter().filter(|edge| edge.faces() > 2).count(),
            degenerate_faces: mesh.faces.len() - whole().count(),
            duplicate_faces: repeated(whole().map(sorted).collect()),
            slivers: whole().filter(|corners| is_sliver(triangle(corners))).count(),
            duplicate_vertices: repeated(mesh.positions.iter().map(place).collect()),
            isolated_vertices: known.iter().filter(|known| !**known).count(),
        }
    }

    /// The counts, each with its name in the singular and in the plural.
    fn all(&self) -> [(usize, &'static str, &'static str); 6] {
        [
            (self.non_manifold_edges, "edge of three or more faces", "edges of three or more faces"),
            (self.degenerate_faces, "face with a vertex twice", "faces with a vertex twice"),
            (self.duplicate_faces, "face that is there already", "faces that are there already"),
            (self.slivers, "sliver", "slivers"),
            (self.duplicate_vertices, "vertex at the place of another", "vertices at the place of another"),
            (self.isolated_vertices, "vertex without a face", "vertices without a face"),
        ]
    }

    /// Returns true if nothing was found.
    pub fn is_empty(&self) -> bool {
        *self == Defects::default()
    }
}

/// "2 edges of three or more faces, 1 sliver"; nothing for none.
impl fmt::Display for Defects {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let found = self.all().into_iter().filter(|&(count, ..)| count > 0);
        let words =
            found.map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }));
        f.write_str(&words.collect::<Vec<_>>().join(", "))
    }
}

/// How many are there already.
fn repeated(mut all: Vec<[u32; 3]>) -> usize {
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    count - all.len()
}

/// Returns true if a triangle is thinner than [`THINNEST`] allows, or a point.
fn is_sliver(p: [Point; 3]) -> bool {
    let sides = [0, 1, 2].map(|k| difference(p[(k + 1) % 3], p[k]));
    let sum = sides.iter().map(|&side| dot(side, side)).sum::<f64>() / 2.0;
    THINNEST * length(cross(sides[0], sides[1])) < sum || sum == 0.0
}
