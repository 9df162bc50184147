//! Linear complementarity problems as plain f64 loops (row B8).
//!
//! x ≥ 0, w = A x + b ≥ 0, x·w = 0; in its box form lower ≤ x ≤ upper, and wᵢ ≥ 0 where xᵢ = lowerᵢ, wᵢ ≤ 0 where
//! xᵢ = upperᵢ, wᵢ = 0 between. Where A is symmetric and positive definite there is one x: the least ½ x·A x + b·x in
//! the box. Matrices are whole, row after row.
//!
//! # References
//! Moravánszky, *Dense Matrix Algebra on the GPU*, section 4.2; Murty, *Linear Complementarity, Linear and Nonlinear
//! Programming* (1988).

use quadrille::numeric::Random;

/// How well an x solves x ≥ 0, w = A x + b ≥ 0, x·w = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residuals {
    /// The smallest xᵢ: not below 0 in a solution.
    pub min_x: f64,
    /// The smallest wᵢ: not below 0 in a solution.
    pub min_w: f64,
    /// |x·w|: 0 in a solution.
    pub complementarity: f64,
    /// ‖min(x, w)‖∞, which is 0 in a solution and nowhere else.
    pub natural: f64,
}

/// The residuals of x ≥ 0, A x + b ≥ 0, x·(A x + b) = 0.
///
/// # Panics
/// If the lengths do not fit.
pub fn residuals(a: &[f64], b: &[f64], x: &[f64]) -> Residuals {
    let (w, n) = (complement(a, b, x), x.len());
    Residuals {
        min_x: x.iter().copied().fold(f64::INFINITY, smaller),
        min_w: w.iter().copied().fold(f64::INFINITY, smaller),
        complementarity: x.iter().zip(&w).map(|(x, w)| x * w).sum::<f64>().abs(),
        natural: natural_residual(a, b, &vec![0.0; n], &vec![f64::INFINITY; n], x),
    }
}

/// The natural residual of the box form, ‖x − clamp(x − w, lower, upper)‖∞ with w = A x + b: ‖min(x, w)‖∞ for 0 and ∞.
///
/// # Panics
/// If the lengths do not fit.
pub fn natural_residual(a: &[f64], b: &[f64], lower: &[f64], upper: &[f64], x: &[f64]) -> f64 {
    let w = complement(a, b, x);
    (0..x.len()).map(|i| short_of(x[i], w[i], lower[i], upper[i])).fold(0.0, larger)
}

/// w = A x + b.
///
/// # Panics
/// If the lengths do not fit.
pub fn complement(a: &[f64], b: &[f64], x: &[f64]) -> Vec<f64> {
    let n = x.len();
    assert!(a.len() == n * n && b.len() == n, "a square matrix and as many right sides as unknowns");
    (0..n).map(|i| b[i] + row_times(a, i, x)).collect()
}

/// Improves x, one unknown after another, until the natural residual is at most `tolerance`·‖b‖∞ (`tolerance` itself
/// where b = 0) or `max_sweeps` are made: xᵢ = clamp(xᵢ − (A x + b)ᵢ / aᵢᵢ, lowerᵢ, upperᵢ). Returns the sweeps.
///
/// Converges for every symmetric and positive definite A, in any order of the unknowns. An unknown whose aᵢᵢ is not
/// above 0 stays as it is.
///
/// # Panics
/// If the lengths do not fit.
pub fn projected_gauss_seidel(
    a: &[f64],
    b: &[f64],
    lower: &[f64],
    upper: &[f64],
    x: &mut [f64],
    tolerance: f64,
    max_sweeps: usize,
) -> usize {
    let n = x.len();
    let goal = tolerance * unit(b);
    for sweep in 0..max_sweeps {
        if natural_residual(a, b, lower, upper, x) <= goal {
            return sweep;
        }
        for i in 0..n {
            let pivot = a[i * n + i];
            if pivot > 0.0 {
                x[i] = clamp(x[i] - (row_times(a, i, x) + b[i]) / pivot, lower[i], upper[i]);
            }
        }
    }
    max_sweeps
}

/// So many sweeps of the paper's iteration: x = max(x + d .* (A x + b), 0) with d = ω / diag(A) and ω < 0.
///
/// Converges for a symmetric and positive definite A while −ω < 2 / λmax(D⁻¹A), where D = diag(A).
///
/// # Panics
/// If the lengths do not fit.
///
/// # References
/// Moravánszky, section 4.2, whose demo takes ω = −0.1 and 2n sweeps.
pub fn projected_jacobi(a: &[f64], b: &[f64], x: &mut [f64], omega: f64, sweeps: usize) {
    let n = x.len();
    for _ in 0..sweeps {
        let w = complement(a, b, x);
        for i in 0..n {
            x[i] = (x[i] + omega / a[i * n + i] * w[i]).max(0.0);
        }
    }
}

