//! Linear complementarity problems by projection, on the GPU (row B8).
//!
//! There are two methods: the paper's projected Jacobi, with a product and one pass a sweep, and accelerated projected
//! gradients, which need a quarter to a tenth of the sweeps. The latter take A y, at the point where a step starts,
//! from two products that are known. So a sweep has one product and one target a pass, and the curvature along each
//! step costs nothing. The curvature limits the step, so no eigenvalue has to be known. MPRGP, projected conjugate
//! gradients, was tried on the CPU: it takes as many products on random problems, three quarters of them on
//! ill-conditioned contacts, and twice the passes for each.
//!
//! ```
//! # fn main() -> quadrille::Result<()> {
//! use quadrille::{Gpu, linalg::Algebra, matrix::Matrix};
//! use quadrille::solve::{Lcp, LcpSettings, lcp};
//!
//! let algebra = Algebra::new(&Gpu::headless()?);
//! let a = Matrix::new(&algebra, 2, 2, &[2.0, 1.0, 1.0, 2.0])?;
//! let b = Matrix::new(&algebra, 2, 1, &[-4.0, 1.0])?;
//! let mut x = Matrix::zeros(&algebra, 2, 1)?;
//! let report = lcp(&Lcp { a: &a, b: &b, bounds: None }, &mut x, &LcpSettings::default())?;
//! assert!(report.converged());
//! let x = x.get()?;                                     // x₁ = 2, and w₂ = 3 although x₂ = 0
//! assert!((x[0] - 2.0).abs() < 1e-4 && x[1] == 0.0);
//! # Ok(())
//! # }
//! ```

mod looks;
mod nearer;
mod prepared;
mod residuals;
mod sweeps;

pub use prepared::LcpSolver;

use super::Reason;
use crate::Result;
use crate::matrix::{DenseOperator, Matrix};

/// x ≥ 0, w = A x + b ≥ 0, x·w = 0; or, with bounds, lower ≤ x ≤ upper, where wᵢ ≥ 0 if xᵢ = lowerᵢ, wᵢ ≤ 0 if xᵢ =
/// upperᵢ, and wᵢ = 0 between them.
///
/// A must be symmetric and positive definite, or semidefinite if there is a solution; this is not checked.
pub struct Lcp<'a> {
    /// A: a [`Matrix`], or [`Blocks`](crate::matrix::Blocks) of independent groups, which are solved all at once.
    pub a: &'a dyn DenseOperator,
    /// b, one column.
    pub b: &'a Matrix,
    /// Lower and upper bounds, one column each; infinite where there is none. `None` is 0 and infinity.
    pub bounds: Option<(&'a Matrix, &'a Matrix)>,
}

/// Which iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum LcpMethod {
    /// The paper's: x = max(x + d .* (A x + b), 0) with d = ω / diag(A): a product and one pass a sweep.
    ///
    /// It converges while −ω < 2/λ, where λ is the largest eigenvalue of diag(A)⁻¹A, and fastest a little below that: λ
    /// is 3.3 for 400 random unknowns, 3 to 4.3 for contacts.
    Jacobi {
        /// ω, below 0 as the paper has it; its demo takes −0.1. `None`: −4/(3 λ) with λ by [`LcpSolver::eigenvalues`].
        omega: Option<f32>,
    },
    /// Accelerated projected gradients, scaled by the diagonal. A sweep is a product and three small passes, or two for
    /// groups of at most 128 unknowns.
    ///
    /// x = clamp(y − step D⁻¹(A y + b)) from y = x + momentum (x − the x before), with Nesterov's momentum, which
    /// restarts whenever a step goes against it. The step is as long as the measured curvature allows, so no eigenvalue
    /// of A has to be known; the curvature costs nothing, because A y follows from products that are known. Momentum
    /// and step stay on the GPU.
    ///
    /// Sweeps to a residual of 10⁻⁵, beside Jacobi with ω = −1/λ and the products of MPRGP, which are projected conjugate
    /// gradients with several more reductions a step:
    ///
    /// | 400 unknowns, made at random | accelerated | Jacobi | MPRGP |
    /// |---|---|---|---|
    /// | random, M Mᵀ/n + 0.1 I, condition 14 | 27 | 112 | 28 |
    /// | contacts, J Jᵀ + 10⁻³ I, condition 4700 | 101 | 1355 | 75 |
    ///
    /// The impulses of 30 boxes on top of each other are there to 10⁻⁴ after 232 sweeps, by Jacobi after 7260. On llvmpipe a
    /// sweep takes 1.1 to 1.4 times that of Jacobi, for 64 to 1000 unknowns.
    #[default]
    Accelerated,
}

