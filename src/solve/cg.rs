//! Conjugate gradients, line by line as the chapter has them.

use super::History;
use super::iterate::{Iteration, patience_of, residual};
use super::preconditioner::Preconditioner;
use crate::Result;
use crate::linalg::{Algebra, LinearOperator, Op, Packed2x2, Scalar, Vector};

/// Conjugate gradients for a symmetric positive definite A (row A10), as in Listing 44-1: one call, one formula.
///
/// The listing's errors are corrected: no division by 0, and the newest residual decides. With a preconditioner M, z =
/// M r replaces r in ρ and in p.
///
/// # References
/// Krüger & Westermann, GPU Gems 2 ch. 44, Listing 44-1.
pub struct Cg<'m> {
    preconditioner: Option<Box<dyn Preconditioner + 'm>>,
    r: Vector,
    z: Option<Vector>,
    p: Vector,
    q: Vector,
    rho: Scalar,
    new_rho: Scalar,
    pq: Scalar,
    alpha: Scalar,
    beta: Scalar,
    rr: Scalar,
}

impl<'m> Cg<'m> {
    /// Room for vectors of that layout. `preconditioner` is the diagonal of M, which stands for the inverse of A: for
    /// Jacobi 1/aᵢᵢ.
    ///
    /// # Errors
    /// As [`Algebra::zeros`].
    pub fn new(algebra: &Algebra, layout: Packed2x2, preconditioner: Option<Vector>) -> Result<Cg<'m>> {
        Cg::made(algebra, layout, preconditioner.map(|m| Box::new(m) as _))
    }

    /// The same with any preconditioner.
    ///
    /// # Errors
    /// As [`Algebra::zeros`].
    pub fn with(
        algebra: &Algebra,
        layout: Packed2x2,
        preconditioner: impl Preconditioner + 'm,
    ) -> Result<Cg<'m>> {
        Cg::made(algebra, layout, Some(Box::new(preconditioner)))
    }

    fn made(
        algebra: &Algebra,
        layout: Packed2x2,
        preconditioner: Option<Box<dyn Preconditioner + 'm>>,
    ) -> Result<Cg<'m>> {
        let vector = || algebra.zeros(layout);
        let scalar = || algebra.scalar(0.0);
        let z = if preconditioner.is_some() { Some(vector()?) } else { None };
        Ok(Cg {
            preconditioner,
            r: vector()?,
            z,
            p: vector()?,
            q: vector()?,
            rho: scalar()?,
            new_rho: scalar()?,
            pq: scalar()?,
            alpha: scalar()?,
            beta: scalar()?,
            rr: scalar()?,
        })
    }

    /// Another diagonal in the place of the M that it was made with.
    pub(crate) fn set_preconditioner(&mut self, diagonal: Vector) {
        self.preconditioner = Some(Box::new(diagonal));
    }

    /// z = M r, where there is an M.
    fn precondition(&mut self) -> Result<()> {
        match (&self.preconditioner, &mut self.z) {
            (Some(m), Some(z)) => m.precondition(&self.r, z),
            _ => Ok(()),
        }
    }

    /// new_rho = r·z.
    fn norm(&mut self) -> Result<()> {
        self.r.dot(self.z.as_ref().unwrap_or(&self.r), &mut self.new_rho)
    }

    /// The entry of this step: p·q, and ‖r‖² before it.
    fn record(&mut self, history: &History, entry: usize) -> Result<()> {
        match self.z {
            None => history.record(entry, &self.pq, &self.rho),
            Some(_) => {
                self.r.dot(&self.r, &mut self.rr)?;
                history.record(entry, &self.pq, &self.rr)
            }
        }
    }
}

impl Iteration for Cg<'_> {
    fn algebra(&self) -> &Algebra {
        self.r.algebra()
    }

    fn start(&mut self, a: &dyn LinearOperator, b: &Vector, x: &Vector) -> Result<()> {
        residual(a, b, x, &mut self.r)?; //                        r = b − A x
        self.precondition()?; //                                   z = M r
        self.p.copy_from(self.z.as_ref().unwrap_or(&self.r))?; //  p = z
        self.norm()?; //                                           ρ = r·z
        std::mem::swap(&mut self.rho, &mut self.new_rho);
        Ok(())
    }

    fn step(
        &mut self,
        a: &dyn LinearOperator,
        x: &mut Vector,
        history: &History,
        entry: usize,
    ) -> Result<()> {
        a.apply(Op::Null, &self.p, &mut self.q)?; //               q = A p
        self.p.dot(&self.q, &mut self.pq)?; //                     p·q
        self.record(history, entry)?;
        let norm2 = if self.z.is_some() { &self.rr } else { &self.rho };
        history.step_length(&self.rho, &self.pq, norm2, &mut self.alpha)?; // α = ρ / p·q
        x.axpy(&self.alpha, &self.p)?; //                          x = x + α p
        self.r.axpy(-&self.alpha, &self.q)?; //                    r = r − α q
        self.precondition()?; //                                   z = M r
        self.norm()?; //                                           ρ' = r·z
        self.new_rho.div_guarded(&self.rho, &mut self.beta)?; //   β = ρ'/ρ
        self.p.aypx(&self.beta, self.z.as_ref().unwrap_or(&self.r))?; // p = z + β p
        std::mem::swap(&mut self.rho, &mut self.new_rho);
        Ok(())
    }

    fn finish(&mut self, history: &History, entry: usize) -> Result<()> {
        self.record(history, entry)
    }

    fn patience(&self) -> usize {
        patience_of(self.r.len())
    }
}
