//! Orders of convergence.

use quadrille::sim::fluid::{Advection, Grid, Kind, Transport};
use quadrille::{Gpu, Result};

use super::super::support::on_gpu;

/// The error, as a root of a mean square, of a smooth bump after an eighth of a turn in a box of n² cells, in n steps.
fn error_of(gpu: &Gpu, kind: Kind, advection: Advection, n: u32) -> Result<f64> {
    let grid = Grid { kind, cells: [n, n], spacing: 1.0 / n as f32, periodic: [false, false] };
    let [columns, rows] = grid.nodes().map(|n| n as usize);
    let h = 1.0 / f64::from(n);
    // u = 1/2 - y, v = x - 1/2, on faces or at nodes.
    let shift = if kind == Kind::Staggered { 0.5 } else { 0.0 };
    let velocity: Vec<f32> = (0..columns * rows)
        .flat_map(|k| {
            let (i, j) = ((k % columns) as f64, (k / columns) as f64);
            [(0.5 - (j + shift) * h) as f32, ((i + shift) * h - 0.5) as f32]
        })
        .collect();
    let velocity = grid.velocity(gpu).init(&velocity)?;
    let bump = |angle: f64| -> Vec<f64> {
        let [columns, rows] = grid.centres().map(|n| n as usize);
        let centre = [0.5 + 0.2 * angle.cos(), 0.5 + 0.2 * angle.sin()];
        (0..columns * rows)
            .map(|k| {
                let place = [(k % columns) as f64, (k / columns) as f64].map(|i| (i + shift) * h);
                let square: f64 = (0..2).map(|axis| (place[axis] - centre[axis]).powi(2)).sum();
                (-square / 0.01).exp()
            })
            .collect()
    };
    let start: Vec<f32> = bump(0.0).into_iter().map(|v| v as f32).collect();
    let [mut field, mut out] = [grid.scalar(gpu, 1).init(&start)?, grid.scalar(gpu, 1).build()?];
    let mut transport = Transport::new(gpu, grid)?;
    let steps = n;
    let angle = std::f64::consts::FRAC_PI_4;
    for _ in 0..steps {
        transport.scalar(advection, &velocity, (angle * h) as f32, &field, &out)?;
        std::mem::swap(&mut field, &mut out);
    }
    let found = field.data()?;
    let squares =
        bump(angle).into_iter().zip(&found).map(|(exact, &found)| (exact - f64::from(found)).powi(2));
    Ok((squares.sum::<f64>() / found.len() as f64).sqrt())
}

fn order(gpu: &Gpu, kind: Kind, advection: Advection) -> Result<f64> {
    let [coarse, fine] = [error_of(gpu, kind, advection, 64)?, error_of(gpu, kind, advection, 256)?];
    println!("{kind:?} {advection:?}: {coarse:e} {fine:e}");
    Ok((coarse / fine).log2() / 2.0)
}

/// The first-order error smears the bump by a fifth of its size at 64², where errors grow less than h does: a fifth of an
/// order at most. Of the second order what the limiter clips at the top, and the next order, are less than a tenth.
#[test]
fn semi_lagrangian_is_of_first_and_maccormack_of_second_order() -> Result<()> {
    on_gpu(|gpu| {
        for kind in Kind::ALL {
            let first = order(gpu, kind, Advection::SemiLagrangian)?;
            assert!((0.8..1.2).contains(&first), "{kind:?}: {first}");
            let second = order(gpu, kind, Advection::MacCormack)?;
            assert!((1.9..2.6).contains(&second), "{kind:?}: {second}");
        }
        Ok(())
    })
}
