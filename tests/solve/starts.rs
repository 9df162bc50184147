//! Easy systems, good guesses, and every storage.

use super::support::on_gpu;
use super::{banded, holds, norm, numbers};
use quadrille::Result;
use quadrille::layout::Packed2x2;
use quadrille::linalg::{
    Algebra, Banded, BoundaryCondition, Dense, Diagonal, LinearOperator, Points, Stencil, Sum,
};
use quadrille::numeric::Csr;
use quadrille::solve::{Method, Preconditioning, Settings, solve};
use quadrille_oracle::{direct_solve, matrices};

const METHODS: [Method; 3] = [Method::Cg, Method::BiCgStab, Method::Cgls];

/// Each method, conjugate gradients both ways, with a preconditioner where there may be one.
fn all_settings(tolerance: f64) -> Vec<Settings> {
    let mut all = Vec::new();
    for method in METHODS {
        for preconditioner in [Preconditioning::None, Preconditioning::Jacobi] {
            for fused in [true, false] {
                let possible = method != Method::Cgls || preconditioner == Preconditioning::None;
                if possible && (fused || method == Method::Cg) {
                    let check_every = 4;
                    let settings = Settings {
                        method,
                        preconditioner,
                        fused,
                        tolerance,
                        check_every,
                        ..Settings::default()
                    };
                    all.push(settings);
                }
            }
        }
    }
    all
}

#[test]
fn a_right_side_of_zero_is_answered_by_zero() -> Result<()> {
    on_gpu(|gpu| {
        let a = banded(gpu, &Csr::poisson(5, 7)?)?;
        for settings in all_settings(1e-6) {
            let solution = solve(&a, &[0.0; 35], None, &settings)?;
            assert!(solution.report.converged() && solution.x == [0.0; 35], "{settings:?}");
            assert_eq!((solution.report.iterations, solution.report.relative_residual), (0, 0.0));
            // From elsewhere it comes there, to the tolerance as it stands.
            let guess = numbers(35, 1);
            let solution = solve(&a, &[0.0; 35], Some(&guess), &settings)?;
            assert!(solution.report.converged(), "{settings:?}: {:?}", solution.report);
            let truth = norm(&Csr::poisson(5, 7)?.multiply(&solution.x));
            let aside = settings.method == Method::Cgls; // whose ‖Aᵀr‖ it is that is small
            assert!(aside || truth <= 1e-6, "{settings:?}: {truth:e}");
        }
        Ok(())
    })
}

#[test]
fn a_guess_that_is_the_solution_takes_no_iteration() -> Result<()> {
    on_gpu(|gpu| {
        let matrix = Csr::poisson(13, 9)?;
        let a = banded(gpu, &matrix)?;
        let b = numbers(117, 2);
        let exact = direct_solve(&matrix, &b)?;
        for settings in all_settings(1e-10) {
            let passes = gpu.counters().passes;
            let solution = solve(&a, &b, Some(&exact), &settings)?;
            assert!(solution.report.converged() && solution.x == exact, "{settings:?}");
            assert_eq!((solution.report.iterations, solution.report.history.len()), (0, 1));
            assert!(gpu.counters().passes <= passes + 2, "{settings:?}: the CPU knew");
        }
        Ok(())
    })
}

#[test]
fn a_good_guess_takes_fewer_iterations() -> Result<()> {
    on_gpu(|gpu| {
        let matrix = Csr::poisson(40, 40)?;
        let a = banded(gpu, &matrix)?;
        let b = numbers(1600, 3);
        let exact = direct_solve(&matrix, &b)?;
        let near: Vec<f64> = exact.iter().zip(numbers(1600, 4)).map(|(x, noise)| x + 1e-4 * noise).collect();
        for settings in all_settings(1e-6) {
            let (cold, warm) = (solve(&a, &b, None, &settings)?, solve(&a, &b, Some(&near), &settings)?);
            assert!(warm.report.converged(), "{settings:?}: {:?}", warm.report);
            if settings.method != Method::Cgls {
                holds(&matrix, &b, 1e-6, &warm, &format!("{settings:?}"));
            }
            let (cold, warm) = (cold.report, warm.report);
            assert!(
                warm.iterations < cold.iterations,
                "{settings:?}: {} and {}",
                warm.iterations,
                cold.iterations
            );
            assert!(warm.history[0] < 1e-2, "{:?}", warm.history[0]);
        }
        Ok(())
    })
}

