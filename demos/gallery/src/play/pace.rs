//! Steps by the frame, or by the second.

use egui::{ComboBox, Slider, SliderClamping, Ui};

use crate::demo::Demo;

/// Seconds of a frame that steps may not make longer: the panel answers ten times a second.
const LONGEST: f64 = 0.1;

/// Frames without a step after one whose only step took longer than that.
const BREATHS: u32 = 2;

/// The rule for how many steps are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// So many a frame.
    Frame,
    /// So many a second.
    Second,
    /// As many as leave so many frames a second.
    Fill,
}

const RULES: [(Rule, &str, &str); 3] = [
    (Rule::Frame, "steps a frame", "Fewer where a frame would take longer than a tenth of a second"),
    (Rule::Second, "steps a second", "However many frames there are"),
    (Rule::Fill, "frames a second", "As many steps as leave so many frames"),
];

/// How many steps are made while it runs.
pub struct Pace {
    pub rule: Rule,
    a_frame: u64,
    a_second: f64,
    /// Steps a second that the demo has asked for.
    asked: Option<f64>,
    /// Frames a second that are left.
    frames: f64,
    /// The second at which the next one is due.
    next: Option<f64>,
    /// Steps that a frame has time for, as the last ones have shown; without an end for a host that does not tell.
    room: f64,
    /// Steps and seconds of the last frame.
    last: Option<(f64, f64)>,
    /// Seconds of a step, as frames of different numbers of them show.
    cost: Option<f64>,
    /// Frames to come without a step.
    breaths: u32,
}

impl Pace {
    pub fn new(a_frame: u64) -> Pace {
        let (rule, next, room) = (Rule::Frame, None, f64::INFINITY);
        let (last, cost) = (None, None);
        Pace { rule, a_frame, a_second: 2.0, asked: None, frames: 30.0, next, room, last, cost, breaths: 0 }
    }

    /// The pace that a demo asks for.
    pub fn of(demo: &dyn Demo) -> Pace {
        let pace = Pace::new(demo.pace());
        match demo.rate() {
            Some(a_second) => Pace { rule: Rule::Second, a_second, asked: Some(a_second), ..pace },
            None => pace,
        }
    }

    /// Goes with what the demo asks for now, unless somebody has chosen another pace.
    pub fn follow(&mut self, rate: Option<f64>) {
        if rate != self.asked {
            if let Some(rate) = rate.filter(|_| self.asked == Some(self.a_second)) {
                self.a_second = rate;
            }
            self.asked = rate;
        }
    }

    /// The same for a host that tells how long frames take: the first has one step.
    pub fn measured(self) -> Pace {
        Pace { room: 1.0, ..self }
    }

    /// Steps to be made in a frame at second `now`. Whoever is late catches up a second at most.
    pub fn due(&mut self, now: f64) -> u64 {
        if self.breaths > 0 {
            self.breaths -= 1;
            return 0;
        }
        let room = self.room as u64;
        match self.rule {
            Rule::Frame => self.a_frame.min(room),
            Rule::Fill if self.room.is_finite() => room,
            Rule::Fill => self.a_frame,
            Rule::Second => {
                let rate = self.a_second;
                let next = self.next.unwrap_or(now).max(now - 1.0);
                let late = now - next;
                let steps = if late < 0.0 { 0 } else { ((late * rate).floor() as u64 + 1).min(room) };
                // A faster pace does not wait for the step of a slower one.
                self.next = Some((next + steps as f64 / rate).min(now + 1.0 / rate));
                steps
            }
        }
    }

