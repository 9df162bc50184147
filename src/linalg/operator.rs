//! Linear operators: matrices as their products with a vector (row A8).
//!
//! An entry of 0 takes no part in a product, whatever x holds there: 0 · ∞ would be NaN at a place where the matrix is
//! empty.

use super::{Algebra, Inlined, Vector};
use crate::gl::{Rect, Texture};
use crate::layout::Packed2x2;
use crate::numeric::Csr;
use crate::{Error, Result};

/// The term that a product is added to: out = A x, A x + y, or A x − y.
#[derive(Clone, Copy)]
pub enum Op<'a> {
    /// out = A x.
    Null,
    /// out = A x + y.
    Add(&'a Vector),
    /// out = A x − y.
    Sub(&'a Vector),
}

impl<'a> Op<'a> {
    /// y.
    pub fn vector(self) -> Option<&'a Vector> {
        match self {
            Op::Null => None,
            Op::Add(y) | Op::Sub(y) => Some(y),
        }
    }

    /// The factor of y: 0, 1 or −1.
    pub fn sign(self) -> i32 {
        match self {
            Op::Null => 0,
            Op::Add(_) => 1,
            Op::Sub(_) => -1,
        }
    }

    /// out = out + y or out − y, where out is A x: the second half of a [`LinearOperator::apply`] that computes A x alone. One pass, or
    /// none for [`Op::Null`].
    ///
    /// # Errors
    /// [`WrongShape`](crate::Error::WrongShape), [`OtherContext`](crate::Error::OtherContext).
    pub fn add_to(self, out: &mut Vector) -> Result<()> {
        match self {
            Op::Null => Ok(()),
            Op::Add(y) => out.add(y),
            Op::Sub(y) => out.sub(y),
        }
    }

    /// The term that a pass of a product is added to: y at first, then the sum of the passes before it.
    pub(super) fn base(self, partial: Option<&'a Texture>) -> Base<'a> {
        match partial {
            Some(partial) => (1, Some(partial)),
            None => (self.sign(), self.vector().map(Vector::texture)),
        }
    }

    /// out = 0, y or −y: the product of a matrix without entries.
    pub(super) fn write(self, out: &mut Vector) -> Result<()> {
        match self {
            Op::Null => out.fill(0.0),
            Op::Add(y) => out.copy_from(y),
            Op::Sub(y) => out.set_scaled(-1.0, y),
        }
    }
}

/// A term added to a pass, and its sign.
pub(super) type Base<'a> = (i32, Option<&'a Texture>);

/// target = base + the sum of the parts, which lie one below the other, over `range`: one pass.
pub(super) fn add_parts(
    algebra: &Algebra,
    (parts, count): (&Texture, u32),
    (sign, base): Base,
    (target, range): (&Texture, Rect),
) -> Result<()> {
    let constants = [range.height(), count].map(|value| [value as f32, 0.0, 0.0, 0.0]);
    algebra
        .pass("linalg/sum_parts.frag", &[("BASE", sign)])?
        .streams([parts])
        .streams(base)
        .constants(&constants)
        .domains(&[Rect::whole(range.width(), range.height()).corners(), range.corners()])
        .over(range)
        .onto(&[target])
}

/// A matrix in any storage. All storages take and give the same [`Vector`], so they can be mixed in one algorithm.
///
/// Error of a product in 32 bits: at most (nonzeros of the row + 3)·2⁻²⁴·(|A||x|)ᵢ in element i, and 2⁻¹²⁶ for each
/// non-zero where denormals are flushed. An entry of 0 takes no part, whatever x holds there.
///
/// Each operator also multiplies in f64 on the CPU, with the entries as they were given. Solvers compute the residual
/// that they report from this product.
///
/// An operator of one's own has to say on which vectors it works and to compute A x ([`apply`](LinearOperator::apply)); the
/// example `own_operator` takes fourteen lines. Without [`multiply`](LinearOperator::multiply) the residual is computed by `apply`, in
/// 32 bits: it is right to about 2⁻²³ ‖|A| |x|‖, so no tolerance below that is met. Without
/// [`apply_transposed`](LinearOperator::apply_transposed) there are no least squares, and without
/// [`diagonal`](LinearOperator::diagonal) there is no Jacobi preconditioner: both are refused by name.
pub trait LinearOperator {
    /// The algebra it was made by.
    fn algebra(&self) -> &Algebra;

