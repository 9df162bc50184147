//! BiCGSTAB and preconditioned conjugate gradients beside the same iterations in f64.

use super::support::on_gpu;
use super::{banded, holds, numbers};
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, Gather, LinearOperator, Points};
use quadrille::numeric::{Csr, Random};
use quadrille::solve::{Method, Pcg, Preconditioning, Settings, solve, solve_by};
use quadrille::{Gpu, Result};
use quadrille_oracle as oracle;
use quadrille_oracle::matrices;
use std::ops::ControlFlow;

const TOLERANCE: f64 = 1e-5;

/// BiCGSTAB is erratic: two roundings of the same iteration need not take the same way. Half as many again, and a
/// start more, is what is asked of it here; an iteration goes on until it is looked at, at most twice `check_every`.
fn bicgstab_as_in_f64(gpu: &Gpu, matrix: &Csr, what: &str) -> Result<()> {
    let b = numbers(matrix.rows(), 21);
    let a = banded(gpu, matrix)?;
    for preconditioner in [Preconditioning::None, Preconditioning::Jacobi] {
        let oracle = match preconditioner {
            Preconditioning::None => oracle::bicgstab(matrix, &b, None, TOLERANCE, 2000),
            Preconditioning::Jacobi => oracle::jacobi_bicgstab(matrix, &b, None, TOLERANCE, 2000),
        };
        let settings = Settings {
            method: Method::BiCgStab,
            preconditioner,
            tolerance: TOLERANCE,
            check_every: 4,
            ..Settings::default()
        };
        let solution = solve(&a, &b, None, &settings)?;
        let what = format!("{what}, {preconditioner:?}");
        let found = solution.report.iterations;
        println!("{what}: {found} beside {} in f64", oracle.iterations);
        holds(matrix, &b, TOLERANCE, &solution, &what);
        let most = 1.5 * oracle.iterations as f64 + 10.0 + 8.0 * (1 + solution.report.refinements) as f64;
        assert!(found as f64 <= most, "{what}: {found}, {most} allowed");
    }
    Ok(())
}

#[test]
fn bicgstab_solves_convection_and_diffusion() -> Result<()> {
    on_gpu(|gpu| {
        for (width, height, wind) in [(9, 9, [0.0, 0.0]), (31, 17, [0.5, -0.25]), (24, 40, [3.0, 1.0])] {
            let matrix = matrices::convection_diffusion(width, height, wind)?;
            bicgstab_as_in_f64(gpu, &matrix, &format!("wind {wind:?}"))?;
        }
        Ok(())
    })
}

/// Rows at random, and on the diagonal as much as makes each dominated by it, signs alternating.
fn unsymmetric(n: usize, seed: u64) -> Result<Csr> {
    let off = matrices::random(n, n, 1, 5, seed)?;
    let diagonal = (0..n).map(|i| {
        let sum: f64 = off.row(i).map(|(_, value)| value.abs()).sum();
        let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
        (i, i, sign * (1.0 + sum.ceil()) - off.entry(i, i))
    });
    Csr::from_triplets(n, n, off.triplets().chain(diagonal))
}

#[test]
fn bicgstab_solves_random_unsymmetric_matrices() -> Result<()> {
    on_gpu(|gpu| {
        for (n, seed) in [(2, 1), (7, 2), (40, 3), (57, 4)] {
            bicgstab_as_in_f64(gpu, &unsymmetric(n, seed)?, &format!("{n} unknowns"))?;
        }
        Ok(())
    })
}

/// D S D with S symmetric and positive definite and D of powers of two from 2⁻⁸ to 2⁸: a condition of 10⁹ that the
/// diagonal takes away again.
fn badly_scaled(n: usize, seed: u64) -> Result<Csr> {
    let spd = matrices::positive_definite(n, 3, seed)?;
    let mut random = Random(seed + 1);
    let scales: Vec<f64> = (0..n).map(|_| 2f64.powi(random.below(17) as i32 - 8)).collect();
    let entries =
        spd.triplets().map(|(row, column, value)| (row, column, value * scales[row] * scales[column]));
    Csr::from_triplets(n, n, entries)
}

