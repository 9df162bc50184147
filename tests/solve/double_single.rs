//! Conjugate gradients in double-single, held against the iterations of f64 and the residual of the x that comes back.

use std::ops::ControlFlow;

use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, DoubleMatrix, DoubleStorage, DoubleVector};
use quadrille::numeric::{Csr, Random};
use quadrille::solve::{Bounds, DoubleCg, DoubleSolver, Method, Preconditioning, Reason, Settings, Solution};
use quadrille::{Gpu, Result};
use quadrille_oracle as oracle;

use crate::support::{on_gpu, refusal};
use crate::{norm, true_residual};

fn solved(gpu: &Gpu, a: &Csr, layout: Packed2x2, b: &[f64], tolerance: f64) -> Result<Solution> {
    let storage = if a.nonzeros() > 32 * a.rows() { DoubleStorage::Gather } else { DoubleStorage::Banded };
    let mut solver = DoubleSolver::new(&Algebra::new(gpu), layout, storage, a.clone())?;
    let settings = Settings { tolerance, ..Settings::default() };
    solver.solve(b, None, &settings, &mut |_| ControlFlow::Continue(()))
}

/// Solves with b = 1 within `most` times the iterations of f64, and returns its own. The residual is computed here, from x.
fn check(name: &str, a: &Csr, layout: Packed2x2, tolerance: f64, most: f64) -> Result<usize> {
    let mut iterations = 0;
    on_gpu(|gpu| {
        let b = vec![1.0; a.rows()];
        let wide = oracle::cg(a, &b, None, tolerance, 20_000).iterations;
        let Solution { x, report } = solved(gpu, a, layout, &b, tolerance)?;
        let truth = true_residual(a, &b, &x);
        println!("{name}: {} for {wide}, {truth:.2e}, {} refinements", report.iterations, report.refinements);
        assert!(
            report.converged() && truth <= tolerance * (1.0 + 1e-9),
            "{name}: {} at {truth:e}",
            report.reason
        );
        assert!(
            (report.relative_residual - truth).abs() <= 1e-6 * truth,
            "{name}: {truth:e} is not {report:?}"
        );
        assert!(report.iterations as f64 <= most * wide as f64, "{name}: {} for {wide}", report.iterations);
        assert_eq!(report.history.len(), report.iterations + 1, "{name}");
        iterations = report.iterations;
        Ok(())
    })?;
    Ok(iterations)
}

fn hilbert(n: usize) -> Result<Csr> {
    let entries = (0..n * n).map(|k| (k / n, k % n, 1.0 / (k / n + k % n + 1) as f64));
    Csr::from_triplets(n, n, entries)
}

/// The square of the second difference: a beam that lies on both ends. Condition (2 (n + 1)/π)⁴.
fn beam(n: usize) -> Result<Csr> {
    let entry = |i: usize, j: usize| match i.abs_diff(j) {
        0 if i == 0 || i + 1 == n => 5.0,
        0 => 6.0,
        1 => -4.0,
        _ => 1.0,
    };
    let row = |i: usize| (i.saturating_sub(2)..(i + 3).min(n)).map(move |j| (i, j, entry(i, j)));
    Csr::from_triplets(n, n, (0..n).flat_map(row))
}

/// A plane bar of squares under plane stress (Poisson's ratio 0.3), held at its left end; condition 1.5·10⁶ for 40 × 3.
fn bar(across: usize, high: usize) -> Result<Csr> {
    const ORDER: [[usize; 8]; 8] = [
        [0, 1, 2, 3, 4, 5, 6, 7],
        [1, 0, 7, 6, 5, 4, 3, 2],
        [2, 7, 0, 5, 6, 3, 4, 1],
        [3, 6, 5, 0, 7, 2, 1, 4],
        [4, 5, 6, 7, 0, 1, 2, 3],
        [5, 4, 3, 2, 1, 0, 7, 6],
        [6, 3, 4, 1, 2, 7, 0, 5],
        [7, 2, 1, 4, 3, 6, 5, 0],
    ];
    let nu = 0.3;
    let k = [
        0.5 - nu / 6.0,
        0.125 + nu / 8.0,
        -0.25 - nu / 12.0,
        -0.125 + 3.0 * nu / 8.0,
        -0.25 + nu / 12.0,
        -0.125 - nu / 8.0,
        nu / 6.0,
        0.125 - 3.0 * nu / 8.0,
    ]
    .map(|k| k / (1.0 - nu * nu));
    let node = |x: usize, y: usize| x * (high + 1) + y;
    let held = 2 * (high + 1);
    let mut entries = Vec::new();
    for (x, y) in (0..across).flat_map(|x| (0..high).map(move |y| (x, y))) {
        let nodes = [node(x, y), node(x + 1, y), node(x + 1, y + 1), node(x, y + 1)];
        let places = nodes.map(|node| [2 * node, 2 * node + 1]).concat();
        for (i, j) in (0..64).map(|k| (k / 8, k % 8)).filter(|&(i, j)| places[i].min(places[j]) >= held) {
            entries.push((places[i] - held, places[j] - held, k[ORDER[i][j]]));
        }
    }
    Csr::from_triplets(2 * across * (high + 1), 2 * across * (high + 1), entries)
}

