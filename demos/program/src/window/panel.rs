//! The panel beside the picture.

use std::time::{Duration, Instant};

use anyhow::Result;
use egui::{Button, DragValue, Grid, Panel as SidePanel, RichText, ScrollArea, Slider, Ui};

use super::keys::KeyActions;
use super::rates::Shown;
use quadrille_gallery::demo::{About, Demo};
use quadrille_gallery::number::rate as digits;

/// Points; the user may draw it wider.
const WIDTH: f32 = 280.0;

/// The least width, and the largest as a share of the window: the rest is the picture's.
const LEAST: f32 = 160.0;
const MOST: f32 = 0.6;

/// How long a message is read.
const READING: Duration = Duration::from_secs(6);

/// The settings of the user.
pub struct Panel {
    pub paused: bool,
    pub steps_a_frame: u64,
    pub seed: u64,
    /// The outcome of the last button.
    pub message: Message,
    /// The error of the kernel under `--watch`.
    pub kernel_error: Option<String>,
}

/// A line that is read for a while.
#[derive(Default)]
pub struct Message(Option<(String, Instant)>);

impl Message {
    pub fn say(&mut self, line: String) {
        self.0 = Some((line, Instant::now()));
    }

    /// Takes no room of its own beside the heading.
    fn show(&mut self, ui: &mut Ui) {
        let left = |(_, since): &(String, Instant)| READING.checked_sub(since.elapsed());
        let Some(left) = self.0.as_ref().and_then(left) else {
            self.0 = None;
            return;
        };
        if let Some((line, _)) = &self.0 {
            ui.weak(line);
            ui.ctx().request_repaint_after(left);
        }
    }
}

/// The facts of the run that the panel shows.
pub struct Facts<'a> {
    pub rates: Option<Shown>,
    pub step: u64,
    pub passes: u64,
    pub renderer: &'a str,
}

impl Panel {
    /// Shows the panel on the left of `ui`.
    ///
    /// # Errors
    /// Those of the demo's own widgets.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        about: &About,
        demo: &mut dyn Demo,
        facts: &Facts,
    ) -> Result<KeyActions> {
        let most = (MOST * ui.available_width()).clamp(LEAST, 900.0);
        let panel = SidePanel::left("panel").default_size(WIDTH.min(most)).size_range(LEAST..=most);
        let content = |ui: &mut Ui| self.content(ui, about, demo, facts);
        panel.show(ui, |ui| ScrollArea::vertical().auto_shrink(false).show(ui, content).inner).inner
    }

    fn content(
        &mut self,
        ui: &mut Ui,
        about: &About,
        demo: &mut dyn Demo,
        facts: &Facts,
    ) -> Result<KeyActions> {
        ui.add_space(6.0);
        ui.horizontal_wrapped(|ui| {
            ui.heading(about.name);
            self.message.show(ui);
        });
        ui.add_space(6.0);
        if let Some(error) = &self.kernel_error {
            ui.label(RichText::new(error).monospace().color(ui.visuals().error_fg_color));
            ui.separator();
        }
        quadrille_gallery::panel::show(ui, about, demo)?;
        ui.separator();
        demo.picture().view_widgets(ui);
        ui.add(Slider::new(&mut self.steps_a_frame, 1..=200).logarithmic(true).text("steps a frame"));
        let touchable = demo.is_touchable();
        demo.picture().widgets(ui, touchable)?;
        ui.separator();
        let wishes = self.buttons(ui, demo.uses_seed());
        ui.separator();
        let (size, counted) = demo.size();
        show_facts(ui, facts, (counted, size));
        Ok(wishes)
    }

    fn buttons(&mut self, ui: &mut Ui, uses_seed: bool) -> KeyActions {
        let mut wishes = KeyActions::default();
        let button = |ui: &mut Ui, text, key| ui.add(Button::new(text).shortcut_text(key)).clicked();
        ui.horizontal_wrapped(|ui| {
            wishes.pause = button(ui, if self.paused { "Go on" } else { "Pause" }, "Space");
            wishes.steps = u64::from(button(ui, "Step", "S"));
            wishes.close = button(ui, "Close", "Esc");
        });
        ui.horizontal_wrapped(|ui| {
            wishes.reset = button(ui, "Reset", "R");
            if uses_seed {
                ui.label("seed");
                ui.add(DragValue::new(&mut self.seed));
            }
            wishes.save_picture = ui.button("Save picture").clicked();
        });
        wishes
    }
}

fn show_facts(ui: &mut Ui, facts: &Facts, size: (&str, String)) {
    let rate = |say: fn(&Shown) -> String| facts.rates.as_ref().map_or("-".to_owned(), say);
    Grid::new("facts").num_columns(2).show(ui, |ui| {
        for (name, value) in [
            (
                "frames/s",
                rate(|rates| {
                    format!("{:.0}, {:.1} ms each", rates.frames_a_second, rates.frame_milliseconds)
                }),
            ),
            ("steps/s", rate(|rates| digits(rates.steps_a_second))),
            ("step", facts.step.to_string()),
            ("passes", facts.passes.to_string()),
            size,
        ] {
            ui.label(name);
            ui.monospace(value);
            ui.end_row();
        }
    });
    ui.weak(facts.renderer);
}
