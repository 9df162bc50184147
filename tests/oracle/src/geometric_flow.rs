//! Implicit mean-curvature flow of a triangle mesh, triangle after triangle (row E5).

use std::collections::BTreeMap;

use super::space::{Point, cross, difference, dot, length};
use crate::jacobi_cg;
use quadrille::Result;
use quadrille::mesh::THINNEST;
use quadrille::numeric::Csr;

/// A step of the flow: (M + L) x' = M x, solved for the ways d = x' − x, where L has the cotangents of the triangles before the step,
/// those of slivers bounded ([`THINNEST`]).
///
/// # References
/// Bolz et al., *Sparse Matrix Solvers on the GPU*, §3; Desbrun et al., *Implicit Fairing of Irregular Meshes*, 1999.
pub struct GeometricFlow<'a> {
    /// The corners of each triangle.
    pub faces: &'a [[u32; 3]],
    /// λΔt.
    pub time_step: f64,
    /// True if a vertex has a third of the area of its triangles, false if it has all of it.
    pub dual: bool,
    /// True if boundaries flow as curves, false if they stay.
    pub flowing: bool,
}

/// A linear system as its triangles, or the edges of a boundary, add it up.
#[derive(Debug, Default)]
pub struct System {
    /// a_ij for i ≠ j, each pair once with i < j.
    pub entries: BTreeMap<(usize, usize), f64>,
    /// For each entry, the sum of λΔt |cot| times the triangle's sum of cotangents, as far as that is bounded: a rounding of the
    /// vertices' distances changes the entry by that part of it.
    pub sensitivity: BTreeMap<(usize, usize), f64>,
    /// m_i, the diagonal of M: 4 A_i.
    pub masses: Vec<f64>,
}

/// The residual of the equations after a given step, as norms over their rows, each divided by √a_ii: as if the diagonal were 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Miss {
    /// ‖−L x − (M + L) d‖.
    pub residual: f64,
    /// ‖L x‖.
    pub force: f64,
    /// The magnitudes of all terms of M x' and L x', added up, and by how much a rounding changes the entries: what roundings
    /// are a part of.
    pub terms: f64,
}

/// A triangle as the flow takes it: the scalar products of its sides at each corner, and twice its area; the cotangents are their
/// quotients. None for a triangle that is a point.
///
/// Where twice the area D is less than S / [`THINNEST`], S the sum of the products, D becomes D' = S / [`THINNEST`] and each product
/// grows by (D'² − D²) / 2S.
struct Triangle {
    products: [f64; 3],
    doubled: f64,
}

impl Triangle {
    fn of(p: [Point; 3]) -> Option<Triangle> {
        let (products, sum, doubled) = measures(p);
        let thickened = doubled.max(sum / THINNEST);
        let more = (thickened * thickened - doubled * doubled) / (2.0 * sum);
        (sum > 0.0).then(|| Triangle { products: products.map(|product| product + more), doubled: thickened })
    }
}

/// The scalar products of a triangle's sides at each corner, their sum, and twice the area.
fn measures(p: [Point; 3]) -> ([f64; 3], f64, f64) {
    let sides = [0, 1, 2].map(|k| difference(p[(k + 1) % 3], p[k]));
    let products = [0, 1, 2].map(|k| -dot(sides[k], sides[(k + 2) % 3]));
    let sum = sides.iter().map(|&side| dot(side, side)).sum::<f64>() / 2.0;
    (products, sum, length(cross(sides[0], sides[1])))
}

/// Returns true if the corners of a face are three vertices.
fn has_three_corners([a, b, c]: &[u32; 3]) -> bool {
    a != b && b != c && c != a
}

impl System {
    fn add(&mut self, a: u32, b: u32, value: f64, sensitivity: f64) {
        let pair = (a.min(b) as usize, a.max(b) as usize);
        *self.entries.entry(pair).or_default() += value;
        *self.sensitivity.entry(pair).or_default() += sensitivity;
    }

    /// a_ii = m_i − Σ a_ij.
    pub fn diagonal(&self) -> Vec<f64> {
        let mut diagonal = self.masses.clone();
        for (&(i, j), value) in &self.entries {
            diagonal[i] -= value;
            diagonal[j] -= value;
        }
        diagonal
    }

