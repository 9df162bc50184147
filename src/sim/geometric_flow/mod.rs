//! Geometric flow: a mesh becomes smoother as its area shrinks (rows E3, E5).
//!
//! Each vertex moves against its mean curvature normal, ∂x/∂t = −λ H n. A step is implicit, with the matrix of the mesh
//! before it: (M + L) x' = M x, where L has a_ij = −λΔt (cot α + cot β) for the angles opposite to edge ij, and M has 4
//! A_i on its diagonal. The unknown is the displacement d = x' − x of each vertex,
//!
//! (M + L) d = −L x,
//!
//! by conjugate gradients from d = 0, which is the warm start from x. The right-hand side is a sum of differences, so
//! the distance of the mesh from the origin costs no digits, flat parts stay, and the tolerance is relative to the
//! displacement. The system is scaled to S (M + L) S y = −S L x, d = S y, by the powers of two next to 1/√a_ii: that
//! rounds nothing, and residuals of small triangles and of slivers count alike.
//!
//! A vertex is a texel (x, y, z, 0). To a solver it is four elements, so conjugate gradients solve for the three
//! coordinates at once with one fetch of each entry.
//!
//! | area | A_i | flow |
//! |---|---|---|
//! | [`Area::Ring`] | all of the triangles at i, the paper's | a third of the mean curvature flow: dA/dt = −8πλ/3 for a sphere |
//! | [`Area::Dual`] | a third of that | mean curvature flow: dA/dt = −8πλ |
//!
//! A boundary stays, or flows as a curve: a tridiagonal system of its own, a_ij = −λΔt/l_ij and m_i half the length of
//! the edges at i, which is solved before that of the surface.
//!
//! Entries are computed by passes from the positions, each step, and nothing is read back but the residuals of the solver. An
//! edge adds up as many triangles as it has, two or seven; so do triangles that are there twice.
//!
//! # Slivers
//! Let p_k be the scalar product of a triangle's sides at corner k, S = Σ p_k = (a² + b² + c²)/2 and D twice its area. Then
//! cot_k = p_k / D, their sum is S/D, and p₁p₂ + p₂p₃ + p₃p₁ = D². A matrix of three edges with weights w_k, rows of sum 0, has
//! no eigenvalue below 0 if Σ w_k ≥ 0 and Q = w₁w₂ + w₂w₃ + w₃w₁ ≥ 0. With cotangents Q = 1, the difference of products up to
//! 0.9 (S/D)² in a triangle whose corners lie almost on a line: relative errors ε of the weights change it by up to
//! 1.8 ε (S/D)². In 32 bits some five roundings, ε = 5 · 2⁻²⁴, leave Q above 0 up to S/D = 1300. So a triangle with
//! S/D > C = 1024 is taken for one that has S/D' = C:
//!
//! D' = S/C,  p_k' = p_k + (D'² − D²)/2S.
//!
//! Then Q' = (D² + 2βS + 3β²)/D'² ≥ 1 with β = (D'² − D²)/2S; so each triangle adds to L a matrix without eigenvalues below 0,
//! whatever its corners, and M + L is positive definite; entries go continuously with the positions. M takes D' too. No
//! triangle with angles of 0.1° and more is touched: of these S/D is largest for 0.1°, 0.1°, 179.8°, 859.5.
//!
//! The area falls in each step, if boundaries stay: with Q ≥ 1 the energy E(x') = ¼ Σ w_k |e_k'|² of a triangle is no less than its area after the
//! step, the step lessens Σ E or leaves it, and before it E is the area D/2; of a sliver it is (D' + D²/D')/4, above its area by
//! (a² + b² + c²)/8C at most. That much, of slivers alone, a step may add.
//!
//! # References
//! Bolz, Farmer, Grinspun & Schröder, *Sparse Matrix Solvers on the GPU*, §3; Desbrun, Meyer, Schröder & Barr, *Implicit
//! Fairing of Irregular Meshes using Diffusion and Curvature Flow*, 1999; Pinkall & Polthier, *Computing Discrete Minimal
//! Surfaces and Their Conjugates*, 1993 (area and energy).

