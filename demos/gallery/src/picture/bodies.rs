//! Bodies: boxes on a ground.

use anyhow::{Context, Result, bail};
use quadrille::view::{Block, Boxes, Camera, Stage};
use quadrille::{Gpu, Rect};

use super::{Layout, Numbers, Picture, SIZE, seen_from};
use crate::demo::Request;
use crate::image::Image;

/// Boxes, and the part of space that they are in.
pub struct Bodies {
    pub blocks: Vec<Block>,
    /// How many of them, the first ones, are bodies.
    pub counted: usize,
    pub stage: Stage,
    /// The numbers of their colours, where those are of numbers.
    pub legend: Option<Numbers<'static>>,
}

/// How boxes are looked at.
pub struct BodyView {
    /// Boxes of a run that draws: on a card whose vertex programs cannot fetch, others can do without.
    boxes: Option<Boxes>,
    size: [u32; 2],
    camera: Camera,
}

/// Boxes as they are looked at.
pub struct BodyPicture<'a> {
    pub view: &'a mut BodyView,
    pub bodies: Bodies,
}

impl BodyView {
    /// The view that is asked for, at first from there.
    ///
    /// # Errors
    /// A card that cannot draw boxes.
    pub fn new(gpu: &Gpu, request: &Request, camera: Camera) -> Result<BodyView> {
        if request.draws && gpu.limits().vertex_streams == 0 {
            let card = gpu.limits().name;
            let way_out = "run --headless, with --save and without pictures";
            bail!("vertex programs of {card} fetch nothing, so cubes cannot be drawn on it: {way_out}");
        }
        let boxes = request.draws.then(|| Boxes::new(gpu)).transpose().context("cubes cannot be drawn")?;
        let size = request.values.size("picture").unwrap_or(SIZE);
        Ok(BodyView { boxes, size, camera: seen_from(&request.values, camera) })
    }

    fn boxes(&mut self) -> Result<&mut Boxes> {
        self.boxes.as_mut().context("a picture that nobody asked for")
    }
}

impl Picture for BodyPicture<'_> {
    fn image(&mut self) -> Result<Image> {
        let (Bodies { blocks, stage, .. }, camera) = (&self.bodies, self.view.camera);
        let [width, height] = self.view.size;
        let rgba = self.view.boxes()?.picture(blocks, stage, &camera, width, height)?;
        Ok(Image { width, height, rgba })
    }

    fn draw(&mut self, place: Rect) -> Result<()> {
        let (Bodies { blocks, stage, .. }, camera) = (&self.bodies, self.view.camera);
        Ok(self.view.boxes()?.draw(blocks, stage, &camera, None, place)?)
    }

    fn layout(&self, aspect: f64) -> Result<Layout> {
        Ok(Layout::Space(self.bodies.stage.lens(&self.view.camera, aspect)?))
    }

    /// The number of bodies that are whole in a picture for a file.
    fn in_view(&self) -> Result<Option<usize>> {
        let [width, height] = self.view.size.map(f64::from);
        let lens = self.bodies.stage.lens(&self.view.camera, width / height)?;
        let inside = |corner: [f64; 3]| {
            let place = lens.picture_of(corner);
            lens.depth_of(corner) > 0.0 && place.iter().all(|part| (0.0..=1.0).contains(part))
        };
        let blocks = self.bodies.blocks.iter().take(self.bodies.counted);
        Ok(Some(blocks.filter(|block| block.corners().into_iter().all(inside)).count()))
    }

    fn camera(&mut self) -> Option<&mut Camera> {
        Some(&mut self.view.camera)
    }

    fn numbers(&self) -> Option<Numbers<'_>> {
        self.bodies.legend
    }

    #[cfg(feature = "panel")]
    fn view_widgets(&mut self, ui: &mut egui::Ui) {
        super::camera_widgets(ui, &mut self.view.camera, |_| {}, |_| {});
    }
}
