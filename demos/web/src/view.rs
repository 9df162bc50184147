//! All that lives in the page: the gallery, or a demo.

use anyhow::{Context, Error, Result, anyhow, bail};
use quadrille::gl::{Context as Gl, Counters};
use quadrille::{Gpu, glow};
use quadrille_gallery::address::Address;
use quadrille_gallery::demo::{About, Host, Source};
use quadrille_gallery::equations;
use quadrille_gallery::list::ONLY;
use quadrille_gallery::play::browser::{Browser, Choice};
use quadrille_gallery::sketch;
use web_sys::WebGl2RenderingContext;

use crate::gui::Gui;
use crate::input::Input;
use crate::playing::{self, Next, Playing};
use crate::{files, host, outside};

/// Bytes of idle textures that the pool keeps.
const POOL: u64 = 256 << 20;

pub struct View {
    pub input: Input,
    /// The demo, or the gallery.
    playing: Option<Playing>,
    /// The demo that starts once a frame has said so: a driver takes seconds for the kernels of some.
    starting: Option<Starting>,
    /// A frame was drawn: there is something in whose place a message can stand.
    drawn: bool,
    browser: Browser,
    /// The objects and bytes before the first demo: as much is left by each.
    empty: Counters,
    gui: Gui,
    gpu: Gpu,
    clock: host::Browser,
    renderer: String,
}

/// A demo that is about to start.
struct Starting {
    address: Address,
    load: Option<Source>,
    said: bool,
}

impl View {
    pub fn new(context: WebGl2RenderingContext, renderer: String) -> Result<View> {
        let gpu = Gpu::of(Gl::from_webgl2(context.clone(), None)?);
        gpu.set_pool_budget(POOL);
        let gui = Gui::new(&gpu, glow::Context::from_webgl2_context(context))?;
        let (empty, clock) = (gpu.counters(), host::Browser::new());
        let (input, browser) = Default::default();
        let (playing, starting, drawn) = (None, None, false);
        let mut view = View { input, playing, starting, drawn, browser, empty, gui, gpu, clock, renderer };
        view.browser.stays = true;
        Ok(view)
    }

    pub fn resize(&mut self, size: [u32; 2], scale: f32) {
        (self.gui.size, self.gui.scale) = (size.map(|pixels| pixels.max(1)), scale.max(0.1));
    }

    /// Opens what an address says; what it says wrong is told in the gallery.
    pub fn open(&mut self, address: &str) {
        let opened = match Address::read(address) {
            Ok(Some(address)) => {
                outside::show_title(address.about.name);
                return self.enter(address, None);
            }
            Ok(None) => None,
            Err(error) => Some(error),
        };
        self.leave(opened);
        outside::show_title("gallery");
    }

    /// Has a demo start in the place of what is there: at once if nothing is there, otherwise after a frame that says so.
    fn enter(&mut self, address: Address, load: Option<Source>) {
        self.leave(None);
        // The search is not on the screen any more.
        self.gui.let_go();
        self.starting = Some(Starting { address, load, said: !self.drawn });
    }

    /// Starts the demo that is about to start.
    pub fn settle(&mut self) {
        let Some(Starting { address, load, .. }) = self.starting.take() else { return };
        match Playing::new(&self.gpu, address, load) {
            Ok(playing) => self.playing = Some(playing),
            Err(error) => {
                // The address stays, for it is what was wrong.
                self.leave(Some(error));
                outside::show_title("gallery");
            }
        }
    }

    /// Enters a demo as the user asked for it: the way back leads to where he was.
    fn go(&mut self, about: &'static About) {
        let address = Address::of(about);
        let written = address.written();
        self.enter(address, None);
        outside::show_address(&written, about.name, true);
    }

    /// Goes back to the gallery, with the error that led there: all that the demo had on the GPU is given back.
    fn leave(&mut self, error: Option<Error>) {
        self.browser.message = error.map(|error| format!("{error:#}"));
        self.starting = None;
        let Some(playing) = self.playing.take() else { return };
        let name = playing.about.name;
        drop(playing);
        self.browser.choose(name);
        self.gpu.set_pool_budget(0);
        self.gpu.set_pool_budget(POOL);
        let Counters { live, live_bytes, .. } = self.gpu.counters();
        if live > self.empty.live || live_bytes > self.empty.live_bytes {
            let objects = live.saturating_sub(self.empty.live);
            let bytes = live_bytes.saturating_sub(self.empty.live_bytes);
            self.clock.warn(&format!("{name} has left {objects} objects and {bytes} bytes on the GPU"));
        }
    }

    /// Shows the picture of a card.
    pub fn picture(&mut self, name: &str, bytes: &[u8]) {
        // The page of one demo has no pictures.
        if ONLY.is_none() {
            self.browser.bring(self.gui.context(), name, bytes);
        }
    }

    /// Goes on from a file: a state in the demo that it is of, or a file of equations.
    pub fn file(&mut self, name: &str, bytes: Vec<u8>) {
        self.settle();
        let is_picture = ONLY.is_none() && name.to_lowercase().ends_with(".png");
        let entered = match &mut self.playing {
            Some(playing) if is_picture => playing.show_picture(&self.gpu, name, &bytes),
            _ if ONLY.is_none() && name.to_lowercase().ends_with(".toml") => self.open_file(name, bytes),
            _ => self.load(name, bytes),
        };
        match (entered, &mut self.playing) {
            (Ok(()), _) => {}
            (Err(error), Some(playing)) => playing.play.message.say(format!("{error:#}")),
            (Err(error), None) => self.leave(Some(error)),
        }
    }

