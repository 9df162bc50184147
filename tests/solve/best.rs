//! An x that was good is not thrown away.

use std::ops::ControlFlow;

use super::least_squares_counts::orthonormal;
use super::support::{on_card, on_gpu};
use super::{EVERY, banded, norm, numbers, true_residual};
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, Dense, LinearOperator};
use quadrille::matrix::Matrix;
use quadrille::numeric::Csr;
use quadrille::pug::Step;
use quadrille::solve::{
    BiCgStab, Bounds, Cg, Cgls, FusedCg, Iteration, Method, Outcome, Progress, Reason, Settings, SteeredCg,
    iterate, matrix_cg, matrix_cg_with, solve,
};
use quadrille::{Gpu, Limits, Result};
use quadrille_oracle::matrices;

/// Q diag(1 … 1/condition) Qᵀ, of numbers that 32 bits hold.
fn conditioned(n: usize, condition: f64, seed: u64) -> Result<Csr> {
    let q = orthonormal(n, n, seed);
    let value = |k: usize| condition.powf(-(k as f64) / (n - 1) as f64);
    let entry = |i: usize, j: usize| (0..n).map(|k| q[k][i] * value(k) * q[k][j]).sum::<f64>();
    let entries = (0..n * n).map(|at| (at / n, at % n, f64::from(entry(at / n, at % n) as f32)));
    Csr::from_triplets(n, n, entries.collect::<Vec<_>>())
}

fn dense(gpu: &Gpu, matrix: &Csr) -> Result<Dense> {
    let layout = Packed2x2::folded(matrix.rows())?;
    Dense::from_csr(&Algebra::new(gpu), layout, layout, matrix)
}

fn least(history: &[f64]) -> f64 {
    history.iter().copied().filter(|residual| residual.is_finite()).fold(f64::INFINITY, f64::min)
}

/// Stabilised bi-conjugate gradients of condition 10⁶ come to 10⁻⁵ in 32 bits, stall, and are far off when that is seen.
#[test]
fn a_solve_that_stalls_returns_the_best_that_it_had() -> Result<()> {
    on_gpu(|gpu| {
        for seed in [1, 2] {
            let matrix = conditioned(60, 1e6, 100_000 * seed)?;
            let (a, b) = (dense(gpu, &matrix)?, matrix.multiply(&numbers(60, seed)));
            for (method, fused, preconditioner) in EVERY {
                if method == Method::Cgls {
                    continue;
                }
                let settings =
                    Settings { method, fused, preconditioner, tolerance: 1e-9, ..Settings::default() };
                let solution = solve(&a, &b, None, &settings)?;
                let (report, truth) = (&solution.report, true_residual(&matrix, &b, &solution.x));
                let best = least(&report.history);
                println!("{seed} {method:?} {fused}: {truth:e}, {best:e} known, {}", report.reason);
                // The recursion's residual is true to its rounding: 2⁻²⁴ of what it went through, some hundred times.
                assert!(
                    truth <= 1.25 * best + 1e-5,
                    "{seed} {settings:?}: {truth:e}, but {best:e} was known"
                );
                assert!(truth <= 1e-3, "{seed} {settings:?}: {truth:e}");
            }
        }
        Ok(())
    })
}

fn iterated(
    method: &mut dyn Iteration,
    (a, b): (&dyn LinearOperator, &[f64]),
    bounds: Bounds,
) -> Result<(Outcome, Vec<f64>)> {
    let algebra = a.algebra().clone();
    let b: Vec<f32> = b.iter().map(|&b| b as f32).collect();
    let (b, mut x) = (algebra.vector(a.rows(), &b)?, algebra.zeros(a.columns())?);
    let outcome = iterate(method, a, &b, &mut x, bounds, &mut |_, _| true)?;
    Ok((outcome, x.get()?.into_iter().map(f64::from).collect()))
}

