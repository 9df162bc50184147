//! What a simulation shows, and what the pointer does to it.

use quadrille::Buffer;
use quadrille::sim::fluid::Grid;
use quadrille::view::{
    Basin, Block, Camera, Look, Mapping, Overcast, Particles, Points, Ray, Shade, Stage, Tint, Volume,
};

/// What there is to see of a simulation.
pub enum Shown<'a> {
    /// Numbers on a grid.
    Field(Field<'a>),
    /// Boxes in space.
    Bodies(Bodies),
    /// Points that glow.
    Points(Glowing<'a>),
    /// Triangles in space.
    Mesh(MeshShown<'a>),
    /// Liquid or smoke in a box.
    Volume(Voluminous<'a>),
    /// A fluid in a flat box.
    Flat(Flat),
    /// Clouds in a sky.
    Sky(Heavens),
}

/// A grid of cells, and how it is to be looked at unless the user says otherwise.
pub struct Field<'a> {
    pub buffer: &'a Buffer,
    /// Whether the first number of a cell is a height, that of a surface to be lit.
    pub heights: bool,
    /// Name of the colour map.
    pub colours: &'static str,
    /// How numbers become colours.
    pub mapping: Mapping,
}

/// Boxes, and from where they are seen at first.
pub struct Bodies {
    pub blocks: Vec<Block>,
    pub stage: Stage,
    pub camera: Camera,
}

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

/// A box of voxels, from where it is seen at first, and how its slices become colours.
pub struct Voluminous<'a> {
    pub volume: Volume<'a>,
    pub camera: Camera,
    /// Name of the colour map.
    pub colours: &'static str,
    pub mapping: Mapping,
}

/// A fluid in a flat box: holds on its arrays, some of which were made to be shown.
pub struct Flat {
    pub grid: Grid,
    pub velocity: Buffer,
    pub solids: Buffer,
    pub coloured: Coloured,
    /// Those of its particles, if they are seen.
    pub positions: Option<Buffer>,
    /// What the colours of particles are.
    pub tint: Tint,
}

/// What the colours of a fluid are, with what the last of them stands for.
pub enum Coloured {
    Dye(Buffer),
    /// A number of either sign; the first colour is that of the largest negative one.
    Signed(Buffer, f32),
    /// A component of a field, with what the first and the last colour stand for.
    Between(Buffer, usize, [f32; 2]),
    Speed(f32),
    Divergence(f32),
    Dark,
}

/// Air with clouds in it: holds on its arrays.
pub struct Heavens {
    pub air: Buffer,
    /// Its numbers in colours.
    pub flat: Flat,
    /// Whether those are shown in place of a sky.
    pub in_colours: bool,
}

impl Heavens {
    pub fn overcast(&self) -> Overcast<'_> {
        Overcast { grid: self.flat.grid, air: &self.air }
    }
}

impl Flat {
    pub fn basin(&self) -> Basin<'_> {
        let shade = match &self.coloured {
            Coloured::Dye(dye) => Shade::Dye(dye),
            Coloured::Signed(field, most) => Shade::Scalar { field, component: 0, ends: [-most, *most] },
            &Coloured::Between(ref field, component, ends) => Shade::Scalar { field, component, ends },
            &Coloured::Speed(most) => Shade::Speed(most),
            &Coloured::Divergence(most) => Shade::Divergence(most),
            Coloured::Dark => Shade::Dark,
        };
        let tint = self.tint;
        let particles = self.positions.as_ref().map(|positions| Particles { positions, tint });
        Basin { grid: self.grid, velocity: &self.velocity, solids: &self.solids, shade, particles }
    }

    /// Name of the colour map of its numbers, or of its particles.
    pub fn colours(&self) -> &'static str {
        match self.coloured {
            Coloured::Signed(..) | Coloured::Divergence(_) => "red_blue",
            Coloured::Speed(_) | Coloured::Between(..) => "inferno",
            Coloured::Dye(_) | Coloured::Dark => "plasma",
        }
    }
}

impl Shown<'_> {
    /// What the last step has drawn, to wait for; `None` where a step ends on the CPU, or waits for its solver there.
    pub fn drawn(&self) -> Option<&Buffer> {
        match self {
            Shown::Field(field) => Some(field.buffer),
            Shown::Mesh(mesh) => Some(mesh.positions),
            Shown::Flat(flat) => Some(&flat.velocity),
            Shown::Sky(sky) => Some(&sky.air),
            Shown::Bodies(_) | Shown::Volume(_) => None,
            Shown::Points(glowing) => Some(glowing.points.positions),
        }
    }
}

/// What is drawn over a picture. Places are shares of it from its upper left corner.
pub enum Mark {
    /// The name of the part that begins there.
    Name { at: [f32; 2], text: &'static str },
    /// The edges of a part, from its upper left to its lower right corner.
    Edges([f32; 2], [f32; 2]),
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
    /// Whether the right button is held: only by those who have a use for it.
    pub right: bool,
}

/// Where the pointer presses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Touch {
    /// On cell (x, y) of a field, with a brush of that radius in cells.
    Cell { x: f32, y: f32, radius: f32, drag: Drag },
    /// On whatever body comes first along the ray.
    Along(Ray),
}
