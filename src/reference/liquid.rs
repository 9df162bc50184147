//! What moves along the paths of a staggered velocity, in f64: semi-Lagrangian advection by the midpoint rule.

use super::voxels::Faces;

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

    /// Of the first value.
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

#[cfg(test)]
mod tests {
    use super::*;

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
