//! Complementarity problems, against projected Gauss–Seidel in f64.

mod ends;
mod sizes;

use super::support::{on_card, on_gpu};
use quadrille::linalg::Algebra;
use quadrille::matrix::{Blocks, Matrix};
use quadrille::numeric::Random;
use quadrille::solve::{Lcp, LcpMethod, LcpReport, LcpSettings, LcpSolver, Reason, lcp};
use quadrille::{Gpu, Limits, Result};
use quadrille_oracle::lcp::{
    complement, contact_problem, natural_residual, projected_gauss_seidel, projected_jacobi, random_problem,
    residuals,
};

/// ω by an estimate, and the accelerated method.
const BOTH: [LcpMethod; 2] = [LcpMethod::Jacobi { omega: None }, LcpMethod::Accelerated];

fn settings(method: LcpMethod, tolerance: f32) -> LcpSettings {
    LcpSettings { method, tolerance, max_sweeps: 20_000, check_every: 8 }
}

fn narrow(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&value| value as f32).collect()
}

fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&value| value.into()).collect()
}

fn largest(values: &[f64]) -> f64 {
    values.iter().map(|value| value.abs()).fold(0.0, f64::max)
}

fn exact(a: &[f64], b: &[f64], lower: &[f64], upper: &[f64]) -> Vec<f64> {
    let mut x = vec![0.0; b.len()];
    let sweeps = projected_gauss_seidel(a, b, lower, upper, &mut x, 1e-11, 200_000);
    assert!(sweeps < 200_000, "the oracle does not converge");
    x
}

/// Solves from 0.
fn solved(
    gpu: &Gpu,
    (a, b): &(Vec<f64>, Vec<f64>),
    bounds: Option<(&[f32], &[f32])>,
    settings: &LcpSettings,
) -> Result<(Vec<f64>, LcpReport)> {
    let (algebra, n) = (Algebra::new(gpu), b.len());
    let column = |values: &[f32]| Matrix::new(&algebra, n, 1, values);
    let a = Matrix::new(&algebra, n, n, &narrow(a))?;
    let (b, mut x) = (column(&narrow(b))?, Matrix::zeros(&algebra, n, 1)?);
    let bounds = bounds.map(|(lower, upper)| Ok((column(lower)?, column(upper)?))).transpose()?;
    let bounds = bounds.as_ref().map(|(lower, upper)| (lower, upper));
    let report = lcp(&Lcp { a: &a, b: &b, bounds }, &mut x, settings)?;
    Ok((wide(&x.get()?), report))
}

/// The error of x is at most (1 + λmax)/λmin times the natural residual; with λ from 0.1 to 4.5 and a residual of 10⁻⁵‖b‖∞
/// (in the norm of n elements, of which most are smaller) it is far below the 10⁻³‖x‖∞ that is asked for.
#[test]
fn random_problems_of_10_to_400_are_solved_by_both_methods() -> Result<()> {
    on_gpu(|gpu| {
        for n in [10, 31, 64, 129, 257, 400] {
            let problem = random_problem(n, n as u64);
            let (a, b) = &problem;
            let oracle = exact(a, b, &vec![0.0; n], &vec![f64::INFINITY; n]);
            for method in BOTH {
                let (x, report) = solved(gpu, &problem, None, &settings(method, 1e-5))?;
                println!("{n}, {method:?}: {} sweeps, {:e}", report.sweeps, report.relative_residual);
                let truth = residuals(a, b, &x);
                assert!(
                    report.converged() && truth.natural <= 1e-4 * largest(b),
                    "{n}, {method:?}: {report:?}"
                );
                assert_eq!(report.natural_residual, truth.natural, "{n}, {method:?}");
                assert_eq!((report.min_x, report.min_w), (truth.min_x, truth.min_w), "{n}, {method:?}");
                assert_eq!(report.complementarity, truth.complementarity, "{n}, {method:?}");
                assert!(report.min_x >= 0.0, "{n}, {method:?}");
                let error = x.iter().zip(&oracle).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
                assert!(error <= 1e-3 * largest(&oracle), "{n}, {method:?}: {error:e}");
            }
        }
        Ok(())
    })
}

