//! A histogram drawn over its image.

use quadrille::Result;
use quadrille::streams::{Bins, By, Histogram};
use quadrille::view::{BarScale, Bars};

use crate::support::on_gpu;

/// In this image of 16 x 16 pixels, 40 lie in the first bin of four, 20 in the third, and 196 above all of them.
#[test]
fn the_longest_bar_fills_the_lower_quarter_whatever_lies_outside_the_bins() -> Result<()> {
    on_gpu(|gpu| {
        let pixels = [[0.125; 40].as_slice(), &[0.625; 20], &[2.0; 196]].concat();
        let image = gpu.buffer(16, 16).init(&pixels)?;
        let mut histogram = Histogram::new(gpu, 16, 16, Bins { count: 4, low: 0.0, high: 1.0 }, By::Gather)?;
        histogram.count(&image, 0)?;
        let shown = Bars::new(gpu, &histogram)?.draw(&image)?.data()?;
        let rows_of_bars = [4, 0, 2, 0];
        for (i, (&shown, &pixel)) in shown.iter().zip(&pixels).enumerate() {
            let (x, from_below) = (i % 16, 15 - i / 16);
            let expected = match from_below {
                row if row < rows_of_bars[x / 4] => 0.55 + 0.45 * pixel,
                0..4 => 0.35 * pixel,
                _ => pixel,
            };
            // Two constants, a product and a sum of numbers up to 2.
            assert!((shown - expected).abs() <= 8.0 * f32::EPSILON, "({x}, {from_below} from below)");
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
            for (i, (&shown, &pixel)) in shown.iter().zip(&pixels).enumerate() {
                let count = count(i % 64 / 2);
                let length = match scale {
                    BarScale::Logarithmic => (1.0 + count).ln() / (1.0 + top).ln(),
                    _ => count.min(top) / top,
                };
                let height = 1.0 - ((i / 64) as f64 + 0.5) / 40.0;
                let cut = count > top && height > 0.93 * 0.25;
                let expected = match height {
                    _ if cut && height < 0.25 => 1.0,
                    height if height < 0.25 * length => 0.55 + 0.45 * pixel,
                    height if height < 0.25 => 0.35 * pixel,
                    _ => pixel,
                };
                assert!((shown - expected).abs() <= 1e-6, "{scale:?}, {i}: {shown}, expected {expected}");
            }
        }
        Ok(())
    })
}
