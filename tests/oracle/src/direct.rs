//! Gaussian elimination inside the band: the solution that iterations are held against.

use quadrille::numeric::Csr;
use quadrille::{Error, Result};

/// x with A x = b, by Gaussian elimination with partial pivoting.
///
/// A row holds only what lies inside the band, from the first column that is not eliminated yet, so a grid of
/// w × h cells takes w³h multiplications and 3w²h numbers; a dense matrix is a band as wide as itself.
///
/// # Errors
/// [`Error::WrongShape`] for a matrix that is not square, [`Error::WrongLength`] for a `b` that does not fit,
/// [`Error::BadParameter`] for a singular matrix.
pub fn direct_solve(a: &Csr, b: &[f64]) -> Result<Vec<f64>> {
    check(a, b)?;
    let (n, below) = (a.rows(), lower_bandwidth(a));
    let mut rows: Vec<Vec<f64>> = (0..n).map(|row| inside_the_band(a, row, below)).collect();
    let mut x = b.to_vec();
    for k in 0..n {
        let active = k..n.min(k + below + 1); // all that reach column k; each begins there
        let pivot =
            active.clone().fold(k, |best, i| if rows[i][0].abs() > rows[best][0].abs() { i } else { best });
        rows.swap(k, pivot);
        x.swap(k, pivot);
        let (pivot, others) = rows.split_at_mut(k + 1);
        let pivot = &pivot[k];
        if pivot[0] == 0.0 {
            let expected = "a matrix that is not singular".to_owned();
            return Err(Error::BadParameter { name: "pivot", found: format!("0 in column {k}"), expected });
        }
        for i in active.skip(1) {
            let row = &mut others[i - k - 1];
            let factor = row[0] / pivot[0];
            row.resize(row.len().max(pivot.len()), 0.0);
            row.iter_mut().zip(pivot).for_each(|(value, above)| *value -= factor * above);
            row.remove(0);
            x[i] -= factor * x[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = rows[k][1..].iter().zip(&x[k + 1..]).map(|(value, x)| value * x).sum();
        x[k] = (x[k] - known) / rows[k][0];
    }
    Ok(x)
}

fn check(a: &Csr, b: &[f64]) -> Result<()> {
    let shape = format!("{}x{}", a.rows(), a.columns());
    if a.rows() != a.columns() {
        return Err(Error::WrongShape {
            what: "matrix".into(),
            found: shape,
            expected: "a square one".into(),
        });
    }
    if a.rows() != b.len() {
        return Err(Error::WrongLength {
            what: "right side".into(),
            found: b.len(),
            expected: a.rows(),
            shape,
        });
    }
    Ok(())
}

/// The most that a column lies to the left of the diagonal.
fn lower_bandwidth(a: &Csr) -> usize {
    a.triplets().map(|(row, column, _)| row.saturating_sub(column)).max().unwrap_or(0)
}

/// The row from column row − below on.
fn inside_the_band(a: &Csr, row: usize, below: usize) -> Vec<f64> {
    let first = row.saturating_sub(below);
    let mut values = vec![0.0; below.min(row) + 1];
    for (column, value) in a.row(row) {
        values.resize(values.len().max(column - first + 1), 0.0);
        values[column - first] = value;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrices;
    use quadrille::numeric::Random;

    const U: f64 = f64::EPSILON / 2.0;

    fn numbers(n: usize, seed: u64) -> Vec<f64> {
        Random(seed).floats(n).into_iter().map(f64::from).collect()
    }

    fn largest(values: impl Iterator<Item = f64>) -> f64 {
        values.map(f64::abs).fold(0.0, f64::max)
    }

    fn residual(a: &Csr, x: &[f64], b: &[f64]) -> Vec<f64> {
        a.multiply(x).iter().zip(b).map(|(ax, b)| b - ax).collect()
    }

    /// |b − A x| ≤ 3n·u·|L||U||x| with |L| ≤ 1 and |U| ≤ 2ⁿ⁻¹·max|A|, and n·u·n·max|A|·|x| more for computing it.
    #[test]
    fn dense_systems_are_solved_to_the_last_bits() -> Result<()> {
        for n in 1..=12 {
            let a = matrices::random(n, n, n, n, n as u64)?;
            let b = numbers(n, 100 + n as u64);
            let x = direct_solve(&a, &b)?;
            let size = largest(a.triplets().map(|entry| entry.2)) * largest(x.iter().copied());
            let bound = (3.0 * 2f64.powi(n as i32 - 1) + 1.0) * (n as f64).powi(3) * U * size;
            let found = largest(residual(&a, &x, &b).into_iter());
            assert!(found <= bound, "{n}: {found:e}, bound {bound:e}");
        }
        Ok(())
    }

    /// Nothing is swapped, and in a band of w + 1 the 2-norm of |L||U| is at most (w + 1)·‖A‖ (Higham, 10.6):
    /// ‖b − A x‖ ≤ 3(w + 1)²·u·‖A‖·‖x‖ with ‖A‖ ≤ 8, and six roundings for computing it.
    #[test]
    fn a_grid_of_64x64_is_solved_to_the_last_bits() -> Result<()> {
        let a = Csr::poisson(64, 64)?;
        let b = numbers(4096, 1);
        let x = direct_solve(&a, &b)?;
        let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
        let bound = (3.0 * 65.0 * 65.0 + 6.0) * U * 8.0 * norm(&x);
        let found = norm(&residual(&a, &x, &b));
        assert!(found <= bound, "{found:e}, bound {bound:e}");
        Ok(())
    }

    #[test]
    fn rows_are_swapped_where_the_diagonal_is_zero() -> Result<()> {
        let shifted = Csr::from_triplets(4, 4, (0..4).map(|i| (i, (i + 1) % 4, 2.0)))?;
        assert_eq!(direct_solve(&shifted, &[2.0, 4.0, 6.0, 8.0])?, [4.0, 1.0, 2.0, 3.0]);
        Ok(())
    }

    #[test]
    fn what_has_no_solution_is_refused() -> Result<()> {
        let singular = Csr::from_triplets(2, 2, [(0, 0, 1.0), (0, 1, 2.0), (1, 0, 2.0), (1, 1, 4.0)])?;
        assert!(matches!(direct_solve(&singular, &[1.0, 1.0]), Err(Error::BadParameter { .. })));
        let empty = Csr::from_triplets(2, 2, [])?;
        assert!(matches!(direct_solve(&empty, &[1.0, 1.0]), Err(Error::BadParameter { .. })));
        let wide = Csr::from_triplets(1, 2, [])?;
        assert!(matches!(direct_solve(&wide, &[1.0]), Err(Error::WrongShape { .. })));
        assert!(matches!(direct_solve(&singular, &[1.0]), Err(Error::WrongLength { .. })));
        Ok(())
    }
}
