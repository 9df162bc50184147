//! The floors of the GPU at hand, measured: passes that do much of one thing each, and the quickest of many rounds.

use std::time::{Duration, Instant};

use super::{Card, Recorder, Sum, Watch};
use crate::pug::{Buffer, Domain, Gpu, Program};
use crate::{Error, Result};

/// Rounds of which the quickest counts: whatever else the machine does only adds to a time. A slow driver has fewer of them.
const ROUNDS: u32 = 20;
const FEWEST: u32 = 3;
const ENOUGH: Duration = Duration::from_secs(2);

/// Trials grow from this side until a pass takes so long.
const LEAST_SIDE: u32 = 64;
const LONG: f64 = 2e-3;

/// How long one turn of a trial lasts at least, and the most passes in it.
const TURN: Duration = Duration::from_millis(3);
const MOST: usize = 1 << 12;

/// Passes of the smallest trial whose time is taken as a recorder takes it.
const RECORDED: usize = 64;

impl Card {
    /// Measures the floors of this GPU, a few seconds at most. Each is the best that any of a few passes reached: some write and fetch nothing,
    /// some fetch much and write little, some stream arrays through, in the caches and beyond them. [`Trace::card`](super::Trace::card) takes it.
    ///
    /// llvmpipe has other floors with threads of its own than without, and a process has either.
    ///
    /// # Errors
    /// [`Error::Unsupported`] in a page, which has no clock for this; [`Error::BadParameter`] while a recorder is at work; the driver's.
    pub fn measure(gpu: &Gpu) -> Result<Card> {
        let driver = gpu.driver();
        if driver.in_page {
            let (what, renderer) = ("Card::measure".to_owned(), driver.renderer.clone());
            return Err(Error::Unsupported {
                what,
                needs: "a clock around a pass that is finished",
                renderer,
            });
        }
        let mut smallest = Trial::filling(gpu, 1)?;
        let mut others = [
            Trial::sized(gpu, 512, Trial::filling)?,
            Trial::sized(gpu, 512, Trial::filling_four)?,
            Trial::sized(gpu, 512, |gpu, side| Trial::fetching(gpu, side, 1, 1))?,
            Trial::sized(gpu, 512, |gpu, side| Trial::fetching(gpu, side, 4, 1))?,
            Trial::fetching(gpu, LEAST_SIDE, 4, 8)?,
            Trial::sized(gpu, 256, |gpu, side| Trial::fetching(gpu, side, 4, 8))?,
            Trial::gathering(gpu, 4 * LEAST_SIDE)?,
            Trial::sized(gpu, 1024, Trial::gathering)?,
            Trial::streaming(gpu, 2 * LEAST_SIDE)?,
            Trial::streaming(gpu, 4 * LEAST_SIDE)?,
            Trial::sized(gpu, 1024, Trial::streaming)?,
        ];
        let clock = Instant::now();
        for round in 0..ROUNDS {
            if round >= FEWEST && clock.elapsed() >= ENOUGH {
                break;
            }
            smallest.turn(gpu)?;
            others.iter_mut().try_for_each(|trial| trial.turn(gpu))?;
        }
        let pass = smallest.seconds.min(smallest.as_recorded(gpu)?);
        let best = |work: fn(&Sum) -> u64| {
            let rate = |trial: &Trial| work(&trial.sum) as f64 / trial.beyond(pass);
            others.iter().map(rate).fold(0.0, f64::max)
        };
        Ok(Card {
            name: driver.renderer.clone().into(),
            pass,
            written: best(|sum| sum.written),
            fetches: best(|sum| sum.fetches.0),
            fetched: best(|sum| sum.fetched),
            bytes: best(|sum| sum.bytes),
            source: format!("measured on this machine, through {}", driver.version).into(),
        })
    }
}

/// A pass that is drawn again and again, onto two sets of targets in turns: a renderer may leave out what is overdrawn.
struct Trial {
    program: Program,
    targets: [Vec<Buffer>; 2],
    sum: Sum,
    /// Passes in a turn.
    times: usize,
    /// Seconds of a pass in the quickest turn.
    seconds: f64,
}

impl Trial {
    /// A trial that doubles its side until a pass takes long, or the side is the largest.
    fn sized(gpu: &Gpu, largest: u32, make: impl Fn(&Gpu, u32) -> Result<Trial>) -> Result<Trial> {
        let mut side = LEAST_SIDE;
        loop {
            let mut trial = make(gpu, side)?;
            trial.turn(gpu)?;
            if trial.seconds >= LONG || side >= largest {
                return Ok(trial);
            }
            side *= 2;
        }
    }

