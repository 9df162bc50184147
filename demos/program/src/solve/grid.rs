//! The grid of a nine-point matrix: its shape, given or found by the offsets of the entries, and its periodic sides.
//!
//! The search looks at all widths on which every entry joins neighbours. It takes the one where the fewest entries wrap around,
//! then the one where the fewest join diagonal neighbours; a tie is refused.

use anyhow::{Result, bail};
use quadrille::layout::Packed2x2;
use quadrille::numeric::Csr;

use crate::cli::Size;
use crate::output::counted;

/// A grid on which every entry of a matrix joins a node with itself or one of its eight neighbours.
#[derive(Debug, Default, PartialEq)]
pub struct Grid {
    pub width: usize,
    pub height: usize,
    /// Across and along the columns: whether entries go around.
    pub periodic: [bool; 2],
    /// True if any entry joins two nodes. Otherwise one shape is as good as another.
    pub joined: bool,
    /// Entries that go around, and those that go both across and along: what makes a shape unlikely.
    around: usize,
    corners: usize,
}

impl Grid {
    /// The grid asked for, or the only one that fits best. Best is what goes around least, then what has fewest corners. A
    /// line is the same problem as a row and as a column: it becomes a row. A diagonal matrix lies on any grid, and gets the
    /// one nearest to a square.
    ///
    /// # Errors
    /// A shape of another number of nodes; the first entry that is not nine-point there, by its row and column in the
    /// file; no shape that fits, or several that fit as well.
    pub fn of(csr: &Csr, asked: Option<Size>) -> Result<Grid> {
        let n = csr.rows();
        if let Some(Size { width, height }) = asked {
            let (width, height) = (width as usize, height as usize);
            if width.checked_mul(height) != Some(n) {
                bail!("--grid {width}x{height}: the matrix has {}", counted(n as u64, "row"));
            }
            return Grid::fitted(csr, width, height).or_else(|(row, column)| {
                let far = |one: usize, other: usize, what: &str| counted(one.abs_diff(other) as u64, what);
                let (x, y) =
                    (far(column % width, row % width, "column"), far(column / width, row / width, "row"));
                bail!(
                    "entry ({}, {}) is not nine-point on a {width}x{height} grid: it reaches {x} and {y} away",
                    row + 1,
                    column + 1
                )
            });
        }
        let widths = (1..=n).take_while(|w| w * w <= n).filter(|&w| n.is_multiple_of(w));
        if csr.triplets().all(|(row, column, _)| row == column) {
            let height = widths.max().unwrap_or(n);
            return Ok(Grid { width: n / height, height, ..Grid::default() });
        }
        let widths = widths.flat_map(|w| [w, n / w]).collect::<std::collections::BTreeSet<_>>();
        let mut fits: Vec<Grid> =
            widths.into_iter().filter_map(|w| Grid::fitted(csr, w, n / w).ok()).collect();
        fits.sort_by_key(|grid| (grid.rank(), grid.width));
        match &mut fits[..] {
            [] => bail!("the matrix is not nine-point on any grid of {n} nodes"),
            // Sorted by width: the column comes before the row.
            [best, second, ..] if best.width == 1 && second.height == 1 && best.rank() == second.rank() => {
                Ok(fits.swap_remove(1))
            }
            [best, second, ..] if best.rank() == second.rank() => bail!(
                "the matrix may lie on a {best} or a {second}: --grid {}x{} says which",
                best.width,
                best.height
            ),
            _ => Ok(fits.swap_remove(0)),
        }
    }

    /// The grid of that shape, if all entries are nine-point there; otherwise the first that is not.
    fn fitted(csr: &Csr, width: usize, height: usize) -> Result<Grid, (usize, usize)> {
        let mut grid = Grid { width, height, ..Grid::default() };
        for (row, column, _) in csr.triplets() {
            let across = step(row % width, column % width, width).ok_or((row, column))?;
            let along = step(row / width, column / width, height).ok_or((row, column))?;
            grid.periodic[0] |= across == Step::Around;
            grid.periodic[1] |= along == Step::Around;
            grid.joined |= row != column;
            grid.around += usize::from(across == Step::Around || along == Step::Around);
            grid.corners += usize::from(across != Step::None && along != Step::None);
        }
        Ok(grid)
    }

    /// The least fits best.
    fn rank(&self) -> (usize, usize) {
        (self.around, self.corners)
    }

    /// How vectors lie. A grid is a picture of itself in a texture: a line cannot be folded.
    ///
    /// # Errors
    /// A side of more nodes than a texture holds, which is two for each of so many texels.
    pub fn layout(&self, texture_size: u32) -> Result<Packed2x2> {
        let most = 2 * u64::from(texture_size);
        match [self.width, self.height]
            .map(|side| u32::try_from(side).ok().filter(|&side| u64::from(side) <= most))
        {
            [Some(width), Some(height)] => Ok(Packed2x2::grid(width, height)?),
            _ => bail!(
                "a {self} has a side of more nodes than a texture holds, {most}: --method cg, bicgstab and cgls fold it"
            ),
        }
    }

    /// How it was found.
    pub fn found(&self, asked: bool) -> &'static str {
        match (asked, self.joined) {
            (true, _) => "as asked",
            (false, true) => "as the entries suggest",
            (false, false) => "for want of entries that suggest any",
        }
    }

    /// Where it is periodic.
    pub fn sides(&self) -> &'static str {
        match self.periodic {
            [false, false] => "no side is periodic",
            [true, false] => "rows are periodic",
            [false, true] => "columns are periodic",
            [true, true] => "rows and columns are periodic",
        }
    }
}

