//! Preconditioners and iterations of the caller's, by the same outer loop as those of the library.

use std::cell::Cell;
use std::ops::ControlFlow;

use super::support::{on_gpu, refusal};
use super::{banded, holds, numbers, true_residual};
use quadrille::layout::{Packed2x2, Voxels};
use quadrille::linalg::{
    Algebra, Banded, BoundaryCondition, Gather, LinearOperator, NinePoint, Op, Scalar, SevenPoint, Sum,
    Vector,
};
use quadrille::numeric::Csr;
use quadrille::solve::{
    Bounds, Cycle, History, Iteration, Method, Missing, Multigrid, Pcg, Preconditioner, Preconditioning,
    Progress, Reason, Settings, Solution, VoxelMultigrid, check_preconditioner, iterate, residual, solve,
    solve_by,
};
use quadrille::{Error, Result};
use quadrille_oracle::matrices;

const TOLERANCE: f64 = 1e-10;

fn settings() -> Settings {
    Settings { tolerance: TOLERANCE, ..Settings::default() }
}

fn go_on(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn solved<'a>(method: impl Iteration + 'a, a: &dyn LinearOperator, b: &[f64]) -> Result<Solution> {
    solve_by(Box::new(method), a, b, None, &settings(), &mut go_on)
}

/// I − L D⁻¹, L the part of A below its diagonal D.
fn swept(a: &Csr) -> Result<Csr> {
    let d = a.diagonal();
    let below = a.triplets().filter(|&(i, j, _)| j < i).map(|(i, j, value)| (i, j, -value / d[j]));
    Csr::from_triplets(a.rows(), a.rows(), below.chain((0..a.rows()).map(|i| (i, i, 1.0))))
}

/// (I − L D⁻¹)ᵀ D⁻¹ (I − L D⁻¹): symmetric Gauss–Seidel without its far terms. It borrows what it is made of.
struct Sweeps<'a> {
    factor: &'a dyn LinearOperator,
    inverse: &'a Vector,
}

impl Preconditioner for Sweeps<'_> {
    fn precondition(&self, r: &Vector, z: &mut Vector) -> Result<()> {
        let (mut down, mut scaled) = (r.try_clone()?, r.try_clone()?);
        self.factor.apply(Op::Null, r, &mut down)?;
        scaled.set_product(1.0, self.inverse, &down)?;
        self.factor.apply_transposed(Op::Null, &scaled, z)
    }
}

/// 1/aᵢᵢ on the GPU.
fn inverse(algebra: &Algebra, layout: Packed2x2, a: &Csr) -> Result<Vector> {
    algebra.vector(layout, &a.diagonal().iter().map(|d| (1.0 / d) as f32).collect::<Vec<_>>())
}

/// The inverses of blocks of two rows and columns, as a matrix.
fn block_inverses(a: &Csr) -> Result<Csr> {
    let n = a.rows();
    let blocks = (0..n).step_by(2).flat_map(|i| {
        if i + 1 == n {
            return vec![(i, i, 1.0 / a.entry(i, i))];
        }
        let [p, q, r, s] = [(i, i), (i, i + 1), (i + 1, i), (i + 1, i + 1)].map(|(i, j)| a.entry(i, j));
        let determinant = p * s - q * r;
        let of = |i, j, value: f64| (i, j, value / determinant);
        vec![of(i, i, s), of(i, i + 1, -q), of(i + 1, i, -r), of(i + 1, i + 1, p)]
    });
    Csr::from_triplets(n, n, blocks)
}

#[test]
fn a_preconditioner_of_the_callers_needs_fewer_iterations_and_meets_the_tolerance_in_f64() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        for (width, height) in [(1, 1), (2, 3), (31, 57)] {
            let matrix = Csr::poisson(width, height)?;
            let (a, b) = (banded(gpu, &matrix)?, numbers(matrix.rows(), 5));
            let (factor, inverse) = (banded(gpu, &swept(&matrix)?)?, inverse(&algebra, a.rows(), &matrix)?);
            let sweeps = Sweeps { factor: &factor, inverse: &inverse };
            check_preconditioner(&sweeps, &a)?;
            let found = solved(Pcg::new(&algebra, a.rows(), sweeps)?, &a, &b)?;
            holds(&matrix, &b, TOLERANCE, &found, "sweeps");
            let plain = solve(&a, &b, None, &settings())?.report.iterations;
            // The condition falls to a third or less, and iterations by its root; looks come up to 32 late, in each correction.
            let most = plain as f64 / 3f64.sqrt() + 32.0 * (found.report.refinements + 1) as f64;
            assert!((found.report.iterations as f64) < most, "{} and {plain}", found.report.iterations);
        }
        Ok(())
    })
}

