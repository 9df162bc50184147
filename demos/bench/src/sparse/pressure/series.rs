//! 51 pressures in a row, each from the one before, as a simulation makes them and as the paper counted them; and whole
//! solves on the CPU.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use quadrille::linalg::{SevenPoint, Vector};
use quadrille::pug::Step;

use super::super::super::interleave::{Elapsed, Pair, Timing, Work};
use super::super::super::row::{Bench, Row};
use super::on_cpu::{Compact, Preconditioner};
use super::solvers::{self, Solver, TOLERANCE};
use super::water::Water;

/// The paper's number of solves.
const SOLVES: usize = 51;

/// Right sides turn by this angle from one to the next: a tenth of each is new.
const TURN: f64 = 0.1;

const CPU: [(&str, Preconditioner); 2] = [
    ("diagonal, one CPU thread", Preconditioner::Diagonal),
    ("incomplete Cholesky, one CPU thread", Preconditioner::Cholesky),
];

/// Single solves by the paper's rivals.
pub fn single(side: u32) -> Vec<Row> {
    let size = format!("{side}x{side}x{side} voxels to {TOLERANCE:e}");
    let row = |(name, preconditioner)| {
        Row::new(&format!("pressure, {name}"), &size, move |bench| once(bench, side, preconditioner))
    };
    CPU.into_iter().map(row).collect()
}

pub fn rows(side: u32) -> Vec<Row> {
    let size = format!("{side}x{side}x{side} voxels to {TOLERANCE:e}");
    let named = |name: &str| format!("{SOLVES} pressures in a row, {name}");
    let gpu = |name: &str, build: fn(&mut Water) -> Result<Solver>| {
        Row::alone(&named(name), &size, move |bench| on_gpu(bench, side, build))
    };
    let mut rows = vec![
        gpu("diagonal, fused", solvers::fused),
        gpu("multigrid", |water| solvers::multigrid(water, 2)),
        gpu("the paper's way", |water| solvers::steered(water, Step::Adjacent(2), 16, false)),
    ];
    rows.extend(CPU.map(|(name, preconditioner)| {
        Row::alone(&named(name), &size, move |bench| on_cpu(bench, side, preconditioner))
    }));
    rows
}

/// The two right sides between which they turn.
fn ends(water: &mut Water) -> Result<[Vector; 2]> {
    let (first, second) = (water.velocity(), water.velocity());
    Ok([water.right_side(&first)?, water.right_side(&second)?])
}

/// The shares of both in a right side.
fn shares(solve: usize) -> [f32; 2] {
    let (sine, cosine) = (TURN * solve as f64).sin_cos();
    [cosine as f32, sine as f32]
}

fn timing(took: Duration, iterations: usize) -> Timing {
    let mut timing = Timing::of_processes(vec![(took.as_secs_f64() * 1e3, f64::NAN)]);
    timing.said = Some(format!("{iterations} iterations together"));
    timing
}

fn on_gpu(bench: &Bench, side: u32, build: fn(&mut Water) -> Result<Solver>) -> Result<Timing> {
    let mut water = Water::new(&bench.gpu, side)?;
    let mut solver = build(&mut water)?;
    let ([first, second], a) = (ends(&mut water)?, water.matrix()?);
    let (mut b, mut x) = (first.try_clone()?, water.algebra().zeros(first.layout())?);
    // The first time compiles.
    solver.solve(&b, &mut x)?;
    x.fill(0.0)?;
    bench.gpu.finish();
    let clock = Instant::now();
    let mut iterations = 0;
    for solve in 0..SOLVES {
        let [of_first, of_second] = shares(solve);
        b.set_sum(of_first, &first, of_second, &second)?;
        iterations += solver.solve(&b, &mut x)?.iterations;
    }
    bench.gpu.finish();
    let took = clock.elapsed();
    check(&a, &b, &x)?;
    Ok(timing(took, iterations))
}

/// The last of them.
fn check(a: &SevenPoint, b: &Vector, x: &Vector) -> Result<()> {
    let left = solvers::left(a, b, x)?;
    ensure!(left <= 1.1 * f64::from(TOLERANCE), "pressure is wrong: {left:e} of the right side is left");
    Ok(())
}

fn on_cpu(bench: &Bench, side: u32, preconditioner: Preconditioner) -> Result<Timing> {
    let mut water = Water::new(&bench.gpu, side)?;
    let compact = Compact::new(&water.matrix()?, preconditioner)?;
    let [first, second] = ends(&mut water)?;
    let [first, second] = [compact.collect(&first.get()?), compact.collect(&second.get()?)];
    let (mut b, mut x, mut iterations) = (first.clone(), Vec::new(), 0);
    let clock = Instant::now();
    for solve in 0..SOLVES {
        let [of_first, of_second] = shares(solve);
        let both = first.iter().zip(&second);
        b.iter_mut().zip(both).for_each(|(b, (f, s))| *b = of_first * f + of_second * s);
        iterations += compact.solve(&b, &mut x);
    }
    let took = clock.elapsed();
    let left = compact.left(&b, &x);
    ensure!(left <= 1.1 * f64::from(TOLERANCE), "pressure is wrong: {left:e} of the right side is left");
    Ok(timing(took, iterations))
}

/// One solve from 0 after another.
struct Solving {
    compact: Compact,
    b: Vec<f32>,
    x: Vec<f32>,
    iterations: usize,
}

impl Work for Solving {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        for _ in 0..times {
            self.x.fill(0.0);
            self.iterations = self.compact.solve(&self.b, &mut self.x);
        }
        Ok(Elapsed { submitted: clock.elapsed(), done: clock.elapsed() })
    }

    fn said(&self) -> Option<String> {
        Some(format!("{} iterations", self.iterations))
    }
}

fn once(bench: &Bench, side: u32, preconditioner: Preconditioner) -> Result<Pair> {
    let mut water = Water::new(&bench.gpu, side)?;
    let compact = Compact::new(&water.matrix()?, preconditioner)?;
    let velocity = water.velocity();
    let b = compact.collect(&water.right_side(&velocity)?.get()?);
    let mut library = Solving { compact, b, x: Vec::new(), iterations: 0 };
    library.run(1)?;
    let left = library.compact.left(&library.b, &library.x);
    ensure!(left <= 1.1 * f64::from(TOLERANCE), "pressure is wrong: {left:e} of the right side is left");
    Ok(Pair::alone(library))
}
