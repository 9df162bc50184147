//! Steps in time: right sides from the caller, implicit parts by the solver.

use std::rc::Rc;

use super::groups::Systems;
use super::inverse::{Effort, Known};
use super::part::LinearPart;
use super::plan::{Block, short};
use super::scheme::Scheme;
use super::unlike::FINEST;
use super::volumes::{FiniteVolumes, Group};
use crate::linalg::{Algebra, Vector};
use crate::pug::{Buffer, Terms};
use crate::{Error, Result};

/// The moment and the buffers that a right side is drawn from.
pub struct At<'a> {
    /// uⁿ.
    pub u: &'a Buffer,
    /// δⁿ⁻¹ = uⁿ − uⁿ⁻¹.
    pub change: &'a Buffer,
    /// Nⁿ⁻¹.
    pub explicit: &'a Buffer,
    /// k₀ to k₃.
    pub k: [f32; 4],
    /// tⁿ.
    pub time: f64,
    /// The times of which edge data and terms without fields are the mean: tⁿ⁺¹ twice, or tⁿ and tⁿ⁺¹.
    pub edge_times: [f64; 2],
    /// Δt.
    pub step: f64,
    /// n.
    pub number: u64,
}

/// The explicit half of an equation.
pub trait RightSide {
    /// Draws R = k₀ δⁿ⁻¹ + k₁ (J uⁿ + S) + k₂ N(uⁿ, tⁿ) + k₃ Nⁿ⁻¹ into the first target and N(uⁿ, tⁿ) into the second. S are terms without
    /// fields, which with edge data are taken at [`At::edge_times`]: J uⁿ is that of a state whose fixed nodes have the values of those times.
    /// Where a node takes no part, R is its δ: the fixed value of tⁿ⁺¹ less uⁿ, or 0.
    ///
    /// # Errors
    /// The caller's own.
    fn draw(&mut self, at: &At, targets: [&Buffer; 2]) -> Result<()>;
}

/// How steps are made.
#[derive(Clone, Debug, PartialEq)]
pub struct StepperSettings {
    /// The time scheme.
    pub scheme: Scheme,
    /// Δt.
    pub step: f64,
    /// The tolerance of solves, relative to their right sides.
    pub tolerance: f64,
    /// The fields whose sum over all cells stays: Σδ is put right after each step. None for no field.
    pub conserves: Vec<bool>,
    /// The time of the start.
    pub time: f64,
}

impl Default for StepperSettings {
    fn default() -> StepperSettings {
        StepperSettings {
            scheme: Scheme::default(),
            step: 1.0,
            tolerance: 1e-3,
            conserves: Vec::new(),
            time: 0.0,
        }
    }
}

/// The state of a run that goes on from it to the same bits, with the same grid, part and settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    /// Where time was counted from, and steps since then and altogether.
    pub clock: (f64, u64, u64),
    /// Steps since the last change of Δt, J or the state.
    pub since: u64,
    /// u, δ and N, node after node.
    pub fields: [Vec<f32>; 3],
    /// The starts of the solves; of each solve a number of its kind, and its count of cycles or iterations.
    pub solver: (Vec<Vec<f32>>, Vec<[usize; 2]>),
}

/// Copies on the GPU that a run goes on from: see [`Stepper::keep`].
pub struct Kept {
    clock: (f64, u64, u64),
    since: u64,
    buffers: [Buffer; 2],
    solver: Vec<(Vec<Vector>, Vec<Known>)>,
}

/// Solves are looked at in the first so many steps after a change, and then every so many.
const LOOKS: (u64, u64) = (3, 16);

/// Integrates du/dt = J u + N(u) for up to four fields; see [`Scheme`] and [`Systems`].
///
/// Time is counted in f64, start + n Δt. Residuals are looked at, which waits for the GPU, in the first three steps after a start or a change,
/// in every sixteenth, and where other weights want another kind of solve; solves of other steps go on for as long as the last look found necessary.
/// In the first three steps the tolerance is relative to c₀ δ, not to R.
pub struct Stepper {
    groups: Vec<Group>,
    part: LinearPart,
    settings: StepperSettings,
    solver: Systems,
    /// That of the first step where it is another.
    starter: Option<Systems>,
    u: Buffer,
    next: Buffer,
    change: Buffer,
    right: Buffer,
    explicit: [Buffer; 2],
    clock: (f64, u64, u64),
    since: u64,
}

