//! A demo on the page, and what one frame of it does.

use std::path::PathBuf;
use std::rc::Rc;

use anyhow::{Context, Result};
use egui::{Align, Event, Layout, Panel, Ui};
use quadrille::Gpu;
use quadrille_gallery::address::Address;
use quadrille_gallery::demo::{About, Demo, Host, Request, Source, all_values, hand_over, named, saved};
use quadrille_gallery::equations;
use quadrille_gallery::param::Values;
use quadrille_gallery::play::editor::Editor;
use quadrille_gallery::play::pace::Pace;
use quadrille_gallery::play::rates::Rates;
use quadrille_gallery::play::{Facts, KeyActions, Place, Play};
use quadrille_gallery::sketch;
use quadrille_gallery::state::State;

use crate::gui::Gui;
use crate::host::Browser;
use crate::{files, outside};

/// Seconds after which a frame makes no further step: the page answers ten times a second.
const BUSY: f64 = 0.1;

/// The next thing to do after a frame.
pub enum Next {
    /// The next frame in so many seconds.
    GoOn(f64),
    /// Back to the gallery.
    Leave,
}

/// A button of the page's own.
#[derive(Clone, Copy)]
enum Wish {
    Share,
    /// The kernels, or the file of equations.
    Text,
    Open,
    FullScreen,
}

pub struct Playing {
    pub about: &'static About,
    demo: Box<dyn Demo>,
    request: Rc<Request>,
    step: u64,
    passes: Option<u64>,
    /// Passes of all demos before it.
    passes_before: u64,
    /// The step that a reset to the seed of a loaded state leads to, while there is one.
    loaded: Option<u64>,
    /// The demo began with a state of the run, by a step that was made once more or another kernel: its own beginning is that.
    repeated: bool,
    pub play: Play,
    rates: Rates,
    /// The demo before an edited kernel, until that has drawn a picture: itself, its step, the kernel, its new text.
    before: Option<(Box<dyn Demo>, u64, &'static str, String)>,
    host: Rc<Browser>,
    /// Steps of the last frame, and when it was.
    drawn: Option<(u64, f64)>,
}

impl Playing {
    /// Starts the demo of an address, from a file if it is given one.
    ///
    /// # Errors
    /// Those of the parameters and of the demo.
    pub fn new(gpu: &Gpu, address: Address, load: Option<Source>) -> Result<Playing> {
        let Address { about, values, mut seed, kernels, wrong } = address;
        let host = Rc::new(Browser::new());
        let mut editor = Editor::new(about, &kernels);
        editor.apply()?;
        let passes_before = gpu.counters().passes;
        let state = load.as_ref().and_then(|source| source.state.as_ref());
        let step = state.map_or(0, |state| state.step);
        seed = seed.or(state.and_then(|state| state.values.get("seed")?.as_u64()));
        let loaded = state.map(|state| state.step);
        let request = Request { draws: true, seed, load, ..Request::new(values, host.clone()) };
        let request = Rc::new(request);
        let mut demo = started(gpu, about, &request)?;
        let mut play = Play::new(about, demo.as_mut(), request.seed_of(about));
        if let (Some(text), Some(file)) = (wrong, about.equation) {
            editor.put(file.name, text, Host::seconds(&*host));
        }
        (play.pace, play.editor) = (Pace::of(demo.as_ref()).measured(), editor);
        let (passes, rates, before, drawn) = (None, Rates::default(), None, None);
        Ok(Playing {
            about,
            demo,
            request,
            step,
            passes,
            passes_before,
            loaded,
            repeated: false,
            play,
            rates,
            before,
            host,
            drawn,
        })
    }