    /// How the elements of A x lie.
    fn rows(&self) -> Packed2x2;

    /// How the elements of x lie; as those of A x unless said.
    fn columns(&self) -> Packed2x2 {
        self.rows()
    }

    /// out = A x, A x + y or A x − y (`matrixVectorOp`). One that computes A x alone ends with [`Op::add_to`]: solvers ask for residuals with
    /// [`Op::Sub`].
    ///
    /// # Errors
    /// [`WrongShape`](crate::Error::WrongShape) with both shapes, [`OtherContext`](crate::Error::OtherContext).
    fn apply(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()>;

    /// out = x + h (x − before) + g (b − A x): a step of a three-term iteration, such as Chebyshev's; h counts for nothing
    /// without a `before`. Storages by diagonals and of nine points take one pass
    /// for it, others a product and one or three vector operations.
    ///
    /// # Errors
    /// As [`LinearOperator::apply`].
    fn three_term(
        &self,
        factors: [f32; 2],
        vectors: [&Vector; 2],
        before: Option<&Vector>,
        out: &mut Vector,
    ) -> Result<()> {
        three_term(self, factors, vectors, before, out)
    }

    /// out = Aᵀx, Aᵀx + y or Aᵀx − y; refused unless said.
    ///
    /// # Errors
    /// As [`LinearOperator::apply`]; [`Unsupported`](Error::Unsupported) for an operator that does not say.
    fn apply_transposed(&self, _op: Op, _x: &Vector, _out: &mut Vector) -> Result<()> {
        let (what, renderer) = ("a product with Aᵀ".to_owned(), "this operator".to_owned());
        Err(Error::Unsupported { what, needs: "LinearOperator::apply_transposed", renderer })
    }

    /// A x in f64 on the CPU. Unless said, [`apply`](LinearOperator::apply) multiplies the two 32-bit parts of x on the GPU, each
    /// product with its own rounding. Empty if that fails: a solver then ends with the error of `apply`.
    fn multiply(&self, x: &[f64]) -> Vec<f64> {
        let layouts = (self.columns(), self.rows());
        in_two_parts(self.algebra(), layouts, x, |part, out| self.apply(Op::Null, part, out))
            .unwrap_or_default()
    }

    /// Aᵀx in f64 on the CPU; unless said, by [`apply_transposed`](LinearOperator::apply_transposed), as
    /// [`multiply`](LinearOperator::multiply) is by `apply`.
    fn multiply_transposed(&self, x: &[f64]) -> Vec<f64> {
        let layouts = (self.rows(), self.columns());
        in_two_parts(self.algebra(), layouts, x, |part, out| self.apply_transposed(Op::Null, part, out))
            .unwrap_or_default()
    }

    /// The product as a part of other kernels, where they may compute it.
    #[doc(hidden)]
    fn inlined(&self) -> Option<Inlined<'_>> {
        None
    }

    /// The main diagonal; empty, which is the default, where it is not known.
    fn diagonal(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Checks the shapes of a product: of x, out and y.
    ///
    /// # Errors
    /// As [`LinearOperator::apply`].
    fn check(&self, op: Op, x: &Vector, out: &Vector) -> Result<()> {
        check(self.algebra(), self.columns(), self.rows(), op, x, out)
    }
}

/// A x in f64, or Aᵀx if `transposed`, for those who need all of its elements.
///
/// # Errors
/// That of the product on the GPU, where the one in f64 is empty because of it; [`WrongLength`](Error::WrongLength).
pub(crate) fn product_in_f64(a: &dyn LinearOperator, x: &[f64], transposed: bool) -> Result<Vec<f64>> {
    let (product, from, to) = match transposed {
        false => (a.multiply(x), a.columns(), a.rows()),
        true => (a.multiply_transposed(x), a.rows(), a.columns()),
    };
    let (found, expected) = (product.len(), to.len());
    if found == expected {
        return Ok(product);
    }
    if found == 0 {
        in_two_parts(a.algebra(), (from, to), x, |part, out| match transposed {
            false => a.apply(Op::Null, part, out),
            true => a.apply_transposed(Op::Null, part, out),
        })?;
    }
    let what = if transposed { "product with Aᵀ in f64" } else { "product of a matrix in f64" };
    Err(Error::WrongLength { what: what.to_owned(), found, expected, shape: to.to_string() })
}

/// Borrowed and boxed operators are operators, too: a [`Sum`](super::Sum) may hold any two.
macro_rules! through {
    ($type:ty, $($generics:tt)*) => {
        impl<$($generics)*> LinearOperator for $type {
            fn algebra(&self) -> &Algebra {
                (**self).algebra()
            }

            fn rows(&self) -> Packed2x2 {
                (**self).rows()
            }

            fn columns(&self) -> Packed2x2 {
                (**self).columns()
            }

            fn apply(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
                (**self).apply(op, x, out)
            }

            fn three_term(
                &self,
                factors: [f32; 2],
                vectors: [&Vector; 2],
                before: Option<&Vector>,
                out: &mut Vector,
            ) -> Result<()> {
                (**self).three_term(factors, vectors, before, out)
            }

            fn apply_transposed(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
                (**self).apply_transposed(op, x, out)
            }

            fn multiply(&self, x: &[f64]) -> Vec<f64> {
                (**self).multiply(x)
            }

            fn multiply_transposed(&self, x: &[f64]) -> Vec<f64> {
                (**self).multiply_transposed(x)
            }

            fn inlined(&self) -> Option<Inlined<'_>> {
                (**self).inlined()
            }

            fn diagonal(&self) -> Vec<f64> {
                (**self).diagonal()
            }
        }
    };
}

