//! Explicit waves beside implicit ones, in the same time.

use anyhow::Result;
use quadrille::sim::Wave;
use quadrille::sim::wave::{Parameters, Scheme};
use quadrille::{Buffer, Gpu, Program};

/// Explicit waves that make several stable steps while the others make one of theirs.
pub struct Beside {
    pub wave: Wave,
    steps: u32,
    join: Program,
    /// The others' heights in the left half, these in the right one.
    heights: Buffer,
}

/// As many steps as are stable in the time of one: β = (c Δt / h)² goes by its square.
fn split(parameters: Parameters) -> (u32, Parameters) {
    let most = Parameters::default().beta;
    let steps = (parameters.beta / most).sqrt().ceil().max(1.0);
    let beta = parameters.beta / (steps * steps);
    let damping = parameters.damping / steps;
    (steps as u32, Parameters { scheme: Scheme::Explicit, beta, damping, ..parameters })
}

/// The state of so many times as many steps: as fast as before in the same time.
fn slower(state: &[f32], steps: u32) -> Vec<f32> {
    let (pairs, _) = state.as_chunks::<2>();
    pairs.iter().flat_map(|&[y, last]| [y, y - (y - last) / steps as f32]).collect()
}

impl Beside {
    /// Begins where those waves are.
    pub fn new(gpu: &Gpu, wave: &Wave) -> Result<Beside> {
        let (steps, parameters) = split(wave.parameters());
        let (width, height) = (wave.width(), wave.height());
        let state = slower(&wave.state()?, steps);
        Ok(Beside {
            wave: Wave::from_state(gpu, width, height, parameters, &state)?,
            steps,
            join: gpu.builtin("view/heights_join.frag")?,
            heights: gpu.buffer(width, height).named("heights of both").build()?,
        })
    }

    /// Begins anew where those waves are.
    pub fn begin_as(&mut self, wave: &Wave) -> Result<()> {
        Ok(self.wave.set_state(&slower(&wave.state()?, self.steps))?)
    }

    /// Goes on beside waves of those parameters.
    pub fn follow(&mut self, parameters: Parameters) -> Result<()> {
        let (steps, parameters) = split(parameters);
        if (steps, parameters) != (self.steps, self.wave.parameters()) {
            // Another time step is another y − y_last of the same speed.
            let state = self.wave.state()?;
            self.wave.set_parameters(parameters)?;
            let (pairs, _) = state.as_chunks::<2>();
            let times = (self.steps as f32) / (steps as f32);
            let state: Vec<f32> = pairs.iter().flat_map(|&[y, last]| [y, y - (y - last) * times]).collect();
            self.wave.set_state(&state)?;
            self.steps = steps;
        }
        Ok(())
    }

    /// As many steps as one of the others takes time.
    pub fn step(&mut self) -> Result<()> {
        for _ in 0..self.steps {
            self.wave.step()?;
        }
        Ok(())
    }

    /// How many steps it makes while the others make one.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Its energy in the others' units, of a step of theirs.
    pub fn energy(&self) -> Result<f64> {
        Ok(self.wave.energy()? * f64::from(self.steps).powi(2))
    }

    /// Brings [`Beside::heights`] up to date: two passes.
    pub fn join(&mut self, wave: &Wave) -> Result<()> {
        self.wave.refresh()?;
        self.join.bind_stream("left", wave.heights())?.bind_stream("right", self.wave.heights())?;
        self.join.run(&self.heights)?;
        self.join.release_streams();
        Ok(())
    }

    /// The others' heights in the left half, these in the right one.
    pub fn heights(&self) -> &Buffer {
        &self.heights
    }
}
