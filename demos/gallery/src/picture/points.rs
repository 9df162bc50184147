//! Bodies on the GPU: points that glow.

use std::cell::Cell;

use anyhow::{Context, Result, bail};
use quadrille::view::{Camera, Glow, Look, Points, Stage};
use quadrille::{Gpu, Rect};

use super::{Layout, Picture, SIZE, named_colours, say_colours, seen_from};
use crate::demo::Request;
use crate::image::Image;
use crate::param::Values;

/// Bodies on the GPU, and from where they are seen at first.
pub struct Glowing<'a> {
    pub points: Points<'a>,
    /// The part of space that they are in.
    pub stage: Stage,
    pub camera: Camera,
    pub look: Look,
    /// Name of the colour map of their speeds.
    pub colours: &'static str,
}

/// How they are looked at.
pub struct PointView {
    /// The glow of a run that draws: on a card whose vertex programs cannot fetch, others can do without.
    glow: Option<Glow>,
    /// Name of the colours of speeds.
    colours: String,
    size_of_picture: [u32; 2],
    camera: Camera,
    /// From where the simulation was to be seen: when that changes, so does the camera.
    first: Camera,
    /// The factor of the size that is shown.
    size: f32,
    exposure: f32,
    /// The factor of the haze that is shown.
    haze: f32,
    /// Width by height of the last layout.
    aspect: Cell<f64>,
}

/// Bodies as they are looked at.
pub struct PointPicture<'a> {
    pub view: &'a mut PointView,
    pub bodies: Glowing<'a>,
}

impl PointView {
    /// The view that is asked for.
    ///
    /// # Errors
    /// A card that cannot draw them; no such colours.
    pub fn new(gpu: &Gpu, request: &Request, shown: &Glowing) -> Result<PointView> {
        if request.draws && gpu.limits().vertex_streams == 0 {
            let card = gpu.limits().name;
            let way_out = "--headless with an --out of .npy or .exr, or with --save, runs without pictures";
            bail!("--limits {card}: its vertex programs fetch nothing, so bodies cannot be drawn; {way_out}");
        }
        let values = &request.values;
        let colours = values.text("colours").unwrap_or(shown.colours);
        let shades = named_colours(colours)?;
        let glow = request.draws.then(|| Glow::new(gpu, &shades)).transpose();
        let glow = glow.context("bodies cannot be drawn")?;
        let size_of_picture = values.size("picture").unwrap_or(SIZE);
        let (camera, first) = (seen_from(values, shown.camera), shown.camera);
        let colours = colours.to_owned();
        let [width, height] = size_of_picture.map(f64::from);
        let aspect = Cell::new(width / height);
        let (size, exposure, haze) = (1.0, 1.0, 1.0);
        Ok(PointView { glow, colours, size_of_picture, camera, first, size, exposure, haze, aspect })
    }

    /// The shares of the picture, as it was laid out last, at which a body of that place and mass is seen, and its radius as a share of the
    /// height; `None` outside.
    ///
    /// # Errors
    /// Those of the camera.
    pub fn disc_of(
        &self,
        (stage, look): (&Stage, &Look),
        place: [f64; 3],
        mass: f64,
    ) -> Result<Option<([f32; 2], f32)>> {
        let lens = stage.lens(&self.camera, self.aspect.get())?;
        let (share, depth) = (lens.picture_of(place), lens.depth_of(place));
        let is_seen = share.iter().all(|part| (0.0..=1.0).contains(part)) && depth > 0.0;
        let radius = f64::from(self.look(look).radius) * mass.max(0.0).powf(look.growth.into());
        Ok(is_seen.then(|| (share.map(|part| part as f32), lens.share_of(radius, depth) as f32)))
    }

    /// The look of the bodies as the user wants to see it.
    fn look(&self, look: &Look) -> Look {
        let haze = (look.haze * self.haze).min(1.0);
        Look { radius: look.radius * self.size, exposure: look.exposure * self.exposure, haze, ..*look }
    }

    fn glow(&mut self) -> Result<&mut Glow> {
        self.glow.as_mut().context("a picture that nobody asked for")
    }
}

impl Picture for PointPicture<'_> {
    fn image(&mut self) -> Result<Image> {
        let (shown, [width, height]) = (&self.bodies, self.view.size_of_picture);
        let (look, camera) = (self.view.look(&shown.look), self.view.camera);
        let view = (&shown.stage, &camera);
        let rgba = self.view.glow()?.picture(shown.points, &look, view, (width, height))?;
        Ok(Image { width, height, rgba })
    }

    fn draw(&mut self, place: Rect) -> Result<()> {
        let shown = &self.bodies;
        if self.view.first != shown.camera {
            (self.view.first, self.view.camera) = (shown.camera, shown.camera);
        }
        let (look, camera) = (self.view.look(&shown.look), self.view.camera);
        Ok(self.view.glow()?.draw(shown.points, &look, (&shown.stage, &camera), None, place)?)
    }

    fn layout(&self, aspect: f64) -> Result<Layout> {
        self.view.aspect.set(aspect);
        Ok(Layout::Space(self.bodies.stage.lens(&self.view.camera, aspect)?))
    }

    /// The number of them in a picture for a file, whatever is before them.
    fn in_view(&self) -> Result<Option<usize>> {
        let [width, height] = self.view.size_of_picture.map(f64::from);
        let lens = self.bodies.stage.lens(&self.view.camera, width / height)?;
        let positions = self.bodies.points.positions.data()?;
        let is_inside = |&&[x, y, z, _]: &&[f32; 4]| {
            let place = [x, y, z].map(f64::from);
            let inside = lens.picture_of(place).iter().all(|part| (0.0..=1.0).contains(part));
            inside && lens.depth_of(place) > 0.0
        };
        Ok(Some(positions.as_chunks::<4>().0.iter().filter(is_inside).count()))
    }

    fn say(&self, values: &mut Values) {
        say_colours(values, &self.view.colours, self.bodies.colours);
    }

    fn camera(&mut self) -> Option<&mut Camera> {
        Some(&mut self.view.camera)
    }

    fn turns_by_left(&self) -> bool {
        true
    }

    #[cfg(feature = "panel")]
    fn view_widgets(&mut self, ui: &mut egui::Ui) {
        use egui::Slider;
        let has_haze = self.bodies.look.haze > 0.0;
        let PointView { camera, size, exposure, haze, .. } = &mut *self.view;
        let look = |ui: &mut egui::Ui| {
            ui.add(Slider::new(size, 0.1..=10.0).logarithmic(true).text("size of bodies"));
            ui.add(Slider::new(exposure, 0.01..=5.0).logarithmic(true).text("exposure"))
                .on_hover_text("More shows fainter light, and presses bright light together");
            if has_haze {
                ui.add(Slider::new(haze, 0.0..=10.0).text("haze"))
                    .on_hover_text("Halos of all bodies, which together show where they are dense");
            }
        };
        super::camera_widgets(ui, camera, |_| {}, look);
    }

    /// The colours of speeds.
    #[cfg(feature = "panel")]
    fn widgets(&mut self, ui: &mut egui::Ui) -> Result<()> {
        let view = &mut *self.view;
        match super::colour_widget(ui, &mut view.colours) {
            Some(shades) => Ok(view.glow()?.set_colours(&shades)?),
            None => Ok(()),
        }
    }
}
