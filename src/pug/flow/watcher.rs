//! Occlusion queries whose answers are taken in later.

use std::collections::VecDeque;

use super::super::{Gpu, Samples};
use crate::Result;
use crate::gl::SampleQuery;

/// A way to take an answer in: by a poll, or by a wait.
pub(super) type Answer = fn(&mut Watcher) -> Result<Option<(u64, Samples)>>;

/// Counts the fragments that passed, without stopping the work while the answer is on its way.
///
/// An answer comes when the GPU has drawn its pass. A wait for it leaves the GPU idle afterwards; with a few questions
/// in flight, a look at the oldest does not wait. In a browser no answer comes before control has returned to the event
/// loop, and [`Watcher::wait`] reads a texel instead.
///
/// Polling depends on the clock: an answer that arrives by the third frame on one machine arrives by the fifth on
/// another. If the same input has to give the same bits, use [`Until`](super::Until), which decides by counts.
///
/// # Example
/// ```
/// # fn main() -> quadrille::Result<()> {
/// # let gpu = quadrille::Gpu::headless()?;
/// # let target = gpu.buffer(4, 4).build()?;
/// # let pass = gpu.program("one.frag", "RANGE float r; void main() { r = 1.0; }")?;
/// use quadrille::pug::Watcher;
///
/// let mut watcher = Watcher::new(&gpu, 4);
/// watcher.ask(100, || pass.run(&target))?;        // after sweep 100, say
/// // ... more sweeps, a picture ...
/// # gpu.finish();
/// if let Some((sweep, samples)) = watcher.poll() {
///     println!("after sweep {sweep}: {samples:?}");
/// }
/// # Ok(())
/// # }
/// ```
///
/// # References
/// Harris, course slide 34 (occlusion query).
pub struct Watcher {
    gpu: Gpu,
    in_flight: VecDeque<(u64, SampleQuery)>,
    most: usize,
    /// True if the driver may still be holding back the last question.
    unsent: bool,
}

impl Watcher {
    /// Keeps at most that many questions in flight, at least one; a further question drops the oldest.
    ///
    /// Questions that are asked faster than they are answered are all dropped before their answers arrive.
    /// To learn something at any pace, ask only while there are fewer [`in_flight`](Watcher::in_flight).
    pub fn new(gpu: &Gpu, most: usize) -> Watcher {
        Watcher { gpu: gpu.clone(), in_flight: VecDeque::new(), most: most.max(1), unsent: false }
    }

    /// Counts the fragments of all that `pass` draws. `sweep` comes back with the answer.
    ///
    /// # Errors
    /// Those of `pass` and of [`Gpu::samples`].
    pub fn ask(&mut self, sweep: u64, pass: impl FnOnce() -> Result<()>) -> Result<()> {
        let ((), query) = self.gpu.samples(pass)?;
        if self.in_flight.len() == self.most {
            self.in_flight.pop_front();
        }
        self.in_flight.push_back((sweep, query));
        self.unsent = true;
        Ok(())
    }

    /// The oldest answer that has not been taken in, if it is there. Never waits.
    pub fn poll(&mut self) -> Option<(u64, Samples)> {
        if std::mem::take(&mut self.unsent) {
            self.gpu.context().flush();
        }
        let (sweep, query) = self.in_flight.front()?;
        let answer = (*sweep, query.poll()?);
        self.in_flight.pop_front();
        Some(answer)
    }

    /// The oldest answer, waited for; `None` if nothing was asked.
    ///
    /// # Errors
    /// [`Error::ContextLost`](crate::Error::ContextLost).
    pub fn wait(&mut self) -> Result<Option<(u64, Samples)>> {
        let Some((sweep, query)) = self.in_flight.pop_front() else { return Ok(None) };
        Ok(Some((sweep, query.wait()?)))
    }

    /// An answer that has arrived, for those who come again where there is none.
    ///
    /// # Errors
    /// [`Error::ContextLost`](crate::Error::ContextLost): none will arrive.
    pub(super) fn arrived(&mut self) -> Result<Option<(u64, Samples)>> {
        match self.poll() {
            None if !self.in_flight.is_empty() => self.gpu.context().alive("an answer").map(|()| None),
            answer => Ok(answer),
        }
    }

    /// Questions whose answers have not been taken in.
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Lets go of all questions.
    pub fn forget(&mut self) {
        self.in_flight.clear();
    }
}
