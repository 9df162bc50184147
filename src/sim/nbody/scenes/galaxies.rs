//! Two discs of stars that meet.

use std::f64::consts::{PI, TAU};

use super::{NAMES, Scene, centred, tilted, turned};
use crate::numeric::Random;
use crate::sim::nbody::Body;
use crate::sim::nbody::Parameters;

/// Share of a galaxy's mass that is in its centre; the rest is in the disc, as many equal stars.
const CENTRE: f64 = 0.9;

/// Radii between which the stars lie.
const INNER: f64 = 0.2;
const OUTER: f64 = 1.0;

/// Stars lie this far above and below their disc at most, as a part of their radius.
const THICKNESS: f64 = 0.02;

const SOFTENING: f64 = 0.05;

/// A disc of `bodies` − 1 equal stars around a heavy centre, both in the first place; mass and radius are 1.
///
/// Each star goes on the circle that the centre and the stars further in hold it on, softened as the scene's pulls are: so
/// the disc keeps its shape, but for what the stars do to each other. The inmost go around in 0.6, the outermost in 6.4.
/// As many stars lie in each width of radius, so that the density falls as 1 / radius.
pub fn galaxy(bodies: usize, random: &mut Random) -> Vec<Body> {
    let stars = bodies.saturating_sub(1);
    let centre = if stars == 0 { 1.0 } else { CENTRE };
    let mut galaxy = vec![Body { mass: centre, ..Body::default() }];
    for _ in 0..stars {
        let (share, angle) = (f64::from(random.unit()), TAU * f64::from(random.unit()));
        let radius = INNER + (OUTER - INNER) * share;
        let within = centre + (1.0 - centre) * share;
        let speed = radius * (within / (radius * radius + SOFTENING * SOFTENING).powf(1.5)).sqrt();
        let height = radius * THICKNESS * f64::from(random.signed());
        let position = turned([radius, 0.0, height], angle);
        let velocity = turned([0.0, speed, 0.0], angle);
        galaxy.push(Body { position, velocity, mass: (1.0 - centre) / stars as f64 });
    }
    galaxy
}

/// Two of [`galaxy`], tilted against each other, that fall towards each other and graze, again and again: lengths are in their
/// radii, masses in theirs, so that the total is 2, and the outermost stars take 6.4 for a turn.
///
/// The two come from 1.7 to each side, as two points of their masses would on an ellipse that brings them within 0.8, and apart
/// to 3.8: they are bound, and stay in view.
pub fn galaxies(bodies: usize, seed: u64) -> Scene {
    let mut random = Random(seed);
    let second = bodies / 2;
    let (apart, nearest, farthest, total) = (3.4, 0.8, 3.8, 2.0f64);
    // On an ellipse v² = M (2/r − 1/a), 2a = q + Q, and the angular momentum of nearest and farthest point is √(2M q Q / (q + Q)).
    let axis = nearest + farthest;
    let square = 2.0 * total * (1.0 / apart - 1.0 / axis);
    let across = (2.0 * total * nearest * farthest / axis).sqrt() / apart;
    let inwards = (square - across * across).sqrt();
    let mut all = Vec::with_capacity(bodies);
    for (count, side, tilt) in [(bodies - second, 1.0, PI / 9.0), (second, -1.0, PI / 3.0)] {
        for body in if count == 0 { Vec::new() } else { galaxy(count, &mut random) } {
            let (place, velocity) = (tilted(body.position, tilt), tilted(body.velocity, tilt));
            all.push(Body {
                position: [place[0] + side * apart / 2.0, place[1], place[2]],
                velocity: [
                    velocity[0] - side * inwards / 2.0,
                    velocity[1] + side * across / 2.0,
                    velocity[2],
                ],
                ..body
            });
        }
    }
    Scene {
        name: NAMES[0],
        shows: "two galaxies that meet",
        bodies: centred(all),
        parameters: Parameters { time_step: 0.01, softening: SOFTENING as f32, ..Parameters::default() },
        extent: 3.0,
    }
}
