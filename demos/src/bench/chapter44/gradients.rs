//! Conjugate gradients, by the iteration, beside what writing four vectors costs: q, x, r and p.

use std::time::Instant;

use anyhow::Result;
use quadrille::gl::bare::{Lap, PingPong};
use quadrille::linalg::{Algebra, LinearOperator, Op, Packed2x2, Scalar, Stencil, Vector};
use quadrille::reference::{self, Csr};
use quadrille::solve::{Bounds, FusedCg, iterate};

use super::super::interleave::{Bare, Lapse, Pair, Work};
use super::super::row::{Bench, Row};
use super::super::stepping::{check, numbers};
use super::super::suite::Rows;
use super::cpu::{Diagonals, Gradients, Sparse, Threads};
use super::products::{offsets, poisson_stencil};
use super::table::finished;

const SIDES: [u32; 2] = [1024, 512];

/// Texels written for four unknowns in an iteration.
const WRITES: u32 = 4;

/// Iterations a round at least: the fused loop begins with a product and the residual.
const LEAST: u32 = 32;

/// A group for each size.
pub fn rows(divisor: u32) -> Rows {
    let size = |side: u32| {
        let row = |name, library: Build| {
            let build = move |bench: &Bench| pair(bench, side / divisor, library);
            let row = Row::new(name, &format!("{side}x{side} unknowns"), build);
            Row { remark: Some("bare: four copies of a vector"), ..row }
        };
        vec![row("CG iteration, plain", plain), row("CG iteration, fused", fused)]
    };
    SIDES.map(size).into()
}

/// Makes a loop that solves A x = b from x = 0, and the x that it has after [`STEPS`] steps.
type Build = fn(Stencil, Vector) -> quadrille::Result<(Box<dyn Work>, Vec<f32>)>;

/// Steps that are checked.
const STEPS: usize = 3;

/// Listing 44-1, one call a line.
struct Plain {
    a: Stencil,
    x: Vector,
    r: Vector,
    p: Vector,
    q: Vector,
    rho: Scalar,
    newest: Scalar,
    pq: Scalar,
    alpha: Scalar,
    beta: Scalar,
}

impl Plain {
    /// From x = 0.
    fn new(a: Stencil, b: Vector) -> quadrille::Result<Plain> {
        let algebra = b.algebra().clone();
        let zeros = || algebra.zeros(a.rows());
        let scalar = || algebra.scalar(0.0);
        let (x, q, p, r) = (zeros()?, zeros()?, b.try_clone()?, b);
        let (mut rho, newest, pq, alpha, beta) = (scalar()?, scalar()?, scalar()?, scalar()?, scalar()?);
        r.dot(&r, &mut rho)?;
        Ok(Plain { a, x, r, p, q, rho, newest, pq, alpha, beta })
    }

    fn step(&mut self) -> quadrille::Result<()> {
        self.a.apply(Op::Null, &self.p, &mut self.q)?; // q = A p
        self.p.dot(&self.q, &mut self.pq)?;
        self.rho.div_guarded(&self.pq, &mut self.alpha)?; // α = ρ/(p·q)
        self.x.axpy(&self.alpha, &self.p)?; // x += α p
        self.r.axpy(-&self.alpha, &self.q)?; // r −= α q
        self.r.dot(&self.r, &mut self.newest)?;
        self.newest.div_guarded(&self.rho, &mut self.beta)?; // β = ρ'/ρ
        self.p.aypx(&self.beta, &self.r)?; // p = r + β p
        std::mem::swap(&mut self.rho, &mut self.newest);
        Ok(())
    }
}

impl Work for Plain {
    fn run(&mut self, times: u32) -> quadrille::Result<Lapse> {
        let clock = Instant::now();
        (0..times).try_for_each(|_| self.step())?;
        Ok(finished(self.x.algebra(), clock))
    }
}

fn plain(a: Stencil, b: Vector) -> quadrille::Result<(Box<dyn Work>, Vec<f32>)> {
    let mut made = Plain::new(a, b)?;
    (0..STEPS).try_for_each(|_| made.step())?;
    let x = made.x.get()?;
    Ok((Box::new(made), x))
}

/// Three stages an iteration, as [`quadrille::solve::solve`] has it, with no look at the residual.
struct Fused {
    a: Stencil,
    b: Vector,
    x: Vector,
    method: FusedCg,
}

impl Work for Fused {
    fn run(&mut self, times: u32) -> quadrille::Result<Lapse> {
        let bounds = Bounds { tolerance: 0.0, max_iterations: times as usize, check_every: 0 };
        let clock = Instant::now();
        self.x.fill(0.0)?;
        iterate(&mut self.method, &self.a, &self.b, &mut self.x, bounds, &mut |_, _| true)?;
        Ok(finished(self.x.algebra(), clock))
    }
}

fn fused(a: Stencil, b: Vector) -> quadrille::Result<(Box<dyn Work>, Vec<f32>)> {
    let algebra = b.algebra().clone();
    let method = FusedCg::new(&algebra, a.rows(), None)?;
    let mut made = Fused { x: algebra.zeros(a.rows())?, a, b, method };
    made.run(STEPS as u32)?;
    let x = made.x.get()?;
    Ok((Box::new(made), x))
}

/// A loop of which several rounds count as one.
struct Repeated<L> {
    lap: L,
    times: u32,
}

impl<L: Lap> Lap for Repeated<L> {
    fn draw(&mut self, rounds: u32) {
        self.lap.draw(rounds * self.times);
    }

    fn texel(&self) -> [f32; 4] {
        self.lap.texel()
    }
}

fn pair(bench: &Bench, side: u32, build: Build) -> Result<Pair> {
    let layout = Packed2x2::grid(side, side)?;
    let matrix = Csr::poisson(side as usize, side as usize)?;
    let b = numbers(layout.len());
    let algebra = Algebra::new(&bench.gpu);
    let (library, x) = build(poisson_stencil(&algebra, layout)?, algebra.vector(layout, &b)?)?;
    let wide: Vec<f64> = b.iter().map(|&b| f64::from(b)).collect();
    let expected = reference::cg(&matrix, &wide, None, 0.0, STEPS).x;
    // α and β are quotients of sums of depth 22 without cancellation: some 50 roundings each, and a step takes
    // over what the one before it was wrong by.
    let bound = 2f64.powi(STEPS as i32) * 100.0 * 2f64.powi(-24) * largest(&expected);
    check("conjugate gradients", &x, expected.iter().copied(), bound)?;
    let (width, height) = layout.texels();
    let lap = bench.bare(|bare| PingPong::copy(bare, width, height, &layout.pack(&b, 0.0)?))?;
    let lap = Repeated { lap, times: WRITES };
    let mut pair = Pair::of(library, Bare { gpu: bench.gpu.clone(), lap }).at_least(LEAST);
    for threads in Threads::BOTH {
        let mut sparse = Gradients::new(Sparse::new(&matrix)?, threads, &b);
        let mut diagonals = Gradients::new(Diagonals::new(&matrix, &offsets(side)), threads, &b);
        (0..STEPS).for_each(|_| sparse.step());
        (0..STEPS).for_each(|_| diagonals.step());
        for x in [&sparse.x, &diagonals.x] {
            check("conjugate gradients on the CPU", x, expected.iter().copied(), bound)?;
        }
        pair = pair.beside(threads.name("sprs"), sparse).beside(threads.name("diagonals"), diagonals);
    }
    Ok(pair)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| value.abs().max(most))
}
