//! A V-cycle over boxes of half, a quarter, an eighth ... of the voxels a side, as a preconditioner.
//!
//! Levels are aggregates: 2×2×2 voxels are a texel in each of two slices. Four passes make the coarse matrix ½PᵀAP, and
//! no coarse cell has to be classified. The factor ½ keeps whole entries exact, so closed pockets are exactly singular
//! at every level and never nearly so.

use super::preconditioner::Preconditioner;
use crate::linalg::{Algebra, LinearOperator, SevenPoint, Vector, Voxels, of_voxels};
use crate::{Error, Result};

/// One V-cycle for a [`SevenPoint`] matrix, as M of [`Pcg`](super::Pcg): the preconditioner that Batty et al. could
/// not have (row D7).
///
/// A voxel of a coarse level is 2×2×2 of the finer one, which suits the packed layout: the four in a slice are one
/// texel, so the sum over all eight (restriction) takes two fetches, and the prolongation, which gives each of the
/// eight the same value, takes one. The coarse matrix is ½ Pᵀ A P, again seven-point and symmetric, and its entries are
/// computed on the GPU. It contains all walls and the surface, and a pocket of fluid that no air reaches stays one at
/// every level; so no coarse cell has to be classified. The ½ corrects for the constant prolongation, whose steps have
/// twice the energy of the smooth functions that they stand for.
///
/// Sweeps are Jacobi with a factor each, after the correction in the opposite order, so M is symmetric: the factors of s
/// sweeps are those of the Chebyshev polynomial of degree s on the upper part of the spectrum of D⁻¹A, 0.3 to 1.9, which
/// the coarser levels see least of. Two sweeps leave 0.36 of it at most, where two damped by 0.8 leave 0.58.
///
/// Cost of a cycle, two sweeps: on each level 6 passes and some 5 products' worth of fetches, which fall by 8 from
/// level to level.
///
/// # References
/// Braess, *Towards Algebraic Multigrid for Elliptic Problems of Second Order*, Computing 55 (1995), for the scaled
/// aggregates; McAdams, Sifakis & Teran, *A Parallel Multigrid Poisson Solver for Fluids Simulation on Large Grids*,
/// 2010.
pub struct VoxelMultigrid {
    fine: SevenPoint,
    /// The weights of 1 that `fine` does not store.
    unit: Option<[Vector; 3]>,
    coarse: Vec<SevenPoint>,
    /// Those of the sweeps before a correction.
    factors: Vec<f32>,
}

const WEIGHTS: &str = "solve/voxel_weights.frag";
const COARSEN: &str = "solve/voxel_coarsen.frag";
const REFINE: &str = "solve/voxel_refine.frag";

/// ω of damped Jacobi on the coarsest level.
const DAMPING: f32 = 0.8;

/// The eigenvalues of D⁻¹A that sweeps are to leave the least of: their middle, and how far they reach to each side.
const MIDDLE: f64 = 1.1;
const REACH: f64 = 0.8;

/// The factors of so many sweeps: the inverse roots of the Chebyshev polynomial on [`MIDDLE`] ± [`REACH`], small ones first.
fn factors(sweeps: u32) -> Vec<f32> {
    let angle = |k: u32| std::f64::consts::PI * (f64::from(k) + 0.5) / f64::from(sweeps);
    (0..sweeps).map(|k| (1.0 / (MIDDLE + REACH * angle(k).cos())) as f32).collect()
}

/// ½ of ½ Pᵀ A P.
const SCALE: f32 = 0.5;

/// A box no longer than this is the coarsest.
const COARSEST: u32 = 3;

/// Sweeps there: enough that its error does not show.
const SWEEPS_ON_COARSEST: usize = 8;

impl VoxelMultigrid {
    /// The levels of a matrix. `sweeps` before and as many after the correction, 1 or more: 2 is best in most boxes.
    ///
    /// # Errors
    /// Those of [`Algebra::vector`].
    pub fn new(a: &SevenPoint, sweeps: u32) -> Result<VoxelMultigrid> {
        let (algebra, limit) = (a.algebra(), a.algebra().gpu().limits().texture_size);
        let three = |layout| -> Result<[Vector; 3]> {
            let vector = || Vector::uninitialised(algebra, layout);
            Ok([vector()?, vector()?, vector()?])
        };
        let unit = if a.weights().is_none() { Some(three(a.rows())?) } else { None };
        let (mut coarse, mut voxels) = (Vec::new(), a.voxels());
        while voxels.size().into_iter().any(|side| side > COARSEST) {
            voxels = voxels.halved(limit)?;
            let layout = voxels.layout();
            let diagonal = Vector::uninitialised(algebra, layout)?;
            coarse.push(SevenPoint::weighted(voxels, diagonal, three(layout)?)?);
        }
        let mut levels =
            VoxelMultigrid { fine: a.try_clone()?, unit, coarse, factors: factors(sweeps.max(1)) };
        levels.coarsen_all()?;
        Ok(levels)
    }

