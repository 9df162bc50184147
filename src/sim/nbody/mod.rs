//! N bodies that attract each other (row C8), each all others: N² pulls a step, by brute force.
//!
//! The acceleration of body i is Σ_j m_j (x_j − x_i) / (|x_j − x_i|² + ε²)^(3/2). Two bodies at the same place do not
//! pull each other, for any ε. So no body pulls itself, no index has to be compared, and there is no division by 0.
//!
//! Everything of a step is one idea: a *force texture* with a column for each body that is pulled and a row for each
//! part of those that pull, whose columns are summed. A part of one body makes the N × N texture of the slides
//! ([`Forces::Matrix`]), a part of thousands a loop and a few rows ([`Forces::Tiled`]); what lies between is for cards that
//! have no loops. Either is drawn in tiles, as the texture limit and a budget of bytes allow.
//!
//! | | texels written for N = 8192 | fetches for each pair |
//! |---|---|---|
//! | matrix | 68 million, a GiB in five tiles | two, and one that reads the force again |
//! | tiled | 31 for each body | a quarter of one: a body that is fetched pulls four others |
//!
//! Potentials are summed only where somebody asks for them ([`NBody::potentials`], [`NBody::conserved`]).
//!
//! # Units
//! G = 1: with lengths in L and masses in M, times are in √(L³ / GM).
//!
//! # Example
//! ```
//! # fn main() -> quadrille::Result<()> {
//! use quadrille::Gpu;
//! use quadrille::sim::nbody::{NBody, scenes};
//!
//! let gpu = Gpu::headless()?;
//! let scene = scenes::figure_eight();
//! let mut nbody = NBody::new(&gpu, &scene.bodies, scene.parameters)?;
//! let energy = nbody.conserved()?.energy();
//! for _ in 0..100 {
//!     nbody.step()?;
//! }
//! assert!((nbody.conserved()?.energy() / energy - 1.0).abs() < 1e-4);
//! # Ok(())
//! # }
//! ```
//!
//! # References
//! Harris, *Mapping Computational Concepts to GPUs*, course slides, "Example: N-Body Simulation"; Nyland, Harris & Prins, *The
//! Rapid Evaluation of Potential Fields Using Programmable Graphics Hardware*, GP² 2004.

mod body;
mod parameters;
mod plan;
mod pulls;
pub mod scenes;
mod tally;

use std::cell::RefCell;
use std::ops::ControlFlow;

pub use body::{Body, Conserved};
pub use parameters::{Forces, Integrator, Parameters};
pub use tally::PendingConserved;

use pulls::{Pulled, Pulls};
use tally::Tally;

use crate::layout::Fold;
use crate::pug::{Buffer, ConstantHandle, DoubleBuffer, Gpu, Precision, Program, StreamHandle};
use crate::{Error, Result};

/// The simulation: bodies on the GPU, and what steps them.
pub struct NBody {
    gpu: Gpu,
    /// (x, y, z, mass).
    positions: DoubleBuffer,
    /// (vx, vy, vz, 0), of the same time.
    velocities: DoubleBuffer,
    /// (ax, ay, az, 0), at these positions.
    accelerations: DoubleBuffer,
    pulls: RefCell<Pulls>,
    advance: Advance,
    tally: RefCell<Tally>,
    parameters: Parameters,
    steps: u64,
    time: f64,
}

impl NBody {
    /// These bodies, in 32 bits.
    ///
    /// # Errors
    /// [`Error::Empty`] for no bodies; [`Error::BadParameter`] for bodies that 32 bits do not hold and negative masses, and
    /// those of [`Parameters::check`]; [`Error::OverLimit`] past 2²⁴ bodies; [`Error::OutOfMemory`].
    pub fn new(gpu: &Gpu, bodies: &[Body], parameters: Parameters) -> Result<NBody> {
        NBody::with_precision(gpu, bodies, parameters, Precision::Float32)
    }

    /// The same in any format of floats: that of every buffer, the force texture's too.
    ///
    /// # Errors
    /// As [`NBody::new`]; [`Error::BadParameter`] for [`Precision::Fixed8`].
    pub fn with_precision(
        gpu: &Gpu,
        bodies: &[Body],
        parameters: Parameters,
        precision: Precision,
    ) -> Result<NBody> {
        let mut made = NBody::unpulled(gpu, bodies, parameters, precision)?;
        made.pull_all()?;
        Ok(made)
    }

