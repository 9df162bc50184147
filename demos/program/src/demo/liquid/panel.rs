//! The widgets of a box: what is in it, what pulls, how it is solved, and how the last step went.

use std::ops::RangeInclusive;

use anyhow::Result;
use egui::{ComboBox, Grid, Slider, SliderClamping, Ui};
use quadrille::sim::liquid::Parameters;
use quadrille::sim::projection::Preconditioning;
use quadrille::solve::Outcome;

use super::Tank;
use super::start::{preconditioner_name, scene_name};
use crate::cli::LiquidScene;

/// Voxels along each side of a box that a scene may begin in.
const SIDES: [u32; 8] = [12, 16, 24, 32, 48, 64, 96, 128];

impl Tank {
    pub(super) fn widgets(&mut self, ui: &mut Ui) -> Result<()> {
        self.scene_widgets(ui)?;
        let mut p = self.parameters;
        self.force_widgets(ui, &mut p);
        step_widgets(ui, &mut p);
        if p != self.parameters {
            self.fluid.flow_mut().set_parameters(p)?;
            self.parameters = p;
        }
        ui.separator();
        self.show_findings(ui)
    }

    /// Another scene or size begins anew: what was loaded was another one.
    fn scene_widgets(&mut self, ui: &mut Ui) -> Result<()> {
        let before = (self.scene, self.size);
        ui.horizontal(|ui| {
            for scene in [LiquidScene::Dam, LiquidScene::Smoke] {
                ui.selectable_value(&mut self.scene, scene, scene_name(scene));
            }
        });
        let [nx, ny, nz] = self.size;
        ComboBox::from_label("voxels").selected_text(format!("{nx}x{ny}x{nz}")).show_ui(ui, |ui| {
            for side in SIDES {
                ui.selectable_value(&mut self.size, [side; 3], format!("{side}x{side}x{side}"));
            }
        });
        if (self.scene, self.size) != before {
            (self.loaded, self.anew) = (None, true);
            self.begin(self.seed)?;
        }
        Ok(())
    }

    fn force_widgets(&self, ui: &mut Ui, p: &mut Parameters) {
        slider(ui, "gravity, m/s²", &mut p.gravity, 0.0..=30.0, false);
        match self.scene {
            LiquidScene::Dam => {
                ui.checkbox(&mut p.keeps_volume, "keep the volume")
                    .on_hover_text("Moves the surface by a hair after each step, so that no water is lost");
            }
            LiquidScene::Smoke => {
                slider(ui, "lift of warmth", &mut p.lift, 0.0..=5.0, false);
                slider(ui, "weight of smoke", &mut p.weight, 0.0..=5.0, false);
                slider(ui, "cooling, 1/s", &mut p.cooling, 0.0..=10.0, false);
            }
        }
    }

    fn show_findings(&self, ui: &mut Ui) -> Result<()> {
        let (flow, (amount, change)) = (self.fluid.flow(), self.fluid.amount()?);
        let ([time_step, time], outcome) = (flow.times()?, flow.outcome());
        let left = outcome.map_or("-".to_owned(), |outcome| format!("{:.1e}", outcome.residual()));
        let late = outcome.is_some_and(|o| o.residual() > f64::from(self.parameters.projection.tolerance));
        let change = change.map_or(String::new(), |change| format!(" ({:+.3} %)", 100.0 * change));
        let what = if change.is_empty() { "smoke" } else { "volume" };
        Grid::new("of the step").num_columns(2).show(ui, |ui| {
            for (name, value) in [
                ("time", format!("{time:.2} s")),
                ("time step", format!("{:.1} ms", 1e3 * time_step)),
                (what, format!("{amount:.0} voxels{change}")),
                ("divergence left", left),
                ("iterations", outcome.map_or("-".to_owned(), |o: &Outcome| o.iterations.to_string())),
            ] {
                ui.label(name);
                let text = egui::RichText::new(value).monospace();
                let red = late && name == "divergence left";
                ui.label(if red { text.color(ui.visuals().error_fg_color) } else { text });
                ui.end_row();
            }
        });
        Ok(())
    }
}

/// How long a step is, and how exactly it is projected.
fn step_widgets(ui: &mut Ui, p: &mut Parameters) {
    slider(ui, "voxels a step", &mut p.across, 0.1..=5.0, false);
    slider(ui, "longest step, s", &mut p.longest, 1e-4..=0.1, true);
    slider(ui, "tolerance", &mut p.projection.tolerance, 1e-6..=0.1, true);
    ui.horizontal(|ui| {
        for preconditioning in [Preconditioning::Multigrid, Preconditioning::Jacobi] {
            let name = preconditioner_name(preconditioning);
            ui.selectable_value(&mut p.projection.preconditioning, preconditioning, name);
        }
    })
    .response
    .on_hover_text("What stands for the inverse of the pressure's matrix: watch the iterations");
}

/// A slider that leaves the value alone until somebody moves it.
fn slider(ui: &mut Ui, name: &str, value: &mut f32, range: RangeInclusive<f32>, logarithmic: bool) {
    let (mut shown, ends) = (*value, range.clone());
    let slider = Slider::new(&mut shown, range).text(name).logarithmic(logarithmic);
    if ui.add(slider.clamping(SliderClamping::Edits)).changed() {
        *value = shown.clamp(*ends.start(), *ends.end());
    }
}
