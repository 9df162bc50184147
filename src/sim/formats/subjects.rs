//! Subjects: simulations whose state is one buffer of any format, and the step of each in f64.

use crate::gl::Edges;
use crate::linalg::BoundaryCondition;
use crate::numeric::Random;
use crate::pug::{Buffer, DoubleBuffer, Gpu, Precision, Program, StreamHandle};
use crate::sim::{GrayScott, Wave, wave};
use crate::{Error, Result};

/// A simulation in one format.
pub(super) trait Run {
    fn step(&mut self) -> Result<()>;
    /// The newest state.
    fn state(&self) -> &Buffer;
    /// Goes on from another state, stored as the format stores it.
    fn set_state(&mut self, state: &[f32]) -> Result<()>;
}

impl Run for GrayScott {
    fn step(&mut self) -> Result<()> {
        GrayScott::step(self)
    }

    fn state(&self) -> &Buffer {
        GrayScott::state(self)
    }

    fn set_state(&mut self, state: &[f32]) -> Result<()> {
        GrayScott::set_state(self, state)
    }
}

/// A kernel that makes the next state out of the last: one pass a step.
pub(super) struct Stepped {
    state: DoubleBuffer,
    step: Program,
    stream: StreamHandle,
}

impl Run for Stepped {
    fn step(&mut self) -> Result<()> {
        self.step.bind_stream(self.stream, self.state.front())?;
        self.step.run(self.state.back())?;
        self.state.swap();
        Ok(())
    }

    fn state(&self) -> &Buffer {
        self.state.front()
    }

    fn set_state(&mut self, state: &[f32]) -> Result<()> {
        self.state.write(state)
    }
}

/// The explicit wave between edges where the water slides: (y, y_last) a texel.
pub(super) fn wave(
    gpu: &Gpu,
    (width, height): (u32, u32),
    beta: f32,
    precision: Precision,
) -> Result<Stepped> {
    let buffer = gpu.buffer(width, height).components(2).precision(precision).edges(Edges::Clamp);
    let mut step = gpu.builtin("sim/wave_step.frag")?;
    step.bind_float("beta", beta)?;
    let stream = step.stream("heights")?;
    Ok(Stepped { state: buffer.named("heights").double().build()?, step, stream })
}

/// # Errors
/// [`Error::BadParameter`] for β outside 0 to [`wave::STABLE`].
pub(super) fn check_wave(beta: f32) -> Result<()> {
    if beta > 0.0 && beta <= wave::STABLE {
        return Ok(());
    }
    let (found, expected) = (beta.to_string(), format!("above 0, at most {}", wave::STABLE));
    Err(Error::BadParameter { name: "beta", found, expected })
}

/// Still water into which a wide drop has fallen: long waves keep their shape, so that a picture shows whose are worn.
pub(super) fn first_drop(gpu: &Gpu, (width, height): (u32, u32), seed: u64) -> Result<Vec<f32>> {
    let parameters = wave::Parameters { edges: BoundaryCondition::Neumann, ..wave::Parameters::default() };
    let still = vec![0.0; 2 * width as usize * height as usize];
    let mut wave = Wave::from_state(gpu, width, height, parameters, &still)?;
    let mut random = Random(seed);
    let (x, y) = (0.2 + 0.6 * random.unit(), 0.2 + 0.6 * random.unit());
    wave.drop(x * width as f32, y * height as f32, width.max(height) as f32 / 5.0, -1.0)?;
    wave.state()
}

/// Four planets around a sun: G and its mass are 1, the planets have none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orbits {
    /// h: a circle of radius 1 takes 2π.
    pub time_step: f32,
    /// ε: the pull is that of a sun as far off as √(r² + ε²), so that what falls into it comes out again.
    pub softening: f32,
}

impl Default for Orbits {
    fn default() -> Orbits {
        Orbits { time_step: 0.01, softening: 0.05 }
    }
}

/// Half the longer axis of each orbit, and its eccentricity.
const ORBITS: [(f64, f64); 4] = [(0.4, 0.1), (0.7, 0.5), (1.05, 0.25), (1.4, 0.1)];

impl Orbits {
    /// From the sun to the edges of a picture of all orbits.
    pub const EXTENT: f32 = 1.75;

    /// # Errors
    /// [`Error::BadParameter`] for a time step outside 0 to 0.1 or softening outside 0.01 to 1.
    pub(super) fn check(self) -> Result<()> {
        let bad = |name, found: f32, expected: &str| {
            Err(Error::BadParameter { name, found: found.to_string(), expected: expected.to_owned() })
        };
        if !(self.time_step > 0.0 && self.time_step <= 0.1) {
            return bad("time step", self.time_step, "above 0, at most 0.1");
        }
        if !(0.01..=1.0).contains(&self.softening) {
            return bad("softening", self.softening, "0.01 to 1");
        }
        Ok(())
    }

    /// The planets at their farthest from the sun, in directions that go by the seed: (x, y, vx, vy) of each.
    pub fn seed(number: u64) -> Vec<f32> {
        let mut random = Random(number);
        let planet = |&(a, e): &(f64, f64)| {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(random.unit())).sin_cos();
            let (far, slow) = (a * (1.0 + e), ((1.0 - e) / (a * (1.0 + e))).sqrt());
            [far * cos, far * sin, -slow * sin, slow * cos].map(|v| v as f32)
        };
        ORBITS.iter().flat_map(planet).collect()
    }

    pub(super) fn run(self, gpu: &Gpu, precision: Precision) -> Result<Stepped> {
        let buffer = gpu.buffer(ORBITS.len() as u32, 1).components(4).precision(precision);
        let mut step = gpu.builtin("sim/orbit_step.frag")?;
        step.bind_float("time_step", self.time_step)?.bind_float("softening", self.softening)?;
        let stream = step.stream("planets")?;
        Ok(Stepped { state: buffer.named("planets").double().build()?, step, stream })
    }
}
