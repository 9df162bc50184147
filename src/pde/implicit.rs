//! Implicit steps of equations: right sides by generated kernels, linear systems by the stepper of `solve`.

use std::rc::Rc;

use super::Scheme;
use super::equations::{Alike, Edge, Equations, Split};
use super::evaluate::{Evaluation, noise_key, white};
use super::passes::{Fixed, Moment, Pass, apart, draw_all, interleaved};
use crate::linalg::Algebra;
use crate::pug::{Buffer, Gpu};
use crate::solve::{
    At, Block, Effort, FiniteVolumes, Group, LinearPart, RightSide, Stepper, StepperSettings, Systems,
};
use crate::{Error, Result, solve};

/// The tolerance of a solve, relative to its right side, where the file says none.
const TOLERANCE: f64 = 1e-3;

/// The same for `cn`, which damps no errors: they add up over a run as energies do.
const UNDAMPED: f64 = 1e-5;

/// The part of a saved state that implicit steps go on from, beside the fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
    /// The last step's changes, one field after the other.
    pub change: Vec<Vec<f32>>,
    /// N of the step before.
    pub explicit: Vec<Vec<f32>>,
    /// The starts of the next solves.
    pub starts: Vec<Vec<f32>>,
    /// A number for the kind of each solve, and the cycles or iterations of one that is not looked at.
    pub cycles: Vec<[usize; 2]>,
    /// Steps since the last change of the step, the parameters or the state.
    pub since: u64,
}

/// The solver's half of a step.
pub(super) struct Implicit {
    pub stepper: Stepper,
    part: LinearPart,
    /// True if parameters or Δt are others than the stepper knows.
    pub is_stale: bool,
    pub effort: Effort,
}

impl Scheme {
    /// The implicit scheme of that name; two-step backward differences for those that are explicit.
    pub(super) fn of_stepper(self) -> solve::Scheme {
        match self {
            Scheme::ImexEuler => solve::Scheme::ImexEuler,
            Scheme::Cnab2 => solve::Scheme::Cnab2,
            Scheme::Cn => solve::Scheme::Cn,
            _ => solve::Scheme::Sbdf2,
        }
    }
}

/// The numbers that a solver is made of.
pub(super) struct Settings<'s> {
    pub equations: &'s Equations,
    pub split: &'s Split,
    pub parameters: &'s [f64],
    pub step: f64,
}

impl Settings<'_> {
    fn scheme(&self) -> solve::Scheme {
        self.equations.run.scheme.of_stepper()
    }

    fn part(&self) -> LinearPart {
        self.split.part(self.equations.fields.len(), self.parameters, self.step)
    }

    /// The groups for a state. Those of a D that does not follow it keep the volumes of the groups that are known, made with the same numbers.
    fn groups(&self, gpu: &Gpu, state: &Buffer, known: &[Group]) -> Result<Vec<Group>> {
        let fields = match self.split.follows_state() {
            true => Some(wide(apart(&state.data()?, self.equations.fields.len()))),
            false => None,
        };
        let made = |(at, group): (usize, &Alike)| {
            let d = self.split.conductivity(self.equations, group);
            let volumes = match known.get(at).filter(|_| d.is_none_or(|d| !d.has.field)) {
                Some(known) => known.volumes.clone(),
                None => {
                    let grid = self.split.grid(
                        self.equations,
                        self.parameters,
                        self.step,
                        group,
                        fields.as_deref(),
                    )?;
                    Rc::new(FiniteVolumes::new(&Algebra::new(gpu), &grid)?)
                }
            };
            Ok(Group { volumes, fields: group.fields.clone(), auxiliaries: group.auxiliaries.clone() })
        };
        self.split.groups.iter().enumerate().map(made).collect()
    }

    fn tolerance(&self) -> f64 {
        let default = if self.equations.run.scheme == Scheme::Cn { UNDAMPED } else { TOLERANCE };
        self.equations.run.tolerance.unwrap_or(default)
    }

    fn stepper(&self, gpu: &Gpu, state: &Buffer) -> Result<Stepper> {
        let settings = StepperSettings {
            scheme: self.scheme(),
            step: self.step,
            tolerance: self.tolerance(),
            conserves: self.split.conserves.clone(),
            time: 0.0,
        };
        Stepper::of_groups(self.groups(gpu, state, &[])?, self.part(), settings, state.clone())
    }
}

