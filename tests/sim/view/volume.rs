//! Rays through a box of nothing but air or water, against the formula in f64.

use quadrille::pug::Prelude;
use quadrille::{Gpu, Result, kernels};

use crate::support::on_gpu;

/// Voxels along a side of a cube.
const SIDE: f32 = 8.0;
/// A tile of the floor between its lines, and its colour in full light.
const FLOOR: [f32; 2] = [4.5, 4.5];
const TILE: [f64; 3] = [0.62, 0.64, 0.63];
/// The exponents of what a box's length of water keeps of each colour, and the colour of deep water.
const KEEPS: [f64; 3] = [4.6, 1.15, 0.60];
const OWN: [f64; 3] = [0.0, 0.10, 0.17];
/// To the sun.
const SUN: [f64; 3] = [-0.45, 0.35, 0.82];

/// The light of the ray from an eye to [`FLOOR`], in a box of so many slices of 8 x 8 voxels. Each slice has its distance from water.
fn looked_down(gpu: &Gpu, eye: [f32; 3], slices: u32, phi: impl Fn(u32) -> f32) -> Result<Vec<f32>> {
    looked_down_at(gpu, eye, slices, |[_, _, slice]| phi(slice))
}

/// The same of a distance for each voxel.
fn looked_down_at(gpu: &Gpu, eye: [f32; 3], slices: u32, phi: impl Fn([u32; 3]) -> f32) -> Result<Vec<f32>> {
    let march = kernels::named("view/volume_march.frag")?.with(Prelude::Voxels);
    let mut program = gpu.load(march.define("SMOKE", 0).define("REFINED", 0))?;
    let target = gpu.buffer(1, 1).components(4).build()?;
    // Eight texels a side, in rows of 32 slices; a texel has its voxel, the next, and those of the next row.
    let (across, rows) = (32, slices.div_ceil(32));
    let texels = (0..rows * 8 * across * 8).flat_map(|i| {
        let slice = i / (across * 64) * across + i % (across * 8) / 8;
        let (x, y) = (i % 8, i / (across * 8) % 8);
        [(0, 0), (1, 0), (0, 1), (1, 1)]
            .map(|(right, down)| phi([(x + right).min(7), (y + down).min(7), slice]))
    });
    let field = gpu.buffer(across * 8, rows * 8).components(4).init(&texels.collect::<Vec<_>>())?;
    program
        .bind_stream("field", &field)?
        .bind_float("tiles", [4.0, 4.0, across as f32])?
        .bind_float("size", [SIDE, SIDE, slices as f32])?
        .bind_float("eye", eye)?
        .bind_float("upper_left", [FLOOR[0] - eye[0], FLOOR[1] - eye[1], -eye[2]])?
        .bind_float("across", [0.0; 3])?
        .bind_float("down", [0.0; 3])?
        .bind_domain("place", target.rect())?
        .run(&target)?;
    target.data()
}

fn is_close(found: &[f32], rgb: [f64; 3], off: f64) -> bool {
    (0..3).all(|n| (f64::from(found[n]) - rgb[n]).abs() <= off)
}

/// The edges of the box are drawn before its contents, but not before an eye that is in it, too.
#[test]
fn an_eye_within_the_box_sees_no_edge_before_itself() -> Result<()> {
    on_gpu(|gpu| {
        // Beside the upper edge at x = 0, and the same far outside. Sixteen roundings of numbers below 1.
        let within = looked_down(gpu, [0.02, 4.5, 7.98], 8, |_| 5.0)?;
        assert!(is_close(&within, TILE, 1e-6) && within[3] == 1.0, "{within:?}");
        let outside = looked_down(gpu, [-4.46, 4.5, 15.96], 8, |_| 5.0)?;
        assert!(!is_close(&outside, TILE, 0.02), "no edge before the box: {outside:?}");
        // Where the distance is 0 there is no water yet.
        let dry = looked_down(gpu, [4.5, 4.5, 7.5], 8, |_| 0.0)?;
        assert!(is_close(&dry, TILE, 1e-6), "{dry:?}");
        Ok(())
    })
}

/// In a box full of water: exp(-k s) of the floor's light over the whole way s, and the water's own colour for the rest. The sun's light is
/// less by its own way through the water.
#[test]
fn an_eye_in_the_water_sees_the_floor_through_all_of_it() -> Result<()> {
    on_gpu(|gpu| {
        let side = f64::from(SIDE);
        let length = SUN.iter().map(|x| x * x).sum::<f64>().sqrt();
        // Out of the side at x = 0, the far one at y, or the top.
        let out = [4.5 / 0.45, (side - 4.5) / 0.35, side / 0.82].into_iter().fold(f64::INFINITY, f64::min);
        let lit = 0.35 + 0.65 * (-1.2 * out * length / side).exp();
        for eye in [[0.3f32, 4.5, 7.5], [4.5, 4.5, 6.1], [2.2, 1.7, 3.0], [4.5, 4.5, 1.0]] {
            let way = [0, 1, 2].map(|n| f64::from([FLOOR[0], FLOOR[1], 0.0][n]) - f64::from(eye[n]));
            let far = way.iter().map(|x| x * x).sum::<f64>().sqrt();
            // A ray begins 1e-3 voxel before the eye.
            let expected = under_water(far - 1e-3, lit);
            let found = looked_down(gpu, eye, 8, |_| -5.0)?;
            // The ways and exp to a hundred units in the last place.
            assert!(is_close(&found, expected, 1e-5), "{eye:?}: {found:?}, {expected:?}");
        }
        Ok(())
    })
}

