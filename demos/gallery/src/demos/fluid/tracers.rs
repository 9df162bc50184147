//! Particles that the flow carries.

use anyhow::Result;
use quadrille::sim::fluid::{Fluid, Particles};
use quadrille::{Buffer, Gpu};

use super::scene::Setup;

/// Particles, and the seed of their births.
pub struct Tracers(Particles, u64);

impl Tracers {
    /// Anywhere in the box; born again where the scene says.
    pub fn new(gpu: &Gpu, fluid: &Fluid, setup: &Setup, count: u32, seed: u64) -> Result<Tracers> {
        let mut tracers = Tracers(Particles::new(gpu, fluid.grid(), count as usize, seed)?, seed);
        tracers.set_births(setup)?;
        Ok(tracers)
    }

    /// Where they are born hangs on the time step.
    pub fn set_births(&mut self, setup: &Setup) -> Result<()> {
        Ok(self.0.set_births(&setup.births())?)
    }

    /// Along the velocity of the step that was just made.
    pub fn advance(&mut self, fluid: &Fluid) -> Result<()> {
        Ok(self.0.advance_among(fluid.velocity(), fluid.open(), fluid.parameters().time_step)?)
    }

    /// x, y, age and number of each.
    pub fn state(&self) -> Result<Vec<f32>> {
        Ok(self.0.state()?)
    }

    /// Goes on from those, after that many steps.
    pub fn set_state(&mut self, state: &[f32], steps: u64) -> Result<()> {
        Ok(self.0.set_state(state, steps)?)
    }

    pub fn steps(&self) -> u64 {
        self.0.steps()
    }

    pub fn seed(&self) -> u64 {
        self.1
    }

    pub fn len(&self) -> u32 {
        self.0.len() as u32
    }

    pub fn positions(&self) -> &Buffer {
        self.0.positions()
    }
}
