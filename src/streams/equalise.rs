//! Histogram equalisation, by a histogram and its prefix sum.

use super::{Bins, By, Histogram, PrefixSum, check_length};
use crate::Result;
use crate::pug::{Buffer, ConstantHandle, Gpu, Program, StreamHandle};

/// v' = v + rate·(low + (high − low)·c(v) − v), c(v) the part of an image's pixels that are darker than v.
///
/// With rate 1 each of the bins' values becomes about as frequent as every other. There are three steps without a
/// read-back: the histogram, its prefix sum, and a pass that looks c up, four fetches a pixel. Pixels outside the bins
/// stay as they are.
///
/// # Example
/// ```
/// # fn main() -> quadrille::Result<()> {
/// use quadrille::Gpu;
/// use quadrille::streams::{Bins, By, Equalise};
///
/// let gpu = Gpu::headless()?;
/// let dark = gpu.buffer(4, 1).init(&[0.0, 0.125, 0.25, 0.375])?;
/// let image = gpu.buffer(4, 1).build()?;
/// let mut equalise = Equalise::new(&gpu, 4, 1, Bins { count: 8, low: 0.0, high: 1.0 }, By::Gather)?;
/// equalise.run(&dark, &image, 1.0)?;
/// assert_eq!(image.data()?, [0.0, 0.25, 0.5, 0.75]);
/// # Ok(())
/// # }
/// ```
///
/// # References
/// Gonzalez & Woods, *Digital Image Processing*, §3.3.1.
pub struct Equalise {
    histogram: Histogram,
    scan: PrefixSum,
    sums: Buffer,
    program: Program,
    image: StreamHandle,
    rate: ConstantHandle,
}

impl Equalise {
    /// For images of that size.
    ///
    /// # Errors
    /// As [`Histogram::new`]; [`Error::OverLimit`](crate::Error::OverLimit) for more than 2²⁴ pixels, rows rounded up to a multiple
    /// of four: no float can sum them up, and their counts come in several bands.
    pub fn new(gpu: &Gpu, width: u32, height: u32, bins: Bins, by: By) -> Result<Equalise> {
        let histogram = Histogram::new(gpu, width, height, bins, by)?;
        let padded = width.next_multiple_of(4);
        check_length(&format!("equalised image in rows of {padded}"), padded as usize * height as usize)?;
        let places = histogram.buffer().len();
        let sums = gpu.buffer(places as u32, 1).named("sums of counts").build()?;
        let mut program = gpu.builtin("streams/image_equalise.frag")?;
        program
            .bind_stream("sums", &sums)?
            .bind_float("low_high", [bins.low, bins.high])?
            .bind_float("scale", bins.scale())?
            .bind_float("bins", bins.count as f32)?;
        let (image, rate) = (program.stream("image")?, program.constant("rate")?);
        Ok(Equalise { histogram, scan: PrefixSum::new(gpu, places)?, sums, program, image, rate })
    }

    /// Writes the image, moved by `rate` towards equal counts, to `next`: [`Equalise::count`], then [`Equalise::apply`].
    ///
    /// # Errors
    /// Those of the two.
    pub fn run(&mut self, image: &Buffer, next: &Buffer, rate: f32) -> Result<()> {
        self.count(image)?;
        self.apply(image, next, rate)
    }

    /// Counts the image's first component.
    ///
    /// # Errors
    /// As [`Histogram::count`].
    pub fn count(&mut self, image: &Buffer) -> Result<()> {
        self.histogram.count(image, 0)
    }

    /// Moves the pixels of an image by the counts that are there.
    ///
    /// # Errors
    /// [`Error::Feedback`](crate::Error::Feedback) if the two are the same.
    pub fn apply(&mut self, image: &Buffer, next: &Buffer, rate: f32) -> Result<()> {
        self.scan.inclusive(self.histogram.buffer(), &self.sums)?;
        self.program.bind_stream(self.image, image)?.bind_float(self.rate, rate)?;
        self.program.run(next)
    }

    /// The histogram of the image that was last counted.
    pub fn histogram(&self) -> &Histogram {
        &self.histogram
    }
}
