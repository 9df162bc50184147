//! The wall's own widgets: impulses, and what the last step found.

use anyhow::Result;
use egui::{Grid, Response, Slider, SliderClamping, Ui};

use quadrille::sim::contact::Form;

use super::Wall;
use super::shown::{Show, largest, loads};

impl Wall {
    pub(super) fn widgets(&mut self, ui: &mut Ui) -> Result<()> {
        ui.horizontal(|ui| {
            ui.label("a click");
            ui.selectable_value(&mut self.throws, true, "throws a stone")
                .on_hover_text("Six kilograms, twenty metres a second; the twelfth is followed by the first");
            ui.selectable_value(&mut self.throws, false, "pushes");
        });
        if !self.throws {
            impulse(ui, "push, N s", &mut self.push)
                .on_hover_text("Press the mouse on a cube: this impulse, away from you");
        }
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
        if self.world.parameters().form == Form::Reference {
            ui.weak("The form reference computes contacts on the CPU, without a pass: the fastest way where there is no GPU.");
        }
        self.show_report(ui);
        Ok(())
    }

    fn show_report(&self, ui: &mut Ui) {
        let tolerance = self.world.parameters().tolerance;
        let report = self.world.report();
        let energy = self.world.energy();
        let force = match self.show {
            Show::Stones => "largest force",
            Show::Load | Show::Forces => "lightest: a force of",
        };
        let largest = match self.show {
            Show::Load => {
                let (bodies, h) = (self.world.bodies().len(), self.world.parameters().time_step);
                largest(loads(bodies, self.world.impulses(), h).into_iter())
            }
            Show::Stones | Show::Forces => self.largest_force(),
        };
        Grid::new("contacts").num_columns(2).show(ui, |ui| {
            for (name, value) in [
                ("contacts", format!("{}, {} unknowns", report.contacts, report.unknowns)),
                ("groups", format!("{}, largest {}", report.groups, report.largest_group)),
                ("LCP", format!("{} sweeps to {:.0e}", report.sweeps, report.residual)),
                ("penetration", format!("{:.2} mm", 1e3 * report.penetration)),
                ("energy", format!("{energy:.1} J")),
                (force, format!("{largest:.1} N")),
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
