//! The widgets of clouds: the kind of day, the wind, the ground, and how high the clouds are.

use anyhow::Result;
use egui::{ComboBox, Grid, Ui};
use quadrille::sim::clouds::{Parameters, Scene, Setting};

use super::super::flow;
use super::parameters::{CONFINEMENT, EVAPORATION, HEAT, MIXING, RENEWAL, SHOWN, WIND};
use super::{CloudsDemo, Reading};
use crate::param::{Param, Slider, name_of};

/// The air is read back every so many steps, not for every picture.
const EVERY: u64 = 10;

impl CloudsDemo {
    pub(super) fn widgets(&mut self, ui: &mut Ui) -> Result<()> {
        let mut scene = self.scene;
        ui.horizontal(|ui| {
            for known in Scene::ALL {
                ui.selectable_value(&mut scene, known, known.name());
            }
        });
        if scene != self.scene {
            self.set_scene(scene)?;
        }
        let clouds = &mut self.clouds;
        let (before, setting) = (clouds.parameters(), *clouds.setting());
        let mut p = before;
        weather(ui, &mut p, &setting);
        ui.separator();
        method(ui, &mut p);
        if p != before {
            clouds.set_parameters(p)?;
        }
        ui.separator();
        self.what_is_seen(ui);
        ui.separator();
        self.numbers(ui)
    }

    fn what_is_seen(&mut self, ui: &mut Ui) {
        // A blank reads better than the hyphen of a flag.
        let text = |name: &str| name.replace('-', " ");
        let shown = &mut self.shown;
        let name = text(name_of(&SHOWN, &shown.show));
        ComboBox::from_label("shown").selected_text(name).show_ui(ui, |ui| {
            for (name, line, known) in SHOWN {
                ui.selectable_value(&mut shown.show, known, text(name)).on_hover_text(line);
            }
        });
        if let Some(([low, high], unit)) = shown.ends() {
            ui.add(egui::Slider::new(&mut shown.range, 0.01..=100.0).logarithmic(true).text("range"))
                .on_hover_text("What the ends of the colours stand for, times this");
            ui.label(format!("from {low} to {high} {unit}"));
        }
    }

    fn numbers(&mut self, ui: &mut Ui) -> Result<()> {
        let clouds = &self.clouds;
        let steps = clouds.steps();
        let reading =
            match self.reading.take().filter(|reading| steps.abs_diff(reading.step) < EVERY && steps > 0) {
                Some(reading) => reading,
                None => {
                    let (survey, lost) = (clouds.survey()?, clouds.water_total()?.lost());
                    Reading { step: steps, survey, lost }
                }
            };
        let Reading { survey, lost, .. } = *self.reading.insert(reading);
        let metres = |z: Option<f64>| z.map_or("none".to_owned(), |z| format!("{z:.0} m"));
        let seconds = clouds.time().round() as u64;
        Grid::new("of the air").num_columns(2).show(ui, |ui| {
            for (name, value) in [
                ("time", format!("{}:{:02} min", seconds / 60, seconds % 60)),
                ("fastest", format!("{:.1} m/s", survey.fastest)),
                ("cloud base", metres(survey.base)),
                ("condensation level", metres(survey.condensation_level)),
                ("cloud top", metres(survey.top)),
                ("densest", format!("{:.2} g/kg", 1e3 * survey.densest)),
                ("water lost", format!("{lost:.1e}")),
            ] {
                ui.label(name);
                ui.monospace(value);
                ui.end_row();
            }
        });
        Ok(())
    }
}

fn weather(ui: &mut Ui, p: &mut Parameters, setting: &Setting) {
    if setting.periodic {
        WIND.slider(ui, &mut p.wind);
    }
    HEAT.slider(ui, &mut p.heat);
    let mut dry = p.evaporation.is_some();
    let of_its_own = "Vapour from the ground as it is set here; else as much as keeps the humidity of the air that it warms";
    ui.checkbox(&mut dry, "evaporation of its own").on_hover_text(of_its_own);
    let given = (f64::from(p.heat) * setting.air.vapour_beside_heat()) as f32;
    p.evaporation = dry.then_some(p.evaporation.unwrap_or(given));
    if let Some(evaporation) = &mut p.evaporation {
        EVAPORATION.slider(ui, evaporation);
    }
    CONFINEMENT.slider(ui, &mut p.confinement);
    let most = p.most_mixing(setting);
    let slider = MIXING.slider.map(|slider| Slider { high: most.into(), ..slider });
    if (Param { slider, ..MIXING }).slider(ui, &mut p.mixing) {
        p.mixing = p.mixing.min(most);
    }
    let mut renewed = p.renewal.is_some();
    ui.checkbox(&mut renewed, "air is renewed")
        .on_hover_text("Air at rest from before and behind takes the place of the slice's own");
    p.renewal = renewed.then(|| p.renewal.or(Parameters::default().renewal)).flatten();
    if let Some(time) = &mut p.renewal {
        let least = p.time_step.max(300.0);
        let slider = RENEWAL.slider.map(|slider| Slider { low: least.into(), ..slider });
        (Param { slider, ..RENEWAL }).slider(ui, time);
    }
}

fn method(ui: &mut Ui, p: &mut Parameters) {
    ui.horizontal(|ui| flow::advection_widgets(ui, &mut p.advection));
    ui.horizontal(|ui| flow::pressure_widgets(ui, &mut p.pressure));
    ui.checkbox(&mut p.keep_water, "keep water").on_hover_text("Put back what advection loses");
}
