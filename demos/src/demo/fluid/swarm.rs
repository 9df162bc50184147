//! Particles that the flow carries.

use anyhow::Result;
use quadrille::sim::fluid::{Fluid, Particles};
use quadrille::{Buffer, Gpu};

use super::scene::Setup;

pub struct Swarm(Particles);

impl Swarm {
    /// Anywhere in the box; born again where the scene says.
    pub fn new(gpu: &Gpu, fluid: &Fluid, setup: &Setup, count: u32, seed: u64) -> Result<Swarm> {
        let mut swarm = Swarm(Particles::new(gpu, fluid.grid(), count as usize, seed)?);
        swarm.set_births(setup)?;
        Ok(swarm)
    }

    /// Where they are born hangs on the time step.
    pub fn set_births(&mut self, setup: &Setup) -> Result<()> {
        Ok(self.0.set_births(&setup.births())?)
    }

    /// Along the velocity of the step that was just made.
    pub fn advance(&mut self, fluid: &Fluid) -> Result<()> {
        Ok(self.0.advance_among(fluid.velocity(), fluid.open(), fluid.parameters().time_step)?)
    }

    pub fn len(&self) -> u32 {
        self.0.len() as u32
    }

    pub fn positions(&self) -> &Buffer {
        self.0.positions()
    }
}
