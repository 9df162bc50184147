//! How bodies go on: steps against the reference, orbits that close, and what stays as it is.

use std::ops::ControlFlow;

use quadrille::sim::nbody::{Body, Forces, Integrator, NBody, Parameters, scenes};
use quadrille::{Gpu, Result};
use quadrille_oracle::nbody as oracle;

use super::{FORCES, U, check_pulls, cloud};
use crate::support::on_gpu;

/// The largest difference of places and of velocities.
fn farthest(found: &[Body], expected: &[Body]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let of = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, f64::max);
    let each = found.iter().zip(expected);
    each.map(|(f, e)| of(f.position, e.position).max(of(f.velocity, e.velocity))).fold(0.0, f64::max)
}

/// Numbers below 2 are rounded twice in a kick or a drift, by 2⁻²⁴ each; accelerations of 31 bodies are below 100, right to
/// 63 roundings (see `check_pulls`), and count by the time step of 0.01.
#[test]
fn a_step_is_that_of_the_reference() -> Result<()> {
    on_gpu(|gpu| {
        for (integrator, step) in [
            (Integrator::Leapfrog, oracle::leapfrog as fn(&mut [Body], f64, f64)),
            (Integrator::Euler, oracle::euler),
        ] {
            for forces in FORCES {
                let parameters = Parameters { integrator, forces, softening: 0.2, ..Parameters::default() };
                let mut nbody = NBody::new(gpu, &cloud(31, 4), parameters)?;
                for steps in 1..=5 {
                    let mut expected = nbody.bodies()?;
                    step(&mut expected, parameters.time_step.into(), parameters.softening.into());
                    nbody.step()?;
                    let bound = 8.0 * 2.0 * U + 63.0 * U * 100.0 * 0.01;
                    let miss = farthest(&nbody.bodies()?, &expected);
                    assert!(miss <= bound, "{integrator:?} {forces:?}: {miss:e} > {bound:e}");
                    assert_eq!(nbody.steps(), steps);
                    assert!((nbody.time() - steps as f64 * f64::from(parameters.time_step)).abs() < 1e-12);
                    check_pulls(&nbody)?;
                }
            }
        }
        Ok(())
    })
}

/// Energy in f64 of a state that was read back.
fn energy(nbody: &NBody) -> Result<f64> {
    Ok(oracle::conserved(&nbody.bodies()?, nbody.parameters().softening.into()).energy())
}

/// A thousand steps a period: by itself the scheme misses the start by 6·10⁻⁵ then, and its energy swings by 2.4·10⁻⁵.
#[test]
fn the_figure_eight_closes_and_keeps_its_energy_over_ten_periods() -> Result<()> {
    on_gpu(|gpu| {
        for forces in FORCES {
            let scene = scenes::figure_eight();
            let parameters = Parameters { forces, ..scene.parameters };
            let mut nbody = NBody::new(gpu, &scene.bodies, parameters)?;
            let start = energy(&nbody)?;
            for twentieth in 1..=200 {
                (0..50).try_for_each(|_| nbody.step())?;
                let drift = ((energy(&nbody)? - start) / start).abs();
                assert!(drift <= 1e-4, "{drift:e} after {twentieth} twentieths of a period");
                if twentieth == 20 {
                    let miss = farthest(&nbody.bodies()?, &scene.bodies);
                    assert!(miss <= 1e-3, "{miss:e} after a period");
                }
            }
        }
        Ok(())
    })
}

/// The slides' Euler is of first order: half the step, half the miss; leapfrog's is a quarter. A circle of radius 1 goes
/// from Euler's path by ½ Δt for each unit of time, and half of its time step takes that down to a half within a tenth.
#[test]
fn halving_the_step_halves_what_euler_misses_and_quarters_what_leapfrog_does() -> Result<()> {
    on_gpu(|gpu| {
        let circle = [
            Body { mass: 1.0, ..Body::default() },
            Body { position: [1.0, 0.0, 0.0], velocity: [0.0, 1.0, 0.0], mass: 0.0 },
        ];
        let (sin, cos) = 1f64.sin_cos();
        for (integrator, steps, factor) in [(Integrator::Euler, 256, 2.0), (Integrator::Leapfrog, 16, 4.0)] {
            let missed = |steps: u32| {
                let time_step = 1.0 / steps as f32;
                let parameters =
                    Parameters { time_step, softening: 0.0, integrator, ..Parameters::default() };
                let mut nbody = NBody::new(gpu, &circle, parameters)?;
                (0..steps).try_for_each(|_| nbody.step())?;
                let end = Body { position: [cos, sin, 0.0], velocity: [-sin, cos, 0.0], mass: 0.0 };
                Ok(farthest(&nbody.bodies()?[1..], &[end]))
            };
            let ratio = missed(steps)? / missed(2 * steps)?;
            assert!((ratio / factor - 1.0).abs() < 0.1, "{integrator:?}: {ratio}");
        }
        Ok(())
    })
}

