//! Histograms by points and by gather: the same counts as a loop, exactly.

use quadrille::streams::{Bins, By, Histogram};
use quadrille::{Error, Gpu, Limits, Result};
use quadrille_oracle::streams::histogram;

use crate::LONG;
use crate::support::{Random, SIZES, on_card, on_gpu, refusal};

const BOTH: [By; 2] = [By::Points, By::Gather];

/// Returns true if the driver can count that way: points need float blending.
fn able(gpu: &Gpu, by: By) -> bool {
    by == By::Gather || gpu.limits().float_blend
}

fn check(gpu: &Gpu, image: &quadrille::Buffer, component: usize, bins: Bins, by: By) -> Result<()> {
    let (width, height) = (image.width(), image.height());
    let mut counting = Histogram::new(gpu, width, height, bins, by)?;
    counting.count(image, component)?;
    let found = counting.counts()?;
    let pixels = image.data()?;
    let pixels: Vec<f32> = pixels.into_iter().skip(component).step_by(image.components()).collect();
    let mut expected = histogram(&pixels, bins.count as usize, bins.low, bins.high);
    let outside = expected.split_off(bins.count as usize);
    let shown = format!("{} bins of {width}x{height} {by:?}", bins.count);
    assert_eq!(found.total(), pixels.len() as u64, "{shown}");
    assert_eq!((found.below, found.above, found.nan), (outside[0], outside[1], outside[2]), "{shown}");
    assert_eq!(found.bins, expected, "{shown}");
    Ok(())
}

#[test]
fn counts_of_all_sizes_and_bins_are_those_of_a_loop() -> Result<()> {
    on_gpu(|gpu| {
        for &(width, height) in SIZES {
            let image = gpu.buffer(width, height).init(&Random(3).floats((width * height) as usize))?;
            for count in [1, 2, 3, 7, 29, 30, 256, 1000] {
                for by in BOTH.into_iter().filter(|by| able(gpu, *by)) {
                    check(gpu, &image, 0, Bins { count, low: -1.0, high: 1.0 }, by)?;
                    check(gpu, &image, 0, Bins { count, low: -0.3, high: 0.71 }, by)?;
                }
            }
        }
        Ok(())
    })
}

#[test]
fn pixels_outside_and_no_numbers_are_counted_apart() -> Result<()> {
    on_gpu(|gpu| {
        let odd =
            [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 1.0, 0.5, -1e-20, 1.000_000_1, f32::MAX];
        let mut random = Random(4);
        let pixels: Vec<f32> = (0..31 * 57).map(|_| odd[random.below(odd.len())]).collect();
        let image = gpu.buffer(31, 57).init(&pixels)?;
        for by in BOTH.into_iter().filter(|by| able(gpu, *by)) {
            for count in [1, 2, 10] {
                check(gpu, &image, 0, Bins { count, low: 0.0, high: 1.0 }, by)?;
            }
        }
        Ok(())
    })
}

#[test]
fn one_component_of_several_is_counted_whatever_the_others_hold() -> Result<()> {
    on_gpu(|gpu| {
        for components in 1..=4 {
            let mut pixels = Random(5).floats(11 * 10 * components);
            pixels.iter_mut().step_by(components).for_each(|v| *v = f32::NAN);
            let image = gpu.buffer(11, 10).components(components).init(&pixels)?;
            for component in 0..components {
                for by in BOTH.into_iter().filter(|by| able(gpu, *by)) {
                    check(gpu, &image, component, Bins { count: 9, low: -1.0, high: 1.0 }, by)?;
                }
            }
        }
        Ok(())
    })
}

#[test]
fn a_folded_array_is_counted_without_what_pads_it() -> Result<()> {
    on_gpu(|gpu| {
        for n in [1, 2, 3, 5, 7, 1021, LONG] {
            let image = gpu.array(n).init(&Random(6).floats(n))?;
            for by in BOTH.into_iter().filter(|by| able(gpu, *by)) {
                check(gpu, &image, 0, Bins { count: 64, low: -1.0, high: 1.0 }, by)?;
            }
        }
        Ok(())
    })
}

