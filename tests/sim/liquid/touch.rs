//! The mouse in the box: what is poured and what is pushed.

use quadrille::sim::liquid::scenes::Start;
use quadrille::sim::liquid::{Parameters, Smoke, Water};
use quadrille::{Gpu, Result};

use super::super::support::{on_gpu, refusal};

const SIZE: [u32; 3] = [13, 9, 11];

fn pool(gpu: &Gpu, level: f64) -> Result<Water> {
    Water::new(gpu, &Start::liquid(SIZE, move |[_, _, z]| z - level), Parameters::default())
}

#[test]
fn a_ball_of_water_is_there_and_is_kept() -> Result<()> {
    on_gpu(|gpu| {
        let mut water = pool(gpu, 2.0)?;
        let (before, radius) = (water.volume()?, 3.0f64);
        water.pour([6.5, 4.5, 7.0], radius as f32)?;
        let poured = water.volume()? - before;
        // The part of a voxel that counts is linear in phi: the skin of 4 pi r^2 = 113 voxels is off by a few hundredths each.
        let ball = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        assert!((poured - ball).abs() < 0.03 * ball, "{poured} of {ball}");
        assert!((water.volume_at_first() - before - poured).abs() < 1e-2, "{}", water.volume_at_first());
        for _ in 0..4 {
            water.step()?;
        }
        // As much is kept as two shifts of a step reach.
        let left = water.volume()? / (before + ball) - 1.0;
        assert!(left.abs() < 0.03, "{left}");
        assert_eq!(
            refusal(water.pour([f64::NAN, 0.0, 0.0], 1.0)),
            "ball = 1 at [NaN, 0.0, 0.0]: expected finite numbers, a radius above 0"
        );

        let mut full = pool(gpu, 10.5)?;
        let (first, kept) = (full.volume()?, full.volume_at_first());
        full.pour([6.5, 4.5, 10.0], 3.0)?;
        assert_eq!((full.volume()?, full.volume_at_first()), (first, kept));
        Ok(())
    })
}

#[test]
fn a_ball_of_smoke_is_dense_within_half_its_radius_and_nothing_beyond_three_halves() -> Result<()> {
    on_gpu(|gpu| {
        let mut smoke = Smoke::new(gpu, &Start::smoke(SIZE, |_| 0.0), Parameters::default())?;
        smoke.pour([6.0, 4.0, 5.0], 2.0)?;
        let voxels = smoke.flow().voxels();
        let density = voxels.collect(&smoke.density().get()?);
        assert_eq!(smoke.density().get()?, smoke.warmth().get()?);
        let [nx, ny, _] = SIZE.map(|n| n as usize);
        for (n, &found) in density.iter().enumerate() {
            let [x, y, z] = [n % nx, n / nx % ny, n / nx / ny].map(|i| i as f64 + 0.5);
            let away = ((x - 6.0).powi(2) + (y - 4.0).powi(2) + (z - 5.0).powi(2)).sqrt();
            let expected = (1.5 - away / 2.0).clamp(0.0, 1.0);
            assert!((f64::from(found) - expected).abs() < 1e-6, "{found} {expected} {away}");
        }
        Ok(())
    })
}

/// All faces, each from its own place; what lies between slices is 0 as before, or the sum would tell.
#[test]
fn a_push_goes_along_its_line_and_fades_beside_it() -> Result<()> {
    on_gpu(|gpu| {
        let mut water = pool(gpu, 6.0)?;
        let (middle, along, radius, speed) = ([6.0, 4.0, 5.0], [0.6, -0.48, 0.64], 2.5f64, 1.5f64);
        water.flow_mut().push_along(middle, along.map(|v| 3.0 * v), radius as f32, speed as f32)?;
        let velocity = water.flow().velocity().get()?;
        let voxels = water.flow().voxels();
        for (axis, faces) in velocity.iter().enumerate() {
            let [nx, ny, _] = voxels.faces(axis).map(|n| n as usize);
            let mut sum = 0.0;
            for (n, &found) in faces.iter().enumerate() {
                let mut p = [n % nx, n / nx % ny, n / nx / ny].map(|i| i as f64 + 0.5);
                p[axis] -= 0.5;
                let away: [f64; 3] = std::array::from_fn(|k| p[k] - middle[k]);
                let far: f64 = away.iter().zip(along).map(|(a, b)| a * b).sum();
                let beside: f64 = (0..3).map(|k| (away[k] - far * along[k]).powi(2)).sum();
                let expected = speed * along[axis] * (-beside / (radius * radius)).exp();
                assert!(
                    (f64::from(found) - expected).abs() < 2e-6,
                    "axis {axis}: {found} {expected} at {p:?}"
                );
                sum += f64::from(found);
            }
            let all: f64 = water.flow().velocity().component(axis).get()?.iter().map(|&v| f64::from(v)).sum();
            assert!((all - sum).abs() < 1e-4, "axis {axis}: {all}, of faces {sum}");
        }
        water.step()?;
        assert!(water.flow().outcome().is_some_and(|outcome| outcome.residual() < 1e-2));
        let line = refusal(water.flow_mut().push_along(middle, [0.0; 3], 1.0, 1.0));
        assert_eq!(line, "push = 1 along [0.0, 0.0, 0.0]: expected a direction, and finite numbers");
        Ok(())
    })
}
