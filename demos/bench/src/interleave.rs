//! Two ways to do the same work, timed in turns: a machine that slows down for a while slows down both.

use std::time::{Duration, Instant};

use quadrille::{Gpu, Result};

use crate::bare::BareLoop;

/// The least time that one side of a round takes. Tests look at what is computed, not at how long it takes.
const LEAST: Duration = Duration::from_millis(if cfg!(test) { 0 } else { 6 });

/// How long a GPU works before anything is timed.
const WARM: Duration = Duration::from_millis(if cfg!(test) { 0 } else { 200 });

/// The most repetitions of a round, for work that costs next to nothing.
const MOST: u32 = 1 << 16;

/// Work that can be repeated.
pub trait Work {
    /// Does it that many times and waits for the last.
    fn run(&mut self, times: u32) -> Result<Elapsed>;

    /// A remark after the run: the number of iterations, for example.
    fn said(&self) -> Option<String> {
        None
    }
}

/// The library's side and the bare one, and who else does the same work.
pub struct Pair {
    library: Box<dyn Work>,
    bare: Option<Box<dyn Work>>,
    beside: Vec<(String, Box<dyn Work>)>,
    least: u32,
}

impl Pair {
    /// Two sides.
    pub fn new(library: impl Work + 'static, bare: impl Work + 'static) -> Pair {
        Pair::of(Box::new(library), bare)
    }

    /// Two sides, the library's already boxed.
    pub fn of(library: Box<dyn Work>, bare: impl Work + 'static) -> Pair {
        Pair { library, bare: Some(Box::new(bare)), beside: Vec::new(), least: 1 }
    }

    /// The library alone: nobody has written the whole of it by hand.
    pub fn alone(library: impl Work + 'static) -> Pair {
        Pair { library: Box::new(library), bare: None, beside: Vec::new(), least: 1 }
    }

    /// One more who does the same work, named in the note.
    pub fn beside(mut self, name: impl Into<String>, work: impl Work + 'static) -> Pair {
        self.beside.push((name.into(), Box::new(work)));
        self
    }

    /// At least so many repetitions a round, however long they take: for work that begins with something else.
    pub fn at_least(self, least: u32) -> Pair {
        Pair { least, ..self }
    }
}

/// How long it took until all was submitted, and until all was done.
#[derive(Clone, Copy)]
pub struct Elapsed {
    pub submitted: Duration,
    pub done: Duration,
}

/// A bare loop, run in the library's context.
pub struct Bare<L> {
    pub gpu: Gpu,
    pub lap: L,
}

impl<L: BareLoop> Work for Bare<L> {
    fn run(&mut self, times: u32) -> Result<Elapsed> {
        let lap = &mut self.lap;
        self.gpu.glow(|_| {
            let clock = Instant::now();
            lap.draw(times);
            let submitted = clock.elapsed();
            lap.texel();
            Ok(Elapsed { submitted, done: clock.elapsed() })
        })
    }
}

/// Milliseconds a repetition: one figure for each side, and how they compare. NaN where a side is not there.
#[derive(Clone, Copy)]
pub struct Figure {
    pub library: f64,
    pub bare: f64,
    /// Median of the rounds' own ratios, library / bare: steadier than the ratio of the medians.
    pub ratio: f64,
}

impl Figure {
    /// From the milliseconds of each round: library, bare.
    pub fn of(rounds: &[(f64, f64)]) -> Figure {
        Figure {
            library: median(rounds.iter().map(|round| round.0)),
            bare: median(rounds.iter().map(|round| round.1)),
            ratio: median(rounds.iter().map(|round| round.0 / round.1)),
        }
    }
}

/// The measurements of a pair.
#[derive(Clone)]
pub struct Timing {
    /// From the first call to the last texel.
    pub wall: Figure,
    /// The calls alone.
    pub submission: Option<Figure>,
    /// The GPU's own clock, where it has one.
    pub gpu: Option<Figure>,
    /// The others by name: milliseconds a repetition.
    pub beside: Vec<(String, f64)>,
    /// The remark of the library's side.
    pub said: Option<String>,
    /// Milliseconds of each round: library, bare.
    rounds: Vec<(f64, f64)>,
}

