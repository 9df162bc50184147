//! A polynomial of the matrix as preconditioner: its values at known eigenvalues, its passes, and the iterations that it spares.

use super::support::{on_gpu, refusal};
use super::{banded, holds, numbers};
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, Banded, LinearOperator};
use quadrille::numeric::Csr;
use quadrille::solve::{
    Pcg, Polynomial, Preconditioner, Settings, Solution, check_preconditioner, solve_by, solve_with,
};
use quadrille::{Gpu, Result};
use quadrille_oracle::matrices;
use std::f64::consts::PI;
use std::ops::ControlFlow;

/// p(λ) by the recursion of the residual polynomial, in f64.
fn value(lambda: f64, high: f64, terms: usize) -> f64 {
    let low = high / (1.5 * (terms * terms) as f64);
    let (sigma, along) = ((high + low) / (high - low), (high + low - 2.0 * lambda) / (high - low));
    // T_m by its recursion, for any argument.
    let chebyshev = |x: f64| (0..terms).fold((1.0, x), |(here, next), _| (next, 2.0 * x * next - here)).0;
    (1.0 - chebyshev(along) / chebyshev(sigma)) / lambda
}

/// M v = p(λ) v for eigenvectors v of Poisson's matrix, in one pass a term.
#[test]
fn eigenvectors_are_multiplied_by_the_polynomial() -> Result<()> {
    on_gpu(|gpu| {
        let (width, height) = (13usize, 9usize);
        let matrix = Csr::poisson(width, height)?;
        let a = banded(gpu, &matrix)?;
        assert_eq!(matrix.norm_inf(), 8.0);
        for terms in [2, 3, 8, 12] {
            let m = Polynomial::new(&a, 8.0, terms)?;
            let mut z = a.algebra().zeros(a.rows())?;
            for (i, j) in [(1, 1), (4, 3), (13, 9)] {
                let mode =
                    |k: usize, n: usize, at: usize| (PI * (k * (at + 1)) as f64 / (n + 1) as f64).sin();
                let end = |k: usize, n: usize| 2.0 - 2.0 * (PI * k as f64 / (n + 1) as f64).cos();
                let lambda = end(i, width) + end(j, height);
                let v: Vec<f64> = (0..width * height)
                    .map(|at| mode(i, width, at % width) * mode(j, height, at / width))
                    .collect();
                let r = a.algebra().vector(a.rows(), &v.iter().map(|&v| v as f32).collect::<Vec<_>>())?;
                m.precondition(&r, &mut z)?;
                let before = gpu.counters().passes;
                m.precondition(&r, &mut z)?;
                assert_eq!(gpu.counters().passes - before, terms as u64, "passes of {terms} terms");
                let p = value(lambda, 8.0, terms);
                // Each term rounds some ten times, and takes over twice what the two before it were wrong by; the largest p is p(0).
                let bound = 20.0 * (terms * terms) as f64 * 2f64.powi(-24) * value(1e-9, 8.0, terms);
                for (z, v) in z.get()?.iter().zip(&v) {
                    let error = (f64::from(*z) - p * v).abs();
                    assert!(error <= bound, "{terms} terms, mode ({i}, {j}): {error:e} of {bound:e}");
                }
            }
        }
        Ok(())
    })
}

fn solved(a: &Banded, b: &[f64], settings: &Settings, high: f64, terms: usize) -> Result<Solution> {
    let method = Pcg::new(a.algebra(), a.columns(), Polynomial::new(a, high, terms)?)?;
    solve_by(Box::new(method), a, b, None, settings, &mut |_| ControlFlow::Continue(()))
}

/// The condition shrinks by m²/1.5 or so where it was larger, hence the iterations by m/2 at least.
fn spares(gpu: &Gpu, matrix: &Csr, b: &[f64], what: &str) -> Result<()> {
    let a = banded(gpu, matrix)?;
    let settings = Settings { tolerance: 1e-5, check_every: 4, ..Settings::default() };
    let mut watch = |_: &_| ControlFlow::Continue(());
    let plain = solve_with(&a, b, None, &settings, &mut watch)?;
    for terms in [4, 8, 12] {
        check_preconditioner(&Polynomial::new(&a, matrix.norm_inf(), terms)?, &a)?;
        let found = solved(&a, b, &settings, matrix.norm_inf(), terms)?;
        holds(matrix, b, settings.tolerance, &found, what);
        let (with, without) = (found.report.iterations, plain.report.iterations);
        println!("{what}: {with} iterations with {terms} terms, {without} without");
        assert!(2 * with <= 4 * without / terms + 4, "{what}: {with} with {terms} terms, {without} without");
    }
    Ok(())
}

#[test]
fn a_polynomial_of_m_terms_spares_iterations() -> Result<()> {
    on_gpu(|gpu| {
        let poisson = Csr::poisson(53, 41)?;
        let x: Vec<f64> = numbers(53 * 41, 5).iter().map(|x| x.abs()).collect();
        spares(gpu, &poisson, &poisson.multiply(&x), "Poisson")?;
        let uneven = matrices::positive_definite(400, 3, 1)?;
        check_preconditioner(
            &Polynomial::new(&banded(gpu, &uneven)?, uneven.norm_inf(), 8)?,
            &banded(gpu, &uneven)?,
        )
    })
}

/// A tolerance beyond 32 bits, by restarts; another b; a bound that is no bound is seen for what it is.
#[test]
fn it_refines_and_a_false_bound_is_not_positive() -> Result<()> {
    on_gpu(|gpu| {
        let matrix = Csr::poisson(31, 57)?;
        let a = banded(gpu, &matrix)?;
        let settings = Settings { tolerance: 1e-11, ..Settings::default() };
        let found = solved(&a, &vec![1.0; 31 * 57], &settings, 8.0, 12)?;
        holds(&matrix, &vec![1.0; 31 * 57], 1e-11, &found, "Poisson to 1e-11");
        let false_bound = refusal(check_preconditioner(&Polynomial::new(&a, 4.0, 4)?, &a));
        assert!(false_bound.contains("a positive definite M"), "{false_bound}");
        assert_eq!(refusal(Polynomial::new(&a, 8.0, 1)), "terms of a polynomial = 1: expected 2 or more");
        for high in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let said = refusal(Polynomial::new(&a, high, 8));
            assert!(
                said.starts_with("bound of the eigenvalues") && said.ends_with("a number above 0"),
                "{said}"
            );
        }
        let algebra = Algebra::new(gpu);
        let mut other = algebra.zeros(Packed2x2::folded(5)?)?;
        let r = algebra.zeros(Packed2x2::folded(5)?)?;
        assert!(Polynomial::new(&a, 8.0, 2)?.precondition(&r, &mut other).is_err(), "another layout");
        Ok(())
    })
}
