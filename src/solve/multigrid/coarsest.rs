//! The coarsest level by its inverse, made in f64.

use crate::Result;
use crate::linalg::{Dense, LinearOperator, NinePoint};
use crate::numeric::Csr;

/// The pseudo-inverse of a small symmetric matrix as a dense one: it reads the matrix back.
pub(super) fn inverse(matrix: &NinePoint) -> Result<Dense> {
    let layout = matrix.rows();
    Dense::new(matrix.algebra(), layout, layout, &pseudo_inverse(matrix.matrix()?))
}

/// Where the sum of all entries between connected nodes is less than this, times their diagonal's, they are known but for
/// a constant. What rounding in 32 bits leaves of 0 is less than one unit of it in each row, and mostly cancels.
const NOTHING: f64 = 3e-7;

/// A node of which elimination leaves no more than this of its diagonal is a combination of others, but for roundings in 32 bits.
const REDUNDANT: f64 = 1.0 / (1 << 20) as f64;

/// A⁺, row after row. The null space is taken to be the constants of each connected group of nodes whose entries add up
/// to 0: v vᵀ is added to make the group regular, and taken out of the inverse again. Rows without a diagonal stay 0, and so do those of
/// nodes that are a [combination](combinations) of others.
fn pseudo_inverse(a: &Csr) -> Vec<f64> {
    let n = a.rows();
    let diagonal = a.diagonal();
    let mut b = vec![0.0; n * n];
    a.triplets().for_each(|(row, column, value)| b[row * n + column] = value);
    let mut constants: Vec<(Vec<usize>, f64)> = Vec::new();
    for group in groups(a, &diagonal) {
        let inside = group.iter().flat_map(|&row| a.row(row)).filter(|entry| diagonal[entry.0] != 0.0);
        let sum: f64 = inside.map(|entry| entry.1).sum();
        let size: f64 = group.iter().map(|&row| diagonal[row]).sum();
        if sum.abs() <= NOTHING * size.abs() {
            let count = group.len() as f64;
            add(&mut b, n, &group, size / (count * count));
            // (A + s v vᵀ)⁻¹ = A⁺ + v vᵀ / (s (vᵀv)²), with s (vᵀv)² = size.
            constants.push((group, -1.0 / size));
        }
    }
    (0..n).filter(|&i| diagonal[i] == 0.0).for_each(|i| b[i * n + i] = 1.0);
    let redundant = combinations(&b, n);
    for &i in &redundant {
        (0..n).for_each(|j| (b[i * n + j], b[j * n + i]) = (0.0, 0.0));
        b[i * n + i] = 1.0;
    }
    invert(&mut b, n);
    constants.iter().for_each(|(group, value)| add(&mut b, n, group, *value));
    for i in (0..n).filter(|&i| diagonal[i] == 0.0 || redundant.contains(&i)) {
        (0..n).for_each(|j| (b[i * n + j], b[j * n + i]) = (0.0, 0.0));
    }
    b
}

/// Adds a value to all entries between nodes of a group.
fn add(b: &mut [f64], n: usize, group: &[usize], value: f64) {
    for &row in group {
        group.iter().for_each(|&column| b[row * n + column] += value);
    }
}

/// The nodes that take part, in groups that entries connect.
pub(super) fn groups(a: &Csr, diagonal: &[f64]) -> Vec<Vec<usize>> {
    let mut groups = a.parts();
    groups.iter_mut().for_each(|group| group.retain(|&node| diagonal[node] != 0.0));
    groups.retain(|group| !group.is_empty());
    groups
}

/// The nodes that the others make up for: where a mask is thin, more coarse nodes than fine ones interpolate to it, and some combination
/// of them is 0 there. Its entries in an inverse would be 10⁷ times the others', whose digits they would take in 32 bits. Elimination
/// takes the node of the largest rest first.
fn combinations(b: &[f64], n: usize) -> Vec<usize> {
    let mut rest = b.to_vec();
    let mut left: Vec<usize> = (0..n).collect();
    let share = |rest: &[f64], i: usize| (rest[i * n + i] / b[i * n + i]).abs();
    while let Some(place) =
        (0..left.len()).max_by(|&x, &y| share(&rest, left[x]).total_cmp(&share(&rest, left[y])))
    {
        let k = left[place];
        if share(&rest, k) <= REDUNDANT {
            break;
        }
        left.swap_remove(place);
        let pivots = rest[k * n..(k + 1) * n].to_vec();
        for &i in left.iter().filter(|&&i| pivots[i] != 0.0) {
            let factor = rest[i * n + k] / pivots[k];
            left.iter().for_each(|&j| rest[i * n + j] -= factor * pivots[j]);
        }
    }
    left
}

