//! Bodies: boxes on a ground.

use anyhow::{Context, Result};
use quadrille::view::{Boxes, Camera};
use quadrille::{Gpu, Rect};

use super::super::shown::Bodies;
use super::{Layout, PICTURE};
use crate::cli::{DemoArguments, Size};
use crate::files::Picture;

pub struct BodyScene {
    /// Of a run that draws: on a card whose vertex programs cannot fetch, others can do without.
    boxes: Option<Boxes>,
    picture: Size,
    pub camera: Camera,
}

impl BodyScene {
    /// The view that these arguments ask for, at first from there.
    pub fn new(gpu: &Gpu, arguments: &DemoArguments, camera: Camera) -> Result<BodyScene> {
        let boxes = match arguments.draws() {
            true => Some(Boxes::new(gpu).context("boxes cannot be drawn")?),
            false => None,
        };
        Ok(BodyScene { boxes, picture: arguments.picture.unwrap_or(PICTURE), camera })
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
