//! Multigrid in f64 on nine-point matrices of a grid: transfers and coarse matrices as sparse matrices, and the cycle
//! as Bolz et al. write it.

use std::collections::BTreeMap;

use crate::cg;
use quadrille::Result;
use quadrille::linalg::BoundaryCondition;
use quadrille::numeric::Csr;
use quadrille::solve::Missing;

/// h²(−∇² + σ) by five points on width × height nodes, `sigma` being σ h²; node (i, j) is unknown j·width + i.
///
/// # Errors
/// [`Error::Empty`](quadrille::Error::Empty) for no nodes.
pub fn helmholtz(width: usize, height: usize, boundary: BoundaryCondition, sigma: f64) -> Result<Csr> {
    let grid = Grid { size: [width, height], periodic: [boundary == BoundaryCondition::Periodic; 2] };
    let edge = |at: usize, side: usize| at == 0 || at + 1 == side;
    let share = |at: usize, side: usize| match boundary {
        BoundaryCondition::Neumann if edge(at, side) && side > 1 => 0.5,
        _ => 1.0,
    };
    let fixed =
        |[i, j]: [usize; 2]| boundary == BoundaryCondition::Dirichlet && (edge(i, width) || edge(j, height));
    let mut entries = Vec::new();
    for [i, j] in grid.nodes() {
        if fixed([i, j]) {
            continue;
        }
        let own = grid.index([i, j]);
        let mut diagonal = sigma * share(i, width) * share(j, height);
        for ([dx, dy], weight) in [
            ([-1, 0], share(j, height)),
            ([1, 0], share(j, height)),
            ([0, -1], share(i, width)),
            ([0, 1], share(i, width)),
        ] {
            let Some(next) = grid.neighbour([i, j], [dx, dy]) else { continue };
            diagonal += weight;
            if !fixed(next) {
                entries.push((own, grid.index(next), -weight));
            }
        }
        entries.push((own, own, diagonal));
    }
    Csr::from_triplets(width * height, width * height, entries)
}

#[derive(Clone, Copy, Debug)]
struct Grid {
    size: [usize; 2],
    periodic: [bool; 2],
}

impl Grid {
    fn index(&self, [i, j]: [usize; 2]) -> usize {
        j * self.size[0] + i
    }

    fn nodes(self) -> impl Iterator<Item = [usize; 2]> {
        (0..self.size[1]).flat_map(move |j| (0..self.size[0]).map(move |i| [i, j]))
    }

    fn neighbour(&self, node: [usize; 2], by: [isize; 2]) -> Option<[usize; 2]> {
        let step = |axis: usize| {
            let side = self.size[axis];
            match node[axis].checked_add_signed(by[axis]).filter(|&at| at < side) {
                None if self.periodic[axis] => Some((node[axis] + side).wrapping_add_signed(by[axis]) % side),
                at => at,
            }
        };
        Some([step(0)?, step(1)?])
    }
}

/// Coarse nodes of a side: every second node of the finer one, the first among them. Where an open side has an even
/// number of nodes, one more lies a step beyond the grid, so that interpolation goes on as it is; two nodes become one.
fn coarse_nodes(nodes: usize, periodic: bool) -> usize {
    match nodes {
        1 | 2 => 1,
        _ if periodic => nodes.div_ceil(2),
        _ => nodes / 2 + 1,
    }
}

/// S along one side: what each fine node takes from which coarse ones.
fn interpolated(node: usize, nodes: usize, periodic: bool) -> Vec<(usize, f64)> {
    let coarse = coarse_nodes(nodes, periodic);
    match (node % 2, node / 2) {
        (0, own) => vec![(own, 1.0)],
        (_, own) if own + 1 < coarse => vec![(own, 0.5), (own + 1, 0.5)],
        // Around the end of an even periodic side, and from one node to two.
        (_, own) => vec![(own, 0.5), (0, 0.5)],
    }
}

/// One level: its matrix, and S, by which it corrects the finer level.
pub struct Level {
    /// Nodes along x and y.
    pub size: [usize; 2],
    /// The matrix.
    pub matrix: Csr,
    /// Fine nodes × nodes of this level, rows and columns of what takes no part empty; none at the finest level.
    pub interpolation: Option<Csr>,
}

