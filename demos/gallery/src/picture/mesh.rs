//! A mesh: its faces, lit, with edges and colours by curvature as wanted.

use std::cell::Cell;

use anyhow::{Context, Result, bail};
use quadrille::view::{Camera, Faces, FacesLook, Lens};
use quadrille::{Buffer, Gpu, Rect};

use super::{Layout, Picture, SIZE, seen_from};
use crate::demo::Request;
use crate::image::Image;
use crate::param::Values;

/// Triangles whose vertices are texels, and from where they are seen at first.
#[derive(Clone, Copy)]
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
    /// The length that is 1 in `positions`.
    pub unit: f64,
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
    facets: bool,
    ground: bool,
    /// Width by height of the last lens.
    aspect: Cell<f64>,
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
            facets: values.flag("facets"),
            ground: !values.flag("bare"),
            aspect: Cell::new(1.0),
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

    /// Pixels of a picture for a file.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// The place that it is seen from.
    pub fn camera(&mut self) -> &mut Camera {
        &mut self.camera
    }

    /// The lens of a picture of that aspect.
    ///
    /// # Errors
    /// Those of the camera.
    pub fn lens(&self, mesh: &MeshShown, aspect: f64) -> Result<Lens> {
        self.aspect.set(aspect);
        Ok(self.look(mesh).lens(aspect)?)
    }

    /// The lens of the picture that was laid out last.
    ///
    /// # Errors
    /// Those of the camera.
    pub fn lens_of_last(&self, mesh: &MeshShown) -> Result<Lens> {
        self.lens(mesh, self.aspect.get())
    }

    /// Puts how it is seen now into the values of its parameters.
    pub fn say(&self, values: &mut Values) {
        let MeshView { wires, curvature, facets, ground, .. } = *self;
        for (name, on) in [("wires", wires), ("curvature", curvature), ("facets", facets), ("bare", !ground)]
        {
            values.set(name, on);
        }
    }

    fn look(&self, mesh: &MeshShown) -> FacesLook {
        FacesLook {
            bounds: mesh.bounds,
            camera: self.camera,
            wires: self.wires,
            colours: self.curvature.then_some(mesh.curvature),
            round: !self.facets,
            ground: self.ground.then_some(mesh.bounds[0][1]),
        }
    }
}

impl MeshPicture<'_> {
    /// The pixels of a picture of that size: red, green, blue, alpha, row after row from the top.
    ///
    /// # Errors
    /// The run does not draw.
    pub fn image_of(&mut self, [width, height]: [u32; 2]) -> Result<Vec<u8>> {
        let look = self.view.look(&self.mesh);
        Ok(self.view.faces(&self.mesh)?.picture(self.mesh.positions, &look, width, height)?)
    }
}

impl Picture for MeshPicture<'_> {
    fn image(&mut self) -> Result<Image> {
        let [width, height] = self.view.size;
        Ok(Image { width, height, rgba: self.image_of([width, height])? })
    }

    fn draw(&mut self, place: Rect) -> Result<()> {
        let look = self.view.look(&self.mesh);
        Ok(self.view.faces(&self.mesh)?.draw(self.mesh.positions, &look, None, place)?)
    }

    fn layout(&self, aspect: f64) -> Result<Layout> {
        Ok(Layout::Space(self.view.lens(&self.mesh, aspect)?))
    }

    fn camera(&mut self) -> Option<&mut Camera> {
        Some(&mut self.view.camera)
    }

    fn turns_by_left(&self) -> bool {
        true
    }

    fn say(&self, values: &mut Values) {
        self.view.say(values);
    }

    #[cfg(feature = "panel")]
    fn view_widgets(&mut self, ui: &mut egui::Ui) {
        ui.horizontal(|ui| {
            ui.checkbox(&mut self.view.wires, "wires").on_hover_text("The edges of triangles");
            ui.checkbox(&mut self.view.curvature, "curvature").on_hover_text(
                "Colours by how much the surface bends: mean curvature, which the flow lessens",
            );
            ui.checkbox(&mut self.view.facets, "facets")
                .on_hover_text("Each triangle lit as the flat piece that it is");
            ui.checkbox(&mut self.view.ground, "ground")
                .on_hover_text("A ground, and shadows on it and on the mesh");
        });
        if self.view.curvature {
            legend(ui, f64::from(self.mesh.curvature) / self.mesh.unit);
        }
        super::camera_widgets(ui, &mut self.view.camera, |_| {}, |_| {});
    }
}

