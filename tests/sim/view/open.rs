//! How much of the sky is open to faces of boxes and to the ground.

use quadrille::{Gpu, Program, Result, kernels};

use super::vec3::{NEAR, Vec3};
use super::{Field, Pixel, Rounding, check, domain, mix, wide};
use crate::support::{Random, on_gpu};

const WAYS: usize = 16;

/// Texels along a side of a tile, of a face and of the ground, and boxes.
const TILE: u32 = 5;
const FACE: u32 = 3;
const FLOOR: u32 = 13;
const BOXES: u32 = 4;

/// Nearer to a depth of the map, a place may lie on either side of it.
const CLOSE: f64 = 1e-4;

/// Ways whose rows take places between -2 and 2 to anywhere in a tile and a little beyond it, and depths of all.
struct Sky {
    ways: Vec<[f32; 4]>,
    depths: Field<1>,
}

const OFFSET: f32 = 0.0625;

impl Sky {
    fn new() -> Sky {
        let mut random = Random(5);
        let ways = (0..3 * WAYS).map(|_| [0.4f32; 4].map(|most| most * random.signed())).collect();
        Sky { ways, depths: Field::random([4 * TILE; 2], 6, -1.0, 1.0) }
    }

    fn bind(&self, gpu: &Gpu, program: &mut Program) -> Result<()> {
        program
            .bind_stream("skies", &self.depths.buffer(gpu)?)?
            .bind_constant("ways", &self.ways[..])?
            .bind_float("offset", OFFSET)?;
        Ok(())
    }

    /// The open part; `None` so near to a depth that either may be.
    fn open(&self, place: Vec3, normal: Vec3, rounding: &Rounding) -> Option<f64> {
        let p = place + normal * f64::from(OFFSET);
        let row = |n: usize| {
            let [x, y, z, w] = wide(self.ways[n]);
            rounding.of(Vec3(x, y, z).dot(p) + w, NEAR)
        };
        let (mut sum, mut all) = (0.0, 1e-6);
        for k in 0..WAYS {
            let [x, y, z, _] = self.ways[3 * k + 2];
            let facing = (-Vec3::of([x, y, z]).dot(normal)).max(0.0);
            let deep = row(3 * k + 2);
            let tile = [k % 4, k / 4].map(|n| n as f64 * f64::from(TILE));
            let texel = [0, 1].map(|n| {
                let at = (row(3 * k + n) * 0.5 + 0.5) * f64::from(TILE) - 0.5;
                at.clamp(0.0, f64::from(TILE) - f64::from(1.001f32))
            });
            let mut lit = 0.0;
            for (i, j) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
                let [stored] = self.depths.at([0, 1].map(|n| tile[n] + texel[n].floor() + [i, j][n] + 0.5));
                if facing > 0.0 && (stored - deep).abs() < CLOSE {
                    return None;
                }
                let weight = |n: usize, high: f64| {
                    let part = texel[n] - texel[n].floor();
                    mix(1.0 - part, part, high)
                };
                lit += weight(0, i) * weight(1, j) * if stored >= deep { 1.0 } else { 0.0 };
            }
            all += facing;
            sum += facing * lit;
        }
        Some(sum / all)
    }
}

fn pixel(open: Option<f64>) -> Pixel<1> {
    open.map_or(Pixel::Edge, |open| Pixel::Is([open]))
}

#[test]
fn the_ground_sees_the_sky_along_all_ways_that_nothing_hides() -> Result<()> {
    on_gpu(|gpu| {
        let sky = Sky::new();
        let ground = [0.3f32, -0.2, 0.4, 1.5];
        let mut program = gpu.load(kernels::named("view/box_open.frag")?.define("GROUND", 1))?;
        sky.bind(gpu, &mut program)?;
        let target = gpu.buffer(FLOOR, FLOOR).components(1).build()?;
        program.bind_float("ground", ground)?.bind_domain("at", domain([-1.0; 2], [1.0; 2]))?.run(&target)?;
        let [x, y, z, half] = wide(ground);
        check("ground", &target.data()?, (1e-5, 0.05), |rounding, i| {
            let [u, v] = [i as u32 % FLOOR, i as u32 / FLOOR]
                .map(|n| (f64::from(n) + 0.5) / f64::from(FLOOR) * 2.0 - 1.0);
            let place = Vec3(x + half * u, y, z + half * v).off(rounding, NEAR);
            pixel(sky.open(place, Vec3(0.0, 1.0, 0.0), rounding))
        });
        Ok(())
    })
}

#[test]
fn a_texel_of_a_face_sees_the_sky_before_its_face_alone() -> Result<()> {
    on_gpu(|gpu| {
        let sky = Sky::new();
        let mut random = Random(9);
        let placements = Field::new([4, BOXES], |column, _| {
            let mut four = [0.0f32; 4].map(|_| random.signed());
            match column {
                1 => {
                    let length = four.iter().map(|x| x * x).sum::<f32>().sqrt();
                    four = four.map(|x| x / length);
                }
                2 => four = four.map(|x| 0.3 + 0.5 * x.abs()),
                _ => {}
            }
            four
        });
        let mut program = gpu.load(kernels::named("view/box_open.frag")?.define("GROUND", 0))?;
        sky.bind(gpu, &mut program)?;
        let target = gpu.buffer(6 * FACE, BOXES * FACE).components(1).build()?;
        program
            .bind_stream("placements", &placements.buffer(gpu)?)?
            .bind_float("texels", FACE as f32)?
            .run(&target)?;
        check("faces", &target.data()?, (1e-5, 0.05), |rounding, i| {
            let [column, row] = [i as u32 % (6 * FACE), i as u32 / (6 * FACE)];
            let (face, block) = (column / FACE, f64::from(row / FACE));
            let on = [column % FACE, row % FACE].map(|n| (f64::from(n) + 0.5) / f64::from(FACE) * 2.0 - 1.0);
            let side = if face % 2 == 0 { -1.0 } else { 1.0 };
            let (corner, normal) = match face / 2 {
                0 => (Vec3(side, on[0], on[1]), Vec3(side, 0.0, 0.0)),
                1 => (Vec3(on[1], side, on[0]), Vec3(0.0, side, 0.0)),
                _ => (Vec3(on[0], on[1], side), Vec3(0.0, 0.0, side)),
            };
            let [middle, turn, half] = [0.5, 1.5, 2.5].map(|at| placements.at([at, block]));
            let turned = |v: Vec3| {
                let [x, y, z, w] = turn;
                let across = |a: Vec3, b: Vec3| {
                    Vec3(a.1 * b.2 - a.2 * b.1, a.2 * b.0 - a.0 * b.2, a.0 * b.1 - a.1 * b.0)
                };
                let u = Vec3(x, y, z);
                v + across(u, across(u, v) + v * w) * 2.0
            };
            let own = Vec3(corner.0 * half[0], corner.1 * half[1], corner.2 * half[2]);
            let place = (Vec3(middle[0], middle[1], middle[2]) + turned(own)).off(rounding, NEAR);
            pixel(sky.open(place, turned(normal), rounding))
        });
        Ok(())
    })
}
