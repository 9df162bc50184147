//! Looks at the residuals during the sweeps, one look late, so that nothing waits.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use crate::Result;
use crate::gl::{ReadBack, Texture};
use crate::solve::{Progress, Reason};

/// Every so many sweeps a read-back of each group's scalars is begun, and the one before taken in, which has had as long to
/// arrive. What is found depends on counts and not on time.
pub struct Looks<'a> {
    every: usize,
    units: &'a [f64],
    goals: &'a [f32],
    asked: VecDeque<(usize, ReadBack)>,
    least: (f64, usize),
    seen: Seen,
    watch: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>,
}

/// The residuals seen.
#[derive(Default)]
pub struct Seen {
    /// Sweeps, and the largest relative residual of all groups.
    pub history: Vec<(usize, f64)>,
    /// Why to stop.
    pub reason: Option<Reason>,
    /// And after how many sweeps that was so.
    pub at: Option<usize>,
}

/// So many sweeps without a new smallest residual, and as many as it took to reach it, are a stall.
const PATIENCE: usize = 500;

/// Stands for what is no number, in the kernel that measures residuals.
const LARGEST: f32 = 2.9e38;

impl<'a> Looks<'a> {
    /// Looks every so many sweeps, or never; what residuals are relative to, and what they shall become, for each group;
    /// who is told of each look, and may stop the sweeps.
    pub fn new(
        every: usize,
        units: &'a [f64],
        goals: &'a [f32],
        watch: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Looks<'a> {
        Looks {
            every,
            units,
            goals,
            asked: VecDeque::new(),
            least: (f64::INFINITY, 0),
            seen: Seen::default(),
            watch,
        }
    }

    /// Returns true if the residual after that many sweeps is wanted.
    pub fn wants(&self, sweep: usize) -> bool {
        self.every > 0 && sweep.is_multiple_of(self.every)
    }

    /// Asks for the scalars after that many sweeps and takes in those of the last request. Returns true if the sweeps go on.
    pub fn look(&mut self, sweep: usize, scalars: &Texture) -> Result<bool> {
        self.asked.push_back((sweep, scalars.read_async(scalars.shape().rect())?));
        if self.asked.len() > 1 {
            self.take_in()?;
        }
        let relative_residual = self.seen.history.last().map_or(f64::NAN, |(_, residual)| *residual);
        let progress = Progress { iterations: sweep, relative_residual, refinements: 0 };
        if (self.watch)(&progress).is_break() && self.seen.reason.is_none() {
            (self.seen.reason, self.seen.at) = (Some(Reason::Stopped), Some(sweep));
        }
        Ok(self.seen.reason.is_none())
    }

    /// Takes in what is still under way.
    pub fn finish(mut self) -> Result<Seen> {
        while !self.asked.is_empty() {
            self.take_in()?;
        }
        Ok(self.seen)
    }

    fn take_in(&mut self) -> Result<()> {
        let Some((sweep, asked)) = self.asked.pop_front() else { return Ok(()) };
        let values = asked.wait()?;
        let residuals = || values.chunks_exact(4).map(|scalars| scalars[3]);
        let relative = |(residual, unit): (f32, &f64)| f64::from(residual) / unit;
        let worst = residuals().zip(self.units).map(relative).fold(0.0, f64::max);
        self.seen.history.push((sweep, worst));
        if worst < self.least.0 {
            self.least = (worst, sweep);
        }
        let reason = if residuals().any(|residual| !residual.is_finite() || residual > LARGEST) {
            Some(Reason::NotFinite)
        } else if residuals().zip(self.goals).all(|(residual, goal)| residual <= *goal) {
            Some(Reason::Converged)
        } else if sweep > self.least.1 + PATIENCE.max(self.least.1) {
            Some(Reason::Stalled)
        } else {
            None
        };
        if self.seen.reason.is_none() && reason.is_some() {
            (self.seen.reason, self.seen.at) = (reason, Some(sweep));
        }
        Ok(())
    }
}
