//! The figures that a scene is known by, from its arrays on the CPU.

use std::f64::consts::TAU;

use anyhow::Result;
use quadrille::sim::fluid::{Fluid, Grid, Kind};

/// Reynolds numbers of the tables.
const REYNOLDS: [f64; 3] = [100.0, 400.0, 1000.0];

/// y, and u on the vertical centre line of the cavity at each of [`REYNOLDS`]: Ghia, Ghia & Shin, *High-Re solutions for
/// incompressible flow using the Navier-Stokes equations and a multigrid method* (1982), Table I.
const GHIA_U: [[f64; 4]; 15] = [
    [0.9766, 0.84123, 0.75837, 0.65928],
    [0.9688, 0.78871, 0.68439, 0.57492],
    [0.9609, 0.73722, 0.61756, 0.51117],
    [0.9531, 0.68717, 0.55892, 0.46604],
    [0.8516, 0.23151, 0.29093, 0.33304],
    [0.7344, 0.00332, 0.16256, 0.18719],
    [0.6172, -0.13641, 0.02135, 0.05702],
    [0.5, -0.20581, -0.11477, -0.06080],
    [0.4531, -0.21090, -0.17119, -0.10648],
    [0.2813, -0.15662, -0.32726, -0.27805],
    [0.1719, -0.10150, -0.24299, -0.38289],
    [0.1016, -0.06434, -0.14612, -0.29730],
    [0.0703, -0.04775, -0.10338, -0.22220],
    [0.0625, -0.04192, -0.09266, -0.20196],
    [0.0547, -0.03717, -0.08186, -0.18109],
];

/// x, and v on the horizontal one: Table II. At Re = 400 and x = 0.9063 the paper prints -0.23827, which lies off every other
/// solution, and is left out.
const GHIA_V: [[f64; 4]; 15] = [
    [0.9688, -0.05906, -0.12146, -0.21388],
    [0.9609, -0.07391, -0.15663, -0.27669],
    [0.9531, -0.08864, -0.19254, -0.33714],
    [0.9453, -0.10313, -0.22847, -0.39188],
    [0.9063, -0.16914, f64::NAN, -0.51550],
    [0.8594, -0.22445, -0.44993, -0.42665],
    [0.8047, -0.24533, -0.38598, -0.31966],
    [0.5, 0.05454, 0.05186, 0.02526],
    [0.2344, 0.17527, 0.30174, 0.32235],
    [0.2266, 0.17507, 0.30203, 0.33075],
    [0.1563, 0.16077, 0.28124, 0.37095],
    [0.0938, 0.12317, 0.22965, 0.32627],
    [0.0781, 0.10890, 0.20920, 0.30353],
    [0.0703, 0.10091, 0.19713, 0.29012],
    [0.0625, 0.09233, 0.18360, 0.27485],
];

/// A velocity along a middle line of the cavity: of its vertical one u over y, of its horizontal one v over x.
pub struct Profile {
    /// A place as a part of the side, and the velocity there, at every element of the line.
    pub found: Vec<[f64; 2]>,
    /// A place, the velocity there, and what Ghia, Ghia & Shin have.
    pub table: Vec<[f64; 3]>,
}

/// The column of the tables for a cavity of side and lid speed 1.
pub fn reynolds_of(viscosity: f32) -> Option<usize> {
    REYNOLDS.iter().position(|reynolds| (f64::from(viscosity) * reynolds - 1.0).abs() < 1e-4)
}

/// The Reynolds number of that column.
pub fn reynolds(column: usize) -> f64 {
    REYNOLDS[column]
}

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

/// u over y and v over x along the middle lines of a cavity, beside that column of the tables.
pub fn profiles(fluid: &Fluid, column: usize) -> Result<[Profile; 2]> {
    let (grid, velocity) = (fluid.grid(), fluid.velocity().data()?);
    let of = |component: usize, table: &[[f64; 4]]| {
        let along = 1 - component;
        let [side, other] = [along, component].map(|axis| f64::from(grid.cells[axis]));
        let at = |place: f64| {
            let mut at = [0.5 * other; 2];
            at[along] = place * side;
            between(&grid, &velocity, component, at)
        };
        let rows = table.iter().map(|row| [row[0], at(row[0]), row[1 + column]]);
        let places = (0..=grid.cells[along]).map(|k| f64::from(k) / side);
        Profile {
            found: places.map(|place| [place, at(place)]).collect(),
            table: rows.filter(|row| row[2].is_finite()).collect(),
        }
    };
    Ok([of(0, &GHIA_U), of(1, &GHIA_V)])
}

/// A component of the velocity at a place in spacings, between the four around it.
fn between(grid: &Grid, velocity: &[f32], component: usize, place: [f64; 2]) -> f64 {
    let columns = grid.nodes()[0] as usize;
    // Across its own direction a component lies half a spacing off the corner on a staggered grid.
    let first = |axis: usize| if grid.kind == Kind::Staggered && axis != component { 0.5 } else { 0.0 };
    let count = |axis: usize| match first(axis) > 0.0 {
        true => grid.cells[axis] as usize,
        false => grid.nodes()[axis] as usize,
    };
    let low = |axis: usize| {
        let last = (count(axis) - 1) as f64;
        let at = (place[axis] - first(axis)).clamp(0.0, last);
        let whole = (at as usize).min(count(axis).saturating_sub(2));
        (whole, at - whole as f64)
    };
    let ((i, a), (j, b)) = (low(0), low(1));
    let at = |i: usize, j: usize| {
        let texel = j.min(count(1) - 1) * columns + i.min(count(0) - 1);
        f64::from(velocity[2 * texel + component])
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

    /// u = 2 x + y and v = x - 3 y, each where its elements lie.
    #[test]
    fn velocities_are_found_between_faces_and_between_nodes() {
        for kind in Kind::ALL {
            let grid = Grid { kind, cells: [4, 8], ..GRID };
            let half = if kind == Kind::Staggered { 0.5 } else { 0.0 };
            let [width, height] = grid.nodes();
            let both = |(i, j): (u32, u32)| {
                let (x, y) = (i as f32, j as f32);
                [2.0 * x + y + half, x + half - 3.0 * y]
            };
            let nodes = (0..height).flat_map(|j| (0..width).map(move |i| (i, j)));
            let velocity: Vec<f32> = nodes.flat_map(both).collect();
            for [x, y] in [[1.3, 0.7], [2.0, 4.0], [3.2, 7.3]] {
                for (component, exact) in [(0, 2.0 * x + y), (1, x - 3.0 * y)] {
                    let found = between(&grid, &velocity, component, [x, y]);
                    assert!((found - exact).abs() < 1e-5, "{component} at {x} {y} of {kind:?}: {found}");
                }
            }
        }
    }
}
