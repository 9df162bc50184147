//! One number on the GPU.

use super::Algebra;
use crate::gl::{Format, ReadBack, Rect, Shape, Texture};
use crate::{Error, Result};

/// A number in a 1×1 float texture, with which solvers divide and multiply without reading it back (row A1).
///
/// An operation on scalars is one pass of one texel.
pub struct Scalar {
    algebra: Algebra,
    texture: Texture,
}

const SCALAR_OP: &str = "linalg/scalar_op.frag";

impl Scalar {
    pub(super) fn new(algebra: &Algebra, value: f32) -> Result<Scalar> {
        let shape = Shape { width: 1, height: 1, format: Format::R32F };
        let mut scalar = Scalar { algebra: algebra.clone(), texture: algebra.context().texture(shape)? };
        scalar.set(value);
        Ok(scalar)
    }

    /// Sets the value.
    pub fn set(&mut self, value: f32) {
        self.texture.clear([value; 4]);
    }

    /// Reads the value back and waits for it.
    ///
    /// # Errors
    /// [`ContextLost`](crate::Error::ContextLost); [`Driver`](crate::Error::Driver) where the driver refuses the read.
    pub fn get(&self) -> Result<f32> {
        Ok(self.texture.read(Rect::whole(1, 1))?[0])
    }

    /// Starts reading the value back, as it is now.
    ///
    /// # Errors
    /// [`Error::Driver`] where the driver has no buffer for it.
    pub fn get_async(&self) -> Result<ReadBack> {
        self.texture.read_async(Rect::whole(1, 1))
    }

    /// self = x.
    ///
    /// # Errors
    /// [`Error::OtherContext`].
    pub fn copy_from(&mut self, x: &Scalar) -> Result<()> {
        if !self.algebra.is(&x.algebra) {
            return Err(Error::OtherContext { what: "a scalar".into() });
        }
        self.texture.copy_from(&x.texture, Rect::whole(1, 1));
        Ok(())
    }

    /// Another scalar of the same value.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn try_clone(&self) -> Result<Scalar> {
        let mut copy = Scalar::new(&self.algebra, 0.0)?;
        copy.copy_from(self)?;
        Ok(copy)
    }

    /// out = self + y.
    ///
    /// # Errors
    /// [`Error::OtherContext`].
    pub fn add(&self, y: &Scalar, out: &mut Scalar) -> Result<()> {
        self.combine(0, y, out)
    }

    /// out = self − y.
    ///
    /// # Errors
    /// [`Error::OtherContext`].
    pub fn sub(&self, y: &Scalar, out: &mut Scalar) -> Result<()> {
        self.combine(1, y, out)
    }

    /// out = self · y.
    ///
    /// # Errors
    /// [`Error::OtherContext`].
    pub fn mul(&self, y: &Scalar, out: &mut Scalar) -> Result<()> {
        self.combine(2, y, out)
    }

    /// out = self / y.
    ///
    /// # Errors
    /// [`Error::OtherContext`].
    pub fn div(&self, y: &Scalar, out: &mut Scalar) -> Result<()> {
        self.combine(3, y, out)
    }

    /// out = self / y, or 0 where y = 0 (`divZ`).
    ///
    /// # Errors
    /// [`Error::OtherContext`].
    pub fn div_guarded(&self, y: &Scalar, out: &mut Scalar) -> Result<()> {
        self.combine(4, y, out)
    }

    /// out = √self.
    ///
    /// # Errors
    /// [`Error::OtherContext`].
    pub fn sqrt(&self, out: &mut Scalar) -> Result<()> {
        self.compute(5, None, out)
    }

    /// out = self / 4, clamped to 2⁻¹²⁶ to 2¹²⁶. Numbers up to self, divided by out, have squares within the range of
    /// 32 bits, and 1/out is not flushed to 0.
    ///
    /// # Errors
    /// [`Error::OtherContext`].
    pub(crate) fn unit_of_squares(&self, out: &mut Scalar) -> Result<()> {
        self.compute(6, None, out)
    }

    /// out = 1 if self is at most 2⁻²⁰ of y, else 0. A sum of a few terms as large as y may have such a rounding error.
    ///
    /// # Errors
    /// [`Error::OtherContext`].
    pub(crate) fn is_rounding_of(&self, y: &Scalar, out: &mut Scalar) -> Result<()> {
        self.combine(7, y, out)
    }

    fn combine(&self, operation: i32, y: &Scalar, out: &mut Scalar) -> Result<()> {
        self.compute(operation, Some(y), out)
    }

    fn compute(&self, operation: i32, y: Option<&Scalar>, out: &mut Scalar) -> Result<()> {
        for other in [y.unwrap_or(self), out] {
            if !self.algebra.is(&other.algebra) {
                return Err(Error::OtherContext { what: "a scalar".into() });
            }
        }
        self.algebra
            .pass(SCALAR_OP, &[("OPERATION", operation)])?
            .streams([&self.texture])
            .streams(y.map(Scalar::texture))
            .onto(&[&out.texture])
    }

    pub(crate) fn algebra(&self) -> &Algebra {
        &self.algebra
    }

    pub(crate) fn texture(&self) -> &Texture {
        &self.texture
    }
}
