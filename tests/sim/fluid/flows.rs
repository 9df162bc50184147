//! Flows that are known: the Taylor–Green vortex, and the cavity under a lid that moves.

use crate::support::on_gpu;
use quadrille::sim::fluid::{Fluid, Kind, Parameters, Pressure, Setting, Side, Sides};
use quadrille::{Gpu, Result};
use std::f64::consts::TAU;

/// cos x sin y, −sin x cos y, at where the texels of a grid have u and v.
fn taylor_green(kind: Kind, n: u32) -> Vec<f32> {
    let h = TAU / f64::from(n);
    let half = if kind == Kind::Staggered { 0.5 } else { 0.0 };
    let at = move |i: u32, j: u32| {
        let (x, y) = (f64::from(i), f64::from(j));
        let u = (x * h).cos() * ((y + half) * h).sin();
        let v = -((x + half) * h).sin() * (y * h).cos();
        [u as f32, v as f32]
    };
    (0..n).flat_map(|j| (0..n).flat_map(move |i| at(i, j))).collect()
}

/// The velocity at the time t beside the exact one: decay rate, and root of the mean square of the error.
fn decay(gpu: &Gpu, kind: Kind, n: u32, viscosity: f64, time_step: f64, time: f64) -> Result<(f64, f64)> {
    let setting = Setting {
        kind,
        cells: [n, n],
        spacing: (TAU / f64::from(n)) as f32,
        sides: Sides::all(Side::Periodic),
    };
    let parameters = Parameters {
        time_step: time_step as f32,
        viscosity: viscosity as f32,
        pressure: Pressure::Multigrid { cycles: 2, before: 4, after: 2 },
        ..Parameters::default()
    };
    let mut fluid = Fluid::new(gpu, setting, parameters)?;
    let start = taylor_green(kind, n);
    fluid.set_velocity(&start)?;
    for _ in 0..(time / time_step).round() as usize {
        fluid.step()?;
    }
    let (found, left) = (fluid.velocity().data()?, (-2.0 * viscosity * fluid.time()).exp());
    let mean =
        |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>() / start.len() as f64;
    let pairs = || found.iter().zip(&start).map(|(found, start)| (f64::from(*found), f64::from(*start)));
    let (energy, before) =
        (mean(&mut pairs().map(|(found, _)| found)), mean(&mut pairs().map(|(_, start)| start)));
    let error = mean(&mut pairs().map(|(found, start)| found - left * start)).sqrt();
    Ok((-(energy / before).ln() / 2.0 / fluid.time(), error))
}

/// The error is of second order in Δt and h: with h = π/32 and Δt = h/2 some h² ≈ 0.01 in the velocity after t = 2, and 3 % of
/// the rate.
#[test]
fn a_taylor_green_vortex_decays_as_it_should() -> Result<()> {
    on_gpu(|gpu| {
        for kind in Kind::ALL {
            let (rate, error) = decay(gpu, kind, 32, 0.1, TAU / 64.0, 2.0)?;
            println!("{kind:?}: decay rate {rate:.5} of 0.2, error {error:.2e}");
            assert!((rate / 0.2 - 1.0).abs() <= 0.03 && error <= 0.01, "{kind:?}: {rate}, {error}");
        }
        Ok(())
    })
}

/// Errors of a vortex that hardly decays, with Δt = h, h/2, h/4, ...: each at most half of the one before.
fn halves(gpu: &Gpu, kind: Kind, n: u32, parts: &[f64]) -> Result<()> {
    let mut last = f64::INFINITY;
    for part in parts {
        let (rate, error) = decay(gpu, kind, n, 0.01, TAU / f64::from(n) / part, 2.0)?;
        println!(
            "{kind:?} {n}, step h/{part}: decay rate {rate:.5} of 0.02, error {error:.3e}, {:.2} times less",
            last / error
        );
        assert!(error <= 0.5 * last, "{kind:?} step h/{part}: {error} after {last}");
        last = error;
    }
    Ok(())
}

#[test]
fn the_error_at_least_halves_with_the_time_step() -> Result<()> {
    on_gpu(|gpu| Kind::ALL.into_iter().try_for_each(|kind| halves(gpu, kind, 32, &[0.5, 1.0, 2.0])))
}

#[test]
#[ignore = "takes minutes on a CPU"]
fn a_taylor_green_vortex_of_256x256_decays_within_3_percent() -> Result<()> {
    on_gpu(|gpu| {
        for kind in Kind::ALL {
            let (rate, error) = decay(gpu, kind, 256, 0.1, TAU / 512.0, 2.0)?;
            println!("{kind:?} nu 0.1: decay rate {rate:.5} of 0.2, error {error:.2e}");
            assert!((rate / 0.2 - 1.0).abs() <= 0.03, "{kind:?}: {rate}");
            halves(gpu, kind, 256, &[1.0, 2.0, 4.0])?;
        }
        Ok(())
    })
}

/// Ghia, Ghia & Shin 1982, table I, Re = 100: y and u on the vertical line through the middle.
const GHIA: [(f64, f64); 7] = [
    (0.9531, 0.68717),
    (0.8516, 0.23151),
    (0.7344, 0.00332),
    (0.5, -0.20581),
    (0.2813, -0.15662),
    (0.1719, -0.10150),
    (0.0547, -0.03717),
];

/// The largest difference from Ghia's table, after `time`.
fn cavity(gpu: &Gpu, kind: Kind, cells: u32, time_step: f32, time: f64) -> Result<f64> {
    let grip = |along| Side::NoSlip { along };
    let sides = Sides { north: grip(1.0), ..Sides::all(grip(0.0)) };
    let setting = Setting { kind, cells: [cells; 2], spacing: 1.0 / cells as f32, sides };
    let parameters = Parameters { time_step, viscosity: 0.01, ..Parameters::default() };
    let mut fluid = Fluid::new(gpu, setting, parameters)?;
    while fluid.time() < time {
        fluid.step()?;
    }
    let (found, width) = (fluid.velocity().data()?, fluid.grid().nodes()[0] as usize);
    let half = if kind == Kind::Staggered { 0.5 } else { 0.0 };
    let line = |j: f64| {
        let (row, part) = (j.floor() as usize, j - j.floor());
        let u = |row: usize| f64::from(found[2 * (row * width + cells as usize / 2)]);
        u(row) * (1.0 - part) + u(row + 1) * part
    };
    let off = |(y, u): (f64, f64)| line(y * f64::from(cells) - half) - u;
    println!("{kind:?} {cells}: {:?}", GHIA.map(|point| (off(point) * 1e4).round() / 1e4));
    Ok(GHIA.into_iter().map(|point| off(point).abs()).fold(0.0, f64::max))
}

/// With 33 nodes, h² times the curvature of the flow is 0.02 near the lid, where u falls from 1 to 0.69 in two cells.
#[test]
fn a_small_cavity_turns_as_ghias() -> Result<()> {
    on_gpu(|gpu| {
        for kind in Kind::ALL {
            let off = cavity(gpu, kind, 32, 0.03, 12.0)?;
            assert!(off <= 0.02, "{kind:?}: {off}");
        }
        Ok(())
    })
}

#[test]
#[ignore = "takes minutes on a CPU"]
fn a_cavity_of_129x129_turns_as_ghias() -> Result<()> {
    on_gpu(|gpu| {
        for kind in Kind::ALL {
            let off = cavity(gpu, kind, 128, 0.01, 30.0)?;
            println!("{kind:?}: {off:.4} from Ghia's table at most");
            assert!(off <= 0.015, "{kind:?}: {off}");
        }
        Ok(())
    })
}
