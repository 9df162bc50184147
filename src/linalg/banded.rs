//! Matrices by their diagonals (row A4).

mod entries;

use std::cell::OnceCell;
use std::rc::Rc;

use super::bands::{Bands, Coefficients, Inlined, Kind, Shift};
use super::{Algebra, LinearOperator, Op, Vector, operator};
use crate::gl::Texture;
use crate::layout::Packed2x2;
use crate::numeric::Csr;
use crate::{Error, Result};

/// A square matrix whose non-zeros lie on some diagonals, each stored as a vector: c_k(i) = A(i, i + k).
///
/// Diagonals k and k − n share a vector, because one ends where the other begins: a full matrix of n rows takes n
/// vectors and wastes nothing. A product reads x at shifted addresses and moves no data. Neighbours on the field of the
/// layout are fetched at constant offsets, each texel once for all diagonals that need it (a five-point matrix takes
/// 5 + 5 fetches for four unknowns); every other diagonal takes computed addresses, four fetches each. One pass takes
/// as many diagonals as there are streams: 14 on most drivers.
///
/// # References
/// Krüger & Westermann, GPU Gems 2 ch. 44, §44.2.3 and §44.3.2.
pub struct Banded {
    algebra: Algebra,
    layout: Packed2x2,
    /// As it was given, or read back when it is first asked for.
    matrix: OnceCell<Rc<Csr>>,
    bands: Bands,
    /// Which diagonals are stored: k, from 0 to n − 1, stands for k − n, too.
    numbers: Vec<usize>,
    diagonals: Vec<Texture>,
    /// Aᵀ, made when it is first asked for; none for a symmetric matrix.
    transposed: OnceCell<Option<Box<Banded>>>,
}

/// Bytes of diagonals at most.
const MOST: u64 = 4 << 30;

impl Banded {
    /// The matrix in diagonals, for vectors of that layout. A grid matrix is fastest on its grid's layout.
    ///
    /// # Errors
    /// [`Error::WrongShape`] unless the matrix is square and the layout as long; [`Error::OverLimit`] for diagonals
    /// of more than 4 GiB; [`Error::OutOfMemory`].
    pub fn new(algebra: &Algebra, layout: Packed2x2, matrix: Csr) -> Result<Banded> {
        Banded::of(algebra, layout, Rc::new(matrix))
    }

    /// The matrix of these diagonals: k, and the n elements A(i, i + k) for i from 0. Elements whose column lies
    /// outside are not part of the matrix.
    ///
    /// # Errors
    /// As [`Banded::new`]; [`Error::WrongLength`] for a diagonal of another length.
    pub fn from_diagonals(
        algebra: &Algebra,
        layout: Packed2x2,
        diagonals: &[(i64, Vec<f64>)],
    ) -> Result<Banded> {
        let n = layout.len();
        let entries = diagonals.iter().flat_map(|(k, values)| {
            let place = move |i: usize| usize::try_from(k.checked_add(i as i64)?).ok().filter(|&j| j < n);
            values.iter().enumerate().filter_map(move |(i, &value)| Some((i, place(i)?, value)))
        });
        check_lengths(layout, diagonals.iter().map(|(_, values)| values.len()))?;
        Banded::new(algebra, layout, Csr::from_triplets(n, n, entries)?)
    }

    /// The matrix of these diagonals on a grid: (dx, dy), and for each cell the coefficient of the neighbour at that
    /// offset. Coefficients of neighbours off the grid are not part of the matrix.
    ///
    /// # Errors
    /// As [`Banded::from_diagonals`].
    pub fn on_grid(
        algebra: &Algebra,
        layout: Packed2x2,
        diagonals: &[((i64, i64), Vec<f64>)],
    ) -> Result<Banded> {
        let (n, width) = (layout.len(), layout.width() as usize);
        let entries = diagonals.iter().flat_map(|&((dx, dy), ref values)| {
            let neighbour = move |i: usize| {
                let away = |from: usize, by: i64| usize::try_from(by.checked_add(from as i64)?).ok();
                let column = away(i % width, dx).filter(|&column| column < width)?;
                away(i / width, dy)?.checked_mul(width)?.checked_add(column).filter(|&j| j < n)
            };
            values.iter().enumerate().filter_map(move |(i, &value)| Some((i, neighbour(i)?, value)))
        });
        check_lengths(layout, diagonals.iter().map(|(_, values)| values.len()))?;
        Banded::new(algebra, layout, Csr::from_triplets(n, n, entries)?)
    }

    fn of(algebra: &Algebra, layout: Packed2x2, matrix: Rc<Csr>) -> Result<Banded> {
        let n = layout.len();
        operator::check_layouts("banded matrix", &matrix, layout, layout)?;
        let (mut shifts, mut numbers, mut diagonals) = (Vec::new(), Vec::new(), Vec::new());
        let by_diagonal = by_diagonal(&matrix);
        let stored: Vec<_> = by_diagonal.chunk_by(|a, b| a.0 == b.0).collect();
        check_size(layout, stored.len())?;
        for entries in stored {
            let mut values = vec![0.0; n];
            for &(_, row, value) in entries {
                values[row] = value as f32;
            }
            let texture = algebra.texture(layout)?;
            texture.upload(texture.shape().rect(), &layout.pack(&values, 0.0)?)?;
            diagonals.push(texture);
            numbers.push(entries[0].0);
            shifts.push(shift(layout, entries));
        }
        let bands = Bands::new(algebra, layout, Kind::Vectors, shifts);
        let (algebra, matrix, transposed) = (algebra.clone(), OnceCell::from(matrix), OnceCell::new());
        Ok(Banded { algebra, layout, matrix, bands, numbers, diagonals, transposed })
    }

