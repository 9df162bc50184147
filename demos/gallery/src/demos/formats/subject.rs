//! The subject that runs in all formats, and how it is shown and checked.

use anyhow::{Context, Result};
use quadrille::gl::Edges;
use quadrille::pug::Precision;
use quadrille::sim::formats::{Comparison, Counter, FORMATS, Look, Orbits};
use quadrille::sim::{Tip, gray_scott, wave};
use quadrille::view::{Mapping, Tones};
use quadrille::{Buffer, Gpu, Rect};
use quadrille_oracle as oracle;

use crate::demo::Measure;
use crate::palette;
use crate::param::Values;
use crate::picture::{Field, Mark, place_in};
use crate::state::{Array, worst};

/// The name of what runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubjectName {
    GrayScott,
    Wave,
    Orbit,
    Counter,
}

pub const SUBJECTS: [(&str, &str, SubjectName); 4] = [
    ("gray-scott", "Reaction and diffusion", SubjectName::GrayScott),
    ("wave", "The explicit wave between edges that reflect", SubjectName::Wave),
    ("orbit", "Four planets around a fixed sun", SubjectName::Orbit),
    (
        "counter",
        "n + 1, from 0 and from 8 below each power of two: counted minus true, a band a step",
        SubjectName::Counter,
    ),
];

/// Counted minus true is shown from minus this to this, by its logarithm: a count that is off by one is not white.
const MISCOUNT: f32 = 1024.0;

pub enum Subject {
    Comparison { what: SubjectName, comparison: Box<Comparison>, next_look: u64, constants: Constants },
    Counter(Box<Counter>),
}

/// The constants of the subjects; counters have none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constants {
    /// F and k of Gray-Scott.
    pub feed: f32,
    pub kill: f32,
    /// beta of the wave.
    pub beta: f32,
    /// The time step of planets.
    pub time_step: f32,
}

impl Default for Constants {
    fn default() -> Constants {
        let gray_scott::Parameters { feed, kill, .. } = gray_scott::Parameters::default();
        let (beta, time_step) = (wave::Parameters::default().beta, Orbits::default().time_step);
        Constants { feed, kill, beta, time_step }
    }
}

impl Constants {
    /// Those, but where values say otherwise.
    pub fn changed(values: &Values, before: Constants) -> Constants {
        Constants {
            feed: values.real("F").unwrap_or(before.feed),
            kill: values.real("k").unwrap_or(before.kill),
            beta: values.real("beta").unwrap_or(before.beta),
            time_step: values.real("time-step").unwrap_or(before.time_step),
        }
    }
}

/// Differences from f64, as all panels lie in the picture.
pub struct Differences {
    pub values: Vec<f32>,
    pub steps: u64,
    /// The end of their colours: the largest number that is to be expected of a state.
    pub most: f32,
}

/// Between the panels of differences: beyond every end.
const BETWEEN: f32 = -1e30;

/// Numbers that a brush leaves: u and v where a pattern begins; and how high a drop stands in its middle.
const SPOT: [f32; 2] = [0.5, 0.25];
const DROP: f32 = 0.15;

/// Returns true if a panel of that size has room for counters and for their steps.
pub fn holds_counters([width, height]: [u32; 2]) -> bool {
    width >= Counter::starts().len() as u32 && height >= Counter::BANDS
}

impl Subject {
    pub fn new(
        gpu: &Gpu,
        what: SubjectName,
        size: Option<[u32; 2]>,
        seed: u64,
        constants: Constants,
    ) -> Result<Subject> {
        let size = |width, height| size.unwrap_or([width, height]);
        let [width, height] = match what {
            SubjectName::GrayScott | SubjectName::Wave => size(128, 128),
            SubjectName::Orbit => size(256, 256),
            SubjectName::Counter => size(200, 192),
        };
        let comparison = match what {
            SubjectName::GrayScott => {
                let parameters = gray_scott::Parameters::of(constants.feed, constants.kill);
                let (columns, rows, constants) = (width as usize, height as usize, parameters.as_f64());
                let exact = move |state: &[f64]| {
                    oracle::gray_scott::step(state, columns, rows, constants, Edges::Repeat)
                };
                Comparison::gray_scott(gpu, width, height, parameters, Edges::Repeat, seed, exact)?
            }
            SubjectName::Wave => {
                let beta = constants.beta;
                let (columns, rows) = (width as usize, height as usize);
                let exact =
                    oracle::wave::Wave { width: columns, height: rows, beta: beta.into(), reflecting: true };
                Comparison::wave(gpu, width, height, beta, seed, exact.of_pairs()?)?
            }
            SubjectName::Orbit => {
                let orbits = Orbits { time_step: constants.time_step, ..Orbits::default() };
                let (time_step, softening) = (orbits.time_step.into(), orbits.softening.into());
                let exact = move |state: &[f64]| oracle::orbit::step(state, time_step, softening);
                Comparison::orbits(gpu, width, height, orbits, seed, exact)?
            }
            SubjectName::Counter => return Ok(Subject::Counter(Box::new(Counter::new(gpu, width, height)?))),
        };
        let mut subject =
            Subject::Comparison { what, comparison: Box::new(comparison), next_look: 0, constants };
        subject.look_if_due()?;
        Ok(subject)
    }

