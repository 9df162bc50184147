//! The pass that develops a canvas into a picture: texels of light, or of places on the water that it lights first.

use quadrille::pug::{Domain, Precision};
use quadrille::{Gpu, Program, Result, kernels};

use super::faces::splined;
use super::vec3::{NEAR, Vec3};
use super::{Field, Pixel, Rounding, U, check};
use crate::support::{Random, on_gpu};

/// A thirtieth of what a screen of 8 bits tells apart.
const TOLD: f64 = 1.0 / 8192.0;

/// Error of a logarithm of two, by which drivers make powers.
const LOGARITHM: f64 = 1.0 / (1u64 << 15) as f64;

/// The first second number of a wall, and those from one side to the next.
const WALL: u32 = 49152;
const SIDE: u32 = 4096;

/// The texels of a picture's pixels, `samples` along each side of them, their mean taken, and shown one way up or the other.
struct Canvas<const N: usize> {
    picture: [u32; 2],
    samples: u32,
    texels: Field<N>,
}

impl<const N: usize> Canvas<N> {
    /// One of the texels `block` of pixels in turn, each row by row.
    fn new(picture: [u32; 2], samples: u32, mut block: impl FnMut(usize) -> Vec<[f32; N]>) -> Canvas<N> {
        let pixels: Vec<Vec<[f32; N]>> = (0..(picture[0] * picture[1]) as usize).map(&mut block).collect();
        let texels = Field::new(picture.map(|side| side * samples), |x, y| {
            let pixel = (y / samples) * picture[0] + x / samples;
            pixels[pixel as usize][((y % samples) * samples + x % samples) as usize]
        });
        Canvas { picture, samples, texels }
    }

    /// The texels of pixel `i`, row by row, and how high it lies.
    fn pixel(&self, i: usize, turned: bool) -> (Vec<[f64; N]>, f64) {
        let [column, row] = [i as u32 % self.picture[0], i as u32 / self.picture[0]];
        let row = if turned { self.picture[1] - 1 - row } else { row };
        let [x, y] = [column, row].map(|n| f64::from(n * self.samples) + 0.5);
        let within = (0..self.samples * self.samples)
            .map(|n| [n % self.samples, n / self.samples].map(f64::from))
            .map(|[u, v]| self.texels.at([x + u, y + v]));
        (within.collect(), (f64::from(row) + 0.5) / f64::from(self.picture[1]))
    }

    /// The picture by the pass, one way up and turned, against the light of the formula and how much of the backdrop it covers.
    fn check(
        &self,
        gpu: &Gpu,
        what: &str,
        (program, precision): (&mut Program, Precision),
        edges: f64,
        light: impl Fn(&Rounding, &[[f64; N]], [f64; 2]) -> Option<[f64; 4]>,
        backdrop: impl Fn(&Rounding, f64) -> Vec3,
    ) -> Result<()> {
        let [width, height] = self.texels.size;
        let canvas = gpu.buffer(width, height).components(4).precision(precision);
        let canvas = canvas.init(self.texels.texels.as_flattened())?;
        let [right, top] = self.texels.size.map(|side| side as f32);
        for turned in [false, true] {
            let (bottom, top) = if turned { (top, 0.0) } else { (0.0, top) };
            let target = gpu.buffer(self.picture[0], self.picture[1]).components(4).build()?;
            program
                .bind_stream("canvas", &canvas)?
                .bind_domain("coords", Domain::new(0.0, bottom, right, top))?
                .run(&target)?;
            check(&format!("{what}, turned: {turned}"), &target.data()?, (TOLD, edges), |rounding, i| {
                let (texels, high) = self.pixel(i, turned);
                let across = (f64::from(i as u32 % self.picture[0]) + 0.5) / f64::from(self.picture[0]);
                let place = [across, high].map(|x| rounding.of(x, NEAR));
                let Some([r, g, b, covered]) = light(rounding, &texels, place) else { return Pixel::Edge };
                let shown = Vec3(r, g, b) + backdrop(rounding, place[1]) * (1.0 - covered);
                let [r, g, b] = [shown.0, shown.1, shown.2].map(|x| encoded(rounding, x));
                Pixel::Is([r, g, b, 1.0])
            });
        }
        Ok(())
    }
}