mod frame;
mod layout;
mod matrix;
mod operator;
mod solver;

use std::cell::Cell;

use crate::linalg::{Algebra, Vector};
use crate::mesh::Mesh;
use crate::numeric::Csr;
use crate::pug::{Buffer, Gpu};
use crate::solve::{Bounds, Outcome, Reason};
use crate::{Error, Result};

use frame::Frame;
use layout::Layout;
use matrix::{FlowMatrix, System, Weights};
use solver::Solver;

/// The area that a vertex stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Area {
    /// The area of the triangles at it.
    #[default]
    Ring,
    /// A third of that: all of them together are the mesh.
    Dual,
}

/// The motion of a boundary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Boundary {
    /// It stays, to the bit.
    #[default]
    Fixed,
    /// It shrinks as curves do that flow by their curvature.
    Flowing,
}

/// The parameters of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// λΔt, in squares of the mesh's unit of length.
    pub time_step: f64,
    /// The area that a vertex stands for.
    pub area: Area,
    /// The motion of a boundary.
    pub boundary: Boundary,
    /// The residual of the scaled system, as part of its right side ‖S L x‖, at which a step is solved.
    pub tolerance: f32,
}

impl Default for Parameters {
    /// A step of a thousandth of the square of a unit.
    fn default() -> Parameters {
        Parameters { time_step: 1e-3, area: Area::Ring, boundary: Boundary::Fixed, tolerance: 1e-5 }
    }
}

impl Parameters {
    /// Checks that a step is one.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for a time step that is not above 0, or a tolerance outside 10⁻⁷ to 0.1.
    pub fn check(&self) -> Result<()> {
        let bad = |name, found: String, expected: &str| {
            Err(Error::BadParameter { name, found, expected: expected.to_owned() })
        };
        if !(self.time_step > 0.0 && self.time_step.is_finite()) {
            return bad("time step", self.time_step.to_string(), "a number above 0");
        }
        if !(1e-7..=0.1).contains(&self.tolerance) {
            return bad("tolerance", self.tolerance.to_string(), "1e-7 to 0.1");
        }
        Ok(())
    }
}

/// How the systems of a step were solved.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The solve of the boundary's curves, where they flow.
    pub curves: Option<Outcome>,
    /// The solve of the surface.
    pub surface: Outcome,
}

impl Report {
    /// Iterations of both.
    pub fn iterations(&self) -> usize {
        self.surface.iterations + self.curves.as_ref().map_or(0, |outcome| outcome.iterations)
    }

    /// Why the solver stopped: of both systems the first that was not solved.
    pub fn reason(&self) -> Reason {
        let unsolved = |outcome: &&Outcome| outcome.reason != Reason::Converged;
        self.curves.as_ref().filter(unsolved).unwrap_or(&self.surface).reason
    }

    /// Returns true if both met the tolerance, by their own account in 32 bits.
    pub fn converged(&self) -> bool {
        self.reason() == Reason::Converged
    }
}

/// The simulation: positions on the GPU, a vertex a texel, and the matrix of their flow.
///
/// Positions are kept about the middle of a mesh that is far from the origin, and in a unit of a power of two about as large
/// as the mesh: neither where it lies nor its size costs digits, and areas stay within what 32 bits hold.
pub struct GeometricFlow {
    mesh: Mesh,
    parameters: Parameters,
    frame: Frame,
    matrix: FlowMatrix,
    /// True if the matrix is that of the newest positions.
    fresh: Cell<bool>,
    solver: Solver,
    positions: Vector,
    way: Vector,
    force: Vector,
    shown: Buffer,
}

