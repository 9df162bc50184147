//! Where vertices and entries lie. No GPU here.

use super::Boundary;
use crate::layout::{Packed2x2, Rect};
use crate::linalg::{Costs, Plan, Rectangle, SIDE, lay_out};
use crate::mesh::{Edge, Mesh};
use crate::numeric::Csr;
use crate::{Error, Result};

/// A texel for each vertex, and for each rectangle of vertices a plane of texels for each slot of their rows.
///
/// The planner is that of [`Gather`](crate::linalg::Gather), with two differences. A row has a texel of its own, so that one
/// fetch brings an entry with its column and serves three coordinates. And where rows are sorted by length, the vertices
/// themselves lie in that order, as in the paper, so that no pass has to bring sums home.
///
/// A vertex that does not move has no entries, but one slot, so that it has a place.
pub(super) struct Layout {
    /// Column and row of each vertex.
    pub places: Vec<(u32, u32)>,
    /// Columns and rows of the field of vertices.
    pub field: (u32, u32),
    /// Rows of equal length.
    pub rectangles: Vec<Rows>,
}

/// Rows of the matrix with equally many slots.
pub(super) struct Rows {
    /// Their vertices.
    pub range: Rect,
    /// Slots of each.
    pub slots: u32,
    /// Texel rows of the planes that lie below each other, before the next go on beside them.
    pub down: u32,
    /// Columns and rows of the texture that holds the planes.
    pub texels: (u32, u32),
    /// The addresses of i, j, and the third corners of two faces at the edge ij, for each slot; −1 for no face.
    pub corners: Vec<[f32; 4]>,
}

/// A slot of no entry.
const EMPTY: f64 = -1.0;

/// An edge, or two of its faces where it has more: what a slot has room for. The wings of a boundary are none.
struct Part {
    ends: [u32; 2],
    wings: [Option<u32>; 2],
}

impl Layout {
    /// The layout of a mesh.
    ///
    /// # Errors
    /// [`Error::OverLimit`] for more vertices than addresses, or more neighbours of one than texels in a texture.
    pub fn new(mesh: &Mesh, boundary: Boundary, texture_size: u32) -> Result<Layout> {
        let n = mesh.positions().len();
        let parts = parts(mesh);
        let pattern = pattern(mesh, &parts, boundary)?;
        let rows = Packed2x2::folded(n)?;
        // The plan is of texels of four rows; here each row has a texel, so a texture holds a quarter of it.
        let plan = Plan::new(&pattern, rows, rows, texture_size / 2, &Costs::default());
        let plan = plan.map_err(|error| of_mesh(error, &pattern))?;
        let side = |far: fn(&Rect) -> u32| plan.rectangles().iter().map(|r| 2 * far(&r.range)).max();
        let field = (side(|range| range.x1).unwrap_or(0), side(|range| range.y1).unwrap_or(0));
        if field.0.max(field.1) > SIDE {
            let (what, found) = ("mesh".to_owned(), n as u64);
            let limit = u64::from(SIDE).pow(2);
            return Err(Error::OverLimit { what, quantity: "number of vertices", found, limit });
        }
        let places: Vec<_> = (0..n).filter_map(|row| place(&plan, row)).collect();
        let corners = corners(&plan, &pattern, &parts, &places);
        let rectangles = plan.rectangles().iter().zip(&corners).map(|(r, laid)| Rows::of(r, laid)).collect();
        Ok(Layout { places, field, rectangles })
    }
}

impl Rows {
    /// A rectangle of texels of four rows as one of rows, with what was laid out for it.
    fn of(rectangle: &Rectangle, laid: &[[f32; 4]]) -> Rows {
        let Rect { x0, y0, x1, y1 } = rectangle.range;
        let range = Rect::new(2 * x0, 2 * y0, 2 * x1, 2 * y1);
        let (width, height) = rectangle.texels();
        let mut corners = vec![[0.0; 4]; laid.len()];
        for (at, four) in laid.chunks_exact(4).enumerate() {
            let (x, y) = (at % width as usize, at / width as usize);
            for (channel, &value) in four.iter().enumerate() {
                let row = 2 * y + channel / 2;
                corners[row * 2 * width as usize + 2 * x + channel % 2] = value;
            }
        }
        let down = range.height() * rectangle.down.min(rectangle.slots);
        Rows { range, slots: rectangle.slots, down, texels: (2 * width, 2 * height), corners }
    }

