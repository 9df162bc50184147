//! Bars of a histogram below its image, where bins are fewer and more than columns.

use quadrille::streams::{Bins, By, Histogram};
use quadrille::view::Bars;
use quadrille::{Gpu, Result};
use quadrille_oracle::streams::histogram;

use super::bars::expected;
use crate::support::{Random, on_gpu};

/// The bar of each column: the largest of the bins of which it has more than 0.013, which no share of a test is near.
fn heights(counts: &[u64], width: usize) -> Vec<f64> {
    let bins = counts.len();
    let columns = bins.min(width);
    let (ratio, sliver) = (bins as f64 / columns as f64, 0.013);
    let bar = |column: usize| {
        let first = (column as f64 * ratio + sliver) as usize;
        let last = (((column + 1) as f64 * ratio - sliver) as usize).min(bins - 1);
        *counts[first..=last].iter().max().unwrap_or(&0)
    };
    let bars: Vec<u64> = (0..columns).map(bar).collect();
    let most = bars.iter().max().copied().unwrap_or(0).max(1) as f64;
    assert_eq!(bars.iter().max(), counts.iter().max(), "no bin is left out");
    (0..width)
        .map(|x| bars[((x as f64 + 0.5) * columns as f64 / width as f64) as usize] as f64 / most)
        .collect()
}

fn check(gpu: &Gpu, (width, height): (u32, u32), count: u32) -> Result<()> {
    // Two thirds of the pixels lie outside the bins, where no bar is.
    let pixels: Vec<f32> =
        Random(21).floats((width * height) as usize).iter().map(|v| v * v + 0.3 * v).collect();
    let image = gpu.buffer(width, height).init(&pixels)?;
    let mut counted = Histogram::new(gpu, width, height, Bins { count, low: 0.0, high: 0.5 }, By::Gather)?;
    counted.count(&image, 0)?;
    let shown = Bars::new(gpu, &counted)?.draw(&image)?.data()?;
    let counts = histogram(&pixels, count as usize, 0.0, 0.5);
    let heights = heights(&counts[..count as usize], width as usize);
    let strip = height.div_ceil(3).max(width / 8);
    for (i, shown) in shown[4 * pixels.len()..].as_chunks::<4>().0.iter().enumerate() {
        let (x, y) = (i % width as usize, i / width as usize);
        let over = f64::from(strip) - (y as f64 + 0.5);
        // Where an edge goes through the middle of a pixel, rounding decides.
        let across = (x as f64 + 0.5) * f64::from(count.min(width)) / f64::from(width);
        if count < width && (across - across.round()).abs() < 1e-5 {
            continue;
        }
        let ramp = 0.5 * (x as f64 + 0.5) / f64::from(width);
        let expected = expected(ramp, over, strip.into(), heights[x], false);
        let wrong = (0..3).map(|k| (f64::from(shown[k]) - expected[k]).abs()).fold(0.0, f64::max);
        assert!(wrong < 4e-5, "({x}, {y}) of {width}, {count} bins: {shown:?}, expected {expected:?}");
    }
    Ok(())
}

#[test]
fn a_column_shows_the_largest_of_its_bins_and_the_longest_bar_is_as_high_as_the_strip() -> Result<()> {
    on_gpu(|gpu| {
        for size in [(1, 40), (7, 64), (16, 37), (64, 48), (61, 9), (300, 13)] {
            for bins in [1, 7, 8, 64, 65, 255, 256, 1000, 2045] {
                check(gpu, size, bins)?;
            }
        }
        Ok(())
    })
}
