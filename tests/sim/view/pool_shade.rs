//! The picture of the pool: the water, its walls, the deck and the ball.

use quadrille::{Gpu, Result, kernels};

use super::vec3::{NEAR, UP, Vec3};
use super::{Pixel, Rounding, U, check, mix, of_points, smoothstep, untouched};
use crate::support::{Random, on_gpu};

const SUNLIGHT: Vec3 = Vec3(0.88, 0.82, 0.72);
const SKYLIGHT: Vec3 = Vec3(0.24, 0.30, 0.38);
const ABSORBED: Vec3 = Vec3(1.35, 0.32, 0.22);
const MURK: Vec3 = Vec3(0.01, 0.11, 0.14);
const WHITE_PAINT: Vec3 = Vec3(0.86, 0.84, 0.80);
const RED_PAINT: Vec3 = Vec3(0.80, 0.07, 0.05);

/// Sines of a ray in water, as a part of those in air.
const INTO_WATER: f64 = 0.75;

/// A thirtieth of what a screen of 8 bits tells apart.
const TOLD: f64 = 1.0 / 8192.0;

/// Error of a logarithm of two, by which drivers make powers.
const LOGARITHM: f64 = 1.0 / (1u64 << 15) as f64;

const MAP: [u32; 2] = [7, 5];
const PICTURE: [u32; 2] = [37, 19];
const COUNT: usize = (PICTURE[0] * PICTURE[1]) as usize;

#[derive(Clone)]
struct Scene {
    /// Light on the floor, with the ball's shadow and without.
    caustics: Vec<[f32; 2]>,
    ball: [f32; 4],
    eye: [f32; 3],
    sun: [f32; 3],
    half: [f32; 2],
    depth: f32,
    deck: f32,
    pixel: f32,
    steepness: f32,
    reach: f32,
}

/// Inputs of a pixel.
#[derive(Clone, Copy)]
struct At {
    place: [f32; 3],
    normal: [f32; 3],
    water: [f32; 4],
    below: f32,
}

/// A scene whose numbers are rounded anew.
struct Traced<'a> {
    scene: &'a Scene,
    rounding: &'a Rounding,
    middle: Vec3,
    radius: f64,
    eye: Vec3,
    sun: Vec3,
    half: [f64; 2],
    depth: f64,
    deck: f64,
}

fn components(v: Vec3, alpha: f64) -> [f64; 4] {
    [v.0, v.1, v.2, alpha]
}

