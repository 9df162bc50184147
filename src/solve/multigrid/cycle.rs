//! Multigrid cycles: down to the coarsest level and up again.

use super::transfer::Transfer;
use super::{Coarsest, Multigrid, Smoother};
use crate::linalg::{LinearOperator, NinePoint, Op, Vector};
use crate::solve::Preconditioner;
use crate::{Error, Result};

/// Sweeps on a coarsest level of 3×3 nodes or fewer, forwards and as many backwards.
const SWEEPS_ON_FEW_NODES: u32 = 8;

/// The same on one that is nearly diagonal.
const SWEEPS_ON_DIAGONAL: u32 = 2;

/// The content of x when a level is visited.
#[derive(Clone, Copy, PartialEq)]
enum Start {
    /// Values to improve.
    Given,
    /// The result of the first part of the first sweep from 0.
    Begun,
    /// Nothing: any texels.
    Nothing,
}

/// The parts of a sweep: a factor for each channel in each.
struct Parts {
    factors: [[f32; 4]; 4],
    count: usize,
}

impl Parts {
    /// The factors of a part of the sweeps, from 0.
    fn factor(&self, part: usize, backwards: bool) -> [f32; 4] {
        let colour = part % self.count;
        self.factors[if backwards { self.count - 1 - colour } else { colour }]
    }
}

impl Smoother {
    fn parts(self, a: &NinePoint) -> Parts {
        let [r, g, b, a_channel] = [0, 1, 2, 3].map(|channel| {
            let mut factor = [0.0; 4];
            factor[channel] = 1.0;
            factor
        });
        match self {
            Smoother::Jacobi { damping } => Parts { factors: [[damping; 4]; 4], count: 1 },
            Smoother::RedBlack if a.is_five_point() => {
                let (red, black) = ([1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0]);
                Parts { factors: [red, black, red, black], count: 2 }
            }
            Smoother::RedBlack => Parts { factors: [r, a_channel, g, b], count: 4 },
        }
    }
}

impl Multigrid {
    /// One cycle on A x = b, from the x that is there. Nothing is read back.
    ///
    /// x does not change at nodes that take no part; values that are fixed there are used by the entries that lead to
    /// them.
    ///
    /// # Errors
    /// [`WrongShape`](crate::Error::WrongShape), [`OtherContext`](crate::Error::OtherContext).
    pub fn cycle(&self, b: &Vector, x: &mut Vector) -> Result<()> {
        let _scope = self.algebra().gpu().scope("cycle");
        self.levels[0].matrix.check(Op::Null, b, x)?;
        self.visit(0, b, x, Start::Given)
    }

    /// Full multigrid: the right-hand side is restricted to all levels, the coarsest is solved, and each finer level
    /// begins with the result of the coarser one and makes one cycle. The result is about as exact as the
    /// discretisation itself, for a third more than a cycle. The old values of x are not used; x is 0 where nodes take
    /// no part.
    ///
    /// # Errors
    /// As [`Multigrid::cycle`].
    pub fn full(&self, b: &Vector, x: &mut Vector) -> Result<()> {
        let _scope = self.algebra().gpu().scope("full multigrid");
        let finest = &self.levels[0].matrix;
        finest.check(Op::Null, b, x)?;
        x.fill(0.0)?;
        let mut rest = Vector::uninitialised(self.algebra(), finest.rows())?;
        finest.rest(x, b, &mut rest)?;
        let mut sides = vec![rest];
        for (place, level) in self.levels.iter().enumerate() {
            if let Some(transfer) = level.coarser {
                sides.push(transfer.restrict(&sides[place], &self.levels[place + 1].matrix)?);
            }
        }
        let mut found: Option<Vector> = None;
        for (place, level) in self.levels.iter().enumerate().rev() {
            let (matrix, layout) = (&level.matrix, level.matrix.rows());
            let (mut next, start) = match (level.coarser, found) {
                (Some(transfer), Some(coarse)) => (transfer.prolong(None, matrix, &coarse)?, Start::Given),
                _ => (Vector::uninitialised(self.algebra(), layout)?, Start::Nothing),
            };
            self.visit(place, &sides[place], &mut next, start)?;
            found = Some(next);
        }
        found.map_or(Ok(()), |found| x.copy_from(&found))
    }

