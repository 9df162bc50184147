//! Clouds (row C12): air that is warmed from below rises, cools, and condenses where it cannot hold its vapour any more.
//!
//! A step moves velocity and air along the velocity, mixes and renews the air, lets the ground warm and moisten the lowest row,
//! lets vapour condense and clouds evaporate, pushes the air by its buoyancy and its vortices, mixes and renews the velocity, and
//! makes it free of divergence.
//!
//! | | |
//! |---|---|
//! | ∂u/∂t = −(u·∇)u − ∇p/ρ + B k + ε h (N × ω) + M(u) | momentum; ∇·u = 0 |
//! | B = g ((θ − θ₀)/θ₀ + 0.61 (q_v − q_v0) − q_c) | buoyancy against the air at rest at that height |
//! | Dθ/Dt = L/(c_p Π) C + M(θ), Dq_v/Dt = −C + M(q_v), Dq_c/Dt = C + M(q_c) | heat, vapour, cloud water |
//! | C such that q_v ≤ q_vs(θ Π, p), and = where q_c > 0 | condensation, at once |
//! | M(q) = K ∇²(q − q₀) − (q − q₀)/τ | mixing and renewal; q₀ is air at rest, and of u the wind |
//!
//! Mixing stands for eddies smaller than a cell. Without it, the energy that vortices hand down to ever smaller ones
//! piles up at the grid, and clouds crumble. It acts on the difference from the air at rest, so layers at rest do not
//! spread and keep their bits. A side lets at most a quarter of a cell's water through.
//!
//! Renewal stands for the air before and behind the slice. The ground gives heat and vapour all day; without an outlet
//! they gather under the inversion until the sky is grey. Air at rest replaces the slice's own within an hour, which
//! makes the day a steady one. The relaxation is linear, so the budget of water stays exact.
//!
//! The state of the air is one texel a cell: (θ less that of the ground at first, q_v, q_c, 0). So θ keeps 24 bits of a
//! few kelvins and not of 300. A deviation from the profile θ₀(z) is not stored: moving it would need the wind through
//! that profile as a source.
//!
//! Pressure acts on the flow alone: temperatures go by the pressure at rest, as in the paper.
//!
//! # Units
//! SI: metres, seconds, kelvins, pascals, kilograms of water in a kilogram of air.
//!
//! # Cost
//! Nine passes of the size of the box with MacCormack advection: 2 of the velocity, 2 of the air and one that puts back what they
//! lose (and three reductions), one of water with mixing and renewal, 3 of forces, the last of which mixes and renews the velocity; and
//! the projection. No read-back.
//!
//! # Example
//! ```
//! # fn main() -> quadrille::Result<()> {
//! use quadrille::Gpu;
//! use quadrille::sim::clouds::{Clouds, Parameters, Setting};
//!
//! let gpu = Gpu::headless()?;
//! let setting = Setting { cells: [24, 16], spacing: 200.0, ..Setting::default() };
//! let parameters = Parameters { time_step: 20.0, ..Parameters::default() };
//! let mut clouds = Clouds::new(&gpu, setting, parameters, 1)?;
//! for _ in 0..5 {
//!     clouds.step()?;
//! }
//! assert!(clouds.survey()?.updraught > 0.0);
//! # Ok(())
//! # }
//! ```
//!
//! # References
//! Harris, Baxter, Scheuermann & Lastra, *Simulation of Cloud Dynamics on Graphics Hardware*, Graphics Hardware 2003, the
//! running example of Harris, *Mapping Computational Concepts to GPUs*, GPU Gems 2, ch. 31; Straka, Wilhelmson, Wicker, Anderson &
//! Droegemeier, *Numerical Solutions of a Non-Linear Density Current*, 1993 (mixing by a constant K).

mod air;
mod forces;
mod ground;
mod parameters;
pub mod physics;
mod rest;
mod scenes;
mod state;
mod survey;
mod water;

