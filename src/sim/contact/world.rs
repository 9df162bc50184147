//! Bodies, the floor, and what can be said and done about them between two steps.

use std::cell::RefCell;
use std::rc::Rc;

use super::couplings::Room;
use super::memory::{Impulse, Memory};
use super::vec3::{add, cross, mad, norm, scaled, sub};
use super::{Body, Contact, Parameters};
use crate::linalg::Algebra;
use crate::{Error, Result};

/// The report of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Points in contact.
    pub contacts: usize,
    /// The unknowns of the LCP: one a contact, or three with friction.
    pub unknowns: usize,
    /// Groups of bodies that touch one another.
    pub groups: usize,
    /// Unknowns of the largest of them.
    pub largest_group: usize,
    /// How often the LCP was solved.
    pub rounds: usize,
    /// Sweeps of all rounds together; of the groups of a round those of the slowest.
    pub sweeps: usize,
    /// The residual of the last round: by how much a velocity misses its bounds, in f64 with the impulses as they are applied,
    /// relative to the largest velocity in the right-hand side; of the worst group, but in
    /// [`Form::Dense`](super::Form).
    pub residual: f64,
    /// The deepest penetration before the step, metres.
    pub penetration: f64,
    /// Kinetic and potential energy before and after, joules.
    pub energies: [f64; 2],
}

/// Rigid boxes under gravity, above a floor if the parameters say so.
pub struct World {
    pub(super) algebra: Algebra,
    pub(super) bodies: Vec<Body>,
    pub(super) parameters: Parameters,
    pub(super) contacts: Vec<Contact>,
    pub(super) memory: Memory,
    pub(super) report: StepReport,
    /// The textures of the last step, for the next.
    pub(super) room: RefCell<Option<Rc<Room>>>,
}

impl World {
    /// These bodies, as they are.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for no bodies, a body that is none, or parameters that make no step.
    pub fn new(algebra: &Algebra, bodies: Vec<Body>, parameters: Parameters) -> Result<World> {
        parameters.check()?;
        if bodies.is_empty() {
            let (found, expected) = ("0".to_owned(), "1 or more".to_owned());
            return Err(Error::BadParameter { name: "bodies", found, expected });
        }
        bodies.iter().try_for_each(Body::check)?;
        let (contacts, memory, report, room) = Default::default();
        Ok(World { algebra: algebra.clone(), bodies, parameters, contacts, memory, report, room })
    }

    /// A [`wall`] of unit cubes.
    ///
    /// # Errors
    /// As [`wall`] and [`World::new`].
    pub fn wall(algebra: &Algebra, columns: usize, rows: usize, parameters: Parameters) -> Result<World> {
        World::new(algebra, wall(columns, rows)?, parameters)
    }

    /// The bodies.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// The contacts of the last step.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// The impulses of the last step's contacts, from which the next solve starts: saved and set, a world goes on bit for bit.
    pub fn impulses(&self) -> &[Impulse] {
        self.memory.impulses()
    }

    /// The next step starts from these impulses.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for bodies that are not there, and for numbers that are not finite or larger than 10³⁰; then all is as it
    /// was.
    pub fn set_impulses(&mut self, impulses: Vec<Impulse>) -> Result<()> {
        let there = |body: usize| body < self.bodies.len();
        let is_one = |impulse: &Impulse| {
            let (first, second) = impulse.bodies;
            let numbers = impulse.place.iter().chain(&impulse.friction).chain([&impulse.normal]);
            let fits = |number: &f64| number.abs() <= LARGEST_IMPULSE;
            there(first) && second != Some(first) && second.is_none_or(there) && numbers.into_iter().all(fits)
        };
        if let Some(wrong) = impulses.iter().find(|impulse| !is_one(impulse)) {
            let expected = format!(
                "numbers up to {LARGEST_IMPULSE:e}, of two of {} bodies or of one and the ground",
                self.bodies.len()
            );
            return Err(Error::BadParameter { name: "impulse", found: format!("{wrong:?}"), expected });
        }
        self.memory = Memory::of(impulses);
        Ok(())
    }

    /// The report of the last step.
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// The parameters of a step.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Lets the next step do otherwise.
    ///
    /// # Errors
    /// [`Error::BadParameter`]; then the parameters are what they were.
    pub fn set_parameters(&mut self, parameters: Parameters) -> Result<()> {
        parameters.check()?;
        self.parameters = parameters;
        Ok(())
    }

    /// An impulse (newton seconds) on a body at a point of the world.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for a body that is not there or numbers that are not finite.
    pub fn push(&mut self, body: usize, point: [f64; 3], impulse: [f64; 3]) -> Result<()> {
        let bad = |name, found: String, expected: String| Err(Error::BadParameter { name, found, expected });
        if !point.iter().chain(&impulse).all(|x| x.is_finite()) {
            return bad("push", format!("{impulse:?} at {point:?}"), "finite numbers".to_owned());
        }
        match self.bodies.get_mut(body) {
            Some(body) => body.push(point, impulse),
            None => return bad("body", body.to_string(), format!("0 to {}", self.bodies.len() - 1)),
        }
        Ok(())
    }

