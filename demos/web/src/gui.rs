//! egui over the canvas. To the library its drawing is foreign code, and is bracketed as such.

use std::sync::Arc;

use anyhow::{Result, anyhow};
use egui::{CursorIcon, Event, OutputCommand, Popup, RawInput, Ui, ViewportId, vec2};
use egui_glow::Painter;
use quadrille::{Gpu, glow};
use quadrille_gallery::play::{Input, look};

use crate::{letters, outside};

pub struct Gui {
    context: egui::Context,
    painter: Painter,
    shapes: Vec<egui::epaint::ClippedShape>,
    textures: egui::TexturesDelta,
    pub size: [u32; 2],
    pub scale: f32,
    /// Seconds until egui wants to draw again although nothing happens.
    wake: f64,
    /// The time of the last frame, in seconds.
    now: f64,
    pointer: (CursorIcon, bool),
    gpu: Gpu,
}

impl Gui {
    pub fn new(gpu: &Gpu, gl: glow::Context) -> Result<Gui> {
        // It is used on one thread, as all of the page.
        #[expect(clippy::arc_with_non_send_sync)]
        let gl = Arc::new(gl);
        let painter = gpu.glow(|_| Painter::new(gl, "", None, false));
        let painter = painter.map_err(|error| anyhow!("the panel cannot be drawn: {error}"))?;
        let context = egui::Context::default();
        look::apply(&context);
        // No fonts: every letter is drawn by us.
        context.set_fonts(egui::FontDefinitions::empty());
        context.add_glyph_rasterizer(letters::drawer());
        let (shapes, textures) = Default::default();
        let pointer = (CursorIcon::Default, false);
        let gpu = gpu.clone();
        Ok(Gui {
            context,
            painter,
            shapes,
            textures,
            size: [1, 1],
            scale: 1.0,
            wake: 0.0,
            now: 0.0,
            pointer,
            gpu,
        })
    }

    /// Lays the widgets out and lets them act. `content` may be called twice for one frame.
    pub fn lay_out(&mut self, events: Vec<Event>, now: f64, content: impl FnMut(&mut Ui)) -> Input {
        self.now = now;
        // As it was when the events came: the click that closes a list is no click on what lies below.
        let typing = self.context.egui_wants_keyboard_input();
        let list_was_open = Popup::is_any_open(&self.context);
        let [width, height] = self.size.map(|pixels| pixels as f32 / self.scale);
        let mut raw = RawInput {
            screen_rect: Some(egui::Rect::from_min_size(egui::Pos2::ZERO, vec2(width, height))),
            max_texture_side: Some(self.painter.max_texture_side()),
            time: Some(now),
            events: events.clone(),
            ..RawInput::default()
        };
        if let Some(viewport) = raw.viewports.get_mut(&ViewportId::ROOT) {
            viewport.native_pixels_per_point = Some(self.scale);
        }
        let output = self.context.run_ui(raw, content);
        self.obey(output.platform_output);
        self.textures.append(output.textures_delta);
        self.shapes = output.shapes;
        let root = output.viewport_output.get(&ViewportId::ROOT);
        self.wake = root.map_or(f64::INFINITY, |root| root.repaint_delay.as_secs_f64());
        let list_is_open = Popup::is_any_open(&self.context);
        Input {
            events,
            typing: typing || list_was_open,
            taken: list_was_open || list_is_open || self.context.egui_is_using_pointer(),
            scale: self.scale,
        }
    }

    /// Does what the widgets ask of the page.
    fn obey(&mut self, output: egui::PlatformOutput) {
        for command in output.commands {
            match command {
                OutputCommand::CopyText(text) => outside::copy(&text),
                OutputCommand::OpenUrl(page) => outside::open_page(&page.url),
                _ => {}
            }
        }
        let pointer = (output.cursor_icon, output.ime.is_some());
        if pointer != self.pointer {
            self.pointer = pointer;
            let shape = match output.cursor_icon {
                CursorIcon::PointingHand => "pointer",
                CursorIcon::Text => "text",
                CursorIcon::ResizeHorizontal | CursorIcon::ResizeColumn => "col-resize",
                CursorIcon::Grab => "grab",
                CursorIcon::Grabbing => "grabbing",
                CursorIcon::None => "none",
                _ => "default",
            };
            outside::pointer_shape(shape, pointer.1);
        }
    }

    /// That of the panel.
    pub fn context(&self) -> &egui::Context {
        &self.context
    }

    /// Takes the keyboard from the widget that has it.
    pub fn let_go(&self) {
        self.context.memory_mut(|memory| {
            if let Some(focused) = memory.focused() {
                memory.surrender_focus(focused);
            }
        });
    }

    /// Draws a frame of that line alone.
    pub fn say(&mut self, line: &str) {
        self.lay_out(Vec::new(), self.now, |ui| drop(ui.centered_and_justified(|ui| ui.heading(line))));
        self.clear();
        self.paint();
    }

    /// Fills the canvas with the background.
    pub fn clear(&self) {
        self.gpu.glow(|_| self.painter.clear(self.size, look::BACKGROUND));
    }

    /// Draws the widgets over what is there.
    pub fn paint(&mut self) {
        let Gui { context, painter, textures, gpu, scale, size, .. } = self;
        let triangles = context.tessellate(std::mem::take(&mut self.shapes), *scale);
        gpu.glow(|_| painter.paint_and_update_textures(*size, *scale, &triangles, textures));
    }

    /// Seconds until egui wants to draw again although nothing happens.
    pub fn wake(&self) -> f64 {
        self.wake
    }
}
