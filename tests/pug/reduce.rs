//! Sums, products, least and largest elements at every small size and of long arrays.

use quadrille::pug::{Precision, Step};
use quadrille::{Buffer, Gpu, Limits, Operator, Reduction, Result};

use crate::support::{Random, SIZES, on_card, on_gpu, refusal};

/// Compares a sum with the f64 sum of each component. A tree of ⌈log₂ n⌉ levels rounds each partial sum by
/// 2⁻²⁴ of itself at most, so |error| ≤ ⌈log₂ n⌉·2⁻²⁴·Σ|x| to first order; folding along both sides may cost
/// one level more, and the second order less than one.
fn check_sum(sum: &Reduction, buffer: &Buffer, values: &[f32]) -> Result<()> {
    let components = buffer.components();
    let n = (values.len() / components) as f64;
    let found = sum.value(buffer)?;
    assert_eq!(found.len(), components);
    for (component, &found) in found.iter().enumerate() {
        let of_component = || values[component..].iter().step_by(components).map(|&v| f64::from(v));
        let bound = (n.log2().ceil() + 2.0) * 2f64.powi(-24) * of_component().map(f64::abs).sum::<f64>();
        let miss = (f64::from(found) - of_component().sum::<f64>()).abs();
        assert!(miss <= bound, "{}: {miss:e} > {bound:e}", buffer.describe());
    }
    Ok(())
}

fn grid(gpu: &Gpu, width: u32, height: u32, components: usize) -> Result<(Buffer, Vec<f32>)> {
    let n = width as usize * height as usize * components;
    let values = Random(u64::from(width) << 32 | u64::from(height)).floats(n);
    Ok((gpu.buffer(width, height).components(components).init(&values)?, values))
}

#[test]
fn sum_min_and_max_match_the_reference_at_every_size_up_to_40() -> Result<()> {
    on_gpu(|gpu| {
        let sum = gpu.reduction(Operator::sum());
        let (min, max) = (gpu.reduction(Operator::min()), gpu.reduction(Operator::max()));
        for (width, height) in (1..=40).flat_map(|w| (1..=40).map(move |h| (w, h))) {
            let (buffer, values) = grid(gpu, width, height, 1)?;
            check_sum(&sum, &buffer, &values)?;
            assert_eq!(min.value(&buffer)?, [values.iter().copied().fold(f32::INFINITY, f32::min)]);
            assert_eq!(max.value(&buffer)?, [values.iter().copied().fold(f32::NEG_INFINITY, f32::max)]);
        }
        Ok(())
    })
}

#[test]
fn each_of_2_to_4_components_is_reduced_by_itself() -> Result<()> {
    on_gpu(|gpu| {
        let (sum, max) = (gpu.reduction(Operator::sum()), gpu.reduction(Operator::max()));
        for (&(width, height), components) in SIZES.iter().flat_map(|s| (2..=4).map(move |c| (s, c))) {
            let (buffer, values) = grid(gpu, width, height, components)?;
            check_sum(&sum, &buffer, &values)?;
            let largest = |c: usize| values[c..].iter().step_by(components).copied().fold(-2.0, f32::max);
            assert_eq!(max.value(&buffer)?, (0..components).map(largest).collect::<Vec<_>>());
        }
        Ok(())
    })
}

#[test]
fn arrays_with_a_part_empty_last_row_match_the_reference() -> Result<()> {
    on_gpu(|gpu| {
        let sum = gpu.reduction(Operator::sum());
        let (min, max) = (gpu.reduction(Operator::min()), gpu.reduction(Operator::max()));
        for len in (1..70).chain([262_133, 1_000_003]) {
            let mut values = Random(len as u64).floats(len);
            check_sum(&sum, &gpu.array(len).init(&values)?, &values)?;
            // All on one side of zero, so that a zero from beyond the end would win; the best one is last.
            values.iter_mut().for_each(|v| *v = 2.0 - v.abs());
            values[len - 1] = 0.25;
            assert_eq!(min.value(&gpu.array(len).init(&values)?)?, [0.25], "{len} elements");
            values.iter_mut().for_each(|v| *v = -*v);
            assert_eq!(max.value(&gpu.array(len).init(&values)?)?, [-0.25], "{len} elements");
        }
        for components in 2..=4 {
            let values = Random(9).floats(10_007 * components);
            check_sum(&sum, &gpu.array(10_007).components(components).init(&values)?, &values)?;
        }
        Ok(())
    })
}

#[test]
fn infinities_and_negative_numbers_are_ordered() -> Result<()> {
    on_gpu(|gpu| {
        let (min, max) = (gpu.reduction(Operator::min()), gpu.reduction(Operator::max()));
        for &(width, height) in SIZES {
            let n = width as usize * height as usize;
            let buffer = |values: &[f32]| gpu.buffer(width, height).init(values);
            let last = |value: f32, others: f32| [vec![others; n - 1], vec![value]].concat();
            for infinity in [f32::INFINITY, f32::NEG_INFINITY] {
                let all = buffer(&vec![infinity; n])?;
                assert_eq!((min.value(&all)?, max.value(&all)?), (vec![infinity], vec![infinity]));
            }
            assert_eq!(max.value(&buffer(&last(-3.0, -4e30))?)?, [-3.0]);
            assert_eq!(max.value(&buffer(&last(-3.0, f32::NEG_INFINITY))?)?, [-3.0]);
            assert_eq!(min.value(&buffer(&last(4e30, f32::INFINITY))?)?, [4e30]);
            assert_eq!(min.value(&buffer(&last(f32::NEG_INFINITY, 0.0))?)?, [f32::NEG_INFINITY]);
        }
        Ok(())
    })
}

