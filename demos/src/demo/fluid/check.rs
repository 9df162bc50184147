//! A step against what must hold of it.

use anyhow::Result;
use quadrille::sim::fluid::{Divergence, Kind, Pressure};

use super::Vessel;
use super::findings::divergence;
use crate::demo::Measure;

/// Of the dye, with the correction.
const LOST: f64 = 1e-3;

/// What 32 bits leave of a divergence, in roundings of the largest difference of velocities across a cell.
const ROUNDINGS: f64 = 64.0;

/// What the projection left of the divergence, on the grid that can do without any; and what is lost of the dye, where it is kept.
pub fn step(vessel: &Vessel) -> Result<Vec<Measure>> {
    let fluid = vessel.fluid.borrow();
    let (grid, p) = (fluid.grid(), fluid.parameters());
    let mut measures = Vec::new();
    if let (Some(Divergence { before, after, .. }), Kind::Staggered) = (divergence(vessel)?, grid.kind) {
        let fastest = fluid.velocity().data()?.iter().fold(0.0f64, |most, &v| most.max(f64::from(v).abs()));
        let least = ROUNDINGS * 2f64.powi(-24) * fastest / f64::from(grid.spacing);
        let nodes = grid.nodes().map(f64::from);
        let bound = match p.pressure {
            // A V(4,2)-cycle leaves a tenth in the mean over all cells; the largest of them is allowed three times that.
            Pressure::Multigrid { cycles, .. } => 0.3f64.powi(cycles.min(3) as i32),
            // No number is larger than the norm of all of them.
            Pressure::Cg { tolerance } => f64::from(tolerance) * (nodes[0] * nodes[1]).sqrt(),
            Pressure::Jacobi { .. } => 1.0,
        };
        measures.push(Measure {
            name: "divergence left",
            error: (after - least).max(0.0) / before.max(least),
            bound,
        });
    }
    if p.keep_mass
        && let Some(lost) = vessel.account.lost(&fluid)?
    {
        measures.push(Measure { name: "dye lost", error: lost.left.abs(), bound: LOST });
    }
    Ok(measures)
}
