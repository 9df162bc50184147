//! The velocity of a box: its clock, the advection along it, its projection.
//!
//! Water and smoke share one `Flow`, which holds velocity, projection, clock and parameters. Its solver is kept between
//! steps: `VoxelMultigrid::rebuild` fills the same textures, through an `Rc<RefCell<…>>` that is a `Preconditioner`.

use super::Parameters;
use crate::gl::{Format, Shape, Texture};
use crate::linalg::{Algebra, Scalar, Vector, Voxels, of_voxels};
use crate::pug::Gpu;
use crate::sim::projection::{Cell, Faces, Projection};
use crate::solve::Outcome;
use crate::{Error, Result};

/// A field whose elements are a texel each, with its neighbours in their slice: what paths fetch from.
///
/// It is four times as large as the field, and made anew each step by a pass of four fetches a texel. A value between
/// eight voxels is then two fetches, and a path with what it carries 14, where the packed field would ask for 56.
struct Corners(Texture);

/// The flow that water and smoke have in common: the staggered velocity of a box, and all that it does by itself.
pub struct Flow {
    pub(super) parameters: Parameters,
    pub(super) projection: Projection,
    pub(super) velocity: Faces,
    /// Seconds of the last step, and since the start.
    pub(super) time_step: Scalar,
    pub(super) time: Scalar,
    pub(super) outcome: Option<Outcome>,
    pub(super) steps: u64,
}

/// A field at centres that moves along.
pub(super) struct Carried<'a> {
    pub field: &'a mut Vector,
    /// The least that it may be, if anything.
    pub least: Option<&'a Vector>,
    /// The rate at which it decays, in 1/s.
    pub loss: f32,
}

/// The field that a pass of advection moves: the velocity across an axis, or a field at centres.
#[derive(Clone, Copy)]
enum Moved<'a> {
    Velocity(usize),
    Centres { corners: &'a Corners, least: Option<&'a Vector>, loss: f32 },
}

/// The field that a touch changes.
#[derive(Clone, Copy)]
enum Touched {
    Face(usize),
    Liquid,
    Smoke,
}

const ADVECT: &str = "sim/liquid_advect.frag";
const CORNERS: &str = "sim/voxel_corners.frag";
const EXTEND: &str = "sim/liquid_extend.frag";
const FORCE: &str = "sim/liquid_force.frag";
const TIME_STEP: &str = "sim/liquid_time_step.frag";
const TOUCH: &str = "sim/liquid_touch.frag";

/// Fetches of a path for each of the four voxels of a texel, and of the step and the bound.
const FETCHES: u32 = 4 * 14 + 2;

impl Flow {
    /// The velocity in m/s. Of a liquid it is 0 beyond a few faces of air.
    pub fn velocity(&self) -> &Faces {
        &self.velocity
    }

    /// The same, to be set before a step.
    pub fn velocity_mut(&mut self) -> &mut Faces {
        &mut self.velocity
    }

    /// The box.
    pub fn voxels(&self) -> Voxels {
        self.projection.voxels()
    }

    /// Kinds of cells and pressure.
    pub fn projection(&self) -> &Projection {
        &self.projection
    }

    /// The same, for its matrix.
    pub fn projection_mut(&mut self) -> &mut Projection {
        &mut self.projection
    }

    /// How the last projection went; none before the first step.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// Seconds of the last step and since the start. Waits for the GPU.
    pub fn times(&self) -> Result<[f32; 2]> {
        Ok([self.time_step.get()?, self.time.get()?])
    }

    /// Steps since the start.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// How it is stepped.
    pub fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// How it is stepped from now on. In a box of another length the same velocity in m/s crosses fewer or more voxels.
    ///
    /// # Errors
    /// [`Error::BadParameter`]; those of memory for another preconditioner.
    pub fn set_parameters(&mut self, parameters: Parameters) -> Result<()> {
        parameters.check()?;
        self.projection.set_settings(parameters.projection)?;
        self.parameters = parameters;
        Ok(())
    }

    /// At rest, in a box of those cells.
    pub(super) fn new(gpu: &Gpu, size: [u32; 3], cells: &[Cell], parameters: Parameters) -> Result<Flow> {
        parameters.check()?;
        let limits = gpu.limits();
        if limits.fetches < FETCHES {
            let (found, limit) = (FETCHES.into(), limits.fetches.into());
            return Err(Error::OverLimit {
                what: ADVECT.into(),
                quantity: "number of fetches",
                found,
                limit,
            });
        }
        // A texel a voxel has to fit too.
        let voxels = Voxels::new(size, limits.texture_size / 2)?;
        let mut projection = Projection::of(gpu, voxels, parameters.projection)?;
        projection.set_cells(cells)?;
        let (velocity, algebra) = (projection.faces()?, projection.algebra().clone());
        let (time_step, time) = (algebra.scalar(0.0)?, algebra.scalar(0.0)?);
        Ok(Flow { parameters, projection, velocity, time_step, time, outcome: None, steps: 0 })
    }

    pub(super) fn algebra(&self) -> &Algebra {
        self.projection.algebra()
    }

