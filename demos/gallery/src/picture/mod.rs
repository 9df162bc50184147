//! Pictures: a field as colours or as a lit surface, bodies as boxes on a ground or as points that glow, the faces of a mesh,
//! boxes of voxels as what light meets in them, fluids in flat boxes, clouds.
//!
//! A picture borrows: the demo keeps a view (colours, camera, brush) and lends it together with the content that
//! `prepare` makes once a frame. Asking where something lies draws nothing.
//!
//! The panel and the mouse use the picture alone. It takes either a brush over cells, or a ray from the eye that pushes
//! the body it meets; the ray is computed in f64 on the CPU by the lens that draws.
//!
//! Marks, names and edges that a demo draws over its picture are given in shares of the picture. egui paints them; the
//! field itself is not changed.

mod bodies;
mod brush;
mod colouring;
mod field;
mod flat;
mod mesh;
mod numbers;
mod points;
mod sky;
mod volume;

use anyhow::{Result, bail};
use quadrille::sim::Tip;
use quadrille::view::{Camera, Lens, Perspective, Ray, keep_aspect};
use quadrille::{Buffer, Rect};

pub use bodies::{Bodies, BodyPicture, BodyView};
pub use brush::Brush;
#[cfg(feature = "panel")]
pub(crate) use brush::brush_widget;
pub use colouring::Colouring;
#[cfg(feature = "panel")]
pub use colouring::Switches;
pub use field::{Field, FieldPicture, FieldView};
pub use flat::{FlatPicture, FlatView, colours_of};
pub use mesh::{MeshPicture, MeshShown, MeshView};
pub use numbers::{Numbers, Source, Unit};
pub use points::{Glowing, PointPicture, PointView};
pub use sky::{SkyPicture, SkyView};
pub use volume::{VolumeContent, VolumePicture, VolumeView};

use crate::demo::{Request, Usage};
use crate::image::Image;
use crate::palette;
use crate::param::{Choice, Kind, Param, Values};

/// The picture of a demo: its content, borrowed, and the view of it that the demo keeps.
pub trait Picture {
    /// Renders a picture for a file.
    ///
    /// # Errors
    /// The run does not draw.
    fn image(&mut self) -> Result<Image>;

    /// Draws into that part of the window.
    ///
    /// # Errors
    /// The run does not draw.
    fn draw(&mut self, place: Rect) -> Result<()>;

    /// How it lies in a picture of that aspect.
    ///
    /// # Errors
    /// Those of the camera.
    fn layout(&self, aspect: f64) -> Result<Layout>;

    /// The number of boxes that are whole in a picture for a file, or of points in it; `None` of what has none.
    ///
    /// # Errors
    /// Those of the camera.
    fn in_view(&self) -> Result<Option<usize>> {
        Ok(None)
    }

    /// The camera, where there is one.
    fn camera(&mut self) -> Option<&mut Camera> {
        None
    }

    /// Returns true if the left button turns the camera too: nothing of what is shown can be pressed.
    fn turns_by_left(&self) -> bool {
        false
    }

    /// The numbers that are seen, where they are one a cell.
    fn numbers(&self) -> Option<Numbers<'_>> {
        None
    }

    /// The texel of [`Numbers::source`], as it is seen, of a cell of the picture.
    fn texel(&self, cell: [u32; 2]) -> [u32; 2] {
        cell
    }

    /// Puts how it is seen now into the values of its parameters, in place of how it was at first.
    fn say(&self, _values: &mut Values) {}

    /// The brush, of cells or of voxels.
    fn brush(&mut self) -> Option<&mut Brush> {
        None
    }

    /// Shows widgets for from where it is seen.
    #[cfg(feature = "panel")]
    fn view_widgets(&mut self, _ui: &mut egui::Ui) {}

    /// Shows widgets for how it is painted.
    ///
    /// # Errors
    /// Those of new colours.
    #[cfg(feature = "panel")]
    fn widgets(&mut self, _ui: &mut egui::Ui) -> Result<()> {
        Ok(())
    }
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

/// A mark over a picture. Places are shares of it from its upper left corner.
pub enum Mark {
    /// The name of the part that begins there.
    Name { at: [f32; 2], text: &'static str },
    /// The name of a disc of that radius, a share of the height, beside it where it covers neither another label nor a disc; where there is no such
    /// place, none. The first labels find theirs first.
    Label { at: [f32; 2], radius: f32, text: &'static str },
    /// The edges of a part, from its upper left to its lower right corner.
    Edges([f32; 2], [f32; 2]),
    /// A line through those places, with a head at its end if it is an arrow.
    Path { points: Vec<[f32; 2]>, colour: [u8; 4], arrow: bool },
    /// A ring of that radius, a share of the height.
    Ring { at: [f32; 2], radius: f32, colour: [u8; 4] },
    /// Words beside that place.
    Says { at: [f32; 2], text: String },
    /// A line through places in cells, in perspective too.
    Line(Vec<[f32; 2]>),
    /// A text whose middle is at a place in cells.
    Text { at: [f32; 2], text: String },
}

/// The place in a picture of `buffer` where column x and row y begin.
pub fn place_in(buffer: &Buffer, x: u32, y: u32) -> [f32; 2] {
    [x as f32 / buffer.width() as f32, y as f32 / buffer.height() as f32]
}

/// How the pointer came to a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drag {
    /// How many cells it has moved since the last picture, to the right and down.
    pub by: [f32; 2],
    /// True if the right button is held: only for those who have a use for it.
    pub right: bool,
    /// True where the button went down: a stroke begins.
    pub begins: bool,
}

/// Where the pointer presses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Touch {
    /// On cell (x, y) of a field, with a brush of that tip, in cells.
    Cell { x: f32, y: f32, tip: Tip, drag: Drag },
    /// On whatever body comes first along the ray.
    Along(Ray),
}

