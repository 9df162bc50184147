//! Advection: fields moved along the paths of a velocity.
//!
//! A place is stored as an element and an offset from it, so weights do not lose digits on large grids. Interpolation
//! is a + t(b − a), so constants keep their bits.
//!
//! Ripples are removed after MacCormack by the fourth differences of upwind schemes, as fluxes that only run down
//! slopes. A pattern that alternates from column to column is neither damped (1 − 2c² a step) nor moved by MacCormack,
//! and on a collocated grid no pressure sees it either. This is one more pass a step for the dye; for the velocity it
//! is part of the pass that subtracts half of the pressure's gradient.

use super::grid::wrong_shape;
use super::{Advection, Grid};
use crate::pug::{Buffer, ConstantHandle, Gpu, Program, StreamHandle};
use crate::{Error, Result, kernels};

const ADVECT: &str = "sim/fluid_advect.frag";
const RIPPLE: &str = "sim/fluid_ripple.frag";
const OPEN: &str = "sim/fluid_open.frag";

/// Cells that a path enters at most where there are solids: CROSSINGS of `glsl/fluid.glsl`.
const CROSSINGS: u32 = 64;

/// The field that is moved.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Carried {
    Velocity,
    Scalar,
    /// A velocity, along another one.
    Other,
}

/// Moves velocities and scalars: q(x) ← q(x − Δt u(x)), by four fetches and its own weights, for floats were not filtered.
///
/// A path is one straight line from the element back to where the flow comes from; it ends at the box, whose nearest element
/// is taken, or at a solid. A place is kept as an element and a way from it, so weights are exact to 2⁻²⁴ of the way
/// on a grid of any size. Four alike make the very same number: what is constant stays so to the bit.
///
/// [`Advection::MacCormack`] adds half of what going there and back again has lost, within the four values of the first fetch,
/// and less of it the more of a path was cut off: nothing where that is a cell. It is of second order although its paths are
/// of first, since the way back makes their error, too.
///
/// | fetches of an element (near solids, and one for each cell on the way) | collocated | staggered scalar | staggered velocity |
/// |---|---|---|---|
/// | semi-Lagrangian, one pass | 5 (11) | 8 (14) | 18 (30) |
/// | MacCormack, that pass and another | 5 + 10 (11 + 19) | 8 + 13 (14 + 22) | 18 + 28 (30 + 46) |
///
/// Each pass writes every element once. MacCormack in a single one would repeat the first fetch at each of the four elements of
/// the second.
///
/// Paths of second order would cost 4 or 8 fetches more each, and do not pay. Squares of dye in steady vortices on 128² cells,
/// beside the same on 512², at one and at two cells a step: the midpoint rule lowers MacCormack's error by 0.5 % and 3 %, the
/// other's by 0.4 % and 3 %; and velocities moved along such paths lose 1.4 and 2.4 times the energy. What MacCormack makes of
/// matter its bounds make, not its paths: at two cells a step 0.6 % with either, and a ten-thousandth without the bounds, but
/// then dye of −0.6 to 1.7 where 0 to 1 was. Going back to the first fetch where a bound is met makes a quarter less matter,
/// and errors of 2 % more.
///
/// # Solids
/// A solid is the cell around its centre; on a collocated grid that cell reaches half a spacing around its node. Paths look at
/// every cell that they enter, so none leads through a wall, however thin, nor between two solids that touch at a corner; one
/// fetch tells those that have no solid near. What solids hold is never fetched: the weights of other elements are made to
/// sum to 1. Scalars in solids, velocities in them and at their faces stay as they are.
///
/// # References
/// Bolz et al., *Sparse Matrix Solvers on the GPU*, §4.1.1; Stam, *Stable Fluids*, 1999; Selle, Fedkiw, Kim, Liu & Rossignac,
/// *An Unconditionally Stable MacCormack Method*, 2008.
pub struct Transport {
    gpu: Gpu,
    grid: Grid,
    /// Compiled when first asked for: velocity, scalar, another velocity, and each corrected; then the same with solids.
    passes: [Option<Pass>; 12],
    /// The same: velocity, scalar; then with solids.
    ripples: [Option<Ripples>; 4],
    /// The first fetch of MacCormack: of a velocity, and of scalars by their components.
    first: [Option<Buffer>; 5],
    solids: Option<Open>,
    is_solid: bool,
}

