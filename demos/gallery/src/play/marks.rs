//! Marks over the picture: names of its parts, and edges.

use egui::{Align2, Color32, FontId, Pos2, Rect, Stroke, StrokeKind, Ui, Vec2, vec2};

use super::place::Place;
use crate::picture::Mark;
use quadrille::sim::{Outline, Tip};

pub fn paint(ui: &Ui, place: &Place, marks: &[Mark], scale: f32) {
    labels(ui, place, marks, scale);
    for mark in marks {
        match mark {
            Mark::Label { .. } => {}
            &Mark::Name { at, text } => name(ui, place.point(at, scale), text),
            Mark::Says { at, text } => name(ui, place.point(*at, scale), text),
            &Mark::Ring { at, radius, colour } => {
                let size = place.point([0.0, radius], scale).y - place.point([0.0, 0.0], scale).y;
                ui.painter().circle_stroke(place.point(at, scale), size, Stroke::new(1.5, ink(colour)));
            }
            Mark::Path { points, colour, arrow } => {
                let points: Vec<Pos2> = points.iter().map(|&at| place.point(at, scale)).collect();
                path(ui, points, ink(*colour), *arrow);
            }
            &Mark::Edges(from, to) => {
                let edges = Rect::from_min_max(place.point(from, scale), place.point(to, scale));
                ui.painter().rect_stroke(edges, 0.0, Stroke::new(1.0, Color32::WHITE), StrokeKind::Inside);
            }
            Mark::Line(points) => {
                line(ui, points.iter().filter_map(|&at| place.point_at(at, scale)).collect())
            }
            Mark::Text { at, text } => {
                if let Some(at) = place.point_at(*at, scale).filter(|at| at.is_finite()) {
                    small(ui, at, text);
                }
            }
        }
    }
}

/// The places where names of parts begin.
pub fn names(place: &Place, marks: &[Mark], scale: f32) -> Vec<Pos2> {
    let name = |mark: &Mark| match mark {
        &Mark::Name { at, .. } | &Mark::Says { at, .. } => Some(place.point(at, scale)),
        _ => None,
    };
    marks.iter().filter_map(name).collect()
}

fn ink([r, g, b, a]: [u8; 4]) -> Color32 {
    Color32::from_rgba_unmultiplied(r, g, b, a)
}

