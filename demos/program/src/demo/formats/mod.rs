//! The number formats of Table 31-1 side by side (row C11): the error of each against f64, and where counting ends.

mod curves;
mod report;
mod start;
mod state;
mod subject;

use anyhow::Result;
use quadrille::Gpu;
use quadrille::pug::Precision;
use quadrille::sim::formats::{FORMATS, stores_halves_to_nearest};
use serde_json::Value;

use super::shown::{Mark, Shown, place_in};
use super::state::{Kept, State};
use super::{Measure, Simulation};
use crate::cli::{Size, SubjectName};
use crate::files::Array;
use crate::files::npz::Named;

pub use start::chosen;
use subject::Subject;

pub const NAME: &str = "formats";

/// The flags that a state keeps.
pub const KEPT: &[Kept] = &[("what", "")];

/// The demos whose states all formats can begin with.
pub const BEGINNINGS: [&str; 2] = ["reaction-diffusion", "wave"];

/// Colours of the formats in plots, and how wide their lines are: where the driver chops, both of 16 bits err alike.
const STYLES: [([u8; 3], u32); 4] =
    [([40, 120, 200], 2), ([50, 160, 60], 2), ([245, 165, 50], 6), ([190, 40, 50], 2)];

struct Formats {
    gpu: Gpu,
    what: SubjectName,
    subject: Subject,
    /// As it was asked for.
    size: Option<Size>,
    seed: u64,
    /// The state that all began with, if it came from a file, and the seed that stands for it.
    loaded: Option<(Vec<f32>, u64)>,
    /// Whether the panel has begun it anew since the window last asked.
    anew: bool,
    /// Whether the driver rounds what it stores in 16 bits.
    to_nearest: bool,
    files: report::Files,
}

impl Formats {
    fn new(
        gpu: &Gpu,
        what: SubjectName,
        size: Option<Size>,
        seed: u64,
        files: report::Files,
    ) -> Result<Formats> {
        let subject = Subject::new(gpu, what, size, seed)?;
        let to_nearest = stores_halves_to_nearest(gpu)?;
        Ok(Formats {
            gpu: gpu.clone(),
            what,
            subject,
            size,
            seed,
            loaded: None,
            anew: false,
            to_nearest,
            files,
        })
    }

    /// Another subject, from its beginning.
    fn switch(&mut self, what: SubjectName) -> Result<()> {
        let size = self.size.filter(|size| what != SubjectName::Counter || subject::holds_counters(*size));
        self.subject = Subject::new(&self.gpu, what, size, self.seed)?;
        (self.what, self.loaded, self.anew) = (what, None, true);
        Ok(())
    }
}

impl Simulation for Formats {
    fn name(&self) -> &'static str {
        NAME
    }

    fn step(&mut self) -> Result<()> {
        self.subject.step()
    }

    fn reset(&mut self, seed: u64) -> Result<()> {
        self.seed = seed;
        match &self.loaded {
            Some((state, of)) if *of == seed => self.subject.begin(state),
            _ => self.subject.reset(seed),
        }
    }

    fn size(&self) -> (String, &'static str) {
        self.subject.size()
    }

    fn shown(&self) -> Result<Shown<'_>> {
        Ok(Shown::Field(self.subject.field()?))
    }

    fn marks(&self) -> Vec<Mark> {
        let name = |(format, precision): (usize, &Precision)| {
            let place = self.subject.place(format);
            Mark::Name { at: place_in(self.subject.picture(), place.x0, place.y0), text: precision.name() }
        };
        FORMATS.iter().enumerate().map(name).collect()
    }

    fn state(&self) -> Result<Array> {
        self.subject.state()
    }

    fn arrays(&self) -> Result<Vec<Named>> {
        state::arrays(&self.subject)
    }

    fn values(&self) -> Result<Value> {
        let place = self.subject.place(0);
        let mut values = self.parameters();
        (values["width"], values["height"]) = (place.width().into(), place.height().into());
        if let Subject::Comparison { next_look, .. } = &self.subject {
            values["next_look"] = (*next_look).into();
        }
        Ok(values)
    }

    /// Nothing of a beginning that another demo saved.
    fn restore(&mut self, saved: &State) -> Result<()> {
        match saved.demo == NAME {
            true => state::restore(&mut self.subject, saved),
            false => Ok(()),
        }
    }

    fn parameters(&self) -> Value {
        self.subject.parameters()
    }

    fn findings(&self) -> Result<Value> {
        report::findings(&self.subject, self.to_nearest)
    }

    fn remarks(&self) -> Result<Vec<String>> {
        report::lines(&self.subject, self.to_nearest)
    }

    fn check(&self, before: &Array) -> Result<Vec<Measure>> {
        self.subject.check(before)
    }

    fn pace(&self) -> u64 {
        self.subject.pace()
    }

    fn file_stem(&self) -> String {
        format!("{NAME}-{}", self.what.name())
    }

    fn has_begun_anew(&mut self) -> bool {
        std::mem::take(&mut self.anew)
    }

    fn panel(&mut self, ui: &mut egui::Ui) -> Result<()> {
        let mut what = self.what;
        ui.horizontal_wrapped(|ui| {
            for (name, text) in [
                (SubjectName::GrayScott, "Gray-Scott"),
                (SubjectName::Wave, "wave"),
                (SubjectName::Orbit, "orbit"),
                (SubjectName::Counter, "counter"),
            ] {
                ui.selectable_value(&mut what, name, text);
            }
        });
        if what != self.what {
            self.switch(what)?;
        }
        curves::show(ui, &self.subject)
    }

    fn write_files(&self) -> Result<Vec<std::path::PathBuf>> {
        self.files.write(&self.subject)
    }
}
