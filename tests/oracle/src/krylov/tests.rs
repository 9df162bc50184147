use super::*;
use crate::{direct_solve, matrices};
use quadrille::Result;
use quadrille::numeric::Random;

const U: f64 = f64::EPSILON / 2.0;

fn numbers(n: usize, seed: u64) -> Vec<f64> {
    Random(seed).floats(n).into_iter().map(f64::from).collect()
}

fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

fn difference(x: &[f64], y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x - y).collect()
}

/// Least and largest eigenvalue of the five-point matrix: 4 sin²(π/2(w + 1)) + 4 sin²(π/2(h + 1)), and 8 less it.
fn spectrum(width: usize, height: usize) -> (f64, f64) {
    let one = |n: usize| 4.0 * (std::f64::consts::FRAC_PI_2 / (n + 1) as f64).sin().powi(2);
    (one(width) + one(height), 8.0 - one(width) - one(height))
}

/// How far the residual that is carried along and the true one part, as a share of ‖b‖: no more than ten
/// roundings a step of numbers as large as ‖A‖·‖x‖ and ‖r‖, where ‖x‖ ≤ (‖b‖ + ‖r‖)/σ with σ the least
/// singular value (Greenbaum, *Estimating the Attainable Accuracy*, 1997).
fn drift(solved: &Solved, least: f64, largest: f64) -> f64 {
    let peak = solved.history.iter().copied().fold(0.0, f64::max);
    10.0 * U * solved.iterations as f64 * (largest / least * (1.0 + peak) + peak)
}

/// The error is at most the residual over the least singular value; elimination's own residual is far below.
fn assert_solved(
    a: &Csr,
    b: &[f64],
    solved: &Solved,
    tolerance: f64,
    (least, largest): (f64, f64),
) -> Result<()> {
    let allowed = tolerance + drift(solved, least, largest);
    let residual = norm(&residual(a, b, &solved.x)) / norm(b);
    assert!(residual <= allowed, "residual {residual:e}, bound {allowed:e}");
    let error = norm(&difference(&solved.x, &direct_solve(a, b)?)) / norm(b);
    let bound = (allowed + 1e-11) / least;
    assert!(error <= bound, "error {error:e}, bound {bound:e}");
    Ok(())
}

#[test]
fn conjugate_gradients_solve_poisson_as_elimination_does() -> Result<()> {
    for (width, height) in [(1, 1), (2, 1), (3, 3), (11, 10), (31, 57)] {
        let a = Csr::poisson(width, height)?;
        let b = numbers(width * height, 1);
        let solved = cg(&a, &b, None, 1e-9, 1000);
        assert_solved(&a, &b, &solved, 1e-9, spectrum(width, height))?;
        assert_eq!(solved.history.len(), solved.iterations + 1);
    }
    Ok(())
}

/// ‖r‖ ≤ √κ·2((√κ − 1)/(√κ + 1))ᵏ·‖r₀‖: the bound on the error in the norm of A, carried over.
#[test]
fn conjugate_gradients_converge_as_fast_as_theory_says() -> Result<()> {
    let a = Csr::poisson(64, 64)?;
    let (least, largest) = spectrum(64, 64);
    let root = (largest / least).sqrt();
    let solved = cg(&a, &numbers(4096, 1), None, 1e-10, 1000);
    for (k, found) in solved.history.iter().enumerate() {
        let bound = 2.0 * root * ((root - 1.0) / (root + 1.0)).powi(k as i32);
        assert!(*found <= bound, "step {k}: {found:e}, bound {bound:e}");
    }
    assert!(solved.history.last().is_some_and(|&last| last <= 1e-10));
    Ok(())
}

