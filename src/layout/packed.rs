//! The packed layout: 2×2 elements to a texel.

use std::fmt;

use crate::{Error, Result};

/// A field of width × height elements, row after row, 2×2 neighbours of it in each RGBA texel:
/// r = (row, column), g = (row, column + 1), b = (row + 1, column), a = (row + 1, column + 1).
///
/// The last row of the field may be part empty; what lies beyond the elements is padding.
///
/// # References
/// Krüger & Westermann, GPU Gems 2 ch. 44, §44.2.1 (row A2).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Packed2x2 {
    len: usize,
    width: u32,
    height: u32,
}

impl fmt::Debug for Packed2x2 {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// "35 elements in 6x6".
impl fmt::Display for Packed2x2 {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "{} element{} in {}x{}",
            self.len,
            if self.len == 1 { "" } else { "s" },
            self.width,
            self.height
        )
    }
}

impl Packed2x2 {
    /// A grid of width × height elements that keeps its rows and columns.
    ///
    /// # Errors
    /// [`Error::Empty`]; [`Error::OverLimit`] for more elements than the memory of this machine can count.
    pub fn grid(width: u32, height: u32) -> Result<Packed2x2> {
        if width == 0 || height == 0 {
            return Err(Error::Empty { what: "vector".into(), width, height });
        }
        Ok(Packed2x2 { len: counted(width, height, usize::MAX)?, width, height })
    }

    /// `len` elements folded into a field that is as square as can be.
    ///
    /// # Errors
    /// [`Error::Empty`]; [`Error::OverLimit`] past 2³¹ − 1 elements, whose fold no texture holds.
    pub fn folded(len: usize) -> Result<Packed2x2> {
        let root = len.isqrt();
        let width = root + usize::from(root * root < len);
        Packed2x2::folded_by(len, width.next_multiple_of(2).min(len).max(1))
    }

    /// `len` elements folded row by row into a field of that width.
    ///
    /// # Errors
    /// As [`Packed2x2::folded`].
    pub fn folded_by(len: usize, width: usize) -> Result<Packed2x2> {
        if len == 0 || width == 0 {
            return Err(Error::Empty { what: "vector".into(), width: 0, height: 0 });
        }
        let over = |n: usize| Error::OverLimit {
            what: format!("vector of {len} elements in rows of {width}"),
            quantity: "length",
            found: n as u64,
            limit: i32::MAX as u64,
        };
        let side = |n: usize| i32::try_from(n).map(|n| n as u32).map_err(|_| over(n));
        side(len)?;
        Ok(Packed2x2 { len, width: side(width)?, height: side(len.div_ceil(width))? })
    }

    /// Elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Never: a layout has at least one element.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Columns of the field.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Rows of the field.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Columns and rows of texels.
    pub fn texels(&self) -> (u32, u32) {
        (self.width.div_ceil(2), self.height.div_ceil(2))
    }

    /// Elements in the last row of the field, 1 to its width.
    pub fn tail(&self) -> u32 {
        (self.len - (self.height as usize - 1) * self.width as usize) as u32
    }

    /// Domains over all texels: the texels themselves, and column + 1, row + 1 of the first element of each.
    pub(crate) fn texels_and_elements(&self) -> [[f32; 4]; 2] {
        let (width, height) = self.texels();
        let (width, height) = (width as f32, height as f32);
        [[0.0, 0.0, width, height], [0.0, 0.0, 2.0 * width, 2.0 * height]]
    }

    /// Columns, rows and length of the last row, as kernels take them.
    pub(crate) fn bounds(&self) -> [f32; 4] {
        [self.width as f32, self.height as f32, self.tail() as f32, 0.0]
    }

    /// Returns true if there is padding: channels that hold no element.
    pub fn is_padded(&self) -> bool {
        let (width, height) = self.texels();
        self.len != 4 * width as usize * height as usize
    }

    /// Column and row of element `index` in the field.
    pub fn place(&self, index: usize) -> (u32, u32) {
        ((index % self.width as usize) as u32, (index / self.width as usize) as u32)
    }

    /// The place of element `index` in the texture's values, four a texel.
    pub fn slot(&self, index: usize) -> usize {
        let (column, row) = self.place(index);
        let texel = (row / 2) as usize * self.texels().0 as usize + (column / 2) as usize;
        4 * texel + (2 * (row % 2) + column % 2) as usize
    }

