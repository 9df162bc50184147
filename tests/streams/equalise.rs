//! Histogram equalisation.

use quadrille::streams::{Bins, By, Equalise};
use quadrille::{Gpu, Result};
use quadrille_oracle::streams::{equalised, histogram};

use crate::support::{Random, SIZES, on_gpu, refusal};

/// Where v lies among the bins rounds three times (difference, product, scale), at most 3·bins·2⁻²⁴ of a bin, and c rises by 1 over a bin at
/// most; looking c up, mixing and adding round numbers up to 1 eight times more.
fn check(gpu: &Gpu, (width, height): (u32, u32), pixels: &[f32], bins: u32, rate: f32) -> Result<Vec<f32>> {
    let image = gpu.buffer(width, height).init(pixels)?;
    let next = gpu.buffer(width, height).build()?;
    let bins = Bins { count: bins, low: 0.0, high: 1.0 };
    Equalise::new(gpu, width, height, bins, By::Gather)?.run(&image, &next, rate)?;
    let bound = f64::from(3 * bins.count + 8) * 2f64.powi(-24);
    let next = next.data()?;
    for (i, expected) in equalised(pixels, bins.count as usize, 0.0, 1.0, rate).into_iter().enumerate() {
        let error = (f64::from(next[i]) - expected).abs();
        let same = f64::from(next[i]).total_cmp(&expected).is_eq() || (next[i].is_nan() && expected.is_nan());
        assert!(same || error <= bound, "pixel {i} of {width}x{height}: {} is {expected}", next[i]);
    }
    Ok(next)
}

#[test]
fn every_size_matches_f64_and_pixels_outside_stay() -> Result<()> {
    on_gpu(|gpu| {
        for &(width, height) in SIZES {
            for bins in [1, 7, 256] {
                for rate in [0.1, 1.0] {
                    let mut pixels = Random(13).floats((width * height) as usize);
                    check(gpu, (width, height), &pixels, bins, rate)?;
                    pixels.iter_mut().for_each(|v| *v = 0.1 + 0.2 * v.abs());
                    pixels[0] = f32::NAN;
                    check(gpu, (width, height), &pixels, bins, rate)?;
                }
            }
        }
        Ok(())
    })
}

#[test]
fn dark_pictures_come_to_use_all_brightnesses_alike() -> Result<()> {
    on_gpu(|gpu| {
        let dark: Vec<f32> = Random(14).floats(256 * 128).iter().map(|v| 0.3 * v * v).collect();
        let mut equal = check(gpu, (256, 128), &dark, 256, 1.0)?;
        equal.sort_by(f32::total_cmp);
        // Evenly spread, the i-th of n pixels would be i / n. At the edges of bins it is, and none leaves its bin's share.
        let share = histogram(&dark, 256, 0.0, 1.0).into_iter().max().unwrap_or(0) as f32 / 32768.0;
        let far = equal.iter().enumerate().map(|(i, v)| (v - i as f32 / 32768.0).abs()).fold(0.0, f32::max);
        assert!(far <= share + 2.0 / 32768.0, "{far} of {share}");
        Ok(())
    })
}

#[test]
fn a_picture_without_any_pixel_in_the_bins_stays() -> Result<()> {
    on_gpu(|gpu| {
        assert_eq!(check(gpu, (3, 1), &[-1.0, 2.0, f32::INFINITY], 4, 1.0)?, [-1.0, 2.0, f32::INFINITY]);
        Ok(())
    })
}

#[test]
fn a_picture_stays_when_nothing_was_counted() -> Result<()> {
    on_gpu(|gpu| {
        let (image, next) = (gpu.buffer(3, 1).init(&[0.0, 0.4, 1.0])?, gpu.buffer(3, 1).build()?);
        let bins = Bins { count: 4, low: 0.0, high: 1.0 };
        Equalise::new(gpu, 3, 1, bins, By::Gather)?.apply(&image, &next, 1.0)?;
        assert_eq!(next.data()?, image.data()?);
        Ok(())
    })
}

#[test]
fn more_pixels_than_floats_sum_up_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let bins = Bins { count: 4, low: 0.0, high: 1.0 };
        let line = "equalised image in rows of 4096: number of elements is 16781312, the limit is 16777216";
        // 4095 x 4097 is one less than 2²⁴, but its rows are counted as 4096, in two bands.
        for width in [4095, 4096] {
            assert_eq!(refusal(Equalise::new(gpu, width, 4097, bins, By::Gather)), line);
        }
        Ok(())
    })
}