    /// A frame with so many steps has taken that many seconds.
    pub fn took(&mut self, steps: u64, seconds: f64) {
        let made = steps as f64;
        if let Some((before, took)) = self.last.filter(|last| last.0 != made) {
            let cost = ((seconds - took) / (made - before)).max(0.0);
            self.cost = Some(self.cost.map_or(cost, |known| 0.5 * (known + cost)));
        }
        self.last = Some((made, seconds));
        if steps == 0 {
            return;
        }
        let most = if self.rule == Rule::Fill { 1.0 / self.frames } else { LONGEST };
        // A slow picture is not the steps' fault, and fewer of them would not help it.
        let of_steps = self.cost.map_or(seconds, |cost| (cost * made).min(seconds));
        let to_blame = of_steps > 0.25 * seconds;
        if seconds > most && to_blame {
            self.room = (made * most / seconds).max(1.0);
        } else if made + 1.0 > self.room {
            let faster = if of_steps < 0.5 * most { 2.0 } else { 1.1 };
            self.room = (self.room * faster + 1.0).min(1e6);
        }
        self.breaths = if steps == 1 && seconds > LONGEST && to_blame { BREATHS } else { 0 };
    }

    /// It rests: the next step is due at once when it goes on.
    pub fn rest(&mut self) {
        self.next = None;
    }

    /// Seconds from `now` to the next frame that has a step, where not every frame has one.
    pub fn wait(&self, now: f64) -> Option<f64> {
        (self.rule == Rule::Second).then_some(())?;
        Some((self.next? - now).max(0.0))
    }

