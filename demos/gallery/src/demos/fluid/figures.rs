//! The figures that a scene is known by, from its arrays on the CPU.

use std::f64::consts::TAU;

use anyhow::Result;
use quadrille::sim::fluid::{Fluid, Grid, Kind};

/// y, and u on the vertical centre line of the cavity at Re = 100: Ghia, Ghia & Shin (1982), Table I.
const GHIA: [[f64; 2]; 7] = [
    [0.9531, 0.68717],
    [0.8516, 0.23151],
    [0.7344, 0.00332],
    [0.5, -0.20581],
    [0.2813, -0.15662],
    [0.1719, -0.10150],
    [0.0547, -0.03717],
];

/// ½ |u|² in the mean over a periodic box.
pub fn energy(fluid: &Fluid) -> Result<f64> {
    let velocity = fluid.velocity().data()?;
    let squares: f64 = velocity.iter().map(|&v| f64::from(v).powi(2)).sum();
    Ok(squares / velocity.len() as f64)
}

/// The rate of decay of the velocity of the vortices of Taylor and Green: found, and ν (kx² + ky²).
pub fn decay(fluid: &Fluid, first_energy: f64) -> Result<[f64; 2]> {
    // As many as there are whole ones of 2π, but one at least.
    let waves = fluid.grid().size().map(|side| {
        let side = f64::from(side);
        ((side / TAU).round().max(1.0) * TAU / side).powi(2)
    });
    let exact = f64::from(fluid.parameters().viscosity) * (waves[0] + waves[1]);
    Ok([0.5 * (first_energy / energy(fluid)?).ln() / fluid.time(), exact])
}

/// y as a part of the height, u by the speed of the lid, and what Ghia, Ghia & Shin have for it.
pub fn centre_line(fluid: &Fluid, lid: f64) -> Result<Vec<[f64; 3]>> {
    let (grid, velocity) = (fluid.grid(), fluid.velocity().data()?);
    let [width, height] = grid.cells.map(f64::from);
    let u = |y: f64| horizontal(&grid, &velocity, [0.5 * width, y * height]) / lid;
    Ok(GHIA.iter().map(|&[y, ghia]| [y, u(y), ghia]).collect())
}

/// u at a place in spacings, between the four around it.
fn horizontal(grid: &Grid, velocity: &[f32], [x, y]: [f64; 2]) -> f64 {
    let columns = grid.nodes()[0] as usize;
    let (first, rows) = match grid.kind {
        Kind::Collocated => (0.0, grid.nodes()[1] as usize),
        Kind::Staggered => (0.5, grid.cells[1] as usize),
    };
    let y = (y - first).clamp(0.0, (rows - 1) as f64);
    let (i, j) = ((x as usize).min(columns.saturating_sub(2)), (y as usize).min(rows.saturating_sub(2)));
    let (a, b) = (x - i as f64, y - j as f64);
    let at = |i: usize, j: usize| {
        let texel = j.min(rows - 1) * columns + i.min(columns - 1);
        f64::from(velocity[2 * texel])
    };
    (1.0 - b) * ((1.0 - a) * at(i, j) + a * at(i + 1, j))
        + b * ((1.0 - a) * at(i, j + 1) + a * at(i + 1, j + 1))
}

/// Middles of vortices, half a height and more behind the inlet: centres whose vorticity is the largest, or the least, of those
/// within a sixteenth of the height, and as much as a jet of speed 1 has over a quarter of it; three centres and more off the sides.
pub fn vortices(grid: &Grid, vorticity: &[f32]) -> usize {
    const OFF: usize = 3;
    let [columns, rows] = grid.centres().map(|n| n as usize);
    let least = 4.0 / (grid.cells[1] as f32 * grid.spacing);
    let near = (rows / 16).max(2);
    let around = |i: usize, j: usize| {
        let rows = j.saturating_sub(near)..(j + near + 1).min(rows);
        rows.flat_map(move |j| {
            (i.saturating_sub(near)..(i + near + 1).min(columns)).map(move |i| j * columns + i)
        })
    };
    let is_middle = |i: usize, j: usize| {
        let (texel, here) = (j * columns + i, vorticity[j * columns + i]);
        let is_less = |other: usize| other == texel || vorticity[other] * here.signum() < here.abs();
        here.abs() > least && around(i, j).all(is_less)
    };
    let inside = (OFF..rows.saturating_sub(OFF))
        .flat_map(|j| ((rows / 2).max(OFF)..columns.saturating_sub(OFF)).map(move |i| (i, j)));
    inside.filter(|&(i, j)| is_middle(i, j)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: Grid = Grid { kind: Kind::Staggered, cells: [40, 20], spacing: 1.0, periodic: [false; 2] };

    #[test]
    fn vortices_are_counted_by_their_middles_where_they_are_strong_and_off_the_sides() {
        // x, y, and how strong beside what a vortex is at least.
        let blobs =
            [(14.0, 8.0, 3.0), (20.0, 8.0, -2.0), (26.0, 8.0, 1.5), (33.0, 12.0, 0.5), (20.0, 19.0, 9.0)];
        let field = |texel: usize| -> f32 {
            let (x, y) = ((texel % 40) as f32, (texel / 40) as f32);
            let blob = |(a, b, s): (f32, f32, f32)| s * (-((x - a).powi(2) + (y - b).powi(2)) / 4.1).exp();
            blobs.iter().map(|&one| 0.2 * blob(one)).sum()
        };
        let vorticity: Vec<f32> = (0..800).map(field).collect();
        // One is faint, one at a side.
        assert_eq!(vortices(&GRID, &vorticity), 3);
        assert_eq!(vortices(&GRID, &[0.0; 800]), 0);
    }

    #[test]
    fn a_velocity_that_grows_with_height_is_found_between_faces_and_between_nodes() {
        for kind in Kind::ALL {
            let grid = Grid { kind, cells: [4, 8], ..GRID };
            let first = if kind == Kind::Staggered { 0.5 } else { 0.0 };
            let [width, height] = grid.nodes();
            let velocity: Vec<f32> =
                (0..height).flat_map(|j| (0..width).flat_map(move |_| [j as f32 + first, 9.0])).collect();
            for y in [0.7, 4.0, 7.3] {
                assert!((horizontal(&grid, &velocity, [2.0, y]) - y).abs() < 1e-6, "{y} of {kind:?}");
            }
        }
    }
}
