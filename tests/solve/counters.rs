//! The GPU work of a solver, counted: read-backs, textures, compiles; and the same counts the second time.

use super::support::on_gpu;
use super::{EVERY, banded, numbers};
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, Banded, LinearOperator};
use quadrille::numeric::Csr;
use quadrille::solve::{
    BiCgStab, Bounds, Cg, Cgls, FusedCg, Iteration, Method, Outcome, Settings, iterate, solve,
};
use quadrille::{Gpu, Result};
use quadrille_oracle::matrices;

/// Each iteration on that matrix, with and without a preconditioner where it may have one.
fn all(a: &dyn LinearOperator) -> Result<Vec<(&'static str, Box<dyn Iteration>)>> {
    let (algebra, layout) = (a.algebra(), a.columns());
    let inverse = || -> Result<_> {
        let inverse: Vec<f32> = a.diagonal().iter().map(|d| (1.0 / d) as f32).collect();
        Ok(Some(algebra.vector(layout, &inverse)?))
    };
    Ok(vec![
        ("cg", Box::new(Cg::new(algebra, layout, None)?)),
        ("cg, jacobi", Box::new(Cg::new(algebra, layout, inverse()?)?)),
        ("fused", Box::new(FusedCg::new(algebra, layout, None)?)),
        ("fused, jacobi", Box::new(FusedCg::new(algebra, layout, inverse()?)?)),
        ("bicgstab", Box::new(BiCgStab::new(algebra, layout, None)?)),
        ("bicgstab, jacobi", Box::new(BiCgStab::new(algebra, layout, inverse()?)?)),
        ("cgls", Box::new(Cgls::new(a)?)),
    ])
}

fn poisson(gpu: &Gpu) -> Result<Banded> {
    Banded::new(&Algebra::new(gpu), Packed2x2::grid(40, 40)?, Csr::poisson(40, 40)?)
}

/// From 0; the outcome and x.
fn run(
    method: &mut dyn Iteration,
    a: &Banded,
    bounds: Bounds,
    watch: &mut dyn FnMut(usize, f64) -> bool,
) -> Result<(Outcome, Vec<f32>)> {
    let algebra = a.algebra().clone();
    let values: Vec<f32> = numbers(1600, 1).iter().map(|&v| v as f32).collect();
    let (b, mut x) = (algebra.vector(a.rows(), &values)?, algebra.zeros(a.columns())?);
    let outcome = iterate(method, a, &b, &mut x, bounds, watch)?;
    Ok((outcome, x.get()?))
}

/// The read-backs are b·b, the history's one row, and x by the test; no more of them for 200 iterations than for one.
#[test]
fn a_fixed_number_of_iterations_reads_its_history_alone_and_at_the_end() -> Result<()> {
    on_gpu(|gpu| {
        let a = poisson(gpu)?;
        for (name, mut method) in all(&a)? {
            for iterations in [1, 10, 63, 64, 200] {
                let bounds = Bounds { tolerance: 1e-3, max_iterations: iterations, check_every: 0 };
                let before = gpu.counters();
                let mut looks = 0;
                let (outcome, _) = run(&mut *method, &a, bounds, &mut |_, _| {
                    looks += 1;
                    true
                })?;
                let after = gpu.counters();
                assert_eq!((outcome.iterations, looks), (iterations, 0), "{name}");
                assert_eq!(after.read_backs - before.read_backs, 3, "{name}, {iterations}");
                assert_eq!(after.uploads - before.uploads, 1, "{name}: b");
            }
        }
        Ok(())
    })
}

