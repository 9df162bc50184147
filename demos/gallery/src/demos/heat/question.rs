//! "Is it steady?", asked by occlusion queries while the steps go on.

use anyhow::Result;
use quadrille::Gpu;
use quadrille::pug::Watcher;
use quadrille::sim::Heat;

use crate::number::{counted, written};

/// Steps between two questions of the panel.
const EVERY: u64 = 10;

/// Questions under way when the oldest is taken in: by then its answer is there, and nothing waits.
const IN_FLIGHT: usize = 4;

pub struct Question {
    /// The most that a step changes when it is steady; nobody asks without.
    until: Option<f32>,
    /// After each step, for an answer: what the command line asks ends at the same step with a window and without.
    waits: bool,
    watcher: Watcher,
    steady: Option<u64>,
    asked: bool,
}

impl Question {
    /// Asks what the command line says; nothing else waits.
    pub fn new(gpu: &Gpu, until: Option<f32>) -> Question {
        let waits = until.is_some();
        Question { until, waits, watcher: Watcher::new(gpu, IN_FLIGHT), steady: None, asked: false }
    }

    /// Asks, and takes in the answer that is due.
    pub fn after_step(&mut self, heat: &mut Heat) -> Result<()> {
        let Some(epsilon) = self.until else { return Ok(()) };
        if self.waits || heat.steps().is_multiple_of(EVERY) {
            self.watcher.ask(heat.steps(), || heat.ask(epsilon))?;
            self.asked = true;
        }
        // By count and never by whether it is there: a run of the panel ends at the same step on every machine.
        let due = self.watcher.in_flight() >= if self.waits { 1 } else { IN_FLIGHT };
        let answer = if due { self.watcher.wait()? } else { None };
        if let Some((step, _)) = answer.filter(|(_, changed)| !changed.any()) {
            self.steady = Some(step);
            self.watcher.forget();
        }
        Ok(())
    }

    /// The plate is another one now.
    pub fn begin_again(&mut self) {
        (self.steady, self.asked) = (None, false);
        self.watcher.forget();
    }

    /// Asks that from now on, or nothing: it does not wait.
    pub fn set(&mut self, until: Option<f32>) {
        if self.until != until {
            (self.until, self.waits) = (until, false);
            self.begin_again();
        }
    }

    pub fn epsilon(&self) -> Option<f32> {
        self.until
    }

    /// The step after which it was steady.
    pub fn steady(&self) -> Option<u64> {
        self.steady
    }

    /// The outcome, if somebody asked.
    pub fn answer(&self) -> Option<String> {
        let epsilon = written(self.until.filter(|_| self.asked)?);
        Some(match self.steady.map(|step| counted(step, "step")) {
            Some(steps) => {
                format!("steady after {steps}: the last changed no cell by more than {epsilon}")
            }
            None => format!("not steady: the last step changed a cell by more than {epsilon}"),
        })
    }
}
