//! The loop around every iteration: its end, its history, and its best x.
//!
//! If nothing converged and an earlier x was better by a fifth, the steps up to that x are repeated from a copy of the
//! start, to the same bits. Copies of x during the iteration would cost every solve, and would be of other steps than
//! the best one.
//!
//! After a system has met its tolerance, α is 0. So further iterations before the CPU notices cost time and change
//! nothing.

use super::{History, Reason};
use crate::Result;
use crate::linalg::{Algebra, History as Log, LinearOperator, Op, Vector};
use crate::matrix::Matrix;

/// An iteration that improves x of A x = b, with the vectors that it works on: [`Cg`](super::Cg), [`FusedCg`](super::FusedCg),
/// [`Pcg`](super::Pcg), [`BiCgStab`](super::BiCgStab), [`Cgls`](super::Cgls), [`Multigrid`](super::Multigrid), or one of the caller's.
///
/// [`iterate`] runs it in 32 bits, [`solve_by`](super::solve_by) to a tolerance that holds in f64. A run is `start`, then `step` with the
/// entries 1, 2, 3, ..., then `finish` with the entry after the last step's.
///
/// # What must hold
/// - `start` forgets everything before: the same A, b and x give the same bits. A run that does not converge is repeated up to its
///   best x.
/// - `step` writes its entry of the [`History`] in each call: ‖r‖² of the x that it begins with, not of the x that it makes. `finish`
///   writes that of the last x.
/// - After an entry meets the tolerance, steps do not change x, bit for bit: the history is read late, so some further steps are
///   made. [`History::step_length`] is 0 from there on.
/// - r = b − A x, as far as 32 bits allow. [`solve_by`](super::solve_by) finds a wrong r, because it computes the residual from A and b
///   in f64; it then reports [`Reason::Stalled`].
///
/// # Example
/// Richardson's iteration, x ← x + ω r:
/// ```
/// # fn main() -> quadrille::Result<()> {
/// use quadrille::linalg::{Algebra, Banded, LinearOperator, Scalar, Vector};
/// use quadrille::solve::{History, Iteration, Settings, residual, solve_by};
/// use quadrille::{Gpu, Result, layout::Packed2x2, numeric::Csr};
/// use std::ops::ControlFlow;
///
/// struct Richardson {
///     omega: Scalar,
///     one: Scalar,
///     length: Scalar,
///     norm2: Scalar,
///     b: Vector,
///     r: Vector,
/// }
///
/// impl Iteration for Richardson {
///     fn algebra(&self) -> &Algebra {
///         self.r.algebra()
///     }
///
///     fn start(&mut self, a: &dyn LinearOperator, b: &Vector, x: &Vector) -> Result<()> {
///         self.b.copy_from(b)?;
///         residual(a, b, x, &mut self.r)
///     }
///
///     fn step(&mut self, a: &dyn LinearOperator, x: &mut Vector, history: &History, entry: usize) -> Result<()> {
///         self.finish(history, entry)?;
///         history.step_length(&self.omega, &self.one, &self.norm2, &mut self.length)?;
///         x.axpy(&self.length, &self.r)?;
///         residual(a, &self.b, x, &mut self.r)
///     }
///
///     fn finish(&mut self, history: &History, entry: usize) -> Result<()> {
///         self.r.dot(&self.r, &mut self.norm2)?;
///         history.record_residual(entry, &self.norm2)
///     }
/// }
///
/// let algebra = Algebra::new(&Gpu::headless()?);
/// let grid = Packed2x2::grid(7, 5)?;
/// let a = Banded::new(&algebra, grid, Csr::poisson(7, 5)?)?;
/// let scalar = |value| algebra.scalar(value);
/// let (omega, one, length, norm2) = (scalar(0.25)?, scalar(1.0)?, scalar(0.0)?, scalar(0.0)?);
/// let (b, r) = (algebra.zeros(grid)?, algebra.zeros(grid)?);
/// let richardson = Richardson { omega, one, length, norm2, b, r };
///
/// let settings = Settings { tolerance: 1e-10, ..Settings::default() };
/// let mut progress = |_: &_| ControlFlow::Continue(());
/// let found = solve_by(Box::new(richardson), &a, &[1.0; 35], None, &settings, &mut progress)?;
/// assert!(found.report.converged() && found.report.relative_residual <= 1e-10);
/// # Ok(())
/// # }
/// ```
pub trait Iteration {
    /// The algebra it was made by.
    fn algebra(&self) -> &Algebra;

