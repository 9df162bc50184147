//! The scaling of each group of a problem to numbers near 1.

use super::LcpSolver;
use crate::Result;
use crate::matrix::Matrix;
use crate::solve::near::power_of_two;

/// Factors for groups whose energies x·A x the accelerated method cannot compare in 32 bits, above 10¹⁴ or below 10⁻¹⁴: with b
/// and the bounds, x is multiplied by a power of two, which rounds nothing.
pub struct Nearer {
    /// For each group.
    sizes: Vec<f32>,
    /// For each row.
    inverses: Matrix,
    factors: Matrix,
}

impl Nearer {
    /// For that right side; nothing where all groups are near enough.
    pub fn new(solver: &LcpSolver, b: &[f32]) -> Result<Option<Nearer>> {
        // The root of what the energy of one unknown alone would be.
        let size = |row: usize| f64::from(b[row].abs()) * f64::from(solver.inverses[row]).sqrt();
        let of_group = |group: &crate::matrix::Group| group.rows().map(size).fold(0.0, f64::max);
        let sizes: Vec<f32> = solver.groups.iter().map(|group| power_of_two(of_group(group))).collect();
        if sizes.iter().all(|&size| size == 1.0) {
            return Ok(None);
        }
        let mut factors = vec![1.0; b.len()];
        for (group, &size) in solver.groups.iter().zip(&sizes) {
            factors[group.rows()].fill(size);
        }
        let inverses: Vec<f32> = factors.iter().map(|factor| factor.recip()).collect();
        let column = |elements: &[f32]| Matrix::new(solver.a.algebra(), b.len(), 1, elements);
        Ok(Some(Nearer { sizes, inverses: column(&inverses)?, factors: column(&factors)? }))
    }

    /// A vector of the problem, brought near.
    pub fn brought(&self, vector: &Matrix) -> Result<Matrix> {
        let mut near = Matrix::uninitialised(vector.algebra(), vector.rows(), 1)?;
        near.set_product(1.0, &self.inverses, vector)?;
        Ok(near)
    }

    /// Bounds, if there are any, brought near.
    pub fn bounds(&self, bounds: Option<(&Matrix, &Matrix)>) -> Result<Option<(Matrix, Matrix)>> {
        let both = |(lower, upper)| Ok((self.brought(lower)?, self.brought(upper)?));
        bounds.map(both).transpose()
    }

    /// x as it is, from what was brought near.
    pub fn take_back(&self, near: &Matrix, x: &mut Matrix) -> Result<()> {
        x.set_product(1.0, &self.factors, near)
    }

    /// The norms that residuals are relative to.
    pub fn units(&self, units: &[f64]) -> Vec<f64> {
        units.iter().zip(&self.sizes).map(|(unit, size)| unit / f64::from(*size)).collect()
    }
}
