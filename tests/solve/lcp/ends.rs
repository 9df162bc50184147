//! The ends of complementarity problems without a solution, and of invalid ones.

use super::super::support::{on_gpu, refusal};
use super::{BOTH, settings, solved};
use quadrille::Result;
use quadrille::linalg::Algebra;
use quadrille::matrix::Matrix;
use quadrille::solve::{Lcp, LcpMethod, LcpSettings, Reason, lcp};
use quadrille_oracle::lcp::random_problem;

#[test]
fn what_has_no_solution_ends_with_a_reason() -> Result<()> {
    on_gpu(|gpu| {
        // x ≥ 0, x₁ − x₂ ≥ 1, x₂ − x₁ ≥ 1: nothing.
        let apart = (vec![1.0, -1.0, -1.0, 1.0], vec![-1.0, -1.0]);
        for method in BOTH {
            let few = LcpSettings { max_sweeps: 3000, ..settings(method, 1e-5) };
            let (_, report) = solved(gpu, &apart, None, &few)?;
            let known = [Reason::MaxIterations, Reason::Stalled, Reason::NotFinite];
            assert!(known.contains(&report.reason), "{method:?}: {report:?}");
            // A step that is far too long.
            let wild = LcpMethod::Jacobi { omega: Some(-1e6) };
            let (_, report) = solved(gpu, &random_problem(20, 1), None, &settings(wild, 1e-5))?;
            assert!(known.contains(&report.reason), "{report:?}");
            // A tolerance below what 32 bits reach.
            let (_, report) = solved(gpu, &random_problem(129, 1), None, &settings(method, 1e-12))?;
            assert_eq!(report.reason, Reason::Stalled, "{method:?}: {report:?}");
            assert!(report.relative_residual < 1e-5, "{method:?}: {report:?}");
            // b = 0.
            let (x, report) =
                solved(gpu, &(random_problem(9, 1).0, vec![0.0; 9]), None, &settings(method, 1e-5))?;
            assert!(report.converged() && x.iter().all(|&x| x == 0.0), "{method:?}: {report:?}");
        }
        Ok(())
    })
}

#[test]
fn what_is_no_problem_is_refused_in_one_line() -> Result<()> {
    on_gpu(|gpu| {
        let told = |a: &[f64], b: &[f64], bounds: Option<(&[f32], &[f32])>, settings: &LcpSettings| {
            refusal(solved(gpu, &(a.to_vec(), b.to_vec()), bounds, settings))
        };
        let (good, b) = ([2.0, 1.0, 1.0, 2.0], [1.0, -1.0]);
        let usual = LcpSettings::default();
        let line = told(&[2.0, f64::NAN, 1.0, 2.0], &b, None, &usual);
        assert_eq!(line, "matrix = NaN in row 0, column 1: expected finite numbers");
        let line = told(&[2.0, 1.0, 1.0, 0.0], &b, None, &usual);
        assert_eq!(line, "diagonal = 0 in row 1: expected numbers above 0");
        let line = told(&[-2.0, 1.0, 1.0, 2.0], &b, None, &usual);
        assert_eq!(line, "diagonal = -2 in row 0: expected numbers above 0");
        let line = told(&[2.0, 1.0, 1.0, 2f64.powi(127)], &b, None, &usual);
        let largest = 2f32.powi(127);
        assert_eq!(
            line,
            format!("diagonal = {largest} in row 1: expected numbers whose inverse 32 bits hold")
        );
        let line = told(&good, &[f64::INFINITY, 1.0], None, &usual);
        assert_eq!(line, "right side = inf in row 0: expected finite numbers");
        let expected = ": expected lower bounds that are at most the upper ones";
        let crossed: [(&[f32], &[f32], &str); 4] = [
            (&[0.0, 1.0], &[1.0, 0.5], "bounds = 1 to 0.5 in row 1"),
            (&[0.0, f32::NAN], &[1.0, 0.5], "bounds = NaN to 0.5 in row 1"),
            (&[f32::INFINITY, 0.0], &[f32::INFINITY, 1.0], "bounds = inf to inf in row 0"),
            (&[f32::NEG_INFINITY, 0.0], &[f32::NEG_INFINITY, 1.0], "bounds = -inf to -inf in row 0"),
        ];
        for (lower, upper, found) in crossed {
            assert_eq!(told(&good, &b, Some((lower, upper)), &usual), format!("{found}{expected}"));
        }
        let line = told(&good, &b, None, &LcpSettings { tolerance: f32::NAN, ..usual });
        assert_eq!(line, "tolerance = NaN: expected a number above 0");
        let positive = LcpSettings { method: LcpMethod::Jacobi { omega: Some(0.1) }, ..usual };
        let line = told(&good, &b, None, &positive);
        assert_eq!(line, "omega = 0.1: expected a number below 0, as the paper has it");

        let algebra = Algebra::new(gpu);
        let square = Matrix::identity(&algebra, 3)?;
        let (two, three) = (Matrix::zeros(&algebra, 2, 1)?, Matrix::zeros(&algebra, 3, 1)?);
        let mut x = Matrix::zeros(&algebra, 3, 1)?;
        let line = refusal(lcp(&Lcp { a: &square, b: &two, bounds: None }, &mut x, &usual));
        assert_eq!(line, "right side: 2x1, expected 3x1");
        let line = refusal(lcp(&Lcp { a: &square, b: &three, bounds: Some((&three, &two)) }, &mut x, &usual));
        assert_eq!(line, "upper bounds: 2x1, expected 3x1");
        let wide = Matrix::zeros(&algebra, 3, 2)?;
        let line = refusal(lcp(&Lcp { a: &wide, b: &three, bounds: None }, &mut x, &usual));
        assert_eq!(line, "matrix of a system: 3x2, expected 3x3");
        Ok(())
    })
}