#[test]
fn jacobi_takes_as_many_iterations_as_in_f64_on_badly_scaled_matrices() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        for (n, seed) in [(30, 1), (101, 2), (500, 3)] {
            let matrix = badly_scaled(n, seed)?;
            let layout = Packed2x2::folded(n)?;
            let points = Points::new(&algebra, layout, layout, matrix.clone())?;
            let gather = Gather::new(&algebra, layout, layout, matrix.clone())?;
            let storages: [(&dyn LinearOperator, &str); 2] = [(&points, "points"), (&gather, "gather")];
            // b of a random x in the scale of each unknown: the residual is not one of the largest rows alone.
            let b = matrix.multiply(&numbers(n, 31));
            let oracle = oracle::jacobi_cg(&matrix, &b, None, TOLERANCE, 5000);
            for ((a, storage), fused) in storages.into_iter().flat_map(|a| [(a, true), (a, false)]) {
                let settings = Settings {
                    preconditioner: Preconditioning::Jacobi,
                    tolerance: TOLERANCE,
                    check_every: 4,
                    fused,
                    ..Settings::default()
                };
                let solution = solve(a, &b, None, &settings)?;
                let found = solution.report.iterations;
                println!("{storage}, {n} fused {fused}: {found} beside {} in f64", oracle.iterations);
                holds(&matrix, &b, TOLERANCE, &solution, &format!("{n}"));
                let late = if fused { 0.0 } else { 8.0 };
                let most = 1.05 * oracle.iterations as f64 + 2.0 + late;
                assert!(
                    found as f64 <= most,
                    "{storage}, {n} fused {fused}: {found} iterations, {most} allowed"
                );
            }
        }
        Ok(())
    })
}

#[test]
fn bicgstab_reaches_below_32_bits_by_refinement() -> Result<()> {
    on_gpu(|gpu| {
        let matrix = matrices::convection_diffusion(20, 20, [1.0, 0.5])?;
        let b = numbers(400, 41);
        for check_every in [1, 16, 100] {
            let settings =
                Settings { method: Method::BiCgStab, tolerance: 1e-11, check_every, ..Settings::default() };
            let solution = solve(&banded(gpu, &matrix)?, &b, None, &settings)?;
            holds(&matrix, &b, 1e-11, &solution, &format!("looking every {check_every}"));
        }
        Ok(())
    })
}

/// An iteration made beforehand is refined as those that settings name are, far below what 32 bits reach, and says how
/// far it is.
#[test]
fn an_iteration_of_ones_own_is_refined_like_any() -> Result<()> {
    on_gpu(|gpu| {
        let matrix = Csr::poisson(31, 17)?;
        let b = numbers(matrix.rows(), 23);
        let a = banded(gpu, &matrix)?;
        let algebra = Algebra::new(gpu);
        let inverse: Vec<f32> = matrix.diagonal().iter().map(|d| (1.0 / d) as f32).collect();
        let method = Pcg::new(&algebra, a.rows(), algebra.vector(a.rows(), &inverse)?)?;
        // The method in the settings does not count, not even one that would not fit.
        let settings = Settings {
            method: Method::Cgls,
            preconditioner: Preconditioning::Jacobi,
            tolerance: 1e-11,
            ..Settings::default()
        };
        let mut told = 0;
        let mut progress = |_: &_| {
            told += 1;
            ControlFlow::Continue(())
        };
        let solution = solve_by(Box::new(method), &a, &b, None, &settings, &mut progress)?;
        holds(&matrix, &b, 1e-11, &solution, "Pcg");
        assert!(solution.report.refinements > 0 && told > 0);
        assert_eq!(solution.report.normal_residual, None);
        Ok(())
    })
}
