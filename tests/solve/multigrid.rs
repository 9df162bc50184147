//! Cycles on grids of many sizes, against f64 and against their own promises.

use super::numbers;
use super::support::on_gpu;
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, BoundaryCondition, LinearOperator, NinePoint, Vector};
use quadrille::numeric::Csr;
use quadrille::solve::{Cycle, Missing, Multigrid, Smoother};
use quadrille::{Gpu, Result};
use quadrille_oracle::multigrid::{helmholtz, residual};

/// A system of that equation whose solution is random.
pub struct System {
    pub a: NinePoint,
    pub matrix: Csr,
    pub missing: Missing,
    pub b: Vec<f32>,
    /// ‖|A||u|‖∞.
    pub size: f64,
}

impl System {
    pub fn new(gpu: &Gpu, size: [u32; 2], boundary: BoundaryCondition, sigma: f64) -> Result<System> {
        let matrix = helmholtz(size[0] as usize, size[1] as usize, boundary, sigma)?;
        let missing = if boundary == BoundaryCondition::Dirichlet { Missing::Fixed } else { Missing::Absent };
        System::of(gpu, size, [boundary == BoundaryCondition::Periodic; 2], matrix, missing)
    }

    pub fn of(
        gpu: &Gpu,
        size: [u32; 2],
        periodic: [bool; 2],
        matrix: Csr,
        missing: Missing,
    ) -> Result<System> {
        let grid = Packed2x2::grid(size[0], size[1])?;
        let a = NinePoint::from_csr(&Algebra::new(gpu), grid, periodic, &matrix)?;
        let taken = matrix.diagonal();
        let u: Vec<f64> = numbers(grid.len(), 1)
            .iter()
            .zip(&taken)
            .map(|(u, &d)| if d == 0.0 { 0.0 } else { *u })
            .collect();
        let b = matrix.multiply(&u).into_iter().map(|b| b as f32).collect();
        let row = |i: usize| matrix.row(i).map(|(j, value)| (value * u[j]).abs()).sum::<f64>();
        let size = (0..matrix.rows()).map(row).fold(0.0, f64::max);
        Ok(System { a, matrix, missing, b, size })
    }

    pub fn vector(&self, values: &[f32]) -> Result<Vector> {
        self.a.algebra().vector(self.a.rows(), values)
    }

    pub fn zeros(&self) -> Result<Vector> {
        self.a.algebra().zeros(self.a.rows())
    }

    /// ‖b − A x‖∞ in f64.
    pub fn residual(&self, x: &Vector) -> Result<f64> {
        let rest = residual(&self.matrix, &wide(&self.b), &wide(&x.get()?));
        Ok(rest.into_iter().fold(0.0, |largest, r| largest.max(r.abs())))
    }

    /// The least factor by which a cycle lowers the residual, as long as it is more than 16 roundings of the largest
    /// |A||u| after it, and the cycles until it is not.
    pub fn least_fall(&self, multigrid: &Multigrid) -> Result<(f64, usize)> {
        let (b, mut x) = (self.vector(&self.b)?, self.zeros()?);
        let floor = 16.0 * 2f64.powi(-24) * self.size;
        let (mut last, mut least) = (self.residual(&x)?, f64::INFINITY);
        for cycles in 1..60 {
            multigrid.cycle(&b, &mut x)?;
            let next = self.residual(&x)?;
            if next <= floor {
                return Ok((least, cycles));
            }
            (last, least) = (next, least.min(last / next));
        }
        Ok((least, 60))
    }
}

pub fn jacobi(damping: f32) -> Cycle {
    Cycle { smoother: Smoother::Jacobi { damping }, ..Cycle::default() }
}

pub const RED_BLACK: Cycle = Cycle { before: 1, after: 1, visits: 1, smoother: Smoother::RedBlack };

/// Five points on a grid whose coefficient is that of each node's cell: harmonic means between them, nothing through the
/// edges.
pub fn conducting(size: [u32; 2], coefficient: impl Fn(usize, usize) -> f64, sigma: f64) -> Result<Csr> {
    let [w, h] = size.map(|side| side as usize);
    let mut entries = Vec::new();
    for (i, j) in (0..h).flat_map(|j| (0..w).map(move |i| (i, j))) {
        let own = j * w + i;
        entries.push((own, own, sigma));
        for (x, y) in [(i + 1, j), (i, j + 1)].into_iter().filter(|&(x, y)| x < w && y < h) {
            let next = y * w + x;
            let (one, other) = (coefficient(i, j), coefficient(x, y));
            if one > 0.0 && other > 0.0 {
                let k = f64::from((2.0 * one * other / (one + other)) as f32);
                entries.extend([(own, own, k), (next, next, k), (own, next, -k), (next, own, -k)]);
            }
        }
    }
    let entries = entries.into_iter().filter(|entry| coefficient(entry.0 % w, entry.0 / w) > 0.0);
    Csr::from_triplets(w * h, w * h, entries)
}

pub fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&v| f64::from(v)).collect()
}

/// The factor by which a V(2,2)-cycle must reduce a residual, by ω: four sweeps leave (2/3)⁴ = 1/5.1 and 0.6⁴ = 1/7.7 of rough errors.
const FALLS: [(f32, f64); 2] = [(2.0 / 3.0, 4.5), (0.8, 7.5)];

fn check(gpu: &Gpu, size: [u32; 2], boundary: BoundaryCondition, sigma: f64) -> Result<()> {
    let system = System::new(gpu, size, boundary, sigma)?;
    for (damping, expected) in FALLS {
        let multigrid = Multigrid::new(&system.a, system.missing, jacobi(damping))?;
        let (fall, cycles) = system.least_fall(&multigrid)?;
        let what = format!("{boundary:?} {size:?}, sigma {sigma}, damping {damping}");
        assert!(fall >= expected && cycles <= 10, "{what}: {fall} in {cycles} cycles");
    }
    Ok(())
}

#[test]
fn a_cycle_leaves_an_eighth_at_every_size_and_edge() -> Result<()> {
    on_gpu(|gpu| {
        for boundary in [BoundaryCondition::Dirichlet, BoundaryCondition::Neumann] {
            for side in [33, 65, 129] {
                for sigma in [0.0, 0.1] {
                    check(gpu, [side, side], boundary, sigma)?;
                }
            }
        }
        Ok(())
    })
}

/// A coarse node beyond the end of an even side makes every size as good as 2ʲ + 1.
#[test]
fn other_sizes_are_as_good() -> Result<()> {
    on_gpu(|gpu| {
        for size in [[32, 32], [64, 50], [31, 57], [3, 100], [101, 7]] {
            check(gpu, size, BoundaryCondition::Dirichlet, 0.0)?;
            check(gpu, size, BoundaryCondition::Neumann, 0.0)?;
        }
        check(gpu, [1, 64], BoundaryCondition::Neumann, 0.0)?;
        check(gpu, [64, 48], BoundaryCondition::Periodic, 0.0)
    })
}

#[test]
#[ignore = "takes minutes on a CPU"]
fn a_cycle_leaves_an_eighth_at_a_million_nodes() -> Result<()> {
    on_gpu(|gpu| {
        for boundary in [BoundaryCondition::Dirichlet, BoundaryCondition::Neumann] {
            for side in [257, 513, 1025, 1000] {
                for sigma in [0.0, 0.1] {
                    check(gpu, [side, side], boundary, sigma)?;
                }
            }
        }
        Ok(())
    })
}
