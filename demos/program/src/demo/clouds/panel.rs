//! The widgets of a day: what kind it is, the wind, the ground, and how high the clouds are.

use anyhow::Result;
use egui::{ComboBox, Grid, Slider, SliderClamping, Ui};
use quadrille::sim::clouds::{Parameters, Scene, Setting, Survey};
use quadrille::sim::fluid::{Advection, Pressure};

use super::Day;
use crate::cli::CloudsShow;

const SHOWN: [(&str, CloudsShow); 6] = [
    ("clouds", CloudsShow::Clouds),
    ("theta", CloudsShow::Theta),
    ("vapour", CloudsShow::Vapour),
    ("cloud water", CloudsShow::CloudWater),
    ("speed", CloudsShow::Speed),
    ("vorticity", CloudsShow::Vorticity),
];

/// The air is read back every so many steps, not for every picture.
const EVERY: u64 = 10;

/// What the air was like at that step.
pub struct Told {
    step: u64,
    survey: Survey,
    lost: f64,
}

impl Day {
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
        let clouds = self.clouds.get_mut();
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
        let name = SHOWN.iter().find(|(_, known)| *known == self.show).map_or("", |(name, _)| name);
        ComboBox::from_label("shown").selected_text(name).show_ui(ui, |ui| {
            for (name, known) in SHOWN {
                ui.selectable_value(&mut self.show, known, name);
            }
        });
        if let Some(([low, high], unit)) = self.ends() {
            ui.add(Slider::new(&mut self.range, 0.01..=100.0).logarithmic(true).text("range"))
                .on_hover_text("What the ends of the colours stand for, times this");
            ui.label(format!("from {low} to {high} {unit}"));
        }
    }

    fn numbers(&mut self, ui: &mut Ui) -> Result<()> {
        let clouds = self.clouds.get_mut();
        let steps = clouds.steps();
        let told = match self.told.take().filter(|told| steps.abs_diff(told.step) < EVERY && steps > 0) {
            Some(told) => told,
            None => {
                let (survey, lost) = (clouds.survey()?, clouds.water_total()?.lost());
                Told { step: steps, survey, lost }
            }
        };
        let Told { survey, lost, .. } = *self.told.insert(told);
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
    let edits = SliderClamping::Edits;
    if setting.periodic {
        ui.add(Slider::new(&mut p.wind, -15.0..=15.0).clamping(edits).text("wind, m/s"));
    }
    ui.add(Slider::new(&mut p.heat, 0.0..=1000.0).clamping(edits).text("heat, W/m²"))
        .on_hover_text("Warmth from the ground where it gives most");
    let mut dry = p.evaporation.is_some();
    let of_its_own = "Vapour from the ground as it is set here; else as much as keeps the humidity of the air that it warms";
    ui.checkbox(&mut dry, "evaporation of its own").on_hover_text(of_its_own);
    let given = (f64::from(p.heat) * setting.air.vapour_beside_heat()) as f32;
    p.evaporation = dry.then_some(p.evaporation.unwrap_or(given));
    if let Some(evaporation) = &mut p.evaporation {
        ui.add(Slider::new(evaporation, 0.0..=1000.0).clamping(edits).text("evaporation, W/m²"));
    }
    ui.add(Slider::new(&mut p.confinement, 0.0..=0.03).clamping(edits).text("confinement"))
        .on_hover_text("How much swirl is given back that the grid smears");
    let most = p.most_mixing(setting);
    ui.add(Slider::new(&mut p.mixing, 0.0..=most).clamping(edits).text("mixing, m²/s"))
        .on_hover_text("What eddies do that the cells are too large for");
    let mut renewed = p.renewal.is_some();
    ui.checkbox(&mut renewed, "air is renewed")
        .on_hover_text("Air at rest from before and behind takes the place of the slice's own");
    p.renewal = renewed.then(|| p.renewal.or(Parameters::default().renewal)).flatten();
    if let Some(time) = &mut p.renewal {
        let least = p.time_step.max(300.0);
        ui.add(Slider::new(time, least..=36_000.0).logarithmic(true).clamping(edits).text("in, s"));
    }
}

fn method(ui: &mut Ui, p: &mut Parameters) {
    ui.horizontal(|ui| {
        for advection in Advection::ALL {
            ui.selectable_value(&mut p.advection, advection, advection.name());
        }
    });
    ui.horizontal(|ui| {
        for pressure in
            [Pressure::default(), Pressure::Cg { tolerance: 1e-4 }, Pressure::Jacobi { sweeps: 40 }]
        {
            ui.selectable_value(&mut p.pressure, pressure, pressure.name());
        }
    });
    ui.checkbox(&mut p.keep_water, "keep water").on_hover_text("Put back what advection loses");
}