    /// One frame: widgets, what the user asked for, steps, picture.
    pub fn frame(
        &mut self,
        gpu: &Gpu,
        gui: &mut Gui,
        events: Vec<Event>,
        now: f64,
        renderer: &str,
    ) -> Result<Next> {
        let (mut actions, place, wish) = self.lay_out(gpu, gui, events, now, renderer)?;
        if actions.leave > 0 {
            return Ok(Next::Leave);
        }
        actions.full_screen |= matches!(wish, Some(Wish::FullScreen));
        let tries = self.play.editor.wait(now) == Some(0.0);
        let acted = actions != KeyActions::default() || wish.is_some() || tries || self.play.asks(now);
        self.grant(gpu, &actions, wish)?;
        self.again(gpu, now);
        if self.play.edit_file(self.demo.as_mut(), now) {
            self.about = self.demo.about().unwrap_or(self.about);
            self.note_beginning();
        }
        if let Some((name, text)) = self.play.editor.due(now) {
            self.try_kernel(gpu, name, text);
        }
        let drawn = self.advance_and_draw(gpu, gui, actions.steps, place, now);
        let rests = match (drawn, self.before.take()) {
            (Ok(rests), Some((_, from, name, text))) if rests || self.step > from => {
                self.play.editor.took(name, text);
                rests
            }
            (Ok(rests), before) => {
                self.before = before;
                rests
            }
            (Err(error), Some((demo, step, name, _))) => {
                (self.demo, self.step) = (demo, step);
                sketch::replace(name, self.play.editor.good.get(name).cloned())?;
                self.play.editor.refuse(&error);
                return Ok(Next::GoOn(0.0));
            }
            (Err(error), None) => return Err(error),
        };
        gui.paint();
        let mut wait = if acted { 0.0 } else { gui.wake() };
        wait = wait.min(self.play.editor.wait(now).unwrap_or(f64::INFINITY));
        if !rests {
            wait = wait.min(self.play.pace.wait(self.host_seconds()).unwrap_or(0.0));
        }
        Ok(Next::GoOn(wait))
    }

    fn host_seconds(&self) -> f64 {
        self.host.seconds()
    }

    /// Shows the panel; returns what was asked for, and where the picture comes.
    fn lay_out(
        &mut self,
        gpu: &Gpu,
        gui: &mut Gui,
        events: Vec<Event>,
        now: f64,
        renderer: &str,
    ) -> Result<(KeyActions, Option<Place>, Option<Wish>)> {
        let Playing { about, demo, step, passes, passes_before, play, rates, .. } = self;
        let facts = Facts {
            rates: rates.shown(),
            step: *step,
            passes: gpu.counters().passes - *passes_before,
            passes_a_step: *passes,
            renderer,
            now,
        };
        let (mut wish, mut shown) = (None, Ok((KeyActions::default(), egui::Rect::NOTHING)));
        let input = gui.lay_out(events, now, |ui| {
            wish = buttons(ui, about).or(wish);
            play.editor.show(ui, about, now);
            shown = play.lay_out(ui, demo.as_mut(), &facts);
        });
        let (mut actions, area) = shown?;
        self.note_beginning();
        let place = self.play.follow(&input, area, self.demo.as_mut(), &mut actions, self.step)?;
        if let Some(step) = self.play.moved.take() {
            self.step = step;
            self.play.stroke_was_moved();
        }
        if let Some(state) = self.play.wanted.take() {
            match self.stand_at(gpu, state) {
                Ok(()) => self.play.stroke_was_moved(),
                Err(error) => self.play.message.say(format!("the stroke is of another run: {error:#}")),
            }
        }
        // A change that was taken back may have led to another beginning.
        self.note_beginning();
        Ok((actions, place, wish))
    }

    /// Counts from 0 where the demo has gone back to a beginning; returns true then.
    fn note_beginning(&mut self) -> bool {
        let has_begun = self.demo.has_begun_anew();
        if has_begun {
            (self.step, self.loaded) = (0, None);
            self.play.strip.forget();
        }
        has_begun
    }

    /// Does what was asked for.
    fn grant(&mut self, gpu: &Gpu, actions: &KeyActions, wish: Option<Wish>) -> Result<()> {
        if let Some(changed) = self.play.beginning.take() {
            self.begin_anew(gpu, &changed);
        }
        if actions.record.is_some() {
            self.play.message.say("a page has no folder to record into: the program has".to_owned());
        }
        if actions.back {
            self.play.message.say("a page keeps no saved step: open the file that was saved".to_owned());
        }
        self.play.paused = (self.play.paused ^ actions.pause) || actions.steps > 0;
        if actions.reset {
            self.reset(gpu)?;
        }
        if actions.full_screen {
            outside::full_screen();
        }
        if actions.say_command {
            // A state that the run has left for another beginning leads here no more.
            let leads = |load: &&Source| load.state.is_none() || self.loaded.is_some();
            let from = self.request.load.as_ref().filter(leads).map(|load| load.path.display().to_string());
            let is_ours = self.about.name == sketch::ABOUT.name;
            // The program has packed files, and no others.
            let own = self.about.equation.filter(|file| equations::packed(file.name) != Some(file.text));
            let own = own.or(self.about.equation.filter(|file| file.name == equations::NEW.name));
            if let Some(file) = own {
                outside::download(file.name, file.text.as_bytes());
            }
            if !is_ours {
                // Steps from the loaded state on.
                let steps = self.step.saturating_sub(self.loaded.unwrap_or(0));
                let values = all_values(self.about, self.demo.as_ref(), &self.request.values);
                outside::copy(&self.play.command(self.demo.as_mut(), values, steps, from.as_deref()));
            }
            let said = match own {
                _ if is_ours => "the program has no such demo: share the address",
                Some(_) => "the command is in the clipboard, and its file is saved",
                None => "the command is in the clipboard",
            };
            let lacks = if self.play.is_painted() { "; what was painted is not in it" } else { "" };
            self.play.message.say(format!("{said}{lacks}"));
        }
        let saved = [
            actions.save_picture.then(|| self.save_picture()),
            actions.save_state.then(|| self.save_state()),
            actions.save_curves.then(|| self.save(".csv", self.play.curves.csv().as_bytes())),
        ];
        for saved in saved.into_iter().flatten() {
            self.play.message.say(match saved {
                Ok(name) => format!("saved {name}"),
                Err(error) => format!("{error:#}"),
            });
        }
        match wish {
            Some(Wish::Share) => self.share(),
            Some(Wish::Text) => self.play.editor.open ^= true,
            Some(Wish::Open) => outside::choose_file(),
            Some(Wish::FullScreen) | None => {}
        }
        Ok(())
    }

