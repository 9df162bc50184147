//! One simulation in four formats, and in f64 beside them.

use super::panels::{Copies, Places};
use super::subjects::{self, Orbits, Run};
use super::trails::Trails;
use super::{FORMATS, Look, Miss};
use crate::Result;
use crate::gl::{Edges, Rect};
use crate::pug::{Buffer, Gpu, Precision};
use crate::sim::gray_scott::{self, GrayScott};

/// The next state of a state, in f64.
type Step = Box<dyn Fn(&[f64]) -> Vec<f64>>;

/// The initial state of a seed.
type Seed = Box<dyn Fn(u64) -> Result<Vec<f32>>>;

/// The same simulation in each of [`FORMATS`], and its twin in f64, which all are measured against: whoever compares brings the
/// twin's step along, the next state of a state.
///
/// All begin with the same 32-bit numbers. The twin takes them as they are, each format stores them as it can: the error
/// of step 0 is that of storing.
///
/// # Example
/// ```no_run
/// # fn main() -> quadrille::Result<()> {
/// # let gpu = quadrille::Gpu::headless()?;
/// use quadrille::sim::formats::{Comparison, FORMATS};
/// # let exact = |state: &[f64]| state.to_vec();
/// // exact(&state): the next state of a state, in f64.
/// let mut comparison = Comparison::wave(&gpu, 128, 128, 0.45, 1, exact)?;
/// for _ in 0..100 {
///     comparison.step()?;
/// }
/// for (format, miss) in FORMATS.iter().zip(comparison.look()?.misses) {
///     println!("{}: {:.1e}", format.name(), miss.rms);
/// }
/// # Ok(())
/// # }
/// ```
pub struct Comparison {
    runs: Vec<Box<dyn Run>>,
    steps: u64,
    twin: F64Run,
    seed: Seed,
    picture: Picture,
    looks: Vec<Look>,
}

/// All that a comparison needs to go on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Steps since the beginning.
    pub steps: u64,
    /// The numbers of each format, in the order of [`FORMATS`], row after row.
    pub states: Vec<Vec<f32>>,
    /// Those of the twin.
    pub twin: Vec<f64>,
    /// All looks since the beginning.
    pub looks: Vec<Look>,
    /// The trails of planets, all panels with what lies between them; empty of fields, whose picture is their state.
    pub trails: Vec<f32>,
}

/// The run in f64.
struct F64Run {
    state: Vec<f64>,
    step: Step,
}

/// The picture: states themselves, or the ways of planets.
enum Picture {
    Copies(Copies),
    Trails(Trails),
}

impl Comparison {
    /// Gray–Scott on width × height cells; see [`GrayScott::new`].
    ///
    /// # Errors
    /// Those of [`GrayScott::new`]; [`OverLimit`](crate::Error::OverLimit) where the picture of all four is too large.
    pub fn gray_scott(
        gpu: &Gpu,
        width: u32,
        height: u32,
        parameters: gray_scott::Parameters,
        edges: Edges,
        seed: u64,
        exact: impl Fn(&[f64]) -> Vec<f64> + 'static,
    ) -> Result<Comparison> {
        let run = |precision| -> Result<Box<dyn Run>> {
            Ok(Box::new(GrayScott::with_precision(gpu, width, height, parameters, edges, seed, precision)?))
        };
        let begin = move |seed| Ok(gray_scott::seed(width, height, seed));
        // Lines of as much v as a pattern has, and no u.
        let picture = Picture::Copies(Copies::new(gpu, width, height, &[0.0, 1.0])?);
        Comparison::of(run, Box::new(exact), Box::new(begin), picture, seed)
    }

