//! Names on the picture: what its parts are.

use egui::{Align2, Color32, FontId, Ui, vec2};

use super::picture::Place;
use crate::demo::shown::Label;

/// Paints them over the picture, each below and to the right of its place.
pub fn paint(ui: &Ui, place: &Place, labels: &[Label], scale: f32) {
    for label in labels {
        let at = place.point(label.at, scale) + vec2(8.0, 6.0);
        let font = FontId::proportional(14.0);
        let galley = ui.painter().layout_no_wrap(label.text.to_owned(), font, Color32::WHITE);
        let behind = Align2::LEFT_TOP.anchor_size(at, galley.size()).expand2(vec2(4.0, 2.0));
        ui.painter().rect_filled(behind, 3.0, Color32::from_black_alpha(170));
        ui.painter().galley(at, galley, Color32::WHITE);
    }
}
