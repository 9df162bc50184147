//! The wall's widgets: what the steps do, and what the last one found.

use anyhow::Result;
use egui::{Grid, Response, Slider, SliderClamping, Ui};
use quadrille::sim::contact::{Form, Method, Parameters};

use super::Wall;
use super::start::{form_name, method_name};

impl Wall {
    pub(super) fn widgets(&mut self, ui: &mut Ui) -> Result<()> {
        let before = *self.world.parameters();
        let mut p = before;
        ui.horizontal(|ui| {
            for form in [Form::Dense, Form::Groups, Form::Reference] {
                ui.selectable_value(&mut p.form, form, form_name(form));
            }
        })
        .response
        .on_hover_text(
            "The contact LCP: one dense system, one for each group of cubes that touch, or f64 on the CPU",
        );
        self.method(ui, &mut p);
        let mut rubs = p.friction > 0.0;
        ui.horizontal(|ui| {
            ui.checkbox(&mut rubs, "friction");
            let slider = Slider::new(&mut self.friction, 0.01..=1.5).text("mu");
            ui.add_enabled(rubs, slider.clamping(SliderClamping::Edits));
        });
        p.friction = if rubs { self.friction } else { 0.0 };
        slider(ui, "gravity", &mut p.gravity, 0.0..=30.0, false);
        slider(ui, "tolerance", &mut p.tolerance, 1e-8..=1e-2, true);
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
        if p != before {
            self.set_parameters(p)?;
        }
        ui.separator();
        self.show_report(ui, &p);
        Ok(())
    }

    /// How the GPU solves the LCP; the reference has its own way.
    fn method(&mut self, ui: &mut Ui, p: &mut Parameters) {
        let mut jacobi = matches!(p.method, Method::Jacobi { .. }) && p.form != Form::Reference;
        ui.add_enabled_ui(p.form != Form::Reference, |ui| {
            ui.horizontal(|ui| {
                for chosen in [false, true] {
                    let method =
                        if chosen { Method::Jacobi { omega: self.omega } } else { Method::Accelerated };
                    ui.selectable_value(&mut jacobi, chosen, method_name(method));
                }
                let slider = Slider::new(&mut self.omega, -2.0..=-0.01).text("omega");
                ui.add_enabled(jacobi, slider.clamping(SliderClamping::Edits));
            });
        })
        .response
        .on_hover_text("Projected gradients to the tolerance, or the paper's 2n sweeps of projected Jacobi");
        p.method = if jacobi { Method::Jacobi { omega: self.omega } } else { Method::Accelerated };
    }

    fn show_report(&self, ui: &mut Ui, p: &Parameters) {
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
                let late = name == "LCP" && report.residual > p.tolerance;
                let text = egui::RichText::new(value).monospace();
                ui.label(if late { text.color(ui.visuals().error_fg_color) } else { text });
                ui.end_row();
            }
        });
    }
}

/// A slider of newton seconds.
fn impulse(ui: &mut Ui, name: &str, value: &mut f64) -> Response {
    let slider = Slider::new(value, 1.0..=500.0).logarithmic(true).max_decimals(1).text(name);
    ui.add(slider.clamping(SliderClamping::Edits))
}

/// A slider that leaves the value alone until somebody moves it.
fn slider(ui: &mut Ui, name: &str, value: &mut f64, range: std::ops::RangeInclusive<f64>, logarithmic: bool) {
    let (mut shown, ends) = (*value, range.clone());
    let slider = Slider::new(&mut shown, range).text(name).logarithmic(logarithmic);
    if ui.add(slider.clamping(SliderClamping::Edits)).changed() {
        *value = shown.clamp(*ends.start(), *ends.end());
    }
}
