//! Matrices of a few rows in f64: inverse, the real Schur form, eigenvalues.

use std::ops::{Index, IndexMut};

/// A square matrix, row after row.
#[derive(Clone, Debug, PartialEq)]
pub struct Small {
    n: usize,
    values: Vec<f64>,
}

impl Index<(usize, usize)> for Small {
    type Output = f64;

    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.values[row * self.n + column]
    }
}

impl IndexMut<(usize, usize)> for Small {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.values[row * self.n + column]
    }
}

impl Small {
    /// The matrix of a function of row and column.
    pub fn of(n: usize, entry: impl Fn(usize, usize) -> f64) -> Small {
        Small { n, values: (0..n * n).map(|at| entry(at / n, at % n)).collect() }
    }

    pub fn identity(n: usize) -> Small {
        Small::of(n, |i, j| f64::from(u8::from(i == j)))
    }

    pub fn rows(&self) -> usize {
        self.n
    }

    /// Rows and columns `of`, in that order.
    pub fn part(&self, of: &[usize]) -> Small {
        Small::of(of.len(), |i, j| self[(of[i], of[j])])
    }

    pub fn times(&self, other: &Small) -> Small {
        Small::of(self.n, |i, j| (0..self.n).map(|k| self[(i, k)] * other[(k, j)]).sum())
    }

    /// The largest magnitude.
    pub fn size(&self) -> f64 {
        self.values.iter().fold(0.0, |largest, value| value.abs().max(largest))
    }

    /// self⁻¹ other by elimination with the largest pivot of each column; none where a pivot is nothing beside its row.
    pub fn solve(&self, other: &Small) -> Option<Small> {
        let (n, mut a, mut x) = (self.n, self.clone(), other.clone());
        for k in 0..n {
            let row = (k..n).max_by(|&i, &j| a[(i, k)].abs().total_cmp(&a[(j, k)].abs()))?;
            for j in 0..n {
                a.values.swap(k * n + j, row * n + j);
                x.values.swap(k * n + j, row * n + j);
            }
            let pivot = a[(k, k)];
            if pivot.is_nan() || pivot.abs() <= 1e-14 * self.size() {
                return None;
            }
            for i in (0..n).filter(|&i| i != k) {
                let factor = a[(i, k)] / pivot;
                for j in 0..n {
                    a[(i, j)] -= factor * a[(k, j)];
                    x[(i, j)] -= factor * x[(k, j)];
                }
            }
        }
        Some(Small::of(n, |i, j| x[(i, j)] / a[(i, i)]))
    }

    /// self ← P self on the rows from `at` on, with the reflection P that brings v to a multiple of the first unit vector.
    fn reflect_rows(&mut self, v: &[f64], at: usize) {
        let Some(u) = reflector(v) else { return };
        for j in 0..self.n {
            let dot: f64 = u.iter().enumerate().map(|(k, u)| u * self[(at + k, j)]).sum();
            u.iter().enumerate().for_each(|(k, u)| self[(at + k, j)] -= 2.0 * dot * u);
        }
    }

    /// self ← self P on the columns from `at` on.
    fn reflect_columns(&mut self, v: &[f64], at: usize) {
        let Some(u) = reflector(v) else { return };
        for i in 0..self.n {
            let dot: f64 = u.iter().enumerate().map(|(k, u)| u * self[(i, at + k)]).sum();
            u.iter().enumerate().for_each(|(k, u)| self[(i, at + k)] -= 2.0 * dot * u);
        }
    }

    /// Q and R of self = Q R.
    pub fn qr(&self) -> (Small, Small) {
        let (mut q, mut r) = (Small::identity(self.n), self.clone());
        for k in 0..self.n {
            let v: Vec<f64> = (k..self.n).map(|i| r[(i, k)]).collect();
            r.reflect_rows(&v, k);
            q.reflect_columns(&v, k);
        }
        (q, r)
    }

