//! Matrices with entries in any order, multiplied by gathering (rows E1, E2).
//!
//! A texel holds the same slot (one entry) of the four rows of a result texel. So n rows of k entries and a diagonal
//! take n/4·(6k + 2) fetches and need no permutation. Rows are sorted by length only where that saves enough by the
//! counted costs; then one more pass, of five fetches, puts four sums back in their places.
//!
//! An address is one float, row + column/4096: texel coordinates in 24 bits, decoded by a floor. Longer fields take two
//! floats.
//!
//! ```text
//! costs      what passes and fetches cost, by which a layout is chosen
//! classes    which row lengths share a rectangle          no GPU
//! plan       where each entry of a matrix lies            no GPU
//! sheet      the textures of a rectangle: entries and addresses
//! product    all textures of a matrix, and the passes that multiply by it
//! ```
//!
//! A matrix whose entries passes compute has the plan of its pattern: [`lay_out`] puts what such a pass reads for each
//! entry where the entry is ([`Plan::place`]).

mod classes;
mod costs;
mod plan;
mod product;
mod sheet;

use std::cell::OnceCell;
use std::rc::Rc;

pub use costs::Costs;
pub(crate) use plan::{Plan, Rectangle};
pub(in crate::linalg) use product::Product;
pub(crate) use sheet::{SIDE, lay_out};

use super::{Algebra, LinearOperator, Op, Vector, operator};
use crate::Result;
use crate::layout::Packed2x2;
use crate::numeric::Csr;

/// A sparse matrix of any shape: each row gathers the elements of x that it needs, by their addresses.
///
/// The diagonal is a vector of its own in the layout of x, if that fits. The other entries of a row fill slots, and a
/// texel holds the same slot of the four rows of one result texel. For n rows of k entries and a diagonal, a product
/// fetches n/4·(6k + 2) texels (entries, addresses and four elements of x for each slot of four rows; the diagonal and
/// its own x) and writes n/4. If there are enough entries, x is first copied to one element a texel, so that a fetch
/// moves 4 bytes and not 16; the copy writes n more texels of a quarter of the size.
///
/// If the lengths of rows differ so much that empty slots would cost more, rows are sorted by length into rectangles of
/// few lengths ([`Costs`]), and a last pass brings their sums to their rows: 5 fetches for four rows. If there are few
/// long rows, their sums are made in parts. If `Limits` allow fewer fetches or shorter loops, a rectangle is drawn in
/// several passes, each added to the one before.
///
/// An address is one float, row + column / 4096 of the element's place in the field of x. For fields of more than 4096
/// columns or rows it is two floats, because the index would pass the 2²⁴ that a float can count to.
///
/// # References
/// Bolz et al., *Sparse Matrix Solvers on the GPU*, §3.1.1 and §3.2.
pub struct Gather {
    algebra: Algebra,
    rows: Packed2x2,
    columns: Packed2x2,
    matrix: Rc<Csr>,
    costs: Costs,
    product: Product,
    /// Aᵀ, made when it is first asked for; none for a symmetric matrix.
    transposed: OnceCell<Option<Product>>,
}

impl Gather {
    /// The matrix, from vectors of the layout `columns` to vectors of the layout `rows`; its rectangles are chosen by
    /// structure alone.
    ///
    /// # Errors
    /// [`WrongShape`](crate::Error::WrongShape) where a layout does not fit; [`OverLimit`](crate::Error::OverLimit) for a
    /// row that no texture holds; [`OutOfMemory`](crate::Error::OutOfMemory).
    pub fn new(algebra: &Algebra, rows: Packed2x2, columns: Packed2x2, matrix: Csr) -> Result<Gather> {
        Gather::by_costs(algebra, rows, columns, matrix, &Costs::default())
    }

    /// [`Gather::new`], with rectangles chosen by what passes and fetches cost on a driver.
    ///
    /// # Errors
    /// As [`Gather::new`].
    pub fn by_costs(
        algebra: &Algebra,
        rows: Packed2x2,
        columns: Packed2x2,
        matrix: Csr,
        costs: &Costs,
    ) -> Result<Gather> {
        operator::check_layouts("gather matrix", &matrix, rows, columns)?;
        let product = Product::new(algebra, rows, columns, &matrix, costs)?;
        let (algebra, matrix, transposed) = (algebra.clone(), Rc::new(matrix), OnceCell::new());
        Ok(Gather { algebra, rows, columns, matrix, costs: *costs, product, transposed })
    }

    /// The matrix as it was given.
    pub fn matrix(&self) -> &Csr {
        &self.matrix
    }

    /// Rectangles that a product draws: classes of rows of like length.
    pub fn rectangles(&self) -> usize {
        self.product.plan().rectangles().len()
    }

    /// Returns true if rows are sorted by length, and a last pass brings their sums to their places.
    pub fn is_sorted(&self) -> bool {
        self.product.plan().is_sorted()
    }

    /// Aᵀ; none where that is A.
    fn transposed(&self) -> Result<Option<&Product>> {
        if self.transposed.get().is_none() {
            let symmetric = self.rows == self.columns && self.matrix.is_symmetric();
            let made = if symmetric {
                None
            } else {
                let matrix = self.matrix.transpose();
                Some(Product::new(&self.algebra, self.columns, self.rows, &matrix, &self.costs)?)
            };
            let _ = self.transposed.set(made);
        }
        Ok(self.transposed.get().and_then(Option::as_ref))
    }
}

impl LinearOperator for Gather {
    fn algebra(&self) -> &Algebra {
        &self.algebra
    }

    fn rows(&self) -> Packed2x2 {
        self.rows
    }

    fn columns(&self) -> Packed2x2 {
        self.columns
    }

    fn apply(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        self.check(op, x, out)?;
        self.product.apply(op, x, out)
    }

    fn apply_transposed(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        operator::check(self.algebra(), self.rows, self.columns, op, x, out)?;
        self.transposed()?.unwrap_or(&self.product).apply(op, x, out)
    }

    fn multiply(&self, x: &[f64]) -> Vec<f64> {
        self.matrix.multiply(x)
    }

    fn multiply_transposed(&self, x: &[f64]) -> Vec<f64> {
        self.matrix.multiply_transposed(x)
    }

    fn diagonal(&self) -> Vec<f64> {
        self.matrix.diagonal()
    }
}

#[cfg(test)]
mod tests;
