//! `quadrille bench fluids`: what Bolz et al. measured of multigrid and of a fluid, measured again (rows E8 to E11).
//!
//! ```text
//! products   A x on nine points, packed 2×2 and in the paper's quadrants; what small grids cost
//! transfers  prolongation and restriction between two levels; layering and un-layering
//! cycles     V-cycles from each level down, beside their passes by hand
//! coarsest   a V-cycle whose levels end at more nodes or fewer
//! poisson    the same system by cycles, by conjugate gradients, and by both
//! steps      a fluid's step, alone and with a million particles
//! ```

mod coarsest;
mod cycles;
mod poisson;
mod products;
mod steps;
mod transfers;

use super::row::Measured;
use super::row::Rows;

pub fn all() -> Rows {
    sized(1)
}

/// All rows, each side of a grid divided by so much: tests need not be large.
pub fn sized(divisor: u32) -> Rows {
    let rows = [
        products::rows(divisor),
        transfers::rows(divisor),
        cycles::rows(divisor),
        coarsest::rows(divisor),
        poisson::rows(divisor),
        steps::rows(divisor),
    ];
    rows.into_iter().flatten().collect()
}

/// The closing lines that follow from the rows.
pub fn closing(rows: &[Measured]) -> Vec<String> {
    let lines = products::penalties(rows).into_iter().chain(cycles::levels(rows));
    lines.chain(coarsest::best(rows)).collect()
}

/// Nodes a side: a power of two and one.
fn nodes(intervals: u32, divisor: u32) -> u32 {
    (intervals / divisor).max(4) + 1
}

/// "257x257 nodes".
fn size(side: u32) -> String {
    format!("{side}x{side} nodes")
}
