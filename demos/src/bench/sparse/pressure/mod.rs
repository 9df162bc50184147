//! The pressure projection of a million voxels: products, solvers, and the table of Batty et al. with Appendix C
//! (rows D6 to D8).
//!
//! ```text
//! water        the box that all of them work on
//! products     A x by one texture to seven, in floats and half floats, and in the paper's own layout
//! solvers      whole solves: preconditioners, scalars on either side, sums near and far, from the last pressure
//! operations   time and count of each operation, as the paper's table has them
//! ```

mod operations;
mod products;
mod solvers;
mod water;

use super::super::row::Rows;

/// Voxels a side, as in the paper about a million.
const SIDE: u32 = 100;

pub fn rows(divisor: u32) -> Rows {
    let side = (SIDE / divisor).max(4);
    vec![products::rows(side), solvers::rows(side), operations::rows(side)]
}