/// A number of linear light in sRGB (IEC 61966-2-1).
fn encoded(rounding: &Rounding, x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    let x = rounding.of(x, x * LOGARITHM);
    if x < 0.0031308 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 }
}

/// The mean of some texels' light, red, green, blue, and part of the pixel that is covered.
fn mean(lights: &[[f64; 4]]) -> [f64; 4] {
    std::array::from_fn(|n| lights.iter().map(|light| light[n]).sum::<f64>() / lights.len() as f64)
}

/// The backdrop of what is clipped, so high in the picture.
fn clipped(_: &Rounding, high: f64) -> Vec3 {
    Vec3(0.011, 0.013, 0.018).mixed(Vec3(0.045, 0.06, 0.08), high)
}

/// That of what is stretched.
fn stretched(_: &Rounding, _: f64) -> Vec3 {
    Vec3(0.0014, 0.0018, 0.003)
}

fn load(gpu: &Gpu, samples: u32, film: [bool; 2]) -> Result<Program> {
    load_outdoors(gpu, samples, film, false)
}

fn load_outdoors(gpu: &Gpu, samples: u32, [stretched, water]: [bool; 2], sky: bool) -> Result<Program> {
    let kernel = kernels::named("view/picture_develop.frag")?
        .define("STRETCHED", u32::from(stretched))
        .define("WATER", u32::from(water))
        .define("SKY", u32::from(sky))
        .define("SAMPLES", samples);
    gpu.load(kernel)
}

/// Texels of light, some of it beyond what a film takes, and some that cover nothing.
fn lights(picture: [u32; 2], samples: u32, seed: u64, brightest: f32) -> Canvas<4> {
    let mut random = Random(seed);
    Canvas::new(picture, samples, |i| {
        let most = [0.002, 0.1, 1.5, brightest][i % 4];
        let mut texel = || {
            let covered = [0.0, 1.0, random.unit()][(3.0 * random.unit()) as usize % 3];
            [most * random.unit(), most * random.unit(), most * random.unit(), covered]
        };
        (0..samples * samples).map(|_| texel()).collect()
    })
}

#[test]
fn light_is_clipped_texel_by_texel_before_its_mean_is_taken() -> Result<()> {
    on_gpu(|gpu| {
        for (samples, picture) in [(1, [19, 7]), (2, [9, 14]), (3, [8, 5]), (4, [3, 11])] {
            let canvas = lights(picture, samples, 3 + u64::from(samples), 30.0);
            let mut program = load(gpu, samples, [false, false])?;
            let light = |_: &Rounding, texels: &[[f64; 4]], _: [f64; 2]| {
                let clipped: Vec<[f64; 4]> =
                    texels.iter().map(|&[r, g, b, a]| [r.min(1.0), g.min(1.0), b.min(1.0), a]).collect();
                Some(mean(&clipped))
            };
            let what = format!("{samples} samples");
            canvas.check(gpu, &what, (&mut program, Precision::Float32), 0.0, light, clipped)?;
        }
        Ok(())
    })
}

