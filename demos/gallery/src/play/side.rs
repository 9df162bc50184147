//! The panel beside the picture.

use anyhow::Result;
use egui::{
    Button, Checkbox, CollapsingHeader, Color32, DragValue, Frame, Margin, Panel as SidePanel, RichText,
    ScrollArea, Sense, Ui, vec2,
};

use super::curves::written;
use super::history::Change;
use super::keys::Tape;
use super::{Facts, KeyActions, Play, Shown};
use crate::demo::Demo;
use crate::number::rate as digits;
use crate::picture::{Layout, Numbers, brush_widget};

/// Points; the user may draw it wider.
const WIDTH: f32 = 280.0;

/// The least width, and the largest as a share of the window: the rest is the picture's.
const LEAST: f32 = 160.0;
const MOST: f32 = 0.6;

/// Points of a panel that has room for what stays in sight, besides its buttons.
const TALL: f32 = 420.0;

/// Points below which the buttons are scrolled with the rest.
const SHORT: f32 = 260.0;

/// Points that the rate of frames takes.
const ROOM_OF_RATE: f32 = 56.0;

/// Seconds for which a message is read.
const READING: f64 = 6.0;

/// A line over the picture that is read for a while.
#[derive(Default)]
pub struct Message {
    line: String,
    since: Option<f64>,
}

impl Message {
    pub fn say(&mut self, line: String) {
        *self = Message { line, since: None };
    }

    /// The line, as long as it is read; nothing after that.
    pub(super) fn shown(&mut self, ui: &Ui) -> Option<&str> {
        if self.line.is_empty() {
            return None;
        }
        let now = ui.input(|input| input.time);
        let left = *self.since.get_or_insert(now) + READING - now;
        if left <= 0.0 {
            self.line.clear();
            return None;
        }
        ui.ctx().request_repaint_after_secs(left as f32);
        Some(&self.line)
    }
}

impl Play {
    /// Shows the panel on the left of `ui`.
    ///
    /// # Errors
    /// Those of the demo's own widgets.
    pub(super) fn side(&mut self, ui: &mut Ui, demo: &mut dyn Demo, facts: &Facts) -> Result<KeyActions> {
        let most = (MOST * ui.available_width()).clamp(LEAST, 900.0);
        let panel = SidePanel::left("panel").default_size(WIDTH.min(most)).size_range(LEAST..=most);
        panel
            .show(ui, |ui| {
                let mut actions = KeyActions::default();
                let height = ui.available_height();
                let tall = height >= TALL;
                if height >= SHORT {
                    let frame = Frame::NONE.inner_margin(Margin::symmetric(0, 2));
                    SidePanel::bottom("buttons").resizable(false).frame(frame).show(ui, |ui| {
                        if tall {
                            self.in_sight(ui, demo);
                        }
                        self.buttons(ui, demo.uses_seed(), facts, true, &mut actions);
                    });
                }
                let name = self.about.name;
                let content = |ui: &mut Ui| {
                    self.head(ui, facts, &mut actions);
                    if height < SHORT {
                        self.buttons(ui, demo.uses_seed(), facts, false, &mut actions);
                    }
                    self.content(ui, demo, facts, &mut actions, tall)
                };
                // Each demo's begins at its top. A row that is too wide is scrolled: the panel stays as wide as it is.
                ScrollArea::both().id_salt(name).auto_shrink(false).show(ui, content).inner?;
                Ok(actions)
            })
            .inner
    }

    /// Shows the button that opens the panel again.
    pub(super) fn unfold_button(&mut self, ui: &mut Ui) -> KeyActions {
        let at = ui.available_rect_before_wrap().min + vec2(6.0, 6.0);
        let mut fold = false;
        egui::Area::new(egui::Id::unique("unfold")).fixed_pos(at).show(ui.ctx(), |ui| {
            fold = ui.button("Panel").on_hover_text("Tab").clicked();
        });
        KeyActions { fold, ..KeyActions::default() }
    }

    /// The name, a way to fold the panel, and the rate of frames.
    fn head(&mut self, ui: &mut Ui, facts: &Facts, actions: &mut KeyActions) {
        ui.add_space(6.0);
        ui.horizontal_wrapped(|ui| {
            actions.fold |= ui.small_button("«").on_hover_text("Fold the panel: Tab").clicked();
            ui.heading(self.about.heading()).on_hover_text(self.about.name);
            let hover = "The passes of the last step, below the picture: I";
            actions.strip |= ui.small_button("Passes").on_hover_text(hover).clicked();
            // The page has a button of its own.
            if self.editor.is_kept() {
                let hover = "The file of the equation, to be edited while it runs: E";
                actions.text |= ui.small_button("Equation").on_hover_text(hover).clicked();
            }
            // On a line of its own it would move the panel as it comes and goes.
            if let Some(rates) =
                facts.rates.as_ref().filter(|_| ui.available_size_before_wrap().x > ROOM_OF_RATE)
            {
                let frames = format!("{:.0}", rates.frames_a_second);
                let hover = format!("{frames} frames and {} steps a second", digits(rates.steps_a_second));
                ui.weak(format!("{frames} Hz")).on_hover_text(hover);
            }
        });
        ui.add_space(6.0);
    }

