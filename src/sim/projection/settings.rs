//! How exactly, and by which iteration, a velocity is projected.

use crate::linalg::{LinearOperator, SevenPoint, Vector};
use crate::pug::Step;
use crate::solve::{Bounds, Cg, FusedCg, Iteration, Outcome, Pcg, SteeredCg, VoxelMultigrid, iterate};
use crate::{Error, Result};

/// What stands for the inverse of the matrix, and who steers the iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preconditioning {
    /// The inverse of its diagonal (row D2), all scalars on the GPU.
    Jacobi,
    /// The same as Batty et al. ran it: dot products are read back once no more than so many texels are left of them,
    /// and the CPU makes α and β (row D3). Every iteration waits for the GPU.
    Steered {
        /// Texels; the paper's are about 16.
        stop_at: usize,
    },
    /// A V-cycle of coarser boxes: a fraction of the iterations (row D7).
    #[default]
    Multigrid,
}

/// How a velocity is projected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// What ‖∇·u‖ becomes at most, relative to what it was: 10⁻⁷ to 0.1. It is what the pressure can change that
    /// counts.
    pub tolerance: f32,
    /// Iterations at most.
    pub max_iterations: usize,
    /// What stands for the inverse.
    pub preconditioning: Preconditioning,
    /// Whether to start from the last pressure (row D4), or from 0.
    pub warm_start: bool,
    /// θ is no less than this, 0.001 to 1: a surface that grazes a cell's centre would make the matrix as
    /// ill-conditioned as you like.
    pub least_theta: f32,
}

impl Default for Settings {
    fn default() -> Settings {
        let preconditioning = Preconditioning::default();
        Settings {
            tolerance: 1e-4,
            max_iterations: 2000,
            preconditioning,
            warm_start: true,
            least_theta: 0.01,
        }
    }
}

impl Settings {
    pub(super) fn check(&self) -> Result<()> {
        let within = |name, found: f32, least: f32, most: f32| {
            if (least..=most).contains(&found) {
                return Ok(());
            }
            Err(Error::BadParameter {
                name,
                found: found.to_string(),
                expected: format!("{least} to {most}"),
            })
        };
        within("tolerance", self.tolerance, 1e-7, 0.1)?;
        within("least theta", self.least_theta, 1e-3, 1.0)
    }

    /// When the iteration ends. One of multigrid is worth a look each.
    pub(super) fn bounds(&self) -> Bounds {
        let check_every = if self.preconditioning == Preconditioning::Multigrid { 1 } else { 8 };
        Bounds { tolerance: self.tolerance, max_iterations: self.max_iterations, check_every }
    }

    /// The solver for that matrix.
    pub(super) fn solver(&self, a: &SevenPoint) -> Result<Solver> {
        Ok(match self.preconditioning {
            Preconditioning::Jacobi => Solver::Iterating(jacobi(a)?),
            Preconditioning::Multigrid => Solver::Iterating(multigrid(a)?),
            Preconditioning::Steered { stop_at } => {
                let method = SteeredCg::new(a.algebra().gpu(), Step::default(), stop_at)?;
                Solver::Steered(method, a.inverse_diagonal()?)
            }
        })
    }
}

/// What solves A p = b.
pub(super) enum Solver {
    Iterating(Box<dyn Iteration>),
    Steered(SteeredCg, Vector),
}

impl Solver {
    /// Improves p until the bounds are met.
    pub fn solve(&mut self, a: &SevenPoint, b: &Vector, p: &mut Vector, bounds: Bounds) -> Result<Outcome> {
        match self {
            Solver::Iterating(method) => iterate(&mut **method, a, b, p, bounds, &mut |_, _| true),
            Solver::Steered(method, inverse) => {
                method.solve(a, inverse, (b, p), bounds, &mut |_, work| work())
            }
        }
    }
}

/// As fused as the limits allow.
fn jacobi(a: &SevenPoint) -> Result<Box<dyn Iteration>> {
    let (algebra, layout, inverse) = (a.algebra(), a.rows(), a.inverse_diagonal()?);
    Ok(match FusedCg::fits(algebra.gpu().limits(), true) {
        true => Box::new(FusedCg::new(algebra, layout, Some(inverse))?),
        false => Box::new(Cg::new(algebra, layout, Some(inverse))?),
    })
}

fn multigrid(a: &SevenPoint) -> Result<Box<dyn Iteration>> {
    let (algebra, layout, levels) = (a.algebra(), a.rows(), VoxelMultigrid::new(a, SWEEPS)?);
    Ok(match Pcg::fits(algebra.gpu().limits()) {
        true => Box::new(Pcg::new(algebra, layout, levels)?),
        false => Box::new(Cg::with(algebra, layout, levels)?),
    })
}

/// Sweeps on each level before and after its correction.
const SWEEPS: u32 = 2;
