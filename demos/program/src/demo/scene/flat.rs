//! A fluid in a flat box: its dye or its numbers in colours, its particles as points.

use anyhow::{Context, Result};
use egui::{Slider, Ui};
use quadrille::view::FlatFluid;
use quadrille::{Gpu, Rect};

use super::super::Chosen;
use super::super::shown::Flat;
use super::{Layout, colour_widget, named_colours, size_within};
use crate::cli::Size;
use crate::files::Picture;

pub struct FlatScene {
    /// Of a run that draws.
    fluid: Option<FlatFluid>,
    /// Name of the colours, and the name that the fluid wished for last.
    colours: String,
    wished: &'static str,
    picture: Option<Size>,
    /// Radius of the brush in cells.
    pub brush: f32,
}

impl FlatScene {
    /// The view that these arguments ask for.
    pub fn new(gpu: &Gpu, chosen: &Chosen, shown: &Flat) -> Result<FlatScene> {
        let colours = chosen.look.colours.as_deref().unwrap_or(shown.colours()).to_owned();
        let shades = named_colours(&colours)?;
        let mut fluid = chosen.arguments.draws().then(|| FlatFluid::new(gpu, &shades)).transpose()?;
        if let Some(fluid) = &mut fluid {
            fluid.set_particle_colours(&shades)?;
        }
        let [width, height] = shown.grid.cells;
        let brush = (width.min(height) as f32 / 24.0).max(1.5);
        let picture = chosen.look.camera.picture;
        Ok(FlatScene { fluid, colours, wished: shown.colours(), picture, brush })
    }

    /// What shows something else than before brings its colours along.
    fn fluid(&mut self, shown: &Flat) -> Result<&mut FlatFluid> {
        let fluid = self.fluid.as_mut().context("a picture that nobody asked for")?;
        if self.wished != shown.colours() {
            (self.wished, self.colours) = (shown.colours(), shown.colours().to_owned());
            let shades = named_colours(shown.colours())?;
            fluid.set_colours(&shades)?;
            fluid.set_particle_colours(&shades)?;
        }
        Ok(fluid)
    }

    /// All of the box, within the size that was asked for.
    pub fn picture(&mut self, shown: &Flat) -> Result<Picture> {
        let (width, height) = size_within(shown.grid.cells, self.picture);
        let rgba = self.fluid(shown)?.picture(&shown.basin(), (width, height))?;
        Ok(Picture { width, height, rgba })
    }

    pub fn draw(&mut self, shown: &Flat, place: Rect) -> Result<()> {
        Ok(self.fluid(shown)?.draw(&shown.basin(), None, place)?)
    }

    pub fn layout(shown: &Flat) -> Layout {
        let [columns, rows] = shown.grid.cells;
        Layout::Map { columns, rows }
    }

    /// The brush, and the colours of numbers and particles.
    pub fn widgets(&mut self, ui: &mut Ui) -> Result<()> {
        ui.add(Slider::new(&mut self.brush, 1.0..=64.0).logarithmic(true).fixed_decimals(0).text("brush"))
            .on_hover_text("Radius in cells; press the mouse on the picture");
        if let Some(shades) = colour_widget(ui, &mut self.colours)
            && let Some(fluid) = &mut self.fluid
        {
            fluid.set_colours(&shades)?;
            fluid.set_particle_colours(&shades)?;
        }
        Ok(())
    }
}