/// The right side of one step.
pub(super) struct Draw<'d> {
    pub passes: &'d mut [Pass],
    pub fixed: &'d Fixed,
    pub equations: &'d Equations,
    pub parameters: &'d [f64],
    /// tⁿ and tⁿ⁺¹.
    pub times: [f64; 2],
    pub key: [u32; 2],
}

impl RightSide for Draw<'_> {
    fn draw(&mut self, at: &At, targets: [&Buffer; 2]) -> Result<()> {
        let is_centred = at.edge_times[0] != at.edge_times[1];
        let moment = Moment {
            times: self.times,
            edge: if is_centred { self.times[0] } else { self.times[1] },
            weights: [0.0; 2],
            k: at.k,
            key: self.key,
            step: at.step,
            parameters: self.parameters,
        };
        let others = [("change", at.change), ("past", at.explicit)];
        draw_all(self.equations, self.passes, self.fixed, at.u, &others, &moment, &targets)
    }
}

impl Implicit {
    pub fn new(gpu: &Gpu, settings: &Settings, state: &Buffer) -> Result<Implicit> {
        let stepper = settings.stepper(gpu, state)?;
        Ok(Implicit { stepper, part: settings.part(), is_stale: false, effort: Effort::default() })
    }

    /// True if the numbers of the solver have changed since it was made.
    pub fn has_changed(&self, settings: &Settings) -> bool {
        let has_parameter = |edge: &Edge| match edge {
            Edge::Flux { robin: Some(b), .. } => b.has.parameter || b.has.step,
            _ => false,
        };
        let mut conductivities = settings.split.conductivities.iter().flatten();
        let equations = &settings.equations;
        let edges = equations.fields.iter().map(|field| &field.edges);
        let of_auxiliaries = equations.auxiliaries.iter().map(|auxiliary| &auxiliary.edges);
        self.is_stale
            && (settings.step != self.stepper.settings().step
                || settings.part() != self.part
                || edges.chain(of_auxiliaries).flatten().any(has_parameter)
                || conductivities.any(|d| d.has.parameter || d.has.step))
    }

    /// One step.
    ///
    /// # Errors
    /// Those of the part and of passes.
    pub fn step(&mut self, gpu: &Gpu, settings: &Settings, draw: &mut Draw) -> Result<()> {
        if self.has_changed(settings) {
            let state = self.stepper.state().clone();
            *self = Implicit::new(gpu, settings, &state)?;
        } else if settings.split.follows_state() {
            let groups = settings.groups(gpu, self.stepper.state(), self.stepper.groups())?;
            self.stepper.set_groups(groups)?;
        }
        self.is_stale = false;
        self.effort = self.stepper.step(draw)?;
        Ok(())
    }

    /// Ok if the last step's solves reached their tolerance.
    ///
    /// # Errors
    /// [`Error::StepNotSolved`].
    pub fn solved_well(&self, settings: &Settings, step: u64) -> Result<()> {
        // A residual that is no number is that of a state that is none: a look at the state tells which.
        match self.effort.residual {
            Some(residual) if self.effort.is_short && residual.is_finite() => Err(Error::StepNotSolved {
                step,
                residual,
                // Where there are iterations, the cycles are inside them.
                iterations: match self.effort.iterations {
                    0 => self.effort.cycles,
                    iterations => iterations,
                },
                tolerance: settings.tolerance(),
            }),
            _ => Ok(()),
        }
    }

    pub fn blocks(&self) -> &[Block] {
        self.stepper.blocks()
    }

    /// The memory that the run goes on from beside the fields.
    pub fn solved(&self, count: usize) -> Result<Solved> {
        let solve::Saved { since, fields: [_, change, explicit], solver: (starts, cycles), .. } =
            self.stepper.save()?;
        Ok(Solved { change: apart(&change, count), explicit: apart(&explicit, count), starts, cycles, since })
    }

