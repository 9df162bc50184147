//! Frames and steps a second, over the last half second.

use std::time::{Duration, Instant};

/// Long enough for a number that can be read, short enough to follow a slider.
const WINDOW: Duration = Duration::from_millis(500);

/// The rates that the panel shows.
#[derive(Clone, Copy)]
pub struct Shown {
    pub frame_milliseconds: f64,
    pub frames_a_second: f64,
    pub steps_a_second: f64,
}

pub struct Rates {
    since: Instant,
    frames: u64,
    steps: u64,
    shown: Option<Shown>,
}

impl Rates {
    pub fn new() -> Rates {
        Rates { since: Instant::now(), frames: 0, steps: 0, shown: None }
    }

    /// A frame is done, with so many steps.
    pub fn frame(&mut self, steps: u64) {
        self.frames += 1;
        self.steps += steps;
        let elapsed = self.since.elapsed();
        if elapsed >= WINDOW {
            let a_second = |n: u64| n as f64 / elapsed.as_secs_f64();
            let shown = Shown {
                frame_milliseconds: 1e3 / a_second(self.frames),
                frames_a_second: a_second(self.frames),
                steps_a_second: a_second(self.steps),
            };
            *self = Rates { shown: Some(shown), ..Rates::new() };
        }
    }

    /// Nothing runs: frames come only when the user does something, and say nothing of speed.
    pub fn rest(&mut self) {
        *self = Rates::new();
    }

    /// The last rates, once there are any.
    pub fn shown(&self) -> Option<Shown> {
        self.shown
    }
}