/// Eigenvalues from 1 to 1/condition in a geometric row, turned by three reflections.
fn geometric(n: usize, condition: f64) -> Result<Csr> {
    let mut random = Random(7);
    let mut a: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            vec![0.0; i]
                .into_iter()
                .chain([condition.powf(-(i as f64) / (n - 1) as f64)])
                .chain(vec![0.0; n - 1 - i])
                .collect()
        })
        .collect();
    for _ in 0..3 {
        let v: Vec<f64> = random.floats(n).into_iter().map(f64::from).collect();
        let square = v.iter().map(|v| v * v).sum::<f64>();
        // (I − 2 v vᵀ/v·v) from both sides
        for row in &mut a {
            let share = 2.0 * row.iter().zip(&v).map(|(a, v)| a * v).sum::<f64>() / square;
            row.iter_mut().zip(&v).for_each(|(a, v)| *a -= share * v);
        }
        let shares: Vec<f64> =
            (0..n).map(|j| 2.0 * a.iter().zip(&v).map(|(row, v)| row[j] * v).sum::<f64>() / square).collect();
        for (row, v) in a.iter_mut().zip(&v) {
            row.iter_mut().zip(&shares).for_each(|(a, share)| *a -= share * v);
        }
    }
    let symmetric = |i: usize, j: usize| 0.5 * (a[i][j] + a[j][i]);
    Csr::from_triplets(n, n, (0..n * n).map(|k| (k / n, k % n, symmetric(k / n, k % n))))
}

/// f64 takes 20 to 30; in 32 bits the smallest eigenvalue, 1.1·10⁻¹⁰, is another number.
#[test]
fn hilbert_8_is_solved_in_60_iterations() -> Result<()> {
    assert!(check("Hilbert 8", &hilbert(8)?, Packed2x2::folded(8)?, 1e-10, 2.5)? <= 60);
    Ok(())
}

#[test]
fn a_spectrum_of_condition_1e6_takes_a_fifth_more_than_f64_at_most() -> Result<()> {
    check("geometric, n = 200", &geometric(200, 1e6)?, Packed2x2::folded(200)?, 1e-10, 1.2).map(|_| ())
}

#[test]
fn a_bar_and_a_beam_take_twice_the_iterations_of_f64_at_most() -> Result<()> {
    check("plane bar, n = 320", &bar(40, 3)?, Packed2x2::folded(320)?, 1e-10, 2.0)?;
    check("beam, n = 45", &beam(45)?, Packed2x2::folded(45)?, 1e-10, 2.0).map(|_| ())
}

#[test]
fn poisson_reaches_1e_12() -> Result<()> {
    check("Poisson 64", &Csr::poisson(64, 64)?, Packed2x2::grid(64, 64)?, 1e-12, 1.2)?;
    check("Poisson 128", &Csr::poisson(128, 128)?, Packed2x2::grid(128, 128)?, 1e-12, 1.25).map(|_| ())
}

