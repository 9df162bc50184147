//! Steps on the GPU: the passes of the generated kernels, in their order.

use std::rc::Rc;

use super::equations::Equations;
use super::evaluate::{Evaluation, noise_key};
use super::formula::{Formula, Node, Term};
use super::implicit::{Draw, Implicit, Settings, Solved, wide};
use super::kernel::{self, KernelText};
use super::passes::{Fixed, Moment, Pass, apart, draw_all, edges, interleaved};
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
}

/// The state on the GPU from which a run goes on bit for bit.
#[derive(Clone)]
pub struct Snapshot {
    /// The fields.
    pub state: Buffer,
    /// Slopes of the step before, where the scheme uses them.
    pub past: Option<Buffer>,
    /// The memory of an implicit scheme.
    pub kept: Option<Rc<Kept>>,
    /// Steps so far.
    pub count: u64,
    /// The time of the last change of the step, and the steps since.
    pub origin: (f64, u64),
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
        let parameters = equations.values();
        let good =
            Snapshot { state: state.front().clone(), past: None, kept: None, count: 0, origin: (0.0, 0) };
        let watch = Watch {
            program: gpu.builtin("pde/finite.frag")?,
            largest: gpu.reduction(Operator::max()),
            marks: buffer(count, "marks").build()?,
            good,
            asked: None,
        };
        let clock = Clock { origin: 0.0, since: 0, count: 0 };
        let step = equations.run.step;
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
        self.set_fields(&start)
    }

    /// Goes on from these values, one field after the other, each row after row; the past is forgotten.
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn set_fields(&mut self, fields: &[Vec<f32>]) -> Result<()> {
        self.fit(fields)?;
        let all: Vec<&[f32]> = fields.iter().map(|field| &field[..]).collect();
        self.state().write(&interleaved(&all))?;
        self.has_past = false;
        if let Some(implicit) = &mut self.implicit {
            implicit.stepper.state_replaced()?;
        }
        self.clock = Clock { origin: self.time(), since: 0, count: self.clock.count };
        self.begin_watch()
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

    /// Sets a parameter from the next step on; nothing is compiled.
    pub fn set_parameter(&mut self, at: usize, value: f64) {
        if let Some(parameter) = self.parameters.get_mut(at).filter(|parameter| **parameter != value) {
            *parameter = value;
            self.implicit.iter_mut().for_each(|implicit| implicit.is_stale = true);
        }
    }

    /// Sets Δt from the next step on.
    pub fn set_step(&mut self, step: f64) {
        self.clock = Clock { origin: self.time(), since: 0, count: self.clock.count };
        (self.step, self.has_past) = (step, false);
        self.implicit.iter_mut().for_each(|implicit| implicit.is_stale = true);
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

    /// One step.
    ///
    /// # Errors
    /// [`Error::StepNotFinite`], up to 128 steps after it has come to that.
    pub fn step(&mut self) -> Result<()> {
        self.advance()?;
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
            implicit.step(&self.gpu, &settings, &mut draw, self.clock.count)?;
            self.clock.since += 1;
            self.clock.count += 1;
            return Ok(());
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

    /// The distance from [`Simulation::expected`] that the tolerance of the last step's solves allows: twice that share of the largest change.
    ///
    /// # Errors
    /// As [`Simulation::fields`].
    pub fn slack(&self) -> Result<f64> {
        let Some(implicit) = &self.implicit else { return Ok(0.0) };
        let change = implicit.stepper.change().data()?;
        let most = change.iter().fold(0.0, |most: f64, value| most.max(f64::from(value.abs())));
        Ok(2.0 * implicit.stepper.settings().tolerance * most)
    }

    /// True if no value was changed by more than 2⁻²⁵ of itself in the last step, which was an implicit one.
    ///
    /// # Errors
    /// As [`Simulation::fields`].
    pub fn is_steady(&self) -> Result<bool> {
        let Some(implicit) = self.implicit.as_ref().filter(|implicit| !implicit.stepper.is_first()) else {
            return Ok(false);
        };
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
        let solved = match &self.implicit {
            Some(implicit) => Some(implicit.solved(self.equations.fields.len())?),
            None => None,
        };
        Ok(Saved { fields: self.fields()?, past, solved, count, origin, since, step: self.step })
    }

    /// Goes on from what was saved. With another step the past is forgotten.
    ///
    /// # Errors
    /// [`Error::WrongLength`] for arrays of another size.
    pub fn load(&mut self, saved: &Saved) -> Result<()> {
        let Saved { fields, past, solved, count, origin, since, step } = saved;
        let more = solved.iter().flat_map(|solved| [&solved.change, &solved.explicit]);
        past.iter().chain(more).chain([fields]).try_for_each(|arrays| self.fit(arrays))?;
        self.clock = Clock { origin: origin + *since as f64 * step, since: 0, count: *count };
        self.set_fields(fields)?;
        if *step == self.step {
            self.clock = Clock { origin: *origin, since: *since, count: *count };
            if let (Some(past), Some(slopes), Scheme::Ab2) = (past, self.extra.first(), self.scheme) {
                let past: Vec<&[f32]> = past.iter().map(|field| &field[..]).collect();
                slopes.write(&interleaved(&past))?;
                self.has_past = true;
            }
            if let (Some(solved), Some(implicit)) = (solved, &mut self.implicit) {
                implicit.load(fields, solved)?;
            }
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
        let Clock { origin, since, count } = self.clock;
        Ok(Snapshot { state: copied(self.state())?, past, kept, count, origin: (origin, since) })
    }

    /// Goes on from a snapshot.
    ///
    /// # Errors
    /// [`Error::WrongShape`] for one of other equations.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        self.rewind(snapshot)?;
        self.begin_watch()
    }

    fn rewind(&mut self, snapshot: &Snapshot) -> Result<()> {
        self.state().copy_from(&snapshot.state)?;
        if let Some(implicit) = &mut self.implicit {
            match &snapshot.kept {
                Some(kept) => implicit.stepper.go_back(kept)?,
                None => implicit.stepper.state_replaced()?,
            }
        }
        self.has_past = snapshot.past.is_some() && self.scheme == Scheme::Ab2;
        if let (Some(past), Some(slopes)) = (&snapshot.past, self.extra.first()) {
            slopes.front().copy_from(past)?;
        }
        let (origin, since) = snapshot.origin;
        self.clock = Clock { origin, since, count: snapshot.count };
        Ok(())
    }

    fn begin_watch(&mut self) -> Result<()> {
        self.watch.asked = None;
        self.watch.good = self.snapshot()?;
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
        if pending.wait()?.iter().all(|mark| *mark == 0.0) {
            self.watch.good = snapshot;
            return Ok(());
        }
        // The same steps once more, each with a look.
        let good = self.watch.good.clone();
        self.rewind(&good)?;
        while self.clock.count < snapshot.count {
            self.advance()?;
            let largest = self.marked(&self.state().clone())?;
            if largest.data()?.iter().any(|mark| *mark != 0.0) {
                return Err(self.not_finite()?);
            }
        }
        Ok(())
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
