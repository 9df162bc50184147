//! The time step.

use super::attempt::Attempt;
use super::world::energy;
use super::{Body, Collide, World};
use crate::Result;

/// How often at most a step is solved again because its own impulses have brought about contacts, or energy.
const MOST_ROUNDS: usize = 8;

/// The energy that a step may add without another round, in m g edge of the smallest body, and as part of all kinetic energy.
const ALLOWANCE: f64 = 2e-4;
const ROUNDING: f64 = 1e-8;

impl World {
    /// Moves on by a time step.
    ///
    /// # Errors
    /// [`Error::BadParameter`](crate::Error::BadParameter) for a contact of bodies that are not there, or that is not finite, and for bodies that would not
    /// be any more; [`Error::OverLimit`](crate::Error::OverLimit) for a system, named [`DENSE`](super::DENSE) or [`GROUPS`](super::GROUPS), that no
    /// texture holds; and what the GPU refuses.
    /// Then nothing has moved.
    pub fn step(&mut self, collide: &mut dyn Collide) -> Result<()> {
        let _scope = self.algebra.gpu().scope("step");
        let before = self.energy();
        let mut attempt = Attempt::new(self, collide)?;
        let most = self.parameters.rounds + MOST_ROUNDS;
        let (end, after) = loop {
            let joined = attempt.solve(self)?;
            if attempt.report.rounds < self.parameters.rounds || (joined && attempt.report.rounds < most) {
                continue;
            }
            let end = attempt.end();
            let after = energy(&end, self.parameters.gravity);
            let met = attempt.look_again(self, &end, collide)?;
            let rose = after - before > self.allowance();
            if attempt.report.rounds >= most || !(met || rose) {
                break (end, after);
            }
            if rose {
                attempt.stop_recovery();
            }
        };
        end.iter().try_for_each(Body::check)?;
        self.bodies = end;
        (self.contacts, self.memory, self.report) = (attempt.contacts, attempt.memory, attempt.report);
        self.report.energies = [before, after];
        Ok(())
    }

    /// The energy that a step may add before another round is made, joules.
    fn allowance(&self) -> f64 {
        let lightest = self.bodies.iter().map(|body| body.mass).fold(f64::INFINITY, f64::min);
        ALLOWANCE * lightest * self.parameters.gravity * self.smallest_side()
            + ROUNDING * self.kinetic_energy()
    }
}
