//! The known behaviour of air: it stays at rest, it swings, its water is kept, its clouds have flat bases.

use std::f64::consts::{PI, TAU};

use quadrille::sim::clouds::physics::GRAVITY;
use quadrille::sim::clouds::{Air, Clouds, Parameters, STATE, Setting};
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

/// From the first cloud on, for so many minutes.
fn the_base_is_where_it_should_be(minutes: impl IntoIterator<Item = (bool, usize)>) -> Result<()> {
    on_gpu(|gpu| {
        for (periodic, looks) in minutes {
            let mut clouds = cumulus(gpu, periodic)?;
            let mut offs = Vec::new();
            while clouds.time() < 7200.0 && offs.len() < looks {
                for _ in 0..24 {
                    clouds.step()?;
                }
                let survey = clouds.survey()?;
                if let Some(off) = survey.base_off(clouds.setting()) {
                    offs.push(off);
                    assert!(off.abs() <= 2.0 || offs.len() > 10, "{off} cells: {survey:?}");
                }
            }
            assert_eq!(offs.len(), looks, "few clouds in two hours");
            offs.sort_by(f64::total_cmp);
            let median = offs[looks / 2];
            assert!(median.abs() <= 2.0, "{median} cells: {offs:?}");
        }
        Ok(())
    })
}

#[test]
fn the_base_of_clouds_is_within_two_cells_of_the_condensation_level() -> Result<()> {
    the_base_is_where_it_should_be([(true, 10), (false, 10)])
}

/// After ten minutes there may be nothing for a while but what is left of a cloud, far above; but in the median of an hour it is there.
#[test]
#[ignore = "seconds on a CPU: ten minutes of clouds are tested always"]
fn the_base_of_clouds_is_there_in_the_median_of_an_hour() -> Result<()> {
    the_base_is_where_it_should_be([(true, 60)])
}

/// Air that is warmer by the same all over a row moves nothing: pressure holds it. So what is warmer, and a wind that is none of
/// the parameters', fall by 1 − Δt/τ a step: to a rounding of 10 K, and of 2 m/s, each.
#[test]
fn renewal_brings_back_the_air_at_rest_and_its_wind() -> Result<()> {
    on_gpu(|gpu| {
        let mut clouds = still(gpu, [12, 9], true, Air::dry(6.5e-3))?;
        clouds.set_parameters(Parameters { renewal: Some(50.0), mixing: 0.0, ..clouds.parameters() })?;
        let calm = clouds.state()?;
        let mut state = calm.clone();
        let (plane, cells) = (12 * 10, 12 * 9);
        for n in 0..cells {
            state[n] = 2.0;
            state[2 * plane + n] += 1.5 + 0.1 * (n / 12) as f32;
        }
        clouds.set_state(&state)?;
        for _ in 0..20 {
            clouds.step()?;
        }
        let left = 0.9f64.powi(20);
        let found = clouds.state()?;
        for n in 0..cells {
            let [u, warmer] = [0, 2].map(|k| f64::from(found[k * plane + n] - calm[k * plane + n]));
            let expected = (1.5 + 0.1 * (n / 12) as f64) * left;
            assert!((u - 2.0 * left).abs() < 20.0 * 2.4e-7, "{u} m/s in cell {n}");
            assert!((warmer - expected).abs() < 20.0 * 1.9e-6, "{warmer} K in cell {n}");
        }
        Ok(())
    })
}

/// The bound of the plan is 0.1 %. What is left are roundings of the sums that are kept.
fn water_is_kept(steps: usize) -> Result<()> {
    on_gpu(|gpu| {
        let lost = |keep_water, renewal| -> Result<[f64; 2]> {
            let setting = Setting { cells: [40, 32], spacing: 80.0, periodic: false, ..Setting::default() };
            let parameters =
                Parameters { time_step: 8.0, heat: 300.0, keep_water, renewal, ..Parameters::default() };
            let mut clouds = Clouds::new(gpu, setting, parameters, 2)?;
            let mut most: f64 = 0.0;
            for step in 1..=steps {
                clouds.step()?;
                if step % 100 == 0 {
                    most = most.max(clouds.water_total()?.lost().abs());
                }
            }
            assert!(clouds.survey()?.densest > 1e-4, "no cloud");
            Ok([most, clouds.lost_by_advection()?.unwrap_or(0.0).abs()])
        };
        let ([kept, by_advection], [free, _]) = (lost(true, None)?, lost(false, None)?);
        let [renewed, _] = lost(true, Some(1800.0))?;
        assert!(kept <= 1e-3 && renewed <= 1e-3, "{kept}, {renewed}");
        assert!(free > 10.0 * kept && by_advection > 10.0 * kept, "{free} and {by_advection} against {kept}");
        Ok(())
    })
}

#[test]
fn vapour_and_cloud_water_are_kept_over_400_steps_in_a_closed_box() -> Result<()> {
    water_is_kept(400)
}

#[test]
#[ignore = "seconds on a CPU: 400 steps are tested always"]
fn vapour_and_cloud_water_are_kept_over_a_thousand_steps_in_a_closed_box() -> Result<()> {
    water_is_kept(1000)
}
