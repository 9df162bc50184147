//! A histogram drawn over its image.

use quadrille::Result;
use quadrille::streams::{Bins, By, Histogram};
use quadrille::view::Bars;

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
