//! Fluid that no air can reach: its pressure is known but for a constant, and only a velocity whose walls let nothing in or out
//! can be projected.

use std::mem::replace;

use super::Cell;

/// The mean divergence that `walls`, velocities on the faces across x, y and z, force on each pocket, at each of its cells;
/// 0 elsewhere. Arrays are in the order x, then y, then z; beyond the box is solid.
pub(super) fn forced(size: [usize; 3], kinds: &[Cell], walls: &[Vec<f32>; 3]) -> Vec<f32> {
    let mut means = vec![0.0; kinds.len()];
    let mut seen = vec![false; kinds.len()];
    for first in 0..kinds.len() {
        if kinds[first] != Cell::Fluid || replace(&mut seen[first], true) {
            continue;
        }
        let (mut pocket, mut next, mut open) = (vec![first], 0, false);
        while let Some(&cell) = pocket.get(next) {
            next += 1;
            for other in (0..3).flat_map(|axis| neighbours(size, cell, axis)).flatten() {
                open |= kinds[other] == Cell::Air;
                if kinds[other] == Cell::Fluid && !replace(&mut seen[other], true) {
                    pocket.push(other);
                }
            }
        }
        if !open {
            pocket.sort_unstable();
            let flow: f64 = pocket.iter().map(|&cell| outflow(size, kinds, walls, cell)).sum();
            let mean = (flow / pocket.len() as f64) as f32;
            pocket.into_iter().for_each(|cell| means[cell] = mean);
        }
    }
    means
}

/// The cells before and behind a cell along an axis; none beyond the box.
fn neighbours(size: [usize; 3], cell: usize, axis: usize) -> [Option<usize>; 2] {
    let step: usize = size[..axis].iter().product();
    let at = cell / step % size[axis];
    [(at > 0).then(|| cell.wrapping_sub(step)), (at + 1 < size[axis]).then_some(cell + step)]
}

/// The flow out of a cell through those of its faces that are walls. Faces within the fluid cancel in the sum over a pocket.
fn outflow(size: [usize; 3], kinds: &[Cell], walls: &[Vec<f32>; 3], cell: usize) -> f64 {
    let flow = |axis: usize| {
        let mut faces = size;
        faces[axis] += 1;
        let [i, j, k] = [cell % size[0], cell / size[0] % size[1], cell / (size[0] * size[1])];
        let near = (k * faces[1] + j) * faces[0] + i;
        let far = near + faces[..axis].iter().product::<usize>();
        let [low, high] = neighbours(size, cell, axis);
        let through = |face: usize, beyond: Option<usize>| {
            let is_wall = beyond.is_none_or(|other| kinds[other] == Cell::Solid);
            if is_wall { f64::from(walls[axis][face]) } else { 0.0 }
        };
        through(far, high) - through(near, low)
    };
    (0..3).map(flow).sum()
}
