//! The pressure projection of a voxel box in f64: what kinds of cells do to a matrix, a right side and a velocity.
//!
//! Arrays are in the order x, then y, then z. Faces across an axis have one more along it than there are cells: face
//! i lies between cells i − 1 and i. Beyond the box is solid.

use quadrille::Result;
use quadrille::numeric::Csr;
use quadrille::sim::projection::Cell;

/// Kinds of cells, and where the surface runs between those of fluid and of air.
#[derive(Clone, Copy, Debug)]
pub struct Cells<'a> {
    /// Cells along x, y and z.
    pub size: [usize; 3],
    /// The content of each cell.
    pub kinds: &'a [Cell],
    /// The signed distance φ from the surface at each cell's centre, below 0 in fluid; without it the pressure is 0
    /// at the centres of air cells.
    pub distance: Option<&'a [f64]>,
    /// φ of a fluid's cell counts as below 0 by this at least, for all of its θ.
    pub least_depth: f64,
}

/// Velocities on the faces across x, y and z.
pub type Faces = [Vec<f64>; 3];

impl Cells<'_> {
    /// The kind of the cell `by` further along an axis, and its index.
    fn neighbour(&self, cell: [usize; 3], axis: usize, by: isize) -> (Cell, usize) {
        let mut other = cell;
        match cell[axis].checked_add_signed(by).filter(|&at| at < self.size[axis]) {
            Some(at) => other[axis] = at,
            None => return (Cell::Solid, usize::MAX),
        }
        let index = index(self.size, other);
        (self.kinds[index], index)
    }

    /// How far the surface is from the centre of fluid cell `own`, in cells, on the way to air cell `other`.
    fn theta(&self, own: usize, other: usize) -> f64 {
        match self.distance {
            Some(phi) if phi[own] < 0.0 && phi[other] > 0.0 => {
                let depth = phi[own].min(-self.least_depth);
                depth / (depth - phi[other])
            }
            _ => 1.0,
        }
    }

    /// −∇² with cells of side 1: for each neighbour of a fluid cell that is fluid, 1 on the diagonal and −1 beside
    /// it; air, 1/θ on the diagonal; solid, nothing. Rows of other cells are empty.
    ///
    /// # Errors
    /// [`Error::Empty`](quadrille::Error::Empty) for no cells.
    pub fn matrix(&self) -> Result<Csr> {
        let mut entries = Vec::new();
        for cell in every(self.size) {
            let own = index(self.size, cell);
            if self.kinds[own] != Cell::Fluid {
                continue;
            }
            let mut diagonal = 0.0;
            for (axis, by) in WAYS {
                match self.neighbour(cell, axis, by) {
                    (Cell::Solid, _) => {}
                    (Cell::Air, other) => diagonal += 1.0 / self.theta(own, other),
                    (Cell::Fluid, other) => {
                        diagonal += 1.0;
                        entries.push((own, other, -1.0));
                    }
                }
            }
            entries.push((own, own, diagonal));
        }
        Csr::from_triplets(self.kinds.len(), self.kinds.len(), entries)
    }

    /// The outflow of each fluid cell; 0 for the others.
    pub fn divergence(&self, faces: &Faces) -> Vec<f64> {
        let out = |cell: [usize; 3]| -> f64 {
            let flow = |axis: usize| {
                let size = with_one_more(self.size, axis);
                let mut far = cell;
                far[axis] += 1;
                faces[axis][index(size, far)] - faces[axis][index(size, cell)]
            };
            (0..3).map(flow).sum()
        };
        let each = every(self.size).map(|cell| match self.kinds[index(self.size, cell)] {
            Cell::Fluid => out(cell),
            _ => 0.0,
        });
        each.collect()
    }

    /// Gives the faces of solid cells, and of the box, the velocity of what is solid.
    pub fn enforce(&self, faces: &mut Faces, solid: &Faces) {
        self.each_face(|axis, face, low, high| {
            if low.0 == Cell::Solid || high.0 == Cell::Solid {
                faces[axis][face] = solid[axis][face];
            }
        });
    }

    /// u −= ∇p at every face between two cells that are not solid, one of them fluid.
    pub fn subtract_gradient(&self, faces: &mut Faces, p: &[f64]) {
        self.each_face(|axis, face, low, high| {
            faces[axis][face] -= match (low, high) {
                ((Cell::Fluid, low), (Cell::Fluid, high)) => p[high] - p[low],
                ((Cell::Fluid, low), (Cell::Air, high)) => -p[low] / self.theta(low, high),
                ((Cell::Air, low), (Cell::Fluid, high)) => p[high] / self.theta(high, low),
                _ => 0.0,
            };
        });
    }

    /// Calls with the axis and index of each face, and the cells on its lower and its upper side.
    fn each_face(&self, mut visit: impl FnMut(usize, usize, (Cell, usize), (Cell, usize))) {
        for axis in 0..3 {
            let size = with_one_more(self.size, axis);
            for face in every(size) {
                let beyond = face[axis] == self.size[axis];
                let high = if beyond { (Cell::Solid, usize::MAX) } else { self.neighbour(face, axis, 0) };
                visit(axis, index(size, face), self.neighbour(face, axis, -1), high);
            }
        }
    }

    /// The fluid that no air can reach: a number for each such pocket, from 0, at its cells. There the pressure is
    /// known but for a constant, and only a velocity whose walls let nothing in or out can be projected.
    pub fn pockets(&self) -> Vec<Option<usize>> {
        let mut labels: Vec<Option<usize>> = vec![None; self.kinds.len()];
        let mut seen = vec![false; self.kinds.len()];
        let mut pockets = 0;
        for start in every(self.size) {
            let first = index(self.size, start);
            if seen[first] || self.kinds[first] != Cell::Fluid {
                continue;
            }
            seen[first] = true;
            let (mut members, mut next, mut open) = (vec![start], 0, false);
            while let Some(&cell) = members.get(next) {
                next += 1;
                for (axis, by) in WAYS {
                    let (kind, other) = self.neighbour(cell, axis, by);
                    open |= kind == Cell::Air;
                    if kind == Cell::Fluid && !std::mem::replace(&mut seen[other], true) {
                        let mut member = cell;
                        member[axis] = member[axis].wrapping_add_signed(by);
                        members.push(member);
                    }
                }
            }
            if !open {
                members.into_iter().for_each(|cell| labels[index(self.size, cell)] = Some(pockets));
                pockets += 1;
            }
        }
        labels
    }

    /// The mean divergence of each pocket at each of its cells, 0 elsewhere: what its walls force on it, which no
    /// pressure takes away. It depends on the solid's velocity alone.
    pub fn forced(&self, solid: &Faces) -> Vec<f64> {
        let labels = self.pockets();
        let count = labels.iter().flatten().max().map_or(0, |last| last + 1);
        let (mut flows, mut sizes) = (vec![0.0; count], vec![0.0; count]);
        // Faces within the fluid cancel in the sum over a pocket; so let nothing flow through them.
        let mut walls: Faces = [0, 1, 2].map(|axis| vec![0.0; solid[axis].len()]);
        self.enforce(&mut walls, solid);
        for (label, flow) in labels.iter().zip(self.divergence(&walls)) {
            if let Some(label) = *label {
                flows[label] += flow;
                sizes[label] += 1.0;
            }
        }
        labels.iter().map(|label| label.map_or(0.0, |label| flows[label] / sizes[label])).collect()
    }
}

