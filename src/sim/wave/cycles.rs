//! The system of an implicit step of large β in open water, by multigrid: its cycles do not grow in number with β.
//!
//! A cycle is two Chebyshev steps on the upper part of the interval of eigenvalues, the correction of coarser levels, and two such steps again. On
//! the finest level all passes but the correction's are those of the stencil, which fetches no coefficients. Coarser levels are nine-point
//! matrices P A S, swept by Jacobi's method twice before and twice after; α falls by four on each, and the last is nearly diagonal.
//!
//! A cycle multiplies a residual by I − A M. Norms of its powers, by iteration in f64 with sides of 61 to 128, both edges and β = 50 to 5000: at most
//! 0.16, 0.016, 0.0017 and 1.9·10⁻⁴, so that [`REDUCTION`] a cycle is safe from the second on. With walls of one cell between coarse nodes a cycle
//! leaves 0.4 to 0.9 of the residual: such water is left to Chebyshev's steps, whose bound holds with any walls.

use super::matrix;
use crate::Result;
use crate::linalg::{Algebra, BoundaryCondition, LinearOperator, NinePoint, Op, Packed2x2, Vector, entry_of};
use crate::solve::{Chebyshev, Coarsest, Cycle, Missing, Multigrid};

/// The factor by which a cycle divides a residual, of several cycles.
const REDUCTION: f64 = 7.5;

/// The part of the interval of eigenvalues that the finest level's steps leave to coarser ones.
const SMOOTH: f64 = 0.3;

/// The α below which a level is nearly diagonal.
const DIAGONAL: f64 = 0.5;

/// By how much a residual may grow in two steps: all cycles begin from 0, and waves change their lengths slowly.
const MARGIN: f64 = 1.25;

/// The shortest side on which norms of cycles were found.
const SHORTEST: u32 = 32;

/// Fetches that take as long as a pass without any, and as long as writing a texel: 3.5 µs and 1/3.5 ns, 25 of them a nanosecond (NVIDIA H200).
const PASS: f64 = 9e4;
const WRITE: f64 = 7.0;

/// Cycles of 1 − αL.
pub(super) struct Cycles {
    sweeps: Chebyshev,
    /// −(1 − αL).
    negative: Box<dyn LinearOperator>,
    levels: Multigrid,
}

impl Cycles {
    /// The cycles of that system, where as many as meet the tolerance cost less than Chebyshev's `steps`.
    pub fn where_they_pay(
        algebra: &Algebra,
        grid: Packed2x2,
        edges: BoundaryCondition,
        (beta, tolerance): (f32, f64),
        steps: usize,
    ) -> Result<Option<Cycles>> {
        let levels = levels_of(f64::from(beta) / 2.0);
        if !pay(grid, levels, cycles_for(tolerance), steps) {
            return Ok(None);
        }
        let high = 1.0 + 4.0 * f64::from(beta);
        let a = nine_point(algebra, grid, edges, beta / 2.0)?;
        let coarsest = Coarsest::Smoothed { levels };
        Ok(Some(Cycles {
            sweeps: Chebyshev::new([SMOOTH * high, high])?,
            negative: matrix(algebra, grid, edges, None, -1.0, beta / 2.0)?,
            levels: Multigrid::with(&a, Missing::Absent, Cycle::default(), coarsest)?,
        }))
    }

    /// Sets x to the result of so many cycles from 0, the first step of which multiplies b by a number.
    pub fn solve(&self, a: &dyn LinearOperator, b: &Vector, x: &mut Vector, cycles: usize) -> Result<()> {
        let mut r = Vector::uninitialised(x.algebra(), x.layout())?;
        for cycle in 0..cycles {
            let _scope = x.algebra().gpu().scope("cycle");
            match cycle {
                0 => self.sweeps.solve_from_zero(a, b, x, 2)?,
                _ => self.sweeps.improve(a, b, x, 2)?,
            }
            self.negative.apply(Op::Add(b), x, &mut r)?;
            self.levels.correct(&r, x)?;
            self.sweeps.improve(a, b, x, 2)?;
        }
        Ok(())
    }
}

/// Cycles that meet the tolerance from 0, whatever the right side is.
pub(super) fn cycles_for(tolerance: f64) -> usize {
    ((1.0 / tolerance).ln() / REDUCTION.ln()).ceil().max(2.0) as usize
}

/// Cycles that meet the tolerance where so many have left a residual two steps before.
///
/// A cycle is a symmetric matrix but for the norm, so residuals after 0, 1, 2, ... cycles are convex in their logarithms: k cycles that leave ρ
/// have left ρ^(j/k) at most after j of them.
pub(super) fn cycles_after(cycles: usize, residual: f64, tolerance: f64) -> i64 {
    (cycles as f64 * (tolerance / MARGIN).ln() / residual.max(1e-30).ln()).ceil() as i64
}

