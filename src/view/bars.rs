//! A histogram drawn over its image.

use crate::Result;
use crate::pug::{Buffer, Domain, Gpu, Operator, Program, Reduction, StreamHandle};
use crate::streams::Histogram;

/// Draws an image, and over its lower quarter the bars of its histogram, the longest as high as that. Of an image whose counts
/// come in bands, past 2²⁴ pixels, they are those of the first.
///
/// One pass, after a copy of what lies inside the bins and the reduction that finds the longest: the image's domain is the picture, and that of the bins is spread over its width.
pub struct Bars {
    program: Program,
    image: StreamHandle,
    most: StreamHandle,
    largest: Reduction,
    counts: Buffer,
    /// The counts without what lies outside the bins.
    inside: Buffer,
    shown: Buffer,
}

/// Height of the longest bar, as part of the picture's.
const SHARE: f32 = 0.25;

impl Bars {
    /// For the images that this histogram counts.
    ///
    /// # Errors
    /// Those of making a buffer and a program.
    pub fn new(gpu: &Gpu, histogram: &Histogram) -> Result<Bars> {
        let (width, height) = histogram.size();
        let shown = gpu.buffer(width, height).named("image with bars").build()?;
        let bins = histogram.bins().count;
        let inside = gpu.buffer(bins, 1).named("bars").build()?;
        let mut program = gpu.builtin("view/histogram_bars.frag")?;
        program
            .bind_stream("counts", &inside)?
            .bind_float("share", SHARE)?
            .bind_domain("bins", Domain::new(0.0, 0.0, bins as f32, 1.0))?;
        let (image, most) = (program.stream("image")?, program.stream("most")?);
        let (largest, counts) = (gpu.reduction(Operator::max()), histogram.buffer().clone());
        Ok(Bars { program, image, most, largest, counts, inside, shown })
    }

    /// Draws the image's first component and the bars of what was last counted.
    ///
    /// # Errors
    /// Only those of a lost device.
    pub fn draw(&mut self, image: &Buffer) -> Result<&Buffer> {
        self.inside.texture().copy_from(self.counts.texture(), self.inside.rect());
        let most = self.largest.both(&self.inside)?;
        self.program.bind_stream(self.image, image)?.bind_stream(self.most, &most)?;
        self.program.run(&self.shown)?;
        Ok(&self.shown)
    }

    /// What was last drawn: from 0 to 1 as the image is, and its bars light on dark.
    pub fn shown(&self) -> &Buffer {
        &self.shown
    }
}
