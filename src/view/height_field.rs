//! Heights as a lit water surface in perspective (row A13).
//!
//! The passes use features of 2004. Fragments make the nodes of a mesh from the heights (`mesh_nodes.rs`). One strip of counted vertices draws the mesh. Light is
//! computed in half floats against a depth surface, four texels a pixel, and a last pass develops them into a picture
//! or a window. A card whose vertex programs cannot fetch gets the flat map.

use super::camera::{Camera, FLOOR, Perspective};
use super::canvas::{Canvas, NEAREST, Surface, ToneMap};
use super::mesh_nodes::{Mesh, Nodes};
use crate::gl::{GlowFramebuffer, Rect};
use crate::pug::{Buffer, Gpu, Program};
use crate::{Error, Result, kernels};

/// Draws a buffer of heights (its first component) as the surface of a body of water.
///
/// Four kinds of work, each what a card of 2004 did best: a fragment pass turns the heights into the mesh's nodes,
/// a vertex kernel fetches a node for each vertex of one strip (vertex texture fetch), fragments are lit against
/// a depth surface on a canvas of half floats, and a last pass develops the canvas into a picture. That is three
/// passes, four fetches a node and one a vertex. The mesh has a node for every cell up to
/// [`HeightField::set_mesh`], then for every second, third, ... of them.
///
/// # References
/// Krüger & Westermann, *A GPU Framework for Solving Systems of Linear Equations*, §44.4 (the water surface).
pub struct HeightField {
    canvas: Canvas,
    water: Water,
}

/// The painter of the surface on a canvas.
struct Water {
    nodes: Nodes,
    place: Program,
    mesh: u32,
    relief: f32,
}

impl HeightField {
    /// A height of 1 is drawn as this part of half the grid's longer side unless said.
    pub const RELIEF: f32 = 0.12;

    /// Compiles the kernels.
    ///
    /// # Errors
    /// [`Error::OverLimit`] under the limits of a card whose vertex programs cannot fetch.
    pub fn new(gpu: &Gpu) -> Result<HeightField> {
        let place = gpu
            .load_scatter(kernels::named("view/mesh_place.vert")?, kernels::named("view/water_shade.frag")?);
        let water = Water { nodes: Nodes::new(gpu)?, place: place?, mesh: 512, relief: HeightField::RELIEF };
        Ok(HeightField { canvas: Canvas::new(gpu, ToneMap::Clipped)?, water })
    }

    /// Quads of the mesh along its longer side, 1 to 2048; 512 unless said.
    pub fn set_mesh(&mut self, most: u32) {
        self.water.mesh = most.clamp(1, 2048);
    }

    /// Texels of the canvas along each side of a pixel, 1 to 4; 2 unless said. More makes smoother edges.
    pub fn set_samples(&mut self, samples: u32) {
        self.canvas.set_samples(samples);
    }

    /// A height of 1 is drawn as this part of half the grid's longer side; [`HeightField::RELIEF`] unless said.
    ///
    /// # Errors
    /// [`Error::BadParameter`] if it is not finite.
    pub fn set_relief(&mut self, relief: f32) -> Result<()> {
        if !relief.is_finite() {
            let (found, expected) = (relief.to_string(), "a finite number".to_owned());
            return Err(Error::BadParameter { name: "relief", found, expected });
        }
        self.water.relief = relief;
        Ok(())
    }

    /// Draws into the part `place` of a framebuffer, `None` for the window. Heights that are not finite are
    /// drawn flat, in magenta.
    ///
    /// # Errors
    /// Those of [`Camera::check`]; [`Error::OutOfMemory`].
    pub fn draw(
        &mut self,
        heights: &Buffer,
        camera: &Camera,
        framebuffer: Option<GlowFramebuffer>,
        place: Rect,
    ) -> Result<()> {
        let (width, height) = (place.width(), place.height());
        let HeightField { canvas, water } = self;
        canvas.draw(framebuffer, place, |surface| water.paint(heights, camera, width, height, surface))
    }

    /// A picture of width × height pixels: red, green, blue, alpha, row after row from the top.
    ///
    /// # Errors
    /// As [`HeightField::draw`].
    pub fn picture(&mut self, heights: &Buffer, camera: &Camera, width: u32, height: u32) -> Result<Vec<u8>> {
        let HeightField { canvas, water } = self;
        canvas.picture(width, height, |surface| water.paint(heights, camera, width, height, surface))
    }
}

impl Water {
    /// Draws the surface on a canvas for a picture of that size.
    fn paint(
        &mut self,
        heights: &Buffer,
        camera: &Camera,
        width: u32,
        height: u32,
        surface: &Surface,
    ) -> Result<()> {
        let aspect = f64::from(width) / f64::from(height.max(1));
        let perspective = Perspective::new(camera, heights.width(), heights.height(), aspect)?;
        // Quads smaller than two pixels show nothing more.
        let most = self.mesh.min(width.max(height).div_ceil(2));
        let mesh = Mesh::over(heights.width(), heights.height(), most);
        let nodes = self.nodes.of(heights, mesh, 0.0)?;
        let [x, y, z, w] = perspective.matrix();
        let (half, cell) = (perspective.half().map(|v| v as f32), perspective.cell_size() as f32);
        self.place
            .bind_stream("nodes", &nodes)?
            .bind_float("mesh", [mesh.columns as f32, mesh.rows as f32, mesh.stride as f32, cell])?
            .bind_float("half_sides", half)?
            .bind_float("floor_depth", FLOOR as f32)?
            .bind_float("relief", self.relief)?
            .bind_float("matrix_x", x)?
            .bind_float("matrix_y", y)?
            .bind_float("matrix_z", z)?
            .bind_float("matrix_w", w)?
            .bind_float("eye", perspective.eye())?
            .bind_float("steepness", self.relief / cell)?;
        let targets = [&surface.light];
        let run = self.place.onto(&targets).masked(&surface.depth, NEAREST, 0.0);
        run.counted_strip(mesh.vertices()).run()?;
        self.place.release_streams();
        Ok(())
    }
}
