//! `quadrille bench dense`: Figure 3 of Moravánszky's article, multiply by 1, 2, 4 and 8 render targets, and the wall.

mod figure3;
mod iterations;
mod multiply;
pub mod on_cpu;
mod wall;

use super::row::Rows;

pub fn all() -> Rows {
    sized(1)
}

/// All rows, each side of a matrix divided by so much: tests need not be large.
pub fn sized(divisor: u32) -> Rows {
    let mut groups = figure3::rows(divisor);
    groups.extend(iterations::rows(divisor));
    groups.extend(multiply::rows(divisor));
    groups.extend(wall::rows());
    groups
}
