//! Refusals of solvers, in a line for a person who has not read their code.

use std::ops::ControlFlow;

use super::support::{on_gpu, refusal};
use super::{banded, numbers};
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, Banded, Dense, LinearOperator, Op, Vector};
use quadrille::numeric::Csr;
use quadrille::solve::{
    Bounds, Cg, FusedCg, Iteration, Method, Preconditioning, Reason, Settings, iterate, solve, solve_with,
};
use quadrille::{Error, Gpu, Result};

#[test]
fn numbers_that_are_none_are_named_with_their_place() -> Result<()> {
    on_gpu(|gpu| {
        let a = banded(gpu, &Csr::poisson(3, 3)?)?;
        let with = |bad: f64| {
            let mut values = [1.0; 9];
            values[7] = bad;
            values
        };
        for method in [Method::Cg, Method::BiCgStab, Method::Cgls] {
            let settings = Settings { method, ..Settings::default() };
            for (bad, word) in [(f64::NAN, "NaN"), (f64::INFINITY, "inf"), (f64::NEG_INFINITY, "-inf")] {
                let line = refusal(solve(&a, &with(bad), None, &settings));
                assert_eq!(line, format!("right-hand side = {word} at element 7: expected finite numbers"));
                let line = refusal(solve(&a, &[1.0; 9], Some(&with(bad)), &settings));
                assert_eq!(line, format!("guess = {word} at element 7: expected finite numbers"));
            }
        }
        Ok(())
    })
}

#[test]
fn lengths_and_shapes_that_do_not_fit_are_named() -> Result<()> {
    on_gpu(|gpu| {
        let (a, settings) = (banded(gpu, &Csr::poisson(3, 3)?)?, Settings::default());
        for n in [0, 8, 10] {
            let line = refusal(solve(&a, &vec![1.0; n], None, &settings));
            assert_eq!(line, format!("right-hand side: {n} values given, 9 expected (9 elements in 4x3)"));
            let line = refusal(solve(&a, &[1.0; 9], Some(&vec![1.0; n]), &settings));
            assert_eq!(line, format!("guess: {n} values given, 9 expected (9 elements in 4x3)"));
        }
        let algebra = Algebra::new(gpu);
        let wide = Dense::new(&algebra, Packed2x2::folded(2)?, Packed2x2::folded(3)?, &[1.0; 6])?;
        for method in [Method::Cg, Method::BiCgStab] {
            let line = refusal(solve(&wide, &[1.0; 2], None, &Settings { method, ..settings.clone() }));
            let expected = "matrix: 2 rows and 3 columns, expected as many rows as columns, or least squares";
            assert_eq!(line, expected);
        }
        // As many, but they lie otherwise.
        let askew = Dense::new(&algebra, Packed2x2::grid(2, 3)?, Packed2x2::grid(3, 2)?, &[1.0; 36])?;
        let line = refusal(solve(&askew, &[1.0; 6], None, &settings));
        assert!(line.contains("6 elements in 2x3") && line.contains("6 elements in 3x2"), "{line}");
        Ok(())
    })
}

