//! Sparse matrices on the CPU, row by row, in f64: what GPU storages are built from and held against.

use crate::{Error, Result};

/// A matrix by compressed sparse rows, columns ascending in each row, each entry once.
///
/// With the feature `nalgebra-sparse` it is `TryFrom<&CsrMatrix<T>>` and `TryFrom<&CooMatrix<T>>`, with `sprs`
/// `TryFrom<&CsMat<T>>` by rows or by columns, for `f32`, `f64` and what else fits an `f64`; and `From<&Csr>` goes back
/// to `CsrMatrix<f64>` and `CsMat<f64>`.
#[derive(Clone, Debug, PartialEq)]
pub struct Csr {
    rows: usize,
    columns: usize,
    /// Where each row starts in the two arrays below; one more than there are rows.
    starts: Vec<usize>,
    places: Vec<usize>,
    values: Vec<f64>,
}

impl Csr {
    /// Entries (row, column, value) in any order; those of one place are added up, in the order given.
    ///
    /// # Errors
    /// [`Error::Empty`] for no rows or columns, [`Error::OverLimit`] past 2³¹ − 1 of them, [`Error::OutsideMatrix`] for an entry that lies outside.
    pub fn from_triplets(
        rows: usize,
        columns: usize,
        triplets: impl IntoIterator<Item = (usize, usize, f64)>,
    ) -> Result<Csr> {
        check_shape(rows, columns)?;
        let mut entries: Vec<(usize, usize, f64)> = triplets.into_iter().collect();
        if let Some(&(row, column, _)) = entries.iter().find(|e| e.0 >= rows || e.1 >= columns) {
            return Err(Error::OutsideMatrix { row, column, rows, columns });
        }
        entries.sort_by_key(|&(row, column, _)| (row, column));
        let mut starts = vec![0; rows + 1];
        let (mut places, mut values) = (Vec::<usize>::new(), Vec::<f64>::new());
        let mut newest = None;
        for (row, column, value) in entries {
            match values.last_mut() {
                Some(last) if newest == Some((row, column)) => *last += value,
                _ => {
                    newest = Some((row, column));
                    places.push(column);
                    values.push(value);
                    starts[row + 1] += 1;
                }
            }
        }
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        Ok(Csr { rows, columns, starts, places, values })
    }

    /// The three arrays of compressed sparse rows; columns of a row in any order.
    ///
    /// # Errors
    /// As [`Csr::from_triplets`]; [`Error::WrongLength`] where the arrays do not fit together.
    pub fn new(
        rows: usize,
        columns: usize,
        starts: &[usize],
        places: &[usize],
        values: &[f64],
    ) -> Result<Csr> {
        let ascending = starts.windows(2).all(|two| two[0] <= two[1]);
        let ends = [starts.len(), starts.last().copied().unwrap_or(0), places.len()];
        if !ascending || starts.first() != Some(&0) || ends != [rows + 1, values.len(), values.len()] {
            let shape =
                format!("{} row starts, {} columns, {} values", starts.len(), places.len(), values.len());
            let what = "matrix by compressed sparse rows".to_owned();
            return Err(Error::WrongLength { what, found: starts.len(), expected: rows + 1, shape });
        }
        let row_of = (0..rows).flat_map(|row| std::iter::repeat_n(row, starts[row + 1] - starts[row]));
        let entries =
            row_of.zip(places.iter().zip(values)).map(|(row, (&column, &value))| (row, column, value));
        Csr::from_triplets(rows, columns, entries)
    }

    /// Rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Entries that are stored, zeros among them.
    pub fn nonzeros(&self) -> usize {
        self.values.len()
    }

    /// The entries of a row: column and value, columns ascending.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[row]..self.starts[row + 1];
        self.places[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// All entries as (row, column, value), row after row.
    pub fn triplets(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.rows).flat_map(move |row| self.row(row).map(move |(column, value)| (row, column, value)))
    }

    /// y = A x. The sum of each row goes from its first column to its last.
    ///
    /// # Panics
    /// If `x` is shorter than the matrix is wide.
    pub fn multiply(&self, x: &[f64]) -> Vec<f64> {
        (0..self.rows).map(|row| self.row(row).map(|(column, value)| value * x[column]).sum()).collect()
    }

