//! A box of voxels: light on its way through it, or its slices as a flat map.

use anyhow::{Context, Result, bail};
use quadrille::view::{Camera, ColourMap, Magnitude, Mapping, March, Slices, Volume};
use quadrille::{Buffer, Error, Gpu, Rect};

use super::colouring::Colouring;
#[cfg(feature = "panel")]
use super::colouring::Switches;
use super::{
    Brush, COLOURS, Layout, Numbers, Picture, SIZE, Source, Unit, forget_camera, named_colours, say_colours,
    seen_from,
};
use crate::demo::{Request, Usage};
use crate::image::Image;
use crate::palette;
use crate::param::Values;

/// About how many pixels the longer side of a picture of slices has, where they are fewer voxels.
const LONG: u32 = 512;

/// The radius of the brush at first, as a part of the shortest side.
const BRUSH: f32 = 0.18;

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
    colouring: Colouring,
    size: [u32; 2],
    camera: Camera,
    brush: Brush,
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
        let colouring = Colouring::new(gpu);
        let shortest = shown.volume.voxels.size().into_iter().min().unwrap_or(1);
        let brush = Brush::new((BRUSH * shortest as f32).max(1.0));
        Ok(VolumeView { drawing, colours, wished: shown.colours, slices, colouring, size, camera, brush })
    }

    /// Radius of the brush in voxels.
    pub fn brush(&self) -> f32 {
        self.brush.radius
    }

    /// The drawing, with the colours that the box wishes for if it shows something else than before.
    fn drawing(&mut self, shown: &VolumeContent) -> Result<&mut Drawing> {
        let drawing = self.drawing.as_mut().context("a picture that nobody asked for")?;
        if self.wished != shown.colours {
            (self.wished, self.colours) = (shown.colours, shown.colours.to_owned());
            drawing.map.set_colours(&named_colours(shown.colours)?)?;
            self.colouring.forget();
        }
        Ok(drawing)
    }

    /// The slices, and their colours as the user has set them.
    fn sliced(&mut self, shown: &VolumeContent) -> Result<(&mut ColourMap, &Buffer, Mapping)> {
        self.drawing(shown)?;
        let Some(Drawing { slices, map, .. }) = &mut self.drawing else {
            bail!("a picture that nobody asked for")
        };
        let (buffer, mapping) = (slices.map(shown.volume, f32::NAN)?, lined(shown.mapping));
        self.colouring.look(buffer, Magnitude::Weighed(mapping.channels))?;
        let [low, high] = self.colouring.ends([mapping.low, mapping.high]);
        let (tones, smooth) = (self.colouring.tones(), self.colouring.smooth());
        Ok((map, buffer, Mapping { low, high, tones, smooth, ..mapping }))
    }
}

impl Picture for VolumePicture<'_> {
    fn image(&mut self) -> Result<Image> {
        let (flat, camera, [width, height]) = (self.view.slices, self.view.camera, self.view.size);
        let shown = &self.shown;
        if let Some(march) = self.view.drawing(shown)?.march.as_mut().filter(|_| !flat) {
            let rgba = march.picture(shown.volume, &camera, (width, height))?;
            return Ok(Image { width, height, rgba });
        }
        let (map, slices, mapping) = self.view.sliced(shown)?;
        let rgba = map.picture(slices, mapping)?;
        let image = Image { width: slices.width(), height: slices.height(), rgba };
        let times = (f64::from(LONG) / f64::from(image.width.max(image.height))).round() as u32;
        Ok(image.enlarged(times.max(1)))
    }

    fn draw(&mut self, place: Rect) -> Result<()> {
        let (flat, camera, shown) = (self.view.slices, self.view.camera, &self.shown);
        if let Some(march) = self.view.drawing(shown)?.march.as_mut().filter(|_| !flat) {
            return Ok(march.draw(shown.volume, &camera, None, place)?);
        }
        let (map, slices, mapping) = self.view.sliced(shown)?;
        Ok(map.draw(slices, mapping, None, place)?)
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

    /// The numbers of slices, as they were laid out last, and their colours.
    fn numbers(&self) -> Option<Numbers<'_>> {
        let (VolumeView { slices: true, colours, colouring, drawing, .. }, mapping) =
            (&*self.view, self.shown.mapping)
        else {
            return None;
        };
        let ends = colouring.ends([mapping.low, mapping.high]);
        let (colours, tones) = (named_colours(colours).ok(), colouring.tones());
        let source = match drawing.as_ref().and_then(|drawing| drawing.slices.last()) {
            Some(buffer) => Source::Weighed { buffer, channels: mapping.channels, north_up: false },
            None => Source::Unread,
        };
        Some(Numbers { source, ends, tones, colours, unit: Unit::NONE })
    }

    fn say(&self, values: &mut Values) {
        let VolumeView { slices, colours, .. } = &*self.view;
        values.set("view", if *slices { "slices" } else { "volume" });
        match slices {
            true => {
                forget_camera(values);
                say_colours(values, colours, self.shown.colours);
            }
            false => values.forget(COLOURS.name),
        }
    }

    /// Volume or slices, and from where it is seen.
    #[cfg(feature = "panel")]
    fn view_widgets(&mut self, ui: &mut egui::Ui) {
        let view = &mut *self.view;
        let marches = view.drawing.as_ref().is_some_and(|drawing| drawing.march.is_some());
        let (is_sliced, slices) = (view.slices, &mut view.slices);
        let ways = |ui: &mut egui::Ui| {
            ui.add_enabled_ui(marches, |ui| {
                ui.selectable_value(slices, false, "volume");
            });
            ui.selectable_value(slices, true, "slices");
        };
        if is_sliced {
            ui.horizontal(ways);
            ui.weak("The lowest slice is in the upper left corner, the next to its right. In each x leads to the right, y down, to the front. Water is below 0.");
        } else {
            super::camera_widgets(ui, &mut view.camera, ways, |_| {});
        }
    }

    fn brush(&mut self) -> Option<&mut Brush> {
        Some(&mut self.view.brush)
    }

    /// The colours of slices.
    #[cfg(feature = "panel")]
    fn widgets(&mut self, ui: &mut egui::Ui) -> Result<()> {
        let VolumeView { slices: true, drawing: Some(drawing), colours, colouring, .. } = &mut *self.view
        else {
            return Ok(());
        };
        let Mapping { low, high, .. } = self.shown.mapping;
        let switches = Switches {
            automatic: true,
            logarithmic: true,
            smooth: true,
            lines: true,
            arrows: false,
            streamlines: false,
        };
        if let Some(shades) = colouring.widgets(ui, Some(colours), Some([low, high]), Unit::NONE, switches) {
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
