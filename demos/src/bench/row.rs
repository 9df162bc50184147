//! What a line of the table is, before and after it is measured.

use anyhow::Result;
use quadrille::Gpu;
use quadrille::gl::bare::Bare;

use super::interleave::{self, Figure, Pair, Timing};

/// What every row needs. The bare objects go before the context they live in.
pub struct Bench {
    pub bare: Bare,
    pub gpu: Gpu,
    pub rounds: u32,
}

impl Bench {
    /// Whether the GPU's clock measures the work: a renderer on the CPU times its own book-keeping.
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

type Measure = Box<dyn Fn(&Bench) -> Result<Timing>>;

pub struct Row {
    pub name: String,
    pub size: String,
    /// Milliseconds of the GeForce 6800 GT in Table 44-1.
    pub paper_ms: Option<f64>,
    /// What is counted by the second in the note.
    pub counted: Option<&'static str>,
    /// Only the time of submitting is shown.
    pub submission: bool,
    pub measure: Measure,
}

impl Row {
    /// A row whose two sides `build` makes.
    pub fn new(name: &str, size: &str, build: impl Fn(&Bench) -> Result<Pair> + 'static) -> Row {
        let measure = move |bench: &Bench| {
            let pair = build(bench)?;
            Ok(interleave::measure(&bench.gpu, bench.timers(), bench.rounds, pair)?)
        };
        Row::measured_by(name, size, measure)
    }

    /// A row that is measured in its own way.
    pub fn measured_by(name: &str, size: &str, measure: impl Fn(&Bench) -> Result<Timing> + 'static) -> Row {
        let (name, size) = (name.to_owned(), size.to_owned());
        let measure = Box::new(measure);
        Row { name, size, paper_ms: None, counted: None, submission: false, measure }
    }
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

/// The figure of the row of that name, if it was measured.
pub fn figure(rows: &[Measured], name: &str) -> Option<Figure> {
    rows.iter().find(|measured| measured.row.name == name).map(Measured::figure)
}
