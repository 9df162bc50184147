//! The pressure projection, against the same in f64, and against what no velocity may be left with.

mod surface;

use super::support::{Random, on_card, on_gpu, refusal};
use quadrille::linalg::Vector;
use quadrille::numeric::Csr;
use quadrille::sim::projection::{Cell, Faces, Preconditioning, Projection, Settings};
use quadrille::solve::Outcome;
use quadrille::{Gpu, Limits, Result};
use quadrille_oracle::jacobi_cg;
use quadrille_oracle::voxels::{Cells, Faces as Exact};

/// Half of the distance between 1 and the next number.
const U: f64 = 1.0 / (1u64 << 24) as f64;

/// Every way to solve.
const ALL: [Preconditioning; 3] =
    [Preconditioning::Jacobi, Preconditioning::Multigrid, Preconditioning::Steered { stop_at: 16 }];

const BOTH: [Preconditioning; 2] = [Preconditioning::Jacobi, Preconditioning::Multigrid];

/// A box with obstacles, and water up to a surface or to the lid.
struct Scene {
    size: [u32; 3],
    kinds: Vec<Cell>,
    distance: Option<Vec<f32>>,
    velocity: [Vec<f32>; 3],
}

fn faces(size: [u32; 3], random: &mut Random) -> [Vec<f32>; 3] {
    [0, 1, 2].map(|axis| {
        let mut faces = size;
        faces[axis] += 1;
        random.floats(faces.iter().product::<u32>() as usize)
    })
}

fn wide(faces: &[Vec<f32>; 3]) -> Exact {
    [0, 1, 2].map(|axis| faces[axis].iter().map(|&v| f64::from(v)).collect())
}

/// Random velocities, a seventh of the cells obstacles; where it is open, a surface that rises along x.
fn scene(size: [u32; 3], open: bool, seed: u64) -> Scene {
    let mut random = Random(seed);
    let [nx, ny, nz] = size;
    let cells: Vec<[u32; 3]> =
        (0..nz).flat_map(|k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k]))).collect();
    let height = |[i, _, k]: [u32; 3]| k as f32 + 0.6 - 0.6 * nz as f32 - 0.3 * i as f32 / nx as f32;
    let distance: Option<Vec<f32>> = open.then(|| cells.iter().map(|&cell| height(cell)).collect());
    let kinds = (0..cells.len()).map(|at| match &distance {
        _ if random.below(7) == 0 => Cell::Solid,
        Some(distance) if distance[at] >= 0.0 => Cell::Air,
        _ => Cell::Fluid,
    });
    let kinds = kinds.collect();
    Scene { size, kinds, distance, velocity: faces(size, &mut random) }
}

impl Scene {
    fn exact<'a>(&'a self, distance: Option<&'a [f64]>) -> Cells<'a> {
        let size = self.size.map(|n| n as usize);
        Cells { size, kinds: &self.kinds, distance, least_depth: f64::from(Settings::default().least_depth) }
    }

    fn distance(&self) -> Option<Vec<f64>> {
        Some(self.distance.as_ref()?.iter().map(|&d| f64::from(d)).collect())
    }