#[test]
fn a_matrix_is_a_preconditioner() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        for n in [1, 2, 97, 500] {
            let matrix = matrices::positive_definite(n, 3, n as u64)?;
            let (layout, b) = (Packed2x2::folded(n)?, numbers(n, 7));
            let a = Gather::new(&algebra, layout, layout, matrix.clone())?;
            let blocks = banded(gpu, &block_inverses(&matrix)?)?;
            check_preconditioner(&blocks, &a)?;
            let r = algebra.vector(layout, &b.iter().map(|&b| b as f32).collect::<Vec<_>>())?;
            let (mut z, mut product) = (algebra.zeros(layout)?, algebra.zeros(layout)?);
            blocks.precondition(&r, &mut z)?;
            blocks.apply(Op::Null, &r, &mut product)?;
            assert_eq!(z.get()?, product.get()?, "{n}");
            let by_pcg = solved(Pcg::new(&algebra, layout, blocks)?, &a, &b)?;
            holds(&matrix, &b, TOLERANCE, &by_pcg, "blocks");
        }
        Ok(())
    })
}

/// x ← x + α r, α = r·r / r·A r.
struct SteepestDescent {
    b: Vector,
    r: Vector,
    q: Vector,
    rr: Scalar,
    rq: Scalar,
    alpha: Scalar,
}

impl SteepestDescent {
    fn new(algebra: &Algebra, layout: Packed2x2) -> Result<SteepestDescent> {
        let (vector, scalar) = (|| algebra.zeros(layout), || algebra.scalar(0.0));
        let (b, r, q) = (vector()?, vector()?, vector()?);
        Ok(SteepestDescent { b, r, q, rr: scalar()?, rq: scalar()?, alpha: scalar()? })
    }
}

impl Iteration for SteepestDescent {
    fn algebra(&self) -> &Algebra {
        self.r.algebra()
    }

    fn start(&mut self, a: &dyn LinearOperator, b: &Vector, x: &Vector) -> Result<()> {
        self.b.copy_from(b)?;
        residual(a, b, x, &mut self.r)
    }

    fn step(
        &mut self,
        a: &dyn LinearOperator,
        x: &mut Vector,
        history: &History,
        entry: usize,
    ) -> Result<()> {
        a.apply(Op::Null, &self.r, &mut self.q)?;
        self.r.dot(&self.q, &mut self.rq)?;
        self.finish(history, entry)?;
        history.step_length(&self.rr, &self.rq, &self.rr, &mut self.alpha)?;
        x.axpy(&self.alpha, &self.r)?;
        residual(a, &self.b, x, &mut self.r)
    }

    fn finish(&mut self, history: &History, entry: usize) -> Result<()> {
        self.r.dot(&self.r, &mut self.rr)?;
        history.record(entry, &self.rq, &self.rr)
    }
}

#[test]
fn an_iteration_of_the_callers_meets_the_tolerance_in_f64_and_is_lent() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        for n in [1, 3, 97] {
            let matrix = matrices::positive_definite(n, 3, n as u64)?;
            let (layout, b) = (Packed2x2::folded(n)?, numbers(n, 11));
            let a = Gather::new(&algebra, layout, layout, matrix.clone())?;
            let mut descent = SteepestDescent::new(&algebra, layout)?;
            let found = solved(&mut descent, &a, &b)?;
            holds(&matrix, &b, TOLERANCE, &found, "steepest descent");
            // 32 bits alone come to some 10⁻⁷.
            assert!(found.report.refinements > 0 || n == 1, "{n}");
            assert_eq!(solved(&mut descent, &a, &b)?, found, "started anew, {n}");
        }
        Ok(())
    })
}