    /// The same, or `None` if `watch` said so: it is asked before each tile of the first pulls, which of very many bodies
    /// in very few bytes take minutes.
    ///
    /// # Errors
    /// As [`NBody::new`].
    pub fn new_with(
        gpu: &Gpu,
        bodies: &[Body],
        parameters: Parameters,
        precision: Precision,
        watch: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<NBody>> {
        let mut made = NBody::unpulled(gpu, bodies, parameters, precision)?;
        Ok(made.pull(watch)?.is_continue().then_some(made))
    }

    fn unpulled(gpu: &Gpu, bodies: &[Body], parameters: Parameters, precision: Precision) -> Result<NBody> {
        parameters.check()?;
        parameters::check(bodies)?;
        if precision == Precision::Fixed8 {
            let (name, found) = ("precision", format!("{precision:?}"));
            return Err(Error::BadParameter {
                name,
                found,
                expected: "one of floats: places and pulls leave 0 to 1".into(),
            });
        }
        let fold = fold(gpu, bodies.len())?;
        let pulls = Pulls::new(gpu, fold, parameters.forces, parameters.bytes, precision)?;
        let array = |name: &str| gpu.array(bodies.len()).components(4).precision(precision).named(name);
        Ok(NBody {
            positions: array("positions").double().init(&positions(bodies))?,
            velocities: array("velocities").double().init(&velocities(bodies))?,
            accelerations: array("accelerations").double().build()?,
            pulls: RefCell::new(pulls),
            advance: Advance::new(gpu)?,
            tally: RefCell::new(Tally::new(gpu, bodies.len())?),
            gpu: gpu.clone(),
            parameters,
            steps: 0,
            time: 0.0,
        })
    }

    /// One step: N² pulls, and two (Euler) or three (leapfrog) passes over the bodies.
    pub fn step(&mut self) -> Result<()> {
        self.step_with(&mut onwards).map(|_| ())
    }

    /// A step that `watch` may end before it is done: it is asked before each tile of forces. A step that was ended has not
    /// been made, and all is as before it.
    pub fn step_with(&mut self, watch: &mut dyn FnMut() -> ControlFlow<()>) -> Result<ControlFlow<()>> {
        let _scope = self.positions.front().context().scope("step");
        let Parameters { time_step, integrator, .. } = self.parameters;
        match integrator {
            Integrator::Leapfrog => {
                self.kick(time_step / 2.0)?;
                self.drift(time_step)?;
                if self.pull(watch)?.is_break() {
                    return Ok(self.undo());
                }
                self.kick(time_step / 2.0)?;
            }
            Integrator::Euler => {
                self.drift(time_step)?;
                self.kick(time_step)?;
                if self.pull(watch)?.is_break() {
                    return Ok(self.undo());
                }
            }
        }
        self.steps += 1;
        self.time += f64::from(time_step);
        Ok(ControlFlow::Continue(()))
    }

    /// Back before the drift and the kick that come before the pulls of either integrator.
    fn undo(&mut self) -> ControlFlow<()> {
        self.positions.swap();
        self.velocities.swap();
        ControlFlow::Break(())
    }

    /// u += a Δt.
    fn kick(&mut self, time: f32) -> Result<()> {
        self.advance.run(&mut self.velocities, self.accelerations.front(), time)
    }

    /// x += u Δt.
    fn drift(&mut self, time: f32) -> Result<()> {
        self.advance.run(&mut self.positions, self.velocities.front(), time)
    }

    /// a of the newest x.
    fn pull_all(&mut self) -> Result<()> {
        self.pull(&mut onwards).map(|_| ())
    }

    /// a of the newest x; as it was if `watch` ended it.
    fn pull(&mut self, watch: &mut dyn FnMut() -> ControlFlow<()>) -> Result<ControlFlow<()>> {
        let NBody { positions, accelerations, parameters, .. } = self;
        let (positions, pulls) = (positions.front(), self.pulls.get_mut());
        let (pulled, softening) = (Pulled::Accelerations, parameters.softening);
        let ended = pulls.run(pulled, positions, softening, accelerations.back(), watch)?;
        if ended.is_continue() {
            accelerations.swap();
        }
        Ok(ended)
    }

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.positions().len()
    }

    /// Never: there is one body at least.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Steps made.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The bodies are those after so many steps and that time.
    pub fn set_clock(&mut self, steps: u64, time: f64) {
        (self.steps, self.time) = (steps, time);
    }

    /// Time gone by.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Places and masses: a folded array of (x, y, z, mass).
    pub fn positions(&self) -> &Buffer {
        self.positions.front()
    }

    /// Velocities at the time of the positions: a folded array of (vx, vy, vz, 0).
    pub fn velocities(&self) -> &Buffer {
        self.velocities.front()
    }

    /// The accelerations of the bodies where they are: a folded array of (ax, ay, az, 0).
    pub fn accelerations(&self) -> &Buffer {
        self.accelerations.front()
    }

