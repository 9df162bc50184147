//! Heights as the water of a tiled pool: refraction, caustics, a mirrored sky (row A13).
//!
//! Six passes of features of 2004. Fragments make the nodes of a mesh, as for the plain surface. One fragment finds how
//! high a floating ball lies, so that nothing is read back. A strip of light is broken at the surface and laid out on the floor, its
//! brightness the ratio of two areas, and added up where it folds: the caustics. Walls and deck, then the water, are drawn
//! against a depth surface; their fragments follow the mirrored and the broken ray through the pool, which is a box and a ball, by
//! arithmetic alone. A last pass develops the canvas.

use super::camera::{Camera, Perspective};
use super::canvas::{Canvas, NEAREST, Surface, ToneMap};
use super::mesh_nodes::{Mesh, Nodes};
use super::space::unit;
use crate::gl::{GlowFramebuffer, Rect};
use crate::pug::{Buffer, Gpu, Precision, Program};
use crate::{Error, Result, kernels};

/// How deep the water is at rest, and how high above it the deck lies, in world units: half the longer side is 1.
const DEPTH: f32 = 0.42;
const DECK: f32 = 0.055;

/// How far from the middle the deck reaches: into the haze over far ground.
const REACH: f32 = 3.0;

/// How far blocks of stone stand out of the water, world units.
const STONE_HEIGHT: f32 = 0.06;

/// Towards the sun: high, from the right and behind when the azimuth is 0.
const SUN: [f64; 3] = [0.52, 0.80, -0.30];

/// Texels of the map of light along the pool's longer side.
const LIGHT: u32 = 512;

/// Vertices of light along it, and of the mesh, at most.
const RAYS: u32 = 256;
const MESH: u32 = 512;

/// Corners of walls and deck: twelve quads.
const CORNERS: u32 = 72;

/// A ball that floats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Its place in cells.
    pub place: [f32; 2],
    /// Its radius in cells.
    pub radius: f32,
}

/// Draws a buffer of heights (its first component) as the water of a pool, in six passes. A height of [`Pool::STONE`] is no water: a
/// block of stone stands there.
///
/// Fetches: four a node, one a vertex of water and of light, one a fragment of light, five a fragment of the picture; those of
/// the plain surface ([`HeightField`](super::HeightField)) are four a node and one a vertex.
///
/// # References
/// Evan Wallace, *WebGL Water*, 2011; Krüger & Westermann, *A GPU Framework for Solving Systems of Linear Equations*, §44.4.
pub struct Pool {
    canvas: Canvas,
    basin: Basin,
}

/// The painter of the pool on a canvas.
struct Basin {
    nodes: Nodes,
    float: Program,
    rays: Program,
    walls: Program,
    water: Program,
    /// Middle and radius of the ball; radius 0 for none.
    ball: Buffer,
    /// The light on the floor.
    caustics: Option<Buffer>,
    relief: f32,
    gpu: Gpu,
}

impl Pool {
    /// The height of a cell in which a block of stone stands.
    pub const STONE: f32 = 1e20;

    /// Compiles the kernels.
    ///
    /// # Errors
    /// [`Error::OverLimit`] under the limits of a card whose vertex programs cannot fetch.
    pub fn new(gpu: &Gpu) -> Result<Pool> {
        let shade = |surface| Ok(kernels::named("view/pool_shade.frag")?.define("SURFACE", surface));
        let program = |vertex, fragment| gpu.load_scatter(kernels::named(vertex)?, fragment);
        let basin = Basin {
            nodes: Nodes::new(gpu)?,
            float: gpu.builtin("view/pool_ball.frag")?,
            rays: program("view/pool_light.vert", kernels::named("view/pool_light.frag")?)?,
            walls: program("view/pool_place.vert", shade(0)?)?,
            water: program("view/mesh_place.vert", shade(1)?)?,
            ball: gpu.buffer(1, 1).components(4).named("ball").init(&[0.0; 4])?,
            caustics: None,
            relief: super::HeightField::RELIEF,
            gpu: gpu.clone(),
        };
        Ok(Pool { canvas: Canvas::new(gpu, ToneMap::Outdoors, 2)?, basin })
    }

