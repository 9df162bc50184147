//! Conjugate gradients on dense matrices, as the paper has them, or in the fewest passes (row B7).

use std::ops::ControlFlow;

use super::fused_cg::{FusedCg, update};
use super::iterate::{Bounds, Limits, Outcome, Work, patience_of, run, with_replay};
use super::near::power_of_two;
use super::refine::norm;
use super::{History, Progress, Reason, Report, bad, check_tolerance};
#[cfg(doc)]
use crate::Error;
use crate::Result;
use crate::linalg::{Algebra, Scalar};
use crate::matrix::{DenseOperator, Group, Matrix};

/// Solves A x = b, A symmetric and positive definite, starting from x.
///
/// This is the paper's loop with three additions: r = b − A x at a warm start (the paper has r = b), no division by 0,
/// and an end. Its scalars stay on the GPU. Every `check_every` iterations the newest r·r is asked for and the previous
/// one taken in, without a stall; steps past the tolerance change nothing.
///
/// A recursion in 32 bits may report a residual that is too small. At its end b − A x is computed in f64; if that is
/// above the tolerance, the recursion starts anew from there, as long as it helps. x is no worse than the best one so
/// far, as with [`iterate`](super::iterate); with `check_every` 0 it is that of the last iteration.
///
/// Where the limits have three targets and six streams, an iteration is that of [`FusedCg`], the exercise that the paper leaves to
/// the reader: a product, one reduction of five sums, and one pass that writes x, r and p. Elsewhere it is the paper's, line by
/// line: a product, two reductions and seven small passes. Reads A and b back once.
///
/// The tolerance is relative to ‖b‖, absolute where b = 0. A b far from 1 is scaled by a power of two, so that squares
/// neither overflow nor vanish.
///
/// # Errors
/// [`Error::WrongShape`], [`Error::OtherContext`]; [`Error::BadParameter`] for a right side that is not finite and a tolerance
/// that is not above 0; [`Error::OverLimit`] for more iterations than a history has room for; those of the GPU. Not
/// converging is a report, not an error.
///
/// # References
/// Moravánszky, *Dense Matrix Algebra on the GPU*, section 4.1.
pub fn matrix_cg(a: &dyn DenseOperator, b: &Matrix, x: &mut Matrix, bounds: Bounds) -> Result<Report> {
    matrix_cg_with(a, b, x, bounds, &mut |_| ControlFlow::Continue(()))
}

