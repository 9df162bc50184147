//! `quadrille bench sparse`: the same sparse matrices in every storage that fits; the rates of Bolz et al.; rectangles of
//! rows; the pressure of a million voxels.
//!
//! ```text
//! samples      the matrices
//! products     each of them in each storage that fits
//! rates        products, conjugate gradients and sums as the paper counts them, by the second
//! flow         a smoothing step, and three coordinates solved at once beside three solves
//! rectangles   time against the area and the width of a rectangle, the paper's Figure 3
//! pressure     a voxel box: products, solvers, and the table of Batty et al.
//! ```

mod flow;
mod pressure;
mod products;
mod rates;
mod rectangles;
mod samples;
mod segments;

pub use samples::{Kind, Sample};

use super::row::Rows;

pub fn all() -> Rows {
    sized(1)
}

/// All rows, each side of a grid divided by so much: tests need not be large.
pub fn sized(divisor: u32) -> Rows {
    let mut groups = products::rows(divisor);
    groups.extend(rates::rows(divisor));
    groups.extend(flow::rows(divisor));
    groups.extend(rectangles::rows(divisor));
    groups.extend(pressure::rows(divisor));
    groups
}
