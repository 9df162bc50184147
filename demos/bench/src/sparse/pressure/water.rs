//! A box of water with obstacles under a layer of air, and a random velocity in it.

use quadrille::linalg::{Algebra, SevenPoint, Vector, Voxels};
use quadrille::numeric::Random;
use quadrille::sim::projection::{Cell, Faces, Projection, Settings};
use quadrille::{Gpu, Result};

/// One of so many cells is an obstacle.
const OBSTACLES: usize = 7;

pub struct Water {
    pub projection: Projection,
    velocity: Faces,
    random: Random,
}

impl Water {
    pub fn new(gpu: &Gpu, side: u32) -> Result<Water> {
        let mut projection = Projection::new(gpu, [side; 3], Settings::default())?;
        let mut random = Random(1);
        let kind = |[_, _, k]: [u32; 3]| match random.below(OBSTACLES) {
            0 => Cell::Solid,
            _ if k + 1 == side => Cell::Air,
            _ => Cell::Fluid,
        };
        let kinds: Vec<Cell> = projection.voxels().all().map(kind).collect();
        projection.set_cells(&kinds)?;
        let velocity = projection.faces()?;
        Ok(Water { projection, velocity, random })
    }

    pub fn voxels(&self) -> Voxels {
        self.projection.voxels()
    }

    pub fn algebra(&self) -> Algebra {
        self.projection.algebra().clone()
    }

    /// A matrix of its own.
    pub fn matrix(&mut self) -> Result<SevenPoint> {
        self.projection.matrix()?.try_clone()
    }

    /// Another random velocity on the faces.
    pub fn velocity(&mut self) -> [Vec<f32>; 3] {
        let voxels = self.voxels();
        [0, 1, 2].map(|axis| self.random.floats(voxels.faces(axis).iter().product::<u32>() as usize))
    }

    /// −∇·u of a velocity, which is uploaded.
    pub fn right_side(&mut self, [u, v, w]: &[Vec<f32>; 3]) -> Result<Vector> {
        self.velocity.set([u, v, w])?;
        self.projection.enforce_walls(&mut self.velocity)?;
        let mut right = self.algebra().zeros(self.voxels().layout())?;
        self.projection.divergence(&self.velocity, &mut right)?;
        right.scale(-1.0)?;
        Ok(right)
    }
}