/// A beam of condition 6.5·10⁷: what f64 can represent of x leaves ‖A‖‖x‖·2⁻⁵³ of the residual, so the bound is four times that.
#[test]
fn a_long_beam_reaches_what_f64_can_tell() -> Result<()> {
    let (a, b) = (beam(140)?, vec![1.0; 140]);
    on_gpu(|gpu| {
        let Solution { x, report } = solved(gpu, &a, Packed2x2::folded(140)?, &b, 1e-12)?;
        let truth = true_residual(&a, &b, &x);
        println!("beam, n = 140: {} iterations, {truth:.2e}", report.iterations);
        assert_eq!(report.reason, Reason::Stalled);
        assert!(truth <= 4.0 * 2f64.powi(-53) * 16.0 * norm(&x) / norm(&b), "{truth:e}");
        assert!((report.relative_residual - truth).abs() <= 1e-6 * truth, "{truth:e} is not {report:?}");
        Ok(())
    })
}

/// The diagonal spreads over 2⁶⁰: rows and columns are scaled, the tolerance stays that of A and b. In those units the
/// bar is as it was, so it takes as many iterations.
#[test]
fn rows_of_other_units_are_scaled() -> Result<()> {
    let d = |i: usize| 2f64.powi(if i.is_multiple_of(3) { 30 } else { 0 });
    let bar = bar(12, 2)?;
    let n = bar.rows();
    let a = Csr::from_triplets(n, n, bar.triplets().map(|(i, j, a)| (i, j, d(i) * a * d(j))))?;
    let b: Vec<f64> = (0..n).map(d).collect();
    on_gpu(|gpu| {
        let of_one = solved(gpu, &bar, Packed2x2::folded(n)?, &vec![1.0; n], 1e-10)?.report.iterations;
        let Solution { x, report } = solved(gpu, &a, Packed2x2::folded(n)?, &b, 1e-10)?;
        let truth = true_residual(&a, &b, &x);
        println!("bar in two units: {} for {of_one}, {truth:.2e}", report.iterations);
        assert!(report.converged() && truth <= 1e-10 * (1.0 + 1e-9), "{} at {truth:e}", report.reason);
        // Its diagonal is not all 1, so S A S is the bar times powers of two near 1.
        assert!(report.iterations <= 2 * of_one, "{} for {of_one}", report.iterations);
        Ok(())
    })
}

#[test]
fn a_guess_a_stop_and_few_iterations_are_heeded() -> Result<()> {
    on_gpu(|gpu| {
        let (a, layout) = (Csr::poisson(13, 9)?, Packed2x2::grid(13, 9)?);
        let b: Vec<f64> = (0..117).map(|i| f64::from(i % 7) - 3.0).collect();
        let mut solver = DoubleSolver::new(&Algebra::new(gpu), layout, DoubleStorage::Gather, a.clone())?;
        let settings = Settings { tolerance: 1e-12, check_every: 4, ..Settings::default() };
        let mut go_on = |_: &_| ControlFlow::Continue(());
        let first = solver.solve(&b, None, &settings, &mut go_on)?;
        assert!(first.report.converged() && true_residual(&a, &b, &first.x) <= 1e-12 * (1.0 + 1e-9));
        assert_eq!(solver.solve(&b, None, &settings, &mut go_on)?, first, "the same bits");
        let again = solver.solve(&b, Some(&first.x), &settings, &mut go_on)?;
        assert_eq!((again.report.iterations, &again.x), (0, &first.x));
        let few = Settings { max_iterations: 5, ..settings.clone() };
        let report = solver.solve(&b, None, &few, &mut go_on)?.report;
        assert_eq!((report.iterations, report.reason), (5, Reason::MaxIterations));
        let report = solver.solve(&b, None, &settings, &mut |_| ControlFlow::Break(()))?.report;
        assert!(
            report.reason == Reason::Stopped && report.iterations < first.report.iterations,
            "{report:?}"
        );
        let zero = solver.solve(&[0.0; 117], None, &settings, &mut go_on)?;
        assert!(zero.report.converged() && zero.x == [0.0; 117]);
        let indefinite = Csr::from_triplets(
            117,
            117,
            (0..117).map(|i| (i, i, if i == 5 { -1.0 } else { 1.0 + i as f64 })),
        )?;
        let mut solver = DoubleSolver::new(&Algebra::new(gpu), layout, DoubleStorage::Banded, indefinite)?;
        let report = solver.solve(&[1.0; 117], None, &settings, &mut go_on)?.report;
        assert!(!report.converged() && report.relative_residual.is_finite(), "{report:?}");
        Ok(())
    })
}

