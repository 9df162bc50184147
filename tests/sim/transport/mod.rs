//! Advection by a velocity: fields on both grids, their totals, and particles.

mod fields;
mod orders;
mod particles;
mod ripples;
mod solids;
mod totals;

use quadrille::numeric::Random;
use quadrille::sim::fluid::{Advection, Grid, Kind, Transport};
use quadrille::{Buffer, Gpu, Result};
use quadrille_oracle::fluid::transport::{Flow, Lattice};

/// Half of the distance between 1 and the next number.
const U: f64 = 1.0 / (1u64 << 24) as f64;

/// Boxes of one row, of one column, of one cell, and with sides that are prime, odd and even.
const CELLS: [[u32; 2]; 6] = [[1, 1], [1, 9], [8, 1], [7, 13], [16, 5], [31, 29]];

/// Cells that a velocity of 1 crosses.
const WAYS: [f32; 4] = [0.0, 0.5, 1.0, 7.3];

/// All kinds of grids of so many cells.
fn grids(cells: [u32; 2]) -> impl Iterator<Item = Grid> {
    let around = [[false, false], [true, false], [false, true], [true, true]];
    let of = move |kind| around.map(|periodic| Grid { kind, cells, spacing: 0.5, periodic });
    Kind::ALL.into_iter().flat_map(of)
}

fn texels([width, height]: [u32; 2]) -> usize {
    width as usize * height as usize
}

fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&v| v.into()).collect()
}

fn pairs(values: &[f32]) -> Vec<[f64; 2]> {
    values.as_chunks::<2>().0.iter().map(|pair| pair.map(f64::from)).collect()
}

fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |most: f64, v| if v.is_nan() { f64::INFINITY } else { most.max(v.abs()) })
}

/// Random numbers from -1 to 1, and buffers of them.
fn random_velocity(gpu: &Gpu, grid: &Grid, seed: u64) -> Result<(Vec<f32>, Buffer)> {
    let values = Random(seed).floats(2 * texels(grid.nodes()));
    let buffer = grid.velocity(gpu).init(&values)?;
    Ok((values, buffer))
}

fn random_solids(gpu: &Gpu, grid: &Grid, one_in: usize) -> Result<(Vec<bool>, Buffer)> {
    let mut random = Random(5);
    let solids: Vec<bool> = (0..texels(grid.centres())).map(|_| random.below(one_in) == 0).collect();
    let values: Vec<f32> = solids.iter().map(|&solid| f32::from(u8::from(solid))).collect();
    let buffer = grid.scalar(gpu, 1).init(&values)?;
    Ok((solids, buffer))
}

fn flow<'a>(grid: &Grid, velocity: &'a [[f64; 2]], solids: Option<&'a [bool]>) -> Flow<'a> {
    let staggered = grid.kind == Kind::Staggered;
    Flow { cells: grid.cells.map(|n| n as usize), staggered, periodic: grid.periodic, velocity, solids }
}

/// How wrong a number among numbers up to 1 may be that was fetched at the end of a way of up to d cells in a box of n.
///
/// A way is a mean of four numbers times another: 5 roundings of d, and one of 1 that takes away its whole cells. A bilinear
/// value varies by 2 a cell along each axis, and has three mixtures, each of a difference, a product and a sum, 15 roundings of
/// one in all. The weights of open elements sum to a half at least, for a way ends half a cell from the middle of a solid:
/// dividing by them, and the mean of what is left, make twice that and as much again.
///
/// MacCormack has as much of the first fetch, and half as much twice for the way back; and weighs at most 1 by how far an end
/// is from the side of the box, a rounding of n and 7 of d.
fn bound(n: f64, d: f64, advection: Advection, solids: bool) -> f64 {
    let fetch = U * (4.0 * (5.0 * d + 1.0) + 15.0) * if solids { 4.0 } else { 1.0 };
    match advection {
        Advection::SemiLagrangian => fetch,
        Advection::MacCormack => 2.0 * fetch + U * (n + 7.0 * d + 4.0),
    }
}

/// Moves a random velocity and random scalars on the GPU and in f64.
fn check_moved(gpu: &Gpu, grid: Grid, way: f32, advection: Advection, one_in: Option<usize>) -> Result<()> {
    let correct = advection == Advection::MacCormack;
    let what = format!("{grid:?} {way} {advection:?} {one_in:?}");
    let with_solids = one_in.is_some();
    let (values, velocity) = random_velocity(gpu, &grid, 3)?;
    let exact = pairs(&values);
    let (solids, solid_buffer) = random_solids(gpu, &grid, one_in.unwrap_or(1))?;
    let flow = flow(&grid, &exact, with_solids.then_some(&solids[..]));
    let mut transport = Transport::new(gpu, grid)?;
    transport.set_solids(with_solids.then_some(&solid_buffer))?;
    let bound = bound(grid.cells[0].max(grid.cells[1]).into(), way.into(), advection, with_solids);
    let time_step = way * grid.spacing;

    let out = grid.velocity(gpu).build()?;
    transport.velocity(advection, &velocity, time_step, &out)?;
    let found = pairs(&out.data()?);
    let across = grid.nodes()[0] as usize;
    for (axis, lattice) in [Lattice::U, Lattice::V].into_iter().enumerate() {
        let moved = flow.moved(lattice, &flow.component(axis), way.into(), correct);
        let columns = flow.counts(lattice)[0];
        let error = |(n, exact): (usize, &f64)| found[n / columns * across + n % columns][axis] - exact;
        let error = largest(moved.iter().enumerate().map(error));
        assert!(error <= bound, "{what}: velocity {axis} is off by {error:e}, bound {bound:e}");
    }
    check_scalars(gpu, (&mut transport, &velocity), &flow, (way, advection), bound)
}

/// The same of scalars of one component or several, which the size of the box decides.
fn check_scalars(
    gpu: &Gpu,
    (transport, velocity): (&mut Transport, &Buffer),
    flow: &Flow,
    (way, advection): (f32, Advection),
    bound: f64,
) -> Result<()> {
    let grid = transport.grid();
    let components = 1 + (grid.cells[0] + grid.cells[1]) as usize % 4;
    let values = Random(7).floats(components * texels(grid.centres()));
    let field = grid.scalar(gpu, components).init(&values)?;
    let out = grid.scalar(gpu, components).build()?;
    transport.scalar(advection, velocity, way * grid.spacing, &field, &out)?;
    let found = wide(&out.data()?);
    for component in [0, components - 1] {
        let of = |all: &[f64]| -> Vec<f64> { all[component..].iter().step_by(components).copied().collect() };
        let correct = advection == Advection::MacCormack;
        let moved = flow.moved(Lattice::Centre, &of(&wide(&values)), way.into(), correct);
        let error = largest(of(&found).iter().zip(&moved).map(|(f, e)| f - e));
        let what = format!("{grid:?} {way} {advection:?}, {component} of {components}");
        assert!(error <= bound, "{what}: off by {error:e}, bound {bound:e}");
    }
    Ok(())
}