/// A random problem of n unknowns: A = M Mᵀ/n + 0.1 I and b, the entries of M and b between −1 and 1.
///
/// Every entry is one that f32 holds exactly, so that a GPU and this room solve the same problem. About half of the
/// unknowns of the solution are 0.
pub fn random_problem(n: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut random = Random(seed);
    let m = random.floats(n * n);
    let mut a = gram(&m, n, n, 1.0 / n as f64, 0.1);
    round(&mut a);
    (a, random.floats(n).into_iter().map(f64::from).collect())
}

/// A problem as contacts make it: A = J Jᵀ + ε I, where each of the n rows of J has twelve non-zeros that it shares
/// with a few neighbours, and six columns for four rows, so that J Jᵀ alone is singular for six or more rows.
///
/// Every entry is one that f32 holds exactly. b is a random velocity J v, and a little more that pulls together.
pub fn contact_problem(n: usize, epsilon: f64, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut random = Random(seed);
    let bodies = n.div_ceil(4).max(2);
    let mut j = vec![0.0; n * bodies * 6];
    for row in j.chunks_mut(bodies * 6) {
        let first = random.below(bodies - 1);
        let second = (first + 1 + random.below(2)).min(bodies - 1);
        for (body, sign) in [(first, 1.0), (second, -1.0)] {
            row[6 * body..6 * body + 6].iter_mut().for_each(|entry| *entry = sign * random.signed());
        }
    }
    let mut a = gram(&j, n, bodies * 6, 1.0, epsilon);
    round(&mut a);
    let velocity = random.floats(bodies * 6);
    let pull = |row: &[f32]| row.iter().zip(&velocity).map(|(j, v)| f64::from(j * v)).sum::<f64>() - 0.1;
    let mut b: Vec<f64> = j.chunks(bodies * 6).map(pull).collect();
    round(&mut b);
    (a, b)
}

/// factor M Mᵀ + shift I of an n×k matrix M.
fn gram(m: &[f32], n: usize, k: usize, factor: f64, shift: f64) -> Vec<f64> {
    let row = |i: usize| &m[i * k..(i + 1) * k];
    let product =
        |i: usize, j: usize| row(i).iter().zip(row(j)).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum();
    let mut a = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let entry: f64 = product(i, j);
            a[i * n + j] = factor * entry;
            a[j * n + i] = factor * entry;
        }
        a[i * n + i] += shift;
    }
    a
}

/// To the nearest numbers of 32 bits.
fn round(values: &mut [f64]) {
    values.iter_mut().for_each(|value| *value = f64::from(*value as f32));
}

fn row_times(a: &[f64], i: usize, x: &[f64]) -> f64 {
    let n = x.len();
    a[i * n..(i + 1) * n].iter().zip(x).map(|(a, x)| a * x).sum()
}

/// The unit of tolerances: ‖b‖∞, or 1 where b = 0.
fn unit(b: &[f64]) -> f64 {
    let largest = b.iter().map(|b| b.abs()).fold(0.0, larger);
    if largest == 0.0 { 1.0 } else { largest }
}

/// The larger of the two, and NaN if one is: what is not a number must not look like a small residual.
fn larger(x: f64, y: f64) -> f64 {
    if x.is_nan() || x > y { x } else { y }
}

/// The smaller of the two, and NaN if one is.
fn smaller(x: f64, y: f64) -> f64 {
    if x.is_nan() || x < y { x } else { y }
}

/// |x − clamp(x − w, lower, upper)|, without rounding x − w where that is inside.
fn short_of(x: f64, w: f64, lower: f64, upper: f64) -> f64 {
    let goal = x - w;
    if goal < lower {
        (x - lower).abs()
    } else if goal > upper {
        (x - upper).abs()
    } else {
        w.abs()
    }
}

/// Bounds that cross clamp to the upper one, as the kernels do, where `f64::clamp` panics.
fn clamp(x: f64, lower: f64, upper: f64) -> f64 {
    if x < lower {
        lower.min(upper)
    } else if x > upper {
        upper
    } else {
        x
    }
}

#[cfg(test)]
mod tests;
