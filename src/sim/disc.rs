//! The brush: a disc or a square of one value in a state on the GPU, or one that fades to its rim.

use crate::pug::{Buffer, Gpu, Program};
use crate::{Rect, Result};

/// The outline of a brush.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outline {
    /// A disc.
    #[default]
    Round,
    /// A square, as wide as the disc.
    Square,
    /// A disc that fades from its middle to its rim.
    Soft,
}

/// The tip of a brush; a radius alone is round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tip {
    /// Half its width, in texels or in what the place is counted in.
    pub radius: f32,
    /// Its outline.
    pub outline: Outline,
}

impl From<f32> for Tip {
    fn from(radius: f32) -> Tip {
        Tip { radius, outline: Outline::Round }
    }
}

impl Tip {
    /// Returns true if what lies that far from its middle is inside: √(x² + y²) ≤ r, of a square max(|x|, |y|) ≤ r.
    pub fn covers(self, [x, y]: [f32; 2]) -> bool {
        let square = match self.outline {
            Outline::Square => (x * x).max(y * y),
            Outline::Round | Outline::Soft => x * x + y * y,
        };
        square <= self.radius * self.radius
    }

    /// The same tip with another radius.
    #[must_use]
    pub fn with_radius(self, radius: f32) -> Tip {
        Tip { radius, ..self }
    }
}

/// Paints with a [`Tip`]; nothing is read back.
pub struct Disc {
    gpu: Gpu,
    hard: Program,
    /// The kernel of soft tips, and what the target was before; made for the first of them.
    soft: Option<(Program, Buffer)>,
}

impl Disc {
    /// The brush of that machine.
    ///
    /// # Errors
    /// Those of compiling.
    pub fn new(gpu: &Gpu) -> Result<Disc> {
        Ok(Disc { gpu: gpu.clone(), hard: gpu.builtin("sim/disc_paint.frag")?, soft: None })
    }

    /// Sets every element whose centre the tip [covers](Tip::covers), around (x, y) in texels; what the target has fewer
    /// components than four is left away. A soft tip mixes: all of the paint in its middle, none at its rim, (1 − (d/r)²)² between. One
    /// pass, and a copy where it is soft. Gives the [square](Disc::square) around it.
    ///
    /// # Errors
    /// [`Error::OtherContext`](crate::Error::OtherContext); those of memory for a soft one.
    pub fn paint(
        &mut self,
        target: &Buffer,
        [x, y]: [f32; 2],
        tip: impl Into<Tip>,
        paint: [f32; 4],
    ) -> Result<Option<Rect>> {
        let Tip { radius, outline } = tip.into();
        let Some(range) = Disc::square(target, [x, y], radius) else { return Ok(None) };
        if outline == Outline::Soft {
            self.blend(target, [x, y], radius, paint, range)?;
            return Ok(Some(range));
        }
        let square = f32::from(u8::from(outline == Outline::Square));
        let program = &mut self.hard;
        program.bind_float("centre", [x, y])?.bind_float("radius", radius)?.bind_float("square", square)?;
        program.bind_float("paint", paint)?.run_over(target, range)?;
        Ok(Some(range))
    }

    fn blend(
        &mut self,
        target: &Buffer,
        centre: [f32; 2],
        radius: f32,
        paint: [f32; 4],
        range: Rect,
    ) -> Result<()> {
        let key = |buffer: &Buffer| {
            (buffer.width(), buffer.height(), buffer.components(), buffer.precision(), buffer.edges())
        };
        let (mut program, before) = match self.soft.take() {
            Some((program, before)) if key(&before) == key(target) => (program, before),
            _ => {
                let (width, height, components, precision, edges) = key(target);
                let before = self.gpu.buffer(width, height).components(components).precision(precision);
                let before = before.edges(edges).named("before the brush").build()?;
                (self.gpu.builtin("sim/disc_blend.frag")?, before)
            }
        };
        before.copy_from(target)?;
        program.bind_stream("before", &before)?.bind_float("centre", centre)?;
        program.bind_float("radius", radius.max(1e-6))?.bind_float("paint", paint)?;
        program.run_over(target, range)?;
        program.release_streams();
        self.soft = Some((program, before));
        Ok(())
    }

    /// The square of texels around a tip, or `None` if it lies outside.
    pub fn square(target: &Buffer, [x, y]: [f32; 2], radius: f32) -> Option<Rect> {
        let low = |c: f32| (c - radius).floor().max(0.0) as u32;
        let high = |c: f32, n: u32| (c + radius).ceil().clamp(0.0, n as f32) as u32;
        let square = Rect::new(low(x), low(y), high(x, target.width()), high(y, target.height()));
        (square.area() > 0).then_some(square)
    }
}