    fn voxels_a_metre(&self) -> f32 {
        self.voxels().size().into_iter().fold(1, u32::max) as f32 / self.parameters.length
    }

    /// Δt of a step that begins, in which nothing is accelerated by more than so many m/s²: three maxima of some passes
    /// each, and two of one texel.
    pub(super) fn measure_step(&mut self, acceleration: f32) -> Result<()> {
        let algebra = self.algebra().clone();
        let mut most = [algebra.scalar(0.0)?, algebra.scalar(0.0)?, algebra.scalar(0.0)?];
        for (axis, most) in most.iter_mut().enumerate() {
            self.velocity.component(axis).max_magnitude(most)?;
        }
        let Parameters { across, longest, .. } = self.parameters;
        let constants =
            [self.voxels_a_metre(), across, acceleration, longest].map(|number| [number, 0.0, 0.0, 0.0]);
        let [u, v, w] = &most;
        algebra
            .pass(TIME_STEP, crate::linalg::PLAIN)?
            .streams([u.texture(), v.texture(), w.texture()])
            .constants(&constants)
            .onto(&[self.time_step.texture()])?;
        let mut then = algebra.scalar(0.0)?;
        self.time.add(&self.time_step, &mut then)?;
        self.time = then;
        Ok(())
    }

    /// Moves the velocity and these fields along the paths of the step: two passes each.
    pub(super) fn advect(&mut self, fields: &mut [Carried]) -> Result<()> {
        let paths = [self.corners(0)?, self.corners(1)?, self.corners(2)?];
        for Carried { field, least, loss } in fields {
            let corners = self.spread(field, [0.0; 2])?;
            **field = self.moved(&paths, Moved::Centres { corners: &corners, least: *least, loss: *loss })?;
        }
        for axis in 0..3 {
            *self.velocity.component_mut(axis) = self.moved(&paths, Moved::Velocity(axis))?;
        }
        Ok(())
    }