    /// y = Aᵀx, row after row of A.
    ///
    /// # Panics
    /// If `x` is shorter than the matrix is high.
    pub fn multiply_transposed(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; self.columns];
        for (row, column, value) in self.triplets() {
            y[column] += value * x[row];
        }
        y
    }

    /// Aᵀ.
    pub fn transpose(&self) -> Csr {
        let mut starts = vec![0; self.columns + 1];
        for &column in &self.places {
            starts[column + 1] += 1;
        }
        for column in 0..self.columns {
            starts[column + 1] += starts[column];
        }
        let mut next = starts.clone();
        let (mut places, mut values) = (vec![0; self.values.len()], vec![0.0; self.values.len()]);
        for (row, column, value) in self.triplets() {
            places[next[column]] = row;
            values[next[column]] = value;
            next[column] += 1;
        }
        Csr { rows: self.columns, columns: self.rows, starts, places, values }
    }

    /// The entry at (row, column), 0 where none is stored.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn entry(&self, row: usize, column: usize) -> f64 {
        let places = &self.places[self.starts[row]..self.starts[row + 1]];
        places.binary_search(&column).map_or(0.0, |found| self.values[self.starts[row] + found])
    }

    /// The main diagonal.
    pub fn diagonal(&self) -> Vec<f64> {
        (0..self.rows.min(self.columns)).map(|i| self.entry(i, i)).collect()
    }

    /// ‖A‖∞, the largest sum of magnitudes in a row: no eigenvalue is larger (Gershgorin). 0 without rows, and NaN where an entry is one.
    pub fn norm_inf(&self) -> f64 {
        let sums = (0..self.rows).map(|row| self.row(row).map(|(_, value)| value.abs()).sum::<f64>());
        sums.fold(0.0, |most, sum| if sum > most || sum.is_nan() { sum } else { most })
    }

    /// Returns true if A = Aᵀ, to the last bit.
    pub fn is_symmetric(&self) -> bool {
        self.rows == self.columns && *self == self.transpose()
    }

    /// The sets of unknowns that entries other than 0 join, directly or by others: the systems that a symmetric matrix falls
    /// into. A row of zeros is a set of its own.
    pub fn parts(&self) -> Vec<Vec<usize>> {
        let mut parts = Vec::new();
        let mut seen = vec![false; self.rows()];
        for first in 0..self.rows() {
            if std::mem::replace(&mut seen[first], true) {
                continue;
            }
            let (mut part, mut next) = (vec![first], 0);
            while let Some(&row) = part.get(next) {
                next += 1;
                for (column, value) in self.row(row) {
                    let unseen = |seen: &mut bool| !std::mem::replace(seen, true);
                    if value != 0.0 && seen.get_mut(column).is_some_and(unseen) {
                        part.push(column);
                    }
                }
            }
            parts.push(part);
        }
        parts
    }

    /// The five-point matrix of −h²∇² on width × height cells, zero beyond the edges: 4 on the diagonal, −1 for
    /// each neighbour; cell (x, y) is unknown y·width + x.
    ///
    /// # Errors
    /// [`Error::Empty`] for no cells.
    pub fn poisson(width: usize, height: usize) -> Result<Csr> {
        let n = width.saturating_mul(height);
        check_shape(n, n)?;
        let entries = (0..n).flat_map(|i| {
            let (x, y) = (i % width, i / width);
            let neighbours = [
                (y > 0).then(|| i - width),
                (x > 0).then(|| i - 1),
                (x + 1 < width).then(|| i + 1),
                (y + 1 < height).then(|| i + width),
            ];
            let neighbours = neighbours.into_iter().flatten().map(move |j| (i, j, -1.0));
            neighbours.chain([(i, i, 4.0)])
        });
        Csr::from_triplets(n, n, entries)
    }
}

fn check_shape(rows: usize, columns: usize) -> Result<()> {
    if rows == 0 || columns == 0 {
        let side = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        return Err(Error::Empty { what: "matrix".into(), width: side(columns), height: side(rows) });
    }
    for (quantity, found) in [("number of rows", rows), ("number of columns", columns)] {
        let limit = i32::MAX as u64;
        if found as u64 > limit {
            return Err(Error::OverLimit { what: "matrix".into(), quantity, found: found as u64, limit });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Result<Csr> {
        Csr::from_triplets(2, 3, [(1, 2, 3.0), (0, 1, 1.0), (1, 0, 2.0), (0, 1, 0.5)])
    }

    #[test]
    fn parts_are_what_entries_join() -> Result<()> {
        let chain = [(0, 3, 1.0), (3, 0, 1.0), (3, 4, -2.0), (4, 3, -2.0), (2, 1, 0.0), (5, 5, 1.0)];
        let matrix = Csr::from_triplets(6, 6, chain)?;
        assert_eq!(matrix.parts(), [vec![0, 3, 4], vec![1], vec![2], vec![5]]);
        assert_eq!(sample()?.parts(), [[0, 1]], "columns beyond the rows join nothing");
        Ok(())
    }

    #[test]
    fn entries_are_sorted_and_those_of_one_place_added() -> Result<()> {
        let matrix = sample()?;
        assert_eq!(matrix.triplets().collect::<Vec<_>>(), [(0, 1, 1.5), (1, 0, 2.0), (1, 2, 3.0)]);
        assert_eq!(matrix.multiply(&[1.0, 10.0, 100.0]), [15.0, 302.0]);
        assert_eq!((matrix.entry(1, 2), matrix.entry(1, 1)), (3.0, 0.0));
        assert_eq!(Csr::new(2, 3, &[0, 1, 3], &[1, 2, 0], &[1.5, 3.0, 2.0])?, matrix);
        Ok(())
    }

    #[test]
    fn the_transpose_of_the_transpose_is_the_matrix() -> Result<()> {
        let matrix = sample()?;
        assert_eq!(matrix.transpose().multiply(&[1.0, 10.0]), [20.0, 1.5, 30.0]);
        assert_eq!(matrix.transpose().transpose(), matrix);
        assert!(!matrix.is_symmetric() && Csr::poisson(3, 4)?.is_symmetric());
        Ok(())
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(matches!(Csr::from_triplets(0, 3, []), Err(Error::Empty { .. })));
        assert!(matches!(Csr::from_triplets(2, 2, [(2, 0, 1.0)]), Err(Error::OutsideMatrix { row: 2, .. })));
        assert!(matches!(Csr::new(2, 2, &[0, 1], &[0], &[1.0]), Err(Error::WrongLength { .. })));
        assert!(matches!(Csr::new(1, 2, &[0, 2], &[0], &[1.0]), Err(Error::WrongLength { .. })));
    }
}
