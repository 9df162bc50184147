//! The loop around every iteration: how long, and what was it.
//!
//! The best x is made again, not kept: where nothing converged and an earlier x was better by a fifth, the steps up to
//! it are repeated from a copy of the start, to the same bits. Copies of x on the way would cost every solve, and
//! would be of other steps than the best.
//!
//! What has met its tolerance rests: α is 0 from then on, so that looking late costs time and changes nothing.

use super::Reason;
use crate::Result;
use crate::linalg::{Algebra, History, LinearOperator, PLAIN, Scalar, Vector};

/// One of the methods, with the vectors it works on: [`Cg`](super::Cg), [`FusedCg`](super::FusedCg),
/// [`Pcg`](super::Pcg), [`BiCgStab`](super::BiCgStab), [`Cgls`](super::Cgls), [`Multigrid`](super::Multigrid). What a step
/// writes down is this module's own affair, so there can be no others.
///
/// Before each step it writes an entry (divisor, -, -, the square of the residual's norm) to its history.
pub trait Iteration {
    /// The algebra it was made by.
    fn algebra(&self) -> &Algebra;

    /// Starts from x: makes the residual b − A x and all that follows from it.
    ///
    /// # Errors
    /// Those of the operator: shapes and contexts that do not fit.
    fn start(&mut self, a: &dyn LinearOperator, b: &Vector, x: &Vector) -> Result<()>;

    /// The vector to whose norm the tolerance is relative: b, unless the residual is another.
    fn measure<'a>(&'a self, b: &'a Vector) -> &'a Vector {
        b
    }

    /// Improves x, and writes down entry `entry`: the residual before this step.
    ///
    /// # Errors
    /// As [`Iteration::start`].
    #[doc(hidden)]
    fn step(&mut self, a: &dyn LinearOperator, x: &mut Vector, tape: &Tape, entry: usize) -> Result<()>;

    /// Writes down the last residual.
    #[doc(hidden)]
    fn finish(&mut self, tape: &Tape, entry: usize) -> Result<()>;

    /// Returns true if a breakdown freezes the iterate, as meeting the tolerance does.
    #[doc(hidden)]
    fn rests(&self) -> bool {
        false
    }

    /// How many iterations without a new smallest residual may pass. In exact arithmetic a recursion ends after as
    /// many as there are unknowns, and until then its residual may grow.
    #[doc(hidden)]
    fn patience(&self) -> usize {
        PATIENCE
    }

    /// The factor by which a residual's square must fall below the smallest so far to be a new smallest one.
    #[doc(hidden)]
    fn enough(&self) -> f32 {
        1.0
    }
}

/// The patience of a recursion for n unknowns.
pub(super) fn patience_of(unknowns: usize) -> usize {
    unknowns.max(PATIENCE)
}

/// The history of an iteration and its condition to rest, which a step may read besides A and x.
pub struct Tape {
    pub(super) history: History,
    pub(super) tolerance2: f32,
}

const STEP_LENGTH: &str = "solve/step_length.frag";

impl Tape {
    /// An empty history for that many iterations.
    pub(super) fn new(algebra: &Algebra, bounds: Bounds) -> Result<Tape> {
        let Bounds { tolerance, max_iterations, check_every } = bounds;
        let history = History::new(algebra, max_iterations, check_every)?;
        Ok(Tape { history, tolerance2: if check_every == 0 { 0.0 } else { tolerance * tolerance } })
    }

    /// The texel of an entry's values, as a domain.
    pub(super) fn texel(&self, entry: usize) -> [f32; 4] {
        let place = self.history.place(entry);
        let (x, y) = (place.x0 as f32 + 0.5, place.y0 as f32 + 0.5);
        [x, y, x, y]
    }

    /// out = x / y, or 0 where y = 0, and 0 once norm2 meets the tolerance: steps that come after that, before
    /// somebody looks, change nothing.
    pub(super) fn step_length(&self, x: &Scalar, y: &Scalar, norm2: &Scalar, out: &mut Scalar) -> Result<()> {
        let algebra = out.algebra();
        let program = algebra.program(STEP_LENGTH, PLAIN)?;
        let streams = [x.texture(), y.texture(), norm2.texture(), self.history.texture()];
        let constants = [[self.tolerance2, 0.0, 0.0, 0.0]];
        algebra.draw(&program, &streams, &constants, Some(&[self.texel(0)]), &[out.texture()])
    }
}

