//! Systems that cannot be solved are named, and soon.

use super::support::on_gpu;
use super::{banded, numbers};
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, Dense, Diagonal, LinearOperator, Points};
use quadrille::numeric::Csr;
use quadrille::pug::Step;
use quadrille::solve::{
    Bounds, Cg, Method, Preconditioning, Reason, Report, Settings, SteeredCg, iterate, solve,
};
use quadrille::{Gpu, Result};
use quadrille_oracle::matrices;

const EVERY: [(Method, bool); 4] =
    [(Method::Cg, true), (Method::Cg, false), (Method::BiCgStab, true), (Method::Cgls, true)];

fn reported(a: &dyn LinearOperator, b: &[f64], settings: &Settings) -> Result<Report> {
    let solution = solve(a, b, None, settings)?;
    assert!(solution.x.iter().all(|x| x.is_finite()), "{settings:?}: {:?}", solution.report);
    let report = solution.report;
    println!("{:?} fused {}: {} after {}", settings.method, settings.fused, report.reason, report.iterations);
    // A residual that is not a number is never taken for a small one.
    assert!(!report.converged() || report.relative_residual.is_finite(), "{report:?}");
    // The end of patience, and nothing like the number of iterations allowed.
    assert!(report.iterations < 3000, "{report:?}");
    Ok(report)
}

fn settings(method: Method, fused: bool) -> Settings {
    Settings { method, fused, ..Settings::default() }
}

fn tells_one_of(gpu: &Gpu, matrix: &Csr, b: &[f64], known: &[Reason], what: &str) -> Result<()> {
    for fused in [true, false] {
        for preconditioner in [Preconditioning::None, Preconditioning::Jacobi] {
            let settings = Settings { preconditioner, ..settings(Method::Cg, fused) };
            let report = reported(&banded(gpu, matrix)?, b, &settings)?;
            // Luck is an answer too: what is reported holds in f64.
            let lucky = report.converged() && report.relative_residual <= 1e-6;
            assert!(lucky || known.contains(&report.reason), "{what}, {settings:?}: {report:?}");
        }
    }
    Ok(())
}

#[test]
fn conjugate_gradients_say_that_a_matrix_is_indefinite() -> Result<()> {
    on_gpu(|gpu| {
        let alternating = |n: usize| {
            Csr::from_triplets(n, n, (0..n).map(move |i| (i, i, if i % 2 == 0 { 1.0 } else { -1.0 })))
        };
        // With an even number, p·A p of the first step is 0: no sign to tell.
        let broken = [Reason::ZeroDivisor, Reason::Indefinite];
        tells_one_of(gpu, &alternating(24)?, &[1.0; 24], &broken, "1, -1, 1, ... of 24")?;
        tells_one_of(gpu, &alternating(25)?, &numbers(25, 1), &broken, "1, -1, 1, ... of 25")?;
        // Poisson less what lies in the middle of its eigenvalues, and the whole of it negative.
        let shifted = |by: f64| {
            let diagonal = (0..144).map(|i| (i, i, by));
            Csr::from_triplets(144, 144, Csr::poisson(12, 12)?.triplets().chain(diagonal))
        };
        for by in [-1.0, -3.9, -4.5, -9.0] {
            tells_one_of(gpu, &shifted(by)?, &numbers(144, 2), &[Reason::Indefinite], &format!("less {by}"))?;
        }
        Ok(())
    })
}

#[test]
fn jacobi_does_not_hide_an_indefinite_matrix() -> Result<()> {
    on_gpu(|gpu| {
        // r·r/diag < 0 < p·A p at the first step, if M had the signs of the diagonal.
        let two = Csr::from_triplets(2, 2, [(0, 0, -1.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 1.0)])?;
        for fused in [true, false] {
            let preconditioner = Preconditioning::Jacobi;
            let settings = Settings { preconditioner, ..settings(Method::Cg, fused) };
            let report = reported(&banded(gpu, &two)?, &[1.1, 1.0], &settings)?;
            // A method that does not stop there may find its way, and says so.
            let lucky = !fused && report.converged() && report.relative_residual <= 1e-6;
            assert!(lucky || report.reason == Reason::Indefinite, "{report:?}");
        }
        // A negative element of the diagonal among others.
        for place in [0, 17, 39] {
            let mut entries: Vec<_> = matrices::positive_definite(40, 3, 1)?.triplets().collect();
            entries.push((place, place, -40.0));
            let matrix = Csr::from_triplets(40, 40, entries)?;
            tells_one_of(gpu, &matrix, &numbers(40, 3), &[Reason::Indefinite], &format!("at {place}"))?;
        }
        Ok(())
    })
}

