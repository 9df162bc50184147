//! Clouds in a sky, or a number of its air in colours.

use anyhow::{Context, Result};
use egui::{Slider, Ui};
use quadrille::view::Sky;
use quadrille::{Gpu, Rect};

use super::super::Chosen;
use super::super::shown::Heavens;
use super::flat::FlatScene;
use super::{Layout, size_within};
use crate::cli::Size;
use crate::files::Picture;

pub struct SkyScene {
    /// Of a run that draws: on a card without loops, others can do without.
    sky: Option<Sky>,
    /// What draws numbers, and has the brush.
    flat: FlatScene,
    /// Whether numbers were drawn last.
    in_colours: bool,
    picture: Option<Size>,
}

impl SkyScene {
    /// The view that these arguments ask for.
    pub fn new(gpu: &Gpu, chosen: &Chosen, shown: &Heavens) -> Result<SkyScene> {
        let sky = chosen.arguments.draws().then(|| Sky::new(gpu)).transpose();
        let sky = sky.context("clouds cannot be drawn: run --headless, without pictures")?;
        let mut flat = FlatScene::new(gpu, chosen, &shown.flat)?;
        let [width, height] = shown.flat.grid.cells;
        flat.brush = (width.min(height) as f32 / 16.0).max(1.5);
        Ok(SkyScene { sky, flat, in_colours: shown.in_colours, picture: chosen.look.camera.picture })
    }

    fn sky(&mut self) -> Result<&mut Sky> {
        self.sky.as_mut().context("a picture that nobody asked for")
    }

    /// All of the box, within the size that was asked for.
    pub fn picture(&mut self, shown: &Heavens) -> Result<Picture> {
        if shown.in_colours {
            return self.flat.picture(&shown.flat);
        }
        let (width, height) = size_within(shown.flat.grid.cells, self.picture);
        let rgba = self.sky()?.picture(shown.overcast(), (width, height))?;
        Ok(Picture { width, height, rgba })
    }

    pub fn draw(&mut self, shown: &Heavens, place: Rect) -> Result<()> {
        self.in_colours = shown.in_colours;
        if shown.in_colours {
            return self.flat.draw(&shown.flat, place);
        }
        Ok(self.sky()?.draw(shown.overcast(), None, place)?)
    }

    pub fn layout(shown: &Heavens) -> Layout {
        FlatScene::layout(&shown.flat)
    }

    /// Radius of the brush in cells.
    pub fn brush(&self) -> f32 {
        self.flat.brush
    }

    /// The brush, and the colours of numbers.
    pub fn widgets(&mut self, ui: &mut Ui) -> Result<()> {
        if self.in_colours {
            return self.flat.widgets(ui);
        }
        ui.add(
            Slider::new(&mut self.flat.brush, 1.0..=64.0).logarithmic(true).fixed_decimals(0).text("brush"),
        )
        .on_hover_text("Radius in cells; press the mouse on the picture to warm and moisten the air there");
        Ok(())
    }
}
