use quadrille::linalg::{Algebra, Scalar};
use quadrille::matrix::Matrix;
use quadrille::{Gpu, Limits, Result};

use super::support::{Random, on_card, on_gpu};
use super::{Full, SIZES, U};

fn every_reduction(algebra: &Algebra, rows: usize, columns: usize) -> Result<()> {
    let mut random = Random(8);
    let (a, b) = (Full::random(rows, columns, &mut random), Full::random(rows, columns, &mut random));
    let (on_gpu, other) = (a.upload(algebra)?, b.upload(algebra)?);
    let mut found = algebra.scalar(0.0)?;
    let mut reduce = |reduction: &dyn Fn(&mut Scalar) -> Result<()>| -> Result<f64> {
        reduction(&mut found)?;
        Ok(f64::from(found.get()?))
    };
    let elements: Vec<f64> = a.elements.iter().map(|&v| f64::from(v)).collect();
    let products: Vec<f64> = elements.iter().zip(&b.elements).map(|(a, &b)| a * f64::from(b)).collect();
    let depth = ((rows * columns) as f64).log2().ceil() + 4.0;
    let check = |what: &str, found: f64, terms: &[f64]| {
        let bound = depth * U * terms.iter().map(|t| t.abs()).sum::<f64>();
        let exact = terms.iter().sum::<f64>();
        assert!((found - exact).abs() <= bound, "{what} of {rows}x{columns}: {found}, {exact} expected");
    };
    check("sum", reduce(&|s| on_gpu.sum(s))?, &elements);
    check("dot", reduce(&|s| on_gpu.dot(&other, s))?, &products);
    let magnitudes: Vec<f64> = elements.iter().map(|v| v.abs()).collect();
    check("asum", reduce(&|s| on_gpu.asum(s))?, &magnitudes);
    let largest = magnitudes.iter().copied().fold(0.0, f64::max);
    assert_eq!(reduce(&|s| on_gpu.max_magnitude(s))?, largest);
    assert_eq!(reduce(&|s| on_gpu.max(s))?, elements.iter().copied().fold(f64::MIN, f64::max));
    assert_eq!(reduce(&|s| on_gpu.min(s))?, elements.iter().copied().fold(f64::MAX, f64::min));
    let norm = elements.iter().map(|v| v * v).sum::<f64>().sqrt();
    assert!((reduce(&|s| on_gpu.nrm2(s))? - norm).abs() <= (depth + 12.0) * U * norm);
    assert_eq!(Some(on_gpu.iamax()?), magnitudes.iter().position(|&v| v == largest));
    Ok(())
}

#[test]
fn every_reduction_matches_f64() -> Result<()> {
    let every_shape = |gpu: &Gpu| {
        let algebra = Algebra::new(gpu);
        SIZES
            .into_iter()
            .try_for_each(|n| SIZES.into_iter().try_for_each(|m| every_reduction(&algebra, n, m)))
    };
    on_gpu(every_shape)?;
    on_card(Limits::RADEON_9700, every_shape)
}

#[test]
fn a_dot_product_is_the_transposed_product_of_two_columns() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let mut random = Random(9);
        for n in SIZES {
            let (x, y) = (Full::random(n, 1, &mut random), Full::random(n, 1, &mut random));
            let (gpu_x, gpu_y) = (x.upload(&algebra)?, y.upload(&algebra)?);
            let (mut dot, mut product) = (algebra.scalar(0.0)?, Matrix::zeros(&algebra, 1, 1)?);
            gpu_x.dot(&gpu_y, &mut dot)?;
            product.multiply_transposed(&gpu_x, &gpu_y)?;
            let size: f64 = (0..n).map(|i| (x.at(i, 0) * y.at(i, 0)).abs()).sum();
            let difference = f64::from(dot.get()?) - f64::from(product.get()?[0]);
            assert!(difference.abs() <= 2.0 * (n as f64 + 3.0) * U * size);
        }
        Ok(())
    })
}

#[test]
fn a_norm_neither_overflows_nor_underflows() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let mut norm = algebra.scalar(0.0)?;
        for scale in [1e-30f32, 1e-3, 1.0, 1e30] {
            Matrix::new(&algebra, 2, 1, &[3.0 * scale, -4.0 * scale])?.nrm2(&mut norm)?;
            assert!((norm.get()? / scale - 5.0).abs() < 1e-5, "{scale:e}");
        }
        let mut norm_of = |elements: &[f32]| -> Result<f32> {
            Matrix::new(&algebra, elements.len(), 1, elements)?.nrm2(&mut norm)?;
            norm.get()
        };
        assert_eq!(norm_of(&[0.0; 3])?, 0.0);
        // At both ends of what 32 bits hold, where inverses are none of it.
        assert!((norm_of(&[1e38, -3e38, 0.0])? / 10f32.sqrt() / 1e38 - 1.0).abs() < 1e-5);
        assert!((norm_of(&[f32::MIN_POSITIVE; 4])? / f32::MIN_POSITIVE - 2.0).abs() < 1e-5);
        assert_eq!(norm_of(&[f32::MAX])?, f32::MAX);
        assert_eq!(norm_of(&[f32::MAX; 5])?, f32::INFINITY);
        assert_eq!(norm_of(&[1.0, f32::NEG_INFINITY, 2.0, 0.0, 3.0])?, f32::INFINITY);
        assert!(norm_of(&[1.0, f32::NAN, f32::INFINITY])?.is_nan());
        Ok(())
    })
}

#[test]
fn of_equal_magnitudes_the_first_is_largest_and_nan_is_none() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let mut elements = vec![1.0; 6 * 9];
        for place in [13, 14, 40, 50] {
            elements[place] = -2.0;
        }
        assert_eq!(Matrix::new(&algebra, 6, 9, &elements)?.iamax()?, 13);
        assert_eq!(Matrix::new(&algebra, 9, 6, &elements)?.iamax()?, 13);
        elements[0] = f32::NAN;
        assert_eq!(Matrix::new(&algebra, 6, 9, &elements)?.iamax()?, 13);
        assert_eq!(Matrix::zeros(&algebra, 5, 5)?.iamax()?, 0);
        Ok(())
    })
}

#[test]
fn what_is_no_number_is_the_largest_and_the_smallest() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let (mut max, mut min) = (algebra.scalar(0.0)?, algebra.scalar(0.0)?);
        for (rows, columns) in [(1, 1), (1, 3), (3, 1), (5, 7), (40, 33)] {
            let n = rows * columns;
            for place in [0, n / 2, n - 1] {
                let mut elements: Vec<f32> = (0..n).map(|i| i as f32 - 3.0).collect();
                elements[place] = f32::NAN;
                let matrix = Matrix::new(&algebra, rows, columns, &elements)?;
                matrix.max(&mut max)?;
                matrix.min(&mut min)?;
                assert!(max.get()?.is_nan() && min.get()?.is_nan(), "{rows} x {columns}, {place}");
                let (mut above, mut below) = (matrix.try_clone()?, matrix.try_clone()?);
                above.set_max(&matrix, 2.0)?;
                below.set_min(&matrix, 2.0)?;
                for ((e, above), below) in elements.iter().zip(above.get()?).zip(below.get()?) {
                    match e.is_nan() {
                        true => assert!(above.is_nan() && below.is_nan()),
                        false => assert_eq!((above, below), (e.max(2.0), e.min(2.0))),
                    }
                }
                above.set_max(&matrix, f32::NAN)?;
                assert!(above.get()?.iter().all(|e| e.is_nan()));
            }
        }
        Ok(())
    })
}