#[test]
fn a_divisor_below_zero_is_an_indefinite_matrix() -> Result<()> {
    on_gpu(|gpu| {
        let matrix = matrices::positive_definite(40, 3, 1)?;
        let negative = Csr::from_triplets(40, 40, matrix.triplets().map(|(i, j, value)| (i, j, -value)))?;
        let (algebra, layout) = (Algebra::new(gpu), Packed2x2::folded(40)?);
        let a = Gather::new(&algebra, layout, layout, negative)?;
        let (b, mut x) = (algebra.vector(layout, &[1.0; 40])?, algebra.zeros(layout)?);
        let bounds = Bounds { tolerance: 1e-5, max_iterations: 100, check_every: 4 };
        let mut descent = SteepestDescent::new(&algebra, layout)?;
        let outcome = iterate(&mut descent, &a, &b, &mut x, bounds, &mut |_, _| true)?;
        assert_eq!(outcome.reason, Reason::Indefinite);
        Ok(())
    })
}

/// x ← x + ω r, with an own patience, and an own vector that the tolerance is relative to.
struct Richardson {
    omega: Scalar,
    one: Scalar,
    length: Scalar,
    rr: Scalar,
    b: Vector,
    r: Vector,
    patience: usize,
    relative_to: Option<Vector>,
}

impl Richardson {
    fn new(algebra: &Algebra, layout: Packed2x2, omega: f32, patience: usize) -> Result<Richardson> {
        let scalar = |value| algebra.scalar(value);
        let (omega, one, length, rr) = (scalar(omega)?, scalar(1.0)?, scalar(0.0)?, scalar(0.0)?);
        let (b, r) = (algebra.zeros(layout)?, algebra.zeros(layout)?);
        Ok(Richardson { omega, one, length, rr, b, r, patience, relative_to: None })
    }
}

impl Iteration for Richardson {
    fn algebra(&self) -> &Algebra {
        self.r.algebra()
    }

    fn start(&mut self, a: &dyn LinearOperator, b: &Vector, x: &Vector) -> Result<()> {
        self.b.copy_from(b)?;
        residual(a, b, x, &mut self.r)
    }

    fn step(
        &mut self,
        a: &dyn LinearOperator,
        x: &mut Vector,
        history: &History,
        entry: usize,
    ) -> Result<()> {
        self.finish(history, entry)?;
        history.step_length(&self.omega, &self.one, &self.rr, &mut self.length)?;
        x.axpy(&self.length, &self.r)?;
        residual(a, &self.b, x, &mut self.r)
    }

    fn finish(&mut self, history: &History, entry: usize) -> Result<()> {
        self.r.dot(&self.r, &mut self.rr)?;
        history.record_residual(entry, &self.rr)
    }

    fn relative_to<'a>(&'a self, b: &'a Vector) -> &'a Vector {
        self.relative_to.as_ref().unwrap_or(b)
    }

    fn patience(&self) -> usize {
        self.patience
    }
}

#[test]
fn the_tolerance_is_relative_to_the_vector_that_the_iteration_says() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, a) = (Algebra::new(gpu), banded(gpu, &Csr::poisson(7, 5)?)?);
        let b = algebra.vector(a.rows(), &[1.0; 35])?;
        let bounds = Bounds { tolerance: 1e-3, max_iterations: 400, check_every: 4 };
        let run = |relative_to: Option<Vector>| {
            let mut richardson = Richardson::new(&algebra, a.rows(), 0.25, 500)?;
            richardson.relative_to = relative_to;
            iterate(&mut &mut richardson, &a, &b, &mut algebra.zeros(a.columns())?, bounds, &mut |_, _| true)
        };
        let (own, b_itself) = (run(Some(algebra.vector(a.rows(), &[64.0; 35])?))?, run(None)?);
        assert!(own.reason == Reason::Converged && b_itself.reason == Reason::Converged);
        // 1/64 and 1 are exact in 32 bits, and so are the squares of the norms, 35 · 64² and 35.
        assert_eq!([own.history[0], b_itself.history[0]], [1.0 / 64.0, 1.0]);
        assert!(own.iterations < b_itself.iterations);
        Ok(())
    })
}

