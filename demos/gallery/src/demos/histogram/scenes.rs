//! Images like those of a camera, made of noise: a valley before sunset, the same in fog, a town at night, a page.

use quadrille::numeric::Random;

/// An image that a seed makes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scene {
    Dark,
    Fog,
    Night,
    Page,
}

pub const SCENES: [(&str, &str, Scene); 4] = [
    (
        "dark",
        "a valley before sunset, in half of all brightnesses: equalised, it uses all of them",
        Scene::Dark,
    ),
    ("fog", "the same valley in a tenth of all brightnesses: bars stand close together", Scene::Fog),
    (
        "night",
        "a town by a river, nearly all of it black: equalised, its sky and walls are seen",
        Scene::Night,
    ),
    (
        "page",
        "a page of a book, photographed by the light of one lamp: what lies in the shadow can be read again",
        Scene::Page,
    ),
];

/// The share of the height at which the water begins.
const SHORE: f32 = 0.66;

/// Ridges of the valley, one before the other.
const RIDGES: usize = 5;

/// Weights of red, green and blue in brightness, those of television of the time.
pub const WEIGHTS: [f32; 3] = [0.299, 0.587, 0.114];

/// Red, green and blue, each 0 to 1.
type Rgb = [f32; 3];

/// An image: brightness, and beside it the colours of brightness 1 that it is times.
#[derive(Clone, Debug, PartialEq)]
pub struct Pixels {
    /// 0 to 1.
    pub light: Vec<f32>,
    /// Red, green and blue of each pixel; their weighed sum is 1.
    pub tint: Vec<f32>,
}

/// The colour of brightness 1 of that hue and saturation: white of black.
pub fn tint_of(rgb: Rgb) -> Rgb {
    let light = luma(rgb);
    if light > 0.0 { rgb.map(|part| part / light) } else { [1.0; 3] }
}

fn luma(rgb: Rgb) -> f32 {
    (0..3).map(|k| WEIGHTS[k] * rgb[k]).sum()
}

fn mix(a: Rgb, b: Rgb, share: f32) -> Rgb {
    std::array::from_fn(|k| a[k] + share * (b[k] - a[k]))
}

fn times(a: Rgb, by: f32) -> Rgb {
    a.map(|part| part * by)
}

fn plus(a: Rgb, b: Rgb) -> Rgb {
    std::array::from_fn(|k| a[k] + b[k])
}

/// From 0 at `low` to 1 at `high`.
fn step(low: f32, high: f32, at: f32) -> f32 {
    let part = ((at - low) / (high - low)).clamp(0.0, 1.0);
    part * part * (3.0 - 2.0 * part)
}

/// An image of that seed.
pub fn made(scene: Scene, width: usize, height: usize, seed: u64) -> Pixels {
    let mut random = Random(seed);
    let rgb = match scene {
        Scene::Dark | Scene::Fog => valley(&mut random, width, height),
        Scene::Night => night(&mut random, width, height),
        Scene::Page => page(&mut random, width, height),
    };
    // Fog has a tenth of all brightnesses and pales all colours.
    let (low, part, pale) = if scene == Scene::Fog { (0.6, 0.2, 0.6) } else { (0.0, 1.0, 0.0) };
    Pixels {
        light: rgb.iter().map(|&rgb| low + part * luma(rgb)).collect(),
        tint: rgb.iter().flat_map(|&rgb| mix(tint_of(rgb), [1.0; 3], pale)).collect(),
    }
}

/// Noise on a lattice that repeats after 256 places, interpolated by cubics.
struct Noise {
    values: Vec<f32>,
    order: Vec<usize>,
}

impl Noise {
    fn new(random: &mut Random) -> Noise {
        Noise { values: (0..256).map(|_| random.unit()).collect(), order: random.shuffled(256) }
    }

    /// The number of a place of the lattice, 0 to 1.
    fn of(&self, x: i32, y: i32) -> f32 {
        let around = |i: i32| i.rem_euclid(256) as usize;
        self.values[(self.order[around(x)] + around(y)) % 256]
    }

