//! Two buffers that take turns.

use super::{Buffer, BufferBuilder};
use crate::Result;

/// A double buffer in the making.
pub struct DoubleBufferBuilder(pub(super) BufferBuilder);

impl DoubleBufferBuilder {
    /// Both buffers, all zero; with the values of its array in each where [`Gpu::buffer_of`](super::Gpu::buffer_of) began them.
    ///
    /// # Errors
    /// As [`BufferBuilder::build`].
    pub fn build(self) -> Result<DoubleBuffer> {
        Ok(DoubleBuffer { front: self.0.clone().build()?, back: self.0.build()? })
    }

    /// Both buffers, with these values in each. So the texels that a pass over an inner range does not write are the
    /// same in both.
    ///
    /// # Errors
    /// As [`BufferBuilder::init`].
    pub fn init(self, values: &[f32]) -> Result<DoubleBuffer> {
        let buffers = DoubleBuffer { front: self.0.clone().undefined()?, back: self.0.undefined()? };
        buffers.write(values)?;
        Ok(buffers)
    }
}

/// Two buffers for ping-pong: a pass reads the front and writes the back, and [`DoubleBuffer::swap`] exchanges them. A run does not
/// swap by itself.
///
/// ```
/// # fn main() -> quadrille::Result<()> {
/// let gpu = quadrille::Gpu::headless()?;
/// let mut numbers = gpu.buffer(3, 1).double().init(&[1.0, 2.0, 3.0])?;
/// let text = "uniform Stream x; DOMAIN at; RANGE float twice; void main() { twice = 2.0 * value2(x, at).x; }";
/// let mut twice = gpu.program("twice.frag", text)?;
/// for _ in 0..3 {
///     twice.bind_stream("x", numbers.front())?.run(numbers.back())?;
///     numbers.swap();
/// }
/// assert_eq!(numbers.data()?, [8.0, 16.0, 24.0]);
/// # Ok(())
/// # }
/// ```
pub struct DoubleBuffer {
    front: Buffer,
    back: Buffer,
}

impl DoubleBuffer {
    /// The newest values: bind this one.
    pub fn front(&self) -> &Buffer {
        &self.front
    }

    /// Where the next values go: run onto this one.
    pub fn back(&self) -> &Buffer {
        &self.back
    }

    /// Exchanges front and back: the next pass reads the array that the last one wrote.
    pub fn swap(&mut self) {
        std::mem::swap(&mut self.front, &mut self.back);
    }

    /// Reads the front back; see [`Buffer::data`].
    ///
    /// # Errors
    /// As [`Buffer::data`].
    pub fn data(&self) -> Result<Vec<f32>> {
        self.front.data()
    }

    /// Writes both from the CPU: one upload and a copy; see [`Buffer::write`].
    ///
    /// # Errors
    /// As [`Buffer::write`].
    pub fn write(&self, values: &[f32]) -> Result<()> {
        self.front.write(values)?;
        self.back.copy_from(&self.front)
    }
}
