//! What moves the air: buoyancy, vorticity confinement, gusts.

use super::{Parameters, Setting};
use crate::pug::{Buffer, ConstantHandle, Gpu, Program, StreamHandle};
use crate::{Result, kernels};

/// Three passes: vorticity of cells (8 fetches), their push (7), and the velocity (4). The first and the last are those of any
/// fluid.
pub(super) struct Forces {
    spin: Program,
    spin_velocity: StreamHandle,
    push: Program,
    push_air: StreamHandle,
    confinement: ConstantHandle,
    gust: ConstantHandle,
    kick: Program,
    kick_velocity: StreamHandle,
    time_step: ConstantHandle,
    vorticity: Buffer,
    pushes: Buffer,
}

impl Forces {
    pub fn new(gpu: &Gpu, setting: &Setting) -> Result<Forces> {
        let (grid, rows) = (setting.grid(), setting.cells[1]);
        let numbers: Vec<f32> = (0..rows).flat_map(|row| at_rest(setting, row)).collect();
        let rest = gpu.buffer(1, rows).components(2).named("air at rest").init(&numbers)?;
        let vorticity = grid.scalar(gpu, 1).named("vorticity").build()?;
        let pushes = grid.scalar(gpu, 2).named("push").build()?;
        let of_fluid = |name| gpu.load(kernels::named(name)?.define("STAGGERED", 1));
        let mut spin = of_fluid("sim/fluid_vorticity.frag")?;
        let mut kick = of_fluid("sim/fluid_accelerate.frag")?;
        let mut push = gpu.builtin("sim/clouds_push.frag")?;
        let [columns, rows] = setting.cells.map(|n| n as f32);
        let around = if setting.periodic { 1.0 } else { 0.0 };
        for program in [&mut spin, &mut kick] {
            program.bind_float("grid", [columns, rows, around * columns, 0.0])?;
        }
        spin.bind_float("inverse", 1.0 / setting.spacing)?;
        kick.bind_stream("force", &pushes)?;
        push.bind_stream("vorticity", &vorticity)?
            .bind_stream("rest", &rest)?
            .bind_float("counts", [columns, rows])?
            .bind_float("periodic", [around, 0.0])?
            .bind_float("theta", setting.theta() as f32)?;
        Ok(Forces {
            spin_velocity: spin.stream("velocity")?,
            push_air: push.stream("air")?,
            confinement: push.constant("confinement")?,
            gust: push.constant("gust")?,
            kick_velocity: kick.stream("velocity")?,
            time_step: kick.constant("time_step")?,
            spin,
            push,
            kick,
            vorticity,
            pushes,
        })
    }

    /// The velocity after a step of all forces, and of a gust that makes the wind so much faster.
    pub fn push(
        &mut self,
        [velocity, air]: [&Buffer; 2],
        setting: &Setting,
        parameters: &Parameters,
        gust: f32,
        out: &Buffer,
    ) -> Result<()> {
        self.spin.bind_stream(self.spin_velocity, velocity)?;
        self.spin.run(&self.vorticity)?;
        self.push
            .bind_stream(self.push_air, air)?
            .bind_float(self.confinement, parameters.confinement * setting.spacing)?
            .bind_float(self.gust, gust / parameters.time_step)?;
        self.push.run(&self.pushes)?;
        self.kick
            .bind_stream(self.kick_velocity, velocity)?
            .bind_float(self.time_step, parameters.time_step)?;
        self.kick.run(out)
    }
}

/// θ less that of the ground, and q_v, of the air at rest in a row: the very numbers that the air begins with, so that
/// air at rest has no buoyancy at all.
pub(super) fn at_rest(setting: &Setting, row: u32) -> [f32; 2] {
    let here = setting.air.at(setting.height_of(row));
    [(here.theta - setting.theta()) as f32, here.vapour as f32]
}
