//! Marks over the picture: names of its parts, and edges.

use egui::{Align2, Color32, FontId, Pos2, Rect, Stroke, StrokeKind, Ui, vec2};

use super::place::Place;
use crate::picture::Mark;

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

/// Below and to the right of there.
fn name(ui: &Ui, at: Pos2, text: &str) {
    let at = at + vec2(8.0, 6.0);
    let galley = ui.painter().layout_no_wrap(text.to_owned(), FontId::proportional(14.0), Color32::WHITE);
    let behind = Align2::LEFT_TOP.anchor_size(at, galley.size()).expand2(vec2(4.0, 2.0));
    ui.painter().rect_filled(behind, 3.0, Color32::from_black_alpha(170));
    ui.painter().galley(at, galley, Color32::WHITE);
}
