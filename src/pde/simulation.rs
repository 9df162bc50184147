//! Steps on the GPU: the passes of the generated kernels, in their order.

use std::rc::Rc;

use super::equations::{Edge, Equations, Split};
use super::evaluate::{Evaluation, noise_key};
use super::formula::{Formula, Has, Node, Term};
use super::implicit::{Draw, Implicit, Settings, Solved, wide};
use super::kernel::{self, KernelText};
use super::passes::{Fixed, Moment, Pass, apart, draw_all, edges, interleaved};
use super::stability::Spectrum;
use super::{Scheme, Span, kernels};
use crate::pug::{Buffer, DoubleBuffer, Gpu, Operator, Pending, Program, Reduction};
use crate::solve::{Block, Effort, Kept};
use crate::{Error, Result};

/// Steps between two looks for values that are no finite numbers.
const LOOK: u64 = 64;

/// Equations that step in time on the GPU: one texel a node, one component a field.
pub struct Simulation {
    gpu: Gpu,
    equations: Rc<Equations>,
    scheme: Scheme,
    parameters: Vec<f64>,
    step: f64,
    clock: Clock,
    state: DoubleBuffer,
    /// Slopes of the step before (ab2), or stages and sums (rk4).
    extra: Vec<DoubleBuffer>,
    /// True if there are slopes of the step before.
    has_past: bool,
    /// The solver of an implicit scheme, whose stepper has the state.
    implicit: Option<Implicit>,
    passes: Vec<Pass>,
    /// The pass that gives held nodes their values, where there are any.
    hold: Vec<Pass>,
    fixed: Fixed,
    watch: Watch,
}

/// The time as the first moment and so many steps since, so that no rounding adds up.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Clock {
    origin: f64,
    since: u64,
    count: u64,
}

/// Looks whether all values are finite numbers.
struct Watch {
    program: Program,
    largest: Reduction,
    marks: Buffer,
    /// The last state that is known to be finite, and the one that is asked about.
    good: Snapshot,
    asked: Option<(Snapshot, Pending)>,
    /// The steps since then from which on other numbers held, and those numbers.
    made_with: Vec<(u64, Numbers)>,
}

/// The numbers that a step is made with and that may change while a run goes on.
#[derive(Clone, Debug, PartialEq)]
struct Numbers {
    parameters: Vec<f64>,
    step: f64,
}

/// The state on the GPU from which a run goes on bit for bit.
#[derive(Clone)]
pub struct Snapshot {
    state: Buffer,
    /// Slopes of the step before, where the scheme uses them.
    past: Option<Buffer>,
    /// The memory of an implicit scheme.
    kept: Option<Rc<Kept>>,
    clock: Clock,
    numbers: Numbers,
}

/// The state on the CPU from which a run goes on bit for bit.
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    /// One field after the other, each row after row.
    pub fields: Vec<Vec<f32>>,
    /// Slopes of the step before, where the scheme uses them.
    pub past: Option<Vec<Vec<f32>>>,
    /// The memory of an implicit scheme.
    pub solved: Option<Solved>,
    /// The scheme that slopes and memory belong to.
    pub scheme: Scheme,
    /// The values of all parameters.
    pub parameters: Vec<f64>,
    /// Steps so far.
    pub count: u64,
    /// The time of the last change of the step.
    pub origin: f64,
    /// Steps since then.
    pub since: u64,
    /// Δt.
    pub step: f64,
}

