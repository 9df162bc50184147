//! States that go out and come in, wind and brush, and what is refused.

use quadrille::Result;
use quadrille::sim::clouds::{Air, Clouds, Parameters, STATE, Scene, Setting, ground};

use super::kernels::still;
use crate::support::{on_gpu, refusal};

/// A box of five columns and three rows.
fn small(periodic: bool) -> Setting {
    Setting { cells: [5, 3], spacing: 300.0, periodic, ..Setting::default() }
}

#[test]
fn a_state_comes_back_as_it_went_in_and_goes_on_the_same() -> Result<()> {
    on_gpu(|gpu| {
        for periodic in [true, false] {
            let setting = Setting { cells: [23, 14], spacing: 150.0, periodic, ..Setting::default() };
            let parameters = Parameters { time_step: 15.0, heat: 400.0, ..Parameters::default() };
            let mut clouds = Clouds::new(gpu, setting, parameters, 4)?;
            for _ in 0..10 {
                clouds.step()?;
            }
            let state = clouds.state()?;
            assert_eq!(state.len(), STATE * (23 + usize::from(!periodic)) * 15);
            let mut other = Clouds::new(gpu, setting, parameters, 4)?;
            for clouds in [&mut clouds, &mut other] {
                clouds.set_state(&state)?;
                assert_eq!(clouds.state()?, state);
                for _ in 0..5 {
                    clouds.step()?;
                }
            }
            assert_eq!(clouds.state()?, other.state()?);
            assert_eq!((clouds.steps(), clouds.time()), (5, 75.0));
            clouds.reset(4)?;
            assert_eq!(clouds.state()?, Clouds::new(gpu, setting, parameters, 4)?.state()?);
        }
        Ok(())
    })
}

/// Whoever goes on from a state goes on in its wind.
#[test]
fn a_state_has_its_wind() -> Result<()> {
    on_gpu(|gpu| {
        let parameters = Parameters { wind: 4.5, ..Parameters::default() };
        let mut clouds = Clouds::new(gpu, small(true), parameters, 1)?;
        let state = clouds.state()?;
        assert_eq!(state[15..20], [4.5; 5]);
        clouds.set_parameters(Parameters { wind: 1.0, ..parameters })?;
        assert_eq!(clouds.state()?, state, "no gust before the next step");
        let mut other = Clouds::new(gpu, small(true), Parameters::default(), 1)?;
        other.set_state(&state)?;
        assert_eq!((other.parameters().wind, other.state()?), (4.5, state.clone()));
        let mut storm = state;
        storm[15..20].fill(70.0);
        assert!(refusal(other.set_state(&storm)).contains("wind = 70: expected -50 to 50"));
        Ok(())
    })
}

/// Air at rest is moved as a whole: by the wind, to four roundings of it.
#[test]
fn a_change_of_the_wind_moves_all_the_air_and_nothing_else() -> Result<()> {
    on_gpu(|gpu| {
        let mut clouds = still(gpu, [9, 7], true, Air::dry(6.5e-3))?;
        let before = clouds.state()?;
        let parameters = Parameters { wind: -7.5, ..clouds.parameters() };
        clouds.set_parameters(parameters)?;
        for _ in 0..3 {
            clouds.step()?;
        }
        let (state, plane) = (clouds.state()?, 9 * 8);
        assert!(state[..9 * 7].iter().all(|u| (u + 7.5).abs() < 4e-6), "{:?}", &state[..9 * 7]);
        assert!(state[plane..2 * plane].iter().all(|v| v.abs() < 1e-5));
        // Interpolation among numbers that are all alike in a row: the profile moves by no more than roundings.
        let pairs = state[2 * plane..].iter().zip(&before[2 * plane..]);
        assert!(pairs.clone().all(|(now, then)| (now - then).abs() < 1e-5));
        Ok(())
    })
}

/// Sums of 32-bit numbers, added to one by one: two roundings a cell.
#[test]
fn the_brush_warms_and_moistens_and_its_water_is_counted() -> Result<()> {
    on_gpu(|gpu| {
        let mut clouds = still(gpu, [31, 20], false, Air::default())?;
        let before = clouds.air().data()?;
        for (at, radius) in [([10.0, 8.0], 5.0), ([0.0, 19.5], 3.5), ([60.0, 60.0], 4.0), ([3.0, 3.0], 0.0)] {
            clouds.warm(at, radius, [0.5, 1e-3])?;
        }
        let after = clouds.air().data()?;
        let added = |x: usize, y: usize, k: usize| after[4 * (31 * y + x) + k] - before[4 * (31 * y + x) + k];
        assert!((added(10, 8, 0) - 0.5 * 0.98f32.powi(2)).abs() < 1e-4);
        assert!(added(10, 14, 0) == 0.0 && added(0, 19, 1) > 5e-4 && added(10, 8, 2) == 0.0);
        assert!(after.chunks(4).all(|cell| cell[3] == 0.0));
        let total = clouds.water_total()?;
        assert!(total.lost().abs() < 2.0 * 6e-8, "{total:?}");
        assert!(total.expected > before.chunks(4).map(|cell| f64::from(cell[1])).sum::<f64>() + 5e-3);
        let mut clouds = still(gpu, [31, 20], true, Air::default())?;
        clouds.warm([0.5, 10.5], 4.0, [1.0, 1e-3])?;
        let after = clouds.air().data()?;
        let added = |x: usize| after[4 * (31 * 10 + x)] - before[4 * (31 * 10 + x)];
        // The rounding of numbers up to 1 K.
        assert!((1..4).all(|far| added(far) > 0.05 && (added(far) - added(31 - far)).abs() < 1e-6));
        assert!(clouds.water_total()?.lost().abs() < 2.0 * 6e-8);
        Ok(())
    })
}