    /// Opens a file of equations; one of the name of that which is played takes its place, and the run goes on.
    fn open_file(&mut self, name: &str, bytes: Vec<u8>) -> Result<()> {
        let text = String::from_utf8(bytes).map_err(|_| anyhow!("{name}: expected a text in UTF-8"))?;
        let now = self.clock.seconds();
        if let Some(playing) = self.playing.as_mut().filter(|playing| playing.about.name == name) {
            return playing.edit(name, text, now);
        }
        let address = Address::of_file(name, &text)?;
        let (about, written) = (address.about, address.written());
        self.enter(address, None);
        outside::show_address(&written, about.name, true);
        Ok(())
    }

    fn load(&mut self, name: &str, bytes: Vec<u8>) -> Result<()> {
        if !name.to_lowercase().ends_with(".npz") {
            bail!(
                "{name}: a page opens states (.npz), files of equations (.toml), and pictures (.png) for a new kernel; the program begins with arrays, pictures and meshes"
            );
        }
        let state = files::state(name, bytes)?;
        let address = Address::of_state(&state).with_context(|| name.to_owned())?;
        let (about, source) = (address.about, Source { path: name.into(), state: Some(state) });
        self.enter(address, Some(source));
        outside::show_address(&Address::of(about).written(), about.name, true);
        Ok(())
    }

    /// One frame of the gallery or of the demo; returns the seconds until the next one.
    pub fn frame(&mut self) -> Result<f64> {
        if let Some(Starting { address, said: false, .. }) = &self.starting {
            self.gui.say(&format!("{}: compiling its kernels ...", address.about.name));
            self.starting.iter_mut().for_each(|starting| starting.said = true);
            return Ok(0.0);
        }
        self.settle();
        self.drawn = true;
        let now = self.clock.seconds();
        let events = self.input.take(now);
        let View { playing, gui, gpu, renderer, .. } = self;
        let wait = match playing {
            None => self.gallery_frame(events, now)?,
            Some(playing) => match playing.frame(gpu, gui, events, now, renderer) {
                Ok(Next::GoOn(wait)) => wait,
                Ok(Next::Leave) => {
                    self.leave(None);
                    outside::show_address("", "gallery", true);
                    0.0
                }
                Err(error) => {
                    self.leave(Some(error));
                    outside::show_address("", "gallery", true);
                    0.0
                }
            },
        };
        Ok(if self.input.waits() { 0.0 } else { wait })
    }

    fn gallery_frame(&mut self, events: Vec<egui::Event>, now: f64) -> Result<f64> {
        let View { browser, gui, .. } = self;
        let mut choice = None;
        let input = gui.lay_out(events, now, |ui| {
            let mut new = None;
            if ONLY.is_none() {
                let buttons = [
                    ("New kernel", "A kernel of your own, compiled as you type", sketch::ABOUT.name),
                    ("New equation", "An equation of your own, as a file of ten lines", equations::NEW.name),
                ];
                new = playing::strip(ui, buttons).and_then(sketch::named).map(Choice::Enter);
            }
            choice = browser.show(ui).or(new).or(choice);
        });
        browser.wanted.drain(..).for_each(outside::want_picture);
        gui.clear();
        gui.paint();
        let escape = |event: &&egui::Event| {
            matches!(event, egui::Event::Key { key: egui::Key::Escape, pressed: true, repeat: false, .. })
        };
        let mut wait = gui.wake();
        for _ in input.events.iter().filter(escape) {
            browser.escape();
            wait = 0.0;
        }
        // A page is closed by its browser.
        if let Some(Choice::Enter(about)) = choice {
            self.go(about);
            wait = 0.0;
        }
        Ok(wait)
    }

    /// The report of [`Page::report`](crate::Page::report).
    pub fn report(&self) -> String {
        let Counters { live, live_bytes, passes, .. } = self.gpu.counters();
        let demo = self.playing.as_ref().map(|playing| (playing.about.name, playing.step()));
        let message = self.browser.message.clone();
        let report = serde_json::json!({
            "demo": demo.map(|demo| demo.0), "step": demo.map(|demo| demo.1), "message": message,
            "address": self.playing.as_ref().map(|playing| playing.address().written()),
            "kernel_error": self.playing.as_ref().and_then(Playing::kernel_error),
            "live": live, "live_bytes": live_bytes, "passes": passes,
            "memory": std::arch::wasm32::memory_size(0) << 16,
        });
        report.to_string()
    }

    /// Pauses the demo, or lets it go on; makes so many steps at once.
    pub fn drive(&mut self, paused: bool, steps: u64) -> Result<()> {
        let playing = self.playing.as_mut().ok_or_else(|| anyhow!("no demo is open"))?;
        playing.drive(&self.gpu, paused, steps)
    }

    /// Types a text in the place of a kernel, or of the file of equations.
    pub fn edit(&mut self, name: &str, text: String) -> Result<()> {
        let now = self.clock.seconds();
        let playing = self.playing.as_mut().ok_or_else(|| anyhow!("no demo is open"))?;
        playing.edit(name, text, now)
    }

    /// The demo's findings, for tests.
    pub fn findings(&self) -> Result<String> {
        let playing = self.playing.as_ref().ok_or_else(|| anyhow!("no demo is open"))?;
        Ok(playing.findings()?.to_string())
    }

    /// The file of the demo's state, for tests.
    pub fn state(&self) -> Result<Vec<u8>> {
        let playing = self.playing.as_ref().ok_or_else(|| anyhow!("no demo is open"))?;
        files::npz(&playing.state()?)
    }
}
