//! How far energy and momentum are from what they were at first.

use anyhow::Result;
#[cfg(feature = "panel")]
use quadrille::sim::nbody::PendingConserved;
use quadrille::sim::nbody::{Body, Conserved, NBody};
use serde_json::{Value as Json, json};

/// The conserved quantities of all bodies at first, and the newest of them that have arrived.
pub struct Drift {
    first: Conserved,
    mass: f64,
    /// The newest that has arrived, and the one that is under way.
    #[cfg(feature = "panel")]
    newest: Conserved,
    #[cfg(feature = "panel")]
    pending: Option<PendingConserved>,
    /// The step after which it was asked for.
    #[cfg(feature = "panel")]
    asked: u64,
    /// The drift of the energy over the steps.
    #[cfg(feature = "panel")]
    pub curve: crate::play::Curve,
    /// The energy over the steps, and the one that there should be.
    #[cfg(feature = "panel")]
    pub energies: [crate::play::Curve; 2],
}

/// Steps between two looks: the potential energy takes as many pulls as a step.
#[cfg(feature = "panel")]
const EVERY: u64 = 8;

impl Drift {
    /// From now on, of those bodies.
    pub fn from(simulation: &NBody, bodies: &[Body]) -> Result<Drift> {
        let first = simulation.conserved()?;
        let mass = bodies.iter().map(|body| body.mass).sum();
        Ok(Drift {
            first,
            mass,
            #[cfg(feature = "panel")]
            newest: first,
            #[cfg(feature = "panel")]
            pending: None,
            #[cfg(feature = "panel")]
            asked: simulation.steps(),
            #[cfg(feature = "panel")]
            curve: crate::play::Curve::default(),
            #[cfg(feature = "panel")]
            energies: Default::default(),
        })
    }

    /// The measures at first: kinetic and potential energy, momentum, angular momentum.
    pub fn first(&self) -> [f64; 8] {
        let Conserved { kinetic, potential, momentum: [px, py, pz], angular_momentum: [lx, ly, lz] } =
            self.first;
        [kinetic, potential, px, py, pz, lx, ly, lz]
    }

    /// Measures against that.
    pub fn set_first(&mut self, [kinetic, potential, px, py, pz, lx, ly, lz]: [f64; 8]) {
        let (momentum, angular_momentum) = ([px, py, pz], [lx, ly, lz]);
        self.first = Conserved { kinetic, potential, momentum, angular_momentum };
    }

    /// A body of that mass has been thrown in, which has changed the conserved quantities from one to the other: what drifts is
    /// measured against those at first and what came with it.
    pub fn add(&mut self, before: &Conserved, after: &Conserved, mass: f64) {
        let plus = |first: [f64; 3], before: [f64; 3], after: [f64; 3]| {
            [0, 1, 2].map(|k| first[k] + (after[k] - before[k]))
        };
        let first = self.first;
        self.first = Conserved {
            kinetic: first.kinetic + (after.kinetic - before.kinetic),
            potential: first.potential + (after.potential - before.potential),
            momentum: plus(first.momentum, before.momentum, after.momentum),
            angular_momentum: plus(first.angular_momentum, before.angular_momentum, after.angular_momentum),
        };
        self.mass += mass;
        #[cfg(feature = "panel")]
        {
            (self.newest, self.pending) = (*after, None);
        }
    }

    /// Takes in what has arrived, and asks for what there is now when [`EVERY`] steps have gone by: nothing waits.
    #[cfg(feature = "panel")]
    pub fn look(&mut self, simulation: &NBody) -> Result<Conserved> {
        match self.pending.take() {
            Some(pending) if !pending.ready() => self.pending = Some(pending),
            Some(arrived) => {
                self.newest = arrived.wait()?;
                self.curve.add(self.asked, self.energy(&self.newest));
                self.energies[0].add(self.asked, self.newest.energy());
                self.energies[1].add(self.asked, self.first.energy());
            }
            None if simulation.steps().abs_diff(self.asked) >= EVERY => {
                self.asked = simulation.steps();
                self.pending = Some(simulation.conserved_async()?);
            }
            None => {}
        }
        Ok(self.newest)
    }

    /// (E − E₀) / |E₀|.
    pub fn energy(&self, now: &Conserved) -> f64 {
        (now.energy() - self.first.energy()) / self.first.energy().abs()
    }

    /// |P − P₀| as a part of √(2 M (K₀ + |W₀|)): what the bodies would have if all their energy were motion one way.
    pub fn momentum(&self, now: &Conserved) -> f64 {
        let Conserved { kinetic, potential, .. } = self.first;
        let lost: f64 = (0..3).map(|k| (now.momentum[k] - self.first.momentum[k]).powi(2)).sum();
        (lost / (2.0 * self.mass * (kinetic + potential.abs()))).sqrt()
    }

    pub fn json(&self, now: &Conserved, time: f64) -> Json {
        json!({
            "time": time, "kinetic_energy": now.kinetic, "potential_energy": now.potential, "energy": now.energy(),
            "energy_drift": self.energy(now), "momentum": now.momentum, "momentum_drift": self.momentum(now),
            "angular_momentum": now.angular_momentum,
        })
    }
}
