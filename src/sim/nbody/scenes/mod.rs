//! Bodies to begin with. G = 1 in all of them; each says what its lengths, masses and times are.

mod galaxies;
mod solar_system;

pub use galaxies::{galaxies, galaxy};
pub use solar_system::{YEAR, solar_system};

use super::{Body, Parameters};
use crate::numeric::Random;

/// Bodies, how to step them, and what they are.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Its name on the command line.
    pub name: &'static str,
    /// The course of the scene, in a line.
    pub shows: &'static str,
    /// Where they begin.
    pub bodies: Vec<Body>,
    /// The recommended parameters of a step.
    pub parameters: Parameters,
    /// Radius of what is to be seen, about the origin.
    pub extent: f64,
}

/// The names that [`named`] knows.
pub const NAMES: [&str; 4] = ["galaxies", "collapse", "figure-eight", "solar-system"];

/// The scene of that name, case aside. Only `galaxies` and `collapse` ask how many bodies there are to be, at least two,
/// and which of all such.
pub fn named(name: &str, bodies: usize, seed: u64) -> Option<Scene> {
    match NAMES.iter().position(|known| known.eq_ignore_ascii_case(name))? {
        0 => Some(galaxies(bodies, seed)),
        1 => Some(collapse(bodies, seed)),
        2 => Some(figure_eight()),
        _ => Some(solar_system()),
    }
}

/// A ball of equal masses that begins at rest, in clumps of clumps, which merge while all fall together, to a smaller one with a halo.
///
/// Radius and mass of the ball are 1: were it smooth, all would meet in its middle at time π/√8 = 1.11.
pub fn collapse(bodies: usize, seed: u64) -> Scene {
    let mut random = Random(seed);
    let mass = 1.0 / bodies as f64;
    let clumps: Vec<[f64; 3]> = (0..CLUMPS).map(|_| in_ball(&mut random)).collect();
    let parts: Vec<[f64; 3]> = (0..CLUMPS * PARTS)
        .map(|n| plus(scaled(OF_CLUMPS, clumps[n / PARTS]), OF_PARTS, in_ball(&mut random)))
        .collect();
    let bodies = (0..bodies).map(|_| {
        let part = parts[(random.unit() * parts.len() as f32) as usize % parts.len()];
        let position = plus(part, 1.0 - OF_CLUMPS - OF_PARTS, in_ball(&mut random));
        Body { position, velocity: [0.0; 3], mass }
    });
    Scene {
        name: NAMES[1],
        shows: "a cold, clumpy ball that falls together",
        bodies: centred(bodies.collect()),
        parameters: Parameters { time_step: 0.004, softening: 0.05, ..Parameters::default() },
        extent: 1.5,
    }
}

/// Clumps of a cold ball, and the parts of each; how far apart both lie: what is left of a radius of 1 is that of a part.
const CLUMPS: usize = 14;
const PARTS: usize = 6;
const OF_CLUMPS: f64 = 0.78;
const OF_PARTS: f64 = 0.14;

/// Until each of the three bodies of [`figure_eight`] is back.
pub const PERIOD_OF_EIGHT: f64 = 6.325_913_98;

/// Three equal masses that follow each other along an eight. Units are its own: the masses are 1, and a thousand steps
/// make the period, [`PERIOD_OF_EIGHT`].
///
/// # References
/// Chenciner & Montgomery, *A remarkable periodic solution of the three-body problem*, 2000; the numbers are Simó's.
pub fn figure_eight() -> Scene {
    let (x, v) = ([0.970_004_36, -0.243_087_53, 0.0], [-0.932_407_37, -0.864_731_46, 0.0]);
    let half = v.map(|v: f64| -v / 2.0);
    let body = |position, velocity| Body { position, velocity, mass: 1.0 };
    let time_step = (PERIOD_OF_EIGHT / 1000.0) as f32;
    Scene {
        name: NAMES[2],
        shows: "three equal bodies that follow each other on one path",
        bodies: vec![body(x, half), body(x.map(|x: f64| -x), half), body([0.0; 3], v)],
        parameters: Parameters { time_step, softening: 0.0, ..Parameters::default() },
        extent: 1.5,
    }
}

/// Anywhere in the ball of radius 1, all places alike likely.
fn in_ball(random: &mut Random) -> [f64; 3] {
    loop {
        let place = [0; 3].map(|_| f64::from(random.signed()));
        if dot(place, place) <= 1.0 {
            return place;
        }
    }
}

/// The same bodies seen from their centre of mass, which rests at the origin.
fn centred(mut bodies: Vec<Body>) -> Vec<Body> {
    let total: f64 = bodies.iter().map(|body| body.mass).sum();
    let mean = |of: fn(&Body) -> [f64; 3]| {
        [0, 1, 2].map(|k| bodies.iter().map(|body| body.mass * of(body)[k]).sum::<f64>() / total)
    };
    let (place, velocity) = (mean(|body| body.position), mean(|body| body.velocity));
    for body in &mut bodies {
        body.position = minus(body.position, place);
        body.velocity = minus(body.velocity, velocity);
    }
    bodies
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn scaled(factor: f64, v: [f64; 3]) -> [f64; 3] {
    v.map(|part| factor * part)
}

fn plus(a: [f64; 3], factor: f64, b: [f64; 3]) -> [f64; 3] {
    [a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]]
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Turned about the x axis, towards z.
fn tilted([x, y, z]: [f64; 3], angle: f64) -> [f64; 3] {
    let (sin, cos) = angle.sin_cos();
    [x, cos * y - sin * z, sin * y + cos * z]
}

/// Turned about the z axis, from x to y.
fn turned([x, y, z]: [f64; 3], angle: f64) -> [f64; 3] {
    let (sin, cos) = angle.sin_cos();
    [cos * x - sin * y, sin * x + cos * y, z]
}