/// Views from above and below, upright and moved up: the sky pales down to the ground's end, a little below the horizon, and stays so.
#[test]
fn a_sky_pales_down_to_where_ways_lead_a_little_down() -> Result<()> {
    on_gpu(|gpu| {
        for (rise, tangent, shift) in
            [(22.0f64, 0.27, 0.0), (5.0, 0.27, 0.1), (60.0, 0.5, -0.2), (-30.0, 0.9, 0.0)]
        {
            let (sine, cosine) = rise.to_radians().sin_cos();
            let view = [-sine, cosine, tangent, shift].map(|v| v as f32);
            let canvas = lights([7, 31], 2, 5, 1.0);
            let mut program = load_outdoors(gpu, 2, [false, false], true)?;
            program.bind_float("view", view)?;
            let light = |_: &Rounding, texels: &[[f64; 4]], _: [f64; 2]| {
                let clipped: Vec<[f64; 4]> =
                    texels.iter().map(|&[r, g, b, a]| [r.min(1.0), g.min(1.0), b.min(1.0), a]).collect();
                Some(mean(&clipped))
            };
            let sky = |rounding: &Rounding, high: f64| {
                let [ahead, up, tangent, shift] = view.map(f64::from);
                let way = (2.0 * high - 1.0 + shift) * tangent;
                let leads = (ahead + up * way) / (1.0 + way * way).sqrt();
                let part = rounding.of((-8.0 * (leads + 0.1).max(0.0)).exp(), LOGARITHM);
                Vec3(0.10, 0.25, 0.55).mixed(Vec3(0.66, 0.62, 0.55), part)
            };
            let what = format!("{rise} degrees");
            canvas.check(gpu, &what, (&mut program, Precision::Float32), 0.0, light, sky)?;
        }
        Ok(())
    })
}

/// The haze at a place: a quadratic B-spline between nine texels.
fn haze_at(haze: &Field<4>, place: [f64; 2]) -> Vec3 {
    splined(haze.size, place).into_iter().fold(Vec3(0.0, 0.0, 0.0), |sum, (texel, weight)| {
        let [r, g, b, _] = haze.at(texel);
        sum + Vec3(r, g, b) * weight
    })
}

#[test]
fn stretched_light_and_its_haze_keep_their_hue_and_pale_near_the_end() -> Result<()> {
    on_gpu(|gpu| {
        let mut random = Random(12);
        let haze =
            Field::<4>::new([5, 3], |x, _| [0.0; 4].map(|_| if x == 2 { 0.0 } else { 0.2 * random.unit() }));
        for (samples, picture, exposure) in [(1, [19, 7], 1.0f32), (2, [11, 14], 0.02), (3, [8, 5], 40.0)] {
            let canvas = lights(picture, samples, 7 + u64::from(samples), 900.0);
            let mut program = load(gpu, samples, [true, false])?;
            program.bind_float("exposure", exposure)?.bind_stream("haze", &haze.buffer(gpu)?)?;
            let light = |rounding: &Rounding, texels: &[[f64; 4]], place: [f64; 2]| {
                let [r, g, b, covered] = mean(texels);
                let light = Vec3(r, g, b) + haze_at(&haze, place);
                let most = light.0.max(light.1).max(light.2);
                let bent = |x: f64| rounding.of((f64::from(exposure) * x).asinh(), LOGARITHM);
                let shown = (bent(most) / bent(400.0)).min(1.0);
                let hue = (light * (1.0 / most.max(1e-6))).mixed(Vec3(1.0, 1.0, 1.0), 0.7 * shown.powi(3));
                let light = hue * shown;
                Some([light.0, light.1, light.2, covered])
            };
            let what = format!("{samples} samples, exposure {exposure}");
            canvas.check(gpu, &what, (&mut program, Precision::Float32), 0.1, light, stretched)?;
        }
        Ok(())
    })
}

const SUN: Vec3 = Vec3(-0.70, 0.55, -0.46);
const DEEP: Vec3 = Vec3(0.004, 0.035, 0.07);
const SHALLOW: Vec3 = Vec3(0.02, 0.22, 0.26);
const BROKEN: Vec3 = Vec3(0.6, 0.0, 0.6);

/// Water and what lights it.
struct Lake {
    /// Height, slopes, wild.
    nodes: Field<4>,
    /// Its sides, in distances of nodes: the last node lies at most one beyond the one before it.
    across: [f32; 2],
    half: [f32; 2],
    eye: [f32; 3],
    relief: f32,
    floor_depth: f32,
    steepness: f32,
}

