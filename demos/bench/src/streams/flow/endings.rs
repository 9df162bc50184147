//! Who says when an iteration is over: Jacobi's relaxation of a plate, from cold to 1e-3, by each way to ask.

use std::cell::RefCell;
use std::time::Instant;

use anyhow::{Result, ensure};
use quadrille::pug::{Ended, StreamHandle, Until, frame};
use quadrille::{Buffer, DoubleBuffer, Gpu, Operator, Program, Rect, Reduction, kernels};

use super::super::super::interleave::{Elapsed, Pair, Work};
use super::super::super::row::Rows;
use super::super::super::row::{Bench, Row};

const SIDES: [u32; 2] = [64, 256];
const TOLERANCE: f32 = 1e-3;
const MOST: u64 = 2000;
/// Sweeps between two questions.
const EVERY: u64 = 10;

pub fn rows(divisor: u32) -> Rows {
    let of_size = |side: u32| {
        let side_here = (side / divisor).max(4);
        let row = |name: &str, every: u64, lag: usize, rests: bool| {
            let build = move |bench: &Bench| {
                let plate = Plate::new(&bench.gpu, side_here, rests)?;
                let reading =
                    Reading(Plate::new(&bench.gpu, side_here, false)?, Change::new(&bench.gpu, side_here)?);
                pair(OcclusionQueries { plate, every, lag }, reading)
            };
            let remark = Some("bare: the largest change read back every 10 sweeps");
            Row { remark, ..Row::new(name, &format!("{side}x{side} plate to 1e-3"), build) }
        };
        vec![
            row("until none, every sweep", 1, 0, false),
            row("until none, every 10", EVERY, 0, false),
            row("until none, every 10, 2 in flight", EVERY, 2, false),
            row("until none, discarding what rests", EVERY, 2, true),
        ]
    };
    SIDES.map(of_size).into()
}

/// Each ends, with no sweep left to do.
fn pair(mut asking: OcclusionQueries, mut reading: Reading) -> Result<Pair> {
    let (asked, read) = (asking.relax()?, reading.relax()?);
    ensure!(asked.done && read.done, "a plate is not at rest after {MOST} sweeps");
    for plate in [&asking.plate, &reading.0] {
        let residual = plate.residual()?;
        let bound = f64::from(TOLERANCE) + 4.0 * f64::from(f32::EPSILON);
        ensure!(residual <= bound, "a plate ended {residual:e} from equilibrium, not {TOLERANCE:e}");
    }
    Ok(Pair::new(asking, reading))
}

/// 1 along row 0, 0 elsewhere.
struct Plate {
    gpu: Gpu,
    cold: Buffer,
    state: RefCell<State>,
    nowhere: Buffer,
    rests: bool,
}

struct State {
    u: DoubleBuffer,
    relax: Program,
    plate: StreamHandle,
    ask: Program,
    interior: Rect,
    sweeps: f32,
}

impl Plate {
    fn new(gpu: &Gpu, side: u32, rests: bool) -> Result<Plate> {
        let components = if rests { 2 } else { 1 };
        let texel = |i: u32| [f32::from(u8::from(i < side)), -2.0].into_iter().take(components);
        let cold: Vec<f32> = (0..side * side).flat_map(texel).collect();
        let cold = gpu.buffer(side, side).components(components).init(&cold)?;
        let kernel = kernels::named("flow/plate_relax.frag")?.define("RESTING", u8::from(rests));
        let mut relax = gpu.load(kernel)?;
        if rests {
            relax.bind_float("tolerance", TOLERANCE)?;
        }
        let mut ask = gpu.builtin("flow/change_ask.frag")?;
        ask.bind_float("tolerance", TOLERANCE)?;
        let state = State {
            u: gpu.buffer(side, side).components(components).double().build()?,
            plate: relax.stream("plate")?,
            relax,
            ask,
            interior: frame(cold.rect(), 1).0.unwrap_or(cold.rect()),
            sweeps: 0.0,
        };
        let nowhere = gpu.buffer(side, side).build()?;
        Ok(Plate { gpu: gpu.clone(), cold, state: RefCell::new(state), nowhere, rests })
    }