#[test]
fn the_ground_is_warm_in_places_and_the_same_for_a_seed() {
    let setting = Setting::default();
    let [one, same, other] = [1, 1, 2].map(|seed| ground(&setting, seed));
    assert_eq!(one, same);
    assert_ne!(one, other);
    assert!(one.iter().all(|g| (0.0..=1.0).contains(g)));
    let warm = one.iter().filter(|&&g| g > 0.0).count();
    assert!((40..150).contains(&warm), "{warm} of 192");
    assert_eq!(ground(&Setting { cells: [1, 5], ..setting }, 3).len(), 1);
}

#[test]
fn scenes_have_names_and_can_be_stepped() -> Result<()> {
    on_gpu(|gpu| {
        for scene in Scene::ALL {
            let (setting, parameters) = scene.start();
            let setting = Setting { cells: [12, 7], spacing: 512.0, ..setting };
            let mut clouds = Clouds::new(gpu, setting, parameters, 1)?;
            clouds.step()?;
            assert_eq!(clouds.survey()?.fastest > 0.0, scene != Scene::Stable, "{}", scene.name());
        }
        Ok(())
    })
}

#[test]
fn every_wrong_setting_parameter_and_state_is_refused_in_one_line() -> Result<()> {
    on_gpu(|gpu| {
        let make = |setting, parameters| refusal(Clouds::new(gpu, setting, parameters, 1));
        let (fine, usual) = (small(true), Parameters::default());
        for (setting, parameters, words) in [
            (Setting { cells: [0, 3], ..fine }, usual, "0x3 has no elements"),
            (Setting { spacing: f32::NAN, ..fine }, usual, "spacing"),
            (Setting { spacing: 20_000.0, air: Air::dry(6.5e-3), ..fine }, usual, "temperature at the top"),
            (Setting { air: Air { humidity: 2.0, ..fine.air }, ..fine }, usual, "humidity of the ground = 2"),
            (fine, Parameters { time_step: 0.0, ..usual }, "time step"),
            (fine, Parameters { wind: 80.0, ..usual }, "wind"),
            (small(false), Parameters { wind: 1.0, ..usual }, "wind"),
            (fine, Parameters { heat: -1.0, ..usual }, "heat"),
            (fine, Parameters { evaporation: Some(f32::INFINITY), ..usual }, "evaporation"),
            (fine, Parameters { confinement: 2.0, ..usual }, "confinement"),
            (fine, Parameters { mixing: -1.0, ..usual }, "mixing = -1: expected 0 to 5625"),
            (fine, Parameters { mixing: 6000.0, ..usual }, "mixing = 6000: expected 0 to 5625"),
            (fine, Parameters { renewal: Some(1.0), ..usual }, "renewal = 1: expected 4 to 1000000000"),
            (fine, Parameters { renewal: Some(f32::NAN), ..usual }, "renewal"),
        ] {
            let line = make(setting, parameters);
            assert!(line.contains(words), "{words}: {line}");
        }
        let mut clouds = Clouds::new(gpu, fine, usual, 1)?;
        let state = clouds.state()?;
        let line = refusal(clouds.set_state(&state[1..]));
        assert!(line.contains("119 values given, 120 expected"), "{line}");
        for (n, value, words) in [
            (7, f32::NAN, "NaN at (2, 1) of plane 0"),
            (81, -1e-9, "at (1, 0) of plane 4"),
            (57, 2.0, "2 at (2, 3) of plane 2"),
            (17, 1.0, "wind = 1 and 0: expected the same number all along the last row of plane 0"),
        ] {
            let mut wrong = state.clone();
            wrong[n] = value;
            let line = refusal(clouds.set_state(&wrong));
            assert!(line.contains(words), "{line}");
        }
        assert!(refusal(clouds.warm([0.0, f32::NAN], 1.0, [0.0; 2])).contains("brush"));
        assert!(refusal(clouds.set_parameters(Parameters { heat: f32::NAN, ..usual })).contains("heat"));
        assert_eq!(clouds.state()?, state);
        Ok(())
    })
}
