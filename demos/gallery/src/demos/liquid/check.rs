//! A step against what must hold of it.

use anyhow::Result;
use quadrille::linalg::Voxels;
use quadrille::sim::liquid::Smoke;
use quadrille::sim::projection::Cell;
use quadrille_oracle::liquid::{At, Paths};
use quadrille_oracle::voxels::{Cells, Faces};

use super::fluid::Fluid;
use crate::demo::Measure;
use crate::state::{Array, worst};

/// The part that may be missing of a volume that is kept, in voxels for each that the surface runs through: a step that moves it
/// wrongly by a tenth of a voxel is mended by two shifts, each of which leaves half of it at most.
const MISSING: f64 = 0.1 / 4.0;

/// Half of the distance between 1 and the next number.
const U: f64 = 1.0 / (1u64 << 24) as f64;

/// The divergence that the last step left; of water how its volume changed since the start, and of smoke how far its density
/// is from what f64 fetches along the paths of the state `before`.
pub fn step(fluid: &Fluid, before: &Array) -> Result<Vec<Measure>> {
    let parameters = fluid.flow().parameters();
    let Divergence { left, ends } = divergence(fluid)?;
    // Relative to the divergence before, which is the part that the pressure removes and the part that is left.
    let tolerance = f64::from(parameters.projection.tolerance);
    let bound = tolerance / (1.0 - tolerance) + ends;
    let mut measures = vec![Measure { name: "divergence left", error: left, bound }];
    match fluid {
        Fluid::Water(_) if !parameters.keeps_volume => {}
        Fluid::Water(water) => {
            let distance = water.flow().voxels().collect(&water.distance().get()?);
            let skin = distance.iter().filter(|distance| distance.abs() <= 0.5).count() as f64;
            let bound = MISSING * skin / water.volume_at_first() + 24.0 * U;
            let change = fluid.amount()?.1.unwrap_or(f64::NAN);
            measures.push(Measure { name: "volume change", error: change.abs(), bound });
        }
        Fluid::Smoke(smoke, source, _) => measures.push(density(smoke, source, before)?),
    }
    Ok(measures)
}

/// The part that a projection left of ‖∇·u‖, by what its pressure took away.
pub struct Divergence {
    /// The part of it that the velocity still has, in f64.
    pub left: f64,
    /// The part at which 32 bits end: they are not to be asked for less.
    pub ends: f64,
}

/// The divergence that the last step left. Reads back velocity, cells and pressure.
///
/// The six velocities of a cell are rounded twice each, and each iteration rounds the residual by a product of 8 terms and two
/// sums, of what there was at first.
pub fn divergence(fluid: &Fluid) -> Result<Divergence> {
    let flow = fluid.flow();
    let (voxels, projection) = (flow.voxels(), flow.projection());
    let wide = |values: Vec<f32>| -> Vec<f64> { values.into_iter().map(f64::from).collect() };
    let field = |values: Vec<f32>| wide(voxels.collect(&values));
    let kinds: Vec<Cell> = field(projection.kinds().get()?)
        .into_iter()
        .map(|kind| {
            if kind > 1.5 {
                Cell::Fluid
            } else if kind > 0.5 {
                Cell::Air
            } else {
                Cell::Solid
            }
        })
        .collect();
    let distance = match fluid {
        Fluid::Water(water) => Some(field(water.distance().get()?)),
        Fluid::Smoke(..) => None,
    };
    let cells = Cells {
        size: voxels.size().map(|n| n as usize),
        kinds: &kinds,
        distance: distance.as_deref(),
        least_depth: flow.parameters().projection.least_depth.into(),
    };
    let norm = |faces: &Faces| cells.divergence(faces).iter().map(|d| d * d).sum::<f64>().sqrt();
    let velocity = flow.velocity().get()?.map(wide);
    let mut gradient = [0, 1, 2].map(|axis| vec![0.0; velocity[axis].len()]);
    cells.subtract_gradient(&mut gradient, &field(projection.pressure().get()?));
    let before = norm(&gradient);
    let fastest = velocity.iter().flatten().fold(0.0, |most: f64, v| most.max(v.abs()));
    let roundings = 24.0 * U * (kinds.len() as f64).sqrt() * fastest;
    let iterations = flow.outcome().map_or(0, |outcome| outcome.iterations);
    let of_before = |number: f64| if before > 0.0 { number / before } else { 0.0 };
    Ok(Divergence {
        left: of_before(norm(&velocity)),
        ends: of_before(roundings) + 12.0 * U * iterations as f64,
    })
}

/// A value is fetched at the end of a path of D voxels. Its place is off by 4 roundings of a number up to n, by 24 of the
/// velocity that led there, and by what the velocity varies on the way, 2D a voxel along three axes; the value by 2 a voxel.
fn density(smoke: &Smoke, source: &[f32], before: &Array) -> Result<Measure> {
    let flow = smoke.flow();
    let (voxels, size) = (flow.voxels(), flow.voxels().size().map(|n| n as usize));
    let n = size.into_iter().max().unwrap_or(1) as f64;
    let [velocity, old] = [0, 4].map(|first| numbers(voxels, before, first));
    let way = f64::from(flow.times()?[0]) * n / f64::from(flow.parameters().length);
    let fastest = velocity.iter().flatten().fold(0.0, |most: f64, v| most.max(v.abs()));
    let paths = Paths { size, velocity: &velocity, way };
    let cells: Vec<f64> = voxels.all().map(|voxel| old[0][at(faces(voxels, 0), voxel)]).collect();
    let exact = paths.moved(At::Centres, &cells);
    let found = voxels.collect(&smoke.density().get()?);
    let error = found
        .iter()
        .zip(exact.iter().zip(source))
        .map(|(&found, (&exact, &least))| (f64::from(found) - exact.max(least.into())).abs());
    let across = fastest * way;
    let bound = 6.0 * U * (4.0 * n + 24.0 * across) * (1.0 + 6.0 * across) + 24.0 * U;
    Ok(Measure { name: "density error", error: worst(error), bound })
}

/// Three numbers of each element from `first` on, each with the size of the faces across its axis.
fn numbers(voxels: Voxels, state: &Array, first: usize) -> [Vec<f64>; 3] {
    let [nx, ny, _] = voxels.size().map(|n| n as usize + 1);
    [0, 1, 2].map(|axis| {
        let [fx, fy, fz] = faces(voxels, axis);
        let all =
            (0..fz).flat_map(|k| (0..fy).flat_map(move |j| (0..fx).map(move |i| (k * ny + j) * nx + i)));
        let number = (first + axis).min(state.width - 1);
        all.map(|element| f64::from(state.values[element * state.width + number])).collect()
    })
}

fn faces(voxels: Voxels, axis: usize) -> [usize; 3] {
    voxels.faces(axis).map(|n| n as usize)
}

fn at([nx, ny, _]: [usize; 3], [i, j, k]: [u32; 3]) -> usize {
    (k as usize * ny + j as usize) * nx + i as usize
}