/// −1, 2, −1 and 1 at both ends: constant vectors are its null space.
fn free_ends(n: usize) -> Result<Csr> {
    let links = (1..n).flat_map(|i| [(i - 1, i - 1, 1.0), (i, i, 1.0), (i - 1, i, -1.0), (i, i - 1, -1.0)]);
    Csr::from_triplets(n, n, links.collect::<Vec<_>>())
}

#[test]
fn a_fixed_number_of_iterations_names_a_breakdown_too() -> Result<()> {
    on_gpu(|gpu| {
        let signs = (0..40).map(|i| (i, i, (i + 1) as f64 * if i % 2 == 0 { 1.0 } else { -1.0 }));
        let a = banded(gpu, &Csr::from_triplets(40, 40, signs)?)?;
        for fused in [true, false] {
            let settings = Settings { check_every: 0, max_iterations: 5, ..settings(Method::Cg, fused) };
            let report = reported(&a, &[1.0; 40], &settings)?;
            assert_eq!(report.reason, Reason::Indefinite, "{report:?}");
            // p·A p = −20 in the first step: fused gradients stand still from there on, plain ones go on.
            assert_eq!(report.iterations, if fused { 0 } else { 5 }, "{report:?}");
        }
        Ok(())
    })
}

/// p·A p = 1 − 1, and −2, of the first p.
#[test]
fn scalars_on_the_cpu_name_a_breakdown_as_others_do() -> Result<()> {
    on_gpu(|gpu| {
        let bounds = Bounds { tolerance: 1e-5, max_iterations: 9, check_every: 1 };
        let steered = SteeredCg::new(gpu, Step::default(), 1)?;
        for (last, reason) in [(-1.0, Reason::ZeroDivisor), (-3.0, Reason::Indefinite)] {
            let a = banded(gpu, &Csr::from_triplets(2, 2, [(0, 0, 1.0), (1, 1, last)])?)?;
            let ones = a.algebra().vector(a.rows(), &[1.0; 2])?;
            let mut x = a.algebra().zeros(a.rows())?;
            let outcome = steered.solve(&a, &ones, (&ones, &mut x), bounds, &mut |_, work| work())?;
            assert_eq!((outcome.reason, outcome.iterations), (reason, 0));
        }
        Ok(())
    })
}

/// 100 eigenvalues over four and a half decades take gradients of 32 bits several times as many iterations as there are unknowns, with a
/// new smallest residual at least every hundred (found in f32 on the CPU before): that is no stall, however long it takes.
#[test]
fn patience_begins_anew_with_every_smallest_residual() -> Result<()> {
    on_gpu(|gpu| {
        let value = |i: usize| 10f64.powf(4.5 * i as f64 / 99.0);
        let a = banded(gpu, &Csr::from_triplets(100, 100, (0..100).map(|i| (i, i, value(i))))?)?;
        let (b, mut x) = (a.algebra().vector(a.rows(), &[1.0; 100])?, a.algebra().zeros(a.rows())?);
        let bounds = Bounds { tolerance: 1e-6, max_iterations: 3000, check_every: 16 };
        let mut method = Cg::new(a.algebra(), a.rows(), None)?;
        let outcome = iterate(&mut method, &a, &b, &mut x, bounds, &mut |_, _| true)?;
        assert!(outcome.reason == Reason::Converged, "{} after {}", outcome.reason, outcome.iterations);
        assert!(outcome.iterations > 550, "the test itself: {}", outcome.iterations);
        Ok(())
    })
}

#[test]
fn a_singular_matrix_is_solved_where_there_is_a_solution() -> Result<()> {
    on_gpu(|gpu| {
        let matrix = free_ends(50)?;
        let b = matrix.multiply(&numbers(50, 4));
        for (method, fused) in EVERY {
            let report = reported(&banded(gpu, &matrix)?, &b, &settings(method, fused))?;
            assert!(report.converged(), "{method:?}: {report:?}");
        }
        Ok(())
    })
}

