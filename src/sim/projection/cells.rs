//! The contents of the cells of a box, on the GPU, and the passes that follow from them alone.

use super::{Faces, pockets};
use crate::Result;
use crate::linalg::{Algebra, Vector, Voxels, of_voxels};

/// The content of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cell {
    /// A wall, whose faces have its own velocity.
    #[default]
    Solid,
    /// Nothing that resists: its pressure is 0.
    Air,
    /// Fluid, whose divergence the projection removes.
    Fluid,
}

/// Kinds of cells, the surface between fluid and air, and the velocity of walls.
pub(super) struct Cells {
    pub voxels: Voxels,
    /// 0 solid, 1 air, 2 fluid; beyond the box is solid.
    kinds: Vector,
    /// Signed distance from the surface, in voxels.
    surface: Option<Vector>,
    walls: Option<Faces>,
    pub least_depth: f32,
}

const CLASSIFY: &str = "sim/voxel_cells.frag";
const DIAGONAL: &str = "sim/voxel_diagonal.frag";
const DIVERGENCE: &str = "sim/voxel_divergence.frag";
const FACES: &str = "sim/voxel_faces.frag";
const KEEP: &str = "sim/voxel_keep.frag";

impl Cells {
    /// All solid.
    pub fn new(algebra: &Algebra, voxels: Voxels, least_depth: f32) -> Result<Cells> {
        let kinds = algebra.zeros(voxels.layout())?;
        Ok(Cells { voxels, kinds, surface: None, walls: None, least_depth })
    }

    pub fn algebra(&self) -> &Algebra {
        self.kinds.algebra()
    }

    pub fn kinds(&self) -> &Vector {
        &self.kinds
    }

    /// Cells of these kinds, and pressure 0 at the centres of those of air.
    pub fn set_kinds(&mut self, kinds: &[Cell]) -> Result<()> {
        let numbers: Vec<f32> = kinds.iter().map(|&kind| f32::from(kind as u8)).collect();
        self.kinds.set(&self.voxels.spread(&numbers)?)?;
        self.surface = None;
        Ok(())
    }

    /// Solid stays solid; the rest is fluid where the distance is below 0. Two passes.
    pub fn set_surface(&mut self, distance: &Vector) -> Result<()> {
        distance.same_shape(&self.kinds, "distance from the surface")?;
        let mut surface = match self.surface.take() {
            Some(surface) => surface,
            None => Vector::uninitialised(self.algebra(), self.voxels.layout())?,
        };
        surface.copy_from(distance)?;
        let next = Vector::uninitialised(self.algebra(), self.voxels.layout())?;
        self.algebra()
            .pass(CLASSIFY, crate::linalg::PLAIN)?
            .streams([self.kinds.texture(), surface.texture()])
            .onto(&[next.texture()])?;
        (self.kinds, self.surface) = (next, Some(surface));
        Ok(())
    }

    pub fn set_walls(&mut self, walls: Option<Faces>) {
        self.walls = walls;
    }

    /// d of −∇²: one pass.
    pub fn diagonal(&self, out: &mut Vector) -> Result<()> {
        let constants = [[self.least_depth, 0.0, 0.0, 0.0], self.voxels.hop()];
        let constants = &constants[usize::from(self.surface.is_none())..];
        self.algebra()
            .pass_of(DIAGONAL, &[("SURFACE", self.has_surface())], of_voxels)?
            .streams([self.kinds.texture()])
            .streams(self.surface.as_ref().map(Vector::texture))
            .constants(constants)
            .onto(&[out.texture()])
    }

    /// p = 0 where the diagonal is: one pass.
    pub fn keep_unknowns(&self, diagonal: &Vector, p: &mut Vector) -> Result<()> {
        let kept = Vector::uninitialised(self.algebra(), self.voxels.layout())?;
        self.algebra()
            .pass(KEEP, crate::linalg::PLAIN)?
            .streams([p.texture(), diagonal.texture()])
            .onto(&[kept.texture()])?;
        *p = kept;
        Ok(())
    }

