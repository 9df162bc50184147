//! Particles that the flow carries.

use anyhow::Result;
use quadrille::sim::fluid::{Fluid, Particles, Region};
use quadrille::{Buffer, Gpu};

use super::scene::Setup;

/// Particles, and the births of them.
pub struct Tracers {
    particles: Particles,
    seed: u64,
    /// Where somebody gathers them, in place of where the scene has them born.
    gathered: Option<Region>,
}

/// How long gathered particles live, in heights of the box at a speed of 1.
const LIFE: f32 = 1.5;

/// Points that a picture has at most, unless somebody says how long trails are.
const POINTS: u32 = 1 << 19;

/// Steps that a trail is long, of so many particles.
pub fn usual_trail(count: u32) -> u32 {
    (POINTS / count.max(1)).min(16)
}

impl Tracers {
    /// Anywhere in the box; born again where the scene says.
    pub fn new(gpu: &Gpu, fluid: &Fluid, setup: &Setup, count: u32, seed: u64) -> Result<Tracers> {
        let particles = Particles::new(gpu, fluid.grid(), count as usize, seed)?;
        let mut tracers = Tracers { particles, seed, gathered: None };
        tracers.set_births(setup)?;
        Ok(tracers)
    }

    /// Where they are born hangs on the time step.
    pub fn set_births(&mut self, setup: &Setup) -> Result<()> {
        match self.gathered {
            Some(region) => Ok(self.particles.set_births(&[region])?),
            None => Ok(self.particles.set_births(&setup.births())?),
        }
    }

    /// From now on they begin in that region, and live a while; or where the scene says, for ever.
    pub fn gather(&mut self, region: Option<Region>, setup: &Setup) -> Result<()> {
        let height = setup.scene.setting.cells[1] as f32 * setup.scene.setting.spacing;
        self.gathered = region;
        self.particles.set_life(if region.is_some() { LIFE * height } else { f32::INFINITY })?;
        self.set_births(setup)
    }

    /// Lets all begin anew where they are born.
    pub fn scatter(&mut self) -> Result<()> {
        Ok(self.particles.scatter()?)
    }

    /// Where somebody gathers them.
    pub fn gathered(&self) -> Option<Region> {
        self.gathered
    }

    /// Remembers that many steps of each.
    pub fn set_trail(&mut self, steps: u32) -> Result<()> {
        Ok(self.particles.set_memory(steps as usize)?)
    }

    /// Where they were before the last steps, newest first.
    pub fn past(&self) -> &[Buffer] {
        self.particles.past()
    }

    /// Along the velocity of the step that was just made.
    pub fn advance(&mut self, fluid: &Fluid) -> Result<()> {
        Ok(self.particles.advance_among(fluid.velocity(), fluid.open(), fluid.parameters().time_step)?)
    }

    /// x, y, age and number of each.
    pub fn state(&self) -> Result<Vec<f32>> {
        Ok(self.particles.state()?)
    }

    /// Goes on from those, after that many steps.
    pub fn set_state(&mut self, state: &[f32], steps: u64) -> Result<()> {
        Ok(self.particles.set_state(state, steps)?)
    }

    pub fn steps(&self) -> u64 {
        self.particles.steps()
    }

    pub fn seed(&self) -> u64 {
        self.seed
    }

    pub fn len(&self) -> u32 {
        self.particles.len() as u32
    }

    pub fn positions(&self) -> &Buffer {
        self.particles.positions()
    }
}