    /// The levels of another matrix of the same box, in the same textures: a pass or four for the finest level, and
    /// four for each of the others.
    ///
    /// # Errors
    /// [`Error::WrongShape`] for another box, or for a matrix that stores its weights where this one does not;
    /// [`Error::OtherContext`].
    pub fn rebuild(&mut self, a: &SevenPoint) -> Result<()> {
        let described = |a: &SevenPoint| {
            let weights = if a.weights().is_some() { "weights" } else { "weights of 1" };
            format!("{} with {weights}", a.voxels())
        };
        let (found, expected) = (described(a), described(&self.fine));
        if found != expected {
            return Err(Error::WrongShape { what: "matrix of multigrid".into(), found, expected });
        }
        let (diagonal, weights) = self.fine.entries_mut();
        diagonal.copy_from(a.main_diagonal())?;
        for (own, new) in weights.into_iter().flatten().zip(a.weights().into_iter().flatten()) {
            own.copy_from(new)?;
        }
        self.coarsen_all()
    }

    /// Each level of the one before it.
    fn coarsen_all(&mut self) -> Result<()> {
        if let Some(unit) = &mut self.unit {
            unit_weights(&self.fine, unit)?;
        }
        for level in 0..self.coarse.len() {
            let (above, below) = self.coarse.split_at_mut(level);
            let finer = above.last().unwrap_or(&self.fine);
            if let Some(weights) = finer.weights().or(self.unit.as_ref()) {
                coarser(finer, weights, &mut below[0])?;
            }
        }
        Ok(())
    }

    /// Levels, the finest among them.
    pub fn levels(&self) -> usize {
        1 + self.coarse.len()
    }

    /// The matrices from the finest level to the coarsest.
    pub fn matrices(&self) -> impl Iterator<Item = &SevenPoint> {
        std::iter::once(&self.fine).chain(&self.coarse)
    }

    fn level(&self, level: usize) -> &SevenPoint {
        level.checked_sub(1).map_or(&self.fine, |coarse| &self.coarse[coarse])
    }

    /// z ≈ A⁻¹ r on that level.
    fn cycle(&self, level: usize, r: &Vector, z: &mut Vector) -> Result<()> {
        let a = self.level(level);
        if level + 1 == self.levels() {
            a.relax_zero(DAMPING, r, z)?;
            return relax(a, [DAMPING; SWEEPS_ON_COARSEST], r, z);
        }
        let (&first, others) = self.factors.split_first().unwrap_or((&DAMPING, &[]));
        a.relax_zero(first, r, z)?;
        relax(a, others.iter().copied(), r, z)?;
        let correction = self.correction(level, r, z)?;
        let mut refined = Vector::uninitialised(a.algebra(), a.rows())?;
        refine(a, self.level(level + 1).voxels(), z, &correction, &mut refined)?;
        std::mem::swap(z, &mut refined);
        relax(a, self.factors.iter().rev().copied(), r, z)
    }

    /// The coarser level's answer to what is left of r.
    fn correction(&self, level: usize, r: &Vector, z: &Vector) -> Result<Vector> {
        let (a, coarser) = (self.level(level), self.level(level + 1));
        let algebra = a.algebra();
        let mut sum = Vector::uninitialised(algebra, coarser.rows())?;
        descend(a, [z, r], coarser.voxels(), &mut sum)?;
        let mut correction = Vector::uninitialised(algebra, coarser.rows())?;
        self.cycle(level + 1, &sum, &mut correction)?;
        Ok(correction)
    }
}

impl Preconditioner for VoxelMultigrid {
    fn precondition(&self, r: &Vector, z: &mut Vector) -> Result<()> {
        self.cycle(0, r, z)
    }
}

/// A sweep for each factor.
fn relax(a: &SevenPoint, factors: impl IntoIterator<Item = f32>, r: &Vector, z: &mut Vector) -> Result<()> {
    for factor in factors {
        let mut next = Vector::uninitialised(a.algebra(), a.rows())?;
        a.relax(factor, z, r, &mut next)?;
        std::mem::swap(z, &mut next);
    }
    Ok(())
}

