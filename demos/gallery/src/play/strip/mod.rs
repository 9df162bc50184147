//! The strip below the picture: the passes of the last step in a tree of scopes, and one of them opened.
//!
//! ```text
//! tree      scopes with passes, texels, fetches and time
//! film      the passes of a scope, side by side
//! pass      one pass: inputs, its kernel to be edited, outputs
//! picture   textures in false colours
//! ```
//!
//! While it is closed, a step is a step. While it is open, a step is recorded now and then: its counts and times, and the state before it.
//! A click on a pass goes back to that state and makes the step once more, and keeps the numbers of that pass. So numbers are read
//! only of what is looked at, and it is the step that was seen. A kernel that is edited there is tried in the same way.

mod film;
mod pass;
mod picture;
#[cfg(test)]
mod tests;
mod tree;

use std::rc::Rc;

use anyhow::{Result, anyhow};
use egui::{Panel, ScrollArea, Ui};
use quadrille::Gpu;
use quadrille::trace::{Branch, Recorder, Trace, Watch, What};

use super::editor::Editor;
use crate::demo::{About, Demo, saved};
use crate::state::State;
use pass::Opened;
use picture::Pictures;

/// Seconds from one recording to the next, while the run goes on.
const EVERY: f64 = 0.25;

/// The longest side of the pictures of the film.
const THUMBNAIL: u32 = 48;

/// The most bytes of an opened pass's textures.
const MEMORY: u64 = 256 << 20;

#[derive(Default)]
pub struct Strip {
    open: bool,
    /// The next step is to be recorded.
    due: bool,
    /// When the run is recorded next.
    next: f64,
    seen: Option<Seen>,
    /// The names of the scope whose passes are shown, from the whole on.
    scope: Vec<String>,
    opened: Option<Opened>,
    /// It has been made high enough for the pass that is open.
    grown: bool,
    /// The pass that was clicked.
    wanted: Option<usize>,
    /// Pictures of the film.
    frames: Pictures,
}

/// A step that was recorded.
struct Seen {
    /// The state before it, or why there is none to go back to.
    before: Result<State, String>,
    /// Its number, from 1.
    step: u64,
    trace: Rc<Trace>,
    tree: Vec<Branch>,
    /// True if the outputs of all passes have small pictures.
    pictures: bool,
}

impl Seen {
    fn new(before: Result<State, String>, step: u64, trace: Trace, pictures: bool) -> Seen {
        let tree = trace.tree();
        Seen { before, step, trace: Rc::new(trace), tree, pictures }
    }
}

impl Strip {
    /// Opens it, or closes it: then nothing is kept.
    pub fn toggle(&mut self) {
        *self = Strip { open: !self.open, ..Strip::default() };
    }

    /// Forgets the step that was recorded: the run is somewhere else.
    pub fn forget(&mut self) {
        *self = Strip { open: self.open, ..Strip::default() };
    }

    /// True if a pass is opened: the step stands still.
    pub fn is_frozen(&self) -> bool {
        self.opened.is_some()
    }

    /// Closes the pass that is open; returns true if there was one. The step still stands.
    pub fn close_pass(&mut self) -> bool {
        self.opened.take().is_some()
    }

    /// Makes a step of the demo, the one after `step`; records it if that is due.
    ///
    /// # Errors
    /// Those of the demo.
    pub fn step(
        &mut self,
        gpu: &Gpu,
        about: &About,
        demo: &mut dyn Demo,
        step: u64,
        paused: bool,
    ) -> Result<()> {
        if !self.open || !(paused || self.due) {
            return demo.step();
        }
        self.due = false;
        let before = saved(about, demo, step).map_err(|error| format!("{error:#}"));
        let kept = self.opened.take().filter(|_| paused).map(|opened| opened.place);
        let trace = record(gpu, demo, kept, kept.is_some())?;
        self.took(Seen::new(before, step + 1, trace, kept.is_some()), kept);
        Ok(())
    }

    /// Makes the step once more, from the state before it, in a demo that `restart` starts there: the pass that was clicked is kept
    /// whole, or the one that is open. Returns the demo and its step.
    ///
    /// # Errors
    /// Those of the demo; a state that cannot be gone back to.
    fn repeat(
        &mut self,
        gpu: &Gpu,
        wanted: Option<usize>,
        anew: bool,
        restart: impl FnOnce(State) -> Result<Box<dyn Demo>>,
    ) -> Result<(Box<dyn Demo>, u64)> {
        let place = wanted.or(self.opened.as_ref().map(|opened| opened.place));
        let seen = self.seen.as_ref().ok_or_else(|| anyhow!("no step has been recorded"))?;
        let step = seen.step;
        let before = seen.before.clone();
        let before = before.map_err(|error| anyhow!("the step cannot be made once more: {error}"))?;
        let pictures = anew || !seen.pictures;
        let mut demo = restart(before.clone())?;
        let trace = record(gpu, demo.as_mut(), place, pictures)?;
        if pictures {
            self.took(Seen::new(Ok(before), step, trace, true), place);
        } else {
            self.opened = place.and_then(|place| Opened::new(Rc::new(trace), place));
        }
        Ok((demo, step))
    }

    fn took(&mut self, seen: Seen, place: Option<usize>) {
        self.opened = place.and_then(|place| Opened::new(seen.trace.clone(), place));
        self.frames = Pictures::default();
        self.seen = Some(seen);
    }

