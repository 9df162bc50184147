//! Rectangles of texels.

use std::fmt;

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
