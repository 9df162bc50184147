//! The buttons of the mouse: on cells a brush, whose strokes have no gaps however fast they are, and on bodies a push.

use egui::{Event, PointerButton, Pos2};

use super::Input;
use super::orbit::notches;
use super::place::Place;
use crate::picture::{Drag, Phase, Pull, Touch};
use quadrille::sim::Tip;
use quadrille::view::Ray;

/// The hand on the picture, and its stroke in progress.
#[derive(Default)]
pub struct Pointer {
    stroke: Option<Stroke>,
    /// The ends of a drag over what lies in space.
    pulled: Option<[Ray; 2]>,
    /// Where the pointer was last.
    at: Pos2,
}

/// A button that is held.
#[derive(Clone, Copy)]
struct Stroke {
    /// In cells.
    last: [f32; 2],
    button: PointerButton,
    /// Where it is now, of a stroke that is painted as one line when it is let go.
    line: Option<[f32; 2]>,
}

impl Pointer {
    /// The effect of these events on what is shown, in order, with a brush of that tip in cells, whose strokes may be `straight`; by
    /// `both` buttons or by the left one.
    pub fn follow(
        &mut self,
        input: &Input,
        place: &Place,
        (tip, straight): (Tip, bool),
        both: bool,
    ) -> Vec<Touch> {
        if place.is_space() {
            return pushes(input, place);
        }
        let cells = self.strokes(input, place, (tip.radius, straight), both);
        // The way of the whole picture: events come in pieces as small as the mouse makes them.
        let way = |right: bool| {
            let mut of_it = cells.iter().filter(|(_, of)| *of == right).map(|(at, _)| *at);
            let first = of_it.next().unwrap_or_default();
            of_it.next_back().map_or([0.0; 2], |last| [last[0] - first[0], last[1] - first[1]])
        };
        let ways = [false, true].map(way);
        let pressed = |event: &Event| match *event {
            Event::PointerButton { pos, pressed: true, .. } => {
                Some(place.cell(pos.x * input.scale, pos.y * input.scale))
            }
            _ => None,
        };
        let begun: Vec<_> = input.events.iter().filter_map(pressed).collect();
        let touch = |&([x, y], right): &([f32; 2], bool)| {
            let drag = Drag { by: ways[usize::from(right)], right, begins: begun.contains(&[x, y]) };
            place.contains([x, y]).then_some(Touch::Cell { x, y, tip, drag })
        };
        cells.iter().filter_map(touch).collect()
    }

    /// Drags of the left button over what lies in space, in order; those with Ctrl held are [`picks`].
    pub fn pulls(&mut self, input: &Input, place: &Place) -> Vec<Pull> {
        let ray = |pos: Pos2| place.ray(pos.x * input.scale, pos.y * input.scale);
        let mut pulls = Vec::new();
        for event in &input.events {
            match *event {
                Event::PointerButton { pos, button: PointerButton::Primary, pressed: true, modifiers }
                    if !input.taken && !modifiers.command =>
                {
                    let over = place.covers(pos.x * input.scale, pos.y * input.scale);
                    self.pulled = ray(pos).filter(|_| over).map(|ray| [ray; 2]);
                    let begun = self.pulled.map(|[from, to]| Pull { from, to, phase: Phase::Begins });
                    pulls.extend(begun);
                }
                Event::PointerMoved(pos) => {
                    if let (Some([_, last]), Some(to)) = (&mut self.pulled, ray(pos)) {
                        *last = to;
                    }
                    let gone = self.pulled.map(|[from, to]| Pull { from, to, phase: Phase::GoesOn });
                    pulls.extend(gone);
                }
                Event::PointerButton { button: PointerButton::Primary, pressed: false, .. } => {
                    let ended = self.pulled.take().map(|[from, to]| Pull { from, to, phase: Phase::Ends });
                    pulls.extend(ended);
                }
                _ => {}
            }
        }
        pulls
    }

    /// Turns of the wheel over cells: the cell, and how many times as near it is to come.
    pub fn wheel(&mut self, input: &Input, place: &Place) -> Vec<([f32; 2], f32)> {
        let mut turns = Vec::new();
        for event in &input.events {
            match *event {
                Event::PointerMoved(pos) | Event::PointerButton { pos, .. } => self.at = pos,
                Event::MouseWheel { unit, delta, .. } if !input.taken && !place.is_space() => {
                    let cell = place.cell(self.at.x * input.scale, self.at.y * input.scale);
                    if place.contains(cell) {
                        turns.push((cell, 0.9f32.powf(-notches(unit, delta.y))));
                    }
                }
                _ => {}
            }
        }
        turns
    }

