use quadrille::linalg::Algebra;
use quadrille::matrix::{Matrix, Operand};
use quadrille::{Limits, Result};

use super::support::{Random, on_card, on_gpu};
use super::{Full, SIZES, U, check_padding};

/// C = α A B + β C of every form, within (k + 3)·2⁻²⁴·(|α||A||B| + |β||C|) of f64.
fn check(algebra: &Algebra, [n, k, m]: [usize; 3], random: &mut Random) -> Result<()> {
    let (a, b, c) = (Full::random(n, k, random), Full::random(k, m, random), Full::random(n, m, random));
    let [plain_a, turned_a] = [a.upload(algebra)?, a.transpose().upload(algebra)?];
    let [plain_b, turned_b] = [b.upload(algebra)?, b.transpose().upload(algebra)?];
    let forms: [(Operand, Operand, f32, f32); 5] = [
        ((&plain_a).into(), (&plain_b).into(), 1.0, 0.0),
        (turned_a.t(), (&plain_b).into(), 1.0, 0.0),
        ((&plain_a).into(), turned_b.t(), 1.0, 0.0),
        (turned_a.t(), turned_b.t(), -0.75, 1.0),
        ((&plain_a).into(), (&plain_b).into(), 0.3, -2.0),
    ];
    let (exact, size) = exact(&a, &b);
    for (a, b, alpha, beta) in forms {
        let mut found = c.upload(algebra)?;
        found.gemm(alpha, a, b, beta)?;
        let (alpha, beta) = (f64::from(alpha), f64::from(beta));
        for (i, found) in found.get()?.into_iter().enumerate() {
            let before = f64::from(c.elements[i]);
            let bound = (k as f64 + 3.0) * U * (alpha.abs() * size[i] + (beta * before).abs());
            let error = (f64::from(found) - (alpha * exact[i] + beta * before)).abs();
            assert!(error <= bound, "{n}x{k} times {k}x{m}, element {i}: {error:e} of {bound:e}");
        }
        check_padding(&found)?;
    }
    Ok(())
}

/// A B and |A||B|, row after row.
fn exact(a: &Full, b: &Full) -> (Vec<f64>, Vec<f64>) {
    let places = (0..a.rows).flat_map(|i| (0..b.columns).map(move |j| (i, j)));
    let terms = |i, j| (0..a.columns).map(move |k| a.at(i, k) * b.at(k, j));
    places.map(|(i, j)| (terms(i, j).sum::<f64>(), terms(i, j).map(f64::abs).sum::<f64>())).unzip()
}

fn check_all(algebra: &Algebra, sizes: &[usize]) -> Result<()> {
    let mut random = Random(1);
    for &n in sizes {
        for &k in sizes {
            for &m in sizes {
                check(algebra, [n, k, m], &mut random)?;
            }
        }
    }
    Ok(())
}

#[test]
fn every_shape_of_product_is_as_close_as_its_sum_allows() -> Result<()> {
    on_gpu(|gpu| check_all(&Algebra::new(gpu), &SIZES))
}

#[test]
fn the_limits_of_old_cards_give_the_same_products() -> Result<()> {
    for limits in [Limits::RADEON_9700, Limits::GEFORCE_FX, Limits::GEFORCE_6800] {
        on_card(limits, |gpu| check_all(&Algebra::new(gpu), &SIZES))?;
    }
    Ok(())
}

#[test]
fn passes_that_are_blended_add_up() -> Result<()> {
    for targets in [1, 4] {
        let limits = Limits { float_blend: true, targets, ..Limits::RADEON_9700 };
        on_card(limits, |gpu| check_all(&Algebra::new(gpu), &[1, 5, 31, 64]))?;
        let looping = Limits { loop_iterations: 7, fetches: 1000, ..limits };
        on_card(looping, |gpu| check_all(&Algebra::new(gpu), &[2, 9, 31, 129]))?;
    }
    on_card(Limits { fetches: 50, ..Limits::GEFORCE_6800 }, |gpu| {
        check_all(&Algebra::new(gpu), &[2, 9, 31, 129])
    })
}