impl Lake {
    /// The light of a place of its surface.
    fn surface(&self, rounding: &Rounding, place: Vec3, height: f64, slope: [f64; 2]) -> Vec3 {
        let normal = Vec3(-slope[0], 1.0, -slope[1]).unit().off(rounding, NEAR);
        let view = (Vec3::of(self.eye) - place).unit().off(rounding, NEAR);
        let base = |x: f64| rounding.of(x, x * LOGARITHM);
        let facing = normal.dot(view).clamp(0.0, 1.0);
        let fresnel = 0.02 + 0.98 * base(1.0 - facing).powi(5);
        let mut mirrored = (-view).mirrored(normal);
        mirrored.1 = mirrored.1.abs();
        let glint = base(mirrored.dot(SUN).max(0.0));
        let crest = 0.5 + 0.5 * height / (1.0 + height.abs());
        let body = DEEP.mixed(SHALLOW, crest * crest) * (0.45 + 0.9 * normal.dot(SUN).max(0.0));
        let horizon = Vec3(0.72, 0.82, 0.92);
        let sky = horizon.mixed(Vec3(0.10, 0.28, 0.62), mirrored.1.clamp(0.0, 1.0).sqrt());
        body.mixed(sky, fresnel) + Vec3(1.0, 0.93, 0.8) * (3.0 * glint.powi(400) + 0.12 * glint.powi(24))
    }

    /// The light that a film takes of what a texel sees.
    fn light(&self, rounding: &Rounding, [first, second]: [u32; 2]) -> [f64; 4] {
        if second == 0 {
            return [0.0; 4];
        }
        let wall = second.checked_sub(WALL).map(|n| (n / SIDE, f64::from(n % SIDE) / 4095.0));
        let along = f64::from(first) / 65535.0;
        let share = match wall {
            Some((side @ (0 | 1), _)) => [f64::from(side), along],
            Some((side, _)) => [along, f64::from(side - 2)],
            None => [along, f64::from(second - 1) / 49150.0],
        };
        // Shares and their multiples are off by a few roundings; a narrow last row of quads makes that more.
        let mut corner = [0.0; 2];
        let mut part = [0.0; 2];
        for n in 0..2 {
            let (across, last) = (f64::from(self.across[n]), f64::from(self.nodes.size[n] - 2));
            let at = rounding.of(share[n] * across, 4.0 * U * across);
            let at = if at > last { last + (at - last) / (across - last) } else { at };
            corner[n] = at.floor().min(last);
            part[n] = rounding.of(at - corner[n], 2.0 * U * across);
        }
        let node = |x: f64, y: f64| self.nodes.at([corner[0] + x + 0.5, corner[1] + y + 0.5]);
        let (least, most) = (part[0].min(part[1]), part[0].max(part[1]));
        let beside = if part[0] > part[1] { node(1.0, 0.0) } else { node(0.0, 1.0) };
        let corners = [node(0.0, 0.0), beside, node(1.0, 1.0)];
        let between = |of: &dyn Fn([f64; 4]) -> f64| {
            let [a, b, c] = corners.map(of);
            a * (1.0 - most) + b * (most - least) + c * least
        };
        let colour = if let Some((side, deep)) = wall {
            SHALLOW.mixed(DEEP, deep) * if side < 2 { 0.75 } else { 1.0 }
        } else {
            let (relief, depth) = (f64::from(self.relief), f64::from(self.floor_depth));
            let y = between(&|[height, ..]| (relief * height).clamp(-0.9 * depth, 5.0 * depth));
            let [x, z] = [0, 1].map(|n| (2.0 * share[n] - 1.0) * f64::from(self.half[n]));
            let steep = f64::from(self.steepness);
            let slope = [between(&|node| steep * node[1]), between(&|node| steep * node[2])];
            let place = Vec3(x, y, z).off(rounding, NEAR);
            self.surface(rounding, place, between(&|[height, ..]| 4.0 * height), slope)
        };
        let light = colour.mixed(BROKEN, between(&|[.., wild]| wild));
        [light.0.min(1.0), light.1.min(1.0), light.2.min(1.0), 1.0]
    }