impl Stepper {
    /// Steps from a state, with a node a texel and a field a channel.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for a Δt or a tolerance that is not above 0, for a Δt from which on the implicit part is singular (and which
    /// that is), for a part or a list of conserved fields of another number of fields than the state; as [`Systems::new`].
    pub fn new(
        volumes: &Rc<FiniteVolumes>,
        part: LinearPart,
        settings: StepperSettings,
        u: Buffer,
    ) -> Result<Stepper> {
        let group = Group {
            volumes: volumes.clone(),
            fields: (0..part.fields).collect(),
            auxiliaries: (0..part.auxiliary).collect(),
        };
        Stepper::of_groups(vec![group], part, settings, u)
    }

    /// The same with groups of fields whose edges are unlike.
    ///
    /// # Errors
    /// As [`Stepper::new`].
    pub fn of_groups(
        groups: Vec<Group>,
        part: LinearPart,
        settings: StepperSettings,
        u: Buffer,
    ) -> Result<Stepper> {
        part.check()?;
        if u.components() != part.fields || settings.conserves.len() > part.fields {
            let found = format!("{} in the state, {} in the implicit part", u.components(), part.fields);
            return Err(bad("fields", found, "as many"));
        }
        if settings.tolerance.is_nan() || settings.tolerance <= 0.0 {
            return Err(bad("tolerance", settings.tolerance.to_string(), "a number above 0"));
        }
        if !settings.time.is_finite() {
            return Err(bad("time", settings.time.to_string(), "a finite number"));
        }
        check(&groups, &part, &settings)?;
        let solver = made(&groups, &part, &settings, settings.scheme)?;
        let like = || {
            let components = u.components();
            groups[0]
                .volumes
                .algebra()
                .gpu()
                .buffer(u.width(), u.height())
                .components(components)
                .edges(u.edges())
                .build()
        };
        let (next, change, right, explicit) = (like()?, like()?, like()?, [like()?, like()?]);
        let clock = (settings.time, 0, 0);
        Ok(Stepper {
            groups,
            part,
            settings,
            solver,
            starter: None,
            u,
            next,
            change,
            right,
            explicit,
            clock,
            since: 0,
        })
    }

    /// One step, and the work of its solves. A residual that stays above the tolerance is said there, not an error.
    ///
    /// # Errors
    /// The right side's; those of the GPU.
    pub fn step(&mut self, right_side: &mut dyn RightSide) -> Result<Effort> {
        let is_first = self.since == 0;
        let scheme = if is_first { self.settings.scheme.first() } else { self.settings.scheme };
        let (time, end) = (self.time(), self.time_of(self.clock.1 + 1));
        let step = self.settings.step;
        let at = At {
            u: &self.u,
            change: &self.change,
            explicit: &self.explicit[0],
            k: scheme.explicit(step).map(|k| k as f32),
            time,
            edge_times: [if scheme.is_centred() { time } else { end }, end],
            step,
            number: self.clock.2,
        };
        right_side.draw(&at, [&self.right, &self.explicit[1]])?;
        let solver = if scheme == self.settings.scheme {
            &mut self.solver
        } else {
            if self.starter.is_none() {
                self.starter = Some(made(&self.groups, &self.part, &self.settings, scheme)?);
            }
            self.starter.as_mut().unwrap_or(&mut self.solver)
        };
        let is_looked_at = self.since < LOOKS.0 || self.since.is_multiple_of(LOOKS.1) || !solver.is_known();
        let tolerance = is_looked_at.then_some(self.settings.tolerance);
        let mut effort = solver.solve(&self.right, &self.u, [&self.next, &self.change], tolerance)?;
        // With a matrix of c₀ at least a residual r leaves an error of δ of r/c₀ at most; where J grows it may leave more. A start of noise has an
        // R of its shortest waves, which are little of δ: a share of R could be all of the longer waves. Later steps begin with what is
        // smooth. Fields that are joined are solved relative to δ already.
        let is_apart = !solver.is_joined();
        if let (true, Some(tolerance)) = (is_apart && self.since < LOOKS.0, tolerance) {
            let algebra = self.groups[0].volumes.algebra();
            let (right, change) = (norm(algebra, &self.right)?, norm(algebra, &self.change)?);
            let closer = (tolerance * scheme.implicit().0 * change / right).max(FINEST);
            if right > 0.0 && closer < 0.5 * tolerance {
                let targets = [&self.next, &self.change];
                let more = solver.solve_closer(&self.right, &self.u, targets, closer)?;
                (effort.cycles, effort.iterations) =
                    (effort.cycles + more.cycles, effort.iterations + more.iterations);
            }
        }
        std::mem::swap(&mut self.u, &mut self.next);
        self.explicit.swap(0, 1);
        self.clock = (self.clock.0, self.clock.1 + 1, self.clock.2 + 1);
        self.since += 1;
        Ok(effort)
    }