    fn content(
        &mut self,
        ui: &mut Ui,
        demo: &mut dyn Demo,
        facts: &Facts,
        actions: &mut KeyActions,
        tall: bool,
    ) -> Result<()> {
        if let Some(error) = &self.kernel_error {
            ui.label(RichText::new(error).monospace().color(ui.visuals().error_fg_color));
            ui.separator();
        }
        let shown = crate::panel::show(ui, self.about, demo, &mut self.deferred)?;
        if let Some((before, after)) = shown.change {
            let held = ui.input(|input| input.pointer.any_down());
            self.history.add(Change { before, after }, held);
        }
        self.beginning = shown.beginning.or(self.beginning.take());
        if !tall {
            self.in_sight(ui, demo);
        }
        ui.separator();
        let (size, counted) = demo.size();
        show_facts(ui, facts, (counted, size));
        let curves = CollapsingHeader::new("curves").id_salt((self.about.name, "curves")).show(ui, |ui| {
            self.curves.sample(&*demo, facts.step, facts.now)?;
            Ok::<bool, anyhow::Error>(self.curves.show(ui))
        });
        if let Some(save) = curves.body_returned {
            actions.save_curves |= save?;
        }
        let pinned = self.readings.is_pinned();
        let probes =
            CollapsingHeader::new("probes").id_salt((self.about.name, "probes")).open(pinned.then_some(true));
        let probes = probes.show(ui, |ui| self.readings.show(ui));
        if pinned {
            // No further than it takes to see all of it, once it is open.
            let body = probes.body_response.map_or(probes.header_response.rect, |body| body.rect);
            ui.scroll_to_rect(probes.header_response.rect.union(body), None);
            if probes.openness >= 1.0 {
                self.readings.was_shown();
            }
        }
        Ok(())
    }

    /// The brush, the colours, and the pace: they stay where they are while the rest is scrolled.
    fn in_sight(&mut self, ui: &mut Ui, demo: &mut dyn Demo) {
        ui.add_space(4.0);
        if demo.has_brush() {
            let outlines = demo.outlines();
            let mut picture = demo.picture();
            let strokes = !matches!(picture.layout(1.0), Ok(Layout::Space(_)) | Err(_));
            if let Some(brush) = picture.brush() {
                brush_widget(ui, brush, outlines, strokes);
            }
        }
        if let Some(numbers) = demo.picture().numbers() {
            legend(ui, &numbers);
        }
        self.pace.show(ui);
    }

    /// Two rows: what one presses all the time. Beside them, where they were opened or go on, those of files: above them in a panel that grows
    /// upwards, so that the two stay where they are.
    fn buttons(
        &mut self,
        ui: &mut Ui,
        uses_seed: bool,
        facts: &Facts,
        above: bool,
        actions: &mut KeyActions,
    ) {
        ui.add_space(2.0);
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.spacing_mut().button_padding.x = 5.0;
        if above {
            self.of_files(ui, facts, actions);
            self.always(ui, uses_seed, actions);
        } else {
            self.always(ui, uses_seed, actions);
            self.of_files(ui, facts, actions);
        }
        ui.add_space(2.0);
    }

    fn always(&mut self, ui: &mut Ui, uses_seed: bool, actions: &mut KeyActions) {
        let button = |ui: &mut Ui, text, key| ui.add(Button::new(text).shortcut_text(key)).clicked();
        ui.horizontal_wrapped(|ui| {
            actions.pause = button(ui, if self.paused { "Go on" } else { "Pause" }, "Space");
            actions.steps = u64::from(button(ui, "Step", "S"));
            actions.reset = button(ui, "Reset", "R");
            if uses_seed {
                let seed = DragValue::new(&mut self.seed).prefix("seed ");
                ui.add(seed).on_hover_text("Another beginning, at random: Reset takes it");
            }
        });
        ui.horizontal_wrapped(|ui| {
            actions.leave = u32::from(button(ui, "Gallery", "Esc"));
            actions.help = button(ui, "Help", "F1");
            let files = ui.add(Button::new("Save, record").selected(self.files));
            self.files ^= files.on_hover_text("Pictures, states, animations, the command line").clicked();
        });
    }

