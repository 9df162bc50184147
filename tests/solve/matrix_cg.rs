//! Conjugate gradients on dense matrices, beside the same loop in f64.

use std::ops::ControlFlow;

use super::support::{on_card, on_gpu, refusal};
use super::{norm, numbers};
use quadrille::linalg::Algebra;
use quadrille::matrix::{Blocks, Matrix};
use quadrille::numeric::Csr;
use quadrille::solve::{Bounds, LcpSettings, LcpSolver, Progress, Reason, Report, matrix_cg, matrix_cg_with};
use quadrille::{Gpu, Limits, Result};
use quadrille_oracle as oracle;
use quadrille_oracle::lcp::random_problem;
use quadrille_oracle::matrices;

const BOUNDS: Bounds = Bounds { tolerance: 1e-5, max_iterations: 2000, check_every: 4 };

/// A = M Mᵀ/n + 0.1 I, on the GPU and in f64; and b.
struct System {
    a: Matrix,
    b: Matrix,
    oracle: Csr,
    right: Vec<f64>,
}

fn narrow(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&value| value as f32).collect()
}

fn system(gpu: &Gpu, n: usize) -> Result<System> {
    let algebra = Algebra::new(gpu);
    let (entries, right) = random_problem(n, n as u64);
    let oracle = Csr::from_triplets(n, n, entries.iter().enumerate().map(|(i, &e)| (i / n, i % n, e)))?;
    let a = Matrix::new(&algebra, n, n, &narrow(&entries))?;
    Ok(System { a, b: Matrix::new(&algebra, n, 1, &narrow(&right))?, oracle, right })
}

impl System {
    fn truth(&self, x: &Matrix) -> Result<f64> {
        let x: Vec<f64> = x.get()?.into_iter().map(f64::from).collect();
        let r: Vec<f64> = self.right.iter().zip(self.oracle.multiply(&x)).map(|(b, p)| b - p).collect();
        let unit = norm(&self.right);
        Ok(norm(&r) / if unit > 0.0 { unit } else { 1.0 })
    }
}

#[test]
fn dense_conjugate_gradients_take_as_many_iterations_as_in_f64() -> Result<()> {
    on_gpu(|gpu| {
        for n in [1, 2, 3, 5, 31, 129, 400] {
            let system = system(gpu, n)?;
            let mut x = Matrix::zeros(system.a.algebra(), n, 1)?;
            let report = matrix_cg(&system.a, &system.b, &mut x, BOUNDS)?;
            let oracle = oracle::cg(&system.oracle, &system.right, None, 1e-5, 2000);
            println!(
                "{n}: {} beside {} in f64, {:e}",
                report.iterations, oracle.iterations, report.relative_residual
            );
            assert!(report.converged(), "{n}: {report:?}");
            let truth = system.truth(&x)?;
            assert!(truth <= 1e-5 && (truth - report.relative_residual).abs() <= 1e-12, "{n}: {truth:e}");
            assert!(report.iterations.abs_diff(oracle.iterations) <= 2, "{n}: {report:?}");
            assert_eq!(report.history.len(), report.iterations + 1, "{n}");
        }
        Ok(())
    })
}

#[test]
fn a_warm_start_saves_iterations_and_what_is_solved_needs_none() -> Result<()> {
    on_gpu(|gpu| {
        for n in [31, 129] {
            let system = system(gpu, n)?;
            let mut x = Matrix::zeros(system.a.algebra(), n, 1)?;
            let cold = matrix_cg(&system.a, &system.b, &mut x, BOUNDS)?.iterations;
            let solved = x.get()?;
            // Nearly there: the paper's r = b would begin as if x were 0.
            x.set(&solved.iter().map(|x| x * 1.001).collect::<Vec<_>>())?;
            let warm = matrix_cg(&system.a, &system.b, &mut x, BOUNDS)?;
            assert!(warm.converged() && warm.iterations < cold, "{n}: {warm:?} after {cold}");
            assert!(system.truth(&x)? <= 1e-5, "{n}");
            // A tolerance above what rounding in b − A x may add.
            x.set(&solved)?;
            let again = matrix_cg(&system.a, &system.b, &mut x, Bounds { tolerance: 2e-5, ..BOUNDS })?;
            assert_eq!((again.iterations, again.reason), (0, Reason::Converged), "{n}");
            assert_eq!(x.get()?, solved, "{n}: left as it was");
        }
        Ok(())
    })
}