    /// Begins anew with these values in place of those that there are now; the run stays if they make no sense.
    fn begin_anew(&mut self, gpu: &Gpu, changed: &Values) {
        let now = all_values(self.about, self.demo.as_ref(), &self.request.values);
        let values = self.about.anew(&now, changed);
        let seed = Some(self.play.seed).filter(|_| self.demo.uses_seed());
        let request = Rc::new(Request { draws: true, seed, ..Request::new(values, self.host.clone()) });
        match started(gpu, self.about, &request) {
            Ok(demo) => {
                (self.demo, self.request, self.step) = (demo, request, 0);
                (self.loaded, self.before) = (None, None);
                self.play.begin_again();
            }
            Err(error) => self.play.message.say(format!("{error:#}")),
        }
    }

    /// Back to the initial state of the seed, and to step 0; or to what the run went on from, and its step.
    fn reset(&mut self, gpu: &Gpu) -> Result<()> {
        let seed = self.play.seed;
        if std::mem::take(&mut self.repeated) {
            let live = self.demo.values();
            // A state that the run has left for another beginning is no longer where it begins.
            let load = self.request.load.clone().filter(|load| load.state.is_none() || self.loaded.is_some());
            let (values, host) = (self.request.values.clone(), self.host.clone());
            let request =
                Request { draws: true, seed: self.request.seed, load, ..Request::new(values, host) };
            let mut demo = started(gpu, self.about, &Rc::new(request))?;
            hand_over(self.demo.as_mut(), demo.as_mut());
            self.demo = demo;
            self.demo.set(&live)?;
        }
        self.demo.reset(seed)?;
        self.step = 0;
        if let (Some(step), Some(Source { path, state: Some(state) })) = (self.loaded, &self.request.load)
            && self.request.seed_of(self.about) == seed
        {
            self.demo.restore(state).map_err(|error| named(path, error))?;
            self.step = step;
        }
        self.play.begin_again();
        Ok(())
    }

    /// The address that opens what is played, from its beginning.
    pub fn address(&self) -> Address {
        let seed = Some(self.play.seed).filter(|&seed| self.demo.uses_seed() && seed != self.about.seed);
        let kernels = self.play.editor.good.clone().into_iter().collect();
        Address { values: self.values(), seed, kernels, ..Address::of(self.about) }
    }

    /// The values as they are, and those that only the start was told.
    fn values(&self) -> Values {
        let mut values = self.request.values.clone();
        for (name, value) in self.demo.values().iter() {
            values.set(name, value.clone());
        }
        values
    }

    fn share(&mut self) {
        match self.address().shared(outside::whole_address("").len()) {
            Ok((address, said)) => {
                outside::copy(&outside::whole_address(&address));
                outside::show_address(&address, self.about.name, false);
                self.play.message.say(said.to_owned());
            }
            Err(error) => self.play.message.say(format!("{error:#}")),
        }
    }

    fn save(&self, ending: &str, bytes: &[u8]) -> Result<String> {
        let stem = self.demo.file_stem().unwrap_or_else(|| self.about.name.to_owned());
        let name = format!("{stem}-{}{ending}", self.step);
        outside::download(&name, bytes);
        Ok(name)
    }