/// The colours of curvatures, from flat to sharp, and the number at each quarter of them.
#[cfg(feature = "panel")]
fn legend(ui: &mut egui::Ui, gentle: f64) {
    use egui::{Align2, Color32, FontId, Mesh, Rect, Sense, pos2, vec2};
    let (whole, _) = ui.allocate_exact_size(vec2(ui.available_width(), 28.0), Sense::hover());
    let bar = Rect::from_min_max(whole.min + vec2(8.0, 0.0), pos2(whole.right() - 12.0, whole.top() + 12.0));
    let across = |share: f32| bar.left() + share * bar.width();
    let mut colours = Mesh::default();
    for i in 0..=32u32 {
        let share = i as f32 / 32.0;
        let [r, g, b] = curvature_colour(share);
        let colour = Color32::from_rgb(r, g, b);
        colours.colored_vertex(pos2(across(share), bar.top()), colour);
        colours.colored_vertex(pos2(across(share), bar.bottom()), colour);
        if i > 0 {
            colours.add_triangle(2 * i - 2, 2 * i - 1, 2 * i);
            colours.add_triangle(2 * i - 1, 2 * i, 2 * i + 1);
        }
    }
    ui.painter().add(colours);
    let weak = ui.visuals().weak_text_color();
    let anchors =
        [Align2::LEFT_TOP, Align2::CENTER_TOP, Align2::CENTER_TOP, Align2::CENTER_TOP, Align2::RIGHT_TOP];
    let numbers = [Some(0.0), Some(gentle / 3.0), Some(gentle), Some(3.0 * gentle), None];
    for (i, (anchor, number)) in anchors.into_iter().zip(numbers).enumerate() {
        let text = number.map_or("sharp".to_owned(), |number| format!("{number:.2}"));
        let at = pos2(across(0.25 * i as f32), bar.bottom() + 2.0);
        ui.painter().text(at, anchor, text, FontId::proportional(11.0), weak);
    }
    ui.weak("mean curvature |H|: 1 / radius of a ball")
        .on_hover_text("0 is flat; the middle is a ball as large as the mesh");
}

/// The colours of `view/faces_shade.frag` from flat to sharp.
#[cfg(feature = "panel")]
const COLOURS: [[f32; 3]; 3] = [[0.05, 0.16, 0.42], [0.62, 0.60, 0.54], [0.62, 0.07, 0.02]];

/// The colour that far from flat to sharp, in full light.
#[cfg(feature = "panel")]
fn curvature_colour(share: f32) -> [u8; 3] {
    let (part, low) = if share < 0.5 { (2.0 * share, 0) } else { (2.0 * share - 1.0, 1) };
    std::array::from_fn(|k| {
        let light = COLOURS[low][k] + part * (COLOURS[low + 1][k] - COLOURS[low][k]);
        (255.0 * (1.055 * light.powf(1.0 / 2.4) - 0.055)).round() as u8
    })
}

#[cfg(all(test, feature = "panel"))]
mod tests {
    use super::COLOURS;

    #[test]
    fn the_legend_has_the_colours_of_the_kernel() -> quadrille::Result<()> {
        let kernel = quadrille::kernels::built_in("view/faces_shade.frag")?;
        for [r, g, b] in COLOURS {
            let colour = format!("vec3({r:.2}, {g:.2}, {b:.2})");
            assert!(kernel.contains(&colour), "{colour}");
        }
        Ok(())
    }
}
