//! The same Poisson system by V-cycles, by conjugate gradients, and by conjugate gradients that a cycle preconditions.

use anyhow::Result;
use quadrille::linalg::{Algebra, LinearOperator};
use quadrille::solve::{Bounds, Cycle, FusedCg, Iteration, Missing, Multigrid, Pcg};

use super::super::interleave::Pair;
use super::super::row::Rows;
use super::super::row::{Bench, Row};
use super::super::solving::Solving;
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
    let bounds = Bounds { tolerance: TOLERANCE, max_iterations: MOST_ITERATIONS, check_every };
    Ok(Pair::alone(Solving::new(a, b, x, method, bounds)?))
}
