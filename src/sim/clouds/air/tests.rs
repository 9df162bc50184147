use super::*;
use crate::sim::clouds::physics::LATENT_HEAT;

/// Buck's table of saturation over water, in Pa: the formula is within 0.3 % of it, and q_vs = 0.622 e/p to 0.2 %.
#[test]
fn saturation_is_that_of_the_tables() {
    for (celsius, expected) in [(0.0, 611.2), (10.0, 1227.9), (20.0, 2338.5), (30.0, 4245.5)] {
        let found = saturation(FREEZING + celsius, 1e5) * 1e5 / 0.622;
        assert!((found / expected - 1.0).abs() < 5e-3, "{found} at {celsius}");
    }
}

#[test]
fn the_slope_of_saturation_is_its_derivative() {
    for temperature in [230.0, 273.15, 300.0] {
        let by = 1e-4;
        let found = (saturation(temperature + by, 9e4) - saturation(temperature - by, 9e4)) / (2.0 * by);
        let expected = saturation_slope(temperature, 9e4);
        assert!((found / expected - 1.0).abs() < 1e-7, "{found} {expected}");
    }
}

/// dp/dz = −ρ g, by differences; θ is the same all over the mixed layer, and rises above.
#[test]
fn air_is_in_hydrostatic_balance() {
    let air = Air::default();
    for height in [10.0, 500.0, 1500.0, 2450.0, 3000.0] {
        let by = 0.5;
        let slope = (air.pressure_at(height + by) - air.pressure_at(height - by)) / (2.0 * by);
        let weight = air.pressure_at(height) * GRAVITY / (GAS_CONSTANT * air.temperature_at(height));
        assert!((slope / weight + 1.0).abs() < 1e-6, "{slope} {weight} at {height}");
    }
    assert!((air.at(650.0).theta / air.at(0.0).theta - 1.0).abs() < 1e-12);
    assert!(air.at(1500.0).theta > air.at(960.0).theta + 1.0);
    let humidity = |z: f64| air.at(z).vapour / saturation(air.temperature_at(z), air.pressure_at(z));
    for (height, expected) in [(1600.0, 0.7125), (2500.0, 0.475), (2501.0, 0.475)] {
        assert!((humidity(height) / expected - 1.0).abs() < 1e-12, "{} at {height}", humidity(height));
    }
    assert_eq!(Air::dry(6.5e-3).at(800.0).vapour, 0.0);
}

/// The rule of thumb is 125 m for each kelvin between temperature and dew point: within 2 %.
#[test]
fn the_condensation_level_is_near_the_rule_of_thumb() {
    let air = Air::default();
    let Parcel { theta, vapour, .. } = air.at(0.0);
    let mut dew_point = air.temperature;
    while saturation(dew_point, air.pressure) > vapour {
        dew_point -= 0.01;
    }
    let level = air.condensation_level(theta, vapour, 4000.0).unwrap_or(f64::NAN);
    assert!((level / (125.0 * (air.temperature - dew_point)) - 1.0).abs() < 0.02, "{level}");
    let pressure = air.pressure_at(level);
    assert!((saturation(theta * exner(pressure), pressure) / vapour - 1.0).abs() < 1e-5);
    assert_eq!(air.condensation_level(theta, 0.0, 4000.0), None);
    assert_eq!(air.condensation_level(theta, 0.1, 4000.0), Some(0.0));
}

/// Heat that brings vapour at constant relative humidity moves the level by less than 10 m a kelvin; heat alone by more than 100 m.
#[test]
fn vapour_beside_heat_keeps_the_condensation_level() {
    let air = Air::default();
    let Parcel { theta, vapour, .. } = air.at(0.0);
    let level = |theta, vapour| air.condensation_level(theta, vapour, 4000.0).unwrap_or(f64::NAN);
    let beside = air.vapour_beside_heat() * HEAT_CAPACITY / LATENT_HEAT;
    let moved = level(theta + 1.0, vapour + beside) - level(theta, vapour);
    assert!(moved.abs() < 10.0, "{moved} m");
    assert!(level(theta + 1.0, vapour) - level(theta, vapour) > 100.0);
}

#[test]
fn air_that_is_none_is_refused() -> Result<()> {
    Air::default().check(4000.0)?;
    for bad in [
        Air { temperature: f64::NAN, ..Air::default() },
        Air { humidity: 1.5, ..Air::default() },
        Air { inversion: 10.0, ..Air::default() },
        Air { lid: 0.04, ..Air::default() },
    ] {
        assert!(bad.check(6000.0).is_err(), "{bad:?}");
    }
    Ok(())
}
