//! Fused conjugate gradients that compute A p where they need it, beside those that store it and beside f64.

use super::numbers;
use super::support::{on_card, on_gpu};
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, Banded, BoundaryCondition, LinearOperator, Stencil, Vector};
use quadrille::numeric::Csr;
use quadrille::solve::{Bounds, FusedCg, Outcome, Settings, iterate, solve_by};
use quadrille::{Gpu, Limits, Result};
use std::ops::ControlFlow;

/// Five points on a grid, 6 at least on the diagonal: condition 10/2 at most. By diagonals, and as stencils with both kinds of edge.
fn matrices(algebra: &Algebra, layout: Packed2x2) -> Result<Vec<(&'static str, Box<dyn LinearOperator>)>> {
    let points = [((0, 0), 6.0), ((1, 0), -1.0), ((-1, 0), -1.0), ((0, 1), -1.0), ((0, -1), -1.0)];
    let stencil = |edge| -> Result<Box<dyn LinearOperator>> {
        Ok(Box::new(Stencil::new(algebra, layout, edge, &points)?))
    };
    let poisson = Csr::poisson(layout.width() as usize, layout.height() as usize)?;
    let more = |(row, column, value): (usize, usize, f64)| {
        (row, column, if row == column { value + 2.0 + (row % 3) as f64 } else { value })
    };
    let matrix = Csr::from_triplets(layout.len(), layout.len(), poisson.triplets().map(more))?;
    Ok(vec![
        ("diagonals", Box::new(Banded::new(algebra, layout, matrix)?)),
        ("fixed edges", stencil(BoundaryCondition::Dirichlet)?),
        ("reflecting edges", stencil(BoundaryCondition::Neumann)?),
    ])
}

fn method(a: &dyn LinearOperator, jacobi: bool, inlining: bool) -> Result<FusedCg> {
    let inverse = match jacobi {
        true => {
            let inverse: Vec<f32> = a.diagonal().iter().map(|d| (1.0 / d) as f32).collect();
            Some(a.algebra().vector(a.columns(), &inverse)?)
        }
        false => None,
    };
    Ok(FusedCg::new(a.algebra(), a.columns(), inverse)?.inlining(inlining))
}

fn right_side(a: &dyn LinearOperator) -> Result<Vector> {
    let b: Vec<f32> = numbers(a.rows().len(), 3).iter().map(|&b| b as f32).collect();
    a.algebra().vector(a.rows(), &b)
}

fn run(method: &mut FusedCg, a: &dyn LinearOperator, bounds: Bounds) -> Result<(Outcome, Vec<f32>)> {
    let mut x = a.algebra().zeros(a.columns())?;
    let outcome = iterate(method, a, &right_side(a)?, &mut x, bounds, &mut |_, _| true)?;
    Ok((outcome, x.get()?))
}

const LAYOUTS: [(u32, u32); 7] = [(1, 1), (2, 1), (1, 9), (7, 5), (33, 17), (130, 9), (64, 64)];

/// An odd number of steps ends with one that x has not made yet.
#[test]
fn inlined_steps_are_those_of_stored_products() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        for (width, height) in LAYOUTS {
            for (name, a) in matrices(&algebra, Packed2x2::grid(width, height)?)? {
                for jacobi in [false, true] {
                    let (mut stored, mut inlined) = (method(&a, jacobi, false)?, method(&a, jacobi, true)?);
                    for steps in 1..=4 {
                        let bounds = Bounds { tolerance: 0.0, max_iterations: steps, check_every: 0 };
                        let ((_, x), (_, y)) =
                            (run(&mut stored, &a, bounds)?, run(&mut inlined, &a, bounds)?);
                        let (_, again) = run(&mut inlined, &a, bounds)?;
                        assert_eq!(y, again, "{name} {width}x{height}: the same bits on every run");
                        // Each of the five sums errs by 30 roundings of its magnitudes at most (a tree), and so α and β by some hundred of
                        // what they are; directions take that over from step to step.
                        let size = x.iter().fold(0.0, |most: f32, x| most.max(x.abs()));
                        let bound = 200.0 * steps as f32 * size * 2f32.powi(-24);
                        let apart = x.iter().zip(&y).fold(0.0, |most: f32, (x, y)| most.max((x - y).abs()));
                        assert!(
                            size > 0.0 && apart <= bound,
                            "{name} {width}x{height}, {steps} steps, jacobi {jacobi}: {apart:e} apart, {bound:e} allowed"
                        );
                    }
                }
            }
        }
        Ok(())
    })
}

