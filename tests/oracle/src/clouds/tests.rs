use super::*;

#[test]
fn settled_air_is_saturated_or_clear_and_keeps_water_and_energy() {
    let pressure = 8.5e4;
    for theta in [270.0, 290.0, 305.0] {
        for vapour in [0.0, 0.004, 0.012, 0.03] {
            for cloud in [0.0, 1e-4, 5e-3] {
                let before = Parcel { theta, vapour, cloud };
                let Parcel { theta, vapour, cloud } = settled(before, pressure);
                let most = saturation(theta * exner(pressure), pressure);
                assert!(cloud >= 0.0 && vapour >= 0.0 && vapour <= most * (1.0 + 1e-12), "{before:?}");
                assert!(cloud == 0.0 || (vapour / most - 1.0).abs() < 1e-12, "{before:?}");
                assert!((vapour + cloud - before.vapour - before.cloud).abs() < 1e-17, "{before:?}");
                let energy =
                    |theta: f64, vapour: f64| HEAT_CAPACITY * exner(pressure) * theta + LATENT_HEAT * vapour;
                let change = energy(theta, vapour) - energy(before.theta, before.vapour);
                assert!(change.abs() < 1e-6, "{change} J of {before:?}");
            }
        }
    }
}

/// A vortex that turns to the left and is strongest at its middle is pushed around to the left.
#[test]
fn confinement_turns_a_vortex_on() {
    let cells = Cells { size: [9, 9], periodic: false };
    let place = |n: usize| [(n % 9) as f64 - 4.0, (n / 9) as f64 - 4.0];
    let vorticity: Vec<f64> = (0..81).map(|n| 5.0 - place(n)[0].hypot(place(n)[1]) * 0.5).collect();
    for (n, [x, y]) in cells.confinement(&vorticity, 0.1).into_iter().enumerate() {
        let [dx, dy] = place(n);
        let around = dx * y - dy * x;
        assert!(around > 0.0 || n == 40, "cell {n}: ({x}, {y})");
        let size = x.hypot(y);
        assert!((size - 0.1 * vorticity[n]).abs() < 1e-12 || n == 40, "cell {n}: {size}");
    }
    let around = Cells { periodic: true, ..cells };
    assert_eq!((around.at(-1, -1), around.at(9, 9), cells.at(-1, 9)), (8, 72, 72));
}

/// Mixing keeps the sum, since each cell gives what its neighbour gets; a wave of length L falls by 1 − 4 K Δt/h² sin²(π h/L).
#[test]
fn mixing_keeps_the_sum_and_damps_waves_as_it_should() {
    for periodic in [true, false] {
        let cells = Cells { size: [24, 5], periodic };
        // Whole waves around the box, half ones between walls.
        let turn = std::f64::consts::PI * if periodic { 4.0 } else { 3.0 } / 24.0;
        let wave: Vec<f64> = (0..120).map(|n| (turn * ((n % 24) as f64 + 0.5)).cos()).collect();
        let change = cells.mixing(&wave, 0.2, None);
        assert!(change.iter().sum::<f64>().abs() < 1e-13);
        let falls = 0.8 * (0.5 * turn).sin().powi(2);
        for (change, wave) in change.iter().zip(&wave) {
            assert!((change + falls * wave).abs() < 1e-14, "{change} of {wave}");
        }
    }
}

/// Where a jump of the air at rest would draw water out of cells that have none.
#[test]
fn no_cell_gives_more_water_than_it_has() {
    let cells = Cells { size: [1, 4], periodic: false };
    let (water, rest) = ([0.0, 1e-3, 0.0, 2e-3], [0.0, 5e-3, 5e-3, 0.0]);
    let deviation: Vec<f64> = water.iter().zip(rest).map(|(q, calm)| q - calm).collect();
    assert!(cells.mixing(&deviation, 0.25, None)[0] < 0.0);
    let change = cells.mixing(&deviation, 0.25, Some(&water));
    assert!(change.iter().zip(water).all(|(change, q)| q + change >= 0.0), "{change:?}");
    assert!(change.iter().sum::<f64>().abs() < 1e-18);
}
