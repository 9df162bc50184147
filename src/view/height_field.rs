//! Heights as a lit water surface in perspective (row A13).

use super::camera::{Camera, FLOOR, Perspective};
use crate::gl::{Compare, DepthStencil, DepthTest, Format, GlowFramebuffer, Mask, Rect, Shape, Texture};
use crate::pug::{Buffer, Domain, Gpu, Precision, Program};
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
    sample: Program,
    place: Program,
    develop: Program,
    nodes: Option<Buffer>,
    canvas: Option<Canvas>,
    mesh: u32,
    samples: u32,
    relief: f32,
    gpu: Gpu,
}

/// What the surface is drawn on before it is a picture.
struct Canvas {
    light: Buffer,
    depth: DepthStencil,
}

/// The mesh over a grid: how many cells a node stands for, and quads each way.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Mesh {
    stride: u32,
    columns: u32,
    rows: u32,
}

impl Mesh {
    fn over(width: u32, height: u32, most: u32) -> Mesh {
        let stride = width.max(height).div_ceil(most.max(1)).max(1);
        Mesh { stride, columns: width.div_ceil(stride), rows: height.div_ceil(stride) }
    }

    /// Vertices of the strip: a ring of walls around it, and two that join each row to the next.
    fn vertices(&self) -> u32 {
        (self.rows + 2) * (2 * (self.columns + 3) + 2)
    }

