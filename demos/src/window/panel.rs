//! The panel beside the picture.

use anyhow::Result;
use egui::{Button, DragValue, Grid, Panel as SidePanel, RichText, ScrollArea, Slider, Ui};

use super::keys::Wishes;
use super::rates::Shown;
use crate::demo::Simulation;
use crate::demo::scene::Scene;

/// Points; the user may draw it wider.
const WIDTH: f32 = 280.0;

/// What the user has set.
pub struct Panel {
    pub paused: bool,
    pub steps_a_frame: u64,
    pub seed: u64,
    /// What came of the last button.
    pub message: String,
    /// What is wrong with the kernel under `--watch`.
    pub kernel_error: Option<String>,
}

/// What it shows of the run.
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
    /// Those of the simulation's own widgets.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        simulation: &mut dyn Simulation,
        scene: &mut Scene,
        facts: &Facts,
    ) -> Result<Wishes> {
        let panel = SidePanel::left("panel").default_size(WIDTH).size_range(200.0..=900.0);
        let content = |ui: &mut Ui| self.content(ui, simulation, scene, facts);
        panel.show(ui, |ui| ScrollArea::vertical().auto_shrink(false).show(ui, content).inner).inner
    }

    fn content(
        &mut self,
        ui: &mut Ui,
        simulation: &mut dyn Simulation,
        scene: &mut Scene,
        facts: &Facts,
    ) -> Result<Wishes> {
        ui.add_space(6.0);
        ui.heading(simulation.name());
        ui.add_space(6.0);
        if let Some(error) = &self.kernel_error {
            ui.label(RichText::new(error).monospace().color(ui.visuals().error_fg_color));
            ui.separator();
        }
        simulation.panel(ui)?;
        ui.separator();
        scene.view_widgets(ui);
        ui.add(Slider::new(&mut self.steps_a_frame, 1..=200).logarithmic(true).text("steps a frame"));
        scene.widgets(ui)?;
        ui.separator();
        let wishes = self.buttons(ui);
        ui.separator();
        let (size, counted) = simulation.size();
        show_facts(ui, facts, (counted, size));
        Ok(wishes)
    }

    fn buttons(&mut self, ui: &mut Ui) -> Wishes {
        let mut wishes = Wishes::default();
        let button = |ui: &mut Ui, text, key| ui.add(Button::new(text).shortcut_text(key)).clicked();
        ui.horizontal_wrapped(|ui| {
            wishes.pause = button(ui, if self.paused { "Go on" } else { "Pause" }, "Space");
            wishes.steps = u64::from(button(ui, "Step", "S"));
        });
        ui.horizontal_wrapped(|ui| {
            wishes.reset = button(ui, "Reset", "R");
            ui.label("seed");
            ui.add(DragValue::new(&mut self.seed));
        });
        ui.horizontal_wrapped(|ui| {
            wishes.save_picture = button(ui, "Save picture", "");
            wishes.close = button(ui, "Close", "Esc");
        });
        if !self.message.is_empty() {
            ui.weak(&self.message);
        }
        wishes
    }
}

fn show_facts(ui: &mut Ui, facts: &Facts, size: (&str, String)) {
    let rate = |unit: &str, value: fn(&Shown) -> f64, decimals: usize| match &facts.rates {
        Some(rates) => format!("{:.decimals$}{unit}", value(rates)),
        None => "-".to_owned(),
    };
    Grid::new("facts").num_columns(2).show(ui, |ui| {
        for (name, value) in [
            ("frame time", rate(" ms", |rates| rates.frame_milliseconds, 1)),
            ("frames/s", rate("", |rates| rates.frames_a_second, 0)),
            ("steps/s", rate("", |rates| rates.steps_a_second, 0)),
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
