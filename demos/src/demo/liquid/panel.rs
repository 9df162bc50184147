//! The widgets of a box: what is in it, what pulls, and how the last step went.

use anyhow::Result;
use egui::{Grid, Ui};
use quadrille::solve::Outcome;

use super::Tank;
use super::start::scene_name;
use crate::cli::LiquidScene;

impl Tank {
    pub(super) fn widgets(&mut self, ui: &mut Ui) -> Result<()> {
        let before = self.scene;
        ui.horizontal(|ui| {
            for scene in [LiquidScene::Dam, LiquidScene::Smoke] {
                ui.selectable_value(&mut self.scene, scene, scene_name(scene));
            }
        });
        if self.scene != before {
            // What was loaded was the other one.
            self.loaded = None;
            self.begin(self.seed)?;
        }
        ui.separator();
        let ([time_step, time], (amount, change)) = (self.fluid.times()?, self.fluid.amount()?);
        let outcome = self.fluid.outcome();
        let left = outcome.map_or(f64::NAN, Outcome::residual);
        let iterations = outcome.map_or(0, |outcome| outcome.iterations);
        Grid::new("of the step").num_columns(2).show(ui, |ui| {
            let change = change.map_or(String::new(), |change| format!(" ({:+.3} %)", 100.0 * change));
            let what = if change.is_empty() { "smoke" } else { "volume" };
            for (name, value) in [
                ("time", format!("{time:.2} s")),
                ("step", format!("{:.1} ms", 1e3 * time_step)),
                (what, format!("{amount:.0} voxels{change}")),
                ("divergence left", format!("{left:.1e}")),
                ("iterations", iterations.to_string()),
            ] {
                ui.label(name);
                ui.monospace(value);
                ui.end_row();
            }
        });
        Ok(())
    }
}
