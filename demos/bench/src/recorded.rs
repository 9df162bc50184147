//! The smallest pass while it is recorded, with its counts and without copies, against the same unrecorded.

use quadrille::trace::{Recorder, Watch};
use quadrille::{Gpu, Result, kernels};

use super::interleave::{Elapsed, Pair, Work};
use super::row::{Bench, Row};
use super::stepping::Stepping;

/// The row is in the group of the smallest pass: all three take turns.
pub fn row() -> Row {
    let name = "smallest pass, recorded, submission alone";
    let remark = "bare: the same by the library, not recorded";
    Row { submission: true, remark: Some(remark), ..Row::new(name, "1x1 texel", pair) }
}

fn pair(bench: &Bench) -> anyhow::Result<Pair> {
    let recorded = Recorded { work: steps(&bench.gpu)?, gpu: bench.gpu.clone() };
    Ok(Pair::new(recorded, steps(&bench.gpu)?))
}

fn steps(gpu: &Gpu) -> Result<Stepping> {
    let mut program = gpu.load(kernels::named("bench/multiply_add.frag")?.define("OPERATIONS", "R1"))?;
    program.bind_float("scale", 0.5)?.bind_float("shift", 0.25)?;
    let state = gpu.buffer(1, 1).components(4).double().init(&[0.25; 4])?;
    let newest = program.stream("values")?;
    Ok(Stepping { program, newest, state })
}

/// Work whose passes are recorded; the recorder begins before the clock and ends after it.
struct Recorded {
    work: Stepping,
    gpu: Gpu,
}

impl Work for Recorded {
    fn run(&mut self, times: u32) -> Result<Elapsed> {
        let recorder = Recorder::start(&self.gpu, Watch::default())?;
        let elapsed = self.work.run(times)?;
        let passes = recorder.end().sums().first().map_or(0, |sum| sum.passes);
        debug_assert_eq!(passes, u64::from(times));
        Ok(elapsed)
    }
}