impl GeometricFlow {
    /// Brings a mesh onto the GPU.
    ///
    /// # Errors
    /// Those of [`Parameters::check`], and a time step past 256 squares of the mesh's size, the power of two next to its
    /// longest side; [`Error::OverLimit`] for too many vertices, or more edges at one than a texture holds.
    pub fn new(gpu: &Gpu, mesh: &Mesh, parameters: Parameters) -> Result<GeometricFlow> {
        parameters.check()?;
        let frame = Frame::of(mesh);
        frame.check(&parameters)?;
        let layout = Layout::new(mesh, parameters.boundary, gpu.limits().texture_size)?;
        let (algebra, (columns, rows)) = (Algebra::new(gpu), layout.field);
        let shown = gpu.buffer(columns, rows).components(4).named("positions").build()?;
        let matrix = FlowMatrix::new(&algebra, layout)?;
        let vector = || algebra.zeros(matrix.vectors);
        let (positions, way, force, solver) = (vector()?, vector()?, vector()?, Solver::new(&matrix)?);
        let mut flow = GeometricFlow {
            mesh: mesh.clone(),
            frame,
            parameters,
            matrix,
            fresh: Cell::new(false),
            solver,
            positions,
            way,
            force,
            shown,
        };
        flow.upload()?;
        Ok(flow)
    }

    /// Changes time step, area and tolerance from the next step on; another rule for the boundary is another matrix, so
    /// the mesh is read back for it.
    ///
    /// # Errors
    /// As [`GeometricFlow::new`].
    pub fn set_parameters(&mut self, parameters: Parameters) -> Result<()> {
        parameters.check()?;
        self.frame.check(&parameters)?;
        if parameters.boundary != self.parameters.boundary {
            let gpu = self.positions.algebra().gpu().clone();
            *self = GeometricFlow::new(&gpu, &self.mesh()?, parameters)?;
        }
        self.parameters = parameters;
        self.fresh.set(false);
        Ok(())
    }

    /// The parameters in force.
    pub fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// One step: passes for the entries, conjugate gradients, and a pass that moves the vertices, if the system was solved.
    /// Else they stay where they are, and the next step is the same once more.
    ///
    /// # Errors
    /// Only those of a lost device: a system that is not solved says so in the report.
    pub fn step(&mut self) -> Result<Report> {
        let _scope = self.positions.algebra().gpu().scope("step");
        let report = self.solve()?;
        if report.converged() {
            self.positions.axpy(1.0, &self.way)?;
            self.fresh.set(false);
        }
        Ok(report)
    }

    /// A step but for its last pass: the ways of the vertices are found, and nothing moves. Asked for again it does the
    /// same once more, without the entries, which are known.
    ///
    /// # Errors
    /// As [`GeometricFlow::step`].
    pub fn solve(&mut self) -> Result<Report> {
        self.compute()?;
        self.way.fill(0.0)?;
        let flows = self.parameters.boundary == Boundary::Flowing;
        let curves = if flows { Some(self.solve_one(System::Curves)?) } else { None };
        let surface = self.solve_one(System::Surface)?;
        Ok(Report { curves, surface })
    }

    /// The ways of the vertices that belong to one of the systems; those of the others stay as they are.
    fn solve_one(&mut self, system: System) -> Result<Outcome> {
        let matrix = &mut self.matrix;
        matrix.become_that_of(system)?;
        matrix.force(&self.positions, &mut self.force)?;
        let bounds = Bounds {
            tolerance: self.parameters.tolerance,
            max_iterations: most_iterations(self.mesh.positions().len()),
            check_every: CHECK_EVERY,
        };
        let outcome = self.solver.solve(matrix, &self.force, &mut self.way, bounds)?;
        // Solved for was d / s; s is 1 in the rows of the other system.
        self.way.mul(&matrix.scales)?;
        Ok(outcome)
    }

    /// The entries of the newest positions.
    fn compute(&self) -> Result<()> {
        if !self.fresh.replace(true) {
            let weights = Weights { time_step: self.frame.time_step(&self.parameters), share: self.share() };
            self.matrix.compute(&self.positions, weights)?;
        }
        Ok(())
    }

    /// The part of the area of its triangles that a vertex has.
    fn share(&self) -> f32 {
        match self.parameters.area {
            Area::Ring => 1.0,
            Area::Dual => 1.0 / 3.0,
        }
    }

