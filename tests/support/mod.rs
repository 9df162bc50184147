//! The support of all tests: a Gpu that must be left clean, the sizes, random numbers, edges as plain indices.
#![allow(dead_code)] // each test binary uses a part

use quadrille::gl::Edges;
#[allow(unused_imports)] // as above
pub use quadrille::numeric::Random;
use quadrille::pug::BufferBuilder;
use quadrille::{Buffer, Gpu, Limits, Options, Program, Result};

/// The smallest grids, odd ones, primes, and one power of two.
pub const SIZES: &[(u32, u32)] =
    &[(1, 1), (1, 2), (2, 1), (3, 3), (11, 10), (31, 57), (127, 2), (2, 251), (256, 128)];

pub const COPY: &str = "uniform Stream source; DOMAIN at; RANGE vec4 copied;
                        void main() { copied = value2(source, at); }";

/// Runs a test on a Gpu of its own and sees that all is dropped and no error is pending at the end.
pub fn on_gpu(test: impl FnOnce(&Gpu) -> Result<()>) -> Result<()> {
    left_clean(&Gpu::headless()?, test)
}

/// The same under the limits of a card.
pub fn on_card(limits: Limits, test: impl FnOnce(&Gpu) -> Result<()>) -> Result<()> {
    left_clean(&Gpu::headless_with(Options { limits: Some(limits), ..Options::default() })?, test)
}

pub fn left_clean(gpu: &Gpu, test: impl FnOnce(&Gpu) -> Result<()>) -> Result<()> {
    test(gpu)?;
    let counters = gpu.counters();
    assert_eq!((counters.live, counters.live_bytes), (0, 0), "objects are left");
    gpu.context().check("the test")
}

/// The part of a pixel to whose multiples the driver rounds the corners of triangles.
pub fn snap(gpu: &Gpu) -> f64 {
    0.5f64.powi(gpu.driver().subpixel_bits as i32)
}

/// The line that a person reads, or nothing if there was no error. It must be one line.
pub fn refusal<T>(result: Result<T>) -> String {
    let line = result.err().map_or(String::new(), |error| error.to_string());
    assert!(!line.contains('\n'), "more than one line: {line}");
    line
}

/// A program that copies `source`.
pub fn copying(gpu: &Gpu, source: &Buffer) -> Result<Program> {
    let mut program = gpu.program("copy.frag", COPY)?;
    program.bind_stream("source", source)?;
    Ok(program)
}

/// A buffer of these values that went through a kernel.
pub fn copied(gpu: &Gpu, values: &[f32], shape: BufferBuilder, source: BufferBuilder) -> Result<Vec<f32>> {
    let (source, target) = (source.init(values)?, shape.build()?);
    copying(gpu, &source)?.run(&target)?;
    target.data()
}

/// 0, 1, 2, ...: every element another.
pub fn counting(n: usize) -> Vec<f32> {
    (0..n).map(|i| i as f32).collect()
}

/// The index that a fetch at `i` reads of 0 to n − 1.
pub fn edge(edges: Edges, i: isize, n: u32) -> usize {
    let n = n as isize;
    let found = match edges {
        Edges::Clamp => i.clamp(0, n - 1),
        Edges::Repeat => i.rem_euclid(n),
        Edges::Mirror => i.rem_euclid(2 * n).min(2 * n - 1 - i.rem_euclid(2 * n)),
    };
    found as usize
}
