//! Images like those of a camera, made of noise: a valley against the light, the same in fog, a town at night, a page.

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
        "a valley against the light, in half of all brightnesses: equalised, it uses all of them",
        Scene::Dark,
    ),
    ("fog", "the same valley in a tenth of all brightnesses: bars stand close together", Scene::Fog),
    (
        "night",
        "a town by a river, nearly all of it black: one bin has more pixels than all others",
        Scene::Night,
    ),
    ("page", "lines of ink on paper in uneven light: two hills of bars", Scene::Page),
];

/// The share of the height at which the water begins.
const SHORE: f32 = 0.66;

/// Ridges of the valley, one before the other.
const RIDGES: usize = 5;

/// Lines of the page, and strokes of a line.
const LINES: usize = 20;
const STROKES: usize = 90;

/// An image of that seed.
pub fn made(scene: Scene, width: usize, height: usize, seed: u64) -> Vec<f32> {
    let mut random = Random(seed);
    match scene {
        Scene::Dark => valley(&mut random, width, height),
        Scene::Fog => valley(&mut random, width, height).into_iter().map(|light| 0.6 + 0.2 * light).collect(),
        Scene::Night => night(&mut random, width, height),
        Scene::Page => page(&mut random, width, height),
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

/// Light above the shore, a row after the other.
struct Land {
    width: usize,
    height: usize,
    rows: usize,
    light: Vec<f32>,
}

impl Land {
    fn new(width: usize, height: usize, light: impl Fn(usize, f32, f32) -> f32) -> Land {
        let rows = ((SHORE * height as f32).ceil() as usize).clamp(1, height);
        let pixel = |i: usize| {
            let (x, y) = share(i, width, height);
            light(i % width, x, y)
        };
        Land { width, height, rows, light: (0..width * rows).map(pixel).collect() }
    }

    fn at(&self, x: f32, y: f32) -> f32 {
        let column = ((x * self.width as f32) as usize).min(self.width - 1);
        let row = ((y * self.height as f32) as usize).min(self.rows - 1);
        self.light[row * self.width + column]
    }

    /// The mirror image at a place below the shore, `by` of the width beside it and as much higher.
    fn mirrored(&self, x: f32, y: f32, by: f32) -> f32 {
        self.at((x + by).max(0.0), (2.0 * SHORE - y + 2.0 * by).max(0.0))
    }
}

/// A valley against the light: clouds, ridges that are paler the farther they are, a lake, trees before it; in the lower half of all
/// brightnesses, with the grain of a camera.
fn valley(random: &mut Random, width: usize, height: usize) -> Vec<f32> {
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
        let sun = ((x - 0.62) * aspect).hypot(y - 0.40);
        let glow = 0.30 + 0.45 * (-3.5 * (y - 0.42).abs()).exp() + 0.5 * (-9.0 * sun).exp();
        let rough = noise.rough(3.0 * x * aspect, 9.0 * y, 5);
        let cloud = (3.0 * (rough - 0.45)).clamp(0.0, 1.0) * (1.3 - 2.2 * y).clamp(0.0, 1.0);
        glow * (1.0 - 0.55 * cloud) + 0.10 * cloud
    };
    let slope = |k: usize, x: f32, y: f32| {
        let far = 1.0 - k as f32 / (RIDGES - 1) as f32;
        let haze = 0.42 * (1.0 - k as f32 / (RIDGES as f32 - 0.5)).powf(1.5);
        haze + (0.05 + 0.05 * noise.rough(30.0 * x * aspect, 30.0 * y + 9.0 * k as f32, 3))
            * (1.0 - 0.6 * far)
    };
    // How much of a pixel lies below an edge at that height.
    let below = |y: f32, edge: f32| ((y - edge) * height as f32 + 0.5).clamp(0.0, 1.0);
    let land = Land::new(width, height, |i, x, y| {
        // From the nearest ridge to the sky, until nothing of the pixel is left.
        let (mut light, mut left) = (0.0, 1.0);
        for k in (0..RIDGES).rev() {
            let cover = below(y, ridges[i][k]);
            if cover > 0.0 {
                light += left * cover * slope(k, x, y);
                left *= 1.0 - cover;
            }
            if left == 0.0 {
                return light;
            }
        }
        light + left * sky(x, y)
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
            0.0
        } else if y < SHORE {
            land.at(x, y)
        } else {
            let ripple = 0.15 * (noise.rough(12.0 * x * aspect, 140.0 * y, 2) - 0.5) * (y - SHORE);
            0.72 * land.mirrored(x, y, ripple)
        };
        let near = if bank == 0.0 { 0.0 } else { 0.02 + 0.05 * noise.rough(60.0 * x, 60.0 * y, 2) };
        let light = bank * near + (1.0 - bank) * beyond;
        light * (1.0 - 0.7 * ((x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5)))
    };
    (0..width * height)
        .map(|i| {
            let light = pixel(i);
            (0.48 * light + 0.010 * (0.5 + light) * random.signed()).clamp(0.0, 0.5)
        })
        .collect()
}

/// A town by a river under the moon: lit windows, their light on the water, and black below the first of 256 bins' end.
fn night(random: &mut Random, width: usize, height: usize) -> Vec<f32> {
    let noise = Noise::new(random);
    let aspect = width as f32 / height as f32;
    // Two rows of houses: so many across, how high they get, and the share of windows that are lit.
    let rows = [(22.0, 0.20, 0.35), (13.0, 0.34, 0.45)];
    let land = Land::new(width, height, |_, x, y| {
        let moon = ((x - 0.2) * aspect).hypot(y - 0.15);
        let sky = 0.05 * (-18.0 * moon).exp() + 0.03 * (-6.0 * (0.6 - y).max(0.0)).exp();
        let mut light =
            if moon < 0.03 { 0.95 - 0.2 * noise.rough(90.0 * x, 90.0 * y, 2) } else { 0.06 * sky };
        for (k, (across, most, lit)) in rows.into_iter().enumerate() {
            let (house, wall) = ((x * across * aspect).floor() as i32, (x * across * aspect).fract());
            let high = noise.of(7 * house, 31 * k as i32);
            if y < SHORE - most * high * high || k == 1 && wall < 0.06 {
                continue;
            }
            let (i, j) = (7.0 * x * across * aspect, 95.0 * y);
            let place = [i.floor() as i32 + 57 * k as i32, j.floor() as i32];
            let glass = (0.3..0.8).contains(&i.fract()) && (0.3..0.75).contains(&j.fract());
            let on = glass && noise.of(place[0], 3 * place[1]) < lit * (0.3 + 0.7 * high);
            light = if on { 0.25 + 0.75 * noise.of(3 * place[0] + 5, place[1]) } else { 0.001 };
        }
        light
    });
    let mut pixel = |i: usize| {
        let (x, y) = share(i, width, height);
        let light = if y < SHORE {
            land.at(x, y)
        } else {
            let ripple = 0.15 * (noise.rough(20.0 * x * aspect, 120.0 * y, 2) - 0.5) * (y - SHORE);
            0.45 * (-3i8..=3).map(|k| land.mirrored(x, y + 0.006 * f32::from(k), ripple)).sum::<f32>() / 7.0
        };
        (light + 0.002 * random.unit()).min(1.0)
    };
    (0..width * height).map(&mut pixel).collect()
}

/// Words of ink in lines on paper, which is darker towards a corner; paper and ink have a grain.
fn page(random: &mut Random, width: usize, height: usize) -> Vec<f32> {
    // A line is a twentieth of the page; its words are so many strokes long.
    let words: Vec<f32> = (0..LINES * STROKES).map(|_| random.unit()).collect();
    let pixel = |i: usize| {
        let (x, y) = share(i, width, height);
        let (line, up) = ((y * LINES as f32) as usize, (y * LINES as f32).fract());
        let (stroke, along) = ((x * STROKES as f32) as usize, (x * STROKES as f32).fract());
        let word = words[(line * STROKES + stroke).min(words.len() - 1)];
        let inside = (0.05..0.95).contains(&x) && (0.04..0.96).contains(&y) && word > 0.15;
        let inked = inside && (0.3..0.3 + 0.45 * word).contains(&up) && along < 0.3 + 0.4 * word;
        let lit = 1.0 - 0.35 * (x * x + y * y) * 0.5;
        (if inked { 0.18 } else { 0.92 * lit }, 0.03)
    };
    (0..width * height)
        .map(|i| {
            let (light, grain) = pixel(i);
            (light + grain * random.signed()).clamp(0.0, 1.0)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{SCENES, made};

    /// Sizes that are odd, flat, high and of one pixel; the same seed makes the same image, another one another.
    #[test]
    fn scenes_are_images_of_any_size_and_their_seeds() {
        for (name, _, scene) in SCENES {
            for [width, height] in [[1, 1], [1, 7], [9, 1], [31, 17], [40, 90]] {
                let image = made(scene, width, height, 5);
                assert_eq!(image.len(), width * height, "{name}");
                assert!(image.iter().all(|light| (0.0..=1.0).contains(light)), "{name} {width}x{height}");
                assert_eq!(image, made(scene, width, height, 5));
                assert!(
                    width * height < 9 || image != made(scene, width, height, 6),
                    "{name} {width}x{height}"
                );
            }
        }
    }
}
