//! All that lives while the window is open, and what one frame does.

use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::Result;
use quadrille::gl::window::Surface;
use quadrille::{Error, Gpu, Options};
use winit::event::WindowEvent;
use winit::event_loop::ActiveEventLoop;
use winit::window::Window;

use super::gui::{Gui, Input};
use super::hand::Pointer;
use super::keys::KeyActions;
use super::marks;
use super::orbit::Orbit;
use super::panel::{Facts, Message, Panel};
use super::picture::Place;
use super::rates::Rates;
use super::run::Run;
use super::{no_window, surface};
use crate::demo::chosen::Chosen;
use crate::demo::record::Recorder;
use crate::files::shown;

/// How often `--watch` looks at the kernel's file.
const WATCH: Duration = Duration::from_millis(250);

/// Fields in the order in which they must go: all that OpenGL made, then its surface, then the window.
pub struct View {
    run: Run,
    panel: Panel,
    hand: Pointer,
    orbit: Orbit,
    rates: Rates,
    /// When the kernel's file is looked at next.
    watch: Option<Instant>,
    /// The kernel under `--watch` compiles and cannot run: steps wait for its file to change.
    stuck: bool,
    gui: Gui,
    gpu: Gpu,
    surface: Surface,
    window: Rc<Window>,
}

impl View {
    /// Opens the window and starts the demo in it.
    pub fn open(
        event_loop: &ActiveEventLoop,
        chosen: &Chosen,
        options: &Options,
        recorder: Recorder,
    ) -> Result<View> {
        let api = options.api.unwrap_or_default();
        let (window, surface) = surface::open(event_loop, format!("quadrille: {}", chosen.about.name), api)?;
        let gpu = Gpu::of(surface.context(options.limits).map_err(no_window)?);
        crate::cli::warn(&gpu);
        let gui = Gui::new(&gpu, surface.functions()?, &window)?;
        let run = Run::new(&gpu, chosen, recorder)?;
        let panel = Panel {
            paused: false,
            steps_a_frame: run.demo.pace(),
            seed: chosen.request.seed(),
            message: Message::default(),
            kernel_error: None,
        };
        let watch = chosen.watch.then(Instant::now);
        window.request_redraw();
        let (hand, orbit, rates) = (Pointer::default(), Orbit::default(), Rates::new());
        Ok(View { run, panel, hand, orbit, rates, watch, stuck: false, gui, gpu, surface, window })
    }

    /// An event of the window other than to redraw or close it.
    pub fn event(&mut self, event: &WindowEvent) {
        if let WindowEvent::Resized(size) = event {
            self.surface.resize(size.width, size.height);
        }
        if self.gui.event(&self.window, event) {
            self.window.request_redraw();
        }
    }

    /// One frame: widgets, what the user asked for, steps, picture. Says whether the window is to close.
    pub fn frame(&mut self) -> Result<bool> {
        let size = self.window.inner_size();
        if size.width == 0 || size.height == 0 {
            return self.unseen_frame();
        }
        let (wishes, input, place) = self.lay_out()?;
        if wishes.close {
            return Ok(true);
        }
        self.grant(wishes)?;
        if let Some(place) = place {
            let both = self.run.demo.has_second_touch();
            let mut picture = self.run.demo.picture();
            let (by_left, brush) = (picture.turns_by_left(), picture.brush());
            if let Some(camera) = picture.camera() {
                self.orbit.follow(&input, &place, camera, by_left);
            }
            drop(picture);
            for touch in self.hand.follow(&input, &place, brush, both) {
                self.run.demo.touch(touch)?;
            }
        }
        let rests = self.advance(wishes.steps)?;
        self.gui.clear(size.into());
        if let Some(place) = place {
            self.run.demo.prepare()?;
            self.run.draw(place.viewport(size.height))?;
        }
        self.gui.paint(size.into());
        self.window.pre_present_notify();
        self.surface.show()?;
        self.go_on(rests);
        Ok(self.run.is_done())
    }

    /// The window is minimised: the run goes on, and nothing is drawn.
    fn unseen_frame(&mut self) -> Result<bool> {
        let rests = self.advance(0)?;
        // In the place of the swap, which would hold the CPU back.
        self.gpu.finish();
        self.go_on(rests);
        Ok(self.run.is_done())
    }