/// ω = 1/4 is 1/aᵢᵢ. With ω = 1 the eigenvalues up to 8 grow sevenfold a step.
#[test]
fn what_grows_ends_at_its_best_x_and_what_stands_still_has_the_patience_it_asks_for() -> Result<()> {
    on_gpu(|gpu| {
        let matrix = Csr::poisson(7, 5)?;
        let (algebra, a, b) = (Algebra::new(gpu), banded(gpu, &matrix)?, numbers(35, 2));
        let found = solved(Richardson::new(&algebra, a.rows(), 0.25, 500)?, &a, &b)?;
        holds(&matrix, &b, TOLERANCE, &found, "Richardson");

        let (right, begin) = (algebra.vector(a.rows(), &[1.0; 35])?, algebra.vector(a.rows(), &[0.5; 35])?);
        let bounds = Bounds { tolerance: 1e-5, max_iterations: 400, check_every: 4 };
        let run = |omega, patience, bounds| {
            let mut x = begin.try_clone()?;
            let mut method = Richardson::new(&algebra, a.rows(), omega, patience)?;
            let outcome = iterate(&mut &mut method, &a, &right, &mut x, bounds, &mut |_, _| true)?;
            Ok((outcome, x.get()?))
        };
        let (grown, x) = run(1.0, 500, bounds)?;
        let least = grown.history.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!((grown.reason, grown.residual()), (Reason::NotFinite, least));
        assert!(grown.kept < grown.iterations);
        let so_many = Bounds { max_iterations: grown.kept, check_every: 0, ..bounds };
        assert_eq!(x, run(1.0, 500, so_many)?.1);
        // The first entry is the smallest, and so many later ones are none; looks are four apart, and the second takes in the first.
        for patience in [5, 50] {
            let (still, _) = run(0.0, patience, bounds)?;
            assert_eq!(still.reason, Reason::Stalled);
            assert!((patience..=patience + 10).contains(&still.iterations), "{}", still.iterations);
        }
        // With patience without an end nothing stalls, although the smallest residual is a late one. (Equal numbers end at a residual of 0.)
        let (uneven, mut x) = (
            algebra.vector(a.rows(), &b.iter().map(|&b| b as f32).collect::<Vec<f32>>())?,
            begin.try_clone()?,
        );
        let mut method = Richardson::new(&algebra, a.rows(), 0.25, usize::MAX)?;
        let nothing_is_met = Bounds { tolerance: 0.0, ..bounds };
        let endless = iterate(&mut &mut method, &a, &uneven, &mut x, nothing_is_met, &mut |_, _| true)?;
        assert_eq!((endless.reason, endless.iterations), (Reason::MaxIterations, bounds.max_iterations));
        Ok(())
    })
}

/// Steps that change nothing, and a residual of 0.
struct Believer {
    algebra: Algebra,
    nothing: Scalar,
}

impl Iteration for Believer {
    fn algebra(&self) -> &Algebra {
        &self.algebra
    }

    fn start(&mut self, _: &dyn LinearOperator, _: &Vector, _: &Vector) -> Result<()> {
        Ok(())
    }

    fn step(
        &mut self,
        _: &dyn LinearOperator,
        _: &mut Vector,
        history: &History,
        entry: usize,
    ) -> Result<()> {
        self.finish(history, entry)
    }

    fn finish(&mut self, history: &History, entry: usize) -> Result<()> {
        history.record_residual(entry, &self.nothing)
    }
}

#[test]
fn what_an_iteration_believes_is_not_what_is_reported() -> Result<()> {
    on_gpu(|gpu| {
        let matrix = Csr::poisson(7, 5)?;
        let (a, b) = (banded(gpu, &matrix)?, numbers(35, 2));
        let algebra = Algebra::new(gpu);
        let nothing = algebra.scalar(0.0)?;
        let found = solved(Believer { algebra, nothing }, &a, &b)?;
        assert_eq!((found.report.reason, found.report.relative_residual), (Reason::Stalled, 1.0));
        assert_eq!(found.x, [0.0; 35]);
        Ok(())
    })
}

#[test]
fn preconditioners_of_the_library_are_symmetric_and_positive() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let grid = Packed2x2::grid(33, 20)?;
        let poisson = NinePoint::poisson(&algebra, grid, BoundaryCondition::Dirichlet)?;
        check_preconditioner(&Multigrid::new(&poisson, Missing::Fixed, Cycle::default())?, &poisson)?;
        check_preconditioner(&algebra.vector(grid, &[0.5; 660])?, &poisson)?;
        let voxels = Voxels::new([9, 6, 5], gpu.limits().texture_size)?;
        let six = SevenPoint::of(voxels, algebra.vector(voxels.layout(), &voxels.spread(&[6.5; 270])?)?)?;
        check_preconditioner(&VoxelMultigrid::new(&six, 2)?, &six)
    })
}

