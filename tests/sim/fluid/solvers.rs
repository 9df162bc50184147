//! How far multigrid, conjugate gradients and Jacobi sweeps bring the pressure.

use super::{domain, exact, uploaded};
use crate::support::on_gpu;
use quadrille::linalg::{Algebra, LinearOperator};
use quadrille::sim::fluid::scenes::{Name, Scene};
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

fn numbers(values: Vec<f32>) -> Vec<f64> {
    values.into_iter().map(f64::from).collect()
}

fn norm(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// By how much two cycles from a pressure of 0 lower ‖b − A q‖.
fn fall(gpu: &Gpu, kind: Kind, cells: [u32; 2], sides: Sides) -> Result<f64> {
    let grid = Grid { kind, cells, spacing: 1.0, periodic: sides.periodic() };
    let mut projector = projector(gpu, grid, sides, CYCLES)?;
    let values = waves(&grid);
    let (velocity, out) = (uploaded(gpu, &grid, &values)?, uploaded(gpu, &grid, &values)?);
    projector.project(&velocity, 1.0, &out)?;
    let (b, q) = (numbers(projector.right().get()?), numbers(projector.unknown().get()?));
    let product = projector.matrix().multiply(&q);
    Ok(norm(b.iter().copied()) / norm(b.iter().zip(&product).map(|(b, aq)| b - aq)))
}

fn falls_by_a_hundred(gpu: &Gpu, sizes: &[[u32; 2]]) -> Result<()> {
    for (number, sides) in three_boxes().into_iter().enumerate() {
        for (kind, &cells) in
            Kind::ALL.into_iter().flat_map(|kind| sizes.iter().map(move |cells| (kind, cells)))
        {
            let fall = fall(gpu, kind, cells, sides)?;
            println!("{kind:?} {cells:?} box {number}: the residual falls by {fall:.0}");
            assert!(fall >= 100.0, "{kind:?} {cells:?} box {number}: {fall}");
        }
    }
    Ok(())
}

#[test]
fn two_cycles_leave_a_hundredth_of_the_residual() -> Result<()> {
    on_gpu(|gpu| falls_by_a_hundred(gpu, &[[64, 64], [50, 30]]))
}

/// Periodic sides that are odd on a fine level are slower, as [`Multigrid`](quadrille::solve::Multigrid) says: of 500 × 300
/// periodic nodes two cycles leave a 96th.
#[test]
#[ignore = "takes minutes on a CPU"]
fn two_cycles_do_so_on_larger_grids() -> Result<()> {
    on_gpu(|gpu| falls_by_a_hundred(gpu, &[[512, 128], [512, 512], [480, 320]]))
}

/// The largest |∇·u| after the last of some steps, and what an exact solve in its place would have left: the velocity before
/// the gradient is u + ∇q, so that is of u − ∇(exact q − q).
fn left_over(gpu: &Gpu, name: Name, cells: [u32; 2], steps: usize) -> Result<[f64; 2]> {
    let scene = Scene::new(name, Kind::Collocated, cells)?;
    let mut fluid = scene.fluid(gpu)?;
    for _ in 0..steps {
        scene.step(&mut fluid)?;
    }
    let (grid, projector) = (fluid.grid(), fluid.projector());
    let domain = domain(&grid, &scene.setting.sides, &scene.solids);
    let outflow: Vec<f64> = numbers(projector.right().get()?).iter().map(|b| -b).collect();
    let exactly = domain.pressure(&outflow)?;
    let more: Vec<f64> =
        exactly.iter().zip(numbers(projector.unknown().get()?)).map(|(e, q)| e - q).collect();
    let best = domain.corrected(&exact(&fluid.velocity().data()?), &more);
    Ok([fluid.divergence()?.after, domain.divergence(&best) / f64::from(grid.spacing)])
}

fn no_worse_than_exact(gpu: &Gpu, names: &[Name], cells: [u32; 2], steps: usize) -> Result<()> {
    for &name in names {
        let [found, best] = left_over(gpu, name, cells, steps)?;
        println!(
            "{} {cells:?}: max |div u| {found:.4e}, of an exact solve {best:.4e}, ratio {:.4}",
            name.name(),
            found / best
        );
        assert!(found <= 1.1 * best, "{}: {found:e} beside {best:e}", name.name());
    }
    Ok(())
}

/// In a flow, each solve beginning where the last one ended.
#[test]
fn two_cycles_leave_no_more_divergence_than_an_exact_solve() -> Result<()> {
    let names = [Name::Plume, Name::Cavity, Name::Vortices];
    on_gpu(|gpu| {
        no_worse_than_exact(gpu, &names, [48, 48], 24)?;
        // A periodic matrix has a band as wide as itself: elimination costs the cube of its rows.
        no_worse_than_exact(gpu, &[Name::TaylorGreen], [24, 24], 24)
    })
}

#[test]
#[ignore = "takes minutes on a CPU"]
fn two_cycles_leave_no_more_divergence_than_an_exact_solve_on_129x129() -> Result<()> {
    // A periodic matrix has a band as wide as itself: too wide for elimination here.
    let names = [Name::Plume, Name::Cavity, Name::Vortices];
    on_gpu(|gpu| no_worse_than_exact(gpu, &names, [128, 128], 100))
}

/// All three end at the velocity of elimination in f64, each as near as it is to. A residual r moves velocities by |r| / √λ, λ the least
/// eigenvalue: 2 − 2 cos(π/33) or more, of 16 cells and an outlet. Gradients leave 10⁻⁶ of b, eight cycles of which two leave a
/// hundredth at most 10⁻⁸; and q, up to `most`, is rounded, by 8 roundings for gradients and cycles.
///
/// Jacobi's slowest error falls by 1 − 0.9 · (π/33)²/4, or 10⁻⁵ in 6000 sweeps. There it stands still: what a sweep would add is less
/// than half a unit in the last place of q ≈ 10, and a sweep adds 1/500 of the error, so 3·10⁻⁴ of q stay, and 10⁻³ in differences
/// of velocities near 1.
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
                let expected = domain(&grid, &sides, &none).projected(&exact(&values))?;
                let mut projector = projector(gpu, grid, sides, sweeps[0])?;
                for pressure in sweeps {
                    projector.set_pressure(pressure)?;
                    projector.forget()?;
                    let (velocity, out) = (uploaded(gpu, &grid, &values)?, uploaded(gpu, &grid, &values)?);
                    projector.project(&velocity, 0.1, &out)?;
                    let found = exact(&out.data()?);
                    let off = found.iter().zip(&expected).flat_map(|(a, b)| [a[0] - b[0], a[1] - b[1]]);
                    let off = off.fold(0.0, |most: f64, off| most.max(off.abs()));
                    let b = norm(numbers(projector.right().get()?));
                    let q = numbers(projector.unknown().get()?);
                    let most = q.iter().fold(1.0, |most: f64, q| most.max(q.abs()));
                    let root = (2.0 - 2.0 * (std::f64::consts::PI / 33.0).cos()).sqrt();
                    let bound = match pressure {
                        Pressure::Multigrid { .. } => 1e-8 * b / root + 8.0 * super::U * most,
                        Pressure::Cg { tolerance } => f64::from(tolerance) * b / root + 8.0 * super::U * most,
                        Pressure::Jacobi { .. } => 1e-3,
                    };
                    println!("{kind:?} {}: off by {off:.2e}, bound {bound:.2e}", pressure.name());
                    assert!(off <= bound, "{kind:?} {}: off by {off:e}, bound {bound:e}", pressure.name());
                }
            }
        }
        Ok(())
    })
}

