//! A step of a wall against the two rules that need no solver.

use quadrille::sim::contact::World;

use crate::demo::Measure;
use crate::state::{Array, worst};

/// Measures it from numbers `before` it, in 32 bits: x' = x + h v' of every body, and v' = v + h g of one without contacts. What was
/// rounded to 32 bits misses by 2⁻²⁴ of itself.
pub fn of(world: &World, before: &Array) -> [Measure; 2] {
    let (h, gravity) = (world.parameters().time_step, world.parameters().gravity);
    let mut touches = vec![false; world.bodies().len()];
    for contact in world.contacts() {
        let (first, second) = contact.bodies;
        [Some(first), second].into_iter().flatten().for_each(|body| touches[body] = true);
    }
    let part = |found: f64, before: f32, expected: f64| {
        (found - expected).abs() / (2f64.powi(-24) * f64::from(before).abs() + ROUNDING * (1.0 + found.abs()))
    };
    let pairs = || world.bodies().iter().zip(before.values.chunks(before.width.max(1))).zip(&touches);
    let ways = pairs().flat_map(|((body, before), _)| {
        (0..3).map(move |k| part(body.position[k], before[k], f64::from(before[k]) + h * body.velocity[k]))
    });
    let falls = pairs().filter(|(_, touches)| !**touches).flat_map(|((body, before), _)| {
        let fall = |k: usize| if k == 1 { -h * gravity } else { 0.0 };
        (0..3).map(move |k| {
            part(body.velocity[k], before[VELOCITY + k], f64::from(before[VELOCITY + k]) + fall(k))
        })
    });
    [
        Measure { name: "way that is not its velocity's, roundings", error: worst(ways), bound: 1.0 },
        Measure { name: "velocity of a free body, roundings", error: worst(falls), bound: 1.0 },
    ]
}

/// Roundings of 64 bits, with room for some.
const ROUNDING: f64 = 1e-13;

/// The place where a row's velocity begins: after position and orientation.
const VELOCITY: usize = 7;