impl Simulation {
    /// The equations at their start.
    ///
    /// # Errors
    /// [`Error::StepSingular`] for an implicit step that has no solution; a kernel that is beyond the card's limits; those of buffers,
    /// programs and [`Stepper::new`](crate::solve::Stepper::new).
    pub fn new(gpu: &Gpu, equations: Rc<Equations>) -> Result<Simulation> {
        let scheme = equations.run.scheme;
        let grid = &equations.grid;
        let count = equations.fields.len();
        let buffer = |components: usize, name: &str| {
            let [width, height] = grid.size;
            gpu.buffer(width, height).components(components).edges(edges(grid)).named(name)
        };
        let state = buffer(count, "state").double().build()?;
        let extra = match scheme {
            Scheme::Ab2 => vec![buffer(count, "slopes").double().build()?],
            Scheme::Rk4 => {
                vec![buffer(count, "stage").double().build()?, buffer(count, "sum").double().build()?]
            }
            _ => Vec::new(),
        };
        let inside = match &grid.mask {
            None => None,
            Some(mask) => {
                let values: Vec<f32> = mask.iter().map(|inside| f32::from(u8::from(*inside))).collect();
                Some(buffer(1, "inside").init(&values)?)
            }
        };
        let images = match equations.images.len() {
            0 => None,
            many => {
                let values = equations.images.iter().map(|image| &image.values[..]).collect::<Vec<_>>();
                Some(buffer(many, "images").init(&interleaved(&values))?)
            }
        };
        let fixed = Fixed { inside, images };
        let passes = kernels(&equations, scheme);
        let passes =
            passes.into_iter().map(|kernel| Pass::new(gpu, kernel, &equations)).collect::<Result<_>>()?;
        let hold = kernel::holding(&equations).map(|kernel| Pass::new(gpu, kernel, &equations));
        let hold = hold.into_iter().collect::<Result<_>>()?;
        let (parameters, step) = (equations.values(), equations.run.step);
        let clock = Clock { origin: 0.0, since: 0, count: 0 };
        let numbers = Numbers { parameters: parameters.clone(), step };
        let good = Snapshot { state: state.front().clone(), past: None, kept: None, clock, numbers };
        let watch = Watch {
            program: gpu.builtin("pde/finite.frag")?,
            largest: gpu.reduction(Operator::max()),
            marks: buffer(count, "marks").build()?,
            good,
            asked: None,
            made_with: Vec::new(),
        };
        let implicit = match &equations.split {
            None => None,
            Some(split) => {
                let settings = Settings { equations: &equations, split, parameters: &parameters, step };
                // Weights may follow the state.
                let start: Vec<Vec<f32>> = narrow(equations.start(&parameters, step));
                state.write(&interleaved(&start.iter().map(|field| &field[..]).collect::<Vec<_>>()))?;
                Some(Implicit::new(gpu, &settings, state.front())?)
            }
        };
        let gpu = gpu.clone();
        let mut made = Simulation {
            gpu,
            equations,
            scheme,
            parameters,
            step,
            clock,
            state,
            extra,
            has_past: false,
            implicit,
            passes,
            hold,
            fixed,
            watch,
        };
        made.restart()?;
        Ok(made)
    }

    /// Goes back to the start.
    ///
    /// # Errors
    /// Those of writing buffers.
    pub fn restart(&mut self) -> Result<()> {
        let start = narrow(self.equations.start(&self.parameters, self.step));
        self.clock = Clock { origin: 0.0, since: 0, count: 0 };
        self.write(&start)?;
        self.begin_watch()
    }

    /// Goes on from these values, one field after the other, each row after row; the past is forgotten, and edges hold what they hold.
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn set_fields(&mut self, fields: &[Vec<f32>]) -> Result<()> {
        self.write(fields)?;
        self.clock = Clock { origin: self.time(), since: 0, count: self.clock.count };
        self.hold_edges()?;
        self.begin_watch()
    }

    /// Goes on from what was painted into [`Simulation::state`]: as [`Simulation::set_fields`], at the time reached.
    ///
    /// # Errors
    /// Those of passes.
    pub fn state_painted(&mut self) -> Result<()> {
        self.forget()?;
        self.hold_edges()?;
        self.begin_watch()
    }

    fn write(&mut self, fields: &[Vec<f32>]) -> Result<()> {
        self.fit(fields)?;
        let all: Vec<&[f32]> = fields.iter().map(|field| &field[..]).collect();
        self.state().write(&interleaved(&all))?;
        self.forget()
    }

    /// Makes the next step a first one.
    fn forget(&mut self) -> Result<()> {
        self.has_past = false;
        self.implicit.as_mut().map_or(Ok(()), |implicit| implicit.stepper.state_replaced())
    }

