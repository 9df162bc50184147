//! Which storage fits a matrix: by its structure alone, or by costs that were measured once and kept. Either way one
//! file always gives one choice.

use quadrille::Limits;
use quadrille::numeric::Csr;

use super::estimate;
use super::storage::{Diagonals, FEW_DIAGONALS, MOST_DIAGONALS, SMALL, Storage};
use crate::cli::StorageName;
use crate::costs::Kept;
use crate::output::counted;

/// A small matrix with more than 1 entry in so many is stored whole.
const DENSE_SHARE: usize = 4;

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
        (StorageName::Auto, Some(kept)) => {
            let (storage, reason) = estimate::by_costs(csr, limits, kept)?;
            return Ok(Choice { storage, reason });
        }
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

#[cfg(test)]
mod tests {
    use anyhow::Result;

    use quadrille::layout::Packed2x2;

    use super::super::storage::on_grid;
    use super::*;

    const CARD: Limits = Limits { float_blend: true, ..Limits::GEFORCE_6800 };

    fn matrix(rows: usize, columns: usize, holds: impl Fn(usize, usize) -> bool) -> Result<Csr> {
        let all = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let entries = all.filter(|&(row, column)| holds(row, column)).map(|(row, column)| (row, column, 1.0));
        Ok(Csr::from_triplets(rows, columns, entries)?)
    }

    #[test]
    fn diagonals_are_counted_and_measured() -> Result<()> {
        let corners = matrix(7, 5, |row, column| [(6, 0), (0, 4), (3, 3), (4, 3)].contains(&(row, column)))?;
        let Diagonals { offsets, length } = Diagonals::of(&corners);
        assert_eq!((offsets, length), (vec![-6, -1, 0, 4], 1 + 5 + 5 + 1));
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

    fn chosen(rows: usize, columns: usize, holds: impl Fn(usize, usize) -> bool) -> Result<Choice> {
        Ok(choose(StorageName::Auto, &matrix(rows, columns, holds)?, &CARD, None)?)
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
