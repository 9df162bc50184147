//! A histogram drawn below its image.
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

/// Draws an image, and below it a strip with the bars of its histogram, the longest as high as the strip, on a ramp of the brightnesses
/// that they stand for. [`BarScale`] says how long the others are. The strip is a third of the image's height, at least an eighth of its
/// width, and never higher than a texture has room for.
///
/// After [`Bars::remember`] the bars have those of that image beside them, as a line that ends at the top where they were longer, and [`Bars::set_split`] shows a part of it.
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
    split: ConstantHandle,
    full: ConstantHandle,
    compared: ConstantHandle,
    logarithmic: ConstantHandle,
    beside: ConstantHandle,
    strip: ConstantHandle,
    ramp: ConstantHandle,
    scale: BarScale,
    before: StreamHandle,
    /// The share of the width that shows the image that is remembered.
    share: f32,
    /// The mean of all bins if every pixel lies in one.
    mean: f32,
    largest: Reduction,
    merge: Merge,
    /// The image that is remembered.
    remembered: Option<Buffer>,
    /// Its bars.
    earlier: Buffer,
    shown: Buffer,
    /// The strip stands right of the image.
    is_beside: bool,
    /// Width and height of an image.
    size: [u32; 2],
    /// The picture with the strip elsewhere, if it was drawn once.
    other: Option<Buffer>,
    gpu: Gpu,
}

/// Width and height of an image with its strip.
fn sides(gpu: &Gpu, [width, height]: [u32; 2], beside: bool) -> [u32; 2] {
    let strip = |along: u32, across: u32| {
        across.div_ceil(3).max(along / 8).min(gpu.limits().texture_size.saturating_sub(across))
    };
    match beside {
        true => [width + strip(height, width), height],
        false => [width, height + strip(width, height)],
    }
}

fn picture(gpu: &Gpu, size: [u32; 2], beside: bool) -> Result<Buffer> {
    let [width, height] = sides(gpu, size, beside);
    gpu.buffer(width, height).components(4).named("image with bars").build()
}

/// Height of the ramp of brightnesses below the bars, as part of the strip's.
const RAMP: f32 = 0.08;

impl Bars {
    /// For the images that this histogram counts.
    ///
    /// # Errors
    /// Those of making a buffer and a program.
    pub fn new(gpu: &Gpu, histogram: &Histogram) -> Result<Bars> {
        let (width, height) = histogram.size();
        let shown = picture(gpu, [width, height], false)?;
        let bins = histogram.bins();
        let merge = Merge::new(gpu, histogram.buffer(), histogram.bins().count, width)?;
        let earlier = gpu.buffer(merge.bars.width(), 1).named("bars before").build()?;
        let mut program = gpu.builtin("view/histogram_bars.frag")?;
        program
            .bind_stream("earlier", &earlier)?
            .bind_stream("heights", &merge.bars)?
            .bind_float("low_high", [bins.low, bins.high])?
            .bind_domain("bars", merge.bars.rect())?;
        let stream = |name| program.stream(name);
        let (image, before, most) = (stream("image")?, stream("before")?, stream("most")?);
        let constant = |name| program.constant(name);
        let (split, full, compared) = (constant("split")?, constant("full")?, constant("compared")?);
        let (logarithmic, beside) = (constant("logarithmic")?, constant("beside")?);
        let (strip, ramp) = (constant("strip")?, constant("ramp")?);
        let mean = width as f32 * height as f32 / histogram.bins().count as f32;
        let (scale, largest) = (BarScale::default(), gpu.reduction(Operator::max()));
        Ok(Bars {
            program,
            image,
            most,
            split,
            full,
            compared,
            logarithmic,
            beside,
            strip,
            ramp,
            scale,
            before,
            share: 0.0,
            mean,
            largest,
            merge,
            remembered: None,
            earlier,
            shown,
            is_beside: false,
            size: [width, height],
            other: None,
            gpu: gpu.clone(),
        })
    }

    /// Draws the strip right of the image, a third of its width, with brightness upwards, or below it, from the next [`Bars::draw`] on; below
    /// unless said. Says whether that is another place than before.
    ///
    /// # Errors
    /// Those of making a buffer.
    pub fn set_beside(&mut self, beside: bool) -> Result<bool> {
        if beside == self.is_beside {
            return Ok(false);
        }
        let other = self.other.take().map_or_else(|| picture(&self.gpu, self.size, beside), Ok)?;
        self.other = Some(std::mem::replace(&mut self.shown, other));
        self.is_beside = beside;
        Ok(true)
    }

    /// Returns true if the strip stands right of the image.
    pub fn is_beside(&self) -> bool {
        self.is_beside
    }

    /// Width and height of the picture with the strip below the image, and beside it.
    pub fn sizes(&self) -> [[u32; 2]; 2] {
        [false, true].map(|beside| sides(&self.gpu, self.size, beside))
    }

    /// Changes how long bars are, from the next [`Bars::draw`] on; [`BarScale::Linear`] unless said.
    pub fn set_scale(&mut self, scale: BarScale) {
        self.scale = scale;
    }

    /// Shows the image that is remembered in this share of the width, from the left, from the next [`Bars::draw`] on; 0 unless said.
    pub fn set_split(&mut self, share: f32) {
        self.share = share;
    }

    /// Shows that image, whatever is in it by then, and the bars of what was last counted, beside those to come.
    pub fn remember(&mut self, image: &Buffer) -> Result<()> {
        self.merge.run()?;
        self.earlier.copy_from(&self.merge.bars)?;
        self.remembered = Some(image.clone());
        Ok(())
    }

    /// Draws the image's first component and the bars of what was last counted.
    pub fn draw(&mut self, image: &Buffer) -> Result<&Buffer> {
        self.merge.run()?;
        let most = self.largest.both(&self.merge.bars)?;
        let full = if self.scale == BarScale::Clipped { BarScale::CLIP * self.mean } else { f32::MAX };
        let flag = |on| f32::from(u8::from(on));
        let share = if self.remembered.is_some() { self.share } else { 0.0 };
        let strip = match self.is_beside {
            true => self.shown.width() - image.width(),
            false => self.shown.height() - image.height(),
        };
        self.program
            .bind_stream(self.image, image)?
            .bind_stream(self.before, self.remembered.as_ref().unwrap_or(image))?
            .bind_stream(self.most, &most)?
            .bind_float(self.split, share)?
            .bind_float(self.full, full)?
            .bind_float(self.compared, flag(self.remembered.is_some()))?
            .bind_float(self.logarithmic, flag(self.scale == BarScale::Logarithmic))?
            .bind_float(self.beside, flag(self.is_beside))?
            .bind_float(self.strip, strip as f32)?
            .bind_float(self.ramp, (RAMP * strip as f32).round())?;
        self.program.run(&self.shown)?;
        Ok(&self.shown)
    }

    /// The image and the bars drawn last, for [`Mapping::over`](super::Mapping::over): the image's values, their light, and the share of the
    /// bars' colour.
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
const SLIVER: f32 = 0.013;

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
