//! A V-cycle over boxes of half, a quarter, an eighth ... of the voxels a side, as a preconditioner.

use super::precondition::Precondition;
use crate::Result;
use crate::linalg::{Algebra, LinearOperator, SevenPoint, Streams, Vector, Voxels};

/// One V-cycle for a [`SevenPoint`] matrix, as M of [`Pcg`](super::Pcg): the preconditioner that Batty et al. could
/// not have (row D7).
///
/// A voxel of a coarse level is 2×2×2 of the finer one. That is what the packed layout is made of: the four in a
/// slice are one texel, so the sum over all eight (restriction) is two fetches, and the way back (prolongation, each
/// of the eight gets the same) is one. The coarse matrix is ½ Pᵀ A P, again seven-point and symmetric, its entries
/// computed on the GPU. It knows all walls and the surface by itself, and a pocket of fluid that no air reaches stays
/// one at every level: nothing has to be told which coarse cells are what. The ½ is what constant prolongation owes:
/// P's steps have twice the energy of the smooth functions that they stand for, and it keeps entries that are whole
/// numbers exact.
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
        let fine = a.try_clone()?;
        let mut coarse: Vec<SevenPoint> = Vec::new();
        let mut unit = if fine.weights().is_none() { Some(unit_weights(&fine)?) } else { None };
        loop {
            let finer = coarse.last().unwrap_or(&fine);
            if finer.voxels().size().into_iter().all(|side| side <= COARSEST) {
                break;
            }
            let unit = unit.take();
            let Some(weights) = finer.weights().or(unit.as_ref()) else { break };
            let next = coarser(finer, weights)?;
            coarse.push(next);
        }
        Ok(VoxelMultigrid { fine, coarse, sweeps: sweeps.max(1) })
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

impl Precondition for VoxelMultigrid {
    fn apply(&self, r: &Vector, z: &mut Vector) -> Result<()> {
        self.cycle(0, r, z)
    }
}

/// The weights of 1 that a fine matrix does not store.
fn unit_weights(fine: &SevenPoint) -> Result<[Vector; 3]> {
    let (algebra, diagonal) = (fine.algebra(), fine.main_diagonal());
    let along = |axis: usize| -> Result<Vector> {
        let weight = Vector::uninitialised(algebra, fine.rows())?;
        let program = algebra.program(WEIGHTS, &[("AXIS", axis as i32)])?;
        let constants = [fine.voxels().hop()];
        let constants = &constants[..usize::from(axis == 2)];
        algebra.draw(&program, &[diagonal.texture()], constants, None, &[weight.texture()])?;
        Ok(weight)
    };
    Ok([along(0)?, along(1)?, along(2)?])
}

/// ½ Pᵀ A P: four passes.
fn coarser(finer: &SevenPoint, weights: &[Vector; 3]) -> Result<SevenPoint> {
    let (algebra, from) = (finer.algebra(), finer.voxels());
    let to = from.halved(algebra.gpu().limits().texture_size)?;
    let made = |part: i32, of: &[&Vector]| -> Result<Vector> {
        let mut vector = Vector::uninitialised(algebra, to.layout())?;
        coarsen(part, SCALE, from, of, to, &mut vector)?;
        Ok(vector)
    };
    let [x, y, z] = weights;
    let diagonal = made(1, &[finer.main_diagonal(), x, y, z])?;
    SevenPoint::weighted(to, diagonal, [made(2, &[x])?, made(3, &[y])?, made(4, &[z])?])
}

/// A part of what 2×2×2 voxels come to, times `scale`.
fn coarsen(part: i32, scale: f32, from: Voxels, of: &[&Vector], to: Voxels, out: &mut Vector) -> Result<()> {
    let algebra: &Algebra = out.algebra();
    let program = algebra.program(COARSEN, &[("PART", part)])?;
    let streams = Streams::of(of[0].texture()).add(of[1..].iter().map(|vector| vector.texture()));
    let slices = [from.size()[2] as f32, 0.0, 0.0, 0.0];
    let constants = [from.tiling(), to.tiling(), slices, [scale, 0.0, 0.0, 0.0]];
    algebra.draw(&program, &streams, &constants, None, &[out.texture()])
}

/// out = x + P correction.
fn refine(a: &SevenPoint, coarse: Voxels, x: &Vector, correction: &Vector, out: &mut Vector) -> Result<()> {
    let algebra = a.algebra();
    let program = algebra.program(REFINE, crate::linalg::PLAIN)?;
    let streams = [x.texture(), a.main_diagonal().texture(), correction.texture()];
    let constants = [a.voxels().tiling(), coarse.tiling()];
    algebra.draw(&program, &streams, &constants, None, &[out.texture()])
}
