//! Curves over the steps: findings of a run, and numbers at probed cells.

use std::fmt::Write;

use egui::{Color32, ComboBox, Sense, Stroke, Ui, pos2, vec2};
use serde_json::Value as Json;

use anyhow::Result;

use crate::demo::Demo;
use crate::state::Numbers;

/// Seconds between two samples of findings, which may read all of a state back.
const PAUSE: f64 = 0.25;

/// Samples that are kept: when there are more, every second one goes.
const MOST: usize = 2048;

/// Numbers over steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    pub points: Vec<(u64, f64)>,
    /// One of so many samples is kept.
    stride: u64,
    seen: u64,
}

impl Curve {
    /// Adds a sample. One of an earlier step begins anew; one of the same step takes the place of the last.
    pub fn add(&mut self, step: u64, value: f64) {
        match self.points.last() {
            Some(&(last, _)) if last > step => *self = Curve::default(),
            Some(&(last, _)) if last == step => {
                self.points.pop();
                self.points.push((step, value));
                return;
            }
            _ => {}
        }
        self.stride = self.stride.max(1);
        if self.seen.is_multiple_of(self.stride) {
            self.points.push((step, value));
        }
        self.seen += 1;
        if self.points.len() > MOST {
            let mut kept = 0;
            self.points.retain(|_| {
                kept += 1;
                kept % 2 == 1
            });
            self.stride *= 2;
        }
    }
}

/// The time over steps, of a demo that has one.
#[derive(Default)]
pub struct Moments(Curve);

impl Moments {
    /// Adds the time of that step.
    pub fn add(&mut self, step: u64, time: Option<f64>) {
        time.into_iter().for_each(|time| self.0.add(step, time));
    }

    /// The time of a step: linear between two that are known, and beyond them.
    fn at(&self, step: u64) -> Option<f64> {
        let known = &self.0.points;
        let next = known.partition_point(|(at, _)| *at < step).clamp(1, known.len().max(2) - 1);
        match (known.get(next - 1), known.get(next)) {
            (Some(&(first, from)), Some(&(second, to))) => {
                let share = (step as f64 - first as f64) / (second as f64 - first as f64);
                Some(from + share * (to - from))
            }
            (Some(&(_, only)), None) => Some(only),
            (None, _) => None,
        }
    }
}

/// The findings of a run over its steps.
#[derive(Default)]
pub struct Curves {
    moments: Moments,
    names: Vec<String>,
    curves: Vec<Curve>,
    chosen: usize,
    logarithmic: bool,
    last: Option<(u64, f64)>,
}

impl Curves {
    /// Samples the findings, if there was a step since the last sample and that was long ago enough.
    ///
    /// # Errors
    /// Those of the findings.
    pub fn sample(&mut self, demo: &dyn Demo, step: u64, now: f64) -> Result<()> {
        if self.last.is_some_and(|(at, since)| at == step || at < step && now - since < PAUSE) {
            return Ok(());
        }
        self.last = Some((step, now));
        self.moments.add(step, demo.time());
        for (name, value) in numbers(demo)? {
            let place = self.names.iter().position(|known| *known == name).unwrap_or_else(|| {
                self.names.push(name);
                self.curves.push(Curve::default());
                self.names.len() - 1
            });
            self.curves[place].add(step, value);
        }
        Ok(())
    }

    /// Shows the chosen finding; returns true if all are to be saved.
    pub fn show(&mut self, ui: &mut Ui) -> bool {
        let Curves { moments, names, curves, chosen, logarithmic, .. } = self;
        let (Some(name), Some(curve)) = (names.get(*chosen), curves.get(*chosen)) else {
            ui.weak("nothing found yet");
            return false;
        };
        ui.horizontal(|ui| {
            ComboBox::from_id_salt("finding").selected_text(name).show_ui(ui, |ui| {
                for (place, name) in names.iter().enumerate() {
                    ui.selectable_value(chosen, place, name);
                }
            });
            ui.checkbox(logarithmic, "log");
        });
        plot_over(ui, &[(curve, Color32::from_rgb(110, 190, 255))], *logarithmic, moments);
        ui.button("Save as CSV").on_hover_text("All findings since this was opened, by steps").clicked()
    }

    /// The samples as comma-separated values: a line a step.
    pub fn csv(&self) -> String {
        let mut steps: Vec<u64> =
            self.curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.0)).collect();
        steps.sort_unstable();
        steps.dedup();
        let mut text = format!("step,{}\n", self.names.join(","));
        for step in steps {
            _ = write!(text, "{step}");
            for curve in &self.curves {
                let found = curve.points.binary_search_by_key(&step, |point| point.0);
                _ = match found.ok().and_then(|place| curve.points.get(place)) {
                    Some((_, value)) => write!(text, ",{value:e}"),
                    None => write!(text, ","),
                };
            }
            text.push('\n');
        }
        text
    }
}

/// The findings that are numbers, by name; of a demo that finds nothing the mean of each of its arrays.
fn numbers(demo: &dyn Demo) -> Result<Vec<(String, f64)>> {
    let found = demo.findings()?;
    let named = found.as_object().into_iter().flatten();
    let mut numbers = Vec::new();
    for (name, value) in named {
        match value {
            Json::Array(parts) => numbers.extend(
                parts
                    .iter()
                    .enumerate()
                    .filter_map(|(i, part)| Some((format!("{name}_{i}"), part.as_f64()?))),
            ),
            value => numbers.extend(value.as_f64().map(|value| (name.clone(), value))),
        }
    }
    if numbers.is_empty() {
        for array in demo.arrays()? {
            let mean = match &array.numbers {
                Numbers::Float32(values) => {
                    values.iter().map(|&value| f64::from(value)).sum::<f64>() / values.len() as f64
                }
                Numbers::Float64(values) => values.iter().sum::<f64>() / values.len() as f64,
                _ => continue,
            };
            numbers.push((format!("mean_{}", array.name), mean));
        }
    }
    Ok(numbers)
}