impl Traced<'_> {
    fn new<'a>(scene: &'a Scene, rounding: &'a Rounding) -> Traced<'a> {
        let [x, y, z, radius] = scene.ball;
        Traced {
            middle: Vec3::of([x, y, z]).off(rounding, NEAR),
            radius: radius.into(),
            eye: Vec3::of(scene.eye).off(rounding, NEAR),
            sun: Vec3::of(scene.sun).off(rounding, NEAR),
            half: scene.half.map(f64::from),
            depth: scene.depth.into(),
            deck: scene.deck.into(),
            scene,
            rounding,
        }
    }

    /// The sun's beam in still water, towards the sun.
    fn sunk_sun(&self) -> Vec3 {
        -(-self.sun).broken(UP, INTO_WATER)
    }

    /// The base of a power, 0 at least.
    fn base(&self, x: f64) -> f64 {
        let x = x.max(0.0);
        self.rounding.of(x, x * LOGARITHM)
    }

    fn sky(&self, way: Vec3) -> Vec3 {
        let clear = Vec3(0.74, 0.84, 0.93).mixed(Vec3(0.16, 0.38, 0.74), way.1.clamp(0.0, 1.0).sqrt());
        let glint = self.base(way.dot(self.sun));
        clear + Vec3(1.0, 0.93, 0.8) * (6.0 * glint.powi(700) + 0.25 * glint.powi(30))
    }

    /// Part of a pixel of width `blur` that lines of that width through whole numbers cover.
    fn lines(at: [f64; 2], blur: f64, width: f64) -> f64 {
        let drawn = at.map(|x| {
            let beside = (x - x.round()).abs();
            let edge = 1.0 - smoothstep(0.5 * (width - blur), 0.5 * (width + blur) + 1e-4, beside);
            edge * (width / blur.max(1e-4)).min(1.0)
        });
        drawn[0].max(drawn[1])
    }

    /// A number from 0 to 1 for each cell: of a sine whose argument has been rounded, 437.585 times.
    fn scattered(&self, cell: [f64; 2]) -> f64 {
        let argument = cell[0] * 12.9898 + cell[1] * 78.233;
        let sine = self.rounding.of(argument.sin(), U * (2.0 * argument.abs() + 8.0));
        (sine * 437.585).rem_euclid(1.0)
    }

    fn tiled(&self, p: Vec3, normal: Vec3, blur: f64) -> Vec3 {
        let level = normal.1.abs() > 0.5;
        let on = if level {
            [p.0, p.2]
        } else if normal.0.abs() > 0.5 {
            [p.2, p.1]
        } else {
            [p.0, p.1]
        };
        let at = on.map(|x| 14.0 * x);
        let each = self.scattered(at.map(f64::floor));
        let banded = !level && p.1 >= -1.5 / 14.0;
        let (tile, joint) = if banded {
            (Vec3(0.10, 0.30, 0.52) * (0.7 + 0.6 * each), Vec3(0.55, 0.60, 0.62))
        } else {
            let told = mix(0.5, each, 1.0 / (1.0 + 8.0 * blur));
            (Vec3(0.50, 0.76, 0.82).mixed(Vec3(0.68, 0.90, 0.92), told), Vec3(0.30, 0.46, 0.50))
        };
        tile.mixed(joint, 0.7 * Self::lines(at, 14.0 * blur, 0.07))
    }

    /// Light of the sun in the water: that of the floor where the ray through the place would have passed y = 0, linear between the
    /// texels of the map.
    fn sun_in(&self, p: Vec3) -> [f64; 2] {
        let beam = self.sunk_sun();
        let [x, z] = [p.0 - beam.0 * p.1 / beam.1, p.2 - beam.2 * p.1 / beam.1];
        let share = [0.5 + 0.5 * x / self.half[0], 0.5 + 0.5 * z / self.half[1]];
        let at = [0, 1].map(|axis| share[axis] * f64::from(MAP[axis]) - 0.5);
        let texel = |dx: f64, dz: f64, n: usize| {
            let column = (at[0].floor() + dx).clamp(0.0, f64::from(MAP[0] - 1)) as usize;
            let row = (at[1].floor() + dz).clamp(0.0, f64::from(MAP[1] - 1)) as usize;
            f64::from(self.scene.caustics[row * MAP[0] as usize + column][n])
        };
        let part = at.map(|x| x - x.floor());
        let fade = share.map(|s| smoothstep(0.0, 0.02, s) * (1.0 - smoothstep(0.98, 1.0, s)));
        [0, 1].map(|n| {
            let south = mix(texel(0.0, 0.0, n), texel(1.0, 0.0, n), part[0]);
            let north = mix(texel(0.0, 1.0, n), texel(1.0, 1.0, n), part[0]);
            fade[0] * fade[1] * mix(south, north, part[1])
        })
    }

    fn wall(&self, p: Vec3, normal: Vec3, blur: f64) -> Vec3 {
        let (beam, lit) = if p.1 < 0.0 { (self.sunk_sun(), self.sun_in(p)[0]) } else { (self.sun, 1.0) };
        let from_corner = if normal.1.abs() > 0.5 {
            (self.half[0] - p.0.abs()).min(self.half[1] - p.2.abs())
        } else {
            p.1 + self.depth
        };
        let dim = 1.0 - 0.35 * (-14.0 * from_corner).exp();
        let light = SKYLIGHT * (1.15 * dim) + SUNLIGHT * (normal.dot(beam).max(0.0) * lit);
        self.tiled(p, normal, blur) * light
    }

    /// How far away along a ray the ball is.
    fn meets(&self, from: Vec3, along: Vec3) -> Option<f64> {
        let to = from - self.middle;
        let (b, c) = (to.dot(along), to.dot(to) - self.radius * self.radius);
        let way = -b - (b * b - c).max(0.0).sqrt();
        (self.radius > 0.0 && b * b > c && way > 1e-4).then_some(way)
    }

    fn balled(&self, p: Vec3, sunk: bool) -> Vec3 {
        let n = (p - self.middle) * (1.0 / self.radius);
        // Six panels around a tilted axis, with caps.
        let turn = (n.2 + 0.35 * n.1).atan2(n.0 - 0.3 * n.1);
        let red = (3.0 * turn).sin() >= 0.0 && n.dot(Vec3(0.3, 0.88, -0.35).unit()).abs() <= 0.94;
        let paint = if red { RED_PAINT } else { WHITE_PAINT };
        let around = SKYLIGHT * (0.75 + 0.45 * n.1) + Vec3(0.03, 0.07, 0.08) * (1.0 - n.1);
        if sunk {
            let lit = 0.8 * self.sun_in(p)[1] * n.dot(self.sunk_sun()).max(0.0);
            return paint * (around + SUNLIGHT * lit);
        }
        let between = (self.sun + (self.eye - p).unit()).unit();
        let glint = self.base(n.dot(between)).powi(60);
        paint * (around + SUNLIGHT * n.dot(self.sun).max(0.0)) + SUNLIGHT * (0.5 * glint)
    }

    /// Where a ray leaves the pool through a side, and that side's normal.
    fn leaves(&self, from: Vec3, along: Vec3) -> (f64, Vec3) {
        let way = |from: f64, along: f64, half: f64| {
            let along = if along.abs() <= 1e-6 { 1e-6 } else { along };
            (half.copysign(along) - from) / along
        };
        let (x, z) = (way(from.0, along.0, self.half[0]), way(from.2, along.2, self.half[1]));
        if x < z {
            (x.max(0.0), Vec3(-along.0.signum(), 0.0, 0.0))
        } else {
            (z.max(0.0), Vec3(0.0, 0.0, -along.2.signum()))
        }
    }

    /// Finds what a ray below the surface meets, and how far away.
    fn sunken(&self, from: Vec3, along: Vec3, blur: f64) -> (Vec3, f64) {
        let (side, normal) = self.leaves(from, along);
        let down = (self.depth + from.1) / (-along.1).max(1e-4);
        let (way, normal) = if down < side { (down, UP) } else { (side, normal) };
        match self.meets(from, along) {
            Some(ball) if ball < way => (self.balled(from + along * ball, true), ball),
            _ => {
                let blur = blur + f64::from(self.scene.pixel) * way;
                (self.wall(from + along * way, normal, blur), way)
            }
        }
    }

    fn over(&self, from: Vec3, along: Vec3) -> Vec3 {
        let (way, normal) = self.leaves(from, along);
        if let Some(ball) = self.meets(from, along).filter(|&ball| ball < way) {
            return self.balled(from + along * ball, false);
        }
        let p = from + along * way;
        if p.1 < self.deck { self.wall(Vec3(p.0, p.1.max(1e-4), p.2), normal, 0.02) } else { self.sky(along) }
    }

    fn stony(&self, place: Vec3, normal: Vec3, blur: f64) -> Vec3 {
        let at = [9.0 * place.0, 9.0 * place.2];
        let grey = 0.88 + 0.24 * self.scattered(at.map(f64::floor));
        let joint = 1.0 - 0.5 * Self::lines(at, 9.0 * blur, 0.06);
        let wet = mix(0.45, 1.0, smoothstep(0.0, 0.035, place.1));
        let light = SKYLIGHT * (0.7 + 0.3 * normal.1) + SUNLIGHT * normal.dot(self.sun).max(0.0);
        Vec3(0.50, 0.47, 0.43) * light * (grey * joint * wet)
    }

    fn surface(&self, at: &At, place: Vec3, view: Vec3, far: f64) -> [f64; 4] {
        let [_, across, up, wild] = at.water.map(f64::from);
        let steepness = f64::from(self.scene.steepness);
        let normal = Vec3(-steepness * across, 1.0, -steepness * up).unit().off(self.rounding, NEAR);
        let blur = f64::from(self.scene.pixel) * far;
        let stone = smoothstep(0.0, 0.35, -wild);
        if stone > 0.99 {
            return components(self.stony(place, normal, blur), 1.0);
        }
        let facing = (-normal.dot(view)).clamp(0.0, 1.0);
        let fresnel = 0.02 + 0.98 * (1.0 - facing).powi(5);
        let mut back = view.mirrored(normal);
        back.1 = back.1.abs();
        let [x, z] = [place.0.clamp(-self.half[0], self.half[0]), place.2.clamp(-self.half[1], self.half[1])];
        let from = Vec3(x, place.1, z);
        let (seen, way) = self.sunken(from, view.broken(normal, INTO_WATER), blur);
        let kept = Vec3((-ABSORBED.0 * way).exp(), (-ABSORBED.1 * way).exp(), (-ABSORBED.2 * way).exp());
        let inside = MURK + (seen - MURK) * kept;
        let water = inside.mixed(self.over(from, back), fresnel).mixed(Vec3(0.6, 0.0, 0.6), wild.max(0.0));
        components(water.mixed(self.stony(place, normal, blur), stone), 1.0)
    }

    fn walls(&self, place: Vec3, normal: Vec3, view: Vec3, far: f64) -> [f64; 4] {
        let reach = f64::from(self.scene.reach);
        let blur = f64::from(self.scene.pixel) * far / view.dot(normal).abs().max(0.1);
        if normal.1 < 0.5 {
            let around = place.1 > self.deck - 1e-5 && place.0.abs().max(place.2.abs()) > 0.99 * reach;
            return if around { [0.0; 4] } else { components(self.wall(place, normal, blur), 1.0) };
        }
        let off = [(place.0.abs() - self.half[0]).max(0.0), (place.2.abs() - self.half[1]).max(0.0)];
        let beside = off[0].max(off[1]);
        let at = if beside <= 0.10 {
            [8.0 * if off[0] > off[1] { place.2 } else { place.0 }, 0.5]
        } else {
            [4.0 * place.0, 4.0 * place.2]
        };
        let each = self.scattered(at.map(f64::floor));
        let rim = 1.0 - smoothstep(0.10 - blur, 0.10 + blur, beside);
        let slab = Vec3(0.33, 0.29, 0.25) * (0.9 + 0.2 * each);
        let stone = slab.mixed(Vec3(0.62, 0.60, 0.56) * (0.95 + 0.1 * each), rim);
        let joint = 1.0 - 0.45 * Self::lines(at, 6.0 * blur, 0.035);
        let lip = 1.0 - smoothstep(0.0, 0.006 + blur, beside);
        let groove = 1.0 - smoothstep(0.0, 0.008 + blur, (beside - 0.10).abs());
        let cover = 1.0 - smoothstep(0.55, 1.0, off[0].hypot(off[1]) / (reach - 1.0));
        let light = SKYLIGHT + SUNLIGHT * self.sun.1;
        components(stone * light * (joint * (1.0 - 0.5 * lip - 0.3 * groove) * cover), cover)
    }

    fn seen(&self, at: &At, surface: bool) -> Pixel<4> {
        let place = Vec3::of(at.place).off(self.rounding, NEAR);
        let normal = Vec3::of(at.normal);
        let far = (place - self.eye).length();
        let view = (place - self.eye).unit();
        let hidden = if surface { at.below > 0.0 } else { normal.dot(view) > 0.0 };
        if hidden {
            return Pixel::Untouched;
        }
        Pixel::Is(match self.meets(self.eye, view) {
            Some(ball) if ball < far => components(self.balled(self.eye + view * ball, false), 1.0),
            _ if surface => self.surface(at, place, view, far),
            _ => self.walls(place, normal, view, far),
        })
    }
}

