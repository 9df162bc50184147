//! Pockets: parts of a fluid that solids separate from each other.
//!
//! If a pocket has no outlet and its inlets do not balance, its inlets are shut. So the right-hand side of each closed
//! pocket sums to 0.

use super::{Grid, Kind, Side, Sides};

/// The number of each centre's pocket, from 1; 0 in a solid. Pockets touch along ways to the west, east, south and north.
pub(super) fn of(grid: &Grid, solid: &[bool]) -> Vec<u32> {
    let [columns, rows] = grid.centres().map(|n| n as usize);
    let mut pockets = vec![0; solid.len()];
    let mut count = 0;
    let mut waiting = Vec::new();
    for first in 0..solid.len() {
        if solid[first] || pockets[first] != 0 {
            continue;
        }
        count += 1;
        pockets[first] = count;
        waiting.push(first);
        while let Some(centre) = waiting.pop() {
            let [i, j] = [centre % columns, centre / columns];
            let across = neighbours(i, columns, grid.periodic[0]).map(|i| i.map(|i| j * columns + i));
            let along = neighbours(j, rows, grid.periodic[1]).map(|j| j.map(|j| j * columns + i));
            for next in across.into_iter().chain(along).flatten() {
                if !solid[next] && pockets[next] == 0 {
                    pockets[next] = count;
                    waiting.push(next);
                }
            }
        }
    }
    pockets
}

fn neighbours(place: usize, count: usize, periodic: bool) -> [Option<usize>; 2] {
    let before = if place > 0 { Some(place - 1) } else { periodic.then_some(count - 1) };
    let after = if place + 1 < count { Some(place + 1) } else { periodic.then_some(0) };
    [before, after]
}

/// Number and size of each pocket that no outlet touches, of two centres at least: one alone is shut in.
pub(super) fn closed(grid: &Grid, sides: &Sides, pockets: &[u32]) -> Vec<(u32, usize)> {
    let open = touched(grid, sides, pockets);
    let mut sizes = vec![0; open.len()];
    pockets.iter().for_each(|&pocket| sizes[pocket as usize] += 1);
    let numbered = (0..).zip(sizes).skip(1);
    numbered.filter(|&(pocket, size)| !open[pocket as usize] && size > 1).collect()
}

/// Which pockets an outlet touches, by their numbers.
fn touched(grid: &Grid, sides: &Sides, pockets: &[u32]) -> Vec<bool> {
    let [columns, rows] = grid.centres().map(|n| n as usize);
    let mut open = vec![false; 1 + pockets.iter().max().map_or(0, |&most| most as usize)];
    let outlets = sides.list().map(|side| side == Side::Outlet);
    for (centre, &pocket) in pockets.iter().enumerate() {
        let [i, j] = [centre % columns, centre / columns];
        let at = [i == 0, i + 1 == columns, j == 0, j + 1 == rows];
        open[pocket as usize] |= (0..4).any(|side| at[side] && outlets[side]);
    }
    open
}

/// Which centres lie in a pocket whose inlets do not balance and that no outlet touches.
pub(super) fn without_balance(grid: &Grid, sides: &Sides, pockets: &[u32]) -> Vec<bool> {
    let [columns, rows] = grid.centres().map(|n| n as usize);
    let width = grid.nodes()[0] as usize;
    let count = pockets.iter().max().map_or(0, |&most| most as usize);
    let (mut net, mut gross) = (vec![0.0; count + 1], vec![0.0; count + 1]);
    let open = touched(grid, sides, pockets);
    let held = sides.held(grid, &|_| false);
    let half = sides.half_cells(grid);
    for (number, side) in sides.list().into_iter().enumerate() {
        let (axis, far) = (number / 2, number % 2 == 1);
        let (along, across) = ([rows, columns][axis], [columns, rows][axis]);
        for k in 0..along {
            let centre = |k: usize, last: usize, width: usize| {
                if axis == 0 { k * width + last } else { last * width + k }
            };
            let pocket = pockets[centre(k, if far { across - 1 } else { 0 }, columns)] as usize;
            if let Side::Inlet { .. } = side {
                // On a staggered grid the far face lies one beyond the last centre.
                let last = across - usize::from(grid.kind == Kind::Collocated);
                let texel = held[centre(k, if far { last } else { 0 }, width)];
                let ends = [half[2 - 2 * axis], half[3 - 2 * axis]];
                let cut =
                    ends[0] * f32::from(u8::from(k == 0)) + ends[1] * f32::from(u8::from(k + 1 == along));
                let flow = f64::from(texel[axis] * (1.0 - 0.5 * cut)) * if far { -1.0 } else { 1.0 };
                net[pocket] += flow;
                gross[pocket] += flow.abs();
            }
        }
    }
    let shut = |pocket: usize| !open[pocket] && net[pocket].abs() > 1e-5 * gross[pocket];
    pockets.iter().map(|&pocket| pocket > 0 && shut(pocket as usize)).collect()
}
