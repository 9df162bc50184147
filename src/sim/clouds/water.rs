//! The pass in which air mixes and is renewed, the ground warms it, vapour condenses and clouds evaporate.
//!
//! The mass correction takes a new total each step (`MassCorrection::renew`), because condensation moves water between
//! components. So it corrects only the advection.

use super::physics::{FREEZING, exner};
use super::{Parameters, Setting};
use crate::pug::{Buffer, ConstantHandle, Gpu, Prelude, Program, StreamHandle};
use crate::{Result, kernels};

/// A pass of 10 fetches and a texel written for each cell: the air with its four neighbours, what three rows are at rest, the
/// pressure of its own, the ground below. All of them see the air as it was, so what one cell gives another gets.
///
/// Newton's steps are four. A step turns an error of e kelvins into 0.03 e² at most: air that holds a gram too much in a
/// kilogram is settled to f32 after three, ten grams after four.
pub(super) struct Water {
    program: Program,
    air: StreamHandle,
    given: ConstantHandle,
    mixing: ConstantHandle,
    renewal: ConstantHandle,
    ground: Buffer,
}

impl Water {
    pub fn new(gpu: &Gpu, setting: &Setting, rest: &Buffer) -> Result<Water> {
        let [columns, rows] = setting.cells;
        let ground = gpu.buffer(columns, 1).components(1).named("ground").build()?;
        let numbers: Vec<f32> = (0..rows).flat_map(|row| column(setting, row)).collect();
        let column = gpu.buffer(1, rows).components(4).named("column of air").init(&numbers)?;
        let mut program = gpu.load(kernels::named("sim/clouds_settle.frag")?.with(Prelude::Fluid))?;
        let around = f32::from(u8::from(setting.periodic));
        program
            .bind_stream("rest", rest)?
            .bind_stream("column", &column)?
            .bind_stream("ground", &ground)?
            .bind_float("counts", [columns as f32, rows as f32])?
            .bind_float("periodic", [around, 0.0])?;
        Ok(Water {
            air: program.stream("air")?,
            given: program.constant("given")?,
            mixing: program.constant("mixing")?,
            renewal: program.constant("renewal")?,
            program,
            ground,
        })
    }

    /// How much of the most each column of the ground gives.
    pub fn set_ground(&self, ground: &[f32]) -> Result<()> {
        self.ground.write(ground)
    }

    /// The same, read back.
    pub fn ground(&self) -> Result<Vec<f32>> {
        self.ground.data()
    }

    pub fn settle(
        &mut self,
        air: &Buffer,
        setting: &Setting,
        parameters: &Parameters,
        out: &Buffer,
    ) -> Result<()> {
        let given = parameters.given(setting).map(|v| v as f32);
        self.program
            .bind_stream(self.air, air)?
            .bind_float(self.given, given)?
            .bind_float(self.mixing, parameters.mixed(setting))?
            .bind_float(self.renewal, parameters.renewed())?;
        self.program.run(out)
    }
}

/// (Π, p, Π θ_ground − 273.15 K, 0) of a row: the last in f64 first, so that temperatures keep their digits.
fn column(setting: &Setting, row: u32) -> [f32; 4] {
    let pressure = setting.air.pressure_at(setting.height_of(row));
    let exner = exner(pressure);
    [exner, pressure, exner * setting.theta() - FREEZING, 0.0].map(|v| v as f32)
}
