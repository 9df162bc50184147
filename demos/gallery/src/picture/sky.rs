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
    /// The part of the box that the last layout had: first column, columns and rows.
    shown: Cell<[u32; 3]>,
}

/// Heights of the box that a sky has at most.
const MOST_SKY: u32 = 4;

/// The columns that are shown at least, as a part of all.
const LEAST_SHOWN: f64 = 0.4;

/// Air with clouds in it as it is looked at.
pub struct SkyPicture<'a> {
    pub view: &'a mut SkyView,
    pub air: SkyContent<'a>,
    /// Rows from the ground up that have clouds: what is shown at least.
    pub cloudy: u32,
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
        Ok(SkyView { sky, flat, size: request.values.size("picture"), shown: Cell::new([0, width, height]) })
    }

    /// Rows of the picture, from the ground up.
    pub fn rows(&self) -> u32 {
        self.shown.get()[2]
    }

    /// The first column of the picture.
    pub fn first_column(&self) -> u32 {
        self.shown.get()[0]
    }

    /// Columns of the picture.
    pub fn columns(&self) -> u32 {
        self.shown.get()[1]
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
    /// All columns of the box and the rows that have clouds, or of numbers all, within the size that was asked for.
    fn image(&mut self) -> Result<Image> {
        if self.in_colours {
            return self.numbers().image();
        }
        let [columns, _] = self.numbers.grid.cells;
        let [width, height] = size_within([columns, self.cloudy], self.view.size);
        let shown = [0, columns, self.cloudy].map(|n| n as f32);
        let rgba = self.view.sky()?.picture(SkyContent { shown, ..self.air }, (width, height))?;
        Ok(Image { width, height, rgba })
    }

    fn draw(&mut self, place: Rect) -> Result<()> {
        if self.in_colours {
            return self.numbers().draw(place);
        }
        let shown = self.view.shown.get().map(|n| n as f32);
        Ok(self.view.sky()?.draw(SkyContent { shown, ..self.air }, None, place)?)
    }

    /// As many columns as are as wide as the rows that have clouds are high; of a wide picture all, and sky above the box to the upper edge.
    fn layout(&self, aspect: f64) -> Result<Layout> {
        let [all, height] = self.numbers.grid.cells;
        let shown = match (self.in_colours, self.numbers.grid.periodic[0]) {
            (true, _) => [0, all, height],
            (false, periodic) => {
                let least = if periodic { (LEAST_SHOWN * f64::from(all)).ceil() } else { f64::from(all) };
                let columns = (f64::from(self.cloudy) * aspect).round().clamp(least, f64::from(all));
                let rows = (columns / aspect).clamp(f64::from(self.cloudy), f64::from(MOST_SKY * height));
                [(all - columns as u32) / 2, columns as u32, rows as u32]
            }
        };
        self.view.shown.set(shown);
        let [_, columns, rows] = shown;
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
