//! A histogram drawn over its image.
//!
//! With more bins than pixels, each column shows its largest bin. A few passes find it, each of which takes the larger
//! of two elements; they need no loop, so every card can run them.

use crate::Result;
use crate::pug::{Buffer, ConstantHandle, Domain, Gpu, Operator, Program, Reduction, StreamHandle};
use crate::streams::Histogram;

/// The length of a bar for the pixels of its bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BarScale {
    /// As a part of the most pixels of a bin.
    #[default]
    Linear,
    /// The same up to [`BarScale::CLIP`] times the mean of all bins. A bar of more is as long as that, and white at its end.
    Clipped,
    /// By the logarithm of 1 + pixels: a single pixel shows beside millions.
    Logarithmic,
}

impl BarScale {
    /// Means of all bins at which a clipped bar ends. Bars of an equalised image stay below it.
    pub const CLIP: f32 = 12.0;
}

/// Draws an image, and over its lower quarter the bars of its histogram, the longest as high as that, on a ramp of the brightnesses that
/// they stand for. [`BarScale`] says how long
/// the others are.
///
/// Where there are more bins than pixels across, the bar of a column is the largest of the bins that lie in it. What lies outside
/// the bins has no bar. Of an image whose counts come in bands, past 2²⁴ pixels, the bars are those of the first.
///
/// One pass, after those that merge the bins and the reduction that finds the longest bar: the image's domain is the picture,
/// and that of the bars is spread over its width.
pub struct Bars {
    program: Program,
    image: StreamHandle,
    most: StreamHandle,
    full: ConstantHandle,
    logarithmic: ConstantHandle,
    scale: BarScale,
    /// The mean of all bins if every pixel lies in one.
    mean: f32,
    largest: Reduction,
    merge: Merge,
    shown: Buffer,
}

/// Height of the longest bar, as part of the picture's, and of that the ramp of brightnesses below the bars.
const SHARE: f32 = 0.25;
const RAMP: f32 = 0.02;

impl Bars {
    /// For the images that this histogram counts.
    ///
    /// # Errors
    /// Those of making a buffer and a program.
    pub fn new(gpu: &Gpu, histogram: &Histogram) -> Result<Bars> {
        let (width, height) = histogram.size();
        let shown = gpu.buffer(width, height).components(4).named("image with bars").build()?;
        let bins = histogram.bins();
        let merge = Merge::new(gpu, histogram.buffer(), histogram.bins().count, width)?;
        let mut program = gpu.builtin("view/histogram_bars.frag")?;
        program
            .bind_stream("heights", &merge.bars)?
            .bind_float("share", SHARE)?
            .bind_float("ramp", RAMP)?
            .bind_float("low_high", [bins.low, bins.high])?
            .bind_domain("bars", merge.bars.rect())?;
        let (image, most) = (program.stream("image")?, program.stream("most")?);
        let (full, logarithmic) = (program.constant("full")?, program.constant("logarithmic")?);
        let mean = width as f32 * height as f32 / histogram.bins().count as f32;
        let (scale, largest) = (BarScale::default(), gpu.reduction(Operator::max()));
        Ok(Bars { program, image, most, full, logarithmic, scale, mean, largest, merge, shown })
    }

    /// Changes how long bars are, from the next [`Bars::draw`] on; [`BarScale::Linear`] unless said.
    pub fn set_scale(&mut self, scale: BarScale) {
        self.scale = scale;
    }

    /// Draws the image's first component and the bars of what was last counted.
    pub fn draw(&mut self, image: &Buffer) -> Result<&Buffer> {
        self.merge.run()?;
        let most = self.largest.both(&self.merge.bars)?;
        let full = if self.scale == BarScale::Clipped { BarScale::CLIP * self.mean } else { f32::MAX };
        let logarithmic = f32::from(u8::from(self.scale == BarScale::Logarithmic));
        self.program
            .bind_stream(self.image, image)?
            .bind_stream(self.most, &most)?
            .bind_float(self.full, full)?
            .bind_float(self.logarithmic, logarithmic)?;
        self.program.run(&self.shown)?;
        Ok(&self.shown)
    }

    /// The image and the bars drawn last, for [`Mapping::over`](super::Mapping::over): the image's values, their light, which is less behind
    /// the bars, and the share of the bars' colour.
    pub fn shown(&self) -> &Buffer {
        &self.shown
    }
}

/// The largest bin of each column, without a loop.
///
/// With r = bins / columns ≥ 1 a column has m bins or m + 1, m = ⌈r⌉. Passes that each take the larger of an element and
/// one farther right make rows whose elements are the largest of 1, 2, 4, … 2ᵏ ≤ m bins from theirs on. The last pass takes the
/// larger of two such elements, at the column's first bin and 2ᵏ − 1 before its last: 2·2ᵏ ≥ m + 1, so they leave none out.
struct Merge {
    /// Each with the row it reads, and the row it writes: the last writes the bars.
    passes: Vec<(Program, Buffer)>,
    bars: Buffer,
}

/// A column does not see a bin of which it has less than this, so that roundings move no column's end to a bin beside it: the
/// column beside it has the rest.
const SLIVER: f32 = 1.0 / 64.0;

impl Merge {
    fn new(gpu: &Gpu, counts: &Buffer, bins: u32, width: u32) -> Result<Merge> {
        let columns = bins.min(width);
        let ratio = bins as f32 / columns as f32;
        let levels = ((ratio - 2.0 * SLIVER).ceil().max(1.0) as u32).ilog2();
        let moved = |by: f32| Domain::new(by, 0.0, by + bins as f32, 1.0);
        let bars = gpu.buffer(columns, 1).named("bars").build()?;
        let mut merge = Merge { passes: Vec::new(), bars: bars.clone() };
        for level in 0..levels {
            let farther = gpu.buffer(bins, 1).named("largest of bins").build()?;
            merge.add(gpu, counts, [moved(0.0), moved((1 << level) as f32)], farther)?;
        }
        let (half, reach) = (0.5 * ratio - SLIVER, ((1 << levels) - 1) as f32);
        merge.add(gpu, counts, [moved(-half), moved(half - reach)], bars)?;
        Ok(merge)
    }

    /// A pass more, over what the last one writes, or over the counts.
    fn add(&mut self, gpu: &Gpu, counts: &Buffer, [first, last]: [Domain; 2], to: Buffer) -> Result<()> {
        let from = self.passes.last().map_or(counts, |pass| &pass.1);
        let mut program = gpu.builtin("view/bars_merge.frag")?;
        program.bind_stream("counts", from)?.bind_domain("first", first)?.bind_domain("last", last)?;
        self.passes.push((program, to));
        Ok(())
    }

    fn run(&mut self) -> Result<()> {
        self.passes.iter_mut().try_for_each(|(program, to)| program.run(to))
    }
}
