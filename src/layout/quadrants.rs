//! The layout of Bolz et al.: a grid cut into four quadrants, one in each channel.

use std::fmt;

use super::{Packed2x2, Rect};
use crate::{Error, Result};

/// A grid of nodes cut in the middle of both axes, its quadrants layered into the four channels of a texture of half
/// the size: r is left and lower, g right and lower, b left and upper, a right and upper (row E8).
///
/// Texel (i + 1, j + 1) holds node (i, j) of the lower left quadrant; those of the others are `seam` further. The nodes
/// of the seam belong to both sides, and a border of one texel continues each quadrant into its neighbours, or holds 0
/// where the grid ends, so the neighbours of all four nodes of a texel are in the neighbouring texels. What is held
/// twice has to be kept the same.
///
/// The seam lies at an even node, so a node has the parity of its place, and node (2i, 2j) in the fine grid is in the
/// channel of node (i, j) in the coarse one: what interpolation and restriction between levels need. On 2ʲ + 1 nodes,
/// j ≥ 2, the quadrants are of one size. On any other number the right and upper ones have up to three columns or
/// rows of padding that hold 0.
///
/// A periodic axis has node 0 again after its last node. Both cuts have to be even then, so its length is a multiple of
/// four.
///
/// # References
/// Bolz et al. 2003, §4.2, Texture Layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quadrants {
    nodes: [u32; 2],
    periodic: [bool; 2],
}

/// "17x17 nodes in quadrants of 9x9".
impl fmt::Display for Quadrants {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let ([width, height], inside) = (self.nodes, self.inside());
        write!(f, "{width}x{height} nodes in quadrants of {}x{}", inside.width(), inside.height())
    }
}

impl Quadrants {
    /// The quadrants of a full grid, some of whose axes may be periodic.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for a layout that is no full grid, and for a periodic axis whose length is no multiple
    /// of four.
    pub fn new(grid: Packed2x2, periodic: [bool; 2]) -> Result<Quadrants> {
        let refused = |found: String, expected: &str| {
            Err(Error::BadParameter { name: "grid of quadrants", found, expected: expected.to_owned() })
        };
        if grid.tail() != grid.width() {
            return refused(grid.to_string(), "a full grid");
        }
        let nodes = [grid.width(), grid.height()];
        for (length, periodic) in nodes.into_iter().zip(periodic) {
            if periodic && !length.is_multiple_of(4) {
                let found = format!("a periodic axis of {length} nodes");
                return refused(found, "a multiple of 4: both cuts lie at even nodes");
            }
        }
        Ok(Quadrants { nodes, periodic })
    }

    /// Columns and rows of the grid.
    pub fn nodes(&self) -> [u32; 2] {
        self.nodes
    }

    /// Which axes are periodic.
    pub fn periodic(&self) -> [bool; 2] {
        self.periodic
    }

    /// The first column of the right quadrants, which is the last of the left ones; and the same of rows.
    pub fn seam(&self) -> [u32; 2] {
        self.nodes.map(|length| 2 * (length - 1).div_ceil(4).max(1))
    }

    /// Columns and rows of texels, the border included.
    pub fn texels(&self) -> [u32; 2] {
        self.seam().map(|seam| seam + 3)
    }

    /// The texels inside the border.
    pub fn inside(&self) -> Rect {
        let [width, height] = self.texels();
        Rect::new(1, 1, width - 1, height - 1)
    }

    /// The node in a channel of a texel, or `None` off the grid.
    pub fn node(&self, texel: [u32; 2], channel: usize) -> Option<(u32, u32)> {
        let right = [channel % 2 == 1, channel / 2 == 1];
        let along = |axis: usize| -> Option<u32> {
            let (length, seam) = (i64::from(self.nodes[axis]), i64::from(self.seam()[axis]));
            let place = i64::from(texel[axis]) - 1 + if right[axis] { seam } else { 0 };
            let place = if self.periodic[axis] { place.rem_euclid(length) } else { place };
            u32::try_from(place).ok().filter(|&place| i64::from(place) < length)
        };
        Some((along(0)?, along(1)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTHS: [u32; 12] = [1, 2, 3, 4, 5, 8, 9, 11, 13, 17, 30, 31];

    fn all() -> Result<Vec<Quadrants>> {
        let mut all = Vec::new();
        for (width, height) in LENGTHS.into_iter().flat_map(|w| LENGTHS.map(|h| (w, h))) {
            let grid = Packed2x2::grid(width, height)?;
            for periodic in [[false, false], [true, false], [false, true], [true, true]] {
                let fits = |axis: usize| !periodic[axis] || [width, height][axis] % 4 == 0;
                assert_eq!(Quadrants::new(grid, periodic).is_ok(), fits(0) && fits(1));
                all.extend(Quadrants::new(grid, periodic));
            }
        }
        Ok(all)
    }

    #[test]
    fn every_node_is_inside_a_border_and_its_neighbours_are_beside_it() -> Result<()> {
        for quadrants in all()? {
            let ([width, height], inside) = (quadrants.nodes(), quadrants.inside());
            let mut seen = vec![false; (width * height) as usize];
            for (x, y) in (inside.y0..inside.y1).flat_map(|y| (inside.x0..inside.x1).map(move |x| (x, y))) {
                for channel in 0..4 {
                    let Some((column, row)) = quadrants.node([x, y], channel) else { continue };
                    seen[(row * width + column) as usize] = true;
                    let east = Some((column + 1) % width).filter(|&e| e > 0 || quadrants.periodic()[0]);
                    let north = Some((row + 1) % height).filter(|&n| n > 0 || quadrants.periodic()[1]);
                    let around = |texel| quadrants.node(texel, channel);
                    assert_eq!(around([x + 1, y]), east.map(|east| (east, row)), "{quadrants}");
                    assert_eq!(around([x, y + 1]), north.map(|north| (column, north)), "{quadrants}");
                }
            }
            assert!(seen.into_iter().all(|seen| seen), "{quadrants}");
        }
        Ok(())
    }

    #[test]
    fn even_nodes_lie_at_even_places_and_powers_of_two_waste_nothing() -> Result<()> {
        for quadrants in all()? {
            assert!(quadrants.seam().into_iter().all(|seam| seam % 2 == 0), "{quadrants}");
        }
        for j in 2..12 {
            let side = (1 << j) + 1;
            let quadrants = Quadrants::new(Packed2x2::grid(side, side)?, [false; 2])?;
            assert_eq!(quadrants.seam(), [side / 2; 2]);
            assert_eq!(quadrants.inside().width(), side / 2 + 1);
        }
        let folded = Quadrants::new(Packed2x2::folded(37)?, [false; 2]);
        assert!(folded.is_err_and(|error| error.to_string().contains("a full grid")));
        let odd = Quadrants::new(Packed2x2::grid(18, 4)?, [true, false]);
        assert!(odd.is_err_and(|error| error.to_string().contains("a periodic axis of 18 nodes")));
        Ok(())
    }
}
