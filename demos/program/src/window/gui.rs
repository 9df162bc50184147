//! egui over winit and OpenGL. To the library its drawing is foreign code, and is bracketed as such.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use egui::{Popup, Ui, ViewportId};
use egui_glow::Painter;
use egui_glow::egui_winit::State;
use quadrille::{Gpu, glow};
use quadrille_gallery::play::{Input, look, overlay};
use winit::event::WindowEvent;
use winit::window::Window;

pub struct Gui {
    context: egui::Context,
    input: State,
    painter: Painter,
    shapes: Vec<egui::epaint::ClippedShape>,
    textures: egui::TexturesDelta,
    scale: f32,
    /// When egui wants to draw again although nothing happens: an animation, a blinking cursor.
    wake: Option<Instant>,
    /// Events of a frame that only said something, for the next one.
    kept: Vec<egui::Event>,
    gpu: Gpu,
}

impl Gui {
    pub fn new(gpu: &Gpu, gl: glow::Context, window: &Window) -> Result<Gui> {
        let painter = gpu.glow(|_| Painter::new(Arc::new(gl), "", None, false));
        let painter = painter.map_err(|error| anyhow!("the panel cannot be drawn: {error}"))?;
        let context = egui::Context::default();
        look::apply(&context);
        let scale = window.scale_factor() as f32;
        let side = painter.max_texture_side();
        let input = State::new(context.clone(), ViewportId::ROOT, window, Some(scale), None, Some(side));
        let (shapes, textures) = Default::default();
        Ok(Gui {
            context,
            input,
            painter,
            shapes,
            textures,
            scale,
            wake: None,
            kept: Vec::new(),
            gpu: gpu.clone(),
        })
    }

    /// Passes an event of the window on; says whether it is worth a frame.
    pub fn event(&mut self, window: &Window, event: &WindowEvent) -> bool {
        self.input.on_window_event(window, event).repaint
    }

    /// Lays the widgets out and lets them act. `content` may be called twice for one frame.
    pub fn lay_out(&mut self, window: &Window, content: impl FnMut(&mut Ui)) -> Input {
        // As it was when the events came: the click that closes a list is no click on what lies below.
        let typing = self.context.egui_wants_keyboard_input();
        let list_was_open = Popup::is_any_open(&self.context);
        let mut raw = self.input.take_egui_input(window);
        raw.events.splice(0..0, std::mem::take(&mut self.kept));
        // A frame that egui lays out twice has its events in the first pass alone.
        let events = raw.events.clone();
        let output = self.context.run_ui(raw, content);
        self.input.handle_platform_output(window, output.platform_output);
        self.textures.append(output.textures_delta);
        (self.shapes, self.scale) = (output.shapes, output.pixels_per_point);
        let root = output.viewport_output.get(&ViewportId::ROOT);
        let delay = root.map_or(Duration::MAX, |root| root.repaint_delay);
        self.wake = Instant::now().checked_add(delay);
        let list_is_open = Popup::is_any_open(&self.context);
        Input {
            events,
            typing: typing || list_was_open,
            taken: list_was_open || list_is_open || self.context.egui_is_using_pointer(),
            scale: self.scale,
        }
    }

    /// Lays out a line in the middle of an empty window. Nothing that the user does meanwhile is lost.
    pub fn say(&mut self, window: &Window, line: &str) {
        let mut raw = self.input.take_egui_input(window);
        self.kept.append(&mut raw.events);
        let output = self.context.run_ui(raw, |ui| overlay::busy(ui, ui.max_rect(), line));
        self.textures.append(output.textures_delta);
        (self.shapes, self.scale) = (output.shapes, output.pixels_per_point);
    }

    /// Takes the keyboard from the widget that has it.
    pub fn let_go(&self) {
        self.context.memory_mut(|memory| {
            if let Some(focused) = memory.focused() {
                memory.surrender_focus(focused);
            }
        });
    }

    /// Fills the window with the background.
    pub fn clear(&self, size: [u32; 2]) {
        self.gpu.glow(|_| self.painter.clear(size, look::BACKGROUND));
    }

    /// Draws the widgets over what is there.
    pub fn paint(&mut self, size: [u32; 2]) {
        let Gui { context, painter, textures, gpu, scale, .. } = self;
        let triangles = context.tessellate(std::mem::take(&mut self.shapes), *scale);
        gpu.glow(|_| painter.paint_and_update_textures(size, *scale, &triangles, textures));
    }

    /// Draws again in so many seconds at the latest.
    pub fn wake_after(&mut self, seconds: f64) {
        let at = Instant::now() + Duration::from_secs_f64(seconds.clamp(0.0, 60.0));
        self.wake = Some(self.wake.map_or(at, |wake| wake.min(at)));
    }

    /// When to draw again although nothing happens.
    pub fn wake(&self) -> Option<Instant> {
        self.wake
    }
}

impl Drop for Gui {
    fn drop(&mut self) {
        self.textures.clear();
        let painter = &mut self.painter;
        self.gpu.glow(|_| painter.destroy());
    }
}
