//! The arithmetic of layouts: rectangles of texels, what lies beyond an edge, and where element i of an
//! array lives in a texture. No GPU here.

mod packed;
mod quadrants;
mod voxels;

use std::fmt;

pub use packed::Packed2x2;
pub use quadrants::Quadrants;
pub use voxels::Voxels;

use crate::{Error, Result};

/// The texels x0 ≤ x < x1, y0 ≤ y < y1 of a target: the *range* of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rect {
    /// First column.
    pub x0: u32,
    /// First row.
    pub y0: u32,
    /// One past the last column.
    pub x1: u32,
    /// One past the last row.
    pub y1: u32,
}

impl Rect {
    /// The rectangle of these corners.
    pub const fn new(x0: u32, y0: u32, x1: u32, y1: u32) -> Rect {
        Rect { x0, y0, x1, y1 }
    }

    /// All of a width × height grid.
    pub const fn whole(width: u32, height: u32) -> Rect {
        Rect { x0: 0, y0: 0, x1: width, y1: height }
    }

    /// Columns.
    pub const fn width(&self) -> u32 {
        self.x1.saturating_sub(self.x0)
    }

    /// Rows.
    pub const fn height(&self) -> u32 {
        self.y1.saturating_sub(self.y0)
    }

    /// x0, y0, x1, y1, as a domain takes them.
    pub(crate) const fn corners(&self) -> [f32; 4] {
        [self.x0 as f32, self.y0 as f32, self.x1 as f32, self.y1 as f32]
    }

    /// Texels.
    pub const fn area(&self) -> usize {
        self.width() as usize * self.height() as usize
    }
}

impl fmt::Display for Rect {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{},{},{},{}", self.x0, self.y0, self.x1, self.y1)
    }
}

/// The edge rule: the value that a fetch beyond the edge of a stream reads; [`Edges::Clamp`] unless said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edges {
    /// The nearest texel of the edge.
    #[default]
    Clamp,
    /// The other side: the domain is a torus.
    Repeat,
    /// The reflection: texel −1 is texel 0, texel −2 is texel 1.
    Mirror,
}

impl Edges {
    /// The texel, below `side`, that a fetch at any `place` along a side reads.
    #[cfg(any(feature = "trace", feature = "testing"))]
    pub(crate) fn texel(self, place: i64, side: u32) -> u32 {
        let side = i64::from(side);
        let found = match self {
            Edges::Clamp => place.clamp(0, side - 1),
            Edges::Repeat => place.rem_euclid(side),
            Edges::Mirror => {
                let folded = place.rem_euclid(2 * side);
                folded.min(2 * side - 1 - folded)
            }
        };
        found as u32
    }
}

/// The boundary condition at the sides of a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoundaryCondition {
    /// u is fixed. Of cells: 0 one cell beyond the side. Of nodes: those on the side take no part, their rows and columns are 0.
    #[default]
    Dirichlet,
    /// Nothing flows through the side, ∂u/∂n = 0. Of cells: the edge cell once more. Of nodes: the cells of nodes on a side are halves, those
    /// of corners quarters, so that A is symmetric and 1ᵀA = 0 without σ; a right side counts in the same shares, ½ h²g and ¼ h²g.
    Neumann,
    /// The last cell or node is beside the first.
    Periodic,
}

/// A one-dimensional array of `len` elements folded row by row into a near-square texture.
///
/// Textures of the time ended at 2048 or 4096 texels a side, so a long array has to wrap:
/// element i lies at (i mod width, ⌊i / width⌋), and only the last row may be part empty.
///
/// # References
/// Harris, *Mapping Computational Concepts to GPUs*, §31.1.2 (1D addresses into 2D addresses).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// Elements.
    pub len: usize,
    /// Texels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Fold {
    /// Folds `len` elements into the squarest texture whose sides stay within `limit`.
    ///
    /// # Errors
    /// [`Error::Empty`] for no elements, [`Error::OverLimit`] past `limit`² of them.
    pub fn near_square(len: usize, limit: u32) -> Result<Fold> {
        let what = || format!("array of {len} elements");
        if len == 0 {
            return Err(Error::Empty { what: what(), width: 0, height: 0 });
        }
        let most = u64::from(limit) * u64::from(limit);
        if len as u64 > most {
            return Err(Error::OverLimit {
                what: what(),
                quantity: "length",
                found: len as u64,
                limit: most,
            });
        }
        let root = len.isqrt();
        let width = root + usize::from(root * root < len);
        Ok(Fold { len, width: width as u32, height: len.div_ceil(width) as u32 })
    }

    /// Elements in the last row, 1 to `width`.
    pub fn tail(&self) -> u32 {
        (self.len - (self.height as usize - 1) * self.width as usize) as u32
    }

    /// Texel (x, y) of element `index`.
    pub fn texel(&self, index: usize) -> (u32, u32) {
        ((index % self.width as usize) as u32, (index / self.width as usize) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rectangle_has_as_many_texels_as_columns_times_rows() {
        let rect = Rect::new(2, 1, 5, 3);
        assert_eq!((rect.width(), rect.height(), rect.area()), (3, 2, 6));
        assert_eq!(Rect::new(5, 1, 2, 3).area(), 0);
    }

    #[test]
    fn every_length_fits_and_wastes_less_than_a_row() -> Result<()> {
        for len in (1..500).chain([262_133, 1_000_003]) {
            let fold = Fold::near_square(len, 4096)?;
            let texels = fold.width as usize * fold.height as usize;
            assert!(texels >= len && texels - len < fold.width as usize, "{fold:?}");
            assert!((1..=fold.width).contains(&fold.tail()));
            assert_eq!(fold.texel(len - 1), (fold.tail() - 1, fold.height - 1));
        }
        Ok(())
    }

    #[test]
    fn the_limit_is_met_exactly_and_not_passed() {
        assert!(matches!(Fold::near_square(16, 4), Ok(Fold { width: 4, height: 4, .. })));
        assert!(matches!(Fold::near_square(17, 4), Err(Error::OverLimit { found: 17, limit: 16, .. })));
        assert!(matches!(Fold::near_square(0, 4), Err(Error::Empty { .. })));
    }
}