/// A variant of the kernel.
struct Pass {
    program: Program,
    velocity: StreamHandle,
    field: Option<StreamHandle>,
    first: Option<StreamHandle>,
    open: Option<StreamHandle>,
    way: ConstantHandle,
}

/// A variant of the kernel that takes ripples out.
struct Ripples {
    program: Program,
    field: StreamHandle,
    /// The velocity that has moved a scalar, or what is taken off a velocity.
    other: StreamHandle,
    open: Option<StreamHandle>,
    way: ConstantHandle,
}

/// Which faces and cells are open, and the pass that finds out.
struct Open {
    program: Program,
    solids: StreamHandle,
    open: Buffer,
}

impl Transport {
    /// Without solids. Kernels are compiled when they are first needed.
    ///
    /// # Errors
    /// Those of [`Grid::check`].
    pub fn new(gpu: &Gpu, grid: Grid) -> Result<Transport> {
        grid.check()?;
        let (passes, ripples, first) = Default::default();
        Ok(Transport { gpu: gpu.clone(), grid, passes, ripples, first, solids: None, is_solid: false })
    }

    /// Takes these for solids from now on, 1 in a solid and 0 elsewhere, at [`Grid::centres`]: one pass of some 120 fetches an
    /// element, to be asked for again when they have changed. `None` are none, and a path costs less.
    ///
    /// # Errors
    /// [`Error::WrongShape`]; [`Error::OverLimit`] for a card without loops, which a path among solids needs: it ends when it has
    /// entered 64 cells. Those that were solid before stay so.
    pub fn set_solids(&mut self, solids: Option<&Buffer>) -> Result<()> {
        let Some(solids) = solids else {
            self.is_solid = false;
            return Ok(());
        };
        self.grid.check_scalar(solids)?;
        check_loops(&self.gpu)?;
        let open = match &mut self.solids {
            Some(open) => open,
            None => self.solids.insert(Open::new(&self.gpu, &self.grid)?),
        };
        open.program.bind_stream(open.solids, solids)?;
        open.program.run(&open.open)?;
        self.is_solid = true;
        Ok(())
    }

    /// Which faces and cells are open, for other kernels (`glsl/sim/fluid_open.frag`); `None` without solids.
    pub fn open(&self) -> Option<&Buffer> {
        self.solids.as_ref().filter(|_| self.is_solid).map(|solids| &solids.open)
    }

    /// The grid.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// u(x) ← u(x − Δt u(x)): one pass, or two.
    ///
    /// # Errors
    /// [`Error::WrongShape`]; [`Error::BadParameter`] for a time step that is none; [`Error::Feedback`] if `out` is the velocity.
    pub fn velocity(
        &mut self,
        advection: Advection,
        velocity: &Buffer,
        time_step: f32,
        out: &Buffer,
    ) -> Result<()> {
        self.grid.check_velocity(velocity)?;
        self.grid.check_velocity(out)?;
        self.advect(advection, Carried::Velocity, [velocity, velocity], time_step, out)
    }

    /// w(x) ← w(x − Δt u(x)) for another velocity w: as [`Transport::velocity`], with a fetch more of each element.
    ///
    /// # Errors
    /// As [`Transport::velocity`].
    pub fn other_velocity(
        &mut self,
        advection: Advection,
        velocity: &Buffer,
        time_step: f32,
        other: &Buffer,
        out: &Buffer,
    ) -> Result<()> {
        [velocity, other, out].into_iter().try_for_each(|buffer| self.grid.check_velocity(buffer))?;
        self.advect(advection, Carried::Other, [velocity, other], time_step, out)
    }

    /// q(x) ← q(x − Δt u(x)) for a field of 1 to 4 components at [`Grid::centres`]: one pass, or two.
    ///
    /// # Errors
    /// As [`Transport::velocity`].
    pub fn scalar(
        &mut self,
        advection: Advection,
        velocity: &Buffer,
        time_step: f32,
        field: &Buffer,
        out: &Buffer,
    ) -> Result<()> {
        self.grid.check_velocity(velocity)?;
        self.grid.check_scalar(field)?;
        self.grid.check_scalar(out)?;
        if field.components() != out.components() {
            return Err(wrong_shape(out, format!("{} components", field.components())));
        }
        self.advect(advection, Carried::Scalar, [velocity, field], time_step, out)
    }