#[test]
fn contacts_of_bad_condition_are_solved_and_acceleration_needs_far_fewer_sweeps() -> Result<()> {
    on_gpu(|gpu| {
        for (n, epsilon) in [(12, 1e-3), (60, 1e-3), (129, 1e-3), (400, 1e-3), (60, 0.0), (400, 1e-5)] {
            let problem = contact_problem(n, epsilon, n as u64);
            let mut sweeps = Vec::new();
            for method in BOTH {
                let (x, report) = solved(gpu, &problem, None, &settings(method, 1e-4))?;
                println!(
                    "{n} + {epsilon}, {method:?}: {} sweeps, {:e}",
                    report.sweeps, report.relative_residual
                );
                let truth = residuals(&problem.0, &problem.1, &x).natural;
                assert!(
                    report.converged() && truth <= 1e-4 * largest(&problem.1),
                    "{n}, {method:?}: {report:?}"
                );
                sweeps.push(report.sweeps);
            }
            // As many as are made until a look sees the end, and half of the others.
            assert!(sweeps[1] <= 16 + sweeps[0] / 2, "{n}: {sweeps:?}");
        }
        Ok(())
    })
}

/// A stack: −1, 2, −1, and 1 for the topmost contact, whose impulses carry what lies above. One unknown hears of another after as
/// many sweeps as lie between them, and of a change of 1/n² after n² of Jacobi's.
#[test]
fn a_stack_of_thirty_boxes_stands_after_few_sweeps() -> Result<()> {
    on_gpu(|gpu| {
        let n = 30;
        let entry = |i: usize, j: usize| match i.abs_diff(j) {
            0 if i > 0 => 2.0,
            0 => 1.0,
            1 => -1.0,
            _ => 0.0,
        };
        let a: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
        let mut b = vec![0.0; n];
        b[0] = -0.25;
        let (x, report) = solved(gpu, &(a, b), None, &settings(LcpMethod::Accelerated, 1e-5))?;
        println!("{} sweeps, {:e}", report.sweeps, report.relative_residual);
        assert!(report.converged() && report.sweeps <= 12 * n, "{report:?}");
        for (i, x) in x.iter().enumerate() {
            // ‖A⁻¹‖∞ = n (n + 1)/2 times the residual.
            let (expected, bound) = (0.25 * (n - i) as f64, 0.25e-5 * (n * (n + 1)) as f64 / 2.0);
            assert!((x - expected).abs() <= bound, "{i}: {x}, {expected} expected");
        }
        Ok(())
    })
}

/// 2n sweeps with ω = −0.1, as the paper's demo makes them, element by element what f64 makes of them. An error of one sweep
/// is damped by the next, for 0.1 < 2/λ: what stays is that of a few sums of n terms.
#[test]
fn a_fixed_omega_and_no_looks_make_the_papers_iteration() -> Result<()> {
    on_gpu(|gpu| {
        for n in [1, 2, 5, 31, 129] {
            let problem = random_problem(n, 7 + n as u64);
            let settings = LcpSettings {
                method: LcpMethod::Jacobi { omega: Some(-0.1) },
                max_sweeps: 2 * n,
                check_every: 0,
                tolerance: 1e-4,
            };
            let (x, report) = solved(gpu, &problem, None, &settings)?;
            let mut oracle = vec![0.0; n];
            projected_jacobi(&problem.0, &problem.1, &mut oracle, f64::from(-0.1f32), 2 * n);
            let bound = (n as f64 + 8.0) * 20.0 * f64::from(f32::EPSILON) * largest(&oracle).max(1.0);
            for (i, (x, y)) in x.iter().zip(&oracle).enumerate() {
                assert!((x - y).abs() <= bound, "{n}, {i}: {x} and {y}");
            }
            assert_eq!((report.sweeps, report.history.len()), (2 * n, 0), "{n}");
            let met = report.relative_residual <= f64::from(1e-4f32);
            assert_eq!(report.reason, if met { Reason::Converged } else { Reason::MaxIterations }, "{n}");
        }
        Ok(())
    })
}

