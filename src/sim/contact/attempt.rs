//! One step while it is being solved: contacts, impulses, and what they would do.

use std::ops::Range;

use super::couplings::Couplings;
use super::gauss_seidel::Problem;
use super::memory::Memory;
use super::solver::{Entries, OnCpu, OnGpu, Solver, size};
use super::system::{Motion, System};
use super::vec3::{add, dot, mad, norm, scaled};
use super::{Body, Collide, Contact, Form, Parameters, StepReport, World, ground_contacts, groups, limits};
use crate::{Error, Result};

/// How near, as part of the smallest side there is, a contact must be to one of the last step to start from its impulse.
const NEAR: f64 = 0.2;

/// How much deeper, as part of the slop, a step may bring a pair that is past the slop already.
const DEEPER: f64 = 0.2;

pub struct Attempt {
    parameters: Parameters,
    /// The bodies where they are, with the velocities that they would have without contacts.
    free: Vec<Body>,
    /// Those that take part.
    pub contacts: Vec<Contact>,
    /// Those that join in if impulses make them meet.
    waiting: Vec<Contact>,
    /// The impulses of the last round, by contact.
    pub memory: Memory,
    changes: Vec<Motion>,
    /// The penetrations at the start, compared with those at the end.
    deepest: Vec<((usize, Option<usize>), f64)>,
    /// The contacts that joined in because the bodies would have ended in one another; once is enough.
    late: Vec<((usize, Option<usize>), u64)>,
    near: f64,
    pub report: StepReport,
}

impl Attempt {
    /// Velocities without contacts, and the contacts: all within the way that the two fastest bodies go in a step.
    pub fn new(world: &World, collide: &mut dyn Collide) -> Result<Attempt> {
        let parameters = world.parameters;
        let (h, margin) = (parameters.time_step, parameters.margin);
        let mut free = world.bodies.clone();
        for body in &mut free {
            body.velocity[1] -= h * parameters.gravity;
        }
        let speed = |body: &Body| norm(body.velocity) + norm(body.angular_velocity) * norm(body.half_sides);
        let reach = margin + 2.0 * h * free.iter().map(speed).fold(0.0, f64::max);
        let all = find(world, &free, reach, collide)?;
        let meets =
            |contact: &Contact| contact.gap <= margin || contact.gap + h * parting(contact, &free) < 0.0;
        let (contacts, waiting): (Vec<Contact>, Vec<Contact>) = all.into_iter().partition(meets);
        let deepest =
            contacts.iter().filter(|contact| contact.gap < 0.0).map(|c| (c.bodies, c.gap)).collect();
        let penetration = contacts.iter().map(|contact| -contact.gap).fold(0.0, f64::max);
        let report = StepReport { penetration, ..StepReport::default() };
        let (memory, near) = (world.memory.clone(), NEAR * world.smallest_side());
        let (changes, late) = Default::default();
        Ok(Attempt { parameters, free, contacts, waiting, memory, changes, deepest, late, near, report })
    }

    /// Solves the LCP of the contacts that there are: once more each round from the impulses of the one before, which also
    /// bound friction, for as many rounds as there must be in all or until contacts join in. Says whether any did.
    pub fn solve(&mut self, world: &World) -> Result<bool> {
        let (p, algebra) = (self.parameters, &world.algebra);
        let groups = groups::sort(&mut self.contacts, self.free.len());
        let system = system(&p, &self.contacts, &self.free);
        let groups: Vec<Range<usize>> =
            groups.into_iter().map(|group| group.start * system.per..group.end * system.per).collect();
        self.report.contacts = self.contacts.len();
        self.report.unknowns = system.rows.len();
        self.report.groups = groups.len();
        self.report.largest_group = groups.iter().map(Range::len).max().unwrap_or(0);
        // The parts that are solved separately, each to a tolerance of its own.
        let whole = 0..system.rows.len();
        let parts = if p.form == Form::Dense { vec![whole] } else { groups };
        limits::check(p.form, &parts, algebra.gpu().limits())?;
        let entries;
        let solver: Box<dyn Solver> = match p.form {
            _ if system.rows.is_empty() => Box::new(OnCpu { groups: &[], parameters: &p }),
            Form::Reference => Box::new(OnCpu { groups: &parts, parameters: &p }),
            Form::Dense => {
                entries = Entries::dense(algebra, &system)?;
                Box::new(OnGpu::new(algebra, &entries, &system, &parts, &p)?)
            }
            Form::Groups => {
                let of = (&*self.contacts, &*self.free);
                match Couplings::new(algebra, &world.room, of, &system, &parts, &p)? {
                    Some(couplings) => Box::new(couplings),
                    None => {
                        entries = Entries::groups(algebra, &system, &parts)?;
                        Box::new(OnGpu::new(algebra, &entries, &system, &parts, &p)?)
                    }
                }
            }
        };
        loop {
            self.round(&system, &parts, solver.as_ref())?;
            let joined = self.join();
            if joined || self.report.rounds >= p.rounds {
                return Ok(joined);
            }
        }
    }