/// [`matrix_cg`] with a callback: at each look `watch` gets the progress, and stops the solver with `Break`. x is then
/// as far as it had come, and the report says [`Reason::Stopped`].
///
/// # Errors
/// As [`matrix_cg`].
pub fn matrix_cg_with(
    a: &dyn DenseOperator,
    b: &Matrix,
    x: &mut Matrix,
    bounds: Bounds,
    watch: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Report> {
    b.is_vector_of(a, "right side")?;
    x.is_vector_of(a, "unknowns")?;
    check_tolerance(bounds.tolerance)?;
    let mut truth = Truth::new(a, b)?;
    let size = power_of_two(truth.b.iter().fold(0.0, |largest, b| b.abs().max(largest)));
    if size == 1.0 {
        return refined(a, b, x, bounds, &truth, watch);
    }
    let inverse = size.recip();
    let (mut near_b, mut near_x) = (b.try_clone()?, x.try_clone()?);
    near_b.scale(inverse)?;
    near_x.scale(inverse)?;
    truth.scale(inverse);
    let mut report = refined(a, &near_b, &mut near_x, bounds, &truth, watch)?;
    x.set_scaled(size, &near_x)?;
    truth.scale(size);
    report.relative_residual = truth.relative_residual(x)?;
    report.reason = match report.reason {
        // A solution near 1 may leave the range of 32 bits when it is scaled back.
        Reason::Converged if !report.relative_residual.is_finite() => Reason::NotFinite,
        Reason::Converged if report.relative_residual > f64::from(bounds.tolerance) => Reason::Stalled,
        reason => reason,
    };
    Ok(report)
}

/// Runs recursions, each from the end of the one before, until the residual in f64 meets the tolerance or a recursion
/// does not help. Each ends at its best x. An x that is worse in f64 than the start is not kept, unless the recursion
/// never looks.
fn refined(
    a: &dyn DenseOperator,
    b: &Matrix,
    x: &mut Matrix,
    bounds: Bounds,
    truth: &Truth,
    watch: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Report> {
    let mut gradients = Gradients::new(a)?;
    let mut begin = if bounds.check_every == 0 { None } else { Some(x.try_clone()?) };
    let mut report = Report {
        iterations: 0,
        refinements: 0,
        reason: Reason::MaxIterations,
        relative_residual: f64::INFINITY,
        normal_residual: None,
        history: Vec::new(),
    };
    loop {
        let rest = Bounds { max_iterations: bounds.max_iterations - report.iterations, ..bounds };
        let (before, refinements) = (report.iterations, report.refinements);
        let mut stopped = false;
        let mut goes_on = |iterations: usize, relative_residual: f64| {
            stopped = watch(&Progress { iterations: before + iterations, relative_residual, refinements })
                .is_break();
            !stopped
        };
        let Outcome { iterations, reason, history, .. } =
            with_replay(x, begin.as_ref(), rest, &mut |x, bounds| {
                gradients.run(a, b, x, bounds, &mut goes_on)
            })?;
        report.iterations += iterations;
        report.history.extend(history.into_iter().skip(usize::from(!report.history.is_empty())));
        let before = std::mem::replace(&mut report.relative_residual, truth.relative_residual(x)?);
        let found = report.relative_residual;
        if let Some(begin) = &begin
            && report.refinements > 0
            && (found > before || found.is_nan())
        {
            x.copy_from(begin)?;
            report.relative_residual = before;
        }
        let residual = report.relative_residual;
        let reached = matches!(reason, Reason::Converged | Reason::Stalled);
        report.reason = match reason {
            _ if residual <= f64::from(bounds.tolerance) => Reason::Converged,
            _ if !residual.is_finite() => Reason::NotFinite,
            _ if stopped => Reason::Stopped,
            _ if reached && (bounds.check_every == 0 || report.iterations >= bounds.max_iterations) => {
                Reason::MaxIterations
            }
            _ if reached => Reason::Stalled,
            reason => reason,
        };
        if report.reason != Reason::Stalled || residual > 0.5 * before {
            return Ok(report);
        }
        if let Some(begin) = &mut begin {
            begin.copy_from(x)?;
        }
        report.refinements += 1;
    }
}

/// r, p and s = A p, and the paper's scalars where an iteration is the paper's, and not that in the fewest passes.
struct Gradients {
    r: Matrix,
    p: Matrix,
    s: Matrix,
    scalars: Option<Scalars>,
}

struct Scalars {
    rr: Scalar,
    new_rr: Scalar,
    ps: Scalar,
    alpha: Scalar,
    beta: Scalar,
}

impl Gradients {
    fn new(a: &dyn DenseOperator) -> Result<Gradients> {
        let algebra: &Algebra = a.algebra();
        let vector = || Matrix::zeros(algebra, a.size(), 1);
        let scalar = || algebra.scalar(0.0);
        let scalars = match FusedCg::fits(algebra.gpu().limits(), false) {
            true => None,
            false => Some(Scalars {
                rr: scalar()?,
                new_rr: scalar()?,
                ps: scalar()?,
                alpha: scalar()?,
                beta: scalar()?,
            }),
        };
        Ok(Gradients { r: vector()?, p: vector()?, s: vector()?, scalars })
    }

    /// A recursion from x on, until the bounds are met.
    fn run(
        &mut self,
        a: &dyn DenseOperator,
        b: &Matrix,
        x: &mut Matrix,
        bounds: Bounds,
        watch: &mut dyn FnMut(usize, f64) -> bool,
    ) -> Result<Outcome> {
        let mut history = History::new(a.algebra(), bounds)?;
        history.log.sum_of_squares(b.texture())?;
        a.apply(x, &mut self.s)?;
        self.r.set_sum(1.0, b, -1.0, &self.s)?; //          r = b − A x
        self.p.copy_from(&self.r)?; //                      p = r
        if let Some(scalars) = &mut self.scalars {
            self.r.dot(&self.r, &mut scalars.rr)?; //       r·r
        }
        let limits = Limits {
            patience: patience_of(x.rows()),
            sufficient_decrease: 1.0,
            freezes_at_breakdown: self.scalars.is_none(),
            expected: None,
        };
        let work = &mut |work, history: &History, entry| match work {
            Work::Step => self.step(a, x, history, entry),
            Work::Finish => self.finish(history, entry),
        };
        run(work, &mut history, limits, bounds, watch)
    }

    fn step(&mut self, a: &dyn DenseOperator, x: &mut Matrix, history: &History, entry: usize) -> Result<()> {
        let _scope = x.algebra().gpu().scope("iteration");
        let Gradients { r, p, s, scalars } = self;
        a.apply(p, s)?; //                                  s = A p
        let Some(Scalars { rr, new_rr, ps, alpha, beta }) = scalars else {
            return self.update(x, history, entry);
        };
        p.dot(s, ps)?; //                                   p·s
        history.record(entry, ps, rr)?;
        history.step_length(rr, ps, rr, alpha)?; //         α = r·r / p·s
        x.axpy(&*alpha, p)?; //                             x = x + α p
        r.axpy(-&*alpha, s)?; //                            r = r − α s
        r.dot(r, new_rr)?; //                               r·r anew
        new_rr.div_guarded(rr, beta)?; //                   β = r·r anew / r·r
        p.aypx(&*beta, r)?; //                              p = r + β p
        std::mem::swap(rr, new_rr);
        Ok(())
    }

    /// One reduction of all sums, and one pass that writes x, r and p.
    fn update(&mut self, x: &mut Matrix, history: &History, entry: usize) -> Result<()> {
        self.sums(history, entry)?;
        let vectors = [&*x, &self.r, &self.p, &self.s].map(Matrix::texture);
        let [next_x, r, p] = update(self.r.algebra(), None, vectors, history, entry)?;
        x.replace_texture(next_x);
        self.r.replace_texture(r);
        self.p.replace_texture(p);
        Ok(())
    }

    fn finish(&self, history: &History, entry: usize) -> Result<()> {
        match &self.scalars {
            None => self.sums(history, entry),
            Some(Scalars { ps, rr, .. }) => history.record(entry, ps, rr),
        }
    }

    fn sums(&self, history: &History, entry: usize) -> Result<()> {
        history.log.sum_of_texels(entry, [&self.p, &self.s, &self.r].map(Matrix::texture), None)
    }
}

/// A and b in f64.
struct Truth<'a> {
    groups: Vec<Group<'a>>,
    b: Vec<f64>,
}

impl<'a> Truth<'a> {
    fn new(a: &'a dyn DenseOperator, b: &Matrix) -> Result<Truth<'a>> {
        let (groups, b) = (a.groups()?, b.get()?);
        if let Some(row) = b.iter().position(|b| !b.is_finite()) {
            return Err(bad("right side", format!("{} in row {row}", b[row]), "finite numbers"));
        }
        Ok(Truth { groups, b: b.into_iter().map(f64::from).collect() })
    }

    fn scale(&mut self, factor: f32) {
        self.b.iter_mut().for_each(|b| *b *= f64::from(factor));
    }

    fn relative_residual(&self, x: &Matrix) -> Result<f64> {
        let x: Vec<f64> = x.get()?.into_iter().map(f64::from).collect();
        let mut product = vec![0.0; x.len()];
        self.groups.iter().for_each(|group| group.multiply(&x, &mut product));
        let r: Vec<f64> = self.b.iter().zip(product).map(|(b, product)| b - product).collect();
        let norm_b = norm(&self.b);
        Ok(norm(&r) / if norm_b > 0.0 { norm_b } else { 1.0 })
    }
}
