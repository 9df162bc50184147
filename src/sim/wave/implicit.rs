//! The system of an implicit step, and how many Chebyshev steps it takes, or cycles of multigrid.
//!
//! The eigenvalues of 1 − αL lie in [1, 1 + 8α]. So the count is known before a step, which then needs no sum and no answer. A
//! step from 0 of the full count meets the tolerance whatever the state is: ‖b‖ is what it begins with. A step from b + αL y_last
//! (3 (y − y_last) + the heights before those, by the scheme itself) needs fewer where the waves are smooth. Which it is, and how
//! many, follows from what was measured of the step before the last one: always that one, whether its answer came early or late,
//! so that all hosts compute the same bits.
//!
//! In open water of large β cycles cost less (`cycles.rs`). They begin from 0, which is as good a start as any where waves run many cells a step.

use super::cycles::{Cycles, cycles_after, cycles_for};
use super::{Parameters, Walls, matrix};
use crate::Result;
use crate::gl::{Format, ReadBack, Rect, Shape, Texture};
use crate::linalg::{Algebra, LinearOperator, Op, Packed2x2, Vector};
use crate::pug::Terms;
use crate::solve::Chebyshev;

/// How the system of an implicit step was solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solved {
    /// Chebyshev steps, or cycles of multigrid.
    pub iterations: usize,
    /// ‖b − A y'‖ / ‖b‖ of the heights y' themselves, in 32 bits; ‖b − A y'‖ where b = 0.
    pub residual: f64,
    /// True if that is the tolerance at most, or the rounding of numbers as large as ‖A‖ y': (1 + 4β) 2⁻²⁴.
    pub meets_tolerance: bool,
}

/// The measurements of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Record {
    iterations: usize,
    /// The relative residual at the end.
    residual: f32,
    /// For a step from 0: the relative residual that it would have had to begin with, had it begun from b + αL y_last.
    other: Option<f32>,
}

/// A step whose residual is on its way.
struct Asked {
    answer: Answer,
    iterations: usize,
    from_zero: bool,
    /// False if the water has been changed from outside since.
    counts: bool,
}

enum Answer {
    OnItsWay(ReadBack),
    Here(Record),
}

/// 1 − αL and its solver.
pub(super) struct Implicit {
    /// 1 − αL.
    matrix: Box<dyn LinearOperator>,
    /// αL.
    coupling: Box<dyn LinearOperator>,
    right: Vector,
    chebyshev: Chebyshev,
    /// Cycles, where they cost less.
    cycles: Option<Cycles>,
    /// Steps or cycles from 0 that meet the tolerance whatever the right side is.
    full: usize,
    tolerance: f64,
    rounding: f64,
    /// The sums of squares of a step: of b and its residual, and in a second texel of b and the other start's residual.
    sums: Texture,
    /// The record of the step before the last.
    known: Option<Record>,
    /// The last step.
    last: Option<Asked>,
    solved: Option<Solved>,
}

/// How far below the tolerance a step aims whose start is not b: in two steps ‖r‖/‖b‖ grows by as much where ‖b‖ dips in a small basin.
const MARGIN: f64 = 4.0;

/// Numbers of [`Implicit::pace`] for each of its two steps.
const EACH: usize = 3;

impl Implicit {
    pub fn new(
        algebra: &Algebra,
        grid: Packed2x2,
        parameters: &Parameters,
        walls: Option<&Walls>,
    ) -> Result<Implicit> {
        let Parameters { beta, edges, tolerance, .. } = *parameters;
        let (condition, tolerance) = (1.0 + 4.0 * f64::from(beta), f64::from(tolerance));
        let chebyshev = Chebyshev::new([1.0, condition])?;
        let steps = chebyshev.steps_for(1.0 / tolerance);
        let cycles = match walls {
            None => Cycles::where_they_pay(algebra, grid, edges, (beta, tolerance), steps)?,
            Some(_) => None,
        };
        let shape = Shape { width: 2, height: 1, format: Format::Rgba32F };
        Ok(Implicit {
            matrix: matrix(algebra, grid, edges, walls, 1.0, -beta / 2.0)?,
            coupling: matrix(algebra, grid, edges, walls, 0.0, beta / 2.0)?,
            right: algebra.zeros(grid)?,
            chebyshev,
            full: if cycles.is_some() { cycles_for(tolerance) } else { steps },
            cycles,
            tolerance,
            rounding: condition * 2f64.powi(-24),
            sums: algebra.context().texture(shape)?,
            known: None,
            last: None,
            solved: None,
        })
    }

    /// The right side, to be written before [`Implicit::solve`].
    pub fn right(&mut self) -> &mut Vector {
        &mut self.right
    }

    /// x = (1 − αL)⁻¹ right, where `last` is y_last.
    pub fn solve(&mut self, last: &Vector, x: &mut Vector) -> Result<()> {
        let (start, chebyshev) = (self.count(), self.chebyshev);
        let iterations = start.unwrap_or(self.full);
        let from_zero = start.is_none() && self.cycles.is_none();
        match (&self.cycles, start) {
            (Some(cycles), _) => cycles.solve(&*self.matrix, &self.right, x, iterations)?,
            (None, None) => chebyshev.solve_from_zero(&*self.matrix, &self.right, x, iterations)?,
            (None, Some(_)) => {
                self.coupling.apply(Op::Add(&self.right), last, x)?;
                chebyshev.improve(&*self.matrix, &self.right, x, iterations)?;
            }
        }
        let answer = Answer::OnItsWay(self.survey(last, x, from_zero)?);
        let asked = Asked { answer, iterations, from_zero, counts: true };
        // The step before this one has had all of it to arrive.
        self.known = None;
        if let Some(before) = self.last.replace(asked) {
            let counts = before.counts;
            let record = self.record(before)?;
            self.solved = Some(self.verdict(record));
            self.known = counts.then_some(record);
        }
        Ok(())
    }