    /// The mean light of a pixel's texels; of four that see one plane two are enough. `None` where those are so nearly alike that the
    /// others may be asked or not.
    fn seen(&self, rounding: &Rounding, texels: &[[u32; 2]]) -> Option<[f64; 4]> {
        let lights: Vec<[f64; 4]> = texels.iter().map(|&texel| self.light(rounding, texel)).collect();
        let &[a, b, c, d] = texels else { return Some(mean(&lights)) };
        let plane = (0..2).all(|n| {
            let [a, b, c, d] = [a, b, c, d].map(|texel| f64::from(texel[n]));
            (a + d - b - c).abs() < 0.25 * ((a - d).abs() + (b - c).abs()) + 4.0
        });
        let walls = [a, b, c, d].iter().all(|&[_, second]| second >= WALL);
        let (one, other) = (lights[0], lights[3]);
        // How much nearer to each other than needed the colours are that are least so.
        let spare = (0..3).map(|n| {
            let nearly = 0.0005 + 0.003 * (one[n] + other[n]);
            let most = if walls { 0.02 } else { nearly.min(0.5 - one[n].max(other[n])) };
            most - (one[n] - other[n]).abs()
        });
        let spare = spare.fold(f64::INFINITY, f64::min);
        match plane {
            true if spare.abs() < TOLD => None,
            true if spare > 0.0 => Some(mean(&[one, other])),
            _ => Some(mean(&lights)),
        }
    }
}

/// Small and narrow, with heights beyond what is drawn, the last nodes nearer than the others, under an eye that
/// the sun is mirrored into; and one whose edge is but one quad.
fn lakes() -> Vec<Lake> {
    let lake = |size: [u32; 2], across: [f32; 2], seed: u64, wildest: f32| {
        let mut random = Random(seed);
        let nodes = Field::new(size, |x, y| {
            let height = if (x + 2 * y) % 3 == 0 { 9.0 } else { 0.4 } * random.signed();
            let wild = [0.0, random.unit() * wildest][(x + y) as usize % 2];
            [height, 0.5 * random.signed(), 0.5 * random.signed(), wild]
        });
        let (eye, half) = ([0.9, 0.8, 0.6], [0.8, 0.5]);
        Lake { nodes, across, half, eye, relief: 0.12, floor_depth: 0.2, steepness: 1.3 }
    };
    vec![
        lake([7, 5], [5.3, 4.0], 1, 0.3),
        Lake { eye: [-1.5, 0.2, 0.3], relief: -0.3, ..lake([38, 61], [36.75, 59.5], 2, 1.0) },
        Lake { half: [0.3, 1.0], steepness: 0.2, ..lake([2, 4], [0.6, 2.2], 3, 0.1) },
    ]
}

/// Pairs of numbers: anywhere, and at the ends of all that they may be.
struct Numbers(Random);

impl Numbers {
    fn below(&mut self, n: u32) -> u32 {
        ((self.0.unit() * n as f32) as u32).min(n - 1)
    }

