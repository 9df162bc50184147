//! Clouds in a sky, or a number of its air in colours.

use std::cell::Cell;

use anyhow::{Context, Result};
use quadrille::view::{FluidFields, Sky, SkyContent};
use quadrille::{Gpu, Rect};

use super::flat::{FlatPicture, FlatView};
use super::{Brush, COLOURS, Layout, Picture, STREAMLINES, Unit, size_within};
use crate::demo::Request;
use crate::image::Image;
use crate::param::Values;

/// How air with clouds in it is looked at.
pub struct SkyView {
    /// The sky of a run that draws: on a card without loops, others can do without.
    sky: Option<Sky>,
    /// The view of numbers, which has the brush.
    flat: FlatView,
    size: Option<[u32; 2]>,
    /// Rows that the last layout had.
    rows: Cell<u32>,
}

/// Heights of the box that a sky has at most.
const MOST_SKY: u32 = 4;

/// Air with clouds in it as it is looked at.
pub struct SkyPicture<'a> {
    pub view: &'a mut SkyView,
    pub air: SkyContent<'a>,
    /// Its numbers in colours.
    pub numbers: FluidFields<'a>,
    /// The name of its numbers in colours, and their unit.
    pub shows: &'static str,
    pub unit: Unit,
    /// True if numbers are shown in place of a sky.
    pub in_colours: bool,
}

impl SkyView {
    /// The view that is asked for.
    ///
    /// # Errors
    /// A card that cannot draw a sky; no such colours.
    pub fn new(gpu: &Gpu, request: &Request, numbers: &FluidFields) -> Result<SkyView> {
        let sky = request.draws.then(|| Sky::new(gpu)).transpose();
        let sky = sky.context("clouds cannot be drawn: run --headless, without pictures")?;
        let mut flat = FlatView::new(gpu, request, numbers)?;
        let [width, height] = numbers.grid.cells;
        flat.brush.radius = (width.min(height) as f32 / 16.0).max(1.5);
        Ok(SkyView { sky, flat, size: request.values.size("picture"), rows: Cell::new(height) })
    }

    /// Rows of the picture, from the ground up.
    pub fn rows(&self) -> u32 {
        self.rows.get()
    }

    fn sky(&mut self) -> Result<&mut Sky> {
        self.sky.as_mut().context("a picture that nobody asked for")
    }
}

impl SkyPicture<'_> {
    fn numbers(&mut self) -> FlatPicture<'_> {
        FlatPicture { view: &mut self.view.flat, fluid: self.numbers, shows: self.shows, unit: self.unit }
    }
}

impl Picture for SkyPicture<'_> {
    /// All of the box, within the size that was asked for.
    fn image(&mut self) -> Result<Image> {
        if self.in_colours {
            return self.numbers().image();
        }
        let [width, height] = size_within(self.numbers.grid.cells, self.view.size);
        let rgba = self.view.sky()?.picture(self.air, (width, height))?;
        Ok(Image { width, height, rgba })
    }

    fn draw(&mut self, place: Rect) -> Result<()> {
        if self.in_colours {
            return self.numbers().draw(place);
        }
        Ok(self.view.sky()?.draw(self.air, None, place)?)
    }

    /// A sky goes on above the box to the upper edge.
    fn layout(&self, aspect: f64) -> Result<Layout> {
        let [columns, rows] = self.numbers.grid.cells;
        let shown = (f64::from(columns) / aspect).clamp(f64::from(rows), f64::from(MOST_SKY * rows)) as u32;
        let rows = if self.in_colours { rows } else { shown };
        self.view.rows.set(rows);
        Ok(Layout::Map { columns, rows })
    }

    fn numbers(&self) -> Option<super::Numbers<'_>> {
        FlatPicture::numbers_of(&self.numbers, &self.view.flat, self.unit).filter(|_| self.in_colours)
    }

    fn say(&self, values: &mut Values) {
        match self.in_colours {
            true => self.view.flat.say(&self.numbers.shade, values),
            false => [COLOURS.name, STREAMLINES.name].iter().for_each(|name| values.forget(name)),
        }
    }

    fn brush(&mut self) -> Option<&mut Brush> {
        Some(&mut self.view.flat.brush)
    }

    /// The colours of numbers.
    #[cfg(feature = "panel")]
    fn widgets(&mut self, ui: &mut egui::Ui) -> Result<()> {
        if self.in_colours { self.numbers().widgets(ui) } else { Ok(()) }
    }
}
