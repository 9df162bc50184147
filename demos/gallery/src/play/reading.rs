//! Numbers at cells: the one under the pointer, and those of probes over the steps.

use anyhow::Result;
use egui::{Color32, Event, PointerButton, Pos2, Stroke, Ui};

use super::Input;
use super::curves::{self, Curve, Moments, written};
use super::place::Place;
use crate::demo::Demo;
use crate::picture::Unit;

/// Probes at most.
const MOST: usize = 6;

const COLOURS: [Color32; MOST] = [
    Color32::from_rgb(110, 190, 255),
    Color32::from_rgb(255, 170, 70),
    Color32::from_rgb(120, 220, 120),
    Color32::from_rgb(255, 110, 140),
    Color32::from_rgb(200, 150, 255),
    Color32::from_rgb(240, 230, 110),
];

/// A cell whose number is read after every step that is shown.
struct Probe {
    cell: [u32; 2],
    colour: Color32,
    curve: Curve,
}

#[derive(Default)]
pub struct Readings {
    at: Option<Pos2>,
    /// The number under the pointer as a line, or nothing.
    pub line: String,
    probes: Vec<Probe>,
    /// The time of the steps at which they were read.
    moments: Moments,
    /// A probe could be pinned there, and there is none yet.
    pub offers: bool,
    /// A probe was pinned that nobody has been shown yet.
    pinned: bool,
    /// The unit of the numbers that the probes read last.
    unit: Unit,
    logarithmic: bool,
}

impl Readings {
    /// Reads what is pointed at and the probes; returns the input without the presses that were probes'.
    ///
    /// # Errors
    /// Those of reading back.
    pub fn follow(
        &mut self,
        input: &Input,
        place: &Place,
        demo: &mut dyn Demo,
        quantity: &str,
        step: u64,
    ) -> Result<Input> {
        let mut left = Input { events: Vec::new(), ..*input };
        let cell = |at: Pos2| {
            let cell = place.cell(at.x * input.scale, at.y * input.scale);
            (place.contains(cell) && !input.taken).then(|| cell.map(|c| c as u32))
        };
        for event in &input.events {
            match *event {
                Event::PointerMoved(at) => self.at = Some(at),
                Event::PointerGone => self.at = None,
                Event::PointerButton { pos, button: PointerButton::Primary, pressed: true, modifiers }
                    if modifiers.command
                        && demo.picture().numbers().is_some_and(|numbers| numbers.are_read()) =>
                {
                    cell(pos).into_iter().for_each(|cell| self.pin(cell));
                    continue;
                }
                _ => {}
            }
            left.events.push(event.clone());
        }
        let pointed = self.at.and_then(cell);
        self.line.clear();
        if pointed.is_none() && self.probes.is_empty() {
            return Ok(left);
        }
        self.moments.add(step, demo.time());
        let picture = demo.picture();
        let Some(numbers) = picture.numbers() else { return Ok(left) };
        if let Some([x, y]) = pointed
            && let Some(value) = numbers.at(picture.texel([x, y]))?
        {
            self.line = match value.is_nan() {
                true => format!("cell ({x}, {y}): no {quantity} here"),
                false => format!("cell ({x}, {y}): {quantity} {}", numbers.unit.after(&written(value))),
            };
            self.offers = numbers.are_read() && self.probes.is_empty();
        }
        self.unit = numbers.unit;
        for probe in &mut self.probes {
            if let Some(value) = numbers.at(picture.texel(probe.cell))? {
                probe.curve.add(step, value);
            }
        }
        Ok(left)
    }

    /// Pins a probe, or takes the one there away.
    fn pin(&mut self, cell: [u32; 2]) {
        let near = |probe: &Probe| probe.cell.iter().zip(cell).all(|(a, b)| a.abs_diff(b) <= 1);
        if let Some(place) = self.probes.iter().position(near) {
            self.probes.remove(place);
            return;
        }
        let free = COLOURS.iter().find(|colour| self.probes.iter().all(|probe| probe.colour != **colour));
        if let Some(&colour) = free {
            self.probes.push(Probe { cell, colour, curve: Curve::default() });
            self.pinned = true;
        }
    }

    /// Marks the probes.
    pub fn paint(&self, ui: &Ui, place: &Place, scale: f32) {
        for probe in &self.probes {
            if let Some(at) = place.point_of_cell(probe.cell, scale) {
                ui.painter().circle_stroke(at, 5.0, Stroke::new(3.0, Color32::BLACK));
                ui.painter().circle_stroke(at, 5.0, Stroke::new(1.5, probe.colour));
            }
        }
    }

    /// Shows the numbers of the probes, and their curves.
    pub fn show(&mut self, ui: &mut Ui) {
        if self.probes.is_empty() {
            ui.weak("Ctrl-click on the picture pins a probe.");
            return;
        }
        for Probe { cell: [x, y], colour, curve } in &self.probes {
            let now =
                curve.points.last().map_or(String::new(), |&(_, value)| self.unit.after(&written(value)));
            ui.colored_label(*colour, format!("({x}, {y})  {now}"));
        }
        let lines: Vec<_> = self.probes.iter().map(|probe| (&probe.curve, probe.colour)).collect();
        curves::plot_over(ui, &lines, self.logarithmic, &self.moments);
        ui.checkbox(&mut self.logarithmic, "log");
    }

    /// Returns true from when a probe was pinned until its curve [was shown](Readings::was_shown).
    pub fn is_pinned(&self) -> bool {
        self.pinned
    }

    pub fn was_shown(&mut self) {
        self.pinned = false;
    }

    /// Forgets what was read, but not where.
    pub fn begin_again(&mut self) {
        self.moments = Moments::default();
        self.probes.iter_mut().for_each(|probe| probe.curve = Curve::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_press_takes_a_probe_away_and_there_are_no_more_than_colours() {
        let mut readings = Readings::default();
        (0..9).for_each(|x| readings.pin([10 * x, 3]));
        assert_eq!(readings.probes.len(), MOST);
        readings.pin([11, 2]);
        assert_eq!(readings.probes.len(), MOST - 1);
        readings.pin([70, 3]);
        let colours =
            readings.probes.iter().map(|probe| probe.colour).collect::<std::collections::HashSet<_>>();
        assert_eq!((readings.probes.len(), colours.len()), (MOST, MOST));
    }
}
