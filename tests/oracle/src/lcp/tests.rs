//! The oracle of complementarity problems, held against enumeration of all solutions.

use super::*;
use crate::direct_solve;
use quadrille::Result;
use quadrille::numeric::Csr;

const ALL: f64 = f64::INFINITY;

fn zero_to_infinity(n: usize) -> (Vec<f64>, Vec<f64>) {
    (vec![0.0; n], vec![ALL; n])
}

/// The solution by trying, for each unknown, whether it lies at its lower bound, at its upper one, or between:
/// 3ⁿ linear systems at most, one of which is right.
fn by_enumeration(a: &[f64], b: &[f64], lower: &[f64], upper: &[f64]) -> Result<Option<Vec<f64>>> {
    let n = b.len();
    for code in 0..3usize.pow(n as u32) {
        let state = |i: usize| code / 3usize.pow(i as u32) % 3;
        if (0..n).any(|i| state(i) == 2 && upper[i].is_infinite()) {
            continue;
        }
        let at = |i: usize| [0.0, lower[i], upper[i]][state(i)];
        let free: Vec<usize> = (0..n).filter(|&i| state(i) == 0).collect();
        let mut x: Vec<f64> = (0..n).map(at).collect();
        if !free.is_empty() {
            let entries = free.iter().enumerate().flat_map(|(row, &i)| {
                free.iter().enumerate().map(move |(column, &j)| (row, column, a[i * n + j]))
            });
            let matrix = Csr::from_triplets(free.len(), free.len(), entries)?;
            let fixed = complement(a, b, &x);
            let right: Vec<f64> = free.iter().map(|&i| -fixed[i]).collect();
            for (&i, solved) in free.iter().zip(direct_solve(&matrix, &right)?) {
                x[i] = solved;
            }
        }
        let inside = (0..n).all(|i| lower[i] - 1e-12 <= x[i] && x[i] <= upper[i] + 1e-12);
        if inside && natural_residual(a, b, lower, upper, &x) <= 1e-12 {
            return Ok(Some(x));
        }
    }
    Ok(None)
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// ‖x − x*‖₂ is at most (1 + ‖A‖₂)/λmin times the natural residual (Pang), and ‖A‖₂ ≤ the trace.
fn bound(a: &[f64], n: usize, least_eigenvalue: f64, residual: f64) -> f64 {
    let trace: f64 = (0..n).map(|i| a[i * n + i]).sum();
    (1.0 + trace) / least_eigenvalue * (n as f64).sqrt() * residual
}

#[test]
fn gauss_seidel_finds_what_enumeration_finds() -> Result<()> {
    for n in 1..=8 {
        for seed in 0..5 {
            let (a, b) = random_problem(n, 10 * n as u64 + seed);
            let (lower, upper) = zero_to_infinity(n);
            let exact = by_enumeration(&a, &b, &lower, &upper)?;
            let mut x = vec![0.0; n];
            let sweeps = projected_gauss_seidel(&a, &b, &lower, &upper, &mut x, 1e-12, 10_000);
            assert!(sweeps < 10_000, "{n}, {seed}: did not converge");
            let allowed = bound(&a, n, 0.1, 2e-12);
            let found = distance(&x, &exact.unwrap_or_default());
            assert!(found <= allowed, "{n}, {seed}: {found:e}, allowed {allowed:e}");
            let Residuals { min_x, min_w, complementarity, natural } = residuals(&a, &b, &x);
            assert!(min_x >= 0.0 && min_w >= -1e-12 && natural <= 1e-12 && complementarity <= 1e-10);
        }
    }
    Ok(())
}

#[test]
fn boxes_are_kept_and_met_as_enumeration_meets_them() -> Result<()> {
    for n in 1..=6 {
        for seed in 0..5 {
            let (a, b) = random_problem(n, 100 + 10 * n as u64 + seed);
            let mut random = Random(seed);
            let lower: Vec<f64> = (0..n).map(|_| -0.5 * f64::from(random.unit())).collect();
            let upper: Vec<f64> = (0..n).map(|_| 0.5 * f64::from(random.unit())).collect();
            let exact = by_enumeration(&a, &b, &lower, &upper)?;
            let mut x = vec![0.0; n];
            projected_gauss_seidel(&a, &b, &lower, &upper, &mut x, 1e-12, 10_000);
            let allowed = bound(&a, n, 0.1, 2e-12);
            let found = distance(&x, &exact.unwrap_or_default());
            assert!(found <= allowed, "{n}, {seed}: {found:e}, allowed {allowed:e}");
            assert!((0..n).all(|i| lower[i] <= x[i] && x[i] <= upper[i]), "{n}, {seed}");
        }
    }
    Ok(())
}

/// ‖D⁻¹A‖∞ bounds λmax(D⁻¹A), so 1 over it is below the 2/λmax that convergence asks for.
#[test]
fn jacobi_as_the_paper_has_it_comes_to_the_same_solution() {
    for n in [1, 2, 5, 31] {
        let (a, b) = random_problem(n, n as u64);
        let row = |i: usize| a[i * n..(i + 1) * n].iter().map(|a| a.abs()).sum::<f64>() / a[i * n + i];
        let omega = -1.0 / (0..n).map(row).fold(0.0, f64::max);
        let mut x = vec![0.0; n];
        projected_jacobi(&a, &b, &mut x, omega, 20_000);
        let mut y = vec![0.0; n];
        let (lower, upper) = zero_to_infinity(n);
        projected_gauss_seidel(&a, &b, &lower, &upper, &mut y, 1e-13, 10_000);
        let residual = residuals(&a, &b, &x).natural;
        assert!(residual <= 1e-10, "{n}: {residual:e}");
        let allowed = bound(&a, n, 0.1, 2e-10);
        assert!(distance(&x, &y) <= allowed, "{n}: {:e}", distance(&x, &y));
    }
}

#[test]
fn contacts_are_met_although_their_matrix_is_nearly_singular() {
    for n in [4, 16, 60] {
        let (a, b) = contact_problem(n, 1e-3, n as u64);
        let (lower, upper) = zero_to_infinity(n);
        let mut x = vec![0.0; n];
        let sweeps = projected_gauss_seidel(&a, &b, &lower, &upper, &mut x, 1e-8, 100_000);
        assert!(sweeps < 100_000, "{n}");
        assert!(x.contains(&0.0) && x.iter().any(|&x| x > 0.0), "{n}: {x:?}");
    }
}

#[test]
fn what_needs_no_sweep_gets_none() {
    let (a, b) = random_problem(9, 3);
    let (lower, upper) = zero_to_infinity(9);
    let mut x = vec![0.0; 9];
    let zero = vec![0.0; 9];
    assert_eq!(projected_gauss_seidel(&a, &zero, &lower, &upper, &mut x, 1e-9, 100), 0);
    projected_gauss_seidel(&a, &b, &lower, &upper, &mut x, 1e-9, 1000);
    assert_eq!(projected_gauss_seidel(&a, &b, &lower, &upper, &mut x, 1e-9, 1000), 0);
}

#[test]
fn what_is_not_a_number_is_no_small_residual() {
    let (a, b) = random_problem(3, 1);
    assert!(residuals(&a, &b, &[f64::NAN, 0.0, 0.0]).natural.is_nan());
    assert!(residuals(&a, &[0.0, f64::NAN, 0.0], &[1.0; 3]).natural.is_nan());
    assert!(natural_residual(&a, &b, &[0.0; 3], &[ALL; 3], &[0.0, f64::NAN, 0.0]).is_nan());
}
