//! How far multigrid, conjugate gradients and Jacobi sweeps bring the pressure.

use super::{exact, uploaded, vessel};
use crate::support::on_gpu;
use quadrille::linalg::{Algebra, LinearOperator};
use quadrille::sim::fluid::{Grid, Kind, Pressure, Projector, Side, Sides};
use quadrille::{Gpu, Result};

const CYCLES: Pressure = Pressure::Multigrid { cycles: 2, before: 4, after: 2 };

/// A closed box, one with an outlet, and one that is periodic.
fn three_boxes() -> [Sides; 3] {
    let inlet = Side::Inlet { speed: 1.0, from: 0.5, to: 1.0 };
    let channel = Sides { west: inlet, east: Side::Outlet, ..Sides::all(Side::Wall) };
    [Sides::all(Side::Wall), channel, Sides::all(Side::Periodic)]
}

/// A smooth flow that diverges: a few waves, which end at walls.
fn waves(grid: &Grid) -> Vec<f32> {
    let ([columns, rows], [width, height]) = (grid.nodes(), grid.cells.map(|n| n as f32));
    let wave =
        |x: f32, y: f32| (3.0 * std::f32::consts::TAU * x).sin() * (0.5 + (std::f32::consts::TAU * y).cos());
    (0..rows)
        .flat_map(|j| (0..columns).map(move |i| (i as f32 / width, j as f32 / height)))
        .flat_map(|(x, y)| [wave(x, y), 0.7 * wave(y, x)])
        .collect()
}

fn projector(gpu: &Gpu, grid: Grid, sides: Sides, pressure: Pressure) -> Result<Projector> {
    Projector::new(&Algebra::new(gpu), grid, sides, pressure)
}

fn norm(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// The projection of the issue, at one size: from a pressure of 0, the residual by which two cycles leave less, and max |div u| by
/// that of an exact solve.
fn two_cycles(gpu: &Gpu, kind: Kind, cells: [u32; 2], sides: Sides, exactly: bool) -> Result<(f64, f64)> {
    let grid = Grid { kind, cells, spacing: 1.0, periodic: sides.periodic() };
    let mut projector = projector(gpu, grid, sides, CYCLES)?;
    let values = waves(&grid);
    let (velocity, out) = (uploaded(gpu, &grid, &values)?, uploaded(gpu, &grid, &values)?);
    projector.project(&velocity, 1.0, &out)?;
    let numbers = |v: Vec<f32>| v.into_iter().map(f64::from).collect::<Vec<f64>>();
    let (b, q) = (numbers(projector.right().get()?), numbers(projector.unknown().get()?));
    let sum = |v: &[f64]| v.iter().sum::<f64>();
    println!(
        "DEBUG sum b {:e} norm b {} mean q {:e} max q {:e}",
        sum(&b),
        norm(b.iter().copied()),
        sum(&q) / q.len() as f64,
        q.iter().fold(0.0f64, |m, q| m.max(q.abs()))
    );
    let product = projector.matrix().multiply(&q);
    let fall = norm(b.iter().copied()) / norm(b.iter().zip(&product).map(|(b, aq)| b - aq));
    let solid = vec![false; b.len()];
    let vessel = vessel(&grid, &sides, &solid);
    let ratio = match exactly {
        true => projector.divergence(&out)?.after / vessel.divergence(&vessel.projected(&exact(&values))?),
        false => f64::NAN,
    };
    Ok((fall, ratio))
}

#[test]
fn two_cycles_leave_a_hundredth_of_the_residual_and_no_more_divergence_than_an_exact_solve() -> Result<()> {
    on_gpu(|gpu| {
        for (number, sides) in three_boxes().into_iter().enumerate() {
            for kind in Kind::ALL {
                // The inlet's part of the side is none of the reference's.
                let exactly = number != 1;
                let (fall, ratio) =
                    two_cycles(gpu, kind, [64, 64], sides, exactly && kind == Kind::Collocated)?;
                println!(
                    "{kind:?} box {number}: residual falls by {fall:.0}, divergence {ratio:.4} of the exact solve's"
                );
                assert!(fall >= 100.0, "{kind:?} box {number}: {fall}");
                assert!(!(ratio > 1.1), "{kind:?} box {number}: {ratio}");
            }
        }
        Ok(())
    })
}

#[test]
#[ignore = "takes minutes on a CPU"]
fn two_cycles_do_so_on_larger_grids() -> Result<()> {
    on_gpu(|gpu| {
        for (number, sides) in three_boxes().into_iter().enumerate() {
            for (kind, cells) in
                Kind::ALL.into_iter().flat_map(|kind| [[512, 128], [512, 512]].map(|cells| (kind, cells)))
            {
                let (fall, _) = two_cycles(gpu, kind, cells, sides, false)?;
                println!("{kind:?} {cells:?} box {number}: residual falls by {fall:.0}");
                assert!(fall >= 100.0, "{kind:?} box {number}: {fall}");
            }
            let (fall, ratio) = two_cycles(gpu, Kind::Collocated, [128, 128], sides, number != 1)?;
            println!("128x128 box {number}: falls by {fall:.0}, divergence {ratio:.4} of the exact solve's");
            assert!(!(ratio > 1.1), "box {number}: {ratio}");
        }
        Ok(())
    })
}

/// All three end at the same velocity: on 16 cells and an outlet Jacobi's slowest error falls by 1 − 0.9 · (π/33)²/4, or 10⁻⁵ in
/// 6000 sweeps; 10⁻³ is what 32 bits leave of sums over the box.
#[test]
fn multigrid_conjugate_gradients_and_jacobi_find_the_same_velocity() -> Result<()> {
    on_gpu(|gpu| {
        let sweeps = [
            Pressure::Multigrid { cycles: 8, before: 2, after: 2 },
            Pressure::Cg { tolerance: 1e-6 },
            Pressure::Jacobi { sweeps: 6000 },
        ];
        for sides in [Sides::all(Side::Wall), Sides { east: Side::Outlet, ..Sides::all(Side::Wall) }] {
            for kind in Kind::ALL {
                let grid = Grid { kind, cells: [16, 12], spacing: 0.5, periodic: [false; 2] };
                let values = waves(&grid);
                let none = vec![false; (grid.centres()[0] * grid.centres()[1]) as usize];
                let expected = vessel(&grid, &sides, &none).projected(&exact(&values))?;
                let mut projector = projector(gpu, grid, sides, sweeps[0])?;
                for pressure in sweeps {
                    projector.set_pressure(pressure)?;
                    projector.forget()?;
                    let (velocity, out) = (uploaded(gpu, &grid, &values)?, uploaded(gpu, &grid, &values)?);
                    projector.project(&velocity, 0.1, &out)?;
                    for (found, expected) in exact(&out.data()?).iter().zip(&expected) {
                        let off = norm([found[0] - expected[0], found[1] - expected[1]]);
                        assert!(off <= 1e-3, "{kind:?} {}: {found:?} beside {expected:?}", pressure.name());
                    }
                }
            }
        }
        Ok(())
    })
}
