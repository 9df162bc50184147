//! All that lives while the window is open: the gallery, or a demo.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result};
use clap::Parser;
use quadrille::gl::Counters;
use quadrille::gl::window::Surface;
use quadrille::{Gpu, Options};
use quadrille_gallery::demo::About;
use quadrille_gallery::list;
use quadrille_gallery::play::browser::{Browser, Choice};
use winit::event::WindowEvent;
use winit::event_loop::ActiveEventLoop;
use winit::window::{Fullscreen, Window};

use super::gui::Gui;
use super::playing::{Next, Playing};
use super::run::Run;
use super::{no_window, surface};
use crate::cli::{Cli, Command, ContextArguments, DemoCommand};
use crate::demo::chosen::Chosen;
use crate::demo::record::Recorder;
use crate::demo::state;
use crate::output;

/// Fields in the order in which they must go: all that OpenGL made, then its surface, then the window.
pub struct View<'a> {
    /// The demo, or the gallery.
    playing: Option<Playing>,
    /// The demo that starts after the next frame, which says so: its kernels may take a while to compile.
    starting: Option<Starting<'a>>,
    /// That frame is on the screen.
    said: bool,
    browser: Browser,
    /// The objects and bytes before a demo: as much is there after it.
    empty: Counters,
    /// The window is covered by others.
    unseen: bool,
    /// It is minimised, and when that was asked: some systems tell nobody.
    minimised: (bool, Instant),
    gui: Gui,
    gpu: Gpu,
    surface: Surface,
    window: Rc<Window>,
}

