use quadrille::linalg::Algebra;
use quadrille::matrix::Matrix;
use quadrille::{Limits, Result};

use super::support::{Random, on_card, on_gpu, refusal};
use super::{Full, SIZES, U, check_padding};

/// The largest error of what is found, in units of what one rounding may err of the size given.
fn check(found: &Matrix, exact: impl Fn(usize) -> (f64, f64), roundings: f64, what: &str) -> Result<()> {
    for (i, found) in found.get()?.into_iter().enumerate() {
        let (exact, size) = exact(i);
        let error = (f64::from(found) - exact).abs();
        assert!(error <= roundings * U * size, "{what}, element {i}: {found}, {exact} expected");
    }
    check_padding(found)
}

fn every_operation(algebra: &Algebra, rows: usize, columns: usize) -> Result<()> {
    let mut random = Random(5);
    let given: [Full; 4] = std::array::from_fn(|_| Full::random(rows, columns, &mut random));
    let at = |k: usize, i: usize| f64::from(given[k].elements[i]);
    let [a, b, c, d] = [0, 1, 2, 3].map(|k| given[k].upload(algebra));
    let (a, b, c, d) = (a?, b?, c?, d?);
    let mut x = Matrix::zeros(algebra, rows, columns)?;
    let alpha = algebra.scalar(0.3)?;
    let third = f64::from(0.3f32);

    x.copy_from(&a)?;
    check(&x, |i| (at(0, i), 0.0), 0.0, "copy")?;
    x.add(&b)?;
    check(&x, |i| (at(0, i) + at(1, i), at(0, i).abs() + at(1, i).abs()), 1.0, "add")?;
    if algebra.gpu().limits().float_blend {
        x.copy_from(&a)?;
        x.accumulate(&b)?;
        check(&x, |i| (at(0, i) + at(1, i), at(0, i).abs() + at(1, i).abs()), 1.0, "accumulate")?;
    } else {
        let said = refusal(x.accumulate(&b));
        assert!(said.contains("needs EXT_float_blend"), "{said}");
    }
    x.copy_from(&a)?;
    x.sub(&b)?;
    check(&x, |i| (at(0, i) - at(1, i), at(0, i).abs() + at(1, i).abs()), 1.0, "sub")?;
    x.copy_from(&a)?;
    x.axpy(-&alpha, &b)?;
    check(&x, |i| (at(0, i) - third * at(1, i), at(0, i).abs() + at(1, i).abs()), 2.0, "axpy")?;
    x.copy_from(&a)?;
    x.aypx(0.3, &b)?;
    check(&x, |i| (third * at(0, i) + at(1, i), at(0, i).abs() + at(1, i).abs()), 2.0, "aypx")?;
    x.scale(-2.0)?;
    check(
        &x,
        |i| (-2.0 * (third * at(0, i) + at(1, i)), 2.0 * (at(0, i).abs() + at(1, i).abs())),
        3.0,
        "scale",
    )?;
    x.set_mad(&a, &b, 0.3)?;
    check(&x, |i| (at(0, i) + third * at(1, i), at(0, i).abs() + at(1, i).abs()), 2.0, "mad")?;
    x.copy_from(&c)?;
    x.mad_elements(&a, &b)?;
    check(&x, |i| (at(2, i) + at(0, i) * at(1, i), at(2, i).abs() + at(0, i).abs()), 2.0, "mad of arrays")?;
    x.set_madad(&a, &b, &c, &d)?;
    let size = |i| at(0, i).abs() + (at(1, i).abs() + at(2, i).abs()) * at(3, i).abs();
    check(&x, |i| (at(0, i) + (at(1, i) + at(2, i)) * at(3, i), size(i)), 4.0, "madad")?;
    x.set_product(1.0, &a, &b)?;
    check(&x, |i| (at(0, i) * at(1, i), (at(0, i) * at(1, i)).abs()), 1.0, "product")?;
    // GLSL promises 2.5 ULP of a quotient.
    x.set_quotient(&a, &b)?;
    check(&x, |i| (at(0, i) / at(1, i), (at(0, i) / at(1, i)).abs()), 5.0, "quotient")?;
    x.set_max(&a, 0.25)?;
    check(&x, |i| (at(0, i).max(0.25), 0.0), 0.0, "max")?;
    x.set_min(&a, -0.25)?;
    check(&x, |i| (at(0, i).min(-0.25), 0.0), 0.0, "min")?;
    x.set_shifted(&a, 3.0)?;
    check(&x, |i| (at(0, i) + 3.0, 4.0), 1.0, "shift")?;
    x.set_magnitude(&a)?;
    check(&x, |i| (at(0, i).abs(), 0.0), 0.0, "magnitude")?;
    x.fill(-1.5)?;
    check(&x, |_| (-1.5, 0.0), 0.0, "fill")
}

fn every_shape(algebra: &Algebra) -> Result<()> {
    SIZES.into_iter().try_for_each(|n| SIZES.into_iter().try_for_each(|m| every_operation(algebra, n, m)))
}

#[test]
fn every_operation_on_elements_matches_f64() -> Result<()> {
    on_gpu(|gpu| every_shape(&Algebra::new(gpu)))
}

#[test]
fn they_do_on_old_cards() -> Result<()> {
    for limits in [Limits::RADEON_9700, Limits::GEFORCE_FX, Limits::GEFORCE_6800] {
        on_card(limits, |gpu| every_shape(&Algebra::new(gpu)))?;
    }
    Ok(())
}

#[test]
fn what_is_set_comes_back_now_or_later() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        for n in SIZES {
            let full = Full::random(n, 5, &mut Random(6));
            let matrix = full.upload(&algebra)?;
            assert_eq!(matrix.get()?, full.elements);
            assert_eq!(matrix.elements_of(&matrix.get_async()?.wait()?)?, full.elements);
            assert_eq!(matrix.try_clone()?.get()?, full.elements);
        }
        Ok(())
    })
}

#[test]
fn a_resized_matrix_keeps_what_both_shapes_have() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        for (from, to) in [
            ((5, 3), (2, 7)),
            ((2, 7), (5, 3)),
            ((8, 8), (8, 8)),
            ((1, 1), (9, 2)),
            ((9, 2), (1, 1)),
            ((4, 4), (7, 3)),
        ] {
            let full = Full::random(from.0, from.1, &mut Random(7));
            let mut matrix = full.upload(&algebra)?;
            matrix.resize(to.0, to.1)?;
            assert_eq!(matrix.shape(), to);
            let kept = |i: usize| {
                let (row, column) = (i / to.1, i % to.1);
                if row < from.0 && column < from.1 { full.elements[row * from.1 + column] } else { 0.0 }
            };
            assert_eq!(matrix.get()?, (0..to.0 * to.1).map(kept).collect::<Vec<_>>(), "{from:?} to {to:?}");
            check_padding(&matrix)?;
        }
        Ok(())
    })
}