    /// An explosion: an impulse of `strength` / distance² newton seconds on the middle of each body, away from the centre; what
    /// is nearer than half a metre is pushed as at half a metre.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for numbers that are not finite; then nobody is pushed.
    pub fn blast(&mut self, centre: [f64; 3], strength: f64) -> Result<()> {
        let before = self.bodies.clone();
        for body in 0..self.bodies.len() {
            let position = self.bodies[body].position;
            let (away, distance) = (sub(position, centre), norm(sub(position, centre)).max(0.5));
            let pushed = self.push(body, position, scaled(away, strength / distance.powi(3)));
            if pushed.is_err() {
                self.bodies = before;
                return pushed;
            }
        }
        Ok(())
    }

    /// A [`World::blast`] before the middle of what stood there, as far away as a third of its width and at least three metres,
    /// that pushes a body in the middle with so many newton seconds.
    ///
    /// # Errors
    /// As [`World::blast`], for bodies so far apart that their numbers end.
    pub fn blast_before(&mut self, stood: &[Body], impulse: f64) -> Result<()> {
        let [low, high] = bounds(stood);
        let middle = |k: usize| (high[k] + low[k]) / 2.0;
        let distance = ((high[0] - low[0]) / 3.0).max(3.0);
        self.blast([middle(0), middle(1), middle(2) + distance], impulse * distance * distance)
    }

    /// Knocks down what stands there: a [`World::blast_before`] of [`KNOCK`].
    ///
    /// # Errors
    /// As [`World::blast_before`].
    pub fn knock(&mut self) -> Result<()> {
        let stand = self.bodies.clone();
        self.blast_before(&stand, KNOCK)
    }

    /// Σ ½ m v² + ½ ω·I ω, joules.
    pub fn kinetic_energy(&self) -> f64 {
        self.bodies.iter().map(Body::kinetic_energy).sum()
    }

    /// Kinetic energy + Σ m g y, joules.
    pub fn energy(&self) -> f64 {
        energy(&self.bodies, self.parameters.gravity)
    }

    /// Σ m v, newton seconds.
    pub fn momentum(&self) -> [f64; 3] {
        self.bodies.iter().fold([0.0; 3], |sum, body| mad(sum, body.mass, body.velocity))
    }

    /// Σ m x × v + I ω about the origin, newton metre seconds.
    pub fn angular_momentum(&self) -> [f64; 3] {
        self.bodies.iter().fold([0.0; 3], |sum, body| {
            add(sum, add(cross(body.position, scaled(body.velocity, body.mass)), body.spin()))
        })
    }

    pub(super) fn smallest_side(&self) -> f64 {
        2.0 * self.bodies.iter().flat_map(|body| body.half_sides).fold(f64::INFINITY, f64::min)
    }

    /// How many bodies have their middle below that height, metres.
    pub fn below(&self, height: f64) -> usize {
        self.bodies.iter().filter(|body| body.position[1] < height).count()
    }
}

/// Kinetic and potential energy.
pub(super) fn energy(bodies: &[Body], gravity: f64) -> f64 {
    bodies.iter().map(|body| body.kinetic_energy() + body.mass * gravity * body.position[1]).sum()
}

/// The largest number of an impulse that is set: solvers take them in 32 bits, times factors.
const LARGEST_IMPULSE: f64 = 1e30;

/// The impulse of a [`World::knock`] on the middle, newton seconds: enough that the outermost of ten columns falls.
pub const KNOCK: f64 = 6.0;

/// The least and the greatest place of any corner along each axis, metres.
pub fn bounds(bodies: &[Body]) -> [[f64; 3]; 2] {
    let corners = || bodies.iter().flat_map(Body::corners);
    let low = std::array::from_fn(|k| corners().map(|c| c[k]).fold(f64::INFINITY, f64::min));
    let high = std::array::from_fn(|k| corners().map(|c| c[k]).fold(f64::NEG_INFINITY, f64::max));
    [low, high]
}

/// Between two columns of a [`wall`], metres: so little that they fall as one wall, and more than a contact's margin, so that
/// they stand without one.
const CREVICE: f64 = 0.02;

/// Unit cubes of a kilogram in columns above the x axis, face on face.
///
/// # Errors
/// [`Error::BadParameter`] for a wall without cubes or of more than 10 000.
pub fn wall(columns: usize, rows: usize) -> Result<Vec<Body>> {
    if columns == 0 || rows == 0 || columns.saturating_mul(rows) > 10_000 {
        let (found, expected) = (format!("{columns}x{rows}"), "1 to 10000 cubes".to_owned());
        return Err(Error::BadParameter { name: "wall", found, expected });
    }
    let x = |column: usize| (column as f64 - (columns - 1) as f64 / 2.0) * (1.0 + CREVICE);
    let cube = |i: usize| Body::cube(1.0, 1.0, [x(i % columns), (i / columns) as f64 + 0.5, 0.0]);
    Ok((0..columns * rows).map(cube).collect())
}
