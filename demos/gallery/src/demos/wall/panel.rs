//! The wall's own widgets: impulses, and what the last step found.

use anyhow::Result;
use egui::{Grid, Response, Slider, SliderClamping, Ui};

use quadrille::sim::contact::Form;

use super::Wall;
use super::stack::Stack;

impl Wall {
    pub(super) fn widgets(&mut self, ui: &mut Ui) -> Result<()> {
        ui.horizontal(|ui| {
            ui.label("a click");
            ui.selectable_value(&mut self.throws, true, "throws a stone").on_hover_text(
                "Two metres wide, forty kilograms, twenty metres a second; the twelfth is followed by the first",
            );
            ui.selectable_value(&mut self.throws, false, "pushes");
        });
        if !self.throws {
            impulse(ui, "push, N s", &mut self.push)
                .on_hover_text("Press the mouse on a cube: this impulse, away from you");
        }
        let is_tipped = self.stack() == Stack::Dominoes;
        let blast = ui.horizontal(|ui| {
            let wanted = ui.button(if is_tipped { "Tip the first" } else { "Blast" }).clicked();
            impulse(ui, if is_tipped { "" } else { "N s" }, &mut self.next_blast);
            wanted
        });
        blast.response.on_hover_text(if is_tipped {
            "An impulse at the top of the first domino, along its way, in newton seconds (N s)"
        } else {
            "An impulse on a cube in the middle of the wall, away from its front, in newton seconds (N s): a cube weighs 1 kg, so 6 N s let it fly at \
             6 m/s"
        });
        if blast.inner {
            self.blast(self.next_blast)?;
        }
        ui.separator();
        ui.weak(
            "Each contact may push, and never pull. Whether one pushes depends on all others: finding all pushes at once is a linear \
             complementarity problem (LCP).",
        );
        if self.world.parameters().form == Form::Reference {
            ui.weak(
                "The form reference computes them on the CPU, without a pass: the fastest way where there is no GPU. In passes: below, \
                 solver, form groups or dense.",
            );
        }
        self.show_report(ui);
        Ok(())
    }

    fn show_report(&self, ui: &mut Ui) {
        let tolerance = self.world.parameters().tolerance;
        let report = self.world.report();
        let energy = self.world.energy();
        let largest = self.largest_force();
        let is_late = report.residual > tolerance;
        Grid::new("contacts").num_columns(2).show(ui, |ui| {
            for (name, value, help) in [
                ("contacts", format!("{}, {} unknowns", report.contacts, report.unknowns), "Points where stones touch; each has three unknown forces: one that presses and two of friction"),
                ("groups", format!("{}, largest {}", report.groups, report.largest_group), "Stones that touch, directly or by others, are one group, and each group is solved by itself"),
                (SOLVED, format!("{} rounds to {:.0e}", report.sweeps, report.residual), "All contacts make one problem, forces >= 0 that let no two stones go into each other: a linear complementarity problem, LCP. A round goes over all contacts once; the residual is what is left of the equations after the last one"),
                ("penetration", format!("{:.2} mm", 1e3 * report.penetration), "How deep the deepest contact lies in another stone: 0 would be exact"),
                ("energy", format!("{energy:.1} J"), "Of motion and of height; contacts may take some away, and never add any"),
                ("largest force", format!("{largest:.1} N"), "The largest normal force at a contact in the last step"),
            ] {
                ui.label(name).on_hover_text(help);
                let late = name == SOLVED && is_late;
                let text = egui::RichText::new(value).monospace();
                ui.label(if late { text.color(ui.visuals().error_fg_color) } else { text });
                ui.end_row();
            }
        });
        if is_late {
            let (sweeps, residual) = (report.sweeps, report.residual);
            ui.colored_label(
                ui.visuals().error_fg_color,
                format!("Not converged after {sweeps} rounds: forces of this step are exact to {residual:.0e}, and {tolerance:.0e} was asked."),
            )
            .on_hover_text("Stones may creep a little or sink into each other by what the row \"penetration\" says; the run goes on");
            ui.weak("It passes once stones part. Less friction or a larger tolerance helps, or blasts that are not as strong.");
        }
    }
}

/// The row of the solver.
const SOLVED: &str = "forces found";

/// Shows a slider of newton seconds.
fn impulse(ui: &mut Ui, name: &str, value: &mut f64) -> Response {
    let slider = Slider::new(value, 1.0..=500.0).logarithmic(true).max_decimals(1).text(name);
    ui.add(slider.clamping(SliderClamping::Edits))
}