/// The levels of a matrix, the finest first: A_2h = P A S with P = ¼Sᵀ, until no side is longer than `coarsest`.
///
/// # Errors
/// [`Error::Empty`](quadrille::Error::Empty), [`Error::OutsideMatrix`](quadrille::Error::OutsideMatrix) where size and matrix
/// do not fit.
pub fn levels(
    matrix: Csr,
    size: [usize; 2],
    periodic: [bool; 2],
    missing: Missing,
    coarsest: usize,
) -> Result<Vec<Level>> {
    let mut levels = vec![Level { size, matrix, interpolation: None }];
    while let Some(fine) = levels.last()
        && fine.size.iter().any(|&side| side > coarsest.max(1))
    {
        let size = [0, 1].map(|axis| coarse_nodes(fine.size[axis], periodic[axis]));
        let s = interpolation(fine, size, periodic, missing)?;
        let matrix = scaled(0.25, &product(&s.transpose(), &product(&fine.matrix, &s)?)?)?;
        levels.push(Level { size, matrix, interpolation: Some(s) });
    }
    Ok(levels)
}

/// S to a level from the next coarser one, of that size.
fn interpolation(fine: &Level, size: [usize; 2], periodic: [bool; 2], missing: Missing) -> Result<Csr> {
    let (from, to) = (Grid { size, periodic }, Grid { size: fine.size, periodic });
    let takes_part: Vec<bool> = fine.matrix.diagonal().iter().map(|&d| d != 0.0).collect();
    let free = |[i, j]: [usize; 2]| match missing {
        Missing::Absent => true,
        Missing::Fixed => {
            let twin = [2 * i, 2 * j];
            twin[0] >= to.size[0] || twin[1] >= to.size[1] || takes_part[to.index(twin)]
        }
    };
    let mut entries = Vec::new();
    for node in to.nodes().filter(|&node| takes_part[to.index(node)]) {
        for (j, weight_y) in interpolated(node[1], to.size[1], periodic[1]) {
            for (i, weight_x) in interpolated(node[0], to.size[0], periodic[0]) {
                if free([i, j]) {
                    entries.push((to.index(node), from.index([i, j]), weight_x * weight_y));
                }
            }
        }
    }
    Csr::from_triplets(fine.matrix.rows(), size[0] * size[1], entries)
}

fn product(a: &Csr, b: &Csr) -> Result<Csr> {
    let mut entries = Vec::new();
    for row in 0..a.rows() {
        let mut sums = BTreeMap::new();
        for (middle, left) in a.row(row) {
            for (column, right) in b.row(middle) {
                *sums.entry(column).or_insert(0.0) += left * right;
            }
        }
        entries.extend(sums.into_iter().map(|(column, sum)| (row, column, sum)));
    }
    Csr::from_triplets(a.rows(), b.columns(), entries)
}

fn scaled(factor: f64, a: &Csr) -> Result<Csr> {
    let entries = a.triplets().map(|(row, column, value)| (row, column, factor * value));
    Csr::from_triplets(a.rows(), a.columns(), entries)
}

/// P A S with |A| for A: Σ |terms| of each entry of that triple product.
///
/// # Errors
/// As [`levels`].
pub fn magnitudes(fine: &Csr, s: &Csr) -> Result<Csr> {
    let entries = fine.triplets().map(|(row, column, value)| (row, column, value.abs()));
    let fine = Csr::from_triplets(fine.rows(), fine.columns(), entries)?;
    scaled(0.25, &product(&s.transpose(), &product(&fine, s)?)?)
}

/// How a cycle smooths: ω of damped Jacobi, sweeps before and after the correction, and visits of the coarser level.
#[derive(Clone, Copy, Debug)]
pub struct Sweeps {
    /// ω.
    pub damping: f64,
    /// Sweeps before.
    pub before: u32,
    /// Sweeps after.
    pub after: u32,
    /// 1 for a V-cycle, 2 for a W-cycle.
    pub visits: u32,
}

