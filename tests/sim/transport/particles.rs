//! Particles.

use quadrille::numeric::Random;
use quadrille::sim::fluid::{Grid, Kind, Particles, Region, Transport};
use quadrille::{Gpu, Limits, Result};

use super::super::support::{on_card, on_gpu, refusal};
use super::{CELLS, U, flow, grids, pairs, random_solids, random_velocity, texels};

/// A box of 16 by 12 cells of side 1/4, closed unless said.
fn grid(kind: Kind) -> Grid {
    Grid { kind, cells: [16, 12], spacing: 0.25, periodic: [false, false] }
}

/// (x, y, age, number) of each, at random places of the box.
fn anywhere(grid: &Grid, count: usize, seed: u64) -> Vec<f32> {
    let (mut random, [width, height]) = (Random(seed), grid.size());
    (0..count).flat_map(|n| [width * random.unit(), height * random.unit(), 0.0, n as f32]).collect()
}

/// How wrong a place may be after a step, in cells, of a box of n cells and a velocity of 1 that crosses d of them.
///
/// A place among cells is a quotient, and its part a sum: 2 roundings of n. A velocity varies by 2 a cell along each axis, is
/// three mixtures of three roundings each, and is multiplied: so it is off by what a place is off, four times, and 18 roundings
/// of 1. Halfway there is half of d times that, and a rounding of n, more. Next to solids a mean of weights makes it four
/// times as much. The end is a sum and a product, and divided by the test: 3 roundings of n.
fn bound(n: f64, d: f64, solids: bool) -> f64 {
    let more = if solids { 4.0 } else { 1.0 };
    let velocity = |place: f64| more * (4.0 * place + 18.0 * U);
    let start = 2.0 * n * U;
    let halfway = start + 0.5 * d * velocity(start) + n * U;
    d * velocity(halfway) + 3.0 * n * U
}

fn check_followed(gpu: &Gpu, grid: Grid, way: f32, one_in: Option<usize>) -> Result<usize> {
    let with_solids = one_in.is_some();
    let (values, velocity) = random_velocity(gpu, &grid, 11)?;
    let (solids, buffer) = random_solids(gpu, &grid, one_in.unwrap_or(1))?;
    let exact = pairs(&values);
    let flow = flow(&grid, &exact, with_solids.then_some(&solids[..]));
    let mut transport = Transport::new(gpu, grid)?;
    transport.set_solids(with_solids.then_some(&buffer))?;
    let start = anywhere(&grid, 101, 13);
    let mut particles = Particles::new(gpu, grid, 101, 1)?;
    particles.set_state(&start, 0)?;
    particles.advance_among(&velocity, transport.open(), way * grid.spacing)?;
    let (found, spacing) = (particles.state()?, f64::from(grid.spacing));
    let size = grid.cells.map(f64::from);
    let bound = bound(size[0].max(size[1]), way.into(), with_solids);
    let mut compared = 0;
    for (before, after) in start.chunks(4).zip(found.chunks(4)) {
        let place = [0, 1].map(|axis| f64::from(before[axis]) / spacing);
        let end = flow.followed(place, way.into());
        let stays = (0..2).all(|axis| grid.periodic[axis] || (1e-3..size[axis] - 1e-3).contains(&end[axis]));
        let shift = if grid.kind == Kind::Staggered { 0.0 } else { 0.5 };
        let [i, j] = [0, 1].map(|axis| {
            let (cell, count) = ((place[axis] + shift) as usize, grid.centres()[axis] as usize);
            if grid.periodic[axis] { cell % count } else { cell.min(count - 1) }
        });
        let inside = with_solids && solids[j * grid.centres()[0] as usize + i];
        if !stays || inside {
            continue;
        }
        compared += 1;
        for axis in 0..2 {
            let error = f64::from(after[axis]) / spacing - end[axis];
            let error =
                if grid.periodic[axis] { error - size[axis] * (error / size[axis]).round() } else { error };
            assert!(
                error.abs() <= bound,
                "{grid:?} {way} {with_solids} {before:?}: {error:e}, bound {bound:e}"
            );
        }
        assert_eq!(after[2..], [way * grid.spacing, before[3]]);
    }
    Ok(compared)
}

