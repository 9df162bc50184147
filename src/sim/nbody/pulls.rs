//! The forces of all bodies on all bodies: a force texture, tile by tile, and the sums of its columns.

use std::ops::ControlFlow;

use super::Forces;
use super::parameters::LARGEST;
use super::plan::{Part, Plan};
use crate::layout::{Fold, Rect};
use crate::pug::{Buffer, ConstantHandle, Gpu, Operator, Precision, Program, Reduction, StreamHandle};
use crate::{Result, kernels};

/// Computes accelerations from positions.
pub(super) struct Pulls {
    gpu: Gpu,
    plan: Plan,
    fold: Fold,
    /// One for each render target.
    tiles: Vec<Buffer>,
    /// The kernels that were wanted so far, by [`Pulled`] and whether the softening spares a test.
    pull: Vec<((Pulled, bool), Pull)>,
    columns: Reduction,
    collect: Collect,
}

/// The sums that a pull makes: with them come a quarter more operations for each pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pulled {
    /// Accelerations; the fourth component is 0.
    Accelerations,
    /// Accelerations and, in the fourth component, the potential.
    Potentials,
}

/// The least softening for which the pull of a body upon itself, m / ε³ times a distance of 0, is 0 whatever its mass.
const SPARES_A_TEST: f32 = 1e-7;
const _: () = assert!(LARGEST / (1e-7 * 1e-7 * 1e-7) < f32::MAX as f64);

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

/// The outputs of the kernel besides the first tile.
const OTHERS: &str = "RANGE vec4 pull_1; RANGE vec4 pull_2; RANGE vec4 pull_3;";

impl Pulls {
    /// For bodies in arrays of that fold.
    pub fn new(gpu: &Gpu, fold: Fold, forces: Forces, bytes: u64, precision: Precision) -> Result<Pulls> {
        let texel = if precision == Precision::Float16 { 8 } else { 16 };
        let plan = Plan::new(gpu.limits(), forces, fold, bytes, texel)?;
        let tile = || {
            let tile = gpu.buffer(plan.tile_rows * fold.width, plan.tile_parts);
            tile.components(4).precision(precision).named("forces").build()
        };
        let tiles = (0..plan.targets).map(|_| tile()).collect::<Result<Vec<Buffer>>>()?;
        let columns = gpu.reduction(Operator::sum());
        Ok(Pulls {
            gpu: gpu.clone(),
            pull: Vec::new(),
            collect: Collect::new(gpu, fold)?,
            plan,
            fold,
            tiles,
            columns,
        })
    }

    /// The pulls on all bodies: for each tile a pass or a target of one, the sums of its columns where it has more than one
    /// row, and a pass that folds them. `watch` is asked before each tile, and may end it there.
    pub fn run(
        &mut self,
        pulled: Pulled,
        positions: &Buffer,
        softening: f32,
        accelerations: &Buffer,
        watch: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>> {
        let rows_a_pass = self.plan.tile_rows * self.plan.targets;
        for row in (0..self.fold.height).step_by(rows_a_pass as usize) {
            if self.run_rows(pulled, positions, softening, accelerations, row, watch)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Those of the bodies in the rows of one pass, from `row` of the array on.
    pub fn run_rows(
        &mut self,
        pulled: Pulled,
        positions: &Buffer,
        softening: f32,
        accelerations: &Buffer,
        row: u32,
        watch: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>> {
        let variant = (pulled, softening >= SPARES_A_TEST);
        let place = match self.pull.iter().position(|(made, _)| *made == variant) {
            Some(place) => place,
            None => {
                self.pull.push((variant, Pull::new(&self.gpu, self.plan, self.fold, variant)?));
                self.pull.len() - 1
            }
        };
        let Pulls { plan, fold, tiles, pull, columns, collect, .. } = self;
        let (_, pull) = &mut pull[place];
        pull.program.bind_stream(pull.bodies, positions)?;
        pull.program.bind_float(pull.softening, softening * softening)?;
        for part in (0..plan.parts).step_by(plan.tile_parts as usize) {
            if watch().is_break() {
                return Ok(ControlFlow::Break(()));
            }
            pull.program.bind_float(pull.first, [(row * fold.width) as f32, part as f32])?;
            pull.draw(tiles)?;
            let firsts = (row..fold.height).step_by(plan.tile_rows as usize);
            for (tile, row) in tiles.iter().zip(firsts) {
                let totals = if plan.tile_parts == 1 { tile.clone() } else { columns.columns(tile)? };
                let rows = Rect::new(0, row, fold.width, (row + plan.tile_rows).min(fold.height));
                collect.run(&totals, part > 0, accelerations, rows)?;
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

impl Pull {
    fn new(gpu: &Gpu, plan: Plan, fold: Fold, (pulled, softened): (Pulled, bool)) -> Result<Pull> {
        let sources = if let Part::Bodies(count) = plan.part { count } else { 0 };
        let others = if plan.targets == 4 { OTHERS } else { "" };
        let kernel =
            kernels::named("sim/nbody_pull.frag")?.define("SOURCES", sources).define("WIDTH", fold.width);
        let kernel = kernel.define("POTENTIAL", u32::from(pulled == Pulled::Potentials));
        let kernel = kernel.define("SOFTENED", u32::from(softened));
        let kernel = kernel.define("TARGETS", plan.targets).splice("DECLARE_OTHERS", others);
        let mut program = gpu.load(kernel)?;
        match plan.part {
            Part::Bodies(_) => program.bind_float("count", fold.len as f32)?,
            Part::Rows(_) => program.bind_float("parts", plan.parts as f32)?,
        };
        if plan.targets == 4 {
            program.bind_float("across", (plan.tile_rows * fold.width) as f32)?;
        }
        let (bodies, first) = (program.stream("bodies")?, program.constant("first")?);
        Ok(Pull { softening: program.constant("squared_softening")?, program, bodies, first })
    }

    fn draw(&self, tiles: &[Buffer]) -> Result<()> {
        match tiles {
            [a, b, c, d] => self.program.onto(&[a, b, c, d]).run(),
            tiles => tiles.iter().try_for_each(|tile| self.program.run(tile)),
        }
    }
}

impl Collect {
    fn new(gpu: &Gpu, fold: Fold) -> Result<Collect> {
        let mut program = gpu.builtin("sim/nbody_collect.frag")?;
        program.bind_float("width", fold.width as f32)?.bind_float("count", fold.len as f32)?;
        Ok(Collect { totals: program.stream("totals")?, first: program.constant("first")?, program })
    }

    /// The sums of a tile's columns, for those rows of the array; added to what earlier parts have left.
    fn run(&mut self, totals: &Buffer, add: bool, accelerations: &Buffer, rows: Rect) -> Result<()> {
        self.program.bind_stream(self.totals, totals)?;
        self.program.bind_float(self.first, (rows.y0 * accelerations.width()) as f32)?;
        let targets = [accelerations];
        let run = self.program.onto(&targets).over(rows);
        if add { run.adding().run() } else { run.run() }
    }
}

#[cfg(test)]
mod tests;
