//! The dense operator: the products and the f64 entries that conjugate gradients and complementarity problems need of a matrix.

use std::borrow::Cow;

use super::Matrix;
use super::storage::wrong_shape;
use crate::Result;
use crate::linalg::Algebra;

/// A square matrix, whole or of independent groups, as a factor of vectors (each a [`Matrix`] of one column).
pub trait DenseOperator {
    /// The algebra that made it.
    fn algebra(&self) -> &Algebra;

    /// Rows of its vectors, padding between groups included.
    fn size(&self) -> usize;

    /// y = A x.
    ///
    /// # Errors
    /// [`WrongShape`](crate::Error::WrongShape), [`OtherContext`](crate::Error::OtherContext).
    fn apply(&self, x: &Matrix, y: &mut Matrix) -> Result<()>;

    /// The entries of each group, for computations in f64; a [`Matrix`] is read back for them.
    ///
    /// # Errors
    /// [`WrongShape`](crate::Error::WrongShape) for a matrix that is not square.
    fn groups(&self) -> Result<Vec<Group<'_>>>;
}

/// A square matrix on the diagonal, independent of the others.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    /// Its first row, and first column, among those of the whole: a multiple of 4.
    pub start: usize,
    /// Rows and columns.
    pub n: usize,
    /// n × n of them, row after row.
    pub entries: Cow<'a, [f32]>,
}

impl Group<'_> {
    /// The rows of the whole that are this group's.
    pub fn rows(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.n
    }

    /// y = A x of this group's part of x and y, in f64.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        let x = &x[self.rows()];
        for (y, row) in y[self.rows()].iter_mut().zip(self.entries.chunks(self.n)) {
            *y = row.iter().zip(x).map(|(a, x)| f64::from(*a) * x).sum();
        }
    }
}

impl Matrix {
    /// That it is a vector which `a` can be multiplied by.
    pub(crate) fn is_vector_of(&self, a: &dyn DenseOperator, what: &str) -> Result<()> {
        self.same_context(a.algebra())?;
        let expected = (a.size(), 1);
        if self.shape() == expected { Ok(()) } else { Err(wrong_shape(what, self.shape(), expected)) }
    }
}

impl DenseOperator for Matrix {
    fn algebra(&self) -> &Algebra {
        Matrix::algebra(self)
    }

    fn size(&self) -> usize {
        self.rows()
    }

    fn apply(&self, x: &Matrix, y: &mut Matrix) -> Result<()> {
        y.multiply(self, x)
    }

    fn groups(&self) -> Result<Vec<Group<'_>>> {
        let (n, columns) = self.shape();
        if n != columns {
            return Err(wrong_shape("matrix of a system", (n, columns), (n, n)));
        }
        Ok(vec![Group { start: 0, n, entries: Cow::Owned(self.get()?) }])
    }
}
