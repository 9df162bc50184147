//! Scalars and vectors (rows A1, A2, A6, A7).

use super::support::{Random, on_card, on_gpu};
use super::{U, as_f64, layouts};
use quadrille::linalg::{Algebra, Packed2x2};
use quadrille::{Limits, Result};

#[test]
fn what_is_set_is_got_at_every_size() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(1));
        for layout in layouts()? {
            let elements = random.floats(layout.len());
            let x = algebra.vector(layout, &elements)?;
            assert_eq!(x.get()?, elements, "{layout}");
            assert_eq!(layout.unpack(&x.get_async()?.wait()?), elements, "{layout}");
            assert_eq!(x.try_clone()?.get()?, elements, "{layout}");
        }
        Ok(())
    })
}

#[test]
fn unpacking_gives_one_element_a_texel_and_packing_takes_it_back() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(2));
        for layout in layouts()? {
            let elements = random.floats(layout.len());
            let x = algebra.vector(layout, &elements)?;
            let grid = gpu.buffer(layout.width(), layout.height()).build()?;
            x.unpack(&grid)?;
            assert_eq!(grid.data()?[..layout.len()], elements, "{layout}");
            let noise = random.floats(layout.width() as usize * layout.height() as usize);
            grid.write(&noise)?;
            let mut y = algebra.zeros(layout)?;
            y.pack(&grid)?;
            assert_eq!(y.get()?, noise[..layout.len()], "{layout}");
            let mut sum = algebra.scalar(0.0)?;
            y.sum(&mut sum)?;
            let total: f64 = as_f64(&noise[..layout.len()]).iter().sum();
            assert!((f64::from(sum.get()?) - total).abs() <= 32.0 * U * layout.len() as f64, "{layout}");
        }
        Ok(())
    })
}

#[test]
fn vector_operations_match_the_reference_at_every_size() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(3));
        let a = algebra.scalar(0.75)?;
        let b = algebra.scalar(-3.0)?;
        for layout in layouts()? {
            let n = layout.len();
            let (x, y) = (random.floats(n), random.floats(n));
            let (gx, gy) = (algebra.vector(layout, &x)?, algebra.vector(layout, &y)?);
            let mut out = algebra.zeros(layout)?;
            // a x + b y: two products and a sum, each rounded once.
            let near = |found: Vec<f32>, a: f64, b: f64| {
                for i in 0..n {
                    let (p, q) = (a * f64::from(x[i]), b * f64::from(y[i]));
                    let bound = 3.0 * U * (p.abs() + q.abs());
                    assert!((f64::from(found[i]) - (p + q)).abs() <= bound, "{layout}: {i}");
                }
            };
            out.set_sum(2.5, &gx, -1.5, &gy)?;
            near(out.get()?, 2.5, -1.5);
            out.set_sum(&a, &gx, -&b, &gy)?;
            near(out.get()?, 0.75, 3.0);
            out.set_sum(1.0, &gx, b.times(0.5), &gy)?;
            near(out.get()?, 1.0, -1.5);
            out.copy_from(&gx)?;
            out.axpy(&b, &gy)?;
            near(out.get()?, 1.0, -3.0);
            out.copy_from(&gx)?;
            out.aypx(-&a, &gy)?;
            near(out.get()?, -0.75, 1.0);
            out.copy_from(&gx)?;
            out.add(&gy)?;
            near(out.get()?, 1.0, 1.0);
            out.copy_from(&gx)?;
            out.sub(&gy)?;
            near(out.get()?, 1.0, -1.0);
            out.copy_from(&gx)?;
            out.scale(-&a)?;
            near(out.get()?, -0.75, 0.0);
            out.mul(&gy)?;
            for (i, found) in out.get()?.into_iter().enumerate() {
                let product = -0.75 * f64::from(x[i]) * f64::from(y[i]);
                assert!((f64::from(found) - product).abs() <= 3.0 * U * product.abs());
            }
            out.set_product(4.0, &gx, &gy)?;
            let product = |i: usize| x[i] * y[i] * 4.0;
            assert_eq!(out.get()?, (0..n).map(product).collect::<Vec<_>>(), "{layout}");
            let z = random.floats(n);
            let gz = algebra.vector(layout, &z)?;
            for (from_gpu, fa, fb) in [(true, 0.75, -3.0), (false, 2.5, -1.5)] {
                match from_gpu {
                    true => out.set_product_sum(&a, (&gx, &gy), &b, &gz)?,
                    false => out.set_product_sum(2.5, (&gx, &gy), -1.5, &gz)?,
                }
                // Three products and a sum, each rounded once.
                for (i, found) in out.get()?.into_iter().enumerate() {
                    let (p, q) = (fa * f64::from(x[i]) * f64::from(y[i]), fb * f64::from(z[i]));
                    let error = (f64::from(found) - (p + q)).abs();
                    assert!(error <= 4.0 * U * (p.abs() + q.abs()), "{layout}: {i}");
                }
            }
            out.fill(7.0)?;
            assert_eq!(out.get()?, vec![7.0; n], "{layout}");
        }
        Ok(())
    })
}

