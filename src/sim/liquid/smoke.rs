//! Smoke: a gas that fills its box, and what it carries.

use super::Parameters;
use super::flow::Flow;
use super::scenes::Start;
use super::state::{self, State};
use crate::Result;
use crate::linalg::{Vector, Voxels};
use crate::pug::Gpu;
use crate::sim::projection::{Faces, Projection};
use crate::solve::Outcome;

/// Smoke in a closed box: density and temperature, 0 to 1, rise with the gas that they drive.
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
    /// As [`Water::new`](super::Water::new).
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
    /// As [`Smoke::new`]; [`Error::WrongLength`](crate::Error::WrongLength).
    pub fn from_state(gpu: &Gpu, start: &Start, parameters: Parameters, values: &[f32]) -> Result<Smoke> {
        let mut smoke = Smoke::new(gpu, start, parameters)?;
        smoke.set_state(values)?;
        Ok(smoke)
    }

    /// One step.
    ///
    /// # Errors
    /// Those of memory. Not converging is in the [`outcome`](Smoke::outcome).
    pub fn step(&mut self) -> Result<()> {
        let Smoke { flow, density, warmth, source } = self;
        flow.measure_step()?;
        let source = source.as_ref();
        flow.advect(&mut [(&mut *density, source), (&mut *warmth, source)])?;
        flow.rise(warmth, density)?;
        flow.project()
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

    /// The velocity in m/s.
    pub fn velocity(&self) -> &Faces {
        &self.flow.velocity
    }

    /// The same, to be set before a step.
    pub fn velocity_mut(&mut self) -> &mut Faces {
        &mut self.flow.velocity
    }

    /// The box.
    pub fn voxels(&self) -> Voxels {
        self.flow.voxels()
    }

    /// Kinds of cells and pressure.
    pub fn projection(&mut self) -> &mut Projection {
        &mut self.flow.projection
    }

    /// How the last projection went.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.flow.outcome.as_ref()
    }

    /// Seconds of the last step and since the start. Waits for the GPU.
    ///
    /// # Errors
    /// Only those of a lost device.
    pub fn times(&self) -> Result<[f32; 2]> {
        Ok([self.flow.time_step.get()?, self.flow.time.get()?])
    }

    /// Steps since the start.
    pub fn steps(&self) -> u64 {
        self.flow.steps
    }

    /// How it is stepped.
    pub fn parameters(&self) -> Parameters {
        self.flow.parameters
    }

    /// Everything: see [`State`].
    ///
    /// # Errors
    /// Only those of a lost device.
    pub fn state(&self) -> Result<State> {
        state::read(&self.flow, &[&self.density, &self.warmth])
    }

    /// Back to that state.
    ///
    /// # Errors
    /// [`Error::WrongLength`](crate::Error::WrongLength).
    pub fn set_state(&mut self, values: &[f32]) -> Result<()> {
        let Smoke { flow, density, warmth, .. } = self;
        let pressure = state::write(flow, &mut [density, warmth], values)?;
        flow.projection.set_pressure(&pressure)
    }
}