/// Below what an x of 32 bits can meet the recursion begins anew from b − A x, until that no longer halves the residual.
#[test]
fn a_tolerance_beyond_32_bits_is_refined_for_before_it_is_given_up() -> Result<()> {
    on_gpu(|gpu| {
        let system = system(gpu, 129)?;
        let mut x = Matrix::zeros(system.a.algebra(), 129, 1)?;
        let report = matrix_cg(&system.a, &system.b, &mut x, Bounds { tolerance: 1e-9, ..BOUNDS })?;
        assert!(report.reason == Reason::Stalled && report.refinements >= 1, "{report:?}");
        assert!(system.truth(&x)? <= 1e-5, "{report:?}");
        Ok(())
    })
}

#[test]
fn a_right_side_of_zero_is_solved_by_zero() -> Result<()> {
    on_gpu(|gpu| {
        let System { a, .. } = system(gpu, 31)?;
        let (b, mut x) = (Matrix::zeros(a.algebra(), 31, 1)?, Matrix::zeros(a.algebra(), 31, 1)?);
        let report = matrix_cg(&a, &b, &mut x, BOUNDS)?;
        assert_eq!((report.iterations, report.reason, report.relative_residual), (0, Reason::Converged, 0.0));
        x.fill(1.0)?;
        let report = matrix_cg(&a, &b, &mut x, BOUNDS)?;
        assert!(report.converged() && report.relative_residual <= 1e-5, "absolute where b = 0: {report:?}");
        Ok(())
    })
}

#[test]
fn what_dense_conjugate_gradients_cannot_solve_is_named() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let solve = |entries: &[f32], b: &[f32], bounds: Bounds| {
            let n = b.len();
            let a = Matrix::new(&algebra, n, n, entries)?;
            let (b, mut x) = (Matrix::new(&algebra, n, 1, b)?, Matrix::zeros(&algebra, n, 1)?);
            matrix_cg(&a, &b, &mut x, bounds)
        };
        let reason = |entries: &[f32], b: &[f32]| solve(entries, b, BOUNDS).map(|report| report.reason);
        let mut signs = vec![0.0; 41 * 41];
        (0..41).for_each(|i| signs[42 * i] = if i % 2 == 0 { 1.0 + i as f32 } else { -1.0 - i as f32 });
        let fixed = Bounds { max_iterations: 5, check_every: 0, ..BOUNDS };
        assert_eq!(solve(&signs, &[1.0; 41], fixed)?.reason, Reason::Indefinite);
        assert_eq!(reason(&[1.0, 0.0, 0.0, -1.0], &[1.0, 1.0])?, Reason::ZeroDivisor);
        assert_eq!(reason(&[0.0; 4], &[1.0, 1.0])?, Reason::ZeroDivisor);
        assert_eq!(reason(&[f32::NAN, 0.0, 0.0, 1.0], &[1.0, 1.0])?, Reason::NotFinite);
        assert_eq!(reason(&[f32::INFINITY, 0.0, 0.0, 1.0], &[1.0, 1.0])?, Reason::NotFinite);
        let few = solve(&[2.0, 1.0, 1.0, 3.0], &[1.0, 5.0], Bounds { max_iterations: 1, ..BOUNDS })?;
        assert_eq!((few.reason, few.iterations), (Reason::MaxIterations, 1));
        let fixed = Bounds { max_iterations: 2, check_every: 0, ..BOUNDS };
        let fixed = solve(&[2.0, 1.0, 1.0, 3.0], &[1.0, 5.0], fixed)?;
        assert_eq!((fixed.reason, fixed.iterations), (Reason::Converged, 2));
        // A tolerance that 32 bits cannot reach ends, too.
        let System { a, b, .. } = system(gpu, 129)?;
        let mut x = Matrix::zeros(&algebra, 129, 1)?;
        let deep = matrix_cg(&a, &b, &mut x, Bounds { tolerance: 1e-12, ..BOUNDS })?;
        assert_eq!(deep.reason, Reason::Stalled, "{deep:?}");
        assert!(deep.relative_residual < 1e-5, "{deep:?}");

        let line = refusal(solve(&[1.0; 4], &[1.0, f32::NAN], BOUNDS));
        assert_eq!(line, "right side = NaN in row 1: expected finite numbers");
        let line = refusal(solve(&[1.0; 4], &[1.0; 2], Bounds { tolerance: 0.0, ..BOUNDS }));
        assert_eq!(line, "tolerance = 0: expected a number above 0");
        let wide = Matrix::zeros(&algebra, 2, 3)?;
        let mut two = Matrix::zeros(&algebra, 2, 1)?;
        let line = refusal(matrix_cg(&wide, &Matrix::zeros(&algebra, 2, 1)?, &mut two, BOUNDS));
        assert_eq!(line, "matrix of a system: 2x3, expected 2x2");
        let line = refusal(matrix_cg(&a, &b, &mut two, BOUNDS));
        assert_eq!(line, "unknowns: 2x1, expected 129x1");
        Ok(())
    })
}

