//! Implicit mean-curvature flow of a triangle mesh, triangle after triangle (row E5).

use std::collections::BTreeMap;

use super::space::{Point, cross, difference, dot, length};
use super::{Csr, jacobi_cg};
use crate::Result;

/// A step of the flow: (M + L) x' = M x, where L has the cotangents of the triangles before the step.
///
/// # References
/// Bolz et al., *Sparse Matrix Solvers on the GPU*, §3; Desbrun et al., *Implicit Fairing of Irregular Meshes*, 1999.
pub struct GeometricFlow<'a> {
    /// The corners of each triangle.
    pub faces: &'a [[u32; 3]],
    /// λΔt.
    pub time_step: f64,
    /// Whether a vertex has a third of the area of its triangles, or all of it.
    pub dual: bool,
    /// Whether boundaries flow as curves, or stay.
    pub flowing: bool,
}

/// A linear system as its triangles, or the edges of a boundary, add it up.
#[derive(Debug, Default)]
pub struct System {
    /// a_ij for i ≠ j, each pair once with i < j.
    pub entries: BTreeMap<(usize, usize), f64>,
    /// m_i, the diagonal of M: 4 A_i.
    pub masses: Vec<f64>,
}

/// A triangle takes part if twice its area is more than this times the square of its longest side.
pub const FLAT: f64 = 1.0 / 4096.0;

impl System {
    fn add(&mut self, a: u32, b: u32, value: f64) {
        *self.entries.entry((a.min(b) as usize, a.max(b) as usize)).or_default() += value;
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

    /// x' with A x' = M x where `free` says so; x elsewhere.
    fn solve(&self, x: &[Point], free: &[bool]) -> Result<Vec<Point>> {
        let both = |i: usize, j: usize| free[i] && free[j];
        let off = self.entries.iter().filter(|&(&(i, j), _)| both(i, j));
        let off = off.flat_map(|(&(i, j), &value)| [(i, j, value), (j, i, value)]);
        let own = self.diagonal().into_iter().zip(free).enumerate();
        let own = own.map(|(i, (value, &free))| (i, i, if free { value } else { 1.0 }));
        let matrix = Csr::from_triplets(x.len(), x.len(), off.chain(own))?;
        let mut solved = x.to_vec();
        for axis in 0..3 {
            let right = |i: usize| if free[i] { self.masses[i] * x[i][axis] } else { x[i][axis] };
            let mut right: Vec<f64> = (0..x.len()).map(right).collect();
            for (&(i, j), value) in &self.entries {
                for (row, column) in [(i, j), (j, i)] {
                    if free[row] && !free[column] {
                        right[row] -= value * x[column][axis];
                    }
                }
            }
            let guess: Vec<f64> = x.iter().map(|p| p[axis]).collect();
            let found = jacobi_cg(&matrix, &right, Some(&guess), 1e-14, 20 * x.len() + 100).x;
            solved.iter_mut().zip(found).for_each(|(p, value)| p[axis] = value);
        }
        Ok(solved)
    }
}

impl GeometricFlow<'_> {
    /// Of the surface: a_ij = −λΔt (cot α + cot β), m_i = 4 A_i.
    pub fn surface(&self, x: &[Point]) -> System {
        let mut system = System { masses: vec![0.0; x.len()], ..System::default() };
        let share = if self.dual { 1.0 / 3.0 } else { 1.0 };
        for face in self.faces {
            let p = face.map(|corner| x[corner as usize]);
            let sides = [0, 1, 2].map(|k| difference(p[(k + 1) % 3], p[k]));
            let doubled = length(cross(sides[0], sides[1]));
            if doubled <= FLAT * sides.iter().map(|&side| dot(side, side)).fold(0.0, f64::max) {
                continue;
            }
            for k in 0..3 {
                let cotangent = -dot(sides[k], sides[(k + 2) % 3]) / doubled;
                system.add(face[(k + 1) % 3], face[(k + 2) % 3], -self.time_step * cotangent);
                system.masses[face[k] as usize] += 2.0 * share * doubled;
            }
        }
        system
    }

    /// Of the boundary as a curve: a_ij = −λΔt / l_ij, m_i half the length of the edges at i.
    pub fn boundary(&self, x: &[Point]) -> System {
        let mut system = System { masses: vec![0.0; x.len()], ..System::default() };
        for [a, b] in self.boundary_edges() {
            let l = length(difference(x[a as usize], x[b as usize]));
            if l > 0.0 {
                system.add(a, b, -self.time_step / l);
            }
            system.masses[a as usize] += l / 2.0;
            system.masses[b as usize] += l / 2.0;
        }
        system
    }

    fn boundary_edges(&self) -> impl Iterator<Item = [u32; 2]> {
        let mut faces = BTreeMap::<[u32; 2], usize>::new();
        for face in self.faces {
            for k in 0..3 {
                let (a, b) = (face[k], face[(k + 1) % 3]);
                *faces.entry([a.min(b), a.max(b)]).or_default() += 1;
            }
        }
        faces.into_iter().filter(|&(_, faces)| faces == 1).map(|(ends, _)| ends)
    }

    /// The positions after a step.
    ///
    /// # Errors
    /// None for positions that fit the faces.
    pub fn step(&self, x: &[Point]) -> Result<Vec<Point>> {
        let mut inside = vec![false; x.len()];
        self.faces.iter().flatten().for_each(|&corner| inside[corner as usize] = true);
        let mut curve = vec![false; x.len()];
        for end in self.boundary_edges().flatten() {
            (curve[end as usize], inside[end as usize]) = (true, false);
        }
        // The surface is that before the step; its boundary has moved already.
        let surface = self.surface(x);
        let at = if self.flowing { self.boundary(x).solve(x, &curve)? } else { x.to_vec() };
        surface.solve(&at, &inside)
    }
}
