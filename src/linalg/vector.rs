//! A vector in 2×2-packed texels: making, setting, getting, packing, reducing.

use super::texelwise::{Padding, Texels};
use super::{Algebra, Scalar};
use crate::gl::{Format, ReadBack, Shape, Texture};
use crate::layout::Packed2x2;
use crate::pug::{Access, Buffer, Terms};
use crate::{Error, Result};

/// A vector on the GPU, 2×2 elements of its field in each texel (row A2). The rest of the last texels is padding and
/// holds 0.
///
/// An operation that changes a vector in place draws into a texture of the pool and keeps that one.
pub struct Vector {
    algebra: Algebra,
    layout: Packed2x2,
    texture: Texture,
}

const FILL_PADDING: &str = "linalg/fill_padding.frag";
const UNPACK: &str = "linalg/unpack.frag";
const PACK: &str = "linalg/pack.frag";

impl Vector {
    /// A vector whose elements are whatever the pooled texture holds: every texel must be written next.
    pub(crate) fn uninitialised(algebra: &Algebra, layout: Packed2x2) -> Result<Vector> {
        Ok(Vector { algebra: algebra.clone(), layout, texture: algebra.texture(layout)? })
    }

    /// Number of elements and how they lie.
    pub fn layout(&self) -> Packed2x2 {
        self.layout
    }

    /// Elements.
    pub fn len(&self) -> usize {
        self.layout.len()
    }

    /// Never: a vector has at least one element.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The algebra it was made by.
    pub fn algebra(&self) -> &Algebra {
        &self.algebra
    }

    pub(crate) fn texture(&self) -> &Texture {
        &self.texture
    }

    /// The texture to draw into next; the caller writes every texel of it.
    pub(crate) fn replace_texture(&mut self, texture: Texture) {
        self.texture = texture;
    }

    /// The same, and gives the one that was there.
    pub(crate) fn exchange_texture(&mut self, texture: Texture) -> Texture {
        std::mem::replace(&mut self.texture, texture)
    }

    /// Uploads all elements.
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn set(&mut self, elements: &[f32]) -> Result<()> {
        self.texture.upload(self.texture.shape().rect(), &self.layout.pack(elements, 0.0)?)
    }

    /// Sets all elements to one value.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]: a vector with padding takes a pass into another texture.
    pub fn fill(&mut self, value: f32) -> Result<()> {
        self.texture.clear([value; 4]);
        if self.layout.is_padded() && value != 0.0 {
            self.texture = self.with_padding(0.0)?;
        }
        Ok(())
    }

    /// Reads all elements back and waits for them.
    ///
    /// # Errors
    /// [`ContextLost`](crate::Error::ContextLost); [`Driver`](crate::Error::Driver) where the driver refuses the read.
    pub fn get(&self) -> Result<Vec<f32>> {
        Ok(self.layout.unpack(&self.texture.read(self.texture.shape().rect())?))
    }

    /// Starts reading back. The values that arrive are packed: [`Packed2x2::unpack`] brings them in order.
    ///
    /// # Errors
    /// [`Error::Driver`] where the driver has no buffer for it.
    pub fn get_async(&self) -> Result<ReadBack> {
        self.texture.read_async(self.texture.shape().rect())
    }

