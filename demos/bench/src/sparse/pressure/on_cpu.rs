//! The same pressure on one thread of the CPU, in 32-bit floats: the paper's own rivals.

use anyhow::{Result, ensure};
use quadrille::linalg::{SevenPoint, Voxels};

use super::solvers::{MOST, TOLERANCE};

/// The preconditioner of conjugate gradients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Preconditioner {
    /// 1/aᵢᵢ.
    Diagonal,
    /// (L + D) D⁻¹ (D + Lᵀ) with the entries of A where A has some: IC(0).
    Cholesky,
}

/// The matrix of the unknowns alone, in the order of arrays: a diagonal, and −1 for each neighbour.
pub struct Compact {
    diagonal: Vec<f32>,
    /// The unknowns west, north and below, which come before; and those east, south and above.
    before: Vec<[u32; 3]>,
    behind: Vec<[u32; 3]>,
    /// 1 over the pivots of D.
    inverse: Vec<f32>,
    preconditioner: Preconditioner,
    /// Where each unknown lies in a box.
    places: Vec<usize>,
    voxels: Voxels,
    count: usize,
}

/// No unknown. Vectors hold 0 behind their last element, which is what it stands for.
const NONE: u32 = u32::MAX;

/// A pivot that is less than this part of its diagonal is rounding: the last cell of a closed pocket.
const NOTHING: f32 = 1e-3;

impl Compact {
    pub fn new(a: &SevenPoint, preconditioner: Preconditioner) -> Result<Compact> {
        let voxels = a.voxels();
        ensure!(a.weights().is_none(), "the CPU's matrix has weights of 1");
        let all = voxels.collect(&a.main_diagonal().get()?);
        let mut numbers = vec![NONE; all.len()];
        let places: Vec<usize> = (0..all.len()).filter(|&i| all[i] > 0.0).collect();
        places.iter().zip(0..).for_each(|(&place, number)| numbers[place] = number);
        let count = places.len();
        let [nx, ny, nz] = voxels.size().map(|n| n as usize);
        // Step, place along the axis, length of the axis.
        let axes = |i: usize| [(1, i % nx, nx), (nx, i / nx % ny, ny), (nx * ny, i / (nx * ny), nz)];
        let or_last = |number: u32| if number == NONE { count as u32 } else { number };
        let before =
            |&i: &usize| axes(i).map(|(by, at, _)| or_last(if at > 0 { numbers[i - by] } else { NONE }));
        let behind =
            |&i: &usize| axes(i).map(|(by, at, n)| or_last(if at + 1 < n { numbers[i + by] } else { NONE }));
        let mut made = Compact {
            diagonal: places.iter().map(|&i| all[i]).collect(),
            before: places.iter().map(before).collect(),
            behind: places.iter().map(behind).collect(),
            inverse: Vec::new(),
            preconditioner,
            places,
            voxels,
            count,
        };
        made.inverse = made.inverse();
        Ok(made)
    }

    fn inverse(&self) -> Vec<f32> {
        let mut inverse = vec![0.0; self.count + 1];
        for i in 0..self.count {
            let d = self.diagonal[i];
            let pivot = match self.preconditioner {
                Preconditioner::Diagonal => d,
                Preconditioner::Cholesky => {
                    d - self.before[i].map(|j| inverse[j as usize]).iter().sum::<f32>()
                }
            };
            inverse[i] = 1.0 / if pivot > NOTHING * d { pivot } else { d };
        }
        inverse
    }

    /// The unknowns of a field of the GPU's.
    pub fn collect(&self, field: &[f32]) -> Vec<f32> {
        let all = self.voxels.collect(field);
        self.places.iter().map(|&place| all[place]).collect()
    }

    /// q = A p, whose last element is 0.
    fn multiply(&self, p: &[f32], q: &mut [f32]) {
        for i in 0..self.count {
            let sum = |of: &[u32; 3]| of.map(|j| p[j as usize]).iter().sum::<f32>();
            q[i] = self.diagonal[i] * p[i] - sum(&self.before[i]) - sum(&self.behind[i]);
        }
    }

