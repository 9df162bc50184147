//! Histograms, by scattering points or by gathering.
//!
//! The gather counts four bins a target for each fetch of four pixels. Bands of 2²⁴ pixels are counted separately,
//! because a float cannot count further.

use super::gather::Gather;
use super::scatter::Scatter;
use crate::pug::{Buffer, ConstantHandle, Gpu, Program, StreamHandle};
use crate::{Error, Rect, Result};

/// Equal parts of an interval. A value at an inner edge lies in the part above it, `high` itself in the last part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bins {
    /// Parts.
    pub count: u32,
    /// Where the first begins.
    pub low: f32,
    /// Where the last ends.
    pub high: f32,
}

impl Bins {
    /// 1 / the width of a bin.
    pub(super) fn scale(&self) -> f32 {
        self.count as f32 / (self.high - self.low)
    }

    /// Bins, and three places more for what lies outside them.
    fn places(&self) -> u32 {
        self.count + OUTSIDE
    }

    fn check(&self, texture_size: u32) -> Result<()> {
        let most = texture_size - OUTSIDE;
        if !(1..=most).contains(&self.count) {
            let expected = format!("1 to {most}, the size of a texture less {OUTSIDE} for what lies outside");
            return Err(Error::BadParameter { name: "bins", found: self.count.to_string(), expected });
        }
        let scale = self.scale();
        if self.low < self.high && (self.high - self.low).is_finite() && scale.is_normal() {
            return Ok(());
        }
        let (found, expected) =
            (format!("{} to {}", self.low, self.high), "low < high, both finite".to_owned());
        Err(Error::BadParameter { name: "range of the bins", found, expected })
    }
}

/// Below, above, NaN.
const OUTSIDE: u32 = 3;

/// How pixels and bins find each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// Scatter: each pixel is a point that goes to its bin and adds 1 by blending.
    Points,
    /// Gather: each fragment has some bins and looks at many pixels.
    #[default]
    Gather,
}

/// The result of a histogram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Pixels of each bin.
    pub bins: Vec<u64>,
    /// Pixels below the first bin.
    pub below: u64,
    /// Pixels above the last bin.
    pub above: u64,
    /// Pixels that are no number.
    pub nan: u64,
}

impl Counts {
    /// All pixels.
    pub fn total(&self) -> u64 {
        self.bins.iter().sum::<u64>() + self.below + self.above + self.nan
    }

    /// The first of the bins with the most pixels.
    pub fn mode(&self) -> usize {
        let most = self.bins.iter().max();
        self.bins.iter().position(|count| Some(count) == most).unwrap_or(0)
    }
}

/// counts_b = the number of pixels in bin b.
///
/// One pass finds the bin of every pixel, four pixels a texel; both ways of counting use it.
///
/// *By points*, the vertex program fetches the bin of its pixel and scatters 1 there. This draws and blends w·h points,
/// mostly into few texels.
///
/// *By gather*, a fragment that counted one bin of all pixels would fetch w·h of them for each bin. Instead it counts
/// four bins in each of up to eight targets, and gets four pixels from one fetch: w·h/4 · ⌈(bins + 3)/32⌉ fetches, 2.25
/// w·h for 256 bins. The pixels are cut into blocks to keep the GPU busy; a reduction adds the counts of the blocks.
///
/// A 32-bit float counts to 2²⁴ and no further. So bands of rows of at most 2²⁴ pixels are counted separately, and
/// added on the CPU as whole numbers: the counts are exact for any image.
///
/// Pixels outside the bins, also infinite ones, are counted below or above, and NaN separately: the counts always add
/// up to all pixels. The bin of a pixel is computed in 32 bits, ⌊(v − low)·(bins/(high − low))⌋, with the same result
/// on CPU and GPU unless the GPU flushes denormal numbers to 0.
///
/// # Example
/// ```
/// # fn main() -> quadrille::Result<()> {
/// use quadrille::Gpu;
/// use quadrille::streams::{Bins, By, Histogram};
///
/// let gpu = Gpu::headless()?;
/// let image = gpu.buffer(3, 2).init(&[0.1, 0.9, 0.2, 0.5, 1.0, f32::NAN])?;
/// let mut histogram = Histogram::new(&gpu, 3, 2, Bins { count: 2, low: 0.0, high: 1.0 }, By::Gather)?;
/// histogram.count(&image, 0)?;
/// let counts = histogram.counts()?;
/// assert_eq!((counts.bins, counts.nan), (vec![2, 3], 1));
/// # Ok(())
/// # }
/// ```
///
/// # References
/// Harris, *Mapping Computational Concepts to GPUs*, §31.2.3 and the course's slides: scatter by points, and as gather.
pub struct Histogram {
    width: u32,
    height: u32,
    bins: Bins,
    find: Find,
    /// The bins of a band's pixels, four a texel.
    found: Buffer,
    /// A row for each band.
    counts: Buffer,
    count: Count,
}

