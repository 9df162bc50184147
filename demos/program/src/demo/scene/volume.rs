//! A box of voxels: light on its way through it, or its slices as a flat map.

use anyhow::{Context, Result};
use egui::Ui;
use quadrille::view::{Camera, ColourMap, Mapping, March, Slices};
use quadrille::{Error, Gpu, Rect};

use super::super::Chosen;
use super::super::shown::Voluminous;
use super::{Layout, PICTURE, camera_widgets, colour_widget, named_colours};
use crate::cli::{Size, VolumeView};
use crate::files::Picture;
use crate::output::Usage;
use crate::palette;

/// About how many pixels the longer side of a picture of slices has, where they are fewer voxels.
const LONG: u32 = 512;

pub struct VolumeScene {
    /// Of a run that draws.
    drawing: Option<Drawing>,
    /// Name of the colours of slices, and the name that the volume wished for last.
    colours: String,
    wished: &'static str,
    view: VolumeView,
    picture: Size,
    pub camera: Camera,
}

struct Drawing {
    /// Not on a card without loops.
    march: Option<March>,
    slices: Slices,
    map: ColourMap,
}

impl VolumeScene {
    /// The view that these arguments ask for.
    pub fn new(gpu: &Gpu, chosen: &Chosen, shown: &Voluminous) -> Result<VolumeScene> {
        let look = &chosen.look;
        let view = look.volume.unwrap_or_default();
        if let Some(flag) = look.camera.given().filter(|_| view == VolumeView::Slices) {
            let line = format!("{flag}: slices are flat, of whole pixels a voxel; it is for --view volume");
            return Err(Usage(line).into());
        }
        if look.colours.is_some() && view == VolumeView::Volume {
            return Err(Usage("--colours: they are those of --view slices".to_owned()).into());
        }
        let colours = look.colours.as_deref().unwrap_or(shown.colours).to_owned();
        let shades = named_colours(&colours)?;
        let drawing = chosen.arguments.draws().then(|| Drawing::new(gpu, view, &shades)).transpose()?;
        let (picture, camera) = (look.camera.picture.unwrap_or(PICTURE), look.camera.of(shown.camera));
        Ok(VolumeScene { drawing, colours, wished: shown.colours, view, picture, camera })
    }

    /// What shows something else than before brings its colours along.
    fn drawing(&mut self, shown: &Voluminous) -> Result<&mut Drawing> {
        let drawing = self.drawing.as_mut().context("a picture that nobody asked for")?;
        if self.wished != shown.colours {
            (self.wished, self.colours) = (shown.colours, shown.colours.to_owned());
            drawing.map.set_colours(&named_colours(shown.colours)?)?;
        }
        Ok(drawing)
    }

    pub fn picture(&mut self, shown: &Voluminous) -> Result<Picture> {
        let (view, camera, Size { width, height }) = (self.view, self.camera, self.picture);
        let Drawing { march, slices, map } = self.drawing(shown)?;
        if view == VolumeView::Volume
            && let Some(march) = march
        {
            let rgba = march.picture(shown.volume, &camera, (width, height))?;
            return Ok(Picture { width, height, rgba });
        }
        let slices = slices.map(shown.volume, f32::NAN)?;
        let rgba = map.picture(slices, lined(shown.mapping))?;
        let picture = Picture { width: slices.width(), height: slices.height(), rgba };
        let times = (f64::from(LONG) / f64::from(picture.width.max(picture.height))).round() as u32;
        Ok(picture.enlarged(times.max(1)))
    }

    pub fn draw(&mut self, shown: &Voluminous, place: Rect) -> Result<()> {
        let (view, camera) = (self.view, self.camera);
        let Drawing { march, slices, map } = self.drawing(shown)?;
        if view == VolumeView::Volume
            && let Some(march) = march
        {
            return Ok(march.draw(shown.volume, &camera, None, place)?);
        }
        Ok(map.draw(slices.map(shown.volume, f32::NAN)?, lined(shown.mapping), None, place)?)
    }

    pub fn layout(&self, shown: &Voluminous, aspect: f64) -> Result<Layout> {
        if self.view == VolumeView::Volume {
            return Ok(Layout::Space(shown.volume.stage().lens(&self.camera, aspect)?));
        }
        let (columns, rows) = shown.volume.map();
        Ok(Layout::Map { columns, rows })
    }

    /// The camera, where there is one.
    pub fn camera(&mut self) -> Option<&mut Camera> {
        (self.view == VolumeView::Volume).then_some(&mut self.camera)
    }

    /// Volume or slices, and from where it is seen.
    pub fn view_widgets(&mut self, ui: &mut Ui) {
        let marches = self.drawing.as_ref().is_some_and(|drawing| drawing.march.is_some());
        ui.horizontal(|ui| {
            ui.add_enabled_ui(marches, |ui| {
                ui.selectable_value(&mut self.view, VolumeView::Volume, "volume");
            });
            ui.selectable_value(&mut self.view, VolumeView::Slices, "slices");
        });
        if self.view == VolumeView::Volume {
            camera_widgets(ui, &mut self.camera);
        }
        ui.separator();
    }

    /// The colours of slices.
    pub fn widgets(&mut self, ui: &mut Ui) -> Result<()> {
        if self.view == VolumeView::Slices
            && let Some(shades) = colour_widget(ui, &mut self.colours)
            && let Some(drawing) = &mut self.drawing
        {
            drawing.map.set_colours(&shades)?;
        }
        Ok(())
    }
}

impl Drawing {
    /// On a card without loops a volume cannot be marched through, but it has slices.
    fn new(gpu: &Gpu, view: VolumeView, shades: &[[u8; 3]; 256]) -> Result<Drawing> {
        let march = match March::new(gpu) {
            Err(Error::OverLimit { .. }) if view == VolumeView::Slices => None,
            march => Some(march.context("this card cannot draw volumes: --view slices, or no pictures")?),
        };
        Ok(Drawing { march, slices: Slices::new(gpu), map: ColourMap::new(gpu, shades)? })
    }
}

/// That mapping, with lines between slices where there is no number.
fn lined(mapping: Mapping) -> Mapping {
    Mapping { missing: palette::LINES.map(|part| f32::from(part) / 255.0), ..mapping }
}