#[test]
fn a_look_is_one_read_back() -> Result<()> {
    on_gpu(|gpu| {
        let a = poisson(gpu)?;
        for (name, mut method) in all(&a)? {
            // A tolerance that is never met: looks at entries 8, 16, ... 40, and at 41 in the end; b·b, and x.
            let bounds = Bounds { tolerance: 0.0, max_iterations: 40, check_every: 8 };
            let (before, mut seen) = (gpu.counters().read_backs, Vec::new());
            let (outcome, _) = run(&mut *method, &a, bounds, &mut |iterations, residual| {
                seen.push((iterations, residual));
                true
            })?;
            assert_eq!(gpu.counters().read_backs - before, 5 + 1 + 1 + 1, "{name}");
            // The residual that is told was asked for at the look before: the newest residual after 7, 15, ... iterations.
            let iterations: Vec<usize> = seen.iter().map(|s| s.0).collect();
            assert_eq!(iterations, [16, 24, 32, 40], "{name}");
            for (look, &(_, residual)) in seen.iter().enumerate() {
                assert_eq!(residual, outcome.history[8 * look + 7], "{name}");
            }
        }
        Ok(())
    })
}

#[test]
fn iterations_allocate_nothing_once_they_are_warm() -> Result<()> {
    on_gpu(|gpu| {
        let a = poisson(gpu)?;
        for (name, mut method) in all(&a)? {
            let mut bytes = Vec::new();
            let bounds = Bounds { tolerance: 0.0, max_iterations: 60, check_every: 2 };
            run(&mut *method, &a, bounds, &mut |_, _| {
                let counters = gpu.counters();
                bytes.push((counters.live_bytes + counters.pooled_bytes, counters.live, counters.compiles));
                true
            })?;
            // Iterations that are made again for a better x have given one vector back to the pool.
            let spares = |two: &[(u64, usize, u64)]| {
                (two[0].0, two[0].2) == (two[1].0, two[1].2) && two[1].1 <= two[0].1
            };
            assert!(bytes.len() > 20 && bytes[1..].windows(2).all(spares), "{name}: {bytes:?}");
            // A second solve finds all it needs in the pool.
            let before = gpu.counters();
            run(&mut *method, &a, bounds, &mut |_, _| true)?;
            let after = gpu.counters();
            let total = |c: &quadrille::gl::Counters| (c.live_bytes + c.pooled_bytes, c.live, c.compiles);
            assert_eq!(total(&before), total(&after), "{name}");
        }
        Ok(())
    })
}

#[test]
fn a_second_solve_compiles_nothing() -> Result<()> {
    on_gpu(|gpu| {
        for matrix in [Csr::poisson(20, 20)?, matrices::positive_definite(400, 3, 1)?] {
            let a = banded(gpu, &matrix)?;
            for method in [Method::Cg, Method::BiCgStab, Method::Cgls] {
                let settings = Settings { method, tolerance: 1e-9, ..Settings::default() };
                solve(&a, &numbers(400, 2), None, &settings)?;
                let before = gpu.counters();
                solve(&a, &numbers(400, 3), None, &settings)?;
                let after = gpu.counters();
                assert_eq!(before.compiles, after.compiles, "{method:?}");
                let total = |c: &quadrille::gl::Counters| (c.live_bytes + c.pooled_bytes, c.live);
                assert_eq!(total(&before), total(&after), "{method:?}");
            }
        }
        Ok(())
    })
}

#[test]
fn the_same_system_is_solved_to_the_same_bits() -> Result<()> {
    on_gpu(|gpu| {
        let a = banded(gpu, &Csr::poisson(23, 17)?)?;
        let b = numbers(23 * 17, 4);
        for (method, fused, preconditioner) in EVERY {
            let settings =
                Settings { method, fused, preconditioner, tolerance: 1e-10, ..Settings::default() };
            let once = solve(&a, &b, None, &settings)?;
            let twice = solve(&a, &b, None, &settings)?;
            assert_eq!(once, twice, "{settings:?}");
            // Another storage of the same matrix in the same context, made anew.
            assert_eq!(
                once,
                solve(&banded(gpu, &Csr::poisson(23, 17)?)?, &b, None, &settings)?,
                "{settings:?}"
            );
        }
        Ok(())
    })
}
