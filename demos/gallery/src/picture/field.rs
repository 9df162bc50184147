//! A field: its numbers through a colour map, or its heights as the water of a pool.

use anyhow::Result;
use quadrille::view::{Ball, Camera, ColourMap, HeightField, Magnitude, Mapping, Perspective, Pool};
use quadrille::{Buffer, Gpu, Rect};

use super::colouring::Colouring;
#[cfg(feature = "panel")]
use super::colouring::Switches;
use super::{
    Brush, COLOURS, Layout, Numbers, Picture, SIZE, Source, Unit, VIEW, forget_camera, named_colours,
    say_colours, seen_from,
};
use crate::demo::{Request, Usage};
use crate::image::Image;
use crate::param::Values;

/// A grid of cells, and how it is to be looked at unless the user says otherwise.
#[derive(Clone, Copy)]
pub struct Field<'a> {
    pub buffer: &'a Buffer,
    /// True if the first number of a cell is a height, that of the water of a pool.
    pub heights: bool,
    /// Name of the colour map.
    pub colours: &'static str,
    /// How numbers become colours.
    pub mapping: Mapping,
}

/// How a field is looked at.
pub struct FieldView {
    map: ColourMap,
    colouring: Colouring,
    /// Name of the map's colours.
    colours: String,
    /// The name that the field wished for last.
    wished: &'static str,
    /// Colours of the field's own, in place of those that it wishes for.
    tint: Option<Buffer>,
    /// The pool of a field of heights, on a card that can draw it.
    water: Option<Water>,
    /// The pool is what is shown.
    lit: bool,
    size: [u32; 2],
    brush: Brush,
}

/// A field as it is looked at.
pub struct FieldPicture<'a> {
    pub view: &'a mut FieldView,
    pub field: Field<'a>,
}

/// The pool and where it is seen from.
struct Water {
    pool: Pool,
    camera: Camera,
    relief: f32,
    ball: Option<Ball>,
}

impl FieldView {
    /// The colour of a number of the field, on the scale that the user has set; numbers beyond its ends have the colours of the ends.
    ///
    /// # Errors
    /// No such colours.
    #[cfg(feature = "panel")]
    pub fn colour(&self, number: f32, field: &Field) -> Result<[u8; 3]> {
        let ends = self.colouring.ends([field.mapping.low, field.mapping.high]).map(f64::from);
        let share = self.colouring.tones().share(f64::from(number), ends).clamp(0.0, 1.0);
        Ok(named_colours(&self.colours)?[(255.0 * share).round() as usize])
    }

    /// The view that is asked for.
    ///
    /// # Errors
    /// No such colours; [`Usage`] for colours of water.
    pub fn new(gpu: &Gpu, request: &Request, field: &Field) -> Result<FieldView> {
        let values = &request.values;
        let colours = values.text("colours").unwrap_or(field.colours);
        let shades = named_colours(colours)?;
        let view = values.word("view");
        let flat = view == Some("flat");
        // A card of 2003 cannot fetch in its vertex programs: the map is what it can draw.
        let able = gpu.limits().vertex_streams > 0 || view == Some("water");
        if field.heights && !able && view.is_none() && request.draws && request.windowless {
            request.host.warn("vertex programs fetch nothing within these limits: the view is flat");
        }
        let water = match field.heights && able {
            true => Some(Water {
                pool: Pool::new(gpu)?,
                camera: seen_from(values, Camera::default()),
                relief: HeightField::RELIEF,
                ball: None,
            }),
            false => None,
        };
        let lit = water.is_some() && !flat;
        // In a window a key shows the map.
        if lit && request.windowless && values.has("colours") {
            return Err(Usage("--colours: only for --view flat".to_owned()).into());
        }
        let size = values.size("picture").unwrap_or(SIZE);
        let (map, colours) = (ColourMap::new(gpu, &shades)?, colours.to_owned());
        let mut colouring = Colouring::new(gpu);
        colouring.set_tones(field.mapping.tones);
        colouring.set_smooth(field.mapping.smooth);
        Ok(FieldView {
            map,
            colouring,
            colours,
            wished: field.colours,
            tint: None,
            water,
            lit,
            size,
            brush: Brush::new(8.0),
        })
    }

    /// The colours of numbers, for what is drawn beside the field.
    pub fn map(&self) -> &ColourMap {
        &self.map
    }

    /// Lets that ball float on the water of a pool.
    pub fn set_ball(&mut self, ball: Option<Ball>) {
        if let Some(water) = &mut self.water {
            water.ball = ball;
        }
    }

    /// Shows the field in these colours, unless the user has others than it wishes for: [`ColourMap::set_tint`].
    pub fn set_tint(&mut self, tint: Option<Buffer>) {
        self.tint = tint;
    }

    /// How far the viewer of a pool stands to the right of its front, in degrees; `None` where a flat map is shown.
    pub fn azimuth(&self) -> Option<f32> {
        self.water.as_ref().filter(|_| self.lit).map(|water| water.camera.azimuth)
    }

