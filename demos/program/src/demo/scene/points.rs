//! Bodies on the GPU: points that glow.

use anyhow::{Context, Result, bail};
use egui::{Slider, Ui};
use quadrille::view::{Camera, Glow, Look};
use quadrille::{Gpu, Rect};

use super::super::Chosen;
use super::super::shown::Glowing;
use super::{Layout, PICTURE, colour_widget, named_colours};
use crate::cli::Size;
use crate::files::Picture;

pub struct PointScene {
    /// Of a run that draws: on a card whose vertex programs cannot fetch, others can do without.
    glow: Option<Glow>,
    /// Name of the colours of speeds.
    colours: String,
    picture: Size,
    pub camera: Camera,
    /// From where the simulation was to be seen: when that changes, so does the camera.
    first: Camera,
    /// Of what is shown, times this.
    size: f32,
    exposure: f32,
}

impl PointScene {
    /// The view that these arguments ask for.
    pub fn new(gpu: &Gpu, chosen: &Chosen, shown: &Glowing) -> Result<PointScene> {
        let draws = chosen.arguments.draws();
        if draws && gpu.limits().vertex_streams == 0 {
            let card = gpu.limits().name;
            let way_out = "--headless with an --out of .npy or .exr, or with --save, runs without pictures";
            bail!("--limits {card}: its vertex programs fetch nothing, so bodies cannot be drawn; {way_out}");
        }
        let look = &chosen.look;
        let colours = look.colours.as_deref().unwrap_or(shown.colours);
        let shades = named_colours(colours)?;
        let glow = draws.then(|| Glow::new(gpu, &shades)).transpose().context("bodies cannot be drawn")?;
        let picture = look.camera.picture.unwrap_or(PICTURE);
        let (camera, first) = (look.camera.of(shown.camera), shown.camera);
        Ok(PointScene { glow, colours: colours.to_owned(), picture, camera, first, size: 1.0, exposure: 1.0 })
    }

    /// What is shown as the user wants to see it.
    fn look(&self, look: &Look) -> Look {
        Look { radius: look.radius * self.size, exposure: look.exposure * self.exposure, ..*look }
    }

    fn glow(&mut self) -> Result<&mut Glow> {
        self.glow.as_mut().context("a picture that nobody asked for")
    }

    /// How many are in a picture for a file, whatever is before them.
    pub fn in_view(&self, shown: &Glowing) -> Result<usize> {
        let Size { width, height } = self.picture;
        let lens = shown.stage.lens(&self.camera, f64::from(width) / f64::from(height))?;
        let positions = shown.points.positions.data()?;
        let is_inside = |&&[x, y, z, _]: &&[f32; 4]| {
            let place = [x, y, z].map(f64::from);
            let inside = lens.picture_of(place).iter().all(|part| (0.0..=1.0).contains(part));
            inside && lens.depth_of(place) > 0.0
        };
        Ok(positions.as_chunks::<4>().0.iter().filter(is_inside).count())
    }

    pub fn picture(&mut self, shown: &Glowing) -> Result<Picture> {
        let (look, camera, Size { width, height }) = (self.look(&shown.look), self.camera, self.picture);
        let view = (&shown.stage, &camera);
        let rgba = self.glow()?.picture(shown.points, &look, view, (width, height))?;
        Ok(Picture { width, height, rgba })
    }

    pub fn draw(&mut self, shown: &Glowing, place: Rect) -> Result<()> {
        if self.first != shown.camera {
            (self.first, self.camera) = (shown.camera, shown.camera);
        }
        let (look, camera) = (self.look(&shown.look), self.camera);
        Ok(self.glow()?.draw(shown.points, &look, (&shown.stage, &camera), None, place)?)
    }

    pub fn layout(&self, shown: &Glowing, aspect: f64) -> Result<Layout> {
        Ok(Layout::Space(shown.stage.lens(&self.camera, aspect)?))
    }

    /// Size and brightness of the points, and the colours of their speeds.
    pub fn widgets(&mut self, ui: &mut Ui) -> Result<()> {
        ui.add(Slider::new(&mut self.size, 0.1..=10.0).logarithmic(true).text("size of bodies"));
        ui.add(Slider::new(&mut self.exposure, 0.01..=5.0).logarithmic(true).text("exposure"))
            .on_hover_text("More shows fainter light, and presses bright light together");
        match colour_widget(ui, &mut self.colours) {
            Some(shades) => Ok(self.glow()?.set_colours(&shades)?),
            None => Ok(()),
        }
    }
}