#[test]
fn groups_and_old_cards_solve_by_dense_conjugate_gradients_too() -> Result<()> {
    for card in [Limits::RADEON_9700, Limits::GEFORCE_FX] {
        on_card(card, |gpu| {
            let System { a, b, .. } = system(gpu, 67)?;
            let mut x = Matrix::zeros(a.algebra(), 67, 1)?;
            assert!(matrix_cg(&a, &b, &mut x, BOUNDS)?.converged(), "{}", card.name);
            let problems: Vec<_> = [3, 67, 8].iter().map(|&n| random_problem(n, n as u64)).collect();
            let entries: Vec<Vec<f32>> = problems.iter().map(|(a, _)| narrow(a)).collect();
            let groups: Vec<_> = entries.iter().zip([3, 67, 8]).map(|(a, n)| (a.as_slice(), n)).collect();
            let blocks = Blocks::from_groups(a.algebra(), &groups)?;
            let parts: Vec<Vec<f32>> = problems.iter().map(|(_, b)| narrow(b)).collect();
            let parts: Vec<&[f32]> = parts.iter().map(Vec::as_slice).collect();
            let b = Matrix::new(a.algebra(), blocks.rows(), 1, &blocks.scatter(&parts)?)?;
            let mut all = Matrix::zeros(a.algebra(), blocks.rows(), 1)?;
            let report = matrix_cg(&blocks, &b, &mut all, BOUNDS)?;
            assert!(report.converged(), "{}: {report:?}", card.name);
            Ok(())
        })?;
    }
    Ok(())
}

#[test]
fn a_right_side_times_a_power_of_two_takes_the_same_iterations() -> Result<()> {
    on_gpu(|gpu| {
        let System { a, mut b, right, .. } = system(gpu, 31)?;
        let mut x = Matrix::zeros(a.algebra(), 31, 1)?;
        let near = matrix_cg(&a, &b, &mut x, BOUNDS)?;
        let solution = x.get()?;
        for factor in [-90, -60, 60, 90].map(|exponent| 2f32.powi(exponent)) {
            b.set(&narrow(&right).iter().map(|b| b * factor).collect::<Vec<_>>())?;
            x.fill(0.0)?;
            assert_eq!(matrix_cg(&a, &b, &mut x, BOUNDS)?, near, "{factor:e}");
            assert_eq!(x.get()?.iter().map(|x| x / factor).collect::<Vec<_>>(), solution, "{factor:e}");
        }
        // A residual that 32 bits do not hold is not believed in.
        b.set(&[1e38; 31])?;
        let tiny = Matrix::identity(a.algebra(), 31).and_then(|mut tiny| tiny.scale(1e-10).map(|()| tiny))?;
        assert_eq!(matrix_cg(&tiny, &b, &mut x, BOUNDS)?.reason, Reason::NotFinite);
        Ok(())
    })
}

