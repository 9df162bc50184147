//! Iterative refinement, the outer loop of every solver: residuals in f64, corrections in f32.
//!
//! The residual is computed from A and b as given, in f64; the correction is solved in f32 and added in f64. One
//! correction is mostly enough. If the f32 iteration reports a smaller residual than the true one, more corrections
//! follow, and each is solved only as far as the last one was accurate.
//!
//! A tolerance below what 32 bits mean takes several corrections anyhow. Conjugate gradients are then interrupted at each
//! drop to three tenths: the residual is replaced by the true one, and they go on in their direction p, which a restart would
//! forget (Poisson's equation, b = 1, 10⁻¹⁰, 256²: 1.3 times the iterations of f64). α = p·r/p·q and β = −r'·q/p·q hold for any
//! p, so nothing else changes. Where 32 bits gain less than half by one of these, restarts take their place.
//!
//! More than f64's iterations remain, because 32 bits lose the conjugacy of the directions: what was solved comes back within a drop, and is
//! solved again. Emulated on the CPU, the order of additions in a product decides: where it keeps the symmetry of Poisson's equation with b = 1,
//! as that of `src/linalg/bands.rs` does, 345 and 1464 iterations are enough at 128² and 512², and 445 and some 1900 where rounding adds what is
//! not symmetric. It is neither the form of α and β (with r'·q as a sum of its own as many) nor the sums' rounding (in f64 as many).
//!
//! The loop ends by a rule for each method. `solve_by` corrects again while a correction takes away a tenth of the
//! residual, `solve` while it takes away half. Multigrid cycles have stalled when 8 cycles, or as many as have run,
//! together take away less than 5 %.

use std::ops::ControlFlow;

use super::iterate::{Bounds, Iteration, Outcome, iterate, iterate_on};
use super::scales::{MixedMatrix, Scaled, Scales};
use super::{
    BiCgStab, Cg, Cgls, FusedCg, Method, Preconditioning, Progress, Reason, Report, Settings, Solution, bad,
    check_tolerance,
};
use crate::linalg::{LinearOperator, Packed2x2, Vector};
use crate::{Error, Result};

/// Solves A x = b to a tolerance that holds in f64 (rows A10, A15).
///
/// x is a sum of corrections: r = b − A x in f64 on the CPU, A d = r in f32 on the GPU, x += d in f64. Mostly the first
/// is enough. If the recursion in 32 bits reports a residual that is too small, or the tolerance is beyond the reach of
/// 32 bits, further corrections follow, as long as each at least halves the residual: mixed-precision iterative
/// refinement.
///
/// If the ratio of the largest to the smallest diagonal entry exceeds 2²⁴ (2¹⁰⁰ with Jacobi), the GPU solves S A S y =
/// S b with [`Scales`] S, which takes two passes more a product. BiCGSTAB does this only if no entry becomes large, as
/// may happen where A is not definite. The tolerance stays on ‖b − A x‖, and corrections follow until ‖S (b − A x)‖
/// meets it, too.
///
/// Cost: one product in f64 on the CPU, one upload and one read-back a correction, beside the iterations.
///
/// # Errors
/// [`Error::WrongShape`] for a matrix that is not square, except with least squares; [`Error::WrongLength`];
/// [`Error::BadParameter`] for numbers that are not finite, a tolerance that is not above 0, and a preconditioner
/// of least squares; those of the GPU. Not converging is a report, not an error.
pub fn solve(
    a: &dyn LinearOperator,
    b: &[f64],
    guess: Option<&[f64]>,
    settings: &Settings,
) -> Result<Solution> {
    solve_with(a, b, guess, settings, &mut |_| ControlFlow::Continue(()))
}

