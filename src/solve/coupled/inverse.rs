//! One solve of a symmetric positive matrix each step: by cycles, by the Chebyshev semi-iteration, or by conjugate gradients.
//!
//! A solve is blind or looked at. A blind one makes as many cycles or iterations as the last look found necessary, and reads nothing back;
//! which solves are looked at is by count, so the same input gives the same bits.

use std::rc::Rc;

use super::volumes::FiniteVolumes;
use crate::Result;
use crate::linalg::{Algebra, LinearOperator, NinePoint, Op, Packed2x2, Vector};
use crate::numeric::Csr;
use crate::solve::{
    Bounds, Cg, Chebyshev, Coarsest, Cycle, History, Iteration, Missing, Multigrid, Pcg, Preconditioner,
    Reason, iterate,
};

/// The work of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Effort {
    /// Multigrid cycles, those of preconditioners among them.
    pub cycles: usize,
    /// Iterations of conjugate gradients, and steps of the Chebyshev semi-iteration.
    pub iterations: usize,
    /// The largest relative residual, if it was looked at.
    pub residual: Option<f64>,
    /// True if a residual that was looked at is above the tolerance after the most cycles or iterations that are allowed.
    pub is_short: bool,
}

impl Effort {
    /// Adds the work of another solve.
    pub(super) fn add(&mut self, other: Effort) {
        self.cycles += other.cycles;
        self.iterations += other.iterations;
        self.residual = match (self.residual, other.residual) {
            (Some(x), Some(y)) => Some(if x > y || x.is_nan() { x } else { y }),
            (x, y) => x.or(y),
        };
        self.is_short |= other.is_short;
    }
}

/// Cycles or iterations of a solve at most.
pub const MOST: usize = 30;

/// Cycles of a solve at least: one, from the last step's δ, leaves errors of a step's own size.
const CYCLES: usize = 2;

/// The factor by which a solve by Chebyshev's steps divides the residual at least; two to three cycles do the same.
const LEAST: f64 = 1000.0;

/// The factor by which the first residual of a blind solve may be above that of the last look.
const GROWTH: f64 = 4.0;

/// Chebyshev's steps of a solve at most.
pub(super) const MOST_STEPS: usize = 3 * MOST;

/// Iterations of a blind solve without cycles beyond those that the last look found necessary. A right side of few waves needs few, and a
/// polynomial that is 0 there can be above 1 for waves that are only roundings yet.
const SPARE: usize = 2;

/// Numbers of this size and less are a rounding away from those that GPUs take for 0.
const SMALLEST: f64 = 1e-30;

/// The squares of residuals of this size and less are no numbers of 32 bits, so that nothing says that they are small enough.
const UNSQUARED: f64 = 1e-18;

/// The s/h² below which Chebyshev's steps fetch no more than cycles for the same residual: 12 a texel for a factor of e^(2/√(1 + 8 s/h²)),
/// two cycles about 200 for 300; and they are a half of the passes at most. They reach one node further each, and leave what was 0 ahead of a front 0; a
/// cycle's 10⁻⁴⁰ there grow as e^t where equations are unstable.
const FEW: f64 = 4.0;

/// The s/h² below which a level is nearly diagonal: four sweeps solve it, and there is none below.
const DIAGONAL: f64 = 0.5;

/// s/h² on a square grid.
fn reach(volumes: &FiniteVolumes, s: f64) -> f64 {
    s * volumes.largest() / 8.0
}

/// True if a system 1 + sΛ is worth cycles.
fn is_worth_cycles(volumes: &FiniteVolumes, s: f64) -> bool {
    reach(volumes, s) >= FEW
}

/// The level of 1 + sΛ that is nearly diagonal: s/h² is a quarter on each below.
fn nearly_diagonal(volumes: &FiniteVolumes, s: f64) -> Coarsest {
    let falls = (reach(volumes, s) / DIAGONAL).log(4.0).ceil().max(1.0);
    Coarsest::Smoothed { levels: 1 + falls as usize }
}

/// How a system is solved, and how long.
enum Way {
    Cycles(Rc<Multigrid>),
    Steps(Steps),
    /// Conjugate gradients, and the cycles of its preconditioner in an iteration.
    Gradients(Box<dyn Iteration>, usize),
}

/// Chebyshev's steps with V⁻¹ A, whose eigenvalues are those of 1 + sΛ.
struct Steps {
    scaled: NinePoint,
    /// V⁻¹, where it is not 1.
    inverse: Option<Vector>,
    /// The eigenvalues' interval, its ends apart.
    interval: [f64; 2],
    /// The fewest steps of a blind solve, whatever the last look found: it may have been at nothing, or at a smaller condition.
    least: usize,
}