/// The floor's light behind so much water.
fn under_water(far: f64, lit: f64) -> [f64; 3] {
    let kept = KEEPS.map(|k| (-k * far / f64::from(SIDE)).exp());
    [0, 1, 2].map(|n| TILE[n] * (0.25 + 0.75 * lit) * kept[n] + OWN[n] * (1.0 - kept[n]))
}

/// The sun's light comes to the floor through a surface that gathers it under a crest and spreads it under a hollow.
#[test]
fn a_bent_surface_gathers_the_sun_on_the_floor_or_spreads_it() -> Result<()> {
    const UP: u32 = 16;
    let unit = {
        let length = SUN.iter().map(|x| x * x).sum::<f64>().sqrt();
        SUN.map(|x| x / length)
    };
    on_gpu(|gpu| {
        let (mut seen, last) = (Vec::new(), 7.0);
        for bend in [0.0f32, 0.06, -0.05, 0.4, -0.5] {
            // Where the way to the sun leaves the water, about.
            let phi = |[x, y, z]: [u32; 3]| {
                let [x, y, z] = [x, y, z].map(|n| n as f32 + 0.5);
                z - 4.3 + bend * ((x - 2.4) * (x - 2.4) + (y - 6.0) * (y - 6.0))
            };
            // Between voxels.
            let at = |p: [f64; 3]| {
                let within = p.map(|x| (x - 0.5).clamp(0.0, last));
                let mut sum = 0.0;
                for corner in 0..8 {
                    let high = [0, 1, 2].map(|n| corner >> n & 1 == 1);
                    let voxel =
                        [0, 1, 2].map(|n| (within[n].floor() + f64::from(u8::from(high[n]))).min(last));
                    let part = [0, 1, 2].map(|n| within[n] - within[n].floor());
                    let weight: f64 = (0..3).map(|n| if high[n] { part[n] } else { 1.0 - part[n] }).product();
                    sum += weight * f64::from(phi(voxel.map(|x| x as u32)));
                }
                sum
            };
            let floor = [f64::from(FLOOR[0]), f64::from(FLOOR[1]), 0.0];
            let side = f64::from(SIDE);
            let out = [4.5 / -unit[0], (side - 4.5) / unit[1], side / unit[2]]
                .into_iter()
                .fold(f64::INFINITY, f64::min);
            let stride = out / f64::from(UP);
            let along = |far: f64| [0, 1, 2].map(|n| floor[n] + far * unit[n]);
            let wet = (0..UP).map(|i| (f64::from(i) + 0.5) * stride).filter(|&far| at(along(far)) < 0.0);
            let (count, top) = wet.fold((0.0, 0.0), |(count, _), far| (count + 1.0, far));
            let depth = count * stride;
            let [inside, outside] = [top, top + stride].map(|far| at(along(far)));
            let q = along(top + (inside / (inside - outside)).clamp(0.0, 1.0) * stride);
            let around = [[1.5, 0.0], [-1.5, 0.0], [0.0, 1.5], [0.0, -1.5]];
            let bent = around.map(|[x, y]| at([q[0] + x, q[1] + y, q[2]])).iter().sum::<f64>() - 4.0 * at(q);
            let gathered = (1.0 + 0.25 * depth * bent / 2.25).clamp(0.45, 2.2);
            let lit = 0.35 + 0.65 * gathered * (-1.2 * depth / side).exp();
            let found = looked_down_at(gpu, [FLOOR[0], FLOOR[1], 1.0], 8, phi)?;
            let expected = under_water(1.0 - 1e-3, lit);
            // The ways and exp to a hundred units in the last place.
            assert!(is_close(&found, expected, 1e-5), "{bend}: {found:?}, {expected:?}");
            seen.push(gathered);
        }
        // None, some of both, and as much as there may be of both.
        let expected = [seen[0] == 1.0, seen[1] > 1.1, seen[2] < 0.9, seen[3] == 2.2, seen[4] == 0.45];
        assert!(seen[1] < 2.2 && seen[2] > 0.45 && expected == [true; 5], "{seen:?}");
        Ok(())
    })
}

/// However far above the water the eye is, as long as a ray has the steps: of two voxels, of a hundredth of a long box, or of the least
/// length beside the surface, of which there are 256.
#[test]
fn water_far_below_looks_as_it_does_from_near() -> Result<()> {
    on_gpu(|gpu| {
        type Case<'a> = (u32, f32, [f32; 2], &'a dyn Fn(u32) -> f32);
        let far_away = |slice: u32| (slice as f32 - 300.0).clamp(-5.0, 100.0);
        let close_by = |slice: u32| if slice < 30 { -0.25 } else { 0.25 };
        let shapes: [Case; 2] =
            [(1000, 300.5, [80.0, 690.0], &far_away), (100, 30.0, [21.1, 51.1], &close_by)];
        for (slices, level, [near, far], phi) in shapes {
            let of = |above: f32| looked_down(gpu, [FLOOR[0], FLOOR[1], level + above], slices, phi);
            let (near, far) = (of(near)?, of(far)?);
            // The surface is found to a voxel's 1e-3, over which the light changes by less.
            let same = near.iter().zip(&far).all(|(near, far)| (near - far).abs() <= 1e-3);
            assert!(same, "{slices}: {near:?}, {far:?}");
            let dry = looked_down(gpu, [FLOOR[0], FLOOR[1], level + 20.0], slices, |_| 5.0)?;
            assert!(
                far.iter().zip(&dry).any(|(far, dry)| (far - dry).abs() > 0.05),
                "{slices}: {far:?}, {dry:?}"
            );
        }
        Ok(())
    })
}
