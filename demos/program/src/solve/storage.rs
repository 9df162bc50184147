//! The storages of a matrix, and what of its structure decides between them.

use std::fmt::{Display, Formatter};

use anyhow::{Result, bail};
use quadrille::Limits;
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, Banded, Costs, Dense, Gather, LinearOperator, Points};
use quadrille::numeric::Csr;

/// Elements of a matrix that counts as small: 64 MiB of 32-bit floats.
pub const SMALL: usize = 1 << 24;
/// Diagonals that are always few: each costs a pass or a fetch of every row.
pub const FEW_DIAGONALS: usize = 16;
/// More diagonals than this are never stored as such, however well filled.
pub const MOST_DIAGONALS: usize = 256;

/// Diagonals that are stored even if somebody asks for it.
const MOST_ASKED: usize = 1024;

/// Elements of a matrix that can be stored whole at all: 1 GiB of 32-bit floats, twice that on the CPU.
const MOST_ELEMENTS: usize = 1 << 28;

/// A storage of the GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Storage {
    Dense,
    Banded,
    Points,
    Gather,
}

impl Storage {
    /// The matrix on the GPU, for vectors folded as suits it.
    ///
    /// # Errors
    /// A matrix too large for the storage, or not square and banded; those of the storages.
    pub fn build(self, algebra: &Algebra, csr: &Csr, costs: &Costs) -> Result<Box<dyn LinearOperator>> {
        let (rows, columns) = (csr.rows(), csr.columns());
        let (across, down) = (Packed2x2::folded(columns)?, Packed2x2::folded(rows)?);
        Ok(match self {
            Storage::Dense if rows.saturating_mul(columns) > MOST_ELEMENTS => {
                bail!("dense storage of {rows} x {columns} elements: the limit is {MOST_ELEMENTS} together")
            }
            Storage::Dense => Box::new(Dense::from_csr(algebra, down, across, csr)?),
            Storage::Banded if rows != columns => {
                bail!("banded storage of {rows} x {columns} elements: it takes square matrices")
            }
            Storage::Banded => {
                check_diagonals(csr)?;
                Box::new(Banded::new(algebra, on_grid(csr, algebra.gpu().limits())?, csr.clone())?)
            }
            Storage::Points => Box::new(Points::new(algebra, down, across, csr.clone())?),
            Storage::Gather => Box::new(Gather::by_costs(algebra, down, across, csr.clone(), costs)?),
        })
    }
}

impl Display for Storage {
    fn fmt(&self, f: &mut Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Storage::Dense => "dense",
            Storage::Banded => "banded",
            Storage::Points => "points",
            Storage::Gather => "gather",
        })
    }
}

/// Refuses a banded storage of more diagonals than make sense.
pub fn check_diagonals(csr: &Csr) -> Result<()> {
    let count = Diagonals::of(csr).offsets.len();
    if count > MOST_ASKED {
        bail!("banded storage of {count} diagonals: the limit is {MOST_ASKED}; try --storage gather")
    }
    Ok(())
}

/// A layout on which most diagonals reach near neighbours: the grid that a matrix of differences comes from.
///
/// The width, of those around each diagonal's offset, by which the offsets dy·width + dx have the smallest dx
/// and dy. A wrong guess costs fetches, and nothing else.
pub fn on_grid(csr: &Csr, limits: &Limits) -> quadrille::Result<Packed2x2> {
    let offsets = Diagonals::of(csr).offsets;
    let distance = |offset: i64, width: i64| {
        let dy = (offset + width / 2).div_euclid(width);
        let dx = offset - dy * width;
        (dx.abs() + dy.abs()).min(8)
    };
    let cost = |width: &i64| offsets.iter().map(|&offset| distance(offset, *width)).sum::<i64>();
    let far = offsets.iter().filter(|&&offset| offset > 4).take(FEW_DIAGONALS);
    let side = 2 * i64::from(limits.texture_size);
    let fits = |width: &i64| *width <= side && csr.rows() as i64 / *width < side;
    let best = far.flat_map(|&offset| [offset, offset - 1, offset + 1]).filter(fits).min_by_key(cost);
    match best.and_then(|width| usize::try_from(width).ok()) {
        Some(width) => Packed2x2::folded_by(csr.rows(), width),
        None => Packed2x2::folded(csr.rows()),
    }
}

/// The diagonals on which entries lie.
pub struct Diagonals {
    /// Column − row of each, from the lower left.
    pub offsets: Vec<i64>,
    /// How long they are together.
    pub length: usize,
}

impl Diagonals {
    pub fn of(csr: &Csr) -> Diagonals {
        let (rows, columns) = (csr.rows(), csr.columns());
        let mut filled = vec![false; rows + columns];
        csr.triplets().for_each(|(row, column, _)| filled[rows + column - row] = true);
        let found = filled.into_iter().enumerate().filter(|&(_, filled)| filled).map(|(place, _)| place);
        let mut all = Diagonals { offsets: Vec::new(), length: 0 };
        for place in found {
            all.offsets.push(place as i64 - rows as i64);
            // From where the diagonal enters the matrix to where it leaves it.
            let (down, right) = (rows.saturating_sub(place), place.saturating_sub(rows));
            all.length += (rows - down).min(columns - right);
        }
        all
    }
}
