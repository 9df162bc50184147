//! Passes of generated kernels: their programs and targets, and the streams and constants that they are drawn with.

use super::equations::{Equations, Grid};
use super::kernel::{KernelText, Role};
use crate::pug::{Buffer, Gpu, Operator, Program, Reduction};
use crate::{Edges, Error, Result};

/// Streams that never change: the mask, and arrays and pictures.
pub(super) struct Fixed {
    pub inside: Option<Buffer>,
    pub images: Option<Buffer>,
}

/// A kernel with the buffer that it writes, if that is not the state.
pub(super) struct Pass {
    program: Program,
    pub kernel: KernelText,
    target: Option<Buffer>,
    sum: Option<Reduction>,
    /// The buffer that other kernels read.
    result: Option<Buffer>,
}

/// The numbers of a stage.
pub(super) struct Moment<'m> {
    /// The time reached and that of the end of the stage.
    pub times: [f64; 2],
    /// The other time of which an implicit step takes the mean.
    pub edge: f64,
    pub weights: [f64; 2],
    pub k: [f32; 4],
    pub key: [u32; 2],
    pub step: f64,
    pub parameters: &'m [f64],
}

/// The edge rule of a texture: repeat along a periodic axis. Beyond other edges no value is used.
pub(super) fn edges(grid: &Grid) -> Edges {
    if grid.periodic.contains(&true) { Edges::Repeat } else { Edges::Clamp }
}

/// Fields side by side in each texel.
pub(super) fn interleaved(fields: &[&[f32]]) -> Vec<f32> {
    let nodes = fields.first().map_or(0, |field| field.len());
    (0..nodes).flat_map(|node| fields.iter().map(move |field| field[node])).collect()
}

/// The fields of texels, one after the other.
pub(super) fn apart(texels: &[f32], count: usize) -> Vec<Vec<f32>> {
    (0..count).map(|at| texels.iter().skip(at).step_by(count).copied().collect()).collect()
}

impl Pass {
    /// The buffer that was drawn.
    pub fn result(&self) -> Option<&Buffer> {
        self.result.as_ref()
    }

    pub fn new(gpu: &Gpu, kernel: KernelText, equations: &Equations) -> Result<Pass> {
        let grid = &equations.grid;
        let limit = gpu.limits().fetches;
        if kernel.fetches > limit {
            return Err(Error::OverLimit {
                what: kernel.name,
                quantity: "fetches of a texel",
                found: kernel.fetches.into(),
                limit: limit.into(),
            });
        }
        let program = gpu.program(&kernel.name, &kernel.text)?;
        let [width, height] = grid.size;
        let target = |count: usize| {
            gpu.buffer(width, height).components(count).edges(edges(grid)).named(&kernel.name).build()
        };
        let (target, sum) = match &kernel.role {
            Role::Auxiliaries(_, own) => (Some(target(own.len())?), None),
            Role::Held => (Some(target(equations.fields.len())?), None),
            Role::Totals(_, own) => (Some(target(own.len())?), Some(gpu.reduction(Operator::sum()))),
            Role::Step | Role::Show => (None, None),
        };
        Ok(Pass { program, kernel, target, sum, result: None })
    }
}

/// Ok for what a compiler has left out, too: formulas as 0 and 0*a have no use for what others need.
fn bound(made: Result<&mut Program>) -> Result<()> {
    match made {
        Ok(_) | Err(Error::DroppedName { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Draws the passes of kernels in their order.
pub(super) fn draw_all(
    equations: &Equations,
    passes: &mut [Pass],
    fixed: &Fixed,
    state: &Buffer,
    others: &[(&str, &Buffer)],
    moment: &Moment,
    targets: &[&Buffer],
) -> Result<()> {
    for at in 0..passes.len() {
        let (before, rest) = passes.split_at_mut(at);
        let Some(Pass { program, kernel, target, sum, result }) = rest.first_mut() else { continue };
        for name in &kernel.streams {
            let made = before.iter().find(|pass| pass.kernel.name.strip_suffix(".frag") == Some(name));
            let buffer = match name.as_str() {
                "state" => Some(state),
                "inside" => fixed.inside.as_ref(),
                "images" => fixed.images.as_ref(),
                name => made
                    .and_then(|pass| pass.result.as_ref())
                    .or_else(|| others.iter().find(|(other, _)| *other == name).map(|(_, buffer)| *buffer)),
            };
            if let Some(buffer) = buffer {
                bound(program.bind_stream(name.as_str(), buffer))?;
            }
        }
        for parameter in &kernel.parameters {
            let name = format!("p_{}", equations.parameters[*parameter].name);
            bound(program.bind_float(name.as_str(), moment.parameters[*parameter] as f32))?;
        }
        for constant in &kernel.constants {
            bound(match *constant {
                "t" => program.bind_float("t", moment.times[0] as f32),
                "t_next" => program.bind_float("t_next", moment.times[1] as f32),
                "t_edge" => program.bind_float("t_edge", moment.edge as f32),
                "k" => program.bind_float("k", moment.k),
                "dt" => program.bind_float("dt", moment.step as f32),
                "weights" => program.bind_float("weights", moment.weights.map(|weight| weight as f32)),
                _ => {
                    let [a, b] = moment.key;
                    let words = [a & 0xffff, a >> 16, b & 0xffff, b >> 16];
                    program.bind_float("key", words.map(|word| word as f32))
                }
            })?;
        }
        match target {
            Some(target) => program.run(target)?,
            None => program.onto(targets).run()?,
        }
        program.release_streams();
        *result = match (&sum, &target) {
            (Some(sum), Some(target)) => Some(sum.both(target)?),
            _ => target.clone(),
        };
    }
    Ok(())
}
