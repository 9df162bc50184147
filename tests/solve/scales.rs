//! Numbers far from 1: an answer, or a reason with a name.

use super::support::{on_gpu, refusal};
use super::{EVERY, banded, norm, numbers};
use quadrille::Result;
use quadrille::linalg::{Algebra, Packed2x2};
use quadrille::numeric::Csr;
use quadrille::solve::{BiCgStab, Bounds, Cg, Cgls, FusedCg, Iteration, Method, Preconditioning, iterate};
use quadrille::solve::{Reason, Settings, Solution, solve};
use quadrille_oracle::matrices;

/// `iterate` takes b as it is: what a b·b of infinity is compared with is not taken for small.
#[test]
fn a_right_side_whose_square_is_infinite_is_not_taken_for_solved() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, layout) = (Algebra::new(gpu), Packed2x2::folded(72)?);
        let a = banded(gpu, &Csr::poisson(9, 8)?)?;
        let b = algebra.vector(layout, &[1e20; 72])?;
        let bounds = Bounds { tolerance: 1e-4, max_iterations: 30, check_every: 5 };
        let methods: [Box<dyn Iteration>; 4] = [
            Box::new(FusedCg::new(&algebra, layout, None)?),
            Box::new(Cg::new(&algebra, layout, None)?),
            Box::new(BiCgStab::new(&algebra, layout, None)?),
            Box::new(Cgls::new(&a)?),
        ];
        for mut method in methods {
            let mut x = algebra.zeros(layout)?;
            let outcome = iterate(&mut *method, &a, &b, &mut x, bounds, &mut |_, _| true)?;
            assert_eq!(outcome.reason, Reason::NotFinite);
        }
        Ok(())
    })
}

fn scaled(matrix: &Csr, scale: f64) -> Result<Csr> {
    Csr::from_triplets(matrix.rows(), matrix.columns(), matrix.triplets().map(|(i, j, v)| (i, j, v * scale)))
}

/// ‖b − A x‖ / ‖b‖, with b brought to about 1 first.
fn residual(a: &Csr, b: &[f64], x: &[f64], scale: f64) -> f64 {
    let r: Vec<f64> = b.iter().zip(a.multiply(x)).map(|(b, p)| (b - p) / scale).collect();
    norm(&r) / norm(&b.iter().map(|b| b / scale).collect::<Vec<_>>())
}

fn honest(a: &Csr, b: &[f64], scale: f64, solution: &Solution, what: &str) {
    let report = &solution.report;
    println!("{what}: {} after {}, {:e}", report.reason, report.iterations, report.relative_residual);
    assert!(solution.x.iter().all(|x| x.is_finite()), "{what}: {report:?}");
    assert!(report.iterations < 3000, "{what}: {report:?}");
    if report.converged() {
        let truth = residual(a, b, &solution.x, scale);
        let normal = report.normal_residual.is_some();
        assert!(truth <= 1e-6 || normal, "{what}: {truth:e}, {report:?}");
        assert!(report.relative_residual.is_finite(), "{what}");
        assert!(
            (report.relative_residual - truth).abs() <= 1e-3 * truth + 1e-12,
            "{what}: {truth:e} {report:?}"
        );
    }
}

/// The right side is scaled to what 32 bits hold before it goes to the GPU: no scale of f64 is too large or small.
#[test]
fn right_sides_of_any_size_are_solved_for() -> Result<()> {
    on_gpu(|gpu| {
        let matrix = Csr::poisson(9, 8)?;
        let a = banded(gpu, &matrix)?;
        for scale in [1e-300, 1e-200, 1e-60, 1e-30, 1e30, 1e60, 1e200, 1e300] {
            let b: Vec<f64> = numbers(72, 1).iter().map(|b| b * scale).collect();
            for (method, fused, preconditioner) in EVERY {
                let settings = Settings { method, fused, preconditioner, ..Settings::default() };
                let solution = solve(&a, &b, None, &settings)?;
                let what = format!("b of {scale:e}, {settings:?}");
                honest(&matrix, &b, scale, &solution, &what);
                assert!(solution.report.converged(), "{what}: {:?}", solution.report);
            }
        }
        Ok(())
    })
}

#[test]
fn right_sides_at_the_ends_of_f64_are_not_taken_for_solved() -> Result<()> {
    on_gpu(|gpu| {
        let matrix = Csr::poisson(9, 8)?;
        let a = banded(gpu, &matrix)?;
        let line = refusal(solve(&a, &[f64::MAX; 72], None, &Settings::default()));
        assert_eq!(line, "right-hand side = a norm above 1.8e308: expected one that an f64 holds");
        for size in [5e-324, 1e-320, 1e-310, 1e307] {
            for (method, fused, preconditioner) in EVERY {
                let settings = Settings { method, fused, preconditioner, ..Settings::default() };
                let solution = solve(&a, &[size; 72], None, &settings)?;
                let report = &solution.report;
                println!("{size:e}, {method:?}: {} at {:e}", report.reason, report.relative_residual);
                let zero = solution.x.iter().all(|&x| x == 0.0);
                assert!(!(report.converged() && zero), "{size:e}, {settings:?}: {report:?}");
                assert!(!report.converged() || report.relative_residual <= 1.0, "{settings:?}: {report:?}");
            }
        }
        Ok(())
    })
}

