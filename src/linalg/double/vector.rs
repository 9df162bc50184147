//! A vector of double-single numbers.

use super::{Sums, check};
use crate::gl::Texture;
use crate::layout::Packed2x2;
use crate::linalg::{Algebra, PLAIN, Scalar, Vector, of_doubles};
use crate::{Error, Result};

/// A vector on the GPU whose elements are sums of two floats, 48 bits together; two of them to a texel.
///
/// A number of f64 is kept with an error of at most 2⁻⁴⁸ of it, or 2⁻¹²⁶ if that is more; magnitudes end where floats do,
/// at 3.4·10³⁸. The module's head, `src/linalg/double/mod.rs`, tells how.
///
/// ```
/// # fn main() -> quadrille::Result<()> {
/// use quadrille::linalg::{Algebra, DoubleVector};
/// use quadrille::{Gpu, layout::Packed2x2};
///
/// let algebra = Algebra::new(&Gpu::headless()?);
/// let layout = Packed2x2::folded(3)?;
/// let mut x = DoubleVector::new(&algebra, layout, &[1.0, 1e-9, 0.1])?;
/// x.axpy(1.0, &DoubleVector::new(&algebra, layout, &[1e-9, 1.0, 0.2])?)?;
/// assert!((x.get()?[0] - 1.000000001).abs() < 1e-14);     // in 32 bits it is 1
/// # Ok(())
/// # }
/// ```
///
/// # References
/// Dekker 1971; Göddeke, Strzodka & Turek 2007.
pub struct DoubleVector {
    layout: Packed2x2,
    /// High parts of each row of the field, and below them the low parts.
    words: Vector,
}

const AXPY: &str = "linalg/double_axpy.frag";

/// The layout of the floats of numbers of that layout.
pub(super) fn words(layout: Packed2x2) -> Result<Packed2x2> {
    Packed2x2::grid(layout.width(), 2 * layout.height())
}

/// High and low part.
pub(super) fn parts(value: f64) -> [f32; 2] {
    let high = value as f32;
    [high, (value - f64::from(high)) as f32]
}

/// The index of an element's high part and of its low part among the floats.
pub(super) fn places(layout: Packed2x2, index: usize) -> [usize; 2] {
    let width = layout.width() as usize;
    let high = index + index / width * width;
    [high, high + width]
}

/// The floats of some elements.
pub(super) fn split(layout: Packed2x2, elements: &[f64]) -> Result<Vec<f32>> {
    if elements.len() != layout.len() {
        let (what, shape) = ("double-single vector".to_owned(), layout.to_string());
        return Err(Error::WrongLength { what, found: elements.len(), expected: layout.len(), shape });
    }
    let mut floats = vec![0.0; 2 * layout.width() as usize * layout.height() as usize];
    for (index, &element) in elements.iter().enumerate() {
        let both = parts(element);
        if !both[0].is_finite() {
            return Err(Error::BadParameter {
                name: "double-single vector",
                found: format!("{element:e} at element {index}"),
                expected: format!("finite numbers of magnitudes up to {:e}", f32::MAX),
            });
        }
        places(layout, index).into_iter().zip(both).for_each(|(place, part)| floats[place] = part);
    }
    Ok(floats)
}

impl DoubleVector {
    /// A vector of these elements.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::BadParameter`] for numbers that are not finite or no float holds;
    /// [`Error::Unsupported`] where the driver's arithmetic or targets do not suffice; [`Error::OverLimit`] past the texture
    /// limit; [`Error::OutOfMemory`].
    pub fn new(algebra: &Algebra, layout: Packed2x2, elements: &[f64]) -> Result<DoubleVector> {
        let mut vector = DoubleVector::zeros(algebra, layout)?;
        vector.set(elements)?;
        Ok(vector)
    }

    /// A vector of zeros.
    ///
    /// # Errors
    /// As [`DoubleVector::new`].
    pub fn zeros(algebra: &Algebra, layout: Packed2x2) -> Result<DoubleVector> {
        check(algebra)?;
        Ok(DoubleVector { layout, words: algebra.zeros(words(layout)?)? })
    }

    /// Number of elements and how they lie.
    pub fn layout(&self) -> Packed2x2 {
        self.layout
    }

    /// The algebra it was made by.
    pub fn algebra(&self) -> &Algebra {
        self.words.algebra()
    }

    pub(crate) fn texture(&self) -> &Texture {
        self.words.texture()
    }

    /// Takes over a texture, every texel of which is written.
    pub(crate) fn replace_texture(&mut self, texture: Texture) {
        self.words.replace_texture(texture);
    }

    pub(super) fn words(&self) -> &Vector {
        &self.words
    }

    pub(super) fn words_mut(&mut self) -> &mut Vector {
        &mut self.words
    }

    /// Uploads all elements.
    ///
    /// # Errors
    /// As [`DoubleVector::new`].
    pub fn set(&mut self, elements: &[f64]) -> Result<()> {
        self.words.set(&split(self.layout, elements)?)
    }

    /// Reads all elements back and waits for them.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn get(&self) -> Result<Vec<f64>> {
        let floats = self.words.get()?;
        let sum = |index| places(self.layout, index).map(|place| f64::from(floats[place])).iter().sum();
        Ok((0..self.layout.len()).map(sum).collect())
    }

    /// self = x.
    ///
    /// # Errors
    /// [`Error::WrongShape`], [`Error::OtherContext`].
    pub fn copy_from(&mut self, x: &DoubleVector) -> Result<()> {
        self.same_shape(x, "vector operation")?;
        self.words.copy_from(&x.words)
    }

    /// self = self + a x, error at most 5·2⁻⁴⁸ |a x| and 3·2⁻⁴⁸ of the sum: one pass.
    ///
    /// # Errors
    /// As [`DoubleVector::copy_from`].
    pub fn axpy(&mut self, a: f64, x: &DoubleVector) -> Result<()> {
        self.same_shape(x, "vector operation")?;
        let next = self.algebra().texture(self.words.layout())?;
        let [high, low] = parts(a);
        self.algebra()
            .pass_of(AXPY, PLAIN, of_doubles)?
            .streams([x.texture(), self.texture()])
            .constants(&[[high, high, low, low]])
            .onto(&[&next])?;
        self.replace_texture(next);
        Ok(())
    }

    /// x·y, read back: a reduction in k = ⌈log₄ of the longer side in texels⌉ passes, error at most (16 k + 3)·3·2⁻⁴⁸·Σ|xᵢ yᵢ|.
    ///
    /// # Errors
    /// As [`DoubleVector::copy_from`]; those of the driver.
    pub fn dot(&self, y: &DoubleVector) -> Result<f64> {
        self.same_shape(y, "dot product")?;
        let sums = Sums::of(self.algebra(), [self.texture(), y.texture(), y.texture()])?;
        let [high, _, low, _] = sums.first()?;
        Ok(f64::from(high) + f64::from(low))
    }

    /// x·x in 32 bits, with the error of [`Vector::dot`]; it stays on the GPU.
    pub(crate) fn squares(&self, sum: &mut Scalar) -> Result<()> {
        self.words.dot(&self.words, sum)
    }

    pub(crate) fn same_shape(&self, other: &DoubleVector, what: &str) -> Result<()> {
        self.words.same_context(other.algebra())?;
        if self.layout == other.layout {
            return Ok(());
        }
        let (found, expected) = (other.layout.to_string(), self.layout.to_string());
        Err(Error::WrongShape { what: what.to_owned(), found, expected })
    }
}