    /// The texels of a slot.
    pub fn plane(&self, slot: u32) -> Rect {
        let (width, height) = (self.range.width(), self.range.height());
        let (left, top) = (slot * height / self.down * width, slot * height % self.down);
        Rect::new(left, top, left + width, top + height)
    }

    /// Where the slot of a vertex of this rectangle lies.
    pub fn texel(&self, (column, row): (u32, u32), slot: u32) -> (u32, u32) {
        let plane = self.plane(slot);
        (plane.x0 + column - self.range.x0, plane.y0 + row - self.range.y0)
    }
}

/// All edges in their order, two faces at a time.
fn parts(mesh: &Mesh) -> Vec<Part> {
    let of = |edge: &Edge| {
        let (ends, wings) = (edge.ends, mesh.wings(edge));
        let inside = !edge.is_boundary();
        let part =
            move |two: &[u32]| Part { ends, wings: [0, 1].map(|k| two.get(k).copied().filter(|_| inside)) };
        wings.chunks(2).map(part).collect::<Vec<_>>()
    };
    mesh.edges().iter().flat_map(of).collect()
}

/// Which row has which slots: an entry's value is the number of its part, or [`EMPTY`]. Columns are parts too, as a row may have
/// several of the same neighbour; they count from n, so that none is taken for the main diagonal.
///
/// A row of the surface has all edges of its vertex, which is inside and has two triangles or more at each of them. A vertex
/// at a boundary has the edges of the boundary alone, if that flows, and else none.
fn pattern(mesh: &Mesh, parts: &[Part], boundary: Boundary) -> Result<Csr> {
    let (n, at_boundary) = (mesh.positions().len(), mesh.on_boundary());
    let mut entries = Vec::new();
    let mut moves = vec![false; n];
    for (number, part) in parts.iter().enumerate() {
        let curve = part.wings[0].is_none() && boundary == Boundary::Flowing;
        for row in part.ends.map(|end| end as usize) {
            if !at_boundary[row] || curve {
                entries.push((row, n + number, number as f64));
                moves[row] = true;
            }
        }
    }
    // The slot stands for nothing, and its column for no part.
    let still = (0..n).filter(|&row| !moves[row]).map(|row| (row, n + parts.len(), EMPTY));
    Csr::from_triplets(n, n + parts.len() + 1, entries.into_iter().chain(still))
}

/// The error of what is too long for a texture, in the words of meshes: their texels hold one row and not four.
fn of_mesh(error: Error, pattern: &Csr) -> Error {
    match error {
        Error::OverLimit { quantity, found, limit, .. } => {
            let longest = (0..pattern.rows()).map(|row| pattern.row(row).count()).max().unwrap_or(0);
            let what = format!("mesh with {longest} edges at a vertex");
            Error::OverLimit { what, quantity, found: 4 * found, limit: 4 * limit }
        }
        error => error,
    }
}

/// The texel of a row's vertex: that of its first slot, counted from its rectangle.
fn place(plan: &Plan, row: usize) -> Option<(u32, u32)> {
    let first = plan.place(row, 0)?;
    let range = plan.rectangles()[first.rectangle].range;
    let channel = first.channel as u32;
    Some((2 * first.texel.0 + channel % 2, 2 * (first.texel.1 + range.y0) + channel / 2))
}

/// The corners that the entries of each rectangle are computed from: four addresses a slot.
fn corners(plan: &Plan, pattern: &Csr, parts: &[Part], places: &[(u32, u32)]) -> Vec<Vec<[f32; 4]>> {
    let address = |vertex: u32| {
        let (column, row) = places[vertex as usize];
        row as f32 + column as f32 / SIDE as f32
    };
    let of = |row: usize, _: usize, value: f64| {
        let row = row as u32;
        if value == EMPTY {
            return [address(row); 4];
        }
        let Part { ends: [a, b], wings } = &parts[value as usize];
        let [next, other] = wings.map(|wing| wing.map_or(-1.0, address));
        [address(row), address(if *a == row { *b } else { *a }), next, other]
    };
    lay_out(plan, pattern, [0.0; 4], |[i, ..]| [i; 4], of)
}
