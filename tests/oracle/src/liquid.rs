//! The step of a liquid in f64: what moves along the paths of a staggered velocity (semi-Lagrangian advection by the midpoint
//! rule), its distance, and its velocity beyond the surface. The projection is that of [`voxels`](super::voxels).

use quadrille::sim::projection::Cell;

use crate::voxels::{Cells, Faces, every, index, with_one_more};

/// A velocity in a box, and how far it goes. Places are in cells from the corner of the box.
#[derive(Clone, Copy, Debug)]
pub struct Paths<'a> {
    /// Cells along x, y and z.
    pub size: [usize; 3],
    /// On the faces across x, y and z.
    pub velocity: &'a Faces,
    /// Cells that a velocity of 1 crosses in the step.
    pub way: f64,
}

/// Where the values of an array are among the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// In the middle of each.
    Centres,
    /// On the faces across that axis.
    Faces(usize),
}

impl At {
    fn size(self, mut cells: [usize; 3]) -> [usize; 3] {
        if let At::Faces(axis) = self {
            cells[axis] += 1;
        }
        cells
    }

    /// The place of the first value.
    fn first(self) -> [f64; 3] {
        let mut first = [0.5; 3];
        if let At::Faces(axis) = self {
            first[axis] = 0.0;
        }
        first
    }
}

impl Paths<'_> {
    /// q(x) ← q(x − way · u(x − way · u(x) / 2)).
    pub fn moved(&self, at: At, values: &[f64]) -> Vec<f64> {
        let ([nx, ny, nz], first) = (at.size(self.size), at.first());
        let all = (0..nz).flat_map(|k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k])));
        all.map(|element| {
            let place = std::array::from_fn(|axis| element[axis] as f64 + first[axis]);
            let half = self.back(place, place, 0.5 * self.way);
            self.value(at, values, self.back(place, half, self.way))
        })
        .collect()
    }

    /// Back from a place by the velocity at another one.
    fn back(&self, place: [f64; 3], there: [f64; 3], way: f64) -> [f64; 3] {
        std::array::from_fn(|axis| {
            place[axis] - way * self.value(At::Faces(axis), &self.velocity[axis], there)
        })
    }

    /// Trilinear between the eight values around a place; beyond the outermost, that of the nearest place.
    pub fn value(&self, at: At, values: &[f64], place: [f64; 3]) -> f64 {
        let (size, first) = (at.size(self.size), at.first());
        let mut low = [0; 3];
        let mut part = [0.0; 3];
        for axis in 0..3 {
            let within = (place[axis] - first[axis]).clamp(0.0, (size[axis] - 1) as f64);
            low[axis] = within.floor() as usize;
            part[axis] = within - within.floor();
        }
        let corner = |n: usize| {
            let mut weight = 1.0;
            let index: [usize; 3] = std::array::from_fn(|axis| {
                let high = n >> axis & 1;
                weight *= if high == 1 { part[axis] } else { 1.0 - part[axis] };
                (low[axis] + high).min(size[axis] - 1)
            });
            weight * values[(index[2] * size[1] + index[1]) * size[0] + index[0]]
        };
        (0..8).map(corner).sum()
    }
}

/// φ as a signed distance again, a cell further from its zero for every two passes: φ −= sign (|∇φ| − 1) / 2, upwind; beside
/// the zero, where it shall stay, φ −= (sign |φ| − D) / 2 with D = φ₀ / |∇φ₀|. Walls are mirrors; what is solid takes the mean
/// of what is open beside it.
pub fn redistanced(size: [usize; 3], solid: &[bool], start: &[f64], passes: u32) -> Vec<f64> {
    let mut phi = start.to_vec();
    for _ in 0..passes {
        phi = every(size).map(|cell| nearer(size, solid, start, &phi, cell)).collect();
    }
    phi
}

fn nearer(size: [usize; 3], solid: &[bool], start: &[f64], phi: &[f64], cell: [usize; 3]) -> f64 {
    let own = index(size, cell);
    // Open neighbours along each axis, before and behind.
    let beside: [[Option<usize>; 2]; 3] = std::array::from_fn(|axis| {
        [-1, 1].map(|by| {
            let mut other = cell;
            other[axis] = cell[axis].checked_add_signed(by).filter(|&at| at < size[axis])?;
            Some(index(size, other)).filter(|&other| !solid[other])
        })
    });
    if solid[own] {
        let open: Vec<f64> = beside.into_iter().flatten().flatten().map(|other| phi[other]).collect();
        return if open.is_empty() { phi[own] } else { open.iter().sum::<f64>() / open.len() as f64 };
    }
    let sign = if start[own] < 0.0 { -1.0 } else { 1.0 };
    if beside.into_iter().flatten().flatten().any(|other| sign * start[other] < 0.0) {
        let steepest = beside.map(|sides| {
            let [low, high] = sides.map(|side| start[side.unwrap_or(own)]);
            let slopes = [start[own] - low, high - start[own], (high - low) / 2.0];
            slopes.into_iter().map(f64::abs).fold(0.0, f64::max)
        });
        let distance = start[own] / norm(steepest).max(1e-3);
        return phi[own] - 0.5 * (sign * phi[own].abs() - distance);
    }
    let slopes = beside.map(|sides| {
        let down = sides.map(|side| sign * (phi[own] - phi[side.unwrap_or(own)]));
        down[0].max(down[1]).max(0.0)
    });
    phi[own] - 0.5 * sign * (norm(slopes) - 1.0)
}

