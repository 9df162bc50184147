//! A box of voxels: light on its way through it, or its slices as a flat map.

use anyhow::{Context, Result};
use quadrille::view::{Camera, ColourMap, Mapping, March, Slices, Volume};
use quadrille::{Error, Gpu, Rect};

use super::{Layout, Numbers, Picture, SIZE, named_colours, seen_from};
use crate::demo::{Request, Usage};
use crate::image::Image;
use crate::palette;

/// About how many pixels the longer side of a picture of slices has, where they are fewer voxels.
const LONG: u32 = 512;

/// A box of voxels, from where it is seen at first, and how its slices become colours.
pub struct VolumeContent<'a> {
    pub volume: Volume<'a>,
    pub camera: Camera,
    /// Name of the colour map.
    pub colours: &'static str,
    pub mapping: Mapping,
}

/// How a box is looked at.
pub struct VolumeView {
    /// The drawing of a run that draws.
    drawing: Option<Drawing>,
    /// Name of the colours of slices, and the name that the volume wished for last.
    colours: String,
    wished: &'static str,
    /// Slices, else light on its way.
    slices: bool,
    size: [u32; 2],
    camera: Camera,
}

struct Drawing {
    /// Not on a card without loops.
    march: Option<March>,
    slices: Slices,
    map: ColourMap,
}

/// A box as it is looked at.
pub struct VolumePicture<'a> {
    pub view: &'a mut VolumeView,
    pub shown: VolumeContent<'a>,
}

impl VolumeView {
    /// The view that is asked for.
    ///
    /// # Errors
    /// [`Usage`] for flags of the other view; a card that cannot draw volumes; no such colours.
    pub fn new(gpu: &Gpu, request: &Request, shown: &VolumeContent) -> Result<VolumeView> {
        let values = &request.values;
        let slices = values.word("view") == Some("slices");
        if values.has("colours") && !slices {
            return Err(Usage("--colours: only for --view slices".to_owned()).into());
        }
        let colours = values.text("colours").unwrap_or(shown.colours).to_owned();
        let shades = named_colours(&colours)?;
        let drawing = request.draws.then(|| Drawing::new(gpu, slices, &shades)).transpose()?;
        let (size, camera) = (values.size("picture").unwrap_or(SIZE), seen_from(values, shown.camera));
        Ok(VolumeView { drawing, colours, wished: shown.colours, slices, size, camera })
    }

    /// The drawing, with the colours that the box wishes for if it shows something else than before.
    fn drawing(&mut self, shown: &VolumeContent) -> Result<&mut Drawing> {
        let drawing = self.drawing.as_mut().context("a picture that nobody asked for")?;
        if self.wished != shown.colours {
            (self.wished, self.colours) = (shown.colours, shown.colours.to_owned());
            drawing.map.set_colours(&named_colours(shown.colours)?)?;
        }
        Ok(drawing)
    }
}

impl Picture for VolumePicture<'_> {
    fn image(&mut self) -> Result<Image> {
        let (flat, camera, [width, height]) = (self.view.slices, self.view.camera, self.view.size);
        let shown = &self.shown;
        let Drawing { march, slices, map } = self.view.drawing(shown)?;
        if let Some(march) = march.as_mut().filter(|_| !flat) {
            let rgba = march.picture(shown.volume, &camera, (width, height))?;
            return Ok(Image { width, height, rgba });
        }
        let slices = slices.map(shown.volume, f32::NAN)?;
        let rgba = map.picture(slices, lined(shown.mapping))?;
        let image = Image { width: slices.width(), height: slices.height(), rgba };
        let times = (f64::from(LONG) / f64::from(image.width.max(image.height))).round() as u32;
        Ok(image.enlarged(times.max(1)))
    }

    fn draw(&mut self, place: Rect) -> Result<()> {
        let (flat, camera, shown) = (self.view.slices, self.view.camera, &self.shown);
        let Drawing { march, slices, map } = self.view.drawing(shown)?;
        if let Some(march) = march.as_mut().filter(|_| !flat) {
            return Ok(march.draw(shown.volume, &camera, None, place)?);
        }
        Ok(map.draw(slices.map(shown.volume, f32::NAN)?, lined(shown.mapping), None, place)?)
    }

    fn layout(&self, aspect: f64) -> Result<Layout> {
        if !self.view.slices {
            return Ok(Layout::Space(self.shown.volume.stage().lens(&self.view.camera, aspect)?));
        }
        let (columns, rows) = self.shown.volume.map();
        Ok(Layout::Map { columns, rows })
    }

    fn camera(&mut self) -> Option<&mut Camera> {
        (!self.view.slices).then_some(&mut self.view.camera)
    }

    /// The numbers of slices, as they were laid out last.
    fn numbers(&self) -> Option<Numbers<'_>> {
        let drawing = self.view.drawing.as_ref().filter(|_| self.view.slices)?;
        let Mapping { channels, low, high, .. } = self.shown.mapping;
        Some(Numbers {
            buffer: drawing.slices.last(),
            channels,
            north_up: false,
            ends: [low, high],
            colours: named_colours(&self.view.colours).ok(),
        })
    }

    /// Volume or slices, and from where it is seen.
    #[cfg(feature = "panel")]
    fn view_widgets(&mut self, ui: &mut egui::Ui) {
        let view = &mut *self.view;
        let marches = view.drawing.as_ref().is_some_and(|drawing| drawing.march.is_some());
        ui.horizontal(|ui| {
            ui.add_enabled_ui(marches, |ui| {
                ui.selectable_value(&mut view.slices, false, "volume");
            });
            ui.selectable_value(&mut view.slices, true, "slices");
        });
        if !view.slices {
            super::camera_widgets(ui, &mut view.camera);
        }
        ui.separator();
    }

    /// The colours of slices.
    #[cfg(feature = "panel")]
    fn widgets(&mut self, ui: &mut egui::Ui, _touchable: bool) -> Result<()> {
        if self.view.slices
            && let Some(shades) = super::colour_widget(ui, &mut self.view.colours)
            && let Some(drawing) = &mut self.view.drawing
        {
            drawing.map.set_colours(&shades)?;
        }
        Ok(())
    }
}

impl Drawing {
    /// On a card without loops a volume cannot be marched through, but it has slices.
    fn new(gpu: &Gpu, flat: bool, shades: &[[u8; 3]; 256]) -> Result<Drawing> {
        let march = match March::new(gpu) {
            Err(Error::OverLimit { .. }) if flat => None,
            march => Some(march.context("this card cannot draw volumes: --view slices, or no pictures")?),
        };
        Ok(Drawing { march, slices: Slices::new(gpu), map: ColourMap::new(gpu, shades)? })
    }
}

/// The mapping with lines between slices, where there is no number.
fn lined(mapping: Mapping) -> Mapping {
    Mapping { missing: palette::LINES.map(|part| f32::from(part) / 255.0), ..mapping }
}
