//! One step of the GPU against f64 on the CPU, body by body.
//!
//! Each step is taken from the GPU's own state before it. Of many bodies some are looked at, evenly spread; each is pulled by
//! all others, so that a look costs what so many bodies times all of them cost.

use anyhow::{Context, Result};
use quadrille::sim::nbody::{Body, Integrator, NBody};
use quadrille_oracle::nbody::pull;

use crate::demo::Measure;
use crate::state::worst;

type Vector = [f64; 3];

/// Pairs that a look may cost.
const PAIRS: usize = 1 << 20;

/// Roundings of one pull, and of the kicks and the drift of a step.
const PULL: f64 = 26.0;
const STEP: f64 = 6.0;

/// Bodies that a card without loops sums one after the other at most: 1024 instructions, 20 each.
const WRITTEN_OUT: u32 = 51;

/// How far the last step of a simulation is from that of f64 from the bodies `before` it: accelerations where they are now,
/// velocities and positions.
///
/// Each error is a part of the sum of the lengths that are added up for it, the pull of each body taken by itself, and is held
/// against a count of roundings. One pull has 26: a half of the 6 in s² and 4 of the inverse root, thrice, one of d and four of
/// products. A sum goes along a row of the folded array, over rows, and by a tree. A kick and a drift have two each, and a step
/// has two kicks. Says too whether a pull went through numbers that 32 bits do not hold: then no such count is a bound.
pub fn step(simulation: &NBody, before: &[Body]) -> Result<(Vec<Measure>, bool)> {
    let after = simulation.bodies()?;
    let found = simulation.accelerations().data()?;
    let array = simulation.positions();
    let in_a_part = (array.width() + array.height()).max(WRITTEN_OUT);
    let levels = f64::from(in_a_part) + (before.len() as f64).log2().ceil();
    let bound = (PULL + levels + STEP) * 2f64.powi(-24);
    let sample = (PAIRS / before.len()).clamp(8, before.len().max(8)).min(before.len());
    let errors = (0..sample).map(|k| {
        let body = k * before.len() / sample;
        let acceleration = found.get(4 * body..4 * body + 3).context("fewer accelerations than bodies")?;
        Step { simulation, before, after: &after, body }.errors(acceleration)
    });
    let errors = errors.collect::<Result<Vec<_>>>()?;
    let measure = |name, k: usize| {
        let error = worst(errors.iter().map(|errors| errors[k]));
        Measure { name, error, bound }
    };
    let measures =
        vec![measure("acceleration error", 0), measure("velocity error", 1), measure("position error", 2)];
    let looked_at = (0..sample).map(|k| k * before.len() / sample);
    let is_beyond = looked_at.clone().any(|body| goes_beyond(simulation, before, body))
        || looked_at.clone().any(|body| goes_beyond(simulation, &after, body));
    Ok((measures, is_beyond))
}

/// True if a pull on that body has a square, a cube or a product past the range of 32-bit floats.
fn goes_beyond(simulation: &NBody, bodies: &[Body], body: usize) -> bool {
    let softening = f64::from(simulation.parameters().softening);
    let time = f64::from(simulation.parameters().time_step).abs();
    let range = f64::from(f32::MIN_POSITIVE)..=f64::from(f32::MAX);
    let place = bodies[body].position;
    bodies.iter().filter(|other| other.position != place && other.mass > 0.0).any(|other| {
        let square = distance(other.position, place).powi(2) + softening * softening;
        let inverse = 1.0 / square.sqrt();
        let force = other.mass * inverse.powi(3);
        let change = time * force * distance(other.position, place);
        [square, inverse * inverse, inverse.powi(3), force, change].iter().any(|v| !range.contains(v))
    })
}

/// A body in a step.
struct Step<'a> {
    simulation: &'a NBody,
    before: &'a [Body],
    after: &'a [Body],
    body: usize,
}

impl Step<'_> {
    /// The errors of acceleration, velocity and position.
    fn errors(&self, acceleration: &[f32]) -> Result<[f64; 3]> {
        let parameters = self.simulation.parameters();
        let (time, softening) = (f64::from(parameters.time_step), f64::from(parameters.softening));
        let (old, new) = (&self.before[self.body], &self.after[self.body]);
        let (then, now) = (Pulled::of(self.before, old, softening), Pulled::of(self.after, new, softening));
        let found: Vector = std::array::from_fn(|k| acceleration.get(k).copied().map_or(f64::NAN, f64::from));
        // The velocity of the drift, the velocity in the end, and the lengths of the kicks.
        let half = time / 2.0;
        let (between, velocity, given) = match parameters.integrator {
            Integrator::Leapfrog => {
                let between = plus(old.velocity, half, then.sum);
                (between, plus(between, half, now.sum), half.abs() * (then.lengths + now.lengths))
            }
            Integrator::Euler => {
                (old.velocity, plus(old.velocity, time, then.sum), time.abs() * then.lengths)
            }
        };
        let position = plus(old.position, time, between);
        let fastest = length(old.velocity) + given;
        Ok([
            part(distance(found, now.sum), now.lengths),
            part(distance(new.velocity, velocity), fastest),
            part(distance(new.position, position), length(old.position) + time.abs() * fastest),
        ])
    }
}

/// The pull on a body: the sum of all pulls, and of their lengths.
struct Pulled {
    sum: Vector,
    lengths: f64,
}

impl Pulled {
    fn of(bodies: &[Body], body: &Body, softening: f64) -> Pulled {
        let one = |other: &Body| pull(std::slice::from_ref(other), body.position, softening).acceleration;
        bodies.iter().map(one).fold(Pulled { sum: [0.0; 3], lengths: 0.0 }, |all, one| Pulled {
            sum: plus(all.sum, 1.0, one),
            lengths: all.lengths + length(one),
        })
    }
}

/// 0 of 0 is no error.
fn part(error: f64, whole: f64) -> f64 {
    if error == 0.0 { 0.0 } else { error / whole }
}

fn plus(a: Vector, factor: f64, b: Vector) -> Vector {
    std::array::from_fn(|k| a[k] + factor * b[k])
}

fn distance(a: Vector, b: Vector) -> f64 {
    length(plus(a, -1.0, b))
}

fn length(v: Vector) -> f64 {
    v.iter().map(|part| part * part).sum::<f64>().sqrt()
}
