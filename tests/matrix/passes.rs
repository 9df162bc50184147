//! How many passes a product is, on which card.

use quadrille::linalg::Algebra;
use quadrille::matrix::Matrix;
use quadrille::{Gpu, Limits, Result};

use super::support::{on_card, on_gpu};

/// Passes of the second of two products: the first has made what is kept.
fn passes(gpu: &Gpu, mut product: impl FnMut() -> Result<()>) -> Result<u64> {
    product()?;
    let before = gpu.counters().passes;
    product()?;
    Ok(gpu.counters().passes - before)
}

/// Passes of A B, Aᵀ B and A Bᵀ of 64×64 matrices.
fn forms(gpu: &Gpu) -> Result<[u64; 3]> {
    let algebra = Algebra::new(gpu);
    let (a, b) = (Matrix::identity(&algebra, 64)?, Matrix::identity(&algebra, 64)?);
    let mut c = Matrix::zeros(&algebra, 64, 64)?;
    Ok([
        passes(gpu, || c.multiply(&a, &b))?,
        passes(gpu, || c.multiply_transposed(&a, &b))?,
        passes(gpu, || c.gemm(1.0, &a, b.t(), 0.0))?,
    ])
}

#[test]
fn a_radeon_makes_six_operations_a_pass_and_four_of_the_transposed() -> Result<()> {
    // 16 blocks of four columns: 6 + 6 + 4, and 4 four times; a transpose besides.
    on_card(Limits::RADEON_9700, |gpu| {
        assert_eq!(forms(gpu)?, [3, 4, 4]);
        Ok(())
    })?;
    on_card(Limits { float_blend: true, ..Limits::RADEON_9700 }, |gpu| {
        assert_eq!(forms(gpu)?, [3, 4, 4]);
        Ok(())
    })
}

#[test]
fn a_geforce_fx_makes_all_of_them_in_one_pass() -> Result<()> {
    on_card(Limits::GEFORCE_FX, |gpu| {
        assert_eq!(forms(gpu)?, [1, 1, 2]);
        Ok(())
    })
}

#[test]
fn several_targets_take_one_pass_and_are_copied_side_by_side() -> Result<()> {
    on_card(Limits::GEFORCE_6800, |gpu| {
        assert_eq!(forms(gpu)?, [1, 1, 2]);
        Ok(())
    })?;
    on_gpu(|gpu| {
        assert_eq!(forms(gpu)?, [1, 1, 2]);
        let algebra = Algebra::new(gpu);
        let (a, b) = (Matrix::identity(&algebra, 64)?, Matrix::identity(&algebra, 64)?);
        let mut c = Matrix::zeros(&algebra, 64, 64)?;
        // A factor has to be multiplied by: a pass for each target.
        let targets = u64::from(gpu.limits().targets.min(8));
        assert_eq!(passes(gpu, || c.gemm(2.0, &a, &b, 0.0))?, 1 + targets);
        assert_eq!(passes(gpu, || c.gemm(1.0, &a, &b, 1.0))?, 1 + targets);
        Ok(())
    })
}

#[test]
fn a_product_allocates_nothing_the_second_time() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let (a, x) = (Matrix::identity(&algebra, 129)?, Matrix::zeros(&algebra, 129, 1)?);
        let mut y = Matrix::zeros(&algebra, 129, 1)?;
        y.gemv(2.0, &a, &x, 1.0)?;
        let before = gpu.counters();
        y.gemv(2.0, &a, &x, 1.0)?;
        let after = gpu.counters();
        let kept = |c: quadrille::gl::Counters| (c.live, c.live_bytes, c.pooled_bytes, c.compiles, c.uploads);
        assert_eq!((kept(before), before.read_backs), (kept(after), after.read_backs));
        Ok(())
    })
}
