//! All that lives in the page: the gallery, or a demo.

use anyhow::{Context, Error, Result, anyhow, bail};
use quadrille::gl::{Context as Gl, Counters};
use quadrille::{Gpu, glow};
use quadrille_gallery::demo::{About, Host, Source};
use quadrille_gallery::param::Values;
use quadrille_gallery::play::browser::{Browser, Choice};
use web_sys::WebGl2RenderingContext;

use crate::address::Address;
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
    browser: Browser,
    /// The objects and bytes before the first demo: as much is left by each.
    empty: Counters,
    gui: Gui,
    gpu: Gpu,
    clock: host::Browser,
    renderer: String,
}

impl View {
    pub fn new(context: WebGl2RenderingContext, renderer: String) -> Result<View> {
        let gpu = Gpu::of(Gl::from_webgl2(context.clone(), None)?);
        gpu.set_pool_budget(POOL);
        let gui = Gui::new(&gpu, glow::Context::from_webgl2_context(context))?;
        let (empty, clock) = (gpu.counters(), host::Browser::new());
        let (input, browser) = Default::default();
        let mut view = View { input, playing: None, browser, empty, gui, gpu, clock, renderer };
        view.browser.stays = true;
        Ok(view)
    }

    pub fn resize(&mut self, size: [u32; 2], scale: f32) {
        (self.gui.size, self.gui.scale) = (size.map(|pixels| pixels.max(1)), scale.max(0.1));
    }

    /// Opens what an address says; what it says wrong is told in the gallery.
    pub fn open(&mut self, address: &str) {
        let opened = match Address::read(address) {
            Ok(Some(address)) => self.enter(address, None),
            Ok(None) => {
                self.leave(None);
                Ok(())
            }
            Err(error) => Err(error),
        };
        if let Err(error) = opened {
            self.leave(Some(error));
        }
        outside::show_title(self.playing.as_ref().map_or("gallery", |playing| playing.about.name));
    }

    /// Starts a demo in the place of what is there.
    fn enter(&mut self, address: Address, load: Option<Source>) -> Result<()> {
        self.leave(None);
        let playing = Playing::new(&self.gpu, address, load)?;
        self.playing = Some(playing);
        // The search is not on the screen any more.
        self.gui.let_go();
        Ok(())
    }

    /// Enters a demo as the user asked for it: the way back leads to where he was.
    fn go(&mut self, about: &'static About) {
        let address = Address { about, values: Values::new(), seed: None, kernels: Vec::new() };
        let written = address.written();
        match self.enter(address, None) {
            Ok(()) => outside::show_address(&written, about.name, true),
            Err(error) => self.leave(Some(error)),
        }
    }

    /// Goes back to the gallery, with the error that led there: all that the demo had on the GPU is given back.
    fn leave(&mut self, error: Option<Error>) {
        self.browser.message = error.map(|error| format!("{error:#}"));
        let Some(playing) = self.playing.take() else { return };
        let name = playing.about.name;
        drop(playing);
        self.gpu.set_pool_budget(0);
        self.gpu.set_pool_budget(POOL);
        let Counters { live, live_bytes, .. } = self.gpu.counters();
        if live > self.empty.live || live_bytes > self.empty.live_bytes {
            let objects = live.saturating_sub(self.empty.live);
            let bytes = live_bytes.saturating_sub(self.empty.live_bytes);
            self.clock.warn(&format!("{name} has left {objects} objects and {bytes} bytes on the GPU"));
        }
    }

    /// Goes on from a file: a state in the demo that it is of.
    pub fn file(&mut self, name: &str, bytes: Vec<u8>) {
        let entered = self.load(name, bytes);
        match (entered, &mut self.playing) {
            (Ok(()), _) => {}
            (Err(error), Some(playing)) => playing.play.message.say(format!("{error:#}")),
            (Err(error), None) => self.leave(Some(error)),
        }
    }

    fn load(&mut self, name: &str, bytes: Vec<u8>) -> Result<()> {
        if !name.to_lowercase().ends_with(".npz") {
            bail!(
                "{name}: a page opens states (.npz) alone; the program begins with arrays, pictures and meshes, too"
            );
        }
        let state = files::state(name, bytes)?;
        let address = playing::address_of(&state).with_context(|| name.to_owned())?;
        let (about, source) = (address.about, Source { path: name.into(), state: Some(state) });
        self.enter(address, Some(source))?;
        outside::show_address(&format!("?demo={}", about.name), about.name, true);
        Ok(())
    }

    /// One frame of the gallery or of the demo; returns the seconds until the next one.
    pub fn frame(&mut self) -> Result<f64> {
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
        let input = gui.lay_out(events, now, |ui| choice = browser.show(ui).or(choice));
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

    /// Types a text in the place of a kernel.
    pub fn edit(&mut self, kernel: &str, text: String) -> Result<()> {
        let now = self.clock.seconds();
        let playing = self.playing.as_mut().ok_or_else(|| anyhow!("no demo is open"))?;
        playing.edit(kernel, text, now)
    }

    /// The file of the demo's state, for tests.
    pub fn state(&self) -> Result<Vec<u8>> {
        let playing = self.playing.as_ref().ok_or_else(|| anyhow!("no demo is open"))?;
        files::npz(&playing.state()?)
    }
}