    /// z = M r.
    fn precondition(&self, r: &[f32], z: &mut [f32]) {
        let inverse = &self.inverse;
        if self.preconditioner == Preconditioner::Diagonal {
            return z.iter_mut().zip(r).zip(inverse).for_each(|((z, r), m)| *z = m * r);
        }
        for i in 0..self.count {
            let sum = self.before[i].map(|j| z[j as usize]).iter().sum::<f32>();
            z[i] = (r[i] + sum) * inverse[i];
        }
        for i in (0..self.count).rev() {
            z[i] += self.behind[i].map(|j| z[j as usize]).iter().sum::<f32>() * inverse[i];
        }
    }

    /// Improves x by conjugate gradients until ‖r‖ ≤ tolerance ‖b‖; iterations. Sums are made in f64.
    pub fn solve(&self, b: &[f32], x: &mut Vec<f32>) -> usize {
        let room = || vec![0.0f32; self.count + 1];
        let (mut r, mut z, mut q) = (room(), room(), room());
        x.resize(self.count + 1, 0.0);
        self.multiply(x, &mut q);
        r.iter_mut().zip(b).zip(&q).for_each(|((r, b), q)| *r = b - q);
        let goal = f64::from(TOLERANCE).powi(2) * dot(b, b);
        self.precondition(&r, &mut z);
        let (mut p, mut rho) = (z.clone(), dot(&r, &z));
        let mut iterations = 0;
        while iterations < MOST && dot(&r, &r) > goal {
            self.multiply(&p, &mut q);
            let alpha = (rho / dot(&p, &q)) as f32;
            x.iter_mut().zip(&p).for_each(|(x, p)| *x += alpha * p);
            r.iter_mut().zip(&q).for_each(|(r, q)| *r -= alpha * q);
            self.precondition(&r, &mut z);
            let newest = dot(&r, &z);
            let beta = (newest / rho) as f32;
            p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + beta * *p);
            rho = newest;
            iterations += 1;
        }
        x.truncate(self.count);
        iterations
    }

    /// ‖b − A x‖ / ‖b‖ in f64.
    pub fn left(&self, b: &[f32], x: &[f32]) -> f64 {
        let wide = |j: u32| x.get(j as usize).map_or(0.0, |&x| f64::from(x));
        let row = |i: usize| {
            let beside: f64 = self.before[i].iter().chain(&self.behind[i]).map(|&j| wide(j)).sum();
            f64::from(b[i]) - f64::from(self.diagonal[i]) * f64::from(x[i]) + beside
        };
        ((0..self.count).map(|i| row(i).powi(2)).sum::<f64>() / dot(b, b)).sqrt()
    }
}

fn dot(x: &[f32], y: &[f32]) -> f64 {
    x.iter().zip(y).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum()
}

#[cfg(test)]
mod tests {
    use quadrille::Gpu;
    use quadrille::linalg::{LinearOperator, Vector};

    use super::super::water::Water;
    use super::*;

    /// Both solve what the GPU's own matrix says, and incomplete Cholesky takes less than half of the diagonal's iterations.
    #[test]
    fn incomplete_cholesky_takes_fewer_iterations_than_the_diagonal() -> Result<()> {
        let mut water = Water::new(&Gpu::headless()?, 14)?;
        let (a, velocity) = (water.matrix()?, water.velocity());
        let right = water.right_side(&velocity)?;
        let mut counts = Vec::new();
        for preconditioner in [Preconditioner::Diagonal, Preconditioner::Cholesky] {
            let (compact, mut x) = (Compact::new(&a, preconditioner)?, Vec::new());
            let b = compact.collect(&right.get()?);
            counts.push(compact.solve(&b, &mut x));
            assert!(compact.left(&b, &x) <= 1.01 * f64::from(TOLERANCE), "{preconditioner:?}");
            let mut all = vec![0.0; compact.voxels.count()];
            compact.places.iter().zip(&x).for_each(|(&place, &x)| all[place] = x);
            let algebra = water.algebra();
            let x: Vector = algebra.vector(a.rows(), &compact.voxels.spread(&all)?)?;
            let mut rest = algebra.zeros(a.rows())?;
            a.residual(&x, &right, &mut rest)?;
            let (rest, right) = (rest.get()?, right.get()?);
            assert!(dot(&rest, &rest).sqrt() <= 1.1 * f64::from(TOLERANCE) * dot(&right, &right).sqrt());
        }
        assert!(2 * counts[1] < counts[0], "{counts:?}");
        Ok(())
    }
}
