//! Gravitation of N bodies by brute force in f64, and what its motion conserves. G = 1.
//!
//! The acceleration of body i is a_i = Σ_j m_j d / s³ and its potential φ_i = −Σ_j m_j / s, with d = x_j − x_i and
//! s² = |d|² + ε². Bodies at the very same place do not pull each other, whatever ε: so none pulls itself.
//!
//! # References
//! Harris, *Mapping Computational Concepts to GPUs*, course slides, N-body simulation.

use quadrille::sim::nbody::{Body, Conserved};

use crate::space::{cross, dot};

/// The gravitation at a place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pull {
    /// The acceleration of a body there.
    pub acceleration: [f64; 3],
    /// Energy that a unit of mass has there: negative.
    pub potential: f64,
}

/// Sums the gravitation of all bodies at a place.
pub fn pull(bodies: &[Body], place: [f64; 3], softening: f64) -> Pull {
    let mut pull = Pull::default();
    for body in bodies {
        let d = [0, 1, 2].map(|k| body.position[k] - place[k]);
        let squared = dot(d, d);
        if squared > 0.0 {
            let s = (squared + softening * softening).sqrt();
            pull.potential -= body.mass / s;
            add(&mut pull.acceleration, body.mass / (s * s * s), d);
        }
    }
    pull
}

/// Sums the gravitation of all bodies at each of them: N² steps.
pub fn pulls(bodies: &[Body], softening: f64) -> Vec<Pull> {
    bodies.iter().map(|body| pull(bodies, body.position, softening)).collect()
}

/// The accelerations of [`pulls`].
pub fn accelerations(bodies: &[Body], softening: f64) -> Vec<[f64; 3]> {
    bodies.iter().map(|body| pull(bodies, body.position, softening).acceleration).collect()
}

/// One step of kick, drift, kick: half of the velocities' change before the bodies move, half after. Second order.
pub fn leapfrog(bodies: &mut [Body], time_step: f64, softening: f64) {
    kick(bodies, time_step / 2.0, softening);
    drift(bodies, time_step);
    kick(bodies, time_step / 2.0, softening);
}

/// One step as the slides have it: places by the velocities, and velocities by the forces, that were before it. First
/// order, and the energy grows.
pub fn euler(bodies: &mut [Body], time_step: f64, softening: f64) {
    let before = accelerations(bodies, softening);
    drift(bodies, time_step);
    for (body, acceleration) in bodies.iter_mut().zip(before) {
        add(&mut body.velocity, time_step, acceleration);
    }
}

fn kick(bodies: &mut [Body], time: f64, softening: f64) {
    for (body, acceleration) in accelerations(bodies, softening).into_iter().enumerate() {
        add(&mut bodies[body].velocity, time, acceleration);
    }
}

fn drift(bodies: &mut [Body], time: f64) {
    for body in bodies {
        add(&mut body.position, time, body.velocity);
    }
}

/// Sums the conserved quantities of these bodies: N² steps.
pub fn conserved(bodies: &[Body], softening: f64) -> Conserved {
    let mut all = Conserved::default();
    for body in bodies {
        let Body { position, velocity, mass } = *body;
        all.kinetic += 0.5 * mass * dot(velocity, velocity);
        all.potential += 0.5 * mass * pull(bodies, position, softening).potential;
        add(&mut all.momentum, mass, velocity);
        add(&mut all.angular_momentum, mass, cross(position, velocity));
    }
    all
}

fn add(sum: &mut [f64; 3], factor: f64, vector: [f64; 3]) {
    sum.iter_mut().zip(vector).for_each(|(sum, v)| *sum += factor * v);
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille::numeric::Random;

    fn cloud(bodies: usize) -> Vec<Body> {
        let mut random = Random(1);
        let mut any = || [0; 3].map(|_| f64::from(random.signed()));
        (0..bodies).map(|_| Body { position: any(), velocity: any(), mass: any()[0].abs() }).collect()
    }

    #[test]
    fn two_bodies_pull_each_other_as_newton_says() {
        let at = |x: f64, mass: f64| Body { position: [x, 0.0, 0.0], mass, ..Body::default() };
        let found = pulls(&[at(0.0, 3.0), at(2.0, 8.0)], 0.0);
        assert_eq!(found[0], Pull { acceleration: [2.0, 0.0, 0.0], potential: -4.0 });
        assert_eq!(found[1], Pull { acceleration: [-0.75, 0.0, 0.0], potential: -1.5 });
        let all = conserved(&[at(0.0, 3.0), at(2.0, 8.0)], 0.0);
        assert_eq!((all.potential, all.energy()), (-12.0, -12.0));
        // Softened by √5 the distance is 3.
        assert!((pulls(&[at(0.0, 3.0), at(2.0, 27.0)], 5f64.sqrt())[0].acceleration[0] - 2.0).abs() < 1e-12);
    }

    #[test]
    fn bodies_at_one_place_do_not_pull_each_other() {
        for softening in [0.0, 0.1] {
            assert_eq!(pulls(&[Body { mass: 1.0, ..Body::default() }; 2], softening), [Pull::default(); 2]);
        }
    }

    /// The potential's slope is the acceleration: by central differences, whose error is h² of its third derivative.
    #[test]
    fn accelerations_are_the_slope_of_the_potential() {
        let (bodies, h) = (cloud(20), 1e-4);
        let place = [0.1, 0.2, 0.3];
        let found = pull(&bodies, place, 0.5).acceleration;
        for k in 0..3 {
            let beside = |by: f64| {
                let mut beside = place;
                beside[k] += by;
                pull(&bodies, beside, 0.5).potential
            };
            assert!((found[k] - (beside(-h) - beside(h)) / (2.0 * h)).abs() < 1e-5);
        }
    }

    #[test]
    fn leapfrog_keeps_energy_where_euler_loses_it_and_both_keep_momentum() {
        let start = conserved(&cloud(30), 0.2);
        let mut drifts = [leapfrog as fn(&mut [Body], f64, f64), euler].map(|step| {
            let mut bodies = cloud(30);
            (0..200).for_each(|_| step(&mut bodies, 0.005, 0.2));
            let end = conserved(&bodies, 0.2);
            assert!((0..3).all(|k| (end.momentum[k] - start.momentum[k]).abs() < 1e-11));
            (end.energy() - start.energy()).abs()
        });
        drifts[0] *= 20.0;
        assert!(drifts[0] < drifts[1], "{drifts:?}");
    }
}