/// After a breakdown, p·Ap ≤ 0, nothing changes any more. Beyond p the residual r would go on: r·Ar is above 0 here.
#[test]
fn an_iteration_after_a_breakdown_changes_nothing() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, layout) = (Algebra::new(gpu), Packed2x2::grid(5, 1)?);
        let diagonal = [4.0, 2.0, 1.0, -1.0, -1.0];
        let a = Csr::from_triplets(5, 5, diagonal.into_iter().enumerate().map(|(i, d)| (i, i, d)))?;
        let b = DoubleVector::new(&algebra, layout, &[-4.0, -4.0, -4.0, -3.0, 3.0])?;
        let mut method = DoubleCg::new(DoubleMatrix::new(&algebra, layout, DoubleStorage::Banded, a)?)?;
        let mut after = |iterations: usize| -> Result<Vec<f64>> {
            let mut x = DoubleVector::zeros(&algebra, layout)?;
            let bounds = Bounds { tolerance: 1e-12, max_iterations: iterations, check_every: 0 };
            method.run(&b, &mut x, bounds, &mut |_, _| true)?;
            x.get()
        };
        let first = after(1)?;
        assert!(first.iter().any(|x| *x != 0.0), "{first:?}");
        for iterations in [2, 3, 6] {
            assert_eq!(after(iterations)?, first, "{iterations} iterations");
        }
        Ok(())
    })
}

/// A product, three passes of sums (32 × 64 texels, 8 × 16, 2 × 4), the scalars, and the update; nothing is read back between.
#[test]
fn an_iteration_is_six_passes_and_no_read_back() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, layout) = (Algebra::new(gpu), Packed2x2::grid(64, 64)?);
        let a = DoubleMatrix::new(&algebra, layout, DoubleStorage::Banded, Csr::poisson(64, 64)?)?;
        let (b, mut x) =
            (DoubleVector::new(&algebra, layout, &[1.0; 4096])?, DoubleVector::zeros(&algebra, layout)?);
        let mut method = DoubleCg::new(a)?;
        let mut counted = |iterations: usize| -> Result<(u64, u64)> {
            let bounds = Bounds { tolerance: 1e-3, max_iterations: iterations, check_every: 0 };
            let before = gpu.counters();
            assert_eq!(method.run(&b, &mut x, bounds, &mut |_, _| true)?.iterations, iterations);
            let after = gpu.counters();
            Ok((after.passes - before.passes, after.read_backs - before.read_backs))
        };
        let ((few, reads), (more, again)) = (counted(3)?, counted(11)?);
        assert_eq!((more - few, reads), (8 * 6, again));
        Ok(())
    })
}

#[test]
fn what_has_no_form_in_double_single_is_refused_by_name() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, layout) = (Algebra::new(gpu), Packed2x2::grid(3, 2)?);
        let mut solver = DoubleSolver::new(&algebra, layout, DoubleStorage::Banded, Csr::poisson(3, 2)?)?;
        let mut line = |b: &[f64], settings: Settings| {
            refusal(solver.solve(b, None, &settings, &mut |_| ControlFlow::Continue(())))
        };
        let settings = Settings::default;
        for (method, name) in [(Method::BiCgStab, "bicgstab"), (Method::Cgls, "cgls")] {
            let found = line(&[1.0; 6], Settings { method, ..settings() });
            assert_eq!(found, format!("method = {name}: expected conjugate gradients, in double-single"));
        }
        let found = line(&[1.0; 6], Settings { preconditioner: Preconditioning::Jacobi, ..settings() });
        assert_eq!(found, "preconditioner = jacobi: expected none, in double-single");
        assert!(line(&[1.0; 5], settings()).contains("right-hand side: 5 values given, 6 expected"));
        assert!(line(&[f64::NAN; 6], settings()).contains("NaN at element 0"));
        assert!(line(&[1.0; 6], Settings { tolerance: 0.0, ..settings() }).contains("tolerance = 0"));
        let wide = Csr::from_triplets(6, 7, [(0, 6, 1.0)])?;
        let found = refusal(DoubleSolver::new(&algebra, layout, DoubleStorage::Gather, wide));
        assert!(found.contains("double-single matrix"), "{found}");
        Ok(())
    })
}
