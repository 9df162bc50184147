//! The part of a saved fluid beyond its fields that lets it go on bit for bit, such as the pressures of the last steps.

use super::Fluid;
use crate::Result;

/// The state of a step besides velocity, dye and solids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// q = Δt p/h of the last projection, a number a centre: the next one begins from it.
    pub unknown: Vec<f32>,
    /// The same of a whole step, of which half acts before the next advection; 0 where it is not known.
    pub whole: Vec<f32>,
    /// The velocity of the step before, two numbers a texel of [`Grid::nodes`](super::Grid::nodes); 0 where it is not known.
    pub previous: Vec<f32>,
    /// How many projections there were since something else than a step changed the velocity; 2 or more are alike.
    pub projections: u32,
    /// Δt of the last one, 0 before the first.
    pub time_step: f32,
    /// The amount of dye that there is to be, where it is kept.
    pub total: Option<[f32; 4]>,
}

impl Fluid {
    /// The state of the next step besides velocity, dye and solids. Reads back.
    pub fn memory(&self) -> Result<Memory> {
        let total = match &self.total {
            Some(total) => <[f32; 4]>::try_from(total.kept()?).ok(),
            None => None,
        };
        let memory = self.projector.memory()?;
        let previous = match memory.projections {
            0 | 1 => vec![0.0; 2 * self.previous.len()],
            _ => self.previous.data()?,
        };
        Ok(Memory { previous, total, ..memory })
    }

    /// Goes on from such a memory, bit for bit: to be set after velocity, dye and solids.
    ///
    /// # Errors
    /// [`WrongLength`](crate::Error::WrongLength), with nothing changed.
    pub fn set_memory(&mut self, memory: &Memory) -> Result<()> {
        let previous = self.grid().velocity(&self.gpu).named("velocity before").init(&memory.previous)?;
        self.projector.set_memory([&memory.unknown, &memory.whole], memory.time_step)?;
        self.previous = previous;
        self.projector.remember(memory.projections);
        match (&mut self.total, memory.total) {
            (Some(total), Some(kept)) => total.set_kept(&kept),
            _ => Ok(()),
        }
    }
}