#[test]
fn a_product_of_powers_of_two_is_exact() -> Result<()> {
    on_gpu(|gpu| {
        let product = gpu.reduction(Operator::product());
        let on_cpu = gpu.reduction(Operator::product()).stop_at(64)?;
        for &(width, height) in SIZES {
            let n = width as usize * height as usize;
            let mut random = Random(n as u64);
            // Exponents −1, 0, 1 in random places stay far from the ends of the range even for 32 768 of them.
            let exponents: Vec<i32> = (0..n).map(|_| random.below(3) as i32 - 1).collect();
            let values: Vec<f32> = exponents.iter().map(|&e| -(2f32.powi(e))).collect();
            let sign = if n.is_multiple_of(2) { 1.0 } else { -1.0 };
            let total: i32 = exponents.iter().sum();
            assert!(total.abs() < 126, "the test itself: {total}");
            let buffer = gpu.buffer(width, height).init(&values)?;
            for product in [&product, &on_cpu] {
                assert_eq!(product.value(&buffer)?, [sign * 2f32.powi(total)], "{width}x{height}");
            }
        }
        Ok(())
    })
}

const STEPS: [Step; 6] =
    [Step::Adjacent(2), Step::Adjacent(4), Step::Adjacent(8), Step::Far(2), Step::Far(4), Step::Far(8)];

/// Every step at sizes around its side and its square, and the two of them at full length.
fn every_step(gpu: &Gpu) -> Result<()> {
    for step in STEPS {
        let sum = gpu.reduction(Operator::sum()).step(step)?;
        let max = gpu.reduction(Operator::max()).step(step)?;
        for (width, height) in
            [(1, 1), (2, 2), (3, 5), (7, 9), (8, 8), (17, 1), (1, 65), (64, 63), (257, 129)]
        {
            let (buffer, values) = grid(gpu, width, height, 1)?;
            check_sum(&sum, &buffer, &values)?;
            assert_eq!(max.value(&buffer)?, [values.iter().copied().fold(-2.0, f32::max)], "{step:?}");
        }
        let values = Random(4).floats(5003);
        check_sum(&sum, &gpu.array(5003).init(&values)?, &values)?;
    }
    Ok(())
}

#[test]
fn every_step_gives_the_sum_and_the_largest() -> Result<()> {
    on_gpu(every_step)
}

#[test]
fn thirty_two_fetches_a_pass_are_enough_for_every_step() -> Result<()> {
    on_card(Limits::RADEON_9700, every_step)
}

#[test]
fn steps_of_another_side_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        for side in [0, 1, 3, 16] {
            let line = refusal(gpu.reduction(Operator::sum()).step(Step::Far(side)));
            assert_eq!(line, format!("step = {side}: expected 2, 4 or 8"));
        }
        Ok(())
    })
}

#[test]
fn stopping_early_gives_the_same_within_the_bound() -> Result<()> {
    on_gpu(|gpu| {
        for texels in [1, 2, 64, 4096, 1 << 20] {
            let sum = gpu.reduction(Operator::sum()).stop_at(texels)?;
            let max = gpu.reduction(Operator::max()).stop_at(texels)?;
            for &(width, height) in SIZES {
                let (buffer, values) = grid(gpu, width, height, 3)?;
                check_sum(&sum, &buffer, &values)?;
                assert_eq!(max.value(&buffer)?.len(), 3);
            }
            for len in [5, 262_133] {
                let values: Vec<f32> = Random(6).floats(len).iter().map(|v| -v.abs() - 1.0).collect();
                let buffer = gpu.array(len).init(&values)?;
                check_sum(&sum, &buffer, &values)?;
                let expected = values.iter().copied().fold(-3.0, f32::max);
                assert_eq!(max.value(&buffer)?, [expected], "no zero from beyond the end");
            }
        }
        assert_eq!(
            refusal(gpu.reduction(Operator::sum()).stop_at(0)),
            "stop_at = 0: expected 1 or more; 1 for an operator of the user's"
        );
        assert!(!refusal(gpu.reduction(Operator::custom("s", "a + b", [0.0; 4])).stop_at(2)).is_empty());
        Ok(())
    })
}

#[test]
fn emulated_formats_store_every_partial_sum() -> Result<()> {
    on_gpu(|gpu| {
        let sum = gpu.reduction(Operator::sum()).step(Step::Adjacent(2))?;
        // 2¹⁷ + 1 does not fit 17 bits: the pass that adds them must chop it.
        let values = [131_072.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        let buffer = |precision| gpu.buffer(8, 1).precision(precision).init(&values);
        assert_eq!(sum.value(&buffer(Precision::Float32)?)?, [131_074.0]);
        assert_eq!(sum.value(&buffer(Precision::Float24)?)?, [131_072.0]);
        let (min, max) = (gpu.reduction(Operator::min()), gpu.reduction(Operator::max()));
        for precision in [Precision::Float24, Precision::Float16Ati, Precision::Float16] {
            for &(width, height) in SIZES {
                let n = width as usize * height as usize;
                let values: Vec<f32> = (0..n).map(|i| (i % 1009) as f32 - 2000.0).collect();
                let buffer = gpu.buffer(width, height).precision(precision).init(&values)?;
                assert_eq!(min.value(&buffer)?, [-2000.0]);
                assert_eq!(max.value(&buffer)?, [n.min(1009) as f32 - 2001.0]);
            }
        }
        Ok(())
    })
}

#[test]
fn a_sum_has_the_same_bits_every_time() -> Result<()> {
    on_gpu(|gpu| {
        let (buffer, _) = grid(gpu, 257, 129, 4)?;
        let first = gpu.reduction(Operator::sum()).value(&buffer)?;
        for _ in 0..20 {
            assert_eq!(gpu.reduction(Operator::sum()).value(&buffer)?, first);
        }
        Ok(())
    })
}