fn scenes() -> Vec<Scene> {
    let mut random = Random(5);
    let caustics = (0..MAP[0] * MAP[1]).map(|_| [0.3 + 1.5 * random.unit(), 0.5 + random.unit()]).collect();
    let sun = Vec3(0.52, 0.80, -0.30).unit().to_f32();
    let steep = Scene {
        caustics,
        ball: [0.09, 0.03, -0.05, 0.08],
        eye: [0.35, 0.62, 0.8],
        sun,
        half: [0.31, 0.23],
        depth: 0.42,
        deck: 0.055,
        pixel: 0.004,
        steepness: 1.5,
        reach: 1.7,
    };
    let low = Scene { eye: [-0.9, 0.16, 0.35], pixel: 0.0, ball: [-0.1, -0.12, 0.06, 0.1], ..steep.clone() };
    let bare =
        Scene { eye: [0.2, 0.3, -0.7], ball: [0.0; 4], pixel: 0.02, half: [0.17, 0.33], ..steep.clone() };
    vec![steep, low, bare]
}

/// Inputs of all pixels: places in turn anywhere, beyond the ball as the eye has it, and where edges are; slopes that are small, steep, and
/// such that the sun is mirrored in them.
fn inputs(scene: &Scene, surface: bool, seed: u64) -> Vec<At> {
    let mut random = Random(seed);
    let eye = Vec3::of(scene.eye);
    let [half_x, half_z] = scene.half;
    (0..COUNT)
        .map(|i| {
            let mut pick = |low: f32, high: f32| low + (high - low) * random.unit();
            let mut at = At { place: [0.0; 3], normal: [0.0; 3], water: [0.0; 4], below: 0.0 };
            if surface {
                at.place = [pick(-1.1, 1.1) * half_x, pick(-0.08, 0.08), pick(-1.1, 1.1) * half_z];
                let tilt = if i % 2 == 0 { 0.1 } else { 1.2 };
                at.water = [9.0, pick(-tilt, tilt), pick(-tilt, tilt), 0.0];
                at.water[3] = match i % 11 {
                    0 => -1.0,
                    1 => pick(-0.4, 0.0),
                    2 => pick(0.0, 1.0),
                    _ => 0.0,
                };
                at.below = match i % 23 {
                    0 => 0.5,
                    1 => -0.5,
                    _ => 0.0,
                };
            } else {
                let (s, t) = (pick(-1.0, 1.0), pick(0.0, 1.0));
                let side = if i % 2 == 0 { 1.0 } else { -1.0 };
                let wall = -scene.depth + t * (scene.depth + scene.deck);
                let near = scene.reach * [0.985, 0.995][i / 2 % 2];
                let level = scene.deck - [0.0, 7.5e-6, 2e-5, -0.2, 0.1][i / 3 % 5];
                (at.place, at.normal) = match i % 9 {
                    0 | 1 => ([side * half_x, wall, s * half_z], [-side, 0.0, 0.0]),
                    2 | 3 => ([s * half_x, wall, side * half_z], [0.0, 0.0, -side]),
                    4 => ([side * near, level, s], [-side, 0.0, 0.0]),
                    5 => ([s, level, side * near], [0.0, 0.0, -side]),
                    6 => {
                        let n = Vec3(s.into(), pick(-1.0, 1.0).into(), side.into()).unit();
                        ([s * half_x, wall, 0.1], n.to_f32())
                    }
                    7 => ([1.2 * s, scene.deck, side * (half_z + 0.2 * t)], UP.to_f32()),
                    _ => ([side * (half_x + 1.2 * t), scene.deck, s], UP.to_f32()),
                };
            }
            let toward = Vec3(pick(-1.0, 1.0).into(), pick(-1.0, 1.0).into(), pick(-1.0, 1.0).into());
            if scene.ball[3] > 0.0 && i % 5 == 0 {
                let [x, y, z, radius] = scene.ball;
                let on = Vec3::of([x, y, z]) + toward.unit() * (0.98 * f64::from(radius));
                // On the far side, and now and then before it.
                at.place = (eye + (on - eye) * if i % 15 == 0 { 0.8 } else { 1.3 }).to_f32();
            }
            if surface && i % 16 == 1 {
                // Seen right from above: a product of two vectors of length 1 that may be above 1.
                let view = Vec3::of(at.place) - eye;
                at.water[1] = (-view.0 / view.1) as f32 / scene.steepness;
                at.water[2] = (-view.2 / view.1) as f32 / scene.steepness;
            }
            if surface && i % 4 == 3 {
                let view = (Vec3::of(at.place) - eye).unit();
                let half_way = (Vec3::of(scene.sun) - view).unit() + toward * 0.02;
                let slope = [-half_way.0 / half_way.1, -half_way.2 / half_way.1];
                at.water[1] = slope[0] as f32 / scene.steepness;
                at.water[2] = slope[1] as f32 / scene.steepness;
            }
            at
        })
        .collect()
}