impl Timing {
    /// The timing of whole processes, which have a beginning and an end only.
    pub fn of_processes(rounds: Vec<(f64, f64)>) -> Timing {
        Timing {
            wall: Figure::of(&rounds),
            submission: None,
            gpu: None,
            beside: Vec::new(),
            said: None,
            rounds,
        }
    }

    /// How many times as long as another pair of the same rounds: library, bare.
    pub fn over(&self, other: &Timing) -> (f64, f64) {
        let rounds = || self.rounds.iter().zip(&other.rounds);
        (median(rounds().map(|(a, b)| a.0 / b.0)), median(rounds().map(|(a, b)| a.1 / b.1)))
    }
}

/// Times all pairs in turns, and in each pair both sides, the one before the other in every second round. Those beside
/// come after all of them: while a CPU works, a GPU goes slower to save power, and stays so for longer than a turn lasts.
/// `timers` says whether the GPU's clock can be believed.
pub fn measure(gpu: &Gpu, timers: bool, rounds: u32, mut pairs: Vec<Pair>) -> Result<Vec<Timing>> {
    let times = pairs.iter_mut().map(calibrate).collect::<Result<Vec<u32>>>()?;
    if timers {
        warm(&mut pairs)?;
    }
    let mut turns: Vec<Vec<(Turn, Option<Turn>)>> = pairs.iter().map(|_| Vec::new()).collect();
    for round in 0..rounds {
        for ((pair, &times), turns) in pairs.iter_mut().zip(&times).zip(&mut turns) {
            let mut library = || run(gpu, timers, pair.library.as_mut(), times);
            let mut bare =
                || pair.bare.as_mut().map(|bare| run(gpu, timers, bare.as_mut(), times)).transpose();
            turns.push(if round.is_multiple_of(2) {
                (library()?, bare()?)
            } else {
                let bare = bare()?;
                (library()?, bare)
            });
        }
    }
    let turns = turns.iter().zip(times).map(|(turns, times)| timing(turns, times, timers));
    let beside = pairs.iter_mut().map(|pair| Beside::measure(pair, rounds)).collect::<Result<Vec<_>>>()?;
    let said: Vec<Option<String>> = pairs.iter().map(|pair| pair.library.said()).collect();
    let all = turns.zip(beside).zip(said);
    Ok(all.map(|((timing, beside), said)| Timing { beside, said, ..timing }).collect())
}

/// Keeps a GPU at work until it goes as fast as it can.
fn warm(pairs: &mut [Pair]) -> Result<()> {
    let clock = Instant::now();
    while clock.elapsed() < WARM {
        for pair in &mut *pairs {
            pair.library.run(pair.least)?;
        }
    }
    Ok(())
}

/// One of those beside, and its milliseconds a repetition in each round. It repeats as it needs, since it may be
/// many times slower or faster than the GPU.
struct Beside {
    times: u32,
    rounds: Vec<f64>,
}

impl Beside {
    /// All that stand beside a pair, in turns: name and milliseconds a repetition.
    fn measure(pair: &mut Pair, rounds: u32) -> Result<Vec<(String, f64)>> {
        let calibrated = |(_, work): &mut (String, Box<dyn Work>)| {
            let times = repetitions(1, |times| Ok(work.run(times)?.done))?;
            Ok(Beside { times, rounds: Vec::new() })
        };
        let mut all = pair.beside.iter_mut().map(calibrated).collect::<Result<Vec<Beside>>>()?;
        for _ in 0..rounds {
            let mut each = pair.beside.iter_mut().zip(&mut all);
            each.try_for_each(|((_, work), beside)| beside.run(work.as_mut()))?;
        }
        let medians = all.into_iter().map(|beside| median(beside.rounds.into_iter()));
        Ok(pair.beside.iter().map(|(name, _)| name.clone()).zip(medians).collect())
    }

