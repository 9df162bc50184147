//! The table of what bodies lose on the way.

use anyhow::Result;
use egui::{Color32, Ui};

use super::NBodyDemo;
use super::throw::KINDS;

impl NBodyDemo {
    /// Shows what the mouse does, and which body is followed.
    pub(super) fn show_mouse(&mut self, ui: &mut Ui) {
        ui.horizontal_wrapped(|ui| {
            ui.label("the left button throws a");
            for (kind, (name, help, _)) in KINDS.iter().enumerate() {
                let chosen = !self.choice.turns && self.choice.kind == kind;
                if ui.selectable_label(chosen, *name).on_hover_text(*help).clicked() {
                    (self.choice.kind, self.choice.turns) = (kind, false);
                }
            }
            let hover = "As the right button does in any case";
            if ui.selectable_label(self.choice.turns, "or turns").on_hover_text(hover).clicked() {
                self.choice.turns = true;
            }
        });
        if self.thrown.count > 0 {
            let (many, energy) = (self.thrown.count, self.thrown.energy);
            let bodies = if many == 1 { "body" } else { "bodies" };
            ui.weak(format!("{many} {bodies} thrown in, the last with an energy of {energy:+.3e}"));
        }
        if self.followed.is_some() {
            ui.horizontal_wrapped(|ui| {
                ui.label("The view follows a body.");
                if ui.button("Let go").clicked() {
                    self.follow(None);
                }
            });
        }
        ui.separator();
    }

    /// Shows time, energy and how far all that is conserved has drifted.
    pub(super) fn show_drift(&mut self, ui: &mut Ui) -> Result<()> {
        let (simulation, drift) = (&self.run.simulation, &mut self.run.drift);
        let now = drift.look(simulation)?;
        let time = simulation.time();
        let rows = [
            ("time", format!("{time:.2}")),
            ("energy", format!("{:.5e}", now.energy())),
            ("energy drift", format!("{:+.1e}", drift.energy(&now))),
            ("momentum drift", format!("{:.1e}", drift.momentum(&now))),
        ];
        crate::panel::rows(ui, "conserved", rows);
        ui.weak("energy drift (E - E0) / |E0| over the steps");
        let (blue, amber) = (Color32::from_rgb(110, 170, 255), Color32::from_rgb(240, 170, 70));
        crate::play::plot(ui, &[(&drift.curve, blue)], false);
        if self.thrown.count > 0 {
            ui.weak("energy: as it is (blue), and that at first with what was thrown in (amber)").on_hover_text(
                "A body that is thrown in brings energy along: both lines jump, and lie on each other as long as nothing is lost",
            );
            let [is, should] = &drift.energies;
            crate::play::plot(ui, &[(should, amber), (is, blue)], false);
        }
        Ok(())
    }
}
