//! Laws that a world must keep, watched from step to step.

use std::collections::VecDeque;

use super::World;
use super::vec3::{Vec3, cross, norm, scaled, sub};
use crate::numeric::larger;

/// A law: what was found at worst, and what it may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Invariant {
    /// The name of the bounded quantity, with its unit.
    pub name: &'static str,
    /// The worst so far.
    pub found: f64,
    /// The most it may be.
    pub bound: f64,
}

impl Invariant {
    /// Returns true if the bound holds; a NaN breaks it.
    pub fn holds(&self) -> bool {
        self.found <= self.bound
    }
}

/// Looks at a world after each step.
#[derive(Clone, Debug)]
pub struct Watch {
    penetration: f64,
    rise: f64,
    drift: Option<f64>,
    momenta: [Vec3; 2],
    /// Kinetic energy after the last push, the most since then, and after each of the last [`RESTING`] steps.
    pushed: f64,
    peak: f64,
    last: VecDeque<f64>,
    edge: f64,
    mass: f64,
}

/// Penetration, in edges of the smallest body.
pub const PENETRATION: f64 = 0.02;
/// The bound on a step's gain of energy, in m g edge of the smallest body; without gravity, in all kinetic energy there is.
pub const RISE: f64 = 1e-3;
/// Linear and angular momentum may drift by this part of all there is.
pub const DRIFT: f64 = 1e-5;
/// The bound on the kinetic energy at rest, as part of its peak.
pub const REST: f64 = 1e-4;
/// For so many steps.
pub const RESTING: usize = 60;
/// The bound on the part of a wall that still stands higher than two edges after it fell.
pub const STANDING: f64 = 0.2;

impl Watch {
    /// Watches from now on.
    pub fn new(world: &World) -> Watch {
        let sides = world.bodies().iter().flat_map(|body| body.half_sides);
        let p = world.parameters();
        Watch {
            penetration: 0.0,
            rise: 0.0,
            drift: (p.gravity == 0.0 && !p.ground).then_some(0.0),
            momenta: [world.momentum(), world.angular_momentum()],
            pushed: world.kinetic_energy(),
            peak: world.kinetic_energy(),
            last: VecDeque::new(),
            edge: 2.0 * sides.fold(f64::INFINITY, f64::min),
            mass: world.bodies().iter().map(|body| body.mass).fold(f64::INFINITY, f64::min),
        }
    }

    /// After something outside has changed the motion: what it did is no fault of the steps.
    pub fn pushed(&mut self, world: &World) {
        self.momenta = [world.momentum(), world.angular_momentum()];
        self.pushed = world.kinetic_energy();
        self.peak = self.pushed;
        self.last.clear();
    }

    /// After a step.
    pub fn stepped(&mut self, world: &World) {
        let (report, gravity) = (world.report(), world.parameters().gravity);
        let unit =
            if gravity > 0.0 { self.mass * gravity * self.edge } else { self.pushed.max(f64::MIN_POSITIVE) };
        self.penetration = larger(self.penetration, report.penetration / self.edge);
        self.rise = larger(self.rise, (report.energies[1] - report.energies[0]) / unit);
        let kinetic = world.kinetic_energy();
        self.peak = larger(self.peak, kinetic);
        self.last.push_back(kinetic);
        if self.last.len() > RESTING {
            self.last.pop_front();
        }
        if let Some(drift) = &mut self.drift {
            let [linear, angular] = all(world);
            let now = [world.momentum(), world.angular_momentum()];
            let part = |k: usize, all: f64| norm(sub(now[k], self.momenta[k])) / all.max(f64::MIN_POSITIVE);
            *drift = larger(*drift, larger(part(0, linear), part(1, angular)));
        }
    }

    /// Penetration, energy, and where neither gravity nor ground acts, momentum.
    pub fn laws(&self) -> Vec<Invariant> {
        let mut laws = vec![
            Invariant { name: "penetration, edges", found: self.penetration, bound: PENETRATION },
            Invariant { name: "energy rise of a step, m g edge", found: self.rise, bound: RISE },
        ];
        laws.extend(self.drift.map(|found| Invariant {
            name: "momentum drift, relative",
            found,
            bound: DRIFT,
        }));
        laws
    }

    /// How a push must end: the cubes lie low and still. Before sixty steps nobody knows, and that is not still.
    pub fn collapse(&self, world: &World) -> Vec<Invariant> {
        let high = 1.0 - world.below(2.0 * self.edge) as f64 / world.bodies().len() as f64;
        let moving = match self.last.len() < RESTING {
            true => f64::NAN,
            false => self.last.iter().copied().fold(0.0, larger) / self.peak.max(f64::MIN_POSITIVE),
        };
        vec![
            Invariant { name: "cubes above two edges, part of all", found: high, bound: STANDING },
            Invariant {
                name: "kinetic energy of the last 60 steps, part of its peak",
                found: moving,
                bound: REST,
            },
        ]
    }

    /// The greatest kinetic energy since the last push, joules.
    pub fn peak(&self) -> f64 {
        self.peak
    }
}

/// Σ ‖m v‖ and Σ ‖x‖ ‖m v‖ + ‖I ω‖: what drifts are measured against.
fn all(world: &World) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for body in world.bodies() {
        let momentum = scaled(body.velocity, body.mass);
        sums[0] += norm(momentum);
        sums[1] += norm(cross(body.position, momentum)) + norm(body.spin());
    }
    sums
}
