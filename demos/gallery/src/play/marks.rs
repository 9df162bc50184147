//! Marks over the picture: names of its parts, and edges.

use egui::{Align2, Color32, FontId, Pos2, Rect, Stroke, StrokeKind, Ui, vec2};

use super::place::Place;
use crate::picture::Mark;
use quadrille::sim::{Outline, Tip};

pub fn paint(ui: &Ui, place: &Place, marks: &[Mark], scale: f32) {
    for mark in marks {
        match *mark {
            Mark::Name { at, text } => name(ui, place.point(at, scale), text),
            Mark::Edges(from, to) => {
                let edges = Rect::from_min_max(place.point(from, scale), place.point(to, scale));
                ui.painter().rect_stroke(edges, 0.0, Stroke::new(1.0, Color32::WHITE), StrokeKind::Inside);
            }
        }
    }
}

/// The rim of a brush at a place in cells, dark and light so that it is seen on all colours.
pub fn rim(ui: &Ui, place: &Place, [x, y]: [f32; 2], Tip { radius, outline }: Tip, scale: f32) {
    const CORNERS: u16 = 48;
    let corner = |i: u16| {
        let (sine, cosine) = (f32::from(i) / f32::from(CORNERS) * std::f32::consts::TAU).sin_cos();
        let long = if outline == Outline::Square { 1.0 / sine.abs().max(cosine.abs()) } else { 1.0 };
        place.point_at([x + radius * long * cosine, y + radius * long * sine], scale)
    };
    line(ui, (0..=CORNERS).filter_map(corner).collect());
}

/// The line that will be painted, from one place in cells to another.
pub fn stretched(ui: &Ui, place: &Place, ends: [[f32; 2]; 2], scale: f32) {
    line(ui, ends.into_iter().filter_map(|end| place.point_at(end, scale)).collect());
}

fn line(ui: &Ui, points: Vec<Pos2>) {
    if points.iter().all(|point| point.is_finite()) {
        ui.painter().line(points.clone(), Stroke::new(3.0, Color32::from_black_alpha(150)));
        ui.painter().line(points, Stroke::new(1.0, Color32::WHITE));
    }
}

/// Below and to the right of there.
fn name(ui: &Ui, at: Pos2, text: &str) {
    let at = at + vec2(8.0, 6.0);
    let galley = ui.painter().layout_no_wrap(text.to_owned(), FontId::proportional(14.0), Color32::WHITE);
    let behind = Align2::LEFT_TOP.anchor_size(at, galley.size()).expand2(vec2(4.0, 2.0));
    ui.painter().rect_filled(behind, 3.0, Color32::from_black_alpha(170));
    ui.painter().galley(at, galley, Color32::WHITE);
}
