//! The state, numbers and parameters of a box of clouds: reading and setting them.

use super::survey::survey;
use super::{Clouds, Parameters, STATE, Setting, Survey};
use crate::pug::Buffer;
use crate::{Error, Result};

/// The budget of the water, in kg/kg summed over all cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaterBudget {
    /// At first, with what ground and brush have given since, and what renewal has replaced.
    pub expected: f64,
    /// Vapour and cloud water now.
    pub found: f64,
}

impl WaterBudget {
    /// How much is missing, as a part of what there should be; below 0 for what is too much.
    pub fn lost(&self) -> f64 {
        if self.expected == 0.0 { 0.0 - self.found } else { 1.0 - self.found / self.expected }
    }
}

/// How far a run is, and its account of the water: what its reports say beside its state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    /// Since the beginning.
    pub steps: u64,
    /// Seconds since then.
    pub time: f64,
    /// [`WaterBudget::expected`].
    pub expected: f64,
    /// The loss of advection without correction in each component of the air: θ, q_v, q_c and nothing, summed over all cells.
    pub lost: [f32; 4],
}

impl Clouds {
    /// How far it is. Waits for the GPU.
    pub fn clock(&self) -> Result<Clock> {
        let lost = self.total.lost()?.try_into().unwrap_or_default();
        Ok(Clock { steps: self.steps, time: self.time, expected: self.expected, lost })
    }

    /// Goes on from there: to be set after [`Clouds::set_state`].
    pub fn set_clock(&mut self, clock: &Clock) -> Result<()> {
        let Clock { steps, time, expected, lost } = *clock;
        (self.steps, self.time, self.expected) = (steps, time, expected);
        self.total.set_lost(&lost)
    }

    /// Goes on from another state, as if no step had been made: six planes of a number for each texel of a velocity, row after
    /// row from the lowest: u, v, θ less that of the ground, q_v, q_c, and the pressure, as a velocity, from which the next
    /// projection begins. The last row has no u and no air; where the box is not periodic, the last column has no v and no air. What
    /// stands there is 0, but for the last row of the first plane, the wind, and of the third: how much of the most each column of
    /// the ground gives, 0 to 1. The parameters take their wind from there.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::BadParameter`] for what is no number, water below 0, and a wind that is none.
    pub fn set_state(&mut self, state: &[f32]) -> Result<()> {
        let [columns, rows] = self.setting.grid().nodes().map(|n| n as usize);
        let plane = columns * rows;
        if state.len() != STATE * plane {
            let (what, shape) = ("state of clouds".to_owned(), format!("{STATE} planes of {columns}x{rows}"));
            return Err(Error::WrongLength { what, found: state.len(), expected: STATE * plane, shape });
        }
        check(state, [columns, rows])?;
        let wind = state[plane - columns];
        if let Some(n) = (plane - columns..plane).find(|&n| state[n] != wind) {
            let found = format!("{} and {wind}", state[n]);
            let expected = "the same number all along the last row of plane 0".to_owned();
            return Err(Error::BadParameter { name: "wind", found, expected });
        }
        let parameters = Parameters { wind, ..self.parameters };
        parameters.check(&self.setting)?;
        self.parameters = parameters;
        let number = |k: usize, n: usize| state[k * plane + n];
        let u = |n: usize| if n < plane - columns { number(0, n) } else { 0.0 };
        let velocity: Vec<f32> = (0..plane).flat_map(|n| [u(n), number(1, n)]).collect();
        let [width, height] = self.setting.cells.map(|n| n as usize);
        let cells = || (0..width * height).map(|n| n / width * columns + n % width);
        let air: Vec<f32> = cells().flat_map(|n| [number(2, n), number(3, n), number(4, n), 0.0]).collect();
        let pressure: Vec<f32> = cells().map(|n| number(5, n)).collect();
        let ground = &state[3 * plane - columns..][..width];
        self.giving = ground.iter().map(|&g| f64::from(g)).sum();
        self.water.set_ground(ground)?;
        self.projector.set_memory([&pressure, &pressure], self.parameters.time_step)?;
        self.velocity.write(&velocity)?;
        self.air.write(&air)?;
        (self.steps, self.time, self.wind) = (0, 0.0, wind);
        self.expected = water(&air);
        self.total.begin(self.air.front())
    }

