//! Diagonal matrices, and sums of matrices.

use std::cell::OnceCell;

use super::bands::{Bands, Coefficients, Kind, Shift};
use super::{Algebra, LinearOperator, Op, Vector, operator};
use crate::Result;
use crate::layout::Packed2x2;

/// A matrix with entries on its main diagonal alone: one pass a product.
pub struct Diagonal {
    /// In f64: as they were given, or read back when they are first asked for.
    entries: OnceCell<Vec<f64>>,
    vector: Vector,
    bands: Bands,
}

impl Diagonal {
    /// The matrix of that diagonal.
    ///
    /// # Errors
    /// As [`Algebra::vector`].
    pub fn new(algebra: &Algebra, layout: Packed2x2, entries: &[f64]) -> Result<Diagonal> {
        let rounded: Vec<f32> = entries.iter().map(|&v| v as f32).collect();
        let diagonal = Diagonal::from_vector(algebra.vector(layout, &rounded)?);
        let _ = diagonal.entries.set(entries.to_vec());
        Ok(diagonal)
    }

    /// The matrix whose diagonal is a vector on the GPU. The first product in f64 reads it back.
    pub fn from_vector(vector: Vector) -> Diagonal {
        let bands = Bands::new(vector.algebra(), vector.layout(), Kind::Vectors, vec![Shift::Near(0, 0)]);
        Diagonal { entries: OnceCell::new(), vector, bands }
    }

    /// Returns no elements where the vector cannot be read back, as after a lost device.
    fn entries(&self) -> &[f64] {
        if self.entries.get().is_none()
            && let Ok(read) = self.vector.get()
        {
            let _ = self.entries.set(read.into_iter().map(f64::from).collect());
        }
        self.entries.get().map_or(&[], Vec::as_slice)
    }
}

impl LinearOperator for Diagonal {
    fn algebra(&self) -> &Algebra {
        self.vector.algebra()
    }

    fn rows(&self) -> Packed2x2 {
        self.vector.layout()
    }

    fn columns(&self) -> Packed2x2 {
        self.vector.layout()
    }

    fn apply(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        self.check(op, x, out)?;
        let own = std::slice::from_ref(self.vector.texture());
        self.bands.apply(op, x, Coefficients::Vectors(own), out)
    }

    fn apply_transposed(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        self.apply(op, x, out)
    }

    fn multiply(&self, x: &[f64]) -> Vec<f64> {
        self.entries().iter().zip(x).map(|(a, x)| a * x).collect()
    }

    fn multiply_transposed(&self, x: &[f64]) -> Vec<f64> {
        self.multiply(x)
    }

    fn diagonal(&self) -> Vec<f64> {
        self.entries().to_vec()
    }
}

/// A + B: two storages in one matrix, such as bands and a few points beside them.
pub struct Sum<A, B> {
    a: A,
    b: B,
}

impl<A: LinearOperator, B: LinearOperator> Sum<A, B> {
    /// The sum of two matrices of the same shape.
    ///
    /// # Errors
    /// [`WrongShape`](crate::Error::WrongShape), [`OtherContext`](crate::Error::OtherContext).
    pub fn new(a: A, b: B) -> Result<Sum<A, B>> {
        if !a.algebra().is(b.algebra()) {
            return Err(crate::Error::OtherContext { what: "a matrix of a sum".into() });
        }
        if (a.rows(), a.columns()) != (b.rows(), b.columns()) {
            let shape = |rows: Packed2x2, columns: Packed2x2| format!("a matrix from {columns} to {rows}");
            let (found, expected) = (shape(b.rows(), b.columns()), shape(a.rows(), a.columns()));
            return Err(crate::Error::WrongShape { what: "sum of matrices".into(), found, expected });
        }
        Ok(Sum { a, b })
    }
}

impl<A: LinearOperator, B: LinearOperator> LinearOperator for Sum<A, B> {
    fn algebra(&self) -> &Algebra {
        self.a.algebra()
    }

    fn rows(&self) -> Packed2x2 {
        self.a.rows()
    }

    fn columns(&self) -> Packed2x2 {
        self.a.columns()
    }

    fn apply(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        self.check(op, x, out)?;
        let mut first = Vector::uninitialised(self.algebra(), self.rows())?;
        self.a.apply(op, x, &mut first)?;
        self.b.apply(Op::Add(&first), x, out)
    }

    fn apply_transposed(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        operator::check(self.algebra(), self.rows(), self.columns(), op, x, out)?;
        let mut first = Vector::uninitialised(self.algebra(), self.columns())?;
        self.a.apply_transposed(op, x, &mut first)?;
        self.b.apply_transposed(Op::Add(&first), x, out)
    }

    fn multiply(&self, x: &[f64]) -> Vec<f64> {
        add(self.a.multiply(x), &self.b.multiply(x))
    }

    fn multiply_transposed(&self, x: &[f64]) -> Vec<f64> {
        add(self.a.multiply_transposed(x), &self.b.multiply_transposed(x))
    }

    fn diagonal(&self) -> Vec<f64> {
        add(self.a.diagonal(), &self.b.diagonal())
    }
}

fn add(mut x: Vec<f64>, y: &[f64]) -> Vec<f64> {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += y);
    x
}
