//! Heights as a lit water surface in perspective (row A13).
//!
//! The passes use features of 2004. Fragments make the nodes of a mesh from the heights (`mesh_nodes.rs`). One strip of counted vertices draws the mesh against a depth
//! surface, four texels a pixel, and leaves there where on the water a texel looks. A last pass lights texels, from the nodes around
//! that place, as it develops them into a picture or a window: whatever is hidden, and whatever a triangle touches without covering it,
//! is never lit. A card whose vertex programs cannot fetch gets the flat map.

use super::camera::{Camera, FLOOR, Perspective};
use super::canvas::{Canvas, NEAREST, Surface, ToneMap};
use super::mesh_nodes::{Mesh, Nodes};
use crate::gl::{GlowFramebuffer, Rect};
use crate::pug::{Buffer, Gpu, Program};
use crate::{Error, Result, kernels};

/// Draws a buffer of heights (its first component) as the surface of a body of water.
///
/// Four kinds of work, each what a card of 2004 did best: a fragment pass turns the heights into nodes,
/// a vertex kernel fetches a node for each vertex of one strip (vertex texture fetch), a depth surface hides what
/// lies behind, and a last pass lights what is seen and develops it into a picture. That is three
/// passes, four fetches a node, one a vertex, four a pixel and three for each of its texels that is lit: two of four where all see one plane, their
/// light differs by less than a level and is no glint, else all. There is a node for every cell up to
/// [`HeightField::set_mesh`], then for every second, third, ... of them.
///
/// Light follows the nodes. The mesh has a vertex at each of them, or at every second, third, ... one while its quads stay within five pixels at the
/// nearest corner. So the surface is flat over q ≤ 5 pixels: for a wave as long as l pixels it lies off by (π q/l)²/2 of the wave's height at most,
/// where it has a vertex at each node by (π n/l)²/2, n pixels from node to node.
///
/// # References
/// Deering et al., *The Triangle Processor and Normal Vector Shader*, 1988 (light after hiding);
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

/// Pixels that a quad of the mesh is wide at most, where there are nodes enough to choose from.
const QUAD: f64 = 5.0;

impl HeightField {
    /// A height of 1 is drawn as this part of half the grid's longer side unless said.
    pub const RELIEF: f32 = 0.12;

    /// Compiles the kernels.
    ///
    /// # Errors
    /// [`Error::OverLimit`] under the limits of a card whose vertex programs cannot fetch.
    pub fn new(gpu: &Gpu) -> Result<HeightField> {
        let place = gpu
            .load_scatter(kernels::named("view/mesh_place.vert")?, kernels::named("view/water_seen.frag")?);
        let water = Water { nodes: Nodes::new(gpu)?, place: place?, mesh: 512, relief: HeightField::RELIEF };
        Ok(HeightField { canvas: Canvas::new(gpu, ToneMap::Water, 2)?, water })
    }

    /// Distances of nodes along the longer side, 1 to 2048; 512 unless said.
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
        let scene = self.scene(heights, camera, place.width(), place.height())?;
        let HeightField { canvas, water } = self;
        canvas.draw(framebuffer, place, |surface| water.paint(&scene, surface))
    }

    /// A picture of width × height pixels: red, green, blue, alpha, row after row from the top.
    ///
    /// # Errors
    /// As [`HeightField::draw`].
    pub fn picture(&mut self, heights: &Buffer, camera: &Camera, width: u32, height: u32) -> Result<Vec<u8>> {
        let scene = self.scene(heights, camera, width, height)?;
        let HeightField { canvas, water } = self;
        canvas.picture(width, height, |surface| water.paint(&scene, surface))
    }

    /// Nodes, mesh and light of a picture of that size.
    fn scene(&mut self, heights: &Buffer, camera: &Camera, width: u32, height: u32) -> Result<Scene> {
        let aspect = f64::from(width) / f64::from(height.max(1));
        let perspective = Perspective::new(camera, heights.width(), heights.height(), aspect)?;
        // Nodes nearer to each other than two pixels show nothing more.
        let most = self.water.mesh.min(width.max(height).div_ceil(2));
        let mesh = Mesh::over(heights.width(), heights.height(), most);
        let nodes = self.water.nodes.of(heights, mesh, 0.0)?;
        let skip = nodes_apart(&perspective, mesh, height);
        let across = [heights.width(), heights.height()].map(|cells| cells as f32 / mesh.stride as f32);
        self.canvas
            .develop((width, height))?
            .bind_stream("nodes", &nodes)?
            .bind_float("across", across)?
            .bind_float("half_sides", perspective.half().map(|v| v as f32))?
            .bind_float("eye", perspective.eye())?
            .bind_float("relief", self.water.relief)?
            .bind_float("floor_depth", FLOOR as f32)?
            .bind_float("steepness", self.water.relief / perspective.cell_size() as f32)?;
        Ok(Scene { perspective, nodes, mesh: mesh.every(skip), skip })
    }
}

