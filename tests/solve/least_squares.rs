//! Least squares of every shape beside the same iteration in f64.

use super::support::on_gpu;
use super::{norm, numbers};
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, Dense, LinearOperator, Points};
use quadrille::numeric::Csr;
use quadrille::solve::{Bounds, Cgls, Method, Reason, Settings, Solution, iterate, solve};
use quadrille::{Gpu, Result};
use quadrille_oracle as oracle;
use quadrille_oracle::matrices;

fn points(gpu: &Gpu, matrix: &Csr) -> Result<Points> {
    let (rows, columns) = (Packed2x2::folded(matrix.rows())?, Packed2x2::folded(matrix.columns())?);
    Points::new(&Algebra::new(gpu), rows, columns, matrix.clone())
}

fn least(a: &dyn LinearOperator, b: &[f64], guess: Option<&[f64]>, tolerance: f64) -> Result<Solution> {
    let settings = Settings { method: Method::Cgls, tolerance, check_every: 4, ..Settings::default() };
    solve(a, b, guess, &settings)
}

/// ‖Aᵀ(b − A x)‖ / ‖Aᵀb‖.
fn normal_residual(a: &Csr, b: &[f64], x: &[f64]) -> f64 {
    let r: Vec<f64> = b.iter().zip(a.multiply(x)).map(|(b, p)| b - p).collect();
    norm(&a.multiply_transposed(&r)) / norm(&a.multiply_transposed(b))
}

/// Converged by either of the two: Aᵀr, or r itself where the system has a solution.
fn holds(a: &Csr, b: &[f64], tolerance: f64, solution: &Solution, what: &str) {
    let (report, normal) = (&solution.report, normal_residual(a, b, &solution.x));
    assert!(report.converged(), "{what}: {}, {normal:e}", report.reason);
    let residual = super::true_residual(a, b, &solution.x);
    assert!(normal.min(residual) <= tolerance * (1.0 + 1e-9), "{what}: {normal:e}, {residual:e}");
    let said = report.normal_residual.unwrap_or(f64::NAN);
    assert!((said - normal).abs() <= 1e-3 * normal + 1e-15, "{what}: {said:e} said, {normal:e}");
    assert!((report.relative_residual - residual).abs() <= 1e-6 * residual + 1e-15, "{what}");
}

/// 2 on the diagonal and about four entries beside it: full rank, and no worse than a condition of a few tens.
fn full_rank(rows: usize, columns: usize, seed: u64) -> Result<Csr> {
    let random = matrices::random(rows, columns, 2, 4, seed)?;
    let diagonal = (0..rows.min(columns)).map(|i| (i, i, 6.0));
    Csr::from_triplets(rows, columns, random.triplets().chain(diagonal))
}

#[test]
fn tall_wide_and_square_matrices_match_f64() -> Result<()> {
    on_gpu(|gpu| {
        for (rows, columns) in [(1, 1), (5, 1), (1, 5), (60, 20), (20, 60), (33, 33), (301, 100)] {
            let matrix = full_rank(rows, columns, 5)?;
            let b = numbers(rows, 51);
            let oracle = oracle::cgls(&matrix, &b, None, 1e-5, 2000);
            let solution = least(&points(gpu, &matrix)?, &b, None, 1e-5)?;
            let what = format!("{rows}x{columns}");
            println!("{what}: {} beside {} in f64", solution.report.iterations, oracle.iterations);
            holds(&matrix, &b, 1e-5, &solution, &what);
            // Seen late by twice check_every; rounding costs a little beside it.
            let late = 8.0 * (1 + solution.report.refinements) as f64;
            let most = 1.2 * oracle.iterations as f64 + 4.0 + late;
            assert!(solution.report.iterations as f64 <= most, "{what}: {:?}", solution.report);
        }
        Ok(())
    })
}

/// Without the outer loop the iteration makes its own b − A x, from whatever x.
#[test]
fn the_iteration_alone_goes_towards_the_solution() -> Result<()> {
    on_gpu(|gpu| {
        let matrix = full_rank(60, 20, 7)?;
        let b = matrix.multiply(&numbers(20, 8));
        let a = points(gpu, &matrix)?;
        let gpu_b = a.algebra().vector(a.rows(), &b.iter().map(|&b| b as f32).collect::<Vec<_>>())?;
        let bounds = Bounds { tolerance: 1e-5, max_iterations: 200, check_every: 4 };
        for start in [0.0, 0.5] {
            let mut x = a.algebra().vector(a.columns(), &[start; 20])?;
            let outcome = iterate(&mut Cgls::new(&a)?, &a, &gpu_b, &mut x, bounds, &mut |_, _| true)?;
            let x: Vec<f64> = x.get()?.into_iter().map(f64::from).collect();
            let normal = normal_residual(&matrix, &b, &x);
            // The recursion's residual, and as much for rounding.
            assert!(
                outcome.reason == Reason::Converged && normal <= 2e-5,
                "{start}: {normal:e}, {outcome:?}"
            );
        }
        Ok(())
    })
}