    /// A height of 1 is drawn as this part of half the grid's longer side;
    /// [`HeightField::RELIEF`](super::HeightField::RELIEF) unless said.
    ///
    /// # Errors
    /// [`Error::BadParameter`] if it is not finite.
    pub fn set_relief(&mut self, relief: f32) -> Result<()> {
        if !relief.is_finite() {
            let (found, expected) = (relief.to_string(), "a finite number".to_owned());
            return Err(Error::BadParameter { name: "relief", found, expected });
        }
        self.basin.relief = relief;
        Ok(())
    }

    /// Draws into the part `place` of a framebuffer, `None` for the window. Heights that are not finite are
    /// drawn flat, in magenta.
    ///
    /// # Errors
    /// Those of [`Camera::check`]; [`Error::BadParameter`] for a ball of numbers that are not finite; [`Error::OutOfMemory`].
    pub fn draw(
        &mut self,
        heights: &Buffer,
        ball: Option<Ball>,
        camera: &Camera,
        framebuffer: Option<GlowFramebuffer>,
        place: Rect,
    ) -> Result<()> {
        let size = (place.width(), place.height());
        let perspective = perspective(heights, camera, size)?;
        let Pool { canvas, basin } = self;
        canvas.develop(size)?.bind_float("view", perspective.horizon())?;
        canvas.draw(framebuffer, place, |surface| {
            basin.paint(heights, ball, camera, &perspective, size, surface)
        })
    }

    /// A picture of width × height pixels: red, green, blue, alpha, row after row from the top.
    ///
    /// # Errors
    /// As [`Pool::draw`].
    pub fn picture(
        &mut self,
        heights: &Buffer,
        ball: Option<Ball>,
        camera: &Camera,
        size: (u32, u32),
    ) -> Result<Vec<u8>> {
        let perspective = perspective(heights, camera, size)?;
        let Pool { canvas, basin } = self;
        canvas.develop(size)?.bind_float("view", perspective.horizon())?;
        canvas.picture(size.0, size.1, |surface| {
            basin.paint(heights, ball, camera, &perspective, size, surface)
        })
    }

    /// The light of the sun on the floor of the last picture, 1 under still water: with the ball's shadow, and without. It lies
    /// where still water would lead it, so that the map is as large as the pool.
    pub fn caustics(&self) -> Option<&Buffer> {
        self.basin.caustics.as_ref()
    }
}

impl Basin {
    /// Draws the pool on a canvas for a picture of that size.
    fn paint(
        &mut self,
        heights: &Buffer,
        ball: Option<Ball>,
        camera: &Camera,
        perspective: &Perspective,
        (width, height): (u32, u32),
        surface: &Surface,
    ) -> Result<()> {
        // Quads smaller than two pixels show nothing more.
        let most = MESH.min(width.max(height).div_ceil(2));
        let mesh = Mesh::over(heights.width(), heights.height(), most);
        let nodes = self.nodes.of(heights, mesh, STONE_HEIGHT / self.relief.max(1e-6))?;
        self.place_ball(heights, ball, perspective)?;
        let caustics = self.cast(&nodes, mesh, perspective)?;
        let [x, y, z, w] = perspective.matrix(1.5 * f64::from(REACH));
        let (half, cell) = (perspective.half().map(|v| v as f32), perspective.cell_size() as f32);
        let pixel =
            (f64::from(camera.field_of_view).to_radians() / 2.0).tan() * 2.0 / f64::from(height.max(1));
        for program in [&mut self.walls, &mut self.water] {
            program
                .bind_stream("caustics", &caustics)?
                .bind_stream("ball", &self.ball)?
                .bind_float("half_sides", half)?
                .bind_float("matrix_x", x)?
                .bind_float("matrix_y", y)?
                .bind_float("matrix_z", z)?
                .bind_float("matrix_w", w)?
                .bind_float("eye", perspective.eye())?
                .bind_float("sun", sun())?
                .bind_float("depth", DEPTH)?
                .bind_float("deck", DECK)?
                .bind_float("pixel", pixel as f32)?;
        }
        self.walls.bind_float("reach", REACH)?;
        self.water
            .bind_stream("nodes", &nodes)?
            .bind_float("mesh", [mesh.columns as f32, mesh.rows as f32, mesh.stride as f32, cell])?
            .bind_float("skip", 1.0)?
            .bind_float("floor_depth", DEPTH)?
            .bind_float("relief", self.relief)?
            .bind_float("steepness", self.relief / cell)?;
        let targets = [&surface.light];
        // The water first, so that nothing is followed through the pool that it hides.
        let water = self.water.onto(&targets).masked(&surface.depth, NEAREST, 0.0);
        water.counted_strip(mesh.vertices()).run()?;
        let walls = self.walls.onto(&targets).masked(&surface.depth, NEAREST, 0.0);
        walls.counted_triangles(CORNERS).run()?;
        self.walls.release_streams();
        self.water.release_streams();
        self.caustics = Some(caustics);
        Ok(())
    }

