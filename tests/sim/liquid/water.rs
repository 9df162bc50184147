//! Water: rest, volume, symmetry, divergence.

use quadrille::linalg::LinearOperator;
use quadrille::reference::voxels::Cells;
use quadrille::sim::liquid::scenes::{Start, dam, pool};
use quadrille::sim::liquid::{Parameters, Water};
use quadrille::sim::projection::{Cell, Settings};
use quadrille::{Gpu, Result};

use super::super::support::on_gpu;
use super::{largest, norm, wide, wide_faces};

fn speed(water: &Water) -> Result<f64> {
    Ok(largest(wide_faces(&water.velocity().get()?).into_iter().flatten()))
}

/// The pressure of a still pool is found once, and each step then has to find as little as rounding and tolerance left: of
/// what gravity gives a step, g dt, the tolerance's part of the divergence, which the box can add up to as many times as
/// it has voxels along its sides.
#[test]
fn a_still_pool_stays_still() -> Result<()> {
    on_gpu(|gpu| {
        for (size, height) in [([8, 8, 8], 4.0), ([7, 5, 9], 4.3), ([3, 11, 6], 2.7), ([1, 1, 8], 3.5)] {
            let parameters = Parameters::default();
            let mut water = Water::new(gpu, &pool(size, height), parameters)?;
            let at_first = water.voxels().collect(&water.distance().get()?);
            let mut fastest: f64 = 0.0;
            for _ in 0..100 {
                water.step()?;
                fastest = fastest.max(speed(&water)?);
            }
            let [dt, _] = water.times()?;
            let longest = size.into_iter().max().unwrap_or(1);
            let given = f64::from(parameters.gravity * dt * parameters.projection.tolerance);
            assert!(fastest <= given * f64::from(longest), "{size:?}: {fastest:e}, g dt tol = {given:e}");
            let now = water.voxels().collect(&water.distance().get()?);
            let moved = largest(now.iter().zip(&at_first).map(|(a, b)| f64::from(a - b)));
            assert!(moved < 1e-2, "{size:?}: the surface moved by {moved:e} voxels");
        }
        Ok(())
    })
}

#[test]
fn the_divergence_of_every_step_falls_below_what_was_asked() -> Result<()> {
    on_gpu(|gpu| {
        let parameters = Parameters::default();
        let tolerance = f64::from(parameters.projection.tolerance);
        let mut water = Water::new(gpu, &dam([14, 11, 12], 1), parameters)?;
        for step in 0..30 {
            water.step()?;
            let outcome = water.outcome().map(|outcome| outcome.residual());
            assert!(outcome.is_some_and(|left| left <= tolerance), "step {step}: {outcome:?}");
            // In f64, of the velocity as it is. What it was before is A p, as p is.
            let distance = wide(&water.voxels().collect(&water.distance().get()?));
            let kinds: Vec<Cell> =
                distance.iter().map(|&d| if d < -1e-30 { Cell::Fluid } else { Cell::Air }).collect();
            let size = water.voxels().size().map(|n| n as usize);
            let cells = Cells { size, kinds: &kinds, distance: Some(&distance), least_theta: 0.01 };
            let left = norm(&cells.divergence(&wide_faces(&water.velocity().get()?)));
            let p = wide(&water.projection().pressure().get()?);
            let before = norm(&water.projection().matrix()?.multiply(&p));
            assert!(left <= 2.0 * tolerance * before, "step {step}: {left:e} of {before:e}");
        }
        Ok(())
    })
}

/// Kinetic and potential energy of a kilogram a voxel, in joules.
fn energy(water: &Water) -> Result<f64> {
    let (voxels, [nx, ny, nz]) = (water.voxels(), water.voxels().size());
    let parameters = water.parameters();
    let cells = f64::from(nx.max(ny).max(nz)) / f64::from(parameters.length);
    let distance = voxels.collect(&water.distance().get()?);
    let part: Vec<f64> = distance.iter().map(|&d| (0.5 - f64::from(d)).clamp(0.0, 1.0)).collect();
    let at =
        |[i, j, k]: [u32; 3]| if i < nx && j < ny && k < nz { ((k * ny + j) * nx + i) as usize } else { 0 };
    let height = |k: u32| (f64::from(k) + 0.5) / cells * f64::from(parameters.gravity);
    let potential: f64 = voxels.all().map(|voxel| part[at(voxel)] * height(voxel[2])).sum();
    let mut kinetic = 0.0;
    for axis in 0..3 {
        let (size, values) =
            (voxels.faces(axis), voxels.collect_faces(axis, &water.velocity().component(axis).get()?));
        // Faces of the box have no velocity.
        for voxel in voxels.all().filter(|voxel| voxel[axis] > 0) {
            let mut before = voxel;
            before[axis] -= 1;
            let u = f64::from(values[((voxel[2] * size[1] + voxel[1]) * size[0] + voxel[0]) as usize]);
            kinetic += 0.25 * u * u * (part[at(voxel)] + part[at(before)]);
        }
    }
    Ok(potential + kinetic)
}