    fn round(&mut self, system: &System, parts: &[Range<usize>], solver: &dyn Solver) -> Result<()> {
        let (all, bodies) = (0..system.rows.len(), self.free.len());
        let mut impulses = self.memory.recall(&self.contacts, system.per, &self.free, self.near);
        let (lower, upper) = system.bounds(self.parameters.friction, &impulses);
        let right: Vec<f64> =
            all.clone().map(|i| system.right[i] - system.softness[i] * impulses[i]).collect();
        let problem = Problem { system, right: &right, lower: &lower, upper: &upper, bodies };
        self.report.sweeps += solver.solve(&problem, &mut impulses)?;
        self.report.rounds += 1;
        let relative =
            |rows: &Range<usize>| problem.residual(rows.clone(), &impulses) / size(&right, rows.clone());
        self.report.residual = parts.iter().map(relative).fold(0.0, f64::max);
        self.changes = system.changes(all, &impulses, bodies);
        self.memory = Memory::keep(&self.contacts, &impulses, system.per, &self.free);
        Ok(())
    }

    /// Lets those contacts take part that the impulses would close, and says whether there are any.
    pub fn join(&mut self) -> bool {
        let (h, bodies) = (self.parameters.time_step, moving(&self.free, &self.changes));
        let meets = |contact: &Contact| contact.gap + h * parting(contact, &bodies) < 0.0;
        let (joining, waiting): (Vec<Contact>, Vec<Contact>) = self.waiting.drain(..).partition(meets);
        self.waiting = waiting;
        self.contacts.extend_from_slice(&joining);
        !joining.is_empty()
    }

    /// Looks at where the bodies would end: boxes that turn may meet with other corners and edges than those that were
    /// nearest. What would lie in one another past the slop takes part from now on, and this says whether anything does.
    pub fn look_again(&mut self, world: &World, end: &[Body], collide: &mut dyn Collide) -> Result<bool> {
        let (h, slop) = (self.parameters.time_step, self.parameters.slop);
        let found = find(world, end, 0.0, collide)?;
        let before = |bodies| self.deepest.iter().filter(|d| d.0 == bodies).map(|d| d.1).fold(0.0, f64::min);
        let too_deep =
            |contact: &Contact| contact.gap < -slop && contact.gap < before(contact.bodies) - DEEPER * slop;
        let known = |contact: &Contact| self.late.contains(&(contact.bodies, contact.feature));
        let new: Vec<Contact> = found
            .into_iter()
            .filter(|contact| too_deep(contact) && !known(contact))
            .map(|contact| carried_back(&contact, end, h))
            .collect();
        self.contacts.extend_from_slice(&new);
        self.late.extend(new.iter().map(|contact| (contact.bodies, contact.feature)));
        Ok(!new.is_empty())
    }

    /// From now on nothing is pushed apart that lies in one another: to lift is to add energy.
    pub fn stop_recovery(&mut self) {
        self.parameters.recovery = 0.0;
    }

    /// The bodies after the step.
    pub fn end(&self) -> Vec<Body> {
        let mut bodies = moving(&self.free, &self.changes);
        bodies.iter_mut().for_each(|body| body.drift(self.parameters.time_step));
        bodies
    }
}

/// A contact as it is at the end of a step, as one at its start: where its point was (halfway between where each of the two
/// bodies would have it), and with the gap that the linear rule gap + h J v' = gap' would have needed; at least 0, so that it
/// can only stop the bodies and never throw them.
fn carried_back(contact: &Contact, end: &[Body], h: f64) -> Contact {
    let of = |body: usize| end[body].velocity_at(contact.point);
    let (first, second) = contact.bodies;
    let mean = scaled(add(of(first), second.map_or([0.0; 3], of)), 0.5);
    let gap = (contact.gap - h * parting(contact, end)).max(0.0);
    Contact { point: mad(contact.point, -h, mean), gap, ..*contact }
}

/// The LCP of these contacts, with the bias of each: what is apart may close within the step; what lies in one another past
/// the slop is pushed apart gently.
fn system(p: &Parameters, contacts: &[Contact], bodies: &[Body]) -> System {
    let free: Vec<Motion> = bodies.iter().map(|body| (body.velocity, body.angular_velocity)).collect();
    let bias = |contact: &Contact| match contact.gap {
        apart if apart >= 0.0 => apart / p.time_step,
        deep => (p.recovery * (deep + p.slop).min(0.0) / p.time_step).max(-p.recovery_speed),
    };
    System::new(contacts, bodies, &free, p.friction > 0.0, p.regularisation, bias)
}

/// All contacts whose gap is at most `reach`, those with the ground first.
fn find(world: &World, bodies: &[Body], reach: f64, collide: &mut dyn Collide) -> Result<Vec<Contact>> {
    let mut all = Vec::new();
    if world.parameters.ground {
        for (number, body) in bodies.iter().enumerate() {
            ground_contacts(number, body, reach, &mut all);
        }
    }
    collide.contacts(bodies, reach, &mut all);
    all.iter().try_for_each(|contact| check(contact, bodies.len()))?;
    Ok(all)
}

/// How fast the gap of a contact grows.
fn parting(contact: &Contact, bodies: &[Body]) -> f64 {
    let of = |body: usize| dot(contact.normal, bodies[body].velocity_at(contact.point));
    of(contact.bodies.0) - contact.bodies.1.map_or(0.0, of)
}

/// The bodies where they are, with other velocities.
fn moving(bodies: &[Body], changes: &[Motion]) -> Vec<Body> {
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