#[test]
fn each_number_of_targets_gives_the_same_product() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let mut random = Random(2);
        for [n, k, m] in [[1, 1, 1], [3, 600, 9], [5, 7, 3], [31, 129, 9], [64, 64, 64], [127, 30, 129]] {
            let (a, b) = (Full::random(n, k, &mut random), Full::random(k, m, &mut random));
            let (exact, size) = exact(&a, &b);
            let (a, b) = (a.upload(&algebra)?, b.upload(&algebra)?);
            for targets in 1..=gpu.limits().targets {
                let mut c = Matrix::zeros(&algebra, n, m)?;
                c.multiply_by_targets(&a, &b, targets)?;
                for (i, found) in c.get()?.into_iter().enumerate() {
                    let bound = (k as f64 + 3.0) * U * size[i];
                    assert!((f64::from(found) - exact[i]).abs() <= bound, "{targets} targets, element {i}");
                }
            }
        }
        Ok(())
    })
}

#[test]
fn the_transpose_is_exact() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let mut random = Random(3);
        for n in SIZES {
            for m in SIZES {
                let a = Full::random(n, m, &mut random);
                let mut turned = Matrix::zeros(&algebra, m, n)?;
                turned.set_transpose(&a.upload(&algebra)?)?;
                assert_eq!(turned.get()?, a.transpose().elements, "{n}x{m}");
                check_padding(&turned)?;
            }
        }
        Ok(())
    })
}

#[test]
fn a_product_with_the_identity_is_the_matrix() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        for n in SIZES {
            let identity = Matrix::identity(&algebra, n)?;
            let eye = |i: usize| f32::from(i / n == i % n);
            assert_eq!(identity.get()?, (0..n * n).map(eye).collect::<Vec<_>>());
            let a = Full::random(n, 9, &mut Random(4));
            let mut same = Matrix::zeros(&algebra, n, 9)?;
            same.multiply(&identity, &a.upload(&algebra)?)?;
            assert_eq!(same.get()?, a.elements);
        }
        Ok(())
    })
}

#[test]
fn infinities_stay_in_their_rows() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        // The last column of A stands beside none; rows of padding lie beside B's infinity.
        for k in 1..=6 {
            let mut a = Full { rows: 3, columns: k, elements: vec![1.0; 3 * k] };
            a.elements[2 * k - 1] = f32::INFINITY; // row 1, last column
            let b = Full { rows: k, columns: 1, elements: vec![1.0; k] };
            let mut c = Matrix::zeros(&algebra, 3, 1)?;
            c.multiply(&a.upload(&algebra)?, &b.upload(&algebra)?)?;
            assert_eq!(c.get()?, [k as f32, f32::INFINITY, k as f32], "{k} columns");
            let mut c = Matrix::zeros(&algebra, 1, 3)?;
            c.gemm(1.0, &b.transpose().upload(&algebra)?, a.upload(&algebra)?.t(), 0.0)?;
            assert_eq!(c.get()?, [k as f32, f32::INFINITY, k as f32], "{k} columns");
            let mut sum = algebra.scalar(0.0)?;
            c.sum(&mut sum)?;
            assert_eq!(sum.get()?, f32::INFINITY);
        }
        Ok(())
    })
}

#[test]
fn what_was_there_is_not_read_where_beta_is_0() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let a = Matrix::new(&algebra, 5, 2, &[1.0; 10])?;
        let b = Matrix::new(&algebra, 2, 9, &[1.0; 18])?;
        let mut c = Matrix::zeros(&algebra, 5, 9)?;
        c.fill(f32::NAN)?;
        c.gemm(0.5, &a, &b, 0.0)?;
        assert_eq!(c.get()?, [1.0; 45]);
        Ok(())
    })
}

#[test]
fn factors_are_not_read_where_alpha_is_0() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let nan = Matrix::new(&algebra, 5, 5, &[f32::NAN; 25])?;
        let mut c = Matrix::new(&algebra, 5, 5, &[2.0; 25])?;
        c.gemm(0.0, &nan, nan.t(), 0.5)?;
        assert_eq!(c.get()?, [1.0; 25]);
        c.gemm(0.0, &nan, &nan, 0.0)?;
        assert_eq!(c.get()?, [0.0; 25]);
        check_padding(&c)
    })
}
