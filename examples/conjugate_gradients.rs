//! Listing 44-1: conjugate gradients, one call a line. Scalars stay on the GPU; the first number comes back at the end.

use quadrille::linalg::{Algebra, Banded, LinearOperator, Op, Packed2x2};
use quadrille::{Gpu, numeric::Csr};

pub fn main() -> quadrille::Result<()> {
    let algebra = Algebra::new(&Gpu::headless()?);
    let grid = Packed2x2::grid(31, 57)?;
    let a = Banded::new(&algebra, grid, Csr::poisson(31, 57)?)?;
    let b = algebra.vector(grid, &[1.0; 31 * 57])?;
    let (mut x, mut r, mut q) = (algebra.zeros(grid)?, b.try_clone()?, algebra.zeros(grid)?);
    let mut p = r.try_clone()?;
    let scalar = || algebra.scalar(0.0);
    let (mut rho, mut next, mut pq, mut alpha, mut beta) =
        (scalar()?, scalar()?, scalar()?, scalar()?, scalar()?);
    r.dot(&r, &mut rho)?;
    for _ in 0..120 {
        a.apply(Op::Null, &p, &mut q)?; // q = A p
        p.dot(&q, &mut pq)?;
        rho.div_guarded(&pq, &mut alpha)?; // α = ρ / p·q
        x.axpy(&alpha, &p)?; // x += α p
        r.axpy(-&alpha, &q)?; // r −= α q
        r.dot(&r, &mut next)?;
        next.div_guarded(&rho, &mut beta)?; // β = ρ'/ρ
        p.aypx(&beta, &r)?; // p = r + β p
        std::mem::swap(&mut rho, &mut next);
    }

    let found: Vec<f64> = x.get()?.into_iter().map(f64::from).collect();
    let product = Csr::poisson(31, 57)?.multiply(&found);
    let residual = product.iter().map(|ax| (1.0 - ax).powi(2)).sum::<f64>().sqrt() / (31.0 * 57.0_f64).sqrt();
    println!("|b - A x| / |b| = {residual:.1e}");
    assert!(residual < 1e-4);
    Ok(())
}
