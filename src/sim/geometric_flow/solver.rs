//! Conjugate gradients for the systems of the flow, kept from step to step.
//!
//! If a system is not solved, the step moves nothing; `quadrille smooth` and the demo then end with status 3 and the
//! last good mesh.

use super::matrix::FlowMatrix;
use crate::Result;
use crate::linalg::Vector;
use crate::solve::{Bounds, Cg, FusedCg, Iteration, Outcome, iterate};

/// As fused as the limits allow.
pub(super) enum Solver {
    Fused(Box<FusedCg>),
    Plain(Box<Cg<'static>>),
}

impl Solver {
    /// Room for the vectors of a matrix.
    pub fn new(matrix: &FlowMatrix) -> Result<Solver> {
        let (algebra, vectors, inverse) = (&matrix.algebra, matrix.vectors, Some(matrix.inverse_diagonal()?));
        Ok(match FusedCg::fits(algebra.gpu().limits(), true) {
            true => Solver::Fused(Box::new(FusedCg::new(algebra, vectors, inverse)?)),
            false => Solver::Plain(Box::new(Cg::new(algebra, vectors, inverse)?)),
        })
    }

    /// Improves the ways until what is left of the force meets the bounds.
    pub fn solve(
        &mut self,
        matrix: &FlowMatrix,
        force: &Vector,
        ways: &mut Vector,
        bounds: Bounds,
    ) -> Result<Outcome> {
        let inverse = matrix.inverse_diagonal()?;
        let method: &mut dyn Iteration = match self {
            Solver::Fused(method) => {
                method.set_preconditioner(inverse);
                method.as_mut()
            }
            Solver::Plain(method) => {
                method.set_preconditioner(inverse);
                method.as_mut()
            }
        };
        iterate(method, matrix, force, ways, bounds, &mut |_, _| true)
    }
}
