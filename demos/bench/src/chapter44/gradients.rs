//! Conjugate gradients, by the iteration, beside what writing four vectors costs: q, x, r and p.

use std::time::Instant;

use anyhow::{Result, ensure};
use quadrille::linalg::{
    Algebra, DoubleMatrix, DoubleStorage, DoubleVector, LinearOperator, Packed2x2, Vector,
};
use quadrille::numeric::Csr;
use quadrille::solve::{Bounds, Cg, DoubleCg, FusedCg, Iteration, Pcg, Polynomial, iterate};
use quadrille_oracle as oracle;

use super::super::cpu::{Diagonals, Gradients, Sparse, Threads};
use super::super::interleave::{Bare, Elapsed, Pair, Work};
use super::super::row::Rows;
use super::super::row::{Bench, Row};
use super::super::solving::Solving;
use super::super::stepping::{check, numbers};
use super::products::{offsets, poisson_stencil};
use super::table::finished;
use crate::bare::{BareLoop, PingPong};

const SIDES: [u32; 2] = [1024, 512];

/// Texels written for four unknowns in an iteration.
const WRITES: u32 = 4;

/// Iterations a round at least: each round begins with a product and the residual.
const LEAST: u32 = 32;

/// A group for each size.
pub fn rows(divisor: u32) -> Rows {
    let size = |side: u32| {
        let row = |name, library: Build| {
            let build = move |bench: &Bench| pair(bench, side / divisor, library);
            let row = Row::new(name, &format!("{side}x{side} unknowns"), build);
            Row { remark: Some("bare: four copies of a vector"), ..row }
        };
        let double = move |bench: &Bench| double_single(bench, side / divisor);
        let double = Row::new("CG iteration, double-single", &format!("{side}x{side} unknowns"), double);
        let double = Row { remark: Some("bare: eight copies of a vector in 32 bits"), ..double };
        vec![row("CG iteration, plain", plain), row("CG iteration, fused", fused), double]
    };
    let mut groups: Rows = SIDES.map(size).into();
    groups.push(solves(divisor));
    groups
}

/// ‖b − A x‖ ≤ 10⁻⁵ ‖b‖ by the iteration's own account, for a random x: 32 bits mean it.
const TOLERANCE: f32 = 1e-5;

/// Whole solves, by a polynomial of so many terms or by none. They take turns.
fn solves(divisor: u32) -> Vec<Row> {
    let side = SIDES[1] / divisor;
    let row = |(name, terms): (&str, Option<usize>)| {
        Row::new(name, &format!("{side}x{side} unknowns"), move |bench| solving(bench, side, terms))
    };
    let all = [
        ("Poisson to 1e-5, CG", None),
        ("Poisson to 1e-5, CG with chebyshev of 8", Some(8)),
        ("Poisson to 1e-5, CG with chebyshev of 12", Some(12)),
        ("Poisson to 1e-5, CG with chebyshev of 16", Some(16)),
    ];
    all.map(row).into()
}

fn solving(bench: &Bench, side: u32, terms: Option<usize>) -> Result<Pair> {
    let layout = Packed2x2::grid(side, side)?;
    let matrix = Csr::poisson(side as usize, side as usize)?;
    let exact: Vec<f64> = numbers(layout.len()).iter().map(|&x| f64::from(x.abs())).collect();
    let right = matrix.multiply(&exact);
    let algebra = Algebra::new(&bench.gpu);
    let stencil = || poisson_stencil(&algebra, layout);
    let method: Box<dyn Iteration> = match terms {
        None => Box::new(FusedCg::new(&algebra, layout, None)?),
        Some(terms) => {
            let polynomial = Polynomial::new(stencil()?, matrix.norm_inf(), terms)?;
            Box::new(Pcg::new(&algebra, layout, polynomial)?)
        }
    };
    let b: Vec<f32> = right.iter().map(|&b| b as f32).collect();
    let (a, b, x) = (stencil()?, algebra.vector(layout, &b)?, algebra.zeros(layout)?);
    let check_every = if terms.is_some() { 2 } else { 16 };
    let bounds = Bounds { tolerance: TOLERANCE, max_iterations: 10_000, check_every };
    let work = Solving::new(a, b, x, method, bounds)?;
    let x: Vec<f64> = work.x().get()?.iter().map(|&x| f64::from(x)).collect();
    let left = matrix.multiply(&x).iter().zip(&right).map(|(p, b)| (b - p).powi(2)).sum::<f64>().sqrt();
    let norm = right.iter().map(|b| b * b).sum::<f64>().sqrt();
    // The residual of 32 bits is off by their rounding of A x beside b: |A||x| is some 4 |b| here.
    let most = f64::from(TOLERANCE) + 20.0 * 2f64.powi(-24);
    ensure!(
        left <= most * norm,
        "Poisson's equation: the residual in f64 is {:e}, {most:e} allowed",
        left / norm
    );
    Ok(Pair::alone(work))
}

