//! Frames and steps a second, over the last half second.

/// Seconds: long enough for a number that can be read, short enough to follow a slider.
const WINDOW: f64 = 0.5;

/// The rates that the panel shows.
#[derive(Clone, Copy)]
pub struct Shown {
    pub frame_milliseconds: f64,
    pub frames_a_second: f64,
    pub steps_a_second: f64,
}

#[derive(Default)]
pub struct Rates {
    since: Option<f64>,
    frames: u64,
    steps: u64,
    shown: Option<Shown>,
}

impl Rates {
    /// A frame is done, with so many steps, at that second of the host's clock.
    pub fn frame(&mut self, steps: u64, now: f64) {
        let elapsed = now - *self.since.get_or_insert(now);
        self.frames += 1;
        self.steps += steps;
        if elapsed >= WINDOW {
            let a_second = |n: u64| n as f64 / elapsed;
            let shown = Shown {
                frame_milliseconds: 1e3 / a_second(self.frames),
                frames_a_second: a_second(self.frames),
                steps_a_second: a_second(self.steps),
            };
            *self = Rates { shown: Some(shown), since: Some(now), ..Rates::default() };
        }
    }

    /// Nothing runs: frames come only when the user does something, and say nothing of speed.
    pub fn rest(&mut self) {
        *self = Rates::default();
    }

    /// The last rates, once there are any.
    pub fn shown(&self) -> Option<Shown> {
        self.shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_and_steps_are_told_by_the_second() {
        let mut rates = Rates::default();
        (0..=50).for_each(|frame| rates.frame(3, 7.0 + 0.01 * f64::from(frame)));
        let shown = rates.shown().map(|shown| [shown.frames_a_second, shown.steps_a_second]);
        assert_eq!(shown.map(|rates| rates.map(f64::round)), Some([102.0, 306.0]));
        rates.rest();
        assert!(rates.shown().is_none());
    }
}
