//! Table 44-1: an operation on two vectors, and the sum of one, with four values in a texel.

use std::time::Instant;

use anyhow::{Result, ensure};
use quadrille::pug::Step;
use quadrille::{Buffer, Operator, Reduction};

use super::interleave::{Bare, Elapsed, Pair, Work};
use super::row::{Bench, Row};
use super::stepping::{Stepping, check, first_texel, numbers};
use crate::bare::{self, BareLoop, PingPong, Taking};

/// Columns and rows of values, and milliseconds of a sum and of an operation on a GeForce 6800 GT.
pub const TABLE: [(u32, u32, f64, f64); 6] = [
    (2048, 1024, 1.11, 0.89),
    (1024, 1024, 0.49, 0.31),
    (1024, 512, 0.28, 0.15),
    (512, 512, 0.17, 0.08),
    (512, 256, 0.16, 0.04),
    (256, 256, 0.14, 0.02),
];

/// Small, so that y stays small however long it runs.
const A: f32 = 1e-3;

pub fn axpys() -> Vec<Row> {
    let row = |(width, height, _, paper)| {
        let build = move |bench: &Bench| axpy(bench, width / 2, height / 2);
        Row { paper_ms: Some(paper), ..Row::new("axpy", &format!("{width}x{height} values"), build) }
    };
    TABLE.map(row).into()
}

pub fn sums() -> Vec<Row> {
    let row = |(width, height, paper, _)| {
        let build = move |bench: &Bench| sum(bench, width / 2, height / 2, Step::default());
        Row { paper_ms: Some(paper), ..Row::new("sum", &format!("{width}x{height} values"), build) }
    };
    TABLE.map(row).into()
}

fn axpy(bench: &Bench, width: u32, height: u32) -> Result<Pair> {
    let x = numbers(width as usize * height as usize * 4);
    let y: Vec<f32> = x.iter().rev().copied().collect();
    let gpu = &bench.gpu;
    let mut program = gpu.builtin("bench/axpy.frag")?;
    let x_buffer = gpu.buffer(width, height).components(4).init(&x)?;
    let state = gpu.buffer(width, height).components(4).double().init(&y)?;
    program.bind_stream("x", &x_buffer)?.bind_float("a", A)?;
    let newest = program.stream("y")?;
    let mut library = Stepping { program, newest, state };
    library.run(1)?;
    let (lap, texels) = bench.bare(|bare| {
        let mut lap = PingPong::axpy(bare, width, height, A, &x, &y)?;
        lap.draw(1);
        let texels = lap.texels();
        quadrille::Result::Ok((lap, texels))
    })?;
    let expected = || x.iter().zip(&y).map(|(&x, &y)| f64::from(A) * f64::from(x) + f64::from(y));
    let bound = 3.0 * 2f64.powi(-24); // product, sum, and a where it is no float
    check("axpy", &library.state.data()?, expected(), bound)?;
    check("bare axpy", &texels, expected(), bound)?;
    Ok(Pair::new(library, Bare { gpu: gpu.clone(), lap }))
}

/// The library's side of a sum.
struct Sum {
    reduction: Reduction,
    values: Buffer,
    /// Held until the next is there, so that the two take turns in the pool.
    newest: Option<Buffer>,
}

impl Work for Sum {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        for _ in 0..times {
            self.newest = Some(self.reduction.both(&self.values)?);
        }
        let submitted = clock.elapsed();
        self.newest.iter().try_for_each(first_texel)?;
        Ok(Elapsed { submitted, done: clock.elapsed() })
    }
}

/// The sum of width × height texels, each way checked against f64.
pub fn sum(bench: &Bench, width: u32, height: u32, step: Step) -> Result<Pair> {
    let numbers = numbers(width as usize * height as usize * 4);
    let gpu = &bench.gpu;
    let values = gpu.buffer(width, height).components(4).init(&numbers)?;
    let reduction = gpu.reduction(Operator::sum()).step(step)?;
    let mut library = Sum { reduction, values, newest: None };
    library.run(1)?;
    let found = library.newest.as_ref().map_or(Ok(Vec::new()), Buffer::data)?;
    let taking = match step {
        Step::Adjacent(side) => Taking::Adjacent(side),
        Step::Far(side) => Taking::Far(side),
    };
    let (lap, bare_found) = bench.bare(|bare| {
        let mut lap = bare::Sum::new(bare, width, height, taking, &numbers)?;
        lap.draw(1);
        let texel = lap.texel();
        quadrille::Result::Ok((lap, texel))
    })?;
    check_sum("sum", &found, &numbers)?;
    check_sum("bare sum", &bare_found, &numbers)?;
    Ok(Pair::new(library, Bare { gpu: gpu.clone(), lap }))
}

/// Each component within (⌈log₂ n⌉ + 2)·2⁻²⁴·Σ|x|, the bound of a sum made as a tree.
fn check_sum(what: &str, found: &[f32], numbers: &[f32]) -> Result<()> {
    ensure!(found.len() == 4, "{what}: {} values, not 4", found.len());
    let texels = numbers.len() / 4;
    let depth = f64::from(texels.next_power_of_two().ilog2() + 2);
    for (component, &found) in found.iter().enumerate() {
        let values = || numbers[component..].iter().step_by(4).map(|&value| f64::from(value));
        let bound = depth * 2f64.powi(-24) * values().map(f64::abs).sum::<f64>();
        check(what, &[found], [values().sum()].into_iter(), bound)?;
    }
    Ok(())
}
