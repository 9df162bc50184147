//! Views as pictures: colours, moments of a line below each other, a curve, a lit surface; contours and arrows over colours.

use anyhow::{Result, bail, ensure};
use quadrille::Gpu;
use quadrille::pde::{Formula, Show, Shown, Simulation};
use quadrille::view::{Camera, HeightField};
use quadrille_gallery::palette;

use crate::files::Picture;

/// Pixels of a curve and of a surface.
const SIZE: [u32; 2] = [640, 480];
/// Rows that a picture of a line over time has at most.
const MOST_ROWS: usize = 4096;
/// Nodes from arrow to arrow.
const BETWEEN: usize = 12;

/// A view that is drawn again and again.
pub struct Canvas {
    kind: Show,
    shown: Shown,
    arrows: Option<[Shown; 2]>,
    colours: [[u8; 3]; 256],
    range: Option<[f64; 2]>,
    contours: Vec<f64>,
    surface: Option<HeightField>,
    size: [usize; 2],
    is_line: bool,
    inside: Option<Vec<bool>>,
    /// The values of a line at each moment so far.
    rows: Vec<Vec<f32>>,
}

impl Canvas {
    /// The view of that number, from 1; without any, the first field.
    ///
    /// # Errors
    /// No such view or colours; those of making its kernels.
    pub fn new(gpu: &Gpu, simulation: &Simulation, number: u32) -> Result<Canvas> {
        let equations = simulation.equations().clone();
        let many = equations.views.len().max(1);
        ensure!(number as usize <= many, "--view {number}: there are {many}");
        let view = equations.views.get(number as usize - 1);
        let is_line = equations.grid.dimensions == 1;
        let field: Formula;
        let (formula, kind, colours, range, contours, arrows) = match view {
            Some(view) => {
                let name = view.colours.as_deref();
                (&view.show, view.kind, name, view.range, view.contours.clone(), view.arrows.as_ref())
            }
            None => {
                field = simulation.first_field();
                (&field, Show::default(), None, None, Vec::new(), None)
            }
        };
        ensure!(
            !(is_line && kind == Show::Surface),
            "a line has no surface: expected the kind colour or line"
        );
        ensure!(
            is_line || kind != Show::Line,
            "a rectangle is no curve: expected the kind colour or surface"
        );
        ensure!(
            kind == Show::Colour && !is_line || contours.is_empty() && arrows.is_none(),
            "contours and arrows lie over the colours of a rectangle"
        );
        let name = colours.unwrap_or(palette::DEFAULT);
        let Some(colours) = palette::colours(name) else {
            let all: Vec<&str> = palette::names().collect();
            bail!("there are no colours \"{name}\": there are {}", all.join(", "));
        };
        let arrows = match arrows {
            Some([a, b]) => Some([simulation.shown(a)?, simulation.shown(b)?]),
            None => None,
        };
        let surface = if kind == Show::Surface { Some(HeightField::new(gpu)?) } else { None };
        let size = equations.grid.size.map(|side| side as usize);
        let (shown, inside) = (simulation.shown(formula)?, equations.grid.mask.clone());
        Ok(Canvas {
            kind,
            shown,
            arrows,
            colours,
            range,
            contours,
            surface,
            size,
            is_line,
            inside,
            rows: Vec::new(),
        })
    }

    /// Keeps the values of a line, for its picture over time.
    ///
    /// # Errors
    /// Those of passes.
    pub fn note(&mut self, simulation: &Simulation) -> Result<()> {
        if self.is_line && self.kind == Show::Colour && self.rows.len() < MOST_ROWS {
            self.rows.push(simulation.show(&mut self.shown)?.data()?);
        }
        Ok(())
    }

    /// The picture as it is now.
    ///
    /// # Errors
    /// Those of passes.
    pub fn picture(&mut self, simulation: &Simulation) -> Result<Picture> {
        if let Some(surface) = &mut self.surface {
            let heights = simulation.show(&mut self.shown)?;
            let rgba = surface.picture(heights, &Camera::default(), SIZE[0], SIZE[1])?;
            return Ok(Picture { width: SIZE[0], height: SIZE[1], rgba });
        }
        self.note(simulation)?;
        if self.is_line && self.kind == Show::Colour {
            let [low, high] = self.ends(self.rows.iter().flatten());
            let pixels = self.rows.iter().flatten().flat_map(|value| self.colour(*value, low, high));
            let rgba = pixels.collect();
            return Ok(Picture { width: self.size[0] as u32, height: self.rows.len() as u32, rgba });
        }
        let values = simulation.show(&mut self.shown)?.data()?;
        let [low, high] =
            self.ends(values.iter().enumerate().filter(|(node, _)| self.is_inside(*node)).map(|(_, v)| v));
        if self.is_line {
            return Ok(self.curve(&values, low, high));
        }
        let [width, height] = self.size;
        let mut canvas = Pixels::new(width, height);
        for (node, value) in values.iter().enumerate() {
            if self.is_inside(node) {
                canvas.set(node % width, node / width, self.colour(*value, low, high));
            }
        }
        for level in &self.contours {
            for node in 0..values.len() {
                let (x, y) = (node % width, node / width);
                let above = |node: usize| f64::from(values[node]) > *level;
                let crosses = x + 1 < width && above(node) != above(node + 1)
                    || y + 1 < height && above(node) != above(node + width);
                if crosses && self.is_inside(node) {
                    canvas.set(x, y, WHITE);
                }
            }
        }
        if let Some([a, b]) = &mut self.arrows {
            let (along, up) = (simulation.show(a)?.data()?, simulation.show(b)?.data()?);
            let longest = along.iter().zip(&up).map(|(a, b)| a.hypot(*b)).fold(f32::MIN_POSITIVE, f32::max);
            for y in (BETWEEN / 2..height).step_by(BETWEEN) {
                for x in (BETWEEN / 2..width).step_by(BETWEEN) {
                    let node = y * width + x;
                    let [dx, dy] =
                        [along[node], up[node]].map(|part| part / longest * (BETWEEN as f32 - 1.0));
                    if self.inside.as_ref().is_none_or(|inside| inside[node]) {
                        canvas.arrow([x as f32, y as f32], [dx, dy]);
                    }
                }
            }
        }
        Ok(canvas.picture())
    }

