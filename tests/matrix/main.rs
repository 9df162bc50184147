//! Dense matrices in columns of four, against f64 on the CPU.

#[path = "../support/mod.rs"]
mod support;

mod blocks;
mod elements;
mod errors;
mod padding;
mod parts;
mod passes;
mod products;
mod reductions;

use quadrille::Result;
use quadrille::linalg::Algebra;
use quadrille::matrix::Matrix;

/// Half of the distance between 1 and the next number: what one operation may err.
pub const U: f64 = 1.0 / (1u64 << 24) as f64;

/// Rows, columns and inner sizes: around the four rows of a texel, and past them.
pub const SIZES: [usize; 10] = [1, 2, 3, 4, 5, 7, 8, 31, 64, 129];

/// A matrix on the CPU.
#[derive(Clone)]
pub struct Full {
    pub rows: usize,
    pub columns: usize,
    pub elements: Vec<f32>,
}

impl Full {
    pub fn random(rows: usize, columns: usize, random: &mut support::Random) -> Full {
        Full { rows, columns, elements: random.floats(rows * columns) }
    }

    pub fn at(&self, row: usize, column: usize) -> f64 {
        f64::from(self.elements[row * self.columns + column])
    }

    pub fn transpose(&self) -> Full {
        let of = |i| self.elements[i % self.rows * self.columns + i / self.rows];
        Full { rows: self.columns, columns: self.rows, elements: (0..self.elements.len()).map(of).collect() }
    }

    pub fn upload(&self, algebra: &Algebra) -> Result<Matrix> {
        Matrix::new(algebra, self.rows, self.columns, &self.elements)
    }
}

/// That the padding is still what the next product takes for zero: the sum of all texels is that of the elements.
pub fn check_padding(matrix: &Matrix) -> Result<()> {
    let mut sum = matrix.algebra().scalar(7.0)?;
    matrix.sum(&mut sum)?;
    let elements: Vec<f64> = matrix.get()?.into_iter().map(f64::from).collect();
    let bound = 32.0 * U * elements.iter().map(|e| e.abs()).sum::<f64>();
    let error = (f64::from(sum.get()?) - elements.iter().sum::<f64>()).abs();
    assert!(error <= bound, "padding of {:?}", matrix.shape());
    Ok(())
}