/// Forwards and back: the scheme is reversible, so what is left is rounding. In 2 · 50 steps each body's place and velocity
/// round 4 times a step by 2⁻²⁴; nothing comes near enough to another to make more than a few times that of it.
#[test]
fn leapfrog_goes_back_where_it_came_from() -> Result<()> {
    on_gpu(|gpu| {
        let parameters = Parameters { softening: 0.5, ..Parameters::default() };
        let bodies: Vec<Body> =
            cloud(100, 5).into_iter().map(|body| Body { mass: body.mass / 50.0, ..body }).collect();
        let mut nbody = NBody::new(gpu, &bodies, parameters)?;
        let start = nbody.bodies()?;
        (0..50).try_for_each(|_| nbody.step())?;
        assert!(farthest(&nbody.bodies()?, &start) > 0.1);
        nbody.set_parameters(Parameters { time_step: -parameters.time_step, ..parameters })?;
        (0..50).try_for_each(|_| nbody.step())?;
        let miss = farthest(&nbody.bodies()?, &start);
        assert!(miss <= 400.0 * 2.0 * U, "{miss:e}");
        assert!(nbody.time().abs() < 1e-6);
        Ok(())
    })
}

/// Every pull has its opposite, but each is rounded for itself: the sum of m a is what is left of N² roundings.
#[test]
fn momentum_and_angular_momentum_stay() -> Result<()> {
    on_gpu(|gpu| {
        for forces in FORCES {
            let parameters = Parameters { forces, ..Parameters::default() };
            let mut nbody = NBody::new(gpu, &cloud(257, 6), parameters)?;
            let (before, softening) = (nbody.bodies()?, f64::from(parameters.softening));
            (0..20).try_for_each(|_| nbody.step())?;
            let after = nbody.bodies()?;
            let of = |bodies: &[Body]| oracle::conserved(bodies, softening);
            let pulls: f64 = oracle::pulls(&before, softening)
                .iter()
                .zip(&before)
                .map(|(pull, body)| -body.mass * pull.potential / softening / 2.0)
                .sum();
            // A step adds the roundings of all pulls, and two of each velocity; lengths and velocities are below 3.
            let bound = 20.0 * (289.0 * U * pulls * 0.01 + 2.0 * 257.0 * 4.0 * U);
            for k in 0..3 {
                let (before, after) = (of(&before), of(&after));
                assert!((before.momentum[k] - after.momentum[k]).abs() <= bound);
                assert!((before.angular_momentum[k] - after.angular_momentum[k]).abs() <= 3.0 * bound);
            }
        }
        Ok(())
    })
}

fn after(gpu: &Gpu, forces: Forces, steps: usize) -> Result<(Vec<f32>, Vec<f32>)> {
    let scene = scenes::galaxies(257, 1);
    let mut nbody = NBody::new(gpu, &scene.bodies, Parameters { forces, ..scene.parameters })?;
    (0..steps).try_for_each(|_| nbody.step())?;
    Ok((nbody.positions().data()?, nbody.velocities().data()?))
}

#[test]
fn two_runs_have_the_same_bits() -> Result<()> {
    on_gpu(|gpu| {
        for forces in FORCES {
            assert!(after(gpu, forces, 100)? == after(gpu, forces, 100)?);
        }
        Ok(())
    })
}

#[test]
fn what_lies_beyond_the_last_body_stays_at_nothing() -> Result<()> {
    on_gpu(|gpu| {
        for forces in FORCES {
            // 5 bodies lie in 3 x 2 texels.
            let parameters = Parameters { forces, softening: 0.0, ..Parameters::default() };
            let mut nbody = NBody::new(gpu, &cloud(5, 7), parameters)?;
            (0..10).try_for_each(|_| nbody.step())?;
            for buffer in [nbody.positions(), nbody.velocities(), nbody.accelerations()] {
                assert_eq!(buffer.data_of(quadrille::Rect::new(2, 1, 3, 2))?, [0.0; 4], "{forces:?}");
            }
        }
        Ok(())
    })
}

#[test]
fn other_bodies_and_parameters_take_effect_at_once() -> Result<()> {
    on_gpu(|gpu| {
        let mut nbody = NBody::new(gpu, &cloud(31, 8), Parameters::default())?;
        nbody.step()?;
        nbody.set_bodies(&cloud(31, 9))?;
        check_pulls(&nbody)?;
        assert_eq!((nbody.len(), nbody.steps()), (31, 1));
        let parameters = Parameters { softening: 0.5, ..nbody.parameters() };
        nbody.set_parameters(parameters)?;
        check_pulls(&nbody)?;
        let parameters = Parameters { forces: Forces::Matrix, bytes: 100, ..parameters };
        nbody.set_parameters(parameters)?;
        assert_eq!(nbody.parameters(), parameters);
        check_pulls(&nbody)
    })
}

#[test]
fn a_step_that_is_ended_between_two_tiles_has_not_been_made() -> Result<()> {
    on_gpu(|gpu| {
        for integrator in [Integrator::Leapfrog, Integrator::Euler] {
            // 31 bodies are 6 x 6, and a tile is a row of them: 31 parts by 6 rows.
            let parameters =
                Parameters { forces: Forces::Matrix, bytes: 96, integrator, ..Parameters::default() };
            let mut nbody = NBody::new(gpu, &cloud(31, 10), parameters)?;
            nbody.step()?;
            let all =
                |nbody: &NBody| Ok::<_, quadrille::Error>((nbody.bodies()?, nbody.accelerations().data()?));
            let (before, mut asked) = (all(&nbody)?, 0);
            let ended = nbody.step_with(&mut || {
                asked += 1;
                if asked == 100 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            assert!(ended.is_break() && asked == 100 && nbody.steps() == 1);
            assert!(all(&nbody)? == before, "{integrator:?}");
            nbody.step()?;
            let mut whole = NBody::new(gpu, &cloud(31, 10), parameters)?;
            whole.step()?;
            whole.step()?;
            assert!(all(&nbody)? == all(&whole)?, "{integrator:?}");
        }
        Ok(())
    })
}