/// A drag of the left button over what lies in space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    /// All that was seen where the button went down.
    pub from: Ray,
    /// The same where the pointer is now.
    pub to: Ray,
    pub phase: Phase,
}

/// The part of a drag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Begins,
    GoesOn,
    Ends,
}

/// A lit picture unless the user says otherwise.
const SIZE: [u32; 2] = [800, 600];

/// The name of a colour map.
pub const COLOURS: Param = Param {
    name: "colours",
    symbol: "NAME",
    kind: Kind::Name(colour_maps),
    help: "Colour map; `help` lists them",
    ..Param::NEW
};

/// Lines along the flow of a fluid.
pub const STREAMLINES: Param = Param {
    name: "streamlines",
    help: "Draw the flow as streamlines over the picture: noise that is smeared along it; in a window a switch does",
    ..Param::NEW
};

/// A lit surface or a flat map.
pub const VIEW: Param = Param {
    name: "view",
    kind: Kind::Choice(|| vec![Choice { name: "water", help: "" }, Choice { name: "flat", help: "" }]),
    default: "water",
    help: "Heights as a lit surface or as a flat map",
    ..Param::NEW
};

/// The size of a picture of all of a flat box.
pub const WITHIN: Param = Param {
    name: "picture",
    kind: Kind::Size,
    default: "about 768 along the longer side",
    help: "Pixels of a picture at most, as WIDTHxHEIGHT, within which all of the box is drawn",
    ..Param::NEW
};

const HEADING: &str = "Pictures in perspective";

/// From where a scene is seen, and how large its pictures are.
pub const CAMERA: &[Param] = &[
    Param {
        name: "picture",
        kind: Kind::Size,
        default: "800x600",
        help: "Pixels, as WIDTHxHEIGHT",
        heading: HEADING,
        ..Param::NEW
    },
    Param {
        name: "turn",
        symbol: "DEGREES",
        kind: Kind::real(-180.0, 180.0),
        default: "wave 25, wall 30, smooth 25, liquid 28, nbody by scene",
        help: "Where the viewer stands, in degrees to the right of the front: -180 to 180",
        heading: HEADING,
        ..Param::NEW
    },
    Param {
        name: "rise",
        symbol: "DEGREES",
        kind: Kind::real(5.0, 90.0),
        default: "wave 35, wall 14, smooth 28, liquid 22, nbody by scene",
        help: "How high, in degrees above the horizon: 5 to 90",
        heading: HEADING,
        ..Param::NEW
    },
    Param {
        name: "distance",
        symbol: "D",
        kind: Kind::real(0.2, 3.0),
        default: "1",
        help: "How far off, 0.2 to 3: 1 shows all of the scene",
        heading: HEADING,
        ..Param::NEW
    },
];

fn colour_maps() -> Vec<String> {
    palette::names().map(str::to_owned).collect()
}

/// The camera, moved where the values say otherwise.
fn seen_from(values: &Values, camera: Camera) -> Camera {
    Camera {
        azimuth: values.real("turn").unwrap_or(camera.azimuth),
        elevation: values.real("rise").unwrap_or(camera.elevation),
        distance: values.real("distance").unwrap_or(camera.distance),
        ..camera
    }
}

/// Says the colours, unless they are those that the picture wishes for.
fn say_colours(values: &mut Values, colours: &str, wished: &str) {
    match colours == wished {
        true => values.forget(COLOURS.name),
        false => values.set(COLOURS.name, colours.to_owned()),
    }
}

/// Says nothing of a camera, nor of the size of what it sees: there is none.
fn forget_camera(values: &mut Values) {
    CAMERA.iter().for_each(|param| values.forget(param.name));
}

/// One of the flags of [`CAMERA`] that was given.
fn camera_flag(values: &Values) -> Option<&'static str> {
    CAMERA.iter().map(|param| param.name).find(|name| values.has(name))
}

