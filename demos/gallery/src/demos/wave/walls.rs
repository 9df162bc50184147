//! Walls in the water: slits, obstacles, and what is drawn by hand.

use anyhow::Result;
use quadrille::view::Pool;
use quadrille::{Buffer, Gpu, Program};

/// Walls that the water begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Built {
    #[default]
    None,
    Slit,
    DoubleSlit,
    Grating,
    Pillars,
}

pub const BUILT: [(&str, &str, Built); 5] = [
    ("none", "Open water", Built::None),
    ("slit", "A wall across with one opening, behind which waves spread", Built::Slit),
    ("double-slit", "Two openings, whose waves meet: Young's experiment", Built::DoubleSlit),
    ("grating", "Nine openings", Built::Grating),
    ("pillars", "Round posts, which scatter", Built::Pillars),
];

/// Where the wall across stands, as a part of the width.
pub const ACROSS: f32 = 0.36;

/// Half its thickness, as a part of the longer side.
pub const THICK: f32 = 0.008;

/// Openings: half their width and their distance, as parts of the height. Each of two is half as wide as a wave of 36 steps at 512 rows: it sends as much
/// every way, wherever its waves come from, so that they alone do not say where two are bright.
pub const OPENING: f32 = 0.03;
pub const APART: f32 = 0.2;
const NARROW: f32 = 0.012;
const FINE: f32 = 0.02;
const CLOSE: f32 = 0.08;

/// The place of the source before the walls, as parts of the sides.
pub const SOURCE: [f32; 2] = [0.12, 0.5];

impl Built {
    /// The height of a source's waves behind them that is passed by one in a hundred, about.
    pub fn highest(self) -> Option<f32> {
        match self {
            Built::None => None,
            Built::Slit => Some(0.04),
            Built::DoubleSlit => Some(0.02),
            Built::Grating => Some(0.06),
            Built::Pillars => Some(0.12),
        }
    }

    /// The cells without water of so many columns and rows.
    pub fn cells(self, width: u32, height: u32) -> Vec<bool> {
        let [w, h] = [width as f32, height as f32];
        let thick = (THICK * w.max(h)).max(0.6);
        let slits = |count: i32, half: f32, apart: f32| {
            move |x: f32, y: f32| {
                let across = (x - ACROSS * w).abs() <= thick;
                let half = (half * h).max(0.6);
                let open = (0..count).any(|n| {
                    let middle = 0.5 * h + (n as f32 - 0.5 * (count - 1) as f32) * apart * h;
                    (y - middle).abs() <= half
                });
                across && !open
            }
        };
        let pillars = |x: f32, y: f32| {
            let (pitch, radius) = (0.14 * h, 0.035 * h);
            let row = ((x - ACROSS * w) / pitch).round();
            let shift = if row.rem_euclid(2.0) < 0.5 { 0.0 } else { 0.5 };
            let line = ((y - 0.5 * h) / pitch - shift).round() + shift;
            let (dx, dy) = (x - ACROSS * w - row * pitch, y - 0.5 * h - line * pitch);
            (0.0..=3.0).contains(&row) && line.abs() < 3.2 && dx.hypot(dy) <= radius
        };
        let inside: Box<dyn Fn(f32, f32) -> bool> = match self {
            Built::None => Box::new(|_, _| false),
            Built::Slit => Box::new(slits(1, OPENING, APART)),
            Built::DoubleSlit => Box::new(slits(2, NARROW, APART)),
            Built::Grating => Box::new(slits(9, FINE, CLOSE)),
            Built::Pillars => Box::new(pillars),
        };
        let row = |y: u32| (0..width).map(move |x| (x as f32 + 0.5, y as f32 + 0.5));
        (0..height).flat_map(row).map(|(x, y)| inside(x, y)).collect()
    }
}

/// Heights with walls among them, for pictures.
pub struct Shown {
    join: Program,
    /// The number of each wall in a pool, and on a map.
    walls: Buffer,
    heights: Buffer,
}

impl Shown {
    pub fn new(gpu: &Gpu, width: u32, height: u32, cells: &[bool]) -> Result<Shown> {
        let shown = Shown {
            join: gpu.builtin("view/heights_walls.frag")?,
            walls: gpu.buffer(width, height).components(2).named("walls").build()?,
            heights: gpu.buffer(width, height).named("heights and walls").build()?,
        };
        shown.set(cells)?;
        Ok(shown)
    }

    /// Other walls.
    pub fn set(&self, cells: &[bool]) -> Result<()> {
        // On a map what is no number has a colour of its own.
        let numbers = |&wall: &bool| if wall { [Pool::STONE, f32::NAN] } else { [0.0; 2] };
        Ok(self.walls.write(&cells.iter().flat_map(numbers).collect::<Vec<f32>>())?)
    }

    /// Brings [`Shown::heights`] up to date: a pass.
    pub fn join(&mut self, heights: &Buffer, flat: bool) -> Result<()> {
        self.join.bind_stream("heights", heights)?.bind_stream("walls", &self.walls)?;
        self.join.bind_float("which", if flat { 1.0 } else { 0.0 })?;
        self.join.run(&self.heights)?;
        self.join.release_streams();
        Ok(())
    }

    pub fn heights(&self) -> &Buffer {
        &self.heights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Openings in the wall across, by runs of open cells in its middle column.
    #[test]
    fn walls_have_the_openings_that_they_are_called_by() {
        for (built, openings) in [(Built::Slit, 1), (Built::DoubleSlit, 2), (Built::Grating, 9)] {
            for [width, height] in [[128, 128], [257, 130]] {
                let cells = built.cells(width, height);
                let column = (ACROSS * width as f32) as usize;
                let open: Vec<bool> =
                    (0..height as usize).map(|y| !cells[y * width as usize + column]).collect();
                let runs = open.windows(2).filter(|pair| !pair[0] && pair[1]).count();
                assert_eq!(runs, openings, "{built:?} of {width}x{height}");
                // The source is in the water.
                let [x, y] = SOURCE;
                let source = (y * height as f32) as usize * width as usize + (x * width as f32) as usize;
                assert!(!cells[source]);
            }
        }
        assert!(Built::Pillars.cells(128, 128).contains(&true) && !Built::None.cells(9, 9).contains(&true));
    }
}