/// Nodes from a vertex of the mesh to the next, in a picture so high.
fn nodes_apart(perspective: &Perspective, mesh: Mesh, height: u32) -> u32 {
    let pixels = f64::from(mesh.stride) * perspective.largest_cell() * f64::from(height);
    (QUAD / pixels).clamp(1.0, f64::from(mesh.columns.max(mesh.rows))) as u32
}

/// The nodes of a picture, and the mesh over every so many of them.
struct Scene {
    perspective: Perspective,
    nodes: Buffer,
    mesh: Mesh,
    skip: u32,
}

impl Water {
    /// Draws where on the water each texel of a canvas looks.
    fn paint(&mut self, scene: &Scene, surface: &Surface) -> Result<()> {
        let Scene { perspective, nodes, mesh, skip } = scene;
        let [x, y, z, w] = perspective.matrix(3.0);
        let (half, cell) = (perspective.half().map(|v| v as f32), perspective.cell_size() as f32);
        self.place
            .bind_stream("nodes", nodes)?
            .bind_float("mesh", [mesh.columns as f32, mesh.rows as f32, mesh.stride as f32, cell])?
            .bind_float("skip", *skip as f32)?
            .bind_float("half_sides", half)?
            .bind_float("eye", perspective.eye())?
            .bind_float("floor_depth", FLOOR as f32)?
            .bind_float("relief", self.relief)?
            .bind_float("matrix_x", x)?
            .bind_float("matrix_y", y)?
            .bind_float("matrix_z", z)?
            .bind_float("matrix_w", w)?;
        let targets = [&surface.light];
        let run = self.place.onto(&targets).masked(&surface.depth, NEAREST, 0.0);
        run.counted_strip(mesh.vertices()).run()?;
        self.place.release_streams();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mesh_has_a_quarter_of_the_nodes_where_they_lie_two_pixels_apart() -> Result<()> {
        let apart = |columns: u32, rows: u32, [width, height]: [u32; 2], distance| -> Result<(u32, u32)> {
            let camera = Camera { distance, ..Camera::default() };
            let aspect = f64::from(width) / f64::from(height);
            let perspective = Perspective::new(&camera, columns, rows, aspect)?;
            let mesh = Mesh::over(columns, rows, 512.min(width.max(height).div_ceil(2)));
            let skip = nodes_apart(&perspective, mesh, height);
            Ok((skip, mesh.every(skip).vertices()))
        };
        for side in [256, 512, 1024] {
            assert_eq!(apart(side, side, [640, 480], 1.0)?, (2, 130 * 264));
        }
        assert_eq!(apart(40, 40, [200, 150], 1.0)?.0, 1);
        assert_eq!(apart(256, 256, [640, 480], 0.3)?.0, 1);
        // All of the water in less than five pixels is one quad.
        assert_eq!(apart(16, 16, [64, 48], 100.0)?.0, 16);
        Ok(())
    }
}
