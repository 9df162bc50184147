//! Boxes on a ground, lit, in perspective, with shadows (row B10).

use super::block::Block;
use super::camera::Camera;
use super::canvas::{Canvas, NEAREST, Surface};
use super::lens::Lens;
use super::space::{Vector, add, corners, cross, dot, unit};
use crate::gl::{DepthStencil, GlowFramebuffer, Rect};
use crate::pug::{Buffer, Gpu, Program};
use crate::{Result, kernels};

/// Towards the light: over the viewer's left shoulder when the azimuth is 0.
const KEY: Vector = [-0.62, 0.66, 0.43];

/// Texels along each side of the shadow map.
const SHADOWS: u32 = 1024;

/// Vertices of a box: six faces of two triangles.
const VERTICES: u32 = 36;

/// Vertices of the ground.
const GROUND: u32 = 6;

/// The part of space that is looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// Its corner of the smallest coordinates.
    pub low: [f64; 3],
    /// Its corner of the largest.
    pub high: [f64; 3],
    /// Height of the ground, if there is one, and the distance of the lines of the grid on it.
    pub ground: Option<(f64, f64)>,
}

impl Stage {
    /// Where things are in a picture of that aspect: the whole stage is in it when the camera's distance is 1.
    ///
    /// # Errors
    /// Those of [`Camera::check`].
    pub fn lens(&self, camera: &Camera, aspect: f64) -> Result<Lens> {
        Lens::new(camera, self.middle(), [self.low, self.high], aspect)
    }

    fn middle(&self) -> Vector {
        std::array::from_fn(|k| (self.low[k] + self.high[k]) / 2.0)
    }

    /// Of the ball around it.
    fn radius(&self) -> f64 {
        let half = add(self.high, self.middle(), -1.0);
        dot(half, half).sqrt().max(f64::MIN_POSITIVE)
    }
}

/// Draws boxes as a pass of the cards of 2004 could: the vertex kernel goes by its vertex's number, and fetches where
/// its box is out of a texture of four texels a box (vertex texture fetch), the only thing that is uploaded.
///
/// Three passes: the boxes as the light sees them, their distances from it in a float texture (a shadow map); boxes
/// and ground, lit, on a canvas of half floats with a depth surface; and one that develops the canvas into a
/// picture. Nine fetches of the map a fragment soften the edges of the shadows.
///
/// # References
/// Moravánszky, *Dense Matrix Algebra on the GPU* (the wall of cubes); Williams, *Casting Curved Shadows on Curved
/// Surfaces*, 1978; Reeves, Salesin & Cook, *Rendering Antialiased Shadows with Depth Maps*, 1987.
pub struct Boxes {
    canvas: Canvas,
    scene: Scene,
}

/// What draws them on a canvas.
struct Scene {
    shade: Program,
    cast: Program,
    placements: Option<Buffer>,
    shadows: Buffer,
    depth: DepthStencil,
    gpu: Gpu,
}

impl Boxes {
    /// Compiles the kernels.
    ///
    /// # Errors
    /// [`OverLimit`](crate::Error::OverLimit) under the limits of a card whose vertex programs cannot fetch.
    pub fn new(gpu: &Gpu) -> Result<Boxes> {
        let program =
            |fragment| gpu.load_scatter(kernels::named("view/box_place.vert")?, kernels::named(fragment)?);
        let side = SHADOWS.min(gpu.limits().texture_size);
        let scene = Scene {
            shade: program("view/box_shade.frag")?,
            cast: program("view/box_depth.frag")?,
            placements: None,
            shadows: gpu.buffer(side, side).components(1).named("shadows").build()?,
            depth: gpu.depth_stencil(side, side)?,
            gpu: gpu.clone(),
        };
        Ok(Boxes { canvas: Canvas::new(gpu)?, scene })
    }

    /// Texels of the canvas along each side of a pixel, 1 to 4; 2 unless said. More makes smoother edges.
    pub fn set_samples(&mut self, samples: u32) {
        self.canvas.set_samples(samples);
    }

    /// Draws into the part `place` of a framebuffer, `None` for the window. A box that is nowhere (a coordinate is
    /// no number) is not drawn.
    ///
    /// # Errors
    /// Those of [`Camera::check`]; [`OverLimit`](crate::Error::OverLimit) for more boxes than a texture has rows;
    /// [`OutOfMemory`](crate::Error::OutOfMemory).
    pub fn draw(
        &mut self,
        blocks: &[Block],
        stage: &Stage,
        camera: &Camera,
        framebuffer: Option<GlowFramebuffer>,
        place: Rect,
    ) -> Result<()> {
        let lens = stage.lens(camera, aspect(place.width(), place.height()))?;
        let Boxes { canvas, scene } = self;
        canvas.draw(framebuffer, place, |surface| scene.paint(blocks, stage, &lens, surface))
    }

    /// A picture of width × height pixels: red, green, blue, alpha, row after row from the top.
    ///
    /// # Errors
    /// As [`Boxes::draw`].
    pub fn picture(
        &mut self,
        blocks: &[Block],
        stage: &Stage,
        camera: &Camera,
        width: u32,
        height: u32,
    ) -> Result<Vec<u8>> {
        let lens = stage.lens(camera, aspect(width, height))?;
        let Boxes { canvas, scene } = self;
        canvas.picture(width, height, |surface| scene.paint(blocks, stage, &lens, surface))
    }
}

fn aspect(width: u32, height: u32) -> f64 {
    f64::from(width) / f64::from(height.max(1))
}

