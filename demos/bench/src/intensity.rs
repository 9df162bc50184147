//! Arithmetic intensity (§31.1.1): how many operations a fetched word must be worth before they cost anything.

use anyhow::Result;
use quadrille::kernels;

use super::interleave::{Bare, Pair, Work};
use super::row::{Bench, Measured, Row, timing};
use super::stepping::{Stepping, check, numbers};
use crate::bare::{BareLoop, PingPong};

const SIDE: u32 = 512;

/// Multiply–adds for each word fetched.
const OPERATIONS: [u32; 10] = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256];

/// v · scale + shift draws every v towards 1: nothing grows and nothing becomes denormal.
pub const SCALE_SHIFT: [f32; 2] = [0.999, 0.001];

pub fn rows() -> Vec<Row> {
    let row = |operations| {
        let build = move |bench: &Bench| multiply_add(bench, SIDE, SIDE, operations);
        Row::new(&name(operations), &format!("{SIDE}x{SIDE} texels"), build)
    };
    OPERATIONS.map(row).into()
}

fn name(operations: u32) -> String {
    format!("intensity {operations}")
}

/// A pass that fetches a texel, does that many multiply–adds with each of its words, and writes it.
pub fn multiply_add(bench: &Bench, width: u32, height: u32, operations: u32) -> Result<Pair> {
    let values = numbers(width as usize * height as usize * 4);
    let gpu = &bench.gpu;
    let kernel = kernels::named("bench/multiply_add.frag")?.define("OPERATIONS", format!("R{operations}"));
    let mut program = gpu.load(kernel)?;
    if operations > 0 {
        program.bind_float("scale", SCALE_SHIFT[0])?.bind_float("shift", SCALE_SHIFT[1])?;
    }
    let state = gpu.buffer(width, height).components(4).double().init(&values)?;
    let newest = program.stream("values")?;
    let mut library = Stepping { program, newest, state };
    library.run(1)?;
    let (lap, texels) = bench.bare(|bare| {
        let mut lap = PingPong::multiply_add(bare, width, height, operations, SCALE_SHIFT, &values)?;
        lap.draw(1);
        let texels = lap.texels();
        quadrille::Result::Ok((lap, texels))
    })?;
    check_steps("multiply-add", &library.state.data()?, &values, operations)?;
    check_steps("bare multiply-add", &texels, &values, operations)?;
    Ok(Pair::new(library, Bare { gpu: gpu.clone(), lap }))
}

/// Compares with f64: each operation rounds twice, numbers of at most 1.
pub fn check_steps(what: &str, found: &[f32], before: &[f32], operations: u32) -> Result<()> {
    let [scale, shift] = SCALE_SHIFT.map(f64::from);
    let after = |&value: &f32| (0..operations).fold(f64::from(value), |value, _| value * scale + shift);
    let bound = 2.0 * f64::from(operations) * 2f64.powi(-24);
    check(what, found, before.iter().map(after), bound)
}

/// The fewest operations a word from which on a pass takes half as long again as without any: library, bare.
pub fn ridge(rows: &[Measured]) -> Option<(Option<u32>, Option<u32>)> {
    let none = timing(rows, &name(0))?;
    timing(rows, &name(*OPERATIONS.last()?))?; // without the last row nothing can be said
    let ratios: Vec<(u32, (f64, f64))> = OPERATIONS
        .into_iter()
        .filter_map(|operations| Some((operations, timing(rows, &name(operations))?.over(none))))
        .collect();
    let first = |side: fn((f64, f64)) -> f64| {
        let risen = ratios.iter().rev().take_while(|(_, ratio)| side(*ratio) >= 1.5);
        risen.last().map(|&(operations, _)| operations)
    };
    Some((first(|ratio| ratio.0), first(|ratio| ratio.1)))
}