impl Steps {
    fn new(volumes: &FiniteVolumes, s: f64, matrix: &NinePoint) -> Result<Steps> {
        let end = 1.0 + s * volumes.largest();
        let (low, high) = (end.min(1.0), end.max(1.0));
        let inverse = if volumes.is_whole() { None } else { Some(volumes.inverse().try_clone()?) };
        let interval = [low, high.max(low * (1.0 + 1e-6))];
        let mut steps = Steps { scaled: scaled_rows(volumes, matrix)?, inverse, interval, least: 1 };
        steps.least = steps.steps_for(LEAST)?.min(MOST_STEPS);
        Ok(steps)
    }

    /// √κ, κ their condition.
    fn spread(&self) -> f64 {
        (self.interval[1] / self.interval[0]).sqrt()
    }

    /// The iteration of so many steps. Its interval begins a little below 1, so that the polynomial is 0 at Λ = 0 and a constant is solved
    /// for at once: smooth errors are those that a step in time keeps. A root cos(π/2n) of Tₙ lies there.
    fn iteration(&self, steps: usize) -> Result<Chebyshev> {
        let [low, high] = self.interval;
        let below = high - 2.0 * (high - 1.0) / (1.0 + (std::f64::consts::FRAC_PI_2 / steps as f64).cos());
        Chebyshev::new([if low == 1.0 && below > 0.5 { below } else { low }, high])
    }

    /// The fewest steps that divide the residual by so much.
    fn steps_for(&self, reduction: f64) -> Result<usize> {
        let mut steps = Chebyshev::new(self.interval)?.steps_for(reduction);
        while steps < MOST_STEPS && self.iteration(steps)?.steps_for(reduction) > steps {
            steps += 1;
        }
        Ok(steps)
    }

    fn improve(&self, b: &Vector, x: &mut Vector, steps: usize) -> Result<()> {
        let iteration = self.iteration(steps)?;
        match &self.inverse {
            None => iteration.improve(&self.scaled, b, x, steps),
            Some(inverse) => {
                let mut plain = Vector::uninitialised(b.algebra(), b.layout())?;
                plain.set_product(1.0, inverse, b)?;
                iteration.improve(&self.scaled, &plain, x, steps)
            }
        }
    }
}

/// The kind of a way, and the cycles or iterations that the last look found necessary. Those of another way say nothing about this one.
pub type Known = [usize; 2];

impl Way {
    /// A number for each kind.
    fn kind(&self) -> usize {
        match self {
            Way::Cycles(_) => 0,
            Way::Gradients(_, cycles) => 1 + cycles,
            Way::Steps(_) => 4,
        }
    }
}

/// A matrix that is solved with once a step.
pub(super) struct Inverse {
    matrix: Rc<dyn LinearOperator>,
    nine: Option<Rc<NinePoint>>,
    way: Way,
    /// The levels of gradients around one cycle.
    levels: Option<Rc<Multigrid>>,
    /// The kind and the count of the last look.
    pub known: Known,
    /// The roundings of a residual, relative to x.
    rounding: f64,
}

/// V + sK and its levels, which a solve and a preconditioner may share.
pub(super) struct Helmholtz {
    s: f64,
    matrix: Rc<NinePoint>,
    multigrid: Option<Rc<Multigrid>>,
}

impl Helmholtz {
    /// The matrix of s, and its levels where they are worth it or are asked for.
    pub fn new(volumes: &FiniteVolumes, s: f64, with_levels: bool) -> Result<Helmholtz> {
        let matrix = volumes.matrix(1.0, s)?;
        let missing = if volumes.has_fixed() { Missing::Fixed } else { Missing::Absent };
        let multigrid = match with_levels || is_worth_cycles(volumes, s) {
            true => {
                let coarsest = nearly_diagonal(volumes, s);
                Some(Rc::new(Multigrid::with(&matrix, missing, Cycle::default(), coarsest)?))
            }
            false => None,
        };
        Ok(Helmholtz { s, matrix: Rc::new(matrix), multigrid })
    }
}

/// Returns true if a level above the coarsest is periodic with an odd number of nodes, where cycles alone are slow.
fn has_seam(multigrid: &Multigrid) -> bool {
    let levels = multigrid.levels();
    multigrid.matrices().take(levels - 1).any(|matrix| {
        let (sides, periodic) = ([matrix.rows().width(), matrix.rows().height()], matrix.periodic());
        (0..2).any(|axis| periodic[axis] && sides[axis] > 1 && sides[axis] % 2 == 1)
    })
}