#[test]
fn particles_go_where_they_go_in_f64() -> Result<()> {
    on_gpu(|gpu| {
        let mut compared = 0;
        for grid in CELLS.into_iter().flat_map(grids) {
            for (way, solids) in
                [(0.0, None), (0.5, None), (2.6, None), (0.5, Some(4)), (2.6, Some(4)), (2.6, Some(200))]
            {
                compared += check_followed(gpu, grid, way, solids)?;
            }
        }
        assert!(compared > 12_000, "{compared} have stayed in their boxes");
        Ok(())
    })
}

/// A turn in n steps by the midpoint rule multiplies x + iy by 1 + ia - a²/2, a = 2 pi / n, each: it comes back to within 2 pi
/// a²/6 of its radius along the circle, and 2 pi a³/8 across it; a tenth more for higher powers of a. A velocity that is linear
/// is bilinear, so nothing is added but roundings: of a place, and a times those of a velocity, in each step.
#[test]
fn a_particle_on_a_circle_returns() -> Result<()> {
    on_gpu(|gpu| {
        for kind in Kind::ALL {
            let grid = Grid { kind, cells: [24, 24], spacing: 1.0 / 24.0, periodic: [false, false] };
            let [columns, rows] = grid.nodes().map(|n| n as usize);
            let half = if kind == Kind::Staggered { 0.5 } else { 0.0 };
            let velocity: Vec<f32> = (0..columns * rows)
                .flat_map(|n| {
                    [0.5 - ((n / columns) as f32 + half) / 24.0, ((n % columns) as f32 + half) / 24.0 - 0.5]
                })
                .collect();
            let velocity = grid.velocity(gpu).init(&velocity)?;
            for steps in [50, 200] {
                let mut particles = Particles::new(gpu, grid, 3, 1)?;
                let start = [0.75, 0.5, 0.0, 0.0, 0.5, 0.125, 0.0, 1.0, 0.5, 0.5, 0.0, 2.0];
                particles.set_state(&start, 0)?;
                let angle = std::f64::consts::TAU / f64::from(steps);
                for _ in 0..steps {
                    particles.advance(&velocity, angle as f32)?;
                }
                let found = particles.state()?;
                let rounding = f64::from(steps) * U * (2.0 + angle * 4.0 * 24.0);
                let method = 1.1 * std::f64::consts::TAU * (angle.powi(2) / 6.0).hypot(angle.powi(3) / 8.0);
                for (particle, radius) in [0.25, 0.375, 0.0].into_iter().enumerate() {
                    let off =
                        |axis: usize| f64::from(found[4 * particle + axis] - start[4 * particle + axis]);
                    let off = off(0).hypot(off(1));
                    let bound = method * radius + rounding;
                    assert!(off <= bound, "{kind:?} {steps} {particle}: off by {off:e}, bound {bound:e}");
                }
            }
        }
        Ok(())
    })
}

#[test]
fn they_are_born_again_where_they_leave_and_at_their_age_the_same_in_every_run() -> Result<()> {
    on_gpu(|gpu| {
        for (kind, count) in [(Kind::Collocated, 1), (Kind::Staggered, 1001), (Kind::Staggered, 64)] {
            let grid = grid(kind);
            let wind = grid.velocity(gpu).init(&[1.0, 0.0].repeat(texels(grid.nodes())))?;
            let inlet = Region { low: [0.0, 1.0], high: [0.0, 2.0] };
            let run = |seed: u64| -> Result<Vec<f32>> {
                let mut particles = Particles::new(gpu, grid, count, seed)?;
                particles.set_births(&[inlet])?;
                for _ in 0..45 {
                    particles.advance(&wind, 0.125)?;
                    assert!(particles.state()?.chunks(4).all(|p| (0.0..=4.0).contains(&p[0])));
                }
                particles.state()
            };
            let found = run(5)?;
            assert_eq!(found, run(5)?);
            assert!(count == 1 || found != run(6)?);
            for (n, particle) in found.chunks(4).enumerate() {
                // 45 eighths are more than the box is long: all have left it once, and have gone on from the inlet.
                let &[x, y, age, number] = particle else { continue };
                assert!((x - age).abs() <= 64.0 * U as f32 && (1.0..2.0).contains(&y), "{n}: {particle:?}");
                assert_eq!(number, n as f32);
            }
            let mut mortal = Particles::new(gpu, grid, count, 1)?;
            mortal.set_life(0.5)?;
            mortal.scatter()?;
            let still = grid.velocity(gpu).build()?;
            let ages = |particles: &Particles| -> Result<Vec<f32>> {
                Ok(particles.state()?.iter().skip(2).step_by(4).copied().collect())
            };
            assert!(ages(&mortal)?.iter().all(|age| (0.0..0.5).contains(age)));
            let places = mortal.state()?;
            for _ in 0..9 {
                mortal.advance(&still, 0.0625)?;
                assert!(ages(&mortal)?.iter().all(|age| (0.0..=0.5).contains(age)));
            }
            let after = mortal.state()?;
            assert!(
                places.chunks(4).zip(after.chunks(4)).all(|(a, b)| a[..2] != b[..2]),
                "all were born again"
            );
        }
        Ok(())
    })
}

