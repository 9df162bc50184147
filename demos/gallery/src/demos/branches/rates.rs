//! Steps a second of all ways to one picture, by the side of its squares.

use std::fmt::Write;

use anyhow::Result;
use quadrille::sim::Branches;
use quadrille::sim::branches::{Branching, Parameters};
use quadrille::{Buffer, Gpu, Rect};

use super::are_alike;
use crate::demo::Host;

/// Sides of squares that are compared.
pub const SIDES: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];

/// The measured rates and the parameters still to be measured: one measurement at a time, so that nobody waits for all.
#[derive(Default)]
pub struct Rates {
    pub found: Vec<(Parameters, f64)>,
    waiting: Vec<Parameters>,
}

impl Rates {
    /// Begins with all ways to the picture of these parameters, on squares of all sides if it has squares.
    pub fn begin(&mut self, parameters: Parameters) {
        let sides = if parameters.way.is_loop() { &[parameters.square][..] } else { &SIDES };
        let ways = Branching::ALL.into_iter().filter(|&way| are_alike(way, parameters.way));
        self.found.clear();
        self.waiting = ways
            .flat_map(|way| sides.iter().map(move |&square| Parameters { way, square, ..parameters }))
            .collect();
        self.waiting.reverse();
    }

    pub fn clear(&mut self) {
        (self.found, self.waiting) = (Vec::new(), Vec::new());
    }

    /// Nothing was measured, and nothing waits.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty() && self.waiting.is_empty()
    }

    /// True while some are still to be measured.
    pub fn goes_on(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Measures the next, on targets of its own; false once there is none left.
    pub fn go_on(&mut self, gpu: &Gpu, host: &dyn Host, values: &Buffer) -> Result<bool> {
        let Some(parameters) = self.waiting.pop() else { return Ok(false) };
        let target = || gpu.buffer(values.width(), values.height()).build();
        // Drawn onto in turns: a renderer may leave out what is overdrawn.
        let targets = [target()?, target()?];
        let branches = Branches::new(gpu, values, parameters)?;
        let run = |steps: u32| {
            (0..steps as usize).try_for_each(|i| branches.draw(&targets[i % 2]))?;
            targets.iter().try_for_each(|target| target.data_of(Rect::whole(1, 1)).map(drop))?;
            Ok(())
        };
        self.found.push((parameters, crate::rate::rate(host, run)?));
        Ok(true)
    }

    /// A line for each way and side.
    pub fn csv(&self) -> Result<String> {
        let mut text = "way,squares,trips,steps_per_second\n".to_owned();
        for (Parameters { way, square, trips }, rate) in &self.found {
            // Orbits have no squares.
            let square = if way.is_loop() { String::new() } else { square.to_string() };
            writeln!(text, "{},{square},{trips},{rate:.1}", way.name())?;
        }
        Ok(text)
    }
}

/// The rates so far: curves over the sides of squares, or numbers of loops.
#[cfg(feature = "panel")]
pub fn show(ui: &mut egui::Ui, rates: &Rates) {
    use egui::{Align2, Color32, FontId, Rect, Sense, Shape, Stroke, pos2, vec2};
    const COLOURS: [Color32; 4] = [
        Color32::from_rgb(90, 170, 255),
        Color32::from_rgb(255, 150, 60),
        Color32::from_rgb(110, 210, 110),
        Color32::from_rgb(230, 110, 190),
    ];
    let most = rates.found.iter().fold(0.0f64, |most, (_, rate)| most.max(*rate));
    let ways = Branching::ALL.into_iter().filter(|way| rates.found.iter().any(|(of, _)| of.way == *way));
    let of = |way| rates.found.iter().filter(move |(of, _)| of.way == way);
    ui.horizontal_wrapped(|ui| {
        for (way, colour) in ways.clone().zip(COLOURS) {
            ui.colored_label(colour, way.name()).on_hover_text(way.shows());
            for (_, rate) in of(way).filter(|_| way.is_loop()) {
                ui.monospace(format!("{rate:.0} steps/s"));
            }
        }
    });
    if most == 0.0 || ways.clone().any(Branching::is_loop) {
        return;
    }
    ui.weak("steps a second, over the side of squares");
    let (whole, _) = ui.allocate_exact_size(vec2(ui.available_width(), 150.0), Sense::hover());
    let painter = ui.painter_at(whole);
    let inside = Rect::from_min_max(whole.min + vec2(44.0, 8.0), whole.max - vec2(10.0, 18.0));
    let weak = ui.visuals().weak_text_color();
    let text = |at, anchor, text: String| painter.text(at, anchor, text, FontId::proportional(11.0), weak);
    let up = |rate: f64| inside.bottom() - (rate / most) as f32 * inside.height();
    for share in [0.0, 0.5, 1.0] {
        let y = up(share * most);
        painter.hline(inside.x_range(), y, Stroke::new(0.5, weak.gamma_multiply(0.5)));
        text(pos2(inside.left() - 4.0, y), Align2::RIGHT_CENTER, format!("{:.0}", share * most));
    }
    let across = |square: u32| {
        let part =
            SIDES.iter().position(|&side| side == square).unwrap_or(0) as f32 / (SIDES.len() - 1) as f32;
        inside.left() + part * inside.width()
    };
    for side in SIDES {
        text(pos2(across(side), inside.bottom() + 4.0), Align2::CENTER_TOP, side.to_string());
    }
    for (way, colour) in ways.zip(COLOURS) {
        let line: Vec<_> = of(way).map(|(of, rate)| pos2(across(of.square), up(*rate))).collect();
        line.iter().for_each(|&at| _ = painter.circle_filled(at, 2.0, colour));
        painter.add(Shape::line(line, Stroke::new(1.5, colour)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::TestHost;

    #[test]
    fn every_way_to_a_picture_is_measured_on_squares_of_every_side_and_no_other() -> Result<()> {
        let gpu = Gpu::headless()?;
        let values = gpu.buffer(24, 20).init(&[0.5; 480])?;
        for (way, ways, sides) in [(Branching::ZCull, 4, 7), (Branching::AllTrips, 2, 1)] {
            let mut rates = Rates::default();
            rates.begin(Parameters { way, ..Parameters::default() });
            while rates.go_on(&gpu, &TestHost::default(), &values)? {}
            assert_eq!(rates.found.len(), ways * sides);
            assert!(
                rates
                    .found
                    .iter()
                    .all(|(of, rate)| are_alike(of.way, way) && rate.is_finite() && *rate > 0.0)
            );
            let csv = rates.csv()?;
            assert_eq!(csv.lines().count(), 1 + ways * sides);
            let first = if way.is_loop() { "early-exit,,100," } else { "branch,1,100," };
            assert!(csv.lines().nth(1).is_some_and(|line| line.starts_with(first)), "{csv}");
        }
        Ok(())
    }
}