/// Conjugate gradients in the fewest passes that the limits allow.
fn gradients(
    algebra: &Algebra,
    layout: Packed2x2,
    m: impl Preconditioner + 'static,
) -> Result<Box<dyn Iteration>> {
    Ok(match Pcg::fits(algebra.gpu().limits()) {
        true => Box::new(Pcg::new(algebra, layout, m)?),
        false => Box::new(Cg::with(algebra, layout, m)?),
    })
}

impl Inverse {
    /// The solver of V + sK.
    pub fn of_helmholtz(volumes: &FiniteVolumes, helmholtz: &Helmholtz) -> Result<Inverse> {
        let algebra = volumes.algebra();
        let matrix = helmholtz.matrix.clone();
        let size = helmholtz.s.abs() * volumes.largest();
        let way = match &helmholtz.multigrid {
            Some(multigrid) if is_worth_cycles(volumes, helmholtz.s) => {
                if volumes.is_uneven() || has_seam(multigrid) {
                    Way::Gradients(gradients(algebra, matrix.rows(), multigrid.clone())?, 1)
                } else {
                    Way::Cycles(multigrid.clone())
                }
            }
            _ => Way::Steps(Steps::new(volumes, helmholtz.s, &matrix)?),
        };
        let count = if let Way::Steps(steps) = &way { steps.least } else { CYCLES };
        let (rounding, known) = (2f64.powi(-23) * (1.0 + size), [way.kind(), count]);
        let levels = helmholtz.multigrid.clone().filter(|_| matches!(way, Way::Gradients(..)));
        Ok(Inverse { matrix: matrix.clone(), nine: Some(matrix), way, levels, known, rounding })
    }

    /// The solver of V (1 + c₁Λ + c₂Λ²), preconditioned by two cycles of V + √c₂ K with V between them.
    pub fn of_square(
        volumes: &FiniteVolumes,
        [c1, c2]: [f64; 2],
        root: &Helmholtz,
        laplacian: &Rc<NinePoint>,
    ) -> Result<Inverse> {
        let (algebra, layout) = (volumes.algebra(), volumes.layout());
        let volume = if volumes.is_whole() { None } else { Some(volumes.volume().try_clone()?) };
        let matrix = Rc::new(Square {
            laplacian: laplacian.clone(),
            inner: scaled_rows(volumes, &volumes.matrix(c1, c2)?)?,
            volume: volume.as_ref().map(Vector::try_clone).transpose()?,
            shares: volumes.shares().to_vec(),
            c: [c1, c2],
        });
        let gradients = match &root.multigrid {
            Some(multigrid) => gradients(algebra, layout, Twice { multigrid: multigrid.clone(), volume })?,
            None => gradients(algebra, layout, volumes.inverse().try_clone()?)?,
        };
        let cycles = if root.multigrid.is_some() { 2 } else { 0 };
        let way = Way::Gradients(gradients, cycles);
        let known = [way.kind(), CYCLES];
        Ok(Inverse { matrix, nine: None, way, levels: None, known, rounding: 0.0 })
    }

    /// Sets the length of blind solves to that of a preconditioner. Cycles are that without the gradients around them; other gradients, which are no fixed matrix, go on until they are nearly one.
    pub fn fix(&mut self) -> Result<()> {
        if let Some(multigrid) = self.levels.take() {
            self.way = Way::Cycles(multigrid);
        }
        let count = match &mut self.way {
            Way::Cycles(_) => CYCLES,
            Way::Steps(steps) => {
                steps.least = steps.steps_for(30.0)?.min(MOST_STEPS);
                steps.least
            }
            Way::Gradients(_, 0) => 2 * MOST,
            Way::Gradients(..) => 8,
        };
        self.known = [self.way.kind(), count];
        Ok(())
    }

    /// True if a look at a solve of this way has found how long a blind one has to be.
    pub fn is_known(&self) -> bool {
        self.known[0] == self.way.kind()
    }