/// Uniform: of n particles in 16 parts of the box each has n/16, give or take six times the root of that.
#[test]
fn they_are_born_all_over_the_box_and_in_regions_by_their_area() -> Result<()> {
    on_gpu(|gpu| {
        let (grid, count) = (grid(Kind::Staggered), 16_001);
        let mut particles = Particles::new(gpu, grid, count, 3)?;
        let mut parts = [0; 16];
        for particle in particles.state()?.chunks(4) {
            parts[particle[0] as usize + 4 * (particle[1] / 0.75) as usize] += 1;
        }
        assert!(parts.iter().all(|part| (810..1190).contains(part)), "{parts:?}");
        let regions =
            [(0.0, 1.0), (2.0, 3.0), (3.5, 4.0)].map(|(x, end)| Region { low: [x, 0.0], high: [end, 1.0] });
        particles.set_births(&regions)?;
        particles.scatter()?;
        let inside = |region: &Region| -> Result<usize> {
            Ok(particles
                .state()?
                .chunks(4)
                .filter(|p| (region.low[0]..=region.high[0]).contains(&p[0]))
                .count())
        };
        let found = [inside(&regions[0])?, inside(&regions[1])?, inside(&regions[2])?];
        assert_eq!(found.iter().sum::<usize>(), count);
        // The table rounds a share to a 256th.
        for (found, part) in found.into_iter().zip([0.4, 0.4, 0.2]) {
            let expected = 16_001.0 * part;
            assert!(
                (found as f64 - expected).abs() <= 16_001.0 / 256.0 + 6.0 * f64::sqrt(expected),
                "{found}"
            );
        }
        Ok(())
    })
}

/// A velocity of which nothing leads through the sides, nor through a wall of one cell, at which it is anything.
#[test]
fn none_leaves_a_closed_box_or_passes_a_thin_wall() -> Result<()> {
    on_gpu(|gpu| {
        for (kind, diagonal) in Kind::ALL.into_iter().flat_map(|kind| [(kind, false), (kind, true)]) {
            let grid = Grid { cells: [17, 17], ..grid(kind) };
            let [columns, rows] = grid.centres().map(|n| n as usize);
            let beyond = |i: isize, j: isize| if diagonal { i - j } else { i - 8 };
            let solids: Vec<f32> = (0..columns * rows)
                .map(|n| f32::from(beyond((n % columns) as isize, (n / columns) as isize) == 0))
                .collect();
            let mut transport = Transport::new(gpu, grid)?;
            transport.set_solids(Some(&grid.scalar(gpu, 1).init(&solids)?))?;
            let mut particles = Particles::new(gpu, grid, 997, 2)?;
            // Those that are born again are known by their age.
            let side = |p: &[f32]| {
                let shift = if kind == Kind::Staggered { 0.0 } else { 0.5 };
                beyond((p[0] / 0.25 + shift).floor() as isize, (p[1] / 0.25 + shift).floor() as isize)
                    .signum()
            };
            let start = particles.state()?;
            for step in 0..20 {
                let (mut values, _) = random_velocity(gpu, &grid, step)?;
                let across = grid.nodes()[0] as usize;
                for (n, pair) in values.chunks_mut(2).enumerate() {
                    let (i, j) = (n % across, n / across);
                    pair[0] *= f32::from(i > 0 && i < 17);
                    pair[1] *= f32::from(j > 0 && j < 17);
                }
                let velocity = grid.velocity(gpu).init(&values)?;
                particles.advance_among(&velocity, transport.open(), 1.0)?;
            }
            let mut stayed = 0;
            for (before, after) in start.chunks(4).zip(particles.state()?.chunks(4)) {
                let reborn = after[2] < 20.0;
                assert_eq!(reborn, side(before) == 0, "{kind:?} {diagonal}: {before:?} {after:?}");
                assert!(reborn || side(before) == side(after), "{kind:?} {diagonal}: {before:?} {after:?}");
                stayed += usize::from(!reborn);
            }
            assert!(stayed > 800);
        }
        Ok(())
    })
}

