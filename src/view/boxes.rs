//! Boxes on a ground, lit, in perspective, with shadows (row B10).
//!
//! A picture takes seven passes: the distances from the light (a shadow map in a float texture), those along sixteen ways from
//! the sky in tiles of another one, the part of the sky that is open to texels on the faces and on the ground, the boxes, lit
//! against a depth surface, the ground behind them, and the pass that develops the canvas (`canvas.rs`). Canvas and lens
//! (`lens.rs`) are shared with the water surface. All boxes are one draw of counted triangles: the vertex kernel takes
//! the number of its vertex and fetches its box from four texels, the only upload of a picture. Boxes and ground are
//! two variants of one kernel, because llvmpipe runs both sides of a branch and took 2.5 times as long for one kernel
//! of both.

use super::block::Block;
use super::camera::Camera;
use super::canvas::{Canvas, NEAREST, Surface, ToneMap};
use super::lens::{Lens, Ray};
use super::light::{Light, axes, bind_matrix};
use super::space::{Vector, add, corners, dot, unit};
use crate::gl::{DepthStencil, GlowFramebuffer, Rect};
use crate::pug::{Buffer, Domain, Gpu, Program};
use crate::{Result, kernels};

/// Towards the light: over the viewer's left shoulder when the azimuth is 0.
const KEY: Vector = [-0.62, 0.66, 0.43];

/// Texels along each side of the shadow map.
const SHADOWS: u32 = 1024;

/// Ways from the sky, as many as the kernels have, in tiles of a square texture.
const WAYS: usize = 16;

/// Texels of the open sky along a side of a face, where they fit, and of the ground.
const FACE: u32 = 6;
const FLOOR: u32 = 96;

/// Half a side of the ground whose sky boxes hide, in radii of the stage.
const REACH: f64 = 1.5;

/// How far the ground reaches from the middle of the stage, in radii of the stage.
const GROUND: f64 = 5.0;

/// Vertices of a box: six faces of two triangles.
const VERTICES: u32 = 36;

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

    /// Where a ray enters the stage, not behind its beginning, and where it leaves it, in times of its direction; `None` of
    /// one that passes by.
    pub fn crossing(&self, ray: &Ray) -> Option<[f64; 2]> {
        let mut ways = [0.0f64, f64::INFINITY];
        for k in 0..3 {
            let to = |side: f64| (side - ray.from[k]) / ray.along[k];
            let (a, b) = (to(self.low[k]), to(self.high[k]));
            // Along a side: 0 / 0 between them is no number, which min and max leave out.
            ways = [ways[0].max(a.min(b)), ways[1].min(a.max(b))];
        }
        (ways[0] < ways[1]).then_some(ways)
    }

    fn middle(&self) -> Vector {
        std::array::from_fn(|k| (self.low[k] + self.high[k]) / 2.0)
    }

    /// The radius of the ball around the box.
    pub(super) fn radius(&self) -> f64 {
        let half = add(self.high, self.middle(), -1.0);
        dot(half, half).sqrt().max(f64::MIN_POSITIVE)
    }
}

/// Draws boxes as a pass of the cards of 2004 could: the vertex kernel goes by its vertex's number, and fetches where
/// its box is out of a texture of four texels a box (vertex texture fetch), the only thing that is uploaded.
///
/// Seven passes: the boxes as the light sees them, their distances from it in a float texture (a shadow map); the same for sixteen ways
/// from the sky, all in one pass, and what part of the sky is open to 36 texels of each face and to 96 x 96 of the ground, 64 fetches a texel
/// at most; the boxes, lit, on a canvas of half floats with a depth surface; the ground behind them; and one that develops the canvas into
/// a picture. A fragment fetches nine texels of the shadow map, which softens its edges, and four of the open sky.
///
/// # References
/// Moravánszky, *Dense Matrix Algebra on the GPU* (the wall of cubes); Williams, *Casting Curved Shadows on Curved
/// Surfaces*, 1978; Reeves, Salesin & Cook, *Rendering Antialiased Shadows with Depth Maps*, 1987.
pub struct Boxes {
    canvas: Canvas,
    scene: Scene,
}

/// The painter of boxes and ground on a canvas.
struct Scene {
    boxes: Program,
    ground: Program,
    cast: Program,
    cast_ways: Program,
    open_faces: Program,
    open_ground: Program,
    placements: Option<Buffer>,
    shadows: Buffer,
    skies: Buffer,
    /// The open part of the sky on faces, a box a row of them, and on the ground.
    faces: Option<Buffer>,
    floor: Buffer,
    depth: DepthStencil,
    gpu: Gpu,
}

