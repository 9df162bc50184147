//! Smoke: a gas that fills its box, and what it carries.

use super::Parameters;
use super::flow::{Carried, Flow};
use super::scenes::Start;
use super::state::{self, State};
use crate::Result;
use crate::linalg::Vector;
use crate::pug::Gpu;

/// Smoke in a closed box: density and temperature, 0 to 1, rise with the gas that they drive. Paths begin at the nearest
/// place of the box, in an obstacle too: what is in there comes out of it, so leave it without smoke.
pub struct Smoke {
    flow: Flow,
    density: Vector,
    warmth: Vector,
    /// Where there is a fire, both are at least this.
    source: Option<Vector>,
}

impl Smoke {
    /// At rest, as that scene begins.
    ///
    /// # Errors
    /// As [`Water::new`](super::Water::new), but one render target will do.
    pub fn new(gpu: &Gpu, start: &Start, parameters: Parameters) -> Result<Smoke> {
        let flow = Flow::new(gpu, start.size, &start.cells(), parameters)?;
        let (algebra, voxels) = (flow.algebra(), flow.voxels());
        let field = |values: &[f32]| algebra.vector(voxels.layout(), &voxels.spread(values)?);
        let (density, warmth) = (field(&start.density)?, field(&start.density)?);
        let source = start.source.as_deref().map(field).transpose()?;
        Ok(Smoke { flow, density, warmth, source })
    }

    /// As [`Smoke::state`] has it: goes on bit for bit. The scene says what is solid and where it burns.
    ///
    /// # Errors
    /// As [`Smoke::new`] and [`Smoke::set_state`].
    pub fn from_state(gpu: &Gpu, start: &Start, parameters: Parameters, values: &[f32]) -> Result<Smoke> {
        let mut smoke = Smoke::new(gpu, start, parameters)?;
        smoke.set_state(values)?;
        Ok(smoke)
    }

    /// One step.
    ///
    /// # Errors
    /// Those of memory. Not converging is in the [`outcome`](Flow::outcome).
    pub fn step(&mut self) -> Result<()> {
        let _scope = self.flow.time.algebra().gpu().scope("step");
        let Smoke { flow, density, warmth, source } = self;
        let Parameters { gravity, lift, weight, cooling, .. } = flow.parameters;
        flow.measure_step(gravity * lift.max(weight))?;
        let least = source.as_ref();
        flow.advect(&mut [
            Carried { field: density, least, loss: 0.0 },
            Carried { field: warmth, least, loss: cooling },
        ])?;
        flow.rise(warmth, density)?;
        flow.project()
    }

    /// Fills a ball about `middle`, in voxels, with warm smoke, fading from half its radius on.
    ///
    /// # Errors
    /// [`Error::BadParameter`](crate::Error::BadParameter) for numbers that are not finite and a radius of 0.
    pub fn pour(&mut self, middle: [f64; 3], radius: f32) -> Result<()> {
        self.density = self.flow.filled(&self.density, true, middle, radius)?;
        self.warmth = self.flow.filled(&self.warmth, true, middle, radius)?;
        Ok(())
    }

    /// Σ density over all voxels. Waits for the GPU.
    ///
    /// # Errors
    /// Those of memory.
    pub fn mass(&self) -> Result<f64> {
        let mut mass = self.flow.algebra().scalar(0.0)?;
        self.density.sum(&mut mass)?;
        Ok(mass.get()?.into())
    }

    /// How dense the smoke is, 0 to 1.
    pub fn density(&self) -> &Vector {
        &self.density
    }

    /// How much warmer than the air around it, 0 to 1.
    pub fn warmth(&self) -> &Vector {
        &self.warmth
    }

    /// Its velocity, pressure, clock and parameters.
    pub fn flow(&self) -> &Flow {
        &self.flow
    }

    /// The same, to be changed between steps.
    pub fn flow_mut(&mut self) -> &mut Flow {
        &mut self.flow
    }

    /// Everything: see [`State`].
    pub fn state(&self) -> Result<State> {
        state::read(&self.flow, &[&self.density, &self.warmth], 0.0)
    }

    /// Back to that state.
    ///
    /// # Errors
    /// [`Error::WrongLength`](crate::Error::WrongLength); [`Error::BadParameter`](crate::Error::BadParameter) for what
    /// [`State`] rules out.
    pub fn set_state(&mut self, values: &[f32]) -> Result<()> {
        let Smoke { flow, density, warmth, .. } = self;
        let written = state::write(flow, &mut [density, warmth], values)?;
        flow.projection.set_pressure(&written.pressure)
    }
}
