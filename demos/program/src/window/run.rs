//! A run in a window: the simulation, how far it is, and the files it leaves.

use std::path::PathBuf;
use std::rc::Rc;

use anyhow::Result;
use quadrille::{Gpu, Rect};

use crate::demo::record::Recorder;
use crate::demo::scene::Scene;
use crate::demo::{Chosen, Loaded, Simulation, restore, started};
use crate::files::picture::write_png;
use crate::output;

pub struct Run {
    pub simulation: Box<dyn Simulation>,
    pub scene: Scene,
    recorder: Recorder,
    step: u64,
    /// The step after which the window closes.
    limit: Option<u64>,
    /// What it goes on from, and the seed that stands for it.
    loaded: Option<(Rc<Loaded>, u64)>,
}

impl Run {
    pub fn new(gpu: &Gpu, chosen: &Chosen, recorder: Recorder) -> Result<Run> {
        let simulation = started(gpu, chosen)?;
        let scene = Scene::new(gpu, chosen, simulation.as_ref())?;
        let arguments = &chosen.arguments;
        let step = arguments.first_step();
        let limit = arguments.steps.map(|steps| step.saturating_add(steps));
        let loaded = arguments.loaded.clone().map(|loaded| (loaded, arguments.seed()));
        let mut run = Run { simulation, scene, recorder, step, limit, loaded };
        run.record()?;
        Ok(run)
    }

    /// At most that many steps, fewer at the end of the run or when the simulation is over; says how many.
    pub fn advance(&mut self, steps: u64) -> Result<u64> {
        let left = self.limit.map_or(u64::MAX, |limit| limit.saturating_sub(self.step));
        let before = self.step;
        for _ in 0..steps.min(left) {
            if self.simulation.is_over() {
                break;
            }
            self.simulation.before_step(self.step + 1)?;
            match self.simulation.step() {
                // It has not been made, and the window closes.
                Err(error) if error.is::<output::Interrupted>() => break,
                made => made?,
            }
            if self.simulation.solved().is_err() {
                break;
            }
            self.step += 1;
            self.record()?;
        }
        Ok(self.step - before)
    }

    /// Steps since the beginning or the last reset.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Whether all steps that were asked for are done, or there are no more.
    pub fn is_done(&self) -> bool {
        self.limit.is_some_and(|limit| self.step >= limit || self.simulation.is_over())
    }

    /// Back to the initial state of that seed, and to step 0; or to what the run went on from, and its step.
    pub fn reset(&mut self, seed: u64) -> Result<()> {
        self.simulation.reset(seed)?;
        self.step = 0;
        if let Some((loaded, _)) = self.loaded.as_ref().filter(|(_, of)| *of == seed) {
            restore(self.simulation.as_mut(), loaded)?;
            self.step = loaded.state.step;
        }
        self.record()
    }

    /// The simulation's own widgets may have put it back to a beginning: then this is step 0.
    pub fn follow(&mut self) -> Result<()> {
        if self.simulation.has_begun_anew() {
            (self.step, self.loaded) = (0, None);
            self.record()?;
        }
        Ok(())
    }

    /// Draws the state into that part of the window.
    pub fn draw(&mut self, place: Rect) -> Result<()> {
        self.scene.draw(self.simulation.as_ref(), place)
    }

    /// Writes the picture, as `--out` does, into the current folder; says where.
    pub fn save_picture(&mut self) -> Result<PathBuf> {
        let path = PathBuf::from(format!("{}-{}.png", self.simulation.file_stem(), self.step));
        write_png(&path, &self.scene.picture(self.simulation.as_ref())?)?;
        Ok(path)
    }

    /// Writes what `--out` and `--save` ask for.
    pub fn finish(mut self) -> Result<()> {
        let written = self.recorder.finish(self.simulation.as_ref(), &mut self.scene, self.step)?;
        written.iter().try_for_each(|path| output::say(&output::wrote(path)))?;
        self.simulation.solved()
    }

    fn record(&mut self) -> Result<()> {
        if self.recorder.due(self.step) {
            self.recorder.frame(self.simulation.as_ref(), &mut self.scene, self.step)?;
        }
        Ok(())
    }
}
