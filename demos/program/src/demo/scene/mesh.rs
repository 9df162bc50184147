//! A mesh: its faces, lit, with edges and colours by curvature as wanted.

use anyhow::{Context, Result, bail};
use egui::Ui;
use quadrille::view::{Camera, Faces, FacesLook};
use quadrille::{Gpu, Rect};

use super::super::Chosen;
use super::super::shown::MeshShown;
use super::{Layout, PICTURE, camera_widgets};
use crate::cli::Size;
use crate::files::Picture;

pub struct MeshScene {
    gpu: Gpu,
    /// Of a run that draws, and which layout of vertices they are for.
    faces: Option<(Faces, u64)>,
    picture: Size,
    pub camera: Camera,
    wires: bool,
    curvature: bool,
}

impl MeshScene {
    /// The view that these arguments ask for.
    pub fn new(gpu: &Gpu, chosen: &Chosen, mesh: &MeshShown) -> Result<MeshScene> {
        let (draws, look) = (chosen.arguments.draws(), &chosen.look);
        if draws && gpu.limits().vertex_streams == 0 {
            let card = gpu.limits().name;
            let way_out = "run --headless, with --save and without pictures";
            bail!("vertex programs of {card} fetch nothing, so a mesh cannot be drawn on it: {way_out}");
        }
        let mut scene = MeshScene {
            gpu: gpu.clone(),
            faces: None,
            picture: look.camera.picture.unwrap_or(PICTURE),
            camera: look.camera.of(mesh.camera),
            wires: look.wires,
            curvature: look.curvature,
        };
        if draws {
            scene.faces(mesh)?; // what cannot be drawn is told before the first step
        }
        Ok(scene)
    }

    /// The faces of that layout of vertices.
    fn faces(&mut self, mesh: &MeshShown) -> Result<&mut Faces> {
        if self.faces.as_ref().is_none_or(|(_, layout)| *layout != mesh.layout) {
            let faces = Faces::new(&self.gpu, mesh.faces, mesh.places).context("the mesh cannot be drawn")?;
            self.faces = Some((faces, mesh.layout));
        }
        self.faces.as_mut().map(|(faces, _)| faces).context("a picture that nobody asked for")
    }

    fn look(&self, mesh: &MeshShown) -> FacesLook {
        FacesLook {
            bounds: mesh.bounds,
            camera: self.camera,
            wires: self.wires,
            colours: self.curvature.then_some(mesh.curvature),
        }
    }

    pub fn picture(&mut self, mesh: &MeshShown) -> Result<Picture> {
        let (look, Size { width, height }) = (self.look(mesh), self.picture);
        let rgba = self.faces(mesh)?.picture(mesh.positions, &look, width, height)?;
        Ok(Picture { width, height, rgba })
    }

    pub fn draw(&mut self, mesh: &MeshShown, place: Rect) -> Result<()> {
        let look = self.look(mesh);
        Ok(self.faces(mesh)?.draw(mesh.positions, &look, None, place)?)
    }

    pub fn layout(&self, mesh: &MeshShown, aspect: f64) -> Result<Layout> {
        Ok(Layout::Space(self.look(mesh).lens(aspect)?))
    }

    pub fn view_widgets(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            ui.checkbox(&mut self.wires, "wires");
            ui.checkbox(&mut self.curvature, "curvature");
        });
        camera_widgets(ui, &mut self.camera);
        ui.separator();
    }
}
