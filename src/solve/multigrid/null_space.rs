//! What a singular matrix cannot make: the constants.

use super::Multigrid;
use crate::Result;
use crate::linalg::{LinearOperator, Op, Scalar, Vector};

/// 1 at the nodes that take part, and one over their number where A 1 = 0, else 0.
pub(super) struct NullSpace {
    members: Vector,
    share: Scalar,
}

impl Multigrid {
    /// Takes out of b what A cannot make: where A 1 = 0 (Neumann or periodic edges without σ), its mean over the nodes
    /// that take part, since 1ᵀA = 0 for a symmetric A. A regular matrix leaves b as it is. Which of the two A is, is found on
    /// the GPU when this is first called after the levels were made; nothing is ever read back.
    ///
    /// Where obstacles close, each pocket has constants of its own, and what a pocket's b has of them stays: a cycle then
    /// shifts that pocket's x by about as much each time, and no difference within it.
    ///
    /// Cost: a reduction, a scalar and one pass.
    ///
    /// # Errors
    /// [`WrongShape`](crate::Error::WrongShape), [`OtherContext`](crate::Error::OtherContext).
    pub fn compatible(&self, b: &mut Vector) -> Result<()> {
        let mean = self.mean(b)?;
        b.axpy(-&mean, &self.null_space()?.members)
    }

    /// How much that is: the mean of b over the nodes that take part, 0 where A is regular. Waits for one number.
    ///
    /// # Errors
    /// As [`Multigrid::compatible`].
    pub fn incompatibility(&self, b: &Vector) -> Result<f64> {
        Ok(self.mean(b)?.get()?.into())
    }

    fn mean(&self, b: &Vector) -> Result<Scalar> {
        let NullSpace { members, share } = self.null_space()?;
        let (mut sum, mut mean) = (self.algebra().scalar(0.0)?, self.algebra().scalar(0.0)?);
        members.dot(b, &mut sum)?;
        sum.mul(share, &mut mean)?;
        Ok(mean)
    }

    fn null_space(&self) -> Result<&NullSpace> {
        if let Some(found) = self.null_space.get() {
            return Ok(found);
        }
        let found = self.find_null_space()?;
        Ok(self.null_space.get_or_init(|| found))
    }

    fn find_null_space(&self) -> Result<NullSpace> {
        let (algebra, a) = (self.algebra(), &self.levels[0].matrix);
        let members = a.members()?;
        let mut product = Vector::uninitialised(algebra, a.rows())?;
        a.apply(Op::Null, &members, &mut product)?;
        let scalar = || algebra.scalar(0.0);
        let (mut left, mut size, mut count) = (scalar()?, scalar()?, scalar()?);
        let (mut singular, mut share) = (scalar()?, scalar()?);
        product.max_magnitude(&mut left)?;
        if let Some(diagonal) = a.main_diagonal() {
            diagonal.max_magnitude(&mut size)?;
        }
        left.is_rounding_of(&size, &mut singular)?;
        members.dot(&members, &mut count)?;
        singular.div_guarded(&count, &mut share)?;
        Ok(NullSpace { members, share })
    }
}