/// How a problem is solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LcpSettings {
    /// The iteration.
    pub method: LcpMethod,
    /// The tolerance of ‖x − clamp(x − w, lower, upper)‖∞, which is ‖min(x, w)‖∞ for 0 and infinity, relative to ‖b‖∞ of the
    /// group (of the whole where that is 0, and absolute where b = 0).
    pub tolerance: f32,
    /// Sweeps at most.
    pub max_sweeps: usize,
    /// The sweeps between two looks at the residual; 0 never looks and makes `max_sweeps` of them, without a read-back.
    /// A look takes in the answer to the look before: nothing stalls, and an end is seen that many sweeps late.
    pub check_every: usize,
}

impl Default for LcpSettings {
    fn default() -> LcpSettings {
        LcpSettings { method: LcpMethod::Accelerated, tolerance: 1e-5, max_sweeps: 1000, check_every: 16 }
    }
}

/// The result of a problem. All but the history is recomputed in f64 from A, b and x, which are read back once.
#[derive(Clone, Debug, PartialEq)]
pub struct LcpReport {
    /// The sweeps that may have changed x. For the accelerated method, those until the look that found the tolerance
    /// met.
    pub sweeps: usize,
    /// Why it stopped.
    pub reason: Reason,
    /// The smallest xᵢ; with bounds, the smallest of xᵢ − lowerᵢ and upperᵢ − xᵢ.
    pub min_x: f64,
    /// The smallest wᵢ of w = A x + b; with bounds, the smallest wᵢ where xᵢ lies below upperᵢ, and −wᵢ where xᵢ lies
    /// above lowerᵢ and upperᵢ is finite.
    pub min_w: f64,
    /// |x·w|; with bounds |Σ (xᵢ − lowerᵢ) wᵢ + Σ (xᵢ − upperᵢ) wᵢ|, the second sum over wᵢ < 0 with finite upperᵢ.
    pub complementarity: f64,
    /// ‖x − clamp(x − w, lower, upper)‖∞.
    pub natural_residual: f64,
    /// The same relative to ‖b‖∞: the largest of all groups, each by its own b.
    pub relative_residual: f64,
    /// The residuals seen on the way: after how many sweeps, and the relative residual in 32 bits.
    pub history: Vec<(usize, f64)>,
}

impl LcpReport {
    /// Returns true if the tolerance is met, in f64.
    pub fn converged(&self) -> bool {
        self.reason == Reason::Converged
    }
}

/// Solves a problem, starting from x. For several problems with one A, make an [`LcpSolver`] once.
///
/// Groups of [`Blocks`](crate::matrix::Blocks) are independent in the same passes: each has its own momentum, step and
/// end, and gets the same bits as if it were solved alone, provided its products are summed in the same order.
///
/// # Errors
/// [`Error::WrongShape`](crate::Error::WrongShape), [`Error::OtherContext`](crate::Error::OtherContext);
/// [`Error::BadParameter`](crate::Error::BadParameter) for numbers in A, b or the bounds that are not finite, for a diagonal
/// that is not above 0 or above 8·10³⁷, for bounds that cross, and for a tolerance or an ω that makes no sense; those of the GPU. Not
/// converging is a report, not an error.
///
/// # References
/// Moravánszky, *Dense Matrix Algebra on the GPU*, section 4.2; O'Donoghue & Candès, *Adaptive Restart for Accelerated Gradient
/// Schemes*, 2015; Mazhar, Heyn, Negrut & Tasora, *Using Nesterov's Method to Accelerate Multibody Dynamics with Friction and
/// Contact*, 2015; Dostál & Schöberl, *Minimizing Quadratic Functions Subject to Bound Constraints* (MPRGP), 2005.
pub fn lcp(problem: &Lcp, x: &mut Matrix, settings: &LcpSettings) -> Result<LcpReport> {
    LcpSolver::new(problem.a)?.solve(problem.b, problem.bounds, x, settings)
}
