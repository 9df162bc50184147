//! A fluid in a flat box: its dye or its numbers in colours, its particles as points.

use anyhow::{Context, Result};
use quadrille::view::{FlatFluid, FluidFields, Magnitude, Shade};
use quadrille::{Gpu, Rect};

use super::colouring::Colouring;
#[cfg(feature = "panel")]
use super::colouring::Switches;
use super::{
    Brush, Layout, Numbers, Picture, STREAMLINES, Source, Unit, named_colours, say_colours, size_within,
};
use crate::demo::Request;
use crate::image::Image;
use crate::param::Values;

/// How a fluid is looked at.
pub struct FlatView {
    /// The drawing of a run that draws.
    fluid: Option<FlatFluid>,
    colouring: Colouring,
    /// The name of the numbers that were drawn last.
    drawn: &'static str,
    /// Name of the colours, and the name that the fluid wished for last.
    colours: String,
    wished: &'static str,
    size: Option<[u32; 2]>,
    pub brush: Brush,
    /// The card has the loops that streamlines need.
    loops: bool,
}

/// A fluid as it is looked at.
pub struct FlatPicture<'a> {
    pub view: &'a mut FlatView,
    pub fluid: FluidFields<'a>,
    /// The name of its numbers in colours, and their unit.
    pub shows: &'static str,
    pub unit: Unit,
}

/// Name of the colour map of a fluid's numbers, or of its particles.
pub fn colours_of(shade: &Shade) -> &'static str {
    match shade {
        Shade::Scalar { ends: [low, high], .. } if low + high == 0.0 => "blue_red",
        Shade::Divergence(_) => "blue_red",
        Shade::Speed(_) | Shade::Scalar { .. } => "inferno",
        Shade::Dye(_) | Shade::Dark => "plasma",
    }
}

impl FlatView {
    /// Says how a fluid of that shade is seen.
    pub(super) fn say(&self, shade: &Shade, values: &mut Values) {
        say_colours(values, &self.colours, colours_of(shade));
        values.set(STREAMLINES.name, self.colouring.has_streamlines());
    }

    /// The view that is asked for.
    ///
    /// # Errors
    /// No such colours; a card that cannot draw streamlines.
    pub fn new(gpu: &Gpu, request: &Request, fluid: &FluidFields) -> Result<FlatView> {
        let wished = colours_of(&fluid.shade);
        let colours = request.values.text("colours").unwrap_or(wished).to_owned();
        let shades = named_colours(&colours)?;
        let mut drawing = request.draws.then(|| FlatFluid::new(gpu, &shades)).transpose()?;
        if let Some(drawing) = &mut drawing {
            drawing.set_particle_colours(&shades)?;
        }
        let [width, height] = fluid.grid.cells;
        let brush = Brush::new((width.min(height) as f32 / 24.0).max(1.5));
        let (mut colouring, size) = (Colouring::new(gpu), request.values.size("picture"));
        if let Some(drawing) = drawing.as_mut().filter(|_| request.values.flag(STREAMLINES.name)) {
            // A card that cannot draw them says so at once.
            drawing.set_streamlines(Some(1.0))?;
            colouring.begin_with_streamlines(true);
        }
        let loops = gpu.limits().loop_iterations > 0;
        Ok(FlatView { fluid: drawing, colouring, drawn: "", colours, wished, size, brush, loops })
    }