/// B⁻¹ in the place of B, by Gauss and Jordan with the largest pivot of each column. A column without any is left out.
fn invert(b: &mut [f64], n: usize) {
    let mut swaps = Vec::new();
    for k in 0..n {
        let largest = (k..n).max_by(|&i, &j| b[i * n + k].abs().total_cmp(&b[j * n + k].abs())).unwrap_or(k);
        for j in 0..n {
            b.swap(k * n + j, largest * n + j);
        }
        swaps.push((k, largest));
        let pivot = b[k * n + k];
        if pivot == 0.0 {
            continue;
        }
        b[k * n + k] = 1.0;
        (0..n).for_each(|j| b[k * n + j] /= pivot);
        let row = b[k * n..(k + 1) * n].to_vec();
        for i in (0..n).filter(|&i| i != k) {
            let factor = std::mem::replace(&mut b[i * n + k], 0.0);
            if factor != 0.0 {
                b[i * n..(i + 1) * n].iter_mut().zip(&row).for_each(|(b, r)| *b -= factor * r);
            }
        }
    }
    for (k, largest) in swaps.into_iter().rev() {
        for i in 0..n {
            b.swap(i * n + k, i * n + largest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{BoundaryCondition, five_point};

    /// A A⁺ is the identity less the mean, to the roundings of 81 steps.
    #[test]
    fn the_inverse_leaves_the_mean_alone() -> Result<()> {
        for (boundary, sigma) in [
            (BoundaryCondition::Neumann, 0.0),
            (BoundaryCondition::Periodic, 0.0),
            (BoundaryCondition::Neumann, 0.1),
            (BoundaryCondition::Dirichlet, 0.0),
        ] {
            let a = five_point([9, 7], boundary, sigma)?;
            let (n, inverse) = (a.rows(), pseudo_inverse(&a));
            let taken = a.diagonal().iter().filter(|&&d| d != 0.0).count() as f64;
            let mean =
                if sigma == 0.0 && boundary != BoundaryCondition::Dirichlet { 1.0 / taken } else { 0.0 };
            for row in 0..n {
                let unit: Vec<f64> = (0..n).map(|i| inverse[i * n + row]).collect();
                for (i, found) in a.multiply(&unit).into_iter().enumerate() {
                    let takes_part = a.entry(i, i) != 0.0 && a.entry(row, row) != 0.0;
                    let expected = if takes_part { f64::from(u8::from(i == row)) - mean } else { 0.0 };
                    assert!(
                        (found - expected).abs() <= 1e-12,
                        "{boundary:?}: {i} {row}: {found}, {expected}"
                    );
                }
            }
        }
        Ok(())
    }

    /// Six nodes of which the last is the mean of two others: the inverse leaves one of the three to the others, and solves all that they
    /// can make up.
    #[test]
    fn a_combination_of_nodes_is_left_to_the_others() -> Result<()> {
        let five = five_point([5, 1], BoundaryCondition::Neumann, 0.3)?;
        // S: the last column is half of the first and of the fourth.
        let s = |row: usize, column: usize| match column {
            5 => 0.5 * f64::from(u8::from(row == 0 || row == 3)),
            _ => f64::from(u8::from(row == column)),
        };
        let product = |i: usize, j: usize| -> f64 {
            let parts = five.triplets().map(|(row, column, value)| s(row, i) * value * s(column, j));
            // As 32 bits round it.
            f64::from(parts.sum::<f64>() as f32) * if i + j == 8 { 1.0 + 1e-7 } else { 1.0 }
        };
        let a = Csr::from_triplets(6, 6, (0..36).map(|at| (at / 6, at % 6, product(at / 6, at % 6))))?;
        let inverse = pseudo_inverse(&a);
        assert!(inverse.iter().all(|value| value.abs() < 5.0), "{inverse:?}");
        for column in 0..5 {
            let found: Vec<f64> = (0..5)
                .map(|row| {
                    let entry = |i: usize, j: usize| s(row, i) * inverse[i * 6 + j] * s(column, j);
                    (0..36).map(|at| entry(at / 6, at % 6)).sum()
                })
                .collect();
            for (row, value) in five.multiply(&found).into_iter().enumerate() {
                let expected = f64::from(u8::from(row == column));
                assert!((value - expected).abs() <= 1e-6, "{row} {column}: {value}");
            }
        }
        Ok(())
    }

    /// Rows that add up to 0 only with the entries to fixed values at both ends, whose own rows are zeros.
    #[test]
    fn entries_to_fixed_values_do_not_make_a_matrix_singular() -> Result<()> {
        let inside = (1..6).flat_map(|i| [(i, i - 1, -1.0), (i, i, 2.0), (i, i + 1, -1.0)]);
        let inverse = pseudo_inverse(&Csr::from_triplets(7, 7, inside)?);
        for (row, column) in (0..7).flat_map(|row| (0..7).map(move |column| (row, column))) {
            // Green's function of a chain: the way to one end times that to the other, by the length.
            let expected = row.min(column) as f64 * (6 - row.max(column)) as f64 / 6.0;
            let found = inverse[row * 7 + column];
            assert!((found - expected).abs() <= 1e-14, "{row} {column}: {found}, {expected}");
        }
        Ok(())
    }
}