    /// Starts from x: makes the residual b − A x and all that follows from it.
    ///
    /// # Errors
    /// Those of the operator: shapes and contexts that do not fit.
    fn start(&mut self, a: &dyn LinearOperator, b: &Vector, x: &Vector) -> Result<()>;

    /// Goes on with b − A x for its residual, but in the direction in which it went, of which any multiple will do. Returns false if it
    /// has to be started instead, as by default.
    ///
    /// # Errors
    /// As [`Iteration::start`].
    fn replace_residual(&mut self, _a: &dyn LinearOperator, _b: &Vector, _x: &Vector) -> Result<bool> {
        Ok(false)
    }

    /// Writes entry `entry`, then improves x.
    ///
    /// # Errors
    /// As [`Iteration::start`].
    fn step(&mut self, a: &dyn LinearOperator, x: &mut Vector, history: &History, entry: usize)
    -> Result<()>;

    /// Writes entry `entry` after the last step. Its divisor is not used.
    ///
    /// # Errors
    /// As [`Iteration::start`].
    fn finish(&mut self, history: &History, entry: usize) -> Result<()>;

    /// Brings x up to the steps made so far, of which an iteration may hold the last one back. Called once after the last step; by
    /// default there is nothing to do.
    ///
    /// # Errors
    /// Those of the GPU.
    fn settle(&mut self, _x: &mut Vector, _history: &History) -> Result<()> {
        Ok(())
    }

    /// The vector to whose norm the tolerance is relative. This is b, unless the iteration reduces another residual: for least squares
    /// Aᵀ(b − A x), which is relative to Aᵀb.
    fn relative_to<'a>(&'a self, b: &'a Vector) -> &'a Vector {
        b
    }

    /// Returns true if steps do not change x after a breakdown, as after the tolerance is met. Such steps are not counted.
    fn freezes_at_breakdown(&self) -> bool {
        false
    }

    /// The number of iterations without a new smallest residual after which the iteration counts as stalled, or the number that it took
    /// to reach the smallest, if that is larger. The default is 500. In exact arithmetic conjugate gradients end after as many
    /// iterations as there are unknowns; until then their residual may grow.
    fn patience(&self) -> usize {
        PATIENCE
    }

    /// The factor by which ‖r‖² must fall below the smallest so far to count as a new smallest one: 1, or less if rounding alone may
    /// give a smaller one now and then.
    fn sufficient_decrease(&self) -> f32 {
        1.0
    }
}

/// One that is lent: its owner has it back after the solve.
impl<I: Iteration + ?Sized> Iteration for &mut I {
    fn algebra(&self) -> &Algebra {
        (**self).algebra()
    }

    fn start(&mut self, a: &dyn LinearOperator, b: &Vector, x: &Vector) -> Result<()> {
        (**self).start(a, b, x)
    }

    fn replace_residual(&mut self, a: &dyn LinearOperator, b: &Vector, x: &Vector) -> Result<bool> {
        (**self).replace_residual(a, b, x)
    }

    fn step(
        &mut self,
        a: &dyn LinearOperator,
        x: &mut Vector,
        history: &History,
        entry: usize,
    ) -> Result<()> {
        (**self).step(a, x, history, entry)
    }

    fn finish(&mut self, history: &History, entry: usize) -> Result<()> {
        (**self).finish(history, entry)
    }

    fn settle(&mut self, x: &mut Vector, history: &History) -> Result<()> {
        (**self).settle(x, history)
    }

    fn relative_to<'a>(&'a self, b: &'a Vector) -> &'a Vector {
        (**self).relative_to(b)
    }

    fn freezes_at_breakdown(&self) -> bool {
        (**self).freezes_at_breakdown()
    }

    fn patience(&self) -> usize {
        (**self).patience()
    }

    fn sufficient_decrease(&self) -> f32 {
        (**self).sufficient_decrease()
    }
}

/// The patience of a recursion for n unknowns.
pub(super) fn patience_of(unknowns: usize) -> usize {
    unknowns.max(PATIENCE)
}

