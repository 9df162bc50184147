//! Iteration until an occlusion query passes no fragment.

use super::super::{Gpu, Samples};
use super::watcher::{Answer, Watcher};
use crate::Result;

/// How an iteration stands, or ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// Sweeps run.
    pub sweeps: u64,
    /// Questions asked.
    pub asked: u64,
    /// True if an answer was "none": otherwise the iteration stopped at the most sweeps it was allowed.
    pub done: bool,
    /// The newest answer taken in.
    pub last: Option<Samples>,
    /// The sweeps that had been run when that question was asked: fewer than `sweeps` where answers lag.
    pub last_at: u64,
}

/// The progress of [`Until::advance`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// All sweeps that were asked for are run.
    Sweeping,
    /// An answer that is due is not there: come back later, as after the next frame.
    Waiting,
    /// It is over.
    Over,
}

/// do { `every` sweeps } while (query of `ask` passes any fragment), at most `most` sweeps: the slides' loop.
///
/// `sweep` gets the number of its sweep, from 0. `ask` draws a pass whose kernel *discards* finished fragments, so the
/// fragments that pass are the work that is left. It is asked after every `every` sweeps and after the last; never, if
/// `every` is 0.
///
/// The GPU is idle while the CPU waits for an answer, so ask seldom, or let answers lag ([`Until`]). The alternative,
/// reading back a reduction, waits just as long and has several passes more.
///
/// If the update itself discards finished fragments, it can be the question: leave `sweep` empty and let `ask` update.
///
/// # Example
/// ```
/// # fn main() -> quadrille::Result<()> {
/// # let gpu = quadrille::Gpu::headless()?;
/// use quadrille::pug::until_none;
///
/// let mut halve = gpu.program("halve.frag", "uniform Stream x; DOMAIN at; RANGE float next;
///     void main() { next = 0.5 * value2(x, at).x; }")?;
/// let mut large = gpu.program("large.frag", "uniform Stream x; DOMAIN at; RANGE float left;
///     void main() { if (value2(x, at).x < 1.0) discard; left = 1.0; }")?;
/// let x = std::cell::RefCell::new(gpu.buffer(4, 1).double().init(&[1.0, 3.0, 5.0, 40.0])?);
/// let nowhere = gpu.buffer(4, 1).build()?;
/// let ended = until_none(&gpu, 1000, 1, |_| {
///     let mut x = x.borrow_mut();
///     halve.bind_stream("x", x.front())?.run(x.back())?;
///     x.swap();
///     Ok(())
/// }, || large.bind_stream("x", x.borrow().front())?.run(&nowhere))?;
/// assert_eq!((ended.sweeps, ended.done), (6, true)); // 40 / 2⁶ < 1
/// # Ok(())
/// # }
/// ```
///
/// In a page of a browser each question costs a second draw and a read into memory, because no query is answered while its
/// caller waits ([`Until::advance`], once a frame, waits for nothing).
///
/// # Errors
/// Those of `sweep` and `ask`.
///
/// # References
/// Harris, course slide 34.
pub fn until_none(
    gpu: &Gpu,
    most: u64,
    every: u64,
    sweep: impl FnMut(u64) -> Result<()>,
    ask: impl FnMut() -> Result<()>,
) -> Result<Ended> {
    Until::new(gpu, most, every, 0).finish(sweep, ask)
}