/// [`solve`] with a callback: `progress` gets the progress and may stop the solver; the x found so far is returned.
///
/// # Errors
/// As [`solve`].
pub fn solve_with(
    a: &dyn LinearOperator,
    b: &[f64],
    guess: Option<&[f64]>,
    settings: &Settings,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Solution> {
    check(a, b, guess, settings)?;
    let scales = match settings.method {
        Method::Cg | Method::BiCgStab => Scales::of(&a.diagonal(), settings.preconditioner),
        // The least of ‖b − A x‖ is not that of ‖S (b − A x)‖.
        Method::Cgls => None,
    };
    // S is a vector of 32 bits here, and for BiCGSTAB A need not be definite.
    let scales = scales.filter(|scales| scales.exponents().iter().all(|exponent| exponent.abs() <= 126));
    let scales = scales.filter(|scales| settings.method == Method::Cg || scales.keep_small(a));
    let held = scales.map_or_else(|| Ok(MixedMatrix::plain(a)), |scales| MixedMatrix::around(a, scales))?;
    let method = inner(held.stored.as_ref(), settings)?;
    let begins = begins(a, settings);
    outer_loop(Outer { begins, ..Outer::new(held, b, guess, settings, method, HALF)? }, progress)
}

/// [`solve_with`], by any [`Iteration`]: one of the caller's, [`Multigrid`](super::Multigrid), or [`Pcg`](super::Pcg)
/// with any [`Preconditioner`](super::Preconditioner). The settings for method, preconditioner and fusing are not used.
/// Corrections follow as long as each takes away a tenth of the residual, because an iteration that fits its matrix is
/// cheap to restart.
///
/// The iteration is restarted for each correction, at x = 0 and with b − A x, times a power of two, for b. It gets a
/// tolerance and a number of iterations; the residual that it computes itself is not the one in the report.
///
/// # Errors
/// As [`solve`].
pub fn solve_by(
    method: Box<dyn Iteration + '_>,
    a: &dyn LinearOperator,
    b: &[f64],
    guess: Option<&[f64]>,
    settings: &Settings,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Solution> {
    check(a, b, guess, &Settings { method: Method::Cg, ..settings.clone() })?;
    outer_loop(
        Outer::new(MixedMatrix::plain(a), b, guess, settings, Inner::Square(method), TENTH_LESS)?,
        progress,
    )
}

/// Solves A x = b by S A S on the GPU, without the loss of a digit of A: as [`solve_by`] with a method that was made
/// for S A S, or as [`solve_with`] without one. Least squares are not scaled.
///
/// # Errors
/// As [`solve`]; [`Error::BadParameter`] for least squares.
pub fn solve_scaled(
    scaled: Scaled,
    method: Option<Box<dyn Iteration + '_>>,
    b: &[f64],
    guess: Option<&[f64]>,
    settings: &Settings,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Solution> {
    if method.is_none() && settings.method == Method::Cgls {
        return Err(bad("method", "cgls".into(), "one for square matrices, where rows are scaled"));
    }
    let (n, sizes) = (scaled.stored.rows().len(), [scaled.a.rows(), scaled.a.columns(), scaled.scales.len()]);
    if sizes != [n; 3] {
        let [rows, columns, scales] = sizes;
        let found = format!("A of {rows} x {columns}, S of {scales}, S A S of {n}");
        return Err(bad("scaled matrix", found, "three of one size"));
    }
    let settings_of = |method| match method {
        Some(_) => Settings { method: Method::Cg, ..settings.clone() },
        None => settings.clone(),
    };
    check(scaled.stored, b, guess, &settings_of(method.as_ref()))?;
    let (method, leaves) = match method {
        Some(method) => (Inner::Square(method), TENTH_LESS),
        None => (inner(scaled.stored, settings)?, HALF),
    };
    outer_loop(Outer::new(MixedMatrix::scaled(scaled), b, guess, settings, method, leaves)?, progress)
}

fn outer_loop(mut outer: Outer, progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>) -> Result<Solution> {
    loop {
        if let Some(reason) = outer.end() {
            return Ok(outer.finish(reason));
        }
        if outer.corrections > 0 && progress(&outer.at()).is_break() {
            return Ok(outer.finish(Reason::Stopped));
        }
        let stop = outer.correct(progress)?;
        if let Some(reason) = stop {
            return Ok(outer.finish(reason));
        }
    }
}

/// The first correction is solved for to no less than this: 32 bits rarely mean more.
const FLOOR: f64 = 2.5e-7;

/// The part of the residual that a correction may leave for another to follow.
const HALF: f64 = 0.5;
const TENTH_LESS: f64 = 0.9;

/// Tolerances below this are met by replacing residuals, where the iteration can.
const REPLACED_BELOW: f64 = 1e-6;

/// The part of the residual at which it is replaced: smaller parts leave longer runs on a residual that is no longer true, larger ones cost
/// more products of the CPU (512², emulated: 1589, 1656 and 1464 iterations by 3, 9 and 18 replacements at 10⁻³, 0.1 and 0.3).
const DROP: f64 = 0.3;

/// Looks come at least as often between two replacements: what is past the part is wasted, some one and a half looks each time.
const LOOKS: usize = 4;

/// The part to which restarts are solved where replacing gained nothing, and at which residuals are replaced where it has gained little.
const RESTART: f64 = 1e-3;

/// Recursions stop a little below the tolerance, for the truth is a little above them.
pub(super) const MARGIN: f64 = 0.9;

/// Where an outer loop is.
struct Outer<'a> {
    a: MixedMatrix<'a>,
    b: &'a [f64],
    settings: &'a Settings,
    method: Inner<'a>,
    x: Vec<f64>,
    r: Vec<f64>,
    /// The norm that must become small, ‖r‖, or ‖Aᵀr‖ for least squares; and the norm that it is relative to.
    measure: f64,
    scale: f64,
    /// The same of S r and S b, which the iteration makes small; the same numbers where nothing is scaled.
    scaled: f64,
    scaled_b: f64,
    /// An x that was better than this one, which has a smaller S r; its r and ‖r‖.
    better: Option<(Vec<f64>, Vec<f64>, f64)>,
    norm_b: f64,
    /// The part that a correction may leave for another to follow.
    leaves: f64,
    /// How far the next correction is solved for.
    reach: f64,
    /// How the next correction begins.
    begins: Begins,
    corrections: usize,
    iterations: usize,
    history: Vec<f64>,
}

/// How a correction begins and ends.
#[derive(Clone, Copy, PartialEq)]
enum Begins {
    /// At a start, up to its reach.
    Anew,
    /// At a start, up to a drop of the residual, which is then replaced.
    First,
    /// In the direction of the one before it, up to such a drop.
    Replaced,
}

enum Inner<'a> {
    Square(Box<dyn Iteration + 'a>),
    Least(Box<Cgls>),
}

impl<'a> Outer<'a> {
    fn new(
        a: MixedMatrix<'a>,
        b: &'a [f64],
        guess: Option<&[f64]>,
        settings: &'a Settings,
        method: Inner<'a>,
        leaves: f64,
    ) -> Result<Outer<'a>> {
        let x = guess.map_or_else(|| vec![0.0; a.stored.columns().len()], <[f64]>::to_vec);
        let normal = matches!(method, Inner::Least(_));
        let or_1 = |norm: f64| if norm > 0.0 { norm } else { 1.0 };
        let right = if normal { a.multiply_transposed(b)? } else { b.to_vec() };
        let scale = or_1(norm(&right));
        let scaled_b = if a.scales.is_some() { or_1(norm(&a.times(b))) } else { scale };
        let mut outer = Outer {
            a,
            b,
            settings,
            method,
            x,
            r: Vec::new(),
            measure: 0.0,
            scale,
            scaled: 0.0,
            scaled_b,
            better: None,
            norm_b: norm(b),
            leaves,
            reach: FLOOR,
            begins: Begins::Anew,
            corrections: 0,
            iterations: 0,
            history: Vec::new(),
        };
        outer.r = outer.residual(&outer.x)?;
        (outer.measure, outer.scaled) = outer.measured(&outer.r)?;
        outer.history.push(outer.scaled / outer.scaled_b);
        Ok(outer)
    }

    /// b − A x.
    fn residual(&self, x: &[f64]) -> Result<Vec<f64>> {
        Ok(self.b.iter().zip(self.a.multiply(x)?).map(|(b, p)| b - p).collect())
    }

    /// The measure of r that must become small, and the one that the iteration makes small.
    fn measured(&self, r: &[f64]) -> Result<(f64, f64)> {
        let measure = match self.method {
            Inner::Square(_) => norm(r),
            Inner::Least(_) => norm(&self.a.multiply_transposed(r)?),
        };
        Ok((measure, if self.a.scales.is_some() { norm(&self.a.times(r)) } else { measure }))
    }

    /// The reason to end: the tolerance is met, or cannot be met any more.
    fn end(&self) -> Option<Reason> {
        // Infinity is no less than infinity.
        let meets = self.measure.is_finite() && self.measure <= self.settings.tolerance * self.scale;
        let least = matches!(self.method, Inner::Least(_));
        let norm_b = if self.norm_b > 0.0 { self.norm_b } else { 1.0 };
        if meets || (least && norm(&self.r) <= self.settings.tolerance * norm_b) {
            Some(Reason::Converged)
        } else if self.iterations >= self.settings.max_iterations {
            Some(Reason::MaxIterations)
        } else {
            None
        }
    }

    /// Where it is between two corrections.
    fn at(&self) -> Progress {
        let (iterations, refinements) = (self.iterations, self.corrections);
        Progress { iterations, refinements, relative_residual: self.scaled / self.scaled_b }
    }

    /// Solves A d = r and adds d to x, if that makes it better. Returns a reason to stop that is not the tolerance.
    fn correct(&mut self, progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>) -> Result<Option<Reason>> {
        let start = self.scaled;
        let goal = MARGIN * self.settings.tolerance * (self.scale / self.measure).min(self.scaled_b / start);
        let replaces = self.begins != Begins::Anew;
        // In exact arithmetic all is solved after as many iterations as there are unknowns. Where a good part of them was not enough, runs
        // to three tenths take longer than those to a thousandth: a plane bar of 320 unknowns 2471 iterations, and 2099 so (1717 by thousandths).
        let drop = if self.iterations < self.x.len() / 8 { DROP } else { RESTART };
        let fixed = self.settings.check_every == 0;
        // Asked for less than half of what a correction has to take off, it could do what it was asked for and yet be told as a stall.
        let asked = if replaces { goal.max(drop) } else { goal.max(self.reach).min(self.leaves / 2.0) };
        let bounds = Bounds {
            tolerance: asked as f32,
            max_iterations: self.settings.max_iterations - self.iterations,
            check_every: if replaces {
                self.settings.check_every.min(LOOKS)
            } else {
                self.settings.check_every
            },
        };
        let (before, refinements, share) = (self.iterations, self.corrections, start / self.scaled_b);
        let mut watch = |iterations: usize, residual: f64| {
            let (iterations, relative_residual) = (before + iterations, residual * share);
            progress(&Progress { iterations, relative_residual, refinements }).is_continue()
        };
        let (d, outcome) = self.inner_solve(bounds, &mut watch)?;
        self.corrections += 1;
        self.iterations += outcome.iterations;
        self.history.extend(outcome.history.iter().skip(1).map(|residual| residual * share));
        let x: Vec<f64> = self.x.iter().zip(&d).map(|(x, d)| x + d).collect();
        let r = self.residual(&x)?;
        let (measure, scaled) = self.measured(&r)?;
        let gain = scaled / start;
        if gain < 1.0 {
            let least = self.better.as_ref().map_or(self.measure, |better| better.2);
            let before = (std::mem::replace(&mut self.x, x), std::mem::replace(&mut self.r, r), self.measure);
            (self.measure, self.scaled) = (measure, scaled);
            self.better = if measure < least { None } else { self.better.take().or(Some(before)) };
        }
        let met = self.end() == Some(Reason::Converged);
        let reached = matches!(outcome.reason, Reason::Converged | Reason::Stalled);
        Ok(match outcome.reason {
            _ if met => None,
            Reason::Converged if replaces && gain <= HALF => {
                self.begins = Begins::Replaced;
                None
            }
            reason @ (Reason::MaxIterations | Reason::Stopped) => Some(reason),
            // 32 bits do not go on from here: restarts may.
            _ if self.begins == Begins::Replaced || (replaces && reached) => {
                (self.begins, self.reach) = (Begins::Anew, RESTART);
                None
            }
            reason if fixed => Some(if reached { Reason::MaxIterations } else { reason }),
            // Rounding breaks down what is nearly solved, and what is kept is the best x: another start may go further.
            _ if gain <= self.leaves && self.settings.refine => {
                // The next correction is solved only as far as this recursion was accurate.
                self.reach = if reached { (gain / 4.0).clamp(FLOOR, 0.1) } else { self.reach };
                None
            }
            _ if reached => Some(Reason::Stalled),
            reason => Some(reason),
        })
    }

    /// d of A d = r, scaled so that 32 bits hold it.
    fn inner_solve(
        &mut self,
        bounds: Bounds,
        watch: &mut dyn FnMut(usize, f64) -> bool,
    ) -> Result<(Vec<f64>, Outcome)> {
        let stored = self.a.stored.as_ref();
        let algebra = stored.algebra();
        let scale = power_of_two(self.scaled);
        let scaled = |values: &[f64]| -> Vec<f32> { values.iter().map(|v| (v / scale) as f32).collect() };
        let mut d = algebra.zeros(stored.columns())?;
        let outcome = match &mut self.method {
            Inner::Square(method) => {
                let b = algebra.vector(stored.rows(), &scaled(&self.a.times(&self.r)))?;
                match self.begins {
                    Begins::Replaced => iterate_on(&mut **method, stored, (&b, &mut d), bounds, watch)?,
                    Begins::Anew | Begins::First => {
                        iterate(&mut **method, stored, &b, &mut d, bounds, watch)?
                    }
                }
            }
            Inner::Least(method) => {
                let normal = self.a.multiply_transposed(&self.r)?;
                method.set_offset(algebra.vector(stored.columns(), &scaled(&normal))?);
                let unused = algebra.zeros(stored.rows())?;
                iterate(&mut **method, stored, &unused, &mut d, bounds, watch)?
            }
        };
        let d: Vec<f64> = d.get()?.iter().map(|&d| f64::from(d) * scale).collect();
        Ok((self.a.times(&d), outcome))
    }

    fn finish(mut self, reason: Reason) -> Solution {
        if let Some((x, r, measure)) = self.better.take() {
            (self.x, self.r, self.measure) = (x, r, measure);
        }
        let norm_b = if self.norm_b > 0.0 { self.norm_b } else { 1.0 };
        let report = Report {
            iterations: self.iterations,
            refinements: self.corrections.saturating_sub(1),
            reason,
            relative_residual: norm(&self.r) / norm_b,
            normal_residual: matches!(self.method, Inner::Least(_)).then_some(self.measure / self.scale),
            history: self.history,
        };
        Solution { x: self.x, report }
    }
}

/// How the first correction begins: fused conjugate gradients go on in their direction where the tolerance asks for several.
fn begins(a: &dyn LinearOperator, settings: &Settings) -> Begins {
    let Settings { method, preconditioner, fused, .. } = *settings;
    let preconditioned = preconditioner != Preconditioning::None;
    let fused = method == Method::Cg && fused && FusedCg::fits(a.algebra().gpu().limits(), preconditioned);
    let several = settings.tolerance < REPLACED_BELOW && settings.refine && settings.check_every > 0;
    if fused && several { Begins::First } else { Begins::Anew }
}

fn inner(a: &dyn LinearOperator, settings: &Settings) -> Result<Inner<'static>> {
    let (algebra, layout) = (a.algebra(), a.columns());
    let m = match settings.preconditioner {
        Preconditioning::None => None,
        // Conjugate gradients want a positive M: what the sign hides there, p·A p tells.
        Preconditioning::Jacobi if settings.method == Method::Cg => Some(inverse_diagonal(a, f64::abs)?),
        Preconditioning::Jacobi => Some(inverse_diagonal(a, |d| d)?),
    };
    let fused = settings.fused && FusedCg::fits(algebra.gpu().limits(), m.is_some());
    Ok(match settings.method {
        Method::Cg if fused => Inner::Square(Box::new(FusedCg::new(algebra, layout, m)?)),
        Method::Cg => Inner::Square(Box::new(Cg::new(algebra, layout, m)?)),
        Method::BiCgStab => Inner::Square(Box::new(BiCgStab::new(algebra, layout, m)?)),
        Method::Cgls => Inner::Least(Box::new(Cgls::new(a)?)),
    })
}

