//! The profile of the air at rest, on the GPU.
//!
//! The profile holds the same numbers that the air begins with. So the buoyancy of stable dry air is exactly 0 and not
//! a rounding.

use super::Setting;
use crate::Result;
use crate::pug::{Buffer, Gpu, Program, StreamHandle};

/// The air at rest, and a pass of 2 fetches that tells what is different of other air.
pub(super) struct Rest {
    /// A texel a row: θ less that of the ground, and q_v.
    pub rows: Buffer,
    /// Vapour of all cells at rest, kg/kg.
    pub water: f64,
    program: Program,
    air: StreamHandle,
    deviation: Buffer,
}

impl Rest {
    pub fn new(gpu: &Gpu, setting: &Setting) -> Result<Rest> {
        let [columns, rows] = setting.cells;
        let numbers: Vec<[f32; 2]> = (0..rows).map(|row| at_rest(setting, row)).collect();
        let water = numbers.iter().map(|&[_, vapour]| f64::from(vapour) * f64::from(columns)).sum();
        let rows = gpu.buffer(1, rows).components(2).named("air at rest").init(numbers.as_flattened())?;
        let mut program = gpu.builtin("sim/clouds_deviation.frag")?;
        program.bind_stream("rest", &rows)?;
        let deviation = setting.grid().scalar(gpu, 4).named("deviation").build()?;
        Ok(Rest { rows, water, air: program.stream("air")?, program, deviation })
    }

    /// Air less that at rest.
    pub fn deviation(&mut self, air: &Buffer) -> Result<&Buffer> {
        self.program.bind_stream(self.air, air)?;
        self.program.run(&self.deviation)?;
        Ok(&self.deviation)
    }
}

/// θ less that of the ground, and q_v, of the air at rest in a row: the very numbers that the air begins with, so that
/// air at rest has no buoyancy at all.
pub(super) fn at_rest(setting: &Setting, row: u32) -> [f32; 2] {
    let here = setting.air.at(setting.height_of(row));
    [(here.theta - setting.theta()) as f32, here.vapour as f32]
}