#[test]
fn settings_that_make_no_sense_are_named() -> Result<()> {
    on_gpu(|gpu| {
        let a = banded(gpu, &Csr::poisson(3, 3)?)?;
        for (tolerance, word) in [
            (0.0, "0"),
            (-1e-6, "-0.000001"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            let line = refusal(solve(&a, &[1.0; 9], None, &Settings { tolerance, ..Settings::default() }));
            assert_eq!(line, format!("tolerance = {word}: expected a number above 0"));
        }
        let (method, preconditioner) = (Method::Cgls, Preconditioning::Jacobi);
        let line =
            refusal(solve(&a, &[1.0; 9], None, &Settings { method, preconditioner, ..Settings::default() }));
        assert_eq!(line, "preconditioner = jacobi: expected none, for least squares");
        Ok(())
    })
}

/// "As long as it takes" is a number of iterations too, and so is looking once in a lifetime.
#[test]
fn no_number_of_iterations_is_too_large_to_be_allowed() -> Result<()> {
    on_gpu(|gpu| {
        let a = banded(gpu, &Csr::poisson(12, 12)?)?;
        let b = numbers(144, 1);
        for max_iterations in [1_000_000, 20_000_000, u32::MAX as usize, usize::MAX - 1, usize::MAX] {
            for (method, fused) in
                [(Method::Cg, true), (Method::Cg, false), (Method::BiCgStab, true), (Method::Cgls, true)]
            {
                let settings = Settings { method, fused, max_iterations, ..Settings::default() };
                let before = gpu.counters().pooled_bytes;
                let report = solve(&a, &b, None, &settings)?.report;
                assert!(report.converged(), "{settings:?}: {report:?}");
                assert!(gpu.counters().pooled_bytes < before + (64 << 20), "the history takes too much");
            }
        }
        for check_every in [1, 100_000, usize::MAX] {
            let settings = Settings { check_every, max_iterations: 300, ..Settings::default() };
            assert!(solve(&a, &b, None, &settings)?.report.converged(), "looking every {check_every}");
        }
        Ok(())
    })
}

#[test]
fn a_history_that_no_texture_holds_is_refused_with_its_numbers() -> Result<()> {
    on_gpu(|gpu| {
        let a = banded(gpu, &Csr::poisson(3, 3)?)?;
        let settings = Settings { check_every: 0, max_iterations: usize::MAX, ..Settings::default() };
        let line = refusal(solve(&a, &[1.0; 9], None, &settings));
        assert!(line.contains(&format!("iterations is {}, the limit is ", usize::MAX)), "{line}");
        Ok(())
    })
}

#[test]
fn vectors_of_other_shapes_and_contexts_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let other = Gpu::headless()?;
        let a = banded(gpu, &Csr::poisson(3, 3)?)?;
        let bounds = Bounds { tolerance: 1e-3, max_iterations: 9, check_every: 4 };
        let here = |layout: Packed2x2, gpu: &Gpu| Algebra::new(gpu).zeros(layout);
        let (nine, eight) = (Packed2x2::folded(9)?, Packed2x2::folded(8)?);
        type Make = fn(&Algebra, Packed2x2) -> Result<Box<dyn Iteration>>;
        let makes: [Make; 2] =
            [|a, n| Ok(Box::new(Cg::new(a, n, None)?)), |a, n| Ok(Box::new(FusedCg::new(a, n, None)?))];
        for make in makes {
            let run = |of: &Gpu, b: (Packed2x2, &Gpu), x: (Packed2x2, &Gpu)| -> Result<Result<()>> {
                let (mut method, b, mut x) =
                    (make(&Algebra::new(of), nine)?, here(b.0, b.1)?, here(x.0, x.1)?);
                Ok(iterate(&mut *method, &a, &b, &mut x, bounds, &mut |_, _| true).map(drop))
            };
            for (of, b, x) in [
                (gpu, (eight, gpu), (nine, gpu)),
                (gpu, (nine, gpu), (eight, gpu)),
                (gpu, (nine, &other), (nine, gpu)),
                (gpu, (nine, gpu), (nine, &other)),
                (&other, (nine, gpu), (nine, gpu)),
            ] {
                let outcome = run(of, b, x)?;
                let known = matches!(outcome, Err(Error::WrongShape { .. } | Error::OtherContext { .. }));
                assert!(known, "{outcome:?}");
                assert!(!refusal(outcome).is_empty());
            }
        }
        gpu.context().check("refusals")?;
        other.context().check("refusals")
    })
}

#[test]
fn whoever_watches_may_stop_it() -> Result<()> {
    on_gpu(|gpu| {
        let matrix = Csr::poisson(40, 40)?;
        let b = numbers(1600, 2);
        for method in [Method::Cg, Method::BiCgStab, Method::Cgls] {
            // One correction: where residuals are replaced, iterations past each replacement were told and do not count.
            let settings = Settings { method, check_every: 4, tolerance: 1e-6, ..Settings::default() };
            let mut told = Vec::new();
            let solution = solve_with(&banded(gpu, &matrix)?, &b, None, &settings, &mut |progress| {
                told.push(*progress);
                if told.len() < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })?;
            let report = solution.report;
            assert_eq!((report.reason, told.len()), (Reason::Stopped, 3), "{method:?}");
            assert_eq!(report.iterations, told[2].iterations);
            assert!(told.windows(2).all(|two| two[0].iterations < two[1].iterations));
            assert!(told.iter().all(|t| t.relative_residual.is_finite() && t.refinements == 0), "{told:?}");
            // The best x so far is kept where it is better than nothing.
            assert!(report.relative_residual <= 1.0, "{report:?}");
        }
        Ok(())
    })
}

/// A matrix of the user's whose product in f64 lacks the last row.
struct Short(Banded);

impl LinearOperator for Short {
    fn algebra(&self) -> &Algebra {
        self.0.algebra()
    }

    fn rows(&self) -> Packed2x2 {
        self.0.rows()
    }

    fn columns(&self) -> Packed2x2 {
        self.0.columns()
    }

    fn apply(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        self.0.apply(op, x, out)
    }

    fn apply_transposed(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        self.0.apply_transposed(op, x, out)
    }

    fn multiply(&self, x: &[f64]) -> Vec<f64> {
        self.0.multiply(x)[1..].to_vec()
    }

    fn multiply_transposed(&self, x: &[f64]) -> Vec<f64> {
        self.0.multiply_transposed(x)
    }

    fn diagonal(&self) -> Vec<f64> {
        self.0.diagonal()
    }
}

#[test]
fn a_product_that_is_too_short_is_not_taken_for_solved() -> Result<()> {
    on_gpu(|gpu| {
        let a = Short(banded(gpu, &Csr::poisson(3, 3)?)?);
        let line = refusal(solve(&a, &[1.0; 9], None, &Settings::default()));
        assert_eq!(line, "product of a matrix in f64: 8 values given, 9 expected (9 elements in 4x3)");
        Ok(())
    })
}
