//! Reductions along one side, operators of the user's, and what a reduction leaves alone.

use quadrille::pug::Step;
use quadrille::{Gpu, Limits, Operator, Result};

use crate::support::{Random, SIZES, counting, on_card, on_gpu, refusal};

#[test]
fn rows_and_columns_are_reduced_by_themselves() -> Result<()> {
    on_gpu(|gpu| {
        for step in [Step::Far(8), Step::Far(2), Step::Adjacent(4)] {
            let sum = gpu.reduction(Operator::sum()).step(step)?;
            for &(width, height) in SIZES {
                let (w, h) = (width as usize, height as usize);
                // Whole numbers below 2²⁴ in sum: exact in any order.
                let values: Vec<f32> = counting(w * h).iter().map(|v| v % 61.0).collect();
                let buffer = gpu.buffer(width, height).init(&values)?;
                let rows = sum.rows(&buffer)?;
                assert_eq!((rows.width(), rows.height()), (1, height));
                let expected = values.chunks_exact(w).map(|row| row.iter().sum::<f32>());
                assert!(rows.data()?.into_iter().eq(expected), "rows of {width}x{height} by {step:?}");
                let columns = sum.columns(&buffer)?;
                assert_eq!((columns.width(), columns.height()), (width, 1));
                let expected = (0..w).map(|x| values[x..].iter().step_by(w).sum::<f32>());
                assert!(columns.data()?.into_iter().eq(expected), "columns of {width}x{height} by {step:?}");
                assert_eq!(sum.both(&buffer)?.data()?, [values.iter().sum::<f32>()]);
            }
        }
        Ok(())
    })
}

#[test]
fn rows_of_a_folded_array_end_where_it_ends() -> Result<()> {
    on_gpu(|gpu| {
        let max = gpu.reduction(Operator::max());
        let array = gpu.array(1007).init(&vec![-1.0; 1007])?; // 32 a row, 15 in the last
        assert_eq!(max.rows(&array)?.data()?, vec![-1.0; 32]);
        let columns = gpu.reduction(Operator::sum()).columns(&array)?.data()?;
        assert_eq!(columns[14..=15], [-32.0, -31.0]);
        Ok(())
    })
}

#[test]
fn a_reduction_reads_nothing_back_and_changes_nothing() -> Result<()> {
    on_gpu(|gpu| {
        for &(width, height) in SIZES {
            let n = width as usize * height as usize;
            let values = Random(8).floats(n);
            let buffer = gpu.buffer(width, height).init(&values)?;
            let sum = gpu.reduction(Operator::sum());
            let before = gpu.counters();
            let (rows, columns, both) = (sum.rows(&buffer)?, sum.columns(&buffer)?, sum.both(&buffer)?);
            let after = gpu.counters();
            assert_eq!((after.read_backs, after.uploads), (before.read_backs, before.uploads));
            assert!(![&rows, &columns, &both].iter().any(|made| made.is(&buffer)));
            assert_eq!(buffer.data()?, values);
            // Its result is the caller's own, even of one element.
            both.write(&[7.0])?;
            assert_eq!(buffer.data()?, values);
        }
        Ok(())
    })
}

