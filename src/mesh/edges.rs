//! Edges and the triangles beside them.

/// An edge of one triangle or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its vertices, ascending.
    pub ends: [u32; 2],
    /// The first of its wings among those of all edges.
    first: u32,
    faces: u32,
    /// Faces that go along it from the first end to the second, less those that go back.
    turns: i32,
}

impl Edge {
    /// The number of its faces.
    pub fn faces(&self) -> u32 {
        self.faces
    }

    /// Returns true if it has one face only.
    pub fn is_boundary(&self) -> bool {
        self.faces == 1
    }

    /// Returns true if as many of its faces go along it as back; a boundary has nothing to disagree about.
    pub fn is_oriented(&self) -> bool {
        self.is_boundary() || self.turns == 0
    }

    /// The places of its wings among those of all edges.
    pub(super) fn wings(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.faces) as usize
    }
}

/// A face as one of its edges sees it.
struct Side {
    ends: [u32; 2],
    wing: u32,
    forward: bool,
}

/// The edges of these faces, each once, and the corners opposite to them, edge after edge in the order of the faces.
pub(super) fn of(faces: &[[u32; 3]]) -> (Vec<Edge>, Vec<u32>) {
    let side = |corners: &[u32; 3], k: usize| {
        let (from, to, wing) = (corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]);
        Side { ends: [from.min(to), from.max(to)], wing, forward: from < to }
    };
    let whole = faces.iter().filter(|corners| has_three_corners(corners));
    let mut sides: Vec<Side> = whole.flat_map(|corners| (0..3).map(move |k| side(corners, k))).collect();
    sides.sort_by_key(|side| side.ends);
    let mut first = 0;
    let edge = |sides: &[Side]| {
        let turns = sides.iter().map(|side| if side.forward { 1 } else { -1 }).sum();
        let edge = Edge { ends: sides[0].ends, first, faces: sides.len() as u32, turns };
        first += edge.faces;
        edge
    };
    let edges = sides.chunk_by(|a, b| a.ends == b.ends).map(edge).collect();
    (edges, sides.iter().map(|side| side.wing).collect())
}

/// Returns true if the corners of a face are three vertices.
pub(super) fn has_three_corners([a, b, c]: &[u32; 3]) -> bool {
    a != b && b != c && c != a
}
