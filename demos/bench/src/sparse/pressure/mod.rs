//! The pressure projection of a million voxels: products, solvers, and the table of Batty et al. with Appendix C
//! (rows D6 to D8).
//!
//! ```text
//! water        the box that all of them work on
//! products     A x by one texture to seven, in floats and half floats, and in the paper's own layout
//! solvers      whole solves: preconditioners, scalars on either side, sums near and far, from the last pressure
//! on_cpu       the same system on one thread of the CPU: the diagonal, and incomplete Cholesky
//! series       51 solves in a row, each from the one before
//! operations   time and count of each operation, as the paper's table has them
//! blame        where skewed addresses break down, and what a read-back is blamed for
//! ```

mod blame;
mod on_cpu;
mod operations;
mod products;
mod series;
mod solvers;
mod water;

use super::super::row::Rows;

/// Voxels a side, as in the paper about a million.
const SIDE: u32 = 100;

pub fn rows(divisor: u32) -> Rows {
    let side = (SIDE / divisor).max(4);
    let mut whole = solvers::rows(side);
    whole.extend(series::single(side));
    vec![products::rows(side), whole, series::rows(side), operations::rows(side), blame::rows(side)]
}