    /// Goes on from what was saved with these fields. What is of other equations or another grid is not taken.
    pub fn load(&mut self, fields: &[Vec<f32>], solved: &Solved) -> Result<()> {
        let Solved { change, explicit, starts, cycles, since } = solved;
        let texels =
            |values: &[Vec<f32>]| interleaved(&values.iter().map(|field| &field[..]).collect::<Vec<_>>());
        let solver = (starts.clone(), cycles.clone());
        let fields = [texels(fields), texels(change), texels(explicit)];
        match self.stepper.restore(&solve::Saved { clock: (0.0, 0, 0), since: *since, fields, solver }) {
            // That of other blocks: the next step is a first one.
            Err(Error::BadParameter { .. }) => Ok(()),
            restored => restored,
        }
    }

    /// The state after the next step in f64, from the state and the memory of the steps before: R by the interpreter, δ by refinement until
    /// the interpreter finds (c₀ − γΔt J) δ = R to ten digits. The GPU's solver makes the corrections and decides nothing.
    pub fn expected(
        &self,
        gpu: &Gpu,
        settings: &Settings,
        start: Vec<Vec<f64>>,
        time: f64,
        number: u64,
    ) -> Result<Vec<Vec<f64>>> {
        let Settings { equations, split, parameters, step } = *settings;
        let (grid, count) = (&equations.grid, equations.fields.len());
        let is_first = self.has_changed(settings) || self.stepper.is_first();
        let scheme = if is_first { settings.scheme().first() } else { settings.scheme() };
        let end = time + step;
        let edge_times = [if scheme.is_centred() { time } else { end }, end];
        let saved = self.stepper.save()?;
        let [change, past] = [1, 2].map(|at| wide(apart(&saved.fields[at], count)));
        let k = scheme.explicit(step);
        let at = |fields: &[Vec<f64>], time: f64| {
            Evaluation::new(equations, parameters, step, time, fields.to_vec())
        };
        let now = at(&start, time);
        let hold = |fields: &mut [Vec<f64>], time: f64| {
            for (values, field) in fields.iter_mut().zip(&equations.fields) {
                now.hold(values, &field.edges, &field.mask, time);
            }
        };
        let ends = edge_times.map(|time| {
            let mut fields = start.clone();
            hold(&mut fields, time);
            fields
        });
        let held: Vec<Vec<f64>> = zip(&ends[0], &ends[1], |a, b| 0.5 * (a + b));
        let linear = |fields: &[Vec<f64>], time: f64, with_sources: bool| -> Vec<Vec<f64>> {
            let there = at(fields, time);
            let each = split.linear.iter().zip(&split.sources).map(|(linear, source)| {
                let mut values = there.values(linear);
                if let Some(source) = source.as_ref().filter(|_| with_sources) {
                    values.iter_mut().zip(there.values(source)).for_each(|(value, source)| *value += source);
                }
                values
            });
            each.collect()
        };
        let [low, high] = edge_times.map(|time| linear(&held, time, true));
        let linear_held = zip(&low, &high, |a, b| 0.5 * (a + b));
        let none = vec![0.0; grid.nodes()];
        let explicit: Vec<Vec<f64>> = split
            .explicit
            .iter()
            .map(|formula| formula.as_ref().map_or(none.clone(), |formula| now.values(formula)))
            .collect();
        let mut right = zip(&linear_held, &explicit, |linear, explicit| k[1] * linear + k[2] * explicit);
        let memory = zip(&change, &past, |change, past| k[0] * change + k[3] * past);
        right = zip(&right, &memory, |a, b| a + b);
        let scale = (step / (grid.cell[0] * grid.cell[1])).sqrt();
        let key = noise_key(equations.run.seed, number);
        for (which, field) in equations.fields.iter().enumerate() {
            let Some(noise) = &field.noise else { continue };
            let amplitude = now.values(noise);
            for (node, value) in right[which].iter_mut().enumerate() {
                let place = [node as u32 % grid.size[0], node as u32 / grid.size[0]];
                *value += scale * amplitude[node] * white(key, which, place);
            }
        }
        // Held nodes: their change is known.
        let mut next = start.clone();
        hold(&mut next, end);
        let is_held = |field: usize, node: usize| {
            let field = &equations.fields[field];
            now.holder(&field.edges, &field.mask, node).is_some()
        };
        let free: Vec<Vec<bool>> =
            (0..count).map(|field| (0..grid.nodes()).map(|node| !is_held(field, node)).collect()).collect();
        let (c0, gamma) = scheme.implicit();
        let groups = settings.groups(gpu, self.stepper.state(), &[])?;
        let mut solver = Systems::new(&groups, &settings.part(), (c0, gamma * step), &[])?;
        let buffer = || gpu.buffer(grid.size[0], grid.size[1]).components(count).build();
        let (r, zero, made, correction) = (buffer()?, buffer()?, buffer()?, buffer()?);
        zero.write(&vec![0.0; count * grid.nodes()])?;
        let mut delta = vec![none; count];
        let base = linear(&held, end, false);
        let size = largest(&right);
        let mut found = f64::INFINITY;
        for _ in 0..60 {
            let moved = match split.follows_state() {
                // D is that of the state before the step.
                true => zip(&base, &weighted(&settings.part(), &groups, &delta), |base, more| base + more),
                false => linear(&zip(&held, &delta, |u, d| u + d), end, false),
            };
            let mut rest = right.clone();
            for (field, values) in rest.iter_mut().enumerate() {
                for (node, value) in values.iter_mut().enumerate() {
                    let linear = moved[field][node] - base[field][node];
                    *value = if free[field][node] {
                        *value - c0 * delta[field][node] + gamma * step * linear
                    } else {
                        0.0
                    };
                }
            }
            found = largest(&rest);
            if found.is_nan() || found <= 1e-10 * size {
                break;
            }
            let texels: Vec<Vec<f32>> =
                rest.iter().map(|field| field.iter().map(|value| (value / found) as f32).collect()).collect();
            r.write(&interleaved(&texels.iter().map(|field| &field[..]).collect::<Vec<_>>()))?;
            solver.forget()?;
            solver.solve(&r, &zero, [&made, &correction], Some(1e-4))?;
            for (values, more) in delta.iter_mut().zip(apart(&correction.data()?, count)) {
                values.iter_mut().zip(more).for_each(|(value, more)| *value += found * f64::from(more));
            }
        }
        if found > 1e-6 * size {
            return Err(Error::StepNotSolved {
                step: number + 1,
                residual: found / size,
                iterations: 60,
                tolerance: 1e-6,
            });
        }
        for (field, values) in next.iter_mut().enumerate() {
            for (node, value) in values.iter_mut().enumerate().filter(|(node, _)| free[field][*node]) {
                *value += delta[field][node];
            }
        }
        Ok(next)
    }
}