    fn corners(&self, axis: usize) -> Result<Corners> {
        let more = [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]];
        self.spread(self.velocity.component(axis), more[axis])
    }

    /// One pass: a field of so many more columns and rows than there are of voxels.
    fn spread(&self, field: &Vector, more: [f32; 2]) -> Result<Corners> {
        let (algebra, layout) = (self.algebra(), self.voxels().layout());
        let shape = Shape { width: layout.width(), height: layout.height(), format: Format::Rgba32F };
        let texture = algebra.context().texture(shape)?;
        let [nx, ny, _] = self.size();
        let last = [nx - 1.0 + more[0], ny - 1.0 + more[1], 0.0, 0.0];
        algebra
            .pass(CORNERS, crate::linalg::PLAIN)?
            .streams([field.texture()])
            .constants(&[self.voxels().tiling(), last])
            .onto(&[&texture])?;
        Ok(Corners(texture))
    }

    fn moved(&self, [u, v, w]: &[Corners; 3], moved: Moved) -> Result<Vector> {
        let algebra = self.algebra();
        let (axis, own, least, loss) = match moved {
            Moved::Velocity(axis) => (axis as i32, None, None, 0.0),
            Moved::Centres { corners, least, loss } => (3, Some(corners), least, loss),
        };
        let (bounded, fading) = (i32::from(least.is_some()), i32::from(loss > 0.0));
        let [nx, ny, nz] = self.size();
        let numbers = [self.voxels_a_metre(), loss].map(|number| [number, 0.0, 0.0, 0.0]);
        let constants = [self.voxels().tiling(), [nx, ny, nz, 0.0], numbers[0], numbers[1]];
        let constants = &constants[..3 + fading as usize];
        let moved = Vector::uninitialised(algebra, self.voxels().layout())?;
        algebra
            .pass_of(ADVECT, &[("AXIS", axis), ("LEAST", bounded), ("FADING", fading)], of_voxels)?
            .streams([&u.0, &v.0, &w.0])
            .streams(own.map(|corners| &corners.0))
            .streams(least.map(Vector::texture))
            .streams([self.time_step.texture()])
            .constants(constants)
            .onto(&[moved.texture()])?;
        Ok(moved)
    }

    /// Pushes all that lies about a line through `middle` (voxels), by `speed` (m/s) along it where it is and e⁻¹ of that
    /// `radius` voxels beside it: three passes. The next step takes out the divergence.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for numbers that are not finite, and a direction or a radius of 0.
    pub fn push_along(&mut self, middle: [f64; 3], along: [f64; 3], radius: f32, speed: f32) -> Result<()> {
        let length = along.iter().map(|v| v * v).sum::<f64>().sqrt();
        let numbers =
            middle.iter().chain(&along).all(|v| v.is_finite()) && radius.is_finite() && speed.is_finite();
        if !numbers || length <= 0.0 || radius <= 0.0 {
            let (found, expected) =
                (format!("{speed} along {along:?}"), "a direction, and finite numbers".to_owned());
            return Err(Error::BadParameter { name: "push", found, expected });
        }
        let along = along.map(|v| (v / length) as f32);
        for (axis, part) in along.into_iter().enumerate() {
            let constants = [[along[0], along[1], along[2], 0.0], [radius, speed * part, 0.0, 0.0]];
            let pushed =
                self.touched(self.velocity.component(axis), Touched::Face(axis), middle, &constants)?;
            *self.velocity.component_mut(axis) = pushed;
        }
        Ok(())
    }

    /// A ball about `middle` (voxels) in a field at centres: of liquid, or of smoke.
    pub(super) fn filled(
        &self,
        field: &Vector,
        smoke: bool,
        middle: [f64; 3],
        radius: f32,
    ) -> Result<Vector> {
        if !(middle.iter().all(|v| v.is_finite()) && radius.is_finite() && radius > 0.0) {
            let (found, expected) =
                (format!("{radius} at {middle:?}"), "finite numbers, a radius above 0".to_owned());
            return Err(Error::BadParameter { name: "ball", found, expected });
        }
        self.touched(
            field,
            if smoke { Touched::Smoke } else { Touched::Liquid },
            middle,
            &[[radius, 0.0, 0.0, 0.0]],
        )
    }

    fn touched(&self, field: &Vector, what: Touched, middle: [f64; 3], own: &[[f32; 4]]) -> Result<Vector> {
        let (voxels, mut first) = (self.voxels(), [0.5, 0.5, 0.5, 0.0]);
        if let Touched::Face(axis) = what {
            first[axis] = 0.0;
        }
        let [nx, ny, nz] = voxels.size().map(|n| n as f32);
        let [x, y, z] = middle.map(|v| v as f32);
        let mut constants = vec![voxels.tiling(), [nx, ny, nz, 0.0], first, [x, y, z, 0.0]];
        constants.extend(own);
        let touched = Vector::uninitialised(field.algebra(), field.layout())?;
        let variant = [
            ("PUSH", i32::from(matches!(what, Touched::Face(_)))),
            ("SMOKE", i32::from(matches!(what, Touched::Smoke))),
        ];
        field
            .algebra()
            .pass_of(TOUCH, &variant, of_voxels)?
            .streams([field.texture()])
            .constants(&constants)
            .onto(&[touched.texture()])?;
        Ok(touched)
    }

    /// w −= Δt g: one pass.
    pub(super) fn fall(&mut self) -> Result<()> {
        self.push(None, [-self.parameters.gravity, 0.0])
    }

    /// w += Δt g (lift · warmth − weight · density): one pass.
    pub(super) fn rise(&mut self, warmth: &Vector, density: &Vector) -> Result<()> {
        let Parameters { gravity, lift, weight, .. } = self.parameters;
        self.push(Some([warmth, density]), [gravity * lift, gravity * weight])
    }

    fn push(&mut self, smoke: Option<[&Vector; 2]>, [a, b]: [f32; 2]) -> Result<()> {
        let algebra = self.algebra().clone();
        let component = self.velocity.component(2);
        let constants = [self.voxels().hop(), [a, b, 0.0, 0.0]];
        let pushed = Vector::uninitialised(&algebra, component.layout())?;
        let constants = &constants[usize::from(smoke.is_none())..];
        algebra
            .pass_of(FORCE, &[("BUOYANT", i32::from(smoke.is_some()))], of_voxels)?
            .streams([component.texture()])
            .streams(smoke.into_iter().flatten().map(Vector::texture))
            .streams([self.time_step.texture()])
            .constants(constants)
            .onto(&[pushed.texture()])?;
        *self.velocity.component_mut(2) = pushed;
        Ok(())
    }

    /// Takes out the divergence.
    pub(super) fn project(&mut self) -> Result<()> {
        self.outcome = Some(self.projection.project(&mut self.velocity)?);
        self.steps += 1;
        Ok(())
    }

    /// The velocity of the fluid as that of the air around it, so many faces far: a pass, and one for each face.
    pub(super) fn extend(&mut self, far: u32) -> Result<()> {
        let algebra = self.algebra().clone();
        let (layout, hop) = (self.voxels().layout(), [self.voxels().hop()]);
        let mut known: Option<Vector> = None;
        for _ in 0..=far {
            let start = i32::from(known.is_none());
            let vector = || Vector::uninitialised(&algebra, layout);
            let (next, knows) = ([vector()?, vector()?, vector()?], vector()?);
            let kinds = self.projection.kinds();
            let [u, v, w] = [0, 1, 2].map(|axis| self.velocity.component(axis).texture());
            algebra
                .pass_of(EXTEND, &[("START", start)], of_voxels)?
                .streams([u, v, w, known.as_ref().unwrap_or(kinds).texture()])
                .constants(&hop)
                .onto(&[next[0].texture(), next[1].texture(), next[2].texture(), knows.texture()])?;
            next.into_iter().enumerate().for_each(|(axis, next)| *self.velocity.component_mut(axis) = next);
            known = Some(knows);
        }
        Ok(())
    }

    fn size(&self) -> [f32; 3] {
        self.voxels().size().map(|n| n as f32)
    }
}
