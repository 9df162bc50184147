//! The same Poisson system by V-cycles, by conjugate gradients, and by conjugate gradients that a cycle preconditions.

use std::time::Instant;

use anyhow::{Result, ensure};
use quadrille::linalg::{Algebra, LinearOperator, NinePoint, Vector};
use quadrille::solve::{Bounds, Cycle, FusedCg, Iteration, Missing, Multigrid, Pcg, Reason, iterate};

use super::super::chapter44::table::finished;
use super::super::interleave::{Elapsed, Pair, Work};
use super::super::row::Rows;
use super::super::row::{Bench, Row};
use super::super::stepping::numbers;
use super::{cycles, nodes, size};

const INTERVALS: u32 = 512;

/// ‖A‖‖x‖ is some 300 times ‖b‖ here: a residual of 32 bits means little below this.
const TOLERANCE: f32 = 1e-4;
const MOST_ITERATIONS: usize = 10_000;

#[derive(Clone, Copy)]
enum By {
    Cycles,
    Gradients,
    Both,
}

/// One group: the three take turns.
pub fn rows(divisor: u32) -> Rows {
    let side = nodes(INTERVALS, divisor);
    let row = |(name, by)| Row {
        counted: Some((1.0, "systems")),
        ..Row::new(name, &size(side), move |bench| solving(bench, side, by))
    };
    let all = [
        ("Poisson by V(2,2)-cycles", By::Cycles),
        ("Poisson by CG", By::Gradients),
        ("Poisson by CG with V(2,2)", By::Both),
    ];
    vec![all.map(row).into()]
}

/// A x = b from x = 0 to the tolerance.
struct Solving {
    a: NinePoint,
    b: Vector,
    x: Vector,
    method: Box<dyn Iteration>,
    check_every: usize,
    iterations: usize,
    converged: bool,
}

impl Work for Solving {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let bounds =
            Bounds { tolerance: TOLERANCE, max_iterations: MOST_ITERATIONS, check_every: self.check_every };
        let clock = Instant::now();
        for _ in 0..times {
            self.x.fill(0.0)?;
            let outcome =
                iterate(&mut *self.method, &self.a, &self.b, &mut self.x, bounds, &mut |_, _| true)?;
            self.iterations = outcome.iterations;
            self.converged = outcome.reason == Reason::Converged;
        }
        Ok(finished(self.x.algebra(), clock))
    }

    fn said(&self) -> Option<String> {
        let plural = if self.iterations == 1 { "" } else { "s" };
        Some(format!("{} iteration{plural} to {TOLERANCE:e}", self.iterations))
    }
}

fn solving(bench: &Bench, side: u32, by: By) -> Result<Pair> {
    let algebra = Algebra::new(&bench.gpu);
    let a = cycles::poisson(&algebra, side)?;
    let layout = a.rows();
    let multigrid = || Multigrid::new(&a, Missing::Fixed, Cycle::default());
    let method: Box<dyn Iteration> = match by {
        By::Cycles => Box::new(multigrid()?),
        By::Gradients => Box::new(FusedCg::new(&algebra, layout, None)?),
        By::Both => Box::new(Pcg::new(&algebra, layout, multigrid()?)?),
    };
    let (b, x) = (algebra.vector(layout, &numbers(layout.len()))?, algebra.zeros(layout)?);
    let check_every = if matches!(by, By::Gradients) { 32 } else { 1 };
    let mut work = Solving { a, b, x, method, check_every, iterations: 0, converged: false };
    work.run(1)?;
    ensure!(work.converged, "the Poisson system is not solved: {} iterations", work.iterations);
    Ok(Pair::alone(work))
}