/// One cycle on x, from that level down: the paper's listing.
pub fn cycle(levels: &[Level], sweeps: Sweeps, b: &[f64], x: &mut [f64]) {
    let Some((fine, coarser)) = levels.split_first() else { return };
    let Some(s) = coarser.first().and_then(|level| level.interpolation.as_ref()) else {
        // Further than what the levels above leave of b's sum would be no use to a singular matrix.
        x.copy_from_slice(&cg(&fine.matrix, b, None, 1e-6, 100).x);
        return;
    };
    (0..sweeps.before).for_each(|_| relax(&fine.matrix, sweeps.damping, b, x));
    let rest = residual(&fine.matrix, b, x);
    let sums: Vec<f64> = s.multiply_transposed(&rest).iter().map(|sum| 0.25 * sum).collect();
    let mut correction = vec![0.0; sums.len()];
    (0..sweeps.visits).for_each(|_| cycle(coarser, sweeps, &sums, &mut correction));
    x.iter_mut().zip(s.multiply(&correction)).for_each(|(x, e)| *x += e);
    (0..sweeps.after).for_each(|_| relax(&fine.matrix, sweeps.damping, b, x));
}

/// b − A x.
pub fn residual(a: &Csr, b: &[f64], x: &[f64]) -> Vec<f64> {
    b.iter().zip(a.multiply(x)).map(|(b, product)| b - product).collect()
}

/// x + ω d⁻¹ (b − A x) with d = max(|aᵢᵢ|, ½ Σⱼ |aᵢⱼ|) in the sign of aᵢᵢ; x where aᵢᵢ = 0.
pub fn relax(a: &Csr, damping: f64, b: &[f64], x: &mut [f64]) {
    let rest = residual(a, b, x);
    for (row, x) in x.iter_mut().enumerate() {
        let (own, sum) = (a.entry(row, row), a.row(row).map(|entry| entry.1.abs()).sum::<f64>());
        if own != 0.0 {
            *x += damping * rest[row] / (own.abs().max(0.5 * sum) * own.signum());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille::numeric::Random;

    const SWEEPS: Sweeps = Sweeps { damping: 0.8, before: 2, after: 2, visits: 1 };

    fn largest_growth(boundary: BoundaryCondition, size: [usize; 2]) -> Result<f64> {
        let matrix = helmholtz(size[0], size[1], boundary, 0.0)?;
        let missing = if boundary == BoundaryCondition::Dirichlet { Missing::Fixed } else { Missing::Absent };
        let u: Vec<f64> = Random(1).floats(matrix.rows()).into_iter().map(f64::from).collect();
        let b = matrix.multiply(&u);
        let levels = levels(matrix, size, [boundary == BoundaryCondition::Periodic; 2], missing, 3)?;
        let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
        let (mut x, mut last, mut worst) = (vec![0.0; b.len()], norm(&b), 0.0f64);
        for _ in 0..8 {
            cycle(&levels, SWEEPS, &b, &mut x);
            let next = norm(&residual(&levels[0].matrix, &b, &x));
            (last, worst) = (next, worst.max(next / last));
        }
        Ok(worst)
    }

    /// Four sweeps of ω = 0.8 leave 0.6⁴ = 1/7.7 of what is rough; the rest is the coarse level's.
    #[test]
    fn a_cycle_leaves_an_eighth_at_every_size() -> Result<()> {
        for boundary in
            [BoundaryCondition::Dirichlet, BoundaryCondition::Neumann, BoundaryCondition::Periodic]
        {
            for size in [[17, 17], [33, 33], [32, 32], [23, 50]] {
                if boundary == BoundaryCondition::Periodic && size.iter().any(|side| side % 2 == 1) {
                    continue;
                }
                let growth = largest_growth(boundary, size)?;
                assert!(growth <= 1.0 / 7.5, "{boundary:?} {size:?}: {growth}");
            }
        }
        Ok(())
    }

    #[test]
    fn interpolation_keeps_constants_everywhere() -> Result<()> {
        for periodic in [false, true] {
            for size in [[2, 1], [2, 5], [7, 8], [12, 3]] {
                let boundary =
                    if periodic { BoundaryCondition::Periodic } else { BoundaryCondition::Neumann };
                let matrix = helmholtz(size[0], size[1], boundary, 1.0)?;
                let levels = levels(matrix, size, [periodic; 2], Missing::Absent, 1)?;
                for s in levels.iter().filter_map(|level| level.interpolation.as_ref()) {
                    assert_eq!(s.multiply(&vec![1.0; s.columns()]), vec![1.0; s.rows()], "{size:?}");
                }
            }
        }
        Ok(())
    }
}