/// The number of steps to a tolerance is even for one and odd for another; what comes after the end changes nothing.
#[test]
fn inlined_solves_end_where_stored_ones_do_with_a_residual_that_is_true() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let mut parities = [false; 2];
        for (width, height) in [(7, 5), (64, 64)] {
            for (name, a) in matrices(&algebra, Packed2x2::grid(width, height)?)? {
                for tolerance in [0.5, 0.1, 1e-2, 3e-3, 1e-3, 1e-4] {
                    for check_every in [1, 3, 16] {
                        let bounds = Bounds { tolerance, max_iterations: 100, check_every };
                        let (stored, _) = run(&mut method(&a, false, false)?, &a, bounds)?;
                        let (inlined, x) = run(&mut method(&a, false, true)?, &a, bounds)?;
                        let what = format!("{name} {width}x{height} to {tolerance}");
                        assert!(
                            stored.iterations.abs_diff(inlined.iterations) <= 1,
                            "{what}: {stored:?}, {inlined:?}"
                        );
                        parities[inlined.iterations % 2] = true;
                        let x: Vec<f64> = x.into_iter().map(f64::from).collect();
                        let b: Vec<f64> = right_side(&a)?.get()?.into_iter().map(f64::from).collect();
                        let square = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
                        let left: Vec<f64> = b.iter().zip(a.multiply(&x)).map(|(b, p)| b - p).collect();
                        // ‖A‖‖x‖ is 5 ‖b‖ at most here, and each of the few steps rounds x and r once or twice.
                        let rounding = 100.0 * 5.0 * 2f64.powi(-24);
                        let found = square(&left) / square(&b);
                        assert!(found <= f64::from(tolerance) + rounding, "{what}: {found:e} is left");
                        assert!((found - inlined.residual()).abs() <= rounding, "{what}: {found:e}");
                    }
                }
            }
        }
        assert_eq!(parities, [true; 2]);
        Ok(())
    })
}

/// A p is (0, 1) where p is (1, 0), so p · A p is 0: no step follows, and x stays 0 instead of becoming r · r / 0, however many steps were asked for.
#[test]
fn a_direction_without_curvature_is_followed_by_no_step() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let sides = [((1, 0), 1.0), ((-1, 0), 1.0)];
        let a = Stencil::new(&algebra, Packed2x2::grid(2, 1)?, BoundaryCondition::Dirichlet, &sides)?;
        let b = algebra.vector(a.rows(), &[1.0, 0.0])?;
        for max_iterations in 1..=4 {
            let mut x = algebra.zeros(a.columns())?;
            let mut method = FusedCg::new(&algebra, a.columns(), None)?.inlining(true);
            let bounds = Bounds { tolerance: 0.0, max_iterations, check_every: 0 };
            iterate(&mut method, &a, &b, &mut x, bounds, &mut |_, _| true)?;
            assert_eq!(x.get()?, [0.0, 0.0], "{max_iterations} steps");
        }
        Ok(())
    })
}

/// Beside b = 0 the tolerance is that of the residual itself: a start below it is left as it is.
#[test]
fn a_start_within_the_tolerance_of_nothing_stays() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        for (name, a) in matrices(&algebra, Packed2x2::grid(7, 5)?)? {
            let start = [1e-3_f32; 35];
            for max_iterations in 1..=4 {
                let (mut x, b) = (algebra.vector(a.columns(), &start)?, algebra.zeros(a.rows())?);
                let bounds = Bounds { tolerance: 1.0, max_iterations, check_every: 16 };
                iterate(&mut method(&a, false, true)?, &a, &b, &mut x, bounds, &mut |_, _| true)?;
                assert_eq!(x.get()?, start, "{name}, {max_iterations} steps");
            }
        }
        Ok(())
    })
}

/// One pass fewer an iteration, which is the product; renderers on the CPU keep it.
#[test]
fn an_inlined_product_is_no_pass_of_its_own() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let layout = Packed2x2::grid(64, 64)?;
        for (name, a) in matrices(&algebra, layout)? {
            let passes = |method: &mut FusedCg| -> Result<u64> {
                let mut of = |max_iterations| -> Result<u64> {
                    let before = gpu.counters().passes;
                    run(method, &a, Bounds { tolerance: 0.0, max_iterations, check_every: 0 })?;
                    Ok(gpu.counters().passes - before)
                };
                Ok((of(20)? - of(10)?) / 10)
            };
            let found = [passes(&mut method(&a, false, false)?)?, passes(&mut method(&a, false, true)?)?];
            assert_eq!(found, [4, 3], "{name}: 32x32 texels are summed in two passes");
            let default = passes(&mut FusedCg::new(&algebra, layout, None)?)?;
            assert_eq!(default, if gpu.driver().runs_on_cpu() { 4 } else { 3 }, "{name}");
        }
        Ok(())
    })
}

/// A card whose passes are too short for it has its products stored, as have matrices of other storages.
#[test]
fn what_cannot_be_inlined_is_stored() -> Result<()> {
    let few = Limits { name: "few fetches", fetches: 200, ..Limits::GEFORCE_6800 };
    let solved = |gpu: &Gpu| -> Result<()> {
        let algebra = Algebra::new(gpu);
        let layout = Packed2x2::grid(9, 9)?;
        let (a, b) = (Banded::new(&algebra, layout, Csr::poisson(9, 9)?)?, [1.0; 81]);
        for inlining in [false, true] {
            let method = Box::new(method(&a, false, inlining)?);
            let settings = Settings { tolerance: 1e-10, ..Settings::default() };
            let found = solve_by(method, &a, &b, None, &settings, &mut |_| ControlFlow::Continue(()))?;
            assert!(found.report.converged() && found.report.relative_residual <= 1e-10);
        }
        Ok(())
    };
    on_card(Limits { targets: 4, ..few }, solved)?;
    on_gpu(solved)
}
