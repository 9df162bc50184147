//! The forces on the air: buoyancy, vorticity confinement, gusts.

use super::{Parameters, Setting};
use crate::pug::{Buffer, ConstantHandle, Gpu, Prelude, Program, StreamHandle};
use crate::{Result, kernels};

/// Three passes: vorticity of cells (8 fetches), their push (7), and the velocity (8). The first is that of any fluid.
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
    mixing: ConstantHandle,
    renewal: ConstantHandle,
    wind: ConstantHandle,
    vorticity: Buffer,
    pushes: Buffer,
}

impl Forces {
    pub fn new(gpu: &Gpu, setting: &Setting, rest: &Buffer) -> Result<Forces> {
        let grid = setting.grid();
        let vorticity = grid.scalar(gpu, 1).named("vorticity").build()?;
        let pushes = grid.scalar(gpu, 2).named("push").build()?;
        let mut spin = gpu.load(kernels::named("sim/fluid_vorticity.frag")?.define("STAGGERED", 1))?;
        let load = |name| gpu.load(kernels::named(name)?.with(Prelude::Fluid));
        let (mut kick, mut push) = (load("sim/clouds_accelerate.frag")?, load("sim/clouds_push.frag")?);
        let [columns, rows] = setting.cells.map(|n| n as f32);
        let around = if setting.periodic { 1.0 } else { 0.0 };
        spin.bind_float("grid", [columns, rows, around * columns, 0.0])?
            .bind_float("inverse", 1.0 / setting.spacing)?;
        kick.bind_stream("push", &pushes)?
            .bind_float("cells", [columns, rows])?
            .bind_float("periodic", [around, 0.0])?;
        push.bind_stream("vorticity", &vorticity)?
            .bind_stream("rest", rest)?
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
            mixing: kick.constant("mixing")?,
            renewal: kick.constant("renewal")?,
            wind: kick.constant("wind")?,
            spin,
            push,
            kick,
            vorticity,
            pushes,
        })
    }

    /// ω of cells.
    pub fn vorticity(&mut self, velocity: &Buffer) -> Result<&Buffer> {
        self.spin.bind_stream(self.spin_velocity, velocity)?;
        self.spin.run(&self.vorticity)?;
        Ok(&self.vorticity)
    }

    /// The velocity after a step of all forces, of mixing and renewal, and of a gust where the air had another `wind` so far.
    pub fn push(
        &mut self,
        [velocity, air]: [&Buffer; 2],
        setting: &Setting,
        parameters: &Parameters,
        wind: f32,
        out: &Buffer,
    ) -> Result<()> {
        self.vorticity(velocity)?;
        self.push
            .bind_stream(self.push_air, air)?
            .bind_float(self.confinement, parameters.confinement * setting.spacing)?
            .bind_float(self.gust, (parameters.wind - wind) / parameters.time_step)?;
        self.push.run(&self.pushes)?;
        self.kick
            .bind_stream(self.kick_velocity, velocity)?
            .bind_float(self.time_step, parameters.time_step)?
            .bind_float(self.mixing, parameters.mixed(setting))?
            .bind_float(self.renewal, parameters.renewed())?
            .bind_float(self.wind, wind)?;
        self.kick.run(out)
    }
}
