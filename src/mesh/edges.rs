//! Edges and the triangles beside them.

use super::{Names, bad};
use crate::Result;

/// An edge and the corners opposite to it: what the two triangles beside it are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its vertices, ascending.
    pub ends: [u32; 2],
    /// The third corner of its face, and that of the other face if there is one.
    pub wings: (u32, Option<u32>),
    /// Faces that go along it from the first end to the second, less those that go back.
    turns: i8,
}

impl Edge {
    /// Whether it has one face only.
    pub fn is_boundary(&self) -> bool {
        self.wings.1.is_none()
    }

    /// Whether its two faces turn the same way; a boundary has nothing to disagree about.
    pub fn is_oriented(&self) -> bool {
        self.is_boundary() || self.turns == 0
    }
}

/// A face as one of its edges sees it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    ends: [u32; 2],
    /// What it was cut from.
    face: u32,
    wing: u32,
    forward: bool,
}

/// The edges of these faces, each once.
pub(super) fn of(faces: &[[u32; 3]], names: &Names) -> Result<Vec<Edge>> {
    let side = |(corners, &face): (&[u32; 3], &u32), k: usize| {
        let (from, to, wing) = (corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]);
        Side { ends: [from.min(to), from.max(to)], face, wing, forward: from < to }
    };
    let mut sides: Vec<Side> =
        faces.iter().zip(&names.faces).flat_map(|face| (0..3).map(move |k| side(face, k))).collect();
    sides.sort_unstable();
    sides.chunk_by(|a, b| a.ends == b.ends).map(|sides| edge(sides, names)).collect()
}

/// The edge of one or two faces; three are refused, and so are two with the same corners.
fn edge(sides: &[Side], names: &Names) -> Result<Edge> {
    let (first, others) = (sides[0], &sides[1..]);
    let turn = |side: &Side| if side.forward { 1 } else { -1 };
    match others {
        [] => Ok(Edge { ends: first.ends, wings: (first.wing, None), turns: turn(&first) }),
        [second] if second.wing == first.wing => {
            let fault = format!("the same corners as face {}", names.number(first.face));
            Err(bad(names.place("face", second.face), fault))
        }
        [second] => Ok(Edge {
            ends: first.ends,
            wings: (first.wing, Some(second.wing)),
            turns: turn(&first) + turn(second),
        }),
        [second, third, ..] => {
            let [[a, b], others] =
                [first.ends, [first.face, second.face]].map(|two| two.map(|n| names.number(n)));
            let fault = format!("its edge {a}-{b} has two faces already, {} and {}", others[0], others[1]);
            Err(bad(names.place("face", third.face), fault))
        }
    }
}