    /// Steps from b + αL y_last, where fewer than the full count are enough by what is known; else `None`, all of them from 0. Or cycles.
    fn count(&self) -> Option<usize> {
        let record = self.known?;
        let most = |residual: f32| MARGIN * f64::from(residual) / self.tolerance;
        // No number is no count.
        if !record.residual.is_finite() || record.other.is_some_and(|other| !other.is_finite()) {
            return None;
        }
        let count = match record.other {
            Some(other) => self.chebyshev.steps_for(most(other)) as i64,
            None if f64::from(record.residual) > self.tolerance => return None,
            None if self.cycles.is_some() => {
                cycles_after(record.iterations, record.residual.into(), self.tolerance)
            }
            None => record.iterations as i64 + self.chebyshev.more_steps_for(most(record.residual)),
        };
        (count < self.full as i64).then_some(count.max(1) as usize)
    }

    /// Begins to read what was measured of a step: two passes and a sum, four and two sums for a step from 0.
    fn survey(&self, last: &Vector, x: &Vector, from_zero: bool) -> Result<ReadBack> {
        let (algebra, b) = (x.algebra(), &self.right);
        let mut r = Vector::uninitialised(algebra, x.layout())?;
        let sum = |r: &Vector, place: u32| {
            let terms = Terms::Residuals([b.texture(), b.texture(), r.texture()], None);
            algebra.sum().reduce_into(terms, false, &[&self.sums], Rect::new(place, 0, place + 1, 1))
        };
        self.matrix.apply(Op::Sub(b), x, &mut r)?;
        sum(&r, 0)?;
        if from_zero {
            let mut other = Vector::uninitialised(algebra, x.layout())?;
            self.coupling.apply(Op::Add(b), last, &mut other)?;
            self.matrix.apply(Op::Sub(b), &other, &mut r)?;
            sum(&r, 1)?;
        }
        self.sums.read_async(self.sums.shape().rect())
    }

    fn record(&self, asked: Asked) -> Result<Record> {
        match asked.answer {
            Answer::Here(record) => Ok(record),
            Answer::OnItsWay(answer) => Ok(recorded(&answer.wait()?, asked.iterations, asked.from_zero)),
        }
    }

    fn verdict(&self, record: Record) -> Solved {
        let residual = f64::from(record.residual);
        let meets_tolerance = residual <= self.tolerance + self.rounding;
        Solved { iterations: record.iterations, residual, meets_tolerance }
    }

    /// The water has been changed from outside: what was measured says nothing of the next step.
    pub fn forget(&mut self) {
        self.known = None;
        if let Some(last) = &mut self.last {
            last.counts = false;
        }
    }

    /// The newest step whose residual has arrived.
    pub fn solved(&self) -> Option<&Solved> {
        self.solved.as_ref()
    }

    /// The last step, waited for.
    pub fn last_solved(&self) -> Result<Option<Solved>> {
        let record = self.last.as_ref().map(|last| self.newest(last)).transpose()?;
        Ok(record.map(|record| self.verdict(record)))
    }

    fn newest(&self, last: &Asked) -> Result<Record> {
        match last.answer {
            Answer::Here(record) => Ok(record),
            Answer::OnItsWay(_) => {
                let sums = self.sums.read(self.sums.shape().rect())?;
                Ok(recorded(&sums, last.iterations, last.from_zero))
            }
        }
    }

    /// The numbers that the next steps' counts follow from: of the step before the last and of the last one the iterations, 0 where
    /// nothing counts, the residual, and the other start's or −1.
    pub fn pace(&self) -> Result<Vec<f32>> {
        let last = self.last.as_ref().filter(|last| last.counts).map(|last| self.newest(last)).transpose()?;
        let numbers = |record: Option<Record>| match record {
            None => [0.0; EACH],
            Some(Record { iterations, residual, other }) => {
                [iterations as f32, residual, other.unwrap_or(-1.0)]
            }
        };
        Ok([self.known, last].into_iter().flat_map(numbers).collect())
    }

    /// Goes on from the numbers of [`Implicit::pace`]; false if they are no such numbers.
    pub fn set_pace(&mut self, pace: &[f32]) -> bool {
        let (steps, rest) = pace.as_chunks::<EACH>();
        let &[known, last] = steps else { return false };
        let fits = |&[iterations, ..]: &[f32; EACH]| (0.0..=self.full as f32).contains(&iterations);
        if !rest.is_empty() || !steps.iter().all(fits) {
            return false;
        }
        let record = |[iterations, residual, other]: [f32; EACH]| {
            let iterations = iterations as usize;
            (iterations > 0).then_some(Record {
                iterations,
                residual,
                other: (other >= 0.0).then_some(other),
            })
        };
        self.known = record(known);
        self.last = record(last).map(|record| {
            let (iterations, from_zero) = (record.iterations, record.other.is_some());
            Asked { answer: Answer::Here(record), iterations, from_zero, counts: true }
        });
        true
    }
}

/// (b·b, ., ., r·r) of the end, and of the other start.
fn recorded(sums: &[f32], iterations: usize, from_zero: bool) -> Record {
    let relative = |sums: &[f32]| match sums {
        &[bb, .., rr] => (f64::from(rr) / if bb > 0.0 { f64::from(bb) } else { 1.0 }).sqrt() as f32,
        _ => f32::NAN,
    };
    let (end, start) = sums.split_at(sums.len() / 2);
    Record { iterations, residual: relative(end), other: from_zero.then(|| relative(start)) }
}
