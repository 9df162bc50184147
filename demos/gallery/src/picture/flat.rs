//! A fluid in a flat box: its dye or its numbers in colours, its particles as points.

use anyhow::{Context, Result};
use quadrille::view::{FlatFluid, FluidFields, Shade};
use quadrille::{Gpu, Rect};

use super::{Layout, Numbers, Picture, named_colours, size_within};
use crate::demo::Request;
use crate::image::Image;

/// How a fluid is looked at.
pub struct FlatView {
    /// The drawing of a run that draws.
    fluid: Option<FlatFluid>,
    /// Name of the colours, and the name that the fluid wished for last.
    colours: String,
    wished: &'static str,
    size: Option<[u32; 2]>,
    /// Radius of the brush in cells.
    pub brush: f32,
}

/// A fluid as it is looked at.
pub struct FlatPicture<'a> {
    pub view: &'a mut FlatView,
    pub fluid: FluidFields<'a>,
}

/// Name of the colour map of a fluid's numbers, or of its particles.
pub fn colours_of(shade: &Shade) -> &'static str {
    match shade {
        Shade::Scalar { ends: [low, high], .. } if low + high == 0.0 => "red_blue",
        Shade::Divergence(_) => "red_blue",
        Shade::Speed(_) | Shade::Scalar { .. } => "inferno",
        Shade::Dye(_) | Shade::Dark => "plasma",
    }
}

impl FlatView {
    /// The view that is asked for.
    ///
    /// # Errors
    /// No such colours.
    pub fn new(gpu: &Gpu, request: &Request, fluid: &FluidFields) -> Result<FlatView> {
        let wished = colours_of(&fluid.shade);
        let colours = request.values.text("colours").unwrap_or(wished).to_owned();
        let shades = named_colours(&colours)?;
        let mut drawing = request.draws.then(|| FlatFluid::new(gpu, &shades)).transpose()?;
        if let Some(drawing) = &mut drawing {
            drawing.set_particle_colours(&shades)?;
        }
        let [width, height] = fluid.grid.cells;
        let brush = (width.min(height) as f32 / 24.0).max(1.5);
        Ok(FlatView { fluid: drawing, colours, wished, size: request.values.size("picture"), brush })
    }

    /// The drawing, with the colours that the fluid wishes for if it shows something else than before.
    fn drawing(&mut self, fluid: &FluidFields) -> Result<&mut FlatFluid> {
        let drawing = self.fluid.as_mut().context("a picture that nobody asked for")?;
        let wished = colours_of(&fluid.shade);
        if self.wished != wished {
            (self.wished, self.colours) = (wished, wished.to_owned());
            let shades = named_colours(wished)?;
            drawing.set_colours(&shades)?;
            drawing.set_particle_colours(&shades)?;
        }
        Ok(drawing)
    }
}

/// The numbers of a fluid that are seen as colours.
pub(super) fn numbers<'a>(fluid: &FluidFields<'a>, view: &FlatView) -> Option<Numbers<'a>> {
    let mut channels = [0.0; 4];
    let (buffer, ends) = match fluid.shade {
        Shade::Scalar { field, component, ends } => {
            channels[component.min(3)] = 1.0;
            (Some(field), ends)
        }
        Shade::Speed(most) => (None, [0.0, most]),
        Shade::Divergence(most) => (None, [-most, most]),
        Shade::Dye(_) | Shade::Dark => return None,
    };
    Some(Numbers { buffer, channels, north_up: true, ends, colours: named_colours(&view.colours).ok() })
}

impl Picture for FlatPicture<'_> {
    /// All of the box, within the size that was asked for.
    fn image(&mut self) -> Result<Image> {
        let [width, height] = size_within(self.fluid.grid.cells, self.view.size);
        let rgba = self.view.drawing(&self.fluid)?.picture(&self.fluid, (width, height))?;
        Ok(Image { width, height, rgba })
    }

    fn draw(&mut self, place: Rect) -> Result<()> {
        Ok(self.view.drawing(&self.fluid)?.draw(&self.fluid, None, place)?)
    }

    fn layout(&self, _aspect: f64) -> Result<Layout> {
        let [columns, rows] = self.fluid.grid.cells;
        Ok(Layout::Map { columns, rows })
    }

    fn numbers(&self) -> Option<Numbers<'_>> {
        numbers(&self.fluid, self.view)
    }

    fn brush(&self) -> f32 {
        self.view.brush
    }

    /// The brush, and the colours of numbers and particles.
    #[cfg(feature = "panel")]
    fn widgets(&mut self, ui: &mut egui::Ui, _touchable: bool) -> Result<()> {
        super::brush_widget(ui, &mut self.view.brush, super::BRUSH);
        if let Some(shades) = super::colour_widget(ui, &mut self.view.colours)
            && let Some(drawing) = &mut self.view.fluid
        {
            drawing.set_colours(&shades)?;
            drawing.set_particle_colours(&shades)?;
        }
        Ok(())
    }
}
