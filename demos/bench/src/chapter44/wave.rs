//! The demo column of Table 44-1: a step of the implicit wave equation and its picture, frame after frame; and each of them alone, the
//! picture with the time of each of its passes, beside the clears that it begins with.

use std::time::Instant;

use anyhow::{Result, ensure};
use quadrille::gl::{DepthStencil, Format, Shape, Texture};
use quadrille::linalg::BoundaryCondition;
use quadrille::sim::wave::{Parameters, Scheme, Wave};
use quadrille::trace::{Recorder, Watch};
use quadrille::view::{Camera, HeightField};
use quadrille::{Gpu, Rect};
use quadrille_oracle as oracle;

use super::super::interleave::{Elapsed, Pair, Work};
use super::super::row::{Bench, Row};
use super::super::stepping::first_texel;

/// Columns and rows of cells, and frames a second of a GeForce 6800 GT.
const TABLE: [(u32, u32, f64); 6] = [
    (2048, 1024, 12.0),
    (1024, 1024, 27.0),
    (1024, 512, 52.0),
    (512, 512, 102.0),
    (512, 256, 185.0),
    (256, 256, 335.0),
];

/// Far past what the explicit scheme could take; solved as far as an eye can see.
const PARAMETERS: Parameters = Parameters {
    scheme: Scheme::Implicit,
    beta: 5.0,
    edges: BoundaryCondition::Neumann,
    absorbing: false,
    damping: 0.0,
    tolerance: 1e-4,
};

/// Pixels.
const VIEW: (u32, u32) = (640, 480);

/// Steps from a drop of rain to the next.
const DRY: u64 = 30;

pub fn rows(divisor: u32) -> Vec<Row> {
    let row = |(width, height, paper)| {
        let build = move |bench: &Bench| frames(&bench.gpu, width / divisor, height / divisor);
        let row = Row::new("wave demo", &format!("{width}x{height} cells"), build);
        let remark = Some("implicit, β = 5, Chebyshev to 1e-4, a view of 640x480");
        Row { paper_ms: Some(1e3 / paper), counted: Some((1.0, "frames")), remark, ..row }
    };
    let alone = |side: u32| {
        let build = move |bench: &Bench| steps(&bench.gpu, side / divisor);
        let row = Row::new("wave step", &format!("{side}x{side} cells"), build);
        Row { counted: Some((1.0, "steps")), remark: Some("implicit, β = 5, Chebyshev to 1e-4"), ..row }
    };
    let picture = |side: u32| {
        let build = move |bench: &Bench| pictures(&bench.gpu, side / divisor);
        let row = Row::new("wave picture", &format!("{side}x{side} cells"), build);
        Row { counted: Some((1.0, "pictures")), ..row }
    };
    let clear = |cleared: Cleared| {
        let build = move |bench: &Bench| Ok(Pair::alone(Clears::new(&bench.gpu, cleared)?));
        Row::new("wave picture, a clear", cleared.name(), build)
    };
    let clears = [Cleared::Places, Cleared::Colours, Cleared::Light, Cleared::Depth].map(clear);
    let alone = [1024, 512, 256].map(alone).into_iter().chain([1024, 512, 256].map(picture)).chain(clears);
    TABLE.map(row).into_iter().chain(alone).collect()
}

/// A wave that it rains on.
struct Rain {
    wave: Wave,
    steps: u64,
}

impl Rain {
    fn new(gpu: &Gpu, width: u32, height: u32) -> Result<Rain> {
        let mut wave = Wave::new(gpu, width, height, PARAMETERS, 1)?;
        check(&mut wave)?;
        Ok(Rain { wave, steps: 0 })
    }

    fn step(&mut self) -> quadrille::Result<()> {
        if self.steps.is_multiple_of(DRY) {
            self.wave.rain(1, self.steps)?;
        }
        self.steps += 1;
        self.wave.step()?;
        self.wave.refresh()
    }
}

