//! Reductions of all elements to one number (row B5).

use super::Matrix;
use super::storage::wrong_shape;
use crate::Result;
use crate::gl::Texture;
use crate::linalg::Scalar;
use crate::pug::{Operator, Terms};

const LARGEST: &str = "matrix/largest.frag";

impl Matrix {
    /// sum = Σ aᵢⱼ, in a tree: error at most (⌈log₂ nm⌉ + 4)·2⁻²⁴·Σ|a|.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext), [`OutOfMemory`](crate::Error::OutOfMemory).
    pub fn sum(&self, sum: &mut Scalar) -> Result<()> {
        self.same_context(sum.algebra())?;
        self.algebra().sum().fold_into(Terms::Values(self.texture()), sum.texture())
    }

    /// product = Σ aᵢⱼ bᵢⱼ; for vectors this is aᵀb, which the paper computes by the transposed multiply. That has a
    /// single texel for its result, so here the sum is a tree whose first step makes the products. Error at most (⌈log₂
    /// nm⌉ + 4)·2⁻²⁴·Σ|a b|.
    ///
    /// # Errors
    /// [`WrongShape`](crate::Error::WrongShape), and as [`Matrix::sum`].
    ///
    /// # References
    /// Moravánszky, *Dense Matrix Algebra on the GPU*, §3.5.
    pub fn dot(&self, b: &Matrix, product: &mut Scalar) -> Result<()> {
        self.same_shape(b, "dot product")?;
        self.same_context(product.algebra())?;
        self.algebra().sum().fold_into(Terms::Products(self.texture(), b.texture()), product.texture())
    }

    /// sum = Σ|aᵢⱼ|.
    ///
    /// # Errors
    /// As [`Matrix::sum`].
    pub fn asum(&self, sum: &mut Scalar) -> Result<()> {
        self.same_context(sum.algebra())?;
        self.algebra().sum().fold_into(Terms::Magnitudes(self.texture()), sum.texture())
    }

    /// norm = ‖A‖, the root of Σ aᵢⱼ² (for a vector ‖x‖₂), from elements scaled to at most 4: no square leaves the
    /// range of 32 bits unless the norm does. Infinite if an element is infinite and none is NaN. Five passes and two
    /// reductions.
    ///
    /// # Errors
    /// As [`Matrix::sum`].
    pub fn nrm2(&self, norm: &mut Scalar) -> Result<()> {
        self.same_context(norm.algebra())?;
        let algebra = self.algebra();
        let (mut largest, mut unit, mut inverse) =
            (algebra.scalar(0.0)?, algebra.scalar(0.0)?, algebra.scalar(0.0)?);
        self.max_magnitude(&mut largest)?;
        largest.unit_of_squares(&mut unit)?;
        algebra.scalar(1.0)?.div(&unit, &mut inverse)?;
        let mut scaled = Matrix::uninitialised(algebra, self.rows(), self.columns())?;
        scaled.set_scaled(&inverse, self)?;
        let (mut squares, mut root) = (largest, inverse);
        scaled.dot(&scaled, &mut squares)?;
        squares.sqrt(&mut root)?;
        root.mul(&unit, norm)
    }

    /// The largest element; NaN if one of them is.
    ///
    /// # Errors
    /// As [`Matrix::sum`].
    pub fn max(&self, max: &mut Scalar) -> Result<()> {
        self.same_context(max.algebra())?;
        let padded = self.padded(f32::NEG_INFINITY)?;
        let values = Terms::Values(padded.as_ref().unwrap_or(self.texture()));
        self.algebra().max().fold_into(values, max.texture())
    }

    /// The smallest element; NaN if one of them is.
    ///
    /// # Errors
    /// As [`Matrix::sum`].
    pub fn min(&self, min: &mut Scalar) -> Result<()> {
        self.same_context(min.algebra())?;
        let padded = self.padded(f32::INFINITY)?;
        let values = Terms::Values(padded.as_ref().unwrap_or(self.texture()));
        self.algebra().min().fold_into(values, min.texture())
    }

    /// The largest magnitude.
    ///
    /// # Errors
    /// As [`Matrix::sum`].
    pub fn max_magnitude(&self, max: &mut Scalar) -> Result<()> {
        self.same_context(max.algebra())?;
        self.algebra().max().fold_into(Terms::Magnitudes(self.texture()), max.texture())
    }

    /// The place of the largest magnitude, as an index from 0 into [`Matrix::get`]; for a vector, its row. If there are
    /// several, the first of them; NaN is never one of them. Reads one texel back.
    ///
    /// # Errors
    /// As [`Matrix::sum`].
    pub fn iamax(&self) -> Result<usize> {
        let (algebra, gpu) = (self.algebra(), self.algebra().gpu());
        let shape = self.texture().shape();
        let largest =
            gpu.buffer(shape.width, shape.height).components(4).named("largest of each texel").build()?;
        algebra
            .pass(LARGEST, &[])?
            .streams([self.texture()])
            .constants(&[[self.rows() as f32, 0.0, 0.0, 0.0]])
            .onto(&[largest.texture()])?;
        let before = "a.x > b.x || (a.x == b.x && (a.y < b.y || (a.y == b.y && a.z <= b.z))) ? a : b";
        let reduction = gpu.reduction(Operator::custom("largest", before, [-1.0, 0.0, 0.0, 0.0]));
        match reduction.value(&largest)?[..] {
            [_, row, column, ..] => Ok(row as usize * self.columns() + column as usize),
            _ => Err(wrong_shape("largest element", (0, 0), self.shape())),
        }
    }

    /// The same elements, with the identity of a reduction in the padding if there is padding.
    fn padded(&self, identity: f32) -> Result<Option<Texture>> {
        if self.is_padded() { self.padded_with(identity).map(Some) } else { Ok(None) }
    }
}