    fn at(&self, x: f32, y: f32) -> f32 {
        let ease = |part: f32| part * part * (3.0 - 2.0 * part);
        let (i, j) = (x.floor(), y.floor());
        let (u, v) = (ease(x - i), ease(y - j));
        let of = |right, up| self.of(i as i32 + right, j as i32 + up);
        let row = |up| of(0, up) + u * (of(1, up) - of(0, up));
        row(0) + v * (row(1) - row(0))
    }

    /// So many octaves of it, each half as high and twice as fine: 0 to 1.
    fn rough(&self, mut x: f32, mut y: f32, octaves: u32) -> f32 {
        let (mut sum, mut high) = (0.0, 0.5);
        for _ in 0..octaves {
            sum += high * self.at(x, y);
            (x, y, high) = (2.0 * x + 17.0, 2.0 * y + 31.0, 0.5 * high);
        }
        sum / (1.0 - 0.5f32.powi(octaves as i32))
    }
}

/// The place of pixel i as shares of width and height.
fn share(i: usize, width: usize, height: usize) -> (f32, f32) {
    ((i % width) as f32 / width as f32, (i / width) as f32 / height as f32)
}

/// Colours above the shore, a row after the other.
struct Land {
    width: usize,
    height: usize,
    rows: usize,
    rgb: Vec<Rgb>,
}

impl Land {
    fn new(width: usize, height: usize, rgb: impl Fn(usize, f32, f32) -> Rgb) -> Land {
        let rows = ((SHORE * height as f32).ceil() as usize).clamp(1, height);
        let pixel = |i: usize| {
            let (x, y) = share(i, width, height);
            rgb(i % width, x, y)
        };
        Land { width, height, rows, rgb: (0..width * rows).map(pixel).collect() }
    }

    fn at(&self, x: f32, y: f32) -> Rgb {
        let column = ((x * self.width as f32) as usize).min(self.width - 1);
        let row = ((y * self.height as f32) as usize).min(self.rows - 1);
        self.rgb[row * self.width + column]
    }

    /// The mirror image at a place below the shore, `by` of the width beside it and as much higher.
    fn mirrored(&self, x: f32, y: f32, by: f32) -> Rgb {
        self.at((x + by).max(0.0), (2.0 * SHORE - y + 2.0 * by).max(0.0))
    }
}