#[test]
fn whoever_watches_stops_gradients_and_sweeps_at_a_look() -> Result<()> {
    on_gpu(|gpu| {
        let System { a, b, .. } = system(gpu, 60)?;
        let mut looks = 0;
        let mut watch = |_: &_| {
            looks += 1;
            if looks == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut x = Matrix::zeros(a.algebra(), 60, 1)?;
        let bounds = Bounds { tolerance: 1e-30, ..BOUNDS };
        let report = matrix_cg_with(&a, &b, &mut x, bounds, &mut watch)?;
        assert_eq!((report.reason, report.iterations), (Reason::Stopped, 16)); // the first look only asks
        assert!(report.relative_residual < 1.0 && !report.converged());
        looks = 0;
        let mut watch = |_: &_| {
            looks += 1;
            if looks == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let settings = LcpSettings { tolerance: 1e-30, check_every: 4, ..LcpSettings::default() };
        let report = LcpSolver::new(&a)?.solve_with(&b, None, &mut x, &settings, &mut watch)?;
        assert_eq!((report.reason, report.sweeps), (Reason::Stopped, 8));
        Ok(())
    })
}

/// Conjugate gradients on what is not symmetric: the residual falls for some iterations, and grows.
#[test]
fn a_stop_is_heard_while_dense_iterations_are_made_again() -> Result<()> {
    for targets in [4, 1] {
        on_card(Limits { targets, ..Limits::GEFORCE_6800 }, |gpu| {
            let matrix = matrices::convection_diffusion(15, 15, [0.6, -0.4])?;
            let entries: Vec<f32> = (0..225 * 225).map(|i| matrix.entry(i / 225, i % 225) as f32).collect();
            let algebra = Algebra::new(gpu);
            let a = Matrix::new(&algebra, 225, 225, &entries)?;
            let b = Matrix::new(&algebra, 225, 1, &narrow(&numbers(225, 6)))?;
            let bounds = Bounds { tolerance: 1e-9, max_iterations: 300, check_every: 2 };
            let run = |stops: bool| -> Result<(Report, usize)> {
                let (mut x, mut newest, mut again) = (Matrix::zeros(&algebra, 225, 1)?, 0, 0);
                let mut watch = |progress: &Progress| {
                    again += usize::from(progress.iterations < newest || again > 0);
                    newest = progress.iterations;
                    if stops && again > 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                };
                let report = matrix_cg_with(&a, &b, &mut x, bounds, &mut watch)?;
                Ok((report, again))
            };
            let (whole, looks) = run(false)?;
            assert!(whole.reason == Reason::MaxIterations && looks > 1, "{looks} looks: {:?}", whole.reason);
            let (stopped, looks) = run(true)?;
            assert_eq!((stopped.reason, looks, stopped.iterations), (Reason::Stopped, 1, whole.iterations));
            Ok(())
        })?;
    }
    Ok(())
}

/// A x, one reduction of all sums, and one pass for x, r and p; the paper's lines where a card writes one target a pass. Both come
/// as close in as many iterations.
#[test]
fn an_iteration_is_a_product_and_two_passes_where_there_are_three_targets() -> Result<()> {
    let measured = |targets: u32| -> Result<(u64, f64)> {
        let mut found = (0, 0.0);
        on_card(Limits { targets, ..Limits::GEFORCE_6800 }, |gpu| {
            let system = system(gpu, 129)?;
            let (mut x, mut product) =
                (Matrix::zeros(system.a.algebra(), 129, 1)?, Matrix::zeros(system.a.algebra(), 129, 1)?);
            let mut passes = |max_iterations: usize| {
                x.fill(0.0)?;
                let before = gpu.counters().passes;
                matrix_cg(&system.a, &system.b, &mut x, Bounds { max_iterations, check_every: 0, ..BOUNDS })?;
                Ok(gpu.counters().passes - before)
            };
            let ten = passes(20)? - passes(10)?;
            passes(12)?;
            let before = gpu.counters().passes;
            product.multiply(&system.a, &x)?;
            found = (ten - 10 * (gpu.counters().passes - before), system.truth(&x)?);
            Ok(())
        })?;
        Ok(found)
    };
    let (fused, by_line) = (measured(4)?, measured(1)?);
    println!("{fused:?} {by_line:?}");
    assert_eq!((fused.0, by_line.0), (20, 80), "beside ten products");
    assert!(fused.1 <= 1.01 * by_line.1, "{:e} beside {:e}", fused.1, by_line.1);
    Ok(())
}
