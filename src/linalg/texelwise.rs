//! Operations that treat all texels alike and need no layout, shared by vectors and matrices.

use super::{Algebra, Factor, Scalar};
use crate::Result;
use crate::gl::{Blend, Texture};

const VECTOR_OP: &str = "linalg/vector_op.frag";

/// A vector or a matrix: a texture, and the part of it that holds no elements.
pub(crate) trait Texels {
    fn texture(&self) -> &Texture;

    /// Where the elements end, if they do not fill the texels.
    fn padding(&self) -> Option<Padding>;
}

/// Where elements end, as the kernel takes it.
#[derive(Clone, Copy)]
pub(crate) enum Padding {
    /// Columns, rows and length of the last row of a field that is packed 2x2.
    Field([f32; 4]),
    /// Rows of a matrix that is packed 4x1.
    Rows(f32),
}

impl Padding {
    fn number(self) -> i32 {
        match self {
            Padding::Field(_) => 1,
            Padding::Rows(_) => 2,
        }
    }

    fn bounds(self) -> [f32; 4] {
        match self {
            Padding::Field(bounds) => bounds,
            Padding::Rows(rows) => [rows, 0.0, 0.0, 0.0],
        }
    }
}

/// The formula of the kernel in x, y and z, which are vectors or matrices.
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

impl<'a, X: Texels> Texelwise<'a, X> {
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
    pub fn draw(&self, algebra: &Algebra, a: Factor, target: &Texture) -> Result<()> {
        self.blend(Blend::Replace, algebra, a, target)
    }

    /// [`Texelwise::draw`], or the result added to what `target` holds.
    pub fn blend(&self, blend: Blend, algebra: &Algebra, a: Factor, target: &Texture) -> Result<()> {
        let Operands { number, operands, b } = self.taken();
        // The padding is 0 and stays so by itself under finite factors; what a scalar is, only the GPU knows.
        let padding = match a.is_finite() && b.is_finite() {
            true => None,
            false => operands[0].and_then(X::padding),
        };
        let padded = padding.map_or(0, Padding::number);
        let variant = [("OPERATION", number), ("A", a.kind()), ("B", b.kind()), ("PADDED", padded)];
        let mut constants = [[0.0; 4]; 3];
        let mut count = 0;
        let factors = [a, b].into_iter().filter(|factor| factor.kind() != 0);
        let factors = factors.map(|factor| [factor.constant, 0.0, 0.0, 0.0]);
        for (slot, value) in constants.iter_mut().zip(factors.chain(padding.map(Padding::bounds))) {
            *slot = value;
            count += 1;
        }
        algebra
            .pass(VECTOR_OP, &variant)?
            .streams(operands.into_iter().flatten().map(X::texture))
            .streams([a.scalar, b.scalar].into_iter().flatten().map(Scalar::texture))
            .constants(&constants[..count])
            .blended(blend)
            .onto(&[target])
    }
}
