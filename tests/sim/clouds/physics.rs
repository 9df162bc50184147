//! What is known of air: it stays at rest, it swings, its water is kept, its clouds have flat bases.

use std::f64::consts::{PI, TAU};

use quadrille::reference::clouds::{Air, GRAVITY};
use quadrille::sim::clouds::{Clouds, Parameters, STATE, Setting};
use quadrille::{Gpu, Result};

use super::kernels::still;
use crate::support::on_gpu;

/// The bound of the plan is 10⁻⁴ m/s. Nothing is out of balance, not even by a rounding, so it is 0.
#[test]
fn stable_dry_air_stays_at_rest_for_a_thousand_steps() -> Result<()> {
    on_gpu(|gpu| {
        for (cells, periodic) in [([23, 17], true), ([16, 31], false)] {
            let mut clouds = still(gpu, cells, periodic, Air::dry(6.5e-3))?;
            for _ in 0..1000 {
                clouds.step()?;
            }
            let survey = clouds.survey()?;
            assert_eq!((survey.fastest, survey.vapour, survey.cloud), (0.0, 0.0, 0.0));
            assert!((clouds.time() - 5000.0).abs() < 1e-9);
        }
        Ok(())
    })
}

/// The mode θ' = A cos(k x) sin(m z) of air at rest swings with ω = N k/|(k, m)|, N² = g/θ dθ/dz (Gill, *Atmosphere-Ocean Dynamics*,
/// 1982, 6.4). N² varies by a tenth over the box and ω by half of that, of which the mean is taken; space and
/// time steps make less than 1 %.
#[test]
fn stable_air_swings_with_the_frequency_of_brunt_and_vaisala() -> Result<()> {
    on_gpu(|gpu| {
        let (cells, spacing) = ([32u32, 32u32], 50.0);
        let mut clouds = still(gpu, cells, true, Air::dry(4e-3))?;
        let air = clouds.setting().air;
        let side = f64::from(cells[0]) * spacing;
        let rise = (air.at(side).theta - air.at(0.0).theta) / side / air.at(side / 2.0).theta;
        let (k, m) = (TAU / side, PI / side);
        let frequency = (GRAVITY * rise).sqrt() * k / k.hypot(m);
        let mut state = clouds.state()?;
        let shape = |n: usize| {
            let (i, j) = ((n % 32) as f64 + 0.5, (n / 32) as f64 + 0.5);
            (k * spacing * i).cos() * (m * spacing * j).sin()
        };
        let warmth = 2 * state.len() / STATE;
        for n in 0..32 * 32 {
            state[warmth + n] += (0.05 * shape(n)) as f32;
        }
        clouds.set_state(&state)?;
        let amplitude = |state: &[f32]| -> f64 {
            let rest = |j: usize| (air.at((j as f64 + 0.5) * spacing).theta - air.at(0.0).theta) as f32;
            (0..32 * 32).map(|n| f64::from(state[warmth + n] - rest(n / 32)) * shape(n)).sum()
        };
        let (mut last, mut turns) = (amplitude(&state), Vec::new());
        while turns.len() < 3 && clouds.steps() < 1000 {
            clouds.step()?;
            let now = amplitude(&clouds.state()?);
            if now * last < 0.0 {
                turns.push(clouds.time() - 5.0 * now / (now - last));
            }
            last = now;
        }
        let found = turns.get(2).map_or(f64::NAN, |end| TAU / (end - turns[0]));
        assert!((found / frequency - 1.0).abs() < 0.02, "{found} for {frequency}: {turns:?}");
        Ok(())
    })
}

/// Two kilometres of a warm ground.
fn cumulus(gpu: &Gpu, periodic: bool) -> Result<Clouds> {
    let setting = Setting { cells: [56, 44], spacing: 40.0, periodic, ..Setting::default() };
    Clouds::new(gpu, setting, Parameters { time_step: 2.5, heat: 300.0, ..Parameters::default() }, 1)
}

/// From the first cloud on, for ten minutes. Later air that has sunk out of clouds, cold and moist, is under them.
#[test]
fn the_base_of_clouds_is_within_two_cells_of_the_condensation_level() -> Result<()> {
    on_gpu(|gpu| {
        for periodic in [true, false] {
            let mut clouds = cumulus(gpu, periodic)?;
            let mut bases = 0;
            while clouds.time() < 3600.0 && bases < 10 {
                for _ in 0..24 {
                    clouds.step()?;
                }
                let survey = clouds.survey()?;
                if let Some(off) = survey.base_off(clouds.setting()) {
                    bases += 1;
                    assert!(off.abs() <= 2.0, "{off} cells: {survey:?}");
                }
            }
            assert_eq!(bases, 10, "no cloud in an hour");
        }
        Ok(())
    })
}

/// The bound of the plan is 0.1 %. What is left are roundings of the sums that are kept.
#[test]
fn vapour_and_cloud_water_are_kept_over_a_thousand_steps_in_a_closed_box() -> Result<()> {
    on_gpu(|gpu| {
        let lost = |keep_water| -> Result<[f64; 2]> {
            let setting = Setting { cells: [40, 32], spacing: 80.0, periodic: false, ..Setting::default() };
            let parameters = Parameters { time_step: 8.0, heat: 300.0, keep_water, ..Parameters::default() };
            let mut clouds = Clouds::new(gpu, setting, parameters, 2)?;
            let mut most: f64 = 0.0;
            for step in 1..=1000 {
                clouds.step()?;
                if step % 100 == 0 {
                    most = most.max(clouds.water_total()?.lost().abs());
                }
            }
            assert!(clouds.survey()?.densest > 1e-4, "no cloud");
            Ok([most, clouds.lost_by_advection()?.unwrap_or(0.0).abs()])
        };
        let ([kept, by_advection], [free, _]) = (lost(true)?, lost(false)?);
        assert!(kept <= 1e-3, "{kept}");
        assert!(free > 10.0 * kept && by_advection > 10.0 * kept, "{free} and {by_advection} against {kept}");
        Ok(())
    })
}
