//! The wall's own widgets: impulses, and what the last step found.

use anyhow::Result;
use egui::{Grid, Response, Slider, SliderClamping, Ui};

use super::Wall;

impl Wall {
    pub(super) fn widgets(&mut self, ui: &mut Ui) -> Result<()> {
        impulse(ui, "push of a click, N s", &mut self.push)
            .on_hover_text("Press the mouse on a cube: this impulse, away from you");
        let blast = ui.horizontal(|ui| {
            let wanted = ui.button("Blast").clicked();
            impulse(ui, "N s", &mut self.next_blast);
            wanted
        });
        blast.response.on_hover_text("This impulse on a cube in the middle of the wall, away from its front");
        if blast.inner {
            self.blast(self.next_blast)?;
        }
        ui.separator();
        self.show_report(ui);
        Ok(())
    }

    fn show_report(&self, ui: &mut Ui) {
        let tolerance = self.world.parameters().tolerance;
        let report = self.world.report();
        let energy = self.world.energy();
        Grid::new("contacts").num_columns(2).show(ui, |ui| {
            for (name, value) in [
                ("contacts", format!("{}, {} unknowns", report.contacts, report.unknowns)),
                ("groups", format!("{}, largest {}", report.groups, report.largest_group)),
                ("LCP", format!("{} sweeps to {:.0e}", report.sweeps, report.residual)),
                ("penetration", format!("{:.2} mm", 1e3 * report.penetration)),
                ("energy", format!("{energy:.1} J")),
            ] {
                ui.label(name);
                let late = name == "LCP" && report.residual > tolerance;
                let text = egui::RichText::new(value).monospace();
                ui.label(if late { text.color(ui.visuals().error_fg_color) } else { text });
                ui.end_row();
            }
        });
    }
}

/// Shows a slider of newton seconds.
fn impulse(ui: &mut Ui, name: &str, value: &mut f64) -> Response {
    let slider = Slider::new(value, 1.0..=500.0).logarithmic(true).max_decimals(1).text(name);
    ui.add(slider.clamping(SliderClamping::Edits))
}