/// r = b − A x: a product and one pass.
///
/// # Errors
/// Those of the operator: shapes and contexts that do not fit.
pub fn residual(a: &dyn LinearOperator, b: &Vector, x: &Vector, r: &mut Vector) -> Result<()> {
    a.apply(Op::Sub(b), x, r)?;
    r.scale(-1.0)
}

/// When an iteration ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// ‖r‖ relative to ‖b‖ (absolute where b·b is 0), by the iteration's own recursion. It compares squares, so scale b
    /// to a size between 10⁻¹⁶ and 10¹⁶ or so: b·b is 0 below 10⁻²³ and infinite above 10¹⁹.
    pub tolerance: f32,
    /// Iterations at most.
    pub max_iterations: usize,
    /// The iterations between two looks; 0 never looks and makes them all. A look takes in the answer to the look
    /// before, so an end is seen at most twice that many iterations late; steps past the tolerance change nothing.
    pub check_every: usize,
}

/// The result of an iteration, by its own account in 32 bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Iterations that changed x.
    pub iterations: usize,
    /// Why it ended.
    pub reason: Reason,
    /// ‖r‖/‖b‖ at the start and after each iteration.
    pub history: Vec<f64>,
    /// The iteration after which x was as returned: the last one, unless nothing converged and an earlier x was clearly
    /// better.
    pub kept: usize,
}

/// A residual of this share of the last one, or less, is worth its iterations again.
const BETTER: f64 = 0.8;

impl Outcome {
    /// The relative residual of x.
    pub fn residual(&self) -> f64 {
        self.history.get(self.kept).copied().unwrap_or(f64::NAN)
    }

    /// The iteration after which x was best, if x is clearly worse now and did not converge. `None` for a stopped
    /// iteration: the caller who stopped it does not wait for more.
    fn best(&self) -> Option<usize> {
        if matches!(self.reason, Reason::Converged | Reason::Stopped) {
            return None;
        }
        let finite = self.history.iter().enumerate().filter(|(_, residual)| residual.is_finite());
        let (best, &least) = finite.min_by(|x, y| x.1.total_cmp(y.1))?;
        // A NaN is never less than another number.
        let good = self.residual() * BETTER <= least;
        (!good && best != self.kept).then_some(best)
    }
}

/// Iterates on x until the bounds are met. The iteration runs on the GPU; now and then the newest residuals are read
/// without a stall. Nothing else is read back, and nothing before the end if `check_every` is 0.
///
/// `watch` gets the number of iterations and the newest residual that arrived; it returns `false` to stop the
/// iteration.
///
/// x is no worse than the best one so far: if nothing converged and an earlier x was better by a fifth or more, the
/// iterations up to that one are repeated, to the same bits. So a recursion that breaks down or stalls costs up to
/// twice its time, and one that converges costs a copy of x. With `check_every` 0, x is that of the last iteration.
///
/// # Errors
/// Shapes and contexts that do not fit; [`OverLimit`](crate::Error::OverLimit) for more iterations than a history has
/// room for.
pub fn iterate(
    method: &mut dyn Iteration,
    a: &dyn LinearOperator,
    b: &Vector,
    x: &mut Vector,
    bounds: Bounds,
    watch: &mut dyn FnMut(usize, f64) -> bool,
) -> Result<Outcome> {
    iterate_expecting(method, a, (b, x), bounds, None, watch)
}

/// [`iterate`], by someone who looks at every iteration and expects them to be so many: from there on the residual is waited for before the
/// next iteration, which costs a wait and a sum. Late looks cost two iterations. x is the same, to the bit.
pub(crate) fn iterate_expecting(
    method: &mut dyn Iteration,
    a: &dyn LinearOperator,
    (b, x): (&Vector, &mut Vector),
    bounds: Bounds,
    expected: Option<usize>,
    watch: &mut dyn FnMut(usize, f64) -> bool,
) -> Result<Outcome> {
    let begin = if bounds.check_every == 0 { None } else { Some(x.try_clone()?) };
    let expected = expected.filter(|_| bounds.check_every == 1);
    with_replay(x, begin.as_ref(), bounds, &mut |x, bounds| {
        method.start(a, b, x)?;
        run_started(method, a, (b, x), (bounds, expected), watch)
    })
}