    /// b = −∇·u, plus what walls force on pockets: one pass. 0 where `diagonal` is.
    pub fn right_side(
        &self,
        velocity: &Faces,
        diagonal: &Vector,
        forced: Option<&Vector>,
        out: &mut Vector,
    ) -> Result<()> {
        let [u, v, w] = [0, 1, 2].map(|axis| velocity.component(axis).texture());
        self.algebra()
            .pass_of(DIVERGENCE, &[("FORCED", i32::from(forced.is_some()))], of_voxels)?
            .streams([u, v, w, diagonal.texture()])
            .streams(forced.map(Vector::texture))
            .constants(&[self.voxels.hop()])
            .onto(&[out.texture()])
    }

    /// Faces of walls get the velocity of the wall: three passes.
    pub fn enforce_walls(&self, velocity: &mut Faces) -> Result<()> {
        let moving = i32::from(self.walls.is_some());
        for axis in 0..3 {
            let wall = self.walls.as_ref().map(|walls| walls.component(axis));
            let variant = [("PHASE", 0), ("AXIS", axis as i32), ("MOVING", moving), ("SURFACE", 0)];
            self.draw_faces(&variant, velocity, axis, wall.into_iter(), &[])?;
        }
        Ok(())
    }

    /// u −= ∇p where there is no wall: three passes.
    pub fn subtract_gradient(&self, pressure: &Vector, velocity: &mut Faces) -> Result<()> {
        let least = [[self.least_depth, 0.0, 0.0, 0.0]];
        let constants = &least[..usize::from(self.surface.is_some())];
        for axis in 0..3 {
            let variant =
                [("PHASE", 1), ("AXIS", axis as i32), ("MOVING", 0), ("SURFACE", self.has_surface())];
            let others = [pressure].into_iter().chain(&self.surface);
            self.draw_faces(&variant, velocity, axis, others, constants)?;
        }
        Ok(())
    }

    fn draw_faces<'a>(
        &self,
        variant: &[(&'static str, i32)],
        velocity: &mut Faces,
        axis: usize,
        others: impl Iterator<Item = &'a Vector>,
        constants: &[[f32; 4]],
    ) -> Result<()> {
        let algebra = self.algebra();
        let next = Vector::uninitialised(algebra, self.voxels.layout())?;
        let component = velocity.component_mut(axis);
        let mut all = [[0.0; 4]; 2];
        let count = constants.len() + usize::from(axis == 2);
        let hop = [self.voxels.hop()];
        all.iter_mut().zip(constants.iter().chain(&hop)).for_each(|(slot, constant)| *slot = *constant);
        algebra
            .pass_of(FACES, variant, of_voxels)?
            .streams([component.texture(), self.kinds.texture()])
            .streams(others.map(|other| other.texture()))
            .constants(&all[..count])
            .onto(&[next.texture()])?;
        *component = next;
        Ok(())
    }

    fn has_surface(&self) -> i32 {
        i32::from(self.surface.is_some())
    }

    /// The mean divergence that moving walls force on each pocket of fluid without air. Kinds and walls are read
    /// back, and the pockets found on the CPU: nothing but moving walls asks for it.
    pub fn forced(&self) -> Result<Option<Vector>> {
        let Some(walls) = &self.walls else { return Ok(None) };
        let kind = |number: f32| match number {
            n if n > 1.5 => Cell::Fluid,
            n if n > 0.5 => Cell::Air,
            _ => Cell::Solid,
        };
        let kinds: Vec<Cell> = self.voxels.collect(&self.kinds.get()?).into_iter().map(kind).collect();
        let walls = walls.get()?;
        let forced = pockets::forced(self.voxels.size().map(|n| n as usize), &kinds, &walls);
        self.algebra().vector(self.voxels.layout(), &self.voxels.spread(&forced)?).map(Some)
    }
}
