//! Errors over steps in the panel, as far as they are known.

use anyhow::Result;
use egui::{Align2, Color32, FontId, Painter, Pos2, Rect, RichText, Sense, Shape, Stroke, Ui, pos2, vec2};
use quadrille::sim::formats::{FORMATS, Look};

use super::STYLES;
use super::report::points;
use super::subject::Subject;
use crate::plot::decades;

/// Points, up and down.
const HEIGHT: f32 = 170.0;

/// Room for the marks of the vertical axis.
const MARKS: f32 = 34.0;

fn colour(format: usize) -> Color32 {
    let [r, g, b] = STYLES[format].0;
    Color32::from_rgb(r, g, b)
}

/// Shows where each format stands, of counters; of all else, its error now, and the curves that led there.
pub fn show(ui: &mut Ui, subject: &Subject) -> Result<()> {
    let found: [String; 4] = match subject {
        Subject::Counter(counter) => {
            let counts = counter.look()?;
            let line = |format: usize| match counts.get(format).and_then(|count| count.stopped) {
                Some(last) => format!("stopped at {last}"),
                None => "counts".to_owned(),
            };
            std::array::from_fn(line)
        }
        Subject::Comparison { comparison, .. } => {
            let misses = comparison.looks().last().map(|look| look.misses).unwrap_or_default();
            misses.map(|miss| format!("{:.1e}", miss.rms))
        }
    };
    egui::Grid::new("formats").num_columns(2).show(ui, |ui| {
        for (format, found) in found.into_iter().enumerate() {
            ui.label(RichText::new(FORMATS[format].name()).color(colour(format)).strong());
            ui.monospace(found);
            ui.end_row();
        }
    });
    match subject {
        Subject::Comparison { comparison, .. } => {
            ui.weak("error against f64, root mean square, over steps; amber: 1 % of what is shown, where formats part");
            draw(ui, subject, comparison.looks());
        }
        Subject::Counter(_) => {
            ui.weak(
                "Each column is a counter that adds 1 in each step: the first from 0, the others from 8 below 2^3, 2^4, ... 2^26. Rows are steps. \
                 White counts right; blue has stopped, the darker the more steps it is behind, and red is infinite. Past the amber line n + 1 is n: a half float (16 bits) counts to \
                 2048, a float (32 bits) to 16 777 216.",
            );
        }
    }
    Ok(())
}

fn draw(ui: &mut Ui, subject: &Subject, looks: &[Look]) {
    let (whole, _) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
    let painter = ui.painter_at(whole);
    let inside =
        Rect::from_min_max(pos2(whole.left() + MARKS, whole.top() + 6.0), whole.max - vec2(6.0, 18.0));
    let curves: Vec<Vec<(f64, f64)>> = (0..FORMATS.len()).map(|format| logarithms(looks, format)).collect();
    let axis = decades(curves.iter().flatten().map(|point| point.1));
    let last = looks.last().map_or(1, |look| look.steps.max(1)) as f64;
    let place = |&(step, logarithm): &(f64, f64)| {
        let share = (logarithm - axis.start) / (axis.end - axis.start);
        pos2(
            inside.left() + (step / last) as f32 * inside.width(),
            inside.bottom() - share as f32 * inside.height(),
        )
    };
    let weak = ui.visuals().weak_text_color();
    let marks = (axis.start as i64..=axis.end as i64).step_by(1 + (axis.end - axis.start) as usize / 6);
    for decade in marks {
        let from = place(&(0.0, decade as f64));
        painter.hline(inside.x_range(), from.y, Stroke::new(0.5, weak.gamma_multiply(0.5)));
        text(&painter, from - vec2(4.0, 0.0), Align2::RIGHT_CENTER, format!("1e{decade}"), weak);
    }
    text(&painter, inside.left_bottom() + vec2(0.0, 4.0), Align2::LEFT_TOP, "0".to_owned(), weak);
    text(&painter, inside.right_bottom() + vec2(0.0, 4.0), Align2::RIGHT_TOP, format!("{last}"), weak);
    let amber = Color32::from_rgb(255, 170, 60);
    let level = subject.visible().log10();
    if axis.contains(&level) {
        let ends = [place(&(0.0, level)), place(&(last, level))];
        painter.extend(Shape::dashed_line(&ends, Stroke::new(1.0, amber), 5.0, 4.0));
    }
    for (format, curve) in curves.iter().enumerate() {
        let line: Vec<Pos2> = curve.iter().map(place).collect();
        painter.add(Shape::line(line, Stroke::new(0.75 * STYLES[format].1 as f32, colour(format))));
        if let Some(step) = subject.parted(format) {
            painter.circle(place(&(step as f64, level)), 3.5, colour(format), Stroke::new(1.0, amber));
        }
    }
}

fn text(painter: &Painter, at: Pos2, anchor: Align2, text: String, colour: Color32) {
    painter.text(at, anchor, text, FontId::proportional(11.0), colour);
}

/// No place for 0, nor for what is no number.
fn logarithms(looks: &[Look], format: usize) -> Vec<(f64, f64)> {
    let there = points(looks, format).into_iter().filter(|point| point.1 > 0.0 && point.1.is_finite());
    there.map(|(step, rms)| (step, rms.log10())).collect()
}
