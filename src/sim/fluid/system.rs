//! A linear system of a fluid step, with its solver.
//!
//! Before conjugate gradients, the part of b that no pressure can produce is removed: in 32 bits Σb is never quite 0,
//! and the iteration would follow that error.

use super::Pressure;
use crate::Result;
use crate::linalg::{Algebra, NinePoint, Scalar, Vector};
use crate::solve::{Bounds, Cg, Cycle, FusedCg, Iteration, Missing, Multigrid, Smoother, iterate};

/// A x = b on a grid, from the last x on.
pub(super) struct System {
    pub matrix: NinePoint,
    pub right: Vector,
    pub x: Vector,
    missing: Missing,
    solver: Solver,
    pressure: Pressure,
}

enum Solver {
    Multigrid(Box<Multigrid>),
    Cg(Box<Gradients>),
    /// The other of two vectors that take turns.
    Jacobi(Vector),
}

/// Conjugate gradients for what an x leaves.
struct Gradients {
    method: Box<dyn Iteration>,
    rest: Vector,
    more: Vector,
    number: Scalar,
}

/// The damping of sweeps that are no multigrid's: below 1, where a checkerboard of errors would stay for ever.
const DAMPING: f32 = 0.9;

/// The bound of conjugate gradients: more than any grid here needs.
const MAX_ITERATIONS: usize = 4000;

/// A residual that 32 bits can reach.
const LEAST: f32 = 1e-7;

impl System {
    /// x = 0.
    pub fn new(matrix: NinePoint, missing: Missing, pressure: Pressure) -> Result<System> {
        use crate::linalg::LinearOperator;
        let (algebra, layout) = (matrix.algebra().clone(), matrix.rows());
        let (right, x) = (algebra.zeros(layout)?, algebra.zeros(layout)?);
        let solver = Solver::new(&algebra, &matrix, missing, pressure)?;
        Ok(System { matrix, right, x, missing, solver, pressure })
    }

    /// Another matrix of the same grid.
    pub fn set_matrix(&mut self, matrix: NinePoint) -> Result<()> {
        if let Solver::Multigrid(levels) = &mut self.solver {
            levels.rebuild(&matrix)?;
        }
        self.matrix = matrix;
        Ok(())
    }

    /// Another solver, or other numbers of the same.
    pub fn set_pressure(&mut self, pressure: Pressure) -> Result<()> {
        if pressure == self.pressure {
            return Ok(());
        }
        match (&mut self.solver, pressure) {
            (Solver::Multigrid(levels), Pressure::Multigrid { before, after, .. }) => {
                levels.set_cycle(cycle(before, after))?;
            }
            _ => {
                self.solver = Solver::new(self.right.algebra(), &self.matrix, self.missing, pressure)?;
            }
        }
        self.pressure = pressure;
        Ok(())
    }

    /// Returns true if conjugate gradients solve it.
    pub fn is_cg(&self) -> bool {
        matches!(self.solver, Solver::Cg(_))
    }

    /// Improves x. `closed` are the directions that A makes 0, of length 1, for conjugate gradients: the others stand them.
    pub fn solve(&mut self, closed: &[Vector]) -> Result<()> {
        let System { matrix, right, x, solver, pressure, .. } = self;
        match (solver, *pressure) {
            (Solver::Multigrid(levels), Pressure::Multigrid { cycles, .. }) => {
                (0..cycles).try_for_each(|_| levels.cycle(right, x))
            }
            (Solver::Jacobi(other), Pressure::Jacobi { sweeps }) => {
                for _ in 0..sweeps {
                    matrix.relax(DAMPING, x, right, other)?;
                    std::mem::swap(x, other);
                }
                Ok(())
            }
            (Solver::Cg(gradients), Pressure::Cg { tolerance }) => {
                gradients.solve(matrix, (right, x), closed, tolerance)
            }
            _ => Ok(()),
        }
    }
}

impl Solver {
    fn new(algebra: &Algebra, matrix: &NinePoint, missing: Missing, pressure: Pressure) -> Result<Solver> {
        use crate::linalg::LinearOperator;
        let layout = matrix.rows();
        Ok(match pressure {
            Pressure::Multigrid { before, after, .. } => {
                Solver::Multigrid(Box::new(Multigrid::new(matrix, missing, cycle(before, after))?))
            }
            Pressure::Jacobi { .. } => Solver::Jacobi(algebra.zeros(layout)?),
            Pressure::Cg { .. } => Solver::Cg(Box::new(Gradients {
                method: match FusedCg::fits(algebra.gpu().limits(), false) {
                    true => Box::new(FusedCg::new(algebra, layout, None)?),
                    false => Box::new(Cg::new(algebra, layout, None)?),
                },
                rest: algebra.zeros(layout)?,
                more: algebra.zeros(layout)?,
                number: algebra.scalar(0.0)?,
            })),
        })
    }
}

impl Gradients {
    /// x += d, A d = b − A x up to ‖r‖ = tolerance ‖b‖, without what A cannot make of that: where b is little more than
    /// roundings that is a good part of it, and gradients would run after it without end. Reads two numbers back, and those of the iteration.
    fn solve(
        &mut self,
        matrix: &NinePoint,
        (right, x): (&Vector, &mut Vector),
        closed: &[Vector],
        tolerance: f32,
    ) -> Result<()> {
        let Gradients { method, rest, more, number } = self;
        matrix.residual(x, right, rest)?;
        for direction in closed {
            rest.dot(direction, number)?;
            rest.axpy(-&*number, direction)?;
        }
        right.norm(number)?;
        let goal = tolerance * number.get()?;
        rest.norm(number)?;
        let left = number.get()?;
        // Not if it is no number, either.
        let is_to_be_solved = left > goal;
        if !is_to_be_solved {
            return Ok(());
        }
        let tolerance = if goal > 0.0 { (goal / left).max(LEAST) } else { tolerance };
        let bounds = Bounds { tolerance, max_iterations: MAX_ITERATIONS, check_every: 8 };
        more.fill(0.0)?;
        iterate(&mut **method, matrix, rest, more, bounds, &mut |_, _| true)?;
        x.axpy(1.0, more)
    }
}

fn cycle(before: u32, after: u32) -> Cycle {
    Cycle { before, after, visits: 1, smoother: Smoother::Jacobi { damping: 0.8 } }
}
