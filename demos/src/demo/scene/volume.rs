//! A box of voxels: light on its way through it, or its slices as a flat map.

use anyhow::{Context, Result};
use egui::Ui;
use quadrille::view::{Camera, ColourMap, March};
use quadrille::{Gpu, Rect};

use super::super::Chosen;
use super::super::shown::Voluminous;
use super::{Layout, PICTURE, camera_widgets, colour_widget, named_colours};
use crate::cli::{Size, VolumeView};
use crate::files::Picture;
use crate::output::Usage;

pub struct VolumeScene {
    /// Of a run that draws: on a card without loops, others can do without.
    drawing: Option<Drawing>,
    /// Name of the colours of slices, and the name that the volume wished for last.
    colours: String,
    wished: &'static str,
    view: VolumeView,
    picture: Size,
    pub camera: Camera,
}

struct Drawing {
    march: March,
    map: ColourMap,
}

impl VolumeScene {
    /// The view that these arguments ask for.
    pub fn new(gpu: &Gpu, chosen: &Chosen, shown: &Voluminous) -> Result<VolumeScene> {
        let look = &chosen.look;
        let view = look.volume.unwrap_or_default();
        if let Some(flag) = look.camera.given().filter(|_| view == VolumeView::Slices) {
            return Err(Usage(format!("{flag}: slices have a pixel a voxel; it is for --view volume")).into());
        }
        let colours = look.colours.as_deref().unwrap_or(shown.colours).to_owned();
        let shades = named_colours(&colours)?;
        let drawing = chosen.arguments.draws().then(|| Drawing::new(gpu, &shades)).transpose()?;
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
        let Drawing { march, map } = self.drawing(shown)?;
        if view == VolumeView::Volume {
            let rgba = march.picture(shown.volume, &camera, (width, height))?;
            return Ok(Picture { width, height, rgba });
        }
        let slices = march.slices(shown.volume, shown.gap)?;
        let rgba = map.picture(slices, shown.mapping)?;
        Ok(Picture { width: slices.width(), height: slices.height(), rgba })
    }

    pub fn draw(&mut self, shown: &Voluminous, place: Rect) -> Result<()> {
        let (view, camera) = (self.view, self.camera);
        let Drawing { march, map } = self.drawing(shown)?;
        if view == VolumeView::Volume {
            return Ok(march.draw(shown.volume, &camera, None, place)?);
        }
        Ok(map.draw(march.slices(shown.volume, shown.gap)?, shown.mapping, None, place)?)
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
        ui.horizontal(|ui| {
            ui.selectable_value(&mut self.view, VolumeView::Volume, "volume");
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
    fn new(gpu: &Gpu, shades: &[[u8; 3]; 256]) -> Result<Drawing> {
        let march = March::new(gpu).context("volumes cannot be drawn: run --headless, without pictures")?;
        Ok(Drawing { march, map: ColourMap::new(gpu, shades)? })
    }
}