    /// Z and S of self = Z S Zᵀ, Z orthogonal and S upper triangular but for blocks of two rows with complex eigenvalues: by
    /// Francis' implicit double shifts. None where the entries are not finite.
    ///
    /// # References
    /// Golub & Van Loan, *Matrix Computations*, 4th ed., 7.5.
    pub fn schur(&self) -> Option<(Small, Small)> {
        let n = self.n;
        let (mut s, mut z) = (self.clone(), Small::identity(n));
        let turn = |s: &mut Small, z: &mut Small, v: &[f64], at: usize| {
            s.reflect_rows(v, at);
            s.reflect_columns(v, at);
            z.reflect_columns(v, at);
        };
        for k in 0..n.saturating_sub(2) {
            let v: Vec<f64> = (k + 1..n).map(|i| s[(i, k)]).collect();
            turn(&mut s, &mut z, &v, k + 1);
            (k + 2..n).for_each(|i| s[(i, k)] = 0.0);
        }
        let size = self.size();
        if !size.is_finite() {
            return None;
        }
        let (mut end, mut tries) = (n, 0); // rows before `end` are still at work
        while end > 1 && tries < 100 {
            let mut first = end - 1;
            while first > 0 {
                let beside = s[(first - 1, first - 1)].abs() + s[(first, first)].abs();
                if s[(first, first - 1)].abs() <= f64::EPSILON * if beside > 0.0 { beside } else { size } {
                    s[(first, first - 1)] = 0.0;
                    break;
                }
                first -= 1;
            }
            match end - first {
                1 => (end, tries) = (first, 0),
                2 => {
                    if let Some(v) = eigenvector(&s.part(&[first, first + 1])) {
                        turn(&mut s, &mut z, &v, first);
                        s[(first + 1, first)] = 0.0;
                    }
                    (end, tries) = (first, 0);
                }
                _ => {
                    tries += 1;
                    let (p, q) = (end - 2, end - 1);
                    let (mut trace, mut det) =
                        (s[(p, p)] + s[(q, q)], s[(p, p)] * s[(q, q)] - s[(p, q)] * s[(q, p)]);
                    if tries % 10 == 0 {
                        let shift = s[(q, p)].abs() + s[(p, p - 1)].abs();
                        (trace, det) = (1.5 * shift, shift * shift);
                    }
                    let f = first;
                    let mut v = vec![
                        s[(f, f)] * (s[(f, f)] - trace) + s[(f, f + 1)] * s[(f + 1, f)] + det,
                        s[(f + 1, f)] * (s[(f, f)] + s[(f + 1, f + 1)] - trace),
                        s[(f + 1, f)] * s[(f + 2, f + 1)],
                    ];
                    for k in first..end - 1 {
                        turn(&mut s, &mut z, &v, k);
                        v = (k + 1..end.min(k + 4)).map(|i| s[(i, k)]).collect();
                    }
                    for k in first..end {
                        (k + 2..end).for_each(|i| s[(i, k)] = 0.0);
                    }
                }
            }
        }
        (end <= 1).then_some((z, s))
    }

    /// The eigenvalues, real and imaginary part.
    pub fn eigenvalues(&self) -> Option<Vec<[f64; 2]>> {
        let (_, s) = self.schur()?;
        let (mut all, mut i) = (Vec::new(), 0);
        while i < self.n {
            if i + 1 < self.n && s[(i + 1, i)] != 0.0 {
                let (mean, half) =
                    ((s[(i, i)] + s[(i + 1, i + 1)]) / 2.0, (s[(i, i)] - s[(i + 1, i + 1)]) / 2.0);
                let height = (-half * half - s[(i, i + 1)] * s[(i + 1, i)]).max(0.0).sqrt();
                all.extend([[mean, height], [mean, -height]]);
                i += 2;
            } else {
                all.push([s[(i, i)], 0.0]);
                i += 1;
            }
        }
        Some(all)
    }

    /// The largest real eigenvalue.
    pub fn largest_real(&self) -> Option<f64> {
        let real = self.eigenvalues()?.into_iter().filter(|[_, imaginary]| *imaginary == 0.0);
        real.map(|[real, _]| real).max_by(f64::total_cmp)
    }
}

