//! Refinement around conjugate gradients in double-single: x and residuals in f64, corrections in 48 bits.

use std::ops::ControlFlow;

use super::refine::{MARGIN, finite, norm, power_of_two};
use super::{
    Bounds, DoubleCg, Method, Outcome, Preconditioning, Progress, Reason, Report, Scales, Settings, Solution,
    bad, check_tolerance,
};
#[cfg(doc)]
use crate::Error;
use crate::Result;
use crate::layout::Packed2x2;
use crate::linalg::{Algebra, DoubleMatrix, DoubleStorage, DoubleVector};
use crate::numeric::Csr;

/// Solves A x = b with conjugate gradients in double-single arithmetic, to a tolerance that holds in f64: for symmetric
/// positive definite matrices of a condition near 10⁶ and beyond, where refinement in 32 bits takes many times the
/// iterations of f64, or fails.
///
/// x is a sum of corrections, as in [`solve`](super::solve): r = b − A x in f64 on the CPU, A d = r by [`DoubleCg`] down to
/// 10⁻⁸ of r, x += d in f64, as long as each correction at least halves the residual. In f64 itself no tolerance below some
/// 4·2⁻⁵³ ‖A‖‖x‖/‖b‖ can be met.
///
/// If the ratio of the largest to the smallest diagonal entry exceeds 2²⁴, the GPU solves S A S y = S b with [`Scales`] S, as
/// `solve` does. Other powers of two are the caller's: squares of b's elements and of A's must be floats.
///
/// ```
/// # fn main() -> quadrille::Result<()> {
/// use quadrille::linalg::{Algebra, DoubleStorage};
/// use quadrille::solve::{DoubleSolver, Settings};
/// use quadrille::{Gpu, layout::Packed2x2, numeric::Csr};
/// use std::ops::ControlFlow;
///
/// let hilbert = (0..64).map(|k| (k / 8, k % 8, 1.0 / (k / 8 + k % 8 + 1) as f64)); // condition 1.5e10
/// let a = Csr::from_triplets(8, 8, hilbert)?;
/// let algebra = Algebra::new(&Gpu::headless()?);
/// let mut solver = DoubleSolver::new(&algebra, Packed2x2::folded(8)?, DoubleStorage::Gather, a)?;
/// let settings = Settings { tolerance: 1e-10, ..Settings::default() };
/// let found = solver.solve(&[1.0; 8], None, &settings, &mut |_| ControlFlow::Continue(()))?;
/// assert!(found.report.converged() && found.report.iterations <= 60);
/// # Ok(())
/// # }
/// ```
///
/// # References
/// Göddeke, Strzodka & Turek, *Performance and Accuracy of Hardware-Oriented Native-, Emulated- and Mixed-Precision Solvers
/// in FEM Simulations*, 2007; Dekker 1971.
pub struct DoubleSolver {
    a: Csr,
    scales: Option<Scales>,
    method: DoubleCg,
}

/// A correction is solved for to no less than this: in 48 bits the recursion drifts from the truth by some 2⁻⁴⁵ times the
/// condition, 3·10⁻⁸ of it at 10⁶. Of 10⁻⁷ to 10⁻⁹, emulated, each was best for some matrix of `docs/solvers.md`, by some per cent.
const FLOOR: f64 = 1e-8;

/// The part of the residual that a correction may leave for another to follow.
const HALF: f64 = 0.5;

/// Where a solve is.
struct State {
    x: Vec<f64>,
    r: Vec<f64>,
    /// ‖r‖, and ‖S r‖, which the iteration makes small.
    measure: f64,
    scaled: f64,
}

impl DoubleSolver {
    /// The matrix on the GPU, in that storage.
    ///
    /// # Errors
    /// As [`DoubleMatrix::new`].
    pub fn new(algebra: &Algebra, layout: Packed2x2, storage: DoubleStorage, a: Csr) -> Result<DoubleSolver> {
        let scales = match a.rows() == a.columns() {
            true => Scales::of(&a.diagonal(), Preconditioning::None),
            false => None,
        };
        let stored = scales.as_ref().map_or_else(|| Ok(a.clone()), |scales| scales.matrix(&a))?;
        let method = DoubleCg::new(DoubleMatrix::new(algebra, layout, storage, stored)?)?;
        Ok(DoubleSolver { a, scales, method })
    }