    fn start(&self, gpu: &Gpu, settings: Settings) -> Result<(Projection, Faces)> {
        let mut projection = Projection::new(gpu, self.size, settings)?;
        projection.set_cells(&self.kinds)?;
        if let Some(distance) = &self.distance {
            let voxels = projection.voxels();
            let surface = projection.algebra().vector(voxels.layout(), &voxels.spread(distance)?)?;
            projection.set_surface(&surface)?;
        }
        let mut velocity = projection.faces()?;
        velocity.set([&self.velocity[0], &self.velocity[1], &self.velocity[2]])?;
        Ok((projection, velocity))
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The divergence in f64 of the velocity as it is in f32.
fn divergence(cells: &Cells, velocity: &Faces) -> Result<Vec<f64>> {
    Ok(cells.divergence(&wide(&velocity.get()?)))
}

/// Iterations of the same conjugate gradients in f64.
fn iterations_in_f64(matrix: &Csr, right: &[f64], tolerance: f64) -> usize {
    jacobi_cg(matrix, right, None, tolerance, 5000).iterations
}

/// That ‖∇·u‖ falls by the factor, and how many iterations that took here and in f64.
fn check(gpu: &Gpu, scene: &Scene, settings: Settings) -> Result<(usize, usize)> {
    let distance = scene.distance();
    let cells = scene.exact(distance.as_deref());
    let (mut projection, mut velocity) = scene.start(gpu, settings)?;
    let mut walls = wide(&scene.velocity);
    let still = [0, 1, 2].map(|axis| vec![0.0; walls[axis].len()]);
    cells.enforce(&mut walls, &still);
    let before = cells.divergence(&walls);
    let outcome = projection.project(&mut velocity)?;
    let after = norm(&divergence(&cells, &velocity)?);
    let bound = left_at_most(&before, &settings, &outcome, &velocity)?;
    assert!(after <= bound, "{:?}: {after:e} of {:e}, {outcome:?}", scene.size, norm(&before));
    let right: Vec<f64> = before.iter().map(|d| -d).collect();
    Ok((outcome.iterations, iterations_in_f64(&cells.matrix()?, &right, settings.tolerance.into())))
}

/// The divergence that may be left: the tolerance's part of it, by the iteration's own recursion, which each iteration takes
/// further from the truth by the roundings of a product of 8 terms and of two sums; and in each cell those of six velocities,
/// once in the last gradient and once in the sums that made the right side.
fn left_at_most(before: &[f64], settings: &Settings, outcome: &Outcome, velocity: &Faces) -> Result<f64> {
    let asked = f64::from(settings.tolerance) + 12.0 * U * outcome.iterations as f64;
    let rounding = 12.0 * U * 2.0 * (before.len() as f64).sqrt() * largest(&velocity.get()?);
    Ok(asked * norm(before) + rounding)
}

fn largest(faces: &[Vec<f32>; 3]) -> f64 {
    faces.iter().flatten().fold(1.0, |largest, v| largest.max(f64::from(v.abs())))
}

const SIZES: [[u32; 3]; 6] = [[1, 1, 1], [3, 1, 2], [5, 7, 3], [11, 13, 7], [16, 16, 16], [31, 9, 17]];

#[test]
fn divergence_falls_by_the_factor_asked_for_in_as_many_iterations_as_in_f64() -> Result<()> {
    on_gpu(|gpu| {
        for (size, open, tolerance) in SIZES.into_iter().flat_map(|size| {
            [true, false]
                .into_iter()
                .flat_map(move |open| [1e-1, 1e-4].map(|tolerance| (size, open, tolerance)))
        }) {
            let scene = scene(size, open, 7);
            for preconditioning in ALL {
                let settings = Settings { tolerance, preconditioning, ..Settings::default() };
                let (found, in_f64) = check(gpu, &scene, settings)?;
                let most = in_f64 as f64 * 1.1 + 2.0;
                assert!(
                    found as f64 <= most,
                    "{size:?} {open} {preconditioning:?}: {found}, {in_f64} in f64"
                );
            }
        }
        Ok(())
    })
}

#[test]
fn multigrid_takes_less_than_half_of_the_iterations_of_the_diagonal() -> Result<()> {
    on_gpu(|gpu| {
        for open in [true, false] {
            let scene = scene([32, 32, 32], open, 3);
            let of = |preconditioning| {
                let settings = Settings { preconditioning, ..Settings::default() };
                Ok(check(gpu, &scene, settings)?.0)
            };
            let (diagonal, multigrid) = (of(BOTH[0])?, of(BOTH[1])?);
            assert!(2 * multigrid <= diagonal, "{multigrid} against {diagonal}");
        }
        Ok(())
    })
}

/// A solve that takes as many iterations as the last one ends with them, and not two iterations later, each with its cycle of 13 passes; one
/// that takes more, because the last one began with its answer, looks at each. What is found has the same bits.
#[test]
fn a_projection_like_the_last_one_makes_no_late_iterations() -> Result<()> {
    on_gpu(|gpu| {
        let scene = scene([16, 16, 16], true, 5);
        let (mut projection, mut velocity) = scene.start(gpu, Settings::default())?;
        projection.matrix()?;
        let zeros = projection.pressure().try_clone()?;
        let [u, v, w] = &scene.velocity;
        let mut run = |from: &Vector| -> Result<(Vector, Outcome, u64)> {
            velocity.set([u, v, w])?;
            projection.set_pressure(from)?;
            let before = gpu.counters().passes;
            let outcome = projection.project(&mut velocity)?;
            Ok((projection.pressure().try_clone()?, outcome, gpu.counters().passes - before))
        };
        let (p, first, passes) = run(&zeros)?;
        let (again, second, fewer) = run(&zeros)?;
        let (_, short, _) = run(&p)?;
        let (last, third, looking) = run(&zeros)?;
        assert!(first.iterations > 2 && short.iterations < 2, "{first:?}, {short:?}");
        assert!(passes >= fewer + 2 * 13 && (passes - fewer).is_multiple_of(2), "{passes}, {fewer}");
        assert!(looking > fewer, "{looking}, {fewer}");
        for (p_then, outcome) in [(again, second), (last, third)] {
            assert_eq!((p_then.get()?, &outcome.history), (p.get()?, &first.history));
            assert_eq!((outcome.iterations, outcome.reason), (first.iterations, first.reason));
        }
        Ok(())
    })
}

/// The bound of the size that a film studio solved. Takes half a minute on a CPU:
/// `cargo test --release -p quadrille --test sim million_voxels -- --ignored --nocapture`
#[test]
#[ignore = "a million voxels: half a minute on a CPU"]
fn a_million_voxels_are_projected() -> Result<()> {
    on_gpu(|gpu| {
        for open in [true, false] {
            let scene = scene([100, 100, 100], open, 1);
            let mut found = Vec::new();
            for preconditioning in BOTH {
                let settings = Settings { preconditioning, ..Settings::default() };
                let (iterations, in_f64) = check(gpu, &scene, settings)?;
                assert!(iterations as f64 <= 1.1 * in_f64 as f64 + 2.0, "{iterations}, {in_f64} in f64");
                found.push(iterations);
                println!("open {open} {preconditioning:?}: {iterations}, {in_f64} in f64");
            }
            assert!(2 * found[1] <= found[0]);
        }
        Ok(())
    })
}

/// The matrix as a pass makes it from kinds and distances, against the one in f64.
#[test]
fn the_diagonal_is_made_on_the_gpu_as_in_f64() -> Result<()> {
    on_gpu(|gpu| {
        for size in SIZES {
            for open in [true, false] {
                let scene = scene(size, open, 11);
                let distance = scene.distance();
                let expected = scene.exact(distance.as_deref()).matrix()?.diagonal();
                let (mut projection, _) = scene.start(gpu, Settings::default())?;
                let voxels = projection.voxels();
                let found = voxels.collect(&projection.matrix()?.main_diagonal().get()?);
                for (found, expected) in found.into_iter().zip(expected) {
                    // A difference, two quotients of 2.5 ulp each, and a sum of six.
                    let bound = 12.0 * U * expected;
                    assert!((f64::from(found) - expected).abs() <= bound, "{size:?}: {found}, {expected}");
                }
            }
        }
        Ok(())
    })
}

#[test]
fn faces_of_walls_have_the_velocity_of_the_wall_to_the_bit() -> Result<()> {
    on_gpu(|gpu| {
        let scene = scene([9, 6, 7], true, 5);
        let distance = scene.distance();
        let cells = scene.exact(distance.as_deref());
        let moved = faces(scene.size, &mut Random(6));
        let still = [0, 1, 2].map(|axis| vec![0.0; moved[axis].len()]);
        for (solid, moving) in [(still, false), (moved, true)] {
            let (mut projection, mut velocity) = scene.start(gpu, Settings::default())?;
            let mut walls = projection.faces()?;
            walls.set([&solid[0], &solid[1], &solid[2]])?;
            projection.set_walls(moving.then_some(walls))?;
            projection.project(&mut velocity)?;
            let found = wide(&velocity.get()?);
            let mut kept = found.clone();
            cells.enforce(&mut kept, &wide(&solid));
            assert_eq!(found, kept);
        }
        Ok(())
    })
}

/// Rooms without air behind walls that move: what they force stays, the rest goes.
#[test]
fn pockets_behind_moving_walls_keep_what_is_forced_on_them_and_nothing_else() -> Result<()> {
    on_gpu(|gpu| {
        for (open, preconditioning) in [(true, BOTH[0]), (true, BOTH[1]), (false, BOTH[0]), (false, BOTH[1])]
        {
            let mut scene = scene([12, 7, 9], open, 8);
            // Two walls across the box: three rooms.
            for k in 0..9 {
                for j in 0..7 {
                    for i in [3, 8] {
                        scene.kinds[(k * 7 + j) * 12 + i] = Cell::Solid;
                    }
                }
            }
            let distance = scene.distance();
            let cells = scene.exact(distance.as_deref());
            let solid = faces(scene.size, &mut Random(9));
            let settings = Settings { preconditioning, ..Settings::default() };
            let (mut projection, mut velocity) = scene.start(gpu, settings)?;
            let mut walls = projection.faces()?;
            walls.set([&solid[0], &solid[1], &solid[2]])?;
            projection.set_walls(Some(walls))?;
            let outcome = projection.project(&mut velocity)?;
            assert!(outcome.residual() <= 1e-4, "{outcome:?}");
            let forced = cells.forced(&wide(&solid));
            assert!(open || norm(&forced) > 0.1);
            let beside =
                |all: Vec<f64>| -> Vec<f64> { all.iter().zip(&forced).map(|(d, f)| d - f).collect() };
            let mut walls = wide(&scene.velocity);
            cells.enforce(&mut walls, &wide(&solid));
            let right = beside(cells.divergence(&walls));
            let left = norm(&beside(divergence(&cells, &velocity)?));
            let bound = left_at_most(&right, &settings, &outcome, &velocity)?;
            assert!(left <= bound, "{left:e}, bound {bound:e}");
        }
        Ok(())
    })
}

#[test]
fn a_second_projection_starts_from_the_first_and_has_little_left_to_do() -> Result<()> {
    on_gpu(|gpu| {
        for preconditioning in ALL {
            let settings = Settings { preconditioning, ..Settings::default() };
            let scene = scene([12, 10, 9], true, 2);
            let iterations = |settings: Settings| -> Result<[usize; 2]> {
                let (mut projection, mut velocity) = scene.start(gpu, settings)?;
                let first = projection.project(&mut velocity)?.iterations;
                velocity.set([&scene.velocity[0], &scene.velocity[1], &scene.velocity[2]])?;
                Ok([first, projection.project(&mut velocity)?.iterations])
            };
            let [cold, again] = iterations(Settings { warm_start: false, ..settings })?;
            assert_eq!(cold, again);
            let [first, warm] = iterations(settings)?;
            assert!(first == cold && warm <= 1, "{preconditioning:?}: {warm} after {first}");
        }
        Ok(())
    })
}

#[test]
fn the_same_projection_has_the_same_bits() -> Result<()> {
    on_gpu(|gpu| {
        let scene = scene([9, 8, 11], true, 4);
        let once = || -> Result<[Vec<f32>; 3]> {
            let (mut projection, mut velocity) = scene.start(gpu, Settings::default())?;
            projection.project(&mut velocity)?;
            velocity.get()
        };
        assert_eq!(once()?, once()?);
        Ok(())
    })
}

#[test]
fn old_cards_project_too() -> Result<()> {
    for card in [Limits::RADEON_9700, Limits::GEFORCE_FX, Limits { texture_size: 24, ..Limits::GEFORCE_6800 }]
    {
        on_card(card, |gpu| {
            for open in [true, false] {
                let scene = scene([9, 8, 7], open, 1);
                for preconditioning in ALL {
                    check(gpu, &scene, Settings { preconditioning, ..Settings::default() })?;
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}

#[test]
fn wrong_numbers_and_other_boxes_are_refused() -> Result<()> {
    on_gpu(|gpu| {
        let line =
            refusal(Projection::new(gpu, [4, 4, 4], Settings { tolerance: 0.0, ..Settings::default() }));
        assert_eq!(line, "tolerance = 0: expected 0.0000001 to 0.1");
        let line = refusal(Projection::new(gpu, [4, 0, 4], Settings::default()));
        assert_eq!(line, "box of 4x0x4 voxels: size 4x0 has no elements");
        let mut projection = Projection::new(gpu, [4, 4, 4], Settings::default())?;
        let line = refusal(projection.set_cells(&[Cell::Fluid; 63]));
        assert_eq!(line, "field of voxels: 63 values given, 64 expected (4x4x4)");
        let mut other = Projection::new(gpu, [4, 4, 5], Settings::default())?.faces()?;
        let line = refusal(projection.project(&mut other));
        assert!(line.starts_with("velocity on faces: "), "{line}");
        Ok(())
    })
}
