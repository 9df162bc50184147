//! The seven-point matrix of a voxel box: −∇² on the cells that hold fluid, and its coarser levels.
//!
//! One texture holds all seven diagonals: vectors are 0 outside the fluid, so the entries of −1 need no storage.

use std::cell::OnceCell;

use super::{Algebra, LinearOperator, Op, Vector, of_voxels};
use crate::Result;
use crate::layout::{Packed2x2, Voxels};

/// (A x)ᵢ = dᵢ xᵢ − Σ wᵢⱼ xⱼ over the six neighbours of each voxel, wᵢⱼ = wⱼᵢ ≥ 0: symmetric, and positive
/// semidefinite where dᵢ ≥ Σ wᵢⱼ (rows D1, D5).
///
/// A voxel with d = 0 is no unknown, and **vectors must hold 0 there**. Each product then holds 0 there too, and on
/// such vectors A is exactly the formula. This makes A small: if all weights between unknowns are 1, as for −∇² between
/// cells of fluid, neighbours without fluid add nothing, and the matrix is one texture, its diagonal. Batty's seven
/// textures cost 14 fetches for four unknowns, one for each diagonal and one for its neighbour; symmetry leaves four
/// textures and 14 fetches ([`SevenPoint::weighted`]); this one takes 8.
///
/// # References
/// Batty, Wiebe & Houston 2003.
pub struct SevenPoint {
    voxels: Voxels,
    diagonal: Vector,
    weights: Option<[Vector; 3]>,
    /// The same in f64 on the CPU, read back when first asked for.
    truth: OnceCell<Entries>,
}

struct Entries {
    diagonal: Vec<f64>,
    weights: Option<[Vec<f64>; 3]>,
}

const KERNEL: &str = "linalg/seven_point.frag";

/// The formula of a pass beside A x: the kernel's FORM.
#[derive(Clone, Copy)]
enum Form {
    Product(i32),
    Residual,
    Relax,
    FromZero,
}

impl SevenPoint {
    /// All weights 1, and that diagonal: 0 where there is no unknown.
    ///
    /// # Errors
    /// [`WrongLength`](crate::Error::WrongLength) unless there is one entry a voxel; those of [`Algebra::vector`].
    pub fn new(algebra: &Algebra, voxels: Voxels, diagonal: &[f32]) -> Result<SevenPoint> {
        SevenPoint::of(voxels, algebra.vector(voxels.layout(), &voxels.spread(diagonal)?)?)
    }

    /// The matrix of a diagonal that is on the GPU already, for example computed by a pass from the kinds of the cells.
    ///
    /// # Errors
    /// [`WrongShape`](crate::Error::WrongShape) for a vector that is no field of these voxels.
    pub fn of(voxels: Voxels, diagonal: Vector) -> Result<SevenPoint> {
        diagonal.has_layout(voxels.layout(), "diagonal of a seven-point matrix")?;
        Ok(SevenPoint { voxels, diagonal, weights: None, truth: OnceCell::new() })
    }

    /// A matrix with any weights: those from each voxel to the next along x, y and z. Weights must be 0 between voxels
    /// that are no unknowns, and beyond the box.
    ///
    /// # Errors
    /// As [`SevenPoint::of`].
    pub fn weighted(voxels: Voxels, diagonal: Vector, weights: [Vector; 3]) -> Result<SevenPoint> {
        for weight in &weights {
            weight.has_layout(voxels.layout(), "weights of a seven-point matrix")?;
        }
        Ok(SevenPoint { weights: Some(weights), ..SevenPoint::of(voxels, diagonal)? })
    }

    /// The box.
    pub fn voxels(&self) -> Voxels {
        self.voxels
    }

    /// d, 0 where there is no unknown.
    pub fn main_diagonal(&self) -> &Vector {
        &self.diagonal
    }

    /// The weights along x, y and z, where they are not all 1.
    pub fn weights(&self) -> Option<&[Vector; 3]> {
        self.weights.as_ref()
    }

    /// 1/d, and 0 where there is no unknown: Jacobi's preconditioner. Made on the GPU.
    ///
    /// # Errors
    /// Those of memory.
    pub fn inverse_diagonal(&self) -> Result<Vector> {
        let mut ones = Vector::uninitialised(self.algebra(), self.rows())?;
        ones.fill(1.0)?;
        let mut inverse = Vector::uninitialised(self.algebra(), self.rows())?;
        self.relax_zero(1.0, &ones, &mut inverse)?;
        Ok(inverse)
    }

    /// The same matrix once more.
    ///
    /// # Errors
    /// Those of memory.
    pub fn try_clone(&self) -> Result<SevenPoint> {
        let weights = match &self.weights {
            Some([x, y, z]) => Some([x.try_clone()?, y.try_clone()?, z.try_clone()?]),
            None => None,
        };
        Ok(SevenPoint { weights, ..SevenPoint::of(self.voxels, self.diagonal.try_clone()?)? })
    }

