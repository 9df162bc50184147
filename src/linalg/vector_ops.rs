//! Vector–vector operations (row A6): each one pass, each element written once.

use super::{Factor, Vector};
use crate::Result;
use crate::gl::Texture;

const VECTOR_OP: &str = "linalg/vector_op.frag";

/// What the kernel computes of x and y.
enum Operation<'a> {
    Scale(&'a Vector),
    Sum(&'a Vector, &'a Vector, Factor<'a>),
    Product(&'a Vector, &'a Vector),
}

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
    /// Only those of a lost device.
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
        draw(self, a, operation, self.texture())
    }

    /// The result in a texture of the pool, which an operation in place then takes over.
    fn computed(&self, a: Factor, operation: &Operation) -> Result<Texture> {
        self.check(a, operation)?;
        let target = self.algebra().texture(self.layout())?;
        draw(self, a, operation, &target)?;
        Ok(target)
    }

    fn check(&self, a: Factor, operation: &Operation) -> Result<()> {
        let (x, y, b) = match *operation {
            Operation::Scale(x) => (x, x, None),
            Operation::Sum(x, y, b) => (x, y, b.scalar),
            Operation::Product(x, y) => (x, y, None),
        };
        for scalar in [a.scalar, b].into_iter().flatten() {
            self.same_context(scalar.algebra())?;
        }
        x.same_shape(self, "vector operation")?;
        y.same_shape(self, "vector operation")
    }
}

fn draw(vector: &Vector, a: Factor, operation: &Operation, target: &Texture) -> Result<()> {
    let (number, x, y, b) = match *operation {
        Operation::Scale(x) => (0, x, None, Factor::from(0.0)),
        Operation::Sum(x, y, b) => (1, x, Some(y), b),
        Operation::Product(x, y) => (2, x, Some(y), Factor::from(0.0)),
    };
    let variant = [
        ("OPERATION", number),
        ("A_SCALAR", i32::from(a.scalar.is_some())),
        ("B_SCALAR", i32::from(b.scalar.is_some())),
    ];
    let program = vector.algebra().program(VECTOR_OP, variant)?;
    let mut streams = [x.texture(); 4];
    let others = y.map(Vector::texture).into_iter();
    let scalars = [a.scalar, b.scalar].into_iter().flatten().map(|scalar| scalar.texture());
    let mut count = 1;
    for (slot, texture) in streams[1..].iter_mut().zip(others.chain(scalars)) {
        *slot = texture;
        count += 1;
    }
    let constants = [[a.constant, b.constant, 0.0, 0.0]];
    vector.algebra().draw(&program, &streams[..count], &constants, None, &[target])
}
