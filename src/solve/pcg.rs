//! Conjugate gradients with any preconditioner.

use super::History;
use super::iterate::{Iteration, patience_of, residual};
use super::preconditioner::Preconditioner;
use crate::linalg::{Algebra, LinearOperator, Op, Packed2x2, Scalar, Vector};
use crate::{Error, Limits, Result};

/// Conjugate gradients preconditioned by any [`Preconditioner`], in as few passes as a general M allows:
///
/// 1. q = A p,
/// 2. the sums p·q, p·r and r·r in one reduction of two targets,
/// 3. x += α p and r −= α q in one pass of two targets, α = p·r / p·q,
/// 4. z = M r,
/// 5. the sum z·q, and p = z + β p with β = −z·q / p·q.
///
/// α and β are those of [`FusedCg`](super::FusedCg), which keep the residuals orthogonal and the directions conjugate
/// in 32 bits. For a diagonal M, use that one: it needs a reduction less. After the tolerance is met, x and r change no
/// more.
pub struct Pcg<'m> {
    preconditioner: Box<dyn Preconditioner + 'm>,
    r: Vector,
    z: Vector,
    p: Vector,
    q: Vector,
    zq: Scalar,
}

const STEP: &str = "solve/pcg_step.frag";
const DIRECTION: &str = "solve/pcg_direction.frag";

impl<'m> Pcg<'m> {
    /// Returns true if the limits have the targets and streams that it needs.
    pub fn fits(limits: &Limits) -> bool {
        limits.targets >= 2 && limits.streams >= 6
    }

    /// Room for vectors of that layout.
    ///
    /// # Errors
    /// As [`Algebra::zeros`]; [`Error::Unsupported`] where it does not [fit](Pcg::fits): [`Cg`](super::Cg) does.
    pub fn new(
        algebra: &Algebra,
        layout: Packed2x2,
        preconditioner: impl Preconditioner + 'm,
    ) -> Result<Pcg<'m>> {
        if !Pcg::fits(algebra.gpu().limits()) {
            return Err(Error::Unsupported {
                what: "conjugate gradients in two targets".into(),
                needs: "two render targets and six streams",
                renderer: algebra.context().limits_name().to_owned(),
            });
        }
        let vector = || algebra.zeros(layout);
        let (r, z, p, q) = (vector()?, vector()?, vector()?, vector()?);
        Ok(Pcg { preconditioner: Box::new(preconditioner), r, z, p, q, zq: algebra.scalar(0.0)? })
    }

    fn sums(&self, history: &History, entry: usize) -> Result<()> {
        history.log.sum(entry, [&self.p, &self.q, &self.r], None)
    }

    /// x += α p, r −= α q.
    fn advance(&mut self, x: &mut Vector, history: &History, entry: usize) -> Result<()> {
        let algebra = self.r.algebra();
        let (next_x, next_r) = (algebra.texture(x.layout())?, algebra.texture(x.layout())?);
        let [of_x, r, p, q] = [&*x, &self.r, &self.p, &self.q].map(Vector::texture);
        algebra
            .pass(STEP, crate::linalg::PLAIN)?
            .streams([of_x, r, p, q, history.log.texture(), history.log.beside()])
            .constants(&[[history.tolerance2, 0.0, 0.0, 0.0]])
            .domains(&[next_x.shape().rect().corners(), history.texel(entry), history.texel(0)])
            .onto(&[&next_x, &next_r])?;
        x.replace_texture(next_x);
        self.r.replace_texture(next_r);
        Ok(())
    }

    /// p = z + β p.
    fn turn(&mut self, history: &History, entry: usize) -> Result<()> {
        let algebra = self.r.algebra();
        let next = algebra.texture(self.p.layout())?;
        algebra
            .pass(DIRECTION, crate::linalg::PLAIN)?
            .streams([self.z.texture(), self.p.texture(), self.zq.texture(), history.log.texture()])
            .domains(&[next.shape().rect().corners(), history.texel(entry)])
            .onto(&[&next])?;
        self.p.replace_texture(next);
        Ok(())
    }
}

impl Iteration for Pcg<'_> {
    fn algebra(&self) -> &Algebra {
        self.r.algebra()
    }

    fn start(&mut self, a: &dyn LinearOperator, b: &Vector, x: &Vector) -> Result<()> {
        residual(a, b, x, &mut self.r)?;
        self.preconditioner.precondition(&self.r, &mut self.p)
    }

    fn step(
        &mut self,
        a: &dyn LinearOperator,
        x: &mut Vector,
        history: &History,
        entry: usize,
    ) -> Result<()> {
        a.apply(Op::Null, &self.p, &mut self.q)?;
        self.sums(history, entry)?;
        self.advance(x, history, entry)?;
        self.preconditioner.precondition(&self.r, &mut self.z)?;
        self.z.dot(&self.q, &mut self.zq)?;
        self.turn(history, entry)
    }

    fn finish(&mut self, history: &History, entry: usize) -> Result<()> {
        self.sums(history, entry)
    }

    fn freezes_at_breakdown(&self) -> bool {
        true
    }

    fn patience(&self) -> usize {
        patience_of(self.r.len())
    }
}
