//! The number formats of Table 31-1 and the fixed-point numbers of 8 bits before them, as formats of buffers.
//!
//! 24-bit numbers and ATI's 16-bit numbers are stored in 32-bit textures. Their kernels get a second `main` around
//! their own, which rounds the stored values.
//!
//! 8-bit fixed-point buffers round as the driver does, so that they blend and can be targets beside floats in one pass.
//! The CPU reads and writes bytes, because ES promises no other type for them. A reduction of such a buffer is 32-bit.

use crate::gl::{Format, Rounding, byte_of, number_of};

/// How a buffer stores a number.
///
/// The two formats of ATI's cards no longer exist. Here they are kept in 32-bit textures and rounded at every *store*;
/// the cards rounded at every operation. Stores chop towards zero, as the adders of those cards did (Hillesland &
/// Lastra, *GPU Floating-Point Paranoia*, 2004, measured errors in (−1, 0] units).
///
/// | | bits: exponent, mantissa | largest | smallest | whole numbers up to | specials |
/// |---|---|---|---|---|---|
/// | `Float32` | 8, 23 | 2¹²⁸ | 2⁻¹²⁶ | 16 777 216 | yes |
/// | `Float24` | 7, 16 | 2⁶⁵ − 2⁴⁸ | 2⁻⁶² | 131 072 | no |
/// | `Float16` | 5, 10 | 65 504 | 2⁻²⁴ | 2048 | yes |
/// | `Float16Ati` | 5, 10 | 131 008 | 2⁻¹⁵ | 2048 | no |
///
/// Beyond the largest number, the formats without infinity store the largest number. `Float32` stores infinity;
/// `Float16` stores infinity where the driver rounds to nearest, and 65 504 where it chops.
///
/// `Fixed8`, which all cards had before floats, is not in that table. It takes a byte a component; three components
/// take the room of four. The byte k is the number k/255, 0 to 1. A kernel fetches it to within a unit in the last
/// place of 32 bits, and the CPU reads the 32-bit number next to it ([`Buffer::bytes`](super::Buffer::bytes): k
/// itself). A store clamps v to 0 to 1 and keeps round(255 v), so it is off by at most 1/510, and a value that changes
/// by less than that in a step stays the same.
///
/// The CPU stores NaN as 0. OpenGL leaves open what a pass stores for NaN, and lets a driver round to either neighbour,
/// off by less than 1/255; llvmpipe takes the nearest. Blending clamps and rounds each term and each sum, so n terms
/// are off by up to n/255, and a sum ends at 1. The results of reductions are 32-bit.
///
/// # References
/// Harris, *Mapping Computational Concepts to GPUs*, Table 31-1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// IEEE 754 single precision (NVIDIA 32-bit).
    #[default]
    Float32,
    /// ATI 24-bit, emulated.
    Float24,
    /// IEEE 754 half precision (NVIDIA 16-bit), stored by the driver, which may round to nearest or chop.
    Float16,
    /// ATI 16-bit, emulated.
    Float16Ati,
    /// Fixed-point 8-bit: k/255, k from 0 to 255.
    Fixed8,
}

impl Precision {
    /// Every format of Table 31-1, the widest first.
    pub const ALL: [Precision; 4] =
        [Precision::Float32, Precision::Float24, Precision::Float16, Precision::Float16Ati];

    /// Its name for a reader: whose it was, and how wide.
    pub fn name(self) -> &'static str {
        match self {
            Precision::Float32 => "32-bit",
            Precision::Float24 => "24-bit (ATI)",
            Precision::Float16 => "16-bit (NVIDIA)",
            Precision::Float16Ati => "16-bit (ATI)",
            Precision::Fixed8 => "8-bit fixed-point",
        }
    }

    /// 2^(mantissa + 1), or 1 of fixed-point numbers: all whole numbers from 0 to it are kept, the next one is not.
    pub fn whole_numbers(self) -> u32 {
        match self {
            Precision::Float32 => 1 << 24,
            Precision::Float24 => 1 << 17,
            Precision::Float16 | Precision::Float16Ati => 1 << 11,
            Precision::Fixed8 => 1,
        }
    }

    pub(super) fn rounding(self) -> Rounding {
        match self {
            Precision::Float32 | Precision::Float16 | Precision::Fixed8 => Rounding::None,
            Precision::Float24 => Rounding::Ati24,
            Precision::Float16Ati => Rounding::Ati16,
        }
    }

    /// The texture format; three components take the room of four.
    pub(super) fn format(self, components: usize) -> Format {
        match (self, components) {
            (Precision::Float16, 1) => Format::R16F,
            (Precision::Float16, 2) => Format::Rg16F,
            (Precision::Float16, _) => Format::Rgba16F,
            (Precision::Fixed8, 1) => Format::R8,
            (Precision::Fixed8, 2) => Format::Rg8,
            (Precision::Fixed8, _) => Format::Rgba8,
            (_, 1) => Format::R32F,
            (_, 2) => Format::Rg32F,
            _ => Format::Rgba32F,
        }
    }

    /// The format of a reduction's results: sums of `Fixed8` leave 0 to 1.
    pub(super) fn reduced(self) -> Precision {
        if self == Precision::Fixed8 { Precision::Float32 } else { self }
    }

    /// The number that an emulated format or `Fixed8` stores for a value. The driver stores `Float32` and `Float16`:
    /// for them this returns the value itself, also beyond the range of the format.
    pub fn store(self, value: f32) -> f32 {
        let (kept, smallest, largest) = match self {
            Precision::Float32 | Precision::Float16 => return value,
            Precision::Float24 => (0xffff_ff80, 2f32.powi(-62), 131_071.0 * 2f32.powi(48)),
            Precision::Float16Ati => (0xffff_e000, 2f32.powi(-15), 131_008.0),
            Precision::Fixed8 => return number_of(byte_of(value)),
        };
        let chopped = f32::from_bits(value.to_bits() & kept);
        if value.is_nan() {
            largest
        } else if chopped.abs() < smallest {
            0.0
        } else {
            chopped.clamp(-largest, largest)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Precision::{Float16Ati, Float24};

    #[test]
    fn whole_numbers_end_where_table_31_1_says() {
        for (precision, last) in [(Float24, 131_072.0), (Float16Ati, 2048.0)] {
            assert!((0..=last as u32).all(|n| precision.store(n as f32) == n as f32));
            assert_eq!(precision.store(last + 1.0), last);
        }
    }

    #[test]
    fn the_ends_of_the_range_are_those_of_table_31_1() {
        assert_eq!(Float16Ati.store(1e9), 131_008.0);
        assert_eq!(Float16Ati.store(f32::INFINITY), 131_008.0);
        assert_eq!(Float24.store(f32::NEG_INFINITY), -(2f32.powi(65) - 2f32.powi(48)));
        assert_eq!(Float24.store(2f32.powi(-62)), 2f32.powi(-62));
        assert_eq!(Float24.store(2f32.powi(-63)), 0.0);
        assert_eq!(Float16Ati.store(-2f32.powi(-16)), 0.0);
    }
}
