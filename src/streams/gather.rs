//! Histograms by gather: many bins for each pixel that is fetched.

use crate::gl::{Kernel, TARGETS};
use crate::pug::{Buffer, ConstantHandle, Gpu, Operator, Program, Reduction, StreamHandle};
use crate::{Rect, Result, kernels};

/// Counting by fragments: a target's texel (g, k) has four bins, 4 (g + t groups) and the next three of target t, of block k.
pub struct Gather {
    program: Program,
    walk: ConstantHandle,
    place: Program,
    groups: StreamHandle,
    first: ConstantHandle,
    sum: Reduction,
    targets: Vec<Buffer>,
    places: u32,
    /// Texels that a fragment may look at in a pass.
    steps: u32,
}

/// Fragments that keep a GPU busy.
const ENOUGH: u32 = 16_384;

/// Iterations that a loop may make on any driver known.
const ITERATIONS: u32 = 60_000;

impl Gather {
    /// For so many bins, of the pixels whose bins `found` has, four a texel.
    pub fn new(gpu: &Gpu, places: u32, found: &Buffer) -> Result<Gather> {
        let limits = gpu.limits();
        let fours = places.div_ceil(4);
        let groups = fours.div_ceil(limits.targets.min(TARGETS as u32));
        let count = fours.div_ceil(groups);
        let blocks = (ENOUGH / groups).clamp(1, limits.texture_size).min(found.len() as u32);
        let target = || gpu.buffer(groups, blocks).components(4).named("counts of blocks").build();
        let targets = (0..count).map(|_| target()).collect::<Result<Vec<Buffer>>>()?;
        let mut program = gpu.load(for_targets(count)?)?;
        program.bind_stream("found", found)?;
        if count > 1 {
            program.bind_float("groups", groups as f32)?;
        }
        let walk = program.constant("walk")?;
        let place = gpu.builtin("streams/bins_place.frag")?;
        let (groups, first) = (place.stream("groups")?, place.constant("first")?);
        // A card without loops is one whose programs have them written out, as many steps as it may fetch.
        let loops =
            if limits.loop_iterations == 0 { ITERATIONS } else { limits.loop_iterations.min(ITERATIONS) };
        let (sum, steps) = (gpu.reduction(Operator::sum()), limits.fetches.min(loops));
        Ok(Gather { program, walk, place, groups, first, sum, targets, places, steps })
    }

    /// Counts the first `texels` texels into a row of `counts`.
    pub fn count(&mut self, texels: u32, counts: &Buffer, row: u32) -> Result<()> {
        let (groups, blocks) = (self.targets[0].width(), self.targets[0].height());
        let mut targets = [&self.targets[0]; TARGETS];
        targets.iter_mut().zip(&self.targets).for_each(|(slot, target)| *slot = target);
        let targets = &targets[..self.targets.len()];
        let mut first = 0;
        while first < texels {
            let steps = (texels - first).div_ceil(blocks).min(self.steps);
            let walk = [first, blocks, steps, texels].map(|v| v as f32);
            self.program.bind_float(self.walk, walk)?;
            let run = self.program.onto(targets);
            if first == 0 {
                run.run()?
            } else {
                run.adding().run()?
            }
            first += blocks * steps;
        }
        for (target, blocks) in (0..).zip(&self.targets) {
            let sums = self.sum.columns(blocks)?;
            let bins = 4 * groups * target;
            self.place.bind_stream(self.groups, &sums)?.bind_float(self.first, bins as f32)?;
            self.place
                .run_over(counts, Rect::new(bins, row, (bins + 4 * groups).min(self.places), row + 1))?;
        }
        self.place.release_streams();
        Ok(())
    }
}

/// The kernel's text for that many targets.
fn for_targets(count: u32) -> Result<Kernel> {
    let all = |line: &dyn Fn(u32) -> String| (0..count).map(line).collect::<String>();
    // Where there is one target, the text must not use `groups`: not every compiler strikes a constant of no effect.
    let offset = |t: u32| if t == 0 { "0.0".to_owned() } else { format!("{}.0 * groups", 4 * t) };
    Ok(kernels::named("streams/bins_gather.frag")?
        .define("EACH_TARGET(word)", all(&|t| format!("word(target_{t}, sum_{t}, bins_{t}, {}) ", offset(t))))
        .splice("DECLARE_TARGETS", &all(&|t| format!("RANGE vec4 target_{t}; "))))
}
