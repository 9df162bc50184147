//! Histograms: scatter by points, or gather.

use crate::gl::TARGETS;
use crate::pug::{Buffer, Gpu, Operator, Program, Reduction};
use crate::{Error, Rect, Result, kernels};

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
    fn scale(&self) -> f32 {
        self.count as f32 / (self.high - self.low)
    }

    /// Bins, and three places more for what lies outside them.
    fn places(&self) -> u32 {
        self.count + OUTSIDE
    }

    fn check(&self, texture_size: u32) -> Result<()> {
        let most = texture_size - OUTSIDE;
        if !(1..=most).contains(&self.count) {
            let expected = format!("1 to {most}");
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

/// What a histogram found.
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

/// counts_b = how many pixels lie in bin b.
///
/// One pass finds the bin of every pixel, four of them a texel, for both ways to count.
///
/// *By points*, the vertex program fetches the bin of its pixel and scatters 1 there: w·h points, and as many that blend,
/// mostly into few texels.
///
/// *By gather*, a fragment that counted one bin of all pixels would fetch w·h of them for each bin. Instead it counts four bins in each of
/// up to eight targets, and gets four pixels out of one fetch: w·h/4 · ⌈(bins + 3)/32⌉ fetches, 2.25 w·h for 256 bins. The pixels are
/// cut into blocks, to keep the machine busy, whose counts are added by a reduction.
///
/// A 32-bit float counts to 2²⁴ and then stands still. So bands of rows of at most 2²⁴ pixels are counted apart, and added on
/// the CPU as whole numbers: the counts are exact for any image.
///
/// Pixels outside the bins, infinite ones too, are counted below or above, NaN apart: the counts always add up to all pixels. Which bin
/// a pixel lies in is 32-bit arithmetic, ⌊(v − low)·(bins/(high − low))⌋, the same on CPU and GPU unless the GPU takes denormal
/// numbers for 0.
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
    find: Program,
    /// The bins of a band's pixels, four a texel.
    found: Buffer,
    /// A row for each band.
    counts: Buffer,
    count: Count,
}

enum Count {
    Points(Program),
    Gather(Gather),
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
        let limits = gpu.limits();
        bins.check(limits.texture_size)?;
        if by == By::Points {
            supported(gpu, limits.float_blend, "EXT_float_blend")?;
            supported(gpu, limits.vertex_streams > 0, "vertex texture fetch")?;
        }
        let across = width.div_ceil(4);
        let rows = (BAND / (4 * across).max(1)).clamp(1, height.max(1));
        let found = gpu.buffer(across, rows).components(4).named("bins of pixels").build()?;
        let counts = gpu.buffer(bins.places(), height.div_ceil(rows)).named("counts").build()?;
        let find = gpu.builtin("streams/bins_find.frag")?;
        let count = match by {
            By::Points => Count::Points(gpu.load_scatter(
                kernels::named("streams/bins_scatter.vert")?,
                kernels::named("streams/bins_scatter.frag")?,
            )?),
            By::Gather => Count::Gather(Gather::new(gpu, bins.places(), &found)?),
        };
        Ok(Histogram { width, height, bins, find, found, counts, count })
    }

    /// Counts the pixels' component `component`, from 0, on the GPU.
    ///
    /// # Errors
    /// [`Error::WrongShape`] for an image of another size, [`Error::BadParameter`] for a component it does not have.
    pub fn count(&mut self, image: &Buffer, component: usize) -> Result<()> {
        self.check(image, component)?;
        let tail = image.fold().map_or(self.width, |fold| fold.tail());
        let mut channel = [0.0; 4];
        channel[component] = 1.0;
        let Bins { count, low, high } = self.bins;
        self.find
            .bind_stream("image", image)?
            .bind_float("bounds", [self.width as f32, self.height as f32, tail as f32])?
            .bind_float("channel", channel)?
            .bind_float("low_high", [low, high])?
            .bind_float("scale", self.bins.scale())?
            .bind_float("bins", count as f32)?;
        self.counts.texture().clear([0.0; 4]);
        for band in 0..self.counts.height() {
            self.count_band(band)?;
        }
        self.find.release_streams();
        Ok(())
    }

    fn count_band(&mut self, band: u32) -> Result<()> {
        let (across, rows) = (self.found.width(), self.found.height());
        let first = band * rows;
        let rows = rows.min(self.height - first);
        self.find.bind_domain("at", Rect::new(0, first, across, first + rows))?;
        self.find.run_over(&self.found, Rect::whole(across, rows))?;
        match &mut self.count {
            Count::Points(scatter) => {
                scatter.bind_stream("found", &self.found)?.bind_float("row", band as f32)?;
                scatter.onto(&[&self.counts]).adding().counted_points(4 * across * rows).run()
            }
            Count::Gather(gather) => gather.count(&self.found, across * rows, &self.counts, band),
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

    /// What is counted.
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

fn supported(gpu: &Gpu, there: bool, needs: &'static str) -> Result<()> {
    if there {
        return Ok(());
    }
    let renderer = gpu.context().limits_name().to_owned();
    Err(Error::Unsupported { what: "a histogram by points".to_owned(), needs, renderer })
}

/// Counting by fragments: a target's texel (g, k) has four bins, 4 (g + t groups) and the next three of target t, of block k.
struct Gather {
    program: Program,
    place: Program,
    sum: Reduction,
    targets: Vec<Buffer>,
    places: u32,
    /// Texels that a fragment may look at in a pass.
    steps: u32,
}

/// Fragments that keep a GPU busy.
const ENOUGH: u32 = 16_384;

/// Iterations that a loop may make on any driver known.
const ITERATIONS: u32 = 60_000;

impl Gather {
    fn new(gpu: &Gpu, places: u32, found: &Buffer) -> Result<Gather> {
        let limits = gpu.limits();
        let fours = places.div_ceil(4);
        let groups = fours.div_ceil(limits.targets.min(TARGETS as u32));
        let count = fours.div_ceil(groups);
        let blocks = (ENOUGH / groups).clamp(1, limits.texture_size).min(found.len() as u32);
        let target = || gpu.buffer(groups, blocks).components(4).named("counts of blocks").build();
        let targets = (0..count).map(|_| target()).collect::<Result<Vec<Buffer>>>()?;
        let program = gpu.load(for_targets(count)?)?;
        let place = gpu.builtin("streams/bins_place.frag")?;
        let sum = gpu.reduction(Operator::sum());
        Ok(Gather { program, place, sum, targets, places, steps: limits.fetches.min(ITERATIONS) })
    }

    /// Counts the first `texels` texels of `found` into a row of `counts`.
    fn count(&mut self, found: &Buffer, texels: u32, counts: &Buffer, row: u32) -> Result<()> {
        let (groups, blocks) = (self.targets[0].width(), self.targets[0].height());
        let mut targets = [&self.targets[0]; TARGETS];
        targets.iter_mut().zip(&self.targets).for_each(|(slot, target)| *slot = target);
        let targets = &targets[..self.targets.len()];
        self.program.bind_stream("found", found)?;
        if targets.len() > 1 {
            self.program.bind_float("groups", groups as f32)?;
        }
        let mut first = 0;
        while first < texels {
            let steps = (texels - first).div_ceil(blocks).min(self.steps);
            let walk = [first, blocks, steps, texels].map(|v| v as f32);
            self.program.bind_float("walk", walk)?;
            let run = self.program.onto(targets);
            if first == 0 {
                run.run()?
            } else {
                run.adding().run()?
            }
            first += blocks * steps;
        }
        for (target, blocks) in (0..).zip(&self.targets) {
            let sums = self.sum.columns(blocks)?;
            let bins = 4 * groups * target;
            self.place.bind_stream("groups", &sums)?.bind_float("first", bins as f32)?;
            self.place
                .run_over(counts, Rect::new(bins, row, (bins + 4 * groups).min(self.places), row + 1))?;
        }
        self.place.release_streams();
        Ok(())
    }
}

/// The kernel's text for so many targets.
fn for_targets(count: u32) -> Result<crate::gl::Kernel> {
    let all = |line: &dyn Fn(u32) -> String| (0..count).map(line).collect::<String>();
    Ok(kernels::named("streams/bins_gather.frag")?
        .define("EACH_TARGET(word)", all(&|t| format!("word(target_{t}, sum_{t}, bins_{t}, {t}.0) ")))
        .splice("DECLARE_TARGETS", &all(&|t| format!("RANGE vec4 target_{t}; "))))
}