/// The weights of 1 that a fine matrix does not store: three passes.
fn unit_weights(fine: &SevenPoint, unit: &mut [Vector; 3]) -> Result<()> {
    let (algebra, diagonal) = (fine.algebra(), fine.main_diagonal());
    for (axis, weight) in unit.iter_mut().enumerate() {
        let constants = [fine.voxels().hop()];
        let constants = &constants[..usize::from(axis == 2)];
        algebra
            .pass_of(WEIGHTS, &[("AXIS", axis as i32)], of_voxels)?
            .streams([diagonal.texture()])
            .constants(constants)
            .onto(&[weight.texture()])?;
    }
    Ok(())
}

/// ½ Pᵀ A P: four passes.
fn coarser(finer: &SevenPoint, weights: &[Vector; 3], coarse: &mut SevenPoint) -> Result<()> {
    let (from, to) = (finer.voxels(), coarse.voxels());
    let (diagonal, sums) = coarse.entries_mut();
    let [x, y, z] = weights;
    coarsen(1, SCALE, from, &[finer.main_diagonal(), x, y, z], to, diagonal)?;
    for ((part, weight), sum) in (2..).zip(weights).zip(sums.into_iter().flatten()) {
        coarsen(part, SCALE, from, &[weight], to, sum)?;
    }
    Ok(())
}

/// A part of what 2×2×2 voxels come to, times `scale`.
fn coarsen(part: i32, scale: f32, from: Voxels, of: &[&Vector], to: Voxels, out: &mut Vector) -> Result<()> {
    let algebra: &Algebra = out.algebra();
    let slices = [from.size()[2] as f32, 0.0, 0.0, 0.0];
    algebra
        .pass_of(COARSEN, &[("PART", part), ("WEIGHTS", 0)], of_voxels)?
        .streams(of.iter().map(|vector| vector.texture()))
        .constants(&[from.tiling(), to.tiling(), slices, [scale, 0.0, 0.0, 0.0]])
        .onto(&[out.texture()])
}

/// out = Pᵀ (r − A x): one pass, in which each fine voxel is looked at once.
fn descend(a: &SevenPoint, [x, r]: [&Vector; 2], to: Voxels, out: &mut Vector) -> Result<()> {
    let (algebra, from) = (a.algebra(), a.voxels());
    let slices = [from.size()[2] as f32, 0.0, 0.0, 0.0];
    let weights = a.weights();
    algebra
        .pass_of(COARSEN, &[("PART", 5), ("WEIGHTS", i32::from(weights.is_some()))], of_voxels)?
        .streams(
            [x, r, a.main_diagonal()].into_iter().chain(weights.into_iter().flatten()).map(Vector::texture),
        )
        .constants(&[from.tiling(), to.tiling(), slices, [1.0, 0.0, 0.0, 0.0], from.hop()])
        .onto(&[out.texture()])
}

/// out = x + P correction.
fn refine(a: &SevenPoint, coarse: Voxels, x: &Vector, correction: &Vector, out: &mut Vector) -> Result<()> {
    let algebra = a.algebra();
    algebra
        .pass(REFINE, crate::linalg::PLAIN)?
        .streams([x.texture(), a.main_diagonal().texture(), correction.texture()])
        .constants(&[a.voxels().tiling(), coarse.tiling()])
        .onto(&[out.texture()])
}

#[cfg(test)]
mod tests {
    use super::factors;

    /// A Chebyshev polynomial is the smallest on an interval of all those of its degree that are 1 at 0: 1 / T_s(11/8) on 0.3 to 1.9.
    #[test]
    fn sweeps_leave_the_least_of_the_upper_spectrum_and_add_to_nothing() {
        for sweeps in 1..=5u32 {
            let left = |eigenvalue: f64| {
                factors(sweeps)
                    .iter()
                    .map(|&factor| 1.0 - f64::from(factor) * eigenvalue)
                    .product::<f64>()
                    .abs()
            };
            let along =
                |from: f64, to: f64| (0..=1000).map(move |k| from + (to - from) * f64::from(k) / 1000.0);
            let most = along(0.3, 1.9).map(left).fold(0.0, f64::max);
            let least = 1.0 / (f64::from(sweeps) * (11.0f64 / 8.0).acosh()).cosh();
            assert!((most - least).abs() <= 1e-5, "{sweeps}: {most}, {least}");
            assert!(along(1e-3, 1.999).all(|eigenvalue| left(eigenvalue) < 1.0), "{sweeps}");
        }
    }
}
