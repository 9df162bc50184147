//! Chapter 31 at work: bodies, branches, histograms, sums and sorting.

mod arrays;
mod flow;
mod heat;
mod nbody;

use super::row::Rows;

/// All of them; those of a group take turns.
pub fn all() -> Rows {
    sized(1)
}

/// All rows, each size divided by so much: tests need not be large.
pub fn sized(divisor: u32) -> Rows {
    let rows = [flow::rows(divisor), heat::rows(divisor), nbody::rows(divisor), arrays::rows(divisor)];
    rows.into_iter().flatten().collect()
}
