//! How exactly, and by which iteration, a velocity is projected.

use std::cell::RefCell;
use std::rc::Rc;

use crate::linalg::{LinearOperator, SevenPoint, Vector};
use crate::pug::Step;
use crate::solve::{
    Bounds, Cg, FusedCg, Iteration, Outcome, Pcg, Reason, SteeredCg, VoxelMultigrid, iterate_expecting,
};
use crate::{Error, Result};

/// The approximate inverse of the matrix, and who steers the iteration.
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
    /// The bound of ‖∇·u‖ after a step, relative to what it was: 10⁻⁷ to 0.1. It is what the pressure can change that
    /// counts.
    pub tolerance: f32,
    /// Iterations at most.
    pub max_iterations: usize,
    /// The preconditioner.
    pub preconditioning: Preconditioning,
    /// True to start from the last pressure (row D4), false from 0.
    pub warm_start: bool,
    /// How far below the surface the centre of a fluid's cell counts as lying at least, in voxels, 10⁻⁶ to 1: so large the
    /// matrix can become, 1/θ. It is one depth for all sides of a cell: with a least θ of its own for each of them water whose
    /// surface passes through centres would be pushed to its sides. Where it counts, the surface is wrong by as much, and by
    /// the slope of that water at rest is moved: a thousandth of gravity at 10⁻³. The solvers stand a large diagonal, which
    /// preconditioning scales away.
    pub least_depth: f32,
}

impl Default for Settings {
    fn default() -> Settings {
        let preconditioning = Preconditioning::default();
        Settings {
            tolerance: 1e-4,
            max_iterations: 2000,
            preconditioning,
            warm_start: true,
            least_depth: 1e-5,
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
        within("least depth", self.least_depth, 1e-6, 1.0)
    }

    /// When the iteration ends. One of multigrid is worth a look each.
    pub(super) fn bounds(&self) -> Bounds {
        let check_every = if self.preconditioning == Preconditioning::Multigrid { 1 } else { 8 };
        Bounds { tolerance: self.tolerance, max_iterations: self.max_iterations, check_every }
    }

    /// The solver for that matrix.
    pub(super) fn solver(&self, a: &SevenPoint) -> Result<Solver> {
        Ok(match self.preconditioning {
            Preconditioning::Jacobi => jacobi(a)?,
            Preconditioning::Multigrid => multigrid(a)?,
            Preconditioning::Steered { stop_at } => {
                let method = SteeredCg::new(a.algebra().gpu(), Step::default(), stop_at)?;
                Solver::Steered(method, a.inverse_diagonal()?)
            }
        })
    }
}

/// The solver of A p = b, with the vectors that it keeps from step to step.
pub(super) enum Solver {
    /// By the inverse of the diagonal, as fused as the limits allow.
    Fused(Box<FusedCg>),
    Plain(Box<Cg<'static>>),
    /// And the iterations of the last solve, which the next one is likely to take, too.
    Multigrid(Box<dyn Iteration>, Levels, Option<usize>),
    Steered(SteeredCg, Vector),
}

/// They are the iteration's too.
type Levels = Rc<RefCell<VoxelMultigrid>>;

impl Solver {
    /// For another matrix of the same box.
    pub fn rebuild(&mut self, a: &SevenPoint) -> Result<()> {
        match self {
            Solver::Fused(method) => method.set_preconditioner(a.inverse_diagonal()?),
            Solver::Plain(method) => method.set_preconditioner(a.inverse_diagonal()?),
            Solver::Multigrid(_, levels, _) => levels.borrow_mut().rebuild(a)?,
            Solver::Steered(_, inverse) => *inverse = a.inverse_diagonal()?,
        }
        Ok(())
    }

    /// Improves p until the bounds are met.
    pub fn solve(&mut self, a: &SevenPoint, b: &Vector, p: &mut Vector, bounds: Bounds) -> Result<Outcome> {
        let mut none = None;
        let (method, expected): (&mut dyn Iteration, _) = match self {
            Solver::Fused(method) => (method.as_mut(), &mut none),
            Solver::Plain(method) => (method.as_mut(), &mut none),
            Solver::Multigrid(method, _, expected) => (method.as_mut(), expected),
            Solver::Steered(method, inverse) => {
                return method.solve(a, inverse, (b, p), bounds, &mut |_, work| work());
            }
        };
        let outcome = iterate_expecting(method, a, (b, p), bounds, *expected, &mut |_, _| true)?;
        *expected = (outcome.reason == Reason::Converged).then_some(outcome.iterations);
        Ok(outcome)
    }
}

fn jacobi(a: &SevenPoint) -> Result<Solver> {
    let (algebra, layout, inverse) = (a.algebra(), a.rows(), Some(a.inverse_diagonal()?));
    Ok(match FusedCg::fits(algebra.gpu().limits(), true) {
        true => Solver::Fused(Box::new(FusedCg::new(algebra, layout, inverse)?)),
        false => Solver::Plain(Box::new(Cg::new(algebra, layout, inverse)?)),
    })
}

fn multigrid(a: &SevenPoint) -> Result<Solver> {
    let (algebra, layout) = (a.algebra(), a.rows());
    let levels = Rc::new(RefCell::new(VoxelMultigrid::new(a, SWEEPS)?));
    let method: Box<dyn Iteration> = match Pcg::fits(algebra.gpu().limits()) {
        true => Box::new(Pcg::new(algebra, layout, levels.clone())?),
        false => Box::new(Cg::with(algebra, layout, levels.clone())?),
    };
    Ok(Solver::Multigrid(method, levels, None))
}

/// Sweeps on each level before and after its correction.
const SWEEPS: u32 = 2;