/// A valley against the low sun: clouds lit from below, ridges that are paler the farther they are, a lake, trees before it; in the lower
/// half of all brightnesses, with the grain of a camera.
fn valley(random: &mut Random, width: usize, height: usize) -> Vec<Rgb> {
    const SUN: [f32; 2] = [0.64, 0.30];
    let noise = Noise::new(random);
    let aspect = width as f32 / height as f32;
    let ridge = |k: usize, x: f32| {
        let [near, fine] = [k as f32, 2.0 + 1.2 * k as f32];
        0.40 + 0.055 * near
            - (0.16 - 0.018 * near) * (noise.rough(fine * x * aspect + 40.0 * near, 7.7 * near, 6) - 0.35)
    };
    let column = |i: usize| i as f32 / width as f32;
    let ridges: Vec<[f32; RIDGES]> =
        (0..width).map(|i| std::array::from_fn(|k| ridge(k, column(i)))).collect();
    let sky = |x: f32, y: f32| {
        let sun = ((x - SUN[0]) * aspect).hypot(y - SUN[1]);
        let low = (-4.0 * (0.44 - y).max(0.0)).exp();
        let air = mix([0.16, 0.30, 0.58], [0.98, 0.70, 0.46], low);
        let air = mix(air, [1.0, 0.80, 0.50], 0.7 * (-7.0 * sun).exp());
        let air = mix(air, [1.0, 0.92, 0.72], 0.6 * (-26.0 * sun).exp());
        let rough = noise.rough(2.6 * x * aspect + 0.8 * y, 10.0 * y, 6);
        let cloud = step(0.46, 0.72, rough) * step(0.42, 0.30, y);
        // Clouds glow at their rims, where they are thin, and nearer to the sun.
        let rim = times([1.0, 0.52, 0.36], 0.55 + 0.5 * (-2.2 * sun).exp());
        let under = mix(rim, [0.36, 0.32, 0.44], step(0.50, 0.78, rough));
        let disc = step(0.046, 0.041, sun);
        mix(mix(air, under, 0.85 * cloud), [1.0, 0.95, 0.80], disc * (1.0 - 0.6 * cloud))
    };
    let slope = |k: usize, x: f32, y: f32| {
        let far = 1.0 - k as f32 / (RIDGES - 1) as f32;
        let wood = 0.6 + 0.8 * noise.rough(30.0 * x * aspect, 30.0 * y + 9.0 * k as f32, 4);
        let near = times([0.055, 0.085, 0.060], wood);
        let haze =
            mix([0.30, 0.27, 0.40], [0.86, 0.58, 0.50], (-6.0 * ((x - SUN[0]) * aspect).powi(2)).exp());
        mix(near, haze, 0.85 * far.powf(1.3))
    };
    // How much of a pixel lies below an edge at that height.
    let below = |y: f32, edge: f32| ((y - edge) * height as f32 + 0.5).clamp(0.0, 1.0);
    let land = Land::new(width, height, |i, x, y| {
        // From the nearest ridge to the sky, until nothing of the pixel is left.
        let (mut rgb, mut left) = ([0.0; 3], 1.0);
        for k in (0..RIDGES).rev() {
            let cover = below(y, ridges[i][k]);
            if cover > 0.0 {
                rgb = plus(rgb, times(slope(k, x, y), left * cover));
                left *= 1.0 - cover;
            }
            if left == 0.0 {
                return rgb;
            }
        }
        plus(rgb, times(sky(x, y), left))
    });
    // The bank in front, and the tops of its trees.
    let tops: Vec<f32> = (0..width)
        .map(|i| {
            let x = column(i) * aspect;
            let stand = 0.2 * (noise.rough(4.0 * x, 77.0, 3) - 0.35).max(0.0);
            let tree = ((26.0 * x + 2.0 * noise.at(26.0 * x, 1.0)).fract() - 0.5).abs();
            0.93 - 0.05 * noise.rough(3.0 * x, 3.0, 4) - 1.6 * stand * (0.35 + 1.3 * tree)
        })
        .collect();
    let pixel = |i: usize| {
        let (x, y) = share(i, width, height);
        let bank = below(y, tops[i % width]);
        let beyond = if bank == 1.0 {
            [0.0; 3]
        } else if y < SHORE {
            land.at(x, y)
        } else {
            let deep = y - SHORE;
            let wave = noise.rough(12.0 * x * aspect, 140.0 * y, 2) - 0.5;
            let mirrored = mix(land.mirrored(x, y, 0.15 * wave * deep), [0.10, 0.20, 0.30], 0.25);
            // The sun's way on the water: the wider the nearer.
            let beside = (x - SUN[0]) * aspect / (0.03 + 0.25 * deep);
            let path = (-beside * beside).exp() * step(0.06, 0.22, wave) * step(0.0, 0.02, deep);
            plus(times(mirrored, 0.8), times([0.9, 0.62, 0.34], path))
        };
        let grass = times([0.045, 0.055, 0.022], 0.4 + 1.2 * noise.rough(60.0 * x, 60.0 * y, 2));
        let rgb = mix(beyond, grass, bank);
        times(rgb, 1.0 - 0.7 * ((x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5)))
    };
    (0..width * height)
        .map(|i| {
            let rgb = pixel(i);
            let grain = 1.0 + 0.015 * random.signed();
            rgb.map(|part| (0.5 * part * grain + 0.002).clamp(0.0, 0.5))
        })
        .collect()
}