    /// x ≈ A⁻¹ b from the x that is there. With a tolerance it looks at the residual, and goes on until that is below it.
    pub fn solve(&mut self, b: &Vector, x: &mut Vector, tolerance: Option<f64>) -> Result<Effort> {
        let (kind, count) = (self.way.kind(), self.known[1]);
        match (&mut self.way, &self.nine, tolerance) {
            (Way::Cycles(multigrid), Some(a), Some(tolerance)) => {
                let mut effort = Effort::default();
                let mut rest = Vector::uninitialised(a.algebra(), a.rows())?;
                let size_of_b = largest(b)?;
                if size_of_b == 0.0 {
                    x.fill(0.0)?;
                    return Ok(Effort { residual: Some(0.0), ..effort });
                }
                let mut last = f64::INFINITY;
                while effort.cycles < MOST {
                    cycle(multigrid, b, x)?;
                    effort.cycles += 1;
                    if effort.cycles < CYCLES {
                        continue;
                    }
                    a.rest(x, b, &mut rest)?;
                    let (found, nothing) = (largest(&rest)?, self.rounding * (largest(x)? + SMALLEST));
                    effort.residual = Some(found / size_of_b);
                    // A residual that rounding left goes no further down.
                    let is_rounding = found <= nothing && found > 0.5 * last;
                    effort.is_short = !(found <= tolerance * size_of_b || is_rounding);
                    last = found;
                    if !effort.is_short || !found.is_finite() {
                        break;
                    }
                }
                self.known = [kind, effort.cycles];
                Ok(effort)
            }
            (Way::Cycles(multigrid), ..) => {
                (0..count).try_for_each(|_| cycle(multigrid, b, x))?;
                Ok(Effort { cycles: count, ..Effort::default() })
            }
            (Way::Steps(steps), Some(a), Some(tolerance)) => {
                let mut effort = Effort::default();
                let mut rest = Vector::uninitialised(a.algebra(), a.rows())?;
                let size_of_b = largest(b)?;
                if size_of_b == 0.0 {
                    x.fill(0.0)?;
                    return Ok(Effort { residual: Some(0.0), ..effort });
                }
                a.rest(x, b, &mut rest)?;
                let mut last = largest(&rest)?;
                let mut left = LEAST.max(GROWTH * last / (tolerance * size_of_b));
                while effort.iterations < MOST_STEPS {
                    let more = steps.steps_for(left)?.min(MOST_STEPS - effort.iterations);
                    steps.improve(b, x, more)?;
                    effort.iterations += more;
                    a.rest(x, b, &mut rest)?;
                    let (found, nothing) = (largest(&rest)?, self.rounding * (largest(x)? + SMALLEST));
                    effort.residual = Some(found / size_of_b);
                    // Steps add up the roundings of as many as carry a value on: √κ of them.
                    let is_rounding = found <= nothing * steps.spread() && found > 0.5 * last;
                    effort.is_short = !(found <= tolerance * size_of_b || is_rounding);
                    if !effort.is_short || !found.is_finite() {
                        break;
                    }
                    (last, left) = (found, GROWTH * found / (tolerance * size_of_b));
                }
                self.known = [kind, effort.iterations];
                Ok(effort)
            }
            (Way::Steps(steps), ..) => {
                let count = count.max(steps.least);
                steps.improve(b, x, count)?;
                Ok(Effort { iterations: count, ..Effort::default() })
            }
            (Way::Gradients(method, cycles), _, Some(tolerance)) => {
                let size_of_b = largest(b)?;
                if size_of_b == 0.0 {
                    // Bounds would be absolute: an x that is small enough would stay.
                    x.fill(0.0)?;
                    return Ok(Effort { residual: Some(0.0), ..Effort::default() });
                }
                // On a line plain gradients have up to 41, counted in 32 bits for a right side of all waves to 1e-6.
                let most = if *cycles == 0 { 2 * MOST } else { MOST };
                let bounds = Bounds { tolerance: tolerance as f32, max_iterations: most, check_every: 1 };
                let found = iterate(&mut **method, &*self.matrix, b, x, bounds, &mut |_, _| true)?;
                let count = match *cycles {
                    0 => (found.iterations + SPARE).max(2 * SPARE),
                    _ => found.iterations.max(CYCLES),
                };
                self.known = [kind, count];
                Ok(Effort {
                    cycles: *cycles * (found.iterations + 1),
                    iterations: found.iterations,
                    residual: Some(found.residual()),
                    is_short: found.reason != Reason::Converged && tolerance * size_of_b > UNSQUARED,
                })
            }
            (Way::Gradients(method, cycles), _, None) => {
                let bounds = Bounds { tolerance: 0.0, max_iterations: count, check_every: 0 };
                let history = History::new(method.algebra(), bounds)?;
                history.log.texture().clear([0.0; 4]);
                method.start(&*self.matrix, b, x)?;
                for entry in 1..=count {
                    let _scope = self.matrix.algebra().gpu().scope("iteration");
                    method.step(&*self.matrix, x, &history, entry)?;
                }
                let cycles = *cycles * (count + 1);
                Ok(Effort { cycles, iterations: count, ..Effort::default() })
            }
        }
    }
}

