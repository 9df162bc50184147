//! The fluid itself: a velocity, what it carries, and the step.

use super::fade::Fade;
use super::forces::Forces;
use super::parameters::within;
use super::transport::check_loops;
use super::viscosity::Viscosity;
use super::{Grid, MassCorrection, Parameters, Projector, Setting, Transport};
use crate::linalg::Algebra;
use crate::pug::{Buffer, DoubleBuffer, Gpu};
use crate::sim::Tip;
use crate::{Error, Result};

/// The largest |∇·u|.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Divergence {
    /// Before the last projection, by the differences that the scheme itself takes.
    pub before: f64,
    /// As it is, by the same.
    pub after: f64,
    /// Divergence on the cells between the nodes, face velocities the means of two nodes: what a collocated grid does not see of a velocity that
    /// turns from node to node. A staggered grid sees all.
    pub between: f64,
}

/// An incompressible fluid of density 1 in a box, and the dye that it carries.
///
/// A step with [MacCormack](super::Advection) is of second order in Δt:
///
/// 1. ũ = u + (u − u of the step before)/2, the velocity half a step ahead, which moves all that moves in the step;
/// 2. half of the forces: heat, the fourth colour of the dye, times buoyancy; vorticity confinement, of ũ;
/// 3. u ← u(x − Δt ũ), by [`Transport`], less g(x − Δt ũ), g = ½Δt∇p − (1 − θ)νΔt∇²u with the last step's pressure (see
///    [`Projector::half_gradient`]), θ = ½(1 + νΔt(π/L)²), 1 at most, in a box of length L; ripples are taken out of the first
///    ([`Transport::take_ripples_of_velocity`]);
/// 4. dye ← dye(x − Δt ũ), [without ripples](Transport::take_ripples_of_scalar), with [`keep_mass`](Parameters::keep_mass) what that has lost is put back, by [`MassCorrection`], and what
///    [fades](Parameters::fading) is taken away;
/// 5. the other half of the forces, of the new heat;
/// 6. (1 − θνΔt∇²) u* = u where ν is not 0;
/// 7. u = u* − what is missing of Δt∇p, by the [`Projector`].
///
/// The first two steps after a beginning, a push, other solids or another Δt, and all steps with
/// [`SemiLagrangian`](super::Advection), are of first order: ũ = u, all forces before the advection, θ = 1, all of the pressure at
/// the end, and the dye last, along the new velocity. At walls that the fluid sticks to, what the last half of the pressure lets
/// slip is of first order in a layer of √(νΔt).
///
/// # Cost
/// | | passes that write each node | fetches a node, without solids (staggered) |
/// |---|---|---|
/// | ũ | 1 | 2 |
/// | heat; with confinement | 4; 5 | 14 (20); 28 (38) |
/// | velocity, MacCormack | 2 | 17 (50) |
/// | half of the pressure, and ripples | 3 | 25 (36) |
/// | viscosity; its half | 1, and 4 of ¼; 1 | 3, and 16; 12; the solvers' |
/// | projection | 2, and 2 of ¼ | 18½ (10½); the solver's |
/// | dye, MacCormack; ripples | 2; 1 | 15 (21); 14 (12) |
/// | mass kept | 1, and two reductions | 4 |
/// | fading | 1 | 1 |
///
/// Nothing is read back but by conjugate gradients, and a few numbers where solids have changed.
///
/// # Example
/// ```
/// # fn main() -> quadrille::Result<()> {
/// use quadrille::Gpu;
/// use quadrille::sim::fluid::{Fluid, Kind, Parameters, Setting, Side, Sides};
///
/// let gpu = Gpu::headless()?;
/// let sides = Sides { north: Side::NoSlip { along: 1.0 }, ..Sides::all(Side::NoSlip { along: 0.0 }) };
/// let setting = Setting { kind: Kind::Staggered, cells: [16, 16], spacing: 1.0 / 16.0, sides };
/// let mut fluid = Fluid::new(&gpu, setting, Parameters { viscosity: 0.01, ..Parameters::default() })?;
/// fluid.step()?; // the lid begins to drag
/// let divergence = fluid.divergence()?;
/// assert!(divergence.after < 0.1 * divergence.before);
/// # Ok(())
/// # }
/// ```
///
/// # References
/// Bolz, Farmer, Grinspun & Schröder, *Sparse Matrix Solvers on the GPU*, §4.1; Stam, *Stable Fluids*, 1999.
pub struct Fluid {
    pub(super) gpu: Gpu,
    pub(super) algebra: Algebra,
    pub(super) setting: Setting,
    pub(super) parameters: Parameters,
    pub(super) projector: Projector,
    pub(super) transport: Transport,
    pub(super) forces: Forces,
    pub(super) viscosity: Option<Viscosity>,
    pub(super) total: Option<MassCorrection>,
    pub(super) fade: Fade,
    pub(super) velocity: Buffer,
    /// The velocity of the step before; in a step room, as is the third.
    pub(super) previous: Buffer,
    pub(super) spare: Buffer,
    /// The velocity that carries everything in a step of second order.
    pub(super) along: Buffer,
    /// The forces before such a step, and the same moved along.
    pub(super) half: [Buffer; 2],
    /// True if the last step was one.
    pub(super) second: bool,
    pub(super) dye: DoubleBuffer,
    pressure: Option<Buffer>,
    pub(super) steps: u64,
    pub(super) time: f64,
}