/// A town by a river under the moon: lit windows, their light on the water, and a sky and walls so dark that nearly all of them lie in a
/// few of 256 bins.
fn night(random: &mut Random, width: usize, height: usize) -> Vec<Rgb> {
    const MOON: [f32; 2] = [0.2, 0.17];
    let noise = Noise::new(random);
    let aspect = width as f32 / height as f32;
    // Two rows of houses: so many across, how high they get, and the share of windows that are lit.
    let rows = [(22.0, 0.20, 0.35), (13.0, 0.34, 0.45)];
    let land = Land::new(width, height, |_, x, y| {
        let moon = ((x - MOON[0]) * aspect).hypot(y - MOON[1]);
        let near = step(0.034, 0.030, moon);
        let low = (-3.0 * (SHORE - y).max(0.0)).exp();
        let cloud = step(0.42, 0.75, noise.rough(3.0 * x * aspect, 9.0 * y, 5));
        let air = mix([0.0012, 0.0022, 0.0060], [0.0068, 0.0060, 0.0085], low);
        let halo = times([0.012, 0.013, 0.016], (-9.0 * moon).exp() * (0.4 + 0.8 * cloud));
        let veil = times([0.0022, 0.0025, 0.0034], cloud);
        let seas = 0.97 - 0.3 * step(0.35, 0.7, noise.rough(60.0 * x * aspect, 60.0 * y, 3));
        let [i, j] = [x * aspect * 70.0, y * 70.0].map(|at| at.floor() as i32);
        let star = noise.of(3 * i + 11, 5 * j) > 0.985
            && (x * aspect * 70.0).fract().hypot((y * 70.0).fract()) < 0.25;
        let lit = if star { [0.2, 0.21, 0.26] } else { [0.0; 3] };
        let mut rgb = mix(plus(plus(air, lit), plus(halo, veil)), times([0.95, 0.93, 0.84], seas), near);
        for (k, (across, most, lit)) in rows.into_iter().enumerate() {
            let (house, wall) = ((x * across * aspect).floor() as i32, (x * across * aspect).fract());
            let high = noise.of(7 * house, 31 * k as i32);
            let eaves = SHORE - most * high * high;
            // Gables of some.
            let gable = if noise.of(house, 77) > 0.5 { 0.05 * (wall - 0.5).abs() } else { 0.0 };
            if y < eaves + gable || k == 1 && wall < 0.06 {
                continue;
            }
            let (i, j) = (7.0 * x * across * aspect, 95.0 * y);
            let place = [i.floor() as i32 + 57 * k as i32, j.floor() as i32];
            let glass = (0.3..0.8).contains(&i.fract()) && (0.3..0.75).contains(&j.fract());
            let on = glass && noise.of(place[0], 3 * place[1]) < lit * (0.3 + 0.7 * high);
            let warm = mix([1.0, 0.62, 0.22], [1.0, 0.86, 0.62], noise.of(place[1], 9 * place[0]));
            let brick = mix([0.0016, 0.0011, 0.0009], [0.0012, 0.0013, 0.0016], noise.of(5 * house, 13));
            // Lamps on the quay light the walls from below.
            let lamps = 0.4 + 1.6 * (-30.0 * (SHORE - y)).exp();
            rgb = if on {
                times(warm, 0.35 + 0.65 * noise.of(3 * place[0] + 5, place[1]))
            } else {
                times(brick, lamps * (1.0 - 0.4 * wall) * if glass { 0.5 } else { 1.0 })
            };
        }
        rgb
    });
    let mut pixel = |i: usize| {
        let (x, y) = share(i, width, height);
        let rgb = if y < SHORE {
            land.at(x, y)
        } else {
            let ripple = 0.15 * (noise.rough(20.0 * x * aspect, 120.0 * y, 2) - 0.5) * (y - SHORE);
            let seen = (-3i8..=3).map(|k| land.mirrored(x, y + 0.006 * f32::from(k), ripple));
            times(seen.fold([0.0; 3], plus), 0.5 / 7.0)
        };
        let grain = 1.0 + 0.04 * random.signed();
        rgb.map(|part| (part * grain).clamp(0.0, 1.0))
    };
    (0..width * height).map(&mut pixel).collect()
}