/// 1/aᵢᵢ, with the sign that `change` gives it, and 1 where there is nothing to divide by.
fn inverse_diagonal(a: &dyn LinearOperator, change: fn(f64) -> f64) -> Result<Vector> {
    let invert = |&d: &f64| match (1.0 / change(d)) as f32 {
        inverse if inverse.is_finite() && inverse != 0.0 => inverse,
        _ => 1.0,
    };
    let diagonal = a.diagonal();
    if diagonal.is_empty() {
        let (what, renderer) = ("the Jacobi preconditioner".to_owned(), "this operator".to_owned());
        return Err(Error::Unsupported { what, needs: "LinearOperator::diagonal", renderer });
    }
    a.algebra().vector(a.columns(), &diagonal.iter().map(invert).collect::<Vec<f32>>())
}

/// ‖x‖, without overflow on the way.
pub(super) fn norm(x: &[f64]) -> f64 {
    let largest = x.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return if x.iter().any(|x| x.is_nan()) { f64::NAN } else { largest };
    }
    let scale = power_of_two(largest);
    x.iter().map(|x| (x / scale).powi(2)).sum::<f64>().sqrt() * scale
}

/// The power of two at or below a magnitude: dividing by it rounds nothing.
pub(super) fn power_of_two(x: f64) -> f64 {
    if x != 0.0 && x.is_finite() { x.abs().log2().floor().clamp(-1074.0, 1000.0).exp2() } else { 1.0 }
}