    /// Looks lie a hundredth of the run apart: a thousand of them last for a million steps.
    fn look_if_due(&mut self) -> Result<()> {
        if let Subject::Comparison { comparison, next_look, .. } = self
            && comparison.steps() >= *next_look
        {
            comparison.look()?;
            *next_look = comparison.steps() + (comparison.steps() / 100).max(1);
        }
        Ok(())
    }

    pub fn step(&mut self) -> Result<()> {
        match self {
            Subject::Comparison { comparison, .. } => comparison.step()?,
            Subject::Counter(counter) => counter.step()?,
        }
        self.look_if_due()
    }

    pub fn reset(&mut self, seed: u64) -> Result<()> {
        match self {
            Subject::Comparison { comparison, next_look, .. } => {
                *next_look = 0;
                comparison.reset(seed)?;
            }
            Subject::Counter(counter) => counter.reset()?,
        }
        self.look_if_due()
    }

    /// All formats begin with that state; counters know none.
    pub fn begin(&mut self, state: &[f32]) -> Result<()> {
        if let Subject::Comparison { comparison, next_look, .. } = self {
            *next_look = 0;
            comparison.begin(state)?;
        }
        self.look_if_due()
    }

    /// v, or the height, of each format minus that of f64, in f64; `None` of what is no field.
    pub fn differences(&self) -> Result<Option<Differences>> {
        let Subject::Comparison { what, comparison, .. } = self else { return Ok(None) };
        let (component, most) = match what {
            SubjectName::GrayScott => (1, 0.4),
            SubjectName::Wave => (0, 0.15),
            SubjectName::Orbit | SubjectName::Counter => return Ok(None),
        };
        let width = comparison.picture().width() as usize;
        let mut values = vec![BETWEEN; width * comparison.picture().height() as usize];
        let twin = comparison.twin().as_chunks::<2>().0;
        for format in 0..FORMATS.len() {
            let (place, state) =
                (comparison.place(format), comparison.state(format).context("no such run")?.data()?);
            let columns = place.width() as usize;
            for (i, (found, exact)) in state.as_chunks::<2>().0.iter().zip(twin).enumerate() {
                let (column, row) = (place.x0 as usize + i % columns, place.y0 as usize + i / columns);
                values[row * width + column] = (f64::from(found[component]) - exact[component]) as f32;
            }
        }
        Ok(Some(Differences { values, steps: comparison.steps(), most }))
    }