const WAYS: [(usize, isize); 6] = [(0, -1), (0, 1), (1, -1), (1, 1), (2, -1), (2, 1)];

pub(super) fn index([nx, ny, _]: [usize; 3], [i, j, k]: [usize; 3]) -> usize {
    (k * ny + j) * nx + i
}

pub(super) fn every([nx, ny, nz]: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..nz).flat_map(move |k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k])))
}

pub(super) fn with_one_more(mut size: [usize; 3], axis: usize) -> [usize; 3] {
    size[axis] += 1;
    size
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cg;
    use quadrille::numeric::Random;

    /// A box of 5×4×3 with every kind of cell, and a distance that fits it.
    fn cells(seed: u64) -> (Vec<Cell>, Vec<f64>) {
        let mut random = Random(seed);
        let kinds: Vec<Cell> =
            (0..60).map(|_| [Cell::Solid, Cell::Air, Cell::Fluid, Cell::Fluid][random.below(4)]).collect();
        let distance =
            |kind: &Cell| f64::from(random.unit() + 0.1) * if *kind == Cell::Fluid { -1.0 } else { 1.0 };
        let distance = kinds.iter().map(distance).collect();
        (kinds, distance)
    }

    fn faces(random: &mut Random) -> Faces {
        [6 * 4 * 3, 5 * 5 * 3, 5 * 4 * 4].map(|n| random.floats(n).into_iter().map(f64::from).collect())
    }

    #[test]
    fn projecting_leaves_what_the_walls_of_pockets_force_and_nothing_else() -> Result<()> {
        for seed in 0..20 {
            let (kinds, distance) = cells(seed);
            let cells =
                Cells { size: [5, 4, 3], kinds: &kinds, distance: Some(&distance), least_depth: 0.01 };
            let mut random = Random(seed);
            let (mut velocity, solid) = (faces(&mut random), faces(&mut random));
            cells.enforce(&mut velocity, &solid);
            let forced = cells.forced(&solid);
            let right: Vec<f64> =
                cells.divergence(&velocity).iter().zip(&forced).map(|(d, f)| f - d).collect();
            let p = cg(&cells.matrix()?, &right, None, 1e-13, 500).x;
            cells.subtract_gradient(&mut velocity, &p);
            for (left, forced) in cells.divergence(&velocity).iter().zip(forced) {
                assert!((left - forced).abs() < 1e-9, "seed {seed}: {left}, {forced} expected");
            }
        }
        Ok(())
    }

    #[test]
    fn pockets_are_told_apart_and_open_water_is_none() {
        let kinds: Vec<Cell> = "ff#f.#ff"
            .chars()
            .map(|c| match c {
                'f' => Cell::Fluid,
                '.' => Cell::Air,
                _ => Cell::Solid,
            })
            .collect();
        let cells = Cells { size: [8, 1, 1], kinds: &kinds, distance: None, least_depth: 0.01 };
        let pocket = |n| Some(n);
        assert_eq!(cells.pockets(), [pocket(0), pocket(0), None, None, None, None, pocket(1), pocket(1)]);
    }
}
