//! The panel beside the picture.

use anyhow::Result;
use egui::{Button, ComboBox, DragValue, Grid, Panel as SidePanel, RichText, ScrollArea, Slider, Ui};

use super::keys::Wishes;
use super::rates::Shown;
use crate::cli::ViewName;
use crate::demo::Simulation;
use crate::demo::scene::Scene;
use crate::palette;

/// Points; the user may draw it wider.
const WIDTH: f32 = 280.0;

/// What the user has set.
pub struct Panel {
    pub paused: bool,
    pub steps_a_frame: u64,
    /// Radius of the brush in cells.
    pub brush: f32,
    pub colours: String,
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
        show_view(ui, scene);
        let colours = self.settings(ui);
        ui.separator();
        let wishes = Wishes { colours, ..self.buttons(ui) };
        ui.separator();
        let state = simulation.state();
        show_facts(ui, facts, &format!("{} x {}", state.width(), state.height()));
        Ok(wishes)
    }

    /// Says whether other colours were chosen.
    fn settings(&mut self, ui: &mut Ui) -> bool {
        ui.add(Slider::new(&mut self.steps_a_frame, 1..=200).logarithmic(true).text("steps a frame"));
        ui.add(Slider::new(&mut self.brush, 1.0..=64.0).logarithmic(true).fixed_decimals(0).text("brush"))
            .on_hover_text("Radius in cells; press the mouse on the picture");
        let before = self.colours.clone();
        ComboBox::from_label("colours").selected_text(&before).show_ui(ui, |ui| {
            for name in palette::names() {
                ui.selectable_value(&mut self.colours, name.to_owned(), name);
            }
        });
        self.colours != before
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

/// Of a surface: whether it is lit, and from where it is seen.
fn show_view(ui: &mut Ui, scene: &mut Scene) {
    let mut view = scene.view;
    let Some(water) = scene.water() else { return };
    ui.horizontal(|ui| {
        ui.selectable_value(&mut view, ViewName::Water, "water");
        ui.selectable_value(&mut view, ViewName::Flat, "flat");
    });
    if view == ViewName::Water {
        let camera = &mut water.camera;
        ui.add(Slider::new(&mut camera.azimuth, -180.0..=180.0).fixed_decimals(0).text("turn"))
            .on_hover_text("Or drag with the right button");
        ui.add(Slider::new(&mut camera.elevation, 5.0..=90.0).fixed_decimals(0).text("rise"));
        ui.add(Slider::new(&mut camera.distance, 0.2..=3.0).logarithmic(true).text("distance"))
            .on_hover_text("Or turn the wheel");
        ui.add(Slider::new(&mut water.relief, 0.005..=0.3).logarithmic(true).text("relief"));
    }
    scene.view = view;
    ui.separator();
}

fn show_facts(ui: &mut Ui, facts: &Facts, size: &str) {
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
            ("cells", size.to_owned()),
        ] {
            ui.label(name);
            ui.monospace(value);
            ui.end_row();
        }
    });
    ui.weak(facts.renderer);
}