    /// Explicit waves on width × height cells with edges where the water slides, after a drop that goes by the seed.
    ///
    /// # Errors
    /// [`BadParameter`](crate::Error::BadParameter) for β outside 0 to [`STABLE`](crate::sim::wave::STABLE);
    /// [`OverLimit`](crate::Error::OverLimit) where the picture of all four is too large; those of making a buffer.
    pub fn wave(
        gpu: &Gpu,
        width: u32,
        height: u32,
        beta: f32,
        seed: u64,
        exact: impl Fn(&[f64]) -> Vec<f64> + 'static,
    ) -> Result<Comparison> {
        subjects::check_wave(beta)?;
        let size = (width, height);
        let picture = Picture::Copies(Copies::new(gpu, width, height, &[1.0, 1.0])?);
        let run =
            |precision| -> Result<Box<dyn Run>> { Ok(Box::new(subjects::wave(gpu, size, beta, precision)?)) };
        let gpu = gpu.clone();
        let begin = move |seed| subjects::first_drop(&gpu, size, seed);
        Comparison::of(run, Box::new(exact), Box::new(begin), picture, seed)
    }

    /// Four planets around a sun, drawn with their trails into panels of width × height texels.
    ///
    /// # Errors
    /// [`BadParameter`](crate::Error::BadParameter) for a time step outside 0 to 0.1 or softening outside 0.01 to 1;
    /// [`Empty`](crate::Error::Empty) without texels; [`OverLimit`](crate::Error::OverLimit) where the picture of all four
    /// is too large.
    pub fn orbits(
        gpu: &Gpu,
        width: u32,
        height: u32,
        orbits: Orbits,
        seed: u64,
        exact: impl Fn(&[f64]) -> Vec<f64> + 'static,
    ) -> Result<Comparison> {
        orbits.check()?;
        let run = |precision| -> Result<Box<dyn Run>> { Ok(Box::new(orbits.run(gpu, precision)?)) };
        let picture = Picture::Trails(Trails::new(gpu, width, height)?);
        let begin = |seed| Ok(Orbits::seed(seed));
        Comparison::of(run, Box::new(exact), Box::new(begin), picture, seed)
    }

    fn of(
        run: impl Fn(Precision) -> Result<Box<dyn Run>>,
        step: Step,
        seed: Seed,
        picture: Picture,
        number: u64,
    ) -> Result<Comparison> {
        let runs = FORMATS.into_iter().map(run).collect::<Result<Vec<_>>>()?;
        let twin = F64Run { state: Vec::new(), step };
        let mut comparison = Comparison { runs, steps: 0, twin, seed, picture, looks: Vec::new() };
        comparison.reset(number)?;
        Ok(comparison)
    }

    /// Back to the state of that seed, with no looks.
    pub fn reset(&mut self, seed: u64) -> Result<()> {
        let state = (self.seed)(seed)?;
        self.begin(&state)
    }

    /// All begin with that state, at step 0 and with no looks: the numbers of one run, row after row.
    ///
    /// # Errors
    /// [`WrongLength`](crate::Error::WrongLength).
    pub fn begin(&mut self, state: &[f32]) -> Result<()> {
        self.runs.iter_mut().try_for_each(|run| run.set_state(state))?;
        self.steps = 0;
        self.twin.state = state.iter().map(|&v| v.into()).collect();
        self.looks.clear();
        if let Picture::Trails(trails) = &mut self.picture {
            trails.clear()?;
        }
        self.refresh_trails()
    }

    /// Reads all back that it needs to go on.
    pub fn snapshot(&self) -> Result<Snapshot> {
        let states = self.runs.iter().map(|run| run.state().data()).collect::<Result<Vec<_>>>()?;
        let trails = match &self.picture {
            Picture::Trails(trails) => trails.picture().data()?,
            Picture::Copies(_) => Vec::new(),
        };
        let (twin, looks) = (self.twin.state.clone(), self.looks.clone());
        Ok(Snapshot { steps: self.steps, states, twin, looks, trails })
    }

    /// Goes on from there, bit for bit as the one that it was read from.
    ///
    /// # Errors
    /// [`WrongLength`](crate::Error::WrongLength) for another number of formats or of numbers, with nothing changed.
    pub fn resume(&mut self, snapshot: &Snapshot) -> Result<()> {
        let Snapshot { steps, states, twin, looks, trails } = snapshot;
        let drawn = match &self.picture {
            Picture::Trails(trails) => trails.picture().data()?.len(),
            Picture::Copies(_) => 0,
        };
        let numbers = self.twin.state.len();
        let lengths = states.iter().map(Vec::len).chain([twin.len()]).map(|found| (found, numbers));
        let others = [(states.len(), self.runs.len()), (trails.len(), drawn)];
        if let Some((found, expected)) = lengths.chain(others).find(|(found, expected)| found != expected) {
            let (what, shape) = ("state of a comparison".to_owned(), "formats, numbers, trails".to_owned());
            return Err(crate::Error::WrongLength { what, found, expected, shape });
        }
        self.runs.iter_mut().zip(states).try_for_each(|(run, state)| run.set_state(state))?;
        (self.steps, self.twin.state, self.looks) = (*steps, twin.clone(), looks.clone());
        match &mut self.picture {
            Picture::Trails(kept) => kept.set(trails),
            Picture::Copies(_) => Ok(()),
        }
    }