fn norm([x, y, z]: [f64; 3]) -> f64 {
    (x * x + y * y + z * z).sqrt()
}

/// Gives faces of air the velocity of the fluid's, so many faces far: each the mean of its six neighbours that have one.
/// Walls have 0 and give none, nor does air have what is farther.
pub fn extend(cells: &Cells, faces: &mut Faces, far: u32) {
    for (axis, values) in faces.iter_mut().enumerate() {
        let size = with_one_more(cells.size, axis);
        let kinds = |face: [usize; 3]| {
            let mut low = face;
            low[axis] = face[axis].checked_sub(1)?;
            let (low, high) = (index(cells.size, low), index(cells.size, face));
            (face[axis] < cells.size[axis]).then(|| [cells.kinds[low], cells.kinds[high]])
        };
        let sides: Vec<_> = every(size).map(kinds).collect();
        let is_open = |face: usize| sides[face].is_some_and(|sides| !sides.contains(&Cell::Solid));
        let mut known: Vec<bool> = sides
            .iter()
            .enumerate()
            .map(|(face, sides)| is_open(face) && sides.is_some_and(|sides| sides.contains(&Cell::Fluid)))
            .collect();
        values.iter_mut().zip(&known).for_each(|(value, &known)| *value *= f64::from(u8::from(known)));
        for _ in 0..far {
            let found: Vec<(usize, f64)> = every(size)
                .filter_map(|face| {
                    let own = index(size, face);
                    let beside = beside(size, face).filter(|&other| known[other]);
                    let all: Vec<f64> = beside.map(|other| values[other]).collect();
                    let asks = is_open(own) && !known[own] && !all.is_empty();
                    asks.then(|| (own, all.iter().sum::<f64>() / all.len() as f64))
                })
                .collect();
            found.into_iter().for_each(|(face, value)| (values[face], known[face]) = (value, true));
        }
    }
}

/// The neighbours of an element.
fn beside(size: [usize; 3], element: [usize; 3]) -> impl Iterator<Item = usize> {
    (0..3).flat_map(move |axis| {
        [-1, 1].into_iter().filter_map(move |by| {
            let mut other = element;
            other[axis] = element[axis].checked_add_signed(by).filter(|&at| at < size[axis])?;
            Some(index(size, other))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slope of 2 along x, with its zero at x = 4: what is beside it is set right, and that goes on from cell to cell.
    #[test]
    fn a_slope_that_is_too_steep_becomes_a_distance_from_where_it_was_zero() {
        let size = [9, 3, 2];
        let slope: Vec<f64> = every(size).map(|[i, ..]| 2.0 * (i as f64 + 0.5 - 4.0)).collect();
        let near = redistanced(size, &[false; 54], &slope, 60);
        for (cell, found) in every(size).zip(near) {
            let exact = cell[0] as f64 + 0.5 - 4.0;
            assert!((found - exact).abs() < 1e-9, "{cell:?}: {found}, {exact} expected");
        }
    }

    /// Water in the first two of six cells in a row: faces 1 and 2 have its velocity, those of air get that of face 2.
    #[test]
    fn air_gets_the_velocity_of_the_water_so_many_faces_far() {
        let kinds = [Cell::Fluid, Cell::Fluid, Cell::Air, Cell::Air, Cell::Air, Cell::Air];
        let cells = Cells { size: [6, 1, 1], kinds: &kinds, distance: None, least_depth: 1.0 };
        let mut faces = [vec![9.0, 1.0, 2.0, 7.0, 7.0, 7.0, 9.0], vec![1.0; 12], vec![1.0; 12]];
        extend(&cells, &mut faces, 2);
        assert_eq!(faces, [vec![0.0, 1.0, 2.0, 2.0, 2.0, 0.0, 0.0], vec![0.0; 12], vec![0.0; 12]]);
    }

    #[test]
    fn a_turning_velocity_brings_a_linear_field_back_where_it_turned() {
        // u = -(y - c), v = x - c: rigid rotation, which trilinear values hold exactly.
        let size = [9, 9, 2];
        let u: Vec<f64> =
            (0..2).flat_map(|_| (0..9).flat_map(|j| (0..10).map(move |_| 4.0 - j as f64))).collect();
        let v: Vec<f64> = (0..2).flat_map(|_| (0..10).flat_map(|_| (0..9).map(|i| i as f64 - 4.0))).collect();
        let velocity = [u, v, vec![0.0; 9 * 9 * 3]];
        let field: Vec<f64> = (0..162).map(|n| (n % 9) as f64).collect();
        for way in [0.01, 0.02] {
            let moved = Paths { size, velocity: &velocity, way }.moved(At::Centres, &field);
            let (i, j) = (6.0, 5.0);
            // x goes back by an angle: the midpoint rule is right to the third order.
            let exact = 4.0 + (i - 4.0) * way.cos() + (j - 4.0) * way.sin();
            assert!((moved[81 + 5 * 9 + 6] - exact).abs() < way.powi(3));
        }
    }
}