/// J δ by the weights of a grid.
fn weighted(part: &LinearPart, groups: &[Group], delta: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let lap = |(at, field): (usize, &Vec<f64>)| {
        let group = groups.iter().find(|group| group.fields.contains(&at));
        group.map_or_else(Vec::new, |group| group.volumes.multiply(field))
    };
    let laps: Vec<Vec<f64>> = delta.iter().enumerate().map(lap).collect();
    let row = |i: usize| -> Vec<f64> {
        let at = |node: usize| -> f64 {
            let term = |j: usize| {
                let place = i * part.rows() + j;
                part.constant[place] * delta[j][node] - part.lap[place] * laps[j][node]
            };
            (0..delta.len()).map(term).sum()
        };
        (0..delta[0].len()).map(at).collect()
    };
    (0..delta.len()).map(row).collect()
}

/// Fields as f64.
pub(super) fn wide(fields: Vec<Vec<f32>>) -> Vec<Vec<f64>> {
    fields.into_iter().map(|field| field.into_iter().map(f64::from).collect()).collect()
}

fn zip(a: &[Vec<f64>], b: &[Vec<f64>], f: impl Fn(f64, f64) -> f64) -> Vec<Vec<f64>> {
    a.iter().zip(b).map(|(a, b)| a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect()).collect()
}

fn largest(fields: &[Vec<f64>]) -> f64 {
    fields
        .iter()
        .flatten()
        .fold(0.0, |most: f64, value| if value.is_nan() { f64::NAN } else { most.max(value.abs()) })
}