/// Refuses flags of pictures where there will be none, or others, and unknown colours.
///
/// # Errors
/// [`Usage`]: which flag; a name of colours that there are not.
pub fn check(request: &Request) -> Result<()> {
    let values = &request.values;
    if let Some(colours) = values.text(COLOURS.name) {
        named_colours(colours)?;
    }
    if request.draws {
        let why = match values.word("view") {
            Some("flat") => "a flat map has a pixel a cell; only for --view water",
            Some("slices") => "slices are flat, of whole pixels a voxel; only for --view volume",
            _ => return Ok(()),
        };
        let line = camera_flag(values).map(|flag| format!("--{flag}: {why}"));
        return line.map_or(Ok(()), |line| Err(Usage(line).into()));
    }
    if let Some(flag) = camera_flag(&request.values) {
        let line = format!("--{flag}: without a window it is of a picture, as --out a.png");
        return Err(Usage(line).into());
    }
    if request.values.has(COLOURS.name) {
        let line = "--colours: without a window they are of a picture, as --out a.png";
        return Err(Usage(line.to_owned()).into());
    }
    if request.values.has(STREAMLINES.name) {
        let line = "--streamlines: without a window they are of a picture, as --out a.png";
        return Err(Usage(line.to_owned()).into());
    }
    Ok(())
}

/// The 256 colours of the map of that name.
pub(crate) fn named_colours(name: &str) -> Result<[[u8; 3]; 256]> {
    match palette::colours(name) {
        Some(colours) => Ok(colours),
        None => {
            let names: Vec<&str> = palette::names().collect();
            bail!("no colour map \"{name}\": there are {}", names.join(", "))
        }
    }
}

/// Shows a list of colour maps; returns the colours of another one if it was chosen.
#[cfg(feature = "panel")]
pub(crate) fn colour_widget(ui: &mut egui::Ui, name: &mut String) -> Option<[[u8; 3]; 256]> {
    let before = name.clone();
    egui::ComboBox::from_label("colours").width(96.0).selected_text(&before).show_ui(ui, |ui| {
        for known in palette::names() {
            if ui.selectable_value(name, known.to_owned(), known).clicked() {
                // Enter chooses, too, and closes nothing by itself.
                ui.close();
            }
        }
    });
    palette::colours(name).filter(|_| *name != before)
}

/// Shows a row: `lead`, a switch that opens the camera and `more`, and one that turns it. The mouse moves it too, and a panel has little room.
#[cfg(feature = "panel")]
pub(crate) fn camera_widgets(
    ui: &mut egui::Ui,
    camera: &mut Camera,
    lead: impl FnOnce(&mut egui::Ui),
    more: impl FnOnce(&mut egui::Ui),
) {
    use egui::Slider;
    let mut turns = false;
    let mut is_open = false;
    ui.horizontal_wrapped(|ui| {
        lead(ui);
        is_open = kept_switch(ui, "camera", |ui, on| {
            ui.toggle_value(on, "camera").on_hover_text("From where it is seen, and how it looks")
        });
        turns = kept_switch(ui, "turns slowly", |ui, on| {
            ui.checkbox(on, "turning").on_hover_text("The camera goes round once a minute")
        });
    });
    if is_open {
        ui.add(Slider::new(&mut camera.azimuth, -180.0..=180.0).fixed_decimals(0).text("turn"))
            .on_hover_text("Or drag with the right button");
        ui.add(Slider::new(&mut camera.elevation, 5.0..=90.0).fixed_decimals(0).text("rise"));
        ui.add(Slider::new(&mut camera.distance, 0.2..=3.0).logarithmic(true).text("distance"))
            .on_hover_text("Or turn the wheel");
        more(ui);
    }
    if turns {
        let degrees = 6.0 * ui.input(|input| input.stable_dt.min(0.1));
        camera.azimuth = (camera.azimuth + degrees + 180.0).rem_euclid(360.0) - 180.0;
        ui.ctx().request_repaint();
    }
}

/// Shows a switch that is off at first and stays as it was left; returns true if it is on.
#[cfg(feature = "panel")]
pub(crate) fn kept_switch(
    ui: &mut egui::Ui,
    name: &str,
    show: impl FnOnce(&mut egui::Ui, &mut bool) -> egui::Response,
) -> bool {
    let id = egui::Id::unique(name);
    let mut on = ui.data(|kept| kept.get_temp(id).unwrap_or(false));
    if show(ui, &mut on).changed() {
        ui.data_mut(|kept| kept.insert_temp(id, on));
    }
    on
}

/// Pixels along the longer side of a flat box whose picture has no size of its own, about.
const LONGEST: u32 = 768;

/// The pixels of a box of so many cells: within `asked`, or as many whole ones a cell.
fn size_within([columns, rows]: [u32; 2], asked: Option<[u32; 2]>) -> [u32; 2] {
    match asked {
        None => {
            let each = (LONGEST as f32 / columns.max(rows) as f32).round().max(1.0) as u32;
            [columns * each, rows * each]
        }
        Some([width, height]) => {
            let place = keep_aspect(columns, rows, width, height);
            [place.width(), place.height()]
        }
    }
}