/// "7x5 grid".
impl std::fmt::Display for Grid {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}x{} grid", self.width, self.height)
    }
}

/// How far an entry reaches along an axis.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    None,
    One,
    /// From one end to the other.
    Around,
}

/// From one place to another on an axis of that length, if they are neighbours.
fn step(from: usize, to: usize, length: usize) -> Option<Step> {
    match from.abs_diff(to) {
        0 => Some(Step::None),
        1 => Some(Step::One),
        far if far == length - 1 => Some(Step::Around),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every node and those of its neighbours that `takes` takes.
    fn matrix(
        width: usize,
        height: usize,
        around: [bool; 2],
        takes: impl Fn(i64, i64) -> bool,
    ) -> Result<Csr> {
        let mut entries = Vec::new();
        let along = |place: usize, step: i64, length: usize, around: bool| {
            let to = place as i64 + step;
            let to = if around { to.rem_euclid(length as i64) } else { to };
            usize::try_from(to).ok().filter(|&to| to < length)
        };
        for (i, (dx, dy)) in (0..width * height)
            .flat_map(|i| (-1..=1).flat_map(move |dy| (-1..=1).map(move |dx| (i, (dx, dy)))))
            .filter(|(_, (dx, dy))| takes(*dx, *dy))
        {
            let to = (along(i % width, dx, width, around[0]), along(i / width, dy, height, around[1]));
            if let (Some(x), Some(y)) = to {
                entries.push((i, y * width + x, 1.0));
            }
        }
        Ok(Csr::from_triplets(width * height, width * height, entries)?)
    }

    fn five(dx: i64, dy: i64) -> bool {
        dx == 0 || dy == 0
    }

    #[test]
    fn shapes_and_periodic_sides_are_found_by_the_entries() -> Result<()> {
        for (width, height) in [(7, 5), (5, 7), (8, 7), (7, 8), (33, 33), (3, 40), (12, 4), (31, 2)] {
            for around in [[false, false], [true, false], [false, true], [true, true]] {
                if around[0] && width < 4 || around[1] && height < 4 {
                    continue;
                }
                for nine in [false, true] {
                    let csr = matrix(width, height, around, |dx, dy| nine || five(dx, dy))?;
                    let grid = Grid::of(&csr, None)?;
                    let found = (grid.width, grid.height, grid.periodic);
                    assert_eq!(found, (width, height, around), "{nine}");
                    let layout = grid.layout(64)?;
                    assert_eq!((layout.width(), layout.height()), (width as u32, height as u32));
                }
            }
        }
        Ok(())
    }

    #[test]
    fn a_diagonal_matrix_gets_the_grid_nearest_to_a_square() -> Result<()> {
        for (n, width, height) in [(12, 4, 3), (49, 7, 7), (13, 13, 1), (1, 1, 1)] {
            let grid = Grid::of(&Csr::from_triplets(n, n, (0..n).map(|i| (i, i, 1.0)))?, None)?;
            assert_eq!((grid.width, grid.height, grid.periodic), (width, height, [false; 2]));
            assert!(grid.found(false).starts_with("for want of"));
        }
        Ok(())
    }

    #[test]
    fn a_line_longer_than_a_texture_is_refused_by_its_length() -> Result<()> {
        assert!(Grid::of(&Csr::poisson(64, 1)?, None)?.layout(32).is_ok());
        let line = Grid::of(&Csr::poisson(65, 1)?, None)?.layout(32).err().map(|error| error.to_string());
        let expected = "a 65x1 grid has a side of more nodes than a texture holds, 64: --method cg, bicgstab and cgls fold it";
        assert_eq!(line.as_deref(), Some(expected));
        Ok(())
    }

    #[test]
    fn what_lies_on_no_grid_or_on_several_is_refused() -> Result<()> {
        let refused =
            |csr: &Csr, asked| Grid::of(csr, asked).map_or_else(|error| error.to_string(), |g| g.to_string());
        let csr = Csr::poisson(7, 5)?;
        let size = |width, height| Some(Size { width, height });
        assert_eq!(refused(&csr, size(7, 5)), "7x5 grid");
        assert_eq!(refused(&csr, size(7, 6)), "--grid 7x6: the matrix has 35 rows");
        let line = "entry (1, 8) is not nine-point on a 35x1 grid: it reaches 7 columns and 0 rows away";
        assert_eq!(refused(&csr, size(35, 1)), line);
        let far = Csr::from_triplets(35, 35, (0..35).flat_map(|i| [(i, i, 1.0), (i, (i * i) % 35, 1.0)]))?;
        assert_eq!(refused(&far, None), "the matrix is not nine-point on any grid of 35 nodes");
        assert_eq!(refused(&Csr::poisson(35, 1)?, None), "35x1 grid");
        let pairs = (0..6).flat_map(|i: usize| [(i, i, 2.0), (i, i ^ 1, 1.0)]);
        let line = "the matrix may lie on a 1x6 grid or a 2x3 grid: --grid 1x6 says which";
        assert_eq!(refused(&Csr::from_triplets(6, 6, pairs)?, None), line);
        Ok(())
    }
}
