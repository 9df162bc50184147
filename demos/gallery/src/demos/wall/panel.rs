//! The wall's widgets: what the steps do, and what the last one found.

use anyhow::Result;
use egui::{Grid, Response, Slider, SliderClamping, Ui};
use quadrille::sim::contact::{Form, Method, Parameters};

use super::Wall;
use super::start::{FORMS, FRICTION, GRAVITY, METHODS, OMEGA};
use crate::param::{self, Kind, Param, name_of};

/// The residual at which a step is solved, which no flag sets.
const TOLERANCE: Param = Param {
    name: "tolerance",
    kind: Kind::double(1e-8, 1e-2),
    help: "Residual at which a step is solved, relative to the largest velocity in its right-hand side",
    slider: Some(param::Slider::to(1e-8, 1e-2).logarithmic()),
    ..Param::NEW
};

impl Wall {
    pub(super) fn widgets(&mut self, ui: &mut Ui) -> Result<()> {
        let mut p = *self.world.parameters();
        ui.horizontal(|ui| {
            for form in [Form::Dense, Form::Groups, Form::Reference] {
                ui.selectable_value(&mut p.form, form, name_of(&FORMS, &form));
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
            ui.add_enabled_ui(rubs, |ui| FRICTION.slider_double(ui, &mut self.friction));
        });
        p.friction = if rubs { self.friction } else { 0.0 };
        GRAVITY.slider_double(ui, &mut p.gravity);
        TOLERANCE.slider_double(ui, &mut p.tolerance);
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
        self.set_parameters(p)?;
        ui.separator();
        self.show_report(ui, &p);
        Ok(())
    }

    /// Shows how the GPU solves the LCP; the reference has its own way.
    fn method(&mut self, ui: &mut Ui, p: &mut Parameters) {
        let mut jacobi = matches!(p.method, Method::Jacobi { .. }) && p.form != Form::Reference;
        ui.add_enabled_ui(p.form != Form::Reference, |ui| {
            ui.horizontal(|ui| {
                for (name, _, sweeps) in METHODS {
                    ui.selectable_value(&mut jacobi, sweeps, name);
                }
                ui.add_enabled_ui(jacobi, |ui| OMEGA.slider_double(ui, &mut self.omega));
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

/// Shows a slider of newton seconds.
fn impulse(ui: &mut Ui, name: &str, value: &mut f64) -> Response {
    let slider = Slider::new(value, 1.0..=500.0).logarithmic(true).max_decimals(1).text(name);
    ui.add(slider.clamping(SliderClamping::Edits))
}
