//! The surface of a liquid: the zero of a signed distance at the centres of voxels.
//!
//! Redistancing keeps the surface in place (Russo & Smereka). Two shifts, steps of Newton's method of at most a quarter
//! of a voxel each, restore the volume that thin sheets lost.

use crate::Result;
use crate::linalg::{Algebra, Scalar, Vector, Voxels, of_voxels};

const FILL: &str = "sim/liquid_fill.frag";
const REDISTANCE: &str = "sim/liquid_redistance.frag";
const SHIFT: &str = "sim/liquid_shift.frag";

/// Shifts of a step that keep the volume, and how far each moves the surface at most, in voxels. A second one, because the
/// first is a step of Newton's method: a voxel that it fills or empties on the way changes by less than was counted, in a
/// surface that lies between voxels by half of it.
const SHIFTS: u32 = 2;
const MOST: f32 = 0.25;

/// φ in voxels, below 0 in liquid, and the volume that it keeps.
pub(super) struct Surface {
    voxels: Voxels,
    pub distance: Vector,
    /// Voxels of liquid at first.
    pub kept: f32,
}

impl Surface {
    /// The surface of that distance; which volume it is to keep has to be said.
    pub fn new(algebra: &Algebra, voxels: Voxels, distance: &[f32]) -> Result<Surface> {
        let distance = algebra.vector(voxels.layout(), &voxels.spread(distance)?)?;
        Ok(Surface { voxels, distance, kept: 0.0 })
    }

    /// Makes φ a distance again, a voxel further from the surface for every two passes: each half of what is missing.
    pub fn redistance(&mut self, kinds: &Vector, passes: u32) -> Result<()> {
        let algebra = self.distance.algebra().clone();
        let [nx, ny, nz] = self.voxels.size().map(|n| n as f32);
        let mut now: Option<Vector> = None;
        for _ in 0..passes {
            let next = Vector::uninitialised(&algebra, self.voxels.layout())?;
            let from = now.as_ref().unwrap_or(&self.distance);
            algebra
                .pass_of(REDISTANCE, crate::linalg::PLAIN, of_voxels)?
                .streams([from.texture(), self.distance.texture(), kinds.texture()])
                .constants(&[self.voxels.tiling(), [nx, ny, nz, 0.0], self.voxels.hop()])
                .onto(&[next.texture()])?;
            now = Some(next);
        }
        if let Some(now) = now {
            self.distance = now;
        }
        Ok(())
    }

    /// How many voxels of liquid there are, and how many more a surface that is moved out by one: a pass of two targets,
    /// and two sums.
    pub fn volume(&self, kinds: &Vector) -> Result<[Scalar; 2]> {
        let algebra = self.distance.algebra();
        let of_field = || Vector::uninitialised(algebra, self.voxels.layout());
        let (part, skin) = (of_field()?, of_field()?);
        algebra
            .pass(FILL, crate::linalg::PLAIN)?
            .streams([self.distance.texture(), kinds.texture()])
            .onto(&[part.texture(), skin.texture()])?;
        let mut sums = [algebra.scalar(0.0)?, algebra.scalar(0.0)?];
        part.sum(&mut sums[0])?;
        skin.sum(&mut sums[1])?;
        Ok(sums)
    }

    /// Moves the whole surface in or out until the volume is what it was at first, by half a voxel at most: four
    /// passes and four sums. What is lost where drops become too small to be seen comes back elsewhere.
    pub fn keep_volume(&mut self, kinds: &Vector) -> Result<()> {
        (0..SHIFTS).try_for_each(|_| self.shift(kinds))
    }

    fn shift(&mut self, kinds: &Vector) -> Result<()> {
        let [volume, skin] = self.volume(kinds)?;
        let algebra = self.distance.algebra();
        let next = Vector::uninitialised(algebra, self.voxels.layout())?;
        algebra
            .pass(SHIFT, crate::linalg::PLAIN)?
            .streams([self.distance.texture(), kinds.texture(), volume.texture(), skin.texture()])
            .constants(&[[self.kept, 0.0, 0.0, 0.0], [MOST, 0.0, 0.0, 0.0]])
            .onto(&[next.texture()])?;
        self.distance = next;
        Ok(())
    }
}
