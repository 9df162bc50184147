//! Orders of a step in time: of a flow that is not steady where it stands, and of viscosity.

use crate::support::on_gpu;
use quadrille::sim::fluid::{Fluid, Kind, Parameters, Pressure, Setting, Side, Sides};
use quadrille::{Gpu, Result};
use std::f64::consts::{PI, TAU};

/// The wind that carries the vortices.
const WIND: [f64; 2] = [0.7, 0.4];

/// u = cos x sin y and v = -sin x cos y, e^(-2 nu t) of it, carried along for a time; and e^(-cos x cos y), which they turn
/// around in themselves.
fn carried(kind: Kind, n: u32, time: f64, viscosity: f64) -> [Vec<f64>; 2] {
    let h = TAU / f64::from(n);
    let half = if kind == Kind::Staggered { 0.5 } else { 0.0 };
    let left = (-2.0 * viscosity * time).exp();
    let place = |i: f64, j: f64| [i * h - WIND[0] * time, j * h - WIND[1] * time];
    let all = || (0..n).flat_map(move |j| (0..n).map(move |i| [f64::from(i), f64::from(j)]));
    let velocity = all().flat_map(|[i, j]| {
        let ([x, y], [z, w]) = (place(i, j + half), place(i + half, j));
        [WIND[0] + left * x.cos() * y.sin(), WIND[1] - left * z.sin() * w.cos()]
    });
    let dye = all().map(|[i, j]| {
        let [x, y] = place(i + half, j + half);
        (-x.cos() * y.cos()).exp()
    });
    [velocity.collect(), dye.collect()]
}

/// Velocity and dye at the time 1, after so many steps.
fn after(gpu: &Gpu, kind: Kind, n: u32, steps: u32, viscosity: f64) -> Result<[Vec<f64>; 2]> {
    let setting = Setting {
        kind,
        cells: [n, n],
        spacing: (TAU / f64::from(n)) as f32,
        sides: Sides::all(Side::Periodic),
    };
    let parameters = Parameters {
        time_step: (1.0 / f64::from(steps)) as f32,
        viscosity: viscosity as f32,
        pressure: Pressure::Multigrid { cycles: 4, before: 4, after: 2 },
        ..Parameters::default()
    };
    let mut fluid = Fluid::new(gpu, setting, parameters)?;
    let [velocity, dye] = carried(kind, n, 0.0, viscosity);
    fluid.set_velocity(&velocity.iter().map(|&u| u as f32).collect::<Vec<_>>())?;
    fluid.set_dye(&dye.iter().flat_map(|&q| [q as f32; 4]).collect::<Vec<_>>())?;
    (0..steps).try_for_each(|_| fluid.step())?;
    let wide = |values: Vec<f32>, every: usize| values.into_iter().step_by(every).map(f64::from).collect();
    Ok([wide(fluid.velocity().data()?, 1), wide(fluid.dye().data()?, 4)])
}

/// The root of the mean square of what two fields of each differ by.
fn apart([a, b]: [&[Vec<f64>; 2]; 2]) -> [f64; 2] {
    [0, 1].map(|field| {
        let squares: f64 = a[field].iter().zip(&b[field]).map(|(a, b)| (a - b).powi(2)).sum();
        (squares / a[field].len() as f64).sqrt()
    })
}

/// Steps and cells are halved together: with steps alone what the grid leaves, h²/8 of the transverse velocity, would soon be all. A
/// step that moves along the velocity of its beginning is of order 1.1 here; viscosity, all of it at the end, 1.1, too.
#[test]
fn a_vortex_that_is_carried_along_is_of_second_order() -> Result<()> {
    on_gpu(|gpu| {
        for (kind, viscosity) in Kind::ALL.into_iter().flat_map(|kind| [(kind, 0.0), (kind, 0.05)]) {
            let error = |n: u32, steps: u32| -> Result<[f64; 2]> {
                let exact = carried(kind, n, 1.0, viscosity);
                Ok(apart([&after(gpu, kind, n, steps, viscosity)?, &exact]))
            };
            let (coarse, fine) = (error(32, 8)?, error(64, 16)?);
            for (what, field) in [("velocity", 0), ("dye", 1)] {
                let order = (coarse[field] / fine[field]).log2();
                println!("{kind:?} {viscosity} {what}: {coarse:?} {fine:?}, order {order:.2}");
                assert!(order >= 1.9, "{kind:?} {viscosity} {what}: {order}");
            }
        }
        Ok(())
    })
}

/// On one grid, where results of 8, 16 and 32 steps draw nearer to each other: by 4 each time.
#[test]
fn the_same_on_one_grid_draws_nearer_by_four_each_time_that_the_step_is_halved() -> Result<()> {
    on_gpu(|gpu| {
        for kind in Kind::ALL {
            let found: Vec<[Vec<f64>; 2]> = [8, 16, 32]
                .into_iter()
                .map(|steps| after(gpu, kind, 64, steps, 0.0))
                .collect::<Result<_>>()?;
            let order = (apart([&found[0], &found[1]])[0] / apart([&found[1], &found[2]])[0]).log2();
            println!("{kind:?}: order {order:.2}");
            assert!(order >= 1.9, "{kind:?}: {order}");
        }
        Ok(())
    })
}

/// Between two walls that hold it, sin(π y) falls by e^(-λ nu t), λ = 4/h² sin²(π h / 2) that of the grid, exactly. Two steps of first
/// order, then θ that is off a half by Δt: order 1.95 from 16 to 32 steps, 0.98 with all of viscosity at the end.
#[test]
fn what_walls_hold_comes_to_rest_in_second_order() -> Result<()> {
    const N: u32 = 16;
    const VISCOSITY: f64 = 0.1;
    on_gpu(|gpu| {
        for kind in Kind::ALL {
            let (side, grip) = (Side::Periodic, Side::NoSlip { along: 0.0 });
            let sides = Sides { west: side, east: side, south: grip, north: grip };
            let h = 1.0 / f64::from(N);
            let half = if kind == Kind::Staggered { 0.5 } else { 0.0 };
            let error = |steps: u32| -> Result<f64> {
                let setting = Setting { kind, cells: [4, N], spacing: h as f32, sides };
                let parameters = Parameters {
                    time_step: 1.0 / steps as f32,
                    viscosity: VISCOSITY as f32,
                    pressure: Pressure::Cg { tolerance: 1e-7 },
                    ..Parameters::default()
                };
                let mut fluid = Fluid::new(gpu, setting, parameters)?;
                let wave = |row: u32| ((f64::from(row) + half) * h * PI).sin();
                let start: Vec<f32> = (0..=N).flat_map(|row| [wave(row) as f32, 0.0].repeat(4)).collect();
                fluid.set_velocity(&start)?;
                (0..steps).try_for_each(|_| fluid.step())?;
                let fall = 4.0 / (h * h) * (0.5 * PI * h).sin().powi(2);
                let middle = fluid.velocity().data()?[2 * 4 * (N as usize / 2)];
                Ok((f64::from(middle) / wave(N / 2) - (-fall * VISCOSITY).exp()).abs())
            };
            let order = (error(16)? / error(32)?).log2();
            println!("{kind:?}: order {order:.2}");
            assert!((1.9..2.1).contains(&order), "{kind:?}: {order}");
        }
        Ok(())
    })
}
