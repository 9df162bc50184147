//! Kernels of `view` drawn alone on small targets of floats, with inputs chosen by hand: every pixel against its formula in f64.
//!
//! No bound is chosen: the formula is worked out again with each of its numbers off by the rounding of 32 bits that it has, and what that
//! changes is what a pixel may differ by. A pixel where it changes much lies on an edge, and is not compared; how many may, each test says.

mod develop;
mod faces;
mod flow;
mod heights;
mod lit;
mod looked_up;
mod mesh;
mod network;
mod nodes;
mod open;
mod paint;
mod pool_light;
mod pool_shade;
mod raster;
mod sky;
mod vec3;
mod volume;

use std::cell::RefCell;

use quadrille::gl::Kernel;
use quadrille::pug::Domain;
use quadrille::{Buffer, Gpu, Program, Result};

use crate::support::Random;

/// Half a unit in the last place of 1.
const U: f64 = 1.0 / (1u64 << 24) as f64;

/// The number in a pixel that nothing was drawn into.
const UNTOUCHED: f32 = -7.0;

/// Times that a formula is worked out with numbers that are off, and once as they are.
const RUNS: u64 = 7;

/// More than that is an edge.
const EDGE: f64 = 0.05;

/// The roundings of a run: numbers as they are in run 0, each off by some part of its error in the others.
struct Rounding {
    run: u64,
    random: RefCell<Random>,
}

impl Rounding {
    fn new(seed: u64, run: u64) -> Rounding {
        Rounding { run, random: RefCell::new(Random(RUNS * seed + run)) }
    }

    /// The number, which the GPU has with that error.
    fn of(&self, number: f64, error: f64) -> f64 {
        match self.run {
            0 => number,
            _ => number + error * (2.0 * f64::from(self.random.borrow_mut().unit()) - 1.0),
        }
    }

    /// Values that are the same for all pixels, for each run.
    fn runs<T>(of: impl Fn(&Rounding) -> T) -> Vec<T> {
        (0..RUNS).map(|run| of(&Rounding::new(0, run))).collect()
    }
}

/// The word of a formula on a pixel.
#[derive(Clone, Copy)]
enum Pixel<const N: usize> {
    Untouched,
    /// So near to an edge that either side may be drawn.
    Edge,
    Is([f64; N]),
}

/// The numbers of a pixel by its formula and how far off each may be: `None` on an edge.
fn bounded<const N: usize>(
    seed: u64,
    least: f64,
    formula: impl Fn(&Rounding) -> Pixel<N>,
) -> Option<([f64; N], [f64; N])> {
    let numbers = |rounding: Rounding| match formula(&rounding) {
        Pixel::Untouched => Some([f64::from(UNTOUCHED); N]),
        Pixel::Edge => None,
        Pixel::Is(numbers) => Some(numbers),
    };
    let exact = numbers(Rounding::new(seed, 0))?;
    let mut bound = [0.0f64; N];
    for run in 1..RUNS {
        let rounded = numbers(Rounding::new(seed, run))?;
        for n in 0..N {
            let off = (exact[n] - rounded[n]).abs();
            if off > EDGE * exact[n].abs().max(1.0) {
                return None;
            }
            bound[n] = bound[n].max(3.0 * off + least * exact[n].abs().max(1.0));
        }
    }
    Some((exact, bound))
}

/// Confirms that each pixel of N numbers is that of the formula, and that at most this part of them lie on edges. Whatever the
/// formula, all are off by `least` or by that part of themselves.
fn check<const N: usize>(
    what: &str,
    found: &[f32],
    (least, edges): (f64, f64),
    formula: impl Fn(&Rounding, usize) -> Pixel<N>,
) {
    let pixels = found.as_chunks::<N>().0;
    let (mut left_out, mut wrong) = (0, Vec::new());
    for (i, pixel) in pixels.iter().enumerate() {
        let Some((expected, bound)) = bounded(i as u64 + 1, least, |rounding| formula(rounding, i)) else {
            left_out += 1;
            continue;
        };
        let near = |n: usize| (f64::from(pixel[n]) - expected[n]).abs() <= bound[n];
        if !(0..N).all(near) {
            wrong.push(format!("{i}: {pixel:?}, {expected:?} to {bound:?}"));
        }
    }
    let first = &wrong[..wrong.len().min(4)];
    assert!(wrong.is_empty(), "{what}: {} of {} pixels: {first:#?}", wrong.len(), pixels.len());
    let share = f64::from(left_out) / pixels.len() as f64;
    assert!(share <= edges, "{what}: {left_out} of {} pixels on edges", pixels.len());
}