    fn save_picture(&mut self) -> Result<String> {
        self.demo.prepare()?;
        let bytes = files::png(&self.demo.picture().image()?)?;
        self.save(".png", &bytes)
    }

    fn save_state(&mut self) -> Result<String> {
        self.demo.sound()?;
        let bytes = files::npz(&self.state()?)?;
        self.save(".npz", &bytes)
    }

    /// All that the demo needs to go on.
    pub fn state(&self) -> Result<State> {
        saved(self.about, self.demo.as_ref(), self.step)
    }

    /// Makes the last step once more, if the strip of its passes asks for that.
    fn again(&mut self, gpu: &Gpu, now: f64) {
        let values = given(self.about, &self.values());
        let (about, host) = (self.about, self.host.clone());
        let seed = Some(self.play.seed).filter(|_| self.demo.uses_seed());
        let restart = |state: State| {
            let load = Some(Source { path: PathBuf::from("the step before"), state: Some(state) });
            started(gpu, about, &Rc::new(Request { draws: true, seed, load, ..Request::new(values, host) }))
        };
        if let Some((mut demo, step)) = self.play.again(gpu, now, restart) {
            hand_over(self.demo.as_mut(), demo.as_mut());
            (self.demo, self.step, self.before, self.repeated) = (demo, step, None, true);
        }
    }

    /// Starts the demo from a state of this run.
    fn stand_at(&mut self, gpu: &Gpu, state: State) -> Result<()> {
        let step = state.step;
        let values = self.about.back_at(&given(self.about, &self.values()), &state);
        let seed = Some(self.play.seed).filter(|_| self.demo.uses_seed());
        let load = Some(Source { path: PathBuf::from("the state at the stroke"), state: Some(state) });
        let request = Request { draws: true, seed, load, ..Request::new(values, self.host.clone()) };
        let mut demo = started(gpu, self.about, &Rc::new(request))?;
        hand_over(self.demo.as_mut(), demo.as_mut());
        (self.demo, self.step, self.before, self.repeated) = (demo, step, None, true);
        Ok(())
    }

    /// Starts the demo anew by another text of a kernel, where it is: what it was until now goes on if that fails.
    fn try_kernel(&mut self, gpu: &Gpu, name: &'static str, text: String) {
        let tried = || -> Result<Box<dyn Demo>> {
            sketch::replace(name, Some(text.clone()))?;
            let source = Source { path: PathBuf::from("the run"), state: Some(self.state()?) };
            let (seed, load) = (Some(self.play.seed).filter(|_| self.demo.uses_seed()), Some(source));
            let values = given(self.about, &self.values());
            let request = Request { draws: true, seed, load, ..Request::new(values, self.host.clone()) };
            started(gpu, self.about, &Rc::new(request))
        };
        match tried() {
            Ok(demo) => {
                let good = std::mem::replace(&mut self.demo, demo);
                self.repeated = true;
                // The first good one of two edits without a picture between them counts.
                let (good, step) =
                    self.before.take().map_or((good, self.step), |(demo, step, ..)| (demo, step));
                self.before = Some((good, step, name, text));
            }
            Err(error) => {
                let back = sketch::replace(name, self.play.editor.good.get(name).cloned());
                self.play.editor.refuse(&back.err().map_or(error, Into::into));
            }
        }
    }

    /// Starts the demo anew where it is, with another picture for its kernel.
    ///
    /// # Errors
    /// The demo reads no pictures; no picture.
    pub fn show_picture(&mut self, gpu: &Gpu, name: &str, bytes: &[u8]) -> Result<()> {
        anyhow::ensure!(
            self.about.name == sketch::ABOUT.name,
            "{name}: {} reads no pictures here; the program does",
            self.about.name
        );
        sketch::show_picture(files::image(bytes).map_err(|error| named(name.as_ref(), error))?);
        let text = self
            .play
            .editor
            .good
            .get(sketch::FILE)
            .map_or_else(|| sketch::built_in(sketch::FILE).map(str::to_owned), |text| Ok(text.clone()));
        self.try_kernel(gpu, sketch::FILE, text?);
        Ok(())
    }

