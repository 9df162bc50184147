//! Decisions, each beside the one that it replaces: in these rows "bare" is the plain way, by the library too.

mod endings;
mod places;
mod regions;

use std::time::Instant;

use quadrille::{Buffer, Gpu};

use super::super::interleave::{Elapsed, Work};
use super::super::row::Rows;

pub fn rows(divisor: u32) -> Rows {
    let mut rows = regions::rows(divisor);
    rows.extend(endings::rows(divisor));
    rows.extend(places::rows(divisor));
    rows
}

/// Draws onto two targets in turns: a renderer may leave out what is overdrawn.
struct Drawing<F> {
    gpu: Gpu,
    targets: [Buffer; 2],
    draw: F,
}

impl<F: FnMut(&Buffer) -> quadrille::Result<()>> Drawing<F> {
    fn new(gpu: &Gpu, side: u32, draw: F) -> quadrille::Result<Drawing<F>> {
        let target = || gpu.buffer(side, side).build();
        Ok(Drawing { gpu: gpu.clone(), targets: [target()?, target()?], draw })
    }

    /// Draws once and reads the result.
    fn drawn(&mut self) -> quadrille::Result<Vec<f32>> {
        (self.draw)(&self.targets[0])?;
        self.targets[0].data()
    }
}

impl<F: FnMut(&Buffer) -> quadrille::Result<()>> Work for Drawing<F> {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        for i in 0..times as usize {
            (self.draw)(&self.targets[i % 2])?;
        }
        let submitted = clock.elapsed();
        self.gpu.finish();
        Ok(Elapsed { submitted, done: clock.elapsed() })
    }
}