    /// uⁿ.
    pub fn state(&self) -> &Buffer {
        &self.u
    }

    /// The last step's δ.
    pub fn change(&self) -> &Buffer {
        &self.change
    }

    /// The last step's R.
    #[cfg(feature = "pde")]
    pub(crate) fn right(&self) -> &Buffer {
        &self.right
    }

    /// tⁿ.
    pub fn time(&self) -> f64 {
        self.time_of(self.clock.1)
    }

    fn time_of(&self, steps: u64) -> f64 {
        self.clock.0 + steps as f64 * self.settings.step
    }

    /// n, from the start.
    pub fn number(&self) -> u64 {
        self.clock.2
    }

    /// The settings.
    pub fn settings(&self) -> &StepperSettings {
        &self.settings
    }

    /// True if the next step is a first one.
    pub fn is_first(&self) -> bool {
        self.since == 0
    }

    /// The blocks of the implicit part, in the order of solving.
    pub fn blocks(&self) -> &[Block] {
        self.solver.blocks()
    }

    /// Tells that the state was written from outside: the next step is a first one, and knows nothing of what was before.
    ///
    /// # Errors
    /// Those of passes.
    pub fn state_replaced(&mut self) -> Result<()> {
        self.since = 0;
        [&self.change, &self.explicit[0]].into_iter().for_each(|buffer| buffer.texture().clear([0.0; 4]));
        self.solver.forget()?;
        self.starter.as_mut().map_or(Ok(()), Systems::forget)
    }

    /// Other weights of −∇² for the steps from now on, as of a conductivity that follows from the state: no step is a first one for that.
    ///
    /// # Errors
    /// As [`Stepper::new`]; the old weights then stay.
    pub fn set_groups(&mut self, groups: Vec<Group>) -> Result<()> {
        check(&groups, &self.part, &self.settings)?;
        let (c0, gamma) = self.settings.scheme.implicit();
        let system = (c0, gamma * self.settings.step);
        self.solver.renew(&groups, &self.part, system, &self.settings.conserves)?;
        (self.starter, self.groups) = (None, groups);
        Ok(())
    }

    /// The fields by their edges and D.
    #[cfg(feature = "pde")]
    pub(crate) fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Copies on the GPU of all that a run goes on from but the state itself.
    ///
    /// # Errors
    /// Those of buffers and passes.
    pub fn keep(&self) -> Result<Kept> {
        let copied = |from: &Buffer| -> Result<Buffer> {
            let gpu = self.groups[0].volumes.algebra().gpu();
            let copy = gpu.buffer(from.width(), from.height()).components(from.components());
            let copy = copy.edges(from.edges()).build()?;
            copy.copy_from(from)?;
            Ok(copy)
        };
        let buffers = [copied(&self.change)?, copied(&self.explicit[0])?];
        Ok(Kept { clock: self.clock, since: self.since, buffers, solver: self.solver.copied()? })
    }

