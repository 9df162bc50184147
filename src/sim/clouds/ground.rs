//! The ground's heating of the air: meadows, woods, and a little noise.
//!
//! With the heat, the ground gives as much vapour as keeps the relative humidity. So the condensation level stays, and
//! cloud bases are flat.

use std::f64::consts::TAU;

use super::Setting;
use crate::numeric::Random;

/// A warm patch for about each so many metres.
const PATCH: f64 = 2000.0;

/// The relative height from which ground gives as much as it can: crests from this part of the highest one on.
const FULL: f64 = 0.4;

/// How much of the most each column of the ground gives, 0 to 1: five waves of which only the crests give anything, cut off
/// where they give the most, and an eighth of noise. The same for the same seed.
pub fn ground(setting: &Setting, seed: u64) -> Vec<f32> {
    let mut random = Random(seed);
    let columns = setting.cells[0] as usize;
    let width = columns as f64 * f64::from(setting.spacing);
    let first = (width / PATCH).round().max(1.0);
    let waves: Vec<[f64; 2]> =
        (0..5).map(|k| [first + f64::from(k), TAU * f64::from(random.unit())]).collect();
    let height = |column: usize| {
        let along = TAU * (column as f64 + 0.5) / columns as f64;
        waves.iter().map(|[times, phase]| (times * along + phase).sin() / times.sqrt()).sum::<f64>()
    };
    let heights: Vec<f64> = (0..columns).map(height).collect();
    let highest = heights.iter().fold(0.0, |most: f64, &h| most.max(h)).max(1e-9);
    let noisy = |h: f64, noise: f32| {
        ((h / (FULL * highest)).clamp(0.0, 1.0) * f64::from(0.875 + 0.125 * noise)) as f32
    };
    heights.into_iter().map(|h| noisy(h, random.signed())).collect()
}
