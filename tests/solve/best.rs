//! An x that was good is not thrown away.

use super::least_squares_counts::orthonormal;
use super::support::on_gpu;
use super::{EVERY, banded, norm, numbers, true_residual};
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, Dense, LinearOperator};
use quadrille::pug::Step;
use quadrille::reference::{Csr, matrices};
use quadrille::solve::{
    BiCgStab, Bounds, Cg, FusedCg, Iteration, Method, Outcome, Reason, Settings, SteeredCg, iterate, solve,
};
use quadrille::{Gpu, Result};

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
        for seed in [1, 2, 3] {
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
