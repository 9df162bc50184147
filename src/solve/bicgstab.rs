//! Stabilised bi-conjugate gradients.

use super::History;
use super::iterate::{Iteration, patience_of, residual};
use super::preconditioner::Preconditioner;
use crate::Result;
use crate::linalg::{Algebra, LinearOperator, Op, Packed2x2, Scalar, Vector};

/// BiCGSTAB for any square A, with a preconditioner M from the right.
///
/// Two products a step; the scalars stay on the GPU.
///
/// # References
/// van der Vorst, *Bi-CGSTAB*, SIAM J. Sci. Stat. Comput. 13(2), 1992.
pub struct BiCgStab {
    preconditioner: Option<Box<dyn Preconditioner>>,
    r: Vector,
    shadow: Vector,
    p: Vector,
    mp: Vector,
    v: Vector,
    s: Vector,
    ms: Vector,
    t: Vector,
    rho: Scalar,
    new_rho: Scalar,
    divisor: Scalar,
    alpha: Scalar,
    omega: Scalar,
    beta: Scalar,
    /// ρ'/ρ and α/ω.
    ratio: Scalar,
    step: Scalar,
    ts: Scalar,
    tt: Scalar,
    rr: Scalar,
}

impl BiCgStab {
    /// Room for vectors of that layout. `preconditioner` is the diagonal of M, which stands for the inverse of A: for
    /// Jacobi 1/aᵢᵢ.
    ///
    /// # Errors
    /// As [`Algebra::zeros`].
    pub fn new(algebra: &Algebra, layout: Packed2x2, preconditioner: Option<Vector>) -> Result<BiCgStab> {
        let boxed = preconditioner.map(|m| -> Box<dyn Preconditioner> { Box::new(m) });
        BiCgStab::of(algebra, layout, boxed)
    }

    /// The same with any M, which need not be symmetric.
    ///
    /// # Errors
    /// As [`Algebra::zeros`].
    pub fn with(
        algebra: &Algebra,
        layout: Packed2x2,
        preconditioner: impl Preconditioner + 'static,
    ) -> Result<BiCgStab> {
        BiCgStab::of(algebra, layout, Some(Box::new(preconditioner)))
    }

    fn of(
        algebra: &Algebra,
        layout: Packed2x2,
        preconditioner: Option<Box<dyn Preconditioner>>,
    ) -> Result<BiCgStab> {
        let vector = || algebra.zeros(layout);
        let scalar = || algebra.scalar(0.0);
        Ok(BiCgStab {
            preconditioner,
            r: vector()?,
            shadow: vector()?,
            p: vector()?,
            mp: vector()?,
            v: vector()?,
            s: vector()?,
            ms: vector()?,
            t: vector()?,
            rho: scalar()?,
            new_rho: scalar()?,
            divisor: scalar()?,
            alpha: scalar()?,
            omega: scalar()?,
            beta: scalar()?,
            ratio: scalar()?,
            step: scalar()?,
            ts: scalar()?,
            tt: scalar()?,
            rr: scalar()?,
        })
    }

    /// out = M x.
    fn precondition(m: Option<&dyn Preconditioner>, x: &Vector, out: &mut Vector) -> Result<()> {
        match m {
            Some(m) => m.precondition(x, out),
            None => out.copy_from(x),
        }
    }
}

impl Iteration for BiCgStab {
    fn algebra(&self) -> &Algebra {
        self.r.algebra()
    }

    fn start(&mut self, a: &dyn LinearOperator, b: &Vector, x: &Vector) -> Result<()> {
        residual(a, b, x, &mut self.r)?; //                             r = b − A x
        self.shadow.copy_from(&self.r)?; //                             r̂ = r
        self.p.copy_from(&self.r)?; //                                  p = r
        self.shadow.dot(&self.r, &mut self.rho) //                      ρ = r̂·r
    }

    fn step(
        &mut self,
        a: &dyn LinearOperator,
        x: &mut Vector,
        history: &History,
        entry: usize,
    ) -> Result<()> {
        let m = self.preconditioner.as_deref();
        Self::precondition(m, &self.p, &mut self.mp)?;
        a.apply(Op::Null, &self.mp, &mut self.v)?; //                   v = A M p
        self.shadow.dot(&self.v, &mut self.divisor)?;
        self.r.dot(&self.r, &mut self.rr)?;
        history.record_unsigned(entry, &self.divisor, &self.rr)?;
        history.step_length(&self.rho, &self.divisor, &self.rr, &mut self.alpha)?; // α = ρ / r̂·v
        self.s.set_sum(1.0, &self.r, -&self.alpha, &self.v)?; //        s = r − α v
        Self::precondition(m, &self.s, &mut self.ms)?;
        a.apply(Op::Null, &self.ms, &mut self.t)?; //                   t = A M s
        self.t.dot(&self.s, &mut self.ts)?;
        self.t.dot(&self.t, &mut self.tt)?;
        history.step_length(&self.ts, &self.tt, &self.rr, &mut self.omega)?; // ω = t·s / t·t
        x.axpy(&self.alpha, &self.mp)?; //                              x = x + α M p
        x.axpy(&self.omega, &self.ms)?; //                              x = x + ω M s
        self.r.set_sum(1.0, &self.s, -&self.omega, &self.t)?; //        r = s − ω t
        self.shadow.dot(&self.r, &mut self.new_rho)?; //                ρ' = r̂·r
        self.new_rho.div_guarded(&self.rho, &mut self.ratio)?;
        self.alpha.div_guarded(&self.omega, &mut self.step)?;
        self.ratio.mul(&self.step, &mut self.beta)?; //                 β = (ρ'/ρ)(α/ω)
        self.p.axpy(-&self.omega, &self.v)?;
        self.p.aypx(&self.beta, &self.r)?; //                           p = r + β (p − ω v)
        std::mem::swap(&mut self.rho, &mut self.new_rho);
        Ok(())
    }

    fn finish(&mut self, history: &History, entry: usize) -> Result<()> {
        self.r.dot(&self.r, &mut self.rr)?;
        history.record_unsigned(entry, &self.divisor, &self.rr)
    }

    fn patience(&self) -> usize {
        patience_of(self.r.len())
    }
}
