//! Operations on each element alike (row B2): each one pass, each element written once.

use super::Matrix;
#[cfg(doc)]
use crate::Error;
use crate::Result;
use crate::gl::{Blend, Rect, Texture};
use crate::linalg::{Factor, Texelwise};

const ELEMENTS: &str = "matrix/elements.frag";

/// The operations that only matrices have kernels for: those that would not leave 0 in the padding, and those that know rows and columns.
pub(super) enum Elements<'a> {
    /// max(x, c).
    Max(&'a Matrix, f32),
    /// min(x, c).
    Min(&'a Matrix, f32),
    /// x + c.
    Shift(&'a Matrix, f32),
    /// |x|.
    Magnitude(&'a Matrix),
    /// x / y.
    Quotient(&'a Matrix, &'a Matrix),
    /// x + (y + z) w.
    Madad(&'a Matrix, &'a Matrix, &'a Matrix, &'a Matrix),
    /// 1 on the diagonal.
    Identity,
    /// x down to this row, c below it.
    Pad(&'a Matrix, u32, f32),
}

impl<'a> Elements<'a> {
    fn number(&self) -> i32 {
        match self {
            Elements::Max(..) => 0,
            Elements::Min(..) => 1,
            Elements::Shift(..) => 2,
            Elements::Magnitude(_) => 3,
            Elements::Quotient(..) => 4,
            Elements::Madad(..) => 5,
            Elements::Identity => 6,
            Elements::Pad(..) => 7,
        }
    }

    fn operands(&self) -> [Option<&'a Matrix>; 4] {
        match *self {
            Elements::Quotient(x, y) => [Some(x), Some(y), None, None],
            Elements::Madad(x, y, z, w) => [Some(x), Some(y), Some(z), Some(w)],
            Elements::Identity => [None; 4],
            Elements::Max(x, _)
            | Elements::Min(x, _)
            | Elements::Shift(x, _)
            | Elements::Magnitude(x)
            | Elements::Pad(x, ..) => [Some(x), None, None, None],
        }
    }

    /// The constant c if the kernel has one: the padding below the last row may become non-zero only then.
    fn constant(&self, padded: bool) -> Option<f32> {
        match *self {
            Elements::Max(_, c) | Elements::Min(_, c) | Elements::Shift(_, c) => Some(c),
            Elements::Pad(.., c) => padded.then_some(c),
            _ => None,
        }
    }

    /// Draws into all of `target`, a texture for `shape`.
    pub fn draw(&self, shape: &Matrix, target: &Texture) -> Result<()> {
        self.draw_over(shape, target, target.shape().rect())
    }

    /// Draws into a part of it.
    pub fn draw_over(&self, shape: &Matrix, target: &Texture, range: Rect) -> Result<()> {
        let algebra = shape.algebra();
        let rows = if let Elements::Pad(_, rows, _) = self { *rows } else { shape.rows() as u32 };
        let padded = !rows.is_multiple_of(4);
        let variant = [("OPERATION", self.number()), ("PADDED", i32::from(padded))];
        let constant = self.constant(padded);
        let constants = [constant.unwrap_or(0.0), rows as f32].map(|c| [c, 0.0, 0.0, 0.0]);
        let constants = &constants[usize::from(constant.is_none())..1 + usize::from(padded)];
        algebra
            .pass(ELEMENTS, &variant)?
            .streams(self.operands().into_iter().flatten().map(Matrix::texture))
            .constants(constants)
            .domains(&[range.corners(); 2])
            .over(range)
            .onto(&[target])
    }
}

impl Matrix {
    /// self = c, everywhere.
    pub fn fill(&mut self, c: f32) -> Result<()> {
        self.texture().clear([c; 4]);
        if self.is_padded() && c != 0.0 {
            let padded = self.padded_with(0.0)?;
            self.replace_texture(padded);
        }
        Ok(())
    }

    /// self = x (`copy`).
    ///
    /// # Errors
    /// [`WrongShape`](Error::WrongShape), [`OtherContext`](Error::OtherContext).
    pub fn copy_from(&mut self, x: &Matrix) -> Result<()> {
        self.set_scaled(1.0, x)
    }

    /// self = a x.
    ///
    /// # Errors
    /// As [`Matrix::copy_from`].
    pub fn set_scaled<'a>(&mut self, a: impl Into<Factor<'a>>, x: &'a Matrix) -> Result<()> {
        self.draw_texelwise(a.into(), &Texelwise::Scale(x))
    }

    /// self = a x + b y.
    ///
    /// # Errors
    /// As [`Matrix::copy_from`].
    pub fn set_sum<'a>(
        &mut self,
        a: impl Into<Factor<'a>>,
        x: &'a Matrix,
        b: impl Into<Factor<'a>>,
        y: &'a Matrix,
    ) -> Result<()> {
        self.draw_texelwise(a.into(), &Texelwise::Sum(x, y, b.into()))
    }

    /// self = a + c b (the paper's `mad` of three).
    ///
    /// # Errors
    /// As [`Matrix::copy_from`].
    pub fn set_mad<'a>(&mut self, a: &'a Matrix, b: &'a Matrix, c: impl Into<Factor<'a>>) -> Result<()> {
        self.set_sum(1.0, a, c, b)
    }

    /// self = c a .* b, element by element.
    ///
    /// # Errors
    /// As [`Matrix::copy_from`].
    pub fn set_product<'a>(&mut self, c: impl Into<Factor<'a>>, a: &'a Matrix, b: &'a Matrix) -> Result<()> {
        self.draw_texelwise(c.into(), &Texelwise::Product(a, b))
    }

    /// self = a ./ b, element by element; the driver decides on x / 0, mostly infinity.
    ///
    /// # Errors
    /// As [`Matrix::copy_from`].
    pub fn set_quotient(&mut self, a: &Matrix, b: &Matrix) -> Result<()> {
        self.draw_elements(&Elements::Quotient(a, b))
    }

    /// self = a + (b + c) .* d (the paper's `madad`): projected Jacobi's step in one pass.
    ///
    /// # Errors
    /// As [`Matrix::copy_from`].
    pub fn set_madad(&mut self, a: &Matrix, b: &Matrix, c: &Matrix, d: &Matrix) -> Result<()> {
        self.draw_elements(&Elements::Madad(a, b, c, d))
    }

    /// self = max(a, c), element by element; NaN where one of them is.
    ///
    /// # Errors
    /// As [`Matrix::copy_from`].
    pub fn set_max(&mut self, a: &Matrix, c: f32) -> Result<()> {
        self.draw_elements(&Elements::Max(a, c))
    }

    /// self = min(a, c), element by element; NaN where one of them is.
    ///
    /// # Errors
    /// As [`Matrix::copy_from`].
    pub fn set_min(&mut self, a: &Matrix, c: f32) -> Result<()> {
        self.draw_elements(&Elements::Min(a, c))
    }

    /// self = a + c, element by element.
    ///
    /// # Errors
    /// As [`Matrix::copy_from`].
    pub fn set_shifted(&mut self, a: &Matrix, c: f32) -> Result<()> {
        self.draw_elements(&Elements::Shift(a, c))
    }

    /// self = |a|, element by element.
    ///
    /// # Errors
    /// As [`Matrix::copy_from`].
    pub fn set_magnitude(&mut self, a: &Matrix) -> Result<()> {
        self.draw_elements(&Elements::Magnitude(a))
    }

    /// self = c self (`scal`).
    pub fn scale<'a>(&mut self, c: impl Into<Factor<'a>>) -> Result<()> {
        let scaled = self.texelwise(c.into(), &Texelwise::Scale(self))?;
        self.replace_texture(scaled);
        Ok(())
    }

    /// self = self + b.
    ///
    /// # Errors
    /// As [`Matrix::copy_from`].
    pub fn add(&mut self, b: &Matrix) -> Result<()> {
        self.axpy(1.0, b)
    }

    /// self = self + b by additive blending, as in the paper's §3.5. It fetches one texel for each that it writes, and
    /// takes no further texture. An NVIDIA H200 takes three times as long for it as for [`Matrix::add`], which reads
    /// both.
    ///
    /// # Errors
    /// As [`Matrix::copy_from`]; [`Unsupported`](Error::Unsupported) where 32-bit floats cannot be blended.
    pub fn accumulate(&mut self, b: &Matrix) -> Result<()> {
        self.same_shape(b, "sum of matrices")?;
        let one = Factor::from(1.0);
        Texelwise::Scale(b).blend(Blend::Add, self.algebra(), one, self.texture())
    }

    /// self = self − b.
    ///
    /// # Errors
    /// As [`Matrix::copy_from`].
    pub fn sub(&mut self, b: &Matrix) -> Result<()> {
        self.axpy(-1.0, b)
    }

    /// self = self + a x (`axpy`; the paper's `mad` of two).
    ///
    /// # Errors
    /// As [`Matrix::copy_from`].
    pub fn axpy<'a>(&mut self, a: impl Into<Factor<'a>>, x: &Matrix) -> Result<()> {
        let sum = self.texelwise(Factor::from(1.0), &Texelwise::Sum(self, x, a.into()))?;
        self.replace_texture(sum);
        Ok(())
    }

    /// self = a self + x.
    ///
    /// # Errors
    /// As [`Matrix::copy_from`].
    pub fn aypx<'a>(&mut self, a: impl Into<Factor<'a>>, x: &Matrix) -> Result<()> {
        let sum = self.texelwise(a.into(), &Texelwise::Sum(self, x, Factor::from(1.0)))?;
        self.replace_texture(sum);
        Ok(())
    }

    /// self = self + a .* b (the paper's `mad` of arrays).
    ///
    /// # Errors
    /// As [`Matrix::copy_from`].
    pub fn mad_elements(&mut self, a: &Matrix, b: &Matrix) -> Result<()> {
        let one = Factor::from(1.0);
        let sum = self.texelwise(one, &Texelwise::ProductSum(a, b, one, self))?;
        self.replace_texture(sum);
        Ok(())
    }

    /// Computes into this matrix's own texture: no operand can be it.
    fn draw_texelwise<'a>(&mut self, a: Factor<'a>, operation: &Texelwise<'a, Matrix>) -> Result<()> {
        self.check_texelwise(a, operation)?;
        operation.draw(self.algebra(), a, self.texture())
    }

    /// The result in a texture of the pool, which an operation in place then takes over.
    fn texelwise<'a>(&self, a: Factor<'a>, operation: &Texelwise<'a, Matrix>) -> Result<Texture> {
        self.check_texelwise(a, operation)?;
        let target = self.texture_alike()?;
        operation.draw(self.algebra(), a, &target)?;
        Ok(target)
    }

    fn check_texelwise<'a>(&self, a: Factor<'a>, operation: &Texelwise<'a, Matrix>) -> Result<()> {
        operation.scalars(a).try_for_each(|scalar| self.same_context(scalar.algebra()))?;
        operation.operands().try_for_each(|x| self.same_shape(x, "operation on elements"))
    }

    /// The same elements with something else than 0 below the last row.
    pub(super) fn padded_with(&self, padding: f32) -> Result<Texture> {
        let target = self.texture_alike()?;
        Elements::Pad(self, self.rows() as u32, padding).draw(self, &target)?;
        Ok(target)
    }

    fn draw_elements(&mut self, operation: &Elements) -> Result<()> {
        let mut operands = operation.operands().into_iter().flatten();
        operands.try_for_each(|x| self.same_shape(x, "operation on elements"))?;
        operation.draw(self, self.texture())
    }
}
