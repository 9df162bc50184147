//! The wave equation ∂²y/∂t² = c²∇²y on a grid as plain loops, explicit and implicit.
//!
//! β = c²Δt²/h², and L y is the sum of (neighbour − y) over the four neighbours. Beyond a fixed edge the height
//! is 0; beyond a reflecting one it is that of the edge cell.
//!
//! # Shapes
//! Heights are width × height numbers, row after row.
//!
//! # References
//! Krüger & Westermann, *A GPU Framework for Solving Systems of Linear Equations*, §44.4.

/// L y.
pub fn laplacian(y: &[f64], width: usize, height: usize, reflecting: bool) -> Vec<f64> {
    let mut result = vec![0.0; y.len()];
    for row in 0..height {
        for column in 0..width {
            let i = row * width + column;
            let beyond = if reflecting { y[i] } else { 0.0 };
            let west = if column > 0 { y[i - 1] } else { beyond };
            let east = if column + 1 < width { y[i + 1] } else { beyond };
            let north = if row > 0 { y[i - width] } else { beyond };
            let south = if row + 1 < height { y[i + width] } else { beyond };
            result[i] = west + east + north + south - 4.0 * y[i];
        }
    }
    result
}

/// One explicit step: y' = 2y − y_last + β L y, stable for β ≤ ½.
pub fn explicit(
    y: &[f64],
    last: &[f64],
    width: usize,
    height: usize,
    beta: f64,
    reflecting: bool,
) -> Vec<f64> {
    let curved = laplacian(y, width, height, reflecting);
    (0..y.len()).map(|i| 2.0 * y[i] - last[i] + beta * curved[i]).collect()
}

/// One implicit step: (1 − αL) y' = (2 + αL) y − y_last with α = β/2, stable for every β.
pub fn implicit(
    y: &[f64],
    last: &[f64],
    width: usize,
    height: usize,
    beta: f64,
    reflecting: bool,
) -> Vec<f64> {
    let right = explicit(y, last, width, height, beta / 2.0, reflecting);
    let matrix = |x: &[f64]| {
        let curved = laplacian(x, width, height, reflecting);
        (0..x.len()).map(|i| x[i] - beta / 2.0 * curved[i]).collect()
    };
    conjugate_gradients(matrix, &right, y)
}

/// x of A x = b for a symmetric positive definite A, from a guess, to the last digits that f64 has.
///
/// The eigenvalues of this A lie between 1 and 1 + 4β: the error is at most ‖b − A x‖.
fn conjugate_gradients(a: impl Fn(&[f64]) -> Vec<f64>, b: &[f64], guess: &[f64]) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut x = guess.to_vec();
    let mut r: Vec<f64> = b.iter().zip(a(&x)).map(|(b, ax)| b - ax).collect();
    let mut p = r.clone();
    let mut rho = dot(&r, &r);
    let goal = dot(b, b) * 1e-28;
    for _ in 0..10 * b.len() + 100 {
        if rho <= goal || !rho.is_finite() {
            break;
        }
        let q = a(&p);
        let alpha = rho / dot(&p, &q);
        for i in 0..x.len() {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        let next = dot(&r, &r);
        for i in 0..p.len() {
            p[i] = r[i] + next / rho * p[i];
        }
        rho = next;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [(usize, usize); 6] = [(1, 1), (1, 7), (7, 1), (3, 3), (5, 8), (11, 4)];

    /// Numbers without a pattern, −1 to 1.
    fn rough(n: usize, seed: usize) -> Vec<f64> {
        (0..n).map(|i| ((i * 7919 + seed * 104_729) % 1013) as f64 / 506.5 - 1.0).collect()
    }

    /// The matrix of a linear map, column by column.
    fn columns(n: usize, map: impl Fn(&[f64]) -> Vec<f64>) -> Vec<Vec<f64>> {
        let unit = |j| (0..n).map(|i| f64::from(u8::from(i == j))).collect::<Vec<_>>();
        (0..n).map(|j| map(&unit(j))).collect()
    }

    /// Elimination, without pivots: the matrix is positive definite.
    fn eliminate(columns: &[Vec<f64>], b: &[f64]) -> Vec<f64> {
        let n = b.len();
        let mut rows: Vec<Vec<f64>> =
            (0..n).map(|i| (0..n).map(|j| columns[j][i]).chain([b[i]]).collect()).collect();
        for k in 0..n {
            let pivot = rows[k].clone();
            for (i, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != k) {
                let factor = row[k] / pivot[k];
                assert!(i != k);
                row.iter_mut().zip(&pivot).for_each(|(a, p)| *a -= factor * p);
            }
        }
        (0..n).map(|i| rows[i][n] / rows[i][i]).collect()
    }

    #[test]
    fn the_implicit_step_solves_its_system_as_elimination_does() {
        for ((w, h), reflecting) in SIZES.iter().flat_map(|&s| [false, true].map(|r| (s, r))) {
            for beta in [0.1, 1.0, 50.0] {
                let (y, last) = (rough(w * h, 1), rough(w * h, 2));
                let matrix = columns(w * h, |x| {
                    let curved = laplacian(x, w, h, reflecting);
                    (0..x.len()).map(|i| x[i] - beta / 2.0 * curved[i]).collect()
                });
                for (j, column) in matrix.iter().enumerate() {
                    assert!((0..w * h).all(|i| column[i] == matrix[i][j]), "symmetric");
                }
                let right = explicit(&y, &last, w, h, beta / 2.0, reflecting);
                let expected = eliminate(&matrix, &right);
                let found = implicit(&y, &last, w, h, beta, reflecting);
                let size = right.iter().fold(0.0f64, |m, v| m.max(v.abs()));
                for (f, e) in found.iter().zip(&expected) {
                    assert!((f - e).abs() < 1e-11 * size, "{f} {e} at {w}x{h}, beta {beta}");
                }
            }
        }
    }

    #[test]
    fn the_diagonal_is_that_of_the_paper_with_reflecting_edges() {
        let l = columns(12, |x| laplacian(x, 4, 3, true));
        let diagonal: Vec<f64> = (0..12).map(|i| l[i][i]).collect();
        assert_eq!(diagonal, [-2.0, -3.0, -3.0, -2.0, -3.0, -4.0, -4.0, -3.0, -2.0, -3.0, -3.0, -2.0]);
        let l = columns(12, |x| laplacian(x, 4, 3, false));
        assert!((0..12).all(|i| l[i][i] == -4.0));
    }

    #[test]
    fn reflecting_edges_keep_the_water_and_a_level_stays_level() {
        for (w, h) in SIZES {
            let level = vec![0.7; w * h];
            for step in [explicit, implicit] {
                let next = step(&level, &level, w, h, 0.4, true);
                assert!(next.iter().all(|v| (v - 0.7).abs() < 1e-12));
                let (y, last) = (rough(w * h, 3), rough(w * h, 4));
                let sum = |v: &[f64]| v.iter().sum::<f64>();
                let next = step(&y, &last, w, h, 0.4, true);
                assert!((sum(&next) - 2.0 * sum(&y) + sum(&last)).abs() < 1e-11);
            }
        }
    }
}
