//! The faces of a mesh whose vertices are a texture, lit, in perspective (row E5).

use super::camera::Camera;
use super::canvas::{Canvas, NEAREST, Surface, ToneMap};
use super::lens::Lens;
use super::light::{Light, bind_matrix};
use super::space::{Vector, add, dot, unit};
use crate::gl::{DepthStencil, GlowFramebuffer, Rect};
use crate::linalg::SIDE;
use crate::pug::{Buffer, Gpu, Precision, Program};
use crate::{Error, Result, kernels};

/// Towards the light: over the viewer's left shoulder when the azimuth is 0.
const KEY: Vector = [-0.62, 0.66, 0.43];

/// Texels along a side of the shadow map, and of the plan of what lies above the ground.
const SHADOWS: u32 = 1024;
const PLAN: u32 = 32;

/// Half a side of the plan, and how far the ground reaches, in radii of the box.
const REACH: f64 = 1.6;
const GROUND: f64 = 6.0;

/// From below: what lies lowest is nearest.
const BELOW: Vector = [0.0, -1.0, 0.0];

/// Corners that a float counts to.
const MOST_CORNERS: u64 = 1 << 24;

/// How faces are to be seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FacesLook {
    /// The corners of the box that fits into the picture when the camera's distance is 1.
    pub bounds: [[f64; 3]; 2],
    /// From where they are seen.
    pub camera: Camera,
    /// Draws edges if set.
    pub wires: bool,
    /// Colours by the fourth number of a vertex if set: the colour half-way between flat and sharp stands for this value.
    pub colours: Option<f32>,
    /// Lights by normals of vertices, which are the means of those of their triangles; else each triangle is flat.
    pub round: bool,
    /// Height of a ground on which shadows fall, as they do on the faces; `None` for neither.
    pub ground: Option<f64>,
}

impl FacesLook {
    /// Where things are in a picture of that aspect.
    ///
    /// # Errors
    /// Those of [`Camera::check`].
    pub fn lens(&self, aspect: f64) -> Result<Lens> {
        Lens::new(&self.camera, self.middle(), self.bounds, aspect)
    }

    fn middle(&self) -> Vector {
        let [low, high] = self.bounds;
        std::array::from_fn(|k| (low[k] + high[k]) / 2.0)
    }

    /// All of the box, and of what bulges out of it.
    fn light(&self) -> Light {
        Light { middle: self.middle(), half: 1.1 * self.radius() }
    }

    /// The same from below, and what lies around.
    fn plan(&self) -> Light {
        Light { middle: self.middle(), half: REACH * self.radius() }
    }

    /// The radius of the ball around the box.
    fn radius(&self) -> f64 {
        let half = add(self.bounds[1], self.middle(), -1.0);
        dot(half, half).sqrt().max(f64::MIN_POSITIVE)
    }
}

/// Draws triangles whose vertices stay where a simulation has them: a texel each, fetched by the vertex kernel at addresses
/// that were uploaded once. Light is by the normals of triangles, which fragments have from the derivatives of their place, so a
/// picture is two passes: the triangles, against a depth surface, and one that develops them. Round ones have one more, of points that
/// add the normals of triangles up at their vertices, in half floats. Those on a ground have four more: the distances from the light (a shadow
/// map), those from the ground on a plan of 32 x 32 texels, the part of the sky that these leave open, and the ground. A fragment then
/// fetches nine texels of the shadow map, and one of the ground nine more.
pub struct Faces {
    canvas: Canvas,
    triangles: Triangles,
}

/// The painter of the triangles on a canvas.
struct Triangles {
    /// Plain, with wires, with colours, with both; then the same four round; then all these in shadows. All but the first are compiled at
    /// first use.
    programs: [Option<Program>; 16],
    /// The pass that adds up normals, and the buffer of them.
    normals: Option<(Program, Buffer)>,
    floor: Option<Box<Floor>>,
    gpu: Gpu,
    corners: Buffer,
    count: u32,
}

/// The ground, and the maps of what keeps light from it.
struct Floor {
    cast: Program,
    open: Program,
    ground: Program,
    shadows: (Buffer, DepthStencil),
    plan: (Buffer, DepthStencil),
    opened: Buffer,
}

