//! A demo as it is played: what a person sees of it and does with it. It needs egui and no window, so every host has the same.
//!
//! ```text
//! browser   the gallery: a card for each demo, and a search
//! side      the panel beside the picture;  keys: what the keyboard asks for
//! overlay   what lies over the picture: what to do first, help, the number under the pointer
//! place     where the picture lies, and which cell a pixel is, or which ray
//! reading   numbers at cells: under the pointer, and at probes
//! marks     names of parts of the picture, and edges
//! hand      the left button: strokes of the brush, without gaps, or pushes
//! orbit     the camera by the right button and the wheel
//! pace      steps by the frame, or by the second;  rates: frames and steps a second
//! look      colours of the panel
//! strip     the passes of the last step, below the picture;  editor: kernels, edited while the demo runs
//! curves    findings over the steps;  history: changes of parameters, to be taken back
//! ```

pub mod browser;
mod curves;
pub mod editor;
mod hand;
mod history;
mod keys;
pub mod look;
mod marks;
mod orbit;
pub mod overlay;
pub mod pace;
mod place;
pub mod rates;
mod reading;
mod side;
mod strip;

use anyhow::Result;
use egui::{Event, Key, Rect, Ui};
use quadrille::view::Camera;

use crate::demo::{About, Demo};
use crate::panel::Deferred;
use crate::param::{Kind, Param, Values};
use crate::state::State;

pub use keys::{KeyActions, Tape};
pub use place::Place;

pub use curves::{Curve, plot, written};

use curves::Curves;
use editor::Editor;
use hand::Pointer;
use history::{Back, History};
use orbit::Orbit;
use pace::Pace;
use rates::Shown;
use reading::Readings;
use side::Message;
use strip::Strip;

/// Points: a narrower window has its panel folded.
const NARROW: f32 = 640.0;

/// The input since the frame before, besides what the widgets took.
pub struct Input {
    pub events: Vec<Event>,
    /// A widget is being typed into.
    pub typing: bool,
    /// A widget or a list that lies over the picture has the mouse.
    pub taken: bool,
    /// Physical pixels a point.
    pub scale: f32,
}

/// The facts of the run that only its host knows.
pub struct Facts<'a> {
    pub rates: Option<Shown>,
    pub step: u64,
    pub passes: u64,
    /// Passes of the last step.
    pub passes_a_step: Option<u64>,
    pub renderer: &'a str,
    /// Seconds of the host's clock.
    pub now: f64,
}

/// A demo as its user has set it up.
pub struct Play {
    about: &'static About,
    pub paused: bool,
    pub pace: Pace,
    pub seed: u64,
    /// The outcome of the last button.
    pub message: Message,
    /// The error of the kernel under `--watch`.
    pub kernel_error: Option<String>,
    pub curves: Curves,
    /// The file of a recording under way, as its host says it.
    pub recording: Option<String>,
    /// Steps from one picture of a recording to the next.
    pub every: u64,
    /// Pictures of a recording are half as wide and half as high.
    pub half: bool,
    /// The step that was saved last.
    pub saved: Option<u64>,
    /// The step from which to go back to the saved one, again and again.
    pub loops: Option<u64>,
    /// Values to begin anew with, which the host takes.
    pub beginning: Option<Values>,
    /// The step that a stroke was taken back to, or made again at, which the host counts on from.
    pub moved: Option<u64>,
    /// The state on the other side of a stroke, which the host starts the demo from: it cannot go there by itself.
    pub wanted: Option<State>,
    pub editor: Editor,
    pub strip: Strip,
    deferred: Deferred,
    hand: Pointer,
    orbit: Orbit,
    history: History,
    readings: Readings,
    /// The rim of the brush is shown under the pointer.
    aims: bool,
    /// The state before the stroke in progress is kept.
    stroke_is_kept: bool,
    /// Nothing has been pressed yet.
    untouched: bool,
    painted: bool,
    help: bool,
    /// The buttons that write files are unfolded.
    files: bool,
    /// Folded or open, if the user has said so.
    folded: Option<bool>,
    /// Wide enough for a panel beside the picture.
    wide: bool,
    /// From where it was seen at first, if there is a camera.
    camera: Option<Camera>,
}

