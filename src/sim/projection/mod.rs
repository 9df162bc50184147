//! The pressure projection of a 3D fluid (rows D1–D7): takes the divergence out of a velocity on the faces of voxels.
//!
//! The velocity u\* that a step has moved diverges; the pressure takes that away, u = u\* − ∇p with ∇·u = 0, so
//! −∇²p = −∇·u\* with p = 0 in air and no flow into walls. With cells of side 1:
//!
//! | | |
//! |---|---|
//! | matrix | for each neighbour of a fluid cell: fluid 1 on the diagonal and −1 beside it, solid nothing, air 1/θ on the diagonal |
//! | θ | how far the surface is on the way to the air cell's centre, φᵢ/(φᵢ − φⱼ): p ends *there*, which is second order; φᵢ is −[`least_depth`](Settings::least_depth) at most |
//! | right side | what flows into the cell, walls with their own velocity |
//! | unit of p | Δt/(ρh) times the pressure, so that differences of p are velocities |
//!
//! ```
//! # fn main() -> quadrille::Result<()> {
//! use quadrille::Gpu;
//! use quadrille::sim::projection::{Cell, Projection, Settings};
//!
//! let gpu = Gpu::headless()?;
//! let mut projection = Projection::new(&gpu, [8, 6, 5], Settings::default())?;
//! projection.set_cells(&[Cell::Fluid; 8 * 6 * 5])?;
//! let mut velocity = projection.faces()?;
//! velocity.component_mut(0).fill(1.0)?; // into the walls
//! let outcome = projection.project(&mut velocity)?;
//! assert!(outcome.residual() <= 1e-4);
//! # Ok(())
//! # }
//! ```
//!
//! # References
//! Batty, Wiebe & Houston, *High Performance Production-Quality Fluid Simulation via NVIDIA's QuadroFX*, 2003; Gibou,
//! Fedkiw, Cheng & Kang, *A Second-Order-Accurate Symmetric Discretization of the Poisson Equation on Irregular
//! Domains*, 2002.

mod cells;
mod faces;
mod pockets;
mod settings;

pub use cells::Cell;
use cells::Cells;
pub use faces::Faces;
use settings::Solver;
pub use settings::{Preconditioning, Settings};

use crate::linalg::{Algebra, SevenPoint, Vector, Voxels};
use crate::pug::Gpu;
use crate::solve::Outcome;
use crate::{Error, Result};

/// A box of voxels whose velocity can be projected. Everything stays on the GPU from step to step: kinds of cells,
/// surface, matrix, pressure.
pub struct Projection {
    settings: Settings,
    cells: Cells,
    matrix: SevenPoint,
    solver: Solver,
    /// True if matrix and solver are older than cells, surface or walls.
    outdated: bool,
    forced: Option<Vector>,
    pressure: Vector,
    right: Vector,
}

impl Projection {
    /// A box of nx × ny × nz voxels, all solid.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for the settings; those of [`Voxels::new`] and of memory.
    pub fn new(gpu: &Gpu, size: [u32; 3], settings: Settings) -> Result<Projection> {
        Projection::of(gpu, Voxels::new(size, gpu.limits().texture_size)?, settings)
    }

    /// The same of a box that lies otherwise in its textures.
    ///
    /// # Errors
    /// As [`Projection::new`].
    pub fn of(gpu: &Gpu, voxels: Voxels, settings: Settings) -> Result<Projection> {
        settings.check()?;
        let algebra = Algebra::new(gpu);
        let zeros = || algebra.zeros(voxels.layout());
        let matrix = SevenPoint::of(voxels, zeros()?)?;
        Ok(Projection {
            cells: Cells::new(&algebra, voxels, settings.least_depth)?,
            solver: settings.solver(&matrix)?,
            settings,
            matrix,
            outdated: true,
            forced: None,
            pressure: zeros()?,
            right: zeros()?,
        })
    }

    /// The box.
    pub fn voxels(&self) -> Voxels {
        self.cells.voxels
    }

    /// The algebra that makes vectors for it.
    pub fn algebra(&self) -> &Algebra {
        self.cells.algebra()
    }

    /// Room for a velocity: 0 everywhere.
    ///
    /// # Errors
    /// Those of memory.
    pub fn faces(&self) -> Result<Faces> {
        Faces::zeros(self.algebra(), self.voxels())
    }

    /// Sets what fills each voxel, in the order x, y, z. The pressure is 0 at the centres of air until there is a
    /// [surface](Projection::set_surface). Beyond the box is solid: who wants it open leaves air along its sides.
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn set_cells(&mut self, kinds: &[Cell]) -> Result<()> {
        self.outdated = true;
        self.cells.set_kinds(kinds)
    }

    /// Where the surface is: the signed distance from it at each voxel's centre, in voxels, below 0 in fluid. What is
    /// solid stays so, the rest becomes fluid and air. Two passes, nothing is read back.
    ///
    /// # Errors
    /// [`Error::WrongShape`] for a vector that is no field of these voxels, [`Error::OtherContext`].
    pub fn set_surface(&mut self, distance: &Vector) -> Result<()> {
        self.outdated = true;
        self.cells.set_surface(distance)
    }