#[test]
fn boxes_hold_and_friction_like_bounds_are_met() -> Result<()> {
    on_gpu(|gpu| {
        for n in [1, 6, 31, 130] {
            let problem = random_problem(n, 50 + n as u64);
            let mut random = Random(n as u64);
            // Two-sided, one-sided, without any, and shut.
            let lower: Vec<f32> =
                (0..n).map(|i| [-0.2 * random.unit(), 0.0, f32::NEG_INFINITY, 0.25][i % 4]).collect();
            let upper: Vec<f32> =
                (0..n).map(|i| [0.3 * random.unit(), f32::INFINITY, f32::INFINITY, 0.25][i % 4]).collect();
            let oracle = exact(&problem.0, &problem.1, &wide(&lower), &wide(&upper));
            for method in BOTH {
                let (x, report) = solved(gpu, &problem, Some((&lower, &upper)), &settings(method, 1e-5))?;
                assert!(report.converged() && report.min_x >= 0.0, "{n}, {method:?}: {report:?}");
                let truth = natural_residual(&problem.0, &problem.1, &wide(&lower), &wide(&upper), &x);
                assert_eq!(report.natural_residual, truth, "{n}, {method:?}");
                let (least, sum) = in_boxes(&problem, &wide(&lower), &wide(&upper), &x);
                assert_eq!((report.min_w, report.complementarity), (least, sum.abs()), "{n}, {method:?}");
                let error = x.iter().zip(&oracle).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
                assert!(error <= 1e-3 * largest(&oracle), "{n}, {method:?}: {error:e}");
            }
        }
        Ok(())
    })
}

/// The smallest wᵢ that a bound lets be above 0, or −wᵢ below it; and the sum of each wᵢ times the way to the bound that it
/// pushes from, to 0 where there is none.
fn in_boxes((a, b): &(Vec<f64>, Vec<f64>), lower: &[f64], upper: &[f64], x: &[f64]) -> (f64, f64) {
    let (mut least, mut sum) = (f64::INFINITY, 0.0);
    for (i, w) in complement(a, b, x).into_iter().enumerate() {
        let bounded = upper[i] < f64::INFINITY;
        let sides = [(x[i] < upper[i], w), (bounded && x[i] > lower[i], -w)];
        sides.into_iter().filter(|side| side.0).for_each(|(_, w)| least = least.min(w));
        let from = if bounded && w < 0.0 { upper[i] } else { lower[i] };
        sum += if from.is_finite() { (x[i] - from) * w } else { x[i] * w };
    }
    (least, sum)
}

const SIZES: [usize; 9] = [7, 130, 1, 4, 31, 64, 2, 200, 5];

fn grouped(gpu: &Gpu, settings: &LcpSettings) -> Result<(Vec<Vec<f64>>, LcpReport)> {
    let algebra = Algebra::new(gpu);
    let problems: Vec<_> = SIZES.iter().map(|&n| contact_problem(n, 0.05, n as u64)).collect();
    let entries: Vec<Vec<f32>> = problems.iter().map(|(a, _)| narrow(a)).collect();
    let groups: Vec<_> = entries.iter().zip(SIZES).map(|(a, n)| (a.as_slice(), n)).collect();
    let blocks = Blocks::from_groups(&algebra, &groups)?;
    let rights: Vec<Vec<f32>> = problems.iter().map(|(_, b)| narrow(b)).collect();
    let rights: Vec<&[f32]> = rights.iter().map(Vec::as_slice).collect();
    let b = Matrix::new(&algebra, blocks.rows(), 1, &blocks.scatter(&rights)?)?;
    let mut x = Matrix::zeros(&algebra, blocks.rows(), 1)?;
    let report = lcp(&Lcp { a: &blocks, b: &b, bounds: None }, &mut x, settings)?;
    let x = x.get()?;
    Ok((blocks.gather(&x)?.into_iter().map(wide).collect(), report))
}

