//! A histogram drawn over its image.

use quadrille::Result;
use quadrille::streams::{Bins, By, Histogram};
use quadrille::view::{BarScale, Bars};

use crate::support::on_gpu;

/// A pixel of the picture whose bar is `bar` of the longest: value, light, and the share of the bars' colour; of one row of pixels among
/// `rows`, whose middle lies at `height` over the ramp, a part of the picture.
pub fn expected(pixel: f64, (ramp, height): (f64, f64), bar: f64, is_cut: bool, rows: usize) -> [f64; 3] {
    let high = 0.25 - 0.02;
    match height - 0.02 {
        height if height < 0.0 => [ramp, 1.0, 0.0],
        height if height < high && is_cut && height > 0.93 * high => [pixel, 2.0, 0.0],
        height if height < high => {
            let below = high * bar - height;
            let t = (below / 0.012).clamp(0.0, 1.0);
            let crest = 1.0 - 0.5 * t * t * (3.0 - 2.0 * t);
            [pixel, 0.4, crest * (below * rows as f64 + 0.5).clamp(0.0, 1.0)]
        }
        _ => [pixel, 1.0, 0.0],
    }
}

/// In this image of 16 x 16 pixels, 40 lie in the first bin of four, 20 in the third, and 196 above all of them.
#[test]
fn the_longest_bar_fills_the_lower_quarter_whatever_lies_outside_the_bins() -> Result<()> {
    on_gpu(|gpu| {
        let pixels = [[0.125; 40].as_slice(), &[0.625; 20], &[2.0; 196]].concat();
        let image = gpu.buffer(16, 16).init(&pixels)?;
        let mut histogram = Histogram::new(gpu, 16, 16, Bins { count: 4, low: 0.0, high: 1.0 }, By::Gather)?;
        histogram.count(&image, 0)?;
        let shown = Bars::new(gpu, &histogram)?.draw(&image)?.data()?;
        for (i, (shown, &pixel)) in shown.as_chunks::<4>().0.iter().zip(&pixels).enumerate() {
            let (x, y) = (i % 16, i / 16);
            let place = ((x as f64 + 0.5) / 16.0, 1.0 - (y as f64 + 0.5) / 16.0);
            let expected = expected(pixel.into(), place, [1.0, 0.0, 0.5, 0.0][x / 4], false, 16);
            // The end of a bar is sixteen times a difference of numbers below 1.
            let off = (0..3).map(|k| (f64::from(shown[k]) - expected[k]).abs()).fold(0.0, f64::max);
            assert!(off <= 32.0 * f64::from(f32::EPSILON), "({x}, {y}): {shown:?}, expected {expected:?}");
        }
        Ok(())
    })
}

/// The first of 32 bins has 2 523 of 64 x 40 pixels, the second 30, the third 6 and the last 1.
#[test]
fn where_one_bin_dominates_clipped_and_logarithmic_bars_show_the_others() -> Result<()> {
    on_gpu(|gpu| {
        let counts = [(0, 2523), (1, 30), (2, 6), (31, 1)];
        let pixels: Vec<f32> =
            counts.iter().flat_map(|&(bin, count)| vec![(bin as f32 + 0.5) / 32.0; count]).collect();
        let image = gpu.buffer(64, 40).init(&pixels)?;
        let mut histogram = Histogram::new(gpu, 64, 40, Bins { count: 32, low: 0.0, high: 1.0 }, By::Gather)?;
        histogram.count(&image, 0)?;
        let mut bars = Bars::new(gpu, &histogram)?;
        // Twelve means, of 80 pixels each.
        for (scale, top) in
            [(BarScale::Linear, 2523.0f64), (BarScale::Clipped, 960.0), (BarScale::Logarithmic, 2523.0)]
        {
            bars.set_scale(scale);
            let shown = bars.draw(&image)?.data()?;
            let count = |bin: usize| counts.iter().find(|of| of.0 == bin).map_or(0.0, |of| of.1 as f64);
            for (i, (shown, &pixel)) in shown.as_chunks::<4>().0.iter().zip(&pixels).enumerate() {
                let count = count(i % 64 / 2);
                let length = match scale {
                    BarScale::Logarithmic => (1.0 + count).ln() / (1.0 + top).ln(),
                    _ => count.min(top) / top,
                };
                let place = (((i % 64) as f64 + 0.5) / 64.0, 1.0 - ((i / 64) as f64 + 0.5) / 40.0);
                let expected = expected(pixel.into(), place, length, count > top, 40);
                // Forty times a logarithm's share of another, which is off by a few units in its last place.
                let off = (0..3).map(|k| (f64::from(shown[k]) - expected[k]).abs()).fold(0.0, f64::max);
                assert!(off <= 4e-5, "{scale:?}, {i}: {shown:?}, expected {expected:?}");
            }
        }
        Ok(())
    })
}
