//! A step against what must hold of it.

use anyhow::{Result, bail};
use quadrille::linalg::Vector;
use quadrille::sim::fluid::{Divergence, Fluid, Kind, Pressure};

use super::Vessel;
use super::findings::divergence;
use super::state::{self, PLANES};
use crate::demo::Measure;
use crate::files::Array;

/// Of the dye, with the correction.
const LOST: f64 = 1e-3;

/// What 32 bits leave of a divergence, in roundings of the largest difference of velocities across a cell.
const ROUNDINGS: f64 = 64.0;

/// That velocities are numbers, what the projection left, and what is lost of the dye, where it is kept.
pub fn step(vessel: &Vessel, before: &Array) -> Result<Vec<Measure>> {
    let fluid = vessel.fluid.borrow();
    let velocity = fluid.velocity().data()?;
    let wild = velocity.iter().filter(|number| !number.is_finite()).count();
    // Whole numbers: none is allowed.
    let mut measures =
        vec![Measure { name: "count of velocities not finite", error: wild as f64, bound: 0.5 }];
    let fastest = velocity.iter().fold(0.0f64, |most, &v| most.max(f64::from(v).abs()));
    measures.extend(projection(vessel, &fluid, before, fastest)?);
    if fluid.parameters().keep_mass
        && let Some(lost) = vessel.account.lost(&fluid)?
    {
        measures.push(Measure { name: "dye lost", error: lost.left.abs(), bound: LOST });
    }
    Ok(measures)
}

/// What the projection left of the divergence, on the grid that can do without any, else of its equations: as a part of what
/// it found.
fn projection(vessel: &Vessel, fluid: &Fluid, state: &Array, fastest: f64) -> Result<Option<Measure>> {
    let (grid, p) = (fluid.grid(), fluid.parameters());
    let Some(Divergence { before, after, .. }) = divergence(vessel)? else { return Ok(None) };
    let least = ROUNDINGS * 2f64.powi(-24) * fastest / f64::from(grid.spacing);
    let nodes = grid.nodes().map(f64::from);
    let bound = match p.pressure {
        // A V(4,2)-cycle leaves a tenth in the mean over all cells; the largest of them is allowed three times that.
        Pressure::Multigrid { cycles, .. } => 0.3f64.powi(cycles.min(3) as i32),
        // No number is larger than the norm of all of them.
        Pressure::Cg { tolerance } => f64::from(tolerance) * (nodes[0] * nodes[1]).sqrt(),
        Pressure::Jacobi { .. } => return sweeps(fluid, state, fastest).map(Some),
    };
    let (name, after) = match grid.kind {
        Kind::Staggered => ("divergence left, after / before", after),
        Kind::Collocated => ("residual left of the pressure", residual(fluid)? / f64::from(grid.spacing)),
    };
    Ok(Some(Measure { name, error: (after - least).max(0.0) / before.max(least), bound }))
}

/// What sweeps left of the residual b - A q, in the sum over all: r' = (I - w A/D) r, whose columns sum to 1 at most, so it does not
/// grow. The divergence may, as sweeps begin from the last pressure.
fn sweeps(fluid: &Fluid, before: &Array, fastest: f64) -> Result<Measure> {
    let projector = fluid.projector();
    let mut first = projector.right().try_clone()?;
    first.set(&state::unknown(fluid, &before.values))?;
    let sum = |q: &Vector| -> Result<f64> {
        let mut out = projector.right().try_clone()?;
        projector.matrix().residual(q, projector.right(), &mut out)?;
        Ok(out.get()?.iter().map(|&left| f64::from(left).abs()).sum())
    };
    let (begun, left) = (sum(&first)?, sum(projector.unknown())?);
    let nodes: f64 = fluid.grid().nodes().map(f64::from).iter().product();
    let least = ROUNDINGS * 2f64.powi(-24) * fastest * nodes;
    let error = (left - least).max(0.0) / begun.max(least);
    Ok(Measure { name: "residual left by the sweeps", error, bound: 1.0 })
}

/// The largest number of b - A q, of the last projection.
fn residual(fluid: &Fluid) -> Result<f64> {
    let projector = fluid.projector();
    let (right, unknown) = (projector.right(), projector.unknown());
    let mut out = right.algebra().zeros(right.layout())?;
    projector.matrix().residual(unknown, right, &mut out)?;
    Ok(out.get()?.iter().fold(0.0, |most, &left| most.max(f64::from(left).abs())))
}

/// Whether that is of numbers. The largest is none where any is.
pub fn is_finite(found: &Divergence) -> bool {
    found.before.is_finite() && found.after.is_finite()
}

/// That velocities are numbers, by the largest difference of theirs: what is read back are two of them.
///
/// # Errors
/// What to do so that they are.
pub fn sound(vessel: &Vessel) -> Result<()> {
    match divergence(vessel)? {
        Some(found) if !is_finite(&found) => {
            let fluid = vessel.fluid.borrow();
            let (steps, time_step) = (fluid.steps(), fluid.parameters().time_step);
            bail!(
                "after {steps} steps the velocity is no longer finite numbers; a --time-step below {time_step} may keep it so"
            )
        }
        _ => Ok(()),
    }
}

/// Says so where fluid passes through more than the whole box in a step: then nothing of it stays, and what moves is lost.
pub fn too_far(vessel: &Vessel, state: &Array) -> Option<String> {
    let fluid = vessel.fluid.borrow();
    let (grid, p) = (fluid.grid(), fluid.parameters());
    let plane = state.width * state.height / PLANES;
    let largest = |values: &[f32]| values.iter().fold(0.0f32, |most, v| most.max(v.abs()));
    let first = vessel.loaded.as_ref().map_or(0.0, |(values, _)| largest(&values[..2 * plane]));
    let fastest = largest(&state.values[..2 * plane]).max(first);
    let pull = p.buoyancy.into_iter().fold(0.0f32, |most, b| most.max(b.abs()));
    let hottest = largest(&state.values[5 * plane..6 * plane]);
    let cells = (fastest + pull * hottest * p.time_step) * p.time_step / grid.spacing;
    let [width, height] = grid.cells;
    let usual = vessel.setup.usual_time_step;
    (cells > width.max(height) as f32).then(|| {
        format!(
            "in a step fluid would move {cells:.1e} cells of a box of {width}x{height}, and is lost: \
             --time-step is {}, that of the scene {usual}",
            p.time_step
        )
    })
}
