//! The widgets of clouds: the range of the colours, and how high the clouds are.

use anyhow::Result;
use egui::Ui;

use super::{CloudsDemo, Reading};

/// The air is read back every so many steps, not for every picture.
const EVERY: u64 = 10;

impl CloudsDemo {
    pub(super) fn widgets(&mut self, ui: &mut Ui) -> Result<()> {
        self.range(ui);
        ui.add(egui::Slider::new(&mut self.strength.0, 0.1..=10.0).logarithmic(true).text("strength")).on_hover_text(
            "Of the brush: 1 warms the middle by a quarter of a kelvin for each place of a stroke, with half a gram of vapour a kilogram",
        );
        ui.separator();
        self.numbers(ui)
    }

    /// Shows what the ends of the colours stand for.
    fn range(&mut self, ui: &mut Ui) {
        let shown = &mut self.shown;
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
        let line = self.level().map(|cells| f64::from(cells * clouds.setting().spacing));
        let metres = |z: Option<f64>| z.map_or("none".to_owned(), |z| format!("{z:.0} m"));
        let seconds = clouds.time().round() as u64;
        let rows = [
            (
                "time",
                format!("{}:{:02} min", seconds / 60, seconds % 60),
                "The time in the sky since the beginning; a picture is some seconds of it",
            ),
            (
                "fastest",
                format!("{:.1} m/s", survey.fastest),
                "The fastest air: what rises in a cumulus has some metres a second",
            ),
            (
                "condensation level",
                metres(line),
                "Where air from the ground is so cold, as it rises, that it cannot hold its vapour: the dashed line",
            ),
            (
                "cloud base now",
                metres(survey.base),
                "The mean of the five lowest columns of cloud that rise: it lies at the condensation level",
            ),
            ("cloud top", metres(survey.top), "The highest cell with cloud water"),
            (
                "densest",
                format!("{:.2} g/kg", 1e3 * survey.densest),
                "Grams of cloud water in a kilogram of the densest air",
            ),
            (
                "water kept to",
                match lost.abs() {
                    part if part < 1e-4 => format!("{:.2} in a million", 1e6 * part),
                    part => format!("{:.2} %", 100.0 * part),
                },
                "The part of all vapour and cloud water that is missing or too much since the beginning, what ground and air from beside gave counted in: rounding leaves about one in a million",
            ),
        ];
        super::super::flow::explained(ui, "of the air", rows);
        if line.is_none() {
            ui.label(
                "Air from this ground condenses at no height of the box: it is too dry. A warm bubble rises until it is as cold as the air \
                 around it, overshoots and sinks back: waves, which theta and speed show.",
            );
            return Ok(());
        }
        ui.weak(
            "The dashed line is the condensation level: there air from the ground begins to condense as it rises. Cloud base is the \
             mean of the five lowest columns of cloud that rise now. It belongs to the front row: rows of cloud below it are the same slice \
             again, farther away.",
        );
        Ok(())
    }
}