    /// P r: the right-hand side of the next coarser level for the residual r of a level (0 is the finest), 0 at nodes
    /// that take no part there. r must be 0 where a fine node takes no part, as a cycle makes it.
    ///
    /// # Errors
    /// [`BadParameter`](crate::Error::BadParameter) for a level that has none below it; as [`Multigrid::cycle`].
    pub fn restrict(&self, level: usize, r: &Vector) -> Result<Vector> {
        let (transfer, coarse) = self.below(level)?;
        r.has_layout(transfer.fine, "residual of a level")?;
        r.same_context(self.algebra())?;
        transfer.restrict(r, coarse)
    }

    /// S e: the correction of the next coarser level interpolated to a level, 0 at nodes that take no part.
    ///
    /// # Errors
    /// As [`Multigrid::restrict`].
    pub fn prolong(&self, level: usize, e: &Vector) -> Result<Vector> {
        let (transfer, _) = self.below(level)?;
        e.has_layout(transfer.coarse, "correction of a level")?;
        e.same_context(self.algebra())?;
        transfer.prolong(None, &self.levels[level].matrix, e)
    }

    fn below(&self, level: usize) -> Result<(Transfer, &NinePoint)> {
        let transfer = self.levels.get(level).and_then(|level| level.coarser);
        transfer
            .zip(self.levels.get(level + 1))
            .map(|(transfer, coarse)| (transfer, &coarse.matrix))
            .ok_or_else(|| Error::BadParameter {
                name: "level",
                found: level.to_string(),
                expected: format!("less than {}, the coarsest", self.levels.len() - 1),
            })
    }

    /// One cycle of a level and those below it.
    fn visit(&self, place: usize, b: &Vector, x: &mut Vector, start: Start) -> Result<()> {
        let level = &self.levels[place];
        let _scope = self.algebra().gpu().scope(format_args!("level {}", level.matrix.rows()));
        let Some(transfer) = level.coarser else { return self.solve_coarsest(b, x, start) };
        let a = &level.matrix;
        let begun = self.begin(a, self.cycle.before, b, x, start)?;
        self.smooth(a, (self.cycle.before, begun), false, b, x)?;
        let factor = self.first_factor(place + 1);
        let made = match transfer.descend(a, [x, b], &self.levels[place + 1].matrix, factor)? {
            Some(made) => made,
            None => {
                let mut rest = Vector::uninitialised(a.algebra(), a.rows())?;
                {
                    let _scope = self.algebra().gpu().scope("residual");
                    a.rest(x, b, &mut rest)?;
                }
                self.restrict_and_begin(place, transfer, &rest)?
            }
        };
        let correction = self.correction(place + 1, made)?;
        let mut next = Vector::uninitialised(a.algebra(), a.rows())?;
        let first = self.cycle.smoother.parts(a).factor(0, true);
        let joined =
            self.cycle.after > 0 && transfer.prolong_and_sweep([x, b], a, &correction, first, &mut next)?;
        *x = if joined { next } else { transfer.prolong(Some(x), a, &correction)? };
        self.smooth(a, (self.cycle.after, usize::from(joined)), true, b, x)
    }

    /// x + S z, z the result of one cycle of the levels below the finest for P r, where r = b − A x is a residual of the finest: a cycle whose
    /// sweeps are the caller's. Levels that are but one are no correction.
    pub(crate) fn correct(&self, r: &Vector, x: &mut Vector) -> Result<()> {
        let level = &self.levels[0];
        level.matrix.check(Op::Null, r, x)?;
        let Some(transfer) = level.coarser else { return Ok(()) };
        let made = self.restrict_and_begin(0, transfer, r)?;
        *x = transfer.prolong(Some(x), &level.matrix, &self.correction(1, made)?)?;
        Ok(())
    }

    /// The factor of the first part of a level's first sweep from 0, where it is swept.
    fn first_factor(&self, place: usize) -> Option<[f32; 4]> {
        let is_begun = !self.is_solved(place) && self.cycle.before > 0;
        is_begun.then(|| self.cycle.smoother.parts(&self.levels[place].matrix).factor(0, false))
    }

    /// True if the level's inverse is there.
    fn is_solved(&self, place: usize) -> bool {
        self.levels[place].coarser.is_none() && self.inverse.is_some()
    }