/// A fragment kernel with what a vertex hands over to it, name and components, taken from streams `of_NAME`: each of their texels is a point, so no pixel
/// knows its neighbours.
fn of_points(gpu: &Gpu, fragment: Kernel, handed: &[(&str, usize)]) -> Result<Program> {
    let (mut declared, mut said) = (String::new(), String::new());
    for (name, components) in handed {
        let (word, swizzle) =
            [("float", "x"), ("vec2", "xy"), ("vec3", "xyz"), ("vec4", "xyzw")][components - 1];
        declared += &format!("uniform Stream of_{name};\nout {word} {name};\n");
        said += &format!("{name} = value(of_{name}, float(gl_VertexID)).{swizzle};\n");
    }
    let first = handed[0].0;
    let vertex =
        format!("{declared}void main() {{\n{said}scatter(fold(of_{first}, float(gl_VertexID)));\n}}");
    gpu.load_scatter(Kernel::new("a_point_a_texel.vert", vertex), fragment)
}

/// A target of four numbers a texel that nothing was drawn into.
fn untouched(gpu: &Gpu, [width, height]: [u32; 2]) -> Result<Buffer> {
    gpu.buffer(width, height).components(4).init(&vec![UNTOUCHED; 4 * (width * height) as usize])
}

/// f64 of numbers as the GPU has them.
fn wide<const N: usize>(numbers: [f32; N]) -> [f64; N] {
    numbers.map(f64::from)
}

fn mix(a: f64, b: f64, t: f64) -> f64 {
    a + t * (b - a)
}

/// The cubic that leaves 0 at one place and is 1 from another one on.
fn smoothstep(from: f64, to: f64, x: f64) -> f64 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// A number a pixel, and the same of a domain, linear from corner to corner.
fn across(size: [u32; 2], from: [f64; 2], to: [f64; 2], i: usize) -> [f64; 2] {
    let at = [i as u32 % size[0], i as u32 / size[0]];
    [0, 1].map(|n| mix(from[n], to[n], (f64::from(at[n]) + 0.5) / f64::from(size[n])))
}

/// The domain between these corners.
fn domain(from: [f64; 2], to: [f64; 2]) -> Domain {
    let [[x0, y0], [x1, y1]] = [from, to].map(|corner| corner.map(|x| x as f32));
    Domain::new(x0, y0, x1, y1)
}

/// A stream whose edges clamp, and what the CPU has of it.
struct Field<const N: usize> {
    size: [u32; 2],
    texels: Vec<[f32; N]>,
}

impl<const N: usize> Field<N> {
    /// Numbers of a column and a row.
    fn new(size: [u32; 2], mut of: impl FnMut(u32, u32) -> [f32; N]) -> Field<N> {
        let texels = (0..size[0] * size[1]).map(|i| of(i % size[0], i / size[0])).collect();
        Field { size, texels }
    }

    /// Random numbers between two.
    fn random(size: [u32; 2], seed: u64, low: f32, high: f32) -> Field<N> {
        let mut random = Random(seed);
        Field::new(size, |_, _| [0.0; N].map(|_| low + (high - low) * random.unit()))
    }

    fn buffer(&self, gpu: &Gpu) -> Result<Buffer> {
        gpu.buffer(self.size[0], self.size[1]).components(N).init(self.texels.as_flattened())
    }

    /// The texel in which a place lies.
    fn at(&self, place: [f64; 2]) -> [f64; N] {
        let [column, row] = [0, 1].map(|n| place[n].floor().clamp(0.0, f64::from(self.size[n] - 1)) as usize);
        wide(self.texels[row * self.size[0] as usize + column])
    }
}

/// 256 colours that are unlike their neighbours.
fn palette() -> Field<3> {
    Field::random([256, 1], 77, 0.0, 1.0)
}

/// The colour of a share of the palette.
fn coloured(palette: &Field<3>, share: f64) -> [f64; 3] {
    palette.at([(255.0 * share.clamp(0.0, 1.0)).round(), 0.0])
}

fn mixed(a: [f64; 3], b: [f64; 3], t: f64) -> [f64; 3] {
    [0, 1, 2].map(|n| mix(a[n], b[n], t))
}

/// The share of a colour map that a number has; by logarithms of both signs, linear below a thousandth of the larger end.
fn share(number: f64, [low, high]: [f64; 2], logarithmic: bool) -> f64 {
    let most = low.abs().max(high.abs());
    let bent = |x: f64| if logarithmic { x.signum() * (1000.0 * x.abs() / most).ln_1p() } else { x };
    (bent(number) - bent(low)) / (bent(high) - bent(low))
}

/// A colour with lines where the level is whole, from 0 to `last`, black on what is light: `slope` is the level's change over a pixel.
fn lined(rgb: [f64; 3], level: f64, slope: f64, last: f64) -> [f64; 3] {
    if level < -0.5 || level > last + 0.5 {
        return rgb;
    }
    let off = (level - level.round()).abs() / slope.max(1e-9);
    let line = (1.2 - off).clamp(0.0, 1.0) * smoothstep(5e-4, 2e-3, slope);
    let light = 0.3 * rgb[0] + 0.59 * rgb[1] + 0.11 * rgb[2];
    mixed(rgb, [if light > 0.5 { 0.0 } else { 1.0 }; 3], 0.75 * line)
}