    /// The elements as the texture holds them, padding filled with `padding`.
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn pack(&self, elements: &[f32], padding: f32) -> Result<Vec<f32>> {
        if elements.len() != self.len {
            let (what, shape) = ("vector".to_owned(), self.to_string());
            return Err(Error::WrongLength { what, found: elements.len(), expected: self.len, shape });
        }
        let (width, height) = self.texels();
        let mut packed = vec![padding; 4 * width as usize * height as usize];
        for (row, elements) in elements.chunks(self.width as usize).enumerate() {
            let first = self.slot(row * self.width as usize);
            for (pair, values) in elements.chunks(2).enumerate() {
                packed[first + 4 * pair..][..values.len()].copy_from_slice(values);
            }
        }
        Ok(packed)
    }

    /// The elements out of what the texture holds.
    ///
    /// # Panics
    /// If those are fewer than four for each texel.
    pub fn unpack(&self, packed: &[f32]) -> Vec<f32> {
        let mut elements = vec![0.0; self.len];
        for (row, elements) in elements.chunks_mut(self.width as usize).enumerate() {
            let first = self.slot(row * self.width as usize);
            for (pair, values) in elements.chunks_mut(2).enumerate() {
                values.copy_from_slice(&packed[first + 4 * pair..][..values.len()]);
            }
        }
        elements
    }
}

/// Elements of a grid, unless they are more than `most`: on a machine of 32 bits a product of two sides may be.
fn counted(width: u32, height: u32, most: usize) -> Result<usize> {
    let found = u64::from(width) * u64::from(height);
    usize::try_from(found).ok().filter(|found| *found <= most).ok_or_else(|| Error::OverLimit {
        what: format!("vector of {width}x{height}"),
        quantity: "number of elements",
        found,
        limit: most as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_of_sides_that_32_bits_do_not_count_is_refused() -> Result<()> {
        let most = u32::MAX as usize;
        assert_eq!(counted(65_535, 65_537, most)?, most);
        let line = counted(65_536, 65_537, most).err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(line, "vector of 65536x65537: number of elements is 4295032832, the limit is 4294967295");
        assert!(counted(65_536, 65_537, usize::MAX).is_ok());
        Ok(())
    }

    #[test]
    fn every_element_has_its_own_slot_and_packing_puts_it_there() -> Result<()> {
        let layouts = [(1, 1), (1, 2), (2, 1), (3, 3), (11, 10), (31, 57), (127, 2), (2, 251)]
            .map(|(width, height)| Packed2x2::grid(width, height))
            .into_iter()
            .chain((1..300).map(Packed2x2::folded));
        for layout in layouts {
            let layout = layout?;
            let elements: Vec<f32> = (1..=layout.len()).map(|i| i as f32).collect();
            let packed = layout.pack(&elements, 0.0)?;
            let zeros = packed.iter().filter(|&&v| v == 0.0).count();
            assert_eq!(zeros + layout.len(), packed.len(), "{layout}");
            assert_eq!(zeros > 0, layout.is_padded(), "{layout}");
            assert!((0..layout.len()).all(|i| packed[layout.slot(i)] == elements[i]), "{layout}");
            assert_eq!(layout.unpack(&packed), elements, "{layout}");
        }
        Ok(())
    }

    #[test]
    fn channels_are_the_2x2_block() -> Result<()> {
        let layout = Packed2x2::grid(4, 2)?;
        let packed = layout.pack(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], -1.0)?;
        assert_eq!(packed, [0.0, 1.0, 4.0, 5.0, 2.0, 3.0, 6.0, 7.0]);
        Ok(())
    }

    #[test]
    fn folds_are_near_square_and_refuse_nothing_and_too_much() -> Result<()> {
        for len in [1, 2, 3, 5, 17, 4096, 1_000_003] {
            let layout = Packed2x2::folded(len)?;
            assert!(layout.width().abs_diff(layout.height()) <= 3, "{layout}");
            assert!(layout.width() >= layout.height(), "{layout}: no fold is higher than wide");
        }
        assert!(matches!(Packed2x2::folded(0), Err(Error::Empty { .. })));
        assert!(matches!(Packed2x2::folded(1 << 40), Err(Error::OverLimit { .. })));
        assert!(matches!(
            Packed2x2::grid(3, 3)?.pack(&[0.0; 8], 0.0),
            Err(Error::WrongLength { found: 8, .. })
        ));
        Ok(())
    }
}