    /// Gives held nodes their values at the time reached, so that their neighbours know them in the next step already.
    fn hold_edges(&mut self) -> Result<()> {
        let Simulation { equations, hold, fixed, .. } = self;
        if hold.is_empty() {
            return Ok(());
        }
        let time = self.clock.origin + self.clock.since as f64 * self.step;
        let state = self.implicit.as_ref().map_or(self.state.front(), |implicit| implicit.stepper.state());
        let moment = Moment {
            times: [time; 2],
            edge: time,
            weights: [0.0; 2],
            k: [0.0; 4],
            key: [0; 2],
            step: self.step,
            parameters: &self.parameters,
        };
        draw_all(equations, hold, fixed, state, &[], &moment, &[])?;
        hold.iter().filter_map(Pass::result).try_for_each(|held| state.copy_from(held))
    }

    /// Returns true if an edge holds a formula of which that is true.
    fn holds(&self, is: impl Fn(Has) -> bool) -> bool {
        let of = |edge: &Edge| matches!(edge, Edge::Value(formula) if is(formula.has));
        let fields = &self.equations.fields;
        fields.iter().any(|field| field.edges.iter().chain([&field.mask]).any(of))
    }

    /// Returns Ok for an array of each field, a number for each node.
    fn fit(&self, fields: &[Vec<f32>]) -> Result<()> {
        let (count, nodes) = (self.equations().fields.len(), self.equations().grid.nodes());
        let wrong = fields.iter().map(Vec::len).find(|length| *length != nodes);
        if fields.len() == count && wrong.is_none() {
            return Ok(());
        }
        let found = wrong.map_or(fields.len() * nodes, |length| length * fields.len());
        let (what, shape) = ("state of equations".to_owned(), format!("{count} fields of {nodes} nodes"));
        Err(Error::WrongLength { what, found, expected: count * nodes, shape })
    }

    /// Sets a parameter from the next step on; nothing is compiled. Edges hold what it makes of them at once.
    ///
    /// # Errors
    /// Those of passes.
    pub fn set_parameter(&mut self, at: usize, value: f64) -> Result<()> {
        match self.parameters.get_mut(at).filter(|parameter| **parameter != value) {
            None => return Ok(()),
            Some(parameter) => *parameter = value,
        }
        self.implicit.iter_mut().for_each(|implicit| implicit.is_stale = true);
        if self.holds(|has| has.parameter) { self.hold_edges() } else { Ok(()) }
    }

    /// Sets Δt from the next step on.
    ///
    /// # Errors
    /// As [`Simulation::set_parameter`].
    pub fn set_step(&mut self, step: f64) -> Result<()> {
        self.clock = Clock { origin: self.time(), since: 0, count: self.clock.count };
        (self.step, self.has_past) = (step, false);
        self.implicit.iter_mut().for_each(|implicit| implicit.is_stale = true);
        if self.holds(|has| has.step) { self.hold_edges() } else { Ok(()) }
    }

    fn numbers(&self) -> Numbers {
        Numbers { parameters: self.parameters.clone(), step: self.step }
    }

    fn set_numbers(&mut self, numbers: &Numbers) -> Result<()> {
        for (at, value) in numbers.parameters.iter().enumerate() {
            self.set_parameter(at, *value)?;
        }
        if numbers.step == self.step { Ok(()) } else { self.set_step(numbers.step) }
    }

    /// The time reached.
    pub fn time(&self) -> f64 {
        self.clock.origin + self.clock.since as f64 * self.step
    }

    /// Steps so far.
    pub fn count(&self) -> u64 {
        self.clock.count
    }

    /// Δt.
    pub fn time_step(&self) -> f64 {
        self.step
    }

    /// The values of all parameters.
    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    #[cfg(feature = "trace")]
    pub(super) fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// The equations.
    pub fn equations(&self) -> &Rc<Equations> {
        &self.equations
    }

    /// The newest values, a component a field.
    pub fn state(&self) -> &Buffer {
        self.implicit.as_ref().map_or(self.state.front(), |implicit| implicit.stepper.state())
    }

    /// The slopes of the step before, where the scheme uses them and there are any.
    pub fn past(&self) -> Option<&Buffer> {
        self.extra.first().filter(|_| self.has_past && self.scheme == Scheme::Ab2).map(DoubleBuffer::front)
    }