/// Draws curves over the same steps, between the least and the largest of their numbers.
pub fn plot(ui: &mut Ui, curves: &[(&Curve, Color32)], logarithmic: bool) {
    plot_over(ui, curves, logarithmic, &Moments::default());
}

/// Draws them over the time, where steps have one.
pub fn plot_over(ui: &mut Ui, curves: &[(&Curve, Color32)], logarithmic: bool, moments: &Moments) {
    let (place, _) = ui.allocate_exact_size(vec2(ui.available_width().min(420.0), 96.0), Sense::hover());
    let painter = ui.painter_at(place);
    painter.rect_filled(place, 2.0, Color32::from_gray(14));
    let scaled = |value: f64| if logarithmic { value.abs().log10() } else { value };
    let shown = |curve: &Curve| -> Vec<(f64, f64)> {
        let over = |step: u64| moments.at(step).unwrap_or(step as f64);
        let points = curve.points.iter().map(|&(step, value)| (over(step), scaled(value)));
        points.filter(|(_, value)| value.is_finite()).collect()
    };
    let lines: Vec<(Vec<(f64, f64)>, Color32)> =
        curves.iter().map(|&(curve, colour)| (shown(curve), colour)).collect();
    let ends = |of: fn(&(f64, f64)) -> f64| {
        let all = lines.iter().flat_map(|(line, _)| line.iter().map(of));
        all.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)])
    };
    let ([first, last], [low, high]) = (ends(|point| point.0), ends(|point| point.1));
    if first > last {
        return;
    }
    let inner = place.shrink2(vec2(4.0, 14.0));
    let share =
        |v: f64, [from, to]: [f64; 2]| if to > from { ((v - from) / (to - from)) as f32 } else { 0.5 };
    for (line, colour) in &lines {
        let at = |&(step, value): &(f64, f64)| {
            pos2(
                inner.left() + inner.width() * share(step, [first, last]),
                inner.bottom() - inner.height() * share(value, [low, high]),
            )
        };
        let points: Vec<_> = line.iter().map(at).collect();
        match points.first() {
            Some(&only) if points.len() == 1 => _ = painter.circle_filled(only, 1.5, *colour),
            _ => _ = painter.line(points, Stroke::new(1.2, *colour)),
        }
    }
    let text = |value: f64| if logarithmic { written(10f64.powf(value)) } else { written(value) };
    let font = egui::FontId::proportional(10.5);
    let grey = Color32::from_gray(170);
    painter.text(place.left_top(), egui::Align2::LEFT_TOP, text(high), font.clone(), grey);
    painter.text(place.left_bottom(), egui::Align2::LEFT_BOTTOM, text(low), font.clone(), grey);
    let over = match moments.0.points.is_empty() {
        true => format!("steps {first} to {last}"),
        false => format!("t = {} to {}", written(first), written(last)),
    };
    painter.text(place.right_bottom(), egui::Align2::RIGHT_BOTTOM, over, font, grey);
}

/// A number in a few letters.
pub fn written(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-3..1e5).contains(&size) {
        format!("{value:.4e}")
    } else {
        let text = format!("{value:.5}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_curve_keeps_its_ends_and_its_shape() {
        let mut curve = Curve::default();
        (0..20_000u64).for_each(|step| curve.add(step, step as f64));
        assert!((MOST / 2 - 1..=MOST).contains(&curve.points.len()), "{}", curve.points.len());
        assert!(curve.points.iter().all(|&(step, value)| step as f64 == value));
        assert!(curve.points.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(curve.points.last().is_some_and(|last| last.0 > 19_980));
        // Back to the beginning.
        curve.add(0, 5.0);
        assert_eq!(curve.points, [(0, 5.0)]);
    }

    #[test]
    fn steps_have_the_time_that_was_seen_at_them_whatever_the_time_step_was() {
        let mut moments = Moments::default();
        assert_eq!(moments.at(7), None);
        moments.add(4, None);
        assert_eq!(moments.at(4), None, "a demo without a time");
        for (step, time) in [(0, 0.0), (10, 1.0), (20, 6.0)] {
            moments.add(step, Some(time));
        }
        let times = [0, 5, 10, 16, 20, 22].map(|step| moments.at(step));
        assert_eq!(times, [0.0, 0.5, 1.0, 4.0, 6.0, 7.0].map(Some));
        moments.add(0, Some(0.25));
        assert_eq!([0, 9].map(|step| moments.at(step)), [Some(0.25); 2], "a beginning alone");
    }

    #[test]
    fn findings_of_different_steps_have_empty_places_in_the_csv() {
        let mut curves = Curves { names: vec!["a".into(), "b".into()], ..Curves::default() };
        curves.curves = vec![Curve::default(); 2];
        curves.curves[0].add(1, 0.5);
        curves.curves[0].add(4, -2.0);
        curves.curves[1].add(4, 1e-9);
        assert_eq!(curves.csv(), "step,a,b\n1,5e-1,\n4,-2e0,1e-9\n");
    }

    #[test]
    fn numbers_are_short() {
        let texts = [0.0, 0.25, -3.0, 1e-7, 123456.0, 0.123456789].map(written);
        assert_eq!(texts, ["0", "0.25", "-3", "1.0000e-7", "1.2346e5", "0.12346"]);
    }
}