    /// Shows it at the bottom of `ui`, if it is open.
    fn show(&mut self, ui: &mut Ui, editor: &mut Editor, now: f64) {
        if !self.open {
            return;
        }
        if now >= self.next {
            (self.due, self.next) = (true, now + EVERY);
        }
        let most = 0.75 * ui.available_height();
        let usual = (0.45 * ui.available_height()).clamp(60.0, 480.0);
        // A pass that opens raises the panel once, for its kernel and textures; then the user sets the height.
        let least =
            if self.is_frozen() && !self.grown { 0.62 * ui.available_height() } else { most.min(60.0) };
        self.grown = self.is_frozen();
        let panel = Panel::bottom("strip").default_size(usual.min(most)).size_range(least..=most);
        panel.show(ui, |ui| self.content(ui, editor, now));
    }

    fn content(&mut self, ui: &mut Ui, editor: &mut Editor, now: f64) {
        ui.add_space(3.0);
        let Some(seen) = &self.seen else {
            ui.weak("The passes of the next step come here: S makes one.");
            ui.allocate_space(ui.available_size());
            return;
        };
        let whole = seen.trace.sums().first().copied().unwrap_or_default();
        let passes = if whole.passes == 1 { "pass" } else { "passes" };
        let mut line = format!("Step {}: {} {passes}", seen.step, whole.passes);
        if whole.seconds > 0.0 {
            line += &format!(", {} ({})", tree::time(whole.seconds), seen.trace.clock.words());
        }
        line += if self.opened.is_some() {
            ". The step stands still: Space goes on."
        } else {
            ". A click on a pass opens it."
        };
        ui.add(egui::Label::new(line).truncate());
        let width = ui.available_width();
        Panel::left("scopes").default_size((0.36 * width).min(340.0)).size_range(90.0..=0.7 * width).show(
            ui,
            |ui| {
                ScrollArea::vertical()
                    .auto_shrink(false)
                    .show(ui, |ui| tree::show(ui, seen, &mut self.scope));
            },
        );
        let open = self.opened.as_ref().map(|opened| opened.place);
        let wanted = film::show(ui, seen, &self.scope, open, &mut self.frames);
        self.wanted = wanted.or(self.wanted);
        if let Some(opened) = &mut self.opened {
            let mut closed = false;
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| closed = opened.show(ui, editor, now));
            if closed {
                self.opened = None;
            }
        }
    }
}

impl super::Play {
    /// Shows the strip at the bottom of `ui`, if it is open.
    pub(super) fn show_strip(&mut self, ui: &mut Ui, now: f64) {
        self.strip.show(ui, &mut self.editor, now);
    }

    /// True if [`Play::again`](crate::play::Play::again) has something to do: what it leads to is seen in the next frame.
    pub fn asks(&self, now: f64) -> bool {
        self.strip.wanted.is_some() || (self.strip.is_frozen() && self.editor.wait(now) == Some(0.0))
    }

    /// Makes the last step once more if a pass of it was clicked or its kernel edited: in a demo that `restart` starts from the state
    /// before it. Returns that demo and its step, which take the place of those there are. What is wrong is said, and then all
    /// stays as it was.
    pub fn again(
        &mut self,
        gpu: &Gpu,
        now: f64,
        restart: impl FnOnce(State) -> Result<Box<dyn Demo>>,
    ) -> Option<(Box<dyn Demo>, u64)> {
        let wanted = self.strip.wanted.take();
        let is_kernel = self.strip.is_frozen() && !self.editor.shows_file();
        let edited = if is_kernel { self.editor.due(now) } else { None };
        if wanted.is_none() && edited.is_none() {
            return None;
        }
        let replaced = match &edited {
            Some((name, text)) => crate::sketch::replace(name, Some(text.clone())),
            None => Ok(()),
        };
        let made = match replaced {
            Ok(()) => self.strip.repeat(gpu, wanted, edited.is_some(), restart),
            Err(error) => Err(error.into()),
        };
        match (made, edited) {
            (Ok(made), edited) => {
                if let Some((name, text)) = edited {
                    self.editor.took(name, text);
                }
                if let Some(kernel) = self.strip.opened.as_ref().and_then(Opened::editable) {
                    self.editor.show_kernel(kernel);
                }
                self.paused = true;
                Some(made)
            }
            (Err(error), Some((name, _))) => {
                let before = self.editor.good.get(name).cloned();
                let back = crate::sketch::replace(name, before);
                self.editor.refuse(&back.err().map_or(error, Into::into));
                None
            }
            (Err(error), None) => {
                self.message.say(format!("{error:#}"));
                None
            }
        }
    }
}

/// Makes a step of the demo: its passes with counts and times; that one's textures whole, and small pictures of all, if asked.
fn record(gpu: &Gpu, demo: &mut dyn Demo, kept: Option<usize>, pictures: bool) -> Result<Trace> {
    let first = gpu.counters().passes + 1;
    let copies = kept.map(|place| (first + place as u64, first + place as u64));
    let thumbnails = if pictures { THUMBNAIL } else { 0 };
    let watch = Watch { times: true, thumbnails, copies, memory: MEMORY, ..Watch::default() };
    let recorder = Recorder::start(gpu, watch)?;
    let made = demo.step();
    let trace = recorder.end();
    made.map(|()| trace)
}

/// The places of all passes among the steps of a trace, in order.
fn passes(trace: &Trace) -> impl Iterator<Item = (usize, usize, &quadrille::trace::Pass)> {
    let of_pass = trace.steps.iter().filter_map(|step| match &step.what {
        What::Pass(pass) => Some((step.scope, &**pass)),
        _ => None,
    });
    of_pass.enumerate().map(|(place, (scope, pass))| (place, scope, pass))
}
