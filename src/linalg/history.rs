//! Scalars of many iterations: what a solver writes down on the GPU while it runs, and how the CPU looks at it
//! without holding it up.

use std::collections::VecDeque;

use super::{Algebra, Scalar, Vector};
use crate::gl::{Format, ReadBack, Rect, Shape, Texture};
use crate::pug::Terms;
use crate::{Error, Result};

/// One entry an iteration: (divisor, -, -, r·r). Entry 0 holds b·b of the right side.
pub(crate) struct History {
    algebra: Algebra,
    texture: Texture,
    every: usize,
    pending: VecDeque<ReadBack>,
    /// What has been read so far, from entry 0.
    pub entries: Vec<[f32; 4]>,
}

const RECORD: &str = "linalg/record.frag";

/// Entries of a row, at least; a row holds a whole number of those that are read at a time.
const ROW: usize = 64;

impl History {
    /// Room for `iterations`, read `every` so many entries; never before the end if that is 0.
    pub fn new(algebra: &Algebra, iterations: usize, every: usize) -> Result<History> {
        let every_row = every.max(1);
        let width = every_row * ROW.div_ceil(every_row);
        let height = (iterations + 2).div_ceil(width);
        let side = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let limit = u64::from(algebra.gpu().limits().texture_size);
        if width as u64 > limit || height as u64 > limit {
            let what = format!("a solver that looks every {every} iterations");
            let (quantity, limit) = ("number of iterations", limit * (width as u64).min(limit));
            return Err(Error::OverLimit { what, quantity, found: iterations as u64, limit });
        }
        let shape = Shape { width: side(width), height: side(height), format: Format::Rgba32F };
        let texture = algebra.context().texture(shape)?;
        let (algebra, pending, entries) = (algebra.clone(), VecDeque::new(), Vec::new());
        Ok(History { algebra, texture, every, pending, entries })
    }

    /// The entries, folded row by row.
    pub fn texture(&self) -> &Texture {
        &self.texture
    }

    /// The texel of an entry.
    pub fn place(&self, entry: usize) -> Rect {
        let width = self.texture.shape().width as usize;
        let (x, y) = ((entry % width) as u32, (entry / width) as u32);
        Rect::new(x, y, x + 1, y + 1)
    }

    /// Writes the sums of some terms, component by component, or all of them as one sum.
    pub fn sum(&self, entry: usize, terms: Terms, fold: bool) -> Result<()> {
        self.algebra.sum().reduce_into(terms, fold, &self.texture, self.place(entry))
    }

    /// Writes b·b to entry 0.
    pub fn sum_of_squares(&self, b: &Vector) -> Result<()> {
        self.sum(0, Terms::Products(b.texture(), b.texture()), true)
    }

    /// Writes a divisor that may not be negative, and the square of the residual's norm.
    pub fn record(&self, entry: usize, divisor: &Scalar, norm2: &Scalar) -> Result<()> {
        self.write(0, entry, divisor, norm2)
    }

    /// Writes the magnitude of a divisor of either sign, and the square of the residual's norm.
    pub fn record_unsigned(&self, entry: usize, divisor: &Scalar, norm2: &Scalar) -> Result<()> {
        self.write(1, entry, divisor, norm2)
    }

    fn write(&self, unsigned: i32, entry: usize, divisor: &Scalar, norm2: &Scalar) -> Result<()> {
        let program = self.algebra.program(RECORD, [("UNSIGNED", unsigned), ("", 0), ("", 0)])?;
        let streams = [divisor.texture(), norm2.texture()];
        self.algebra.draw_over(&program, &streams, &[], None, &[&self.texture], self.place(entry))
    }

    /// Looks after `entry` was written: asks for the newest entries when there are enough, and takes in those that
    /// were asked for the time before, which have had as long to arrive. So the GPU always has work, and what is
    /// found does not depend on how fast it is.
    pub fn look(&mut self, entry: usize) -> Result<bool> {
        if self.every == 0 || !(entry + 1).is_multiple_of(self.every) {
            return Ok(false);
        }
        let first = self.place(entry + 1 - self.every);
        let last = self.place(entry);
        let asked = self.texture.read_async(Rect::new(first.x0, first.y0, last.x1, last.y1))?;
        self.pending.push_back(asked);
        if self.pending.len() < 2 {
            return Ok(false);
        }
        self.take_in()?;
        Ok(true)
    }

    fn take_in(&mut self) -> Result<()> {
        if let Some(arrived) = self.pending.pop_front() {
            self.entries.extend(arrived.wait()?.chunks_exact(4).map(|e| [e[0], e[1], e[2], e[3]]));
        }
        Ok(())
    }

    /// Takes in everything up to `last`, which is the last entry that was written.
    pub fn finish(&mut self, last: usize) -> Result<()> {
        while !self.pending.is_empty() {
            self.take_in()?;
        }
        let width = self.texture.shape().width as usize;
        while self.entries.len() <= last {
            let first = self.place(self.entries.len());
            let end = last.min((first.y0 as usize + 1) * width - 1);
            let values = self.texture.read(Rect::new(first.x0, first.y0, self.place(end).x1, first.y1))?;
            self.entries.extend(values.chunks_exact(4).map(|e| [e[0], e[1], e[2], e[3]]));
        }
        Ok(())
    }
}