#[test]
fn groups_solved_at_once_are_the_groups_solved_alone() -> Result<()> {
    on_gpu(|gpu| {
        for method in BOTH {
            let settings = settings(method, 1e-5);
            let (together, report) = grouped(gpu, &settings)?;
            assert!(report.converged(), "{method:?}: {report:?}");
            let mut worst: f64 = 0.0;
            for (x, n) in together.iter().zip(SIZES) {
                let problem = contact_problem(n, 0.05, n as u64);
                let truth = residuals(&problem.0, &problem.1, x).natural / largest(&problem.1);
                assert!(truth <= f64::from(1e-5f32), "{n}, {method:?}: {truth:e}");
                worst = worst.max(truth);
                let (alone, _) = solved(gpu, &problem, None, &settings)?;
                let oracle = exact(&problem.0, &problem.1, &vec![0.0; n], &vec![f64::INFINITY; n]);
                for (x, oracle) in [x, &alone].into_iter().zip([&oracle, &oracle]) {
                    let error = x.iter().zip(oracle).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
                    assert!(error <= 2e-3 * largest(oracle).max(0.1), "{n}, {method:?}: {error:e}");
                }
            }
            assert!((report.relative_residual - worst).abs() <= 1e-12, "{method:?}: {report:?}");
        }
        Ok(())
    })
}

#[test]
fn the_same_problem_gives_the_same_bits() -> Result<()> {
    for method in BOTH {
        let once = || {
            let mut found = None;
            on_gpu(|gpu| {
                let random = solved(gpu, &random_problem(129, 3), None, &settings(method, 1e-5))?;
                found = Some((random, grouped(gpu, &settings(method, 1e-5))?));
                Ok(())
            })?;
            Ok::<_, quadrille::Error>(found)
        };
        assert_eq!(once()?, once()?, "{method:?}");
    }
    Ok(())
}

#[test]
fn old_cards_solve_complementarity_problems() -> Result<()> {
    for card in [Limits::RADEON_9700, Limits::GEFORCE_FX, Limits::GEFORCE_6800] {
        on_card(card, |gpu| {
            for method in BOTH {
                for n in [10, 129, 400] {
                    let problem = random_problem(n, n as u64);
                    let (_, report) = solved(gpu, &problem, None, &settings(method, 1e-5))?;
                    assert!(report.converged(), "{}, {n}, {method:?}: {report:?}", card.name);
                }
                let (_, report) = grouped(gpu, &settings(method, 1e-5))?;
                assert!(report.converged(), "{}, {method:?}: {report:?}", card.name);
            }
            Ok(())
        })?;
    }
    Ok(())
}