    /// Runs the steps of this frame and draws. Says whether the run rests.
    fn advance_and_draw(
        &mut self,
        gpu: &Gpu,
        gui: &Gui,
        single: u64,
        place: Option<Place>,
        now: f64,
    ) -> Result<bool> {
        let rests = self.play.paused || self.demo.is_over();
        if let Some((steps, then)) = self.drawn.take().filter(|_| !rests) {
            // No task sees the GPU's time, but frames come later where it has not done its work. Hidden pages make none.
            self.play.pace.took(steps, (now - then).min(1.0));
        }
        let steps = if self.play.paused { single } else { self.play.pace.due(now) };
        let made = self.advance(gpu, steps, BUSY)?;
        if rests {
            self.rates.rest();
            self.play.pace.rest();
        } else {
            self.rates.frame(made, now);
            self.drawn = Some((made, now));
        }
        gui.clear();
        if let Some(place) = place {
            self.demo.prepare()?;
            self.demo.picture().draw(place.viewport(gui.size[1]))?;
        }
        Ok(rests)
    }

    /// At most that many steps, fewer at the end of the run or where they take longer than `most` seconds; says how many.
    fn advance(&mut self, gpu: &Gpu, steps: u64, most: f64) -> Result<u64> {
        let (mut made, began) = (0, self.host_seconds());
        for _ in 0..steps {
            let is_long = made > 0 && self.host_seconds() - began > most;
            if self.demo.is_over() || is_long {
                break;
            }
            self.demo.before_step(self.step + 1)?;
            let passes = gpu.counters().passes;
            let (about, paused) = (self.about, self.play.paused);
            self.play.strip.step(gpu, about, self.demo.as_mut(), self.step, paused)?;
            if let Err(error) = self.demo.solved() {
                self.play.message.say(format!("{error:#}"));
                self.play.paused = true;
                break;
            }
            if self.note_beginning() {
                self.play.begin_again();
                break;
            }
            self.passes = Some(gpu.counters().passes - passes);
            (self.step, made) = (self.step + 1, made + 1);
        }
        Ok(made)
    }

    /// The findings of the demo.
    pub fn findings(&self) -> Result<serde_json::Value> {
        self.demo.findings()
    }

    /// Steps since the beginning or the last reset.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The error of the text that is edited.
    pub fn kernel_error(&self) -> Option<&str> {
        self.play.editor.error()
    }

    /// Types a text in the place of a kernel, or of the file of equations.
    ///
    /// # Errors
    /// None of the demo's.
    pub fn edit(&mut self, name: &str, text: String, now: f64) -> Result<()> {
        let named = self.play.editor.named(self.about, name);
        let name = named.with_context(|| format!("{name}: no text of {}", self.about.name))?;
        self.play.editor.put(name, text, now);
        Ok(())
    }

    /// Pauses, or goes on; makes so many steps at once.
    pub fn drive(&mut self, gpu: &Gpu, paused: bool, steps: u64) -> Result<()> {
        self.play.paused = paused;
        self.advance(gpu, steps, f64::INFINITY)?;
        Ok(())
    }
}

/// Starts a demo, where it was saved if it goes on.
fn started(gpu: &Gpu, about: &'static About, request: &Rc<Request>) -> Result<Box<dyn Demo>> {
    about.refuse(request)?;
    let mut demo = about.begin(gpu, request)?;
    if let Some(Source { path, state: Some(state) }) = &request.load {
        demo.restore(state).map_err(|error| named(path, error))?;
    }
    Ok(demo)
}

/// The parameters that a start has to be given for a demo to have these values.
fn given(about: &About, values: &Values) -> Values {
    let mut given = Values::new();
    for (param, value) in about.unusual(values) {
        given.set(param.name, value.clone());
    }
    given
}

/// The page's own buttons while a demo runs.
fn buttons(ui: &mut Ui, about: &About) -> Option<Wish> {
    // The kernels of equations are written from their formulas.
    let (name, hover) = match about.equation {
        Some(_) => ("Equation", "The file of the equation, to be edited while it runs"),
        None => ("Kernel", "The demo's kernels, to be edited while it runs"),
    };
    let all = [
        ("Full screen", "F11", Wish::FullScreen),
        (
            "Open",
            "Goes on from a state that was saved, or opens a file of equations; dropping the file here does, too",
            Wish::Open,
        ),
        (name, hover, Wish::Text),
        ("Share", "Copies the address that opens this demo with these parameters", Wish::Share),
    ];
    strip(ui, all)
}

/// Buttons in a strip along the top, the first on the right, each with what is said of it; returns what stands for the one that was clicked.
pub fn strip<T>(
    ui: &mut Ui,
    buttons: impl IntoIterator<Item = (&'static str, &'static str, T)>,
) -> Option<T> {
    let mut wish = None;
    Panel::top("page").resizable(false).show(ui, |ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            for (name, hover, of) in buttons {
                if ui.button(name).on_hover_text(hover).clicked() {
                    wish = Some(of);
                }
            }
        });
    });
    wish
}
