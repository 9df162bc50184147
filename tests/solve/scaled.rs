//! D A D with D over thirty powers of ten: as definite as A.

use std::ops::ControlFlow;

use super::support::on_gpu;
use super::{EVERY, norm, numbers, true_residual};
use quadrille::Result;
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, Banded, LinearOperator, NinePoint};
use quadrille::numeric::{Csr, Random};
use quadrille::solve::{
    Cycle, Method, Missing, Multigrid, Pcg, Preconditioning, Reason, Scaled, Scales, Settings, solve,
    solve_scaled,
};
use quadrille_oracle::matrices;

/// 10 to the power of a number between −decades and decades, each rounded to 32 bits.
fn factors(n: usize, decades: f64, seed: u64) -> Vec<f64> {
    let mut random = Random(seed);
    (0..n).map(|_| f64::from(10f64.powf(decades * f64::from(random.signed())) as f32)).collect()
}

/// D A D.
fn stretched(matrix: &Csr, d: &[f64]) -> Result<Csr> {
    let entries = matrix.triplets().map(|(row, column, value)| (row, column, d[row] * value * d[column]));
    Csr::from_triplets(matrix.rows(), matrix.columns(), entries)
}

/// ‖D⁻¹(b − A x)‖ / ‖D⁻¹b‖: what is left of every row, not of the largest alone.
fn row_by_row(a: &Csr, d: &[f64], b: &[f64], x: &[f64]) -> f64 {
    let r: Vec<f64> = b.iter().zip(a.multiply(x)).zip(d).map(|((b, p), d)| (b - p) / d).collect();
    norm(&r) / norm(&b.iter().zip(d).map(|(b, d)| b / d).collect::<Vec<_>>())
}

/// 32 bits hold D P D as it is, but no squares of it, and no sign of p·A p.
#[test]
fn rows_and_columns_over_thirty_decades_are_solved() -> Result<()> {
    on_gpu(|gpu| {
        for (seed, decades) in [(1, 15.0), (2, 15.0), (3, 8.0)] {
            let (grid, d) = (Csr::poisson(19, 17)?, factors(19 * 17, decades, seed));
            let matrix = stretched(&grid, &d)?;
            let a = Banded::new(&Algebra::new(gpu), Packed2x2::grid(19, 17)?, matrix.clone())?;
            let of_rows: Vec<f64> = numbers(d.len(), seed).iter().zip(&d).map(|(b, d)| b * d).collect();
            for b in [matrix.multiply(&vec![1.0; d.len()]), of_rows] {
                for (method, fused, preconditioner) in EVERY {
                    if method == Method::Cgls {
                        continue;
                    }
                    let settings = Settings { method, fused, preconditioner, ..Settings::default() };
                    let solution = solve(&a, &b, None, &settings)?;
                    let (truth, rows) =
                        (true_residual(&matrix, &b, &solution.x), row_by_row(&matrix, &d, &b, &solution.x));
                    let what = format!("{decades} decades, {settings:?}: {:?}", solution.report.reason);
                    println!(
                        "{decades} {method:?} {fused} {preconditioner:?}: {}, {truth:e}, {rows:e}",
                        solution.report.iterations
                    );
                    assert!(solution.report.converged() && truth <= 1e-6, "{what}, {truth:e}");
                    // S is D⁻¹ but for a factor between √½ and √2, so the two residuals differ by 2 at most.
                    let scaled = decades > 8.0 || preconditioner == Preconditioning::None;
                    assert!(!scaled || rows <= 2e-6, "{what}, row by row {rows:e}");
                    assert!(solution.report.iterations <= 300, "{what}, {}", solution.report.iterations);
                }
            }
        }
        Ok(())
    })
}

/// The norm that is asked for and the one that iterations make small are two here. A correction that stops as soon as the latter is small
/// enough leaves too much of the former: another one follows, and that is no stall.
#[test]
fn a_correction_that_was_asked_for_little_is_no_stall() -> Result<()> {
    on_gpu(|gpu| {
        let grid = Csr::poisson(19, 17)?;
        let settings = Settings { method: Method::Cg, check_every: 1, ..Settings::default() };
        for seed in 1..=60 {
            let d = factors(19 * 17, 15.0, seed);
            let matrix = stretched(&grid, &d)?;
            let a = Banded::new(&Algebra::new(gpu), Packed2x2::grid(19, 17)?, matrix.clone())?;
            let b: Vec<f64> = numbers(d.len(), seed).iter().zip(&d).map(|(b, d)| b * d).collect();
            let nearly = solve(&a, &b, None, &Settings { tolerance: 1e-4, ..settings.clone() })?;
            let tolerance = 0.97 * true_residual(&matrix, &b, &nearly.x);
            let solution = solve(&a, &b, Some(&nearly.x), &Settings { tolerance, ..settings.clone() })?;
            let truth = true_residual(&matrix, &b, &solution.x);
            let reason = solution.report.reason;
            assert!(
                solution.report.converged() && truth <= tolerance,
                "{seed}: {reason}, {truth:e} for {tolerance:e}"
            );
        }
        Ok(())
    })
}