#[test]
fn reductions_match_the_reference_at_every_size() -> Result<()> {
    on_gpu(|gpu| {
        let (algebra, mut random) = (Algebra::new(gpu), Random(4));
        let mut found = algebra.scalar(0.0)?;
        for layout in layouts()? {
            let n = layout.len();
            let depth = (n as f64).log2().ceil() + 2.0;
            // All of one sign, so that a padding of 0 would be the wrong largest or smallest.
            let x: Vec<f32> = random.floats(n).iter().map(|x| -1.5 - x).collect();
            let y = random.floats(n);
            let (mut gx, gy) = (algebra.vector(layout, &x)?, algebra.vector(layout, &y)?);
            let products: Vec<f64> = as_f64(&x).iter().zip(as_f64(&y)).map(|(x, y)| x * y).collect();
            let size = |values: &[f64]| values.iter().map(|v| v.abs()).sum::<f64>();
            gx.dot(&gy, &mut found)?;
            let error = (f64::from(found.get()?) - products.iter().sum::<f64>()).abs();
            assert!(error <= depth * U * size(&products), "{layout}");
            gx.sum(&mut found)?;
            let error = (f64::from(found.get()?) - as_f64(&x).iter().sum::<f64>()).abs();
            assert!(error <= depth * U * size(&as_f64(&x)), "{layout}");
            gx.max(&mut found)?;
            assert_eq!(found.get()?, x.iter().copied().fold(f32::NEG_INFINITY, f32::max), "{layout}");
            gx.max_magnitude(&mut found)?;
            assert_eq!(found.get()?, x.iter().map(|x| x.abs()).fold(0.0, f32::max), "{layout}");
            // And products of one sign.
            let products =
                |sign: f32| x.iter().zip(&y).map(move |(x, y)| sign * x * (2.0 + y)).collect::<Vec<f32>>();
            let above = algebra.vector(layout, &y.iter().map(|y| 2.0 + y).collect::<Vec<_>>())?;
            gx.max_product(&above, &mut found)?;
            assert_eq!(found.get()?, products(1.0).into_iter().fold(f32::NEG_INFINITY, f32::max), "{layout}");
            gx.scale(-1.0)?;
            gx.min_product(&above, &mut found)?;
            assert_eq!(found.get()?, products(-1.0).into_iter().fold(f32::INFINITY, f32::min), "{layout}");
            gx.min(&mut found)?;
            assert_eq!(found.get()?, x.iter().map(|x| -x).fold(f32::INFINITY, f32::min), "{layout}");
        }
        Ok(())
    })
}

/// 32 fetches are 32 elements of a sum, and 16 of a product.
#[test]
fn a_product_of_two_vectors_counts_the_fetches_of_both() -> Result<()> {
    on_card(Limits::RADEON_9700, |gpu| {
        let algebra = Algebra::new(gpu);
        let x = algebra.vector(Packed2x2::grid(16, 8)?, &[0.5; 128])?;
        let mut found = algebra.scalar(0.0)?;
        let before = gpu.counters().passes;
        x.sum(&mut found)?;
        assert_eq!((found.get()?, gpu.counters().passes - before), (64.0, 1));
        x.dot(&x, &mut found)?;
        assert_eq!((found.get()?, gpu.counters().passes - before), (32.0, 3));
        Ok(())
    })
}

#[test]
fn scalars_are_combined_without_leaving_the_gpu() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let (x, y, zero) = (algebra.scalar(6.0)?, algebra.scalar(-1.5)?, algebra.scalar(0.0)?);
        let mut out = algebra.scalar(0.0)?;
        let before = gpu.counters().read_backs;
        x.add(&y, &mut out)?;
        assert_eq!(out.get()?, 4.5);
        x.sub(&y, &mut out)?;
        assert_eq!(out.get()?, 7.5);
        x.mul(&y, &mut out)?;
        assert_eq!(out.get()?, -9.0);
        x.div(&y, &mut out)?;
        assert_eq!(out.get()?, -4.0);
        x.div_guarded(&y, &mut out)?;
        assert_eq!(out.get_async()?.wait()?, [-4.0]);
        x.div_guarded(&zero, &mut out)?;
        assert_eq!(out.get()?, 0.0);
        zero.div_guarded(&zero, &mut out)?;
        assert_eq!(out.get()?, 0.0);
        let (mut four, two) = (algebra.scalar(-1.0)?, algebra.scalar(2.0)?);
        two.mul(&two, &mut four)?;
        let copy = four.try_clone()?;
        out.copy_from(&copy)?;
        four.set(9.0);
        assert_eq!([out.get()?, copy.get()?, four.get()?], [4.0, 4.0, 9.0]);
        four.copy_from(&copy)?;
        four.sqrt(&mut out)?;
        assert_eq!(out.get()?, 2.0);
        let x = algebra.vector(Packed2x2::folded(3)?, &[2.0, -3.0, 6.0])?;
        x.norm(&mut out)?;
        assert_eq!(out.get()?, 7.0);
        assert_eq!(gpu.counters().read_backs - before, 12, "one for each `get`");
        Ok(())
    })
}