impl Work for Rain {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        (0..times).try_for_each(|_| self.step())?;
        let submitted = clock.elapsed();
        first_texel(self.wave.heights())?;
        Ok(Elapsed { submitted, done: clock.elapsed() })
    }
}

fn steps(gpu: &Gpu, side: u32) -> Result<Pair> {
    Ok(Pair::alone(Rain::new(gpu, side, side)?))
}

/// The same, with its picture.
struct Frames {
    rain: Rain,
    field: HeightField,
    picture: Texture,
    gpu: Gpu,
}

impl Frames {
    fn frame(&mut self) -> quadrille::Result<()> {
        self.rain.step()?;
        self.draw()
    }

    fn draw(&mut self) -> quadrille::Result<()> {
        let (heights, place) = (self.rain.wave.heights(), Rect::whole(VIEW.0, VIEW.1));
        self.field.draw(heights, &Camera::default(), Some(self.picture.framebuffer()), place)
    }
}

impl Work for Frames {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        (0..times).try_for_each(|_| self.frame())?;
        let submitted = clock.elapsed();
        // A screen shows a picture where it is; nothing of it is read.
        self.gpu.finish();
        Ok(Elapsed { submitted, done: clock.elapsed() })
    }
}

impl Frames {
    fn new(gpu: &Gpu, width: u32, height: u32) -> Result<Frames> {
        let shape = Shape { width: VIEW.0, height: VIEW.1, format: Format::Rgba8 };
        let (rain, picture) = (Rain::new(gpu, width, height)?, gpu.context().texture(shape)?);
        Ok(Frames { rain, field: HeightField::new(gpu)?, picture, gpu: gpu.clone() })
    }
}

fn frames(gpu: &Gpu, width: u32, height: u32) -> Result<Pair> {
    Ok(Pair::alone(Frames::new(gpu, width, height)?))
}

/// Steps before the water is drawn again and again, and pictures before and while their passes are timed.
const RAINED: u32 = 40;
const WARMING: u32 = if cfg!(test) { 1 } else { 200 };
const TIMED: u32 = if cfg!(test) { 1 } else { 20 };

/// The picture alone, of water as rain has left it, and what was found of its passes.
struct Pictures {
    frames: Frames,
    passes: String,
}

impl Work for Pictures {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        (0..times).try_for_each(|_| self.frames.draw())?;
        let submitted = clock.elapsed();
        self.frames.gpu.finish();
        Ok(Elapsed { submitted, done: clock.elapsed() })
    }

    fn said(&self) -> Option<String> {
        Some(self.passes.clone())
    }
}

fn pictures(gpu: &Gpu, side: u32) -> Result<Pair> {
    let mut frames = Frames::new(gpu, side, side)?;
    (0..RAINED).try_for_each(|_| frames.rain.step())?;
    let passes = passes(gpu, &mut frames)?;
    Ok(Pair::alone(Pictures { frames, passes }))
}

/// The least time of each pass of a picture by the clock that a recorder has, with its texels and vertices, and its fetches as the
/// kernels' texts tell them: all that are certain.
fn passes(gpu: &Gpu, frames: &mut Frames) -> quadrille::Result<String> {
    (0..WARMING).try_for_each(|_| frames.draw())?;
    let recorder = Recorder::start(gpu, Watch { times: true, ..Watch::default() })?;
    (0..TIMED).try_for_each(|_| frames.draw())?;
    let trace = recorder.end();
    let mut said = Vec::new();
    for (number, kernel) in trace.kernels.iter().enumerate() {
        let mut passes = trace.passes().filter(|pass| pass.kernel == number).peekable();
        let Some(first) = passes.peek() else { continue };
        let name = kernel.fragment.name.rsplit('/').next().unwrap_or_default().to_owned();
        let (texels, vertices) = (first.written.unwrap_or(first.fragments), first.geometry.1);
        let (fetches, _) = trace.fetches_of(first);
        let micros = passes.filter_map(|pass| pass.seconds).fold(f64::INFINITY, f64::min) * 1e6;
        said.push(format!("{name} {micros:.1} µs ({texels} texels, {vertices} vertices, {fetches} fetches)"));
    }
    Ok(said.join(", "))
}

