//! The padding of a vector changes no result, whatever the factors are: results do not depend on the layout.

use quadrille::Result;
use quadrille::linalg::{Algebra, Factor, Packed2x2, Scalar, Vector};

use super::layouts;
use super::support::on_gpu;

/// NaN is NaN, and all else is equal.
fn same(found: f32, expected: f32) -> bool {
    found == expected || (found.is_nan() && expected.is_nan())
}

fn check(x: &Vector, expected: &[f32], what: &str) -> Result<()> {
    let found = x.get()?;
    let wrong = found.iter().zip(expected).position(|(found, expected)| !same(*found, *expected));
    assert_eq!(wrong.map(|i| (i, found[i], expected[i])), None, "{what}: elements of {}", x.layout());
    let mut out = x.algebra().scalar(0.0)?;
    let all = |combine: fn(f32, f32) -> f32| expected.iter().copied().reduce(combine).unwrap_or(0.0);
    let worse = |larger: bool| {
        let nan = expected.iter().any(|v| v.is_nan());
        if nan { f32::NAN } else { all(if larger { f32::max } else { f32::min }) }
    };
    let squares: f32 = expected.iter().map(|v| v * v).sum();
    let size = expected.iter().map(|v| v.abs()).fold(0.0, f32::max);
    let mut check = |name: &str, reduce: &dyn Fn(&mut Scalar) -> Result<()>, expected: f32| -> Result<()> {
        reduce(&mut out)?;
        let found = out.get()?;
        assert!(same(found, expected), "{what}: {name} of {} is {found}, not {expected}", x.layout());
        Ok(())
    };
    check("sum", &|out| x.sum(out), expected.iter().sum())?;
    check("dot", &|out| x.dot(x, out), squares)?;
    check("norm", &|out| x.norm(out), squares.sqrt())?;
    check("max", &|out| x.max(out), worse(true))?;
    check("min", &|out| x.min(out), worse(false))?;
    check("max_magnitude", &|out| x.max_magnitude(out), if worse(true).is_nan() { f32::NAN } else { size })
}

/// Factors that make no number of 0: as a constant, as a scalar on the GPU, and as the product of both.
fn with_factors(algebra: &Algebra, check: impl Fn(Factor, f32) -> Result<()>) -> Result<()> {
    for value in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
        check(value.into(), value)?;
        check((&algebra.scalar(value)?).into(), value)?;
        check(algebra.scalar(2.0)?.times(value), value)?;
    }
    Ok(())
}

#[test]
fn factors_that_are_not_finite_leave_the_padding_alone() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let mut all = layouts()?;
        all.retain(|layout| layout.len() < 300);
        all.extend((1..10).map(Packed2x2::folded).collect::<Result<Vec<_>>>()?);
        for layout in all {
            let n = layout.len();
            let value = |i: usize| 1.0 + (i % 5) as f32;
            let (x, y): (Vec<f32>, Vec<f32>) = (0..n).map(|i| (value(i), value(i + 2))).unzip();
            let (gx, gy) = (algebra.vector(layout, &x)?, algebra.vector(layout, &y)?);
            let of = |compute: &dyn Fn(f32, f32) -> f32| -> Vec<f32> {
                x.iter().zip(&y).map(|(x, y)| compute(*x, *y)).collect()
            };
            with_factors(&algebra, |factor, a| {
                let mut out = gx.try_clone()?;
                out.scale(factor)?;
                check(&out, &of(&|x, _| a * x), "scale")?;
                out.set_scaled(factor, &gy)?;
                check(&out, &of(&|_, y| a * y), "set_scaled")?;
                let mut out = gx.try_clone()?;
                out.axpy(factor, &gy)?;
                check(&out, &of(&|x, y| x + a * y), "axpy")?;
                let mut out = gx.try_clone()?;
                out.aypx(factor, &gy)?;
                check(&out, &of(&|x, y| a * x + y), "aypx")?;
                out.set_sum(factor, &gx, 2.0, &gy)?;
                check(&out, &of(&|x, y| a * x + 2.0 * y), "set_sum")?;
                out.set_product(factor, &gx, &gy)?;
                check(&out, &of(&|x, y| a * x * y), "set_product")?;
                out.set_product_sum(3.0, (&gx, &gy), factor, &gx)?;
                check(&out, &of(&|x, y| 3.0 * x * y + a * x), "set_product_sum")
            })?;
        }
        Ok(())
    })
}

/// Zeros among the elements times ∞ give NaN, as in IEEE 754, and a following factor of 0 does not remove it.
#[test]
fn zeros_among_the_elements_are_no_padding() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        for layout in [Packed2x2::folded(3)?, Packed2x2::folded(4)?, Packed2x2::grid(3, 3)?] {
            let mut elements = vec![2.0; layout.len()];
            elements[1] = 0.0;
            let mut x = algebra.vector(layout, &elements)?;
            x.scale(f32::INFINITY)?;
            elements.iter_mut().for_each(|v| *v *= f32::INFINITY);
            check(&x, &elements, "scale")?;
            x.scale(0.0)?;
            check(&x, &vec![f32::NAN; layout.len()], "scale by 0")?;
        }
        Ok(())
    })
}