/// x is what it was after so many iterations, to the residual of f64 and to the bit.
fn kept(
    method: &mut dyn Iteration,
    (a, matrix, b): (&dyn LinearOperator, &Csr, &[f64]),
    bounds: Bounds,
    what: &str,
) -> Result<()> {
    let (outcome, x) = iterated(method, (a, b), bounds)?;
    let (best, truth) = (least(&outcome.history), true_residual(matrix, b, &x));
    println!("{what}: {}, {} of {}, {truth:e}", outcome.reason, outcome.kept, outcome.iterations);
    assert!(outcome.reason != Reason::Converged && outcome.history.len() == outcome.iterations + 1, "{what}");
    assert!(outcome.kept < outcome.iterations, "{what}: nothing was better before");
    assert!(outcome.residual() <= 1.25 * best, "{what}: {:e}, best {best:e}", outcome.residual());
    assert!((truth - outcome.residual()).abs() <= 0.01 * truth + 1e-5, "{what}: {truth:e}");
    let again = Bounds { max_iterations: outcome.kept, check_every: 0, ..bounds };
    assert_eq!(iterated(method, (a, b), again)?.1, x, "{what}");
    Ok(())
}

#[test]
fn iterations_come_back_to_their_best_x() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let bounds = Bounds { tolerance: 1e-9, max_iterations: 1500, check_every: 16 };
        let matrix = conditioned(60, 1e6, 100_000)?;
        let (a, b) = (dense(gpu, &matrix)?, matrix.multiply(&numbers(60, 1)));
        kept(&mut BiCgStab::new(&algebra, a.rows(), None)?, (&a, &matrix, &b), bounds, "bicgstab")?;
        // Conjugate gradients on what is not symmetric: the residual falls for some iterations, and grows.
        let matrix = matrices::convection_diffusion(15, 15, [0.6, -0.4])?;
        let (a, b) = (banded(gpu, &matrix)?, numbers(225, 6));
        let bounds = Bounds { max_iterations: 300, ..bounds };
        kept(&mut Cg::new(&algebra, a.rows(), None)?, (&a, &matrix, &b), bounds, "cg")?;
        kept(&mut FusedCg::new(&algebra, a.rows(), None)?, (&a, &matrix, &b), bounds, "fused cg")
    })
}

#[test]
fn scalars_on_the_cpu_come_back_to_the_best_x_too() -> Result<()> {
    on_gpu(|gpu| {
        let matrix = matrices::convection_diffusion(15, 15, [0.6, -0.4])?;
        let (a, b) = (banded(gpu, &matrix)?, numbers(225, 6));
        let algebra = a.algebra().clone();
        let b32: Vec<f32> = b.iter().map(|&b| b as f32).collect();
        let (right, mut x) = (algebra.vector(a.rows(), &b32)?, algebra.zeros(a.rows())?);
        let ones = algebra.vector(a.rows(), &[1.0; 225])?;
        let bounds = Bounds { tolerance: 1e-9, max_iterations: 200, check_every: 1 };
        let method = SteeredCg::new(gpu, Step::Far(2), 1)?;
        let outcome = method.solve(&a, &ones, (&right, &mut x), bounds, &mut |_, work| work())?;
        let x: Vec<f64> = x.get()?.into_iter().map(f64::from).collect();
        let (best, truth) = (least(&outcome.history), true_residual(&matrix, &b, &x));
        assert!(outcome.kept < outcome.iterations && outcome.residual() <= 1.25 * best, "{outcome:?}");
        assert!((truth - outcome.residual()).abs() <= 0.01 * truth, "{truth:e}, {:e}", outcome.residual());
        assert!(norm(&x) > 0.0);
        Ok(())
    })
}

/// Whoever stops while the iterations up to the best x are made again is heard, and not told that it ended by itself.
#[test]
fn a_stop_is_heard_while_iterations_are_made_again() -> Result<()> {
    on_gpu(|gpu| {
        let matrix = matrices::convection_diffusion(15, 15, [0.6, -0.4])?;
        let (a, b) = (banded(gpu, &matrix)?, numbers(225, 6));
        let b: Vec<f32> = b.iter().map(|&b| b as f32).collect();
        let algebra = a.algebra().clone();
        let b = algebra.vector(a.rows(), &b)?;
        let bounds = Bounds { tolerance: 1e-9, max_iterations: 300, check_every: 2 };
        let run = |stops: bool| -> Result<(Outcome, usize)> {
            let (mut x, mut newest, mut again) = (algebra.zeros(a.rows())?, 0, 0);
            let mut watch = |iterations: usize, _: f64| {
                again += usize::from(iterations < newest || again > 0);
                newest = iterations;
                !(stops && again > 0)
            };
            let outcome =
                iterate(&mut Cg::new(&algebra, a.rows(), None)?, &a, &b, &mut x, bounds, &mut watch)?;
            Ok((outcome, again))
        };
        let (whole, looks) = run(false)?;
        assert!(whole.reason == Reason::MaxIterations && looks > 1, "made again by itself: {whole:?}");
        let (stopped, looks) = run(true)?;
        assert_eq!((stopped.reason, looks), (Reason::Stopped, 1));
        assert!(stopped.kept < whole.kept && stopped.iterations == whole.iterations, "{}", stopped.kept);
        Ok(())
    })
}