impl Fluid {
    /// At rest, without dye and solids.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for what [`Setting::grid`] and [`Parameters::check`] refuse; those of memory.
    pub fn new(gpu: &Gpu, setting: Setting, parameters: Parameters) -> Result<Fluid> {
        let grid = setting.grid()?;
        parameters.check(&setting.sides)?;
        let algebra = Algebra::new(gpu);
        let velocity = |name: &str| grid.velocity(gpu).named(name).build();
        let mut fluid = Fluid {
            projector: Projector::new(&algebra, grid, setting.sides, parameters.pressure)?,
            transport: Transport::new(gpu, grid)?,
            forces: Forces::new(&algebra),
            viscosity: None,
            total: None,
            fade: Fade::new(gpu)?,
            velocity: velocity("velocity")?,
            previous: velocity("velocity before")?,
            spare: velocity("velocity in a step")?,
            along: velocity("velocity half a step ahead")?,
            half: [velocity("half of the pressure")?, velocity("half of the pressure, moved")?],
            second: false,
            dye: grid.scalar(gpu, 4).named("dye").double().build()?,
            pressure: None,
            gpu: gpu.clone(),
            algebra,
            setting,
            parameters,
            steps: 0,
            time: 0.0,
        };
        fluid.keep_or_not()?;
        Ok(fluid)
    }

    /// Steps so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Time since the beginning.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Goes on at that time: that of a state.
    pub fn set_time(&mut self, time: f64) {
        self.time = time;
    }

    /// The velocity: see [`Grid`] for what a texel holds.
    pub fn velocity(&self) -> &Buffer {
        &self.velocity
    }

    /// Three colours and heat, at centres.
    pub fn dye(&self) -> &Buffer {
        self.dye.front()
    }

    /// 1 in a solid, 0 elsewhere, at centres: as of the last step.
    pub fn solids(&self) -> &Buffer {
        self.projector.solids()
    }

    /// Another velocity, two numbers a texel of [`Grid::nodes`]; the next projection makes it one without divergence.
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn set_velocity(&mut self, velocity: &[f32]) -> Result<()> {
        self.projector.disturb();
        self.velocity.write(velocity)
    }

    /// Another dye, four numbers a centre.
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn set_dye(&mut self, dye: &[f32]) -> Result<()> {
        self.dye.write(dye)?;
        match &mut self.total {
            Some(total) => total.begin(self.dye.front()),
            None => Ok(()),
        }
    }

    /// At rest again, without dye, at time 0; solids stay.
    pub fn restart(&mut self) -> Result<()> {
        for buffer in [&self.velocity, self.dye.front()] {
            buffer.texture().clear([0.0; 4]);
        }
        self.projector.forget()?;
        (self.steps, self.time) = (0, 0.0);
        match &mut self.total {
            Some(total) => total.begin(self.dye.front()),
            None => Ok(()),
        }
    }

    /// Sets the solids, at centres.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::OverLimit`] on a card without loops, which paths among solids need.
    pub fn set_solids(&mut self, solid: &[bool]) -> Result<()> {
        self.projector.set_solids(solid)?;
        self.refresh()
    }

    /// Returns true if the card has the loops that paths among solids need: without them solids are refused.
    pub fn takes_solids(&self) -> bool {
        check_loops(&self.gpu).is_ok()
    }

    /// Draws a disc or a square of solid, or of fluid, in lengths: there when next a step is made, or a [`Fluid::refresh`].
    pub fn draw_solid(&mut self, x: f32, y: f32, tip: impl Into<Tip>, solid: bool) {
        self.projector.draw_solid(x, y, tip, solid);
    }

    /// Adds a velocity in the middle of a disc, less and less to its rim. One pass.
    ///
    /// # Errors
    /// [`Error::BadParameter`] unless all are finite.
    pub fn push(&mut self, x: f32, y: f32, radius: f32, velocity: [f32; 2]) -> Result<()> {
        check_disc("push", [x, y, radius], &velocity)?;
        let Fluid { forces, projector, spare, .. } = self;
        forces.push(&projector.walls, [x, y, radius], velocity, &self.velocity, spare)?;
        std::mem::swap(&mut self.velocity, spare);
        projector.disturb();
        Ok(())
    }

