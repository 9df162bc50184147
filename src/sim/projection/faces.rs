//! A velocity on the faces of voxels: the staggered (MAC) grid.

use crate::Result;
use crate::linalg::{Algebra, Vector, Voxels};

/// u, v and w, each on the faces across its own axis: element (i, j, k) of u is the velocity along x between voxels
/// (i − 1, j, k) and (i, j, k). There is one more face than voxels along the axis; it lies in the empty column, row
/// or slice of [`Voxels`].
pub struct Faces {
    voxels: Voxels,
    components: [Vector; 3],
}

impl Faces {
    /// A velocity of 0.
    ///
    /// # Errors
    /// Those of [`Algebra::zeros`].
    pub fn zeros(algebra: &Algebra, voxels: Voxels) -> Result<Faces> {
        let zeros = || algebra.zeros(voxels.layout());
        Ok(Faces { voxels, components: [zeros()?, zeros()?, zeros()?] })
    }

    /// The velocities of all faces: arrays in the order x, y, z.
    ///
    /// # Errors
    /// [`WrongLength`](crate::Error::WrongLength).
    pub fn set(&mut self, [u, v, w]: [&[f32]; 3]) -> Result<()> {
        for (axis, values) in [u, v, w].into_iter().enumerate() {
            self.components[axis].set(&self.voxels.spread_faces(axis, values)?)?;
        }
        Ok(())
    }

    /// Reads them back.
    pub fn get(&self) -> Result<[Vec<f32>; 3]> {
        let values = |axis: usize| -> Result<Vec<f32>> {
            Ok(self.voxels.collect_faces(axis, &self.components[axis].get()?))
        };
        Ok([values(0)?, values(1)?, values(2)?])
    }

    /// u, v or w (axis 0, 1, 2) for the passes of whoever moves them.
    pub fn component(&self, axis: usize) -> &Vector {
        &self.components[axis]
    }

    /// The same, to be written.
    pub fn component_mut(&mut self, axis: usize) -> &mut Vector {
        &mut self.components[axis]
    }

    /// The box.
    pub fn voxels(&self) -> Voxels {
        self.voxels
    }
}
