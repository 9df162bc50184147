//! The widgets of bodies: what they are, how they are stepped, and what they lose on the way.

use anyhow::Result;
use egui::{ComboBox, Grid, Slider, SliderClamping, Ui};
use quadrille::sim::nbody::scenes::NAMES;
use quadrille::sim::nbody::{Forces, Integrator, Parameters};

use super::start::{forces_name, integrator_name};
use super::{ANY_ROW, Bodies};

/// How many bodies a scene may begin with that has any number.
const COUNTS: [usize; 7] = [512, 1024, 2048, 4096, 8192, 16_384, 32_768];

impl Bodies {
    pub(super) fn widgets(&mut self, ui: &mut Ui) -> Result<()> {
        self.scene_widgets(ui)?;
        let before = self.simulation.parameters();
        let mut p = before;
        ui.horizontal_wrapped(|ui| {
            for forces in [Forces::Tiled, Forces::Matrix] {
                ui.selectable_value(&mut p.forces, forces, forces_name(forces));
            }
            ui.separator();
            for integrator in [Integrator::Leapfrog, Integrator::Euler] {
                ui.selectable_value(&mut p.integrator, integrator, integrator_name(integrator));
            }
        })
        .response
        .on_hover_text(
            "Forces summed in loops over tiles of bodies, or drawn as a texture of all pairs and reduced; \
             leapfrog steps, which keep the energy, or Euler's",
        );
        let Parameters { time_step, softening, .. } = self.scene.parameters;
        slider(ui, "time step", &mut p.time_step, time_step / 10.0..=time_step * 10.0);
        slider(ui, "softening", &mut p.softening, softening / 10.0..=(softening * 10.0).max(0.5));
        if p.forces != before.forces {
            p.bytes = p.bytes.max(ANY_ROW);
        }
        if p != before {
            self.set_parameters(p)?;
        }
        ui.separator();
        self.show_drift(ui)
    }

    fn scene_widgets(&mut self, ui: &mut Ui) -> Result<()> {
        let (mut name, mut count) = (self.scene.name, self.count);
        let list = ComboBox::from_label("scene").selected_text(name).show_ui(ui, |ui| {
            for known in NAMES {
                ui.selectable_value(&mut name, known, known);
            }
        });
        list.response.on_hover_text(self.scene.shows);
        if self.simulation.len() == self.count && !self.loaded {
            ComboBox::from_label("bodies").selected_text(count.to_string()).show_ui(ui, |ui| {
                for some in COUNTS {
                    ui.selectable_value(&mut count, some, some.to_string());
                }
            });
        }
        if (name, count) == (self.scene.name, self.count) {
            return Ok(());
        }
        self.count = count;
        self.begin(name)
    }

    fn show_drift(&mut self, ui: &mut Ui) -> Result<()> {
        let now = self.drift.look(&self.simulation)?;
        let time = self.simulation.time();
        Grid::new("conserved").num_columns(2).show(ui, |ui| {
            for (name, value) in [
                ("time", format!("{time:.2}")),
                ("energy", format!("{:.5e}", now.energy())),
                ("energy drift", format!("{:+.1e}", self.drift.energy(&now))),
                ("momentum drift", format!("{:.1e}", self.drift.momentum(&now))),
            ] {
                ui.label(name);
                ui.monospace(value);
                ui.end_row();
            }
        });
        Ok(())
    }
}

/// A slider that leaves the value alone until somebody moves it.
fn slider(ui: &mut Ui, name: &str, value: &mut f32, range: std::ops::RangeInclusive<f32>) {
    let (mut shown, ends) = (*value, range.clone());
    let slider = Slider::new(&mut shown, range).text(name).logarithmic(true);
    if ui.add(slider.clamping(SliderClamping::Edits)).changed() {
        *value = shown.clamp(*ends.start(), *ends.end());
    }
}
