//! Conjugate gradients that leave everything on the GPU but one number every few iterations (Listing 44-1).

use crate::Result;
use crate::linalg::{Algebra, LinearOperator, Op, Packed2x2, Scalar, Vector};

/// Iterations between two looks at the residual: a look waits for the GPU.
const LOOK: usize = 4;

/// How a system was solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Solved {
    /// Iterations it took.
    pub iterations: usize,
    /// ‖r‖ / ‖b‖ as the iteration carries r along, in 32 bits; ‖r‖ where b = 0.
    pub relative_residual: f32,
    /// Whether that is within the tolerance.
    pub converged: bool,
}

/// The vectors and scalars of the iteration.
pub(super) struct ConjugateGradients {
    r: Vector,
    p: Vector,
    q: Vector,
    /// r·r, the next r·r, p·q, and the two quotients.
    rho: Scalar,
    next: Scalar,
    pq: Scalar,
    alpha: Scalar,
    beta: Scalar,
    solved: Solved,
}

impl ConjugateGradients {
    pub fn new(algebra: &Algebra, layout: Packed2x2) -> Result<ConjugateGradients> {
        Ok(ConjugateGradients {
            r: algebra.zeros(layout)?,
            p: algebra.zeros(layout)?,
            q: algebra.zeros(layout)?,
            rho: algebra.scalar(0.0)?,
            next: algebra.scalar(0.0)?,
            pq: algebra.scalar(0.0)?,
            alpha: algebra.scalar(0.0)?,
            beta: algebra.scalar(0.0)?,
            solved: Solved::default(),
        })
    }

    /// How it went the last time.
    pub fn solved(&self) -> Solved {
        self.solved
    }

    /// Improves x until ‖b − A x‖ ≤ tolerance ‖b‖, for a symmetric positive definite A.
    pub fn solve(
        &mut self,
        a: &dyn LinearOperator,
        b: &Vector,
        x: &mut Vector,
        tolerance: f32,
        most: usize,
    ) -> Result<()> {
        a.apply(Op::Sub(b), x, &mut self.q)?;
        self.r.set_scaled(-1.0, &self.q)?; // r = b − A x
        self.p.copy_from(&self.r)?; //       p = r
        self.r.dot(&self.r, &mut self.rho)?; // ρ = r·r
        b.dot(b, &mut self.pq)?;
        let size = match self.pq.get()?.sqrt() {
            0.0 => 1.0,
            size => size,
        };
        let mut iterations = 0;
        loop {
            let residual = self.rho.get()?.sqrt() / size;
            let converged = residual <= tolerance;
            self.solved = Solved { iterations, relative_residual: residual, converged };
            if converged || !residual.is_finite() || iterations >= most {
                return Ok(());
            }
            for _ in 0..LOOK {
                self.iterate(a, x)?;
            }
            iterations += LOOK;
        }
    }

    /// One iteration. The quotients are guarded: once r = 0 nothing changes any more.
    fn iterate(&mut self, a: &dyn LinearOperator, x: &mut Vector) -> Result<()> {
        a.apply(Op::Null, &self.p, &mut self.q)?; //            q = A p
        self.p.dot(&self.q, &mut self.pq)?;
        self.rho.div_guarded(&self.pq, &mut self.alpha)?; //    α = ρ / p·q
        x.axpy(&self.alpha, &self.p)?; //                       x = x + α p
        self.r.axpy(-&self.alpha, &self.q)?; //                 r = r − α q
        self.r.dot(&self.r, &mut self.next)?; //                ρ' = r·r
        self.next.div_guarded(&self.rho, &mut self.beta)?; //   β = ρ' / ρ
        self.p.aypx(&self.beta, &self.r)?; //                   p = r + β p
        std::mem::swap(&mut self.rho, &mut self.next);
        Ok(())
    }
}
