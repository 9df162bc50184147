//! A run in a window: the demo, how far it is, and the files it leaves.

use std::io::Write;
use std::path::PathBuf;
use std::rc::Rc;

use anyhow::Result;
use quadrille::{Gpu, Rect};
use quadrille_gallery::demo::{About, Demo, Request, Source, named, saved};

use crate::demo::chosen::Chosen;
use crate::demo::record::Recorder;
use crate::demo::state;
use crate::files::atomic;
use crate::files::picture::write_png;
use crate::output;

pub struct Run {
    pub about: &'static About,
    pub demo: Box<dyn Demo>,
    recorder: Recorder,
    step: u64,
    /// Passes of the last step.
    passes: Option<u64>,
    /// The step after which the window closes.
    limit: Option<u64>,
    /// The request that it started from.
    request: Rc<Request>,
    /// The step that a reset to the seed of a loaded state leads to, while there is one.
    loaded: Option<u64>,
}

impl Run {
    pub fn new(gpu: &Gpu, chosen: &Chosen, recorder: Recorder) -> Result<Run> {
        let demo = chosen.start(gpu)?;
        let step = chosen.first_step;
        let limit = chosen.arguments.steps.map(|steps| step.saturating_add(steps));
        let loaded = chosen.goes_on().then_some(step);
        let (about, request) = (chosen.about, chosen.request.clone());
        let mut run = Run { about, demo, recorder, step, passes: None, limit, request, loaded };
        run.record()?;
        Ok(run)
    }

    /// At most that many steps, fewer at the end of the run or when the demo is over; says how many.
    pub fn advance(&mut self, gpu: &Gpu, steps: u64) -> Result<u64> {
        let left = self.limit.map_or(u64::MAX, |limit| limit.saturating_sub(self.step));
        let before = self.step;
        for _ in 0..steps.min(left) {
            if self.demo.is_over() {
                break;
            }
            self.demo.before_step(self.step + 1)?;
            let passes = gpu.counters().passes;
            match self.demo.step() {
                // It has not been made, and the window closes.
                Err(error) if error.is::<output::Interrupted>() => break,
                made => made?,
            }
            if self.demo.solved().is_err() {
                break;
            }
            self.passes = Some(gpu.counters().passes - passes);
            self.step += 1;
            self.record()?;
        }
        Ok(self.step - before)
    }

    /// Steps since the beginning or the last reset.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Passes of the last step, if there was one.
    pub fn passes_a_step(&self) -> Option<u64> {
        self.passes
    }

    /// Returns true if it was asked for so many steps.
    pub fn has_limit(&self) -> bool {
        self.limit.is_some()
    }

    /// The file that it began with.
    pub fn loaded_from(&self) -> Option<String> {
        self.request.path().map(|path| path.display().to_string())
    }

    /// Returns true if all steps that were asked for are done, or there are no more.
    pub fn is_done(&self) -> bool {
        self.limit.is_some_and(|limit| self.step >= limit || self.demo.is_over())
    }

    /// Back to the initial state of that seed, and to step 0; or to what the run went on from, and its step.
    pub fn reset(&mut self, seed: u64) -> Result<()> {
        self.demo.reset(seed)?;
        self.step = 0;
        if let (Some(step), Some(Source { path, state: Some(state) })) = (self.loaded, &self.request.load)
            && self.request.seed() == seed
        {
            self.demo.restore(state).map_err(|error| named(path, error))?;
            self.step = step;
        }
        self.record()
    }

    /// The demo's own widgets may have put it back to a beginning: then this is step 0.
    pub fn follow(&mut self) -> Result<()> {
        if self.demo.has_begun_anew() {
            (self.step, self.loaded) = (0, None);
            self.record()?;
        }
        Ok(())
    }

    /// Draws the state into that part of the window.
    pub fn draw(&mut self, place: Rect) -> Result<()> {
        self.demo.picture().draw(place)
    }

    /// The name of a file of this step in the current folder.
    fn file(&self, ending: &str) -> PathBuf {
        let stem = self.demo.file_stem().unwrap_or_else(|| self.about.name.to_owned());
        PathBuf::from(format!("{stem}-{}{ending}", self.step))
    }

    /// Writes all that the demo needs to go on, as `--save` does; says where.
    pub fn save_state(&mut self) -> Result<PathBuf> {
        let path = self.file(".npz");
        self.demo.sound()?;
        state::write(&path, &saved(self.about, self.demo.as_ref(), self.step)?)?;
        Ok(path)
    }

    /// Writes curves of findings; says where.
    pub fn save_curves(&mut self, csv: &str) -> Result<PathBuf> {
        let path = self.file(".csv");
        atomic::write(&path, |file| Ok(file.write_all(csv.as_bytes())?))?;
        Ok(path)
    }

    /// Writes the picture, as `--out` does, into the current folder; says where.
    pub fn save_picture(&mut self) -> Result<PathBuf> {
        let path = self.file(".png");
        self.demo.prepare()?;
        write_png(&path, &self.demo.picture().image()?)?;
        Ok(path)
    }

    /// Writes what `--out` and `--save` ask for.
    pub fn finish(mut self) -> Result<()> {
        let written = self.recorder.finish(self.demo.as_mut(), self.step)?;
        written.iter().try_for_each(|path| output::say(&output::wrote(path)))?;
        self.demo.solved()
    }

    fn record(&mut self) -> Result<()> {
        if self.recorder.due(self.step) {
            self.recorder.frame(self.demo.as_mut(), self.step)?;
        }
        Ok(())
    }
}
