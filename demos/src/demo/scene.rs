//! What is seen of a simulation: its numbers through a colour map, or its heights as a lit surface.

use anyhow::{Result, bail};
use quadrille::view::{Camera, ColourMap, HeightField, Perspective};
use quadrille::{Gpu, Rect};

use super::Simulation;
use crate::cli::{DemoArguments, Size, ViewName};
use crate::files::Picture;
use crate::output::{self, Usage};
use crate::palette;

/// A picture of a lit surface unless the user says otherwise.
const PICTURE: Size = Size { width: 800, height: 600 };

pub struct Scene {
    colours: ColourMap,
    /// Of a simulation that has heights, on a card that can draw them.
    water: Option<Water>,
    pub view: ViewName,
    picture: Size,
}

/// The lit surface and where it is seen from.
pub struct Water {
    field: HeightField,
    pub camera: Camera,
    pub relief: f32,
}

impl Scene {
    /// The view that these arguments ask for.
    pub fn new(gpu: &Gpu, arguments: &DemoArguments, simulation: &dyn Simulation) -> Result<Scene> {
        let name = arguments.colours.as_deref().unwrap_or(simulation.colours());
        let Some(colours) = palette::colours(name) else {
            let names: Vec<&str> = palette::names().collect();
            bail!("no colour map \"{name}\": there are {}", names.join(", "));
        };
        if !simulation.has_heights() && (arguments.view.is_some() || arguments.picture.is_some()) {
            let line = format!("--view, --picture: {} has no heights", simulation.name());
            return Err(Usage(line).into());
        }
        if arguments.view == Some(ViewName::Flat) && arguments.picture.is_some() {
            let line = "--picture: a flat map has a pixel a cell; it is for --view water";
            return Err(Usage(line.to_owned()).into());
        }
        // A card of 2003 cannot fetch in its vertex programs: the map is what it can draw.
        let able = gpu.limits().vertex_streams > 0 || arguments.view == Some(ViewName::Water);
        if simulation.has_heights() && !able && arguments.view.is_none() && arguments.out.is_some() {
            output::complain("warning: vertex programs fetch nothing within these limits: the view is flat");
        }
        let water = match simulation.has_heights() && able {
            true => Some(Water {
                field: HeightField::new(gpu)?,
                camera: Camera::default(),
                relief: HeightField::RELIEF,
            }),
            false => None,
        };
        let view = arguments.view.unwrap_or(if water.is_some() { ViewName::Water } else { ViewName::Flat });
        let picture = arguments.picture.unwrap_or(PICTURE);
        Ok(Scene { colours: ColourMap::new(gpu, &colours)?, water, view, picture })
    }

    /// Changes the colours of the flat map.
    pub fn set_colours(&mut self, colours: &[[u8; 3]; 256]) -> Result<()> {
        Ok(self.colours.set_colours(colours)?)
    }

    /// What a user may set of the lit surface, where there is one.
    pub fn water(&mut self) -> Option<&mut Water> {
        self.water.as_mut()
    }

    /// The lit surface if it is what is shown.
    fn shown(&mut self) -> Option<&mut Water> {
        self.water.as_mut().filter(|_| self.view == ViewName::Water)
    }

    /// A picture for a file: one pixel a cell, or a lit surface.
    pub fn picture(&mut self, simulation: &dyn Simulation) -> Result<Picture> {
        simulation.refresh()?;
        let (state, Size { width, height }) = (simulation.state(), self.picture);
        if let Some(water) = self.shown() {
            water.field.set_relief(water.relief)?;
            let rgba = water.field.picture(state, &water.camera, width, height)?;
            return Ok(Picture { width, height, rgba });
        }
        let rgba = self.colours.picture(state, simulation.mapping())?;
        Ok(Picture { width: state.width(), height: state.height(), rgba })
    }

    /// Draws into that part of the window.
    pub fn draw(&mut self, simulation: &dyn Simulation, place: Rect) -> Result<()> {
        simulation.refresh()?;
        if let Some(water) = self.shown() {
            water.field.set_relief(water.relief)?;
            return Ok(water.field.draw(simulation.state(), &water.camera, None, place)?);
        }
        Ok(self.colours.draw(simulation.state(), simulation.mapping(), None, place)?)
    }

    /// How cells come to their pixels in a picture of that aspect; `None` if they lie as on a map.
    pub fn perspective(&self, simulation: &dyn Simulation, aspect: f64) -> Option<Perspective> {
        let water = self.water.as_ref().filter(|_| self.view == ViewName::Water)?;
        let state = simulation.state();
        Perspective::new(&water.camera, state.width(), state.height(), aspect).ok()
    }
}