    /// Goes on from such copies, and from the state as it is in its buffer.
    ///
    /// # Errors
    /// [`Error::WrongShape`] and [`Error::BadParameter`] for those of another grid or part.
    pub fn go_back(&mut self, kept: &Kept) -> Result<()> {
        self.change.copy_from(&kept.buffers[0])?;
        self.explicit[0].copy_from(&kept.buffers[1])?;
        self.solver.copy_from(&kept.solver)?;
        self.starter.as_mut().map_or(Ok(()), Systems::forget)?;
        (self.clock, self.since) = (kept.clock, kept.since);
        Ok(())
    }

    /// Another linear part, as when a parameter was moved: the next step is a first one.
    ///
    /// # Errors
    /// As [`Stepper::new`]; the old part then stays.
    pub fn set_part(&mut self, part: LinearPart) -> Result<()> {
        part.check()?;
        if part.fields != self.part.fields {
            return Err(bad("fields", part.fields.to_string(), &format!("{}, as before", self.part.fields)));
        }
        self.change_to(part, self.settings.clone())
    }

    /// Another Δt: the next step is a first one.
    ///
    /// # Errors
    /// As [`Stepper::new`]; the old Δt then stays.
    pub fn set_step(&mut self, step: f64) -> Result<()> {
        self.change_to(self.part.clone(), StepperSettings { step, ..self.settings.clone() })
    }

    fn change_to(&mut self, part: LinearPart, settings: StepperSettings) -> Result<()> {
        check(&self.groups, &part, &settings)?;
        self.solver = made(&self.groups, &part, &settings, settings.scheme)?;
        self.clock = (self.time(), 0, self.clock.2);
        (self.part, self.settings, self.starter, self.since) = (part, settings, None, 0);
        Ok(())
    }

    /// All that the run goes on from.
    ///
    /// # Errors
    /// Those of a lost device.
    pub fn save(&self) -> Result<Saved> {
        let fields = [self.u.data()?, self.change.data()?, self.explicit[0].data()?];
        Ok(Saved { clock: self.clock, since: self.since, fields, solver: self.solver.memory()? })
    }

    /// Goes on from what was saved.
    ///
    /// # Errors
    /// [`Error::WrongLength`] and [`Error::BadParameter`] for another grid or part.
    pub fn restore(&mut self, saved: &Saved) -> Result<()> {
        self.solver.remember(&saved.solver.0, &saved.solver.1)?;
        self.starter.as_mut().map_or(Ok(()), Systems::forget)?;
        for (buffer, values) in [&self.u, &self.change, &self.explicit[0]].into_iter().zip(&saved.fields) {
            buffer.write(values)?;
        }
        (self.clock, self.since) = (saved.clock, saved.since);
        Ok(())
    }
}

/// ‖x‖₂ of all fields, summed on the GPU: one texel is read.
fn norm(algebra: &Algebra, of: &Buffer) -> Result<f64> {
    let sum = algebra.gpu().buffer(1, 1).components(of.components()).build()?;
    let (terms, target) = (Terms::Products(of.texture(), of.texture()), sum.texture());
    algebra.sum().reduce_into(terms, false, &[target], target.shape().rect())?;
    Ok(sum.data()?.into_iter().map(f64::from).sum::<f64>().sqrt())
}

fn made(groups: &[Group], part: &LinearPart, settings: &StepperSettings, scheme: Scheme) -> Result<Systems> {
    let (c0, gamma) = scheme.implicit();
    Systems::new(groups, part, (c0, gamma * settings.step), &settings.conserves)
}

/// Checks Δt, for the scheme and for its first step.
fn check(groups: &[Group], part: &LinearPart, settings: &StepperSettings) -> Result<()> {
    let StepperSettings { scheme, step, .. } = *settings;
    if !(step > 0.0 && step.is_finite()) {
        return Err(bad("step", step.to_string(), "a number above 0"));
    }
    for (scheme, which) in [(scheme, ""), (scheme.first(), " in the first step")] {
        for group in groups.iter().filter(|group| !group.fields.is_empty()) {
            if let Some(limit) = part.within(&group.fields)?.largest_step(scheme, group.volumes.largest())
                && step >= limit
            {
                return Err(Error::StepSingular { step, limit: short(limit), when: which });
            }
        }
    }
    Ok(())
}

fn bad(name: &'static str, found: String, expected: &str) -> Error {
    Error::BadParameter { name, found, expected: expected.to_owned() }
}