    /// `out` = a scalar without the ripples that [`Advection::MacCormack`] makes of it along that velocity: one pass, of 14 fetches an
    /// element, 12 on a staggered grid; near solids 9 more.
    ///
    /// MacCormack hardly damps what alternates from element to element: a path of c spacings leaves 1 − 2c² of it. Nor does it
    /// carry it along: as in all central differences, its group goes against the flow. So ripples leave steep edges upstream, and
    /// stand as combs where flow is slow. Upwind differences have a term α h³|u|/12 · ∂⁴q beside the central ones, with α = 1
    /// those of third order, with 3 those of Kawamura & Kuwahara. It is taken here with α = 2, which leaves 1 − 8c/3, and c/6 is 1/32
    /// at most. Slotted
    /// discs and narrow bumps that turn around once on 64² and 128² cells have errors 2 to 11 % less than without it; that of a bump 13 cells
    /// wide is 2 % more.
    ///
    /// An element loses through its sides alone, so the sum of a scalar stays. A flux goes down its slope alone, and is no
    /// more than of four slopes, which is what alternates: an eighth of each difference at most, so no element leaves what its
    /// neighbours and itself span. What does not move stays to the bit. It is of the order h³ a time, so second order stays.
    ///
    /// # References
    /// Leonard, *A Stable and Accurate Convective Modelling Procedure Based on Quadratic Upstream Interpolation*, 1979; Kawamura &
    /// Kuwahara, *Computation of High Reynolds Number Flow around a Circular Cylinder with Surface Roughness*, 1984; Xue,
    /// *High-Order Monotonic Numerical Diffusion and Smoothing*, 2000.
    ///
    /// # Errors
    /// As [`Transport::velocity`].
    pub fn take_ripples_of_scalar(
        &mut self,
        velocity: &Buffer,
        time_step: f32,
        field: &Buffer,
        out: &Buffer,
    ) -> Result<()> {
        self.grid.check_velocity(velocity)?;
        self.grid.check_scalar(field)?;
        self.grid.check_scalar(out)?;
        if field.components() != out.components() {
            return Err(wrong_shape(out, format!("{} components", field.components())));
        }
        self.take_ripples(Carried::Scalar, [field, velocity], time_step, out)
    }

    /// `out` = a moved velocity without its ripples, as [`Transport::take_ripples_of_scalar`], less `taken`: one pass, of 10 fetches an
    /// element, 12 on a staggered grid; near solids 9 and 11 more.
    ///
    /// # Errors
    /// As [`Transport::velocity`].
    pub fn take_ripples_of_velocity(
        &mut self,
        velocity: &Buffer,
        time_step: f32,
        taken: &Buffer,
        out: &Buffer,
    ) -> Result<()> {
        [velocity, taken, out].into_iter().try_for_each(|buffer| self.grid.check_velocity(buffer))?;
        self.take_ripples(Carried::Velocity, [velocity, taken], time_step, out)
    }

    fn take_ripples(
        &mut self,
        carried: Carried,
        [field, other]: [&Buffer; 2],
        time_step: f32,
        out: &Buffer,
    ) -> Result<()> {
        check_time(time_step)?;
        let open = self.open().cloned();
        let place = carried as usize + 2 * usize::from(open.is_some());
        let ripples = match &mut self.ripples[place] {
            Some(ripples) => ripples,
            none => none.insert(Ripples::new(&self.gpu, &self.grid, carried, open.is_some())?),
        };
        let program = &mut ripples.program;
        program.bind_stream(ripples.field, field)?.bind_stream(ripples.other, other)?;
        if let Some((stream, open)) = ripples.open.zip(open.as_ref()) {
            program.bind_stream(stream, open)?;
        }
        program.bind_float(ripples.way, time_step / self.grid.spacing)?;
        program.run(out)
    }

    fn advect(
        &mut self,
        advection: Advection,
        carried: Carried,
        [velocity, field]: [&Buffer; 2],
        time_step: f32,
        out: &Buffer,
    ) -> Result<()> {
        check_time(time_step)?;
        match advection {
            Advection::SemiLagrangian => self.pass(carried, [velocity, field], time_step, None, out),
            Advection::MacCormack => {
                let first = self.first_of(carried, field.components())?;
                self.pass(carried, [velocity, field], time_step, None, &first)?;
                self.pass(carried, [velocity, field], time_step, Some(&first), out)
            }
        }
    }

