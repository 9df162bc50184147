//! Table 44-1 through the linear algebra: a vector reduced, and an operation on two vectors.

use std::time::Instant;

use anyhow::Result;
use quadrille::linalg::{Algebra, Packed2x2, Scalar, Vector};

use super::super::interleave::{Bare, Elapsed, Pair, Work};
use super::super::packed::TABLE;
use super::super::row::{Bench, Row};
use super::super::stepping::{check, numbers};
use crate::bare::{self, BareLoop, PingPong, Taking};

/// Small, so that y stays small however long it runs.
const A: f32 = 1e-3;

pub fn sums(divisor: u32) -> Vec<Row> {
    let row = |(width, height, paper, _)| {
        let layout = move || Packed2x2::grid(width / divisor, height / divisor);
        let build = move |bench: &Bench| sum(bench, layout()?);
        Row { paper_ms: Some(paper), ..Row::new("vector reduce", &format!("{width}x{height} values"), build) }
    };
    TABLE.map(row).into()
}

pub fn operations(divisor: u32) -> Vec<Row> {
    let row = |(width, height, _, paper)| {
        let layout = move || Packed2x2::grid(width / divisor, height / divisor);
        let build = move |bench: &Bench| operation(bench, layout()?);
        Row {
            paper_ms: Some(paper),
            ..Row::new("vector-vector op", &format!("{width}x{height} values"), build)
        }
    };
    TABLE.map(row).into()
}

struct Reducing {
    x: Vector,
    sum: Scalar,
}

impl Work for Reducing {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        (0..times).try_for_each(|_| self.x.sum(&mut self.sum))?;
        Ok(finished(self.x.algebra(), clock))
    }
}

fn sum(bench: &Bench, layout: Packed2x2) -> Result<Pair> {
    let x = numbers(layout.len());
    let algebra = Algebra::new(&bench.gpu);
    let mut library = Reducing { x: algebra.vector(layout, &x)?, sum: algebra.scalar(0.0)? };
    library.run(1)?;
    let (width, height) = layout.texels();
    let packed = layout.pack(&x, 0.0)?;
    let (lap, texel) = bench.bare(|bare| {
        let mut lap = bare::Sum::new(bare, width, height, Taking::Far(8), &packed)?;
        lap.draw(1);
        let texel = lap.texel();
        quadrille::Result::Ok((lap, texel))
    })?;
    let exact: f64 = x.iter().map(|&x| f64::from(x)).sum();
    let size: f64 = x.iter().map(|&x| f64::from(x.abs())).sum();
    let depth = f64::from(x.len().next_power_of_two().ilog2() + 2);
    let bound = depth * 2f64.powi(-24) * size;
    check("vector reduce", &[library.sum.get()?], [exact].into_iter(), bound)?;
    check("bare sum", &[texel.iter().sum()], [exact].into_iter(), bound)?;
    Ok(Pair::new(library, Bare { gpu: bench.gpu.clone(), lap }))
}

struct Adding {
    x: Vector,
    y: Vector,
}

impl Work for Adding {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        (0..times).try_for_each(|_| self.y.axpy(A, &self.x))?;
        Ok(finished(self.x.algebra(), clock))
    }
}

fn operation(bench: &Bench, layout: Packed2x2) -> Result<Pair> {
    let x = numbers(layout.len());
    let y: Vec<f32> = x.iter().rev().copied().collect();
    let algebra = Algebra::new(&bench.gpu);
    let mut library = Adding { x: algebra.vector(layout, &x)?, y: algebra.vector(layout, &y)? };
    library.run(1)?;
    let (width, height) = layout.texels();
    let packed = [layout.pack(&x, 0.0)?, layout.pack(&y, 0.0)?];
    let (lap, texels) = bench.bare(|bare| {
        let mut lap = PingPong::axpy(bare, width, height, A, &packed[0], &packed[1])?;
        lap.draw(1);
        let texels = lap.texels();
        quadrille::Result::Ok((lap, texels))
    })?;
    let expected = || x.iter().zip(&y).map(|(&x, &y)| f64::from(A) * f64::from(x) + f64::from(y));
    let bound = 3.0 * 2f64.powi(-24); // product, sum, and A where it is no float
    check("vector-vector op", &library.y.get()?, expected(), bound)?;
    check("bare axpy", &layout.unpack(&texels), expected(), bound)?;
    Ok(Pair::new(library, Bare { gpu: bench.gpu.clone(), lap }))
}

/// The lapse of what began at `clock` and is waited for here.
pub fn finished(algebra: &Algebra, clock: Instant) -> Elapsed {
    let submitted = clock.elapsed();
    algebra.gpu().finish();
    Elapsed { submitted, done: clock.elapsed() }
}
