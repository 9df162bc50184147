//! The history of a solver: scalars that each iteration writes on the GPU and the CPU reads without a stall.
//!
//! Each iteration writes (divisor, sums, r·r) into a texel of the history. Every `check_every` iterations the read-back
//! of the newest texels begins, and the read-back that began one check before is taken in; it has had that long to
//! arrive, so nothing stalls. The choice depends on counts and never on time, so the same input gives the same bits.

use std::collections::VecDeque;

use super::{Algebra, Scalar, Vector};
use crate::gl::{Format, ReadBack, Rect, Shape, Texture};
use crate::pug::Terms;
use crate::{Error, Result};

/// One entry an iteration, from 1: (divisor, -, -, r·r). Entry 0 holds b·b of the right side.
///
/// Entry 0 has the first row for itself. The others fill the rest row after row; if they are read during the iteration,
/// they start again at its beginning when it is full.
pub(crate) struct History {
    algebra: Algebra,
    texture: Texture,
    beside: Texture,
    every: usize,
    asked: VecDeque<ReadBack>,
    /// b·b, once it has been read.
    pub bb: Option<f32>,
    /// The entries read so far, from entry 1.
    pub entries: Vec<[f32; 4]>,
}

const RECORD: &str = "linalg/record.frag";

/// The least number of entries in a row; a row holds a whole number of chunks that are read at a time.
const ROW: usize = 64;

/// Rows that are enough where entries are read as they go: two of the longest chunks are under way at once.
const ROWS: usize = 4;

impl History {
    /// Room for `iterations`, read in chunks of `every` entries; only at the end if that is 0.
    pub fn new(algebra: &Algebra, iterations: usize, every: usize) -> Result<History> {
        let entries = iterations.saturating_add(1);
        let limit = algebra.gpu().limits().texture_size as usize;
        let every = if every > entries { 0 } else { every.min(limit) };
        let (width, most) = match every {
            0 => (entries.clamp(1, limit), limit - 1),
            every => (every * (ROW.min(limit) / every).max(1), ROWS),
        };
        let rows = entries.div_ceil(width);
        if every == 0 && rows > most {
            let (what, quantity) = ("a solver that looks at nothing".to_owned(), "number of iterations");
            let (found, limit) = (iterations as u64, (width * most - 1) as u64);
            return Err(Error::OverLimit { what, quantity, found, limit });
        }
        let (width, height) = (width as u32, 1 + rows.min(most) as u32);
        let texture = || algebra.context().texture(Shape { width, height, format: Format::Rgba32F });
        let (texture, beside) = (texture()?, texture()?);
        let (algebra, asked, entries) = (algebra.clone(), VecDeque::new(), Vec::new());
        Ok(History { algebra, texture, beside, every, asked, bb: None, entries })
    }

    /// The entries, folded row by row.
    pub fn texture(&self) -> &Texture {
        &self.texture
    }

    /// The texel of an entry.
    pub fn place(&self, entry: usize) -> Rect {
        let Shape { width, height, .. } = self.texture.shape();
        let (x, y) = match entry.checked_sub(1) {
            None => (0, 0),
            Some(index) => {
                let row = (index / width as usize) % (height as usize - 1);
                ((index % width as usize) as u32, 1 + row as u32)
            }
        };
        Rect::new(x, y, x + 1, y + 1)
    }

    /// A texture of the same shape, for what only the iteration itself looks at.
    pub fn beside(&self) -> &Texture {
        &self.beside
    }

    /// Writes the sums of fused conjugate gradients: (p·q, q·Mq, r·Mq, r·r), and p·r beside them.
    pub fn sum(&self, entry: usize, vectors: [&Vector; 3], m: Option<&Vector>) -> Result<()> {
        self.sum_of_texels(entry, vectors.map(Vector::texture), m.map(Vector::texture))
    }

    /// The same of vectors that lie otherwise in their texels.
    pub fn sum_of_texels(&self, entry: usize, vectors: [&Texture; 3], m: Option<&Texture>) -> Result<()> {
        let terms = Terms::Residuals(vectors, m);
        self.algebra.sum().reduce_into(terms, false, &[&self.texture, &self.beside], self.place(entry))
    }

    /// The same of sums over parts of the vectors, and of p·r over them.
    pub fn sum_of_parts(&self, entry: usize, sums: &Texture, of_p: &Texture) -> Result<()> {
        let targets = [&self.texture, &self.beside];
        self.algebra.sum().reduce_into(Terms::Pair(sums, of_p), false, &targets, self.place(entry))
    }

