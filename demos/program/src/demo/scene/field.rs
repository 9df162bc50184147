//! A field: its numbers through a colour map, or its heights as a lit surface.

use anyhow::Result;
use egui::{Slider, Ui};
use quadrille::view::{Camera, ColourMap, HeightField, Perspective};
use quadrille::{Gpu, Rect};

use super::super::Chosen;
use super::super::shown::Field;
use super::{Layout, PICTURE, camera_widgets, colour_widget, named_colours};
use crate::cli::{Size, ViewName};
use crate::files::Picture;
use crate::output::{self, Usage};

pub struct FieldScene {
    map: ColourMap,
    /// Name of the map's colours.
    colours: String,
    /// The name that the field wished for last.
    wished: &'static str,
    /// Of a field of heights, on a card that can draw them.
    water: Option<Water>,
    view: ViewName,
    picture: Size,
    /// Radius of the brush in cells.
    pub brush: f32,
}

/// The lit surface and where it is seen from.
struct Water {
    field: HeightField,
    camera: Camera,
    relief: f32,
}

impl FieldScene {
    /// The view that these arguments ask for.
    pub fn new(gpu: &Gpu, chosen: &Chosen, field: &Field) -> Result<FieldScene> {
        let look = &chosen.look;
        let colours = look.colours.as_deref().unwrap_or(field.colours);
        let shades = named_colours(colours)?;
        let (flat, of_water) = (look.view == Some(ViewName::Flat), look.camera.given());
        if let Some(flag) = of_water.filter(|_| flat) {
            let line = format!("{flag}: a flat map has a pixel a cell; it is for --view water");
            return Err(Usage(line).into());
        }
        // A card of 2003 cannot fetch in its vertex programs: the map is what it can draw.
        let able = gpu.limits().vertex_streams > 0 || look.view == Some(ViewName::Water);
        if field.heights && !able && look.view.is_none() && chosen.arguments.out.is_some() {
            output::complain("warning: vertex programs fetch nothing within these limits: the view is flat");
        }
        let water = match field.heights && able {
            true => Some(Water {
                field: HeightField::new(gpu)?,
                camera: look.camera.of(Camera::default()),
                relief: HeightField::RELIEF,
            }),
            false => None,
        };
        let view = look.view.unwrap_or(if water.is_some() { ViewName::Water } else { ViewName::Flat });
        let picture = look.camera.picture.unwrap_or(PICTURE);
        let (map, colours) = (ColourMap::new(gpu, &shades)?, colours.to_owned());
        Ok(FieldScene { map, colours, wished: field.colours, water, view, picture, brush: 8.0 })
    }

    /// The lit surface if it is what is shown.
    fn lit(&mut self) -> Option<&mut Water> {
        self.water.as_mut().filter(|_| self.view == ViewName::Water)
    }

    /// A field that shows something else than before brings its colours along.
    fn follow(&mut self, field: &Field) -> Result<()> {
        if self.wished != field.colours {
            let shades = named_colours(field.colours)?;
            (self.wished, self.colours) = (field.colours, field.colours.to_owned());
            self.map.set_colours(&shades)?;
        }
        Ok(())
    }

    /// One pixel a cell, or a lit surface.
    pub fn picture(&mut self, field: &Field) -> Result<Picture> {
        self.follow(field)?;
        let (buffer, Size { width, height }) = (field.buffer, self.picture);
        if let Some(water) = self.lit() {
            water.field.set_relief(water.relief)?;
            let rgba = water.field.picture(buffer, &water.camera, width, height)?;
            return Ok(Picture { width, height, rgba });
        }
        let rgba = self.map.picture(buffer, field.mapping)?;
        Ok(Picture { width: buffer.width(), height: buffer.height(), rgba })
    }

    pub fn draw(&mut self, field: &Field, place: Rect) -> Result<()> {
        self.follow(field)?;
        if let Some(water) = self.lit() {
            water.field.set_relief(water.relief)?;
            return Ok(water.field.draw(field.buffer, &water.camera, None, place)?);
        }
        Ok(self.map.draw(field.buffer, field.mapping, None, place)?)
    }

    pub fn layout(&self, field: &Field, aspect: f64) -> Layout {
        let (columns, rows) = (field.buffer.width(), field.buffer.height());
        let water = self.water.as_ref().filter(|_| self.view == ViewName::Water);
        let perspective = water.and_then(|water| Perspective::new(&water.camera, columns, rows, aspect).ok());
        match perspective {
            Some(perspective) => Layout::Water { columns, rows, perspective },
            None => Layout::Map { columns, rows },
        }
    }

    pub fn camera(&mut self) -> Option<&mut Camera> {
        self.water.as_mut().map(|water| &mut water.camera)
    }

    /// Of a surface: whether it is lit, and from where it is seen.
    pub fn view_widgets(&mut self, ui: &mut Ui) {
        let Some(water) = &mut self.water else { return };
        ui.horizontal(|ui| {
            ui.selectable_value(&mut self.view, ViewName::Water, "water");
            ui.selectable_value(&mut self.view, ViewName::Flat, "flat");
        });
        if self.view == ViewName::Water {
            camera_widgets(ui, &mut water.camera);
            ui.add(Slider::new(&mut water.relief, 0.005..=0.3).logarithmic(true).text("relief"));
        }
        ui.separator();
    }

    /// The brush, and the colours of the flat map.
    pub fn widgets(&mut self, ui: &mut Ui, touchable: bool) -> Result<()> {
        if touchable {
            ui.add(
                Slider::new(&mut self.brush, 1.0..=64.0).logarithmic(true).fixed_decimals(0).text("brush"),
            )
            .on_hover_text("Radius in cells; press the mouse on the picture");
        }
        match colour_widget(ui, &mut self.colours) {
            Some(shades) => Ok(self.map.set_colours(&shades)?),
            None => Ok(()),
        }
    }
}
