//! The time step.

use super::attempt::Attempt;
use super::system::Motion;
use super::vec3::{add, dot, norm};
use super::world::energy;
use super::{Body, Collide, Contact, World};
use crate::{Error, Result};

/// How often at most a step is solved again because its own impulses have brought about contacts, or energy.
const MOST_ROUNDS: usize = 8;

/// What a step may add to the energy without another round, in m g edge of the smallest body, and as part of all kinetic energy.
const ALLOWANCE: f64 = 2e-4;
const ROUNDING: f64 = 1e-8;

impl World {
    /// Moves on by a time step.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for a contact of bodies that are not there, or that is not finite, and for bodies that would not
    /// be any more; [`Error::OverLimit`] for a system, named [`DENSE`](super::DENSE) or [`GROUPS`](super::GROUPS), that no
    /// texture holds; and what the GPU refuses.
    /// Then nothing has moved.
    pub fn step(&mut self, collide: &mut dyn Collide) -> Result<()> {
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

    /// What a step may add to the energy before another round is made, joules.
    fn allowance(&self) -> f64 {
        let lightest = self.bodies.iter().map(|body| body.mass).fold(f64::INFINITY, f64::min);
        ALLOWANCE * lightest * self.parameters.gravity * self.smallest_side()
            + ROUNDING * self.kinetic_energy()
    }
}

/// All contacts whose gap is at most `reach`, those with the ground first.
pub(super) fn find(
    world: &World,
    bodies: &[Body],
    reach: f64,
    collide: &mut dyn Collide,
) -> Result<Vec<Contact>> {
    let mut all = Vec::new();
    if world.parameters.ground {
        for (number, body) in bodies.iter().enumerate() {
            super::ground_contacts(number, body, reach, &mut all);
        }
    }
    collide.contacts(bodies, reach, &mut all);
    all.iter().try_for_each(|contact| check(contact, bodies.len()))?;
    Ok(all)
}

/// How fast the gap of a contact grows.
pub(super) fn parting(contact: &Contact, bodies: &[Body]) -> f64 {
    let of = |body: usize| dot(contact.normal, bodies[body].velocity_at(contact.point));
    of(contact.bodies.0) - contact.bodies.1.map_or(0.0, of)
}

/// The bodies where they are, with other velocities.
pub(super) fn moving(bodies: &[Body], changes: &[Motion]) -> Vec<Body> {
    let changed = |(body, change): (&Body, &Motion)| Body {
        velocity: add(body.velocity, change.0),
        angular_velocity: add(body.angular_velocity, change.1),
        ..*body
    };
    bodies.iter().zip(changes).map(changed).collect()
}

/// A contact that a [`Collide`] has made up would do harm later.
fn check(contact: &Contact, bodies: usize) -> Result<()> {
    let (first, second) = contact.bodies;
    let there = first < bodies && second.is_none_or(|second| second < bodies && second != first);
    let finite = contact.gap.is_finite() && contact.point.iter().all(|x| x.is_finite());
    if there && finite && (norm(contact.normal) - 1.0).abs() < 1e-6 {
        return Ok(());
    }
    let expected = format!("finite, a unit normal, two of {bodies} bodies or one and the ground");
    Err(Error::BadParameter { name: "contact", found: format!("{contact:?}"), expected })
}