/// The clears that a picture begins with: of the surface that tells where each texel looks, in each format that it had, and of its depth.
#[derive(Clone, Copy)]
enum Cleared {
    Places,
    Colours,
    Light,
    Depth,
}

impl Cleared {
    fn name(self) -> &'static str {
        match self {
            Cleared::Places => "1280x960, 2 of 32 bits, to -9",
            Cleared::Colours => "1280x960, 4 of 8 bits, to 0",
            Cleared::Light => "1280x960, 4 of 16 bits, to 0",
            Cleared::Depth => "1280x960, depth and stencil",
        }
    }
}

struct Clears {
    gpu: Gpu,
    colour: Option<(Texture, f32)>,
    depth: Option<DepthStencil>,
}

impl Clears {
    fn new(gpu: &Gpu, cleared: Cleared) -> Result<Clears> {
        let (width, height) = (2 * VIEW.0, 2 * VIEW.1);
        let (format, value) = match cleared {
            Cleared::Places => (Format::Rg32F, -9.0),
            Cleared::Colours => (Format::Rgba8, 0.0),
            Cleared::Light => (Format::Rgba16F, 0.0),
            Cleared::Depth => {
                let depth = Some(gpu.depth_stencil(width, height)?);
                return Ok(Clears { gpu: gpu.clone(), colour: None, depth });
            }
        };
        let colour = gpu.context().texture(Shape { width, height, format })?;
        Ok(Clears { gpu: gpu.clone(), colour: Some((colour, value)), depth: None })
    }
}

impl Work for Clears {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        for _ in 0..times {
            if let Some((texture, value)) = &self.colour {
                texture.clear([*value; 4]);
            }
            if let Some(depth) = &self.depth {
                depth.clear(1.0, 0)?;
            }
        }
        let submitted = clock.elapsed();
        self.gpu.finish();
        Ok(Elapsed { submitted, done: clock.elapsed() })
    }
}

/// The system of a step, in f64: ‖b − A y'‖ ≤ tolerance·‖b‖, and sixteen roundings of numbers as large as
/// ‖A‖·‖y'‖ and those that b is made of, with ‖A‖ ≤ 1 + 8α and ‖2 + αL‖ ≤ 2 + 8α.
fn check(wave: &mut Wave) -> Result<()> {
    let (width, height) = (wave.width() as usize, wave.height() as usize);
    let alpha = f64::from(PARAMETERS.beta) / 2.0;
    let matrices = oracle::wave::Wave { width, height, beta: f64::from(PARAMETERS.beta), reflecting: true };
    let [y, last] = heights(wave)?;
    wave.step()?;
    let [next, _] = heights(wave)?;
    let forward = matrices.matrix(2.0, alpha)?.multiply(&y);
    let right: Vec<f64> = forward.iter().zip(&last).map(|(forward, last)| forward - last).collect();
    let left = matrices.matrix(1.0, -alpha)?.multiply(&next);
    let residual: Vec<f64> = right.iter().zip(&left).map(|(right, left)| right - left).collect();
    let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
    let size = (1.0 + 8.0 * alpha) * norm(&next) + (2.0 + 8.0 * alpha) * norm(&y) + norm(&last);
    let bound = f64::from(PARAMETERS.tolerance) * norm(&right) + 16.0 * 2f64.powi(-24) * size;
    let found = norm(&residual);
    ensure!(found > 0.0 && found <= bound, "wave demo is wrong: residual {found:e}, bound {bound:e}");
    Ok(())
}

/// The newest heights and those before them.
fn heights(wave: &Wave) -> Result<[Vec<f64>; 2]> {
    let state = wave.state()?;
    let each = |first: usize| state.iter().skip(first).step_by(2).map(|&height| f64::from(height)).collect();
    Ok([each(0), each(1)])
}
