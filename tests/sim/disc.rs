//! The brush against its formula, in f64.

use quadrille::Result;
use quadrille::pug::Precision;
use quadrille::sim::{Disc, Outline, Tip};

use crate::support::on_gpu;

/// The share of the paint at that distance along both axes: 1 or 0, of a soft tip between them.
fn share(outline: Outline, [x, y]: [f64; 2], radius: f64) -> f64 {
    let far = if outline == Outline::Square { x.abs().max(y.abs()) } else { x.hypot(y) };
    let inside = (1.0 - (x * x + y * y) / (radius * radius)).max(0.0);
    if outline == Outline::Soft { inside * inside } else { f64::from(u8::from(far <= radius)) }
}

#[test]
fn a_tip_paints_the_elements_that_its_formula_says_and_no_other() -> Result<()> {
    on_gpu(|gpu| {
        let mut disc = Disc::new(gpu)?;
        for (width, height, components) in [(1, 1, 1), (31, 17, 2), (8, 40, 4), (31, 17, 2)] {
            for outline in [Outline::Round, Outline::Square, Outline::Soft] {
                for (centre, radius) in [([4.5, 8.5], 3.0), ([0.25, 1.5], 5.5), ([7.5, 16.0], 0.7)] {
                    let [x, y] = centre;
                    let before: Vec<f32> =
                        (0..width * height * components as u32).map(|i| (i % 13) as f32 / 16.0).collect();
                    let target = gpu.buffer(width, height).components(components).init(&before)?;
                    let tip = Tip { radius, outline };
                    let paint = [0.5, -1.0, 2.0, 0.25];
                    disc.paint(&target, [x, y], tip, paint)?;
                    for (i, &found) in target.data()?.iter().enumerate() {
                        let (element, part) = (i / components, i % components);
                        let away = [(element as u32 % width) as f32 - x, (element as u32 / width) as f32 - y];
                        let away = away.map(|way| way + 0.5);
                        let share = share(outline, away.map(f64::from), radius.into());
                        let old = f64::from(before[i]);
                        let exact = old + share * (f64::from(paint[part]) - old);
                        // A mix in 32 bits of numbers up to 2.
                        let error = (f64::from(found) - exact).abs();
                        assert!(
                            error <= 1e-6,
                            "{outline:?} {radius} at {centre:?}, element {element}: {found} for {exact}"
                        );
                        if outline != Outline::Soft {
                            assert_eq!(tip.covers(away), share == 1.0);
                        }
                    }
                }
            }
        }
        Ok(())
    })
}

#[test]
fn a_soft_tip_paints_targets_of_another_precision_after_those_of_one() -> Result<()> {
    on_gpu(|gpu| {
        let mut disc = Disc::new(gpu)?;
        for precision in [Precision::Float32, Precision::Float16, Precision::Float32] {
            let target = gpu.buffer(9, 9).precision(precision).init(&[0.0; 81])?;
            disc.paint(&target, [4.5, 4.5], Tip { radius: 4.0, outline: Outline::Soft }, [1.0; 4])?;
            let found = target.data()?;
            // (1 - 1/4)^2 two elements from the middle: exact in both.
            assert_eq!((found[40], found[42], found[0]), (1.0, 0.5625, 0.0), "{precision:?}");
        }
        Ok(())
    })
}