    /// The condition number of A with its diagonal scaled to 1, at most: its largest eigenvalue is that of D⁻¹A, no more than
    /// max Σ |a_ij| / a_ii by Gershgorin, and its smallest is no less than min m_i / a_ii, because L has no eigenvalue below 0.
    /// Times √(max a_ii / min a_ii), which the scaling of the ways may cost.
    pub fn condition(&self) -> f64 {
        let diagonal = self.diagonal();
        let mut rows = diagonal.clone();
        for (&(i, j), value) in &self.entries {
            rows[i] += value.abs();
            rows[j] += value.abs();
        }
        let own = || (0..rows.len()).filter(|&i| diagonal[i] > 0.0);
        let most = |of: &dyn Fn(usize) -> f64| own().map(of).fold(0.0, f64::max);
        let spread = most(&|i| diagonal[i]) * most(&|i| 1.0 / diagonal[i]);
        most(&|i| rows[i] / diagonal[i]) * most(&|i| diagonal[i] / self.masses[i]) * spread.sqrt()
    }

    /// Adds the residual of (M + L) d = −L x for d = `after` − `x`, over the free rows.
    fn add_miss(&self, x: &[Point], after: &[Point], free: &[bool], miss: &mut Miss) {
        let mut rows = vec![[[0.0; 3]; 3]; x.len()];
        for (i, row) in rows.iter_mut().enumerate() {
            for k in 0..3 {
                row[0][k] = -self.masses[i] * (after[i][k] - x[i][k]);
                row[2][k] = self.masses[i] * after[i][k].abs();
            }
        }
        for ((&(i, j), value), sensitivity) in self.entries.iter().zip(self.sensitivity.values()) {
            for (row, column) in [(i, j), (j, i)] {
                for k in 0..3 {
                    let apart = after[column][k] - after[row][k];
                    rows[row][0][k] -= value * apart;
                    rows[row][1][k] -= value * (x[column][k] - x[row][k]);
                    rows[row][2][k] += value.abs() * (after[column][k].abs() + after[row][k].abs());
                    rows[row][2][k] += sensitivity * apart.abs();
                }
            }
        }
        let diagonal = self.diagonal();
        let free = || (0..x.len()).filter(|&i| free[i] && diagonal[i] > 0.0);
        let norm =
            |of: usize| free().map(|i| dot(rows[i][of], rows[i][of]) / diagonal[i]).sum::<f64>().sqrt();
        miss.residual += norm(0);
        miss.force += norm(1);
        miss.terms += norm(2);
    }

    /// The ways d with (M + L) d = −L x of the vertices that `free` names; those of the others stay as they are in `ways`.
    ///
    /// The right side is a sum of differences: positions and masses may be as far apart as they like.
    fn solve(&self, x: &[Point], free: &[bool], ways: &mut [Point]) -> Result<()> {
        let off = self.entries.iter().filter(|&(&(i, j), _)| free[i] && free[j]);
        let off = off.flat_map(|(&(i, j), &value)| [(i, j, value), (j, i, value)]);
        let own = self.diagonal().into_iter().zip(free).enumerate();
        let own = own.map(|(i, (value, &free))| (i, i, if free { value } else { 1.0 }));
        let matrix = Csr::from_triplets(x.len(), x.len(), off.chain(own))?;
        for axis in 0..3 {
            let mut right = vec![0.0; x.len()];
            for (&(i, j), value) in &self.entries {
                for (row, column) in [(i, j), (j, i)] {
                    if free[row] {
                        let known = if free[column] { 0.0 } else { ways[column][axis] };
                        right[row] -= value * (x[column][axis] - x[row][axis] + known);
                    }
                }
            }
            let found = jacobi_cg(&matrix, &right, None, 1e-12, 20 * x.len() + 100).x;
            for (i, way) in ways.iter_mut().enumerate().filter(|(i, _)| free[*i]) {
                way[axis] = found[i];
            }
        }
        Ok(())
    }
}