    fn run(&mut self, work: &mut dyn Work) -> Result<()> {
        let lapse = work.run(self.times)?;
        self.rounds.push(lapse.done.as_secs_f64() * 1e3 / f64::from(self.times));
        Ok(())
    }
}

fn timing(turns: &[(Turn, Option<Turn>)], times: u32, timers: bool) -> Timing {
    let rounds = |of: fn(&Turn) -> Duration| {
        let each = |turn: &Turn| of(turn).as_secs_f64() * 1e3 / f64::from(times);
        let both =
            |(library, bare): &(Turn, Option<Turn>)| (each(library), bare.as_ref().map_or(f64::NAN, each));
        turns.iter().map(both).collect::<Vec<_>>()
    };
    let wall = rounds(|turn| turn.lapse.done);
    Timing {
        wall: Figure::of(&wall),
        submission: Some(Figure::of(&rounds(|turn| turn.lapse.submitted))),
        gpu: timers.then(|| Figure::of(&rounds(|turn| turn.gpu))),
        beside: Vec::new(),
        said: None,
        rounds: wall,
    }
}

/// One side's part of a round.
struct Turn {
    lapse: Elapsed,
    gpu: Duration,
}

/// Both sides begin with an idle GPU that has been told all it was told before: a query that waits in the
/// driver's buffer would begin later for one side than for the other.
fn run(gpu: &Gpu, timers: bool, work: &mut dyn Work, times: u32) -> Result<Turn> {
    gpu.glow(|_| ());
    gpu.finish();
    if !timers {
        return Ok(Turn { lapse: work.run(times)?, gpu: Duration::ZERO });
    }
    let (lapse, query) = gpu.time(|| work.run(times))?;
    Ok(Turn { lapse, gpu: query.wait()? })
}

/// Repetitions that make either side last long enough; runs both warm on the way.
fn calibrate(pair: &mut Pair) -> Result<u32> {
    repetitions(pair.least, |times| {
        let library = pair.library.run(times)?.done;
        let bare = pair.bare.as_mut().map(|bare| bare.run(times)).transpose()?;
        Ok(bare.map_or(library, |bare| library.min(bare.done)))
    })
}

/// Repetitions that make a run last long enough, at least so many.
fn repetitions(least: u32, mut run: impl FnMut(u32) -> Result<Duration>) -> Result<u32> {
    let mut times = least;
    loop {
        let took = run(times)?;
        if took >= LEAST || times >= MOST {
            return Ok(times);
        }
        // The first run compiles: no more than eight times as many at once.
        let wanted = LEAST.as_secs_f64() * 1.1 / took.as_secs_f64().max(1e-9);
        times = (f64::from(times) * wanted.clamp(1.2, 8.0)).ceil().min(f64::from(MOST)) as u32;
    }
}

/// The middle value; of an even number, the upper of the two.
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_one() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), 2.0);
        assert_eq!(median([4.0, 1.0].into_iter()), 4.0);
        assert!(median(std::iter::empty()).is_nan());
    }

    #[test]
    fn pairs_of_the_same_rounds_are_compared_round_by_round() {
        let slow = Timing::of_processes(vec![(2.0, 3.0), (20.0, 30.0), (2.0, 3.0)]);
        let quick = Timing::of_processes(vec![(1.0, 1.0), (10.0, 10.0), (9.0, 9.0)]);
        assert_eq!(slow.over(&quick), (2.0, 3.0));
    }

    #[test]
    fn a_slow_spell_does_not_move_the_ratio() {
        let rounds = [(1.1, 1.0), (1.1, 1.0), (5.5, 5.0), (5.5, 5.0), (5.5, 5.0)];
        assert!((Figure::of(&rounds).ratio - 1.1).abs() < 1e-12);
    }
}