/// The pass that finds the bins of pixels.
struct Find {
    program: Program,
    image: StreamHandle,
    bounds: ConstantHandle,
    channel: ConstantHandle,
}

enum Count {
    Scatter(Box<Scatter>),
    Gather(Box<Gather>),
}

/// Pixels that a float can count.
const BAND: u32 = 1 << 24;

impl Histogram {
    /// For images of that size, or for arrays as they are folded.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for no bins, more than fit a texture beside three places more, and ends that are equal or not finite;
    /// [`Error::Unsupported`] by points where the driver cannot blend 32-bit floats or fetch in vertex programs; those of
    /// making a buffer.
    pub fn new(gpu: &Gpu, width: u32, height: u32, bins: Bins, by: By) -> Result<Histogram> {
        bins.check(gpu.limits().texture_size)?;
        let across = width.div_ceil(4);
        let rows = (BAND / (4 * across).max(1)).clamp(1, height.max(1));
        let found = gpu.buffer(across, rows).components(4).named("bins of pixels").build()?;
        let counts = gpu.buffer(bins.places(), height.div_ceil(rows)).named("counts").build()?;
        let find = Find::new(gpu, bins)?;
        let count = match by {
            By::Points => Count::Scatter(Box::new(Scatter::new(gpu, &found)?)),
            By::Gather => Count::Gather(Box::new(Gather::new(gpu, bins.places(), &found)?)),
        };
        Ok(Histogram { width, height, bins, find, found, counts, count })
    }

    /// Counts the pixels' component `component`, from 0, on the GPU.
    ///
    /// # Errors
    /// [`Error::WrongShape`] for an image of another size, [`Error::BadParameter`] for a component it does not have.
    pub fn count(&mut self, image: &Buffer, component: usize) -> Result<()> {
        let _scope = image.context().scope("histogram");
        self.check(image, component)?;
        let tail = image.fold().map_or(self.width, |fold| fold.tail());
        let mut channel = [0.0; 4];
        channel[component] = 1.0;
        let Find { program, image: stream, bounds, channel: only } = &mut self.find;
        program
            .bind_stream(*stream, image)?
            .bind_float(*bounds, [self.width as f32, self.height as f32, tail as f32])?
            .bind_float(*only, channel)?;
        self.counts.texture().clear([0.0; 4]);
        for band in 0..self.counts.height() {
            self.count_band(band)?;
        }
        self.find.program.release_streams();
        Ok(())
    }

    fn count_band(&mut self, band: u32) -> Result<()> {
        let (across, rows) = (self.found.width(), self.found.height());
        let first = band * rows;
        let rows = rows.min(self.height - first);
        self.find.program.bind_domain("at", Rect::new(0, first, across, first + rows))?;
        self.find.program.run_over(&self.found, Rect::whole(across, rows))?;
        match &mut self.count {
            Count::Scatter(scatter) => scatter.count(across * rows, &self.counts, band),
            Count::Gather(gather) => gather.count(across * rows, &self.counts, band),
        }
    }

    /// The counts, read back.
    ///
    /// # Errors
    /// [`Error::Driver`] after a lost device.
    pub fn counts(&self) -> Result<Counts> {
        let places = self.bins.places() as usize;
        let mut bins = vec![0; places];
        for band in self.counts.data()?.chunks_exact(places) {
            bins.iter_mut().zip(band).for_each(|(total, count)| *total += *count as u64);
        }
        let outside = bins.split_off(self.bins.count as usize);
        Ok(Counts { bins, below: outside[0], above: outside[1], nan: outside[2] })
    }

    /// The counts on the GPU: bins, then below, above and NaN along x, a row for each band of rows of at most 2²⁴ pixels.
    pub fn buffer(&self) -> &Buffer {
        &self.counts
    }

    /// Width and height of the images.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// The bins that values are counted into.
    pub fn bins(&self) -> Bins {
        self.bins
    }

    fn check(&self, image: &Buffer, component: usize) -> Result<()> {
        if (image.width(), image.height()) != (self.width, self.height) {
            let (what, found) = ("image of a histogram".to_owned(), image.describe());
            return Err(Error::WrongShape {
                what,
                found,
                expected: format!("{}x{}", self.width, self.height),
            });
        }
        if component >= image.components() {
            let expected = format!("0 to {} of {}", image.components() - 1, image.describe());
            return Err(Error::BadParameter { name: "component", found: component.to_string(), expected });
        }
        Ok(())
    }
}

impl Find {
    fn new(gpu: &Gpu, bins: Bins) -> Result<Find> {
        let mut program = gpu.builtin("streams/bins_find.frag")?;
        program
            .bind_float("low_high", [bins.low, bins.high])?
            .bind_float("scale", bins.scale())?
            .bind_float("bins", bins.count as f32)?;
        let (bounds, channel) = (program.constant("bounds")?, program.constant("channel")?);
        Ok(Find { image: program.stream("image")?, bounds, channel, program })
    }
}
