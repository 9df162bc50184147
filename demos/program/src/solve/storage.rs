//! Which storage fits a matrix: by its structure alone, or by costs that were measured once and kept. Either way one
//! file always gives one choice.

use std::fmt::{Display, Formatter};

use anyhow::{Result, bail};
use quadrille::Limits;
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, Banded, Costs, Dense, Gather, LinearOperator, Points};
use quadrille::numeric::Csr;

use super::estimate;
use crate::cli::StorageName;
use crate::costs::Kept;
use crate::output::counted;

/// Elements of a matrix that counts as small: 64 MiB of 32-bit floats.
pub const SMALL: usize = 1 << 24;
/// A small matrix with more than 1 entry in so many is stored whole.
const DENSE_SHARE: usize = 4;
/// Diagonals that are always few: each costs a pass or a fetch of every row.
const FEW_DIAGONALS: usize = 16;
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
                let count = Diagonals::of(csr).offsets.len();
                if count > MOST_ASKED {
                    bail!(
                        "banded storage of {count} diagonals: the limit is {MOST_ASKED}; try --storage gather"
                    )
                }
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

/// A storage and why it was taken.
#[derive(Debug)]
pub struct Choice {
    pub storage: Storage,
    pub reason: String,
}

/// The storage asked for, or the quickest by the costs that were kept, or the one that the structure suggests.
///
/// # Errors
/// A row that no texture holds.
pub fn choose(
    asked: StorageName,
    csr: &Csr,
    limits: &Limits,
    kept: Option<&Kept>,
) -> quadrille::Result<Choice> {
    let storage = match (asked, kept) {
        (StorageName::Auto, Some(kept)) => return estimate::by_costs(csr, limits, kept),
        (StorageName::Auto, None) => return Ok(by_structure(csr)),
        (StorageName::Dense, _) => Storage::Dense,
        (StorageName::Banded, _) => Storage::Banded,
        (StorageName::Points, _) => Storage::Points,
        (StorageName::Gather, _) => Storage::Gather,
    };
    Ok(Choice { storage, reason: "as asked".to_owned() })
}

fn by_structure(csr: &Csr) -> Choice {
    let (rows, columns, nonzeros) = (csr.rows(), csr.columns(), csr.nonzeros());
    let elements = rows.saturating_mul(columns);
    let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    if elements <= SMALL && nonzeros > elements / DENSE_SHARE {
        let reason =
            format!("small, and {:.0}% of {rows} x {columns} is filled", percent(nonzeros, elements));
        return Choice { storage: Storage::Dense, reason };
    }
    let Diagonals { offsets, length } = Diagonals::of(csr);
    let count = offsets.len();
    let share = percent(nonzeros, length);
    let filled = share >= 50.0 && count <= MOST_DIAGONALS;
    if rows == columns && (count <= FEW_DIAGONALS || filled) {
        let reason = match count {
            1 => format!("1 diagonal holds everything and is {share:.0}% filled"),
            count => format!("{count} diagonals hold everything and are {share:.0}% filled"),
        };
        return Choice { storage: Storage::Banded, reason };
    }
    let shape = if rows == columns {
        format!("{}, {share:.0}% filled", counted(count as u64, "diagonal"))
    } else {
        format!("{rows} x {columns}, not square")
    };
    let reason = format!("{:.1} entries a row; {shape}", nonzeros as f64 / rows as f64);
    Choice { storage: Storage::Gather, reason }
}

/// A layout on which most diagonals reach near neighbours: the grid that a matrix of differences comes from.
///
/// Of the widths around each diagonal's offset, the one by which the offsets dy·width + dx have the smallest dx
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

#[cfg(test)]
mod tests {
    use super::*;

    const CARD: Limits = Limits { float_blend: true, ..Limits::GEFORCE_6800 };

    fn matrix(rows: usize, columns: usize, holds: impl Fn(usize, usize) -> bool) -> Result<Csr> {
        let all = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let entries = all.filter(|&(row, column)| holds(row, column)).map(|(row, column)| (row, column, 1.0));
        Ok(Csr::from_triplets(rows, columns, entries)?)
    }

    fn chosen(rows: usize, columns: usize, holds: impl Fn(usize, usize) -> bool) -> Result<Choice> {
        Ok(choose(StorageName::Auto, &matrix(rows, columns, holds)?, &CARD, None)?)
    }

    #[test]
    fn diagonals_are_counted_and_measured() -> Result<()> {
        let corners = matrix(7, 5, |row, column| [(6, 0), (0, 4), (3, 3), (4, 3)].contains(&(row, column)))?;
        let Diagonals { offsets, length } = Diagonals::of(&corners);
        assert_eq!((offsets, length), (vec![-6, -1, 0, 4], 1 + 5 + 5 + 1));
        Ok(())
    }

    #[test]
    fn a_full_matrix_is_dense() -> Result<()> {
        let choice = chosen(7, 5, |_, _| true)?;
        assert_eq!(
            (choice.storage, choice.reason.as_str()),
            (Storage::Dense, "small, and 100% of 7 x 5 is filled")
        );
        assert_eq!(chosen(1, 1, |_, _| true)?.storage, Storage::Dense);
        Ok(())
    }

    #[test]
    fn few_diagonals_are_banded_however_filled() -> Result<()> {
        let choice = choose(StorageName::Auto, &Csr::poisson(11, 10)?, &CARD, None)?;
        assert_eq!(choice.storage, Storage::Banded);
        assert_eq!(choice.reason, "5 diagonals hold everything and are 97% filled");
        assert_eq!(chosen(97, 97, |row, column| (row, column) == (3, 40))?.storage, Storage::Banded);
        assert_eq!(chosen(97, 97, |_, _| false)?.storage, Storage::Banded);
        Ok(())
    }

    #[test]
    fn many_diagonals_are_banded_only_if_well_filled() -> Result<()> {
        assert_eq!(chosen(200, 200, |row, column| row.abs_diff(column) < 12)?.storage, Storage::Banded);
        let arrow = chosen(200, 200, |row, column| row == column || row == 0 || column == 0)?;
        assert_eq!(
            (arrow.storage, arrow.reason.as_str()),
            (Storage::Gather, "3.0 entries a row; 399 diagonals, 1% filled")
        );
        Ok(())
    }

    #[test]
    fn a_matrix_of_a_grid_lies_on_its_grid() -> Result<()> {
        assert_eq!(on_grid(&Csr::poisson(37, 23)?, &CARD)?.width(), 37);
        let nine = |row: usize, column: usize| {
            (row % 19).abs_diff(column % 19) <= 1 && (row / 19).abs_diff(column / 19) <= 1
        };
        assert_eq!(on_grid(&matrix(19 * 8, 19 * 8, nine)?, &CARD)?.width(), 19);
        let three = matrix(100, 100, |row, column| row.abs_diff(column) < 2)?;
        assert_eq!(on_grid(&three, &CARD)?, Packed2x2::folded(100)?);
        Ok(())
    }

    #[test]
    fn what_is_not_square_is_gathered() -> Result<()> {
        let choice = chosen(90, 30, |row, column| row == column)?;
        assert_eq!(
            (choice.storage, choice.reason.as_str()),
            (Storage::Gather, "0.3 entries a row; 90 x 30, not square")
        );
        Ok(())
    }

    #[test]
    fn a_storage_asked_for_is_taken() -> Result<()> {
        let choice = choose(StorageName::Points, &Csr::poisson(3, 3)?, &CARD, None)?;
        assert_eq!((choice.storage, choice.reason.as_str()), (Storage::Points, "as asked"));
        Ok(())
    }
}