impl Faces {
    /// Compiles the kernels and uploads the faces: `places` are column and row of each vertex's texel.
    ///
    /// # Errors
    /// [`Error::OverLimit`] under the limits of a card whose vertex programs cannot fetch, past 2²⁴ corners, and for a
    /// texture of positions with more than 4096 columns or rows.
    pub fn new(gpu: &Gpu, faces: &[[u32; 3]], places: &[(u32, u32)]) -> Result<Faces> {
        let over = |quantity, found: u64, limit: u64| {
            let what = "faces to be drawn".to_owned();
            if found > limit { Err(Error::OverLimit { what, quantity, found, limit }) } else { Ok(()) }
        };
        over("number of corners", 3 * faces.len() as u64, MOST_CORNERS)?;
        let side = places.iter().map(|&(column, row)| column.max(row) + 1).max().unwrap_or(0);
        over("columns or rows of vertices", side.into(), SIDE.into())?;
        let mut programs = [const { None }; 16];
        programs[0] = Some(program(gpu, 0)?);
        let address = |&corner: &u32| {
            let (column, row) = places[corner as usize];
            row as f32 + column as f32 / SIDE as f32
        };
        let values = faces.iter().flat_map(|face| [0, 1, 2].map(|k| [address(&face[k]), k as f32]));
        let values: Vec<f32> = values.flatten().collect();
        let count = 3 * faces.len();
        let corners = gpu.array(count).components(2).named("corners").init(&values)?;
        let (count, gpu_of) = (count as u32, gpu.clone());
        let triangles = Triangles { programs, normals: None, floor: None, corners, count, gpu: gpu_of };
        Ok(Faces { canvas: Canvas::new(gpu, ToneMap::Clipped, 2)?, triangles })
    }

    /// Texels of the canvas along each side of a pixel, 1 to 4; 2 unless said. More makes smoother edges.
    pub fn set_samples(&mut self, samples: u32) {
        self.canvas.set_samples(samples);
    }

    /// Draws into the part `place` of a framebuffer, `None` for the window.
    ///
    /// # Errors
    /// Those of [`Camera::check`]; [`Error::OutOfMemory`].
    pub fn draw(
        &mut self,
        positions: &Buffer,
        look: &FacesLook,
        framebuffer: Option<GlowFramebuffer>,
        place: Rect,
    ) -> Result<()> {
        let lens = look.lens(f64::from(place.width()) / f64::from(place.height().max(1)))?;
        let Faces { canvas, triangles } = self;
        canvas.draw(framebuffer, place, |surface| triangles.paint(positions, look, &lens, surface))
    }

    /// A picture of width × height pixels: red, green, blue, alpha, row after row from the top.
    ///
    /// # Errors
    /// As [`Faces::draw`].
    pub fn picture(
        &mut self,
        positions: &Buffer,
        look: &FacesLook,
        width: u32,
        height: u32,
    ) -> Result<Vec<u8>> {
        let lens = look.lens(f64::from(width) / f64::from(height.max(1)))?;
        let Faces { canvas, triangles } = self;
        canvas.picture(width, height, |surface| triangles.paint(positions, look, &lens, surface))
    }
}

/// The kernels of that look: 1 for wires, 2 for colours, 4 for round ones, 8 for shadows, added up.
fn program(gpu: &Gpu, look: usize) -> Result<Program> {
    let is = |bit: usize| i32::from(look & bit != 0);
    let place = kernels::named("view/faces_place.vert")?.define("ROUND", is(4));
    let shade = kernels::named("view/faces_shade.frag")?;
    let shade = shade.define("WIRE", is(1)).define("CURVED", is(2)).define("ROUND", is(4));
    gpu.load_scatter(place, shade.define("SHADOWED", is(8)).define("GROUND", 0))
}

impl Floor {
    fn new(gpu: &Gpu) -> Result<Floor> {
        let map = |side: u32, name: &str| -> Result<(Buffer, DepthStencil)> {
            Ok((gpu.buffer(side, side).components(1).named(name).build()?, gpu.depth_stencil(side, side)?))
        };
        let place = kernels::named("view/faces_place.vert")?.define("ROUND", 0);
        let depth = kernels::named("view/box_depth.frag")?.define("SKIES", 0);
        let shade = ["WIRE", "CURVED", "ROUND"].into_iter().fold(
            kernels::named("view/faces_shade.frag")?.define("SHADOWED", 1).define("GROUND", 1),
            |shade, name| shade.define(name, 0),
        );
        Ok(Floor {
            cast: gpu.load_scatter(place, depth)?,
            open: gpu.load(kernels::named("view/faces_open.frag")?.define("SIDE", PLAN))?,
            ground: gpu.load_scatter(kernels::named("view/ground_place.vert")?, shade)?,
            shadows: map(SHADOWS.min(gpu.limits().texture_size), "shadows")?,
            plan: map(PLAN, "plan")?,
            opened: gpu.buffer(PLAN, PLAN).components(1).named("open sky of the ground").build()?,
        })
    }