    /// The way back to what was saved, and the buttons that write files.
    fn of_files(&mut self, ui: &mut Ui, facts: &Facts, actions: &mut KeyActions) {
        if let Some(saved) = self.saved {
            ui.horizontal_wrapped(|ui| {
                let back = ui.add(Button::new("Back").shortcut_text("B"));
                actions.back |=
                    back.on_hover_text(format!("To step {saved}, the last that was saved")).clicked();
                let mut on = self.loops.is_some();
                let hover = "Again and again from there to where this was ticked";
                let loops = ui.add_enabled(on || facts.step > saved, Checkbox::new(&mut on, "loop"));
                if loops
                    .on_hover_text(hover)
                    .on_disabled_hover_text("Once there is a step after it")
                    .changed()
                {
                    self.loops = on.then_some(facts.step);
                }
            });
        }
        if self.files || self.recording.is_some() {
            self.writing(ui, actions);
        }
    }

    /// The rows of recordings and of files.
    fn writing(&mut self, ui: &mut Ui, actions: &mut KeyActions) {
        ui.horizontal(|ui| match &self.recording {
            Some(line) => {
                ui.label("record");
                let red = Color32::from_rgb(255, 85, 75);
                actions.end_recording = ui.button(RichText::new("Stop").color(red)).clicked();
                // One row, whatever it says: buttons stay where they are.
                let words = RichText::new(line).color(ui.visuals().weak_text_color());
                ui.add(egui::Label::new(words).truncate());
            }
            None => {
                ui.label("record");
                let gif = ui.button("GIF").on_hover_text(
                    "NAME-STEP.gif in the current folder, 25 pictures a second, until you stop it",
                );
                let pictures =
                    ui.button("PNG").on_hover_text("A picture every so many steps, NAME-STEP-000010.png");
                actions.record = match (gif.clicked(), pictures.clicked()) {
                    (true, _) => Some(Tape::Gif),
                    (_, true) => Some(Tape::Pictures),
                    _ => None,
                };
                let every = DragValue::new(&mut self.every).range(1..=100_000).prefix("every ");
                ui.add(every).on_hover_text("Steps from one picture to the next");
                ui.toggle_value(&mut self.half, "half size")
                    .on_hover_text("Half as wide and half as high: a quarter of the bytes");
            }
        });
        ui.horizontal_wrapped(|ui| {
            ui.label("save");
            actions.save_picture = ui.button("picture").on_hover_text("NAME-STEP.png in the current folder, or where the browser saves files").clicked();
            let hover = "NAME-STEP.npz: drop it on the window to go on";
            actions.save_state = ui.button("state").on_hover_text(hover).clicked();
            let hover = "Prints the command line that makes the same without a window, in a page copies it: from the beginning, with \
                         the values as they are now; what was painted is not in it";
            actions.say_command = ui.button("command").on_hover_text(hover).clicked();
        });
    }
}

/// Shows which number has which colour: the bar between the numbers of its ends.
fn legend(ui: &mut Ui, numbers: &Numbers) {
    let Some(colours) = &numbers.colours else { return };
    // To a thousandth of the range: more digits tell nothing.
    let range = (numbers.of_share(1.0) - numbers.of_share(0.0)).abs();
    let scale = 10f64.powf((3.0 - range.log10()).floor());
    let tick = |share: f64| {
        let number = numbers.of_share(share);
        let rounded = (number * scale).round() / scale;
        written(if rounded.is_finite() { rounded } else { number })
    };
    ui.horizontal(|ui| {
        ui.set_width(ui.available_width().min(420.0) - 4.0);
        ui.weak(tick(0.0));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.weak(numbers.unit.after(&tick(1.0)));
            let (place, bar) = ui.allocate_exact_size(vec2(ui.available_width(), 12.0), Sense::hover());
            bar.on_hover_text(format!("In the middle {}", numbers.unit.after(&tick(0.5))));
            let painter = ui.painter_at(place);
            let strips = 64;
            for strip in 0..strips {
                let part = |n: usize| place.left() + place.width() * n as f32 / strips as f32;
                let [r, g, b] = colours[strip * 255 / (strips - 1)];
                let strip = egui::Rect::from_x_y_ranges(part(strip)..=part(strip + 1) + 0.5, place.y_range());
                painter.rect_filled(strip, 0.0, Color32::from_rgb(r, g, b));
            }
        });
    });
}

fn show_facts(ui: &mut Ui, facts: &Facts, size: (&str, String)) {
    let rate = |say: fn(&Shown) -> String| facts.rates.as_ref().map_or("-".to_owned(), say);
    let a_step = facts.passes_a_step.map_or(String::new(), |passes| format!(", {passes} a step"));
    let rows = [
        (
            "frames/s",
            rate(|rates| format!("{:.0}, {:.1} ms each", rates.frames_a_second, rates.frame_milliseconds)),
        ),
        ("steps/s", rate(|rates| digits(rates.steps_a_second))),
        ("step", facts.step.to_string()),
        ("passes", format!("{}{a_step}", facts.passes)),
        size,
    ];
    crate::panel::rows(ui, "facts", rows);
    ui.weak(facts.renderer);
}
