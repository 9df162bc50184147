//! A demo in the window, and what one frame of it does.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use quadrille::gl::window::Surface;
use quadrille::{Error, Gpu};
use quadrille_gallery::demo::About;
use quadrille_gallery::equations;
use quadrille_gallery::play::pace::Pace;
use quadrille_gallery::play::rates::Rates;
use quadrille_gallery::play::{Facts, KeyActions, Place, Play};
use winit::window::Window;

use super::gui::Gui;
use super::run::Run;
use crate::demo::chosen::Chosen;
use crate::files::shown;
use crate::output;

/// How often `--watch` looks at the kernel's file.
const WATCH: Duration = Duration::from_millis(250);

/// The time after which a frame makes no more steps.
const ENOUGH: Duration = Duration::from_millis(250);

/// The next thing to do after a frame.
pub enum Next {
    GoOn,
    /// All steps that were asked for are done.
    Close,
    /// Back to the gallery; more than once: and out.
    Leave(u32),
    FullScreen,
}

pub struct Playing {
    run: Run,
    play: Play,
    rates: Rates,
    began: Instant,
    /// When the kernel's file is looked at next.
    watch: Option<Instant>,
    /// The kernel under `--watch` compiles and cannot run: steps wait for its file to change.
    stuck: bool,
    /// The user was told that the equation is not saved, and may leave it so.
    warned: bool,
    from_gallery: bool,
    renderer: String,
}

impl Playing {
    /// The demo of a run; `from_gallery` if no command line named it.
    pub fn new(chosen: &Chosen, mut run: Run, from_gallery: bool) -> Playing {
        let mut play = Play::new(chosen.about, run.demo.as_mut(), chosen.request.seed_of(chosen.about));
        // A run of so many steps has no time to lose.
        if !run.has_limit() {
            play.pace = Pace::of(run.demo.as_ref()).measured();
        }
        // A file that cannot be read is told of when it is saved.
        play.editor.keep(run.equation_text().ok().flatten());
        let watch = chosen.watch.then(Instant::now);
        let (rates, began, renderer) = (Rates::default(), Instant::now(), String::new());
        Playing { run, play, rates, began, watch, stuck: false, warned: false, from_gallery, renderer }
    }

    pub fn is_from_gallery(&self) -> bool {
        self.from_gallery
    }