#[test]
fn a_singular_matrix_is_given_up_where_there_is_none() -> Result<()> {
    on_gpu(|gpu| {
        let matrix = free_ends(50)?;
        for b in [vec![1.0; 50], numbers(50, 5)] {
            for (method, fused) in EVERY {
                let report = reported(&banded(gpu, &matrix)?, &b, &settings(method, fused))?;
                if method == Method::Cgls {
                    assert!(report.converged(), "least squares always have an answer: {report:?}");
                    continue;
                }
                let known = [Reason::Stalled, Reason::ZeroDivisor, Reason::Indefinite, Reason::NotFinite];
                assert!(known.contains(&report.reason), "{method:?} {fused}: {report:?}");
            }
        }
        Ok(())
    })
}

#[test]
fn a_matrix_of_nothing_is_named_in_every_storage() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let layout = Packed2x2::folded(6)?;
        let empty = Csr::from_triplets(6, 6, [])?;
        let zeros = Csr::from_triplets(6, 6, (0..6).map(|i| (i, i, 0.0)))?;
        for matrix in [empty, zeros] {
            let storages: [Box<dyn LinearOperator>; 4] = [
                Box::new(banded(gpu, &matrix)?),
                Box::new(Points::new(&algebra, layout, layout, matrix.clone())?),
                Box::new(Dense::from_csr(&algebra, layout, layout, &matrix)?),
                Box::new(Diagonal::new(&algebra, layout, &[0.0; 6])?),
            ];
            for a in &storages {
                for (method, fused) in EVERY {
                    let report = reported(&**a, &[1.0; 6], &settings(method, fused))?;
                    let least = method == Method::Cgls; // all x are as good: 0 is the shortest
                    let expected = if least { Reason::Converged } else { Reason::ZeroDivisor };
                    assert_eq!(report.reason, expected, "{method:?}");
                    assert_eq!(report.relative_residual, 1.0);
                }
            }
        }
        Ok(())
    })
}

#[test]
fn unsymmetric_matrices_end_conjugate_gradients() -> Result<()> {
    on_gpu(|gpu| {
        let skew = Csr::from_triplets(2, 2, [(0, 1, 1.0), (1, 0, -1.0)])?;
        tells_one_of(gpu, &skew, &[1.0, 2.0], &[Reason::ZeroDivisor], "skew")?;
        let windy = matrices::convection_diffusion(15, 15, [4.0, -3.0])?;
        for fused in [true, false] {
            let report = reported(&banded(gpu, &windy)?, &numbers(225, 6), &settings(Method::Cg, fused))?;
            assert!(!report.converged() || report.relative_residual <= 1e-6, "{report:?}");
        }
        Ok(())
    })
}

#[test]
fn entries_that_are_no_numbers_are_not_taken_for_solved() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let layout = Packed2x2::grid(5, 7)?;
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e39] {
            let mut entries: Vec<_> = Csr::poisson(5, 7)?.triplets().collect();
            entries.push((17, 17, bad));
            let matrix = Csr::from_triplets(35, 35, entries)?;
            let storages: [Box<dyn LinearOperator>; 3] = [
                Box::new(banded(gpu, &matrix)?),
                Box::new(Points::new(&algebra, layout, layout, matrix.clone())?),
                Box::new(Dense::from_csr(&algebra, layout, layout, &matrix)?),
            ];
            for a in &storages {
                for (method, fused) in EVERY {
                    for guess in [None, Some(vec![1.0; 35])] {
                        let solution = solve(&**a, &[1.0; 35], guess.as_deref(), &settings(method, fused))?;
                        let report = solution.report;
                        assert_eq!(report.reason, Reason::NotFinite, "{bad} {method:?} {fused}: {report:?}");
                        assert!(report.iterations <= 64, "{report:?}");
                    }
                }
            }
        }
        Ok(())
    })
}

