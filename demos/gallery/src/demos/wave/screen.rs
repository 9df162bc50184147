//! A screen behind slits: the intensity of the waves that come to a column, and where theory has it bright.

use std::f64::consts::PI;

use anyhow::Result;
use quadrille::{Buffer, DoubleBuffer, Gpu, Program};

use super::walls::{ACROSS, APART, Built, OPENING, THICK};

/// The place of the screen as a part of the width, and how far a curve on it reaches.
const PLACE: f32 = 0.86;
const REACH: f32 = 0.11;

/// The means of h² over a period of the source, a row each.
pub struct Screen {
    sums: DoubleBuffer,
    program: Program,
    /// Steps of the period that runs, and of a whole one.
    steps: u64,
    period: u64,
    /// The means of the last whole period that were looked at.
    means: Vec<f32>,
    stale: bool,
}

impl Screen {
    pub fn new(gpu: &Gpu, width: u32, height: u32, period: u64) -> Result<Screen> {
        let sums = gpu.buffer(1, height).components(2).named("screen").double().build()?;
        let mut program = gpu.builtin("sim/wave_screen.frag")?;
        program.bind_float("column", column(width) + 0.5)?;
        Ok(Screen { sums, program, steps: 0, period, means: Vec::new(), stale: false })
    }

    pub fn period(&self) -> u64 {
        self.period
    }

    /// Takes in the heights after a step: one pass of a row's texels.
    pub fn take(&mut self, heights: &Buffer) -> Result<()> {
        self.steps += 1;
        let ends = self.steps >= self.period;
        let share = if ends { 1.0 / self.steps as f32 } else { 0.0 };
        self.program.bind_stream("heights", heights)?.bind_stream("sums", self.sums.front())?;
        self.program.bind_float("share", share)?;
        self.program.run(self.sums.back())?;
        self.program.release_streams();
        self.sums.swap();
        if ends {
            (self.steps, self.stale) = (0, true);
        }
        Ok(())
    }

    /// Reads the means if there are newer ones.
    pub fn look(&mut self) -> Result<()> {
        if std::mem::take(&mut self.stale) {
            self.means = self.read()?;
        }
        Ok(())
    }

    /// The means of the last whole period as they are now.
    pub fn read(&self) -> Result<Vec<f32>> {
        Ok(self.sums.data()?.into_iter().skip(1).step_by(2).collect())
    }

    /// The means as of the last [`Screen::look`].
    #[cfg(feature = "panel")]
    pub fn means(&self) -> &[f32] {
        &self.means
    }

    /// The screen and the curve on it, in cells.
    pub fn curves(&self, width: u32, height: u32) -> Vec<Vec<[f32; 2]>> {
        let x = PLACE * width as f32;
        let mut curves = vec![vec![[x, 0.0], [x, height as f32]]];
        let most = self.means.iter().copied().fold(FAINT, f32::max);
        let point = |(y, mean): (usize, &f32)| [x + REACH * width as f32 * mean / most, y as f32 + 0.5];
        curves.push(self.means.iter().enumerate().map(point).collect());
        curves
    }
}

/// The brightest row within so many of one, by the parabola through the largest mean there and its neighbours; none where the largest is at an end.
pub fn peak(means: &[f32], near: f64, within: f64) -> Option<f64> {
    let rows =
        (near - within).max(1.0) as usize..((near + within) as usize).min(means.len().saturating_sub(1));
    let found = rows.max_by(|&a, &b| means[a].total_cmp(&means[b]))?;
    let [before, here, after] = [found - 1, found, found + 1].map(|i| f64::from(means[i]));
    let bend = 2.0 * here - before - after;
    // On the axis two rows may be as bright to the bit.
    let is_peak = here >= before.max(after).max(FAINT.into()) && bend > 0.0;
    is_peak.then(|| found as f64 + 0.5 + 0.5 * (after - before) / bend)
}

/// The part of the height along its edges, where waves fade on their way out, in which nothing is marked.
const RIM: f64 = 0.1;

/// Waves less bright than this have not come yet.
const FAINT: f32 = 1e-9;

/// The column of the screen.
pub fn column(width: u32) -> f32 {
    (PLACE * width as f32).floor()
}

/// The cells of a wave along the axes, where a period has so many steps: sin²(ω/2) = β sin²(k/2) of the explicit scheme; `None` of shorter periods than
/// any wave has.
pub fn wavelength(beta: f64, period: u64) -> Option<f64> {
    let sine = (PI / period as f64).sin() / beta.sqrt();
    (sine < 1.0).then(|| PI / sine.asin())
}

/// The columns from where slits end to the middle of the screen's.
fn distance([width, height]: [u32; 2]) -> f64 {
    let (w, thick) = (f64::from(width), f64::from(THICK * width.max(height) as f32).max(0.6));
    f64::from(column(width)) + 0.5 - f64::from(ACROSS) * w - thick
}

/// The places of a screen, in rows, where waves of two slits meet in step, |r1 - r2| = m λ with the ways from both, or, far away, those of one cancel,
/// a sin θ = m λ with its width; with their numbers.
pub fn fringes(built: Built, [width, height]: [u32; 2], wavelength: f64) -> Vec<(i32, f64)> {
    let h = f64::from(height);
    let (across, most) = match built {
        Built::DoubleSlit => (f64::from(APART) * h, 3),
        Built::Slit => (2.0 * f64::from(OPENING) * h, 2),
        Built::None | Built::Grating | Built::Pillars => return Vec::new(),
    };
    let distance = distance([width, height]);
    let place = |m: i32| {
        let more = f64::from(m) * wavelength;
        // Places whose ways differ by so much lie on a hyperbola through the slits' line, whose other axis is `rest`.
        let rest = (across * across - more * more).sqrt();
        let near = if built == Built::DoubleSlit { 0.5 * rest } else { 0.0 };
        (rest > 0.0).then(|| (m, 0.5 * h + more / rest * distance.hypot(near)))
    };
    let of = |m: &i32| built == Built::DoubleSlit || *m != 0;
    (-most..=most).filter(of).filter_map(place).filter(|(_, y)| (RIM * h..h - RIM * h).contains(y)).collect()
}
