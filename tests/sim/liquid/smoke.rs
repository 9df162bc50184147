//! Smoke against f64.

use quadrille::numeric::Random;
use quadrille::sim::liquid::scenes::{Start, fire, pool, puff};
use quadrille::sim::liquid::{Parameters, Smoke, Water};
use quadrille::sim::projection::{Cell, Preconditioning, Settings};
use quadrille::{Gpu, Limits, Result};
use quadrille_oracle::cg;
use quadrille_oracle::liquid::{At, Paths};
use quadrille_oracle::voxels::Cells;

use super::super::support::{on_card, on_gpu, refusal};
use super::{SIZES, U, bound, largest, norm, velocity, wide, wide_faces};

/// Nothing pulls, and the projection is as exact as it can be.
fn weightless() -> Parameters {
    let projection = Settings { tolerance: 1e-6, ..Settings::default() };
    Parameters { gravity: 0.0, longest: 1.0, projection, ..Parameters::default() }
}

/// Random smoke in that box, a ninth of it solid if there are obstacles.
fn random(size: [u32; 3], obstacles: bool) -> Start {
    let mut values = Random(3);
    let mut start = Start::smoke(size, |_| 0.0);
    start.density.iter_mut().for_each(|v| *v = values.unit());
    start.solid.iter_mut().for_each(|solid| *solid = obstacles && values.below(9) == 0);
    start
}

fn stepped(gpu: &Gpu, start: &Start, parameters: Parameters) -> Result<(Smoke, [Vec<f32>; 3])> {
    let mut smoke = Smoke::new(gpu, start, parameters)?;
    let before = velocity(smoke.flow().voxels(), 7);
    smoke.flow_mut().velocity_mut().set([&before[0], &before[1], &before[2]])?;
    smoke.step()?;
    Ok((smoke, before))
}

#[test]
fn density_and_velocity_move_as_in_f64() -> Result<()> {
    on_gpu(|gpu| {
        for size in SIZES {
            for obstacles in [false, true] {
                let start = random(size, obstacles);
                let (smoke, before) = stepped(gpu, &start, weightless())?;
                check(&start, &smoke, &before)?;
            }
        }
        Ok(())
    })
}

fn check(start: &Start, smoke: &Smoke, before: &[Vec<f32>; 3]) -> Result<()> {
    let (voxels, size) = (smoke.flow().voxels(), start.size.map(|n| n as usize));
    let n = size.into_iter().max().unwrap_or(1) as f64;
    let way = f64::from(smoke.flow().times()?[0]) * n;
    let exact = wide_faces(before);
    let paths = Paths { size, velocity: &exact, way };

    let found = voxels.collect(&smoke.density().get()?);
    let moved = paths.moved(At::Centres, &wide(&start.density));
    let error = largest(found.iter().zip(&moved).map(|(&f, e)| f64::from(f) - e));
    assert!(error <= bound(n, way, 1.0), "{voxels}: density {error:e}");

    // The velocity is projected after that: a projection makes no error larger, and adds what is left of the divergence r,
    // |grad A^-1 r| <= |r| / sqrt(least eigenvalue), which no solid makes smaller than that of a labyrinth of all voxels.
    let kinds: Vec<Cell> =
        start.solid.iter().map(|&solid| if solid { Cell::Solid } else { Cell::Fluid }).collect();
    let cells = Cells { size, kinds: &kinds, distance: None, least_depth: 0.01 };
    let mut moved = [0, 1, 2].map(|axis| paths.moved(At::Faces(axis), &exact[axis]));
    let still = [0, 1, 2].map(|axis| vec![0.0; exact[axis].len()]);
    cells.enforce(&mut moved, &still);
    let right: Vec<f64> = cells.divergence(&moved).iter().map(|d| -d).collect();
    let p = cg(&cells.matrix()?, &right, None, 1e-13, 5000).x;
    cells.subtract_gradient(&mut moved, &p);
    let found = wide_faces(&smoke.flow().velocity().get()?);
    let count: usize = moved.iter().map(Vec::len).sum();
    let least = 2.0 - 2.0 * (std::f64::consts::PI / kinds.len() as f64).cos();
    let left = 2e-6 * norm(&right) / least.max(1e-12).sqrt();
    let all = bound(n, way, 1.0) * (count as f64).sqrt() + left;
    let error: Vec<f64> = found.iter().flatten().zip(moved.iter().flatten()).map(|(f, e)| f - e).collect();
    assert!(norm(&error) <= all, "{voxels}: velocity {:e}, bound {all:e}", norm(&error));
    Ok(())
}

