//! Vector–vector operations (row A6): each one pass, each element written once.

use super::texelwise::Texelwise;
use super::{Factor, Vector};
use crate::Result;
use crate::gl::Texture;

type Operation<'a> = Texelwise<'a, Vector>;

impl Vector {
    /// self = x.
    ///
    /// # Errors
    /// [`WrongShape`](crate::Error::WrongShape), [`OtherContext`](crate::Error::OtherContext).
    pub fn copy_from(&mut self, x: &Vector) -> Result<()> {
        self.set_scaled(1.0, x)
    }

    /// self = a x.
    ///
    /// # Errors
    /// As [`Vector::copy_from`].
    pub fn set_scaled<'a>(&mut self, a: impl Into<Factor<'a>>, x: &Vector) -> Result<()> {
        self.compute(a.into(), &Operation::Scale(x))
    }

    /// self = a x + b y.
    ///
    /// # Errors
    /// As [`Vector::copy_from`].
    pub fn set_sum<'a>(
        &mut self,
        a: impl Into<Factor<'a>>,
        x: &'a Vector,
        b: impl Into<Factor<'a>>,
        y: &'a Vector,
    ) -> Result<()> {
        self.compute(a.into(), &Operation::Sum(x, y, b.into()))
    }

    /// self = a x y, element by element.
    ///
    /// # Errors
    /// As [`Vector::copy_from`].
    pub fn set_product<'a>(&mut self, a: impl Into<Factor<'a>>, x: &Vector, y: &Vector) -> Result<()> {
        self.compute(a.into(), &Operation::Product(x, y))
    }

    /// self = a x y + b z, element by element.
    ///
    /// # Errors
    /// As [`Vector::copy_from`].
    pub fn set_product_sum<'a>(
        &mut self,
        a: impl Into<Factor<'a>>,
        (x, y): (&'a Vector, &'a Vector),
        b: impl Into<Factor<'a>>,
        z: &'a Vector,
    ) -> Result<()> {
        self.compute(a.into(), &Operation::ProductSum(x, y, b.into(), z))
    }

    /// self = self + x.
    ///
    /// # Errors
    /// As [`Vector::copy_from`].
    pub fn add(&mut self, x: &Vector) -> Result<()> {
        self.axpy(1.0, x)
    }

    /// self = self − x.
    ///
    /// # Errors
    /// As [`Vector::copy_from`].
    pub fn sub(&mut self, x: &Vector) -> Result<()> {
        self.axpy(-1.0, x)
    }

    /// self = self · x, element by element.
    ///
    /// # Errors
    /// As [`Vector::copy_from`].
    pub fn mul(&mut self, x: &Vector) -> Result<()> {
        let product = self.computed(Factor::from(1.0), &Operation::Product(self, x))?;
        self.replace_texture(product);
        Ok(())
    }

    /// self = a self.
    ///
    /// # Errors
    /// As [`Vector::copy_from`].
    pub fn scale<'a>(&mut self, a: impl Into<Factor<'a>>) -> Result<()> {
        let scaled = self.computed(a.into(), &Operation::Scale(self))?;
        self.replace_texture(scaled);
        Ok(())
    }

    /// self = self + a x.
    ///
    /// # Errors
    /// As [`Vector::copy_from`].
    pub fn axpy<'a>(&mut self, a: impl Into<Factor<'a>>, x: &Vector) -> Result<()> {
        let sum = self.computed(Factor::from(1.0), &Operation::Sum(self, x, a.into()))?;
        self.replace_texture(sum);
        Ok(())
    }

    /// self = a self + x.
    ///
    /// # Errors
    /// As [`Vector::copy_from`].
    pub fn aypx<'a>(&mut self, a: impl Into<Factor<'a>>, x: &Vector) -> Result<()> {
        let sum = self.computed(a.into(), &Operation::Sum(self, x, Factor::from(1.0)))?;
        self.replace_texture(sum);
        Ok(())
    }

    /// Computes into this vector's own texture: no operand can be it.
    fn compute(&mut self, a: Factor, operation: &Operation) -> Result<()> {
        self.check(a, operation)?;
        operation.draw(self.algebra(), a, self.texture())
    }

    /// The result in a texture of the pool, which an operation in place then takes over.
    fn computed(&self, a: Factor, operation: &Operation) -> Result<Texture> {
        self.check(a, operation)?;
        let target = self.algebra().texture(self.layout())?;
        operation.draw(self.algebra(), a, &target)?;
        Ok(target)
    }

    fn check<'a>(&self, a: Factor<'a>, operation: &Operation<'a>) -> Result<()> {
        operation.scalars(a).try_for_each(|scalar| self.same_context(scalar.algebra()))?;
        operation.operands().try_for_each(|x| x.same_shape(self, "vector operation"))
    }
}