    /// Counts the diagonals of a matrix that would be fetched at constant offsets on that layout, and those with
    /// computed addresses, which take four times the fetches. Needs no GPU.
    pub fn near_and_far(layout: Packed2x2, matrix: &Csr) -> (usize, usize) {
        let by_diagonal = by_diagonal(matrix);
        let shifts = by_diagonal.chunk_by(|a, b| a.0 == b.0).map(|entries| shift(layout, entries));
        let (near, far): (Vec<Shift>, Vec<Shift>) =
            shifts.partition(|shift| matches!(shift, Shift::Near(..)));
        (near.len(), far.len())
    }

    /// The matrix in f64: as it was given, or, if the GPU has made or changed it, the non-zeros of the GPU's copy, read
    /// back when first asked for.
    ///
    /// # Errors
    /// Those of reading back: [`ContextLost`](crate::Error::ContextLost); [`Driver`](crate::Error::Driver) where the driver refuses the read.
    pub fn matrix(&self) -> Result<&Csr> {
        if let Some(matrix) = self.matrix.get() {
            return Ok(matrix);
        }
        let matrix = Rc::new(self.read()?);
        Ok(self.matrix.get_or_init(|| matrix))
    }

    /// Diagonals that are stored.
    pub fn diagonals(&self) -> usize {
        self.diagonals.len()
    }

    /// Passes of a product.
    pub fn passes(&self) -> usize {
        self.bands.passes()
    }

    fn transposed(&self) -> Result<&Banded> {
        if self.transposed.get().is_none() {
            let transpose = self.matrix()?.transpose();
            let made = if transpose == *self.matrix()? {
                None
            } else {
                Some(Box::new(Banded::new(&self.algebra, self.layout, transpose)?))
            };
            let _ = self.transposed.set(made);
        }
        Ok(self.transposed.get().and_then(Option::as_deref).unwrap_or(self))
    }
}

impl LinearOperator for Banded {
    fn algebra(&self) -> &Algebra {
        &self.algebra
    }

    fn rows(&self) -> Packed2x2 {
        self.layout
    }

    fn columns(&self) -> Packed2x2 {
        self.layout
    }

    fn apply(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        self.check(op, x, out)?;
        self.bands.apply(op, x, Coefficients::Vectors(&self.diagonals), out)
    }

    fn three_term(
        &self,
        factors: [f32; 2],
        vectors: [&Vector; 2],
        before: Option<&Vector>,
        out: &mut Vector,
    ) -> Result<()> {
        self.bands.three_term(self, Coefficients::Vectors(&self.diagonals), factors, vectors, before, out)
    }

    fn inlined(&self) -> Option<Inlined<'_>> {
        Inlined::of(&self.bands, Coefficients::Vectors(&self.diagonals))
    }

    fn apply_transposed(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        self.transposed()?.apply(op, x, out)
    }

    /// Returns no elements where the diagonals cannot be read back, as after a lost device.
    fn multiply(&self, x: &[f64]) -> Vec<f64> {
        self.matrix().map_or_else(|_| Vec::new(), |matrix| matrix.multiply(x))
    }

    fn multiply_transposed(&self, x: &[f64]) -> Vec<f64> {
        self.matrix().map_or_else(|_| Vec::new(), |matrix| matrix.multiply_transposed(x))
    }

    fn diagonal(&self) -> Vec<f64> {
        self.matrix().map_or_else(|_| Vec::new(), Csr::diagonal)
    }
}

pub(super) fn check_size(layout: Packed2x2, diagonals: usize) -> Result<()> {
    let (width, height) = layout.texels();
    let bytes = diagonals as u64 * 16 * u64::from(width) * u64::from(height);
    if bytes > MOST {
        let what = format!("banded matrix of {diagonals} diagonals");
        return Err(Error::OverLimit { what, quantity: "bytes", found: bytes, limit: MOST });
    }
    Ok(())
}

/// The entries as (diagonal, row, value), diagonal after diagonal; k and k − n are one.
pub(super) fn by_diagonal(matrix: &Csr) -> Vec<(usize, usize, f64)> {
    let n = matrix.rows();
    let mut entries: Vec<_> =
        matrix.triplets().map(|(row, column, value)| ((column + n - row) % n, row, value)).collect();
    entries.sort_by_key(|&(diagonal, row, _)| (diagonal, row));
    entries
}

/// Near if all entries of the diagonal read a neighbour the same way, else along the folded array.
pub(super) fn shift(layout: Packed2x2, entries: &[(usize, usize, f64)]) -> Shift {
    let n = layout.len();
    let away = |&(diagonal, row, _): &(usize, usize, f64)| {
        let (to, from) = (layout.place((row + diagonal) % n), layout.place(row));
        (i64::from(to.0) - i64::from(from.0), i64::from(to.1) - i64::from(from.1))
    };
    let (dx, dy) = away(&entries[0]);
    let (columns, rows) = layout.place(entries[0].0);
    let near = if entries.iter().all(|entry| away(entry) == (dx, dy)) { Shift::near(dx, dy) } else { None };
    near.unwrap_or(Shift::Far(columns, rows))
}

fn check_lengths(layout: Packed2x2, mut lengths: impl Iterator<Item = usize>) -> Result<()> {
    match lengths.find(|&length| length != layout.len()) {
        None => Ok(()),
        Some(found) => {
            let (what, shape) = ("diagonal".to_owned(), layout.to_string());
            Err(Error::WrongLength { what, found, expected: layout.len(), shape })
        }
    }
}