    /// Paints under a tip, in all formats and in f64, wherever in a panel it is: a spot of v, or a drop; or clears what is there.
    pub fn paint(&mut self, [x, y]: [f32; 2], tip: Tip, clears: bool) -> Result<()> {
        let Subject::Comparison { what, comparison, .. } = self else { return Ok(()) };
        let is_in = |place: &Rect| {
            let inside = |at: f32, from: u32, to: u32| (from as f32..to as f32).contains(&at);
            inside(x, place.x0, place.x1) && inside(y, place.y0, place.y1)
        };
        let Some(place) = (0..FORMATS.len()).map(|format| comparison.place(format)).find(is_in) else {
            return Ok(());
        };
        let mut snapshot = comparison.snapshot()?;
        let [x, y] = [x - place.x0 as f32 - 0.5, y - place.y0 as f32 - 0.5];
        let columns = place.width() as usize;
        for i in 0..snapshot.twin.len() / 2 {
            let away = [(i % columns) as f32 - x, (i / columns) as f32 - y];
            if !tip.covers(away) {
                continue;
            }
            // A drop is round on top, so that the grid carries it.
            let share = 1.0 - (away[0].hypot(away[1]) / tip.radius.max(1.0)).min(1.0).powi(2);
            let before = snapshot.twin[2 * i] as f32;
            let painted = match (*what, clears) {
                (SubjectName::GrayScott, false) => SPOT,
                (SubjectName::GrayScott, true) => [1.0, 0.0],
                (_, false) => [before.max(DROP * share * share); 2],
                (_, true) => [0.0; 2],
            };
            for (k, number) in painted.into_iter().enumerate() {
                snapshot.states.iter_mut().for_each(|state| state[2 * i + k] = number);
                snapshot.twin[2 * i + k] = number.into();
            }
        }
        Ok(comparison.resume(&snapshot)?)
    }

    /// Returns true if a panel is a field, whose cells can be painted and compared.
    pub fn is_field(&self) -> bool {
        matches!(self, Subject::Comparison { what: SubjectName::GrayScott | SubjectName::Wave, .. })
    }

    pub fn picture(&self) -> &Buffer {
        match self {
            Subject::Comparison { comparison, .. } => comparison.picture(),
            Subject::Counter(counter) => counter.picture(),
        }
    }

    pub fn place(&self, format: usize) -> Rect {
        match self {
            Subject::Comparison { comparison, .. } => comparison.place(format),
            Subject::Counter(counter) => counter.place(format),
        }
    }

    /// Marks on the panels: of counters the powers of two where formats end, of all else the step from which on a format is wrong.
    pub fn notes(&self) -> Vec<Mark> {
        match self {
            Subject::Counter(counter) => {
                (0..FORMATS.len()).flat_map(|format| ends(counter, format)).collect()
            }
            Subject::Comparison { comparison, .. } => {
                let note = |format: usize| {
                    let place = comparison.place(format);
                    let at = place_in(comparison.picture(), place.x0, place.y1 - place.height() / 9);
                    let text = match self.parted(format) {
                        Some(step) => format!("wrong by 1 % from step {step} on"),
                        None => "less than 1 % wrong so far".to_owned(),
                    };
                    Mark::Says { at, text }
                };
                (0..FORMATS.len()).map(note).collect()
            }
        }
    }

    /// The error that can be seen: a hundredth of the end of the colours, or of the radius of the smallest orbit.
    pub fn visible(&self) -> f64 {
        match self {
            Subject::Comparison { what: SubjectName::GrayScott, .. } => 0.01 * 0.4,
            Subject::Comparison { what: SubjectName::Wave, .. } => 0.01 * 0.15,
            _ => 0.01,
        }
    }

    /// The step of the first look from which on the error of that format can be seen.
    pub fn parted(&self, format: usize) -> Option<u64> {
        let Subject::Comparison { comparison, .. } = self else { return None };
        let seen =
            |look: &&Look| look.misses[format].rms >= self.visible() || look.misses[format].rms.is_nan();
        comparison.looks().iter().find(seen).map(|look| look.steps)
    }

    /// All looks, and how it is at this step; none of counters.
    pub fn looks(&self) -> Result<Vec<Look>> {
        let Subject::Comparison { comparison, .. } = self else { return Ok(Vec::new()) };
        let mut looks = comparison.looks().to_vec();
        if looks.last().is_none_or(|last| last.steps != comparison.steps()) {
            looks.push(comparison.measure()?);
        }
        Ok(looks)
    }

    pub fn size(&self) -> (String, &'static str) {
        let place = self.place(0);
        let size = format!("{}x{}", place.width(), place.height());
        match self {
            Subject::Comparison { what: SubjectName::Orbit, .. } => (size, "texels for four planets"),
            Subject::Comparison { .. } => (size, "cells"),
            Subject::Counter(_) => (size, "texels for 25 counters"),
        }
    }

