//! The left button of the mouse: on cells a brush, whose strokes have no gaps however fast they are, and on bodies a push.

use egui::{Event, PointerButton, Pos2};

use super::gui::Input;
use super::picture::Place;
use crate::demo::shown::Touch;

/// The hand on the picture, and its stroke in progress, in cells.
#[derive(Default)]
pub struct Hand {
    last: Option<[f32; 2]>,
}

impl Hand {
    /// What these events do to what is shown, in order, with a brush of that radius in cells.
    pub fn follow(&mut self, input: &Input, place: &Place, radius: f32) -> Vec<Touch> {
        if place.is_space() {
            return pushes(input, place);
        }
        let cells = self.stroke(input, place, radius);
        cells.into_iter().map(|[x, y]| Touch::Cell { x, y, radius }).collect()
    }

    /// The cells to paint for these events, in order.
    ///
    /// A stroke begins on the picture, with the left button, where nothing else has the mouse. It may leave
    /// the picture and come back; nothing is painted out there.
    fn stroke(&mut self, input: &Input, place: &Place, radius: f32) -> Vec<[f32; 2]> {
        let cell = |at: Pos2| place.cell(at.x * input.scale, at.y * input.scale);
        let mut cells = Vec::new();
        for event in &input.events {
            match *event {
                Event::PointerButton { pos, button: PointerButton::Primary, pressed: true, .. } => {
                    let at = cell(pos);
                    if place.contains(at) && !input.taken {
                        cells.push(at);
                        self.last = Some(at);
                    }
                }
                Event::PointerMoved(pos) => {
                    if let Some(from) = self.last {
                        let to = cell(pos);
                        // A pointer that comes back from the sky begins anew.
                        let from = if from[0].is_nan() { to } else { from };
                        cells.extend(between(from, to, radius));
                        self.last = Some(to);
                    }
                }
                Event::PointerButton { button: PointerButton::Primary, pressed: false, .. } => {
                    self.last = None
                }
                _ => {}
            }
        }
        cells.retain(|&at| place.contains(at));
        cells
    }
}

/// A push for each press of the button on the picture, where nothing else has the mouse.
fn pushes(input: &Input, place: &Place) -> Vec<Touch> {
    let push = |event: &Event| match *event {
        Event::PointerButton { pos, button: PointerButton::Primary, pressed: true, .. } if !input.taken => {
            let (x, y) = (pos.x * input.scale, pos.y * input.scale);
            place.ray(x, y).filter(|_| place.covers(x, y)).map(Touch::Along)
        }
        _ => None,
    };
    input.events.iter().filter_map(push).collect()
}

/// Points from `from`, without it, to `to`: half a radius apart, so that the discs leave no notches.
fn between(from: [f32; 2], to: [f32; 2], radius: f32) -> impl Iterator<Item = [f32; 2]> {
    let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
    let count = (dx.hypot(dy) / (radius * 0.5).max(0.5)).ceil().max(1.0) as u32;
    (1..=count).map(move |i| {
        let part = i as f32 / count as f32;
        [from[0] + dx * part, from[1] + dy * part]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stroke_reaches_its_end_in_steps_of_half_a_radius_at_most() {
        for (to, radius) in [([100.0, 50.0], 4.0), ([-3.0, 2.0], 1.0), ([7.0, 1.0], 30.0), ([0.0, 0.0], 8.0)]
        {
            let points: Vec<_> = between([0.0, 0.0], to, radius).collect();
            assert_eq!(points.last(), Some(&to));
            let mut last = [0.0, 0.0];
            for point in points {
                assert!((point[0] - last[0]).hypot(point[1] - last[1]) <= radius * 0.5 + 1e-4);
                last = point;
            }
        }
    }
}