fn drawn(gpu: &Gpu, scene: &Scene, surface: bool, inputs: &[At]) -> Result<Vec<f32>> {
    let buffer = |components: usize| gpu.buffer(PICTURE[0], PICTURE[1]).components(components);
    let kernel = kernels::named("view/pool_shade.frag")?.define("SURFACE", i32::from(surface));
    let place: Vec<f32> = inputs.iter().flat_map(|at| [at.place[0], at.place[1], at.place[2], 0.0]).collect();
    let place = buffer(4).init(&place)?;
    let mut program = if surface {
        let mut program = of_points(gpu, kernel, &[("place", 3), ("water", 4), ("below", 1)])?;
        let water: Vec<f32> = inputs.iter().flat_map(|at| at.water).collect();
        let below: Vec<f32> = inputs.iter().map(|at| at.below).collect();
        program.bind_stream("of_water", &buffer(4).init(&water)?)?;
        program
            .bind_stream("of_below", &buffer(1).init(&below)?)?
            .bind_float("steepness", scene.steepness)?;
        program
    } else {
        let mut program = of_points(gpu, kernel, &[("place", 3), ("normal", 3)])?;
        let normal: Vec<f32> =
            inputs.iter().flat_map(|at| [at.normal[0], at.normal[1], at.normal[2], 0.0]).collect();
        program.bind_stream("of_normal", &buffer(4).init(&normal)?)?.bind_float("reach", scene.reach)?;
        program
    };
    let caustics = gpu.buffer(MAP[0], MAP[1]).components(2).init(scene.caustics.as_flattened())?;
    let ball = gpu.buffer(1, 1).components(4).init(&scene.ball)?;
    program
        .bind_stream("of_place", &place)?
        .bind_stream("caustics", &caustics)?
        .bind_stream("ball", &ball)?
        .bind_float("eye", scene.eye)?
        .bind_float("sun", scene.sun)?
        .bind_float("half_sides", scene.half)?
        .bind_float("depth", scene.depth)?
        .bind_float("deck", scene.deck)?
        .bind_float("pixel", scene.pixel)?;
    let target = untouched(gpu, PICTURE)?;
    program.onto(&[&target]).counted_points(COUNT as u32).run()?;
    target.data()
}

#[test]
fn water_walls_deck_and_ball_have_the_light_that_a_ray_in_f64_finds() -> Result<()> {
    on_gpu(|gpu| {
        for (n, scene) in scenes().iter().enumerate() {
            for surface in [true, false] {
                let inputs = inputs(scene, surface, 11 + n as u64);
                let found = drawn(gpu, scene, surface, &inputs)?;
                check(&format!("scene {n}, surface: {surface}"), &found, (TOLD, 0.1), |rounding, i| {
                    Traced::new(scene, rounding).seen(&inputs[i], surface)
                });
            }
        }
        Ok(())
    })
}
