//! Prefix sums.

use quadrille::Result;
use quadrille::streams::PrefixSum;
use quadrille_oracle::streams::{exclusive_sums, inclusive_sums};

use crate::support::{Random, on_gpu};
use crate::{LENGTHS, LONG};

fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&v| f64::from(v)).collect()
}

/// Sums both ways of an array.
fn scanned(gpu: &quadrille::Gpu, values: &[f32]) -> Result<[Vec<f32>; 2]> {
    let n = values.len();
    let (array, sums) = (gpu.array(n).init(values)?, gpu.array(n).build()?);
    let mut scan = PrefixSum::new(gpu, n)?;
    scan.inclusive(&array, &sums)?;
    let inclusive = sums.data()?;
    scan.exclusive(&array, &sums)?;
    Ok([inclusive, sums.data()?])
}

/// Whole numbers whose sums stay below 2²⁴ are sums of f32 without rounding.
fn check_whole(gpu: &quadrille::Gpu, n: usize, most: usize) -> Result<()> {
    let mut random = Random(n as u64);
    let values: Vec<f32> = (0..n).map(|_| random.below(2 * most + 1) as f32 - most as f32).collect();
    let [inclusive, exclusive] = scanned(gpu, &values)?;
    assert!(wide(&inclusive) == inclusive_sums(&wide(&values)), "inclusive, {n}");
    assert!(wide(&exclusive) == exclusive_sums(&wide(&values)), "exclusive, {n}");
    Ok(())
}

#[test]
fn whole_numbers_are_summed_exactly_for_every_length_to_300() -> Result<()> {
    on_gpu(|gpu| (1..=300).try_for_each(|n| check_whole(gpu, n, 50_000)))
}

#[test]
fn a_million_and_three_whole_numbers_are_summed_exactly() -> Result<()> {
    on_gpu(|gpu| check_whole(gpu, LONG, 16))
}

/// At most three additions a level: up at most two, down one. (1 + 2⁻²⁴)^(3 L) − 1 < (3 L + 1) 2⁻²⁴ for these L.
fn check_bound(gpu: &quadrille::Gpu, values: &[f32]) -> Result<()> {
    let n = values.len();
    let levels = (1..).find(|levels| 4usize.pow(*levels) >= n).unwrap_or(0);
    let relative = f64::from(3 * levels + 1) * 2f64.powi(-24);
    let values = (wide(values), scanned(gpu, values)?);
    let (values, [inclusive, exclusive]) = values;
    let magnitudes: Vec<f64> = values.iter().map(|v| v.abs()).collect();
    let sums = [
        (inclusive, inclusive_sums(&values), inclusive_sums(&magnitudes)),
        (exclusive, exclusive_sums(&values), exclusive_sums(&magnitudes)),
    ];
    for (found, expected, magnitudes) in sums {
        for (i, found) in found.into_iter().enumerate() {
            let error = (f64::from(found) - expected[i]).abs();
            assert!(error <= relative * magnitudes[i], "sum {i} of {n} is {error:e} off");
        }
    }
    Ok(())
}

#[test]
fn sums_of_any_numbers_stay_within_three_roundings_a_level() -> Result<()> {
    on_gpu(|gpu| {
        for n in LENGTHS.into_iter().chain([LONG]) {
            check_bound(gpu, &Random(n as u64).floats(n))?;
            check_bound(gpu, &Random(n as u64).floats(n).iter().map(|v| v.abs()).collect::<Vec<_>>())?;
        }
        Ok(())
    })
}

#[test]
fn sums_may_take_the_place_of_their_numbers_and_come_out_the_same_again() -> Result<()> {
    on_gpu(|gpu| {
        let values = Random(7).floats(1021);
        let [expected, _] = scanned(gpu, &values)?;
        let array = gpu.array(1021).build()?;
        let mut scan = PrefixSum::new(gpu, 1021)?;
        for _ in 0..2 {
            array.write(&values)?;
            scan.inclusive(&array, &array)?;
            assert!(array.data()? == expected);
        }
        Ok(())
    })
}

#[test]
fn what_is_not_finite_spoils_only_what_comes_after_it() -> Result<()> {
    on_gpu(|gpu| {
        for spoiler in [f32::INFINITY, f32::NAN] {
            for place in [0, 1, 63, 64, 99] {
                let mut values = vec![1.0; 100];
                values[place] = spoiler;
                let [inclusive, _] = scanned(gpu, &values)?;
                for (i, found) in inclusive.into_iter().enumerate() {
                    assert_eq!(found.is_finite(), i < place, "sum {i} with {spoiler} at {place}");
                    assert!(i >= place || found == (i + 1) as f32);
                }
            }
        }
        Ok(())
    })
}

#[test]
fn an_image_is_summed_row_after_row_as_an_array_is() -> Result<()> {
    on_gpu(|gpu| {
        let image = gpu.buffer(31, 57).init(&[1.0; 31 * 57])?;
        PrefixSum::new(gpu, 31 * 57)?.inclusive(&image, &image)?;
        let expected: Vec<f32> = (1..=31 * 57).map(|i| i as f32).collect();
        assert!(image.data()? == expected);
        Ok(())
    })
}

#[test]
fn the_passes_are_as_many_as_it_says() -> Result<()> {
    on_gpu(|gpu| {
        for (n, passes) in [(1, 2), (4, 2), (5, 3), (17, 5), (LONG, 19)] {
            let array = gpu.array(n).build()?;
            let mut scan = PrefixSum::new(gpu, n)?;
            let before = gpu.counters().passes;
            scan.inclusive(&array, &array)?;
            assert_eq!((scan.passes(), gpu.counters().passes - before), (passes, passes as u64), "{n}");
        }
        Ok(())
    })
}