#[test]
fn a_fixed_number_of_sweeps_reads_nothing_back_on_its_way() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let (a, b) = random_problem(64, 1);
        let a = Matrix::new(&algebra, 64, 64, &narrow(&a))?;
        let b = Matrix::new(&algebra, 64, 1, &narrow(&b))?;
        let solver = LcpSolver::new(&a)?;
        for method in [LcpMethod::Jacobi { omega: Some(-0.2) }, LcpMethod::Accelerated] {
            for max_sweeps in [1, 10, 200] {
                let mut x = Matrix::zeros(&algebra, 64, 1)?;
                let settings = LcpSettings { method, max_sweeps, check_every: 0, ..LcpSettings::default() };
                let before = gpu.counters().read_backs;
                solver.solve(&b, None, &mut x, &settings)?;
                assert_eq!(gpu.counters().read_backs - before, 2, "b and x: {method:?}, {max_sweeps}");
            }
        }
        // With momentum a sweep is a product, a step and a survey of 16 texels by one fragment; without, there is no survey.
        let passes = |method, max_sweeps| -> Result<u64> {
            let mut x = Matrix::zeros(&algebra, 64, 1)?;
            let settings = LcpSettings { method, max_sweeps, check_every: 0, ..LcpSettings::default() };
            let before = gpu.counters().passes;
            solver.solve(&b, None, &mut x, &settings)?;
            Ok(gpu.counters().passes - before)
        };
        let sweep = |method| -> Result<u64> { Ok((passes(method, 30)? - passes(method, 10)?) / 20) };
        let [plain, with_momentum] =
            [sweep(LcpMethod::Jacobi { omega: Some(-0.2) })?, sweep(LcpMethod::Accelerated)?];
        assert_eq!(with_momentum, plain + 1);
        Ok(())
    })
}

#[test]
fn a_prepared_matrix_serves_many_right_sides_and_its_estimate_bounds_it() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        for n in [1, 4, 31, 129] {
            let (entries, _) = random_problem(n, 1);
            let a = Matrix::new(&algebra, n, n, &narrow(&entries))?;
            let solver = LcpSolver::new(&a)?;
            let bound = solver.eigenvalues()?[0];
            // The trace of D⁻¹A is n, and no row of it sums to more than its norm.
            let rows =
                (0..n).map(|i| (0..n).map(|j| entries[i * n + j].abs()).sum::<f64>() / entries[i * n + i]);
            assert!(1.0 <= bound && bound <= rows.fold(0.0, f64::max), "{n}: {bound}");
            for seed in 0..3 {
                let b = Matrix::new(&algebra, n, 1, &Random(seed).floats(n))?;
                let mut x = Matrix::zeros(&algebra, n, 1)?;
                for method in BOTH {
                    x.fill(0.0)?;
                    let report = solver.solve(&b, None, &mut x, &settings(method, 1e-5))?;
                    assert!(report.converged(), "{n}, {seed}, {method:?}: {report:?}");
                }
                // Warm: the solution stays what it is.
                let solved = x.get()?;
                let again = solver.solve(&b, None, &mut x, &settings(LcpMethod::Accelerated, 2e-5))?;
                assert_eq!((again.sweeps, again.reason), (0, Reason::Converged), "{n}, {seed}");
                assert_eq!(x.get()?, solved);
            }
        }
        Ok(())
    })
}

/// D⁻¹A of [[10⁻²⁰, ½], [½, 10²⁰]] has the eigenvalues ½ and 3/2, and a row that sums to 5·10¹⁹: divided by that in each power
/// iteration, u is soon 0.
#[test]
fn where_power_iterations_end_in_nothing_rows_bound_the_eigenvalues() -> Result<()> {
    on_gpu(|gpu| {
        let a = Matrix::new(&Algebra::new(gpu), 2, 2, &[1e-20, 0.5, 0.5, 1e20])?;
        let solver = LcpSolver::new(&a)?;
        let bound = solver.eigenvalues()?[0];
        assert!((1.5..=5.1e19).contains(&bound), "{bound:e}");
        Ok(())
    })
}

