//! The brush: a disc of one value in a state on the GPU.

use crate::pug::{Buffer, Gpu, Program};
use crate::{Rect, Result};

/// Paints discs; nothing is read back.
pub struct Disc(Program);

impl Disc {
    /// The brush of that machine.
    ///
    /// # Errors
    /// Those of compiling.
    pub fn new(gpu: &Gpu) -> Result<Disc> {
        Ok(Disc(gpu.builtin("sim/disc_paint.frag")?))
    }

    /// Sets every element whose centre lies within `radius` of (x, y), in texels; what the target has fewer components than
    /// four is left away. Gives the [square](Disc::square) around it.
    ///
    /// # Errors
    /// [`Error::OtherContext`](crate::Error::OtherContext).
    pub fn paint(
        &mut self,
        target: &Buffer,
        [x, y]: [f32; 2],
        radius: f32,
        paint: [f32; 4],
    ) -> Result<Option<Rect>> {
        let Some(range) = Disc::square(target, [x, y], radius) else { return Ok(None) };
        self.0.bind_float("centre", [x, y])?.bind_float("radius", radius)?.bind_float("paint", paint)?;
        self.0.run_over(target, range)?;
        Ok(Some(range))
    }

    /// The square of texels around a disc, or `None` if it lies outside.
    pub fn square(target: &Buffer, [x, y]: [f32; 2], radius: f32) -> Option<Rect> {
        let low = |c: f32| (c - radius).floor().max(0.0) as u32;
        let high = |c: f32, n: u32| (c + radius).ceil().clamp(0.0, n as f32) as u32;
        let square = Rect::new(low(x), low(y), high(x, target.width()), high(y, target.height()));
        (square.area() > 0).then_some(square)
    }
}