/// Half of symmetric Gauss–Seidel, a cycle with sweeps on one way alone, and a negative diagonal.
#[test]
fn what_is_not_symmetric_or_not_positive_is_named_with_both_products() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let matrix = Csr::poisson(33, 20)?;
        let half = banded(gpu, &swept(&matrix)?)?;
        let a = banded(gpu, &matrix)?;
        let line = refusal(check_preconditioner(&half, &a));
        assert!(line.starts_with("preconditioner = u·M v = ") && line.contains(" and v·M u = "), "{line}");
        assert!(line.ends_with(": expected a symmetric M, for which the two are equal"), "{line}");
        let negative = algebra.vector(a.rows(), &[-0.25; 660])?;
        let line = refusal(check_preconditioner(&negative, &a));
        assert!(line.starts_with("preconditioner = u·M u = -"), "{line}");
        assert!(line.ends_with(": expected a positive definite M, u·M u above 0"), "{line}");
        let grid = Packed2x2::grid(33, 20)?;
        let a = NinePoint::poisson(&algebra, grid, BoundaryCondition::Dirichlet)?;
        let cycle = Cycle { before: 3, after: 0, ..Cycle::default() };
        let line = refusal(check_preconditioner(&Multigrid::new(&a, Missing::Fixed, cycle)?, &a));
        assert!(line.ends_with("a symmetric M, for which the two are equal"), "{line}");
        Ok(())
    })
}

/// By an M that is not symmetric conjugate gradients need twice as many iterations as without one, and more; the report is true.
#[test]
fn the_report_of_a_wrong_preconditioner_is_true() -> Result<()> {
    on_gpu(|gpu| {
        let matrix = Csr::poisson(33, 20)?;
        let (a, b) = (banded(gpu, &matrix)?, numbers(660, 4));
        let half = banded(gpu, &swept(&matrix)?)?;
        let found = solved(Pcg::new(&Algebra::new(gpu), a.rows(), half)?, &a, &b)?;
        let truth = true_residual(&matrix, &b, &found.x);
        assert!((found.report.relative_residual - truth).abs() <= 1e-6 * truth, "{:?}", found.report.reason);
        assert_eq!(found.report.converged(), truth <= TOLERANCE);
        let plain = solve(&a, &b, None, &settings())?.report.iterations;
        println!("{:?} {} beside {plain}", found.report.reason, found.report.iterations);
        assert!(!found.report.converged() || found.report.iterations > 2 * plain);
        Ok(())
    })
}

/// A matrix of the caller's that says on which vectors it works and computes A x, and nothing else.
struct OnlyApply<A>(A);

impl<A: LinearOperator> LinearOperator for OnlyApply<A> {
    fn algebra(&self) -> &Algebra {
        self.0.algebra()
    }
    fn rows(&self) -> Packed2x2 {
        self.0.rows()
    }
    fn apply(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        self.0.apply(Op::Null, x, out)?;
        op.add_to(out)
    }
}

#[test]
fn an_operator_that_only_applies_is_solved_and_measured_by_its_own_products() -> Result<()> {
    on_gpu(|gpu| {
        for (width, height) in [(1, 1), (2, 3), (31, 57)] {
            let matrix = Csr::poisson(width, height)?;
            let a = OnlyApply(banded(gpu, &matrix)?);
            let n = matrix.rows();
            let (x, y) = (numbers(n, 3), numbers(n, 4));
            let vector =
                |x: &[f64]| a.algebra().vector(a.rows(), &x.iter().map(|x| *x as f32).collect::<Vec<_>>());
            let (u, v) = (vector(&x)?, vector(&y)?);
            for op in [Op::Null, Op::Add(&v), Op::Sub(&v)] {
                let (mut found, mut expected) = (vector(&y)?, vector(&y)?);
                a.apply(op, &u, &mut found)?;
                a.0.apply(op, &u, &mut expected)?;
                let worst =
                    found.get()?.iter().zip(expected.get()?).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                // Two roundings instead of one, of numbers below 16.
                assert!(worst <= 16.0 * f32::EPSILON, "{worst}");
            }
            // Any size in f64: |A| |x| is at most 8 max|x|, and each product is rounded to 2⁻²⁴ of it a few times.
            for scale in [1.0, 1e60, 1e-60] {
                let x: Vec<f64> = x.iter().map(|x| x * scale).collect();
                let largest = x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                let errors = a.multiply(&x).into_iter().zip(matrix.multiply(&x)).map(|(a, b)| (a - b).abs());
                let worst = errors.fold(0.0, f64::max);
                assert!(worst <= 8.0 * 4.0 * 2f64.powi(-24) * largest, "{scale}: {worst}");
            }
            // More digits than 32 bits hold, and each part's product exact.
            let fine = vec![1.0 + 2f64.powi(-30); n];
            assert_eq!(a.multiply(&fine), matrix.multiply(&fine));
            let settings = Settings { tolerance: 1e-5, ..Settings::default() };
            let found = solve(&a, &y, None, &settings)?;
            let truth = true_residual(&matrix, &y, &found.x);
            assert!(found.report.converged() && truth <= 1.1e-5, "{truth}");
        }
        Ok(())
    })
}