    /// One step of each format, and of the twin on the CPU; of planets, their trails too.
    ///
    /// # Errors
    /// [`WrongLength`](crate::Error::WrongLength) where the step in f64 gives a state of another length; then nothing has changed.
    pub fn step(&mut self) -> Result<()> {
        let next = (self.twin.step)(&self.twin.state);
        let (found, expected) = (next.len(), self.twin.state.len());
        if found != expected {
            let (what, shape) = ("step of a comparison in f64".to_owned(), "a number for each".to_owned());
            return Err(crate::Error::WrongLength { what, found, expected, shape });
        }
        self.runs.iter_mut().try_for_each(|run| run.step())?;
        self.twin.state = next;
        self.steps += 1;
        self.refresh_trails()
    }

    fn refresh_trails(&mut self) -> Result<()> {
        match &mut self.picture {
            Picture::Trails(trails) => trails.draw(self.runs.iter().map(|run| run.state())),
            Picture::Copies(_) => Ok(()),
        }
    }

    /// Measures all formats against the twin. Reads four states back.
    pub fn measure(&self) -> Result<Look> {
        let mut look = Look { steps: self.steps, misses: [Miss::default(); 4] };
        for (miss, run) in look.misses.iter_mut().zip(&self.runs) {
            *miss = Miss::between(&run.state().data()?, &self.twin.state);
        }
        Ok(look)
    }

    /// [`Comparison::measure`], kept among the [`Comparison::looks`], one for each step that is looked at.
    ///
    /// # Errors
    /// As [`Comparison::measure`].
    pub fn look(&mut self) -> Result<Look> {
        let look = self.measure()?;
        if self.looks.last().is_none_or(|last| last.steps != look.steps) {
            self.looks.push(look);
        }
        Ok(look)
    }

    /// All looks since the beginning.
    pub fn looks(&self) -> &[Look] {
        &self.looks
    }

    /// One step of a state in f64.
    pub fn exact_step(&self, state: &[f32]) -> Vec<f64> {
        (self.twin.step)(&state.iter().map(|&v| v.into()).collect::<Vec<_>>())
    }

    /// The newest state of the run in f64.
    pub fn twin(&self) -> &[f64] {
        &self.twin.state
    }

    /// The newest state of a format, in the order of [`FORMATS`]; `None` past the last.
    pub fn state(&self, format: usize) -> Option<&Buffer> {
        self.runs.get(format).map(|run| run.state())
    }

    /// Brings [`Comparison::picture`] up to date: of fields, a pass for each format; trails are.
    pub fn refresh(&self) -> Result<()> {
        match &self.picture {
            Picture::Copies(copies) => copies.refresh(self.runs.iter().map(|run| run.state())),
            Picture::Trails(_) => Ok(()),
        }
    }

    /// All formats in one buffer of 32-bit numbers, two panels beside two in the order of [`FORMATS`], as of the last
    /// [`Comparison::refresh`]. Of fields each panel is an exact copy of a state.
    pub fn picture(&self) -> &Buffer {
        match &self.picture {
            Picture::Copies(copies) => copies.picture(),
            Picture::Trails(trails) => trails.picture(),
        }
    }

    /// Where a format's panel lies in the picture.
    pub fn place(&self, format: usize) -> Rect {
        self.places().of(format)
    }

    fn places(&self) -> Places {
        match &self.picture {
            Picture::Copies(copies) => copies.places(),
            Picture::Trails(trails) => trails.places(),
        }
    }

    /// Steps since the beginning.
    pub fn steps(&self) -> u64 {
        self.steps
    }
}