    /// The accelerations and potentials of the bodies where they are: a folded array of (ax, ay, az, φ), φ = −Σ m / s the
    /// potential of a unit of mass. A step needs no potentials, so they take N² pulls of their own, whose accelerations may
    /// differ from [`NBody::accelerations`] by roundings.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn potentials(&self) -> Result<Buffer> {
        let array = self.gpu.array(self.len()).components(4).precision(self.positions().precision());
        let found = array.named("potentials").build()?;
        let (positions, softening) = (self.positions(), self.parameters.softening);
        let mut pulls = self.pulls.borrow_mut();
        pulls.run(Pulled::Potentials, positions, softening, &found, &mut onwards).map(|_| found)
    }

    /// All bodies, read back.
    pub fn bodies(&self) -> Result<Vec<Body>> {
        let (positions, velocities) = (self.positions().data()?, self.velocities().data()?);
        let pairs = positions.as_chunks::<4>().0.iter().zip(velocities.as_chunks::<4>().0);
        Ok(pairs.map(|(&[x, y, z, mass], &[u, v, w, _])| body([x, y, z], [u, v, w], mass)).collect())
    }

    /// Goes on from other bodies, as many as there are; steps and time go on, too.
    ///
    /// # Errors
    /// [`Error::WrongLength`] for another number; [`Error::BadParameter`] as [`NBody::new`].
    pub fn set_bodies(&mut self, bodies: &[Body]) -> Result<()> {
        if bodies.len() != self.len() {
            let (what, shape) = ("bodies".to_owned(), "as many as there are".to_owned());
            return Err(Error::WrongLength { what, found: bodies.len(), expected: self.len(), shape });
        }
        parameters::check(bodies)?;
        self.positions.write(&positions(bodies))?;
        self.velocities.write(&velocities(bodies))?;
        self.pull_all()
    }

    /// The parameters in force.
    pub fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// Changes them from the next step on; the accelerations are those of the new softening at once.
    ///
    /// # Errors
    /// Those of [`Parameters::check`]; [`Error::OutOfMemory`] for a larger force texture. All stays as it was then.
    pub fn set_parameters(&mut self, parameters: Parameters) -> Result<()> {
        parameters.check()?;
        let Parameters { forces, bytes, softening, .. } = parameters;
        let before = std::mem::replace(&mut self.parameters, parameters);
        if (forces, bytes) != (before.forces, before.bytes) {
            let (fold, precision) = (fold(&self.gpu, self.len())?, self.positions().precision());
            match Pulls::new(&self.gpu, fold, forces, bytes, precision) {
                Ok(pulls) => *self.pulls.get_mut() = pulls,
                Err(error) => {
                    self.parameters = before;
                    return Err(error);
                }
            }
        } else if softening == before.softening {
            return Ok(());
        }
        self.pull_all()
    }

    /// Energies, momentum and angular momentum: summed on the GPU, eight numbers read back and waited for. The potential energy
    /// takes N² pulls, as a step does ([`NBody::potentials`]).
    pub fn conserved(&self) -> Result<Conserved> {
        self.conserved_async()?.wait()
    }

    /// [`NBody::conserved`] without waiting.
    pub fn conserved_async(&self) -> Result<PendingConserved> {
        let pulls = self.potentials()?;
        self.tally.borrow_mut().begin(self.positions(), self.velocities(), &pulls)
    }
}

/// The kernel of velocities and positions: now + rate · time.
struct Advance {
    program: Program,
    now: StreamHandle,
    rate: StreamHandle,
    time: ConstantHandle,
}

impl Advance {
    fn new(gpu: &Gpu) -> Result<Advance> {
        let program = gpu.builtin("sim/nbody_advance.frag")?;
        let (now, rate, time) = (program.stream("now")?, program.stream("rate")?, program.constant("time")?);
        Ok(Advance { program, now, rate, time })
    }

    fn run(&mut self, state: &mut DoubleBuffer, rate: &Buffer, time: f32) -> Result<()> {
        self.program.bind_stream(self.now, state.front())?.bind_stream(self.rate, rate)?;
        self.program.bind_float(self.time, time)?.run(state.back())?;
        state.swap();
        Ok(())
    }
}

/// Never ends the run.
fn onwards() -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn fold(gpu: &Gpu, bodies: usize) -> Result<Fold> {
    Fold::near_square(bodies, gpu.limits().texture_size)
}

fn positions(bodies: &[Body]) -> Vec<f32> {
    let texel = |body: &Body| {
        let [x, y, z] = body.position;
        [x, y, z, body.mass].map(|value| value as f32)
    };
    bodies.iter().flat_map(texel).collect()
}

fn velocities(bodies: &[Body]) -> Vec<f32> {
    let texel = |body: &Body| {
        let [x, y, z] = body.velocity;
        [x, y, z, 0.0].map(|value| value as f32)
    };
    bodies.iter().flat_map(texel).collect()
}

fn body(position: [f32; 3], velocity: [f32; 3], mass: f32) -> Body {
    Body { position: position.map(f64::from), velocity: velocity.map(f64::from), mass: mass.into() }
}
