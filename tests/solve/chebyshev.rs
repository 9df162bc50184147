//! The Chebyshev semi-iteration: its residuals in f64 against the bound that it promises.

use super::support::{on_gpu, refusal};
use super::{banded, numbers};
use quadrille::Result;
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, Gather, LinearOperator};
use quadrille::numeric::Csr;
use quadrille::solve::Chebyshev;
use std::f64::consts::PI;

/// ‖b − A x‖/‖b‖ in f64.
fn relative_residual(matrix: &Csr, b: &[f64], x: &[f32]) -> f64 {
    let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
    let product = matrix.multiply(&x.iter().map(|&x| f64::from(x)).collect::<Vec<_>>());
    let r: Vec<f64> = b.iter().zip(product).map(|(b, p)| b - p).collect();
    norm(&r) / norm(b)
}

/// Poisson's matrix, whose eigenvalues are known: k steps leave 1/T_k(σ) at most, and of the worst b nearly that; from 0 and from an x,
/// in one pass a step and in several.
#[test]
fn steps_divide_the_residual_as_promised() -> Result<()> {
    on_gpu(|gpu| {
        let (width, height) = (13usize, 9usize);
        let matrix = Csr::poisson(width, height)?;
        let end = |k: f64, n: usize| 2.0 - 2.0 * (PI * k / (n as f64 + 1.0)).cos();
        let interval =
            [end(1.0, width) + end(1.0, height), end(width as f64, width) + end(height as f64, height)];
        let iteration = Chebyshev::new(interval)?;
        let sigma = (interval[1] + interval[0]) / (interval[1] - interval[0]);
        let algebra = Algebra::new(gpu);
        let layout = Packed2x2::folded(width * height)?;
        let gathered = Gather::new(&algebra, layout, layout, matrix.clone())?;
        let on_diagonals = banded(gpu, &matrix)?;
        let values = numbers(width * height, 4);
        for a in [&gathered as &dyn LinearOperator, &on_diagonals] {
            let vector =
                |v: &[f64]| a.algebra().vector(a.columns(), &v.iter().map(|&v| v as f32).collect::<Vec<_>>());
            let b = vector(&values)?;
            for reduction in [1.0, 3.0, 1e2, 1e4] {
                let steps = iteration.steps_for(reduction);
                let promised = 1.0 / (steps as f64 * sigma.acosh()).cosh();
                assert!(promised <= 1.0 / reduction);
                // 2⁻²⁴ of |A||x| + |b|, with |x| ≤ |b|/low: the rest is rounding.
                let bound = promised + 2f64.powi(-24) * 8.0 * interval[1] / interval[0];
                let mut x = a.algebra().zeros(a.columns())?;
                iteration.solve_from_zero(a, &b, &mut x, steps)?;
                let found = relative_residual(&matrix, &values, &x.get()?);
                assert!(found <= bound, "{found:e} of {bound:e} after {steps} from 0");
                let mut y = a.algebra().zeros(a.columns())?;
                iteration.improve(a, &b, &mut y, steps)?;
                let again = relative_residual(&matrix, &values, &y.get()?);
                assert!((found - again).abs() <= bound - promised, "{found:e} {again:e} after {steps}");
                // One more run divides what is left once more.
                iteration.improve(a, &b, &mut y, steps)?;
                let twice = relative_residual(&matrix, &values, &y.get()?);
                assert!(twice <= promised * again + bound - promised, "{twice:e} after {again:e}");
            }
        }
        // The lowest mode is an end of the interval, where |T_k| = 1: nothing less is left of it.
        let mode = |n: usize, i: usize| (PI * (i as f64 + 1.0) / (n as f64 + 1.0)).sin();
        let lowest: Vec<f64> =
            (0..width * height).map(|i| mode(width, i % width) * mode(height, i / width)).collect();
        let b: Vec<f32> = lowest.iter().map(|&v| v as f32).collect();
        let b = on_diagonals.algebra().vector(on_diagonals.columns(), &b)?;
        let mut x_there = on_diagonals.algebra().zeros(on_diagonals.columns())?;
        iteration.solve_from_zero(&on_diagonals, &b, &mut x_there, 5)?;
        let promised = 1.0 / (5.0 * sigma.acosh()).cosh();
        let found = relative_residual(&matrix, &lowest, &x_there.get()?);
        assert!((found / promised - 1.0).abs() <= 1e-4, "{found} {promised}");
        let mut other = algebra.zeros(Packed2x2::folded(5)?)?;
        assert!(
            refusal(iteration.improve(&on_diagonals, &b, &mut other, 1)).contains("vector"),
            "another layout"
        );
        assert_eq!(
            refusal(Chebyshev::new([0.0, 1.0])),
            "interval of eigenvalues = 0 to 1: expected two numbers above 0, the smaller first"
        );
        assert!(Chebyshev::new([2.0, 1.0]).is_err() && Chebyshev::new([1.0, f64::NAN]).is_err());
        Ok(())
    })
}