/// [`iterate`] by an iteration that keeps the direction of its last run, if it can. There is no replay: the direction is gone.
pub(super) fn iterate_on(
    method: &mut dyn Iteration,
    a: &dyn LinearOperator,
    (b, x): (&Vector, &mut Vector),
    bounds: Bounds,
    watch: &mut dyn FnMut(usize, f64) -> bool,
) -> Result<Outcome> {
    if !method.replace_residual(a, b, x)? {
        method.start(a, b, x)?;
    }
    run_started(method, a, (b, x), (bounds, None), watch)
}

fn run_started(
    method: &mut dyn Iteration,
    a: &dyn LinearOperator,
    (b, x): (&Vector, &mut Vector),
    (bounds, expected): (Bounds, Option<usize>),
    watch: &mut dyn FnMut(usize, f64) -> bool,
) -> Result<Outcome> {
    let mut history = History::new(method.algebra(), bounds)?;
    history.log.sum_of_squares(method.relative_to(b).texture())?;
    let limits = Limits {
        patience: method.patience(),
        sufficient_decrease: method.sufficient_decrease(),
        freezes_at_breakdown: method.freezes_at_breakdown(),
        expected,
    };
    let work = &mut |work, history: &History, entry| match work {
        Work::Step => {
            let _scope = a.algebra().gpu().scope("iteration");
            method.step(a, x, history, entry)
        }
        Work::Finish => {
            method.finish(history, entry)?;
            method.settle(x, history)
        }
    };
    run(work, &mut history, limits, bounds, watch)
}

/// Unknowns that can be set back to where a run began.
pub(super) trait Unknowns {
    /// x = y.
    fn set_to(&mut self, y: &Self) -> Result<()>;
}

impl Unknowns for Vector {
    fn set_to(&mut self, y: &Vector) -> Result<()> {
        self.copy_from(y)
    }
}

impl Unknowns for Matrix {
    fn set_to(&mut self, y: &Matrix) -> Result<()> {
        self.copy_from(y)
    }
}

/// A run within the bounds; and where it did not converge and an earlier x was clearly better than the last, a replay: the run again
/// from `begin`, up to that x, to the same bits. A stop that is heard in the replay is one. No replay without `begin`.
pub(super) fn with_replay<X: Unknowns>(
    x: &mut X,
    begin: Option<&X>,
    bounds: Bounds,
    run: &mut dyn FnMut(&mut X, Bounds) -> Result<Outcome>,
) -> Result<Outcome> {
    let mut outcome = run(x, bounds)?;
    if let (Some(begin), Some(best)) = (begin, outcome.best()) {
        x.set_to(begin)?;
        let replay = run(x, Bounds { max_iterations: best, ..bounds })?;
        outcome.kept = replay.iterations;
        if replay.reason == Reason::Stopped {
            outcome.reason = Reason::Stopped;
        }
    }
    Ok(outcome)
}

/// A call of a started iteration: [`Iteration::step`] or [`Iteration::finish`].
pub(super) enum Work {
    Step,
    Finish,
}

/// The limits of an iteration; see the methods of [`Iteration`] of these names.
pub(super) struct Limits {
    pub patience: usize,
    pub sufficient_decrease: f32,
    pub freezes_at_breakdown: bool,
    /// The number of iterations from which on each residual is waited for, where every one is looked at.
    pub expected: Option<usize>,
}

/// Steps what has been started, whose right side's square is in the history.
pub(super) fn run(
    work: &mut dyn FnMut(Work, &History, usize) -> Result<()>,
    history: &mut History,
    limits: Limits,
    bounds: Bounds,
    watch: &mut dyn FnMut(usize, f64) -> bool,
) -> Result<Outcome> {
    let mut seen = Seen::new(history.tolerance2, &limits);
    let mut done = 0;
    let mut stopped = false;
    while done < bounds.max_iterations && seen.end.is_none() && !stopped {
        work(Work::Step, history, done + 1)?;
        done += 1;
        if limits.expected.is_some_and(|expected| done >= expected) {
            finish(work, history, done + 1, &mut seen)?;
            stopped = !watch(done, seen.newest());
            // The next step writes this entry with its divisor.
            seen.forget_last(&mut history.log);
        } else if history.log.look(done)? {
            seen.take(&history.log);
            stopped = !watch(done, seen.newest());
        }
    }
    if seen.next <= done {
        finish(work, history, done + 1, &mut seen)?;
    }
    let (reason, at) =
        seen.end.unwrap_or((if stopped { Reason::Stopped } else { Reason::MaxIterations }, done));
    let frozen = match reason {
        Reason::Converged => true,
        Reason::Stalled | Reason::Stopped => false,
        _ => limits.freezes_at_breakdown,
    };
    let iterations = if frozen { at } else { done };
    let relative = seen.relative(&history.log.entries, iterations);
    Ok(Outcome { iterations, reason, history: relative, kept: iterations })
}