    fn reset(&self) -> quadrille::Result<()> {
        let mut state = self.state.borrow_mut();
        state.sweeps = 0.0;
        state.u.front().copy_from(&self.cold)?;
        state.u.back().copy_from(&self.cold)
    }

    fn sweep(&self) -> quadrille::Result<()> {
        let State { u, relax, plate, interior, sweeps, .. } = &mut *self.state.borrow_mut();
        if self.rests {
            relax.bind_float("sweep", *sweeps)?;
        }
        relax.bind_stream(*plate, u.front())?.run_over(u.back(), *interior)?;
        u.swap();
        *sweeps += 1.0;
        Ok(())
    }

    /// Counts what the last sweep changed.
    fn ask(&self) -> quadrille::Result<()> {
        let State { u, ask, interior, .. } = &mut *self.state.borrow_mut();
        ask.bind_stream("before", u.back())?.bind_stream("after", u.front())?;
        ask.run_over(&self.nowhere, *interior)
    }

    /// The most that the mean of its neighbours is away from any interior texel, in f64.
    fn residual(&self) -> Result<f64> {
        let u: Vec<f64> = self.state.borrow().u.data()?.iter().copied().map(f64::from).collect();
        let (side, n) = (self.cold.width() as usize, self.cold.components());
        let at = |x: usize, y: usize| u[(y * side + x) * n];
        let mean = |x, y| 0.25 * (at(x + 1, y) + at(x - 1, y) + at(x, y + 1) + at(x, y - 1));
        let inside = (1..side - 1).flat_map(|y| (1..side - 1).map(move |x| (x, y)));
        Ok(inside.map(|(x, y)| (mean(x, y) - at(x, y)).abs()).fold(0.0, f64::max))
    }
}

/// By occlusion queries.
struct OcclusionQueries {
    plate: Plate,
    every: u64,
    lag: usize,
}

impl OcclusionQueries {
    fn relax(&mut self) -> quadrille::Result<Ended> {
        let OcclusionQueries { plate, every, lag } = self;
        plate.reset()?;
        let until = Until::new(&plate.gpu, MOST, *every, *lag);
        match plate.rests {
            false => until.finish(|_| plate.sweep(), || plate.ask()),
            // The update is its own question; those without one are sweeps.
            true => {
                until.finish(|i| if (i + 1) % *every == 0 { Ok(()) } else { plate.sweep() }, || plate.sweep())
            }
        }
    }
}

impl Work for OcclusionQueries {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        repeat(times, || self.relax())
    }
}

/// By a reduction that is read back.
struct Reading(Plate, Change);

struct Change {
    program: Program,
    change: Buffer,
    largest: Reduction,
}

impl Change {
    fn new(gpu: &Gpu, side: u32) -> Result<Change> {
        let text = "uniform Stream before, after; DOMAIN at; RANGE float change;
                    void main() { change = abs(value2(after, at).x - value2(before, at).x); }";
        let program = gpu.program("change.frag", text)?;
        Ok(Change {
            program,
            change: gpu.buffer(side, side).build()?,
            largest: gpu.reduction(Operator::max()),
        })
    }
}

impl Reading {
    fn relax(&mut self) -> quadrille::Result<Ended> {
        let Reading(plate, Change { program, change, largest }) = self;
        plate.reset()?;
        let mut ended = Ended::default();
        while ended.sweeps < MOST && !ended.done {
            plate.sweep()?;
            ended.sweeps += 1;
            if ended.sweeps.is_multiple_of(EVERY) {
                let state = plate.state.borrow();
                program.bind_stream("before", state.u.back())?.bind_stream("after", state.u.front())?;
                program.run(change)?;
                ended.done = largest.value(change)?.iter().all(|&change| change <= TOLERANCE);
            }
        }
        Ok(ended)
    }
}

impl Work for Reading {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        repeat(times, || self.relax())
    }
}

/// A plate that is at rest has been waited for.
fn repeat(times: u32, mut relax: impl FnMut() -> quadrille::Result<Ended>) -> quadrille::Result<Elapsed> {
    let clock = Instant::now();
    for _ in 0..times {
        relax()?;
    }
    Ok(Elapsed { submitted: clock.elapsed(), done: clock.elapsed() })
}