    /// Draws both maps, and from the plan the part of the sky that is open.
    fn look(&mut self, corners: &Buffer, count: u32, positions: &Buffer, look: &FacesLook) -> Result<()> {
        let Floor { cast, open, shadows, plan, opened, .. } = self;
        for (key, light, (map, depth)) in [(KEY, look.light(), shadows), (BELOW, look.plan(), &mut *plan)] {
            map.texture().clear([f32::MAX; 4]);
            depth.clear(1.0, 0)?;
            let matrix = light.matrix(unit(key));
            bind_matrix(cast, matrix)?
                .bind_stream("corners", corners)?
                .bind_stream("positions", positions)?
                .bind_float("light_z", matrix[2])?;
            let targets = [&*map];
            cast.onto(&targets).masked(depth, NEAREST, 0.0).counted_triangles(count).run()?;
            cast.release_streams();
        }
        let Light { middle, half } = look.plan();
        let height = (look.ground.unwrap_or_default() - middle[1]) / half;
        open.bind_stream("plan", &plan.0)?.bind_float("height", height as f32)?.run(opened)?;
        open.release_streams();
        Ok(())
    }

    fn paint(&mut self, look: &FacesLook, matrix: [[f32; 4]; 4], surface: &Surface) -> Result<()> {
        let ([x, _, z], side) = (look.middle(), GROUND * look.radius());
        let ground = [x, look.ground.unwrap_or_default(), z, side].map(|v| v as f32);
        look.light().bind(KEY, &mut self.ground, &self.shadows.0)?;
        bind_matrix(&mut self.ground, matrix)?
            .bind_stream("opened", &self.opened)?
            .bind_float("ground", ground)?
            .bind_float("reach", look.plan().half as f32)?
            .bind_float("fading", 0.9 * side as f32)?;
        let targets = [&surface.light];
        self.ground.onto(&targets).masked(&surface.depth, NEAREST, 0.0).counted_strip(4).run()?;
        self.ground.release_streams();
        Ok(())
    }
}

impl Triangles {
    /// Adds up the normals of vertices.
    fn add_normals(&mut self, positions: &Buffer) -> Result<()> {
        let size = (positions.width(), positions.height());
        let kept = self.normals.take().filter(|(_, normals)| (normals.width(), normals.height()) == size);
        let (mut program, normals) = match kept {
            Some(kept) => kept,
            None => {
                let place = kernels::named("view/normals_place.vert")?;
                let program = self.gpu.load_scatter(place, kernels::named("view/normals_add.frag")?)?;
                let normals = self.gpu.buffer(size.0, size.1).components(4).precision(Precision::Float16);
                (program, normals.named("normals").build()?)
            }
        };
        normals.texture().clear([0.0; 4]);
        program.bind_stream("corners", &self.corners)?.bind_stream("positions", positions)?;
        program.onto(&[&normals]).adding().counted_points(self.count).run()?;
        program.release_streams();
        self.normals = Some((program, normals));
        Ok(())
    }

    fn paint(&mut self, positions: &Buffer, look: &FacesLook, lens: &Lens, surface: &Surface) -> Result<()> {
        let reach = if look.ground.is_some() { GROUND } else { 2.0 };
        let matrix = lens.matrix(reach * look.radius(), 0.01 * look.radius());
        let bits = [look.wires, look.colours.is_some(), look.round, look.ground.is_some()];
        let wanted = bits.into_iter().rev().fold(0, |sum, bit| 2 * sum + usize::from(bit));
        if look.ground.is_some() {
            let floor = match &mut self.floor {
                Some(floor) => floor,
                none => none.insert(Box::new(Floor::new(&self.gpu)?)),
            };
            floor.look(&self.corners, self.count, positions, look)?;
        }
        if look.round {
            self.add_normals(positions)?;
        }
        let program = match &mut self.programs[wanted] {
            Some(program) => program,
            none => none.insert(program(&self.gpu, wanted)?),
        };
        if let (Some(floor), Some(_)) = (&self.floor, look.ground) {
            look.light().bind(KEY, program, &floor.shadows.0)?;
        }
        bind_matrix(program, matrix)?
            .bind_stream("corners", &self.corners)?
            .bind_stream("positions", positions)?
            .bind_float("eye", lens.eye())?
            .bind_float("key", KEY.map(|v| v as f32))?;
        if let Some(gentle) = look.colours {
            program.bind_float("gentle", gentle)?;
        }
        if let Some((_, normals)) = self.normals.as_ref().filter(|_| look.round) {
            program.bind_stream("normals", normals)?;
        }
        let targets = [&surface.light];
        let run = program.onto(&targets).masked(&surface.depth, NEAREST, 0.0);
        run.counted_triangles(self.count).run()?;
        program.release_streams();
        match &mut self.floor {
            // Last, so that nothing is lit that faces hide.
            Some(floor) if look.ground.is_some() => floor.paint(look, matrix, surface),
            _ => Ok(()),
        }
    }
}