/// A matrix of the caller's whose product fails from that call on.
struct Failing(Banded, Cell<usize>);

impl LinearOperator for Failing {
    fn algebra(&self) -> &Algebra {
        self.0.algebra()
    }
    fn rows(&self) -> Packed2x2 {
        self.0.rows()
    }
    fn apply(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        let Some(left) = self.1.get().checked_sub(1) else {
            let (found, expected) = ("-1".to_owned(), "0 or more".to_owned());
            return Err(Error::BadParameter { name: "screening", found, expected });
        };
        self.1.set(left);
        self.0.apply(op, x, out)
    }
    fn apply_transposed(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        self.apply(op, x, out)
    }
}

#[test]
fn the_error_of_a_product_is_the_one_that_a_solver_ends_with() -> Result<()> {
    on_gpu(|gpu| {
        let matrix = Csr::poisson(7, 5)?;
        for method in [Method::Cg, Method::BiCgStab, Method::Cgls] {
            let settings = Settings { method, ..Settings::default() };
            // The first calls are of the residual in f64, the next ones of the iteration, and at its end of the residual again.
            let mut refused = 0;
            for calls in 0..200 {
                let a = Failing(banded(gpu, &matrix)?, Cell::new(calls));
                let line = match solve(&a, &[1.0; 35], None, &settings) {
                    Ok(_) => break,
                    Err(error) => error.to_string(),
                };
                assert_eq!(line, "screening = -1: expected 0 or more", "{method:?}, after {calls} calls");
                refused += 1;
            }
            assert!((4..200).contains(&refused), "{method:?}: {refused}");
        }
        let sum = Sum::new(Failing(banded(gpu, &matrix)?, Cell::new(0)), banded(gpu, &matrix)?)?;
        assert_eq!(
            refusal(solve(&sum, &[1.0; 35], None, &Settings::default())),
            "screening = -1: expected 0 or more"
        );
        Ok(())
    })
}

#[test]
fn what_an_operator_leaves_out_is_refused_by_name() -> Result<()> {
    on_gpu(|gpu| {
        let matrix = Csr::poisson(7, 5)?;
        let a = OnlyApply(banded(gpu, &matrix)?);
        let mut out = a.algebra().zeros(a.rows())?;
        let line = refusal(a.apply_transposed(Op::Null, &a.algebra().zeros(a.rows())?, &mut out));
        assert_eq!(
            line,
            "a product with Aᵀ needs LinearOperator::apply_transposed, which this operator does not offer"
        );
        assert!(a.diagonal().is_empty() && a.multiply_transposed(&[1.0; 35]).is_empty());
        let of = |method, preconditioner| {
            refusal(solve(&a, &[1.0; 35], None, &Settings { method, preconditioner, ..Settings::default() }))
        };
        // Aᵀb would have a norm of 0, and x = 0 would solve it.
        assert_eq!(
            of(Method::Cgls, Preconditioning::None),
            "a product with Aᵀ needs LinearOperator::apply_transposed, which this operator does not offer"
        );
        let expected =
            "the Jacobi preconditioner needs LinearOperator::diagonal, which this operator does not offer";
        for method in [Method::Cg, Method::BiCgStab] {
            assert_eq!(of(method, Preconditioning::Jacobi), expected);
        }
        Ok(())
    })
}
