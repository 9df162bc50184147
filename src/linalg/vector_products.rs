//! The largest and the smallest product of two vectors' elements (row A7).

use super::{Scalar, Vector};
use crate::Result;
use crate::pug::{Reduction, Terms};

impl Vector {
    /// max = the largest xᵢ yᵢ; NaN if one of them is NaN. The products are made in the first step of the reduction. If
    /// the layout has padding, which is no product of two elements, they are made by a pass of their own.
    ///
    /// # Errors
    /// [`WrongShape`](crate::Error::WrongShape), [`OtherContext`](crate::Error::OtherContext),
    /// [`OutOfMemory`](crate::Error::OutOfMemory).
    pub fn max_product(&self, y: &Vector, max: &mut Scalar) -> Result<()> {
        match self.products(y, max)? {
            Some(products) => products.max(max),
            None => self.reduce_products(self.algebra().max(), y, max),
        }
    }

    /// min = the smallest xᵢ yᵢ, as [`Vector::max_product`].
    ///
    /// # Errors
    /// As [`Vector::max_product`].
    pub fn min_product(&self, y: &Vector, min: &mut Scalar) -> Result<()> {
        match self.products(y, min)? {
            Some(products) => products.min(min),
            None => self.reduce_products(self.algebra().min(), y, min),
        }
    }

    /// The products in a vector of their own, where there is padding.
    fn products(&self, y: &Vector, out: &Scalar) -> Result<Option<Vector>> {
        self.same_shape(y, "reduction of a product")?;
        self.same_context(out.algebra())?;
        if !self.layout().is_padded() {
            return Ok(None);
        }
        let mut products = Vector::uninitialised(self.algebra(), self.layout())?;
        products.set_product(1.0, self, y)?;
        Ok(Some(products))
    }

    fn reduce_products(&self, by: &Reduction, y: &Vector, out: &mut Scalar) -> Result<()> {
        by.fold_into(Terms::Products(self.texture(), y.texture()), out.texture())
    }
}