    /// A whole number up to `most` either way, small ones as often as large ones.
    fn step(&mut self, most: f32) -> i64 {
        (self.0.signed().signum() * most.powf(self.0.unit())) as i64
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u32) as usize]
    }

    fn any(&mut self) -> [u32; 2] {
        let first = self.below(65536);
        let first = self.one_of(&[0, 1, 65534, 65535, first, first, first, first]);
        let side = WALL + SIDE * self.below(4);
        let (water, wall) = (1 + self.below(WALL - 1), side + self.below(SIDE));
        let second = self.one_of(&[0, 1, 2, WALL - 2, WALL - 1, side, side + 1, side + SIDE - 1, wall]);
        [first, self.one_of(&[second, water, wall])]
    }

    /// Moves a pair by some numbers, if there is such a one.
    fn moved(pair: [u32; 2], by: [i64; 2]) -> Option<[u32; 2]> {
        let [first, second] = [0, 1].map(|n| u32::try_from(i64::from(pair[n]) + by[n]).ok());
        Some([first?, second?]).filter(|pair| pair.iter().all(|&n| n < 65536))
    }

    /// Four texels around two opposite ones that see the same, or nearly: about on one plane with them, or not, or beside a wall.
    fn block(&mut self, kind: usize) -> Option<[[u32; 2]; 4]> {
        let near = |numbers: &mut Numbers, most: f32| [0; 2].map(|_: i32| numbers.step(most));
        let a = self.any();
        let (apart, bent) = match kind {
            0 => return Some([a, self.any(), self.any(), self.any()]),
            1 => (near(self, 2.0), [0; 2]),
            2 => (near(self, 2.0), [0; 2].map(|_: i32| self.one_of(&[0, 3, -4, 4, -5]))),
            3 => (near(self, 3000.0), near(self, 9.0)),
            _ => {
                // Three of a wall, and one of the water that it borders on.
                let first = a[0];
                let mut texels = [0; 4].map(|_: i32| [first, WALL + self.below(2)]);
                let by = [self.step(9000.0), self.step(9000.0)];
                for (n, by) in [(1, by[0]), (2, by[1]), (3, by[0] + by[1])] {
                    texels[n] = Numbers::moved(texels[n], [by, 0])?;
                }
                let of_water = self.below(4) as usize;
                texels[of_water][1] = WALL - 1 - self.below(2);
                return Some(texels);
            }
        };
        let d = Numbers::moved(a, apart)?;
        let beside = near(self, 12000.0);
        let b = Numbers::moved(a, beside)?;
        // A quarter of how far opposite ones are apart is the most that they may be off a plane: just below that and above.
        let part = self.one_of(&[0.0, 0.23, -0.24, 0.26, -0.27]);
        let c = [0, 1].map(|n| {
            let wide = (2 * beside[n] - apart[n]).abs() as f64;
            apart[n] - beside[n] + bent[n] + (part * wide) as i64
        });
        Some([a, b, Numbers::moved(a, c)?, d])
    }
}

#[test]
fn water_and_its_walls_are_lit_where_each_texel_looks_and_two_of_four_tell_a_plane() -> Result<()> {
    on_gpu(|gpu| {
        for (n, lake) in lakes().iter().enumerate() {
            for (samples, picture) in [(1, [31, 13]), (2, [29, 37]), (3, [5, 9])] {
                let mut numbers = Numbers(Random(5 + n as u64));
                let texels = Canvas::new(picture, samples, |i| {
                    let mut texels: Vec<[u32; 2]> = (0..samples * samples).map(|_| numbers.any()).collect();
                    if samples == 2 {
                        texels = std::iter::repeat_with(|| numbers.block(i % 5))
                            .flatten()
                            .next()
                            .unwrap_or_default()
                            .to_vec();
                    }
                    let bytes = |[first, second]: [u32; 2]| {
                        [first / 256, first % 256, second / 256, second % 256].map(|byte| byte as f32 / 255.0)
                    };
                    texels.into_iter().map(bytes).collect()
                });
                let mut program = load(gpu, samples, [false, true])?;
                program
                    .bind_stream("nodes", &lake.nodes.buffer(gpu)?)?
                    .bind_float("across", lake.across)?
                    .bind_float("half_sides", lake.half)?
                    .bind_float("eye", lake.eye)?
                    .bind_float("relief", lake.relief)?
                    .bind_float("floor_depth", lake.floor_depth)?
                    .bind_float("steepness", lake.steepness)?;
                let light = |rounding: &Rounding, texels: &[[f64; 4]], _: [f64; 2]| {
                    let numbers: Vec<[u32; 2]> = texels
                        .iter()
                        .map(|texel| texel.map(|byte| (255.0 * byte).round() as u32))
                        .map(|[a, b, c, d]| [256 * a + b, 256 * c + d])
                        .collect();
                    lake.seen(rounding, &numbers)
                };
                let what = format!("lake {n}, {samples} samples");
                texels.check(gpu, &what, (&mut program, Precision::Fixed8), 0.1, light, clipped)?;
            }
        }
        Ok(())
    })
}
