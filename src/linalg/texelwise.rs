//! Operations on each texel alike, however the elements lie in them: what vectors and matrices share.

use super::{Algebra, Factor, Scalar, Streams};
use crate::Result;
use crate::gl::{Blend, Texture};

const VECTOR_OP: &str = "linalg/vector_op.frag";

/// What the kernel computes of x, y and z, which are vectors or matrices.
pub(crate) enum Texelwise<'a, X> {
    /// a x.
    Scale(&'a X),
    /// a x + b y.
    Sum(&'a X, &'a X, Factor<'a>),
    /// a x y.
    Product(&'a X, &'a X),
    /// a x y + b z.
    ProductSum(&'a X, &'a X, Factor<'a>, &'a X),
}

/// An operation as the kernel takes it.
struct Operands<'a, X> {
    number: i32,
    operands: [Option<&'a X>; 3],
    b: Factor<'a>,
}

impl<'a, X> Texelwise<'a, X> {
    fn taken(&self) -> Operands<'a, X> {
        let none = Factor::from(1.0);
        let (number, operands, b) = match *self {
            Texelwise::Scale(x) => (0, [Some(x), None, None], none),
            Texelwise::Sum(x, y, b) => (1, [Some(x), Some(y), None], b),
            Texelwise::Product(x, y) => (2, [Some(x), Some(y), None], none),
            Texelwise::ProductSum(x, y, b, z) => (3, [Some(x), Some(y), Some(z)], b),
        };
        Operands { number, operands, b }
    }

    /// x, y and z, those that there are.
    pub fn operands(&self) -> impl Iterator<Item = &'a X> {
        self.taken().operands.into_iter().flatten()
    }

    /// The scalars of both factors.
    pub fn scalars(&self, a: Factor<'a>) -> impl Iterator<Item = &'a Scalar> {
        [a.scalar, self.taken().b.scalar].into_iter().flatten()
    }

    /// Draws the result into all of `target`: one pass.
    pub fn draw(
        &self,
        algebra: &Algebra,
        a: Factor,
        texture: impl Fn(&X) -> &Texture,
        target: &Texture,
    ) -> Result<()> {
        self.blend(Blend::Replace, algebra, a, texture, target)
    }

    /// [`Texelwise::draw`], or the result added to what `target` holds.
    pub fn blend(
        &self,
        blend: Blend,
        algebra: &Algebra,
        a: Factor,
        texture: impl Fn(&X) -> &Texture,
        target: &Texture,
    ) -> Result<()> {
        let Operands { number, operands, b } = self.taken();
        let variant = [("OPERATION", number), ("A", a.kind()), ("B", b.kind())];
        let program = algebra.program(VECTOR_OP, &variant)?;
        let mut textures = operands.into_iter().flatten().map(texture);
        let scalars = [a.scalar, b.scalar].into_iter().flatten().map(Scalar::texture);
        // There is always an x.
        let streams = Streams::of(textures.next().unwrap_or(target)).add(textures).add(scalars);
        let constants = [a, b].map(|factor| [factor.constant, 0.0, 0.0, 0.0]);
        let constants = match (a.kind(), b.kind()) {
            (0, 0) => &[],
            (_, 0) => &constants[..1],
            (0, _) => &constants[1..],
            _ => &constants[..],
        };
        let range = target.shape().rect();
        algebra.blend_over(blend, &program, &streams, constants, None, &[target], range)
    }
}