/// A line through those points on a dark rim; an arrow has a head.
fn path(ui: &Ui, points: Vec<Pos2>, ink: Color32, arrow: bool) {
    if points.iter().any(|point| !point.is_finite()) {
        return;
    }
    let rim = Color32::from_black_alpha(ink.a() / 2);
    if let (true, &[.., from, to]) = (arrow, &points[..]) {
        let along = (to - from).normalized();
        let (back, aside) = (-11.0 * along, 5.0 * vec2(-along.y, along.x));
        let head = vec![to, to + back + aside, to + back - aside];
        ui.painter().add(egui::Shape::convex_polygon(head, ink, Stroke::new(1.0, rim)));
    }
    ui.painter().line(points.clone(), Stroke::new(4.0, rim));
    ui.painter().line(points, Stroke::new(2.0, ink));
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

/// Points between a disc and its label, and the least radius of a disc.
const GAP: f32 = 3.0;
const LEAST: f32 = 3.0;

/// Points around the text of a label.
const MARGIN: Vec2 = vec2(4.0, 2.0);

fn labels(ui: &Ui, place: &Place, marks: &[Mark], scale: f32) {
    let whole = Rect::from_two_pos(place.point([0.0, 0.0], scale), place.point([1.0, 1.0], scale));
    let label = |mark: &Mark| {
        let Mark::Label { at, radius, text } = *mark else { return None };
        let font = FontId::proportional(14.0);
        let galley = ui.painter().layout_no_wrap(text.to_owned(), font, Color32::WHITE);
        Some((place.point(at, scale), (radius * whole.height()).max(LEAST), galley))
    };
    let labels: Vec<_> = marks.iter().filter_map(label).collect();
    let discs = labels.iter().map(|(at, radius, galley)| (*at, *radius, galley.size() + 2.0 * MARGIN));
    let rooms = rooms(whole, &discs.collect::<Vec<_>>());
    for ((.., galley), room) in labels.into_iter().zip(rooms) {
        if let Some(room) = room {
            ui.painter().rect_filled(room, 3.0, Color32::from_black_alpha(150));
            ui.painter().galley(room.min + MARGIN, galley, Color32::WHITE);
        }
    }
}

/// The rooms of labels of discs (middle, radius, size of the label): below and to the right if it is free, else at another corner.
fn rooms(whole: Rect, discs: &[(Pos2, f32, Vec2)]) -> Vec<Option<Rect>> {
    let square = |&(at, radius, _): &(Pos2, f32, Vec2)| Rect::from_center_size(at, Vec2::splat(2.0 * radius));
    let mut taken: Vec<Rect> = discs.iter().map(square).collect();
    let room = |&(at, radius, size): &(Pos2, f32, Vec2)| {
        let corners = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
        let rooms = corners.map(|[x, y]| {
            // From the rim of the disc on the diagonal.
            let to = 0.8 * radius + GAP;
            Rect::from_center_size(at + vec2(x * (to + 0.5 * size.x), y * (to + 0.5 * size.y)), size)
        });
        let is_free = |room: &Rect| whole.contains_rect(*room) && !taken.iter().any(|t| t.intersects(*room));
        let found = rooms.into_iter().find(is_free);
        taken.extend(found);
        found
    };
    discs.iter().map(room).collect()
}

/// Around there.
fn small(ui: &Ui, at: Pos2, text: &str) {
    let galley = ui.painter().layout_no_wrap(text.to_owned(), FontId::proportional(12.0), Color32::WHITE);
    let room = Align2::CENTER_CENTER.anchor_size(at, galley.size());
    ui.painter().rect_filled(room.expand2(vec2(3.0, 1.0)), 3.0, Color32::from_black_alpha(150));
    ui.painter().galley(room.min, galley, Color32::WHITE);
}

/// Below and to the right of there.
fn name(ui: &Ui, at: Pos2, text: &str) {
    let at = at + vec2(8.0, 6.0);
    let galley = ui.painter().layout_no_wrap(text.to_owned(), FontId::proportional(14.0), Color32::WHITE);
    let behind = Align2::LEFT_TOP.anchor_size(at, galley.size()).expand2(vec2(4.0, 2.0));
    ui.painter().rect_filled(behind, 3.0, Color32::from_black_alpha(170));
    ui.painter().galley(at, galley, Color32::WHITE);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_covers_no_disc_and_no_other_label_or_is_left_out() {
        let (whole, size) = (Rect::from_min_size(Pos2::ZERO, vec2(400.0, 300.0)), vec2(50.0, 16.0));
        // A sun with a planet at its lower right, one far off, one in a corner of the picture, and two in one place among others.
        let discs = [[200.0, 150.0, 14.0], [220.0, 170.0, 3.0], [40.0, 40.0, 3.0], [399.0, 299.0, 3.0]];
        let crowd = [[200.0, 150.0, 14.0], [205.0, 150.0, 3.0], [210.0, 152.0, 3.0], [200.0, 158.0, 3.0]];
        for discs in [&discs[..], &crowd, &crowd.repeat(3)] {
            let discs: Vec<_> = discs.iter().map(|&[x, y, radius]| (Pos2::new(x, y), radius, size)).collect();
            let rooms = rooms(whole, &discs);
            let found: Vec<Rect> = rooms.iter().copied().flatten().collect();
            for (n, room) in found.iter().enumerate() {
                assert!(whole.contains_rect(*room), "{room:?}");
                assert!(found[..n].iter().all(|other| !other.intersects(*room)), "{rooms:?}");
                for (at, radius, _) in &discs {
                    assert!(room.distance_to_pos(*at) >= *radius - 0.5, "{room:?} over {at:?}");
                }
            }
            assert!(rooms[0].is_some(), "the first has room");
            if discs.len() == 4 && discs[2].0.x < 100.0 {
                assert_eq!(found.len(), 4, "{rooms:?}");
                assert!(found[0].min.y < 150.0 && found[2].min.x > 40.0 && found[3].max.x < 399.0);
            }
        }
    }
}