    /// v of Gray-Scott as its own demo shows it; heights that are lower; trails; counted minus true.
    pub fn field(&self) -> Field<'_> {
        let (colours, mapping) = match self {
            Subject::Comparison { what: SubjectName::GrayScott, .. } => {
                (palette::DEFAULT, Mapping::of_component(1, 0.0, 0.4))
            }
            Subject::Comparison { what: SubjectName::Wave, .. } => {
                ("blue_red", Mapping::of_component(0, -0.15, 0.15))
            }
            Subject::Comparison { .. } => {
                (palette::DEFAULT, Mapping { smooth: true, ..Mapping::of_component(0, 0.0, 1.0) })
            }
            Subject::Counter(_) => {
                let tones = Tones { logarithmic: true, lines: 0 };
                ("blue_red", Mapping { tones, ..Mapping::of_component(0, -MISCOUNT, MISCOUNT) })
            }
        };
        Field { buffer: self.picture(), heights: false, colours, mapping }
    }

    /// Draws the picture of what runs as it is now.
    pub fn refresh(&self) -> Result<()> {
        match self {
            Subject::Comparison { comparison, .. } => Ok(comparison.refresh()?),
            Subject::Counter(_) => Ok(()),
        }
    }

    /// The buffer that a step draws last.
    pub fn drawn(&self) -> Option<&Buffer> {
        match self {
            Subject::Comparison { comparison, .. } => comparison.state(FORMATS.len() - 1),
            Subject::Counter(counter) => Some(counter.picture()),
        }
    }

    /// The picture, of fields and counters; (x, y, vx, vy) of planets, a row for each format.
    pub fn numbers(&self) -> Result<Array> {
        if let Subject::Comparison { what: SubjectName::Orbit, comparison, .. } = self {
            let states = (0..FORMATS.len()).filter_map(|format| comparison.state(format));
            let values = states.map(Buffer::data).collect::<quadrille::Result<Vec<_>>>()?.concat();
            return Ok(Array { height: FORMATS.len(), width: values.len() / 16, components: 4, values });
        }
        self.refresh()?;
        let buffer = self.picture();
        let (width, height) = (buffer.width() as usize, buffer.height() as usize);
        Ok(Array { height, width, components: buffer.components(), values: buffer.data()? })
    }

    /// Steps a frame.
    pub fn pace(&self) -> u64 {
        match self {
            Subject::Comparison { what: SubjectName::GrayScott, .. } => 10,
            Subject::Comparison { .. } => 4,
            Subject::Counter(_) => 1,
        }
    }

    /// A step of each run against f64 from the state that its format had, and that each stores what the format holds; counters to
    /// the last one.
    pub fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        let Subject::Comparison { what, comparison, constants, .. } = self else {
            let Subject::Counter(counter) = self else { return Ok(Vec::new()) };
            return Ok(vec![Measure { name: "miscount", error: miscount(counter)?, bound: 0.0 }]);
        };
        let mut measures = Vec::new();
        for (format, precision) in FORMATS.into_iter().enumerate() {
            let before = panel(before, comparison, *what, format);
            let after = comparison.state(format).context("no such run")?.data()?;
            let exact = comparison.exact_step(&before);
            let largest = worst(before.iter().map(|&v| f64::from(v).abs()));
            let (scale, roundings) = bound(*what, largest, *constants);
            let (unit, smallest) = stored(precision);
            // The roundings of the step, and that of the store: a unit of the number itself.
            let part = |(&after, exact): (&f32, &f64)| {
                let may = roundings * 2f64.powi(-24) * scale * (1.0 + unit) + unit * exact.abs() + smallest;
                (f64::from(after) - exact).abs() / may
            };
            let [error, strange] = NAMES[format];
            measures.push(Measure {
                name: error,
                error: worst(after.iter().zip(&exact).map(part)),
                bound: 1.0,
            });
            let strays = after.iter().filter(|&&value| !holds(precision, value)).count();
            measures.push(Measure { name: strange, error: strays as f64, bound: 0.0 });
        }
        Ok(measures)
    }
}

/// The measure of each format.
const NAMES: [[&str; 2]; FORMATS.len()] = [
    ["32-bit error, as a part of its bound", "numbers that 32 bits have not"],
    ["24-bit (ATI) error, as a part of its bound", "numbers that 24 bits have not"],
    ["16-bit (NVIDIA) error, as a part of its bound", "numbers that 16 bits have not"],
    ["16-bit (ATI) error, as a part of its bound", "numbers that 16 bits of ATI have not"],
];

