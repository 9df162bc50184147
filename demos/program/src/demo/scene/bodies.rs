//! Bodies: boxes on a ground.

use anyhow::{Context, Result, bail};
use quadrille::view::{Boxes, Camera};
use quadrille::{Gpu, Rect};

use super::super::Chosen;
use super::super::shown::Bodies;
use super::{Layout, PICTURE};
use crate::cli::Size;
use crate::files::Picture;

pub struct BodyScene {
    /// Of a run that draws: on a card whose vertex programs cannot fetch, others can do without.
    boxes: Option<Boxes>,
    picture: Size,
    pub camera: Camera,
}

impl BodyScene {
    /// The view that these arguments ask for, at first from there.
    pub fn new(gpu: &Gpu, chosen: &Chosen, camera: Camera) -> Result<BodyScene> {
        let draws = chosen.arguments.draws();
        if draws && gpu.limits().vertex_streams == 0 {
            let card = gpu.limits().name;
            let way_out = "run --headless, with --save and without pictures";
            bail!("vertex programs of {card} fetch nothing, so cubes cannot be drawn on it: {way_out}");
        }
        let boxes = draws.then(|| Boxes::new(gpu)).transpose().context("cubes cannot be drawn")?;
        let (picture, camera) =
            (chosen.look.camera.picture.unwrap_or(PICTURE), chosen.look.camera.of(camera));
        Ok(BodyScene { boxes, picture, camera })
    }

    /// How many bodies are whole in a picture for a file.
    pub fn in_view(&self, bodies: &Bodies) -> Result<usize> {
        let Size { width, height } = self.picture;
        let lens = bodies.stage.lens(&self.camera, f64::from(width) / f64::from(height))?;
        let inside = |corner: [f64; 3]| {
            let place = lens.picture_of(corner);
            lens.depth_of(corner) > 0.0 && place.iter().all(|part| (0.0..=1.0).contains(part))
        };
        Ok(bodies.blocks.iter().filter(|block| block.corners().into_iter().all(inside)).count())
    }

    fn boxes(&mut self) -> Result<&mut Boxes> {
        self.boxes.as_mut().context("a picture that nobody asked for")
    }

    pub fn picture(&mut self, bodies: &Bodies) -> Result<Picture> {
        let (camera, Size { width, height }) = (self.camera, self.picture);
        let rgba = self.boxes()?.picture(&bodies.blocks, &bodies.stage, &camera, width, height)?;
        Ok(Picture { width, height, rgba })
    }

    pub fn draw(&mut self, bodies: &Bodies, place: Rect) -> Result<()> {
        let camera = self.camera;
        Ok(self.boxes()?.draw(&bodies.blocks, &bodies.stage, &camera, None, place)?)
    }

    pub fn layout(&self, bodies: &Bodies, aspect: f64) -> Result<Layout> {
        Ok(Layout::Space(bodies.stage.lens(&self.camera, aspect)?))
    }
}
