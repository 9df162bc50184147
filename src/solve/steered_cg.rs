//! Conjugate gradients as Batty et al. ran them: the GPU makes vectors, the CPU makes every scalar.

use super::iterate::{residual, with_replay};
use super::{Bounds, Outcome, Reason};
use crate::Result;
use crate::linalg::{LinearOperator, Op, Vector};
use crate::pug::{Gpu, Operator, Reduction, Step, Terms};

/// The operations that the paper's table counts (row D6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// The first residual.
    Setup,
    /// q = A p.
    Multiply,
    /// x·y, with the read-back that ends it.
    Dot,
    /// x + a y.
    ScaleAdd,
    /// z = M r.
    Precondition,
}

/// Runs each operation, and may look at a clock before and after. `|_, work| work()` looks at none.
pub type Watch<'a> = &'a mut dyn FnMut(Operation, &mut dyn FnMut() -> Result<()>) -> Result<()>;

/// Preconditioned conjugate gradients whose dot products end on the CPU, which then divides them and hands α and β to
/// the next pass as constants (rows D2, D3 and the end of the paper's Appendix C.8).
///
/// Every iteration waits for the GPU three times, for p·q, r·z and r·r (the paper twice: its tolerance is on r·z).
/// [`Cg`](super::Cg), which keeps scalars on the GPU, saves these waits; in 2003 the authors found the waits to be
/// faster. This solver is here for the comparison, and as the shortest program of all.
///
/// # References
/// Batty, Wiebe & Houston 2003, Appendices B and C.
pub struct SteeredCg {
    dots: Reduction,
}

impl SteeredCg {
    /// A solver whose dot products reduce by that step and read back once at most `stop_at` texels are left. The paper
    /// uses `Step::Adjacent(2)`, and about 16 texels after its last improvement.
    ///
    /// # Errors
    /// [`BadParameter`](crate::Error::BadParameter) for another step than by 2, 4 or 8, and for 0 texels.
    pub fn new(gpu: &Gpu, step: Step, stop_at: usize) -> Result<SteeredCg> {
        Ok(SteeredCg { dots: gpu.reduction(Operator::sum()).step(step)?.stop_at(stop_at)? })
    }

    /// Improves x until the bounds are met; `inverse` is the diagonal of M. It looks in each iteration, for any
    /// `check_every`. As [`iterate`](super::iterate), it returns to the best x if it does not converge.
    ///
    /// # Errors
    /// Shapes and contexts that do not fit.
    pub fn solve(
        &self,
        a: &dyn LinearOperator,
        inverse: &Vector,
        (b, x): (&Vector, &mut Vector),
        bounds: Bounds,
        watch: Watch,
    ) -> Result<Outcome> {
        let begin = x.try_clone()?;
        with_replay(x, Some(&begin), bounds, &mut |x, bounds| self.run(a, inverse, (b, x), bounds, watch))
    }

    fn run(
        &self,
        a: &dyn LinearOperator,
        inverse: &Vector,
        (b, x): (&Vector, &mut Vector),
        bounds: Bounds,
        watch: Watch,
    ) -> Result<Outcome> {
        let algebra = a.algebra();
        let vector = || Vector::uninitialised(algebra, a.columns());
        let (mut r, mut z, mut q) = (vector()?, vector()?, vector()?);
        watch(Operation::Setup, &mut || residual(a, b, x, &mut r))?;
        let unit = match self.dot((b, b), watch)? {
            0.0 => 1.0,
            bb => bb,
        };
        let relative = |rr: f64| (rr / unit).sqrt();
        watch(Operation::Precondition, &mut || z.set_product(1.0, inverse, &r))?;
        let mut p = z.try_clone()?;
        let (mut rho, mut rr) = (self.dot((&r, &z), watch)?, self.dot((&r, &r), watch)?);
        let mut history = vec![relative(rr)];
        let reason = loop {
            match end(relative(rr), history.len() - 1, bounds) {
                Some(reason) => break reason,
                None => watch(Operation::Multiply, &mut || a.apply(Op::Null, &p, &mut q))?,
            }
            let pq = self.dot((&p, &q), watch)?;
            if pq <= 0.0 {
                break if pq == 0.0 { Reason::ZeroDivisor } else { Reason::Indefinite };
            }
            let alpha = (rho / pq) as f32;
            watch(Operation::ScaleAdd, &mut || x.axpy(alpha, &p))?;
            watch(Operation::ScaleAdd, &mut || r.axpy(-alpha, &q))?;
            watch(Operation::Precondition, &mut || z.set_product(1.0, inverse, &r))?;
            let newest = self.dot((&r, &z), watch)?;
            watch(Operation::ScaleAdd, &mut || p.aypx((newest / rho) as f32, &z))?;
            rho = newest;
            rr = self.dot((&r, &r), watch)?;
            history.push(relative(rr));
        };
        let iterations = history.len() - 1;
        Ok(Outcome { iterations, reason, history, kept: iterations })
    }

    fn dot(&self, (x, y): (&Vector, &Vector), watch: Watch) -> Result<f64> {
        x.same_shape(y, "dot product")?;
        let mut dot = 0.0;
        watch(Operation::Dot, &mut || {
            dot = self.dots.total(Terms::Products(x.texture(), y.texture()))?;
            Ok(())
        })?;
        Ok(dot)
    }
}

fn end(residual: f64, iterations: usize, bounds: Bounds) -> Option<Reason> {
    if !residual.is_finite() {
        Some(Reason::NotFinite)
    } else if residual <= f64::from(bounds.tolerance) {
        Some(Reason::Converged)
    } else {
        (iterations >= bounds.max_iterations).then_some(Reason::MaxIterations)
    }
}