/// A stretched matrix that is not definite is told so, whatever its scale.
#[test]
fn scaling_hides_no_indefinite_matrix() -> Result<()> {
    on_gpu(|gpu| {
        let diagonal = (0..144).map(|i| (i, i, -4.5));
        let shifted = Csr::from_triplets(144, 144, Csr::poisson(12, 12)?.triplets().chain(diagonal))?;
        let d = factors(144, 12.0, 4);
        let matrix = stretched(&shifted, &d)?;
        let a = Banded::new(&Algebra::new(gpu), Packed2x2::grid(12, 12)?, matrix.clone())?;
        let b: Vec<f64> = numbers(144, 4).iter().zip(&d).map(|(b, d)| b * d).collect();
        for fused in [true, false] {
            let report = solve(&a, &b, None, &Settings { fused, ..Settings::default() })?.report;
            assert_eq!(report.reason, Reason::Indefinite, "fused {fused}");
            assert!(report.relative_residual <= 1.0, "{report:?}");
        }
        Ok(())
    })
}

/// Multigrid interpolates smooth functions: without S there are none of D P D.
#[test]
fn multigrid_takes_stretched_grids_in_fewer_iterations_than_a_diagonal() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, layout) = (Algebra::new(gpu), Packed2x2::grid(33, 29)?);
        let d = factors(layout.len(), 8.0, 5);
        let matrix = stretched(&Csr::poisson(33, 29)?, &d)?;
        let b = matrix.multiply(&vec![1.0; d.len()]);
        let settings = Settings { check_every: 1, ..Settings::default() };
        let jacobi = Settings { preconditioner: Preconditioning::Jacobi, ..settings.clone() };
        let by_diagonal = solve(&Banded::new(&algebra, layout, matrix.clone())?, &b, None, &jacobi)?.report;
        let scales = Scales::of_grid(&matrix);
        assert!(scales.is_some(), "not scaled");
        let Some(scales) = scales else { return Ok(()) };
        let a = NinePoint::from_csr(&algebra, layout, [false; 2], &scales.matrix(&matrix)?)?;
        let method = Pcg::new(&algebra, layout, Multigrid::new(&a, Missing::Fixed, Cycle::default())?)?;
        let scaled = Scaled { a: &matrix, scales: &scales, stored: &a };
        let go_on = &mut |_: &_| ControlFlow::Continue(());
        let solution = solve_scaled(scaled, Some(Box::new(method)), &b, None, &settings, go_on)?;
        let (found, beside) = (solution.report.iterations, by_diagonal.iterations);
        println!("{found} beside {beside}");
        assert!(solution.report.converged() && true_residual(&matrix, &b, &solution.x) <= 1e-6);
        assert!(by_diagonal.converged() && 2 * found <= beside, "{found} beside {beside}");
        Ok(())
    })
}

#[test]
fn what_cannot_be_scaled_is_refused() -> Result<()> {
    on_gpu(|gpu| {
        let matrix = stretched(&matrices::positive_definite(30, 3, 1)?, &factors(30, 9.0, 6))?;
        let scales = Scales::of(&matrix.diagonal(), Preconditioning::None);
        assert!(scales.is_some(), "not scaled");
        let Some(scales) = scales else { return Ok(()) };
        let a = Banded::new(&Algebra::new(gpu), Packed2x2::folded(30)?, scales.matrix(&matrix)?)?;
        let scaled = Scaled { a: &matrix, scales: &scales, stored: &a };
        let settings = Settings { method: Method::Cgls, ..Settings::default() };
        let refused =
            solve_scaled(scaled, None, &[1.0; 30], None, &settings, &mut |_| ControlFlow::Continue(()));
        let line = super::support::refusal(refused);
        assert_eq!(line, "method = cgls: expected one for square matrices, where rows are scaled");
        assert_eq!(a.rows().len(), 30);
        Ok(())
    })
}
