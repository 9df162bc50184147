//! Least squares.

use super::History;
use super::iterate::{Iteration, residual};
use super::past::Past;
use crate::Result;
use crate::linalg::{Algebra, LinearOperator, Op, Scalar, Vector};

/// Least squares by conjugate gradients (row A15): min ‖b − A x‖ for A of any shape. If there are many solutions, it
/// finds the one nearest to the guess. AᵀA is never made; the iteration watches γ = ‖Aᵀr‖².
///
/// The iteration depends on the square of A's condition, and each loss of orthogonality of s = Aᵀr in 32 bits costs
/// iterations. So the first s are kept, and each new one is made orthogonal to them, as far as that is cheap: to all of
/// them for up to 256 unknowns, to 2¹⁶/n of them for n unknowns, to none for more than 4096. That is three passes more
/// an iteration.
///
/// # References
/// Björck, *Numerical Methods for Least Squares Problems*, 1996, §7.4 (CGLS); Simon, *The Lanczos Algorithm with Partial
/// Reorthogonalization*, Math. Comp. 42 (1984).
pub struct Cgls {
    r: Vector,
    /// Aᵀ(b − A x) at the start, if it is known more exactly than in 32 bits.
    offset: Option<Vector>,
    /// Aᵀb, whose norm the tolerance is relative to.
    normal: Vector,
    s: Vector,
    p: Vector,
    q: Vector,
    /// Aᵀq.
    t: Vector,
    past: Option<Past>,
    gamma: Scalar,
    new_gamma: Scalar,
    qq: Scalar,
    alpha: Scalar,
    beta: Scalar,
}

impl Cgls {
    /// Room for the vectors of that matrix.
    ///
    /// # Errors
    /// As [`Algebra::zeros`].
    pub fn new(a: &dyn LinearOperator) -> Result<Cgls> {
        let algebra = a.algebra();
        let scalar = || algebra.scalar(0.0);
        Ok(Cgls {
            r: algebra.zeros(a.rows())?,
            offset: None,
            normal: algebra.zeros(a.columns())?,
            s: algebra.zeros(a.columns())?,
            p: algebra.zeros(a.columns())?,
            q: algebra.zeros(a.rows())?,
            t: algebra.zeros(a.columns())?,
            past: Past::new(algebra, a.columns(), a.rows().len().min(a.columns().len()))?,
            gamma: scalar()?,
            new_gamma: scalar()?,
            qq: scalar()?,
            alpha: scalar()?,
            beta: scalar()?,
        })
    }

    /// Starts at x = 0 from this Aᵀb, computed in more than 32 bits, for a b that lies mostly outside the range of A.
    /// `b` of the next start is then not used.
    pub(super) fn set_offset(&mut self, normal: Vector) {
        self.offset = Some(normal);
    }

    /// Keeps s among those that later ones are orthogonal to.
    fn keep(&mut self) -> Result<()> {
        match &mut self.past {
            Some(past) => past.keep(&self.s, &self.gamma),
            None => Ok(()),
        }
    }
}

impl Iteration for Cgls {
    fn algebra(&self) -> &Algebra {
        self.r.algebra()
    }

    fn start(&mut self, a: &dyn LinearOperator, b: &Vector, x: &Vector) -> Result<()> {
        if let Some(offset) = &self.offset {
            self.normal.copy_from(offset)?;
            self.s.copy_from(offset)?;
        } else {
            a.apply_transposed(Op::Null, b, &mut self.normal)?;
            residual(a, b, x, &mut self.r)?; //                    r = b − A x
            a.apply_transposed(Op::Null, &self.r, &mut self.s)?; // s = Aᵀr
        }
        self.p.copy_from(&self.s)?; //                             p = s
        self.s.dot(&self.s, &mut self.gamma)?; //                  γ = s·s
        self.past.iter_mut().for_each(Past::clear);
        self.keep()
    }

    fn relative_to<'a>(&'a self, _: &'a Vector) -> &'a Vector {
        &self.normal
    }

    fn step(
        &mut self,
        a: &dyn LinearOperator,
        x: &mut Vector,
        history: &History,
        entry: usize,
    ) -> Result<()> {
        a.apply(Op::Null, &self.p, &mut self.q)?; //               q = A p
        self.q.dot(&self.q, &mut self.qq)?; //                     q·q
        history.record(entry, &self.qq, &self.gamma)?;
        history.step_length(&self.gamma, &self.qq, &self.gamma, &mut self.alpha)?; // α = γ / q·q
        x.axpy(&self.alpha, &self.p)?; //                          x = x + α p
        if self.offset.is_some() {
            a.apply_transposed(Op::Null, &self.q, &mut self.t)?; // t = Aᵀq
            self.s.axpy(-&self.alpha, &self.t)?; //                s = s − α t
        } else {
            self.r.axpy(-&self.alpha, &self.q)?; //                r = r − α q
            a.apply_transposed(Op::Null, &self.r, &mut self.s)?; // s = Aᵀr
        }
        if let Some(past) = &self.past {
            past.take_out_of(&mut self.s, &self.alpha)?; //        s = s − Σ vⱼ (vⱼ·s)
        }
        self.s.dot(&self.s, &mut self.new_gamma)?; //              γ' = s·s
        self.new_gamma.div_guarded(&self.gamma, &mut self.beta)?; // β = γ'/γ
        self.p.aypx(&self.beta, &self.s)?; //                      p = s + β p
        std::mem::swap(&mut self.gamma, &mut self.new_gamma);
        self.keep() //                                             v = s / √γ
    }

    fn finish(&mut self, history: &History, entry: usize) -> Result<()> {
        history.record(entry, &self.qq, &self.gamma)
    }
}