impl Play {
    pub fn new(about: &'static About, demo: &mut dyn Demo, seed: u64) -> Play {
        let camera = demo.picture().camera().copied();
        Play {
            about,
            paused: false,
            pace: Pace::new(demo.pace()),
            seed,
            message: Message::default(),
            kernel_error: None,
            curves: Curves::default(),
            recording: None,
            // Sixty frames a second are more than an animation shows.
            every: if demo.rate().is_some() { 1 } else { 2 * demo.pace().max(1) },
            half: false,
            saved: None,
            loops: None,
            beginning: None,
            moved: None,
            wanted: None,
            editor: Editor::new(about, &[]),
            strip: Strip::default(),
            deferred: Deferred::default(),
            hand: Pointer::default(),
            orbit: Orbit::default(),
            history: History::default(),
            readings: Readings::default(),
            aims: false,
            stroke_is_kept: false,
            untouched: true,
            painted: false,
            help: false,
            files: false,
            folded: None,
            wide: true,
            camera,
        }
    }

    /// Lays out the panel and what lies over the picture; returns what was asked for, and the room of the picture.
    ///
    /// # Errors
    /// Those of the demo.
    pub fn lay_out(&mut self, ui: &mut Ui, demo: &mut dyn Demo, facts: &Facts) -> Result<(KeyActions, Rect)> {
        let focused = ui.memory(|memory| memory.focused());
        self.wide = ui.available_width() >= NARROW;
        let actions = if self.is_folded() { self.unfold_button(ui) } else { self.side(ui, demo, facts)? };
        // The button that opens a folded panel lies there.
        overlay::caption(ui, demo.caption(), if self.is_folded() { 66 } else { 12 });
        self.show_strip(ui, facts.now);
        let area = ui.available_rect_before_wrap();
        let scale = ui.ctx().pixels_per_point();
        let place = Place::new(demo.picture().as_ref(), area, scale)?;
        if let Some(place) = &place {
            marks::paint(ui, place, &demo.marks(), scale);
            self.readings.paint(ui, place, scale);
            self.paint_brush(ui, place, demo, scale);
        }
        if self.untouched {
            let names = place.iter().flat_map(|place| marks::names(place, &demo.marks(), scale));
            overlay::first(ui, area, demo.first().unwrap_or(self.about.first), names);
        } else {
            // The curves of probes are in the panel.
            let offer = self.readings.offers && !self.is_folded();
            overlay::reading(ui, area, &self.readings.line, offer);
        }
        let folded = self.is_folded();
        if let Some(line) = self.message.shown(ui) {
            overlay::said(ui, area, line, folded);
        }
        if let Some(line) = demo.notice() {
            overlay::notice(ui, area, &line);
        }
        if let Some(line) = self.deferred.line() {
            overlay::busy(ui, area, &line);
        }
        if self.help {
            self.help = overlay::help(ui, area, self.about, demo, facts);
        }
        // Tab is the panel's, not the way from widget to widget.
        if focused.is_none() && ui.input(|input| input.key_pressed(Key::Tab)) {
            ui.memory_mut(|memory| {
                if let Some(id) = memory.focused() {
                    memory.surrender_focus(id);
                }
            });
        }
        Ok((actions, area))
    }

    /// The rim of the brush under the pointer, and the line that is being stretched.
    fn paint_brush(&self, ui: &Ui, place: &Place, demo: &mut dyn Demo, scale: f32) {
        if let Some(ends) = self.hand.line() {
            marks::stretched(ui, place, ends, scale);
        }
        let over = ui.ctx().is_pointer_over_egui();
        let at = ui.input(|input| input.pointer.hover_pos()).filter(|_| self.aims && !over);
        let cell = at.map(|at| place.cell(at.x * scale, at.y * scale)).filter(|cell| place.contains(*cell));
        if let Some(cell) = cell.filter(|_| demo.is_touchable() && demo.has_brush()) {
            let outlines = demo.outlines();
            if let Some(brush) = demo.picture().brush() {
                marks::rim(ui, place, cell, brush.tip(outlines), scale);
            }
        }
    }