    /// Shows the widgets, in a row.
    pub fn show(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            ui.spacing_mut().slider_width = 70.0;
            match self.rule {
                Rule::Frame => ui.add(Slider::new(&mut self.a_frame, 1..=1000).logarithmic(true)),
                Rule::Second => {
                    // A pace that is only shown is not rounded: it would be another than the demo asked for.
                    let slider = Slider::new(&mut self.a_second, 0.5..=1000.0).logarithmic(true);
                    ui.add(slider.clamping(SliderClamping::Edits).max_decimals(1))
                }
                Rule::Fill => ui.add(Slider::new(&mut self.frames, 5.0..=50.0).fixed_decimals(0)),
            };
            let text = |rule: Rule| RULES.iter().find(|row| row.0 == rule).map_or("", |row| row.1);
            ComboBox::from_id_salt("pace").width(104.0).selected_text(text(self.rule)).show_ui(ui, |ui| {
                for (rule, name, line) in RULES {
                    if ui.selectable_value(&mut self.rule, rule, name).on_hover_text(line).clicked() {
                        self.next = None;
                        // Enter chooses, too, and closes nothing by itself.
                        ui.close();
                    }
                }
            });
        });
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_demo_that_asks_for_another_rate_gets_it_unless_somebody_has_chosen_one() {
        let mut pace = Pace { rule: Rule::Second, a_second: 8.0, asked: Some(8.0), ..Pace::new(1) };
        pace.follow(Some(1.5));
        assert_eq!(pace.a_second, 1.5);
        pace.a_second = 20.0;
        pace.follow(Some(8.0));
        assert_eq!(pace.a_second, 20.0);
    }

    /// 15 passes in 11 seconds, of which the panel shows 1.4.
    #[test]
    fn a_pace_that_is_shown_in_fewer_digits_still_follows_the_demo() {
        let asked = Some(15.0 / 11.0);
        let mut pace = Pace { rule: Rule::Second, a_second: 15.0 / 11.0, asked, ..Pace::new(1) };
        let context = egui::Context::default();
        for _ in 0..3 {
            let mut output = context.run_ui(egui::RawInput::default(), |ui| pace.show(ui));
            output.textures_delta.clear();
        }
        pace.follow(Some(8.0));
        assert_eq!(pace.a_second, 8.0);
    }

    #[test]
    fn a_demo_to_be_followed_with_the_eye_goes_by_the_second_and_others_by_the_frame() -> anyhow::Result<()> {
        use crate::demo::{Request, TestHost};
        use crate::param::Values;
        use std::rc::Rc;
        let gpu = quadrille::Gpu::headless()?;
        for (name, rule) in [("sort", Rule::Second), ("histogram", Rule::Frame)] {
            let about = crate::list::named(name).ok_or_else(|| anyhow::anyhow!("{name}"))?;
            let values = Values::new().with("size", [64, 64]);
            let request = Rc::new(Request::new(values, Rc::new(TestHost::default())));
            let demo = about.begin(&gpu, &request)?;
            let mut pace = Pace::of(demo.as_ref());
            assert_eq!(pace.rule, rule, "{name}");
            if rule == Rule::Second {
                let steps: u64 = (0..=40).map(|frame| pace.due(f64::from(frame) / 20.0)).sum();
                assert!((15..=17).contains(&steps), "eight a second: {steps} in two");
            }
        }
        Ok(())
    }

    use super::*;

    /// Steps in `seconds` of so many frames a second.
    fn steps(rate: f64, frames: u32, seconds: u32) -> u64 {
        let mut pace = Pace { rule: Rule::Second, a_second: rate, ..Pace::new(10).measured() };
        let mut frame = |frame: u32| {
            let steps = pace.due(f64::from(frame) / f64::from(frames));
            pace.took(steps, 0.001);
            steps
        };
        (0..frames * seconds).map(&mut frame).sum()
    }

    #[test]
    fn steps_a_second_do_not_depend_on_the_frames() {
        for rate in [0.5, 2.0, 7.0, 60.0] {
            for frames in [3, 25, 60, 144] {
                let (made, asked) = (steps(rate, frames, 20) as f64, 20.0 * rate);
                // The first frame makes one step, and room grows from there.
                let first = if rate > f64::from(frames) { rate } else { 1.0 };
                assert!((made - asked).abs() <= first + rate / f64::from(frames), "{made} of {asked}");
            }
        }
    }

    #[test]
    fn a_late_frame_catches_up_a_second_at_most_and_a_rest_is_not_made_up_for() {
        let mut pace = Pace { rule: Rule::Second, a_second: 10.0, room: 100.0, ..Pace::new(1) };
        assert_eq!(pace.due(0.0), 1);
        assert_eq!(pace.due(0.55), 5);
        assert_eq!(pace.due(90.0), 11);
        pace.rest();
        assert_eq!([pace.due(200.0), pace.due(200.05)], [1, 0]);
        assert!(pace.wait(200.05).is_some_and(|wait| (wait - 0.05).abs() < 1e-9));
        pace.rule = Rule::Frame;
        assert_eq!((pace.due(201.0), pace.wait(201.0)), (1, None));
    }

    /// The longest frame, after so many, and the steps in them, of a demo whose step takes that long, from what is asked.
    fn played(mut pace: Pace, picture: f64, step: f64, frames: u32) -> (f64, u64) {
        let (mut now, mut longest, mut steps) = (0.0, 0.0f64, 0);
        for frame in 0..frames {
            let made = pace.due(now);
            let seconds = picture + made as f64 * step;
            now += seconds;
            pace.took(made, seconds);
            if frame > 30 {
                longest = longest.max(seconds);
                steps += made;
            }
        }
        (longest, steps)
    }

    #[test]
    fn a_frame_never_takes_more_steps_than_it_has_time_for_and_as_many_as_are_asked_where_it_has() {
        let of = |a_frame| Pace::new(a_frame).measured();
        // Ten a frame of a millisecond each fit; of 30 milliseconds three do.
        assert_eq!(played(of(10), 0.004, 0.001, 131), (0.014, 1000));
        let (longest, steps) = played(of(200), 0.004, 0.03, 131);
        assert!(longest < 0.17 && (200..=500).contains(&steps), "{longest} {steps}");
        // A step of half a second is made now and then, and the panel answers in between.
        let (longest, steps) = played(of(200), 0.004, 0.5, 131);
        assert!(longest < 0.51 && (30..=40).contains(&steps), "{longest} {steps}");
        // A slow picture does not cost steps.
        assert_eq!(played(of(10), 0.3, 0.001, 131).1, 1000);
        // As many as leave 25 frames a second.
        let fill = || Pace { rule: Rule::Fill, frames: 25.0, ..of(1) };
        let (longest, steps) = played(fill(), 0.004, 0.001, 131);
        assert!(longest < 0.09 && (2500..=4200).contains(&steps), "{longest} {steps}");
        let (_, steps) = played(fill(), 0.004, 1e-6, 131);
        assert!(steps > 1_000_000, "{steps}");
        // A host that does not tell has what it asks for.
        assert_eq!(Pace::new(10).due(0.0), 10);
    }
}
