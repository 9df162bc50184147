//! The demo column of Table 44-1: a step of the implicit wave equation and its picture, frame after frame.

use std::time::Instant;

use anyhow::{Result, ensure};
use quadrille::gl::{Format, Shape, Texture};
use quadrille::linalg::BoundaryCondition;
use quadrille::sim::wave::{Parameters, Scheme, Wave};
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
const PARAMETERS: Parameters =
    Parameters { scheme: Scheme::Implicit, beta: 5.0, edges: BoundaryCondition::Neumann, tolerance: 1e-4 };

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
    TABLE.map(row).into_iter().chain([1024, 512].map(alone)).collect()
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
}

impl Frames {
    fn frame(&mut self) -> quadrille::Result<()> {
        self.rain.step()?;
        let (heights, place) = (self.rain.wave.heights(), Rect::whole(VIEW.0, VIEW.1));
        self.field.draw(heights, &Camera::default(), Some(self.picture.framebuffer()), place)
    }
}

impl Work for Frames {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        (0..times).try_for_each(|_| self.frame())?;
        let submitted = clock.elapsed();
        self.picture.read_bytes()?;
        Ok(Elapsed { submitted, done: clock.elapsed() })
    }
}

fn frames(gpu: &Gpu, width: u32, height: u32) -> Result<Pair> {
    let shape = Shape { width: VIEW.0, height: VIEW.1, format: Format::Rgba8 };
    let (rain, picture) = (Rain::new(gpu, width, height)?, gpu.context().texture(shape)?);
    Ok(Pair::alone(Frames { rain, field: HeightField::new(gpu)?, picture }))
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