    /// Follows keys and mouse: adds what keys ask for, moves the camera, touches the demo, reads what is pointed at.
    ///
    /// # Errors
    /// Those of the demo.
    pub fn follow(
        &mut self,
        input: &Input,
        area: Rect,
        demo: &mut dyn Demo,
        actions: &mut KeyActions,
        step: u64,
    ) -> Result<Option<Place>> {
        self.pace.follow(demo.rate());
        let by_button = actions.leave;
        actions.add_keys(input);
        if self.help && actions.leave > 0 {
            (self.help, actions.leave) = (false, actions.leave - 1);
        }
        // Escape goes one way out at a time.
        if actions.leave > by_button && self.strip.close_pass() {
            actions.leave -= 1;
        }
        self.help ^= actions.help;
        if actions.strip {
            self.strip.toggle();
        }
        if actions.text && self.about.equation.is_some() {
            self.editor.open ^= true;
        }
        if actions.fold {
            self.folded = Some(!self.is_folded());
        }
        self.change_back(demo, actions.undo, step)?;
        if input.events.iter().any(|event| matches!(event, Event::PointerButton { pressed: false, .. })) {
            self.history.let_go();
        }
        let pressed = |event: &Event| {
            matches!(event, Event::PointerButton { pressed: true, .. } | Event::Key { pressed: true, .. })
        };
        self.untouched &= !input.events.iter().any(pressed);
        let Some(place) = Place::new(demo.picture().as_ref(), area, input.scale)? else { return Ok(None) };
        let values = demo.values();
        let known = values.word("show").unwrap_or(self.about.quantity);
        let quantity = demo.quantity().unwrap_or(known).to_owned();
        let input = self.readings.follow(input, &place, demo, &quantity, step)?;
        let (both, outlines) = (demo.has_second_touch(), demo.outlines());
        let demo_pulls = demo.takes_pulls();
        let mut picture = demo.picture();
        let pulls = place.is_space() && demo_pulls;
        let by_left = picture.turns_by_left() && !pulls;
        let brush =
            picture.brush().map_or((0.0.into(), false), |brush| (brush.tip(outlines), brush.straight));
        let seen = picture.camera().map(|camera| self.orbit.follow(&input, &place, camera, by_left));
        drop(picture);
        for (cell, times) in self.hand.wheel(&input, &place).into_iter().filter(|_| seen.is_none()) {
            demo.come_nearer(cell, times)?;
        }
        if place.is_space() && demo.picks().is_some() {
            hand::picks(&input, &place).iter().try_for_each(|ray| demo.pick(ray))?;
        }
        if pulls {
            for pull in self.hand.pulls(&input, &place) {
                self.painted = true;
                demo.pull(pull)?;
            }
            return Ok(Some(place));
        }
        let presses = |event: &Event| matches!(event, Event::PointerButton { pressed: true, .. });
        self.stroke_is_kept &= !input.events.iter().any(presses);
        for touch in self.hand.follow(&input, &place, brush, both) {
            if !self.stroke_is_kept {
                // A run that cannot be saved paints all the same.
                if let Ok(before) = crate::demo::saved(self.about, demo, step) {
                    self.history.add_stroke(before);
                }
            }
            self.stroke_is_kept = true;
            self.painted = true;
            demo.touch(touch)?;
        }
        // The outline of the brush is left out until the pointer moves again, so that one sees what was painted.
        let moves = |event: &Event| matches!(event, Event::PointerMoved(_));
        let presses = |event: &Event| matches!(event, Event::PointerButton { .. });
        self.aims = match input.events.iter().rev().find(|event| moves(event) || presses(event)) {
            Some(event) => moves(event) && !self.hand.presses(),
            None => self.aims,
        };
        Ok(Some(place))
    }

    /// The demo has another description now.
    pub fn describe(&mut self, about: &'static About) {
        // A seed that nobody has changed is that of the file.
        if self.seed == self.about.seed {
            self.seed = about.seed;
        }
        self.about = about;
    }

