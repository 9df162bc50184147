//! Solvers, against f64 on the CPU and against their own promises.

#[path = "../support/mod.rs"]
mod support;

mod best;
mod breakdown;
mod calls;
mod cards;
mod chebyshev;
mod coefficients;
mod counters;
mod coupled;
mod double_single;
mod inlined;
mod joined;
mod kernels;
mod lcp;
mod least_squares;
mod least_squares_counts;
mod matrix_cg;
mod methods;
mod multigrid;
mod multigrid_laws;
mod multigrid_levels;
mod multigrid_solving;
mod own;
mod poisson;
mod polynomial;
mod refusals;
mod scaled;
mod scales;
mod starts;
mod stepper;
mod voxels;

use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, Banded};
use quadrille::numeric::{Csr, Random};
use quadrille::solve::{Method, Preconditioning, Solution};
use quadrille::{Gpu, Result};

pub fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

pub fn true_residual(a: &Csr, b: &[f64], x: &[f64]) -> f64 {
    norm(&b.iter().zip(a.multiply(x)).map(|(b, p)| b - p).collect::<Vec<_>>()) / norm(b)
}

/// Between −1 and 1, without 1.
pub fn numbers(n: usize, seed: u64) -> Vec<f64> {
    Random(seed).floats(n).into_iter().map(f64::from).collect()
}

/// The matrix by diagonals on a folded vector.
pub fn banded(gpu: &Gpu, matrix: &Csr) -> Result<Banded> {
    Banded::new(&Algebra::new(gpu), Packed2x2::folded(matrix.rows())?, matrix.clone())
}

/// That it converged, and that the residual it reports is the one of b − A x in f64: both are computed by the same
/// sums, so they agree to their last bits.
pub fn holds(a: &Csr, b: &[f64], tolerance: f64, solution: &Solution, what: &str) {
    let truth = true_residual(a, b, &solution.x);
    let report = &solution.report;
    assert!(report.converged(), "{what}: {} at {truth:e}", report.reason);
    assert!(truth <= tolerance * (1.0 + 1e-9), "{what}: {truth:e}");
    assert!((report.relative_residual - truth).abs() <= 1e-6 * truth + 1e-15, "{what}: {report:?}");
    assert_eq!(report.history.len(), report.iterations + 1, "{what}");
}

/// Every method, plain and fused, with each preconditioner that it takes.
pub const EVERY: [(Method, bool, Preconditioning); 7] = [
    (Method::Cg, true, Preconditioning::None),
    (Method::Cg, true, Preconditioning::Jacobi),
    (Method::Cg, false, Preconditioning::None),
    (Method::Cg, false, Preconditioning::Jacobi),
    (Method::BiCgStab, true, Preconditioning::None),
    (Method::BiCgStab, true, Preconditioning::Jacobi),
    (Method::Cgls, true, Preconditioning::None),
];