    /// Where the first fetch goes; made once for each number of components.
    fn first_of(&mut self, carried: Carried, components: usize) -> Result<Buffer> {
        let (place, builder) = match carried {
            Carried::Velocity | Carried::Other => (0, self.grid.velocity(&self.gpu)),
            Carried::Scalar => (components, self.grid.scalar(&self.gpu, components)),
        };
        match &mut self.first[place] {
            Some(first) => Ok(first.clone()),
            none => Ok(none.insert(builder.named("first fetch").build()?).clone()),
        }
    }

    fn pass(
        &mut self,
        carried: Carried,
        [velocity, field]: [&Buffer; 2],
        time_step: f32,
        first: Option<&Buffer>,
        out: &Buffer,
    ) -> Result<()> {
        let open = self.open().cloned();
        let place = carried as usize + 3 * usize::from(first.is_some()) + 6 * usize::from(open.is_some());
        let pass = match &mut self.passes[place] {
            Some(pass) => pass,
            none => none.insert(Pass::new(&self.gpu, &self.grid, carried, first.is_some(), open.is_some())?),
        };
        let program = &mut pass.program;
        program.bind_stream(pass.velocity, velocity)?;
        let others = [(pass.field, Some(field)), (pass.first, first), (pass.open, open.as_ref())];
        for (stream, buffer) in others.into_iter().filter_map(|(stream, buffer)| Some((stream?, buffer?))) {
            program.bind_stream(stream, buffer)?;
        }
        program.bind_float(pass.way, time_step / self.grid.spacing)?;
        program.run(out)
    }
}

impl Pass {
    fn new(gpu: &Gpu, grid: &Grid, carried: Carried, correct: bool, solids: bool) -> Result<Pass> {
        let scalar = carried == Carried::Scalar;
        let kernel = grid
            .kernel(kernels::named(ADVECT)?)
            .define("SCALAR", u32::from(scalar))
            .define("OTHER", u32::from(carried == Carried::Other))
            .define("CORRECT", u32::from(correct))
            .define("SOLIDS", u32::from(solids));
        let mut program = gpu.load(kernel)?;
        program.bind_float("cells", grid.cells_f32())?.bind_float("periodic", grid.periodic_f32())?;
        let optional =
            |there: bool, name: &str| if there { program.stream(name).map(Some) } else { Ok(None) };
        Ok(Pass {
            velocity: program.stream("velocity")?,
            field: optional(carried != Carried::Velocity, "field")?,
            first: optional(correct, "first")?,
            open: optional(solids, "open")?,
            way: program.constant("way")?,
            program,
        })
    }
}

impl Ripples {
    fn new(gpu: &Gpu, grid: &Grid, carried: Carried, solids: bool) -> Result<Ripples> {
        let scalar = carried == Carried::Scalar;
        let kernel = grid
            .kernel(kernels::named(RIPPLE)?)
            .define("SCALAR", u32::from(scalar))
            .define("SOLIDS", u32::from(solids));
        let mut program = gpu.load(kernel)?;
        program.bind_float("cells", grid.cells_f32())?.bind_float("periodic", grid.periodic_f32())?;
        Ok(Ripples {
            field: program.stream("field")?,
            other: program.stream(if scalar { "velocity" } else { "taken" })?,
            open: if solids { Some(program.stream("open")?) } else { None },
            way: program.constant("way")?,
            program,
        })
    }
}

impl Open {
    fn new(gpu: &Gpu, grid: &Grid) -> Result<Open> {
        let mut program = gpu.load(grid.kernel(kernels::named(OPEN)?))?;
        let counts = grid.centres().map(|count| count as f32);
        program.bind_float("counts", counts)?.bind_float("periodic", grid.periodic_f32())?;
        let [width, height] = grid.nodes();
        let open = gpu.buffer(width, height).components(4).named("open cells").build()?;
        Ok(Open { solids: program.stream("solids")?, program, open })
    }
}

fn check_time(time_step: f32) -> Result<()> {
    if time_step.is_finite() {
        return Ok(());
    }
    let (found, expected) = (time_step.to_string(), "a finite time".to_owned());
    Err(Error::BadParameter { name: "time step", found, expected })
}

/// Confirms that a path may look at cells one after the other.
pub(super) fn check_loops(gpu: &Gpu) -> Result<()> {
    let limit = gpu.limits().loop_iterations;
    // A corrected velocity has four paths.
    let found = 4 * CROSSINGS;
    if limit >= found {
        return Ok(());
    }
    let (found, limit) = (found.into(), limit.into());
    Err(Error::OverLimit { what: ADVECT.into(), quantity: "number of iterations", found, limit })
}