    /// Gives the diagonal and the weights to be written anew; drops every read-back of the old ones.
    pub(crate) fn entries_mut(&mut self) -> (&mut Vector, Option<&mut [Vector; 3]>) {
        self.truth.take();
        (&mut self.diagonal, self.weights.as_mut())
    }

    /// out = b − A x: one pass.
    ///
    /// # Errors
    /// As [`LinearOperator::apply`].
    pub fn residual(&self, x: &Vector, b: &Vector, out: &mut Vector) -> Result<()> {
        self.check(Op::Sub(b), x, out)?;
        self.draw(Form::Residual, Some(x), Some(b), 0.0, out)
    }

    /// out = x + factor · D⁻¹(b − A x), a sweep of damped Jacobi: one pass.
    ///
    /// # Errors
    /// As [`LinearOperator::apply`].
    pub fn relax(&self, factor: f32, x: &Vector, b: &Vector, out: &mut Vector) -> Result<()> {
        self.check(Op::Sub(b), x, out)?;
        self.draw(Form::Relax, Some(x), Some(b), factor, out)
    }

    /// out = factor · D⁻¹ b, the same sweep from x = 0: one pass of two fetches.
    ///
    /// # Errors
    /// As [`LinearOperator::apply`].
    pub fn relax_zero(&self, factor: f32, b: &Vector, out: &mut Vector) -> Result<()> {
        self.check(Op::Null, b, out)?;
        self.draw(Form::FromZero, None, Some(b), factor, out)
    }

    fn draw(
        &self,
        form: Form,
        x: Option<&Vector>,
        y: Option<&Vector>,
        factor: f32,
        out: &mut Vector,
    ) -> Result<()> {
        let number = match form {
            Form::Product(sign) => sign,
            Form::Residual => 2,
            Form::Relax => 3,
            Form::FromZero => 4,
        };
        let weights = self.weights.as_ref().filter(|_| x.is_some());
        let algebra = self.diagonal.algebra();
        let vectors = x.into_iter().chain(y).chain([&self.diagonal]).chain(weights.into_iter().flatten());
        let constants = [self.voxels.hop(), [factor, 0.0, 0.0, 0.0]];
        let constants = match form {
            Form::Product(_) | Form::Residual => &constants[..1],
            Form::Relax => &constants[..],
            Form::FromZero => &constants[1..],
        };
        algebra
            .pass_of(KERNEL, &[("FORM", number), ("WEIGHTS", i32::from(weights.is_some()))], of_voxels)?
            .streams(vectors.map(Vector::texture))
            .constants(constants)
            .onto(&[out.texture()])
    }

    /// The entries as the GPU has them; no entries if they cannot be read back, as after a lost device.
    fn entries(&self) -> Option<&Entries> {
        if self.truth.get().is_none() {
            let wide = |vector: &Vector| -> Option<Vec<f64>> {
                Some(vector.get().ok()?.into_iter().map(f64::from).collect())
            };
            let weights = match &self.weights {
                Some([x, y, z]) => Some([wide(x)?, wide(y)?, wide(z)?]),
                None => None,
            };
            let _ = self.truth.set(Entries { diagonal: wide(&self.diagonal)?, weights });
        }
        self.truth.get()
    }
}

impl LinearOperator for SevenPoint {
    fn algebra(&self) -> &Algebra {
        self.diagonal.algebra()
    }

    fn rows(&self) -> Packed2x2 {
        self.voxels.layout()
    }

    fn columns(&self) -> Packed2x2 {
        self.voxels.layout()
    }

    fn apply(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        self.check(op, x, out)?;
        self.draw(Form::Product(op.sign()), Some(x), op.vector(), 0.0, out)
    }

    /// A is symmetric.
    fn apply_transposed(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        self.apply(op, x, out)
    }

    /// Returns no elements where the entries cannot be read back.
    fn multiply(&self, x: &[f64]) -> Vec<f64> {
        let Some(Entries { diagonal, weights }) = self.entries() else { return Vec::new() };
        let unknown = |i: usize| diagonal[i] > 0.0;
        let mut y: Vec<f64> = diagonal.iter().zip(x).map(|(d, x)| d * x).collect();
        for [i, j, k] in self.voxels.all() {
            let own = self.voxels.index([i, j, k]);
            for (axis, next) in [[i + 1, j, k], [i, j + 1, k], [i, j, k + 1]].into_iter().enumerate() {
                let other = self.voxels.index(next);
                if unknown(own) && unknown(other) {
                    let weight = weights.as_ref().map_or(1.0, |weights| weights[axis][own]);
                    y[own] -= weight * x[other];
                    y[other] -= weight * x[own];
                }
            }
        }
        y
    }

    fn multiply_transposed(&self, x: &[f64]) -> Vec<f64> {
        self.multiply(x)
    }

    fn diagonal(&self) -> Vec<f64> {
        self.entries().map_or_else(Vec::new, |entries| entries.diagonal.clone())
    }
}