impl Boxes {
    /// Compiles the kernels.
    ///
    /// # Errors
    /// [`OverLimit`](crate::Error::OverLimit) under the limits of a card whose vertex programs cannot fetch.
    pub fn new(gpu: &Gpu) -> Result<Boxes> {
        let shade = |ground| Ok(kernels::named("view/box_shade.frag")?.define("GROUND", ground));
        let cast = |skies| {
            let [vertex, fragment] = ["view/box_place.vert", "view/box_depth.frag"].map(kernels::named);
            gpu.load_scatter(
                vertex?.define("SKIES", skies).define("LIT", 0),
                fragment?.define("SKIES", skies),
            )
        };
        let open = |ground| gpu.load(kernels::named("view/box_open.frag")?.define("GROUND", ground));
        let side = SHADOWS.min(gpu.limits().texture_size);
        let scene = Scene {
            boxes: gpu.load_scatter(
                kernels::named("view/box_place.vert")?.define("SKIES", 0).define("LIT", 1),
                shade(0)?,
            )?,
            ground: gpu.load_scatter(kernels::named("view/ground_place.vert")?, shade(1)?)?,
            cast: cast(0)?,
            cast_ways: cast(1)?,
            open_faces: open(0)?,
            open_ground: open(1)?,
            placements: None,
            shadows: gpu.buffer(side, side).components(1).named("shadows").build()?,
            skies: gpu.buffer(side, side).components(1).named("depths from the sky").build()?,
            faces: None,
            floor: gpu.buffer(FLOOR, FLOOR).components(1).named("open sky of the ground").build()?,
            depth: gpu.depth_stencil(side, side)?,
            gpu: gpu.clone(),
        };
        Ok(Boxes { canvas: Canvas::new(gpu, ToneMap::Outdoors, 2)?, scene })
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
        canvas.develop((place.width(), place.height()))?.bind_float("view", lens.horizon())?;
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
        canvas.develop((width, height))?.bind_float("view", lens.horizon())?;
        canvas.picture(width, height, |surface| scene.paint(blocks, stage, &lens, surface))
    }
}

fn aspect(width: u32, height: u32) -> f64 {
    f64::from(width) / f64::from(height.max(1))
}

impl Scene {
    fn paint(&mut self, blocks: &[Block], stage: &Stage, lens: &Lens, surface: &Surface) -> Result<()> {
        let light = over(blocks, stage);
        let matrix = lens.matrix(GROUND * stage.radius(), 0.01 * stage.radius());
        let placements = self.placed(blocks)?;
        let vertices = blocks.len() as u32 * VERTICES;
        self.cast(&placements, vertices, &light)?;
        let (faces, texels) = self.open(&placements, blocks, stage)?;
        let targets = [&surface.light];
        if vertices > 0 {
            light.bind(KEY, &mut self.boxes, &self.shadows)?;
            bind_matrix(&mut self.boxes, matrix)?
                .bind_stream("placements", &placements)?
                .bind_stream("opened", &faces)?
                .bind_float("texels", texels as f32)?
                .bind_float("eye", lens.eye())?;
            let run = self.boxes.onto(&targets).masked(&surface.depth, NEAREST, 0.0);
            run.counted_triangles(vertices).run()?;
            self.boxes.release_streams();
        }
        (self.placements, self.faces) = (Some(placements), Some(faces));
        let Some((height, lines)) = stage.ground else { return Ok(()) };
        let ([x, _, z], side) = (stage.middle(), GROUND * stage.radius());
        light.bind(KEY, &mut self.ground, &self.shadows)?;
        bind_matrix(&mut self.ground, matrix)?
            .bind_stream("opened", &self.floor)?
            .bind_float("reach", (REACH * stage.radius()) as f32)?
            .bind_float("ground", [x, height, z, side].map(|v| v as f32))?
            .bind_float("lines", lines as f32)?
            .bind_float("fading", 0.95 * side as f32)?;
        // Last, so that nothing is lit that boxes hide.
        let run = self.ground.onto(&targets).masked(&surface.depth, NEAREST, 0.0);
        run.counted_strip(4).run()?;
        self.ground.release_streams();
        Ok(())
    }

    /// Writes the nearest distances from the light into the shadow map.
    fn cast(&mut self, placements: &Buffer, vertices: u32, light: &Light) -> Result<()> {
        self.shadows.texture().clear([f32::MAX; 4]);
        if vertices > 0 {
            self.depth.clear(1.0, 0)?;
            let matrix = light.matrix(unit(KEY));
            bind_matrix(&mut self.cast, matrix)?
                .bind_stream("placements", placements)?
                .bind_float("light_z", matrix[2])?;
            let targets = [&self.shadows];
            let run = self.cast.onto(&targets).masked(&self.depth, NEAREST, 0.0);
            run.counted_triangles(vertices).run()?;
            self.cast.release_streams();
        }
        Ok(())
    }