impl GeometricFlow<'_> {
    /// The system of the surface: a_ij = −λΔt (cot α + cot β), m_i = 4 A_i.
    pub fn surface(&self, x: &[Point]) -> System {
        let mut system = System { masses: vec![0.0; x.len()], ..System::default() };
        let share = if self.dual { 1.0 / 3.0 } else { 1.0 };
        for face in self.faces.iter().filter(|face| has_three_corners(face)) {
            let Some(Triangle { products, doubled }) = Triangle::of(face.map(|corner| x[corner as usize]))
            else {
                continue;
            };
            let thinness = products.iter().sum::<f64>() / doubled;
            for k in 0..3 {
                let entry = self.time_step * products[k] / doubled;
                system.add(face[(k + 1) % 3], face[(k + 2) % 3], -entry, entry.abs() * thinness);
                system.masses[face[k] as usize] += 2.0 * share * doubled;
            }
        }
        system
    }

    /// The system of the boundary as a curve: a_ij = −λΔt / l_ij, m_i half the length of the edges at i.
    pub fn boundary(&self, x: &[Point]) -> System {
        let mut system = System { masses: vec![0.0; x.len()], ..System::default() };
        for [a, b] in self.boundary_edges() {
            let l = length(difference(x[a as usize], x[b as usize]));
            if l > 0.0 {
                system.add(a, b, -self.time_step / l, self.time_step / l);
            }
            system.masses[a as usize] += l / 2.0;
            system.masses[b as usize] += l / 2.0;
        }
        system
    }

    fn boundary_edges(&self) -> impl Iterator<Item = [u32; 2]> {
        let mut faces = BTreeMap::<[u32; 2], usize>::new();
        for face in self.faces.iter().filter(|face| has_three_corners(face)) {
            for k in 0..3 {
                let (a, b) = (face[k], face[(k + 1) % 3]);
                *faces.entry([a.min(b), a.max(b)]).or_default() += 1;
            }
        }
        faces.into_iter().filter(|&(_, faces)| faces == 1).map(|(ends, _)| ends)
    }

    /// Two flags for each of n vertices: inside, and at a boundary. A vertex without faces is neither.
    fn kinds(&self, n: usize) -> (Vec<bool>, Vec<bool>) {
        let (mut inside, mut curve) = (vec![false; n], vec![false; n]);
        let whole = self.faces.iter().filter(|face| has_three_corners(face));
        whole.flatten().for_each(|&corner| inside[corner as usize] = true);
        for end in self.boundary_edges().flatten() {
            (curve[end as usize], inside[end as usize]) = (true, false);
        }
        (inside, curve)
    }

    /// How well a step keeps to the equations, of curves and surface together.
    pub fn miss(&self, x: &[Point], after: &[Point]) -> Miss {
        let (inside, curve) = self.kinds(x.len());
        let mut miss = Miss::default();
        self.surface(x).add_miss(x, after, &inside, &mut miss);
        if self.flowing {
            self.boundary(x).add_miss(x, after, &curve, &mut miss);
        }
        miss
    }

    /// How far a step may be from this one whose residuals, of the system with its diagonal scaled to 1, are that part of what
    /// they were at first: of the farthest way that a vertex goes. ‖Δd‖∞ ≤ ‖Δd‖₂ ≤ condition · part · ‖d‖₂, and ‖d‖₂ ≤ √n ‖d‖∞; a boundary adds its own.
    pub fn amplification(&self, x: &[Point]) -> f64 {
        let curves = if self.flowing { self.boundary(x).condition() } else { 0.0 };
        (self.surface(x).condition() + curves) * (x.len() as f64).sqrt()
    }

    /// The positions after a step.
    ///
    /// # Errors
    /// None for positions that fit the faces.
    pub fn step(&self, x: &[Point]) -> Result<Vec<Point>> {
        let (inside, curve) = self.kinds(x.len());
        let mut ways = vec![[0.0; 3]; x.len()];
        if self.flowing {
            self.boundary(x).solve(x, &curve, &mut ways)?;
        }
        self.surface(x).solve(x, &inside, &mut ways)?;
        Ok(x.iter().zip(ways).map(|(x, way)| std::array::from_fn(|k| x[k] + way[k])).collect())
    }
}