    fn is_inside(&self, node: usize) -> bool {
        self.inside.as_ref().is_none_or(|inside| inside[node])
    }

    /// The values of the first and the last colour.
    fn ends<'v>(&self, values: impl Iterator<Item = &'v f32>) -> [f64; 2] {
        if let Some(range) = self.range {
            return range;
        }
        let finite = values.filter(|value| value.is_finite()).map(|value| f64::from(*value));
        let [low, high] = finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], v| [a.min(v), b.max(v)]);
        if low < high { [low, high] } else { [low.min(0.0) - 0.5, low.min(0.0) + 0.5] }
    }

    fn colour(&self, value: f32, low: f64, high: f64) -> [u8; 4] {
        if !value.is_finite() {
            return [255, 0, 255, 255];
        }
        let share = ((f64::from(value) - low) / (high - low)).clamp(0.0, 1.0);
        let [r, g, b] = self.colours[(255.0 * share).round() as usize];
        [r, g, b, 255]
    }

    /// A curve over x, with the two ends of its range as its frame.
    fn curve(&self, values: &[f32], low: f64, high: f64) -> Picture {
        let [width, height] = SIZE.map(|side| side as usize);
        let mut canvas = Pixels::new(width, height);
        canvas.rgba.fill(255);
        let place = |at: usize, value: f32| {
            let x = at as f32 / (values.len() - 1) as f32 * (width - 1) as f32;
            let share = ((f64::from(value) - low) / (high - low)).clamp(-0.1, 1.1);
            [x, (10.0 + share * (height as f64 - 21.0)) as f32]
        };
        if low < 0.0 && high > 0.0 {
            let [_, y] = place(0, 0.0);
            canvas.line([0.0, y], [width as f32 - 1.0, y], [190, 190, 190, 255]);
        }
        for (at, pair) in values.windows(2).enumerate() {
            canvas.line(place(at, pair[0]), place(at + 1, pair[1]), [30, 60, 160, 255]);
        }
        canvas.picture()
    }
}

const WHITE: [u8; 4] = [255; 4];

/// Pixels with row 0 at the bottom.
struct Pixels {
    width: usize,
    height: usize,
    rgba: Vec<u8>,
}

impl Pixels {
    fn new(width: usize, height: usize) -> Pixels {
        Pixels { width, height, rgba: [128, 128, 128, 255].repeat(width * height) }
    }

    fn set(&mut self, x: usize, y: usize, colour: [u8; 4]) {
        if x < self.width && y < self.height {
            let at = 4 * ((self.height - 1 - y) * self.width + x);
            self.rgba[at..at + 4].copy_from_slice(&colour);
        }
    }

    fn line(&mut self, from: [f32; 2], to: [f32; 2], colour: [u8; 4]) {
        let steps = (to[0] - from[0]).abs().max((to[1] - from[1]).abs()).ceil().max(1.0);
        for step in 0..=steps as usize {
            let share = step as f32 / steps;
            let [x, y] = [0, 1].map(|axis| (from[axis] + share * (to[axis] - from[axis])).round());
            if x >= 0.0 && y >= 0.0 {
                self.set(x as usize, y as usize, colour);
            }
        }
    }

    /// An arrow with its middle at a place.
    fn arrow(&mut self, [x, y]: [f32; 2], [dx, dy]: [f32; 2]) {
        if dx.hypot(dy) < 1.0 {
            return;
        }
        let tip = [x + 0.5 * dx, y + 0.5 * dy];
        self.line([x - 0.5 * dx, y - 0.5 * dy], tip, WHITE);
        for side in [-1.0, 1.0] {
            let barb = [tip[0] - 0.3 * dx - side * 0.25 * dy, tip[1] - 0.3 * dy + side * 0.25 * dx];
            self.line(tip, barb, WHITE);
        }
    }

    fn picture(self) -> Picture {
        Picture { width: self.width as u32, height: self.height as u32, rgba: self.rgba }
    }
}
