//! The widgets of a box: what is in it, what pulls, how it is solved, and how the last step went.

use anyhow::Result;
use egui::{ComboBox, Grid, Ui};
use quadrille::sim::liquid::Parameters;
use quadrille::sim::projection::Preconditioning;
use quadrille::solve::Outcome;

use super::LiquidDemo;
use super::start::{
    ACROSS, COOLING, GRAVITY, LIFT, LONGEST, PRECONDITIONERS, SCENES, Scene, TOLERANCE, WEIGHT,
};
use crate::param::name_of;

/// Voxels along each side of a box that a scene may begin in.
const SIDES: [u32; 8] = [12, 16, 24, 32, 48, 64, 96, 128];

impl LiquidDemo {
    pub(super) fn widgets(&mut self, ui: &mut Ui) -> Result<()> {
        self.scene_widgets(ui)?;
        let mut p = self.parameters;
        self.force_widgets(ui, &mut p);
        step_widgets(ui, &mut p);
        self.set_parameters(p)?;
        ui.separator();
        self.show_findings(ui)
    }

    fn scene_widgets(&mut self, ui: &mut Ui) -> Result<()> {
        let (mut scene, mut size) = (self.scene, self.size);
        ui.horizontal(|ui| {
            for (name, _, of) in SCENES {
                ui.selectable_value(&mut scene, of, name);
            }
        });
        let [nx, ny, nz] = size;
        ComboBox::from_label("voxels").selected_text(format!("{nx}x{ny}x{nz}")).show_ui(ui, |ui| {
            for side in SIDES {
                ui.selectable_value(&mut size, [side; 3], format!("{side}x{side}x{side}"));
            }
        });
        self.begin_other(scene, size)
    }

    fn force_widgets(&self, ui: &mut Ui, p: &mut Parameters) {
        GRAVITY.slider(ui, &mut p.gravity);
        match self.scene {
            Scene::Dam => {
                ui.checkbox(&mut p.keeps_volume, "keep the volume")
                    .on_hover_text("Moves the surface by a hair after each step, so that no water is lost");
            }
            Scene::Smoke => {
                LIFT.slider(ui, &mut p.lift);
                WEIGHT.slider(ui, &mut p.weight);
                COOLING.slider(ui, &mut p.cooling);
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

/// Shows how long a step is, and how exactly it is projected.
fn step_widgets(ui: &mut Ui, p: &mut Parameters) {
    ACROSS.slider(ui, &mut p.across);
    LONGEST.slider(ui, &mut p.longest);
    TOLERANCE.slider(ui, &mut p.projection.tolerance);
    ui.horizontal(|ui| {
        for preconditioning in [Preconditioning::Multigrid, Preconditioning::Jacobi] {
            let name = name_of(&PRECONDITIONERS, &preconditioning);
            ui.selectable_value(&mut p.projection.preconditioning, preconditioning, name);
        }
    })
    .response
    .on_hover_text("What stands for the inverse of the pressure's matrix: watch the iterations");
}
