//! The fluid in a box: its projection against an exact solve in f64, viscosity, what stays, and what is refused.

mod flows;
mod forces;
mod keeps;
mod kernels;
mod orders;
mod pace;
mod plume;
mod projection;
mod refusals;
mod scenes;
mod solvers;
mod viscosity;

use quadrille::numeric::Random;
use quadrille::sim::fluid::{Grid, Kind, Side, Sides};
use quadrille::{Buffer, Result};
use quadrille_oracle::fluid::{Domain, Velocity};

/// Half a unit in the last place of 1.
pub const U: f64 = 5.960_464_477_539_063e-8;

/// The box in f64. Inlets cover all of their side.
pub fn domain<'a>(grid: &Grid, sides: &Sides, solid: &'a [bool]) -> Domain<'a> {
    let list = sides.list();
    let through = [0, 1, 2, 3].map(|number: usize| match list[number] {
        Side::Outlet | Side::Periodic => None,
        Side::Inlet { speed, .. } => {
            Some(f64::from(speed) * if number.is_multiple_of(2) { 1.0 } else { -1.0 })
        }
        _ => Some(0.0),
    });
    let along = list.map(|side| match side {
        Side::NoSlip { along } => Some(f64::from(along)),
        Side::Inlet { .. } if grid.kind == Kind::Collocated => Some(0.0),
        _ => None,
    });
    Domain {
        staggered: grid.kind == Kind::Staggered,
        cells: grid.cells.map(|n| n as usize),
        periodic: grid.periodic,
        through,
        along,
        solid,
    }
}

/// Sides of every kind, in boxes that are open, closed, periodic, and mixed.
pub fn boxes() -> Vec<Sides> {
    let (wall, outlet) = (Side::Wall, Side::Outlet);
    let inlet = |speed| Side::Inlet { speed, from: 0.0, to: 1.0 };
    let grip = |along| Side::NoSlip { along };
    let sides = |west, east, south, north| Sides { west, east, south, north };
    vec![
        Sides::all(wall),
        Sides::all(outlet),
        Sides::all(Side::Periodic),
        sides(grip(0.5), grip(-1.0), grip(0.0), grip(2.0)),
        sides(inlet(1.0), outlet, wall, grip(0.0)),
        sides(inlet(0.7), inlet(-0.7), wall, wall),
        sides(Side::Periodic, Side::Periodic, grip(0.5), wall),
        sides(wall, outlet, Side::Periodic, Side::Periodic),
        sides(wall, grip(0.0), inlet(1.5), outlet),
    ]
}

/// Any velocity of that grid.
pub fn any_velocity(grid: &Grid, seed: u64) -> Vec<f32> {
    let [columns, rows] = grid.nodes().map(|n| n as usize);
    Random(seed).floats(2 * columns * rows)
}

/// The same in f64.
pub fn exact(velocity: &[f32]) -> Velocity {
    velocity.as_chunks::<2>().0.iter().map(|both| both.map(f64::from)).collect()
}

/// A velocity on the GPU.
pub fn uploaded(gpu: &quadrille::Gpu, grid: &Grid, velocity: &[f32]) -> Result<Buffer> {
    grid.velocity(gpu).init(velocity)
}