fn cycle(multigrid: &Multigrid, b: &Vector, x: &mut Vector) -> Result<()> {
    let _scope = b.algebra().gpu().scope("V-cycle");
    multigrid.cycle(b, x)
}

/// The largest magnitude, which waits for it.
pub(super) fn largest(x: &Vector) -> Result<f64> {
    let mut found = x.algebra().scalar(0.0)?;
    x.max_magnitude(&mut found)?;
    found.get().map(f64::from)
}

/// V⁻¹ A.
fn scaled_rows(volumes: &FiniteVolumes, a: &NinePoint) -> Result<NinePoint> {
    if volumes.is_whole() {
        return Ok(a.clone());
    }
    let mut entries = [const { None }; 9];
    for (scaled, entry) in entries.iter_mut().zip(a.entries()?) {
        if let Some(entry) = entry {
            let mut product = Vector::uninitialised(volumes.algebra(), volumes.layout())?;
            product.set_product(1.0, volumes.inverse(), entry)?;
            *scaled = Some(product);
        }
    }
    NinePoint::of(volumes.algebra(), volumes.layout(), a.periodic(), entries)
}

/// C V C, C one cycle: an approximate inverse of (V + sK) V⁻¹ (V + sK).
struct Twice {
    multigrid: Rc<Multigrid>,
    volume: Option<Vector>,
}

impl Preconditioner for Twice {
    fn precondition(&self, r: &Vector, z: &mut Vector) -> Result<()> {
        let mut half = Vector::uninitialised(r.algebra(), r.layout())?;
        self.multigrid.precondition(r, &mut half)?;
        if let Some(volume) = &self.volume {
            half.mul(volume)?;
        }
        self.multigrid.precondition(&half, z)
    }
}

/// V (1 + c₁Λ + c₂Λ²) as V + K (c₁ + c₂Λ): two products, three where there are parts of cells.
struct Square {
    /// K.
    laplacian: Rc<NinePoint>,
    /// c₁ + c₂ Λ.
    inner: NinePoint,
    volume: Option<Vector>,
    shares: Vec<f64>,
    c: [f64; 2],
}

impl LinearOperator for Square {
    fn algebra(&self) -> &Algebra {
        self.laplacian.algebra()
    }

    fn rows(&self) -> Packed2x2 {
        self.laplacian.rows()
    }

    fn columns(&self) -> Packed2x2 {
        self.laplacian.rows()
    }

    fn apply(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        self.check(op, x, out)?;
        let vector = || Vector::uninitialised(self.algebra(), self.rows());
        let mut inner = vector()?;
        self.inner.apply(Op::Null, x, &mut inner)?;
        let Some(volume) = &self.volume else {
            self.laplacian.apply(Op::Add(x), &inner, out)?;
            return match op {
                Op::Null => Ok(()),
                Op::Add(y) => out.add(y),
                Op::Sub(y) => out.sub(y),
            };
        };
        let mut base = vector()?;
        match op.vector() {
            None => base.set_product(1.0, volume, x)?,
            Some(y) => base.set_product_sum(1.0, (volume, x), op.sign() as f32, y)?,
        }
        self.laplacian.apply(Op::Add(&base), &inner, out)
    }

    /// It is symmetric.
    fn apply_transposed(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        self.apply(op, x, out)
    }

    fn multiply(&self, x: &[f64]) -> Vec<f64> {
        let divided = |k: Vec<f64>| -> Vec<f64> {
            k.iter().zip(&self.shares).map(|(k, &share)| if share > 0.0 { k / share } else { 0.0 }).collect()
        };
        let once = divided(self.laplacian.multiply(x));
        let inner: Vec<f64> = x.iter().zip(&once).map(|(x, l)| self.c[0] * x + self.c[1] * l).collect();
        let outer = self.laplacian.multiply(&inner);
        x.iter().zip(&self.shares).zip(outer).map(|((x, share), k)| share * x + k).collect()
    }

    fn multiply_transposed(&self, x: &[f64]) -> Vec<f64> {
        self.multiply(x)
    }

    fn diagonal(&self) -> Vec<f64> {
        let square = self.laplacian.matrix().map_or_else(
            |_| vec![0.0; self.shares.len()],
            |k: &Csr| {
                (0..k.rows())
                    .map(|i| k.row(i).map(|(j, v)| v * v / self.shares[j].max(1e-300)).sum())
                    .collect()
            },
        );
        let own = self.laplacian.diagonal();
        let rest = own.iter().zip(&square).map(|(k, kk)| self.c[0] * k + self.c[1] * kk);
        self.shares.iter().zip(rest).map(|(share, rest)| share + rest).collect()
    }
}