    /// Writes b·b to entry 0.
    pub fn sum_of_squares(&self, b: &Texture) -> Result<()> {
        let squares = Terms::Products(b, b);
        self.algebra.sum().reduce_into(squares, true, &[&self.texture], self.place(0))
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
        self.algebra
            .pass(RECORD, &[("UNSIGNED", unsigned)])?
            .streams([divisor.texture(), norm2.texture()])
            .over(self.place(entry))
            .onto(&[&self.texture])
    }

    /// Looks after `entry` was written: asks for the newest entries when there are enough, and takes in those of the
    /// previous request, which have had as long to arrive. So the GPU always has work, and the result does not depend
    /// on its speed.
    pub fn look(&mut self, entry: usize) -> Result<bool> {
        if self.every == 0 || !entry.is_multiple_of(self.every) {
            return Ok(false);
        }
        if entry == self.every {
            self.asked.push_back(self.texture.read_async(self.place(0))?);
        }
        let (first, last) = (self.place(entry + 1 - self.every), self.place(entry));
        self.asked.push_back(self.texture.read_async(Rect::new(first.x0, first.y0, last.x1, last.y1))?);
        if entry == self.every {
            return Ok(false);
        }
        self.take_in()?;
        Ok(true)
    }

    /// Waits for the oldest entries asked for; b·b comes before the first of them.
    fn take_in(&mut self) -> Result<()> {
        if self.bb.is_none()
            && let Some(asked) = self.asked.pop_front()
        {
            self.bb = asked.wait()?.first().copied();
        }
        if let Some(asked) = self.asked.pop_front() {
            self.add(&asked.wait()?);
        }
        Ok(())
    }

    fn add(&mut self, values: &[f32]) {
        self.entries.extend(values.chunks_exact(4).map(|e| [e[0], e[1], e[2], e[3]]));
    }

    /// Takes in everything up to `last`, which is the last entry that was written.
    pub fn finish(&mut self, last: usize) -> Result<()> {
        while !self.asked.is_empty() {
            self.take_in()?;
        }
        if self.bb.is_none() {
            self.bb = self.texture.read(self.place(0))?.first().copied();
        }
        let width = self.texture.shape().width as usize;
        while self.entries.len() < last {
            let next = self.entries.len() + 1;
            let first = self.place(next);
            let end = self.place(last.min(next + width - 1 - first.x0 as usize));
            let values = self.texture.read(Rect::new(first.x0, first.y0, end.x1, end.y1))?;
            self.add(&values);
        }
        Ok(())
    }
}

#[cfg(test)]
#[cfg(feature = "headless")]
mod tests {
    use super::*;
    use crate::Gpu;
    use crate::linalg::Packed2x2;

    /// Entry k is (|−k|, 0, 0, k²) if it is unsigned, else (−k, 0, 0, k²).
    fn write(history: &History, entry: usize, unsigned: bool) -> Result<()> {
        let k = entry as f32;
        let (divisor, norm2) = (history.algebra.scalar(-k)?, history.algebra.scalar(k * k)?);
        match unsigned {
            true => history.record_unsigned(entry, &divisor, &norm2),
            false => history.record(entry, &divisor, &norm2),
        }
    }

    fn check(every: usize, iterations: usize, unsigned: bool) -> Result<()> {
        let algebra = Algebra::new(&Gpu::headless()?);
        let b = algebra.vector(Packed2x2::grid(2, 2)?, &[3.0, 1.0, 1.0, 5.0])?;
        let mut history = History::new(&algebra, iterations, every)?;
        history.sum_of_squares(b.texture())?;
        let expected = |n: usize| -> Vec<[f32; 4]> {
            let sign = if unsigned { 1.0 } else { -1.0 };
            (1..=n).map(|k| [sign * k as f32, 0.0, 0.0, (k * k) as f32]).collect()
        };
        for entry in 1..=iterations + 1 {
            write(&history, entry, unsigned)?;
            // A look takes in what was asked for at the look before.
            let looks = every > 0 && entry % every == 0;
            let arrived = if looks { entry - every } else { 0 };
            assert_eq!(history.look(entry)?, arrived > 0, "entry {entry} of {iterations} by {every}");
            if arrived > 0 {
                assert_eq!(history.entries, expected(arrived), "entry {entry} of {iterations} by {every}");
            }
        }
        history.finish(iterations + 1)?;
        assert_eq!(history.bb, Some(36.0));
        assert_eq!(history.entries, expected(iterations + 1), "{iterations} by {every}");
        assert!(history.asked.is_empty());
        Ok(())
    }

    /// Within a row, over several rows, and around the end of a texture that is read as it goes.
    #[test]
    fn what_is_written_is_read_in_its_order() -> Result<()> {
        for (every, iterations) in [(0, 5), (0, 100), (1, 7), (16, 300), (10, 130), (100, 250)] {
            check(every, iterations, false)?;
        }
        check(0, 9, true)?;
        check(4, 9, true)
    }
}
