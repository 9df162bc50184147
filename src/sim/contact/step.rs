//! The time step.

use super::gauss_seidel;
use super::ground::ground_contacts;
use super::groups;
use super::memory::Memory;
use super::system::{Motion, System};
use super::vec3::{add, dot, norm, sub};
use super::world::energy;
use super::{Body, Collide, Contact, StepReport, World};
use crate::{Error, Result};

/// How near, as part of the smallest side there is, a contact must be to one of the last step to start from its impulse.
const NEAR: f64 = 0.2;

/// How often at most a step lets contacts join in that its own impulses have brought about.
const MOST_ROUNDS: usize = 8;

impl World {
    /// Moves on by a time step.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for a contact of bodies that are not there, or that is not finite; and what the GPU refuses.
    /// Then nothing has moved.
    pub fn step(&mut self, collide: &mut dyn Collide) -> Result<()> {
        let h = self.parameters.time_step;
        let mut bodies = self.bodies.clone();
        for body in &mut bodies {
            body.velocity[1] -= h * self.parameters.gravity;
        }
        let (mut contacts, mut waiting) = self.find(&bodies, collide)?;
        let penetration = contacts.iter().map(|contact| -contact.gap).fold(0.0, f64::max);
        let (mut report, mut impulses, mut changes);
        let mut memory = self.memory.clone();
        let mut rounds = 0;
        let mut sweeps = 0;
        loop {
            let groups = groups::sort(&mut contacts, bodies.len());
            let system = self.system(&contacts, &bodies);
            impulses = memory.recall(&contacts, system.per, &bodies, NEAR * self.smallest_side());
            let (took, residual) = self.solve(&system, &mut impulses, bodies.len());
            (rounds, sweeps) = (rounds + 1, sweeps + took);
            changes = system.changes(&impulses, bodies.len());
            memory = Memory::keep(&contacts, &impulses, system.per, &bodies);
            report = StepReport {
                contacts: contacts.len(),
                unknowns: system.rows.len(),
                groups: groups.len(),
                largest_group: groups.iter().map(|group| group.len() * system.per).max().unwrap_or(0),
                rounds,
                sweeps,
                residual,
                penetration,
                energies: [self.energy(), 0.0],
            };
            let joined = self.join(&bodies, &changes, &mut contacts, &mut waiting);
            if rounds >= self.parameters.rounds && (!joined || rounds >= self.parameters.rounds + MOST_ROUNDS)
            {
                break;
            }
        }
        for (body, change) in bodies.iter_mut().zip(&changes) {
            body.velocity = add(body.velocity, change.0);
            body.angular_velocity = add(body.angular_velocity, change.1);
            body.drift(h);
        }
        report.energies[1] = energy(&bodies, self.parameters.gravity);
        (self.bodies, self.contacts, self.memory, self.report) = (bodies, contacts, memory, report);
        Ok(())
    }

    /// The contacts that take part from the start, and those that may join in: all within the way that the two fastest
    /// bodies go in a step.
    fn find(&self, bodies: &[Body], collide: &mut dyn Collide) -> Result<(Vec<Contact>, Vec<Contact>)> {
        let (h, margin) = (self.parameters.time_step, self.parameters.margin);
        let fastest = bodies
            .iter()
            .map(|body| norm(body.velocity) + norm(body.angular_velocity) * norm(body.half_sides));
        let reach = margin + 2.0 * h * fastest.fold(0.0, f64::max);
        let mut all = Vec::new();
        if self.parameters.ground {
            for (number, body) in bodies.iter().enumerate() {
                ground_contacts(number, body, reach, &mut all);
            }
        }
        collide.contacts(bodies, reach, &mut all);
        all.iter().try_for_each(|contact| check(contact, bodies.len()))?;
        let meets = |contact: &Contact| contact.gap + h * parting(contact, bodies) < 0.0;
        Ok(all.into_iter().partition(|contact| contact.gap <= margin || meets(contact)))
    }

    /// Moves those contacts that the changed motions would close from `waiting` to `contacts`, and says whether any did.
    fn join(
        &self,
        bodies: &[Body],
        changes: &[Motion],
        contacts: &mut Vec<Contact>,
        waiting: &mut Vec<Contact>,
    ) -> bool {
        let changed = |(body, change): (&Body, &Motion)| Body {
            velocity: add(body.velocity, change.0),
            angular_velocity: add(body.angular_velocity, change.1),
            ..*body
        };
        let moving: Vec<Body> = bodies.iter().zip(changes).map(changed).collect();
        let meets =
            |contact: &Contact| contact.gap + self.parameters.time_step * parting(contact, &moving) < 0.0;
        let (joining, staying): (Vec<Contact>, Vec<Contact>) = waiting.drain(..).partition(meets);
        let before = contacts.len();
        contacts.extend(joining);
        *waiting = staying;
        contacts.len() > before
    }

    fn system(&self, contacts: &[Contact], bodies: &[Body]) -> System {
        let p = &self.parameters;
        let free: Vec<Motion> = bodies.iter().map(|body| (body.velocity, body.angular_velocity)).collect();
        let bias = |contact: &Contact| match contact.gap {
            apart if apart >= 0.0 => apart / p.time_step,
            deep => (p.recovery * (deep + p.slop).min(0.0) / p.time_step).max(-p.recovery_speed),
        };
        System::new(contacts, bodies, &free, p.friction > 0.0, p.regularisation, bias)
    }

    /// One round: sweeps, and the residual.
    fn solve(&self, system: &System, impulses: &mut [f64], bodies: usize) -> (usize, f64) {
        let bounds = system.bounds(self.parameters.friction, impulses);
        let shifted = |i: usize| system.right[i] - system.softness[i] * impulses[i];
        let right: Vec<f64> = (0..impulses.len()).map(shifted).collect();
        let size = if system.size() > 0.0 { system.size() } else { 1.0 };
        let tolerance = self.parameters.tolerance * size;
        let most = self.parameters.max_sweeps;
        let sweeps = gauss_seidel::solve(system, &right, &bounds, impulses, bodies, tolerance, most);
        (sweeps, system.residual(&right, &bounds, impulses, bodies) / size)
    }

    fn smallest_side(&self) -> f64 {
        let halves = self.bodies.iter().flat_map(|body| body.half_sides);
        2.0 * halves.fold(f64::INFINITY, f64::min)
    }
}

/// How fast the gap of a contact grows.
fn parting(contact: &Contact, bodies: &[Body]) -> f64 {
    let of = |body: usize| dot(contact.normal, bodies[body].velocity_at(contact.point));
    of(contact.bodies.0) - contact.bodies.1.map_or(0.0, of)
}

/// A contact that a [`Collide`] has made up would do harm later.
fn check(contact: &Contact, bodies: usize) -> Result<()> {
    let (first, second) = contact.bodies;
    let there = first < bodies && second.is_none_or(|second| second < bodies && second != first);
    let finite = contact.gap.is_finite() && contact.point.iter().all(|x| x.is_finite());
    if there
        && finite
        && norm(sub(contact.normal, [0.0; 3])) - 1.0 < 1e-6
        && norm(contact.normal) > 1.0 - 1e-6
    {
        return Ok(());
    }
    let expected = format!("finite, a unit normal, two of {bodies} bodies or one and the ground");
    Err(Error::BadParameter { name: "contact", found: format!("{contact:?}"), expected })
}
