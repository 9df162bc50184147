//! A line of the table, before and after it is measured.

use anyhow::Result;
use quadrille::Gpu;
use quadrille::sim::contact::Collide;

use super::interleave::{self, Figure, Pair, Timing};
use crate::bare::Bare;

/// The contexts that every row needs. The bare objects are dropped before the context they live in.
pub struct Bench {
    pub bare: Bare,
    pub gpu: Gpu,
    pub rounds: u32,
    /// Finds contacts between boxes, where the caller can.
    pub collide: Option<fn() -> Box<dyn Collide>>,
    /// Takes a line about a row that is left out.
    pub complain: fn(&str),
}

impl Bench {
    /// Returns true if the GPU's clock measures the work: a renderer on the CPU times its own book-keeping.
    pub fn timers(&self) -> bool {
        let driver = self.gpu.driver();
        let software = ["llvmpipe", "softpipe", "swiftshader", "software"];
        let renderer = driver.renderer.to_lowercase();
        driver.timers && !software.iter().any(|name| renderer.contains(name))
    }

    /// Runs bare code in the library's context.
    pub fn bare<T>(&self, work: impl FnOnce(&Bare) -> T) -> T {
        self.gpu.glow(|_| work(&self.bare))
    }
}

type BuildPair = dyn Fn(&Bench) -> Result<Pair>;
type Measure = dyn Fn(&Bench) -> Result<Timing>;

/// How a row comes to its figures.
pub enum Build {
    /// Both sides take turns with those of the other rows of the group.
    Pair(Box<BuildPair>),
    /// In a way of its own.
    Alone(Box<Measure>),
}

pub struct Row {
    pub name: String,
    pub size: String,
    pub build: Build,
    /// Milliseconds of the GeForce 6800 GT in Table 44-1.
    pub paper_ms: Option<f64>,
    /// How much of what a repetition makes, for the note, which counts it by the second.
    pub counted: Option<(f64, &'static str)>,
    /// The same in other terms.
    pub also: Option<(f64, &'static str)>,
    /// Only the time of submitting is shown.
    pub submission: bool,
    /// A remark that a reader of the figures needs.
    pub remark: Option<&'static str>,
}

impl Row {
    /// A row whose two sides `build` makes.
    pub fn new(name: &str, size: &str, build: impl Fn(&Bench) -> Result<Pair> + 'static) -> Row {
        Row::built(name, size, Build::Pair(Box::new(build)))
    }

    /// A row that is measured in a way of its own.
    pub fn alone(name: &str, size: &str, measure: impl Fn(&Bench) -> Result<Timing> + 'static) -> Row {
        Row::built(name, size, Build::Alone(Box::new(measure)))
    }

    fn built(name: &str, size: &str, build: Build) -> Row {
        let (name, size) = (name.to_owned(), size.to_owned());
        Row { name, size, build, paper_ms: None, counted: None, also: None, submission: false, remark: None }
    }
}

/// Rows in groups; those of a group take turns.
pub type Rows = Vec<Vec<Row>>;

/// Measures the rows of a group, whose figures are then comparable with each other. Rows that need what the
/// driver, or the card whose limits are in force, does not have are left out, and said to be.
pub fn measure(bench: &Bench, rows: Vec<Row>) -> Result<Vec<Measured>> {
    let mut pairs = Vec::new();
    let mut alone = Vec::new();
    for row in rows {
        match row.build {
            Build::Pair(ref build) => match build(bench) {
                Ok(pair) => pairs.push((pair, row)),
                Err(error) if is_unsupported(&error) => {
                    (bench.complain)(&format!("{}, {}, is left out: {error}", row.name, row.size));
                }
                Err(error) => return Err(error),
            },
            Build::Alone(ref measure) => alone.push(Measured { timing: measure(bench)?, row }),
        }
    }
    let (pairs, rows): (Vec<Pair>, Vec<Row>) = pairs.into_iter().unzip();
    let timings = interleave::measure(&bench.gpu, bench.timers(), bench.rounds, pairs)?;
    let measured = rows.into_iter().zip(timings).map(|(row, timing)| Measured { row, timing });
    Ok(measured.chain(alone).collect())
}

fn is_unsupported(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(quadrille::Error::Unsupported { .. }))
}

/// A row and its figures.
pub struct Measured {
    pub row: Row,
    pub timing: Timing,
}

impl Measured {
    /// The figure that the row is about.
    pub fn figure(&self) -> Figure {
        match self.timing.submission {
            Some(submission) if self.row.submission => submission,
            _ => self.timing.wall,
        }
    }
}

/// The timing of the row of that name, if it was measured.
pub fn timing<'a>(rows: &'a [Measured], name: &str) -> Option<&'a Timing> {
    rows.iter().find(|measured| measured.row.name == name).map(|measured| &measured.timing)
}