    /// Reads all fields back, one after the other.
    ///
    /// # Errors
    /// [`Error::Driver`] after a lost device.
    pub fn fields(&self) -> Result<Vec<Vec<f32>>> {
        Ok(apart(&self.state().data()?, self.equations.fields.len()))
    }

    /// The formulas over what the fields are now, on the CPU.
    ///
    /// # Errors
    /// As [`Simulation::fields`].
    pub fn evaluation(&self) -> Result<Evaluation<'_>> {
        let wide = |field: Vec<f32>| field.into_iter().map(f64::from).collect();
        let fields = self.fields()?.into_iter().map(wide).collect();
        Ok(Evaluation::new(&self.equations, &self.parameters, self.step, self.time(), fields))
    }

    /// The growth and the decay of small disturbances of what the fields are now.
    ///
    /// # Errors
    /// As [`Simulation::fields`].
    pub fn spectrum(&self) -> Result<Spectrum> {
        Ok(Spectrum::of(&self.evaluation()?, &self.equations))
    }

    /// One step.
    ///
    /// # Errors
    /// [`Error::StepNotFinite`], up to 128 steps after it has come to that; [`Error::StepNotSolved`] after a step whose solves are above
    /// their tolerance.
    pub fn step(&mut self) -> Result<()> {
        let Watch { made_with, .. } = &mut self.watch;
        let last = made_with.last().map(|(_, numbers)| numbers);
        if last.is_none_or(|last| last.step != self.step || last.parameters != self.parameters) {
            let numbers = Numbers { parameters: self.parameters.clone(), step: self.step };
            made_with.push((self.clock.count, numbers));
        }
        if let Err(error) = self.advance() {
            // Weights that follow from a state that is none: the look tells which value it is.
            if matches!(error, Error::BadParameter { .. }) {
                self.settle()?;
            }
            return Err(error);
        }
        if self.clock.count.is_multiple_of(LOOK) {
            self.look()?;
        }
        Ok(())
    }

    /// Waits for the last look, and looks once more at what there is now.
    ///
    /// # Errors
    /// [`Error::StepNotFinite`].
    pub fn settle(&mut self) -> Result<()> {
        self.look()?;
        self.answer()
    }

    fn advance(&mut self) -> Result<()> {
        let (time, dt) = (self.time(), self.step);
        if let (Some(implicit), Some(split)) = (&mut self.implicit, &self.equations.split) {
            let (equations, parameters) = (&*self.equations, &*self.parameters);
            let settings = Settings { equations, split, parameters, step: dt };
            let key = noise_key(equations.run.seed, self.clock.count);
            let (passes, fixed) = (&mut self.passes, &self.fixed);
            let mut draw = Draw { passes, fixed, equations, parameters, times: [time, time + dt], key };
            implicit.step(&self.gpu, &settings, &mut draw)?;
            self.clock.since += 1;
            self.clock.count += 1;
            return implicit.solved_well(&settings, self.clock.count);
        }
        match self.scheme {
            Scheme::Rk4 => {
                let [half, end] = [time + 0.5 * dt, time + dt];
                let stages = [
                    ([0.5, 1.0 / 6.0], [time, half]),
                    ([0.5, 1.0 / 3.0], [half, half]),
                    ([1.0, 1.0 / 3.0], [half, end]),
                    ([0.0, 1.0 / 6.0], [end, end]),
                ];
                for (stage, (weights, times)) in stages.into_iter().enumerate() {
                    let base = self.state.front().clone();
                    let first = stage == 0;
                    let from = if first { base.clone() } else { self.extra[0].front().clone() };
                    let sum = if first { base.clone() } else { self.extra[1].front().clone() };
                    let last = stage == 3;
                    let total = if last { self.state.back().clone() } else { self.extra[1].back().clone() };
                    let stage = self.extra[0].back().clone();
                    let streams = [("base", &base), ("sum", &sum)];
                    self.draw(&from, &streams, weights, times, &[&stage, &total])?;
                    self.extra.iter_mut().for_each(DoubleBuffer::swap);
                }
            }
            Scheme::Ab2 => {
                let weights = if self.has_past { [1.5, -0.5] } else { [1.0, 0.0] };
                let (from, past) = (self.state.front().clone(), self.extra[0].front().clone());
                let targets = [self.state.back().clone(), self.extra[0].back().clone()];
                let targets = [&targets[0], &targets[1]];
                self.draw(&from, &[("past", &past)], weights, [time, time + dt], &targets)?;
                self.extra[0].swap();
                self.has_past = true;
            }
            _ => {
                let (from, to) = (self.state.front().clone(), self.state.back().clone());
                self.draw(&from, &[], [0.0; 2], [time, time + dt], &[&to])?;
            }
        }
        self.state.swap();
        self.clock.since += 1;
        self.clock.count += 1;
        Ok(())
    }

    /// All passes of a stage.
    fn draw(
        &mut self,
        state: &Buffer,
        others: &[(&str, &Buffer)],
        weights: [f64; 2],
        times: [f64; 2],
        targets: &[&Buffer],
    ) -> Result<()> {
        let key = noise_key(self.equations.run.seed, self.clock.count);
        let (step, parameters) = (self.step, &*self.parameters);
        let moment = Moment { times, edge: times[0], weights, k: [0.0; 4], key, step, parameters };
        draw_all(&self.equations, &mut self.passes, &self.fixed, state, others, &moment, targets)
    }

    /// The first field as a formula.
    pub fn first_field(&self) -> Formula {
        self.field(0)
    }

    /// The field of that number as a formula.
    pub fn field(&self, at: usize) -> Formula {
        Node::new(Term::Field(at), Span::default())
    }

    /// The values of a formula at all nodes, as a buffer: for pictures.
    ///
    /// # Errors
    /// Those of programs and buffers.
    pub fn shown(&self, formula: &Formula) -> Result<Shown> {
        let grid = &self.equations.grid;
        let passes = kernel::showing(&self.equations, formula);
        let passes = passes
            .into_iter()
            .map(|kernel| Pass::new(&self.gpu, kernel, &self.equations))
            .collect::<Result<_>>()?;
        let [width, height] = grid.size;
        let values = self.gpu.buffer(width, height).edges(edges(grid)).named("shown").build()?;
        Ok(Shown { passes, values })
    }

    /// Computes the values of a formula as they are now.
    ///
    /// # Errors
    /// Those of passes.
    pub fn show<'s>(&self, shown: &'s mut Shown) -> Result<&'s Buffer> {
        let moment = Moment {
            times: [self.time(); 2],
            edge: self.time(),
            weights: [0.0; 2],
            k: [0.0; 4],
            key: [0; 2],
            step: self.step,
            parameters: &self.parameters,
        };
        let Shown { passes, values } = shown;
        draw_all(&self.equations, passes, &self.fixed, self.state(), &[], &moment, &[values])?;
        Ok(values)
    }

    /// The blocks of an implicit step's linear system, in the order of solving.
    pub fn blocks(&self) -> &[Block] {
        self.implicit.as_ref().map_or(&[], Implicit::blocks)
    }

    /// The work of the last implicit step's solves.
    pub fn effort(&self) -> Option<Effort> {
        self.implicit.as_ref().map(|implicit| implicit.effort)
    }

    /// The tolerance of an implicit step's solves.
    pub fn tolerance(&self) -> Option<f64> {
        self.implicit.as_ref().map(|implicit| implicit.stepper.settings().tolerance)
    }

    /// The distance from [`Simulation::expected`] that the tolerance of the last step's solves allows, twice that share of the largest change,
    /// and the roundings of its right side.
    ///
    /// # Errors
    /// As [`Simulation::fields`].
    pub fn slack(&self) -> Result<f64> {
        let Some(implicit) = &self.implicit else { return Ok(0.0) };
        let most = |buffer: &Buffer| -> Result<f64> {
            Ok(buffer.data()?.iter().fold(0.0, |most: f64, value| most.max(f64::from(value.abs()))))
        };
        let (change, right) = (most(implicit.stepper.change())?, most(implicit.stepper.right())?);
        // Long waves keep the roundings of R, whatever its short ones come to.
        Ok(2.0 * implicit.stepper.settings().tolerance * change + 2.0_f64.powi(-23) * right)
    }

    /// True if the last step has changed nothing: of an implicit one no value by more than 2⁻²⁵ of itself, of an explicit one none at all.
    /// It is the end, or the step is too short for numbers of 32 bits.
    ///
    /// # Errors
    /// As [`Simulation::fields`].
    pub fn is_steady(&self) -> Result<bool> {
        let Some(implicit) = &self.implicit else {
            // The back has the state before the last step.
            return Ok(self.clock.count > 0 && self.state.front().data()? == self.state.back().data()?);
        };
        if implicit.stepper.is_first() {
            return Ok(false);
        }
        let (change, state) = (implicit.stepper.change().data()?, implicit.stepper.state().data()?);
        Ok(change.iter().zip(&state).all(|(change, value)| change.abs() <= value.abs() * 2.0_f32.powi(-25)))
    }

    /// The kernels of a step.
    pub fn kernels(&self) -> impl Iterator<Item = &KernelText> {
        self.passes.iter().map(|pass| &pass.kernel)
    }

    /// Reads back the state from which a run goes on bit for bit.
    ///
    /// # Errors
    /// As [`Simulation::fields`].
    pub fn saved(&self) -> Result<Saved> {
        let past = match self.past() {
            Some(past) => Some(apart(&past.data()?, self.equations.fields.len())),
            None => None,
        };
        let Clock { origin, since, count } = self.clock;
        // A memory that a slider has made void is not saved.
        let solved = match self.implicit.as_ref().filter(|_| !self.is_stale()) {
            Some(implicit) => Some(implicit.solved(self.equations.fields.len())?),
            None => None,
        };
        let (scheme, Numbers { parameters, step }) = (self.scheme, self.numbers());
        Ok(Saved { fields: self.fields()?, past, solved, scheme, parameters, count, origin, since, step })
    }

    /// True if the solver is of other numbers than the next step.
    fn is_stale(&self) -> bool {
        match (&self.implicit, &self.equations.split) {
            (Some(implicit), Some(split)) => implicit.has_changed(&self.settings(split)),
            _ => false,
        }
    }

    fn settings<'s>(&'s self, split: &'s Split) -> Settings<'s> {
        Settings { equations: &self.equations, split, parameters: &self.parameters, step: self.step }
    }

    /// Makes the solver anew if it is of other numbers than the next step: what is loaded then fits it.
    fn renew(&mut self) -> Result<()> {
        if let Some(split) = self.equations.split.as_ref().filter(|_| self.is_stale()) {
            let made = Implicit::new(&self.gpu, &self.settings(split), self.state())?;
            self.implicit = Some(made);
        }
        Ok(())
    }

    /// Goes on from what was saved. With another scheme or step the past is forgotten, with other parameters too what an implicit scheme
    /// remembers.
    ///
    /// # Errors
    /// [`Error::WrongLength`] for arrays of another size.
    pub fn load(&mut self, saved: &Saved) -> Result<()> {
        let Saved { fields, past, solved, scheme, parameters, count, origin, since, step } = saved;
        let more = solved.iter().flat_map(|solved| [&solved.change, &solved.explicit]);
        past.iter().chain(more).chain([fields]).try_for_each(|arrays| self.fit(arrays))?;
        let (goes_on, is_alike) = (*step == self.step, *parameters == self.parameters);
        self.clock = match goes_on {
            true => Clock { origin: *origin, since: *since, count: *count },
            false => Clock { origin: origin + *since as f64 * step, since: 0, count: *count },
        };
        self.write(fields)?;
        self.renew()?;
        if goes_on && *scheme == self.scheme {
            if let (Some(past), Some(slopes), Scheme::Ab2) = (past, self.extra.first(), self.scheme) {
                let past: Vec<&[f32]> = past.iter().map(|field| &field[..]).collect();
                slopes.write(&interleaved(&past))?;
                self.has_past = true;
            }
            if let (Some(solved), Some(implicit), true) = (solved, &mut self.implicit, is_alike) {
                implicit.load(fields, solved)?;
            }
        }
        // Edges hold other values than they did; what they held already goes on bit for bit.
        if !(goes_on && is_alike) {
            self.hold_edges()?;
        }
        self.begin_watch()
    }

    /// A copy of what is needed to go on.
    ///
    /// # Errors
    /// Those of making buffers.
    pub fn snapshot(&self) -> Result<Snapshot> {
        let copied = |buffer: &Buffer| -> Result<Buffer> {
            let copy = self.gpu.buffer(buffer.width(), buffer.height()).components(buffer.components());
            let copy = copy.edges(buffer.edges()).build()?;
            copy.copy_from(buffer)?;
            Ok(copy)
        };
        let past = self.past().map(copied).transpose()?;
        let kept = match &self.implicit {
            Some(implicit) => Some(Rc::new(implicit.stepper.keep()?)),
            None => None,
        };
        let (clock, numbers) = (self.clock, self.numbers());
        Ok(Snapshot { state: copied(self.state())?, past, kept, clock, numbers })
    }

    /// Goes on from a snapshot. What it remembers is forgotten where step or parameters are others now.
    ///
    /// # Errors
    /// [`Error::WrongShape`] for one of other equations.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        self.rewind(snapshot)?;
        self.begin_watch()
    }

    fn rewind(&mut self, snapshot: &Snapshot) -> Result<()> {
        let Snapshot { state, past, kept, clock, numbers } = snapshot;
        self.state().copy_from(state)?;
        let (goes_on, is_alike) = (numbers.step == self.step, numbers.parameters == self.parameters);
        self.clock = match goes_on {
            true => *clock,
            false => Clock { origin: clock.origin + clock.since as f64 * numbers.step, since: 0, ..*clock },
        };
        self.renew()?;
        self.forget()?;
        if let (Some(implicit), Some(kept), true) = (&mut self.implicit, kept, goes_on && is_alike) {
            implicit.stepper.go_back(kept)?;
        }
        if let (Some(past), Some(slopes), true) = (past, self.extra.first(), goes_on) {
            slopes.front().copy_from(past)?;
            self.has_past = true;
        }
        if goes_on && is_alike { Ok(()) } else { self.hold_edges() }
    }

    fn begin_watch(&mut self) -> Result<()> {
        (self.watch.asked, self.watch.good) = (None, self.snapshot()?);
        self.watch.made_with.clear();
        Ok(())
    }

    /// Takes the answer of the look before, and asks about the state as it is now.
    fn look(&mut self) -> Result<()> {
        self.answer()?;
        let snapshot = self.snapshot()?;
        let largest = self.marked(&snapshot.state)?;
        self.watch.asked = Some((snapshot, largest.data_async()?));
        Ok(())
    }

    fn answer(&mut self) -> Result<()> {
        let Some((snapshot, pending)) = self.watch.asked.take() else { return Ok(()) };
        let Watch { good, made_with, .. } = &mut self.watch;
        if pending.wait()?.iter().all(|mark| *mark == 0.0) {
            *good = snapshot;
            // The numbers of its next step, and all after them.
            let now = made_with.iter().rposition(|(count, _)| *count <= good.clock.count);
            made_with.drain(..now.unwrap_or(0));
            return Ok(());
        }
        // The same steps once more, each by its own numbers and with a look.
        let (good, made_with, now) = (good.clone(), made_with.clone(), self.numbers());
        Numbers { parameters: self.parameters, step: self.step } = good.numbers.clone();
        self.implicit.iter_mut().for_each(|implicit| implicit.is_stale = true);
        self.rewind(&good)?;
        while self.clock.count < snapshot.clock.count {
            let numbers = made_with.iter().rfind(|(count, _)| *count <= self.clock.count);
            numbers.map_or(Ok(()), |(_, numbers)| self.set_numbers(numbers))?;
            match self.advance() {
                // It was told when that step was made.
                Ok(()) | Err(Error::StepNotSolved { .. }) => {}
                Err(error) => {
                    self.set_numbers(&now)?;
                    return Err(error);
                }
            }
            let largest = self.marked(&self.state().clone())?;
            if largest.data()?.iter().any(|mark| *mark != 0.0) {
                break;
            }
        }
        let found = self.not_finite()?;
        self.set_numbers(&now)?;
        Err(found)
    }

    fn marked(&mut self, state: &Buffer) -> Result<Buffer> {
        let Watch { program, largest, marks, .. } = &mut self.watch;
        program.bind_stream("state", state)?;
        program.run(marks)?;
        program.release_streams();
        largest.both(marks)
    }

    /// The first field and node whose value is not finite.
    fn not_finite(&self) -> Result<Error> {
        let Equations { grid, fields, .. } = self.equations.as_ref();
        for (field, values) in fields.iter().zip(self.fields()?) {
            if let Some(node) = values.iter().position(|value| !value.is_finite()) {
                let [x, y] = grid.place(node).map(|value| format!("{}", value as f32));
                let place =
                    if grid.dimensions == 1 { format!("x = {x}") } else { format!("x = {x}, y = {y}") };
                return Ok(Error::StepNotFinite { field: field.name.clone(), step: self.clock.count, place });
            }
        }
        Ok(Error::StepNotFinite { field: "a field".into(), step: self.clock.count, place: "no node".into() })
    }

    /// The state after the next step, from what the fields are now, in f64 and without a kernel: for checks.
    ///
    /// # Errors
    /// As [`Simulation::fields`].
    pub fn expected(&self) -> Result<Vec<Vec<f64>>> {
        let past = match self.past() {
            Some(past) => Some(wide(apart(&past.data()?, self.equations.fields.len()))),
            None => None,
        };
        let start = wide(self.fields()?);
        let (time, dt) = (self.time(), self.step);
        if let (Some(implicit), Some(split)) = (&self.implicit, &self.equations.split) {
            let (equations, parameters) = (&*self.equations, &*self.parameters);
            let settings = Settings { equations, split, parameters, step: dt };
            return implicit.expected(&self.gpu, &settings, start, time, self.clock.count);
        }
        let at = |fields: &[Vec<f64>], time: f64| {
            Evaluation::new(&self.equations, &self.parameters, dt, time, fields.to_vec())
        };
        let added = |base: &[Vec<f64>], weight: f64, rates: &[Vec<f64>]| -> Vec<Vec<f64>> {
            let sum =
                |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(a, b)| a + weight * dt * b).collect();
            base.iter().zip(rates).map(sum).collect()
        };
        let held = |mut fields: Vec<Vec<f64>>, time: f64| {
            let now = at(&start, time);
            for (values, field) in fields.iter_mut().zip(&self.equations.fields) {
                now.hold(values, &field.edges, &field.mask, time);
            }
            fields
        };
        let now = at(&start, time);
        let first = now.rates();
        Ok(match (self.scheme, past) {
            (Scheme::Ab2, Some(past)) => held(added(&added(&start, 1.5, &first), -0.5, &past), time + dt),
            (Scheme::Rk4, _) => {
                let [half, end] = [time + 0.5 * dt, time + dt];
                let second = at(&held(added(&start, 0.5, &first), half), half).rates();
                let third = at(&held(added(&start, 0.5, &second), half), half).rates();
                let fourth = at(&held(added(&start, 1.0, &third), end), end).rates();
                let sum = added(&added(&start, 1.0 / 6.0, &first), 1.0 / 3.0, &second);
                held(added(&added(&sum, 1.0 / 3.0, &third), 1.0 / 6.0, &fourth), end)
            }
            _ => {
                let mut next = added(&start, 1.0, &first);
                let grid = &self.equations.grid;
                let scale = (dt / (grid.cell[0] * grid.cell[1])).sqrt();
                let key = noise_key(self.equations.run.seed, self.clock.count);
                for (which, (field, values)) in self.equations.fields.iter().zip(&mut next).enumerate() {
                    let Some(noise) = &field.noise else { continue };
                    let amplitude = now.values(noise);
                    for (node, value) in values.iter_mut().enumerate() {
                        let at = [node as u32 % grid.size[0], node as u32 / grid.size[0]];
                        *value += scale * amplitude[node] * super::evaluate::white(key, which, at);
                    }
                }
                held(next, time + dt)
            }
        })
    }
}

/// A formula that is computed for pictures.
pub struct Shown {
    passes: Vec<Pass>,
    values: Buffer,
}

fn narrow(fields: Vec<Vec<f64>>) -> Vec<Vec<f32>> {
    fields.into_iter().map(|field| field.into_iter().map(|value| value as f32).collect()).collect()
}
