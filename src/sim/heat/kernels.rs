//! The kernels of a heat step, the ranges that they run over, and the masks that they need.
//!
//! The same step can be made in seven ways. Each is a set of kernels with their ranges, with or without precomputed weights,
//! and with or without a cull. Weights are exactly 0 or 1, and all kernels sum the neighbours in the same order, so the
//! results differ at most by how u + β·flow is rounded.

use super::{Flow, Parameters};
use crate::pug::{Buffer, Cull, DoubleBuffer, Gpu, Program, StreamHandle, frame};
use crate::{Rect, Result, kernels};

/// The kernels of one [`Flow`], with all that they read but the temperature.
pub(super) struct HeatKernels {
    sweeps: Vec<Sweep>,
    weights: Option<Weights>,
    cull: Option<Hidden>,
}

/// A kernel and the disjoint ranges that it makes.
struct Sweep {
    program: Program,
    temperature: StreamHandle,
    ranges: Vec<Rect>,
}

/// Four weights a cell, computed before.
struct Weights {
    compute: Program,
    weights: Buffer,
}

/// The cells that are not free, hidden from the kernels.
struct Hidden {
    draw: Program,
    cull: Cull,
}

/// How a kernel treats the sides of the plate.
#[derive(Clone, Copy)]
enum Sides {
    Tested,
    /// It runs away from them.
    Far,
}

impl HeatKernels {
    /// The kernels for a plate whose cells (open, free) are those.
    pub fn new(gpu: &Gpu, flow: Flow, parameters: &Parameters, cells: &Buffer) -> Result<HeatKernels> {
        let (width, height) = (cells.width(), cells.height());
        let cull = match flow {
            Flow::Branch | Flow::Arithmetic | Flow::Ranges | Flow::Masks => None,
            Flow::Depth | Flow::Combined => Some(Cull::depth(gpu, width, height)?),
            Flow::Stencil => Some(Cull::stencil(gpu, width, height)?),
        };
        let weights = match flow {
            Flow::Masks | Flow::Combined => Some(Weights::new(gpu, cells)?),
            _ => None,
        };
        let whole = vec![cells.rect()];
        let around = weights.as_ref().map(|weights| &weights.weights);
        let arithmetic = |sides, ranges| Sweep::arithmetic(gpu, sides, cells, around, ranges);
        let sweeps = match flow {
            Flow::Branch => vec![Sweep::branch(gpu, cells, whole)?],
            Flow::Arithmetic | Flow::Depth | Flow::Stencil => vec![arithmetic(Sides::Tested, whole)?],
            Flow::Ranges | Flow::Masks | Flow::Combined => {
                let (interior, edges) = frame(cells.rect(), 1);
                let interior: Vec<Rect> = interior.into_iter().collect();
                vec![arithmetic(Sides::Far, interior)?, arithmetic(Sides::Tested, edges)?]
            }
        };
        let cull = cull.map(|cull| Hidden::new(gpu, cells, cull)).transpose()?;
        let mut kernels = HeatKernels { sweeps, weights, cull };
        kernels.set_parameters(parameters)?;
        Ok(kernels)
    }

    /// Gives all kernels their constants. The masks are those of before until [`HeatKernels::prepare`].
    pub fn set_parameters(&mut self, parameters: &Parameters) -> Result<()> {
        let (beyond, holds) = (parameters.sides.beyond(), parameters.sides.holds());
        for Sweep { program, .. } in &mut self.sweeps {
            program.bind_float("beta", parameters.beta)?;
            // Not every kernel asks about the sides.
            for (name, values) in [("beyond", beyond), ("holds", holds)] {
                if program.constant(name).is_ok() {
                    program.bind_float(name, values)?;
                }
            }
        }
        if let Some(weights) = &mut self.weights {
            weights.compute.bind_float("holds", holds)?;
        }
        Ok(())
    }

    /// Computes the masks of the cells as they are now: at most a pass for the weights and a clear and a pass for the cull.
    pub fn prepare(&self) -> Result<()> {
        if let Some(Weights { compute, weights }) = &self.weights {
            compute.run(weights)?;
        }
        match &self.cull {
            Some(Hidden { draw, cull }) => cull.draw(draw),
            None => Ok(()),
        }
    }

    /// One step from the front buffer to the back one.
    pub fn step(&mut self, temperature: &DoubleBuffer) -> Result<()> {
        for sweep in &mut self.sweeps {
            sweep.program.bind_stream(sweep.temperature, temperature.front())?;
            for &range in &sweep.ranges {
                let targets = [temperature.back()];
                let run = sweep.program.onto(&targets).over(range);
                match &self.cull {
                    Some(hidden) => hidden.cull.only(run).run()?,
                    None => run.run()?,
                }
            }
        }
        Ok(())
    }
}

impl Sweep {
    fn branch(gpu: &Gpu, cells: &Buffer, ranges: Vec<Rect>) -> Result<Sweep> {
        let mut program = gpu.builtin("sim/heat_branch.frag")?;
        program.bind_stream("cells", cells)?;
        Sweep::new(program, ranges)
    }

    /// By what is around each cell, if it has been computed, or by the cells themselves.
    fn arithmetic(
        gpu: &Gpu,
        sides: Sides,
        cells: &Buffer,
        weights: Option<&Buffer>,
        ranges: Vec<Rect>,
    ) -> Result<Sweep> {
        let kernel = kernels::named("sim/heat_step.frag")?
            .define("SIDES", i32::from(matches!(sides, Sides::Tested)))
            .define("WEIGHTS", i32::from(weights.is_some()));
        let mut program = gpu.load(kernel)?;
        match weights {
            Some(weights) => program.bind_stream("weights", weights)?,
            None => program.bind_stream("cells", cells)?,
        };
        Sweep::new(program, ranges)
    }

    fn new(program: Program, ranges: Vec<Rect>) -> Result<Sweep> {
        let temperature = program.stream("temperature")?;
        Ok(Sweep { program, temperature, ranges })
    }
}

impl Weights {
    fn new(gpu: &Gpu, cells: &Buffer) -> Result<Weights> {
        let mut compute = gpu.builtin("sim/heat_weights.frag")?;
        compute.bind_stream("cells", cells)?;
        let weights = gpu.buffer(cells.width(), cells.height()).components(4).named("weights").build()?;
        Ok(Weights { compute, weights })
    }
}

impl Hidden {
    fn new(gpu: &Gpu, cells: &Buffer, cull: Cull) -> Result<Hidden> {
        let mut draw = gpu.builtin("sim/heat_cull.frag")?;
        draw.bind_stream("cells", cells)?;
        Ok(Hidden { draw, cull })
    }
}