/// The volume of a dam break, with and without the shift that keeps it, at its worst; and an energy that only falls. The shift
/// puts what was lost somewhere else, which may be higher: of the volume lost, 15 %, as much a step as a 150th of it.
#[test]
fn a_dam_break_keeps_its_volume_and_gains_no_energy() -> Result<()> {
    on_gpu(|gpu| {
        for (keeps_volume, bound) in [(true, 0.001), (false, 0.3)] {
            let parameters = Parameters { keeps_volume, ..Parameters::default() };
            let mut water = Water::new(gpu, &dam([24, 16, 20], 1), parameters)?;
            let (first, at_rest) = (water.volume()?, energy(&water)?);
            assert_eq!(first, water.volume_at_first());
            let (mut worst, mut most, mut before): (f64, f64, f64) = (0.0, 0.0, at_rest);
            for _ in 0..150 {
                water.step()?;
                let change = water.volume()? / first - 1.0;
                if change.abs() > worst.abs() {
                    worst = change;
                }
                let now = energy(&water)?;
                most = most.max((now - before) / at_rest);
                before = now;
            }
            let (seconds, percent) = (water.times()?[1], 100.0 * worst);
            let (left, gained) = (100.0 * before / at_rest, 100.0 * most);
            println!(
                "keeps {keeps_volume}: volume {percent:+.3} % at worst in {seconds:.2} s; energy {left:.1} % left"
            );
            println!("the most that a step gained: {gained:.3} %");
            assert!(worst.abs() <= bound, "{worst}");
            assert!(before < 0.8 * at_rest && most < 0.01, "{left} % of the energy is left, {most}");
        }
        Ok(())
    })
}

#[test]
fn a_dam_as_deep_as_its_box_falls_alike_on_both_sides() -> Result<()> {
    on_gpu(|gpu| {
        let size = [12, 9, 10];
        let start = Start::liquid(size, |[x, y, z]| {
            // Taller in the middle, and a mirror of itself along y.
            let beyond = [x - 5.0, z - 7.0 + 0.3 * (y - 4.5).abs()];
            beyond[0].max(beyond[1])
        });
        let projection = Settings { tolerance: 1e-6, ..Settings::default() };
        let mut water = Water::new(gpu, &start, Parameters { projection, ..Parameters::default() })?;
        (0..12).try_for_each(|_| water.step())?;
        let distance = water.voxels().collect(&water.distance().get()?);
        let at = |[i, j, k]: [u32; 3]| distance[((k * size[1] + j) * size[0] + i) as usize];
        let apart =
            largest(water.voxels().all().map(|[i, j, k]| f64::from(at([i, j, k]) - at([i, 8 - j, k]))));
        // What the projections left, which is no mirror of itself, in each of so many steps of at most 1.5 voxels.
        assert!(apart < 12.0 * 1.5 * 1e-4, "{apart:e} voxels");
        let moved = largest(distance.iter().zip(&start.distance).map(|(a, b)| f64::from(a - b)));
        assert!(moved > 0.5, "it has not fallen: {moved}");
        Ok(())
    })
}

#[test]
fn water_goes_on_bit_for_bit_around_an_obstacle() -> Result<()> {
    on_gpu(|gpu| {
        let pillar = |[x, y, _]: [f64; 3]| (x - 8.5).abs() < 1.1 && (y - 4.5).abs() < 1.1;
        let start = dam([13, 9, 8], 2).with_solid(pillar);
        let same = |gpu: &Gpu| -> Result<Water> {
            let mut water = Water::new(gpu, &start, Parameters::default())?;
            (0..25).try_for_each(|_| water.step())?;
            Ok(water)
        };
        let mut whole = same(gpu)?;
        assert_eq!(whole.state()?, same(gpu)?.state()?);
        let mut rest = Water::from_state(gpu, &start, Parameters::default(), &whole.state()?.values)?;
        (0..5).try_for_each(|_| whole.step())?;
        (0..5).try_for_each(|_| rest.step())?;
        assert_eq!(whole.state()?, rest.state()?);
        let kinds = whole.projection().kinds().get()?;
        let kinds = whole.voxels().collect(&kinds);
        assert!(kinds.iter().zip(&start.solid).all(|(&kind, &solid)| solid == (kind < 0.5)));
        assert!((whole.volume()? / whole.volume_at_first() - 1.0).abs() < 0.01);
        Ok(())
    })
}