/// A chopped store's error: a unit in the last place as a part of the number, and the least number above 0.
fn stored(precision: Precision) -> (f64, f64) {
    match precision {
        Precision::Float32 => (0.0, 0.0),
        Precision::Float24 => (2f64.powi(-16), 2f64.powi(-62)),
        Precision::Float16 => (2f64.powi(-10), 2f64.powi(-24)),
        Precision::Float16Ati => (2f64.powi(-10), 2f64.powi(-15)),
        Precision::Fixed8 => (0.0, 1.0 / 510.0),
    }
}

/// Returns true if a format has that number.
fn holds(precision: Precision, value: f32) -> bool {
    match precision {
        Precision::Float16 => half::f16::from_f32(value).to_f32() == value,
        _ => precision.store(value) == value,
    }
}

/// The size that an error is a share of, and how many roundings by 2⁻²⁴ it may be, in a state whose largest number is that.
///
/// Gray–Scott: as its own demo says, eleven operations and the cube of v. Wave: eight sums of at most 3 + 8β of the largest
/// height. Planets: a place is rounded twice and a velocity twice, and the pull, which h/2 makes small, some twenty times.
fn bound(what: SubjectName, largest: f64, constants: Constants) -> (f64, f64) {
    match what {
        SubjectName::GrayScott => ((largest.max(1.1) / 1.1).powi(3), 16.0),
        SubjectName::Wave => {
            let beta = f64::from(constants.beta);
            (largest.max(f64::MIN_POSITIVE), 8.0 * (3.0 + 8.0 * beta))
        }
        SubjectName::Orbit | SubjectName::Counter => {
            // The usual step has eight; longer ones have as much more of the pull.
            (largest.max(1.0), 8.0 * (f64::from(constants.time_step) / 0.01).max(1.0))
        }
    }
}

/// The state of a format's run in a state of all.
fn panel(state: &Array, comparison: &Comparison, what: SubjectName, format: usize) -> Vec<f32> {
    let Array { width, components, values, .. } = state;
    let line = width * components;
    if what == SubjectName::Orbit {
        return values[format * line..][..line].to_vec();
    }
    let place = comparison.place(format);
    let (first, columns) = (place.x0 as usize * components, place.width() as usize * components);
    let rows = values.chunks_exact(line).skip(place.y0 as usize).take(place.height() as usize);
    rows.flat_map(|row| &row[first..first + columns]).copied().collect()
}

/// The axis below the counters of a format: powers of two at which formats end; at its own a line, past which nothing counts.
fn ends(counter: &Counter, format: usize) -> Vec<Mark> {
    let (place, picture) = (counter.place(format), counter.picture());
    let columns = Counter::starts().len() as u32;
    // From the second column on they begin 8 below 2³, 2⁴ and so on.
    let column = |power: u32| power - 2;
    let own = FORMATS[format].whole_numbers().ilog2();
    let edge = |column: u32| place.x0 + column * place.width() / columns;
    let low = place.y1 - place.height() / 9;
    let mut marks = vec![Mark::Name { at: place_in(picture, place.x0, low), text: "0" }];
    for (power, text) in [(8, "2^8"), (11, "2^11"), (17, "2^17"), (24, "2^24")] {
        marks.push(Mark::Name { at: place_in(picture, edge(column(power)), low), text });
    }
    let line = [place.y0, place.y1].map(|y| place_in(picture, edge(column(own)), y));
    marks.push(Mark::Path { points: line.into(), colour: [255, 170, 60, 255], arrow: false });
    let text = format!("n + 1 = n from 2^{own} on");
    // To the left of the line where there is no room to its right.
    let from = if column(own) > columns / 2 { edge(column(own) - columns / 2) } else { edge(column(own)) };
    marks.push(Mark::Says { at: place_in(picture, from, place.y0 + place.height() / 2), text });
    marks
}

/// How far the worst counter of all formats is from what it must be: true, or the last whole number of its format.
fn miscount(counter: &Counter) -> Result<f64> {
    let mut misses = Vec::new();
    for (count, format) in counter.look()?.iter().zip(FORMATS) {
        let last = f64::from(format.whole_numbers());
        for (start, &counted) in Counter::starts().into_iter().map(f64::from).zip(&count.counted) {
            if start <= last {
                misses.push((f64::from(counted) - (start + counter.steps() as f64).min(last)).abs());
            }
        }
    }
    Ok(worst(misses.into_iter()))
}
