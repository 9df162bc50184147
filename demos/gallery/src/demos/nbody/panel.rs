//! The table of what bodies lose on the way.

use anyhow::Result;
use egui::Ui;

use super::NBodyDemo;

impl NBodyDemo {
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
        crate::play::plot(ui, &[(&drift.curve, egui::Color32::from_rgb(110, 170, 255))], false);
        Ok(())
    }
}