/// The same for dense conjugate gradients in both of their ways: nothing is told of after the stop, and x is what it had come to.
#[test]
fn a_stop_is_heard_while_dense_iterations_are_made_again() -> Result<()> {
    for card in [Limits::GEFORCE_6800, Limits { targets: 1, ..Limits::GEFORCE_6800 }] {
        on_card(card, |gpu| {
            let matrix = matrices::convection_diffusion(15, 15, [0.6, -0.4])?;
            let narrow = matrix.triplets().map(|(i, j, entry)| (i, j, f64::from(entry as f32)));
            let matrix = Csr::from_triplets(225, 225, narrow.collect::<Vec<_>>())?;
            let entries: Vec<f32> =
                (0..225 * 225).map(|at| matrix.entry(at / 225, at % 225) as f32).collect();
            let (algebra, right) = (Algebra::new(gpu), numbers(225, 6));
            let a = Matrix::new(&algebra, 225, 225, &entries)?;
            let b = Matrix::new(&algebra, 225, 1, &right.iter().map(|&b| b as f32).collect::<Vec<_>>())?;
            let bounds = Bounds { tolerance: 1e-9, max_iterations: 120, check_every: 2 };
            let (mut x, mut newest, mut again) = (Matrix::zeros(&algebra, 225, 1)?, 0, 0);
            let mut watch = |progress: &Progress| {
                again += usize::from(progress.iterations < newest || again > 0);
                newest = progress.iterations;
                if again > 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let report = matrix_cg_with(&a, &b, &mut x, bounds, &mut watch)?;
            assert_eq!((report.reason, again), (Reason::Stopped, 1), "{report:?}");
            let x: Vec<f64> = x.get()?.into_iter().map(f64::from).collect();
            let truth = true_residual(&matrix, &right, &x);
            assert!((report.relative_residual - truth).abs() <= 1e-6 * truth, "{truth:e}, {report:?}");
            Ok(())
        })?;
    }
    Ok(())
}

/// Both ways of an iteration, on what is not symmetric, where residuals fall for a while and grow.
#[test]
fn dense_conjugate_gradients_come_back_to_their_best_x() -> Result<()> {
    for card in [Limits::GEFORCE_6800, Limits { targets: 1, ..Limits::GEFORCE_6800 }] {
        on_card(card, |gpu| {
            let matrix = matrices::convection_diffusion(15, 15, [0.6, -0.4])?;
            let narrow = matrix.triplets().map(|(i, j, entry)| (i, j, f64::from(entry as f32)));
            let matrix = Csr::from_triplets(225, 225, narrow.collect::<Vec<_>>())?;
            let entry = |at: usize| matrix.entry(at / 225, at % 225) as f32;
            let algebra = Algebra::new(gpu);
            let a = Matrix::new(&algebra, 225, 225, &(0..225 * 225).map(entry).collect::<Vec<_>>())?;
            let right = numbers(225, 6);
            let mut b = Matrix::new(&algebra, 225, 1, &right.iter().map(|&b| b as f32).collect::<Vec<_>>())?;
            let truth = |x: &Matrix, factor: f64| -> Result<f64> {
                let x: Vec<f64> = x.get()?.into_iter().map(|x| f64::from(x) / factor).collect();
                Ok(true_residual(&matrix, &right, &x))
            };
            let bounds = Bounds { tolerance: 1e-9, max_iterations: 300, check_every: 16 };
            for factor in [1.0, 2f32.powi(60)] {
                b.set(&right.iter().map(|&b| b as f32 * factor).collect::<Vec<_>>())?;
                let mut x = Matrix::zeros(&algebra, 225, 1)?;
                let report = matrix_cg(&a, &b, &mut x, bounds)?;
                let (best, found) = (least(&report.history), truth(&x, f64::from(factor))?);
                println!("{}: {found:e}, {best:e} known, {}", card.targets, report.reason);
                let last = report.history.last().copied().unwrap_or(f64::NAN);
                assert!(last > 10.0 * best, "it grows: {last:e} after {best:e}");
                // Worse by a fifth at most, as everywhere.
                assert!(found <= 1.26 * best && found < 1.0, "{found:e}, but {best:e} was known");
                assert!((report.relative_residual - found).abs() <= 1e-6 * found, "{report:?}");
            }
            // Without looks, the last x is the answer.
            let mut x = Matrix::zeros(&algebra, 225, 1)?;
            b.set(&right.iter().map(|&b| b as f32).collect::<Vec<_>>())?;
            let fixed = matrix_cg(&a, &b, &mut x, Bounds { check_every: 0, ..bounds })?;
            assert!(fixed.relative_residual > 10.0 * least(&fixed.history), "{fixed:?}");
            Ok(())
        })?;
    }
    Ok(())
}

/// Condition 10¹⁸ and all 20 residuals kept: in 32 bits there are no more than some seven directions to tell apart.
#[test]
fn least_squares_of_a_hilbert_matrix_return_the_best_they_had() -> Result<()> {
    on_gpu(|gpu| {
        let entries =
            (0..400).map(|at| (at / 20, at % 20, f64::from((1.0 / (at / 20 + at % 20 + 1) as f64) as f32)));
        let matrix = Csr::from_triplets(20, 20, entries.collect::<Vec<_>>())?;
        let a = dense(gpu, &matrix)?;
        let normal = |r: &[f64]| norm(&matrix.transpose().multiply(r));
        for (seed, b) in [(0, matrix.multiply(&[1.0; 20])), (1, numbers(20, 5))] {
            for tolerance in [1e-6, 1e-9, 1e-12] {
                let settings = Settings { method: Method::Cgls, tolerance, ..Settings::default() };
                let solution = solve(&a, &b, None, &settings)?;
                let r: Vec<f64> = b.iter().zip(matrix.multiply(&solution.x)).map(|(b, p)| b - p).collect();
                let (found, best) = (normal(&r) / normal(&b), least(&solution.report.history));
                println!(
                    "{seed} {tolerance:e}: {found:e}, {best:e}, {} {}",
                    solution.report.reason, solution.report.iterations
                );
                // The residual of the best in 32 bits may be off by their rounding: 2⁻²⁴ of ‖A‖²‖x‖, some ten times.
                let size = norm(&matrix.triplets().map(|entry| entry.2).collect::<Vec<_>>());
                let rounding = 10.0 * 2f64.powi(-24) * size * size * norm(&solution.x) / normal(&b);
                println!("{rounding:e}");
                assert!(
                    found <= 1.26 * best + rounding,
                    "{seed}, {tolerance:e}: {found:e}, but {best:e} was known"
                );
                assert!(found <= 1e-3 + rounding && solution.x.iter().all(|x| x.is_finite()), "{found:e}");
                let reported = solution.report.normal_residual.unwrap_or(f64::NAN);
                assert!((reported - found).abs() <= 1e-9 * found + 1e-15, "{reported:e}, {found:e}");
            }
        }
        Ok(())
    })
}

/// Once there are as many residuals as there can be, a new one is rounding alone: nothing is taken out of it, which costs two
/// passes an iteration, and it is not kept, which costs one.
#[test]
fn least_squares_stop_taking_out_when_all_directions_are_there() -> Result<()> {
    on_gpu(|gpu| {
        let matrix = conditioned(20, 10.0, 100_000)?;
        let a = dense(gpu, &matrix)?;
        let algebra = a.algebra().clone();
        let b = algebra.vector(a.rows(), &[1.0; 20])?;
        let mut method = Cgls::new(&a)?;
        let mut passes = |max_iterations: usize| -> Result<u64> {
            let mut x = algebra.zeros(a.columns())?;
            let before = gpu.counters().passes;
            let bounds = Bounds { tolerance: 1e-6, max_iterations, check_every: 0 };
            iterate(&mut method, &a, &b, &mut x, bounds, &mut |_, _| true)?;
            Ok(gpu.counters().passes - before)
        };
        let (before, after) = (passes(15)? - passes(5)?, passes(40)? - passes(30)?);
        assert_eq!(before - after, 10 * 3);
        Ok(())
    })
}