#[test]
fn as_many_eigenvalues_as_steps() -> Result<()> {
    let a = Csr::from_triplets(30, 30, (0..30).map(|i| (i, i, [1.0, 2.0, 4.0][i % 3])))?;
    // κ = 4 and three steps: a hundred roundings are room enough.
    let solved = cg(&a, &numbers(30, 1), None, 100.0 * U, 10);
    assert_eq!(solved.iterations, 3, "{:?}", solved.history);
    Ok(())
}

#[test]
fn exact_convergence_divides_nothing_by_zero() -> Result<()> {
    let identity = Csr::from_triplets(4, 4, (0..4).map(|i| (i, i, 1.0)))?;
    let (b, zero) = ([1.0, 2.0, 0.0, -1.0], [0.0; 4]);
    for method in [cg, jacobi_cg, bicgstab, jacobi_bicgstab, cgls] {
        let solved = method(&identity, &b, None, 0.0, 10);
        assert_eq!((&solved.x[..], solved.iterations), (&b[..], 1));
        assert_eq!(solved.history, [1.0, 0.0]);
        assert_eq!(method(&identity, &b, Some(&b), 0.0, 10).iterations, 0);
        let nothing = method(&identity, &zero, None, 0.0, 10);
        assert_eq!((&nothing.x[..], nothing.history), (&zero[..], vec![0.0]));
        // b = 0: the tolerance is absolute.
        assert!(norm(&method(&identity, &zero, Some(&b), 1e-3, 10).x) <= 1e-3);
    }
    Ok(())
}

#[test]
fn a_divisor_of_zero_ends_it_where_it_stands() -> Result<()> {
    let swap = Csr::from_triplets(2, 2, [(0, 1, 1.0), (1, 0, 1.0)])?;
    for method in [cg, jacobi_cg, bicgstab, jacobi_bicgstab] {
        let solved = method(&swap, &[1.0, 0.0], None, 1e-9, 10);
        assert_eq!((solved.x, solved.history), (vec![0.0; 2], vec![1.0]));
    }
    let nothing = Csr::from_triplets(3, 2, [])?;
    assert_eq!(cgls(&nothing, &[1.0; 3], None, 1e-9, 10).iterations, 0);
    Ok(())
}

#[test]
fn it_stops_after_as_many_steps_as_allowed() -> Result<()> {
    let a = Csr::poisson(20, 20)?;
    for method in [cg, jacobi_cg, bicgstab, jacobi_bicgstab, cgls] {
        let solved = method(&a, &numbers(400, 1), None, 1e-12, 5);
        assert_eq!((solved.iterations, solved.history.len()), (5, 6));
    }
    Ok(())
}

/// The diagonal is 4 everywhere: all that changes is multiplied by a power of two.
#[test]
fn jacobi_changes_nothing_where_the_diagonal_is_a_constant() -> Result<()> {
    let a = Csr::poisson(17, 9)?;
    let b = numbers(17 * 9, 1);
    assert_eq!(jacobi_cg(&a, &b, None, 1e-9, 500).x, cg(&a, &b, None, 1e-9, 500).x);
    assert_eq!(jacobi_bicgstab(&a, &b, None, 1e-9, 500).x, bicgstab(&a, &b, None, 1e-9, 500).x);
    Ok(())
}

/// Rows and columns scaled by powers of four: Jacobi on S A S sees what it sees on A, but for the norm it watches.
#[test]
fn jacobi_takes_the_scaling_of_rows_and_columns_away() -> Result<()> {
    let a = matrices::positive_definite(80, 3, 1)?;
    let scale = |i: usize| 4f64.powi((i % 7) as i32 - 3);
    let scaled = a.triplets().map(|(row, column, value)| (row, column, scale(row) * value * scale(column)));
    let scaled = Csr::from_triplets(80, 80, scaled)?;
    let b = numbers(80, 2);
    let scaled_b: Vec<f64> = b.iter().enumerate().map(|(i, b)| scale(i) * b).collect();
    let (plain, other) = (jacobi_cg(&a, &b, None, 0.0, 12), jacobi_cg(&scaled, &scaled_b, None, 0.0, 12));
    for (i, (plain, other)) in plain.x.iter().zip(&other.x).enumerate() {
        assert_eq!(*plain, other * scale(i), "unknown {i}"); // powers of two: to the last bit
    }
    Ok(())
}

