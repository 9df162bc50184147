//! The slices of a box of voxels as a map.
//!
//! The map needs no loop, so a card that cannot march through a box still shows it.

use super::volume::{Volume, size};
use crate::Result;
use crate::linalg::PLAIN;
use crate::pug::{Buffer, Gpu};

const SLICES: &str = "view/volume_slices.frag";

/// Lays slices out for a [`ColourMap`](super::ColourMap), without a loop.
pub struct Slices {
    gpu: Gpu,
    /// The slices of the last picture laid out, kept for the next one of such a box.
    map: Option<Buffer>,
}

impl Slices {
    /// Makes nothing yet.
    pub fn new(gpu: &Gpu) -> Slices {
        Slices { gpu: gpu.clone(), map: None }
    }

    /// The map that was made last.
    pub fn last(&self) -> Option<&Buffer> {
        self.map.as_ref()
    }

    /// All slices beside and below each other, the lowest first, a texel a voxel; lines of `gap` between them. One pass.
    ///
    /// # Errors
    /// [`Error::WrongShape`](crate::Error::WrongShape) for a vector that is no field of its box;
    /// [`Error::OverLimit`](crate::Error::OverLimit) for a map that is larger than a texture.
    pub fn map(&mut self, volume: Volume, gap: f32) -> Result<&Buffer> {
        let Volume { voxels, field, .. } = volume;
        field.has_layout(voxels.layout(), "field of voxels")?;
        let (width, height) = volume.map();
        let known = self.map.take().filter(|map| (map.width(), map.height()) == (width, height));
        let map = match known {
            Some(map) => map,
            None => self.gpu.buffer(width, height).components(1).named("slices").build()?,
        };
        let algebra = field.algebra();
        let numbers = [[volume.beside() as f32, 0.0, 0.0, 0.0], [gap, 0.0, 0.0, 0.0]];
        algebra
            .pass(SLICES, PLAIN)?
            .streams([field.texture()])
            .constants(&[voxels.tiling(), size(voxels), numbers[0], numbers[1]])
            .onto(&[map.texture()])?;
        Ok(self.map.insert(map))
    }
}
