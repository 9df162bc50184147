//! A liquid with a free surface.

use super::Parameters;
use super::flow::{Carried, Flow};
use super::scenes::Start;
use super::state::{self, State};
use super::surface::Surface;
use crate::Result;
use crate::linalg::Vector;
use crate::pug::Gpu;

/// Passes that make φ a distance again after each step.
const REDISTANCING: u32 = 6;

/// How far into the air the velocity is extended, in faces beyond what a path may cross.
const BEYOND: u32 = 3;

/// A liquid in a closed box, under air that does not resist.
///
/// The level set is moved like everything else, made a distance again where it is near the surface, and shifted by what the
/// step has lost. Without the shift ([`Parameters::keeps_volume`]) sheets and drops that become thinner than a voxel take
/// their volume along: 15 % of a dam break in a box of 24 × 16 × 20 voxels, in 2.6 s.
pub struct Water {
    flow: Flow,
    surface: Surface,
}

impl Water {
    /// At rest, as that scene begins.
    ///
    /// # Errors
    /// [`Error::BadParameter`](crate::Error::BadParameter); [`Error::OverLimit`](crate::Error::OverLimit) for a card of one
    /// render target or of few fetches a pass, and as [`Voxels::new`](crate::linalg::Voxels::new) has it at half the
    /// texture limit; those of memory.
    pub fn new(gpu: &Gpu, start: &Start, parameters: Parameters) -> Result<Water> {
        let flow = Flow::new(gpu, start.size, &start.cells(), parameters)?;
        let surface = Surface::new(flow.algebra(), flow.voxels(), &start.distance)?;
        let mut water = Water { flow, surface };
        water.flow.projection.set_surface(&water.surface.distance)?;
        water.surface.kept = water.volume()? as f32;
        Ok(water)
    }

    /// As [`Water::state`] has it: goes on bit for bit. The scene says what is solid.
    ///
    /// # Errors
    /// As [`Water::new`] and [`Water::set_state`].
    pub fn from_state(gpu: &Gpu, start: &Start, parameters: Parameters, values: &[f32]) -> Result<Water> {
        let mut water = Water::new(gpu, start, parameters)?;
        water.set_state(values)?;
        Ok(water)
    }

    /// One step.
    ///
    /// # Errors
    /// Those of memory. Not converging is in the [`outcome`](Flow::outcome).
    pub fn step(&mut self) -> Result<()> {
        let _scope = self.flow.time.algebra().gpu().scope("step");
        let Water { flow, surface } = self;
        flow.measure_step(flow.parameters.gravity)?;
        flow.advect(&mut [Carried { field: &mut surface.distance, least: None, loss: 0.0 }])?;
        surface.redistance(flow.projection.kinds(), REDISTANCING)?;
        if flow.parameters.keeps_volume {
            surface.keep_volume(flow.projection.kinds())?;
        }
        flow.projection.set_surface(&surface.distance)?;
        flow.fall()?;
        flow.project()?;
        flow.extend(flow.parameters.across.ceil() as u32 + BEYOND)
    }

    /// Pours a ball of liquid about `middle`, in voxels, which is kept from now on; two sums are waited for. A box that is nine
    /// tenths full takes no more.
    ///
    /// # Errors
    /// [`Error::BadParameter`](crate::Error::BadParameter) for numbers that are not finite and a radius of 0.
    pub fn pour(&mut self, middle: [f64; 3], radius: f32) -> Result<()> {
        let Water { flow, surface } = self;
        let filled = flow.filled(&surface.distance, false, middle, radius)?;
        let all: f32 = flow.voxels().size().map(|n| n as f32).iter().product();
        if surface.kept > 0.9 * all {
            return Ok(());
        }
        let before = self.volume()?;
        self.surface.distance = filled;
        self.surface.kept += (self.volume()? - before) as f32;
        self.flow.projection.set_surface(&self.surface.distance)
    }

    /// Voxels of liquid: Σ (1/2 − φ), each between 0 and 1. Waits for the GPU.
    ///
    /// # Errors
    /// Those of memory.
    pub fn volume(&self) -> Result<f64> {
        let [volume, _] = self.surface.volume(self.flow.projection.kinds())?;
        Ok(volume.get()?.into())
    }

    /// Voxels of liquid at first, and what was poured.
    pub fn volume_at_first(&self) -> f64 {
        self.surface.kept.into()
    }

    /// Signed distance from the surface in voxels, below 0 in the liquid.
    pub fn distance(&self) -> &Vector {
        &self.surface.distance
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
        state::read(&self.flow, &[&self.surface.distance], self.surface.kept)
    }

    /// Back to that state.
    ///
    /// # Errors
    /// [`Error::WrongLength`](crate::Error::WrongLength); [`Error::BadParameter`](crate::Error::BadParameter) for what
    /// [`State`] rules out.
    pub fn set_state(&mut self, values: &[f32]) -> Result<()> {
        let Water { flow, surface } = self;
        let state::Written { pressure, kept } = state::write(flow, &mut [&mut surface.distance], values)?;
        surface.kept = kept;
        flow.projection.set_surface(&surface.distance)?;
        flow.projection.set_pressure(&pressure)
    }
}
