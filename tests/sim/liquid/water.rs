//! Water: rest, volume, symmetry, divergence.

use quadrille::linalg::LinearOperator;
use quadrille::numeric::Random;
use quadrille::sim::liquid::scenes::{dam, pool};
use quadrille::sim::liquid::{Parameters, State, Water};
use quadrille::sim::projection::Cell;
use quadrille::{Gpu, Result};
use quadrille_oracle::voxels::Cells;

use super::super::support::{on_gpu, refusal};
use super::{U, largest, norm, wide, wide_faces};

fn speed(water: &Water) -> Result<f64> {
    Ok(largest(wide_faces(&water.flow().velocity().get()?).into_iter().flatten()))
}

/// Nothing may move a pool but what the tolerance leaves of the divergence that gravity gives a step, g dt in each voxel of
/// the floor: a velocity of |r| / √λ at most, λ = 2 - 2 cos(π / (2h + 1)) the least eigenvalue of columns of h voxels under
/// air. It is a gradient, which the next projection takes out again; what the steps round off is not: p, up to g dt h, to 8
/// roundings each. The surface moves as far as that carries it, and once more, as the volume is kept; and φ, up to n, is
/// rounded 16 times in each of the 6 passes of a step that make it a distance.
#[test]
fn a_still_pool_stays_still() -> Result<()> {
    const STEPS: usize = 40;
    on_gpu(|gpu| {
        for (size, height) in [([8, 8, 8], 4.0), ([7, 5, 9], 4.3), ([3, 11, 6], 2.7), ([1, 1, 8], 3.5)] {
            let parameters = Parameters::default();
            let mut water = Water::new(gpu, &pool(size, height), parameters)?;
            let at_first = water.flow().voxels().collect(&water.distance().get()?);
            let (mut fastest, mut carried): (f64, f64) = (0.0, 0.0);
            let n = f64::from(size.into_iter().max().unwrap_or(1));
            for _ in 0..STEPS {
                water.step()?;
                let now = speed(&water)?;
                fastest = fastest.max(now);
                carried += now * n * f64::from(water.flow().times()?[0]);
            }
            let (high, floor) = (height.ceil(), f64::from(size[0] * size[1]));
            let least = 2.0 - 2.0 * (std::f64::consts::PI / (2.0 * high + 1.0)).cos();
            let left = f64::from(parameters.projection.tolerance) * (floor / least).sqrt();
            let given = f64::from(parameters.gravity * water.flow().times()?[0]);
            let bound = given * (left + STEPS as f64 * 8.0 * U * high);
            assert!(fastest <= bound, "{size:?}: {fastest:e}, bound {bound:e}");
            let now = water.flow().voxels().collect(&water.distance().get()?);
            let moved = largest(now.iter().zip(&at_first).map(|(a, b)| f64::from(a - b)));
            let bound = 2.0 * carried + STEPS as f64 * 6.0 * 16.0 * U * n;
            assert!(moved <= bound, "{size:?}: the surface moved by {moved:e} voxels, bound {bound:e}");
        }
        Ok(())
    })
}

/// The fastest in a time of water at rest but for a noise of 2e-5 voxel, whose surface passes
/// through the centres of voxels, or hardly does.
fn at_rest(gpu: &Gpu, size: [u32; 3], level: f64, time: f32) -> Result<f64> {
    let mut random = Random(3);
    let mut start = pool(size, level);
    start.distance.iter_mut().for_each(|distance| *distance += 2e-5 * (2.0 * random.unit() - 1.0));
    let mut water = Water::new(gpu, &start, Parameters::default())?;
    let mut fastest: f64 = 0.0;
    while water.flow().times()?[1] < time {
        (0..5).try_for_each(|_| water.step())?;
        fastest = fastest.max(speed(&water)?);
    }
    Ok(fastest)
}

/// A surface that is uneven by 2e-5 voxel drives waves of √(g h) times that, 1e-5 m/s. A centre that lies less than 1e-5 below the
/// surface counts as that deep, which drives as much again. The tolerance leaves 1e-4 of what gravity gives a step, 0.2 m/s, in
/// each voxel of the floor: 3e-4 m/s, if all of it is in one voxel of 192.
#[test]
fn water_at_rest_stays_where_its_surface_passes_through_centres() -> Result<()> {
    on_gpu(|gpu| {
        for level in [7.49, 7.5, 7.51] {
            let fastest = at_rest(gpu, [8, 6, 16], level, 2.0)?;
            println!("{level}: {fastest:e} m/s");
            assert!(fastest <= 1e-3, "{level}: {fastest:e} m/s");
        }
        Ok(())
    })
}

#[test]
#[ignore = "takes a minute on a CPU"]
fn more_water_at_rest_stays_for_ten_seconds() -> Result<()> {
    on_gpu(|gpu| {
        for level in [7.49, 7.5, 7.51] {
            let fastest = at_rest(gpu, [16, 12, 16], level, 10.0)?;
            println!("{level}: {fastest:e} m/s");
            assert!(fastest <= 1e-3, "{level}: {fastest:e} m/s");
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
            let outcome = water.flow().outcome();
            assert!(outcome.is_some_and(|o| o.residual() <= tolerance), "step {step}: {outcome:?}");
            let iterations = outcome.map_or(0, |outcome| outcome.iterations);
            // In f64, of the velocity as it is. What it was before is A p, as p is, but for what is left; six velocities of
            // each cell are rounded twice, and each iteration by a product of 8 terms and two sums.
            let distance = wide(&water.flow().voxels().collect(&water.distance().get()?));
            let kinds: Vec<Cell> =
                distance.iter().map(|&d| if d < -1e-30 { Cell::Fluid } else { Cell::Air }).collect();
            let size = water.flow().voxels().size().map(|n| n as usize);
            let cells = Cells { size, kinds: &kinds, distance: Some(&distance), least_depth: 0.01 };
            let left = norm(&cells.divergence(&wide_faces(&water.flow().velocity().get()?)));
            let p = wide(&water.flow().projection().pressure().get()?);
            let before = norm(&water.flow_mut().projection_mut().matrix()?.multiply(&p));
            let asked = tolerance / (1.0 - tolerance) + 12.0 * U * iterations as f64;
            let bound = asked * before + 24.0 * U * (distance.len() as f64).sqrt() * speed(&water)?;
            assert!(left <= bound, "step {step}: {left:e} of {before:e}, bound {bound:e}");
        }
        Ok(())
    })
}

