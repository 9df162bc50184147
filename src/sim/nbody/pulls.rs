//! The forces of all bodies on all bodies: a force texture, tile by tile, and the sums of its columns.

use super::Forces;
use super::plan::{Part, Plan};
use crate::layout::{Fold, Rect};
use crate::pug::{Buffer, ConstantHandle, Gpu, Operator, Precision, Program, Reduction, StreamHandle};
use crate::{Result, kernels};

/// What makes accelerations out of positions.
pub(super) struct Pulls {
    plan: Plan,
    fold: Fold,
    tile: Buffer,
    pull: Pull,
    columns: Reduction,
    collect: Collect,
}

/// The kernel that draws a tile.
struct Pull {
    program: Program,
    bodies: StreamHandle,
    first: ConstantHandle,
    softening: ConstantHandle,
}

/// The kernel that folds the sums of a tile's columns.
struct Collect {
    program: Program,
    totals: StreamHandle,
    first: ConstantHandle,
}

impl Pulls {
    /// For bodies in arrays of that fold.
    pub fn new(gpu: &Gpu, fold: Fold, forces: Forces, bytes: u64, precision: Precision) -> Result<Pulls> {
        let texel = if precision == Precision::Float16 { 8 } else { 16 };
        let plan = Plan::new(gpu.limits(), forces, fold, bytes, texel)?;
        let tile = gpu.buffer(plan.tile_rows * fold.width, plan.tile_parts);
        let tile = tile.components(4).precision(precision).named("forces").build()?;
        let columns = gpu.reduction(Operator::sum());
        Ok(Pulls {
            pull: Pull::new(gpu, plan, fold)?,
            collect: Collect::new(gpu, fold)?,
            plan,
            fold,
            tile,
            columns,
        })
    }

    /// Accelerations and potentials of all bodies: for each tile a pass, the sums of its columns where it has more than one
    /// row, and a pass that folds them.
    pub fn run(&mut self, positions: &Buffer, softening: f32, accelerations: &Buffer) -> Result<()> {
        for row in (0..self.fold.height).step_by(self.plan.tile_rows as usize) {
            self.run_rows(positions, softening, accelerations, row)?;
        }
        Ok(())
    }

    /// Those of the bodies in the rows of one tile of the array, from `row` on.
    pub fn run_rows(
        &mut self,
        positions: &Buffer,
        softening: f32,
        accelerations: &Buffer,
        row: u32,
    ) -> Result<()> {
        let Pulls { plan, fold, tile, pull, columns, collect } = self;
        let body = (row * fold.width) as f32;
        let rows = Rect::new(0, row, fold.width, (row + plan.tile_rows).min(fold.height));
        pull.program.bind_stream(pull.bodies, positions)?;
        pull.program.bind_float(pull.softening, softening * softening)?;
        collect.program.bind_float(collect.first, body)?;
        for part in (0..plan.parts).step_by(plan.tile_parts as usize) {
            pull.program.bind_float(pull.first, [body, part as f32])?;
            pull.program.run(tile)?;
            if plan.tile_parts == 1 {
                collect.program.bind_stream(collect.totals, tile)?;
            } else {
                collect.program.bind_stream(collect.totals, &columns.columns(tile)?)?;
            }
            let targets = [accelerations];
            let run = collect.program.onto(&targets).over(rows);
            if part == 0 { run.run()? } else { run.adding().run()? }
        }
        Ok(())
    }
}

impl Pull {
    fn new(gpu: &Gpu, Plan { part, parts, .. }: Plan, fold: Fold) -> Result<Pull> {
        let sources = if let Part::Bodies(count) = part { count } else { 0 };
        let mut program = gpu.load(kernels::named("sim/nbody_pull.frag")?.define("SOURCES", sources))?;
        match part {
            Part::Bodies(_) => program.bind_float("count", fold.len as f32)?,
            Part::Rows(_) => program.bind_float("parts", parts as f32)?,
        };
        let (bodies, first) = (program.stream("bodies")?, program.constant("first")?);
        Ok(Pull { softening: program.constant("squared_softening")?, program, bodies, first })
    }
}

impl Collect {
    fn new(gpu: &Gpu, fold: Fold) -> Result<Collect> {
        let mut program = gpu.builtin("sim/nbody_collect.frag")?;
        program.bind_float("width", fold.width as f32)?.bind_float("count", fold.len as f32)?;
        Ok(Collect { totals: program.stream("totals")?, first: program.constant("first")?, program })
    }
}

#[cfg(test)]
mod tests;
