//! The Chebyshev semi-iteration: a solver without sums, for a matrix whose eigenvalues lie in a known interval.
//!
//! Conjugate gradients find out where the eigenvalues lie, by two dot products an iteration. Where that is known, each step
//! is one pass, and how many steps divide the residual by a number is known before the first of them.

use super::bad;
use crate::Result;
use crate::linalg::{LinearOperator, Vector};

/// Steps x ← x + h (x − before) + g (b − A x) for a symmetric A whose eigenvalues lie in an interval [low, high] above 0.
///
/// With σ = (high + low)/(high − low), ω₁ = 1/σ and ωₖ₊₁ = 1/(2σ − ωₖ): h = ωₖ ωₖ₊₁ and g = 4 ωₖ₊₁/(high − low); the first
/// step has h = 0 and g = 2/(high + low). After k steps the residual is Tₖ(λ')/Tₖ(σ) of the first for each eigenvalue, λ' its place
/// in the interval taken for [−1, 1]: ‖b − A x‖ is divided by Tₖ(σ) = cosh(k arcosh σ) at least. No other polynomial of that degree
/// divides more.
///
/// Cost: one pass a step in storages by diagonals and of nine points ([`LinearOperator::three_term`]). Nothing is summed, nothing read back.
///
/// # References
/// Golub & Varga, *Chebyshev semi-iterative methods*, 1961; Saad, *Iterative Methods for Sparse Linear Systems*, Algorithm 12.1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chebyshev {
    low: f64,
    high: f64,
}

impl Chebyshev {
    /// The iteration for eigenvalues from `low` to `high`.
    ///
    /// # Errors
    /// [`BadParameter`](crate::Error::BadParameter) unless 0 < low < high, both finite.
    pub fn new([low, high]: [f64; 2]) -> Result<Chebyshev> {
        if 0.0 < low && low < high && high.is_finite() {
            return Ok(Chebyshev { low, high });
        }
        Err(bad(
            "interval of eigenvalues",
            format!("{low} to {high}"),
            "two numbers above 0, the smaller first",
        ))
    }

    fn sigma(&self) -> f64 {
        (self.high + self.low) / (self.high - self.low)
    }

    /// The fewest steps after which ‖b − A x‖ is divided by `reduction` whatever it was, but for rounding; at least 1.
    pub fn steps_for(&self, reduction: f64) -> usize {
        (reduction.max(1.0).acosh() / self.sigma().acosh()).ceil().max(1.0) as usize
    }

    /// Steps that divide a residual further, beside others that have been made already: ln(reduction)/arcosh σ, upwards;
    /// below 0 where the residual may be larger than it is.
    pub fn more_steps_for(&self, reduction: f64) -> i64 {
        (reduction.ln() / self.sigma().acosh()).ceil() as i64
    }

    /// Improves x by that many steps.
    ///
    /// # Errors
    /// Shapes and contexts that do not fit.
    pub fn improve(&self, a: &dyn LinearOperator, b: &Vector, x: &mut Vector, steps: usize) -> Result<()> {
        if steps == 0 {
            return Ok(());
        }
        let mut next = Vector::uninitialised(x.algebra(), x.layout())?;
        {
            let _scope = x.algebra().gpu().scope("iteration");
            a.three_term([0.0, self.first() as f32], [x, b], None, &mut next)?;
        }
        std::mem::swap(x, &mut next);
        self.go_on(a, b, (x, &next), steps - 1)
    }

    /// Sets x to the result of that many steps from 0, the first of which multiplies b by a number.
    ///
    /// # Errors
    /// As [`Chebyshev::improve`].
    pub fn solve_from_zero(
        &self,
        a: &dyn LinearOperator,
        b: &Vector,
        x: &mut Vector,
        steps: usize,
    ) -> Result<()> {
        if steps == 0 {
            return x.fill(0.0);
        }
        let zero = a.algebra().zeros(x.layout())?;
        self.solve_after_zero(a, b, (x, &zero), steps)
    }

    /// The same for a caller who keeps a vector of zeros, which saves a pass.
    pub(super) fn solve_after_zero(
        &self,
        a: &dyn LinearOperator,
        b: &Vector,
        (x, zero): (&mut Vector, &Vector),
        steps: usize,
    ) -> Result<()> {
        x.set_scaled(self.first() as f32, b)?;
        self.go_on(a, b, (x, zero), steps - 1)
    }

    /// g of the first step.
    fn first(&self) -> f64 {
        2.0 / (self.high + self.low)
    }

    /// The steps after the first, which made x from `start`.
    fn go_on(
        &self,
        a: &dyn LinearOperator,
        b: &Vector,
        (x, start): (&mut Vector, &Vector),
        steps: usize,
    ) -> Result<()> {
        let vector = || Vector::uninitialised(x.algebra(), x.layout());
        let mut others = if steps == 0 { None } else { Some((vector()?, vector()?)) };
        let (sigma, mut omega) = (self.sigma(), 1.0 / self.sigma());
        for step in 0..steps {
            let Some((before, next)) = &mut others else { break };
            let _scope = x.algebra().gpu().scope("iteration");
            let after = 1.0 / (2.0 * sigma - omega);
            let factors = [omega * after, 4.0 * after / (self.high - self.low)].map(|factor| factor as f32);
            a.three_term(factors, [x, b], Some(if step == 0 { start } else { before }), next)?;
            // next and x become x and before; what was before is drawn over.
            std::mem::swap(before, x);
            std::mem::swap(x, next);
            omega = after;
        }
        Ok(())
    }
}
