//! A mesh: its faces, lit, with edges and colours by curvature as wanted.

use anyhow::{Context, Result, bail};
use quadrille::view::{Camera, Faces, FacesLook};
use quadrille::{Buffer, Gpu, Rect};

use super::{Layout, Picture, SIZE, seen_from};
use crate::demo::Request;
use crate::image::Image;

/// Triangles whose vertices are texels, and from where they are seen at first.
pub struct MeshShown<'a> {
    pub faces: &'a [[u32; 3]],
    /// Column and row of each vertex; another number where they have changed.
    pub places: &'a [(u32, u32)],
    pub layout: u64,
    /// Position and mean curvature of each.
    pub positions: &'a Buffer,
    /// The box that is looked at.
    pub bounds: [[f64; 3]; 2],
    /// A curvature half-way up the colours.
    pub curvature: f32,
    pub camera: Camera,
}

/// How a mesh is looked at.
pub struct MeshView {
    gpu: Gpu,
    /// The faces of a run that draws, and which layout of vertices they are for.
    faces: Option<(Faces, u64)>,
    size: [u32; 2],
    camera: Camera,
    wires: bool,
    curvature: bool,
}

/// A mesh as it is looked at.
pub struct MeshPicture<'a> {
    pub view: &'a mut MeshView,
    pub mesh: MeshShown<'a>,
}

impl MeshView {
    /// The view that is asked for.
    ///
    /// # Errors
    /// A card that cannot draw meshes, or not this one.
    pub fn new(gpu: &Gpu, request: &Request, mesh: &MeshShown) -> Result<MeshView> {
        if request.draws && gpu.limits().vertex_streams == 0 {
            let card = gpu.limits().name;
            let way_out = "run --headless, with --save and without pictures";
            bail!("vertex programs of {card} fetch nothing, so a mesh cannot be drawn on it: {way_out}");
        }
        let values = &request.values;
        let mut view = MeshView {
            gpu: gpu.clone(),
            faces: None,
            size: values.size("picture").unwrap_or(SIZE),
            camera: seen_from(values, mesh.camera),
            wires: values.flag("wires"),
            curvature: values.flag("curvature"),
        };
        if request.draws {
            view.faces(mesh)?; // what cannot be drawn is told before the first step
        }
        Ok(view)
    }

    /// Forgets the faces: they may be another mesh's.
    pub fn forget(&mut self) {
        self.faces = None;
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
}

impl Picture for MeshPicture<'_> {
    fn image(&mut self) -> Result<Image> {
        let (look, [width, height]) = (self.view.look(&self.mesh), self.view.size);
        let rgba = self.view.faces(&self.mesh)?.picture(self.mesh.positions, &look, width, height)?;
        Ok(Image { width, height, rgba })
    }

    fn draw(&mut self, place: Rect) -> Result<()> {
        let look = self.view.look(&self.mesh);
        Ok(self.view.faces(&self.mesh)?.draw(self.mesh.positions, &look, None, place)?)
    }

    fn layout(&self, aspect: f64) -> Result<Layout> {
        Ok(Layout::Space(self.view.look(&self.mesh).lens(aspect)?))
    }

    fn camera(&mut self) -> Option<&mut Camera> {
        Some(&mut self.view.camera)
    }

    #[cfg(feature = "panel")]
    fn view_widgets(&mut self, ui: &mut egui::Ui) {
        ui.horizontal(|ui| {
            ui.checkbox(&mut self.view.wires, "wires");
            ui.checkbox(&mut self.view.curvature, "curvature");
        });
        super::camera_widgets(ui, &mut self.view.camera);
        ui.separator();
    }
}