    /// Takes so many changes of parameters and strokes back, or makes them again.
    fn change_back(&mut self, demo: &mut dyn Demo, many: i32, mut step: u64) -> Result<()> {
        for _ in 0..many.unsigned_abs() {
            let about = self.about;
            let now = || crate::demo::saved(about, demo, step).ok();
            let back = if many > 0 { self.history.undo(now) } else { self.history.redo(now) };
            match back {
                None => {
                    let line = if many > 0 { "nothing to take back" } else { "nothing to make again" };
                    self.message.say(line.to_owned());
                    return Ok(());
                }
                Some(Back::Values(values)) => match demo.set(&values) {
                    Err(error) if crate::panel::is_refusal(&error) => self.message.say(format!("{error:#}")),
                    set => set?,
                },
                Some(Back::State(state)) if !demo.takes_strokes_back() => {
                    self.message.say(format!("step {}: {}", state.step, side(many)));
                    self.wanted = Some(state);
                    // The host starts a demo from that state, and goes on with this history there.
                    return Ok(());
                }
                // A state of another grid, or of fields that the file has no more.
                Some(Back::State(state)) => match demo.restore(&state) {
                    Err(error) => self.message.say(format!("the stroke is of another run: {error:#}")),
                    Ok(()) => {
                        self.message.say(format!("step {}: {}", state.step, side(many)));
                        (self.moved, step) = (Some(state.step), state.step);
                    }
                },
            }
        }
        Ok(())
    }

    /// The demo stands on the other side of a stroke: others may be in its state still.
    pub fn stroke_was_moved(&mut self) {
        self.begin_again();
        self.painted = self.history.has_strokes();
    }

    /// Returns true if it is time to go back to the saved step.
    pub fn turns_back(&self, step: u64) -> bool {
        self.saved.zip(self.loops).is_some_and(|(saved, last)| saved < last && step >= last)
    }

    /// Returns true if the state has been painted on since its beginning, which no command line says.
    pub fn is_painted(&self) -> bool {
        self.painted
    }

    /// The demo has gone back to a beginning.
    pub fn begin_again(&mut self) {
        self.pace.rest();
        self.painted = false;
        self.readings.begin_again();
        self.strip.forget();
    }

    /// True if there is no panel.
    fn is_folded(&self) -> bool {
        self.folded.unwrap_or(!self.wide)
    }

    /// The command line without a window that makes the same run from its beginning on, or from a file: of a demo of those
    /// [values](crate::demo::all_values), as it is seen now.
    pub fn command(&self, demo: &mut dyn Demo, mut values: Values, step: u64, from: Option<&str>) -> String {
        let seed = demo.uses_seed().then_some(self.seed);
        let mut picture = demo.picture();
        if let Some(Camera { azimuth, elevation, distance, .. }) =
            picture.camera().copied().filter(|camera| Some(*camera) != self.camera)
        {
            values.set("turn", azimuth);
            values.set("rise", elevation);
            values.set("distance", distance);
        }
        picture.say(&mut values);
        drop(picture);
        command(self.about, &values, seed, step, from)
    }
}

/// Where a stroke that was taken back has led, or one that was made again.
fn side(many: i32) -> &'static str {
    if many > 0 { "before the stroke" } else { "where the stroke was taken back" }
}

