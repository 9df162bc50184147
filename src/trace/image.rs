//! Copies of textures: their range, a small picture, a hash, and all numbers where there is room.

use crate::gl::Shape;

/// The content of a texture, between two steps that change it.
#[derive(Clone, Debug)]
pub struct Image {
    /// The number of the storage: the pool gives the same one to several textures, one after the other.
    pub storage: u64,
    /// Its size and format.
    pub shape: Shape,
    /// The step that made it; none if it was there when the recording began.
    pub by: Option<usize>,
    /// The content before, of which this one keeps what the step did not write.
    pub before: Option<usize>,
    /// Its numbers, where they were looked at.
    pub content: Option<Content>,
}

/// The numbers of a texture, as far as they were kept.
#[derive(Clone, Debug)]
pub struct Content {
    /// The least and the greatest finite number of each channel; the first above the second where there is none.
    pub ranges: Vec<(f32, f32)>,
    /// Numbers that are NaN or infinite.
    pub not_finite: u64,
    /// FNV-1a of the bits of all numbers, those of each texel in order.
    pub hash: u64,
    /// A small picture of them.
    pub thumbnail: Thumbnail,
    /// All numbers, where they were asked for and there was room.
    pub values: Option<Vec<f32>>,
}

/// Every `stride`-th texel of every `stride`-th row, each channel from 0 at the least to 254 at the greatest; 255 is not finite.
#[derive(Clone, Debug, Default)]
pub struct Thumbnail {
    /// Levels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Texels from one to the next, each way.
    pub stride: u32,
    /// Row after row, the channels of a texel together.
    pub levels: Vec<u8>,
}

impl Image {
    /// The numbers of a texel, and true if they are exact: from the small picture they are those of a texel near it, to 1/254 of the
    /// range of each channel. `None` where nothing was read, or outside.
    pub fn numbers_at(&self, x: u32, y: u32) -> Option<(Vec<f32>, bool)> {
        let content = self.content.as_ref().filter(|_| x < self.shape.width && y < self.shape.height)?;
        let channels = self.shape.format.components();
        if let Some(values) = &content.values {
            let first = (y as usize * self.shape.width as usize + x as usize) * channels;
            return Some((values.get(first..first + channels)?.to_vec(), true));
        }
        let Thumbnail { width, stride, levels, .. } = &content.thumbnail;
        let first = (y.checked_div(*stride)? as usize * *width as usize + (x / stride) as usize) * channels;
        let levels = levels.get(first..first + channels)?.iter().zip(&content.ranges);
        let number = |(&level, &(least, most)): (&u8, &(f32, f32))| match level {
            255 => f32::NAN,
            level => least + (most - least) * (f32::from(level) / 254.0),
        };
        Some((levels.map(number).collect(), false))
    }

    /// The width, the height, and the place of each texel in the range of a channel, from 0 to 1, NaN where it is not finite: of all
    /// texels if they were kept, else of the small picture. Row 0 comes first.
    pub fn shares(&self, channel: usize) -> Option<(usize, usize, Vec<f32>)> {
        let content = self.content.as_ref()?;
        let channels = self.shape.format.components();
        let (least, most) = *content.ranges.get(channel)?;
        if let Some(values) = &content.values {
            let share = |texel: &[f32]| match texel[channel] {
                value if !value.is_finite() => f32::NAN,
                value if most > least => (value - least) / (most - least),
                _ => 0.5,
            };
            let shares = values.chunks_exact(channels).map(share).collect();
            return Some((self.shape.width as usize, self.shape.height as usize, shares));
        }
        let Thumbnail { width, height, levels, .. } = &content.thumbnail;
        let share = |texel: &[u8]| match texel[channel] {
            255 => f32::NAN,
            level => f32::from(level) / 254.0,
        };
        let shares: Vec<f32> = levels.chunks_exact(channels).map(share).collect();
        (!shares.is_empty()).then_some((*width as usize, *height as usize, shares))
    }
}

impl Content {
    /// Sums up numbers of that shape; a picture of at most `side` texels a side.
    pub(super) fn of(shape: Shape, values: Vec<f32>, side: u32, keep: bool) -> Content {
        let channels = shape.format.components();
        let mut ranges = vec![(f32::INFINITY, f32::NEG_INFINITY); channels];
        let (mut not_finite, mut hash) = (0, 0xcbf2_9ce4_8422_2325_u64);
        for texel in values.chunks_exact(channels) {
            for (value, range) in texel.iter().zip(&mut ranges) {
                hash = (hash ^ u64::from(value.to_bits())).wrapping_mul(0x0100_0000_01b3);
                if value.is_finite() {
                    *range = (range.0.min(*value), range.1.max(*value));
                } else {
                    not_finite += 1;
                }
            }
        }
        let thumbnail = Thumbnail::of(shape, &values, side, &ranges);
        Content { ranges, not_finite, hash, thumbnail, values: keep.then_some(values) }
    }
}

impl Thumbnail {
    fn of(shape: Shape, values: &[f32], side: u32, ranges: &[(f32, f32)]) -> Thumbnail {
        if side == 0 {
            return Thumbnail::default();
        }
        let stride = shape.width.max(shape.height).div_ceil(side);
        let (width, height) = (shape.width.div_ceil(stride), shape.height.div_ceil(stride));
        let channels = shape.format.components();
        let mut levels = Vec::with_capacity((width * height) as usize * channels);
        for y in (0..shape.height).step_by(stride as usize) {
            for x in (0..shape.width).step_by(stride as usize) {
                let first = (y as usize * shape.width as usize + x as usize) * channels;
                for (value, (least, most)) in values[first..first + channels].iter().zip(ranges) {
                    let span = f64::from(*most) - f64::from(*least);
                    let share = if span > 0.0 { (f64::from(*value) - f64::from(*least)) / span } else { 0.5 };
                    levels.push(if value.is_finite() { (share * 254.0).round() as u8 } else { 255 });
                }
            }
        }
        Thumbnail { width, height, stride, levels }
    }
}