/// The unit vector u of I − 2 u uᵀ, which brings v to a multiple of the first unit vector; none where it is one already.
fn reflector(v: &[f64]) -> Option<Vec<f64>> {
    let unit = |v: Vec<f64>| {
        let size = v.iter().fold(0.0, |largest: f64, v| v.abs().max(largest));
        let norm = size * v.iter().map(|v| (v / size).powi(2)).sum::<f64>().sqrt();
        v.into_iter().map(|v| v / norm).collect::<Vec<f64>>()
    };
    if v.iter().skip(1).all(|&v| v == 0.0) {
        return None;
    }
    let mut u = unit(v.to_vec());
    u[0] += 1f64.copysign(u[0]);
    Some(unit(u))
}

/// An eigenvector of a matrix of two rows, if its eigenvalues are real; two that differ by a rounding count as equal.
fn eigenvector(a: &Small) -> Option<[f64; 2]> {
    let (half, size) = ((a[(0, 0)] - a[(1, 1)]) / 2.0, a.size());
    let square = half * half + a[(0, 1)] * a[(1, 0)];
    if square < -1e-14 * size * size {
        return None;
    }
    let root = half.abs() + square.max(0.0).sqrt();
    // The larger eigenvalue's vector: from it to the smaller diagonal there is no cancellation.
    Some(if half >= 0.0 { [root, a[(1, 0)]] } else { [a[(0, 1)], root] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Random;

    impl Small {
        fn transposed(&self) -> Small {
            Small::of(self.n, |i, j| self[(j, i)])
        }

        /// a self + b other.
        fn sum(&self, a: f64, b: f64, other: &Small) -> Small {
            Small::of(self.n, |i, j| a * self[(i, j)] + b * other[(i, j)])
        }
    }

    /// Z S Zᵀ is the matrix, Z is orthogonal and S has its shape; eigenvalues repeated, zero and in a nilpotent chain among them.
    #[test]
    fn a_matrix_is_what_its_schur_form_says() {
        let mut random = Random(7);
        let mut matrices: Vec<Small> = Vec::new();
        for n in 1..=8 {
            for _ in 0..20 {
                let values: Vec<f64> = random.floats(n * n).into_iter().map(f64::from).collect();
                matrices.push(Small { n, values });
            }
            matrices.push(Small::of(n, |i, j| f64::from(u8::from(j == i + 1))));
            matrices.push(Small::of(n, |i, j| f64::from(u8::from(i == (j + 1) % n))));
            matrices.push(Small::of(n, |i, j| if i == j { 3.0 } else { 0.0 }));
        }
        for a in matrices {
            let n = a.rows();
            let form = a.schur();
            assert!(form.is_some(), "no Schur form of {a:?}");
            let Some((z, s)) = form else { continue };
            let back = z.times(&s).times(&z.transposed());
            let bound = 1e-13 * n as f64 * a.size().max(1.0);
            assert!(back.sum(1.0, -1.0, &a).size() <= bound, "{a:?}: {back:?}");
            assert!(z.times(&z.transposed()).sum(1.0, -1.0, &Small::identity(n)).size() <= 1e-13);
            for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
                if j + 1 < i {
                    assert_eq!(s[(i, j)], 0.0, "{s:?}");
                } else if s[(i, j)] != 0.0 {
                    let half = (s[(j, j)] - s[(i, i)]) / 2.0;
                    assert!(
                        half * half + s[(i, j)] * s[(j, i)] < 0.0,
                        "a block with real eigenvalues: {s:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_singular_matrix_has_no_inverse() {
        let a = Small { n: 2, values: vec![1.0, 2.0, 2.0, 4.0] };
        assert_eq!(a.solve(&Small::identity(2)), None);
        let b = Small { n: 2, values: vec![0.0, 2.0, 4.0, 0.0] };
        assert_eq!(b.solve(&Small::identity(2)), Some(Small { n: 2, values: vec![0.0, 0.25, 0.5, 0.0] }));
    }
}
