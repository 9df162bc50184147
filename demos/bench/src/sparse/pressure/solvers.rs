//! Whole solves of the pressure to 10⁻⁴, by each way that the paper and we know.

use std::time::Instant;

use anyhow::{Result, ensure};
use quadrille::linalg::{LinearOperator, SevenPoint, Vector};
use quadrille::pug::Step;
use quadrille::solve::{Bounds, Cg, FusedCg, Iteration, Outcome, Pcg, SteeredCg, VoxelMultigrid, iterate};

use super::super::super::chapter44::table::finished;
use super::super::super::interleave::{Elapsed, Pair, Work};
use super::super::super::row::{Bench, Row};
use super::water::Water;

pub const TOLERANCE: f32 = 1e-4;
pub const MOST: usize = 5000;

pub fn rows(side: u32) -> Vec<Row> {
    let size = format!("{side}x{side}x{side} voxels to {TOLERANCE:e}");
    let row = |name: &str, build: fn(&mut Water) -> Result<Solver>| {
        let name = format!("pressure, {name}");
        Row::new(&name, &size, move |bench| pair(bench, side, build))
    };
    vec![
        row("diagonal, fused", fused),
        row("diagonal, fused, from the last pressure", |water| Ok(fused(water)?.warm())),
        row("multigrid", |water| multigrid(water, 2)),
        row("multigrid, one sweep", |water| multigrid(water, 1)),
        row("multigrid, from the last pressure", |water| Ok(multigrid(water, 2)?.warm())),
        row("diagonal, scalars on the GPU", by_lines),
        row("diagonal, scalars on the CPU, far 8x8 sums", |water| steered(water, Step::Far(8), 1, false)),
        row("the same, sums end at 16 texels", |water| steered(water, Step::Far(8), 16, false)),
        row("the same, far 2x2 sums", |water| steered(water, Step::Far(2), 16, false)),
        row("the same, adjacent 2x2 sums: the paper", |water| steered(water, Step::Adjacent(2), 16, false)),
        row("the paper, finishing each operation", |water| steered(water, Step::Adjacent(2), 16, true)),
    ]
}

type Solve = dyn FnMut(&Vector, &mut Vector) -> quadrille::Result<Outcome>;

pub struct Solver {
    solve: Box<Solve>,
    warm: bool,
}

impl Solver {
    fn new(solve: impl FnMut(&Vector, &mut Vector) -> quadrille::Result<Outcome> + 'static) -> Solver {
        Solver { solve: Box::new(solve), warm: false }
    }

    /// Improves x.
    pub fn solve(&mut self, b: &Vector, x: &mut Vector) -> quadrille::Result<Outcome> {
        (self.solve)(b, x)
    }

    /// Starts from the solution for a velocity that was a little different.
    fn warm(self) -> Solver {
        Solver { warm: true, ..self }
    }

    fn iterating(a: SevenPoint, mut method: impl Iteration + 'static, check_every: usize) -> Solver {
        let bounds = Bounds { tolerance: TOLERANCE, max_iterations: MOST, check_every };
        Solver::new(move |b, x| iterate(&mut method, &a, b, x, bounds, &mut |_, _| true))
    }
}

pub fn fused(water: &mut Water) -> Result<Solver> {
    let a = water.matrix()?;
    let method = FusedCg::new(&water.algebra(), a.rows(), Some(a.inverse_diagonal()?))?;
    Ok(Solver::iterating(a, method, 8))
}

fn by_lines(water: &mut Water) -> Result<Solver> {
    let a = water.matrix()?;
    let method = Cg::new(&water.algebra(), a.rows(), Some(a.inverse_diagonal()?))?;
    Ok(Solver::iterating(a, method, 8))
}

pub fn multigrid(water: &mut Water, sweeps: u32) -> Result<Solver> {
    let a = water.matrix()?;
    let method = Pcg::new(&water.algebra(), a.rows(), VoxelMultigrid::new(&a, sweeps)?)?;
    Ok(Solver::iterating(a, method, 1))
}

pub fn steered(water: &mut Water, step: Step, stop_at: usize, finishing: bool) -> Result<Solver> {
    let (a, algebra) = (water.matrix()?, water.algebra());
    let inverse = a.inverse_diagonal()?;
    let method = SteeredCg::new(algebra.gpu(), step, stop_at)?;
    let bounds = Bounds { tolerance: TOLERANCE, max_iterations: MOST, check_every: 1 };
    Ok(Solver::new(move |b, x| {
        method.solve(&a, &inverse, (b, x), bounds, &mut |_, work| {
            work()?;
            if finishing {
                algebra.gpu().finish();
            }
            Ok(())
        })
    }))
}

/// How much of the next velocity is new, for those who start from the last pressure.
const NEWS: f32 = 0.1;

struct Solving {
    solver: Solver,
    b: Vector,
    x: Vector,
    guess: Vector,
    iterations: usize,
}

impl Work for Solving {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        for _ in 0..times {
            self.x.copy_from(&self.guess)?;
            self.iterations = self.solver.solve(&self.b, &mut self.x)?.iterations;
        }
        Ok(finished(self.x.algebra(), clock))
    }

    fn said(&self) -> Option<String> {
        Some(format!("{} iterations", self.iterations))
    }
}

fn pair(bench: &Bench, side: u32, build: fn(&mut Water) -> Result<Solver>) -> Result<Pair> {
    let mut water = Water::new(&bench.gpu, side)?;
    let mut solver = build(&mut water)?;
    let (first, second, a) = (water.velocity(), water.velocity(), water.matrix()?);
    let (mut b, news) = (water.right_side(&first)?, water.right_side(&second)?);
    let mut guess = water.algebra().zeros(a.rows())?;
    if solver.warm {
        solver.solve(&b, &mut guess)?;
        b.axpy(NEWS, &news)?;
    }
    let x = guess.try_clone()?;
    let mut library = Solving { solver, b, x, guess, iterations: 0 };
    library.run(1)?;
    let left = left(&a, &library.b, &library.x)?;
    // The recursion in 32 bits may be a little ahead of the truth.
    ensure!(left <= 1.1 * f64::from(TOLERANCE), "pressure is wrong: {left:e} of the right side is left");
    Ok(Pair::alone(library))
}

/// ‖b − A x‖ / ‖b‖.
pub fn left(a: &SevenPoint, b: &Vector, x: &Vector) -> Result<f64> {
    let mut rest = b.try_clone()?;
    a.residual(x, b, &mut rest)?;
    let norm = |vector: &Vector| -> Result<f64> {
        Ok(vector.get()?.into_iter().map(|v| f64::from(v).powi(2)).sum::<f64>().sqrt())
    };
    Ok(norm(&rest)? / norm(b)?)
}
