//! The library's side of a loop whose kernel reads what it wrote before: bind, run, swap, as a user would.

use std::time::Instant;

use anyhow::{Result, ensure};
use quadrille::pug::StreamHandle;
use quadrille::{Buffer, DoubleBuffer, Program, Rect};

use super::interleave::{Elapsed, Work};

pub struct Stepping {
    pub program: Program,
    /// The stream that reads the newest state.
    pub newest: StreamHandle,
    pub state: DoubleBuffer,
}

impl Work for Stepping {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let Stepping { program, newest, state } = self;
        let clock = Instant::now();
        for _ in 0..times {
            program.bind_stream(*newest, state.front())?;
            program.run(state.back())?;
            state.swap();
        }
        let submitted = clock.elapsed();
        first_texel(state.front())?;
        Ok(Elapsed { submitted, done: clock.elapsed() })
    }
}

/// A kernel that goes over all of its target, which are two in turns: a renderer may leave out what is overdrawn.
pub struct Alternating {
    pub program: Program,
    pub targets: [Buffer; 2],
}

impl Alternating {
    /// Runs once and returns the result.
    pub fn once(&mut self) -> quadrille::Result<Vec<f32>> {
        self.run(1)?;
        self.targets[0].data()
    }
}

impl Work for Alternating {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        for i in 0..times as usize {
            self.program.run(&self.targets[i % 2])?;
        }
        let submitted = clock.elapsed();
        first_texel(&self.targets[(times as usize + 1) % 2])?;
        Ok(Elapsed { submitted, done: clock.elapsed() })
    }
}

/// Waits for all that is drawn by reading one texel back.
pub fn first_texel(buffer: &Buffer) -> quadrille::Result<()> {
    buffer.data_of(Rect::whole(1, 1)).map(drop)
}

/// Numbers between −1 and 1, always the same.
pub fn numbers(count: usize) -> Vec<f32> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// Fails unless every value is within `bound` of what it should be.
pub fn check(
    what: &str,
    found: &[f32],
    expected: impl ExactSizeIterator<Item = f64>,
    bound: f64,
) -> Result<()> {
    ensure!(found.len() == expected.len(), "{what}: {} values, not {}", found.len(), expected.len());
    for (i, (&found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (f64::from(found) - expected).abs();
        ensure!(error <= bound, "{what} is wrong: value {i} is {found}, not {expected} (bound {bound:e})");
    }
    Ok(())
}