    /// Reads the whole state back; see [`Clouds::set_state`].
    pub fn state(&self) -> Result<Vec<f32>> {
        let [columns, rows] = self.setting.grid().nodes().map(|n| n as usize);
        let [width, plane] = [self.setting.cells[0] as usize, columns * rows];
        let (velocity, air) = (self.velocity.data()?, self.air.data()?);
        let mut state = vec![0.0; STATE * plane];
        for (n, uv) in velocity.as_chunks::<2>().0.iter().enumerate() {
            (state[n], state[plane + n]) = (uv[0], uv[1]);
        }
        state[plane - columns..plane].fill(self.wind);
        for (n, cell) in air.as_chunks::<4>().0.iter().enumerate() {
            let place = n / width * columns + n % width;
            for k in 0..3 {
                state[(2 + k) * plane + place] = cell[k];
            }
        }
        for (n, q) in self.projector.unknown().get()?.into_iter().enumerate() {
            state[5 * plane + n / width * columns + n % width] = q;
        }
        state[3 * plane - columns..][..width].copy_from_slice(&self.water.ground()?);
        Ok(state)
    }

    /// Looks at the state: reads it back.
    pub fn survey(&self) -> Result<Survey> {
        Ok(survey(&self.setting, &self.velocity.data()?, &self.air.data()?))
    }

    /// The budget of the water: reads it back.
    pub fn water_total(&self) -> Result<WaterBudget> {
        Ok(WaterBudget { expected: self.expected, found: water(&self.air.data()?) })
    }

    /// The part of the water that advection would have lost since the beginning, relative to what there should be; `None` where it is
    /// not put back. Waits for the GPU.
    pub fn lost_by_advection(&self) -> Result<Option<f64>> {
        if !self.parameters.keep_water || self.expected == 0.0 {
            return Ok(None);
        }
        let lost: f64 = self.total.lost()?.iter().skip(1).take(2).map(|&lost| f64::from(lost)).sum();
        Ok(Some(lost / self.expected))
    }

    /// Changes what happens from the next step on.
    ///
    /// # Errors
    /// Those of [`Parameters::check`] and of [`Projector::set_pressure`](crate::sim::fluid::Projector::set_pressure).
    pub fn set_parameters(&mut self, parameters: Parameters) -> Result<()> {
        parameters.check(&self.setting)?;
        if parameters.pressure != self.parameters.pressure {
            self.projector.set_pressure(parameters.pressure)?;
        }
        self.parameters = parameters;
        Ok(())
    }

    /// Velocities on faces: u at the middle of west ones, v at that of lower ones, m/s.
    pub fn velocity(&self) -> &Buffer {
        self.velocity.front()
    }

    /// The air of cells: (θ less that of the ground at first, q_v, q_c, 0).
    pub fn air(&self) -> &Buffer {
        self.air.front()
    }

    /// The difference of the air from that at rest: (θ − θ₀, q_v − q_v0, q_c, 0). A pass.
    pub fn deviation(&mut self) -> Result<&Buffer> {
        self.rest.deviation(self.air.front())
    }

    /// ω of cells, 1/s, above 0 to the left. A pass.
    pub fn vorticity(&mut self) -> Result<&Buffer> {
        self.forces.vorticity(self.velocity.front())
    }

    /// The box.
    pub fn setting(&self) -> &Setting {
        &self.setting
    }

    /// The parameters of a step.
    pub fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// Steps since the state was set.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Seconds since then.
    pub fn time(&self) -> f64 {
        self.time
    }
}

/// Confirms that all are numbers, no water is below 0, and the ground is 0 to 1.
fn check(state: &[f32], [columns, rows]: [usize; 2]) -> Result<()> {
    let plane = columns * rows;
    for (n, &value) in state.iter().enumerate() {
        let is_water = (3 * plane..5 * plane).contains(&n);
        let is_ground = (3 * plane - columns..3 * plane).contains(&n);
        if !value.is_finite() || value < 0.0 && (is_water || is_ground) || value > 1.0 && is_ground {
            let (x, y) = (n % columns, n / columns % rows);
            let found = format!("{value} at ({x}, {y}) of plane {}", n / plane);
            let expected = "finite numbers, water not below 0, ground from 0 to 1".to_owned();
            return Err(Error::BadParameter { name: "state of clouds", found, expected });
        }
    }
    Ok(())
}

/// Vapour and cloud water of all cells.
fn water(air: &[f32]) -> f64 {
    air.as_chunks::<4>().0.iter().map(|&[_, vapour, cloud, _]| f64::from(vapour) + f64::from(cloud)).sum()
}