    /// Finds the part of the sky that is open to the texels of each face, and to those of the ground around the stage. Returns those
    /// of the faces, and how many a side of a face has.
    fn open(&mut self, placements: &Buffer, blocks: &[Block], stage: &Stage) -> Result<(Buffer, u32)> {
        let count = blocks.len().max(1) as u32;
        let texels = (self.gpu.limits().texture_size / count).clamp(2, FACE);
        let fits = |faces: &Buffer| (faces.width(), faces.height()) == (6 * texels, count * texels);
        let faces = match self.faces.take().filter(fits) {
            Some(faces) => faces,
            None => {
                let faces = self.gpu.buffer(6 * texels, count * texels).components(1);
                faces.named("open sky of faces").build()?
            }
        };
        let light = around(blocks, stage);
        let ways = ways().map(|key| light.matrix(key)).map(|[across, along, deep, _]| [across, along, deep]);
        let ways = ways.as_flattened();
        let offset = 1.6 * 4.0 * 2.0 * light.half / f64::from(self.skies.width());
        self.skies.texture().clear([f32::MAX; 4]);
        if !blocks.is_empty() {
            self.depth.clear(1.0, 0)?;
            self.cast_ways
                .bind_stream("placements", placements)?
                .bind_constant("ways", ways)?
                .bind_float("boxes", blocks.len() as f32)?;
            let targets = [&self.skies];
            let run = self.cast_ways.onto(&targets).masked(&self.depth, NEAREST, 0.0);
            run.counted_triangles(blocks.len() as u32 * VERTICES * WAYS as u32).run()?;
            self.open_faces
                .bind_stream("skies", &self.skies)?
                .bind_stream("placements", placements)?
                .bind_constant("ways", ways)?
                .bind_float("texels", texels as f32)?
                .bind_float("offset", offset as f32)?
                .run(&faces)?;
            self.cast_ways.release_streams();
            self.open_faces.release_streams();
        }
        if let Some((height, _)) = stage.ground {
            let [x, _, z] = stage.middle();
            self.open_ground
                .bind_stream("skies", &self.skies)?
                .bind_constant("ways", ways)?
                .bind_float("ground", [x, height, z, REACH * stage.radius()].map(|v| v as f32))?
                .bind_float("offset", offset as f32)?
                .bind_domain("at", Domain::new(-1.0, -1.0, 1.0, 1.0))?
                .run(&self.floor)?;
            self.open_ground.release_streams();
        }
        Ok((faces, texels))
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

/// Units of ways to the sky, evenly over the half that is above the ground: a spiral by the golden angle.
fn ways() -> [Vector; WAYS] {
    std::array::from_fn(|k| {
        let up = (k as f64 + 0.5) / WAYS as f64;
        let (turn, across) = (k as f64 * (3.0 - 5f64.sqrt()) * std::f64::consts::PI, (1.0 - up * up).sqrt());
        [across * turn.cos(), up, across * turn.sin()]
    })
}

/// Light along −[`KEY`] in the smallest of a few cubes that holds all boxes; of few, so that shadows do not swim while boxes move.
/// Boxes that have flown far away cast none.
fn over(blocks: &[Block], stage: &Stage) -> Light {
    let (middle, least) = (stage.middle(), stage.radius());
    let axes = axes(unit(KEY));
    let far =
        |p: Vector| axes.map(|axis| dot(axis, add(p, middle, -1.0)).abs()).into_iter().fold(0.0, f64::max);
    Light { middle, half: half(blocks, stage, least / 2.0, far) }
}

/// The same for light from any side.
fn around(blocks: &[Block], stage: &Stage) -> Light {
    let (middle, least) = (stage.middle(), stage.radius());
    let far = |p: Vector| dot(add(p, middle, -1.0), add(p, middle, -1.0)).sqrt();
    Light { middle, half: half(blocks, stage, least, far) }
}

/// `first`, or that times a power of 5/4, so that all corners are in it that are not far away.
fn half(blocks: &[Block], stage: &Stage, first: f64, far: impl Fn(Vector) -> f64) -> f64 {
    let own = corners(stage.low, stage.high);
    let all = blocks.iter().flat_map(Block::corners).chain(own).map(far);
    let needed = all.filter(|v| v.is_finite()).fold(0.0, f64::max);
    let mut half = first;
    while half < needed && half < 4.0 * stage.radius() {
        half *= 1.25;
    }
    half
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ray_crosses_a_stage_where_its_sides_are() {
        let stage = Stage { low: [0.0; 3], high: [4.0, 2.0, 6.0], ground: None };
        let crossing = |from, along| stage.crossing(&Ray { from, along });
        assert_eq!(crossing([-2.0, 1.0, 3.0], [2.0, 0.0, 0.0]), Some([1.0, 3.0]));
        assert_eq!(crossing([1.0, 1.0, 3.0], [0.0, 0.0, -1.0]), Some([0.0, 3.0]));
        assert_eq!(crossing([-2.0, 3.0, 3.0], [2.0, 0.0, 0.0]), None);
        assert_eq!(crossing([-2.0, 1.0, 3.0], [-1.0, 0.0, 0.0]), None);
    }
}