/// When an iteration ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// ‖r‖ relative to ‖b‖ (absolute where b·b is 0), as the iteration's own recursion has it. Squares are what it
    /// compares, so scale b to a size between 10⁻¹⁶ and 10¹⁶ or so: b·b is 0 below 10⁻²³ and infinite above 10¹⁹.
    pub tolerance: f32,
    /// Iterations at most.
    pub max_iterations: usize,
    /// How often to look, in iterations; 0 never looks and makes them all. A look takes in what the one before asked
    /// for: an end is seen at most twice so many iterations late, and steps past the tolerance change nothing.
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
    /// After how many of the iterations x is as it was left: after all of them, unless an earlier x was clearly better
    /// and nothing converged.
    pub kept: usize,
}

/// A residual of this share of the last one, or less, is worth its iterations again.
const BETTER: f64 = 0.8;

impl Outcome {
    /// The relative residual of x.
    pub fn residual(&self) -> f64 {
        self.history.get(self.kept).copied().unwrap_or(f64::NAN)
    }

    /// The iterations after which x was best, if it is clearly worse now and did not converge. What was stopped stays:
    /// whoever asked for that does not wait for more.
    fn best(&self) -> Option<usize> {
        if matches!(self.reason, Reason::Converged | Reason::Stopped) {
            return None;
        }
        let finite = self.history.iter().enumerate().filter(|(_, residual)| residual.is_finite());
        let (best, &least) = finite.min_by(|x, y| x.1.total_cmp(y.1))?;
        // What is no number is no less than anything.
        let good = self.residual() * BETTER <= least;
        (!good && best != self.kept).then_some(best)
    }
}

/// Iterates on x until the bounds are met: on the GPU alone, with a look at the newest residuals every now and then
/// that holds nothing up. Nothing else is read back, and nothing at all before the end if `check_every` is 0.
///
/// `watch` is told the iterations made and the newest residual that arrived; it stops the iteration by `false`.
///
/// x is no worse than the best that was there: where it ends without converging and an earlier x was better by a fifth or
/// more, the iterations up to that one are made again, to the same bits. So a recursion that breaks down or stalls costs up
/// to twice its time, and one that converges a copy of x. With `check_every` 0, x is that of the last iteration.
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
    let begin = if bounds.check_every == 0 { None } else { Some(x.try_clone()?) };
    to_the_best(bounds, &mut |bounds, anew| {
        if let (Some(begin), true) = (&begin, anew) {
            x.copy_from(begin)?;
        }
        once(method, a, (b, x), bounds, watch)
    })
}

/// Makes iterations within the bounds, and where an earlier x was clearly better than the last, those up to it again, `anew` from
/// where they began: to the same bits. A stop that is heard while they are made again is one. Not where nothing is looked at.
pub(super) fn to_the_best(
    bounds: Bounds,
    make: &mut dyn FnMut(Bounds, bool) -> Result<Outcome>,
) -> Result<Outcome> {
    let mut outcome = make(bounds, false)?;
    if bounds.check_every > 0
        && let Some(best) = outcome.best()
    {
        let again = make(Bounds { max_iterations: best, ..bounds }, true)?;
        outcome.kept = again.iterations;
        if again.reason == Reason::Stopped {
            outcome.reason = Reason::Stopped;
        }
    }
    Ok(outcome)
}

fn once(
    method: &mut dyn Iteration,
    a: &dyn LinearOperator,
    (b, x): (&Vector, &mut Vector),
    bounds: Bounds,
    watch: &mut dyn FnMut(usize, f64) -> bool,
) -> Result<Outcome> {
    let mut tape = Tape::new(method.algebra(), bounds)?;
    method.start(a, b, x)?;
    tape.history.sum_of_squares(method.measure(b).texture())?;
    drive(&mut Stepping { method, a, x }, &mut tape, bounds, watch)
}