/// A page of a book, photographed at night by the light of one lamp: the lines bend towards the spine at its left, and the far half of them
/// lies in a shadow that the eye reads nothing in. Paper and ink have a grain.
fn page(random: &mut Random, width: usize, height: usize) -> Vec<Rgb> {
    let noise = Noise::new(random);
    let aspect = width as f32 / height as f32;
    let pixel = |i: usize| {
        let (x, y) = share(i, width, height);
        // The paper bends: lines sink to the spine, and letters are narrower there.
        let bend = (-9.0 * x).exp();
        let (u, v) = (x - 0.035 * bend, y - 0.03 * bend - 0.012 * (x - 0.5));
        let on_paper = step(0.030, 0.036, v) * step(0.985, 0.979, v) * step(0.985, 0.979, x);
        let fibres = 1.0 - 0.07 * noise.rough(60.0 * u, 60.0 * v, 4);
        let blot = 1.0 - 0.10 * step(0.55, 0.75, noise.rough(3.0 * u + 50.0, 3.0 * v, 4));
        let paper = times([1.0, 0.93, 0.76], fibres * blot);
        let ink = if v < HEAD { [0.42, 0.13, 0.10] } else { [0.16, 0.15, 0.17] };
        let sheet = mix(paper, ink, 0.92 * inked(u, v));
        let desk = times([0.30, 0.19, 0.12], 0.6 + 0.8 * noise.rough(4.0 * x, 90.0 * y, 3));
        // The lamp stands beyond the upper right corner; the shadow of who takes the picture lies across the lower half.
        let lamp = 1.0 / (1.0 + 2.6 * (((x - 1.0) * aspect).powi(2) + (y + 0.05).powi(2)));
        let edge = 0.50 + 0.30 * x + 0.05 * (noise.at(3.0 * x, 0.5) - 0.5);
        let shadow = 1.0 - 0.80 * step(edge - 0.10, edge + 0.10, y);
        let light = 0.58 * lamp * shadow * (1.0 - 0.75 * bend);
        times(mix(desk, sheet, on_paper), light)
    };
    (0..width * height)
        .map(|i| {
            let grain = 0.004 * random.signed();
            pixel(i).map(|part| (part + grain).clamp(0.0, 1.0))
        })
        .collect()
}

/// Shares of the page: its margins, the end of its title, and where the text begins.
const MARGINS: [f32; 2] = [0.09, 0.93];
const HEAD: f32 = 0.15;
const TOP: f32 = 0.17;

/// Letters of a line, and lines of the text.
const LETTERS: usize = 35;
const LINES: usize = 21;

const TITLE: &str = "on light and shade";
const TEXT: [&str; LINES] = [
    "count how many pixels are as dark",
    "as this one or darker: that share",
    "of all pixels is its new light.",
    "",
    "where many are alike they move",
    "apart, and what hardly differed",
    "can be told from its neighbours;",
    "where few are, they move together.",
    "a page in the dark has all of its",
    "letters still: a hundredth of the",
    "light lies between ink and paper,",
    "too little for the eye and enough",
    "for numbers. so it is read again.",
    "",
    "what the sums cannot know is where",
    "a pixel lies. they make the whole",
    "page even in its counts, and not",
    "in its light: the shadow stays a",
    "shadow, but it has its words back.",
    "each step goes a part of the way,",
    "and the bars below become a plain.",
];

/// Columns of letters a to z, of eight dots each, the lowest bit on top.
const FONT: [[u8; 5]; 26] = [
    [0x20, 0x54, 0x54, 0x54, 0x78],
    [0x7f, 0x48, 0x44, 0x44, 0x38],
    [0x38, 0x44, 0x44, 0x44, 0x20],
    [0x38, 0x44, 0x44, 0x48, 0x7f],
    [0x38, 0x54, 0x54, 0x54, 0x18],
    [0x08, 0x7e, 0x09, 0x01, 0x02],
    [0x18, 0xa4, 0xa4, 0x9c, 0x78],
    [0x7f, 0x08, 0x04, 0x04, 0x78],
    [0x00, 0x44, 0x7d, 0x40, 0x00],
    [0x20, 0x40, 0x44, 0x3d, 0x00],
    [0x7f, 0x10, 0x28, 0x44, 0x00],
    [0x00, 0x41, 0x7f, 0x40, 0x00],
    [0x7c, 0x04, 0x18, 0x04, 0x78],
    [0x7c, 0x08, 0x04, 0x04, 0x78],
    [0x38, 0x44, 0x44, 0x44, 0x38],
    [0xfc, 0x18, 0x24, 0x24, 0x18],
    [0x18, 0x24, 0x24, 0x18, 0xfc],
    [0x7c, 0x08, 0x04, 0x04, 0x08],
    [0x48, 0x54, 0x54, 0x54, 0x20],
    [0x04, 0x3f, 0x44, 0x40, 0x20],
    [0x3c, 0x40, 0x40, 0x20, 0x7c],
    [0x1c, 0x20, 0x40, 0x20, 0x1c],
    [0x3c, 0x40, 0x30, 0x40, 0x3c],
    [0x44, 0x28, 0x10, 0x28, 0x44],
    [0x4c, 0x90, 0x90, 0x90, 0x7c],
    [0x44, 0x64, 0x54, 0x4c, 0x44],
];

