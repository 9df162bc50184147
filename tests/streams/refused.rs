//! The refusals of `streams`, in one line each.

use quadrille::streams::{Bins, By, Derivatives, Histogram, PrefixSum, Pyramid, Sort};
use quadrille::{Limits, Result};

use crate::support::{on_card, on_gpu, refusal};

const BINS: Bins = Bins { count: 4, low: 0.0, high: 1.0 };

#[test]
fn arrays_longer_than_floats_count_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let long = (1 << 24) + 1;
        let line = "prefix sum: number of elements is 16777217, the limit is 16777216";
        assert_eq!(refusal(PrefixSum::new(gpu, long)), line);
        let line = "sort: number of elements is 16777217, the limit is 16777216";
        assert_eq!(refusal(Sort::keys(gpu, long)), line);
        assert_eq!(refusal(Sort::pairs(gpu, 0)), "sort: size 0x1 has no elements");
        assert_eq!(refusal(PrefixSum::new(gpu, 0)), "prefix sum: size 0x1 has no elements");
        Ok(())
    })
}

#[test]
fn arrays_of_another_length_or_of_several_components_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let (five, six) = (gpu.array(5).build()?, gpu.array(6).build()?);
        let pairs = gpu.array(5).components(2).build()?;
        let mut scan = PrefixSum::new(gpu, 5)?;
        let line = "prefix sum of: buffer 3x2x1 of 6 elements, expected 5 elements of one component";
        assert_eq!(refusal(scan.inclusive(&six, &five)), line);
        let line = "prefix sums: buffer 3x2x2 of 5 elements, expected 5 elements of one component";
        assert_eq!(refusal(scan.exclusive(&five, &pairs)), line);
        let line = "keys: buffer 3x2x1 of 6 elements, expected 5 elements of one component";
        assert_eq!(refusal(Sort::keys(gpu, 5)?.sort(&six)), line);
        let line = "values: buffer 3x2x2 of 5 elements, expected 5 elements of one component";
        assert_eq!(refusal(Sort::pairs(gpu, 5)?.sort_pairs(&five, &pairs)), line);
        let line = "values = given: expected none: this sort is one of keys alone";
        assert_eq!(refusal(Sort::keys(gpu, 5)?.sort_pairs(&five, &five)), line);
        let line = "values = none: expected an array: this sort is one of pairs";
        assert_eq!(refusal(Sort::pairs(gpu, 5)?.sort(&five)), line);
        Ok(())
    })
}

#[test]
fn bins_that_are_none_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let (most, why) =
            (gpu.limits().texture_size - 3, "the size of a texture less 3 for what lies outside");
        let made = |bins| refusal(Histogram::new(gpu, 4, 4, bins, By::Gather));
        assert_eq!(made(Bins { count: 0, ..BINS }), format!("bins = 0: expected 1 to {most}, {why}"));
        let line = format!("bins = {}: expected 1 to {most}, {why}", most + 1);
        assert_eq!(made(Bins { count: most + 1, ..BINS }), line);
        for (low, high) in
            [(1.0, 0.0), (0.0, 0.0), (f32::NAN, 1.0), (0.0, f32::INFINITY), (f32::MIN, f32::MAX)]
        {
            let line = format!("range of the bins = {low} to {high}: expected low < high, both finite");
            assert_eq!(made(Bins { low, high, ..BINS }), line);
        }
        assert_eq!(made(Bins { count: most, ..BINS }), "");
        assert!(refusal(Histogram::new(gpu, 0, 4, BINS, By::Gather)).contains("has no elements"));
        let mut histogram = Histogram::new(gpu, 4, 4, BINS, By::Gather)?;
        let line = "image of a histogram: buffer 4x5x1, expected 4x4";
        assert_eq!(refusal(histogram.count(&gpu.buffer(4, 5).build()?, 0)), line);
        let line = "component = 1: expected 0 to 0 of buffer 4x4x1";
        assert_eq!(refusal(histogram.count(&gpu.buffer(4, 4).build()?, 1)), line);
        Ok(())
    })
}

#[test]
fn images_and_targets_that_do_not_fit_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let (image, other) = (gpu.buffer(4, 4).build()?, gpu.buffer(4, 5).build()?);
        let mut pyramid = Pyramid::new(gpu, 4, 4, 1)?;
        assert!(refusal(pyramid.build(&other)).starts_with("a copy: buffer 4x5x1"));
        assert!(refusal(Pyramid::new(gpu, 0, 4, 1)).contains("has no elements"));
        assert!(refusal(Pyramid::new(gpu, 4, 4, 5)).contains("1 to 4"));
        let expected = "expected a positive number whose 1/h² is one too";
        assert_eq!(refusal(Derivatives::new(gpu, 0.0)), format!("h = 0: {expected}"));
        assert_eq!(refusal(Derivatives::new(gpu, f32::NAN)), format!("h = NaN: {expected}"));
        let mut derivatives = Derivatives::new(gpu, 1.0)?;
        let gradient = gpu.buffer(4, 5).components(2).build()?;
        let line = "gradient: buffer 4x5x2, expected the size of buffer 4x4x1";
        assert_eq!(refusal(derivatives.of(&image, &gradient, &other)), line);
        Ok(())
    })
}

#[test]
fn a_card_with_one_target_refuses_two() -> Result<()> {
    on_card(Limits::GEFORCE_FX, |gpu| {
        let line = "streams/image_derive.frag: number of RANGE outputs is 2, the limit is 1";
        assert_eq!(refusal(Derivatives::new(gpu, 1.0)), line);
        Ok(())
    })
}