/// An iteration that is stepped until the bounds are met.
pub(super) trait Steps {
    /// As [`Iteration::step`].
    fn step(&mut self, tape: &Tape, entry: usize) -> Result<()>;

    /// As [`Iteration::finish`].
    fn finish(&mut self, tape: &Tape, entry: usize) -> Result<()>;

    /// As [`Iteration::rests`].
    fn rests(&self) -> bool {
        false
    }

    /// As [`Iteration::patience`].
    fn patience(&self) -> usize;

    /// As [`Iteration::enough`].
    fn enough(&self) -> f32 {
        1.0
    }
}

struct Stepping<'a> {
    method: &'a mut dyn Iteration,
    a: &'a dyn LinearOperator,
    x: &'a mut Vector,
}

impl Steps for Stepping<'_> {
    fn step(&mut self, tape: &Tape, entry: usize) -> Result<()> {
        self.method.step(self.a, self.x, tape, entry)
    }

    fn finish(&mut self, tape: &Tape, entry: usize) -> Result<()> {
        self.method.finish(tape, entry)
    }

    fn rests(&self) -> bool {
        self.method.rests()
    }

    fn patience(&self) -> usize {
        self.method.patience()
    }

    fn enough(&self) -> f32 {
        self.method.enough()
    }
}

/// Steps what has been started, whose right side's square is in the history.
pub(super) fn drive(
    steps: &mut dyn Steps,
    tape: &mut Tape,
    bounds: Bounds,
    watch: &mut dyn FnMut(usize, f64) -> bool,
) -> Result<Outcome> {
    let mut seen = Seen::new(tape.tolerance2, steps.patience(), steps.enough());
    let mut done = 0;
    let mut stopped = false;
    while done < bounds.max_iterations && seen.end.is_none() && !stopped {
        steps.step(tape, done + 1)?;
        done += 1;
        if tape.history.look(done)? {
            seen.take(&tape.history);
            stopped = !watch(done, seen.newest());
        }
    }
    steps.finish(tape, done + 1)?;
    tape.history.finish(done + 1)?;
    // The last entry's divisor is no divisor of any step.
    if let Some(last) = tape.history.entries.last_mut() {
        last[0] = 1.0;
    }
    seen.take(&tape.history);
    let (reason, at) =
        seen.end.unwrap_or((if stopped { Reason::Stopped } else { Reason::MaxIterations }, done));
    // What rests stood still from there on, whatever ended it but a stall.
    let rested = match reason {
        Reason::Converged => true,
        Reason::Stalled | Reason::Stopped => false,
        _ => steps.rests(),
    };
    let iterations = if rested { at } else { done };
    let history = seen.relative(&tape.history.entries, iterations);
    Ok(Outcome { iterations, reason, history, kept: iterations })
}

/// The part of a history seen so far.
struct Seen {
    tolerance2: f32,
    patience: usize,
    enough: f32,
    bb: f32,
    /// Entries seen.
    next: usize,
    newest: f32,
    least: f32,
    least_at: usize,
    /// The first thing that ends an iteration, and after how many.
    end: Option<(Reason, usize)>,
}

/// So many iterations without a new smallest residual, and as many as it took to reach it, are a stall; or more, if
/// the method has more patience.
const PATIENCE: usize = 500;

impl Seen {
    fn new(tolerance2: f32, patience: usize, enough: f32) -> Seen {
        let (least, newest) = (f32::INFINITY, f32::NAN);
        Seen { tolerance2, patience, enough, bb: 0.0, next: 0, newest, least, least_at: 0, end: None }
    }

    fn take(&mut self, history: &History) {
        self.bb = history.bb.unwrap_or(self.bb);
        for (at, &[divisor, .., norm2]) in history.entries.iter().enumerate().skip(self.next) {
            self.newest = norm2;
            if self.end.is_none() {
                self.end = self.reason(divisor, norm2, at).map(|reason| (reason, at));
            }
            if norm2 < self.enough * self.least {
                (self.least, self.least_at) = (norm2, at);
            }
        }
        self.next = history.entries.len();
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
        } else if at > self.least_at + self.patience.max(self.least_at) {
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