    /// The numbers of the field as they are seen.
    pub fn numbers<'a>(&self, field: &Field<'a>) -> Numbers<'a> {
        let (FieldView { colouring, water, lit, colours, .. }, Mapping { channels, low, high, .. }) =
            (self, field.mapping);
        let in_colours = !(water.is_some() && *lit);
        let colours = if in_colours { named_colours(colours).ok() } else { None };
        let source = Source::Weighed { buffer: field.buffer, channels, north_up: false };
        let (ends, tones) = (colouring.ends([low, high]), colouring.tones());
        Numbers { source, ends, tones, colours, unit: Unit::NONE }
    }

    /// Puts how the field is seen into values.
    pub fn say(&self, field: &Field, values: &mut Values) {
        let FieldView { water, lit, colours, .. } = self;
        let lit = water.is_some() && *lit;
        if field.heights {
            values.set(VIEW.name, if lit { "water" } else { "flat" });
        }
        if lit {
            return values.forget(COLOURS.name);
        }
        forget_camera(values);
        say_colours(values, colours, field.colours);
    }

    /// The brush.
    pub fn brush(&mut self) -> &mut Brush {
        &mut self.brush
    }

    /// A field that shows something else than before brings its colours along.
    fn follow(&mut self, field: &Field) -> Result<()> {
        if self.wished != field.colours {
            let shades = named_colours(field.colours)?;
            (self.wished, self.colours) = (field.colours, field.colours.to_owned());
            self.map.set_colours(&shades)?;
            self.colouring.forget();
            self.colouring.set_tones(field.mapping.tones);
            self.colouring.set_smooth(field.mapping.smooth);
        }
        Ok(())
    }

    /// The mapping as the user has set it.
    fn mapping(&mut self, field: &Field) -> Result<Mapping> {
        let own = self.tint.as_ref().filter(|_| self.colours == self.wished);
        self.map.set_tint(own);
        let (Field { buffer, mapping, .. }, colouring) = (*field, &mut self.colouring);
        colouring.look(buffer, Magnitude::Weighed(mapping.channels))?;
        let [low, high] = colouring.ends([mapping.low, mapping.high]);
        Ok(Mapping { low, high, tones: colouring.tones(), smooth: colouring.smooth(), ..mapping })
    }

    /// The pool if it is what is shown.
    fn lit(&mut self) -> Option<&mut Water> {
        self.water.as_mut().filter(|_| self.lit)
    }
}

#[cfg(feature = "panel")]
impl FieldPicture<'_> {
    /// The colours alone, for what is drawn in them beside the field.
    pub fn colour_widgets(&mut self, ui: &mut egui::Ui) -> Result<()> {
        let FieldView { map, colours, .. } = &mut *self.view;
        match super::colour_widget(ui, colours) {
            Some(shades) => Ok(map.set_colours(&shades)?),
            None => Ok(()),
        }
    }
}

impl Picture for FieldPicture<'_> {
    /// One pixel a cell, or a pool.
    fn image(&mut self) -> Result<Image> {
        let FieldPicture { view, field } = self;
        let buffer = field.buffer;
        view.follow(field)?;
        let [width, height] = view.size;
        if let Some(water) = view.lit() {
            water.pool.set_relief(water.relief)?;
            let rgba = water.pool.picture(buffer, water.ball, &water.camera, (width, height))?;
            return Ok(Image { width, height, rgba });
        }
        let mapping = view.mapping(field)?;
        let rgba = view.map.picture(buffer, mapping)?;
        Ok(Image { width: buffer.width(), height: buffer.height(), rgba })
    }

    fn draw(&mut self, place: Rect) -> Result<()> {
        let FieldPicture { view, field } = self;
        let buffer = field.buffer;
        view.follow(field)?;
        if let Some(water) = view.lit() {
            water.pool.set_relief(water.relief)?;
            return Ok(water.pool.draw(buffer, water.ball, &water.camera, None, place)?);
        }
        let mapping = view.mapping(field)?;
        Ok(view.map.draw(buffer, mapping, None, place)?)
    }

    fn layout(&self, aspect: f64) -> Result<Layout> {
        let (columns, rows) = (self.field.buffer.width(), self.field.buffer.height());
        let water = self.view.water.as_ref().filter(|_| self.view.lit);
        let perspective = water.and_then(|water| Perspective::new(&water.camera, columns, rows, aspect).ok());
        Ok(match perspective {
            Some(perspective) => Layout::Water { columns, rows, perspective },
            None => Layout::Map { columns, rows },
        })
    }

    fn camera(&mut self) -> Option<&mut Camera> {
        self.view.water.as_mut().map(|water| &mut water.camera)
    }

    fn numbers(&self) -> Option<Numbers<'_>> {
        Some(self.view.numbers(&self.field))
    }

    fn say(&self, values: &mut Values) {
        self.view.say(&self.field, values);
    }

    fn brush(&mut self) -> Option<&mut Brush> {
        Some(&mut self.view.brush)
    }

    #[cfg(feature = "panel")]
    fn view_widgets(&mut self, ui: &mut egui::Ui) {
        let FieldView { water: Some(water), lit, .. } = &mut *self.view else { return };
        let is_lit = *lit;
        let ways = |ui: &mut egui::Ui| {
            ui.selectable_value(lit, true, "water");
            ui.selectable_value(lit, false, "flat");
        };
        if is_lit {
            let relief = egui::Slider::new(&mut water.relief, 0.005..=0.3).logarithmic(true).text("relief");
            super::camera_widgets(ui, &mut water.camera, ways, |ui| _ = ui.add(relief));
        } else {
            ui.horizontal(ways);
        }
    }

    /// The colours of the flat map.
    #[cfg(feature = "panel")]
    fn widgets(&mut self, ui: &mut egui::Ui) -> Result<()> {
        let FieldView { map, colouring, colours, water, lit, .. } = &mut *self.view;
        // Light has none of these.
        if water.is_some() && *lit {
            return Ok(());
        }
        let Mapping { low, high, .. } = self.field.mapping;
        let switches = Switches {
            automatic: true,
            logarithmic: true,
            smooth: true,
            lines: true,
            arrows: false,
            streamlines: false,
        };
        if let Some(shades) = colouring.widgets(ui, Some(colours), Some([low, high]), Unit::NONE, switches) {
            map.set_colours(&shades)?;
        }
        Ok(())
    }
}