/// A warm start near the solution saves sweeps; no sweeps at all leave x as it is, and say how good it was.
#[test]
fn a_warm_start_is_where_sweeps_begin() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, n) = (Algebra::new(gpu), 129);
        let problem = contact_problem(n, 1e-3, 5);
        let a = Matrix::new(&algebra, n, n, &narrow(&problem.0))?;
        let b = Matrix::new(&algebra, n, 1, &narrow(&problem.1))?;
        let problem = Lcp { a: &a, b: &b, bounds: None };
        for method in BOTH {
            let mut x = Matrix::zeros(&algebra, n, 1)?;
            let settings = LcpSettings { check_every: 1, ..settings(method, 1e-4) };
            let cold = lcp(&problem, &mut x, &settings)?;
            let near: Vec<f32> = x.get()?.iter().map(|x| x * 1.001).collect();
            x.set(&near)?;
            let none = lcp(&problem, &mut x, &LcpSettings { max_sweeps: 0, ..settings })?;
            assert_eq!((none.sweeps, none.reason), (0, Reason::MaxIterations), "{method:?}");
            assert!(none.relative_residual > 1e-4 && x.get()? == near, "{method:?}: {none:?}");
            let warm = lcp(&problem, &mut x, &settings)?;
            assert!(warm.converged() && warm.sweeps < cold.sweeps, "{method:?}: {warm:?} after {cold:?}");
            assert!((warm.history[0].1 - none.relative_residual).abs() <= 1e-5, "{method:?}: {warm:?}");
            // A start outside of the bounds comes back, if there are sweeps.
            x.fill(-3.0)?;
            lcp(&problem, &mut x, &LcpSettings { max_sweeps: 0, ..settings })?;
            assert!(x.get()?.iter().all(|&x| x == -3.0), "{method:?}: no sweeps");
            let outside = lcp(&problem, &mut x, &settings)?;
            assert!(outside.converged() && outside.min_x >= 0.0, "{method:?}: {outside:?}");
        }
        Ok(())
    })
}

/// Each unknown has an interval of its own, with its solution inside: by the bounds of another it would lie outside, and the
/// residual would stay where it is for the 500 sweeps that are called a stall. Of a diagonal matrix, 24 sweeps are enough.
#[test]
fn each_unknown_is_judged_by_its_own_bounds() -> Result<()> {
    on_gpu(|gpu| {
        for (n, way) in [(4, 1.0), (4, -1.0), (7, 1.0), (13, -1.0)] {
            let middle = |row: usize| way * 10.0 * (row as f64 + 1.0);
            let a: Vec<f64> = (0..n * n)
                .map(|k: usize| if k.is_multiple_of(n + 1) { 1.0 + (k % 3) as f64 } else { 0.0 })
                .collect();
            let b: Vec<f64> = (0..n).map(|row| -a[row * (n + 1)] * middle(row)).collect();
            let beside = |by: f64| (0..n).map(|row| (middle(row) + by) as f32).collect::<Vec<_>>();
            let (lower, upper) = (beside(-1.0), beside(1.0));
            for method in BOTH {
                let problem = (a.clone(), b.clone());
                let (x, report) = solved(gpu, &problem, Some((&lower, &upper)), &settings(method, 1e-6))?;
                assert!(report.converged() && report.sweeps < 100, "{n}, {method:?}: {report:?}");
                for (row, x) in x.into_iter().enumerate() {
                    assert!((x - middle(row)).abs() <= 1e-6 * largest(&b), "{n}, {method:?}, row {row}: {x}");
                }
            }
        }
        Ok(())
    })
}

/// x₁ begins past its bound by less than the tolerance, and x₂ where that x₁ would have it. From x₁ on its bound, w₂ is ten
/// times as far off, which is past the tolerance.
#[test]
fn a_start_a_little_past_its_bounds_does_not_rest_there() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let column = |values: &[f32]| Matrix::new(&algebra, 2, 1, values);
        let a = Matrix::new(&algebra, 2, 2, &[1.0, 10.0, 10.0, 101.0])?;
        let (lower, upper) = (column(&[0.0, 0.0])?, column(&[1.0, 5.0])?);
        let b = column(&[-16.0, -111.005])?;
        for method in BOTH {
            let mut x = column(&[1.0005, 1.0])?;
            let problem = Lcp { a: &a, b: &b, bounds: Some((&lower, &upper)) };
            let report = lcp(&problem, &mut x, &settings(method, 1e-5))?;
            assert!(report.converged() && report.min_x >= 0.0, "{method:?}: {report:?}");
        }
        Ok(())
    })
}