#[test]
fn a_constant_velocity_carries_by_whole_voxels() -> Result<()> {
    on_gpu(|gpu| {
        let size = [16, 13, 9];
        let start = puff(size);
        for axis in 0..3 {
            let parameters = Parameters { across: 1.0, ..weightless() };
            let mut smoke = Smoke::new(gpu, &start, parameters)?;
            let voxels = smoke.flow().voxels();
            let all = |of: usize| vec![if of == axis { -0.5 } else { 0.0 }; count(voxels.faces(of))];
            smoke.flow_mut().velocity_mut().set([&all(0), &all(1), &all(2)])?;
            smoke.step()?;
            let found = voxels.collect(&smoke.density().get()?);
            let mut next = [0, 0, 0];
            next[axis] = 1;
            for (at, [i, j, k]) in voxels.all().enumerate() {
                let from = [i + next[0], j + next[1], k + next[2]];
                let from: [u32; 3] = std::array::from_fn(|a| from[a].min(size[a] - 1));
                let expected = start.density[((from[2] * size[1] + from[1]) * size[0] + from[0]) as usize];
                let error = f64::from(found[at] - expected).abs();
                assert!(error <= bound(16.0, 1.0, 1.0), "{axis}: {error:e} at {i} {j} {k}");
            }
        }
        Ok(())
    })
}

fn count(size: [u32; 3]) -> usize {
    size.iter().product::<u32>() as usize
}

#[test]
fn smoke_rises_from_its_fire_and_stays_between_0_and_1() -> Result<()> {
    on_gpu(|gpu| {
        let mut smoke = Smoke::new(gpu, &fire([15, 15, 20], 1), Parameters::default())?;
        let height = |smoke: &Smoke| -> Result<f64> {
            let density = smoke.flow().voxels().collect(&smoke.density().get()?);
            let weighted =
                smoke.flow().voxels().all().zip(&density).map(|([_, _, k], &q)| f64::from(k as f32 * q));
            Ok(weighted.sum::<f64>() / density.iter().map(|&q| f64::from(q)).sum::<f64>())
        };
        let (low, mass) = (height(&smoke)?, smoke.mass()?);
        for _ in 0..40 {
            smoke.step()?;
            let left = smoke.flow().outcome().map_or(f64::NAN, |outcome| outcome.residual());
            assert!(left <= 1e-3, "{left}");
        }
        let (high, more) = (height(&smoke)?, smoke.mass()?);
        assert!(high > low + 3.0 && more > 2.0 * mass, "from {low} to {high}, {mass} to {more}");
        // Means of numbers between 0 and 1 are rounded a few times.
        let density = smoke.density().get()?;
        assert!(density.iter().all(|&q| (-1e-6..=1.0 + 1e-6).contains(&q)));
        Ok(())
    })
}

/// Where all of it moves alike, every value is handed on once in parts that sum to 1: a hundred voxels from part to part. Each
/// value is wrong by the bound, and the two sums by as many roundings as their trees are high.
#[test]
fn smoke_that_moves_as_a_whole_keeps_its_mass() -> Result<()> {
    on_gpu(|gpu| {
        let size = [17, 16, 19];
        let parameters = Parameters { across: 0.7, ..weightless() };
        let mut smoke = Smoke::new(gpu, &puff(size), parameters)?;
        let voxels = smoke.flow().voxels();
        let all = |of: usize| vec![[0.25, -0.5, 0.375][of]; count(voxels.faces(of))];
        let first = smoke.mass()?;
        smoke.flow_mut().velocity_mut().set([&all(0), &all(1), &all(2)])?;
        smoke.step()?;
        let error = (smoke.mass()? - first).abs();
        let density = smoke.density().get()?;
        let touched = density.iter().filter(|&&q| q > 0.0).count() as f64;
        let summed = 2.0 * (f64::from(density.len() as u32).log2().ceil() + 2.0) * U * first;
        assert!(error <= touched * bound(19.0, 0.7, 1.0) + summed, "{error:e} of {first}");
        Ok(())
    })
}

/// Whatever the velocity: the parts of a mean sum to 1.
#[test]
fn smoke_that_is_everywhere_alike_stays_so() -> Result<()> {
    on_gpu(|gpu| {
        for size in SIZES {
            let start = Start::smoke(size, |_| 0.75);
            let (smoke, _) = stepped(gpu, &start, Parameters { cooling: 2.0, ..weightless() })?;
            let voxels = smoke.flow().voxels();
            let density = voxels.collect(&smoke.density().get()?);
            // Three means of three roundings each.
            assert!(largest(density.iter().map(|&q| f64::from(q) - 0.75)) <= 9.0 * U, "{voxels}");
            // T over 1 + dt c: that sum, its product and its quotient, of 2.5 roundings, besides.
            let [dt, _] = smoke.flow().times()?.map(f64::from);
            let expected = 0.75 / (1.0 + 2.0 * dt);
            let warmth = voxels.collect(&smoke.warmth().get()?);
            assert!(largest(warmth.iter().map(|&t| f64::from(t) - expected)) <= 15.0 * U, "{voxels}");
        }
        Ok(())
    })
}