/// Makes the iteration.
type Build = fn(&Algebra, Packed2x2) -> quadrille::Result<Box<dyn Iteration>>;

/// Steps that are checked.
const STEPS: usize = 3;

fn plain(algebra: &Algebra, layout: Packed2x2) -> quadrille::Result<Box<dyn Iteration>> {
    Ok(Box::new(Cg::new(algebra, layout, None)?))
}

fn fused(algebra: &Algebra, layout: Packed2x2) -> quadrille::Result<Box<dyn Iteration>> {
    Ok(Box::new(FusedCg::new(algebra, layout, None)?))
}

/// A x = b from x = 0, with no look at the residual.
pub struct Loop {
    pub a: Box<dyn LinearOperator>,
    pub b: Vector,
    pub x: Vector,
    pub method: Box<dyn Iteration>,
}

impl Work for Loop {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let bounds = Bounds { tolerance: 0.0, max_iterations: times as usize, check_every: 0 };
        let clock = Instant::now();
        self.x.fill(0.0)?;
        iterate(&mut *self.method, &self.a, &self.b, &mut self.x, bounds, &mut |_, _| true)?;
        Ok(finished(self.x.algebra(), clock))
    }
}

/// A loop of which several rounds count as one.
struct Repeated<L> {
    lap: L,
    times: u32,
}

impl<L: BareLoop> BareLoop for Repeated<L> {
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
    let (a, x) = (Box::new(poisson_stencil(&algebra, layout)?), algebra.zeros(layout)?);
    let mut library = Loop { a, b: algebra.vector(layout, &b)?, x, method: build(&algebra, layout)? };
    library.run(STEPS as u32)?;
    let x = library.x.get()?;
    let wide: Vec<f64> = b.iter().map(|&b| f64::from(b)).collect();
    let expected = oracle::cg(&matrix, &wide, None, 0.0, STEPS).x;
    // α and β are quotients of sums of depth 22 without cancellation: some 50 roundings each, and a step takes
    // over what the one before it was wrong by.
    let bound = 2f64.powi(STEPS as i32) * 100.0 * 2f64.powi(-24) * largest(&expected);
    check("conjugate gradients", &x, expected.iter().copied(), bound)?;
    let (width, height) = layout.texels();
    let lap = bench.bare(|bare| PingPong::copy(bare, width, height, &layout.pack(&b, 0.0)?))?;
    let lap = Repeated { lap, times: WRITES };
    let mut pair = Pair::of(Box::new(library), Bare { gpu: bench.gpu.clone(), lap }).at_least(LEAST);
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

/// The same in numbers of two floats.
struct DoubleLoop {
    method: DoubleCg,
    b: DoubleVector,
    x: DoubleVector,
}

impl Work for DoubleLoop {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let bounds = Bounds { tolerance: 0.0, max_iterations: times as usize, check_every: 0 };
        let clock = Instant::now();
        self.method.run(&self.b, &mut self.x, bounds, &mut |_, _| true)?;
        Ok(finished(self.x.algebra(), clock))
    }
}

fn double_single(bench: &Bench, side: u32) -> Result<Pair> {
    let layout = Packed2x2::grid(side, side)?;
    let matrix = Csr::poisson(side as usize, side as usize)?;
    let b = numbers(layout.len());
    let wide: Vec<f64> = b.iter().map(|&b| f64::from(b)).collect();
    let algebra = Algebra::new(&bench.gpu);
    let a = DoubleMatrix::new(&algebra, layout, DoubleStorage::Banded, matrix.clone())?;
    let (right, x) = (DoubleVector::new(&algebra, layout, &wide)?, DoubleVector::zeros(&algebra, layout)?);
    let mut library = DoubleLoop { method: DoubleCg::new(a)?, b: right, x };
    library.run(STEPS as u32)?;
    let expected = oracle::cg(&matrix, &wide, None, 0.0, STEPS).x;
    // The bound of 32 bits with 2⁻⁴⁴ for 2⁻²⁴, and f64's own rounding far below it.
    let bound = 2f64.powi(STEPS as i32) * 100.0 * 2f64.powi(-44) * largest(&expected);
    let error = library.x.get()?.iter().zip(&expected).map(|(x, e)| (x - e).abs()).fold(0.0, f64::max);
    ensure!(error <= bound, "conjugate gradients in double-single: {error:e} off, {bound:e} allowed");
    let (width, height) = layout.texels();
    let lap = bench.bare(|bare| PingPong::copy(bare, width, height, &layout.pack(&b, 0.0)?))?;
    let lap = Repeated { lap, times: 2 * WRITES };
    Ok(Pair::of(Box::new(library), Bare { gpu: bench.gpu.clone(), lap }).at_least(LEAST))
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| value.abs().max(most))
}