/// Levels down to one that is nearly diagonal.
fn levels_of(alpha: f64) -> usize {
    1 + (alpha / DIAGONAL).log(4.0).ceil().max(1.0) as usize
}

/// True if so many cycles cost less than so many steps.
fn pay(grid: Packed2x2, levels: usize, cycles: usize, steps: usize) -> bool {
    let (of_cycles, of_steps) = (cycles as f64 * cycle_cost(grid, levels), steps as f64 * step_cost(grid));
    grid.width().min(grid.height()) >= SHORTEST && of_cycles < of_steps
}

fn texels(grid: Packed2x2) -> f64 {
    let (width, height) = grid.texels();
    f64::from(width) * f64::from(height)
}

/// A step of Chebyshev's in fetches: seven of them a texel, or its writing.
fn step_cost(grid: Packed2x2) -> f64 {
    PASS + WRITE * texels(grid)
}

/// A cycle in fetches. On the finest level: four steps, a residual, and what leads down (10 fetches and two writes a coarse texel) and up (a write); on
/// those between, three sweeps and a residual of 20 fetches and the same ways; on the last, three sweeps besides the one on the way down.
fn cycle_cost(grid: Packed2x2, levels: usize) -> f64 {
    let of = |level: usize| texels(grid) / 4f64.powi(level as i32);
    let ways = 2.0 * WRITE / 4.0 + WRITE;
    let between = (1..levels - 1).map(|level| 6.0 * PASS + (80.0 + ways) * of(level)).sum::<f64>();
    7.0 * PASS + (5.0 * WRITE + ways) * of(0) + between + 3.0 * PASS + 60.0 * of(levels - 1)
}

/// 1 − αL by its entries, from which coarser levels are composed.
fn nine_point(algebra: &Algebra, grid: Packed2x2, edges: BoundaryCondition, alpha: f32) -> Result<NinePoint> {
    let (width, height) = (grid.width(), grid.height());
    let ends = |at: u32, side: u32| u32::from(at == 0) + u32::from(at + 1 == side);
    let own = |i: u32| {
        let beyond = match edges {
            BoundaryCondition::Neumann => ends(i % width, width) + ends(i / width, height),
            BoundaryCondition::Dirichlet | BoundaryCondition::Periodic => 0,
        };
        1.0 + alpha * (4 - beyond) as f32
    };
    let mut entries = [const { None }; 9];
    for way in super::NEIGHBOURS {
        entries[entry_of(way)] = Some(algebra.vector(grid, &vec![-alpha; grid.len()])?);
    }
    entries[entry_of((0, 0))] =
        Some(algebra.vector(grid, &(0..width * height).map(own).collect::<Vec<_>>())?);
    NinePoint::new(algebra, grid, [false; 2], entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_taken_where_beta_is_large_for_the_grid() -> Result<()> {
        // The least of these β at which cycles pay to 10⁻⁴, and to 10⁻⁶.
        let betas = [10.0, 20.0, 35.0, 50.0, 75.0, 100.0, 150.0, 200.0, 400.0, 1000.0, 1e4];
        let least = |width, height, tolerance: f64| -> Result<Option<f64>> {
            let grid = Packed2x2::grid(width, height)?;
            let pays = |beta: f64| {
                let steps = Chebyshev::new([1.0, 1.0 + 4.0 * beta])?.steps_for(1.0 / tolerance);
                Ok(pay(grid, levels_of(beta / 2.0), cycles_for(tolerance), steps))
            };
            let pays: Result<Vec<bool>> = betas.into_iter().map(pays).collect();
            Ok(pays?.into_iter().zip(betas).find(|(pays, _)| *pays).map(|(_, beta)| beta))
        };
        for (width, height, rough, fine) in LEAST {
            assert_eq!(
                (least(width, height, 1e-4)?, least(width, height, 1e-6)?),
                (rough, fine),
                "{width}x{height}"
            );
        }
        Ok(())
    }

    const LEAST: [(u32, u32, Option<f64>, Option<f64>); 5] = [
        (31, 4096, None, None),
        (64, 64, Some(200.0), Some(200.0)),
        (256, 256, Some(100.0), Some(100.0)),
        (512, 512, Some(50.0), Some(50.0)),
        (1024, 1024, Some(35.0), Some(35.0)),
    ];

    #[test]
    fn later_cycles_follow_from_what_earlier_ones_left() {
        // Measured of rain at β = 100: 3.1e-6 after 5 cycles, 3.7e-5 after 4, 4.4e-4 after 3.
        assert_eq!(cycles_after(5, 3.1e-6, 1e-4), 4);
        assert_eq!(cycles_after(4, 3.7e-5, 1e-4), 4);
        assert_eq!(cycles_after(3, 4.4e-4, 1e-4), 4);
        assert_eq!(cycles_after(5, 1e-5, 1e-4), 5);
        assert_eq!((cycles_for(1e-4), cycles_for(1e-6), cycles_for(0.1)), (5, 7, 2));
    }
}