#[test]
fn a_state_goes_on_bit_for_bit_and_what_is_none_is_refused() -> Result<()> {
    on_gpu(|gpu| {
        let grid = grid(Kind::Staggered);
        let (_, velocity) = random_velocity(gpu, &grid, 1)?;
        let mut first = Particles::new(gpu, grid, 77, 1)?;
        (0..5).try_for_each(|_| first.advance(&velocity, 0.5))?;
        let mut second = Particles::new(gpu, grid, 77, 1)?;
        second.set_state(&first.state()?, first.steps())?;
        for particles in [&mut first, &mut second] {
            (0..5).try_for_each(|_| particles.advance(&velocity, 0.5))?;
        }
        assert_eq!(first.state()?, second.state()?);
        assert_eq!((first.len(), first.is_empty(), first.steps()), (77, false, 10));

        assert!(refusal(first.set_state(&[0.0; 4], 0)).contains("4 values given, 308 expected"));
        let mut wrong = second.state()?;
        wrong[4] = f32::NAN;
        assert!(refusal(first.set_state(&wrong, 0)).starts_with("particle = (NaN, "));
        assert_eq!(refusal(first.set_life(0.0)), "life of particles = 0: expected above 0");
        let far = Region { low: [0.0, 0.0], high: [4.5, 1.0] };
        let line =
            "region of births = [0.0, 0.0] to [4.5, 1.0]: expected from low to high in the box of 4 by 3";
        assert_eq!(refusal(first.set_births(&[far])), line);
        let line = "regions of births = 257: expected at most 256";
        assert_eq!(refusal(first.set_births(&[Region { high: [1.0; 2], ..far }; 257])), line);
        let many = refusal(Particles::new(gpu, grid, (1 << 24) + 1, 1));
        assert_eq!(many, "particles: number is 16777217, the limit is 16777216");
        assert!(refusal(Particles::new(gpu, grid, 0, 1)).contains("no elements"));
        let line = refusal(first.advance(&grid.scalar(gpu, 2).build()?, 1.0));
        assert_eq!(line, "grid of a fluid: buffer 16x12x2, expected a velocity of 17x13x2");
        assert_eq!(
            refusal(first.advance(&velocity, f32::INFINITY)),
            "time step = inf: expected a finite time"
        );
        Ok(())
    })?;
    on_card(Limits::RADEON_9700, |gpu| check_followed(gpu, grid(Kind::Staggered), 1.5, None).map(|_| ()))
}

/// A step writes over the oldest moment: what is remembered are the states as they were, in order, and no more than was asked for.
#[test]
fn the_past_of_particles_is_their_last_states_newest_first() -> Result<()> {
    on_gpu(|gpu| {
        let grid = grid(Kind::Staggered);
        let (_, wind) = random_velocity(gpu, &grid, 1)?;
        let (mut particles, mut plain) =
            (Particles::new(gpu, grid, 13, 5)?, Particles::new(gpu, grid, 13, 5)?);
        let mut states = vec![plain.state()?];
        particles.set_memory(3)?;
        for step in 1..=7 {
            assert_eq!(particles.past().len(), 3.min(step - 1));
            particles.advance(&wind, 0.2)?;
            plain.advance(&wind, 0.2)?;
            assert!(plain.past().is_empty());
            assert_eq!(particles.state()?, plain.state()?, "step {step}");
            for (age, moment) in particles.past().iter().enumerate() {
                assert_eq!(moment.data()?, states[step - 1 - age], "step {step}, {age} before");
            }
            states.push(plain.state()?);
        }
        particles.set_memory(1)?;
        assert_eq!(particles.past().len(), 1);
        assert_eq!(particles.past()[0].data()?, states[6]);
        particles.set_memory(5)?;
        particles.advance(&wind, 0.2)?;
        assert_eq!((particles.past().len(), particles.past()[1].data()?), (2, states[6].clone()));
        particles.scatter()?;
        assert!(particles.past().is_empty());
        Ok(())
    })
}