    /// The drawing, with the colours that the fluid wishes for if it shows something else than before, and all that the user has
    /// set.
    fn drawing(&mut self, fluid: &FluidFields, shows: &'static str) -> Result<&mut FlatFluid> {
        let drawing = self.fluid.as_mut().context("a picture that nobody asked for")?;
        let wished = colours_of(&fluid.shade);
        if self.wished != wished {
            (self.wished, self.colours) = (wished, wished.to_owned());
            let shades = named_colours(wished)?;
            drawing.set_colours(&shades)?;
            drawing.set_particle_colours(&shades)?;
        }
        let colouring = &mut self.colouring;
        if std::mem::replace(&mut self.drawn, shows) != shows {
            colouring.forget();
        }
        match source(fluid) {
            Source::Weighed { buffer, channels, .. } => {
                colouring.look(buffer, Magnitude::Weighed(channels))?
            }
            Source::Speed { velocity, .. } => colouring.look(velocity, Magnitude::Length)?,
            Source::Divergence { .. } | Source::Unread => {}
        }
        drawing.set_ends(Some(colouring.ends(fluid.shade.ends())));
        drawing.set_tones(colouring.tones());
        let [arrows, streamlines] = colouring.flow(fluid.velocity)?;
        drawing.set_arrows(arrows)?;
        drawing.set_streamlines(streamlines)?;
        Ok(drawing)
    }
}

/// Where the numbers in colours come from.
fn source<'a>(fluid: &FluidFields<'a>) -> Source<'a> {
    let FluidFields { velocity, grid, .. } = *fluid;
    match fluid.shade {
        Shade::Scalar { field, component, .. } => {
            let mut channels = [0.0; 4];
            channels[component.min(3)] = 1.0;
            Source::Weighed { buffer: field, channels, north_up: true }
        }
        Shade::Speed(_) => Source::Speed { velocity, grid },
        Shade::Divergence(_) => Source::Divergence { velocity, grid },
        Shade::Dye(_) | Shade::Dark => Source::Unread,
    }
}

impl<'a> FlatPicture<'a> {
    /// The numbers that are seen as colours.
    pub(super) fn numbers_of(fluid: &FluidFields<'a>, view: &FlatView, unit: Unit) -> Option<Numbers<'a>> {
        let source = source(fluid);
        if matches!(source, Source::Unread) {
            return None;
        }
        let (ends, tones) = (view.colouring.ends(fluid.shade.ends()), view.colouring.tones());
        Some(Numbers { source, ends, tones, colours: named_colours(&view.colours).ok(), unit })
    }
}

impl Picture for FlatPicture<'_> {
    /// All of the box, within the size that was asked for.
    fn image(&mut self) -> Result<Image> {
        let [width, height] = size_within(self.fluid.grid.cells, self.view.size);
        let rgba = self.view.drawing(&self.fluid, self.shows)?.picture(&self.fluid, (width, height))?;
        Ok(Image { width, height, rgba })
    }

    fn draw(&mut self, place: Rect) -> Result<()> {
        Ok(self.view.drawing(&self.fluid, self.shows)?.draw(&self.fluid, None, place)?)
    }

    fn layout(&self, _aspect: f64) -> Result<Layout> {
        let [columns, rows] = self.fluid.grid.cells;
        Ok(Layout::Map { columns, rows })
    }

    fn numbers(&self) -> Option<Numbers<'_>> {
        FlatPicture::numbers_of(&self.fluid, self.view, self.unit)
    }

    fn say(&self, values: &mut Values) {
        self.view.say(&self.fluid.shade, values);
    }

    fn brush(&mut self) -> Option<&mut Brush> {
        Some(&mut self.view.brush)
    }

    /// The colours of numbers and particles, and lines of the flow.
    #[cfg(feature = "panel")]
    fn widgets(&mut self, ui: &mut egui::Ui) -> Result<()> {
        let in_colours = !matches!(source(&self.fluid), Source::Unread);
        let FlatView { fluid: Some(drawing), colouring, colours, loops, .. } = &mut *self.view else {
            return Ok(());
        };
        let colours = (in_colours || self.fluid.particles.is_some()).then_some(colours);
        let divergence = matches!(self.fluid.shade, Shade::Divergence(_));
        let switches = Switches {
            automatic: !divergence,
            logarithmic: true,
            smooth: false,
            lines: !divergence,
            arrows: true,
            streamlines: *loops,
        };
        let own = in_colours.then_some(self.fluid.shade.ends());
        if let Some(shades) = colouring.widgets(ui, colours, own, self.unit, switches) {
            drawing.set_colours(&shades)?;
            drawing.set_particle_colours(&shades)?;
        }
        Ok(())
    }
}