    /// Half the distance of the cells that a slope is taken over: n + ½, so that they are hit in their centre.
    fn spread(&self) -> f32 {
        (self.stride.div_ceil(2) as f32) - 0.5
    }
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
        Ok(HeightField {
            sample: gpu.builtin("view/heights_sample.frag")?,
            place: place?,
            develop: gpu.builtin("view/picture_develop.frag")?,
            nodes: None,
            canvas: None,
            mesh: 512,
            samples: 2,
            relief: HeightField::RELIEF,
            gpu: gpu.clone(),
        })
    }

    /// Quads of the mesh along its longer side, 1 to 2048; 512 unless said.
    pub fn set_mesh(&mut self, most: u32) {
        self.mesh = most.clamp(1, 2048);
    }

    /// Texels of the canvas along each side of a pixel, 1 to 4; 2 unless said. More makes smoother edges.
    pub fn set_samples(&mut self, samples: u32) {
        self.samples = samples.clamp(1, 4);
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
        self.relief = relief;
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
        let canvas = self.paint(heights, camera, place.width(), place.height())?;
        // The canvas stands as OpenGL's framebuffers do: its last row is the upper one.
        let whole = canvas.light.rect();
        let result = self.develop_onto(&canvas, whole.into(), framebuffer, place);
        self.canvas = Some(canvas);
        result
    }

    /// A picture of width × height pixels: red, green, blue, alpha, row after row from the top.
    ///
    /// # Errors
    /// As [`HeightField::draw`].
    pub fn picture(&mut self, heights: &Buffer, camera: &Camera, width: u32, height: u32) -> Result<Vec<u8>> {
        let picture = self.gpu.context().texture(Shape { width, height, format: Format::Rgba8 })?;
        self.draw_upside_down(heights, camera, &picture)?;
        picture.read_bytes()
    }

    /// A file's first row is its upper one.
    fn draw_upside_down(&mut self, heights: &Buffer, camera: &Camera, picture: &Texture) -> Result<()> {
        let Shape { width, height, .. } = picture.shape();
        let canvas = self.paint(heights, camera, width, height)?;
        let (right, top) = (canvas.light.width() as f32, canvas.light.height() as f32);
        let turned = Domain::new(0.0, top, right, 0.0);
        let result =
            self.develop_onto(&canvas, turned, Some(picture.framebuffer()), Rect::whole(width, height));
        self.canvas = Some(canvas);
        result
    }

    fn develop_onto(
        &mut self,
        canvas: &Canvas,
        coords: Domain,
        framebuffer: Option<GlowFramebuffer>,
        place: Rect,
    ) -> Result<()> {
        let samples = canvas.light.width() / place.width().max(1);
        self.develop
            .bind_stream("canvas", &canvas.light)?
            .bind_float("samples", samples as f32)?
            .bind_domain("coords", coords)?;
        self.develop.onto_framebuffer(framebuffer, place).run()?;
        self.develop.release_streams();
        Ok(())
    }

    /// Draws the surface on a canvas for a picture of that size.
    fn paint(&mut self, heights: &Buffer, camera: &Camera, width: u32, height: u32) -> Result<Canvas> {
        let aspect = f64::from(width) / f64::from(height.max(1));
        let perspective = Perspective::new(camera, heights.width(), heights.height(), aspect)?;
        // Quads smaller than two pixels show nothing more.
        let most = self.mesh.min(width.max(height).div_ceil(2));
        let mesh = Mesh::over(heights.width(), heights.height(), most);
        let nodes = self.sample(heights, mesh)?;
        let canvas = self.clean_canvas(width, height)?;
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
        let nearest = Mask { depth: Some(DepthTest { compare: Compare::Less, write: true }), stencil: None };
        let targets = [&canvas.light];
        self.place.onto(&targets).masked(&canvas.depth, nearest, 0.0).counted_strip(mesh.vertices()).run()?;
        self.place.release_streams();
        self.nodes = Some(nodes);
        Ok(canvas)
    }

    /// The nodes of the mesh: height, slopes, and whether they are no numbers.
    fn sample(&mut self, heights: &Buffer, mesh: Mesh) -> Result<Buffer> {
        let (columns, rows) = (mesh.columns + 1, mesh.rows + 1);
        let fits = |nodes: &Buffer| (nodes.width(), nodes.height()) == (columns, rows);
        let nodes = match self.nodes.take().filter(fits) {
            Some(nodes) => nodes,
            None => self.gpu.buffer(columns, rows).components(4).named("nodes").build()?,
        };
        self.sample
            .bind_stream("heights", heights)?
            .bind_float("spread", mesh.spread())?
            .bind_float("stride", mesh.stride as f32)?;
        self.sample.run(&nodes)?;
        self.sample.release_streams();
        Ok(nodes)
    }

    /// An empty canvas for a picture of that size, the last one if it fits.
    fn clean_canvas(&mut self, width: u32, height: u32) -> Result<Canvas> {
        let most = self.gpu.limits().texture_size / width.max(height).max(1);
        let samples = self.samples.min(most).max(1);
        let (width, height) = (width.saturating_mul(samples), height.saturating_mul(samples));
        let fits = |canvas: &Canvas| (canvas.light.width(), canvas.light.height()) == (width, height);
        if let Some(canvas) = self.canvas.take().filter(fits) {
            canvas.light.texture().clear([0.0; 4]);
            canvas.depth.clear(1.0, 0)?;
            return Ok(canvas);
        }
        let light = self.gpu.buffer(width, height).components(4).precision(Precision::Float16);
        Ok(Canvas { light: light.named("canvas").build()?, depth: self.gpu.depth_stencil(width, height)? })
    }
}

#[cfg(test)]
mod tests {
    use super::Mesh;

    #[test]
    fn a_mesh_covers_its_grid_within_its_size() {
        for (width, height) in [(1, 1), (1, 2), (31, 57), (512, 512), (513, 512), (4096, 3), (16384, 16384)] {
            for most in [1, 2, 100, 512] {
                let Mesh { stride, columns, rows } = Mesh::over(width, height, most);
                assert!((1..=most).contains(&columns) && (1..=most).contains(&rows));
                assert!(columns * stride >= width && (columns - 1) * stride < width);
                assert!(rows * stride >= height && (rows - 1) * stride < height);
            }
        }
        assert_eq!(
            [1, 2, 3, 4].map(|stride| Mesh { stride, columns: 1, rows: 1 }.spread()),
            [0.5, 0.5, 1.5, 1.5]
        );
    }
}