#[test]
fn inconsistent_systems_reach_ten_digits() -> Result<()> {
    on_gpu(|gpu| {
        for (rows, columns, share) in [(60, 20, 1.0), (200, 70, 1e-3), (200, 70, 1e4)] {
            let matrix = full_rank(rows, columns, 6)?;
            // A x and something that is mostly outside of the range of A.
            let mut b = matrix.multiply(&numbers(columns, 61));
            b.iter_mut().zip(numbers(rows, 62)).for_each(|(b, noise)| *b += share * noise);
            let solution = least(&points(gpu, &matrix)?, &b, None, 1e-10)?;
            let normal = normal_residual(&matrix, &b, &solution.x);
            println!("{share}: {normal:e}, {} refinements", solution.report.refinements);
            assert!(solution.report.converged(), "{share}: {:?}", solution.report.reason);
            assert!(normal <= 1e-10 * (1.0 + 1e-3), "{share}: {normal:e}");
        }
        Ok(())
    })
}

/// Each column twice: rank of half the columns.
fn deficient(rows: usize, columns: usize) -> Result<Csr> {
    let half = full_rank(rows, columns / 2, 7)?;
    let twice = half
        .triplets()
        .flat_map(|(row, column, value)| [(row, 2 * column, value), (row, 2 * column + 1, value)]);
    Csr::from_triplets(rows, columns, twice.collect::<Vec<_>>())
}

#[test]
fn of_many_solutions_the_shortest_is_found() -> Result<()> {
    on_gpu(|gpu| {
        for (rows, columns) in [(40, 20), (20, 60), (30, 30)] {
            let matrix = deficient(rows, columns)?;
            let b = numbers(rows, 71);
            let a = points(gpu, &matrix)?;
            let solution = least(&a, &b, None, 1e-8)?;
            holds(&matrix, &b, 1e-8, &solution, &format!("{rows}x{columns}"));
            // Two equal columns share alike in the shortest solution, and nothing else is shortest.
            for pair in solution.x.chunks(2) {
                let scale = pair[0].abs().max(pair[1].abs());
                assert!((pair[0] - pair[1]).abs() <= 1e-5 * scale + 1e-7, "{pair:?}");
            }
            // From a guess, the one that is nearest to it: what lies in the null space stays.
            let mut guess = vec![0.0; columns];
            (guess[0], guess[1]) = (3.0, -3.0);
            let moved = least(&a, &b, Some(&guess), 1e-8)?;
            let kept = (moved.x[0] - moved.x[1]) / 2.0;
            assert!((kept - 3.0).abs() <= 1e-5, "{kept}");
        }
        Ok(())
    })
}

#[test]
fn what_no_x_comes_near_is_answered_by_zero() -> Result<()> {
    on_gpu(|gpu| {
        // b is orthogonal to both columns: Aᵀb = 0 in the first case, and rounding alone in the second.
        let exact = Csr::from_triplets(4, 2, [(0, 0, 1.0), (1, 0, 1.0), (2, 1, 1.0), (3, 1, 1.0)])?;
        let solution = least(&points(gpu, &exact)?, &[1.0, -1.0, 2.0, -2.0], None, 1e-8)?;
        assert!(solution.report.converged() && solution.x == [0.0, 0.0], "{solution:?}");
        assert_eq!((solution.report.iterations, solution.report.relative_residual), (0, 1.0));
        let thirds = Csr::from_triplets(3, 1, [(0, 0, 0.1), (1, 0, 0.2), (2, 0, 0.3)])?;
        let solution = least(&points(gpu, &thirds)?, &[0.3, 0.3, -0.3], None, 1e-8)?;
        assert!(solution.x[0].abs() <= 1e-15, "{solution:?}");
        assert!(solution.report.converged(), "{solution:?}");
        Ok(())
    })
}

#[test]
fn full_matrices_solve_as_well_as_points() -> Result<()> {
    on_gpu(|gpu| {
        let matrix = full_rank(50, 30, 8)?;
        let (rows, columns) = (Packed2x2::grid(10, 5)?, Packed2x2::folded_by(30, 7)?);
        let dense = Dense::from_csr(&Algebra::new(gpu), rows, columns, &matrix)?;
        let b = numbers(50, 81);
        let found = least(&dense, &b, None, 1e-9)?;
        holds(&matrix, &b, 1e-9, &found, "dense");
        let others = least(&points(gpu, &matrix)?, &b, None, 1e-9)?;
        for (x, y) in found.x.iter().zip(&others.x) {
            assert!((x - y).abs() <= 1e-7, "{x} and {y}");
        }
        Ok(())
    })
}
