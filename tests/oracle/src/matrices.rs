//! Matrices to test and to measure with. Every entry is a number that f32 holds exactly, so that a GPU and
//! this room work on the same matrix.

use quadrille::Result;
use quadrille::numeric::{Csr, Random};

/// Rows of `fewest` to `most` non-zeros each (never more than there are columns), anywhere, between −1 and 1.
///
/// # Errors
/// [`Error::Empty`](quadrille::Error::Empty) for no rows or columns.
pub fn random(rows: usize, columns: usize, fewest: usize, most: usize, seed: u64) -> Result<Csr> {
    let mut random = Random(seed);
    let mut entries = Vec::new();
    for row in 0..rows {
        let count = fewest.min(most) + random.below(most.max(fewest) - fewest.min(most) + 1);
        for column in random.subset(columns, count.min(columns)) {
            entries.push((row, column, f64::from(random.signed())));
        }
    }
    Csr::from_triplets(rows, columns, entries)
}

/// The diagonals of these offsets (column − row), filled with numbers between −1 and 1.
///
/// # Errors
/// [`Error::Empty`](quadrille::Error::Empty) for no rows or columns.
pub fn banded(rows: usize, columns: usize, offsets: &[isize], seed: u64) -> Result<Csr> {
    let mut random = Random(seed);
    let mut entries = Vec::new();
    for row in 0..rows {
        for &offset in offsets {
            let value = f64::from(random.signed());
            match row.checked_add_signed(offset) {
                Some(column) if column < columns => entries.push((row, column, value)),
                _ => {}
            }
        }
    }
    Csr::from_triplets(rows, columns, entries)
}

/// Symmetric and positive definite: about `pairs` entries on each side of the diagonal in each row, anywhere,
/// and on the diagonal 1 + Σ|row|, rounded up to a whole number. By Gershgorin all eigenvalues lie between 1 and
/// twice the largest diagonal entry.
///
/// # Errors
/// [`Error::Empty`](quadrille::Error::Empty) for no rows.
pub fn positive_definite(n: usize, pairs: usize, seed: u64) -> Result<Csr> {
    let mut random = Random(seed);
    let mut entries = Vec::new();
    for row in 0..n {
        for column in random.subset(row, pairs.min(row)) {
            let value = f64::from(random.signed());
            entries.extend([(row, column, value), (column, row, value)]);
        }
    }
    let mut diagonal = vec![1.0; n];
    for &(row, _, value) in &entries {
        diagonal[row] += value.abs();
    }
    entries.extend(diagonal.iter().enumerate().map(|(i, sum)| (i, i, sum.ceil())));
    Csr::from_triplets(n, n, entries)
}

/// h²(−∇² + v·∇) on width × height cells, zero beyond the edges, first derivatives taken upwind: unsymmetric
/// where `wind` = h·v is not 0, diagonally dominant always. Cell (x, y) is unknown y·width + x.
///
/// # Errors
/// [`Error::Empty`](quadrille::Error::Empty) for no cells.
pub fn convection_diffusion(width: usize, height: usize, wind: [f32; 2]) -> Result<Csr> {
    let [u, v] = wind.map(f64::from);
    let sides = [
        (-1, 0, -1.0 - u.max(0.0)),
        (1, 0, -1.0 + u.min(0.0)),
        (0, -1, -1.0 - v.max(0.0)),
        (0, 1, -1.0 + v.min(0.0)),
    ];
    let mut entries = Vec::new();
    for i in 0..width * height {
        entries.push((i, i, 4.0 + u.abs() + v.abs()));
        for (dx, dy, value) in sides {
            let x = (i % width).checked_add_signed(dx).filter(|&x| x < width);
            let y = (i / width).checked_add_signed(dy).filter(|&y| y < height);
            entries.extend(x.zip(y).map(|(x, y)| (i, y * width + x, value)));
        }
    }
    Csr::from_triplets(width * height, width * height, entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact_in_f32(matrix: &Csr) -> bool {
        matrix.triplets().all(|(_, _, value)| f64::from(value as f32) == value)
    }

    #[test]
    fn random_rows_have_as_many_entries_as_asked_for() -> Result<()> {
        let matrix = random(200, 1000, 0, 300, 1)?;
        let lengths: Vec<usize> = (0..200).map(|row| matrix.row(row).count()).collect();
        assert!(lengths.iter().all(|&n| n <= 300) && lengths.iter().any(|&n| n > 250));
        assert_eq!(random(5, 3, 10, 20, 1)?.nonzeros(), 15);
        assert_eq!(random(5, 3, 0, 0, 1)?.nonzeros(), 0);
        assert!(exact_in_f32(&matrix));
        Ok(())
    }

    #[test]
    fn bands_end_at_the_edges() -> Result<()> {
        let matrix = banded(4, 6, &[-3, 0, 2, 9], 1)?;
        let places: Vec<_> = matrix.triplets().map(|(row, column, _)| (row, column)).collect();
        let expected = [(0, 0), (0, 2), (1, 1), (1, 3), (2, 2), (2, 4), (3, 0), (3, 3), (3, 5)];
        assert_eq!(places, expected);
        Ok(())
    }

    #[test]
    fn positive_definite_is_symmetric_and_dominated_by_its_diagonal() -> Result<()> {
        let matrix = positive_definite(60, 4, 1)?;
        assert!(matrix.is_symmetric() && exact_in_f32(&matrix));
        for (i, diagonal) in matrix.diagonal().into_iter().enumerate() {
            let others: f64 = matrix.row(i).filter(|e| e.0 != i).map(|e| e.1.abs()).sum();
            assert!(diagonal >= others + 1.0, "row {i}");
        }
        Ok(())
    }

    #[test]
    fn without_wind_convection_and_diffusion_is_poisson() -> Result<()> {
        assert_eq!(convection_diffusion(5, 3, [0.0, 0.0])?, Csr::poisson(5, 3)?);
        let windy = convection_diffusion(5, 3, [0.5, -0.25])?;
        assert_eq!([windy.entry(7, 6), windy.entry(7, 8), windy.entry(7, 7)], [-1.5, -1.0, 4.75]);
        assert_eq!([windy.entry(7, 2), windy.entry(7, 12)], [-1.0, -1.25]);
        assert!(!windy.is_symmetric());
        Ok(())
    }
}