/// The loop of [`until_none`] in pieces, with answers that lag so that nothing stalls.
///
/// Question q is taken in when question q + lag has been asked, even if its answer arrived earlier. So the end of the
/// iteration depends on counts and never on the clock: the same input gives the same bits on every GPU. The price is
/// lag · every sweeps after the one that was enough. [`Until::finish`] waits in the rare case that an answer is not
/// there by then; [`Until::advance`] never waits, and runs no sweep until the answer is there.
///
/// # Example
/// ```
/// # fn main() -> quadrille::Result<()> {
/// # let gpu = quadrille::Gpu::headless()?;
/// # let target = gpu.buffer(4, 4).build()?;
/// # let none = gpu.program("none.frag", "RANGE float r; void main() { r = 1.0; discard; }")?;
/// use quadrille::pug::{Progress, Until};
///
/// let mut until = Until::new(&gpu, 1000, 10, 2);
/// // In each frame of a window or a browser:
/// # loop {
/// let progress = until.advance(25, |_| Ok(()), || none.run(&target))?;
/// # if progress == Progress::Over { break; }
/// # }
/// // Three questions, after 10, 20 and 30 sweeps: then the first is taken in.
/// assert_eq!((until.so_far().sweeps, until.so_far().last_at), (30, 10));
/// # Ok(())
/// # }
/// ```
///
/// # References
/// Harris, course slide 34.
pub struct Until {
    watcher: Watcher,
    most: u64,
    every: u64,
    lag: usize,
    ended: Ended,
}

impl Until {
    /// An iteration of at most `most` sweeps, with a question every `every` of them (0: never) and `lag` answers in
    /// flight.
    pub fn new(gpu: &Gpu, most: u64, every: u64, lag: usize) -> Until {
        let watcher = Watcher::new(gpu, lag.saturating_add(1));
        Until { watcher, most, every, lag, ended: Ended::default() }
    }

    /// Runs up to `sweeps` sweeps; fewer if the iteration is over or an answer that is due has not arrived. Never
    /// waits.
    ///
    /// # Errors
    /// Those of `sweep` and `ask`.
    pub fn advance(
        &mut self,
        sweeps: u64,
        mut sweep: impl FnMut(u64) -> Result<()>,
        mut ask: impl FnMut() -> Result<()>,
    ) -> Result<Progress> {
        let mut left = sweeps;
        loop {
            if !self.take_in(Watcher::arrived)? {
                return Ok(Progress::Waiting);
            }
            if self.is_over() {
                return Ok(Progress::Over);
            }
            if left == 0 {
                return Ok(Progress::Sweeping);
            }
            self.sweep(&mut sweep, &mut ask)?;
            left -= 1;
        }
    }

    /// Runs all the rest; waits for an answer only if it is due and has not arrived.
    ///
    /// # Errors
    /// Those of `sweep` and `ask`.
    pub fn finish(
        mut self,
        mut sweep: impl FnMut(u64) -> Result<()>,
        mut ask: impl FnMut() -> Result<()>,
    ) -> Result<Ended> {
        loop {
            self.take_in(Watcher::wait)?;
            if self.is_over() {
                return Ok(self.ended);
            }
            self.sweep(&mut sweep, &mut ask)?;
        }
    }

    /// The state of the iteration.
    pub fn so_far(&self) -> Ended {
        self.ended
    }

    /// Returns true if an answer was "none", or all sweeps are run and all answers taken in.
    pub fn is_over(&self) -> bool {
        self.ended.done || (self.all_run() && self.watcher.in_flight() == 0)
    }

    fn all_run(&self) -> bool {
        self.ended.sweeps == self.most
    }

    /// One sweep, and the question after it if there is one.
    fn sweep(
        &mut self,
        sweep: &mut impl FnMut(u64) -> Result<()>,
        ask: &mut impl FnMut() -> Result<()>,
    ) -> Result<()> {
        let ended = &mut self.ended;
        sweep(ended.sweeps)?;
        ended.sweeps += 1;
        if self.every > 0 && (ended.sweeps == self.most || ended.sweeps.is_multiple_of(self.every)) {
            self.watcher.ask(ended.sweeps, ask)?;
            ended.asked += 1;
        }
        Ok(())
    }

    /// Takes in all answers that are due. Returns false if one has not arrived.
    fn take_in(&mut self, answer: Answer) -> Result<bool> {
        let may_stay = if self.all_run() { 0 } else { self.lag };
        while self.watcher.in_flight() > may_stay {
            let Some((sweep, samples)) = answer(&mut self.watcher)? else { return Ok(false) };
            (self.ended.last, self.ended.last_at) = (Some(samples), sweep);
            if !samples.any() {
                self.ended.done = true;
                self.watcher.forget();
            }
        }
        Ok(true)
    }
}
