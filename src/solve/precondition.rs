//! Preconditioners: approximate inverses of a matrix.

use std::cell::RefCell;
use std::rc::Rc;

use crate::Result;
use crate::linalg::Vector;

/// A matrix M ≈ A⁻¹, symmetric and positive definite as conjugate gradients need it: the same for every r.
///
/// A [`Vector`] is a diagonal one; [`VoxelMultigrid`](super::VoxelMultigrid) and [`Multigrid`](super::Multigrid) are
/// others.
pub trait Precondition {
    /// z = M r.
    ///
    /// # Errors
    /// [`WrongShape`](crate::Error::WrongShape), [`OtherContext`](crate::Error::OtherContext).
    fn apply(&self, r: &Vector, z: &mut Vector) -> Result<()>;
}

/// z = m r, element by element: for Jacobi, m = 1/aᵢᵢ.
impl Precondition for Vector {
    fn apply(&self, r: &Vector, z: &mut Vector) -> Result<()> {
        z.set_product(1.0, self, r)
    }
}

/// One that is shared.
impl<M: Precondition + ?Sized> Precondition for Rc<M> {
    fn apply(&self, r: &Vector, z: &mut Vector) -> Result<()> {
        (**self).apply(r, z)
    }
}

/// One whose owner makes it anew between solves.
impl<M: Precondition> Precondition for RefCell<M> {
    fn apply(&self, r: &Vector, z: &mut Vector) -> Result<()> {
        self.borrow().apply(r, z)
    }
}
