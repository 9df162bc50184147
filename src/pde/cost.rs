//! The passes and fetches of a step, as a recorder counts them.

use super::Simulation;
use crate::Result;
use crate::trace::{Recorder, Scope, Sum, Watch};

/// The work of one step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepCost {
    /// The number of the step.
    pub step: u64,
    /// Draws, those of all [`StepCost::parts`] among them.
    pub passes: u64,
    /// Fetches of all passes, divided by the nodes; at least so many where a kernel branches.
    pub fetches: f64,
    /// V-cycles and iterations in it, of which there are as many as the data need.
    pub parts: Vec<CostPart>,
}

/// Cycles or iterations that are alike.
#[derive(Clone, Debug, PartialEq)]
pub struct CostPart {
    /// `V-cycle` or `iteration`.
    pub name: String,
    /// The number of them.
    pub times: u64,
    /// The passes of one.
    pub passes: u64,
    /// The fetches of one, divided by the nodes.
    pub fetches: f64,
}

impl StepCost {
    /// Passes and fetches outside all parts: those that do not depend on data.
    pub fn fixed(&self) -> (u64, f64) {
        let inside = |(passes, fetches), part: &CostPart| {
            (passes + part.times * part.passes, fetches + part.times as f64 * part.fetches)
        };
        let (passes, fetches) = self.parts.iter().fold((0, 0.0), inside);
        (self.passes - passes, self.fetches - fetches)
    }
}

impl Simulation {
    /// Makes a step, and counts its work.
    ///
    /// # Errors
    /// As [`Simulation::step`]; [`Error::BadParameter`](crate::Error::BadParameter) while another recorder is at work.
    pub fn counted_step(&mut self) -> Result<StepCost> {
        let recorder = Recorder::start(self.gpu(), Watch::default())?;
        self.step()?;
        let (trace, nodes) = (recorder.trace(), self.equations().grid.nodes() as f64);
        drop(recorder);
        let sums = trace.sums();
        let fetches = |sum: &Sum| sum.fetches.0 as f64 / nodes;
        let mut cost = StepCost { step: self.count(), passes: 0, fetches: 0.0, parts: Vec::new() };
        for (scope, sum) in trace.scopes.iter().zip(&sums) {
            // Those of a preconditioner lie in an iteration.
            let is_part = |scope: &Scope| ["V-cycle", "iteration"].contains(&scope.name.as_str());
            let mut outer = trace.scopes.get(scope.parent);
            while let Some(above) = outer.filter(|above| above.parent != 0 && !is_part(above)) {
                outer = trace.scopes.get(above.parent);
            }
            if !is_part(scope) || outer.is_some_and(is_part) {
                continue;
            }
            let alike = |part: &&mut CostPart| {
                (&part.name, part.passes, part.fetches) == (&scope.name, sum.passes, fetches(sum))
            };
            match cost.parts.iter_mut().find(alike) {
                Some(part) => part.times += 1,
                None => {
                    let (name, passes) = (scope.name.clone(), sum.passes);
                    cost.parts.push(CostPart { name, times: 1, passes, fetches: fetches(sum) });
                }
            }
        }
        if let Some(whole) = sums.first() {
            (cost.passes, cost.fetches) = (whole.passes, fetches(whole));
        }
        Ok(cost)
    }
}