    /// Shows the panel; returns what was asked for, other input, and where the picture comes.
    fn lay_out(&mut self) -> Result<(KeyActions, Input, Option<Place>)> {
        let View { run, panel, rates, gui, gpu, window, .. } = self;
        let renderer = &gpu.driver().renderer;
        let facts = Facts { rates: rates.shown(), step: run.step(), passes: gpu.counters().passes, renderer };
        let mut shown = Ok(KeyActions::default());
        let mut area = egui::Rect::NOTHING;
        let input = gui.lay_out(window, |ui| {
            shown = panel.show(ui, run.about, run.demo.as_mut(), &facts);
            area = ui.available_rect_before_wrap();
            let (marks, scale) = (run.demo.marks(), ui.ctx().pixels_per_point());
            if !marks.is_empty()
                && let Ok(Some(place)) = Place::new(run.demo.picture().as_ref(), area, scale)
            {
                marks::paint(ui, &place, &marks, scale);
            }
        });
        let mut wishes = shown?;
        run.follow()?;
        wishes.add_keys(&input);
        let place = Place::new(run.demo.picture().as_ref(), area, input.scale)?;
        Ok((wishes, input, place))
    }

    fn grant(&mut self, wishes: KeyActions) -> Result<()> {
        if wishes != KeyActions::default() {
            // The panel of this frame was laid out before them.
            self.window.request_redraw();
        }
        let Panel { paused, seed, message, .. } = &mut self.panel;
        *paused = (*paused ^ wishes.pause) || wishes.steps > 0;
        if wishes.reset {
            self.run.reset(*seed)?;
        }
        if wishes.save_picture {
            message.say(match self.run.save_picture() {
                Ok(path) => format!("saved {}", shown(path)),
                Err(error) => format!("{error:#}"),
            });
        }
        Ok(())
    }

    /// Runs the steps of this frame, `single` ones while it is paused. Says whether the run rests.
    fn advance(&mut self, single: u64) -> Result<bool> {
        let rests = self.panel.paused || self.stuck || self.run.demo.is_over();
        let steps = match (self.stuck, self.panel.paused) {
            (true, _) => 0,
            (false, true) => single,
            (false, false) => self.panel.steps_a_frame,
        };
        match self.run.advance(steps) {
            Ok(_) if rests => self.rates.rest(),
            Ok(steps) => self.rates.frame(steps),
            Err(error) if self.watch.is_some() && error.is::<Error>() => {
                self.stuck = true;
                self.window.request_redraw();
                self.panel.kernel_error = Some(format!("The kernel cannot run.\n{error:#}"));
            }
            Err(error) => return Err(error),
        }
        Ok(rests)
    }

    /// Asks for the next frame, if the run does not rest.
    fn go_on(&self, rests: bool) {
        if !rests && !self.stuck {
            self.window.request_redraw();
        }
    }

    /// Does what the clock asks for, and says when it will ask again.
    pub fn tick(&mut self) -> Option<Instant> {
        let now = Instant::now();
        if self.watch.is_some_and(|at| at <= now) {
            self.watch = Some(now + WATCH);
            self.look_at_kernel();
        }
        // A minimised window has no layout, so egui's last wish would stay for ever.
        let size = self.window.inner_size();
        let wake = self.gui.wake().filter(|_| size.width > 0 && size.height > 0);
        if wake.is_some_and(|at| at <= now) {
            self.window.request_redraw();
        }
        self.watch.into_iter().chain(wake.filter(|&at| at > now)).min()
    }

    /// Reloads a changed kernel. A kernel that does not compile is no end: the one before goes on.
    fn look_at_kernel(&mut self) {
        match self.run.demo.reload_if_changed() {
            Ok(false) => return,
            Ok(true) => (self.panel.kernel_error, self.stuck) = (None, false),
            Err(error) => {
                let log = match error.downcast_ref() {
                    Some(Error::Compile { log, .. }) => format!("\n\n{}", log.trim_end()),
                    _ => String::new(),
                };
                let goes_on = "The kernel's file is not used, the kernel before goes on.";
                self.panel.kernel_error = Some(format!("{goes_on}\n{error:#}{log}"));
            }
        }
        self.window.request_redraw();
    }

    /// Steps since the beginning or the last reset.
    pub fn steps(&self) -> u64 {
        self.run.step()
    }

    /// Writes the files that were asked for.
    pub fn finish(self) -> Result<()> {
        let View { run, gui, gpu, surface, window, .. } = self;
        let result = run.finish();
        // In this order.
        drop((gui, gpu, surface, window));
        result
    }
}
