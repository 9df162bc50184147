//! The parts of a step of water, each against the same in f64.

use quadrille::numeric::Random;
use quadrille::sim::liquid::scenes::Start;
use quadrille::sim::liquid::{Parameters, Water};
use quadrille::sim::projection::{Cell, Settings};
use quadrille::{Gpu, Result};
use quadrille_oracle::cg;
use quadrille_oracle::liquid::{At, Paths, extend, redistanced};
use quadrille_oracle::voxels::{Cells, Faces};

use super::super::support::on_gpu;
use super::{SIZES, U, bound, largest, norm, velocity, wide, wide_faces};

/// So deep lies the centre of a cell at least, so its θ are no less than a fifth: what is left of a divergence near the surface is no more than twice what it is elsewhere.
const LEAST_DEPTH: f32 = 0.25;

/// Passes that make φ a distance again, and faces of air that get a velocity, beyond those that a path crosses.
const REDISTANCING: u32 = 6;
const BEYOND: u32 = 3;

fn parameters() -> Parameters {
    let projection = Settings { tolerance: 1e-6, least_depth: LEAST_DEPTH, ..Settings::default() };
    Parameters { keeps_volume: false, projection, ..Parameters::default() }
}

/// A rough slope of water, or water all over the box, and a ninth of it solid if there are obstacles.
fn slope(size: [u32; 3], obstacles: bool, full: bool) -> Start {
    let mut random = Random(4);
    let height = 0.6 * f64::from(size[2]);
    let mut start = Start::liquid(size, |[x, _, z]| z - height + 0.2 * x);
    for distance in &mut start.distance {
        *distance += 0.6 * random.unit() - 0.3 - if full { 100.0 } else { 0.0 };
    }
    start.solid.iter_mut().for_each(|solid| *solid = obstacles && random.below(9) == 0);
    start
}

fn every_box() -> impl Iterator<Item = Start> {
    let kinds = [(false, false), (true, false), (true, true)];
    SIZES.into_iter().flat_map(move |size| kinds.map(|(obstacles, full)| slope(size, obstacles, full)))
}

/// Where nothing moves, a step does nothing to φ but this. The surface touches the centre of one voxel: what is 0 lies outside of
/// water, and is of the surface only if water is beside it. What is stored beyond the box is 0. A pass has 16 roundings of numbers up to 2M at most; what was
/// wrong before it grows by 1 + √3, as a slope is a norm of three differences.
#[test]
fn a_distance_is_made_one_again_as_in_f64() -> Result<()> {
    on_gpu(|gpu| {
        for mut start in every_box() {
            if let (Some(distance), Some(solid)) = (start.distance.last_mut(), start.solid.last_mut()) {
                (*distance, *solid) = (0.0, false);
            }
            let mut water = Water::new(gpu, &start, Parameters { gravity: 0.0, ..parameters() })?;
            water.step()?;
            let (voxels, stored) = (water.flow().voxels(), water.distance().get()?);
            let inside = voxels.collect(&stored);
            assert!(stored == voxels.spread(&inside)?, "{voxels}: not 0 beyond the box");
            let found = wide(&inside);
            let first = wide(&start.distance);
            let expected = redistanced(start.size.map(|n| n as usize), &start.solid, &first, REDISTANCING);
            let error = largest(found.iter().zip(&expected).map(|(f, e)| f - e));
            let growth: f64 = (0..REDISTANCING).map(|pass| 2.74f64.powi(pass as i32)).sum();
            let bound = growth * 16.0 * U * 2.0 * largest(first.iter().chain(&expected).copied());
            assert!(error <= bound, "{:?}: {error:e}, bound {bound:e}", start.size);
            let moved = largest(expected.iter().zip(&first).map(|(e, f)| e - f));
            assert!(moved > 0.01 || start.size == [1, 1, 1], "{:?}: it was one before", start.size);
        }
        Ok(())
    })
}

#[test]
fn velocity_is_moved_pulled_projected_and_extended_as_in_f64() -> Result<()> {
    on_gpu(|gpu| every_box().try_for_each(|start| check(gpu, &start)))
}

fn check(gpu: &Gpu, start: &Start) -> Result<()> {
    let parameters = parameters();
    let mut water = Water::new(gpu, start, parameters)?;
    let (voxels, size) = (water.flow().voxels(), start.size.map(|n| n as usize));
    let before = velocity(voxels, 9);
    water.flow_mut().velocity_mut().set([&before[0], &before[1], &before[2]])?;
    water.step()?;
    let found = wide_faces(&water.flow().velocity().get()?);

    // The same paths, and the surface as the step has made it.
    let [dt, _] = water.flow().times()?;
    let n = size.into_iter().max().unwrap_or(1) as f64;
    let (dt, fall) = (f64::from(dt), f64::from(dt * parameters.gravity));
    let before = wide_faces(&before);
    let paths = Paths { size, velocity: &before, way: dt * n };
    let mut expected: Faces = [0, 1, 2].map(|axis| paths.moved(At::Faces(axis), &before[axis]));
    expected[2].iter_mut().for_each(|w| *w -= fall);
    let distance = wide(&voxels.collect(&water.distance().get()?));
    let kind = |(&solid, &distance): (&bool, &f64)| match solid {
        true => Cell::Solid,
        false if distance < 0.0 => Cell::Fluid,
        false => Cell::Air,
    };
    let kinds: Vec<Cell> = start.solid.iter().zip(&distance).map(kind).collect();
    let cells = Cells { size, kinds: &kinds, distance: Some(&distance), least_depth: f64::from(LEAST_DEPTH) };
    let still = [0, 1, 2].map(|axis| vec![0.0; expected[axis].len()]);
    cells.enforce(&mut expected, &still);
    let right: Vec<f64> = cells.divergence(&expected).iter().map(|d| -d).collect();
    let pushed = norm(&expected.concat());
    let p = cg(&cells.matrix()?, &right, None, 1e-13, 5000).x;
    cells.subtract_gradient(&mut expected, &p);
    extend(&cells, &mut expected, parameters.across.ceil() as u32 + BEYOND);

    // Projecting makes no error larger in the norm that weighs each face with its θ, from LEAST_DEPTH to 1. It adds what the
    // tolerance leaves of the divergence r, |∇A⁻¹ r| ≤ |r| / √λ, λ no less than that of a labyrinth of all voxels that is
    // open at one end; and twelve roundings of the matrix's entries. A mean of neighbours adds its own six, face after face.
    let across = n * dt * largest(before.iter().flatten().copied());
    let count = expected.iter().map(Vec::len).sum::<usize>() as f64;
    let least = 2.0 - 2.0 * (std::f64::consts::PI / (2.0 * kinds.len() as f64 + 1.0)).cos();
    let left = 2.0 * f64::from(parameters.projection.tolerance) * norm(&right) / least.sqrt();
    let moved = (bound(n, across, 1.0) + 4.0 * U * fall) * count.sqrt();
    let all = (moved + left + 24.0 * U * pushed) / f64::from(LEAST_DEPTH).sqrt() + 36.0 * U * pushed;
    let error = largest(found.iter().flatten().zip(expected.iter().flatten()).map(|(f, e)| f - e));
    assert!(error <= all, "{voxels}: {error:e}, bound {all:e}");
    Ok(())
}