    pub fn about(&self) -> &'static About {
        self.run.about
    }

    /// Steps since the beginning or the last reset.
    pub fn steps(&self) -> u64 {
        self.run.step()
    }

    /// Tells the user something.
    pub fn say(&mut self, line: String) {
        self.play.message.say(line);
    }

    /// Writes the files that were asked for.
    ///
    /// # Errors
    /// Those of the files; a last step that was not solved.
    pub fn finish(self) -> Result<()> {
        self.run.finish()
    }

    fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// One frame: widgets, what the user asked for, steps, picture.
    pub fn frame(&mut self, gpu: &Gpu, gui: &mut Gui, surface: &Surface, window: &Window) -> Result<Next> {
        let size = window.inner_size();
        if self.renderer.is_empty() {
            self.renderer.clone_from(&gpu.driver().renderer);
        }
        let (mut actions, place) = self.lay_out(gpu, gui, window)?;
        if self.typing().is_some() {
            self.warned = false;
        }
        if actions.leave > 0 && !self.may_leave(window) {
            actions.leave -= 1;
        }
        if actions.leave > 0 {
            return Ok(Next::Leave(actions.leave));
        }
        self.grant(gpu, actions, window)?;
        self.edit(window)?;
        let began = Instant::now();
        let (rests, steps) = self.advance(gpu, window, actions.steps)?;
        gui.clear(size.into());
        if let Some(place) = place {
            self.run.demo.prepare()?;
            self.run.draw(place.viewport(size.height))?;
        }
        gui.paint(size.into());
        window.pre_present_notify();
        surface.show()?;
        if !rests {
            self.play.pace.took(steps, began.elapsed().as_secs_f64());
        }
        self.go_on(window, rests);
        if let Some(wait) = self.play.pace.wait(self.seconds()).filter(|_| !rests) {
            gui.wake_after(wait);
        }
        if let Some(wait) = self.typing() {
            gui.wake_after(wait);
        }
        Ok(match () {
            () if self.run.is_done() => Next::Close,
            () if actions.full_screen => Next::FullScreen,
            () => Next::GoOn,
        })
    }

    /// The window is hidden: nothing is drawn, and only a run of so many steps goes on.
    pub fn unseen_frame(&mut self, gpu: &Gpu, window: &Window) -> Result<Next> {
        if !self.run.has_limit() {
            self.rates.rest();
            self.play.pace.rest();
            return Ok(Next::GoOn);
        }
        let (rests, _) = self.advance(gpu, window, 0)?;
        // In the place of the swap, which would hold the CPU back.
        gpu.finish();
        self.go_on(window, rests);
        Ok(if self.run.is_done() { Next::Close } else { Next::GoOn })
    }

    /// Shows the panel; returns what was asked for, and where the picture comes.
    fn lay_out(&mut self, gpu: &Gpu, gui: &mut Gui, window: &Window) -> Result<(KeyActions, Option<Place>)> {
        let now = self.seconds();
        let Playing { run, play, rates, renderer, .. } = self;
        let facts = Facts {
            rates: rates.shown(),
            step: run.step(),
            passes: run.passes(gpu),
            passes_a_step: run.passes_a_step(),
            renderer,
            now,
        };
        let mut shown = Ok((KeyActions::default(), egui::Rect::NOTHING));
        let about = run.about;
        let has_editor = about.equation.is_some() && play.editor.open;
        if has_editor && !play.strip.is_frozen() {
            play.editor.show_file();
        }
        let input = gui.lay_out(window, |ui| {
            if has_editor {
                play.editor.show(ui, about, now);
            }
            shown = play.lay_out(ui, run.demo.as_mut(), &facts);
        });
        let (mut actions, area) = shown?;
        let by_widget = run.follow()?;
        let step = run.step();
        let place = play.follow(&input, area, run.demo.as_mut(), &mut actions, step)?;
        if let Some(step) = play.moved.take() {
            run.count_from(step);
            play.stroke_was_moved();
        }
        if let Some(state) = play.wanted.take() {
            match run.stand_at(gpu, play.seed, state) {
                Ok(()) => play.stroke_was_moved(),
                Err(error) => play.message.say(format!("the stroke is of another run: {error:#}")),
            }
        }
        // A change that was taken back may have led to another beginning.
        if run.follow()? || by_widget {
            play.strip.forget();
        }
        Ok((actions, place))
    }

    /// Does what was asked for.
    fn grant(&mut self, gpu: &Gpu, actions: KeyActions, window: &Window) -> Result<()> {
        if actions != KeyActions::default() {
            // The panel of this frame was laid out before them.
            window.request_redraw();
        }
        self.play.paused = (self.play.paused ^ actions.pause) || actions.steps > 0;
        if actions.reset {
            self.run.reset(gpu, self.play.seed)?;
            self.play.begin_again();
        }
        if let Some(changed) = self.play.beginning.take() {
            let begun = self.run.begin_anew(gpu, &changed, Some(self.play.seed));
            self.moved(begun, window);
        }
        if actions.back || self.play.turns_back(self.run.step()) {
            match self.run.go_back(gpu) {
                Ok(false) => self.say("nothing has been saved to go back to".to_owned()),
                gone => self.moved(gone.map(|_| ()), window),
            }
        }
        let now = self.seconds();
        if self.play.asks(now) {
            window.request_redraw();
        }
        self.run.again(gpu, &mut self.play, now)?;
        self.record(actions);
        let wrote = [
            actions.save_picture.then(|| self.run.save_picture()),
            actions.save_state.then(|| self.run.save_state()),
            actions.save_curves.then(|| self.run.save_curves(&self.play.curves.csv())),
        ];
        for wrote in wrote.into_iter().flatten() {
            self.say(match wrote {
                Ok(path) => format!("saved {}", shown(path)),
                Err(error) => format!("{error:#}"),
            });
        }
        self.play.saved = self.run.saved();
        if actions.say_command {
            let said = self.run.origin().and_then(|(from, steps)| {
                let from = from.map(|path| path.display().to_string());
                let values = self.run.values();
                let line = self.play.command(self.run.demo.as_mut(), values, steps, from.as_deref());
                output::say(&line)?;
                Ok(line)
            });
            self.say(match said {
                Err(error) => format!("{error:#}"),
                Ok(line) if self.play.is_painted() => {
                    format!("on the terminal, without what was painted: {line}")
                }
                Ok(line) => format!("on the terminal: {line}"),
            });
        }
        Ok(())
    }

    /// The seconds until what was typed is tried. Only a pass that stands open has its kernel on the screen.
    fn typing(&self) -> Option<f64> {
        let is_seen = self.play.strip.is_frozen() || self.play.editor.shows_file();
        self.play.editor.wait(self.seconds()).filter(|_| is_seen)
    }

    /// Returns true if nothing that was typed is lost, or if the user was told so and asks again.
    pub fn may_leave(&mut self, window: &Window) -> bool {
        if self.warned || !self.play.editor.is_unsaved() {
            return true;
        }
        self.warned = true;
        let name = self.run.about.name;
        self.say(format!(
            "{name} is not saved: Ctrl-S in the editor saves it, the same once more leaves it so"
        ));
        window.request_redraw();
        false
    }

    /// Takes what was typed into the equation, and saves it if that was asked for.
    fn edit(&mut self, window: &Window) -> Result<()> {
        let now = self.seconds();
        if self.typing() == Some(0.0) {
            // The editor of this frame was laid out before a mistake is known.
            window.request_redraw();
        }
        if self.play.edit_file(self.run.demo.as_mut(), now) {
            (self.play.kernel_error, self.stuck) = (None, false);
            self.run.describe();
            if self.run.follow()? {
                self.play.begin_again();
            }
        }
        if let Some(text) = self.play.editor.to_save() {
            let name = self.play.editor.new_name();
            let line = match self.save(text, name) {
                Ok(line) => line,
                Err(error) => format!("{error:#}"),
            };
            self.say(line);
            window.request_redraw();
        }
        Ok(())
    }

    /// Writes the equation, to a file of another `name` if it has one, unless another program has written its file meanwhile; says what
    /// has become of it.
    fn save(&mut self, text: String, name: Option<String>) -> Result<String> {
        if let (None, Some(found)) = (&name, self.run.equation_text()?)
            && self.play.editor.is_other(&found)
        {
            return Ok(
                "not saved: another program has changed the file, and the editor asks which text counts"
                    .to_owned(),
            );
        }
        let path = self.run.save_equation(&text, name.as_deref())?;
        self.play.editor.saved(text);
        (self.warned, self.watch) = (false, Some(Instant::now()));
        let path = shown(std::path::absolute(&path).unwrap_or(path));
        Ok(match self.play.editor.error() {
            None => format!("saved {path}"),
            Some(mistake) => format!("saved {path}, which has a mistake: {mistake}. {}", equations::EDITED),
        })
    }

    /// The run stands somewhere else now, or says why it does not.
    fn moved(&mut self, moved: Result<()>, window: &Window) {
        match moved {
            Err(error) => self.say(format!("{error:#}")),
            Ok(()) => self.play.begin_again(),
        }
        window.request_redraw();
    }

    /// Goes on from the state as it is with a picture in it.
    ///
    /// # Errors
    /// Those of the demo. What is wrong with the picture is said in the panel.
    pub fn take_picture(&mut self, gpu: &Gpu, path: &Path, window: &Window) {
        match self.run.take_picture(gpu, path) {
            Ok(()) => {
                self.play.begin_again();
                self.say(format!("{} is in the state", shown(path)));
            }
            Err(error) => self.say(format!("{error:#}")),
        }
        window.request_redraw();
    }

    /// Begins and ends recordings, and says what has become of them.
    fn record(&mut self, actions: KeyActions) {
        if let Some(tape) = actions.record {
            let begun = self.run.begin_tape(tape, self.play.every, self.play.half);
            self.say(match begun {
                Ok(path) => format!("records {}", shown(&path)),
                Err(error) => format!("{error:#}"),
            });
        }
        let failed = self.run.tape().and_then(|(_, failed)| failed);
        if actions.end_recording || failed.is_some() {
            let ended = self.run.end_tape();
            self.say(match (failed, ended) {
                (Some(error), _) | (None, Err(error)) => format!("{error:#}"),
                (None, Ok(files)) => match files.unwrap_or_default().as_slice() {
                    [] => "nothing was recorded: no step was due".to_owned(),
                    [file] => format!("saved {}", shown(file)),
                    [first, .., last] => format!("saved {} to {}", shown(first), shown(last)),
                },
            });
        }
        self.play.recording = self.run.tape_line();
    }

    /// Ends a recording.
    ///
    /// # Errors
    /// Those of its file.
    pub fn end(mut self) -> Result<()> {
        self.run.end_tape().map(|_| ())
    }

    /// Runs the steps of this frame, `single` ones while it is paused. Says whether the run rests, and how many there were.
    fn advance(&mut self, gpu: &Gpu, window: &Window, single: u64) -> Result<(bool, u64)> {
        let now = self.seconds();
        let rests = self.play.paused || self.stuck || self.run.demo.is_over();
        let steps = match (self.stuck, self.play.paused) {
            (true, _) => 0,
            (false, true) => single,
            (false, false) => self.play.pace.due(now),
        };
        let mut made = 0;
        // Single steps are made to the last.
        let enough = if self.play.paused { Duration::MAX } else { ENOUGH };
        match self.run.advance(gpu, steps, enough, &mut self.play) {
            Ok(_) if rests => {
                self.rates.rest();
                self.play.pace.rest();
            }
            Ok(steps) => {
                made = steps;
                self.rates.frame(steps, now);
            }
            Err(error)
                if (self.watch.is_some() || self.run.about.equation.is_some()) && error.is::<Error>() =>
            {
                self.stuck = true;
                window.request_redraw();
                self.play.kernel_error = Some(format!("The kernel cannot run.\n{error:#}"));
            }
            Err(error) => return Err(error),
        }
        Ok((rests, made))
    }

    /// Asks for the next frame, if the run does not rest or wait.
    fn go_on(&self, window: &Window, rests: bool) {
        if !rests && !self.stuck && self.play.pace.wait(self.seconds()).is_none() {
            window.request_redraw();
        }
    }

    /// Looks at the kernel's file if it is time to, and says when it will be again.
    pub fn watch(&mut self, window: &Window, now: Instant) -> Option<Instant> {
        if self.watch.is_some_and(|at| at <= now) {
            self.watch = Some(now + WATCH);
            self.look_at_kernel(window);
        }
        self.watch
    }

    /// Reloads a changed kernel. A kernel that does not compile is no end: the one before goes on.
    fn look_at_kernel(&mut self, window: &Window) {
        let is_equation = self.run.about.equation.is_some();
        if is_equation && self.play.editor.is_unsaved() {
            // The text that was typed stays, whatever the file has.
            let was_asking = self.play.editor.asks();
            if let Ok(Some(text)) = self.run.equation_text()
                && self.play.editor.is_other(&text) != was_asking
            {
                window.request_redraw();
            }
            return;
        }
        let reloaded = self.run.demo.reload_if_changed();
        if let (true, Ok(true) | Err(_), Ok(Some(text))) = (is_equation, &reloaded, self.run.equation_text())
        {
            self.play.editor.follow(&text, reloaded.is_ok(), self.seconds());
        }
        match reloaded {
            Ok(false) => return,
            Ok(true) => {
                (self.play.kernel_error, self.stuck) = (None, false);
                self.play.describe(self.run.describe());
            }
            Err(error) if is_equation => self.play.kernel_error = Some(format!("{error:#}")),
            Err(error) => {
                let log = match error.downcast_ref() {
                    Some(Error::Compile { log, .. }) => format!("\n\n{}", log.trim_end()),
                    _ => String::new(),
                };
                let goes_on = "The kernel's file is not used, the kernel before goes on.";
                self.play.kernel_error = Some(format!("{goes_on}\n{error:#}{log}"));
            }
        }
        window.request_redraw();
    }
}