    /// Writes all texels, and fetches nothing.
    fn filling(gpu: &Gpu, side: u32) -> Result<Trial> {
        let program = gpu.builtin("bench/fill.frag")?;
        Trial::new(gpu, program, side, 4, 1)
    }

    /// The same with four targets.
    fn filling_four(gpu: &Gpu, side: u32) -> Result<Trial> {
        let program = gpu.builtin("bench/fill_four.frag")?;
        Trial::new(gpu, program, side, 4, 4)
    }

    /// Fetches 64 texels for each that it writes, of blocks that begin `apart` texels from one another.
    fn fetching(gpu: &Gpu, side: u32, components: usize, apart: u32) -> Result<Trial> {
        let mut program = gpu.builtin("bench/fetch_block.frag")?;
        // On the centre of a texel, where a block of eight has its fifth.
        let (first, last) = match apart {
            1 => (0.0, side as f32),
            _ => (0.5, (side * apart) as f32 + 0.5),
        };
        program
            .bind_stream("values", &filled(gpu, side * apart, components)?)?
            .bind_domain("at", Domain::new(first, first, last, last))?;
        Trial::new(gpu, program, side, components, 1)
    }

    /// Two arrays in, one out: bound by memory, or by the caches where they fit in.
    fn streaming(gpu: &Gpu, side: u32) -> Result<Trial> {
        let mut program = gpu.builtin("bench/axpy.frag")?;
        let [x, y] = [filled(gpu, side, 4)?, filled(gpu, side, 4)?];
        program.bind_stream("x", &x)?.bind_stream("y", &y)?.bind_float("a", 0.5)?;
        Trial::new(gpu, program, side, 4, 1)
    }

    /// Eight arrays in, one component out: each texel that is fetched is another one.
    fn gathering(gpu: &Gpu, side: u32) -> Result<Trial> {
        let mut program = gpu.builtin("bench/fetch_streams.frag")?;
        for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
            program.bind_stream(name, &filled(gpu, side, 4)?)?;
        }
        Trial::new(gpu, program, side, 1, 1)
    }

    fn new(gpu: &Gpu, program: Program, side: u32, components: usize, targets: usize) -> Result<Trial> {
        let set = || -> Result<Vec<Buffer>> {
            (0..targets).map(|_| gpu.buffer(side, side).components(components).build()).collect()
        };
        let targets = [set()?, set()?];
        let mut trial = Trial { program, targets, sum: Sum::default(), times: 1, seconds: f64::INFINITY };
        let recorder = Recorder::start(gpu, Watch::default())?;
        trial.draw(1)?;
        trial.sum = recorder.end().sums()[0];
        Ok(trial)
    }

    fn draw(&self, times: usize) -> Result<()> {
        let sets = self.targets.each_ref().map(|set| set.iter().collect::<Vec<_>>());
        (0..times).try_for_each(|time| self.program.onto(&sets[time % 2]).run())
    }

    /// Takes the time of a turn.
    fn turn(&mut self, gpu: &Gpu) -> Result<()> {
        gpu.finish();
        let took = loop {
            let clock = Instant::now();
            self.draw(self.times)?;
            gpu.finish();
            let took = clock.elapsed();
            if took >= TURN || self.times >= MOST {
                break took;
            }
            self.times *= 2;
        };
        self.seconds = self.seconds.min(took.as_secs_f64() / self.times as f64);
        Ok(())
    }

    /// Seconds of the quickest pass by the clock of recorders, which may be the GPU's own.
    fn as_recorded(&self, gpu: &Gpu) -> Result<f64> {
        let recorder = Recorder::start(gpu, Watch { times: true, ..Watch::default() })?;
        self.draw(RECORDED)?;
        let trace = recorder.end();
        Ok(trace.passes().filter_map(|pass| pass.seconds).fold(f64::INFINITY, f64::min))
    }

    /// Seconds of a pass but for what every pass costs: at least half of them, for passes that take little more.
    fn beyond(&self, pass: f64) -> f64 {
        (self.seconds - pass).max(0.5 * self.seconds)
    }
}

/// An array of finite numbers, made where it stays.
fn filled(gpu: &Gpu, side: u32, components: usize) -> Result<Buffer> {
    let array = gpu.buffer(side, side).components(components).build()?;
    gpu.builtin("bench/fill.frag")?.run(&array)?;
    Ok(array)
}
