//! Steps of a fluid: two V(4,2)-cycles for the pressure, as the paper's, and a million particles with it.

use std::time::Instant;

use anyhow::{Result, ensure};
use quadrille::Gpu;
use quadrille::linalg::Algebra;
use quadrille::sim::fluid::{Advection, Fluid, Kind, Parameters, Particles, Pressure, Setting, Side, Sides};

use super::super::chapter44::table::finished;
use super::super::interleave::{Elapsed, Pair, Work};
use super::super::row::Rows;
use super::super::row::{Bench, Row};
use super::size;

/// Cells a side: 513 × 513 nodes.
const CELLS: u32 = 512;

const PARTICLES: usize = 1 << 20;

/// One group: the steps take turns.
pub fn rows(divisor: u32) -> Rows {
    let cells = (CELLS / divisor).max(8);
    let step = |name: &str, kind: Kind, particles: usize| {
        let build = move |bench: &Bench| stepping(&bench.gpu, kind, cells, particles);
        Row { counted: Some((1.0, "steps")), ..Row::new(name, &size(cells + 1), build) }
    };
    let collocated = step("fluid step, collocated", Kind::Collocated, 0);
    let particles = PARTICLES / (divisor * divisor) as usize;
    vec![vec![
        Row { remark: Some("two V(4,2); GeForce FX about 20/s"), ..collocated },
        step("fluid step, staggered", Kind::Staggered, 0),
        step(&format!("fluid step, {particles} particles"), Kind::Staggered, particles),
    ]]
}

/// A box of fluid, and what drifts in it.
struct Stepping {
    algebra: Algebra,
    fluid: Fluid,
    particles: Option<Particles>,
    passes: u64,
}

impl Stepping {
    fn step(&mut self) -> quadrille::Result<()> {
        self.fluid.step()?;
        match &mut self.particles {
            Some(particles) => particles.advance(self.fluid.velocity(), self.fluid.parameters().time_step),
            None => Ok(()),
        }
    }
}

impl Work for Stepping {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        (0..times).try_for_each(|_| self.step())?;
        Ok(finished(&self.algebra, clock))
    }

    fn said(&self) -> Option<String> {
        Some(format!("{} passes", self.passes))
    }
}

fn stepping(gpu: &Gpu, kind: Kind, cells: u32, particles: usize) -> Result<Pair> {
    let sides = Sides { west: Side::Wall, east: Side::Wall, south: Side::Wall, north: Side::Wall };
    let spacing = 1.0 / cells as f32;
    let setting = Setting { kind, cells: [cells; 2], spacing, sides };
    let pressure = Pressure::Multigrid { cycles: 2, before: 4, after: 2 };
    // A cell a step where it is fastest.
    let parameters = Parameters {
        time_step: spacing,
        viscosity: 0.0,
        advection: Advection::SemiLagrangian,
        pressure,
        ..Parameters::default()
    };
    let mut fluid = Fluid::new(gpu, setting, parameters)?;
    fluid.set_velocity(&vortices(kind, cells))?;
    let particles = match particles {
        0 => None,
        count => Some(Particles::new(gpu, fluid.grid(), count, 1)?),
    };
    let mut stepping = Stepping { algebra: Algebra::new(gpu), fluid, particles, passes: 0 };
    stepping.run(1)?;
    let before = gpu.counters().passes;
    stepping.run(1)?;
    stepping.passes = gpu.counters().passes - before;
    let divergence = stepping.fluid.divergence()?;
    ensure!(divergence.after.is_finite(), "the fluid's divergence is {}", divergence.after);
    Ok(Pair::alone(stepping))
}

/// Four by four vortices, each turning against its neighbours: speeds up to 1, and nothing through the walls.
fn vortices(kind: Kind, cells: u32) -> Vec<f32> {
    let wave = |place: f32| (std::f32::consts::PI * 4.0 * place).sin_cos();
    let mut velocity = Vec::new();
    for (i, j) in (0..=cells).flat_map(|j| (0..=cells).map(move |i| (i, j))) {
        let half = if kind == Kind::Staggered { 0.5 } else { 0.0 };
        let along = |n: u32, shift: f32| (n as f32 + shift) / cells as f32;
        let ((sin_x, _), (_, cos_y)) = (wave(along(i, 0.0)), wave(along(j, half)));
        let ((_, cos_x), (sin_y, _)) = (wave(along(i, half)), wave(along(j, 0.0)));
        velocity.extend([sin_x * cos_y, -cos_x * sin_y]);
    }
    velocity
}