#[test]
fn the_smallest_and_the_simplest_systems_are_solved() -> Result<()> {
    on_gpu(|gpu| {
        let diagonal = |n: usize, value: fn(usize) -> f64| {
            Csr::from_triplets(n, n, (0..n).map(move |i| (i, i, value(i))))
        };
        let cases = [
            ("one", diagonal(1, |_| 3.0)?),
            ("identity", diagonal(37, |_| 1.0)?),
            ("identity scaled", diagonal(6, |_| 0.375)?),
            ("diagonal", diagonal(50, |i| 1.0 + i as f64)?),
            ("two", Csr::from_triplets(2, 2, [(0, 0, 2.0), (0, 1, 1.0), (1, 0, 1.0), (1, 1, 2.0)])?),
        ];
        for (name, matrix) in cases {
            let a = banded(gpu, &matrix)?;
            let b = numbers(matrix.rows(), 5);
            for settings in all_settings(1e-7) {
                let what = format!("{name}, {settings:?}");
                let solution = solve(&a, &b, None, &settings)?;
                let truth = super::true_residual(&matrix, &b, &solution.x);
                assert!(solution.report.converged(), "{what}: {:?}", solution.report);
                assert!(settings.method == Method::Cgls || truth <= 1e-7, "{what}: {truth:e}");
            }
        }
        // The identity in its own storage, with room that is not used in the last texel.
        let algebra = Algebra::new(gpu);
        let a = Diagonal::new(&algebra, Packed2x2::folded(5)?, &[1.0; 5])?;
        let solution = solve(&a, &[1.0, 2.0, 3.0, 4.0, 5.0], None, &Settings::default())?;
        // α is one quotient, of which GLSL promises 2.5 ULP.
        for (found, exact) in solution.x.iter().zip([1.0, 2.0, 3.0, 4.0, 5.0]) {
            assert!((found - exact).abs() <= 8.0 * 2f64.powi(-24) * exact, "{:?}", solution.x);
        }
        assert_eq!(solution.report.iterations, 1);
        Ok(())
    })
}

/// Conjugate gradients on bands with a few points beside them: two storages are one matrix.
#[test]
fn a_sum_of_bands_and_points_is_solved() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let layout = Packed2x2::grid(20, 20)?;
        let grid = Csr::poisson(20, 20)?;
        // Five springs between far cells.
        let springs = (0..5).flat_map(|i| {
            let (from, to) = (3 + 7 * i, 390 - 11 * i);
            [(from, from, 2.0), (to, to, 2.0), (from, to, -2.0), (to, from, -2.0)]
        });
        let springs = Csr::from_triplets(400, 400, springs.collect::<Vec<_>>())?;
        let both = Csr::from_triplets(400, 400, grid.triplets().chain(springs.triplets()))?;
        let sum =
            Sum::new(Banded::new(&algebra, layout, grid)?, Points::new(&algebra, layout, layout, springs)?)?;
        let b = numbers(400, 6);
        for settings in all_settings(1e-9) {
            let solution = solve(&sum, &b, None, &settings)?;
            if settings.method != Method::Cgls {
                holds(&both, &b, 1e-9, &solution, &format!("{settings:?}"));
            }
            assert!(solution.report.converged(), "{settings:?}");
        }
        Ok(())
    })
}

/// ‖A⁻¹‖ of the five-point matrix on 12 x 10 cells is at most 1/(8 sin²(π/26)) < 9: x is known to 9 ‖r‖.
#[test]
fn every_storage_gives_the_same_solution() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let (layout, folded) = (Packed2x2::grid(12, 10)?, Packed2x2::folded(120)?);
        let matrix = Csr::poisson(12, 10)?;
        let five = [((0, 0), 4.0), ((1, 0), -1.0), ((-1, 0), -1.0), ((0, 1), -1.0), ((0, -1), -1.0)];
        let storages: Vec<(&str, Box<dyn LinearOperator>)> = vec![
            ("grid", Box::new(Banded::new(&algebra, layout, matrix.clone())?)),
            ("folded", Box::new(Banded::new(&algebra, folded, matrix.clone())?)),
            ("stencil", Box::new(Stencil::new(&algebra, layout, BoundaryCondition::Dirichlet, &five)?)),
            ("dense", Box::new(Dense::from_csr(&algebra, folded, folded, &matrix)?)),
            ("points", Box::new(Points::new(&algebra, folded, folded, matrix.clone())?)),
        ];
        let b = numbers(120, 7);
        let exact = direct_solve(&matrix, &b)?;
        let tolerance = 1e-9;
        for (name, a) in &storages {
            for settings in all_settings(tolerance) {
                let solution = solve(&**a, &b, None, &settings)?;
                assert!(solution.report.converged(), "{name}, {settings:?}: {:?}", solution.report);
                // Least squares are sure of Aᵀr, a factor of ‖A‖‖A⁻¹‖ < 72 further from x.
                let least = if settings.method == Method::Cgls { 72.0 } else { 1.0 };
                let error = norm(&exact.iter().zip(&solution.x).map(|(x, y)| x - y).collect::<Vec<_>>());
                assert!(error <= least * 9.0 * tolerance * norm(&b), "{name}, {settings:?}: {error:e}");
            }
        }
        let wide = matrices::positive_definite(40, 4, 9)?;
        let (above, beside) = (Packed2x2::folded(40)?, Packed2x2::folded(40)?);
        let points = Points::new(&algebra, above, beside, wide.clone())?;
        let b = numbers(40, 8);
        holds(&wide, &b, 1e-6, &solve(&points, &b, None, &Settings::default())?, "points");
        Ok(())
    })
}
