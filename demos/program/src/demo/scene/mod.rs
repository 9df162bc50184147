//! What is seen of a simulation: a field as colours or as a lit surface, bodies as boxes on a ground or as points that glow,
//! the faces of a mesh, boxes of voxels as what light meets in them, fluids in flat boxes.

mod bodies;
mod field;
mod flat;
mod mesh;
mod points;
mod sky;
mod volume;

use anyhow::{Result, bail};
use egui::{ComboBox, Slider, Ui};
use quadrille::view::{Camera, Lens, Perspective, keep_aspect};
use quadrille::{Gpu, Rect};

use self::bodies::BodyScene;
use self::field::FieldScene;
use self::flat::FlatScene;
use self::mesh::MeshScene;
use self::points::PointScene;
use self::sky::SkyScene;
use self::volume::VolumeScene;
use super::shown::Shown;
use super::{Chosen, Simulation};
use crate::cli::Size;
use crate::files::Picture;
use crate::palette;

/// A lit picture unless the user says otherwise.
const PICTURE: Size = Size { width: 800, height: 600 };

/// One kind of picture for each kind of thing that is [`Shown`].
pub enum Scene {
    Field(Box<FieldScene>),
    Bodies(Box<BodyScene>),
    Points(Box<PointScene>),
    Mesh(Box<MeshScene>),
    Volume(Box<VolumeScene>),
    Flat(Box<FlatScene>),
    Sky(Box<SkyScene>),
}

/// How what is shown lies in its picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Layout {
    /// Columns and rows of cells, as on a map.
    Map { columns: u32, rows: u32 },
    /// The same in perspective.
    Water { columns: u32, rows: u32, perspective: Perspective },
    /// In space.
    Space(Lens),
}

impl Scene {
    /// The view that these arguments ask for.
    pub fn new(gpu: &Gpu, chosen: &Chosen, simulation: &dyn Simulation) -> Result<Scene> {
        Ok(match simulation.shown()? {
            Shown::Field(field) => Scene::Field(Box::new(FieldScene::new(gpu, chosen, &field)?)),
            Shown::Bodies(bodies) => Scene::Bodies(Box::new(BodyScene::new(gpu, chosen, bodies.camera)?)),
            Shown::Points(shown) => Scene::Points(Box::new(PointScene::new(gpu, chosen, &shown)?)),
            Shown::Mesh(mesh) => Scene::Mesh(Box::new(MeshScene::new(gpu, chosen, &mesh)?)),
            Shown::Volume(shown) => Scene::Volume(Box::new(VolumeScene::new(gpu, chosen, &shown)?)),
            Shown::Flat(shown) => Scene::Flat(Box::new(FlatScene::new(gpu, chosen, &shown)?)),
            Shown::Sky(shown) => Scene::Sky(Box::new(SkyScene::new(gpu, chosen, &shown)?)),
        })
    }

    /// A picture for a file.
    pub fn picture(&mut self, simulation: &dyn Simulation) -> Result<Picture> {
        match (self, simulation.shown()?) {
            (Scene::Field(scene), Shown::Field(field)) => scene.picture(&field),
            (Scene::Bodies(scene), Shown::Bodies(bodies)) => scene.picture(&bodies),
            (Scene::Points(scene), Shown::Points(shown)) => scene.picture(&shown),
            (Scene::Mesh(scene), Shown::Mesh(mesh)) => scene.picture(&mesh),
            (Scene::Volume(scene), Shown::Volume(shown)) => scene.picture(&shown),
            (Scene::Flat(scene), Shown::Flat(shown)) => scene.picture(&shown),
            (Scene::Sky(scene), Shown::Sky(shown)) => scene.picture(&shown),
            _ => other_kind(simulation),
        }
    }

    /// Draws into that part of the window.
    pub fn draw(&mut self, simulation: &dyn Simulation, place: Rect) -> Result<()> {
        match (self, simulation.shown()?) {
            (Scene::Field(scene), Shown::Field(field)) => scene.draw(&field, place),
            (Scene::Bodies(scene), Shown::Bodies(bodies)) => scene.draw(&bodies, place),
            (Scene::Points(scene), Shown::Points(shown)) => scene.draw(&shown, place),
            (Scene::Mesh(scene), Shown::Mesh(mesh)) => scene.draw(&mesh, place),
            (Scene::Volume(scene), Shown::Volume(shown)) => scene.draw(&shown, place),
            (Scene::Flat(scene), Shown::Flat(shown)) => scene.draw(&shown, place),
            (Scene::Sky(scene), Shown::Sky(shown)) => scene.draw(&shown, place),
            _ => other_kind(simulation),
        }
    }

    /// How it lies in a picture of that aspect.
    pub fn layout(&self, simulation: &dyn Simulation, aspect: f64) -> Result<Layout> {
        match (self, simulation.shown()?) {
            (Scene::Field(scene), Shown::Field(field)) => Ok(scene.layout(&field, aspect)),
            (Scene::Bodies(scene), Shown::Bodies(bodies)) => scene.layout(&bodies, aspect),
            (Scene::Points(scene), Shown::Points(shown)) => scene.layout(&shown, aspect),
            (Scene::Mesh(scene), Shown::Mesh(mesh)) => scene.layout(&mesh, aspect),
            (Scene::Volume(scene), Shown::Volume(shown)) => scene.layout(&shown, aspect),
            (Scene::Flat(_), Shown::Flat(shown)) => Ok(FlatScene::layout(&shown)),
            (Scene::Sky(_), Shown::Sky(shown)) => Ok(SkyScene::layout(&shown)),
            _ => other_kind(simulation),
        }
    }