pub use air::Air;
pub use ground::ground;
pub use parameters::{Parameters, Setting};
pub use physics::Parcel;
pub use scenes::Scene;
pub use state::{Clock, WaterBudget};
pub use survey::{SEEN, Survey};

use self::forces::Forces;
use self::rest::{Rest, at_rest};
use self::water::Water;
use super::fluid::{MassCorrection, Projector, Transport};
use crate::linalg::Algebra;
use crate::pug::{DoubleBuffer, Gpu, Program};
use crate::{Error, Rect, Result};

/// Planes of a state: u, v, θ less that of the ground, q_v, q_c, and the pressure that the next projection begins from.
pub const STATE: usize = 6;

/// Widths of a periodic box.
const LARGEST_BRUSH: f32 = 8.0;

/// The simulation: velocity and air on the GPU.
pub struct Clouds {
    setting: Setting,
    parameters: Parameters,
    velocity: DoubleBuffer,
    air: DoubleBuffer,
    transport: Transport,
    total: MassCorrection,
    rest: Rest,
    water: Water,
    forces: Forces,
    projector: Projector,
    touch: Program,
    /// The sum of what each column of the ground gives of the most.
    giving: f64,
    /// The wind that the air has been given.
    wind: f32,
    steps: u64,
    time: f64,
    /// How much water there should be, kg/kg summed over cells.
    expected: f64,
}

impl Clouds {
    /// Air at rest, but for the wind, over the ground of that seed.
    ///
    /// # Errors
    /// Those of [`Setting::check`] and [`Parameters::check`], and of making buffers.
    pub fn new(gpu: &Gpu, setting: Setting, parameters: Parameters, seed: u64) -> Result<Clouds> {
        setting.check()?;
        parameters.check(&setting)?;
        let grid = setting.grid();
        let velocity = grid.velocity(gpu).named("velocity").double().build()?;
        let air = grid.scalar(gpu, 4).named("air").double().build()?;
        let total = MassCorrection::new(gpu, air.front())?;
        let rest = Rest::new(gpu, &setting)?;
        let mut clouds = Clouds {
            velocity,
            air,
            transport: Transport::new(gpu, grid)?,
            total,
            water: Water::new(gpu, &setting, &rest.rows)?,
            forces: Forces::new(gpu, &setting, &rest.rows)?,
            rest,
            projector: Projector::new(&Algebra::new(gpu), grid, setting.sides(), parameters.pressure)?,
            touch: gpu.builtin("sim/clouds_touch.frag")?,
            giving: 0.0,
            wind: parameters.wind,
            steps: 0,
            time: 0.0,
            expected: 0.0,
            setting,
            parameters,
        };
        clouds.reset(seed)?;
        Ok(clouds)
    }

    /// Goes back to air at rest, but for the wind, over the ground of that seed.
    pub fn reset(&mut self, seed: u64) -> Result<()> {
        let [columns, rows] = self.setting.grid().nodes();
        let [width, height] = self.setting.cells;
        let plane = (columns * rows) as usize;
        let mut state = vec![0.0; STATE * plane];
        for (n, place) in (0..plane).zip(0..) {
            let (i, j): (u32, u32) = (place % columns, place / columns);
            if j < height {
                state[n] = self.parameters.wind;
            }
            if i < width && j < height {
                [state[2 * plane + n], state[3 * plane + n]] = at_rest(&self.setting, j);
            }
        }
        let last_row = 2 * plane + (height * columns) as usize;
        for (texel, warmth) in state[last_row..].iter_mut().zip(ground(&self.setting, seed)) {
            *texel = warmth;
        }
        state[(height * columns) as usize..plane].fill(self.parameters.wind);
        self.set_state(&state)
    }

