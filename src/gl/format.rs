//! The formats and sizes of textures.

use super::Rect;

/// The format of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// One 32-bit float.
    R32F,
    /// Two 32-bit floats.
    Rg32F,
    /// Four 32-bit floats.
    Rgba32F,
    /// One 16-bit float.
    R16F,
    /// Two 16-bit floats.
    Rg16F,
    /// Four 16-bit floats.
    Rgba16F,
    /// One byte, which stands for 0 to 1.
    R8,
    /// Two bytes, each standing for 0 to 1.
    Rg8,
    /// Four bytes, each standing for 0 to 1: pictures, too.
    Rgba8,
}

impl Format {
    /// Values a texel stores.
    pub const fn components(self) -> usize {
        match self {
            Format::R32F | Format::R16F | Format::R8 => 1,
            Format::Rg32F | Format::Rg16F | Format::Rg8 => 2,
            Format::Rgba32F | Format::Rgba16F | Format::Rgba8 => 4,
        }
    }

    /// Bytes a texel takes.
    pub const fn bytes(self) -> u64 {
        match self {
            Format::R8 => 1,
            Format::R16F | Format::Rg8 => 2,
            Format::R32F | Format::Rg16F | Format::Rgba8 => 4,
            Format::Rg32F | Format::Rgba16F => 8,
            Format::Rgba32F => 16,
        }
    }

    /// Returns true if its components are bytes that stand for 0 to 1.
    pub const fn is_fixed(self) -> bool {
        matches!(self, Format::R8 | Format::Rg8 | Format::Rgba8)
    }

    pub(super) const fn internal(self) -> u32 {
        match self {
            Format::R32F => glow::R32F,
            Format::Rg32F => glow::RG32F,
            Format::Rgba32F => glow::RGBA32F,
            Format::R16F => glow::R16F,
            Format::Rg16F => glow::RG16F,
            Format::Rgba16F => glow::RGBA16F,
            Format::R8 => glow::R8,
            Format::Rg8 => glow::RG8,
            Format::Rgba8 => glow::RGBA8,
        }
    }

    /// Format and type of the pixels that the CPU hands over and takes.
    pub(super) const fn external(self) -> (u32, u32) {
        let kind = if self.is_fixed() { glow::UNSIGNED_BYTE } else { glow::FLOAT };
        match self.components() {
            1 => (glow::RED, kind),
            2 => (glow::RG, kind),
            _ => (glow::RGBA, kind),
        }
    }
}

/// The byte that stands for a number: 255 times it, rounded to the nearest; 0 below 0 and of NaN, 255 above 1.
pub(crate) fn byte_of(value: f32) -> u8 {
    // The product is exact in 64 bits, and `as` keeps to the range of a byte.
    (255.0 * f64::from(value)).round() as u8
}

/// The 32-bit number next to byte / 255.
pub(crate) fn number_of(byte: u8) -> f32 {
    f32::from(byte) / 255.0
}

/// Bytes that a texture with its framebuffer takes besides its texels, as they are counted. Mesa 22.3 (llvmpipe) takes 4290
/// for one of a single texel.
pub const OBJECT: u64 = 4096;

/// Size and format: textures of one shape stand in for each other in the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Texels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The format of each texel.
    pub format: Format,
}

impl Shape {
    /// Bytes of the texels.
    pub const fn bytes(&self) -> u64 {
        self.width as u64 * self.height as u64 * self.format.bytes()
    }

    /// Bytes that a texture takes: its texels, and [`OBJECT`] more.
    pub const fn cost(&self) -> u64 {
        self.bytes() + OBJECT
    }

    /// The whole texture.
    pub const fn rect(&self) -> Rect {
        Rect::whole(self.width, self.height)
    }
}