    /// How many boxes are whole in a picture for a file, or how many points are in it; `None` of what has none.
    pub fn in_view(&self, simulation: &dyn Simulation) -> Result<Option<usize>> {
        match (self, simulation.shown()?) {
            (Scene::Bodies(scene), Shown::Bodies(bodies)) => Ok(Some(scene.in_view(&bodies)?)),
            (Scene::Points(scene), Shown::Points(shown)) => Ok(Some(scene.in_view(&shown)?)),
            _ => Ok(None),
        }
    }

    /// The camera, where there is one.
    pub fn camera(&mut self) -> Option<&mut Camera> {
        match self {
            Scene::Field(scene) => scene.camera(),
            Scene::Bodies(scene) => Some(&mut scene.camera),
            Scene::Points(scene) => Some(&mut scene.camera),
            Scene::Mesh(scene) => Some(&mut scene.camera),
            Scene::Volume(scene) => scene.camera(),
            Scene::Flat(_) => None,
            Scene::Sky(_) => None,
        }
    }

    /// Whether the left button turns the camera too: nothing of what is shown can be pressed.
    pub fn turns_by_left(&self) -> bool {
        matches!(self, Scene::Points(_) | Scene::Volume(_))
    }

    /// Radius of the brush in cells; 0 where there are none.
    pub fn brush(&self) -> f32 {
        match self {
            Scene::Field(scene) => scene.brush,
            Scene::Flat(scene) => scene.brush,
            Scene::Sky(scene) => scene.brush(),
            Scene::Bodies(_) | Scene::Points(_) | Scene::Mesh(_) | Scene::Volume(_) => 0.0,
        }
    }

    /// Widgets for from where it is seen.
    pub fn view_widgets(&mut self, ui: &mut Ui) {
        match self {
            Scene::Field(scene) => scene.view_widgets(ui),
            Scene::Bodies(scene) => {
                camera_widgets(ui, &mut scene.camera);
                ui.separator();
            }
            Scene::Points(scene) => {
                camera_widgets(ui, &mut scene.camera);
                ui.separator();
            }
            Scene::Mesh(scene) => scene.view_widgets(ui),
            Scene::Volume(scene) => scene.view_widgets(ui),
            Scene::Flat(_) => {}
            Scene::Sky(_) => {}
        }
    }

    /// Widgets for how it is painted and, if it is, painted on.
    pub fn widgets(&mut self, ui: &mut Ui, touchable: bool) -> Result<()> {
        match self {
            Scene::Field(scene) => scene.widgets(ui, touchable),
            Scene::Bodies(_) | Scene::Mesh(_) => Ok(()),
            Scene::Points(scene) => scene.widgets(ui),
            Scene::Volume(scene) => scene.widgets(ui),
            Scene::Flat(scene) => scene.widgets(ui),
            Scene::Sky(scene) => scene.widgets(ui),
        }
    }
}

/// A simulation shows what it showed at first.
fn other_kind<T>(simulation: &dyn Simulation) -> Result<T> {
    bail!("{} shows something else than it did at first", simulation.name())
}

/// The 256 colours of the map of that name.
fn named_colours(name: &str) -> Result<[[u8; 3]; 256]> {
    match palette::colours(name) {
        Some(colours) => Ok(colours),
        None => {
            let names: Vec<&str> = palette::names().collect();
            bail!("no colour map \"{name}\": there are {}", names.join(", "))
        }
    }
}

/// A list of colour maps; the colours of another one if it was chosen.
fn colour_widget(ui: &mut Ui, name: &mut String) -> Option<[[u8; 3]; 256]> {
    let before = name.clone();
    ComboBox::from_label("colours").selected_text(&before).show_ui(ui, |ui| {
        for known in palette::names() {
            ui.selectable_value(name, known.to_owned(), known);
        }
    });
    palette::colours(name).filter(|_| *name != before)
}

fn camera_widgets(ui: &mut Ui, camera: &mut Camera) {
    ui.add(Slider::new(&mut camera.azimuth, -180.0..=180.0).fixed_decimals(0).text("turn"))
        .on_hover_text("Or drag with the right button");
    ui.add(Slider::new(&mut camera.elevation, 5.0..=90.0).fixed_decimals(0).text("rise"));
    ui.add(Slider::new(&mut camera.distance, 0.2..=3.0).logarithmic(true).text("distance"))
        .on_hover_text("Or turn the wheel");
}

/// Pixels along the longer side of a flat box whose picture has no size of its own, about.
const LONGEST: u32 = 768;

/// The pixels of a box of so many cells: within `asked`, or as many whole ones a cell.
fn size_within([columns, rows]: [u32; 2], asked: Option<Size>) -> (u32, u32) {
    match asked {
        None => {
            let each = (LONGEST as f32 / columns.max(rows) as f32).round().max(1.0) as u32;
            (columns * each, rows * each)
        }
        Some(Size { width, height }) => {
            let place = keep_aspect(columns, rows, width, height);
            (place.width(), place.height())
        }
    }
}