    /// The matrix M + L of the newest positions, read back: the rows of the surface's vertices that move, by the numbers
    /// of the vertices.
    pub fn matrix(&mut self) -> Result<Csr> {
        self.compute()?;
        self.matrix.become_that_of(System::Surface)?;
        let (n, area) = (self.mesh.positions().len(), self.frame.unit.powi(2));
        let entries = self.matrix.entries()?.into_iter().map(|(i, j, value)| (i, j, value * area));
        Csr::from_triplets(n, n, entries)
    }

    /// The length that is 1 in [`GeometricFlow::positions`].
    pub fn unit(&self) -> f64 {
        self.frame.unit
    }

    /// Where a vertex is in [`GeometricFlow::positions`] that is there in the mesh.
    pub fn inward(&self, position: [f32; 3]) -> [f32; 3] {
        self.frame.inward(position)
    }

    /// Brings [`GeometricFlow::positions`] up to date: the entries, which the next step needs anyway, and a pass.
    pub fn refresh(&self) -> Result<()> {
        self.compute()?;
        // |Σ a_ij (x_j − x_i)| is λΔt |H| times 4 A_i by the dual area; Σ m_ij is 4 A_i by the ring, three times that, by the share.
        let scale = 3.0 * self.share() / self.frame.time_step(&self.parameters);
        self.matrix.curvature(&self.positions, scale, &self.shown)
    }

    /// A vertex a texel as of the last [`GeometricFlow::refresh`], in [`GeometricFlow::unit`]: x, y, z and the magnitude of
    /// the mean curvature. For drawing.
    pub fn positions(&self) -> &Buffer {
        &self.shown
    }

    /// Column and row of each vertex in [`GeometricFlow::positions`].
    pub fn places(&self) -> &[(u32, u32)] {
        &self.matrix.places
    }

    /// The mesh as it is now, read back: [`Mesh::area`] and [`Mesh::volume`] are its own.
    ///
    /// # Errors
    /// [`Error::BadMesh`] if a vertex has gone to where no number is.
    pub fn mesh(&self) -> Result<Mesh> {
        let texture = self.positions.texture();
        let values = texture.read(texture.shape().rect())?;
        let width = texture.shape().width as usize;
        let position = |(&(column, row), &before): (&(u32, u32), &[f32; 3])| {
            let at = 4 * (row as usize * width + column as usize);
            self.frame.outward([0, 1, 2].map(|k| values[at + k]), before)
        };
        self.mesh.moved(self.places().iter().zip(self.mesh.positions()).map(position).collect())
    }

    /// Goes on from other positions of the same mesh.
    ///
    /// # Errors
    /// As [`Mesh::moved`] and [`GeometricFlow::new`].
    pub fn set_positions(&mut self, positions: Vec<[f32; 3]>) -> Result<()> {
        let mesh = self.mesh.moved(positions)?;
        let frame = Frame::of(&mesh);
        frame.check(&self.parameters)?;
        (self.frame, self.mesh) = (frame, mesh);
        // After displacements past the largest float, the vectors of the old solver would keep NaN.
        self.solver = Solver::new(&self.matrix)?;
        self.upload()
    }

    fn upload(&mut self) -> Result<()> {
        let texture = self.positions.texture();
        let (width, height) = (texture.shape().width as usize, texture.shape().height as usize);
        let mut values = vec![0.0; 4 * width * height];
        for (&position, &(column, row)) in self.mesh.positions().iter().zip(self.places()) {
            let at = 4 * (row as usize * width + column as usize);
            values[at..at + 3].copy_from_slice(&self.frame.inward(position));
        }
        texture.upload(texture.shape().rect(), &values)?;
        self.fresh.set(false);
        Ok(())
    }
}

/// How often the residual is looked at, in iterations.
const CHECK_EVERY: usize = 4;

/// More than is needed: without slivers a step as long as the mesh is wide has a condition number like the number of vertices,
/// and needs the first factor at most. Slivers multiply it; collapsed scans needed up to four times as many.
fn most_iterations(vertices: usize) -> usize {
    8 * (200 + 20 * vertices.isqrt())
}