through!(&A, A: LinearOperator + ?Sized);
through!(Box<A>, A: LinearOperator + ?Sized);

/// The product of x in f64 by one in 32 bits: x = s (h + l), h and l of 32 bits each, s a power of two, and A x = s (A h + A l).
fn in_two_parts(
    algebra: &Algebra,
    (from, to): (Packed2x2, Packed2x2),
    x: &[f64],
    product: impl Fn(&Vector, &mut Vector) -> Result<()>,
) -> Result<Vec<f64>> {
    let largest = x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let scale = if largest.is_normal() { largest.log2().floor().clamp(-1000.0, 1000.0).exp2() } else { 1.0 };
    let high: Vec<f32> = x.iter().map(|x| (x / scale) as f32).collect();
    let low = x.iter().zip(&high).map(|(x, high)| (x / scale - f64::from(*high)) as f32);
    let low: Vec<f32> = low.collect();
    let mut out = algebra.zeros(to)?;
    let mut sum = vec![0.0; to.len()];
    for part in [high, low] {
        product(&algebra.vector(from, &part)?, &mut out)?;
        sum.iter_mut().zip(out.get()?).for_each(|(sum, y)| *sum += f64::from(y) * scale);
    }
    Ok(sum)
}

/// [`LinearOperator::three_term`] in passes of its own: the product, and two or three vector operations.
pub(super) fn three_term<A: LinearOperator + ?Sized>(
    a: &A,
    [h, g]: [f32; 2],
    [x, b]: [&Vector; 2],
    before: Option<&Vector>,
    out: &mut Vector,
) -> Result<()> {
    a.apply(Op::Sub(b), x, out)?;
    out.aypx(-g, x)?;
    let Some(before) = before else { return Ok(()) };
    let mut change = Vector::uninitialised(a.algebra(), a.columns())?;
    change.set_sum(h, x, -h, before)?;
    out.add(&change)
}

/// Checks the shapes of a product of `columns` elements to `rows`.
pub(super) fn check(
    algebra: &Algebra,
    columns: Packed2x2,
    rows: Packed2x2,
    op: Op,
    x: &Vector,
    out: &Vector,
) -> Result<()> {
    x.same_context(algebra)?;
    out.same_context(algebra)?;
    x.has_layout(columns, "vector that a matrix multiplies")?;
    out.has_layout(rows, "result of a matrix product")?;
    match op.vector() {
        Some(y) => y.same_shape(out, "vector added to a matrix product"),
        None => Ok(()),
    }
}

/// Checks that a matrix goes from vectors of one layout to vectors of the other.
pub(super) fn check_layouts(what: &str, matrix: &Csr, rows: Packed2x2, columns: Packed2x2) -> Result<()> {
    if (matrix.rows(), matrix.columns()) == (rows.len(), columns.len()) {
        return Ok(());
    }
    let found = format!("{} rows and {} columns", matrix.rows(), matrix.columns());
    let expected = format!("{} and {}, as the layouts have", rows.len(), columns.len());
    Err(Error::WrongShape { what: what.to_owned(), found, expected })
}
