//! A preconditioner of one's own: M⁻¹ = D⁻¹ + (I − D⁻¹ A) D⁻¹, two terms of a Neumann series, made of passes that are there.

use std::ops::ControlFlow;

use quadrille::linalg::{Algebra, Banded, LinearOperator, Op, Packed2x2, Vector};
use quadrille::solve::{Pcg, Preconditioner, Settings, check_preconditioner, solve, solve_by};
use quadrille::{Gpu, Result, numeric::Csr};

/// A, whose diagonal is 4 everywhere.
struct Neumann<'a>(&'a Banded);

impl Preconditioner for Neumann<'_> {
    fn precondition(&self, r: &Vector, z: &mut Vector) -> Result<()> {
        self.0.apply(Op::Null, r, z)?; // z = A r
        z.aypx(-0.125, r) // z = r − A r / 8, which is 2 M⁻¹ r: a factor is nothing to conjugate gradients
    }
}

pub fn main() -> Result<()> {
    let algebra = Algebra::new(&Gpu::headless()?);
    let grid = Packed2x2::grid(31, 57)?;
    let matrix = Csr::poisson(31, 57)?;
    let a = Banded::new(&algebra, grid, matrix.clone())?;
    check_preconditioner(&Neumann(&a), &a)?; // symmetric and positive definite, or an error that says what it is not

    let (b, settings) = (vec![1.0; 31 * 57], Settings { tolerance: 1e-8, ..Settings::default() });
    let plain = solve(&a, &b, None, &settings)?.report;
    let method = Box::new(Pcg::new(&algebra, grid, Neumann(&a))?);
    let found = solve_by(method, &a, &b, None, &settings, &mut |_| ControlFlow::Continue(()))?;
    println!("{} iterations, {} without it", found.report.iterations, plain.iterations);

    let r = matrix.multiply(&found.x).iter().map(|ax| (1.0 - ax).powi(2)).sum::<f64>().sqrt();
    assert!(r <= 1e-8 * (31.0 * 57.0_f64).sqrt() && found.report.iterations < plain.iterations);
    Ok(())
}