#[test]
fn as_many_iterations_as_allowed_and_no_more() -> Result<()> {
    on_gpu(|gpu| {
        let a = banded(gpu, &Csr::poisson(20, 20)?)?;
        let b = numbers(400, 7);
        for (method, fused) in EVERY {
            for max_iterations in [0, 1, 2, 15, 16, 17, 40] {
                for check_every in [0, 1, 3, 16, 1000] {
                    let settings =
                        Settings { tolerance: 1e-12, max_iterations, check_every, ..settings(method, fused) };
                    let report = solve(&a, &b, None, &settings)?.report;
                    assert_eq!(report.reason, Reason::MaxIterations, "{settings:?}: {report:?}");
                    assert_eq!(report.iterations, max_iterations, "{settings:?}");
                    assert_eq!(report.history.len(), max_iterations + 1, "{settings:?}");
                }
            }
        }
        Ok(())
    })
}

/// For a constant right side, the residual of −1, 2, −1 grows until the last of n/2 steps, which makes it 0.
#[test]
fn a_residual_that_grows_on_the_way_is_no_stall() -> Result<()> {
    on_gpu(|gpu| {
        let n = 1500;
        let entries = (0..n).flat_map(|i| [(i, i, 2.0), (i, i + 1, -1.0), (i + 1, i, -1.0)]);
        let line = Csr::from_triplets(n, n, entries.filter(|e| e.0 < n && e.1 < n))?;
        for fused in [true, false] {
            let report =
                solve(&banded(gpu, &line)?, &vec![1.0; n], None, &settings(Method::Cg, fused))?.report;
            assert!(report.converged(), "fused {fused}: {} after {}", report.reason, report.iterations);
            // It grows for n / 2 steps at least, which is longer than any other stall would be waited for.
            assert!(report.iterations >= n / 2, "{}", report.iterations);
        }
        Ok(())
    })
}

/// Whoever looks late finds what somebody who looked in time would have found, to the bit.
#[test]
fn steps_after_the_tolerance_is_met_change_nothing() -> Result<()> {
    on_gpu(|gpu| {
        let one = Csr::from_triplets(1, 1, [(0, 0, 3.0)])?;
        let (spd, grid) = (matrices::positive_definite(60, 5, 1)?, Csr::poisson(9, 9)?);
        for matrix in [one, spd, grid] {
            let (a, b) = (banded(gpu, &matrix)?, numbers(matrix.rows(), 9));
            for (method, fused) in EVERY {
                for preconditioner in [Preconditioning::None, Preconditioning::Jacobi] {
                    if method == Method::Cgls && preconditioner == Preconditioning::Jacobi {
                        continue;
                    }
                    let with = |check_every| {
                        let settings = settings(method, fused);
                        solve(
                            &a,
                            &b,
                            None,
                            &Settings { check_every, preconditioner, tolerance: 1e-9, ..settings },
                        )
                    };
                    let soon = with(1)?;
                    assert!(soon.report.converged(), "{method:?}: {:?}", soon.report.reason);
                    for check_every in [16, 100] {
                        assert_eq!(
                            soon,
                            with(check_every)?,
                            "{method:?} {fused} looked at every {check_every}"
                        );
                    }
                }
            }
        }
        Ok(())
    })
}

/// A direction that is kept is divided by its length; one of length 0 has none, and is kept as 0. A relative 2^-20 is more than any
/// driver's inverse square root is off.
#[test]
fn a_direction_of_length_0_is_kept_as_0() -> Result<()> {
    on_gpu(|gpu| {
        let s: Vec<f32> = (0..2 * 3 * 4).map(|n| n as f32 - 7.0).collect();
        let kept = gpu.buffer(2, 3).components(4).build()?;
        for (square, share) in [(0.0, 0.0), (6.25, 0.4f32)] {
            let mut program = gpu.builtin("solve/past_keep.frag")?;
            program.bind_stream("s", &gpu.buffer(2, 3).components(4).init(&s)?)?;
            program.bind_stream("square", &gpu.buffer(1, 1).init(&[square])?)?.run(&kept)?;
            for (found, s) in kept.data()?.iter().zip(&s) {
                let exact = s * share;
                assert!((found - exact).abs() <= exact.abs() * 1e-6, "{square}: {found}, {exact}");
            }
        }
        Ok(())
    })
}
