//! A histogram drawn below its image.

use quadrille::Result;
use quadrille::streams::{Bins, By, Histogram};
use quadrille::view::{BarScale, Bars};

use crate::support::on_gpu;

/// A pixel of the strip whose bar is `bar` of the longest: value, light, and the share of the bars' colour; its middle lies at `height`
/// rows over the lower edge of `strip` rows, and over the brightness `place` from 0 to 1.
pub fn expected(place: f64, height: f64, strip: f64, bar: f64, is_cut: bool) -> [f64; 3] {
    let ramp = (0.08 * strip).round();
    let (high, height) = (strip - ramp, height - ramp);
    match height {
        height if height < 0.0 => [place, 1.0, 0.0],
        height if is_cut && height > 0.93 * high => [1.0, 1.0, 0.0],
        height => {
            let below = high * bar - height;
            let t = (below / (0.05 * strip)).clamp(0.0, 1.0);
            let crest = 1.0 - 0.5 * t * t * (3.0 - 2.0 * t);
            [0.0, 0.1, crest * (below + 0.5).clamp(0.0, 1.0)]
        }
    }
}

/// In this image of 16 x 16 pixels, 40 lie in the first bin of four, 20 in the third, and 196 above all of them.
#[test]
fn the_longest_bar_fills_the_strip_whatever_lies_outside_the_bins() -> Result<()> {
    on_gpu(|gpu| {
        let pixels = [[0.125; 40].as_slice(), &[0.625; 20], &[2.0; 196]].concat();
        let image = gpu.buffer(16, 16).init(&pixels)?;
        let mut histogram = Histogram::new(gpu, 16, 16, Bins { count: 4, low: 0.0, high: 1.0 }, By::Gather)?;
        histogram.count(&image, 0)?;
        let shown = Bars::new(gpu, &histogram)?.draw(&image)?.data()?;
        assert_eq!(shown.len(), 4 * 16 * (16 + 6));
        let (above, strip) = shown.split_at(4 * pixels.len());
        for (shown, &pixel) in above.as_chunks::<4>().0.iter().zip(&pixels) {
            assert_eq!(shown[..3], [pixel, 1.0, 0.0]);
        }
        for (i, shown) in strip.as_chunks::<4>().0.iter().enumerate() {
            let (x, y) = (i % 16, i / 16);
            let (place, height) = ((x as f64 + 0.5) / 16.0, 6.0 - (y as f64 + 0.5));
            let expected = expected(place, height, 6.0, [1.0, 0.0, 0.5, 0.0][x / 4], false);
            // The crest's share is some three times a difference of numbers below 6.
            let off = (0..3).map(|k| (f64::from(shown[k]) - expected[k]).abs()).fold(0.0, f64::max);
            assert!(off <= 32.0 * f64::from(f32::EPSILON), "({x}, {y}): {shown:?}, expected {expected:?}");
        }
        Ok(())
    })
}

/// The same image with its strip at the right: brightness goes up, bars go away from the image; and back again it is as before.
#[test]
fn bars_beside_an_image_are_those_below_it_turned() -> Result<()> {
    on_gpu(|gpu| {
        let pixels = [[0.125; 40].as_slice(), &[0.625; 20], &[2.0; 196]].concat();
        let image = gpu.buffer(16, 16).init(&pixels)?;
        let mut histogram = Histogram::new(gpu, 16, 16, Bins { count: 4, low: 0.0, high: 1.0 }, By::Gather)?;
        histogram.count(&image, 0)?;
        let mut bars = Bars::new(gpu, &histogram)?;
        let below = bars.draw(&image)?.data()?;
        assert!(bars.set_beside(true)? && !bars.set_beside(true)? && bars.is_beside());
        assert_eq!(bars.sizes(), [[16, 22], [22, 16]]);
        let shown = bars.draw(&image)?;
        assert_eq!([shown.width(), shown.height()], [22, 16]);
        for (i, shown) in shown.data()?.as_chunks::<4>().0.iter().enumerate() {
            let (x, y) = (i % 22, i / 22);
            let place = 1.0 - (y as f64 + 0.5) / 16.0;
            let expected = match x.checked_sub(16) {
                None => [f64::from(pixels[16 * y + x]), 1.0, 0.0],
                Some(x) => {
                    let bar = [1.0, 0.0, 0.5, 0.0][(4.0 * place) as usize];
                    expected(place, x as f64 + 0.5, 6.0, bar, false)
                }
            };
            // The crest's share is some three times a difference of numbers below 6.
            let off = (0..3).map(|k| (f64::from(shown[k]) - expected[k]).abs()).fold(0.0, f64::max);
            assert!(off <= 32.0 * f64::from(f32::EPSILON), "({x}, {y}): {shown:?}, expected {expected:?}");
        }
        assert!(bars.set_beside(false)? && bars.draw(&image)?.data()? == below);
        Ok(())
    })
}

