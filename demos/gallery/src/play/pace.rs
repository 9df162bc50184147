//! Steps by the frame, or by the second.

use egui::{Slider, Ui};

/// How many steps are made while it runs.
pub struct Pace {
    pub a_frame: u64,
    /// Steps a second in place of those a frame.
    pub a_second: Option<f64>,
    /// The second at which the next one is due.
    next: Option<f64>,
}

impl Pace {
    pub fn new(a_frame: u64) -> Pace {
        Pace { a_frame, a_second: None, next: None }
    }

    /// Steps to be made in a frame at second `now`. Whoever is late catches up a second at most.
    pub fn due(&mut self, now: f64) -> u64 {
        let Some(rate) = self.a_second else { return self.a_frame };
        let next = self.next.unwrap_or(now).max(now - 1.0);
        let late = now - next;
        let steps = if late < 0.0 { 0 } else { (late * rate).floor() as u64 + 1 };
        // A faster pace does not wait for the step of a slower one.
        self.next = Some((next + steps as f64 / rate).min(now + 1.0 / rate));
        steps
    }

    /// It rests: the next step is due at once when it goes on.
    pub fn rest(&mut self) {
        self.next = None;
    }

    /// Seconds from `now` to the next frame that has a step, where not every frame has one.
    pub fn wait(&self, now: f64) -> Option<f64> {
        self.a_second?;
        Some((self.next? - now).max(0.0))
    }

    /// Shows the widgets.
    pub fn show(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            ui.label("steps by the");
            if ui.selectable_label(self.a_second.is_none(), "frame").clicked() {
                self.a_second = None;
            }
            if ui.selectable_label(self.a_second.is_some(), "second").clicked() {
                (self.a_second, self.next) = (Some(self.a_second.unwrap_or(2.0)), None);
            }
        });
        match &mut self.a_second {
            Some(rate) => ui.add(Slider::new(rate, 0.5..=60.0).logarithmic(true).text("steps a second")),
            None => ui.add(Slider::new(&mut self.a_frame, 1..=200).logarithmic(true).text("steps a frame")),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps in `seconds` of so many frames a second.
    fn steps(rate: f64, frames: u32, seconds: u32) -> u64 {
        let mut pace = Pace { a_second: Some(rate), ..Pace::new(10) };
        (0..frames * seconds).map(|frame| pace.due(f64::from(frame) / f64::from(frames))).sum()
    }

    #[test]
    fn steps_a_second_do_not_depend_on_the_frames() {
        for rate in [0.5, 2.0, 7.0, 60.0] {
            for frames in [3, 25, 60, 144] {
                let (made, asked) = (steps(rate, frames, 20) as f64, 20.0 * rate);
                assert!((made - asked).abs() <= 1.0 + rate / f64::from(frames), "{made} of {asked}");
            }
        }
    }

    #[test]
    fn a_late_frame_catches_up_a_second_at_most_and_a_rest_is_not_made_up_for() {
        let mut pace = Pace { a_second: Some(10.0), ..Pace::new(1) };
        assert_eq!(pace.due(0.0), 1);
        assert_eq!(pace.due(0.55), 5);
        assert_eq!(pace.due(90.0), 11);
        pace.rest();
        assert_eq!([pace.due(200.0), pace.due(200.05)], [1, 0]);
        assert!(pace.wait(200.05).is_some_and(|wait| (wait - 0.05).abs() < 1e-9));
        pace.a_second = None;
        assert_eq!((pace.due(201.0), pace.wait(201.0)), (1, None));
    }
}