/// Checks shapes, lengths, finite numbers, and settings that must go together.
fn check(a: &dyn LinearOperator, b: &[f64], guess: Option<&[f64]>, settings: &Settings) -> Result<()> {
    let (rows, columns) = (a.rows(), a.columns());
    if settings.method != Method::Cgls && rows != columns {
        let (found, expected) = if rows.len() == columns.len() {
            (format!("rows of {rows}, columns of {columns}"), "one layout, or least squares")
        } else {
            let found = format!("{} rows and {} columns", rows.len(), columns.len());
            (found, "as many rows as columns, or least squares")
        };
        return Err(Error::WrongShape { what: "matrix".to_owned(), found, expected: expected.to_owned() });
    }
    finite("right-hand side", b, rows)?;
    if !norm(b).is_finite() {
        return Err(bad("right-hand side", "a norm above 1.8e308".into(), "one that an f64 holds"));
    }
    if let Some(guess) = guess {
        finite("guess", guess, columns)?;
    }
    check_tolerance(settings.tolerance)?;
    if settings.method == Method::Cgls && settings.preconditioner != Preconditioning::None {
        return Err(bad("preconditioner", "jacobi".into(), "none, for least squares"));
    }
    Ok(())
}

pub(super) fn finite(name: &'static str, values: &[f64], layout: Packed2x2) -> Result<()> {
    if values.len() != layout.len() {
        let (what, shape) = (name.to_owned(), layout.to_string());
        return Err(Error::WrongLength { what, found: values.len(), expected: layout.len(), shape });
    }
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(at) => Err(bad(name, format!("{} at element {at}", values[at]), "finite numbers")),
    }
}
