//! Solvers of A x = b over any [`LinearOperator`]: conjugate gradients and their relatives, in 32 bits on the GPU,
//! with an outer loop in f64 on the CPU.
//!
//! ```
//! # fn main() -> quadrille::Result<()> {
//! use quadrille::linalg::{Algebra, Banded};
//! use quadrille::solve::{Settings, solve};
//! use quadrille::{Gpu, layout::Packed2x2, numeric::Csr};
//!
//! let algebra = Algebra::new(&Gpu::headless()?);
//! let a = Banded::new(&algebra, Packed2x2::grid(31, 57)?, Csr::poisson(31, 57)?)?;
//! let b = vec![1.0; 31 * 57];
//! let found = solve(&a, &b, None, &Settings { tolerance: 1e-10, ..Settings::default() })?;
//! assert!(found.report.converged() && found.report.relative_residual <= 1e-10);
//! # Ok(())
//! # }
//! ```
//!
//! # References
//! Krüger & Westermann, GPU Gems 2 ch. 44 (rows A10, A15); Göddeke, Strzodka & Turek, *Accelerating Double Precision
//! FEM Simulations with GPUs*, 2005.

mod bicgstab;
mod cg;
mod cgls;
mod chebyshev;
mod coupled;
mod double;
mod double_cg;
mod fused_cg;
mod history;
mod iterate;
mod lcp;
mod matrix_cg;
mod multigrid;
mod near;
mod past;
mod pcg;
mod polynomial;
mod preconditioner;
mod refine;
mod scales;
mod steered_cg;
mod voxel_multigrid;

pub use bicgstab::BiCgStab;
pub use cg::Cg;
pub use cgls::Cgls;
pub use chebyshev::Chebyshev;
#[cfg(feature = "pde")]
pub(crate) use coupled::Small;
pub use coupled::{
    At, Block, Coupled, Edge, Effort, FiniteVolumes, Grid, Group, Kept, LinearPart, MOST_ITERATIONS, Mask,
    Pair, RightSide, Saved, Scheme, Stepper, StepperSettings, Systems,
};
pub use double::DoubleSolver;
pub use double_cg::DoubleCg;
pub use fused_cg::FusedCg;
pub use history::History;
pub(crate) use iterate::iterate_expecting;
pub use iterate::{Bounds, Iteration, Outcome, iterate, residual};
pub use lcp::{Lcp, LcpMethod, LcpReport, LcpSettings, LcpSolver, lcp};
pub use matrix_cg::{matrix_cg, matrix_cg_with};
pub use multigrid::{Coarsest, Cycle, Missing, Multigrid, Smoother};
pub use pcg::Pcg;
pub use polynomial::Polynomial;
pub use preconditioner::{Preconditioner, check_preconditioner};
pub use refine::{solve, solve_by, solve_scaled, solve_with};
pub use scales::{Scaled, Scales};
pub use steered_cg::{Operation, SteeredCg, Watch};
pub use voxel_multigrid::VoxelMultigrid;

#[cfg(doc)]
use crate::linalg::LinearOperator;
use crate::{Error, Result};
use std::fmt;

/// Which iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Conjugate gradients: A symmetric and positive definite. Symmetry is not checked
    /// ([`Csr::is_symmetric`](crate::numeric::Csr::is_symmetric) checks it); for another A the method may still
    /// converge by luck.
    #[default]
    Cg,
    /// Stabilised bi-conjugate gradients: any square A.
    BiCgStab,
    /// Least squares by conjugate gradients on the normal equations: A of any shape.
    Cgls,
}

/// The diagonal preconditioner of a [`Method`]; for any other preconditioner, use [`Pcg`] with a [`Preconditioner`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preconditioning {
    /// Nothing.
    #[default]
    None,
    /// The inverse of A's diagonal; 1 where that is 0.
    Jacobi,
}

/// How a system is solved.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The iteration.
    pub method: Method,
    /// Its preconditioner; least squares have none.
    pub preconditioner: Preconditioning,
    /// The tolerance of ‖b − A x‖, in f64, relative to ‖b‖; absolute where b = 0. For least squares ‖Aᵀ(b − A x)‖ relative
    /// to ‖Aᵀb‖ is as good.
    pub tolerance: f64,
    /// Iterations at most, of all refinements together.
    pub max_iterations: usize,
    /// The iterations between two looks at the residual; 0 makes `max_iterations` of them and never looks.
    pub check_every: usize,
    /// If set, conjugate gradients write x, r and p in one pass ([`FusedCg`]) where the limits allow it.
    pub fused: bool,
    /// If set, solves for corrections until the residual in f64 meets the tolerance.
    pub refine: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            method: Method::Cg,
            preconditioner: Preconditioning::None,
            tolerance: 1e-6,
            max_iterations: 10_000,
            check_every: 16,
            fused: true,
            refine: true,
        }
    }
}

/// Why a solver stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The residual meets the tolerance: for [`solve`] as recomputed in f64, for [`iterate`] by its own account.
    Converged,
    /// As many iterations as were allowed.
    MaxIterations,
    /// More iterations, or more refinements, made it no smaller.
    Stalled,
    /// p·A p < 0: the matrix is not positive definite.
    Indefinite,
    /// A divisor became 0 before the residual did.
    ZeroDivisor,
    /// Infinities or NaN.
    NotFinite,
    /// Whoever watched asked it to.
    Stopped,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Reason::Converged => "converged",
            Reason::MaxIterations => "as many iterations as were allowed",
            Reason::Stalled => "stalled: more iterations make the residual no smaller",
            Reason::Indefinite => "the matrix is not positive definite",
            Reason::ZeroDivisor => "broke down: a divisor became 0",
            Reason::NotFinite => "broke down: infinities or NaN",
            Reason::Stopped => "stopped",
        })
    }
}

/// The report of a solve.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Iterations, of all refinements together. Iterations that were repeated to return to the best x do not count.
    pub iterations: usize,
    /// Corrections that were solved for beside the first.
    pub refinements: usize,
    /// Why it stopped.
    pub reason: Reason,
    /// ‖b − A x‖ / ‖b‖ in f64, from A and b as they were given; ‖b − A x‖ itself where b = 0.
    pub relative_residual: f64,
    /// Least squares: ‖Aᵀ(b − A x)‖ / ‖Aᵀb‖ in f64.
    pub normal_residual: Option<f64>,
    /// The relative residual at the start and after each iteration, by the iteration's own recursion. In 32 bits it may
    /// be smaller than the true one; each refinement starts again from the true one.
    pub history: Vec<f64>,
}

impl Report {
    /// Returns true if the tolerance is met, in f64.
    pub fn converged(&self) -> bool {
        self.reason == Reason::Converged
    }
}

/// A solution and how it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// x.
    pub x: Vec<f64>,
    /// How it was found.
    pub report: Report,
}

/// Where a solver is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Iterations so far.
    pub iterations: usize,
    /// The newest relative residual that has arrived.
    pub relative_residual: f64,
    /// Refinements so far.
    pub refinements: usize,
}

fn check_tolerance(tolerance: impl Into<f64> + fmt::Display + Copy) -> Result<()> {
    let value = tolerance.into();
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(bad("tolerance", tolerance.to_string(), "a number above 0"))
}

fn bad(name: &'static str, found: String, expected: &str) -> Error {
    Error::BadParameter { name, found, expected: expected.to_owned() }
}