/// 4099² is 2²⁴ + 24 585: a float that counts all of them in one bin would stand still.
#[test]
fn more_pixels_than_a_float_counts_are_counted_exactly() -> Result<()> {
    on_gpu(|gpu| {
        let side = 4099;
        let image = gpu.buffer(side, side).build()?;
        for by in BOTH.into_iter().filter(|by| able(gpu, *by)) {
            let mut counting = Histogram::new(gpu, side, side, Bins { count: 2, low: 0.0, high: 1.0 }, by)?;
            counting.count(&image, 0)?;
            assert_eq!(counting.buffer().height(), 2, "two bands");
            assert_eq!(counting.counts()?.bins, [u64::from(side * side), 0], "{by:?}");
        }
        Ok(())
    })
}

#[test]
fn counting_again_forgets_the_image_before() -> Result<()> {
    on_gpu(|gpu| {
        for by in BOTH.into_iter().filter(|by| able(gpu, *by)) {
            let mut counting = Histogram::new(gpu, 5, 3, Bins { count: 4, low: 0.0, high: 4.0 }, by)?;
            for value in [0.0, 2.0, 2.0] {
                counting.count(&gpu.buffer(5, 3).init(&[value; 15])?, 0)?;
                let counts = counting.counts()?;
                assert_eq!((counts.mode(), counts.bins[value as usize]), (value as usize, 15));
            }
        }
        Ok(())
    })
}

#[test]
fn cards_without_blending_gather_and_say_what_points_need() -> Result<()> {
    let bins = Bins { count: 256, low: -1.0, high: 1.0 };
    for (card, needs) in [
        (Limits::RADEON_9700, "EXT_float_blend"),
        (Limits::GEFORCE_FX, "EXT_float_blend"),
        (Limits::GEFORCE_6800, "EXT_float_blend"),
        (Limits { vertex_streams: 0, float_blend: true, ..Limits::GEFORCE_6800 }, "vertex texture fetch"),
    ] {
        on_card(card, |gpu| {
            let image = gpu.buffer(127, 40).init(&Random(8).floats(127 * 40))?;
            check(gpu, &image, 0, bins, By::Gather)?;
            let refused = Histogram::new(gpu, 127, 40, bins, By::Points);
            assert!(matches!(refused, Err(Error::Unsupported { .. })));
            let line = refusal(refused);
            let told = format!("a histogram by points needs {needs}, which {} does not offer", card.name);
            // A driver that lacks blending itself says so first.
            assert!(line == told || !gpu.limits().float_blend, "{line}");
            Ok(())
        })?;
    }
    Ok(())
}

/// With 8 fetches a pass, or loops as short, and one target, a large image takes many passes, whose counts are added without
/// blending: its texels of four are 63 x 256, which 256 blocks go through in 63 steps.
#[test]
fn few_fetches_or_short_loops_take_more_passes_to_the_same_counts() -> Result<()> {
    let small = Limits { name: "SMALL", targets: 1, texture_size: 256, ..Limits::RADEON_9700 };
    let short = Limits { loop_iterations: 8, fetches: 65_535, ..small };
    let passes =
        [Limits { fetches: 8, ..small }, short, Limits { loop_iterations: 1000, ..short }].map(|card| {
            let mut passes = 0;
            on_card(card, |gpu| {
                let image = gpu.buffer(251, 256).init(&Random(9).floats(251 * 256))?;
                let bins = Bins { count: 253, low: -1.0, high: 1.0 };
                check(gpu, &image, 0, bins, By::Gather)?;
                let mut counting = Histogram::new(gpu, 251, 256, bins, By::Gather)?;
                let before = gpu.counters().passes;
                counting.count(&image, 0)?;
                passes = gpu.counters().passes - before;
                Ok(())
            })?;
            Ok(passes)
        });
    let [few_fetches, short_loops, long_loops] = passes;
    let (few_fetches, short_loops, long_loops) = (few_fetches?, short_loops?, long_loops?);
    assert!(few_fetches >= 8 && short_loops >= 8 && long_loops < few_fetches);
    Ok(())
}
