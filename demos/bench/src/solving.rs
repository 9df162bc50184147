//! A system that is solved from x = 0 to a tolerance, again and again.

use std::time::Instant;

use anyhow::{Result, ensure};
use quadrille::linalg::{LinearOperator, Vector};
use quadrille::solve::{Bounds, Iteration, Reason, iterate};

use super::chapter44::table::finished;
use super::interleave::{Elapsed, Work};

pub struct Solving<A> {
    a: A,
    b: Vector,
    x: Vector,
    method: Box<dyn Iteration>,
    bounds: Bounds,
    iterations: usize,
    converged: bool,
}

impl<A: LinearOperator> Solving<A> {
    /// Solves it once.
    ///
    /// # Errors
    /// A system that is not solved within the bounds.
    pub fn new(a: A, b: Vector, x: Vector, method: Box<dyn Iteration>, bounds: Bounds) -> Result<Solving<A>> {
        let mut work = Solving { a, b, x, method, bounds, iterations: 0, converged: false };
        work.run(1)?;
        ensure!(work.converged, "Poisson's equation is not solved: {} iterations", work.iterations);
        Ok(work)
    }

    pub fn x(&self) -> &Vector {
        &self.x
    }
}

impl<A: LinearOperator> Work for Solving<A> {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        for _ in 0..times {
            self.x.fill(0.0)?;
            let outcome =
                iterate(&mut *self.method, &self.a, &self.b, &mut self.x, self.bounds, &mut |_, _| true)?;
            self.iterations = outcome.iterations;
            self.converged = outcome.reason == Reason::Converged;
        }
        Ok(finished(self.x.algebra(), clock))
    }

    fn said(&self) -> Option<String> {
        let plural = if self.iterations == 1 { "" } else { "s" };
        Some(format!("{} iteration{plural} to {:e}", self.iterations, self.bounds.tolerance))
    }
}
