//! Preconditioners: approximate inverses of a matrix.

use std::cell::RefCell;
use std::rc::Rc;

use super::bad;
use crate::Result;
use crate::linalg::{LinearOperator, Op, Vector};
use crate::numeric::Random;

/// A matrix M ≈ A⁻¹ as an operation on a residual, for [`Pcg`](super::Pcg) and [`Cg`](super::Cg): symmetric, positive
/// definite, and the same for every r.
///
/// A [`Vector`] is a diagonal preconditioner, any [`LinearOperator`] a stored one.
/// [`Polynomial`](super::Polynomial), [`VoxelMultigrid`](super::VoxelMultigrid) and [`Multigrid`](super::Multigrid) are preconditioners,
/// too.
///
/// # What must hold
/// u·M v = v·M u and u·M u > 0. Conjugate gradients do not notice an M that breaks this: they need more iterations, or
/// stall. The report is still true, but does not name M as the reason. [`check_preconditioner`] checks M.
///
/// # Example
/// (I − L D⁻¹)ᵀ D⁻¹ (I − L D⁻¹), L the part of A below its diagonal D: the first terms of the inverse of what symmetric Gauss–Seidel
/// solves by.
/// ```
/// # fn main() -> quadrille::Result<()> {
/// use quadrille::linalg::{Algebra, Banded, LinearOperator, Op, Vector};
/// use quadrille::solve::{Pcg, Preconditioner, Settings, check_preconditioner, solve_by};
/// use quadrille::{Gpu, Result, layout::Packed2x2, numeric::Csr};
/// use std::ops::ControlFlow;
///
/// struct Sweeps {
///     factor: Banded,
///     inverse: Vector,
/// }
///
/// impl Preconditioner for Sweeps {
///     fn precondition(&self, r: &Vector, z: &mut Vector) -> Result<()> {
///         let (mut swept, mut scaled) = (r.try_clone()?, r.try_clone()?);
///         self.factor.apply(Op::Null, r, &mut swept)?;
///         scaled.set_product(1.0, &self.inverse, &swept)?;
///         self.factor.apply_transposed(Op::Null, &scaled, z)
///     }
/// }
///
/// let algebra = Algebra::new(&Gpu::headless()?);
/// let (grid, matrix) = (Packed2x2::grid(31, 57)?, Csr::poisson(31, 57)?);
/// let a = Banded::new(&algebra, grid, matrix.clone())?;
/// let below = matrix.triplets().filter(|&(i, j, _)| j < i).map(|(i, j, value)| (i, j, -value / 4.0));
/// let factor = Csr::from_triplets(1767, 1767, below.chain((0..1767).map(|i| (i, i, 1.0))))?;
/// let inverse = algebra.vector(grid, &[0.25; 1767])?;
/// let sweeps = Sweeps { factor: Banded::new(&algebra, grid, factor)?, inverse };
/// check_preconditioner(&sweeps, &a)?;
///
/// let method = Pcg::new(&algebra, grid, sweeps)?;
/// let settings = Settings { tolerance: 1e-10, ..Settings::default() };
/// let mut progress = |_: &_| ControlFlow::Continue(());
/// let found = solve_by(Box::new(method), &a, &[1.0; 1767], None, &settings, &mut progress)?;
/// assert!(found.report.converged() && found.report.relative_residual <= 1e-10);
/// # Ok(())
/// # }
/// ```
pub trait Preconditioner {
    /// z = M r.
    ///
    /// # Errors
    /// [`WrongShape`](crate::Error::WrongShape), [`OtherContext`](crate::Error::OtherContext).
    fn precondition(&self, r: &Vector, z: &mut Vector) -> Result<()>;
}

/// z = m r, element by element: for Jacobi, m = 1/aᵢᵢ.
impl Preconditioner for Vector {
    fn precondition(&self, r: &Vector, z: &mut Vector) -> Result<()> {
        z.set_product(1.0, self, r)
    }
}

/// z = M r by a product.
impl<M: LinearOperator + ?Sized> Preconditioner for M {
    fn precondition(&self, r: &Vector, z: &mut Vector) -> Result<()> {
        self.apply(Op::Null, r, z)
    }
}

/// One that is shared.
impl<M: Preconditioner + ?Sized> Preconditioner for Rc<M> {
    fn precondition(&self, r: &Vector, z: &mut Vector) -> Result<()> {
        (**self).precondition(r, z)
    }
}

/// One whose owner makes it anew between solves.
impl<M: Preconditioner> Preconditioner for RefCell<M> {
    fn precondition(&self, r: &Vector, z: &mut Vector) -> Result<()> {
        self.borrow().precondition(r, z)
    }
}

/// The largest |u·M v − v·M u| beside ‖u‖‖M v‖ that counts as rounding: products in 32 bits differ by some 10⁻⁷, divided by √n where u is
/// random.
const ROUNDING: f64 = 1e-5;

/// Checks M ≈ A⁻¹ on two vectors u and v that A makes of random ones, always the same: |u·M v − v·M u| ≤ 10⁻⁵ √(‖u‖‖M
/// v‖‖v‖‖M u‖), u·M u > 0 and v·M v > 0. An M that passes may still be wrong for other vectors.
///
/// Cost: A and M twice, two uploads and four read-backs.
///
/// # Errors
/// [`BadParameter`](crate::Error::BadParameter) with the products that should have been alike or above 0; those of A and M.
pub fn check_preconditioner(m: &dyn Preconditioner, a: &dyn LinearOperator) -> Result<()> {
    let (algebra, mut random) = (a.algebra(), Random(1));
    let mut applied = || -> Result<(Vec<f64>, Vec<f64>)> {
        let w = algebra.vector(a.columns(), &random.floats(a.columns().len()))?;
        let (mut u, mut z) = (algebra.zeros(a.rows())?, algebra.zeros(a.columns())?);
        a.apply(Op::Null, &w, &mut u)?;
        m.precondition(&u, &mut z)?;
        let wide = |x: Vec<f32>| x.into_iter().map(f64::from).collect();
        Ok((wide(u.get()?), wide(z.get()?)))
    };
    let ((u, mu), (v, mv)) = (applied()?, applied()?);
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    for own in [dot(&u, &mu), dot(&v, &mv)] {
        if own.is_nan() || own <= 0.0 {
            return Err(bad(
                "preconditioner",
                format!("u·M u = {own:.3e}"),
                "a positive definite M, u·M u above 0",
            ));
        }
    }
    let (there, back) = (dot(&u, &mv), dot(&v, &mu));
    let size = (dot(&u, &u) * dot(&mu, &mu) * dot(&v, &v) * dot(&mv, &mv)).powf(0.25);
    if (there - back).abs() <= ROUNDING * size {
        return Ok(());
    }
    let found = format!("u·M v = {there:.3e} and v·M u = {back:.3e}");
    Err(bad("preconditioner", found, "a symmetric M, for which the two are equal"))
}
