//! How the last step of a box went, shown.

use anyhow::Result;
use egui::{Grid, Ui};
use quadrille::solve::Outcome;

use super::LiquidDemo;

impl LiquidDemo {
    /// Shows the clock, the amount of water or smoke, and how the last step was projected.
    pub(super) fn show_findings(&self, ui: &mut Ui) -> Result<()> {
        let (flow, (amount, change)) = (self.fluid.flow(), self.fluid.amount()?);
        let ([time_step, time], outcome) = (flow.times()?, flow.outcome());
        let left = outcome.map_or("-".to_owned(), |outcome| format!("{:.1e}", outcome.residual()));
        let late = outcome.is_some_and(|o| o.residual() > f64::from(self.parameters.projection.tolerance));
        let change = change.map_or(String::new(), |change| format!(" ({:+.3} %)", 100.0 * change));
        let what = if change.is_empty() { "smoke, voxels" } else { "volume, voxels" };
        Grid::new("of the step").num_columns(2).show(ui, |ui| {
            for (name, value, help) in [
                ("time", format!("{time:.2} s"), "Since the beginning"),
                ("time step", format!("{:.1} ms", 1e3 * time_step), "The length of the last step: the faster the fluid, the shorter"),
                (what, format!("{amount:.0}{change}"), "How many voxels full of it there are, and by how much that has changed"),
                ("divergence left", left, "The part that the last solve for the pressure left of what flowed out of voxels more than in; red above the tolerance"),
                ("iterations", outcome.map_or("-".to_owned(), |o: &Outcome| o.iterations.to_string()), "Iterations of conjugate gradients in the last step, until the pressure was known to the tolerance"),
            ] {
                ui.label(name).on_hover_text(help);
                let text = egui::RichText::new(value).monospace();
                let red = late && name == "divergence left";
                ui.label(if red { text.color(ui.visuals().error_fg_color) } else { text });
                ui.end_row();
            }
        });
        Ok(())
    }
}