    /// The velocity of what is solid, at its faces; `None` where it stands still.
    ///
    /// Fluid that no air can reach must take what moving walls force on it: such pockets are found on the CPU, from a
    /// read-back of the cells, when next a velocity is projected, and the mean of their divergence is left in them.
    /// Walls at rest cost nothing.
    ///
    /// # Errors
    /// [`Error::WrongShape`] for another box, [`Error::OtherContext`].
    pub fn set_walls(&mut self, walls: Option<Faces>) -> Result<()> {
        if let Some(walls) = &walls {
            self.check(walls)?;
        }
        self.outdated = true;
        self.cells.set_walls(walls);
        Ok(())
    }

    /// How it is projected from now on.
    pub(crate) fn set_settings(&mut self, settings: Settings) -> Result<()> {
        settings.check()?;
        if settings.preconditioning != self.settings.preconditioning {
            self.solver = settings.solver(&self.matrix)?;
        }
        self.outdated |= settings.least_depth != self.settings.least_depth;
        self.cells.least_depth = settings.least_depth;
        self.settings = settings;
        Ok(())
    }

    /// The contents of each voxel, as numbers: 0 solid (beyond the box, too), 1 air, 2 fluid.
    pub fn kinds(&self) -> &Vector {
        self.cells.kinds()
    }

    /// The pressure of the last projection, times Δt/(ρh): 0 outside the fluid.
    pub fn pressure(&self) -> &Vector {
        &self.pressure
    }

    /// Starts the next projection from that pressure, as one that goes on from a saved state.
    ///
    /// # Errors
    /// [`Error::WrongShape`], [`Error::OtherContext`].
    pub fn set_pressure(&mut self, pressure: &Vector) -> Result<()> {
        self.pressure.copy_from(pressure)
    }

    /// −∇² of the cells as they are.
    pub fn matrix(&mut self) -> Result<&SevenPoint> {
        self.prepare()?;
        Ok(&self.matrix)
    }

    /// Takes the divergence out of a velocity: faces of walls get the velocity of the wall, then u −= ∇p.
    ///
    /// 7 passes, 2 more for the first projection after a change of cells (and some 30 for the levels of multigrid),
    /// and those of the iteration. The outcome's residual is ‖∇·u‖ after it, relative to that before it, as the
    /// iteration has it.
    ///
    /// # Errors
    /// [`Error::WrongShape`] for another box, [`Error::OtherContext`]. Not converging is an outcome.
    pub fn project(&mut self, velocity: &mut Faces) -> Result<Outcome> {
        let _scope = self.right.algebra().gpu().scope("pressure");
        self.check(velocity)?;
        self.prepare()?;
        self.cells.enforce_walls(velocity)?;
        let diagonal = self.matrix.main_diagonal();
        self.cells.right_side(velocity, diagonal, self.forced.as_ref(), &mut self.right)?;
        let outcome = self.solve()?;
        self.cells.subtract_gradient(&self.pressure, velocity)?;
        Ok(outcome)
    }

    /// Faces of walls get the velocity of the wall, the rest stays: what a projection does first. Three passes.
    ///
    /// # Errors
    /// As [`Projection::project`].
    pub fn enforce_walls(&self, velocity: &mut Faces) -> Result<()> {
        self.check(velocity)?;
        self.cells.enforce_walls(velocity)
    }

    /// The divergence of a velocity in the fluid, less what walls force: 0 elsewhere. One pass.
    ///
    /// # Errors
    /// As [`Projection::project`].
    pub fn divergence(&mut self, velocity: &Faces, out: &mut Vector) -> Result<()> {
        self.check(velocity)?;
        self.prepare()?;
        out.same_shape(&self.right, "divergence")?;
        self.cells.right_side(velocity, self.matrix.main_diagonal(), self.forced.as_ref(), out)?;
        out.scale(-1.0)
    }

    fn check(&self, velocity: &Faces) -> Result<()> {
        (0..3)
            .try_for_each(|axis| velocity.component(axis).same_shape(&self.pressure, "velocity on faces"))?;
        if velocity.voxels() == self.voxels() {
            return Ok(());
        }
        let (found, expected) = (velocity.voxels().to_string(), self.voxels().to_string());
        Err(Error::WrongShape { what: "velocity on faces".into(), found, expected })
    }

    /// The matrix of the cells, and its solver, where they are not made yet.
    fn prepare(&mut self) -> Result<()> {
        if !self.outdated {
            return Ok(());
        }
        let (diagonal, _) = self.matrix.entries_mut();
        self.cells.diagonal(diagonal)?;
        // A cell that is no longer fluid has no pressure.
        self.cells.keep_unknowns(diagonal, &mut self.pressure)?;
        self.forced = self.cells.forced()?;
        self.solver.rebuild(&self.matrix)?;
        self.outdated = false;
        Ok(())
    }

    /// p of A p = b, b being the right side.
    fn solve(&mut self) -> Result<Outcome> {
        if !self.settings.warm_start {
            self.pressure.fill(0.0)?;
        }
        self.solver.solve(&self.matrix, &self.right, &mut self.pressure, self.settings.bounds())
    }
}