/// Two of 4 x 6 pixels lie in bins of their own, the others above all of them.
#[test]
fn a_bar_of_one_pixel_fills_the_strip_where_none_is_longer() -> Result<()> {
    on_gpu(|gpu| {
        let pixels = [[0.125, 0.625].as_slice(), &[2.0; 22]].concat();
        let image = gpu.buffer(4, 6).init(&pixels)?;
        let mut histogram = Histogram::new(gpu, 4, 6, Bins { count: 4, low: 0.0, high: 1.0 }, By::Gather)?;
        histogram.count(&image, 0)?;
        let shown = Bars::new(gpu, &histogram)?.draw(&image)?.data()?;
        for (i, shown) in shown[4 * pixels.len()..].as_chunks::<4>().0.iter().enumerate() {
            let (place, height) = (((i % 4) as f64 + 0.5) / 4.0, 2.0 - ((i / 4) as f64 + 0.5));
            let expected = expected(place, height, 2.0, [1.0, 0.0, 1.0, 0.0][i % 4], false);
            let off = (0..3).map(|k| (f64::from(shown[k]) - expected[k]).abs()).fold(0.0, f64::max);
            assert!(off <= 32.0 * f64::from(f32::EPSILON), "{i}: {shown:?}, expected {expected:?}");
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
            for (i, shown) in shown[4 * pixels.len()..].as_chunks::<4>().0.iter().enumerate() {
                let count = count(i % 64 / 2);
                let length = match scale {
                    BarScale::Logarithmic => (1.0 + count).ln() / (1.0 + top).ln(),
                    _ => count.min(top) / top,
                };
                let (place, height) = (((i % 64) as f64 + 0.5) / 64.0, 14.0 - ((i / 64) as f64 + 0.5));
                let expected = expected(place, height, 14.0, length, count > top);
                // Thirteen times a logarithm's share of another, which is off by a few units in its last place.
                let off = (0..3).map(|k| (f64::from(shown[k]) - expected[k]).abs()).fold(0.0, f64::max);
                assert!(off <= 4e-5, "{scale:?}, {i}: {shown:?}, expected {expected:?}");
            }
        }
        Ok(())
    })
}

/// An image of 8 x 6 pixels, of which 24 lie in the first bin of four and 24 in the second, and before 12 in the third and 36 in the last.
#[test]
fn the_image_before_is_shown_left_of_the_split_and_its_bars_as_a_line() -> Result<()> {
    on_gpu(|gpu| {
        let of = |low: f32, high: f32, lows: usize| [vec![low; lows], vec![high; 48 - lows]].concat();
        let (old, new) = (of(0.625, 0.875, 12), of(0.125, 0.375, 24));
        let (first, second) = (gpu.buffer(8, 6).init(&old)?, gpu.buffer(8, 6).init(&new)?);
        let mut histogram = Histogram::new(gpu, 8, 6, Bins { count: 4, low: 0.0, high: 1.0 }, By::Gather)?;
        let mut bars = Bars::new(gpu, &histogram)?;
        bars.set_split(0.375);
        histogram.count(&first, 0)?;
        bars.remember(&first)?;
        histogram.count(&second, 0)?;
        let shown = bars.draw(&second)?.data()?;
        let (shown, _) = shown.as_chunks::<4>();
        for (i, shown) in shown[..48].iter().enumerate() {
            let pixel = if i % 8 < 3 { old[i] } else { new[i] };
            assert_eq!(shown[..3], [pixel, 1.0, 0.0], "{i}");
        }
        // Two rows of strip without a ramp: the longest bar of now has 24 pixels, those before have 12, or 1 row, and 36, which end at the
        // top; a line is there within 0.75 rows of the way from the bar on the left.
        let line = [[0, 0, 0, 0, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1, 0]];
        for (row, expected) in shown[48..].chunks(8).zip(line) {
            let found: Vec<u32> = row.iter().map(|shown| u32::from(shown[..3] == [1.0, 1.0, 0.0])).collect();
            assert_eq!(found, expected);
        }
        Ok(())
    })
}