/// A demo that is about to start.
enum Starting<'a> {
    /// That of the command line.
    First(&'a Chosen, Box<Recorder>),
    /// One of the gallery, or one that goes on from a file.
    Demo(&'static About, Option<PathBuf>),
}

impl<'a> View<'a> {
    /// Opens the window and starts the demo in it, or the gallery.
    pub fn open(
        event_loop: &ActiveEventLoop,
        first: Option<(&'a Chosen, Recorder)>,
        options: &Options,
    ) -> Result<View<'a>> {
        let api = options.api.unwrap_or_default();
        let name = first.as_ref().map_or("gallery", |(chosen, _)| chosen.about.name);
        let (window, surface) = surface::open(event_loop, title(name), api)?;
        let gpu = Gpu::of(surface.context(options.limits).map_err(no_window)?);
        crate::cli::warn(&gpu);
        let gui = Gui::new(&gpu, surface.functions()?, &window)?;
        let empty = gpu.counters();
        let starting = first.map(|(chosen, recorder)| Starting::First(chosen, Box::new(recorder)));
        window.request_redraw();
        let (playing, browser, said, unseen) = (None, Browser::default(), false, false);
        let minimised = (false, Instant::now());
        Ok(View { playing, starting, said, browser, empty, unseen, minimised, gui, gpu, surface, window })
    }

    /// An event of the window other than to redraw or close it.
    ///
    /// # Errors
    /// Those of leaving a demo with files.
    pub fn event(&mut self, event: &WindowEvent) -> Result<()> {
        match event {
            WindowEvent::Resized(size) => self.surface.resize(size.width, size.height),
            WindowEvent::Occluded(unseen) => {
                self.unseen = *unseen;
                self.window.request_redraw();
            }
            WindowEvent::DroppedFile(path) => self.load(path)?,
            _ => {}
        }
        if self.gui.event(&self.window, event) {
            self.window.request_redraw();
        }
        Ok(())
    }

    /// One frame of the gallery or of the demo. Returns true if the window is to close.
    pub fn frame(&mut self) -> Result<bool> {
        let size = self.window.inner_size();
        let unseen = self.unseen || self.is_minimised() || size.width == 0 || size.height == 0;
        if let Some(starting) = self.starting.take() {
            self.start(starting, unseen)?;
            return Ok(false);
        }
        let Some(playing) = &mut self.playing else {
            return if unseen { Ok(false) } else { self.gallery_frame() };
        };
        let next = match unseen {
            true => playing.unseen_frame(&self.gpu, &self.window),
            false => playing.frame(&self.gpu, &mut self.gui, &self.surface, &self.window),
        };
        match next {
            Ok(Next::GoOn) => Ok(false),
            Ok(Next::Close) => Ok(true),
            Ok(Next::FullScreen) => {
                let full = self.window.fullscreen().is_some();
                self.window.set_fullscreen((!full).then_some(Fullscreen::Borderless(None)));
                Ok(false)
            }
            Ok(Next::Leave(times)) => {
                self.leave(None)?;
                Ok(times > 1)
            }
            Err(error) if self.playing.as_ref().is_some_and(Playing::is_from_gallery) => {
                self.leave(Some(error))?;
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Asks now and then, and in each frame of a window that was minimised.
    fn is_minimised(&mut self) -> bool {
        let (minimised, asked) = self.minimised;
        if minimised || asked.elapsed() > ASK {
            self.minimised = (self.window.is_minimized() == Some(true), Instant::now());
        }
        self.minimised.0
    }

    /// Says in a frame that the demo is about to start, and starts it in the next.
    fn start(&mut self, starting: Starting<'a>, unseen: bool) -> Result<()> {
        self.window.request_redraw();
        if !self.said && !unseen {
            let name = match &starting {
                Starting::First(chosen, _) => chosen.about.name,
                Starting::Demo(about, _) => about.name,
            };
            let size = self.window.inner_size();
            self.gui.clear(size.into());
            self.gui.say(&self.window, &format!("{name}: compiling its kernels ..."));
            self.gui.paint(size.into());
            self.window.pre_present_notify();
            self.surface.show()?;
            (self.starting, self.said) = (Some(starting), true);
            return Ok(());
        }
        self.said = false;
        match starting {
            Starting::First(chosen, recorder) => {
                self.playing = Some(Playing::new(chosen, Run::new(&self.gpu, chosen, *recorder)?, false));
            }
            Starting::Demo(about, load) => {
                if let Err(error) = self.enter(about, load.as_deref()) {
                    self.back(Some(error));
                }
            }
        }
        Ok(())
    }

    /// One frame of the gallery.
    fn gallery_frame(&mut self) -> Result<bool> {
        let size = self.window.inner_size();
        let View { browser, gui, window, .. } = self;
        let mut choice = None;
        let input = gui.lay_out(window, |ui| choice = browser.show(ui).or(choice));
        self.gui.clear(size.into());
        self.gui.paint(size.into());
        self.window.pre_present_notify();
        self.surface.show()?;
        let escape = |event: &&egui::Event| {
            matches!(event, egui::Event::Key { key: egui::Key::Escape, pressed: true, repeat: false, .. })
        };
        for _ in input.events.iter().filter(escape) {
            if self.browser.escape() {
                return Ok(true);
            }
            self.window.request_redraw();
        }
        match choice {
            Some(Choice::Close) => return Ok(true),
            Some(Choice::Enter(about)) => {
                self.starting = Some(Starting::Demo(about, None));
                self.window.request_redraw();
            }
            None => {}
        }
        Ok(false)
    }

    /// Starts a demo as its command line without flags does, or with a file to go on from.
    fn enter(&mut self, about: &'static About, load: Option<&Path>) -> Result<()> {
        self.window.set_title(&title(about.name));
        let mut command = usual(about)?;
        command.arguments.load = load.map(Path::to_owned);
        let chosen = Chosen::new(command)?;
        let recorder = Recorder::create(&chosen)?;
        self.playing = Some(Playing::new(&chosen, Run::new(&self.gpu, &chosen, recorder)?, true));
        self.browser.message = None;
        // The search is not on the screen any more.
        self.gui.let_go();
        self.window.request_redraw();
        Ok(())
    }

    /// Goes back to the gallery: the files that the demo was asked for are written, and all that it had on the GPU is given back.
    fn leave(&mut self, error: Option<Error>) -> Result<()> {
        let Some(playing) = self.playing.take() else { return Ok(()) };
        let (from_gallery, name) = (playing.is_from_gallery(), playing.about().name);
        let finished = match error {
            Some(error) => {
                drop(playing);
                Err(error)
            }
            None => playing.finish(),
        };
        self.give_back(name);
        self.browser.choose(name);
        match finished {
            Err(error) if !from_gallery => return Err(error),
            finished => self.back(finished.err()),
        }
        Ok(())
    }

    /// Empties the pool, and says what a demo has kept.
    fn give_back(&mut self, name: &str) {
        self.gpu.set_pool_budget(0);
        self.gpu.set_pool_budget(POOL);
        let now = self.gpu.counters();
        if let Some(line) = left_behind(name, &self.empty, &now) {
            output::complain(&line);
            // The next demo is not told for it.
            self.empty = now;
        }
    }

    /// Shows the gallery, with the error that led there.
    fn back(&mut self, error: Option<Error>) {
        self.playing = None;
        self.browser.message = error.map(|error| format!("{error:#}"));
        self.window.set_title(&title("gallery"));
        self.window.request_redraw();
    }

    /// Returns true if the window may close, or a file take the place of what is shown: nothing that was typed is lost, or the user knows.
    pub fn may_leave(&mut self) -> bool {
        self.playing.as_mut().is_none_or(|playing| playing.may_leave(&self.window))
    }

    /// Goes on from a file that was dropped: a state in the demo that it is of, an array or a picture in the demo that is shown.
    fn load(&mut self, path: &Path) -> Result<()> {
        let is_png = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"));
        if let Some(playing) = self.playing.as_mut().filter(|_| is_png) {
            playing.take_picture(&self.gpu, path, &self.window);
            return Ok(());
        }
        let about = match (crate::files::npz::is_npz(path), &self.playing) {
            (true, playing) => state::read(path).and_then(|state| {
                let of = state.demo.escape_debug().take(64).collect::<String>();
                let shown = playing.as_ref().map(Playing::about).filter(|about| about.name == state.demo);
                shown
                    .or_else(|| list::named(&state.demo))
                    .with_context(|| format!("{}: a state of {of}, which is no demo", path.display()))
            }),
            (false, Some(playing)) => Ok(playing.about()),
            (false, None) => Err(anyhow::anyhow!("{}: open a demo first, and drop it there", path.display())),
        };
        if about.is_ok() && !self.may_leave() {
            return Ok(());
        }
        let entered = match about {
            Ok(about) => {
                self.leave(None)?;
                self.starting = Some(Starting::Demo(about, Some(path.to_owned())));
                Ok(())
            }
            Err(error) => Err(error),
        };
        match (entered, &mut self.playing) {
            (Ok(()), _) => {}
            (Err(error), Some(playing)) => playing.say(format!("{error:#}")),
            (Err(error), None) => self.back(Some(error)),
        }
        self.window.request_redraw();
        Ok(())
    }

    /// Does what the clock asks for, and says when it will ask again.
    pub fn tick(&mut self) -> Option<Instant> {
        let now = Instant::now();
        let watch = self.playing.as_mut().and_then(|playing| playing.watch(&self.window, now));
        // Nothing of a minimised window is laid out, and egui's wishes stay as they were.
        let size = self.window.inner_size();
        let seen = !self.unseen && !self.minimised.0;
        let wake = self.gui.wake().filter(|_| seen && size.width > 0 && size.height > 0);
        if wake.is_some_and(|at| at <= now) {
            self.window.request_redraw();
        }
        watch.into_iter().chain(wake.filter(|&at| at > now)).min()
    }

    /// Steps of the demo since its beginning or the last reset, if there is one.
    pub fn steps(&self) -> Option<u64> {
        self.playing.as_ref().map(Playing::steps)
    }

    /// Writes the files that were asked for.
    pub fn finish(self) -> Result<()> {
        let View { playing, starting, gui, gpu, surface, window, browser, .. } = self;
        let result = playing.map_or(Ok(()), |playing| match playing.is_from_gallery() {
            // A recording alone asked for its files, and its last word is not waited for.
            true => playing.end(),
            false => playing.finish(),
        });
        // In this order.
        drop((starting, browser, gui, gpu, surface, window));
        result
    }
}

/// The warning about a demo that has gone and has not given back all that it had.
fn left_behind(name: &str, before: &Counters, now: &Counters) -> Option<String> {
    if now.live <= before.live && now.live_bytes <= before.live_bytes {
        return None;
    }
    let (objects, bytes) =
        (now.live.saturating_sub(before.live), now.live_bytes.saturating_sub(before.live_bytes));
    let objects = output::counted(objects as u64, "object");
    Some(format!("warning: {name} has left {objects} and {} on the GPU", output::counted(bytes, "byte")))
}

/// How often to ask whether the window is minimised.
const ASK: Duration = Duration::from_millis(300);

/// Bytes of idle textures that the pool keeps.
const POOL: u64 = 256 << 20;

fn title(name: &str) -> String {
    format!("quadrille: {name}")
}

/// The command line of a demo without flags.
fn usual(about: &'static About) -> Result<DemoCommand> {
    if about.equation.is_some() {
        let context = ContextArguments { api: None, device: None, limits: None };
        return Ok(DemoCommand::of_equation(about, context));
    }
    let name = about.name;
    match Cli::try_parse_from(["quadrille", "demo", name])?.command() {
        Command::Demo { demo: Some(command) } => Ok(command),
        _ => Err(anyhow::anyhow!("{name}: no demo")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_that_nobody_gives_back_is_told_once_by_the_demo_that_had_it() -> Result<()> {
        let gpu = Gpu::headless()?;
        gpu.set_pool_budget(0);
        let before = gpu.counters();
        drop(gpu.buffer(8, 8).components(4).build()?);
        assert_eq!(left_behind("wave", &before, &gpu.counters()), None);
        std::mem::forget(gpu.buffer(8, 8).components(4).build()?);
        let after = gpu.counters();
        let line = left_behind("wave", &before, &after);
        let told = |line: String| line.starts_with("warning: wave has left 1 object and ");
        assert!(line.clone().is_some_and(told), "{line:?}");
        assert_eq!(left_behind("heat", &after, &gpu.counters()), None);
        Ok(())
    }
}
