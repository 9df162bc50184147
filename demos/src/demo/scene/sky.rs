//! Clouds in a sky.

use anyhow::{Context, Result};
use egui::{Slider, Ui};
use quadrille::view::{Overcast, Sky};
use quadrille::{Gpu, Rect};

use super::super::Chosen;
use super::{Layout, size_within};
use crate::cli::Size;
use crate::files::Picture;

pub struct SkyScene {
    /// Of a run that draws: on a card without loops, others can do without.
    sky: Option<Sky>,
    picture: Option<Size>,
    /// Radius of the brush in cells.
    pub brush: f32,
}

impl SkyScene {
    /// The view that these arguments ask for.
    pub fn new(gpu: &Gpu, chosen: &Chosen, shown: &Overcast) -> Result<SkyScene> {
        let sky = chosen.arguments.draws().then(|| Sky::new(gpu)).transpose();
        let sky = sky.context("clouds cannot be drawn: run --headless, without pictures")?;
        let [width, height] = shown.grid.cells;
        let brush = (width.min(height) as f32 / 16.0).max(1.5);
        Ok(SkyScene { sky, picture: chosen.look.camera.picture, brush })
    }

    fn sky(&mut self) -> Result<&mut Sky> {
        self.sky.as_mut().context("a picture that nobody asked for")
    }

    /// All of the box, within the size that was asked for.
    pub fn picture(&mut self, shown: Overcast) -> Result<Picture> {
        let (width, height) = size_within(shown.grid.cells, self.picture);
        let rgba = self.sky()?.picture(shown, (width, height))?;
        Ok(Picture { width, height, rgba })
    }

    pub fn draw(&mut self, shown: Overcast, place: Rect) -> Result<()> {
        Ok(self.sky()?.draw(shown, None, place)?)
    }

    pub fn layout(shown: &Overcast) -> Layout {
        let [columns, rows] = shown.grid.cells;
        Layout::Map { columns, rows }
    }

    /// The brush.
    pub fn widgets(&mut self, ui: &mut Ui) {
        ui.add(Slider::new(&mut self.brush, 1.0..=64.0).logarithmic(true).fixed_decimals(0).text("brush"))
            .on_hover_text(
                "Radius in cells; press the mouse on the picture to warm and moisten the air there",
            );
    }
}