    /// Both ends of the line that will be painted, in cells.
    pub fn line(&self) -> Option<[[f32; 2]; 2]> {
        let stroke = self.stroke?;
        Some([stroke.last, stroke.line?])
    }

    /// Returns true while a button is held.
    pub fn presses(&self) -> bool {
        self.stroke.is_some()
    }

    /// The cells to paint for these events, in order, and whether with the right button.
    ///
    /// A stroke begins on the picture, where nothing else has the mouse. It may leave the picture and come back; nothing is
    /// painted out there.
    fn strokes(
        &mut self,
        input: &Input,
        place: &Place,
        (radius, straight): (f32, bool),
        both: bool,
    ) -> Vec<([f32; 2], bool)> {
        let cell = |at: Pos2| place.cell(at.x * input.scale, at.y * input.scale);
        let paints = |button| button == PointerButton::Primary || both && button == PointerButton::Secondary;
        let mut cells = Vec::new();
        for event in &input.events {
            match *event {
                Event::PointerButton { pos, button, pressed: true, .. } if paints(button) => {
                    let at = cell(pos);
                    if place.contains(at) && !input.taken {
                        if !straight {
                            cells.push((at, button == PointerButton::Secondary));
                        }
                        self.stroke = Some(Stroke { last: at, button, line: straight.then_some(at) });
                    }
                }
                Event::PointerMoved(pos) => {
                    if let Some(Stroke { line: Some(end), .. }) = &mut self.stroke {
                        *end = cell(pos);
                    } else if let Some(Stroke { last, button, line }) = self.stroke {
                        let to = cell(pos);
                        // A pointer that comes back from the sky begins anew.
                        let from = if last[0].is_nan() { to } else { last };
                        let right = button == PointerButton::Secondary;
                        cells.extend(between(from, to, radius).map(|at| (at, right)));
                        self.stroke = Some(Stroke { last: to, button, line });
                    }
                }
                Event::PointerButton { button, pressed: false, .. } => {
                    // A line that ends in the sky is none.
                    if let Some(Stroke { last, button: of, line: Some(end) }) = self.stroke
                        && of == button
                        && end.iter().all(|c| c.is_finite())
                    {
                        let right = button == PointerButton::Secondary;
                        cells.push((last, right));
                        cells.extend(between(last, end, radius).map(|at| (at, right)));
                    }
                    self.stroke = self.stroke.filter(|stroke| stroke.button != button);
                }
                _ => {}
            }
        }
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

/// Presses of the left button with Ctrl held, as all that was seen there.
pub fn picks(input: &Input, place: &Place) -> Vec<Ray> {
    let pick = |event: &Event| match *event {
        Event::PointerButton { pos, button: PointerButton::Primary, pressed: true, modifiers }
            if modifiers.command && !input.taken =>
        {
            let (x, y) = (pos.x * input.scale, pos.y * input.scale);
            place.ray(x, y).filter(|_| place.covers(x, y))
        }
        _ => None,
    };
    input.events.iter().filter_map(pick).collect()
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
    use crate::picture::Layout;

    /// A press, a way around a corner, and the release; ten cells of ten pixels.
    #[test]
    fn a_straight_stroke_is_painted_when_it_ends_and_between_its_ends_alone() {
        let area = egui::Rect::from_min_size(Pos2::ZERO, egui::vec2(100.0, 100.0));
        let Some(place) = Place::of(Layout::Map { columns: 10, rows: 10 }, area, 1.0) else { return };
        let button = |x: f32, y: f32, pressed| Event::PointerButton {
            pos: Pos2::new(x, y),
            button: PointerButton::Primary,
            pressed,
            modifiers: egui::Modifiers::default(),
        };
        let moved = |x, y| Event::PointerMoved(Pos2::new(x, y));
        let way = [button(5.0, 5.0, true), moved(95.0, 5.0), moved(95.0, 95.0), button(95.0, 95.0, false)];
        for straight in [false, true] {
            let mut pointer = Pointer::default();
            let mut cells = Vec::new();
            for (i, event) in way.iter().enumerate() {
                let input = Input { events: vec![event.clone()], typing: false, taken: false, scale: 1.0 };
                let touches = pointer.follow(&input, &place, (1.0.into(), straight), false);
                assert!(!straight || touches.is_empty() || i == 3, "{i}");
                cells.extend(touches.into_iter().filter_map(|touch| match touch {
                    Touch::Cell { x, y, .. } => Some([x, y]),
                    Touch::Along(_) => None,
                }));
                assert_eq!(pointer.line().is_some(), straight && i < 3);
            }
            assert_eq!((cells.first(), cells.last()), (Some(&[0.5; 2]), Some(&[9.5; 2])));
            assert_eq!(cells.iter().all(|[x, y]| (x - y).abs() < 1e-3), straight);
            assert_eq!(cells.contains(&[9.5, 0.5]), !straight);
        }
    }

    /// Ten cells of ten pixels; a notch up comes nearer to the cell under the pointer, fifty points are a notch, and beside the picture, or
    /// over a widget, the wheel is not the picture's.
    #[test]
    fn the_wheel_comes_nearer_to_the_cell_under_the_pointer() {
        let area = egui::Rect::from_min_size(Pos2::ZERO, egui::vec2(200.0, 100.0));
        let Some(place) = Place::of(Layout::Map { columns: 10, rows: 10 }, area, 1.0) else { return };
        let wheel = |unit, y| Event::MouseWheel {
            unit,
            delta: egui::vec2(0.0, y),
            phase: egui::TouchPhase::Move,
            source: egui::MouseWheelSource::Unknown,
            modifiers: egui::Modifiers::default(),
        };
        let (lines, points) = (egui::MouseWheelUnit::Line, egui::MouseWheelUnit::Point);
        let mut pointer = Pointer::default();
        let mut turned = |at: Pos2, turn: Event, taken: bool| {
            let events = vec![Event::PointerMoved(at), turn];
            pointer.wheel(&Input { events, typing: false, taken, scale: 1.0 }, &place)
        };
        let at = Pos2::new(75.0, 35.0);
        for (turn, times) in [(wheel(lines, 1.0), 1.0 / 0.9), (wheel(points, -100.0), 0.81f32)] {
            let found = turned(at, turn.clone(), false);
            assert!(
                matches!(found[..], [([x, y], by)] if x == 2.5 && y == 3.5 && (by - times).abs() < 1e-6),
                "{found:?}"
            );
            assert!(turned(at, turn.clone(), true).is_empty());
            assert!(turned(Pos2::new(10.0, 35.0), turn, false).is_empty());
        }
    }

    /// A drag over space begins on the picture, without Ctrl, goes along with the pointer, even beside the picture, and ends where it is let go.
    #[test]
    fn a_drag_over_space_is_a_pull_and_a_press_with_ctrl_a_pick() {
        let stage = quadrille::view::Stage { low: [-1.0; 3], high: [1.0; 3], ground: None };
        let Ok(lens) = stage.lens(&quadrille::view::Camera::default(), 1.0) else { return };
        let area = egui::Rect::from_min_size(Pos2::new(50.0, 0.0), egui::vec2(100.0, 100.0));
        let Some(place) = Place::of(Layout::Space(lens), area, 1.0) else { return };
        let pressed = |x: f32, pressed, ctrl| Event::PointerButton {
            pos: Pos2::new(x, 50.0),
            button: PointerButton::Primary,
            pressed,
            modifiers: if ctrl { egui::Modifiers::COMMAND } else { egui::Modifiers::NONE },
        };
        let moved = |x| Event::PointerMoved(Pos2::new(x, 50.0));
        let input = |events: Vec<Event>, taken| Input { events, typing: false, taken, scale: 1.0 };
        let way = |x| vec![pressed(x, true, false), moved(120.0), moved(190.0), pressed(190.0, false, false)];
        let pulls = Pointer::default().pulls(&input(way(100.0), false), &place);
        let phases: Vec<Phase> = pulls.iter().map(|pull| pull.phase).collect();
        assert_eq!(phases, [Phase::Begins, Phase::GoesOn, Phase::GoesOn, Phase::Ends]);
        let at = |x| place.ray(x, 50.0);
        assert!(pulls.iter().all(|pull| Some(pull.from) == at(100.0)));
        let ends = [100.0, 120.0, 190.0, 190.0].map(at);
        assert!(pulls.iter().zip(ends).all(|(pull, to)| Some(pull.to) == to));
        // Beside the picture, over a widget, and with Ctrl none begins; the last is a pick.
        let ctrl = vec![pressed(100.0, true, true), moved(120.0), pressed(120.0, false, true)];
        for (events, taken, picked) in
            [(way(20.0), false, 0), (way(100.0), true, 0), (ctrl.clone(), false, 1), (ctrl, true, 0)]
        {
            let input = input(events, taken);
            assert!(Pointer::default().pulls(&input, &place).is_empty());
            assert_eq!(picks(&input, &place).len(), picked);
        }
    }

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
