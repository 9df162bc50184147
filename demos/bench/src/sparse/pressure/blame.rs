//! Two findings of Appendix C that are no product and no solve: where the skewed address breaks down (C.5), and what a
//! read-back is blamed for (C.8).

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use quadrille::kernels;
use quadrille::linalg::{LinearOperator, Op};

use super::super::super::interleave::Timing;
use super::super::super::row::{Bench, Row};
use super::water::Water;

pub fn rows(side: u32) -> Vec<Row> {
    let size = format!("{side}x{side}x{side} voxels");
    let read = |name: &str, finish: bool| {
        let row = Row::alone(&format!("read-back of a dot product, {name}"), &size, move |bench| {
            read_back(bench, side, finish)
        });
        Row { remark: Some("the time of the read-back alone; ten products and a sum come before it"), ..row }
    };
    vec![
        read("behind its work", false),
        read("after a finish", true),
        Row::alone("skewed addresses, where they break down", "arrays of 64 to 8192 columns", breaks),
    ]
}

/// Reads of each kind.
const READS: usize = 15;

/// Products before a sum.
const PRODUCTS: usize = 10;

/// Times the read-back alone by a clock around it: the median.
fn read_back(bench: &Bench, side: u32, finish: bool) -> Result<Timing> {
    let mut water = Water::new(&bench.gpu, side)?;
    let (a, velocity, algebra) = (water.matrix()?, water.velocity(), water.algebra());
    let (x, mut y) = (water.right_side(&velocity)?, algebra.zeros(a.rows())?);
    let mut sum = algebra.scalar(0.0)?;
    let (mut reads, mut last) = (Vec::new(), 0.0f32);
    // The first time compiles.
    for read in 0..=READS {
        for _ in 0..PRODUCTS {
            a.apply(Op::Null, &x, &mut y)?;
        }
        x.dot(&y, &mut sum)?;
        if finish {
            bench.gpu.finish();
        }
        let clock = Instant::now();
        let found = sum.get()?;
        reads.push((clock.elapsed().as_secs_f64() * 1e3, f64::NAN));
        ensure!(found > 0.0 && (read == 0 || found == last), "x.Ax is {found}, and was {last}");
        last = found;
    }
    reads.remove(0);
    Ok(Timing::of_processes(reads))
}

/// Rows looked at together.
const ROWS: u32 = 8;

/// The first row of an array of that width in which frac(y) · width misses a column, one texel on and back: found by
/// doubling and halving, for the fraction of a number has fewer digits the larger the number.
fn first_miss(bench: &Bench, width: u32) -> Result<u32> {
    let mut program = bench.gpu.load(kernels::named("bench/skewed_misses.frag")?)?;
    let misses = bench.gpu.buffer(width, ROWS).build()?;
    let mut missed = |row: u32| -> Result<bool> {
        let mut any = false;
        for further in [-1.0, 1.0] {
            program.bind_float("width", width as f32)?.bind_float("first", row as f32)?;
            program.bind_float("further", further)?.run(&misses)?;
            any |= misses.data()?.iter().any(|&miss| miss > 0.0);
        }
        Ok(any)
    };
    let mut above = ROWS;
    while !missed(above)? {
        above *= 2;
        ensure!(above < 1 << 24, "no column is missed");
    }
    let mut below = above / 2;
    while above - below > ROWS {
        let between = (above + below) / 2;
        if missed(between)? { above = between } else { below = between }
    }
    Ok(above)
}

/// Texels before the first miss, by width. The figure is the time that the search takes.
fn breaks(bench: &Bench) -> Result<Timing> {
    let mut said = Vec::new();
    let clock = Instant::now();
    let limit = bench.gpu.limits().texture_size;
    for width in [64, 500, 512, 1000, 2048, 8192].into_iter().filter(|&width| width <= limit) {
        let row = first_miss(bench, width)?;
        let texels = u64::from(row) * u64::from(width);
        // 24 bits hold row, column and the half of a texel: no array of more than 2²³ texels is right.
        ensure!((1 << 12..=1 << 23).contains(&texels), "{width} columns are right up to {texels} texels");
        said.push(format!("{width} columns miss from {texels} texels on"));
    }
    let took = clock.elapsed().max(Duration::from_nanos(1));
    let mut timing = Timing::of_processes(vec![(took.as_secs_f64() * 1e3, f64::NAN)]);
    timing.said = Some(said.join(", "));
    Ok(timing)
}

#[cfg(test)]
mod tests {
    use quadrille::Gpu;

    use super::*;

    /// Around row 2^20, where a number has 2^-4 and then 2^-3 as its last digit: no place lies half way between two of these, so
    /// that the sums are the same on every driver; a width of 64 makes the quotients exact.
    #[test]
    fn misses_are_those_of_24_bits() -> Result<()> {
        let gpu = Gpu::headless()?;
        let (width, first) = (64, (1 << 20) - 4);
        let mut program = gpu.load(kernels::named("bench/skewed_misses.frag")?)?;
        let misses = gpu.buffer(width, ROWS).build()?;
        for further in [-1.0f32, 1.0] {
            program.bind_float("width", width as f32)?.bind_float("first", first as f32)?;
            program.bind_float("further", further)?.run(&misses)?;
            let found = misses.data()?;
            for (n, &miss) in found.iter().enumerate() {
                let (column, row) = ((n % 64) as f32, (first + n / 64) as f32);
                let skewed = row + (column + 0.5) / 64.0 + further / 64.0;
                let right = (skewed.fract() * 64.0).floor() == (column + further).rem_euclid(64.0);
                assert_eq!(miss, if right { 0.0 } else { 1.0 }, "column {column}, row {row}, {further}");
            }
            assert!(found.contains(&0.0) && found.contains(&1.0));
        }
        Ok(())
    }
}
