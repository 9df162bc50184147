//! Vector–vector operations (row A6): each one pass, each element written once.

use super::{Factor, Scalar, Vector};
use crate::Result;
use crate::gl::Texture;

const VECTOR_OP: &str = "linalg/vector_op.frag";

/// What the kernel computes of x and y.
enum Operation<'a> {
    Scale(&'a Vector),
    Sum(&'a Vector, &'a Vector, Factor<'a>),
    Product(&'a Vector, &'a Vector),
    ProductSum(&'a Vector, &'a Vector, Factor<'a>, &'a Vector),
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
        let Operands { vectors, b, .. } = operation.operands();
        for scalar in [a.scalar, b.scalar].into_iter().flatten() {
            self.same_context(scalar.algebra())?;
        }
        vectors.into_iter().flatten().try_for_each(|x| x.same_shape(self, "vector operation"))
    }
}

/// An operation as the kernel takes it.
struct Operands<'a> {
    number: i32,
    vectors: [Option<&'a Vector>; 3],
    b: Factor<'a>,
}

impl<'a> Operation<'a> {
    fn operands(&self) -> Operands<'a> {
        let none = Factor::from(1.0);
        let (number, vectors, b) = match *self {
            Operation::Scale(x) => (0, [Some(x), None, None], none),
            Operation::Sum(x, y, b) => (1, [Some(x), Some(y), None], b),
            Operation::Product(x, y) => (2, [Some(x), Some(y), None], none),
            Operation::ProductSum(x, y, b, z) => (3, [Some(x), Some(y), Some(z)], b),
        };
        Operands { number, vectors, b }
    }
}

fn draw(vector: &Vector, a: Factor, operation: &Operation, target: &Texture) -> Result<()> {
    let Operands { number, vectors, b } = operation.operands();
    let variant = [("OPERATION", number), ("A", a.kind()), ("B", b.kind())];
    let program = vector.algebra().program(VECTOR_OP, variant)?;
    let mut streams = [target; 5];
    let mut count = 0;
    let vectors = vectors.into_iter().flatten().map(Vector::texture);
    let scalars = [a.scalar, b.scalar].into_iter().flatten().map(Scalar::texture);
    for (slot, texture) in streams.iter_mut().zip(vectors.chain(scalars)) {
        *slot = texture;
        count += 1;
    }
    let constants = [a, b].map(|factor| [factor.constant, 0.0, 0.0, 0.0]);
    let constants = match (a.kind(), b.kind()) {
        (0, 0) => &[],
        (_, 0) => &constants[..1],
        (0, _) => &constants[1..],
        _ => &constants[..],
    };
    vector.algebra().draw(&program, &streams[..count], constants, None, &[target])
}