impl Scene {
    fn paint(&mut self, blocks: &[Block], stage: &Stage, lens: &Lens, surface: &Surface) -> Result<()> {
        let placements = self.placed(blocks)?;
        let (count, light) = (blocks.len() as u32, Light::over(blocks, stage));
        let (middle, radius) = (stage.middle(), stage.radius());
        let reach = 5.0 * radius;
        let (height, lines) = stage.ground.unwrap_or((0.0, 1.0));
        let ground = [middle[0], height, middle[2], reach].map(|v| v as f32);
        bind_placing(&mut self.cast, &placements, count, light.matrix(), ground)?;
        bind_placing(&mut self.shade, &placements, count, lens.matrix(reach, 0.01 * radius), ground)?;
        self.cast(count, &light)?;
        let [across, along, deep, _] = light.matrix();
        self.shade
            .bind_stream("shadows", &self.shadows)?
            .bind_float("light_x", across)?
            .bind_float("light_y", along)?
            .bind_float("light_z", deep)?
            .bind_float("key", unit(KEY).map(|v| v as f32))?
            .bind_float("offset", 2.2 * light.texel(self.shadows.width()))?
            .bind_float("eye", lens.eye())?
            .bind_float("lines", lines as f32)?;
        let vertices = count * VERTICES + if stage.ground.is_some() { GROUND } else { 0 };
        if vertices > 0 {
            let targets = [&surface.light];
            let run = self.shade.onto(&targets).masked(&surface.depth, NEAREST, 0.0);
            run.counted_triangles(vertices).run()?;
        }
        self.shade.release_streams();
        self.placements = Some(placements);
        Ok(())
    }

    /// Writes the nearest distances from the light into the shadow map.
    fn cast(&mut self, count: u32, light: &Light) -> Result<()> {
        self.shadows.texture().clear([f32::MAX; 4]);
        self.depth.clear(1.0, 0)?;
        self.cast.bind_float("light_z", light.matrix()[2])?;
        if count > 0 {
            let targets = [&self.shadows];
            let run = self.cast.onto(&targets).masked(&self.depth, NEAREST, 0.0);
            run.counted_triangles(count * VERTICES).run()?;
        }
        self.cast.release_streams();
        Ok(())
    }

    /// Uploads where the boxes are: four texels each, a row a box.
    fn placed(&mut self, blocks: &[Block]) -> Result<Buffer> {
        let rows = blocks.len().max(1) as u32;
        let placements = match self.placements.take().filter(|buffer| buffer.height() == rows) {
            Some(buffer) => buffer,
            None => self.gpu.buffer(4, rows).components(4).named("placements").build()?,
        };
        let mut values = vec![0.0; rows as usize * 16];
        for (row, block) in values.as_chunks_mut::<16>().0.iter_mut().zip(blocks) {
            let ([x, y, z], [a, b, c, d]) = (block.position, block.orientation);
            let ([u, v, w], [red, green, blue]) = (block.half_sides, block.colour.map(f64::from));
            let glow = f64::from(block.glow);
            *row = [x, y, z, glow, a, b, c, d, u, v, w, 0.0, red, green, blue, 0.0].map(|v| v as f32);
        }
        placements.write(&values)?;
        Ok(placements)
    }
}

/// What both programs of boxes need to place their vertices.
fn bind_placing(
    program: &mut Program,
    placements: &Buffer,
    count: u32,
    matrix: [[f32; 4]; 4],
    ground: [f32; 4],
) -> Result<()> {
    let [x, y, z, w] = matrix;
    program
        .bind_stream("placements", placements)?
        .bind_float("boxes", count as f32)?
        .bind_float("ground", ground)?
        .bind_float("matrix_x", x)?
        .bind_float("matrix_y", y)?
        .bind_float("matrix_z", z)?
        .bind_float("matrix_w", w)?;
    Ok(())
}

/// The light's view of the boxes: parallel, along −[`KEY`].
struct Light {
    middle: Vector,
    /// Half a side of the cube of space that it lights.
    half: f64,
}

impl Light {
    /// The smallest of a few cubes that holds all boxes; of few, so that shadows do not swim while boxes move. What
    /// has flown far away casts none.
    fn over(blocks: &[Block], stage: &Stage) -> Light {
        let (middle, least) = (stage.middle(), stage.radius());
        let far = |p: Vector| Light::axes().map(|axis| dot(axis, add(p, middle, -1.0)).abs());
        let own = corners(stage.low, stage.high);
        let all = blocks.iter().flat_map(Block::corners).chain(own).flat_map(far);
        let needed = all.filter(|v| v.is_finite()).fold(0.0, f64::max);
        let mut half = least / 2.0;
        while half < needed && half < 4.0 * least {
            half *= 1.25;
        }
        Light { middle, half }
    }

    /// Across, along, and away from the light.
    fn axes() -> [Vector; 3] {
        let key = unit(KEY);
        let across = unit(cross([0.0, 1.0, 0.0], key));
        [across, cross(key, across), key.map(|v| -v)]
    }

    /// The rows of the matrix that takes (x, y, z, 1) to the map, −1 to 1 each way.
    fn matrix(&self) -> [[f32; 4]; 4] {
        let row = |axis: Vector| {
            let [x, y, z] = axis.map(|v| v / self.half);
            [x, y, z, -dot(axis, self.middle) / self.half].map(|v| v as f32)
        };
        let [across, along, deep] = Light::axes().map(row);
        [across, along, deep, [0.0, 0.0, 0.0, 1.0]]
    }

    /// World units a texel of a map of that side.
    fn texel(&self, side: u32) -> f32 {
        (2.0 * self.half / f64::from(side)) as f32
    }
}