/// Kinetic and potential energy of a kilogram a voxel, in joules.
fn energy(water: &Water) -> Result<f64> {
    let (voxels, [nx, ny, nz]) = (water.flow().voxels(), water.flow().voxels().size());
    let parameters = water.flow().parameters();
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
            (voxels.faces(axis), voxels.collect_faces(axis, &water.flow().velocity().component(axis).get()?));
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

/// Potential energy of so many voxels of water that lie as low as they can.
fn energy_of_a_pool(water: &Water, volume: f64) -> f64 {
    let (parameters, [nx, ny, nz]) = (water.flow().parameters(), water.flow().voxels().size());
    let cell = f64::from(parameters.length) / f64::from(nx.max(ny).max(nz));
    let layers = volume / f64::from(nx * ny);
    // Each layer lies as high as its middle.
    let full = layers.floor();
    let height = 0.5 * full * full + (layers - full) * (full + 0.5);
    f64::from(parameters.gravity) * cell * height * f64::from(nx * ny)
}

/// The error allowed for a volume that is kept, in voxels: see `--check` of the program. A step that moves the surface wrongly
/// by a tenth of a voxel is mended by two shifts, each of which leaves half of it at most.
fn missing(water: &Water) -> Result<f64> {
    let distance = water.flow().voxels().collect(&water.distance().get()?);
    Ok(0.1 / 4.0 * distance.iter().filter(|distance| distance.abs() <= 0.5).count() as f64)
}

/// Without the shift, water is lost, which is why there is one. Without it, energy is that of the water that is left, between
/// that of a pool and, as nothing but gravity pushes, that of the dam: but a step moves the surface with the velocity of the
/// step before, and so leaves it too high by half of what it falls in that time, `across` voxels at most.
#[test]
fn a_dam_break_keeps_its_volume_and_gains_no_energy() -> Result<()> {
    on_gpu(|gpu| {
        let mut worst = [0.0, 0.0f64];
        for (keeps_volume, worst) in [true, false].into_iter().zip(&mut worst) {
            let parameters = Parameters { keeps_volume, ..Parameters::default() };
            let mut water = Water::new(gpu, &dam([16, 11, 13], 1), parameters)?;
            let (first, at_rest) = (water.volume()?, energy(&water)?);
            assert_eq!(first, water.volume_at_first());
            let half_a_path = 0.5 * f64::from(parameters.across) / 16.0;
            let late = first * f64::from(parameters.gravity) * half_a_path;
            let mut most = 0.0f64;
            for step in 0..120 {
                water.step()?;
                let (volume, now) = (water.volume()?, energy(&water)?);
                *worst = worst.max((volume - first).abs());
                most = most.max(now);
                if keeps_volume {
                    let bound = missing(&water)?;
                    assert!((volume - first).abs() <= bound, "step {step}: {volume}, {first} at first");
                } else {
                    let lowest = energy_of_a_pool(&water, volume) * (1.0 - 1e-5);
                    assert!(
                        (lowest..=at_rest + late).contains(&now),
                        "step {step}: {lowest} {now} {at_rest}"
                    );
                }
            }
            let (seconds, percent) = (water.flow().times()?[1], 100.0 * *worst / first);
            let [left, most] = [energy(&water)?, most].map(|energy| 100.0 * energy / at_rest);
            println!("keeps {keeps_volume}: volume {percent:.4} % off at worst in {seconds:.2} s");
            println!("energy {left:.1} % left, {most:.3} % at most");
        }
        assert!(worst[0] < worst[1], "{worst:?}");
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
        let kinds = whole.flow().projection().kinds().get()?;
        let kinds = whole.flow().voxels().collect(&kinds);
        assert!(kinds.iter().zip(&start.solid).all(|(&kind, &solid)| solid == (kind < 0.5)));
        assert!((whole.volume()? - whole.volume_at_first()).abs() <= missing(&whole)?);
        Ok(())
    })
}

#[test]
fn a_state_that_no_step_can_begin_in_is_refused_and_changes_nothing() -> Result<()> {
    on_gpu(|gpu| {
        let mut water = Water::new(gpu, &dam([4, 3, 2], 1), Parameters::default())?;
        water.step()?;
        let before = water.state()?;
        let clock = before.values.len() - before.numbers;
        for (at, wrong, what) in [
            (7, 1.01 * State::FASTEST, "velocity"),
            (clock, -1.0, "time"),
            (clock + 1, -1.0, "steps"),
            (clock + 2, f32::NAN, "last step"),
            (clock + 4, 25.0, "volume"),
        ] {
            let mut values = before.values.clone();
            values[at] = wrong;
            let line = refusal(water.set_state(&values));
            assert!(line.starts_with(&format!("{what} of a state")), "{line}");
            assert_eq!(water.state()?, before, "{what}");
        }
        Ok(())
    })
}