    /// The coarser level's right side for a residual, and its first sweep from 0 or any texels.
    fn restrict_and_begin(
        &self,
        place: usize,
        transfer: Transfer,
        rest: &Vector,
    ) -> Result<(Vector, Vector)> {
        let coarse = &self.levels[place + 1].matrix;
        match self.first_factor(place + 1) {
            Some(factor) => transfer.restrict_and_begin(rest, coarse, factor),
            None => {
                let sums = transfer.restrict(rest, coarse)?;
                Ok((sums, Vector::uninitialised(self.algebra(), transfer.coarse)?))
            }
        }
    }

    /// The result of a level's cycles for that right side and first sweep.
    fn correction(&self, place: usize, (sums, mut correction): (Vector, Vector)) -> Result<Vector> {
        let solved = self.is_solved(place);
        let is_begun = !solved && self.cycle.before > 0;
        let mut start = if is_begun { Start::Begun } else { Start::Nothing };
        // The inverse says all at once.
        for _ in 0..if solved { 1 } else { self.cycle.visits } {
            self.visit(place, &sums, &mut correction, start)?;
            start = Start::Given;
        }
        Ok(correction)
    }

    fn solve_coarsest(&self, b: &Vector, x: &mut Vector, start: Start) -> Result<()> {
        let Some(level) = self.levels.last() else { return Ok(()) };
        let a = &level.matrix;
        let Some(inverse) = &self.inverse else {
            let sweeps = match self.coarsest {
                Coarsest::Smoothed { .. } => SWEEPS_ON_DIAGONAL,
                _ => SWEEPS_ON_FEW_NODES,
            };
            let begun = self.begin(a, sweeps, b, x, start)?;
            self.smooth(a, (sweeps, begun), false, b, x)?;
            return self.smooth(a, (sweeps, 0), true, b, x);
        };
        if start != Start::Given {
            return inverse.apply(Op::Null, b, x);
        }
        let vector = || Vector::uninitialised(a.algebra(), a.rows());
        let (mut rest, mut next) = (vector()?, vector()?);
        a.rest(x, b, &mut rest)?;
        inverse.apply(Op::Add(x), &rest, &mut next)?;
        std::mem::swap(x, &mut next);
        Ok(())
    }

    /// Makes x what sweeps begin with, and says how many of their parts that is worth.
    fn begin(&self, a: &NinePoint, sweeps: u32, b: &Vector, x: &mut Vector, start: Start) -> Result<usize> {
        match (start, self.cycle.smoother) {
            (Start::Given, _) => Ok(0),
            (Start::Begun, _) => Ok(1),
            (Start::Nothing, Smoother::Jacobi { damping }) if sweeps > 0 => {
                a.divide(damping, b, x)?;
                Ok(1)
            }
            (Start::Nothing, _) => {
                x.fill(0.0)?;
                Ok(0)
            }
        }
    }

    /// So many sweeps, of which some parts have been made already.
    fn smooth(
        &self,
        a: &NinePoint,
        (sweeps, begun): (u32, usize),
        backwards: bool,
        b: &Vector,
        x: &mut Vector,
    ) -> Result<()> {
        let _scope = self.algebra().gpu().scope("smooth");
        let parts = self.cycle.smoother.parts(a);
        let (mut part, end) = (begun, sweeps as usize * parts.count);
        while part < end {
            let mut next = Vector::uninitialised(a.algebra(), a.rows())?;
            match self.cycle.smoother {
                Smoother::Jacobi { damping }
                    if part + 1 < end && a.sweep_twice(damping, x, b, &mut next)? =>
                {
                    part += 2;
                }
                _ => {
                    a.sweep(parts.factor(part, backwards), x, b, &mut next)?;
                    part += 1;
                }
            }
            std::mem::swap(x, &mut next);
        }
        Ok(())
    }
}

/// One cycle from x = 0: symmetric if there are as many sweeps after as before.
impl Preconditioner for Multigrid {
    fn precondition(&self, r: &Vector, z: &mut Vector) -> Result<()> {
        let _scope = self.algebra().gpu().scope("cycle");
        self.levels[0].matrix.check(Op::Null, r, z)?;
        self.visit(0, r, z, Start::Nothing)
    }
}
