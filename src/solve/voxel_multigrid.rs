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
/// Sweeps are damped Jacobi, as many after as before, so M is symmetric.
///
/// Cost of a cycle, two sweeps: on each level 7 passes and some 5 products' worth of fetches, which fall by 8 from
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
    sweeps: u32,
}

const WEIGHTS: &str = "solve/voxel_weights.frag";
const COARSEN: &str = "solve/voxel_coarsen.frag";
const REFINE: &str = "solve/voxel_refine.frag";

/// ω of damped Jacobi.
const DAMPING: f32 = 0.8;

/// ½ of ½ Pᵀ A P.
const SCALE: f32 = 0.5;

/// A box no longer than this is the coarsest.
const COARSEST: u32 = 3;

/// Sweeps there: enough that its error does not show.
const SWEEPS_ON_COARSEST: u32 = 8;

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
        let mut levels = VoxelMultigrid { fine: a.try_clone()?, unit, coarse, sweeps: sweeps.max(1) };
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
        a.relax_zero(DAMPING, r, z)?;
        if level + 1 == self.levels() {
            return self.relax(a, SWEEPS_ON_COARSEST, r, z);
        }
        self.relax(a, self.sweeps - 1, r, z)?;
        let correction = self.correction(level, r, z)?;
        let mut refined = Vector::uninitialised(a.algebra(), a.rows())?;
        refine(a, self.level(level + 1).voxels(), z, &correction, &mut refined)?;
        std::mem::swap(z, &mut refined);
        self.relax(a, self.sweeps, r, z)
    }

    /// The coarser level's answer to what is left of r.
    fn correction(&self, level: usize, r: &Vector, z: &Vector) -> Result<Vector> {
        let (a, coarser) = (self.level(level), self.level(level + 1));
        let algebra = a.algebra();
        let mut rest = Vector::uninitialised(algebra, a.rows())?;
        a.residual(z, r, &mut rest)?;
        let mut sum = Vector::uninitialised(algebra, coarser.rows())?;
        coarsen(0, 1.0, a.voxels(), &[&rest], coarser.voxels(), &mut sum)?;
        let mut correction = Vector::uninitialised(algebra, coarser.rows())?;
        self.cycle(level + 1, &sum, &mut correction)?;
        Ok(correction)
    }

    fn relax(&self, a: &SevenPoint, sweeps: u32, r: &Vector, z: &mut Vector) -> Result<()> {
        for _ in 0..sweeps {
            let mut next = Vector::uninitialised(a.algebra(), a.rows())?;
            a.relax(DAMPING, z, r, &mut next)?;
            std::mem::swap(z, &mut next);
        }
        Ok(())
    }
}

impl Preconditioner for VoxelMultigrid {
    fn precondition(&self, r: &Vector, z: &mut Vector) -> Result<()> {
        self.cycle(0, r, z)
    }
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
        .pass(COARSEN, &[("PART", part)])?
        .streams(of.iter().map(|vector| vector.texture()))
        .constants(&[from.tiling(), to.tiling(), slices, [scale, 0.0, 0.0, 0.0]])
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
