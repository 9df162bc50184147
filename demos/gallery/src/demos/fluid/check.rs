//! A step against what must hold of it.

use anyhow::{Result, bail};
use quadrille::linalg::LinearOperator;
use quadrille::sim::fluid::{Divergence, Fluid, Kind, Pressure};

use super::FluidDemo;
use super::findings::divergence;
use super::state::{self, PLANES};
use crate::demo::Measure;
use crate::state::Array;

/// The share of the dye that may be lost with the correction.
const LOST: f64 = 1e-3;

/// The outflow of a cell that 32 bits cannot remove, in roundings of the largest velocity or pressure.
const ROUNDINGS: f64 = 64.0;

/// Measures that velocities are numbers, what the projection left, and what is lost of the dye, where it is kept.
pub fn step(demo: &FluidDemo, before: &Array) -> Result<Vec<Measure>> {
    let fluid = demo.fluid.borrow();
    let velocity = fluid.velocity().data()?;
    let wild = velocity.iter().filter(|number| !number.is_finite()).count();
    // Whole numbers: none is allowed.
    let mut measures =
        vec![Measure { name: "count of velocities not finite", error: wild as f64, bound: 0.5 }];
    let fastest = velocity.iter().fold(0.0f64, |most, &v| most.max(f64::from(v).abs()));
    measures.extend(projection(&fluid, before, fastest)?);
    if fluid.parameters().keep_mass
        && let Some(lost) = demo.dye.lost(&fluid)?
    {
        measures.push(Measure { name: "dye lost", error: lost.left.abs(), bound: LOST });
    }
    Ok(measures)
}

/// Measures what the projection left of the divergence, on the grid that can do without any, else of its equations b - A q: in the mean over
/// all cells, in f64, of what it began with. That is b for gradients, which end by it, and for cycles what the last
/// pressure left of it.
fn projection(fluid: &Fluid, state: &Array, fastest: f64) -> Result<Option<Measure>> {
    if fluid.steps() == 0 {
        return Ok(None);
    }
    let (projector, q) = (fluid.projector(), fluid.projector().unknown().get()?);
    let b = projector.right().get()?;
    let begun = match fluid.parameters().pressure {
        Pressure::Multigrid { .. } => norm(&rest(fluid, &b, &state::unknown(fluid, &state.values))),
        Pressure::Cg { .. } => norm(&rest(fluid, &b, &vec![0.0; b.len()])),
        Pressure::Jacobi { .. } => return sweeps(fluid, state, fastest).map(Some),
    };
    let bound = match fluid.parameters().pressure {
        // Two leave a hundredth, as the tests of the library hold.
        Pressure::Multigrid { cycles, .. } => 0.1f64.powi(cycles as i32),
        Pressure::Cg { tolerance } => tolerance.into(),
        Pressure::Jacobi { .. } => 1.0,
    };
    let (name, left) = match fluid.grid().kind {
        Kind::Staggered => ("divergence left", norm(&outflow(fluid)?)),
        Kind::Collocated => ("residual left of the pressure", norm(&rest(fluid, &b, &q))),
    };
    let largest = q.iter().fold(fastest, |most, &q| most.max(f64::from(q).abs()));
    let least = ROUNDINGS * 2f64.powi(-24) * largest * (b.len() as f64).sqrt();
    Ok(Some(Measure { name, error: (left - least).max(0.0) / begun.max(least), bound }))
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// b - A q in f64.
fn rest(fluid: &Fluid, b: &[f32], q: &[f32]) -> Vec<f64> {
    let q: Vec<f64> = q.iter().map(|&q| q.into()).collect();
    let product = fluid.projector().matrix().multiply(&q);
    b.iter().zip(product).map(|(&b, aq)| f64::from(b) - aq).collect()
}

/// The outflow of each cell of a staggered grid, in f64: its divergence times the spacing.
fn outflow(fluid: &Fluid) -> Result<Vec<f64>> {
    let (grid, velocity) = (fluid.grid(), fluid.velocity().data()?);
    let ([width, height], [columns, rows]) = (grid.nodes(), grid.cells);
    let at = |i: u32, j: u32, axis: usize| {
        f64::from(velocity[2 * ((j % height) as usize * width as usize + (i % width) as usize) + axis])
    };
    let cells = (0..rows).flat_map(|j| (0..columns).map(move |i| (i, j)));
    Ok(cells.map(|(i, j)| (at(i + 1, j, 0) - at(i, j, 0)) + (at(i, j + 1, 1) - at(i, j, 1))).collect())
}

/// Measures what sweeps left of the residual b - A q, in the sum over all: r' = (I - w A/D) r, whose columns sum to 1 at most, so it does not
/// grow. The divergence may, as sweeps begin from the last pressure.
fn sweeps(fluid: &Fluid, before: &Array, fastest: f64) -> Result<Measure> {
    let (projector, b) = (fluid.projector(), fluid.projector().right().get()?);
    let sum = |q: &[f32]| -> f64 { rest(fluid, &b, q).iter().map(|left| left.abs()).sum() };
    let (begun, left) = (sum(&state::unknown(fluid, &before.values)), sum(&projector.unknown().get()?));
    let nodes: f64 = fluid.grid().nodes().map(f64::from).iter().product();
    let least = ROUNDINGS * 2f64.powi(-24) * fastest * nodes;
    let error = (left - least).max(0.0) / begun.max(least);
    Ok(Measure { name: "residual left by the sweeps", error, bound: 1.0 })
}

/// Returns true if that is of numbers. The largest is none where any is.
pub fn is_finite(found: &Divergence) -> bool {
    found.before.is_finite() && found.after.is_finite()
}

/// Confirms that velocities are numbers, by the largest difference of theirs: what is read back are two of them.
///
/// # Errors
/// Confirms that velocities are finite, or says what to do so that they are.
pub fn sound(demo: &FluidDemo) -> Result<()> {
    match divergence(demo)? {
        Some(found) if !is_finite(&found) => {
            let fluid = demo.fluid.borrow();
            let (steps, time_step) = (fluid.steps(), fluid.parameters().time_step);
            bail!(
                "after {steps} steps the velocity is no longer finite numbers; a --time-step below {time_step} may keep it so"
            )
        }
        _ => Ok(()),
    }
}

/// Says so where fluid passes through more than the whole box in a step: then nothing of it stays, and what moves is lost.
pub fn too_far(demo: &FluidDemo, state: &Array) -> Option<String> {
    let fluid = demo.fluid.borrow();
    let (grid, p) = (fluid.grid(), fluid.parameters());
    let plane = state.width * state.height / PLANES;
    let largest = |values: &[f32]| values.iter().fold(0.0f32, |most, v| most.max(v.abs()));
    let first = demo.loaded.as_ref().map_or(0.0, |(values, _)| largest(&values[..2 * plane]));
    let fastest = largest(&state.values[..2 * plane]).max(first);
    let pull = p.buoyancy.into_iter().fold(0.0f32, |most, b| most.max(b.abs()));
    let hottest = largest(&state.values[5 * plane..6 * plane]);
    let cells = (fastest + pull * hottest * p.time_step) * p.time_step / grid.spacing;
    let [width, height] = grid.cells;
    let usual = demo.setup.usual.time_step;
    (cells > width.max(height) as f32).then(|| {
        format!(
            "in a step fluid would move {cells:.1e} cells of a box of {width}x{height}, and is lost: \
             --time-step is {}, that of the scene {usual}",
            p.time_step
        )
    })
}