    /// One step.
    pub fn step(&mut self) -> Result<()> {
        let _scope = self.velocity.front().context().scope("step");
        self.carry()?;
        let Clouds { setting, parameters, velocity, air, .. } = self;
        self.water.settle(air.front(), setting, parameters, air.back())?;
        air.swap();
        let of_air = [velocity.front(), air.front()];
        self.forces.push(of_air, setting, parameters, self.wind, velocity.back())?;
        velocity.swap();
        self.projector.project(velocity.front(), parameters.time_step, velocity.back())?;
        velocity.swap();
        self.wind = parameters.wind;
        self.expected += f64::from(parameters.renewed()) * (self.rest.water - self.expected);
        self.expected += self.giving * parameters.given(setting)[1];
        self.steps += 1;
        self.time += f64::from(self.parameters.time_step);
        Ok(())
    }

    /// Velocity and air along the velocity; heat and water stay as much as they were, if that is asked for.
    fn carry(&mut self) -> Result<()> {
        let Clouds { velocity, air, transport, total, .. } = self;
        let Parameters { time_step, advection, keep_water, .. } = self.parameters;
        transport.velocity(advection, velocity.front(), time_step, velocity.back())?;
        transport.scalar(advection, velocity.front(), time_step, air.front(), air.back())?;
        if keep_water {
            total.renew(air.front())?;
            total.keep(air.back(), air.front())?;
        } else {
            air.swap();
        }
        velocity.swap();
        Ok(())
    }

    /// Warms and moistens the air around (x, y), in cells from the lower left corner of the box: by so many K and kg/kg in the
    /// middle, and nothing `radius` cells away. A disc goes around a periodic box eight times at most.
    ///
    /// # Errors
    /// [`Error::BadParameter`] unless all are finite and vapour is not below 0.
    pub fn warm(&mut self, [x, y]: [f32; 2], radius: f32, [warmth, vapour]: [f32; 2]) -> Result<()> {
        if ![x, y, radius, warmth, vapour].iter().all(|v| v.is_finite()) || vapour < 0.0 {
            let found = format!("{warmth} K and {vapour} kg/kg at ({x}, {y}), {radius} wide");
            return Err(Error::BadParameter { name: "brush", found, expected: "finite numbers".into() });
        }
        if !self.setting.periodic {
            return self.warm_disc([x, y], radius, [warmth, vapour]);
        }
        // Around a periodic box the other end of the disc lies at the other side.
        let width = self.setting.cells[0] as f32;
        let (x, radius) = (x.rem_euclid(width), radius.min(LARGEST_BRUSH * width));
        let times = (radius / width).ceil() as i32;
        (-times..=times).try_for_each(|n| self.warm_disc([x + n as f32 * width, y], radius, [warmth, vapour]))
    }

    /// The part of a disc that lies in the box.
    fn warm_disc(&mut self, [x, y]: [f32; 2], radius: f32, amount: [f32; 2]) -> Result<()> {
        let [width, height] = self.setting.cells;
        let low = |c: f32| (c - radius).floor().max(0.0) as u32;
        let high = |c: f32, n: u32| (c + radius).ceil().clamp(0.0, n as f32) as u32;
        let range = Rect::new(low(x), low(y), high(x, width), high(y, height));
        if range.area() == 0 || radius <= 0.0 {
            return Ok(());
        }
        self.touch
            .bind_float("centre", [x, y])?
            .bind_float("radius", radius)?
            .bind_float("amount", amount)?;
        self.touch.onto(&[self.air.front()]).over(range).adding().run()?;
        let part = |i: u32, j: u32| {
            let [dx, dy] = [(i as f32 + 0.5 - x) / radius, (j as f32 + 0.5 - y) / radius].map(f64::from);
            (1.0 - dx * dx - dy * dy).max(0.0).powi(2)
        };
        let rows = range.y0..range.y1;
        let sum: f64 = rows.flat_map(|j| (range.x0..range.x1).map(move |i| part(i, j))).sum();
        self.expected += f64::from(amount[1]) * sum;
        Ok(())
    }
}
