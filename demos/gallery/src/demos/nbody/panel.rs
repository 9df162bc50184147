//! The widgets of bodies: what they are, how they are stepped, and what they lose on the way.

use anyhow::Result;
use egui::{ComboBox, Grid, Ui};
use quadrille::sim::nbody::scenes::NAMES;
use quadrille::sim::nbody::{Forces, Integrator, Parameters};

use super::NBodyDemo;
use super::start::{INTEGRATORS, SOFTENING, SUMS, TIME_STEP};
use crate::param::{Param, Slider, name_of};

/// How many bodies a scene may begin with that has any number.
const COUNTS: [usize; 7] = [512, 1024, 2048, 4096, 8192, 16_384, 32_768];

impl NBodyDemo {
    pub(super) fn widgets(&mut self, ui: &mut Ui) -> Result<()> {
        self.scene_widgets(ui)?;
        let before = self.run.simulation.parameters();
        let mut p = before;
        ui.horizontal_wrapped(|ui| {
            for forces in [Forces::Tiled, Forces::Matrix] {
                ui.selectable_value(&mut p.forces, forces, name_of(&SUMS, &forces));
            }
            ui.separator();
            for integrator in [Integrator::Leapfrog, Integrator::Euler] {
                ui.selectable_value(&mut p.integrator, integrator, name_of(&INTEGRATORS, &integrator));
            }
        })
        .response
        .on_hover_text(
            "Forces summed in loops over tiles of bodies, or drawn as a texture of all pairs and reduced; \
             leapfrog steps, which keep the energy, or Euler's",
        );
        let Parameters { time_step, softening, .. } = self.run.scene.parameters;
        about(TIME_STEP, time_step, 0.0).slider(ui, &mut p.time_step);
        about(SOFTENING, softening, 0.5).slider(ui, &mut p.softening);
        if p != before {
            self.step_by(p)?;
        }
        ui.separator();
        self.show_drift(ui)
    }

    fn scene_widgets(&mut self, ui: &mut Ui) -> Result<()> {
        let scene = &self.run.scene;
        let (mut name, mut count) = (scene.name, self.count);
        let list = ComboBox::from_label("scene").selected_text(name).show_ui(ui, |ui| {
            for known in NAMES {
                ui.selectable_value(&mut name, known, known);
            }
        });
        list.response.on_hover_text(scene.shows);
        if self.run.simulation.len() == self.count && !self.loaded {
            ComboBox::from_label("bodies").selected_text(count.to_string()).show_ui(ui, |ui| {
                for some in COUNTS {
                    ui.selectable_value(&mut count, some, some.to_string());
                }
            });
        }
        self.begin_other(name, count)
    }

    fn show_drift(&mut self, ui: &mut Ui) -> Result<()> {
        let (simulation, drift) = (&self.run.simulation, &mut self.run.drift);
        let now = drift.look(simulation)?;
        let time = simulation.time();
        Grid::new("conserved").num_columns(2).show(ui, |ui| {
            for (name, value) in [
                ("time", format!("{time:.2}")),
                ("energy", format!("{:.5e}", now.energy())),
                ("energy drift", format!("{:+.1e}", drift.energy(&now))),
                ("momentum drift", format!("{:.1e}", drift.momentum(&now))),
            ] {
                ui.label(name);
                ui.monospace(value);
                ui.end_row();
            }
        });
        Ok(())
    }
}

/// That parameter with a slider from a tenth of the scene's value to ten times that, `least` at least.
fn about(param: Param, value: f32, least: f32) -> Param {
    let (low, high) = (f64::from(value / 10.0), f64::from((value * 10.0).max(least)));
    Param { slider: param.slider.map(|slider| Slider { low, high, ..slider }), ..param }
}