    /// Dye becomes at least so much in the middle of a disc, less and less to its rim. One pass, and where mass is kept two
    /// reductions: what is poured is to stay.
    ///
    /// # Errors
    /// [`Error::BadParameter`] unless all are finite.
    pub fn pour(&mut self, x: f32, y: f32, radius: f32, dye: [f32; 4]) -> Result<()> {
        check_disc("pour", [x, y, radius], &dye)?;
        let Fluid { forces, projector, dye: buffers, total, .. } = self;
        if let Some(total) = total {
            total.before_pouring(buffers.front())?;
        }
        forces.pour(&projector.walls, [x, y, radius], dye, buffers.front(), buffers.back())?;
        buffers.swap();
        match total {
            Some(total) => total.after_pouring(buffers.front()),
            None => Ok(()),
        }
    }

    /// Dye becomes that colour within the tip of a brush, whatever was there: black takes it away. Heat stays. One pass, and where mass
    /// is kept two reductions.
    ///
    /// # Errors
    /// [`Error::BadParameter`] unless all are finite.
    pub fn paint(&mut self, x: f32, y: f32, tip: impl Into<Tip>, colour: [f32; 3]) -> Result<()> {
        let tip = tip.into();
        check_disc("paint", [x, y, tip.radius], &colour)?;
        let Fluid { forces, projector, dye: buffers, total, .. } = self;
        if let Some(total) = total {
            total.before_pouring(buffers.front())?;
        }
        forces.paint(&projector.walls, [x, y], tip, colour, buffers.front(), buffers.back())?;
        buffers.swap();
        match total {
            Some(total) => total.after_pouring(buffers.front()),
            None => Ok(()),
        }
    }

    /// The largest |∇·u| before and after the last projection. Reads back.
    pub fn divergence(&self) -> Result<Divergence> {
        self.projector.divergence(self.velocity())
    }

    /// ω = ∂v/∂x − ∂u/∂y at centres, as of now: one pass.
    ///
    /// # Errors
    /// Those of memory.
    pub fn vorticity(&mut self) -> Result<&Buffer> {
        self.forces.vorticity(&self.projector.walls, &self.velocity)
    }

    /// The pressure of the last projection, at centres: two passes.
    ///
    /// # Errors
    /// Those of memory.
    pub fn pressure_field(&mut self) -> Result<&Buffer> {
        let out = match &mut self.pressure {
            Some(pressure) => pressure,
            none => none.insert(self.projector.grid().scalar(&self.gpu, 1).named("pressure").build()?),
        };
        self.projector.pressure(out)?;
        Ok(out)
    }

    /// The account of the dye, which keeps its sum and knows how much of it steps have lost; `None` unless mass is kept.
    pub fn total(&self) -> Option<&MassCorrection> {
        self.total.as_ref()
    }

    /// Which faces and cells are open, for what else moves among solids; `None` without solids. As of the last step.
    pub fn open(&self) -> Option<&Buffer> {
        self.transport.open()
    }

    /// The projector that takes the divergence out.
    pub fn projector(&self) -> &Projector {
        &self.projector
    }

    /// Where velocities and scalars lie.
    pub fn grid(&self) -> Grid {
        self.projector.grid()
    }

    /// The box.
    pub fn setting(&self) -> Setting {
        self.setting
    }

    /// How it is stepped.
    pub fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// How it is stepped from now on.
    ///
    /// # Errors
    /// [`Error::BadParameter`], and nothing has changed; those of memory.
    pub fn set_parameters(&mut self, parameters: Parameters) -> Result<()> {
        parameters.check(&self.setting.sides)?;
        self.projector.set_pressure(parameters.pressure)?;
        if let Some(viscosity) = &mut self.viscosity {
            viscosity.set_pressure(parameters.pressure)?;
        }
        self.parameters = parameters;
        self.keep_or_not()
    }

    fn keep_or_not(&mut self) -> Result<()> {
        match (self.parameters.keep_mass, &self.total) {
            (true, None) => self.total = Some(MassCorrection::new(&self.gpu, self.dye.front())?),
            (false, Some(_)) => self.total = None,
            _ => {}
        }
        Ok(())
    }
}

fn check_disc(name: &'static str, disc: [f32; 3], amount: &[f32]) -> Result<()> {
    within("radius", disc[2], 0.0, f32::MAX)?;
    if disc.iter().chain(amount).all(|number| number.is_finite()) {
        return Ok(());
    }
    let found = format!("{amount:?} at {disc:?}");
    Err(Error::BadParameter { name, found, expected: "finite numbers".into() })
}