/// A box closed on all sides or divided by a wall, and a flow that diverges in nothing but its last bits: what is asked for is next to nothing,
/// and a part of it no pressure makes. A guard against growth: gradients that run after that part move velocities of 1 by 0.4 and more a step.
#[test]
fn conjugate_gradients_stand_a_flow_that_hardly_diverges() -> Result<()> {
    on_gpu(|gpu| {
        for (kind, divided) in Kind::ALL.into_iter().flat_map(|kind| [(kind, false), (kind, true)]) {
            let (cells, sides) = ([17, 12], Sides::all(Side::Wall));
            let grid = Grid { kind, cells, spacing: 1.0, periodic: [false; 2] };
            let mut projector = projector(gpu, grid, sides, Pressure::Cg { tolerance: 1e-6 })?;
            let [columns, rows] = grid.centres();
            let solid: Vec<bool> = (0..columns * rows).map(|n| divided && n % columns == 8).collect();
            projector.set_solids(&solid)?;
            let mut values = waves(&grid);
            for step in 0..60 {
                let (velocity, out) = (uploaded(gpu, &grid, &values)?, uploaded(gpu, &grid, &values)?);
                projector.project(&velocity, 1.0, &out)?;
                let found = out.data()?;
                let moved = found.iter().zip(&values).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                // A collocated grid comes to an end of what it sees more slowly.
                let is_late = step > if kind == Kind::Staggered { 4 } else { 50 };
                assert!(!is_late || moved <= 1e-3, "{kind:?} {divided} {step}: {moved:e}");
                values = found;
            }
        }
        Ok(())
    })
}