/// The symmetric part of the matrix is at least the five-point one, so no singular value is below its least
/// eigenvalue; none is above the square root of (largest row sum) x (largest column sum).
#[test]
fn bicgstab_solves_what_is_not_symmetric() -> Result<()> {
    for (width, height, wind) in [(1, 1, [0.5, 0.5]), (11, 10, [0.5, -2.0]), (31, 57, [1.0, 0.25])] {
        let a = matrices::convection_diffusion(width, height, wind)?;
        let b = numbers(width * height, 3);
        let largest = 2.0 * (4.0 + f64::from(wind[0].abs() + wind[1].abs()));
        for method in [bicgstab, jacobi_bicgstab] {
            let solved = method(&a, &b, None, 1e-8, 1000);
            assert!(solved.iterations < 1000);
            assert_solved(&a, &b, &solved, 1e-8, (spectrum(width, height).0, largest))?;
        }
    }
    Ok(())
}

/// A Aᵀ.
fn gram(a: &Csr) -> Result<Csr> {
    let rows: Vec<Vec<f64>> = (0..a.rows())
        .map(|row| {
            let mut all = vec![0.0; a.columns()];
            a.row(row).for_each(|(column, value)| all[column] = value);
            all
        })
        .collect();
    let n = a.rows();
    let entries = (0..n * n).map(|i| (i / n, i % n, dot(&rows[i / n], &rows[i % n])));
    Csr::from_triplets(n, n, entries)
}

/// Least and largest eigenvalue of a symmetric matrix, from below and from above (Gershgorin).
fn gershgorin(a: &Csr) -> (f64, f64) {
    let diagonal = a.diagonal();
    let others = |i: usize| a.row(i).filter(|e| e.0 != i).map(|e| e.1.abs()).sum::<f64>();
    let each = || (0..a.rows()).map(|i| (diagonal[i] - others(i), diagonal[i] + others(i)));
    let least = each().map(|ends| ends.0).fold(f64::INFINITY, f64::min);
    (least, each().map(|ends| ends.1).fold(0.0, f64::max))
}

/// Tall: AᵀA x = Aᵀb. Wide: A Aᵀ y = b, x = Aᵀy, the shortest of all that solve it.
#[test]
fn least_squares_agree_with_the_normal_equations() -> Result<()> {
    let tall = matrices::random(400, 8, 8, 8, 1)?;
    let b = numbers(400, 2);
    let normal = gram(&tall.transpose())?;
    let (least, largest) = gershgorin(&normal);
    assert!(least > 0.0);
    let right = tall.transpose().multiply(&b);
    let solved = cgls(&tall, &b, None, 1e-10, 50);
    assert!(solved.iterations <= 20, "{:?}", solved.history);
    let drift = 100.0 * U * solved.iterations as f64 * largest / least;
    let error = norm(&difference(&solved.x, &direct_solve(&normal, &right)?));
    assert!(error <= (1e-10 + drift) * norm(&right) / least, "{error:e}");

    let wide = tall.transpose();
    let b = numbers(8, 3);
    let shortest = wide.transpose().multiply(&direct_solve(&normal, &b)?);
    let solved = cgls(&wide, &b, None, 1e-10, 50);
    // ‖Aᵀr‖ ≤ ε‖Aᵀb‖ gives ‖x − x*‖ ≤ ‖Aᵀr‖/σ² with σ² the least eigenvalue of A Aᵀ.
    let error = norm(&difference(&solved.x, &shortest));
    assert!(error <= (1e-10 + drift) * norm(&wide.transpose().multiply(&b)) / least, "{error:e}");
    Ok(())
}
