//! Matrices of double-single entries, in the storages of 32 bits.

use std::rc::Rc;

use super::vector::{parts, places, split, words};
use super::{DoubleVector, check};
use crate::gl::Texture;
use crate::layout::Packed2x2;
use crate::linalg::banded::{by_diagonal, check_size, shift};
use crate::linalg::bands::{Bands, Coefficients, Kind, Shift};
use crate::linalg::gather::Product;
use crate::linalg::{Algebra, Op, operator};
use crate::numeric::Csr;
use crate::{Error, Result};

/// The storages that have a form in double-single.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoubleStorage {
    /// Diagonals, as [`Banded`](crate::linalg::Banded).
    Banded,
    /// Entries anywhere, as [`Gather`](crate::linalg::Gather), every row in its place: where the lengths of rows differ,
    /// all have the slots of the longest.
    Gather,
}

/// A square matrix whose entries are sums of two floats, 48 bits together.
///
/// Error of a product: at most (2 nonzeros of the row + 5)·3·2⁻⁴⁸·(|A||x|)ᵢ in element i, and 2⁻¹²⁶ for each non-zero where
/// denormals are flushed. An entry of 0 takes no part, whatever x holds there.
///
/// Fetches for four unknowns: of n diagonals that read near neighbours 2 n, and 2 for each texel of x in 32 bits (five points:
/// 20); of a row of k entries and a diagonal 8 k + 4.
///
/// # References
/// Dekker 1971; Göddeke, Strzodka & Turek 2007. The storages: rows A4 and E1.
pub struct DoubleMatrix {
    algebra: Algebra,
    layout: Packed2x2,
    matrix: Rc<Csr>,
    stored: Stored,
}

enum Stored {
    Banded(Bands, Vec<Texture>),
    Gather(Box<Product>),
}

impl DoubleMatrix {
    /// The matrix in that storage, for vectors of that layout.
    ///
    /// # Errors
    /// [`Error::WrongShape`] unless the matrix is square and the layout as long; [`Error::BadParameter`] for an entry that no
    /// float holds; [`Error::Unsupported`] where the driver's arithmetic or targets do not suffice; [`Error::OverLimit`];
    /// [`Error::OutOfMemory`].
    pub fn new(
        algebra: &Algebra,
        layout: Packed2x2,
        storage: DoubleStorage,
        matrix: Csr,
    ) -> Result<DoubleMatrix> {
        check(algebra)?;
        operator::check_layouts("double-single matrix", &matrix, layout, layout)?;
        if let Some((row, column, value)) = matrix.triplets().find(|entry| !(entry.2 as f32).is_finite()) {
            return Err(Error::BadParameter {
                name: "double-single matrix",
                found: format!("{value:e} at ({row}, {column})"),
                expected: format!("finite numbers of magnitudes up to {:e}", f32::MAX),
            });
        }
        let stored = match storage {
            DoubleStorage::Banded => banded(algebra, layout, &matrix)?,
            DoubleStorage::Gather => {
                let all = words(layout)?;
                Stored::Gather(Box::new(Product::of_doubles(algebra, all, &of_words(layout, &matrix)?)?))
            }
        };
        Ok(DoubleMatrix { algebra: algebra.clone(), layout, matrix: Rc::new(matrix), stored })
    }

    /// The algebra it was made by.
    pub fn algebra(&self) -> &Algebra {
        &self.algebra
    }

    /// How the elements of x and of A x lie.
    pub fn layout(&self) -> Packed2x2 {
        self.layout
    }

    /// The matrix as it was given.
    pub fn matrix(&self) -> &Csr {
        &self.matrix
    }

    /// out = A x.
    ///
    /// # Errors
    /// [`Error::WrongShape`] with both shapes, [`Error::OtherContext`].
    pub fn apply(&self, x: &DoubleVector, out: &mut DoubleVector) -> Result<()> {
        for (vector, what) in [(x, "vector that a matrix multiplies"), (&*out, "result of a matrix product")]
        {
            vector.words().same_context(&self.algebra)?;
            vector.words().has_layout(words(self.layout)?, what)?;
        }
        let (x, out) = (x.words(), out.words_mut());
        match &self.stored {
            Stored::Banded(bands, diagonals) => {
                bands.apply(Op::Null, x, Coefficients::Vectors(diagonals), out)
            }
            Stored::Gather(product) => product.apply(Op::Null, x, out),
        }
    }
}

fn banded(algebra: &Algebra, layout: Packed2x2, matrix: &Csr) -> Result<Stored> {
    let by_diagonal = by_diagonal(matrix);
    let all = words(layout)?;
    let (mut shifts, mut diagonals) = (Vec::new(), Vec::new());
    check_size(all, by_diagonal.chunk_by(|a, b| a.0 == b.0).count())?;
    for entries in by_diagonal.chunk_by(|a, b| a.0 == b.0) {
        let mut values = vec![0.0; layout.len()];
        entries.iter().for_each(|&(_, row, value)| values[row] = value);
        let texture = algebra.texture(all)?;
        texture.upload(texture.shape().rect(), &all.pack(&split(layout, &values)?, 0.0)?)?;
        diagonals.push(texture);
        shifts.push(match shift(layout, entries) {
            // A texel is one row here: offsets reach half as far down as where it is two.
            Shift::Near(_, dy) if !(-8..=7).contains(&dy) => {
                let (columns, rows) = layout.place(entries[0].0);
                Shift::Far(columns, rows)
            }
            shift => shift,
        });
    }
    Ok(Stored::Banded(Bands::new(algebra, layout, Kind::Doubles, shifts), diagonals))
}

/// The matrix of the floats: its high parts between rows and columns of high parts, its low parts between those of low parts. So
/// the four floats of a texel of x and of the four rows of a group are those of two numbers.
fn of_words(layout: Packed2x2, matrix: &Csr) -> Result<Csr> {
    let n = words(layout)?.len();
    let entries = matrix.triplets().flat_map(|(row, column, value)| {
        let (rows, columns, values) = (places(layout, row), places(layout, column), parts(value));
        [0, 1].map(|part| (rows[part], columns[part], f64::from(values[part])))
    });
    Csr::from_triplets(n, n, entries)
}