#[test]
fn parameters_change_while_it_runs_and_senseless_ones_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let mut smoke = Smoke::new(gpu, &puff([8, 9, 7]), Parameters::default())?;
        let jacobi = Settings { preconditioning: Preconditioning::Jacobi, ..weightless().projection };
        for projection in [jacobi, weightless().projection, Parameters::default().projection] {
            smoke.step()?;
            let parameters = Parameters { lift: 2.0, projection, ..Parameters::default() };
            smoke.flow_mut().set_parameters(parameters)?;
            smoke.step()?;
            let outcome = smoke.flow().outcome().map(|outcome| outcome.residual());
            assert!(outcome.is_some_and(|left| left <= projection.tolerance.into()), "{outcome:?}");
        }
        let before = smoke.flow().parameters();
        let line = refusal(smoke.flow_mut().set_parameters(Parameters { lift: -1.0, ..before }));
        assert_eq!(line, "lift = -1: expected 0 to 10");
        let projection = Settings { tolerance: 1.0, ..before.projection };
        let line = refusal(smoke.flow_mut().set_parameters(Parameters { projection, ..before }));
        assert_eq!(line, "tolerance = 1: expected 0.0000001 to 0.1");
        assert_eq!(smoke.flow().parameters(), before);
        Ok(())
    })
}

#[test]
fn smoke_goes_on_bit_for_bit_with_its_clock() -> Result<()> {
    on_gpu(|gpu| {
        let start = fire([9, 8, 11], 2);
        let mut whole = Smoke::new(gpu, &start, Parameters::default())?;
        (0..4).try_for_each(|_| whole.step())?;
        let mut rest = Smoke::from_state(gpu, &start, Parameters::default(), &whole.state()?.values)?;
        assert_eq!((rest.flow().steps(), rest.flow().times()?), (4, whole.flow().times()?));
        (0..3).try_for_each(|_| whole.step())?;
        (0..3).try_for_each(|_| rest.step())?;
        assert_eq!(whole.state()?, rest.state()?);
        assert_eq!(rest.flow().steps(), 7);
        Ok(())
    })
}

/// From one state, on a card whose textures take its slices in several rows, what moves has the same bits. The projections have
/// sums of another tree: each leaves what the tolerance allows of the divergence, a velocity of |r| / √λ at most, where
/// λ = 2 - 2 cos(π / n) is the least eigenvalue of a box of n voxels along its longest side.
#[test]
fn slices_in_several_rows_step_as_in_one() -> Result<()> {
    let start = fire([9, 8, 11], 2);
    let narrow = Limits { texture_size: 64, ..Gpu::headless()?.limits().to_owned() };
    let mut before: Option<Vec<f32>> = None;
    let mut found = Vec::new();
    let mut step = |gpu: &Gpu| -> Result<()> {
        let mut smoke = Smoke::new(gpu, &start, Parameters::default())?;
        match &before {
            Some(values) => smoke.set_state(values)?,
            None => {
                (0..4).try_for_each(|_| smoke.step())?;
                before = Some(smoke.state()?.values);
            }
        }
        smoke.step()?;
        let voxels = smoke.flow().voxels();
        let pressure = voxels.collect(&smoke.flow().projection().pressure().get()?);
        let density = voxels.collect(&smoke.density().get()?);
        found.push((voxels.tiles().1, density, wide_faces(&smoke.flow().velocity().get()?), pressure));
        Ok(())
    };
    on_card(Gpu::headless()?.limits().to_owned(), &mut step)?;
    on_card(narrow, &mut step)?;
    let [(one, density, velocity, pressure), (several, same, other, _)] = &found[..] else {
        unreachable!("two cards")
    };
    assert!(*one == 1 && *several > 1);
    assert_eq!(density, same);
    // The divergence before, in units of velocity, is A p, and less than 12 |p|.
    let least = 2.0 - 2.0 * (std::f64::consts::PI / 11.0).cos();
    let bound = 2.0 * 1e-3 * 12.0 * norm(&wide(pressure)) / least.sqrt();
    let apart: Vec<f64> = velocity.iter().flatten().zip(other.iter().flatten()).map(|(a, b)| a - b).collect();
    assert!(norm(&apart) <= bound, "{:e}, bound {bound:e}", norm(&apart));
    Ok(())
}

#[test]
fn cards_of_few_fetches_and_numbers_without_sense_are_refused() -> Result<()> {
    on_card(Limits::RADEON_9700, |gpu| {
        let line = refusal(Smoke::new(gpu, &puff([4, 4, 4]), Parameters::default()));
        assert_eq!(line, "sim/liquid_advect.frag: number of fetches is 58, the limit is 32");
        Ok(())
    })?;
    on_card(Limits::GEFORCE_FX, |gpu| {
        // It has the fetches, and one target, which smoke does not miss.
        let mut smoke = Smoke::new(gpu, &puff([6, 5, 4]), Parameters::default())?;
        smoke.step()?;
        let line = refusal(Water::new(gpu, &pool([4, 4, 4], 2.0), Parameters::default()));
        assert_eq!(line, "sim/liquid_fill.frag: number of RANGE outputs is 2, the limit is 1");
        Ok(())
    })?;
    on_gpu(|gpu| {
        let parameters = Parameters { across: 0.0, ..Parameters::default() };
        let line = refusal(Smoke::new(gpu, &puff([4, 4, 4]), parameters));
        assert_eq!(line, "voxels across in a step = 0: expected 0.1 to 5");
        let line = refusal(Smoke::from_state(gpu, &puff([4, 4, 4]), Parameters::default(), &[0.0; 3]));
        assert_eq!(line, "state of a box: 3 values given, 750 expected (5x5x5 times 6)");
        Ok(())
    })
}
