use super::*;
use crate::gl::{Limits, Options};
use crate::numeric::Random;
use crate::sim::nbody::Body;

const SOFTENING: f32 = 0.05;

/// The force texture of one row of the folded array of up to 1024² bodies, drawn on four targets.
const LEAST: u64 = 64 * 1024;

fn cloud(bodies: usize) -> Vec<Body> {
    let mut random = Random(7);
    let mut place = || [0; 3].map(|_| f64::from(random.signed()));
    (0..bodies).map(|_| Body { position: place(), mass: 1.0 / bodies as f64, ..Body::default() }).collect()
}

/// Σ m d / s³ at a place, and −Σ m / s, with s² = |d|² + ε²; d = 0 counts nothing.
fn in_f64(bodies: &[Body], place: [f64; 3]) -> ([f64; 3], f64) {
    let (mut acceleration, mut potential) = ([0.0; 3], 0.0);
    for body in bodies {
        let d = [0, 1, 2].map(|k| body.position[k] - place[k]);
        let squared = d.iter().map(|d| d * d).sum::<f64>();
        if squared > 0.0 {
            let s = (squared + f64::from(SOFTENING).powi(2)).sqrt();
            potential -= body.mass / s;
            acceleration.iter_mut().zip(d).for_each(|(sum, d)| *sum += body.mass / (s * s * s) * d);
        }
    }
    (acceleration, potential)
}

/// Pulls all bodies at those of one row of the array, and compares with f64 at some of them.
fn one_row(gpu: &Gpu, forces: Forces, bodies: usize, bytes: u64) -> Result<()> {
    let fold = Fold::near_square(bodies, gpu.limits().texture_size)?;
    let cloud = cloud(bodies);
    let texels: Vec<f32> = cloud
        .iter()
        .flat_map(|body| [body.position[0], body.position[1], body.position[2], body.mass].map(|v| v as f32))
        .collect();
    let positions = gpu.array(bodies).components(4).init(&texels)?;
    let accelerations = gpu.array(bodies).components(4).build()?;
    let mut pulls = Pulls::new(gpu, fold, forces, bytes, Precision::Float32)?;
    let rows = pulls.plan.tile_rows * pulls.plan.targets;
    let row = rows * (fold.height / 2 / rows);
    let ended =
        pulls.run_rows(Pulled::Potentials, &positions, SOFTENING, &accelerations, row, &mut || {
            ControlFlow::Continue(())
        })?;
    assert!(ended.is_continue());
    let found = accelerations.data_of(Rect::new(0, row, fold.width, row + 1))?;
    for column in (0..fold.width as usize).step_by(97) {
        let place = cloud[row as usize * fold.width as usize + column].position;
        let (acceleration, potential) = in_f64(&cloud, place);
        let found = &found[4 * column..4 * column + 4];
        // A pull is right to 32 roundings of 2⁻²⁴ (see the tests of `sim`), and no number goes through more additions than
        // a row and a column of the array are long, and what a reduction and some tiles add. All pulls together are at
        // most the potential over 2ε, since d / s² ≤ 1 / 2ε.
        let roundings = f64::from(32 + fold.width + fold.height + 32);
        let bound = roundings * 2f64.powi(-24) * -potential / f64::from(2.0 * SOFTENING).min(1.0);
        assert!((f64::from(found[3]) - potential).abs() <= bound, "{forces:?} {bodies}");
        for (found, expected) in found.iter().zip(acceleration) {
            assert!((f64::from(*found) - expected).abs() <= bound, "{forces:?} {bodies}: {found} {expected}");
        }
    }
    Ok(())
}

/// 262 145 bodies take a fragment that went through all of them 66 000 iterations, four bodies each.
#[test]
fn more_bodies_than_a_loop_may_have_iterations_pull() -> Result<()> {
    let gpu = Gpu::headless()?;
    for bodies in [32_768, 65_537, 70_001, 262_145] {
        one_row(&gpu, Forces::Tiled, bodies, LEAST)?;
    }
    Ok(())
}

/// The forces on 530 of 70 001 bodies, on a card whose textures end at 600: 122 tiles of 576 rows.
#[test]
fn a_matrix_wider_and_higher_than_a_texture_is_drawn_in_tiles() -> Result<()> {
    let limits = Limits { name: "small textures", texture_size: 600, ..Limits::GEFORCE_6800 };
    let gpu = Gpu::headless_with(Options { limits: Some(limits), ..Options::default() })?;
    one_row(&gpu, Forces::Matrix, 32_768, 256 << 20)?;
    one_row(&gpu, Forces::Matrix, 70_001, 256 << 20)
}