/// The command line of a run without a window: the values that are not the usual ones.
fn command(about: &About, values: &Values, seed: Option<u64>, step: u64, from: Option<&str>) -> String {
    use crate::param::Value;

    let mut line = match about.equation {
        Some(file) => {
            let path = if file.path.is_empty() { file.name } else { file.path };
            format!("quadrille pde {} --headless", quoted(path))
        }
        None => format!("quadrille demo {} --headless", about.name),
    };
    // A file has its size, and a seed or a picture that began it has no say.
    let begins = |param: &Param| {
        matches!(param.kind, Kind::Size | Kind::Size3) && param.name == "size"
            || param.conflicts.contains(&"load")
    };
    let mut seed = seed.filter(|&seed| from.is_none() && seed != about.seed);
    for (param, value) in about.unusual(values).filter(|(param, _)| from.is_none() || !begins(param)) {
        seed = seed.filter(|_| !param.conflicts.contains(&"seed"));
        line += &match value {
            Value::Flag(_) => format!(" --{}", param.name),
            value => format!(" {}", about.said(param, &quoted(&value.to_string()))),
        };
    }
    if let Some(file) = from {
        line += &format!(" --load {}", quoted(file));
    }
    if let Some(seed) = seed {
        line += &format!(" --seed {seed}");
    }
    line + &format!(" --steps {step} --out {}.png", about.name.trim_end_matches(".toml"))
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./+:,=@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use anyhow::ensure;
    use egui::{Modifiers, PointerButton, pos2, vec2};
    use quadrille::Gpu;

    use super::*;
    use crate::demo::{Request, Source, TestHost};
    use crate::list::named;

    /// Ctrl-Z goes back to the state and the step before a stroke, and again to where it led, bit for bit, whatever was changed between.
    #[test]
    fn a_stroke_is_taken_back_and_made_again() -> Result<()> {
        let gpu = Gpu::headless()?;
        let text = "grid = { size = [24, 20], length = [24, 20] }\nrun = { scheme = \"ab2\", step = 0.1 }\n\
                    parameters = { k = 0.5 }\nfields.u = { dt = \"lap(u) - k*u\", start = \"x\", edges = \"neumann\" }\n";
        let about = crate::address::Address::of_file("a.toml", text)?.about;
        let request = Request { draws: true, ..Request::new(Values::new(), Rc::new(TestHost::default())) };
        let mut demo = about.begin(&gpu, &Rc::new(request))?;
        let demo = demo.as_mut();
        let mut play = Play::new(about, demo, 1);
        let area = Rect::from_min_size(pos2(0.0, 0.0), vec2(240.0, 200.0));
        let button = |pressed, button| Event::PointerButton {
            pos: pos2(100.0, 100.0),
            button,
            pressed,
            modifiers: Modifiers::default(),
        };
        let mut follow =
            |demo: &mut dyn Demo, events: Vec<Event>, undo: i32, step: u64| -> Result<Option<u64>> {
                let input = Input { events, typing: false, taken: false, scale: 1.0 };
                let mut actions = KeyActions { undo, ..KeyActions::default() };
                play.follow(&input, area, demo, &mut actions, step)?;
                Ok(play.moved.take())
            };
        (0..3).try_for_each(|_| demo.step())?;
        let before = demo.arrays()?;
        let left = PointerButton::Primary;
        follow(demo, vec![button(true, left)], 0, 3)?;
        let painted = demo.numbers()?.values;
        demo.step()?;
        // The same stroke goes on: it is one.
        let moved = Event::PointerMoved(pos2(140.0, 100.0));
        follow(demo, vec![moved, button(false, left)], 0, 4)?;
        (0..2).try_for_each(|_| demo.step())?;
        let after = demo.arrays()?;
        ensure!(demo.time() == Some(6.0 * 0.1) && painted != demo.numbers()?.values);
        ensure!(follow(demo, Vec::new(), 1, 6)? == Some(3), "the step before the stroke");
        ensure!(demo.arrays()? == before && (demo.time().unwrap_or(0.0) - 0.3).abs() < 1e-12);
        ensure!(follow(demo, Vec::new(), 1, 3)?.is_none() && demo.arrays()? == before, "there is no other");
        demo.step()?;
        ensure!(follow(demo, Vec::new(), -1, 4)? == Some(6) && demo.arrays()? == after);
        // And back to where it was when the stroke was made again.
        ensure!(follow(demo, Vec::new(), 1, 6)? == Some(4));
        // A grid of other nodes: the stroke is said to be of another run, and nothing changes.
        follow(demo, vec![button(true, left), button(false, left)], 0, 4)?;
        demo.set(&Values::new().with("size", [12, 10]))?;
        let now = demo.arrays()?;
        ensure!(follow(demo, Vec::new(), 1, 0)?.is_none() && demo.arrays()? == now);
        Ok(())
    }

    /// A demo that cannot go back by itself is started from the state before the stroke: with its values, as the ball that the stroke moved.
    #[test]
    fn a_stroke_is_taken_back_by_a_start_from_the_state_before_it() -> Result<()> {
        let gpu = Gpu::headless()?;
        let area = Rect::from_min_size(pos2(0.0, 0.0), vec2(200.0, 200.0));
        let button = |pos, pressed| Event::PointerButton {
            pos,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::default(),
        };
        for (name, address) in [
            ("heat", "size=20x20&edges=cold"),
            ("wave", "size=20x20&view=flat"),
            ("reaction-diffusion", "size=20x20"),
        ] {
            let about = named(name).ok_or_else(|| anyhow::anyhow!("{name}"))?;
            let values = about.values_of(address).map_err(anyhow::Error::msg)?;
            let begun = |values: Values, load: Option<Source>| {
                let host = Rc::new(TestHost::default());
                about.begin(&gpu, &Rc::new(Request { draws: true, load, ..Request::new(values, host) }))
            };
            let mut demo = begun(values.clone(), None)?;
            let mut play = Play::new(about, demo.as_mut(), 1);
            let mut follow = |demo: &mut dyn Demo, events: Vec<Event>, undo: i32, step: u64| {
                let input = Input { events, typing: false, taken: false, scale: 1.0 };
                let mut actions = KeyActions { undo, ..KeyActions::default() };
                play.follow(&input, area, demo, &mut actions, step)?;
                Ok::<_, anyhow::Error>(play.wanted.take())
            };
            (0..3).try_for_each(|_| demo.step())?;
            let before = demo.arrays()?;
            let at = pos2(150.0, 60.0);
            ensure!(follow(demo.as_mut(), vec![button(at, true), button(at, false)], 0, 3)?.is_none());
            (0..2).try_for_each(|_| demo.step())?;
            ensure!(demo.arrays()? != before);
            let wanted = follow(demo.as_mut(), Vec::new(), 1, 5)?
                .ok_or_else(|| anyhow::anyhow!("{name}: no state"))?;
            ensure!(wanted.step == 3 && wanted.arrays == before, "{name}");
            let now = crate::demo::all_values(about, demo.as_ref(), &values);
            let back = about.back_at(&now, &wanted);
            let load = Some(Source { path: "a stroke".into(), state: Some(wanted.clone()) });
            about.refuse(&Request {
                draws: true,
                load: load.clone(),
                ..Request::new(back.clone(), Rc::new(TestHost::default()))
            })?;
            let mut again = begun(back, load)?;
            again.restore(&wanted)?;
            ensure!(again.arrays()? == before, "{name}: another state");
            // And made again.
            let led = follow(again.as_mut(), Vec::new(), -1, 3)?;
            ensure!(led.is_some_and(|state| state.step == 5), "{name}");
        }
        Ok(())
    }

    /// A second click closes them: the button stays under the pointer.
    #[test]
    fn buttons_of_files_unfold_above_the_one_that_closes_them() -> Result<()> {
        let about = named("heat").ok_or_else(|| anyhow::anyhow!("no heat"))?;
        let values = about.values_of("size=20x20").map_err(anyhow::Error::msg)?;
        let request = Request { draws: true, ..Request::new(values, Rc::new(TestHost::default())) };
        let mut demo = about.begin(&Gpu::headless()?, &Rc::new(request))?;
        let mut play = Play::new(about, demo.as_mut(), 1);
        let context = egui::Context::default();
        let facts = Facts {
            rates: None,
            step: 7,
            passes: 7_654_321,
            passes_a_step: Some(12),
            renderer: "",
            now: 0.0,
        };
        let mut texts = |play: &mut Play, events: Vec<Event>| {
            let screen_rect = Some(Rect::from_min_size(pos2(0.0, 0.0), vec2(960.0, 640.0)));
            let input = egui::RawInput { events, screen_rect, ..egui::RawInput::default() };
            let mut output = context.run_ui(input, |ui| _ = play.lay_out(ui, demo.as_mut(), &facts));
            output.textures_delta.clear();
            let text = |clipped: egui::epaint::ClippedShape| match clipped.shape {
                egui::Shape::Text(text) => {
                    Some((text.galley.text().to_owned(), text.pos, text.galley.rows.len()))
                }
                _ => None,
            };
            output.shapes.into_iter().filter_map(text).collect::<Vec<_>>()
        };
        let at = |texts: &[(String, egui::Pos2, usize)], name: &str| {
            texts.iter().find(|(text, ..)| text == name).map(|&(_, at, rows)| (at, rows))
        };
        texts(&mut play, vec![]);
        let seen = texts(&mut play, vec![]);
        let (button, _) = at(&seen, "Save, record").ok_or_else(|| anyhow::anyhow!("no button"))?;
        for unfolded in [true, false] {
            let press = |pressed| Event::PointerButton {
                pos: button + vec2(4.0, 4.0),
                button: PointerButton::Primary,
                pressed,
                modifiers: Modifiers::default(),
            };
            texts(&mut play, vec![Event::PointerMoved(button + vec2(4.0, 4.0))]);
            texts(&mut play, vec![press(true)]);
            texts(&mut play, vec![press(false)]);
            texts(&mut play, vec![]);
            let seen = texts(&mut play, vec![]);
            ensure!(at(&seen, "GIF").is_some() == unfolded, "{unfolded}: {seen:?}");
            ensure!(at(&seen, "Save, record") == Some((button, 1)), "{unfolded}: {button:?}");
        }
        // A line for the passes.
        ensure!(at(&seen, "7654321, 12 a step").is_none_or(|(_, rows)| rows == 1), "{seen:?}");
        Ok(())
    }

    #[test]
    fn the_command_has_what_is_not_usual_and_a_shell_reads_it() -> Result<()> {
        let about = named("wave").ok_or_else(|| anyhow::anyhow!("no wave"))?;
        let values = about.values_of("scheme=implicit&beta=12.5&size=64x32").map_err(anyhow::Error::msg)?;
        let head = "quadrille demo wave --headless --size 64x32 --scheme implicit --beta 12.5";
        assert_eq!(
            command(about, &values, Some(7), 30, None),
            format!("{head} --seed 7 --steps 30 --out wave.png")
        );
        assert_eq!(
            command(about, &values, Some(7), 30, Some("it's.npz")),
            format!(r"{} --load 'it'\''s.npz' --steps 30 --out wave.png", head.replace(" --size 64x32", ""))
        );
        assert_eq!(
            command(about, &Values::new(), Some(1), 0, None),
            "quadrille demo wave --headless --steps 0 --out wave.png"
        );
        // A file has its size, and an image no seed.
        let about = named("histogram").ok_or_else(|| anyhow::anyhow!("no histogram"))?;
        let values = Values::new().with("image", "a.png".to_owned());
        let head = "quadrille demo histogram --headless";
        for (from, part) in [(None, "--image a.png"), (Some("b.npz"), "--load b.npz")] {
            let line = command(about, &values, Some(7), 3, from);
            assert_eq!(line, format!("{head} {part} --steps 3 --out histogram.png"));
        }
        let values = Values::new().with("size", [64, 32]).with("bins", 37u32);
        assert_eq!(
            command(about, &values, Some(7), 3, Some("b.npz")),
            format!("{head} --bins 37 --load b.npz --steps 3 --out histogram.png")
        );
        Ok(())
    }

    /// The size of a start, the file of a mesh, and how it is seen now are in no value of a demo.
    #[test]
    fn the_command_has_what_only_the_start_was_told_and_how_it_is_seen_now() -> Result<()> {
        use std::rc::Rc;

        use quadrille::Gpu;

        use crate::demo::{Request, TestHost, all_values};

        let gpu = Gpu::headless()?;
        for (name, given, turned, has, lacks) in [
            ("wave", "size=64x32&turn=40", false, "--size 64x32 --turn 40", "--rise"),
            ("wave", "size=64x32&turn=40", true, "--turn 41 --rise 35", "--distance"),
            ("wave", "size=64x32&view=flat&colours=viridis", true, "--view flat --colours viridis", "--turn"),
            ("liquid", "size=6&view=slices", true, "--size 6x6x6 --view slices", "--turn"),
            ("smooth", "mesh=a.obj&facets=true", false, "--mesh a.obj --facets", "--wires"),
            ("fluid", "size=17x17&streamlines=true", false, "--size 17x17 --streamlines", "--colours"),
            (
                "clouds",
                "scene=stable&show=speed&streamlines=true",
                false,
                "--show speed --streamlines",
                "--plain",
            ),
            ("clouds", "size=12x10&scene=stable&streamlines=true", false, "--size 12x10", "--streamlines"),
        ] {
            let about = named(name).ok_or_else(|| anyhow::anyhow!("no {name}"))?;
            let given = about.values_of(given).map_err(anyhow::Error::msg)?;
            let request =
                Request { draws: true, ..Request::new(given.clone(), Rc::new(TestHost::default())) };
            let mut demo = about.begin(&gpu, &Rc::new(request))?;
            let play = Play::new(about, demo.as_mut(), 1);
            if let Some(camera) = demo.picture().camera().filter(|_| turned) {
                camera.azimuth += 1.0;
            }
            let values = all_values(about, demo.as_ref(), &given);
            let line = play.command(demo.as_mut(), values, 3, None);
            assert!(line.starts_with(&format!("quadrille demo {name} --headless ")), "{line}");
            assert!(line.ends_with(&format!(" --steps 3 --out {name}.png")), "{line}");
            let parts = has.split(" --").map(|part| format!(" --{} ", part.trim_start_matches("--")));
            assert!(parts.clone().all(|part| line.contains(&part)) && !line.contains(lacks), "{has}: {line}");
        }
        Ok(())
    }
}
