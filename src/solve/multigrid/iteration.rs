//! Cycles as an iteration: x += M (b − A x).

use super::Multigrid;
use crate::Result;
use crate::linalg::{Algebra, LinearOperator, Op, Scalar, Vector};
use crate::solve::{History, Iteration, Preconditioner};

/// The vectors kept from step to step: b, A x − b, the correction, its square, and 1 until the tolerance is met.
pub(super) struct Iterated {
    b: Vector,
    rest: Vector,
    correction: Vector,
    square: Scalar,
    length: Scalar,
}

/// So many steps without a smaller residual are a stall: a cycle that does not help now does not help later.
const PATIENCE: usize = 8;

/// The factor of squares that counts as smaller: 5 % in all those steps together. Rounding alone finds a little less now and then.
const SMALLER: f32 = 0.9;

impl Iteration for Multigrid {
    fn algebra(&self) -> &Algebra {
        Multigrid::algebra(self)
    }

    fn start(&mut self, a: &dyn LinearOperator, b: &Vector, x: &Vector) -> Result<()> {
        let algebra = Multigrid::algebra(self);
        let (mut rest, correction) = (algebra.zeros(self.layout())?, algebra.zeros(self.layout())?);
        a.apply(Op::Sub(b), x, &mut rest)?;
        let (square, length) = (algebra.scalar(0.0)?, algebra.scalar(0.0)?);
        self.iterated = Some(Iterated { b: b.try_clone()?, rest, correction, square, length });
        Ok(())
    }

    fn step(
        &mut self,
        a: &dyn LinearOperator,
        x: &mut Vector,
        history: &History,
        entry: usize,
    ) -> Result<()> {
        self.finish(history, entry)?;
        let Some(mut kept) = self.iterated.take() else { return Ok(()) };
        self.precondition(&kept.rest, &mut kept.correction)?;
        history.step_length(&kept.square, &kept.square, &kept.square, &mut kept.length)?;
        x.axpy(-&kept.length, &kept.correction)?;
        a.apply(Op::Sub(&kept.b), x, &mut kept.rest)?;
        self.iterated = Some(kept);
        Ok(())
    }

    fn finish(&mut self, history: &History, entry: usize) -> Result<()> {
        let Some(kept) = &mut self.iterated else { return Ok(()) };
        kept.rest.dot(&kept.rest, &mut kept.square)?;
        history.record(entry, &kept.square, &kept.square)
    }

    fn patience(&self) -> usize {
        PATIENCE
    }

    fn sufficient_decrease(&self) -> f32 {
        SMALLER
    }
}