/// How much ink lies at that place of the page, 0 to 1.
fn inked(u: f32, v: f32) -> f32 {
    let along = (u - MARGINS[0]) / (MARGINS[1] - MARGINS[0]);
    if v < HEAD {
        // The title is twice as large, and a rule is drawn below it.
        let rule = step(0.004, 0.002, (v - 0.135).abs()) * f32::from((0.0..1.0).contains(&along));
        return rule.max(letter(TITLE, 0.55 * along * LETTERS as f32, 12.0 * (v - 0.055) / 0.075));
    }
    let line = (v - TOP) / (0.955 - TOP) * LINES as f32;
    let text = if line >= 0.0 { TEXT.get(line as usize) } else { None };
    text.map_or(0.0, |text| letter(text, along * LETTERS as f32, 11.0 * line.fract()))
}

/// The ink of a line of letters: `column` counts letters, six dots wide each, and `row` dots from its top.
fn letter(text: &str, column: f32, row: f32) -> f32 {
    let dot = |x: i32, y: i32| {
        let place = usize::try_from(x.div_euclid(6)).ok();
        let letter = place.and_then(|place| text.as_bytes().get(place)).copied().unwrap_or(b' ');
        let (part, y) = (x.rem_euclid(6) as usize, y - 1);
        let bits = match letter {
            b'a'..=b'z' => FONT[usize::from(letter - b'a')].get(part).copied().unwrap_or(0),
            b'.' if part == 1 => 0x40,
            b',' if part == 1 => 0xc0,
            b':' if part == 1 => 0x44,
            b';' if part == 1 => 0xc4,
            _ => 0,
        };
        f32::from((0..8).contains(&y) && bits >> y.clamp(0, 7) & 1 == 1)
    };
    // Dots run into each other, as ink does.
    let (x, y) = (6.0 * column - 0.5, row - 0.5);
    let (i, j) = (x.floor(), y.floor());
    let (a, b) = (x - i, y - j);
    let of = |right: i32, down: i32| dot(i as i32 + right, j as i32 + down);
    let mixed = (1.0 - b) * ((1.0 - a) * of(0, 0) + a * of(1, 0)) + b * ((1.0 - a) * of(0, 1) + a * of(1, 1));
    step(0.30, 0.62, mixed)
}

#[cfg(test)]
mod tests {
    use super::{SCENES, luma, made};

    /// Sizes that are odd, flat, high and of one pixel; the same seed makes the same image, another one another.
    #[test]
    fn scenes_are_images_of_any_size_and_their_seeds() {
        for (name, _, scene) in SCENES {
            for [width, height] in [[1, 1], [1, 7], [9, 1], [31, 17], [40, 90]] {
                let image = made(scene, width, height, 5);
                assert_eq!(
                    (image.light.len(), image.tint.len()),
                    (width * height, 3 * width * height),
                    "{name}"
                );
                assert!(
                    image.light.iter().all(|light| (0.0..=1.0).contains(light)),
                    "{name} {width}x{height}"
                );
                for &tint in image.tint.as_chunks::<3>().0 {
                    // A sum of three products, each of a quotient.
                    assert!(
                        (luma(tint) - 1.0).abs() < 8.0 * f32::EPSILON,
                        "{name} {width}x{height}: {tint:?}"
                    );
                    assert!(tint.iter().all(|part| *part >= 0.0), "{name} {tint:?}");
                }
                assert_eq!(image, made(scene, width, height, 5));
                assert!(
                    width * height < 9 || image != made(scene, width, height, 6),
                    "{name} {width}x{height}"
                );
            }
        }
    }
}