/// Maps x → m x + t on whole numbers modulo 61, as (m, t): they compose in order only.
fn affine(gpu: &Gpu) -> Result<()> {
    let then = |[m, t]: [u32; 2], [n, s]: [u32; 2]| [m * n % 61, (t * n + s) % 61];
    // First a, then b: n (m x + t) + s.
    // Whole numbers below 3721, half a unit away from every multiple of 61: a division may be off by some ULP.
    let map = "(a.xy * b.x + vec2(0.0, b.y))";
    let expression = format!("vec4({map} - 61.0 * floor(({map} + 0.5) / 61.0), 0.0, 0.0)");
    let compose = Operator::custom("affine", &expression, [1.0, 0.0, 0.0, 0.0]);
    for step in [Step::Far(8), Step::Adjacent(4), Step::Adjacent(2)] {
        let reduction = gpu.reduction(compose.clone()).step(step)?;
        for &(width, height) in SIZES {
            let (w, h) = (width as usize, height as usize);
            let mut random = Random(u64::from(width));
            let maps: Vec<[u32; 2]> =
                (0..w * h).map(|_| [random.below(60) as u32 + 1, random.below(61) as u32]).collect();
            let floats = |maps: &[[u32; 2]]| maps.iter().flatten().map(|&v| v as f32).collect::<Vec<_>>();
            let buffer = gpu.buffer(width, height).components(2).init(&floats(&maps))?;
            let all = |maps: &mut dyn Iterator<Item = [u32; 2]>| maps.fold([1, 0], then);
            let rows: Vec<_> = maps.chunks_exact(w).map(|row| all(&mut row.iter().copied())).collect();
            let columns: Vec<_> = (0..w).map(|x| all(&mut maps[x..].iter().step_by(w).copied())).collect();
            assert_eq!(reduction.rows(&buffer)?.data()?, floats(&rows), "rows of {width}x{height}");
            assert_eq!(reduction.columns(&buffer)?.data()?, floats(&columns), "columns of {width}x{height}");
            let total = all(&mut maps.iter().copied());
            assert_eq!(reduction.value(&buffer)?, floats(&[total]), "all of {width}x{height}");
            let array = gpu.array(w * h).components(2).init(&floats(&maps))?;
            assert_eq!(reduction.value(&array)?, floats(&[total]), "array of {}", w * h);
        }
    }
    Ok(())
}

#[test]
fn maps_are_composed_from_left_to_right_and_row_after_row() -> Result<()> {
    on_gpu(affine)
}

#[test]
fn the_order_is_kept_with_thirty_two_fetches() -> Result<()> {
    on_card(Limits::RADEON_9700, affine)
}

/// Products of (1 1; 0 1) and (1 0; 1 1), all in whole numbers; a wrong order gives another matrix.
#[test]
fn matrices_are_multiplied_in_order() -> Result<()> {
    on_gpu(|gpu| {
        let expression = "a.xxzz * b.xyxy + a.yyww * b.zwzw";
        let product = gpu.reduction(Operator::custom("matrix", expression, [1.0, 0.0, 0.0, 1.0]));
        let of = |a: [f64; 4], b: [f64; 4]| {
            [
                a[0] * b[0] + a[1] * b[2],
                a[0] * b[1] + a[1] * b[3],
                a[2] * b[0] + a[3] * b[2],
                a[2] * b[1] + a[3] * b[3],
            ]
        };
        for (width, height) in [(1, 1), (3, 1), (1, 3), (3, 3), (5, 4), (7, 3), (23, 1), (1, 23)] {
            let mut random = Random(11);
            let shear = [[1.0, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 1.0]];
            let matrices: Vec<[f64; 4]> = (0..width * height).map(|_| shear[random.below(2)]).collect();
            let expected = matrices.iter().copied().fold([1.0, 0.0, 0.0, 1.0], of);
            assert!(expected.iter().all(|v| v.abs() < 2f64.powi(24)), "the test itself");
            let values: Vec<f32> = matrices.iter().flatten().map(|&v| v as f32).collect();
            let buffer = gpu.buffer(width, height).components(4).init(&values)?;
            assert_eq!(product.value(&buffer)?, expected.map(|v| v as f32), "{width}x{height}");
        }
        Ok(())
    })
}

#[test]
fn a_wrong_expression_is_named_with_its_operator() -> Result<()> {
    on_gpu(|gpu| {
        let buffer = gpu.buffer(3, 3).build()?;
        let wrong = gpu.reduction(Operator::custom("worst", "a + worse(b)", [0.0; 4]));
        let line = refusal(wrong.value(&buffer));
        assert!(line.starts_with("pug/reduce.frag (operator worst):"), "{line}");
        assert!(line.contains("worse"), "{line}");
        assert!(line.contains("return COMBINE;"), "{line}");
        gpu.reduction(Operator::sum()).value(&buffer)?;
        Ok(())
    })
}

#[test]
fn an_expression_may_have_several_lines() -> Result<()> {
    on_gpu(|gpu| {
        let sum = gpu.reduction(Operator::custom("sum", "a\n  + b", [0.0; 4]));
        assert_eq!(sum.value(&gpu.buffer(3, 3).init(&counting(9))?)?, [36.0]);
        Ok(())
    })
}