/// Matrices that 32 bits hold, and whose squares they hold too: as good as any.
#[test]
fn matrices_of_moderate_sizes_are_solved() -> Result<()> {
    on_gpu(|gpu| {
        for scale in [1e-12, 1e-6, 1e6, 1e12] {
            let matrix = scaled(&Csr::poisson(9, 8)?, scale)?;
            let a = banded(gpu, &matrix)?;
            let b = numbers(72, 2);
            for (method, fused, preconditioner) in EVERY {
                let settings = Settings { method, fused, preconditioner, ..Settings::default() };
                let solution = solve(&a, &b, None, &settings)?;
                let what = format!("A of {scale:e}, {settings:?}");
                honest(&matrix, &b, 1.0, &solution, &what);
                assert!(solution.report.converged(), "{what}: {:?}", solution.report);
            }
        }
        Ok(())
    })
}

#[test]
fn matrices_at_the_ends_of_32_bits_are_solved_or_named() -> Result<()> {
    on_gpu(|gpu| {
        // Not beyond 1e±150: Aᵀb of least squares must be a number in f64.
        for scale in [1e-150, 1e-60, 1e-44, 1e-30, 1e30, 1e38, 1e60, 1e150] {
            for (kind, matrix) in
                [("spd", Csr::poisson(9, 8)?), ("windy", matrices::convection_diffusion(9, 8, [0.5, 1.0])?)]
            {
                let matrix = scaled(&matrix, scale)?;
                let a = banded(gpu, &matrix)?;
                for size in [1.0, scale] {
                    let b: Vec<f64> = numbers(72, 3).iter().map(|b| b * size).collect();
                    for (method, fused, preconditioner) in EVERY {
                        let settings = Settings { method, fused, preconditioner, ..Settings::default() };
                        let solution = solve(&a, &b, None, &settings)?;
                        honest(
                            &matrix,
                            &b,
                            size,
                            &solution,
                            &format!("{kind} A of {scale:e}, b of {size:e}, {settings:?}"),
                        );
                        assert_ne!(solution.report.reason, Reason::MaxIterations);
                    }
                }
            }
        }
        Ok(())
    })
}

/// S of an entry of 2⁻³⁰⁰ is 2¹⁵⁰, which is no number of 32 bits: the rest is solved without it.
#[test]
fn scales_that_32_bits_do_not_hold_are_not_used() -> Result<()> {
    on_gpu(|gpu| {
        let small = 2f64.powi(-300);
        let entries = (0..30).flat_map(|i| [(i, i, 4.0), (i, (i + 1) % 30, 1.0), ((i + 1) % 30, i, 1.0)]);
        let matrix = Csr::from_triplets(31, 31, entries.chain([(30, 30, small)]).collect::<Vec<_>>())?;
        let mut b = numbers(31, 3);
        b[30] = 0.0;
        let a = banded(gpu, &matrix)?;
        for (method, fused, preconditioner) in EVERY {
            if method == Method::Cgls || preconditioner == Preconditioning::Jacobi {
                continue;
            }
            let solution =
                solve(&a, &b, None, &Settings { method, fused, preconditioner, ..Settings::default() })?;
            let truth = residual(&matrix, &b, &solution.x, 1.0);
            assert!(
                solution.report.converged() && truth <= 1e-6,
                "{method:?}: {truth:e}, {:?}",
                solution.report
            );
        }
        Ok(())
    })
}

/// Rows that are well told apart but for one tiny entry on the diagonal of a matrix that is not definite: the diagonal says
/// nothing of the size of that row, and S would make its other entries a million.
#[test]
fn a_tiny_entry_on_an_indefinite_diagonal_is_not_scaled_by() -> Result<()> {
    on_gpu(|gpu| {
        for tiny in [1e-12, -1e-20, 1e-30] {
            let n = 120;
            let diagonal = |i: usize| match i {
                60 => tiny,
                _ if i.is_multiple_of(3) => -4.0,
                _ => 5.0,
            };
            let entries = (0..n).map(|i| (i, i, diagonal(i)));
            let sides = (1..n).flat_map(|i| [(i, i - 1, 1.0), (i - 1, i, -0.5)]);
            let matrix = Csr::from_triplets(n, n, entries.chain(sides).collect::<Vec<_>>())?;
            let (a, b) = (banded(gpu, &matrix)?, numbers(n, 9));
            let settings = Settings { method: Method::BiCgStab, ..Settings::default() };
            let solution = solve(&a, &b, None, &settings)?;
            let truth = residual(&matrix, &b, &solution.x, 1.0);
            println!("{tiny:e}: {} after {}, {truth:e}", solution.report.reason, solution.report.iterations);
            assert!(
                solution.report.converged() && truth <= 1e-6,
                "{tiny:e}: {truth:e}, {:?}",
                solution.report.reason
            );
            assert!(solution.report.iterations <= 60, "{tiny:e}: {}", solution.report.iterations);
        }
        Ok(())
    })
}