    /// Finds how high the ball lies: a pass of one fragment, or of none where there is no ball.
    fn place_ball(&mut self, heights: &Buffer, ball: Option<Ball>, perspective: &Perspective) -> Result<()> {
        let Some(Ball { place: [x, y], radius }) = ball.filter(|ball| ball.radius > 0.0) else {
            self.ball.texture().clear([0.0; 4]);
            return Ok(());
        };
        if ![x, y, radius].iter().all(|v| v.is_finite()) {
            let (found, expected) = (format!("{radius} at {x}, {y}"), "finite numbers".to_owned());
            return Err(Error::BadParameter { name: "ball", found, expected });
        }
        let cell = perspective.cell_size() as f32;
        let radius = radius * cell;
        self.float
            .bind_stream("heights", heights)?
            .bind_float("ball", [x, y, radius, 0.35 * radius])?
            .bind_float("half_sides", perspective.half().map(|v| v as f32))?
            .bind_float("cell", cell)?
            .bind_float("relief", self.relief)?;
        self.float.run(&self.ball)?;
        self.float.release_streams();
        Ok(())
    }

    /// Breaks the light of the sun at the surface, and adds up where it meets the floor.
    fn cast(&mut self, nodes: &Buffer, mesh: Mesh, perspective: &Perspective) -> Result<Buffer> {
        let [x, z] = perspective.half();
        let side = |half: f64| ((f64::from(LIGHT) * half / x.max(z)).round() as u32).max(1);
        let (width, height) = (side(x), side(z));
        let fits = |map: &Buffer| (map.width(), map.height()) == (width, height);
        let caustics = match self.caustics.take().filter(fits) {
            Some(map) => map,
            None => {
                let map = self.gpu.buffer(width, height).components(2).precision(Precision::Float16);
                map.named("caustics").build()?
            }
        };
        let skip = mesh.columns.max(mesh.rows).div_ceil(RAYS);
        let (columns, rows) = (mesh.columns.div_ceil(skip), mesh.rows.div_ceil(skip));
        let texel = 4.0 * x * z / (f64::from(width) * f64::from(height));
        self.rays
            .bind_stream("nodes", nodes)?
            .bind_stream("ball", &self.ball)?
            .bind_float("mesh", [columns as f32, rows as f32, skip as f32, mesh.stride as f32])?
            .bind_float("half_sides", [x as f32, z as f32])?
            .bind_float("cell", perspective.cell_size() as f32)?
            .bind_float("depth", DEPTH)?
            .bind_float("relief", self.relief)?
            .bind_float("sun", sun())?
            .bind_float("texel", texel as f32)?;
        caustics.texture().clear([0.0; 4]);
        self.rays.onto(&[&caustics]).adding().counted_strip(rows * (2 * (columns + 1) + 2)).run()?;
        self.rays.release_streams();
        Ok(caustics)
    }
}

/// The camera before a pool for a picture of that size.
fn perspective(heights: &Buffer, camera: &Camera, (width, height): (u32, u32)) -> Result<Perspective> {
    let aspect = f64::from(width) / f64::from(height.max(1));
    Perspective::new(camera, heights.width(), heights.height(), aspect)
}

fn sun() -> [f32; 3] {
    unit(SUN).map(|v| v as f32)
}