    /// Another vector of the same elements: one pass.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn try_clone(&self) -> Result<Vector> {
        let mut copy = Vector::uninitialised(&self.algebra, self.layout)?;
        copy.copy_from(self)?;
        Ok(copy)
    }

    /// One element a texel into `grid`, which is as wide and high as the field: for drawing. One pass.
    ///
    /// # Errors
    /// [`Error::WrongShape`], [`Error::OtherContext`]; [`Error::Access`] for a read-only buffer.
    pub fn unpack(&self, grid: &Buffer) -> Result<()> {
        self.check_grid(grid, Access::Read, ("read-only", "written by a pass"))?;
        self.unpack_into(grid.texture())
    }

    /// The elements in a texture of the pool, one a texel, as wide and high as the field. One pass.
    pub(crate) fn unpacked(&self) -> Result<Texture> {
        let (width, height) = (self.layout.width(), self.layout.height());
        let texture = self.algebra.context().texture(Shape { width, height, format: Format::R32F })?;
        self.unpack_into(&texture)?;
        Ok(texture)
    }

    fn unpack_into(&self, target: &Texture) -> Result<()> {
        let (width, height) = self.size();
        self.algebra
            .pass(UNPACK, super::algebra::PLAIN)?
            .streams([&self.texture])
            .domains(&[[0.0, 0.0, width / 2.0, height / 2.0]])
            .onto(&[target])
    }

    /// The elements of `grid`, one a texel, into this vector. One pass.
    ///
    /// # Errors
    /// [`Error::WrongShape`], [`Error::OtherContext`]; [`Error::Access`] for a write-only buffer.
    pub fn pack(&mut self, grid: &Buffer) -> Result<()> {
        self.check_grid(grid, Access::Write, ("write-only", "bound to a stream"))?;
        let (width, height) = self.layout.texels();
        let domain = [[-0.5, -0.5, 2.0 * width as f32 - 0.5, 2.0 * height as f32 - 0.5]];
        self.algebra
            .pass(PACK, super::algebra::PLAIN)?
            .streams([grid.texture()])
            .constants(&[self.layout.bounds()])
            .domains(&domain)
            .onto(&[&self.texture])
    }

    /// sum = Σ xᵢ, in a tree: error at most (⌈log₂ n⌉ + 2)·2⁻²⁴·Σ|x| (row A7).
    ///
    /// # Errors
    /// [`Error::OtherContext`], [`Error::OutOfMemory`].
    pub fn sum(&self, sum: &mut Scalar) -> Result<()> {
        self.same_context(sum.algebra())?;
        self.algebra.sum().fold_into(Terms::Values(&self.texture), sum.texture())
    }

    /// product = x·y: the products are made in the first step of the sum (row A7). Error at most
    /// (⌈log₂ n⌉ + 2)·2⁻²⁴·Σ|xᵢ yᵢ|.
    ///
    /// # Errors
    /// [`Error::WrongShape`], [`Error::OtherContext`], [`Error::OutOfMemory`].
    pub fn dot(&self, y: &Vector, product: &mut Scalar) -> Result<()> {
        self.same_shape(y, "dot product")?;
        self.same_context(product.algebra())?;
        self.algebra.sum().fold_into(Terms::Products(&self.texture, &y.texture), product.texture())
    }

    /// norm = ‖x‖, the root of x·x, which must not overflow or underflow.
    ///
    /// # Errors
    /// As [`Vector::sum`].
    pub fn norm(&self, norm: &mut Scalar) -> Result<()> {
        let mut squares = self.algebra.scalar(0.0)?;
        self.dot(self, &mut squares)?;
        squares.sqrt(norm)
    }

    /// The largest element; NaN if one of them is.
    ///
    /// # Errors
    /// As [`Vector::sum`].
    pub fn max(&self, max: &mut Scalar) -> Result<()> {
        self.same_context(max.algebra())?;
        let padded = self.padded(f32::NEG_INFINITY)?;
        self.algebra.max().fold_into(Terms::Values(padded.as_ref().unwrap_or(&self.texture)), max.texture())
    }

    /// The smallest element; NaN if one of them is.
    ///
    /// # Errors
    /// As [`Vector::sum`].
    pub fn min(&self, min: &mut Scalar) -> Result<()> {
        self.same_context(min.algebra())?;
        let padded = self.padded(f32::INFINITY)?;
        self.algebra.min().fold_into(Terms::Values(padded.as_ref().unwrap_or(&self.texture)), min.texture())
    }

    /// ‖x‖∞, the largest magnitude.
    ///
    /// # Errors
    /// As [`Vector::sum`].
    pub fn max_magnitude(&self, max: &mut Scalar) -> Result<()> {
        self.same_context(max.algebra())?;
        self.algebra.max().fold_into(Terms::Magnitudes(&self.texture), max.texture())
    }

    /// The same elements, with the identity of a reduction in the padding if there is padding.
    fn padded(&self, identity: f32) -> Result<Option<Texture>> {
        if self.layout.is_padded() { self.with_padding(identity).map(Some) } else { Ok(None) }
    }

    fn with_padding(&self, padding: f32) -> Result<Texture> {
        let target = self.algebra.texture(self.layout)?;
        self.algebra
            .pass(FILL_PADDING, super::algebra::PLAIN)?
            .streams([&self.texture])
            .constants(&[self.layout.bounds(), [padding; 4]])
            .domains(&self.layout.texels_and_elements())
            .onto(&[&target])?;
        Ok(target)
    }

    fn size(&self) -> (f32, f32) {
        (self.layout.width() as f32, self.layout.height() as f32)
    }

    fn check_grid(
        &self,
        grid: &Buffer,
        not: Access,
        (mode, used): (&'static str, &'static str),
    ) -> Result<()> {
        if grid.access() == not {
            return Err(Error::Access { buffer: grid.describe(), mode, used });
        }
        if !std::rc::Rc::ptr_eq(self.algebra.context(), grid.context()) {
            return Err(Error::OtherContext { what: grid.describe() });
        }
        let (width, height) = (self.layout.width(), self.layout.height());
        if (grid.width(), grid.height(), grid.components()) == (width, height, 1) {
            return Ok(());
        }
        let expected = format!("{width}x{height} elements of 1 component");
        Err(Error::WrongShape { what: "unpacked vector".into(), found: grid.describe(), expected })
    }

    pub(crate) fn same_shape(&self, other: &Vector, what: &str) -> Result<()> {
        self.same_context(&other.algebra)?;
        self.has_layout(other.layout, what)
    }

    pub(crate) fn has_layout(&self, expected: Packed2x2, what: &str) -> Result<()> {
        if self.layout == expected {
            return Ok(());
        }
        let (found, expected) = (self.layout.to_string(), expected.to_string());
        Err(Error::WrongShape { what: what.to_owned(), found, expected })
    }

    pub(crate) fn same_context(&self, other: &Algebra) -> Result<()> {
        if self.algebra.is(other) { Ok(()) } else { Err(Error::OtherContext { what: "a vector".into() }) }
    }
}

impl Texels for Vector {
    fn texture(&self) -> &Texture {
        &self.texture
    }

    fn padding(&self) -> Option<Padding> {
        self.layout.is_padded().then(|| Padding::Field(self.layout.bounds()))
    }
}