    /// Solves A x = b. Of the settings, `fused` is not used: there is one form of the iteration.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for another method than conjugate gradients, for a preconditioner, for numbers that are not
    /// finite and a tolerance that is not above 0; [`Error::WrongLength`]; those of the GPU. Not converging is a report, not an
    /// error.
    pub fn solve(
        &mut self,
        b: &[f64],
        guess: Option<&[f64]>,
        settings: &Settings,
        progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<Solution> {
        self.check(b, guess, settings)?;
        let or_1 = |norm: f64| if norm > 0.0 { norm } else { 1.0 };
        let (norm_b, scaled_b) = (or_1(norm(b)), or_1(norm(&self.times(b))));
        let mut at = self.state(guess.map_or_else(|| vec![0.0; b.len()], <[f64]>::to_vec), b);
        // Where rows are scaled, a smaller ‖S r‖ may be a larger ‖r‖.
        let mut best = (at.x.clone(), at.measure);
        let (mut reach, mut iterations, mut corrections) = (FLOOR, 0, 0);
        let mut history = vec![at.scaled / scaled_b];
        let reason = loop {
            if at.measure.is_finite() && at.measure <= settings.tolerance * norm_b {
                break Reason::Converged;
            }
            if iterations >= settings.max_iterations {
                break Reason::MaxIterations;
            }
            let share = at.scaled / scaled_b;
            let here = Progress { iterations, relative_residual: share, refinements: corrections };
            if corrections > 0 && progress(&here).is_break() {
                break Reason::Stopped;
            }
            // Recursions stop a little below the tolerance, for the truth is a little above them.
            let goal = MARGIN * settings.tolerance * (norm_b / at.measure).min(scaled_b / at.scaled);
            let bounds = Bounds {
                tolerance: goal.max(reach) as f32,
                max_iterations: settings.max_iterations - iterations,
                check_every: settings.check_every,
            };
            let mut watch = |more: usize, residual: f64| {
                let (iterations, relative_residual) = (iterations + more, residual * share);
                progress(&Progress { iterations, relative_residual, refinements: corrections }).is_continue()
            };
            let (d, outcome) = self.correction(&at, bounds, &mut watch)?;
            corrections += 1;
            iterations += outcome.iterations;
            history.extend(outcome.history.iter().skip(1).map(|residual| residual * share));
            let next = self.state(at.x.iter().zip(&d).map(|(x, d)| x + d).collect(), b);
            let gain = next.scaled / at.scaled;
            if gain < 1.0 {
                at = next;
            }
            if at.measure < best.1 {
                best = (at.x.clone(), at.measure);
            }
            if at.measure <= settings.tolerance * norm_b {
                continue;
            }
            let reached = matches!(outcome.reason, Reason::Converged | Reason::Stalled);
            match outcome.reason {
                reason @ (Reason::MaxIterations | Reason::Stopped) => break reason,
                reason if settings.check_every == 0 => {
                    break if reached { Reason::MaxIterations } else { reason };
                }
                // The next correction is solved only as far as this recursion was accurate.
                _ if gain <= HALF && settings.refine => {
                    reach = if reached { (gain / 4.0).clamp(FLOOR, 0.1) } else { reach };
                }
                _ if reached => break Reason::Stalled,
                reason => break reason,
            }
        };
        let (x, measure) = best;
        let report = Report {
            iterations,
            refinements: corrections.saturating_sub(1),
            reason,
            relative_residual: measure / norm_b,
            normal_residual: None,
            history,
        };
        Ok(Solution { x, report })
    }

    /// d of A d = r, scaled so that floats hold it and its squares.
    fn correction(
        &mut self,
        at: &State,
        bounds: Bounds,
        watch: &mut dyn FnMut(usize, f64) -> bool,
    ) -> Result<(Vec<f64>, Outcome)> {
        let scale = power_of_two(at.scaled);
        let scaled: Vec<f64> = self.times(&at.r).iter().map(|r| r / scale).collect();
        let a = self.method.matrix();
        let b = DoubleVector::new(a.algebra(), a.layout(), &scaled)?;
        let mut d = DoubleVector::zeros(a.algebra(), a.layout())?;
        let outcome = self.method.run(&b, &mut d, bounds, watch)?;
        let d: Vec<f64> = d.get()?.iter().map(|d| d * scale).collect();
        Ok((self.times(&d), outcome))
    }

    fn state(&self, x: Vec<f64>, b: &[f64]) -> State {
        let r: Vec<f64> = b.iter().zip(self.a.multiply(&x)).map(|(b, p)| b - p).collect();
        let (measure, scaled) = (norm(&r), norm(&self.times(&r)));
        State { x, r, measure, scaled }
    }

    /// S x, or x itself.
    fn times(&self, x: &[f64]) -> Vec<f64> {
        self.scales.as_ref().map_or_else(|| x.to_vec(), |scales| scales.times(x))
    }

    fn check(&self, b: &[f64], guess: Option<&[f64]>, settings: &Settings) -> Result<()> {
        let other = match settings.method {
            Method::Cg => None,
            Method::BiCgStab => Some("bicgstab"),
            Method::Cgls => Some("cgls"),
        };
        if let Some(method) = other {
            return Err(bad("method", method.into(), "conjugate gradients, in double-single"));
        }
        if settings.preconditioner != Preconditioning::None {
            return Err(bad("preconditioner", "jacobi".into(), "none, in double-single"));
        }
        let layout = self.method.matrix().layout();
        finite("right-hand side", b, layout)?;
        if !norm(b).is_finite() {
            return Err(bad("right-hand side", "a norm above 1.8e308".into(), "one that an f64 holds"));
        }
        guess.map_or(Ok(()), |guess| finite("guess", guess, layout))?;
        check_tolerance(settings.tolerance)
    }
}
