//! The volume that a drop adds to the water.

use std::f64::consts::PI;

use quadrille::Result;
use quadrille::linalg::BoundaryCondition;
use quadrille::sim::wave::{Parameters, Wave};

use super::{cases, explicit, rough};
use crate::support::{on_gpu, refusal};

#[test]
fn a_drop_adds_its_bump_to_both_layers() -> Result<()> {
    on_gpu(|gpu| {
        for (width, height, edges) in cases() {
            let state = rough(width, height);
            let mut wave = Wave::from_state(gpu, width, height, explicit(0.4, edges), &state)?;
            let (x, y) = (0.3 * width as f32, 0.8 * height as f32);
            wave.drop(x, y, 7.5, -0.75)?;
            // Each cell's share of a bump without its rim, and the square of its distance in radii.
            let cell = |i: usize| {
                let (column, row) = (i as u32 % width, i as u32 / width);
                let far = f64::from((column as f32 + 0.5 - x).hypot(row as f32 + 0.5 - y) / 7.5);
                let mut bump = 0.5 * (1.0 + (PI * far.min(1.0)).cos());
                if edges == BoundaryCondition::Dirichlet {
                    for (place, side) in [(column, width), (row, height)] {
                        let inside = f64::from((place + 1).min(side - place));
                        let inside = (inside / 7.5f64.min(f64::from(side + 1) / 2.0)).min(1.0);
                        bump *= inside * inside * (3.0 - 2.0 * inside);
                    }
                }
                (bump, far * far)
            };
            let cells: Vec<(f64, f64)> = (0..(width * height) as usize).map(cell).collect();
            let sum = |of: fn(&(f64, f64)) -> f64| cells.iter().map(of).sum::<f64>();
            let rim = sum(|cell| cell.0) / sum(|cell| cell.0 * cell.1);
            let amount = if rim <= 1e3 { -0.75 } else { 0.0 };
            for (i, (found, before)) in wave.state()?.iter().zip(&state).enumerate() {
                let (bump, square) = cells[i / 2];
                let expected = amount * bump * (1.0 - rim * square);
                // A cosine on a GPU may be off by 2⁻¹¹ (OpenGL promises no more), and the rim takes it so many times.
                let bound = 2f64.powi(-12) * (1.0 + rim.min(1e3));
                let miss = f64::from(found - before) - expected;
                assert!(miss.abs() < bound, "{found} {before} {expected}");
                assert!(square < 1.0 || found == before);
            }
        }
        let mut wave = Wave::new(gpu, 8, 8, Parameters::default(), 1)?;
        assert!(refusal(wave.drop(f32::NAN, 1.0, 1.0, 1.0)).contains("expected finite numbers"));
        Ok(())
    })
}

/// Drops in the middle, cut by an edge and in a corner, larger than the basin, and beside it.
#[test]
fn a_drop_has_no_volume_wherever_it_falls() -> Result<()> {
    on_gpu(|gpu| {
        for (width, height) in [(64u32, 48u32), (31, 57), (1, 17)] {
            let still = vec![0.0; 2 * (width * height) as usize];
            for edges in [BoundaryCondition::Neumann, BoundaryCondition::Dirichlet] {
                let mut wave = Wave::from_state(gpu, width, height, explicit(0.4, edges), &still)?;
                let (w, h) = (width as f32, height as f32);
                for (x, y) in [
                    (0.47 * w, 0.51 * h),
                    (0.0, 0.3 * h),
                    (0.9 * w, h - 0.2),
                    (0.3, 0.4),
                    (w, h),
                    (-2.0, h / 2.0),
                ] {
                    for radius in [2.3, 6.7, 19.0, 130.0] {
                        wave.set_state(&still)?;
                        wave.drop(x, y, radius, -1.0)?;
                        let state = wave.state()?;
                        let heights = || state.iter().step_by(2).map(|&y| f64::from(y));
                        let (volume, moved) = (heights().sum::<f64>(), heights().map(f64::abs).sum::<f64>());
                        // The cosines of drivers are good to 2⁻¹⁸, and sums of 24 bits beside them.
                        let what = format!("{width}x{height} {edges:?} ({x}, {y}) {radius}");
                        assert!(volume.abs() <= 2f64.powi(-16) * moved, "{volume} of {moved}: {what}");
                        // Much larger than the basin it has no rim in it.
                        assert!(
                            moved > 0.0 || x < 0.0 || !(3.0..100.0).contains(&radius),
                            "nothing fell: {what}"
                        );
                    }
                }
            }
        }
        Ok(())
    })
}