/// Writes an entry after a step and takes in all up to it.
fn finish(
    work: &mut dyn FnMut(Work, &History, usize) -> Result<()>,
    history: &mut History,
    entry: usize,
    seen: &mut Seen,
) -> Result<()> {
    work(Work::Finish, history, entry)?;
    history.log.finish(entry)?;
    // Its divisor is no divisor of any step.
    if let Some(last) = history.log.entries.last_mut() {
        last[0] = 1.0;
    }
    seen.take(&history.log);
    Ok(())
}

/// The part of a history seen so far.
struct Seen {
    tolerance2: f32,
    patience: usize,
    sufficient_decrease: f32,
    bb: f32,
    /// Entries seen.
    next: usize,
    newest: f32,
    least: f32,
    least_at: usize,
    /// The first thing that ends an iteration, and after how many.
    end: Option<(Reason, usize)>,
}

/// The default of [`Iteration::patience`].
const PATIENCE: usize = 500;

impl Seen {
    fn new(tolerance2: f32, limits: &Limits) -> Seen {
        let &Limits { patience, sufficient_decrease, .. } = limits;
        let (least, newest) = (f32::INFINITY, f32::NAN);
        Seen {
            tolerance2,
            patience,
            sufficient_decrease,
            bb: 0.0,
            next: 0,
            newest,
            least,
            least_at: 0,
            end: None,
        }
    }

    fn take(&mut self, log: &Log) {
        self.bb = log.bb.unwrap_or(self.bb);
        for (at, &[divisor, .., norm2]) in log.entries.iter().enumerate().skip(self.next) {
            self.newest = norm2;
            if self.end.is_none() {
                self.end = self.reason(divisor, norm2, at).map(|reason| (reason, at));
            }
            if norm2 < self.sufficient_decrease * self.least {
                (self.least, self.least_at) = (norm2, at);
            }
        }
        self.next = log.entries.len();
    }

    /// Takes in the last entry once more when it is written again.
    fn forget_last(&mut self, log: &mut Log) {
        if self.end.is_none() && log.entries.pop().is_some() {
            self.next -= 1;
        }
    }

    fn reason(&self, divisor: f32, norm2: f32, at: usize) -> Option<Reason> {
        // As the kernels do, to the bit.
        let goal = self.tolerance2 * if self.bb > 0.0 { self.bb } else { 1.0 };
        // Infinity is no less than infinity: b·b past the largest float says nothing of r·r.
        if !norm2.is_finite() || !self.bb.is_finite() {
            Some(Reason::NotFinite)
        } else if norm2 <= goal {
            Some(Reason::Converged)
        } else if !divisor.is_finite() {
            Some(Reason::NotFinite)
        } else if divisor < 0.0 {
            Some(Reason::Indefinite)
        } else if divisor == 0.0 {
            Some(Reason::ZeroDivisor)
        } else if at - self.least_at > self.patience.max(self.least_at) {
            Some(Reason::Stalled)
        } else {
            None
        }
    }

    fn newest(&self) -> f64 {
        self.norm(self.newest)
    }

    fn norm(&self, norm2: f32) -> f64 {
        let bb = f64::from(if self.bb > 0.0 { self.bb } else { 1.0 });
        (f64::from(norm2) / bb).sqrt()
    }

    fn relative(&self, entries: &[[f32; 4]], iterations: usize) -> Vec<f64> {
        entries.iter().take(iterations + 1).map(|entry| self.norm(entry[3])).collect()
    }
}
