//! Bodies as points that glow: the picture of N bodies (row C8).
//!
//! One draw of counted triangles shows all bodies. Its vertices fetch position, velocity and colour from the arrays of
//! the simulation; discs below a pixel become dimmer and never vanish. Light is added in half floats, which needs no
//! EXT_float_blend, and developed by asinh (Lupton et al. 2004), so that a dense core shows structure. The halos of a haze
//! are drawn the same way onto a canvas of an eighth. Triangles are used because points have the driver's largest size and
//! vanish with their middle.

use super::boxes::Stage;
use super::camera::Camera;
use super::canvas::{Canvas, Surface, ToneMap};
use super::lens::Lens;
use super::trail::{Tiles, Trail, check_pair};
use crate::gl::{GlowFramebuffer, Rect};
use crate::pug::{Buffer, Gpu, Precision, Program};
use crate::{Error, Result, kernels};

/// Radius of the largest, in heights of the picture: what passes before the eye covers no more.
const MOST: f64 = 0.1;

/// No colour is darker than this in its brightest part: a slow body has to be seen too.
const DARKEST: f32 = 0.45;

/// The discs of bodies.
const BODY: Discs = Discs { strength: 1.0, size: 1.0, most: MOST, least: None, suns: true };

/// Those of a trail.
const TRAIL: Discs = Discs { strength: 0.25, size: 0.35, ..BODY };

/// Rows of texels of the haze, which has nothing that is sharp.
const ROWS: u32 = 80;

/// Halos, in radii of bodies. Discs of fewer texels would show the grid.
const HALO: Discs = Discs { strength: 1.0, size: 24.0, most: 0.14, least: Some(2.5), suns: false };

/// The bodies are numbered by floats, three vertices each.
const MOST_POINTS: u64 = 1 << 22;

/// Bodies on the GPU, as [`Glow`] draws them.
#[derive(Clone, Copy)]
pub struct Points<'a> {
    /// Folded array: x, y, z, mass.
    pub positions: &'a Buffer,
    /// Folded in the same way: vx, vy, vz.
    pub velocities: &'a Buffer,
    /// Where they were.
    pub trail: Option<&'a Trail>,
}

/// How bodies look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Speeds of the first and of the last colour.
    pub speeds: [f32; 2],
    /// Radius of the glow of a body of mass 1, in the bodies' unit of length.
    pub radius: f32,
    /// The radius grows as that power of the mass, 0 to 1: 1/3 is that of bodies of one density.
    pub growth: f32,
    /// Radius in pixels of the smallest disc, 0.7 to 50: what is farther off or lighter loses light, but never vanishes.
    pub least: f32,
    /// How much is seen of faint light beside bright light, 0.01 to 100; 1 lets hundreds of bodies lie over one another
    /// before they are white.
    pub exposure: f32,
    /// Light of a wide halo around each body beside that of its disc, 0 to 1: where bodies are dense their halos are a haze. 0 for none.
    pub haze: f32,
    /// By how many halvings the light of small discs differs, 0 to 16: as that of stars does, whatever their masses. A body's number says
    /// by how much. 0 for all alike.
    pub magnitudes: f32,
    /// From this mass on a body is a sun: a warm white disc whose light goes by no speed. `f32::INFINITY` for none.
    pub sun: f32,
}

impl Look {
    fn check(&self) -> Result<()> {
        let wrong = |name, found: String, expected: &str| {
            Err(Error::BadParameter { name, found, expected: expected.to_owned() })
        };
        let [low, high] = self.speeds;
        if !(low.is_finite() && high.is_finite() && low != high) {
            return wrong("speeds of the colours", format!("{low} to {high}"), "two different finite ends");
        }
        if !(0.0..=1e12).contains(&self.radius) {
            return wrong("radius of the glow", self.radius.to_string(), "0 to 1e12");
        }
        if !(0.0..=1.0).contains(&self.growth) {
            return wrong("growth of the radius", self.growth.to_string(), "0 to 1");
        }
        if !(0.7..=50.0).contains(&self.least) {
            return wrong("radius of the smallest disc", self.least.to_string(), "0.7 to 50");
        }
        if !(0.01..=100.0).contains(&self.exposure) {
            return wrong("exposure", self.exposure.to_string(), "0.01 to 100");
        }
        if !(0.0..=1.0).contains(&self.haze) {
            return wrong("haze", self.haze.to_string(), "0 to 1");
        }
        if !(0.0..=16.0).contains(&self.magnitudes) {
            return wrong("magnitudes", self.magnitudes.to_string(), "0 to 16");
        }
        match self.sun > 0.0 {
            true => Ok(()),
            false => wrong("mass of a sun", self.sun.to_string(), "above 0"),
        }
    }
}

/// Draws bodies straight from the buffers that a simulation computes in: nothing is read back, nothing uploaded.
///
/// One draw of triangles that are only counted: the vertex kernel goes by its vertex's number, fetches position and
/// velocity (vertex texture fetch) and spans a triangle around the body's disc; fragments add a soft light, by blending
/// of half floats, without a depth test, so that their order is seen in roundings alone; a second pass develops the canvas, bright
/// parts by their logarithm, so that a dense core shows what is in it. Triangles and not points, because those have a
/// largest size that is the driver's, and vanish as a whole when their middle leaves the picture.
///
/// # References
/// Harris, *Mapping Computational Concepts to GPUs* (the course's N bodies, vertex texture fetch); Lupton et al.,
/// *Preparing Red-Green-Blue Images from CCD Data*, 2004 (the stretch).
pub struct Glow {
    canvas: Canvas,
    lights: Lights,
    /// The halos of the last picture.
    haze: Buffer,
    gpu: Gpu,
}

/// How large and how bright discs are drawn, beside those of bodies.
#[derive(Clone, Copy)]
struct Discs {
    strength: f32,
    size: f32,
    /// The largest radius, in heights of the picture.
    most: f64,
    /// The least one in texels, where the look does not say it.
    least: Option<f64>,
    /// Those of suns shine by themselves; halos do not, since they would hide what lies in them.
    suns: bool,
}

/// The painter of the points on a canvas.
struct Lights {
    program: Program,
    palette: Buffer,
}

impl Glow {
    /// Compiles the kernels; a map of 256 colours for speeds, red, green and blue in 0 to 255.
    ///
    /// # Errors
    /// [`OverLimit`](crate::Error::OverLimit) under the limits of a card whose vertex programs cannot fetch.
    pub fn new(gpu: &Gpu, colours: &[[u8; 3]; 256]) -> Result<Glow> {
        let (place, shade) =
            (kernels::named("view/glow_place.vert")?, kernels::named("view/glow_shade.frag")?);
        let program = gpu.load_scatter(place, shade)?;
        let palette = gpu.buffer(256, 1).components(3).named("palette").build()?;
        let canvas = Canvas::new(gpu, ToneMap::Stretched(1.0), 2)?;
        let haze = haze(gpu, [1, 1])?;
        let mut glow = Glow { canvas, lights: Lights { program, palette }, haze, gpu: gpu.clone() };
        glow.set_colours(colours)?;
        Ok(glow)
    }

    /// Changes the colours. Dark ones are made lighter: light cannot be black.
    pub fn set_colours(&mut self, colours: &[[u8; 3]; 256]) -> Result<()> {
        let light = colours.iter().flat_map(|&colour| as_light(colour, DARKEST));
        self.lights.palette.write(&light.collect::<Vec<f32>>())
    }

    /// Texels of the canvas along each side of a pixel, 1 to 4; 2 unless said. More makes rounder discs.
    pub fn set_samples(&mut self, samples: u32) {
        self.canvas.set_samples(samples);
    }

    /// Draws into the part `place` of a framebuffer, `None` for the window. Of the stage the ground is not drawn. Bodies
    /// behind the eye, and those with a coordinate that is no number, are not drawn; a velocity that is none is magenta.
    ///
    /// # Errors
    /// Those of [`Camera::check`]; [`Error::BadParameter`] for a look without sense; [`Error::WrongShape`] for buffers
    /// that do not fit together; [`Error::OverLimit`] for more than 2²² bodies and moments of the trail;
    /// [`Error::OutOfMemory`].
    pub fn draw(
        &mut self,
        points: Points,
        look: &Look,
        (stage, camera): (&Stage, &Camera),
        framebuffer: Option<GlowFramebuffer>,
        place: Rect,
    ) -> Result<()> {
        let size = (place.width(), place.height());
        let view = View::new(look, stage, camera, size)?;
        self.add_haze(points, &view, size)?;
        let Glow { canvas, lights, .. } = self;
        canvas.draw(framebuffer, place, |surface| lights.paint(points, &view, surface))
    }

    /// A picture of width × height pixels: red, green, blue, alpha, row after row from the top.
    ///
    /// # Errors
    /// As [`Glow::draw`].
    pub fn picture(
        &mut self,
        points: Points,
        look: &Look,
        (stage, camera): (&Stage, &Camera),
        (width, height): (u32, u32),
    ) -> Result<Vec<u8>> {
        let view = View::new(look, stage, camera, (width, height))?;
        self.add_haze(points, &view, (width, height))?;
        let Glow { canvas, lights, .. } = self;
        canvas.picture(width, height, |surface| lights.paint(points, &view, surface))
    }

    /// Draws the halos of all bodies, for the pass that develops the picture.
    fn add_haze(&mut self, points: Points, view: &View, (width, height): (u32, u32)) -> Result<()> {
        let Points { positions, velocities, .. } = points;
        check_pair(positions, velocities)?;
        let shines = view.look.haze > 0.0;
        let rows = ROWS.min(height.max(1));
        let columns = (u64::from(width) * u64::from(rows)).div_ceil(height.max(1).into()) as u32;
        let columns = columns.clamp(1, self.gpu.limits().texture_size);
        let size = if shines { [columns, rows] } else { [1, 1] };
        if [self.haze.width(), self.haze.height()] != size {
            self.haze = haze(&self.gpu, size)?;
        }
        self.haze.texture().clear([0.0; 4]);
        if shines {
            let discs = Discs { strength: view.look.haze, ..HALO };
            self.lights.add(&Tiles::now(positions, velocities), discs, view, &self.haze)?;
        }
        self.canvas.set_exposure(view.look.exposure);
        self.canvas.develop((width, height))?.bind_stream("haze", &self.haze)?;
        Ok(())
    }
}

/// A canvas of halos.
fn haze(gpu: &Gpu, [width, height]: [u32; 2]) -> Result<Buffer> {
    gpu.buffer(width, height).components(4).precision(Precision::Float16).named("haze").build()
}

/// From where bodies are seen, and how.
struct View<'a> {
    look: &'a Look,
    lens: Lens,
    /// The distance from the eye below which nothing is drawn.
    nearest: f64,
    /// Pixels of the picture up and down.
    height: f64,
}

impl View<'_> {
    fn new<'a>(
        look: &'a Look,
        stage: &Stage,
        camera: &Camera,
        (width, height): (u32, u32),
    ) -> Result<View<'a>> {
        look.check()?;
        let height = f64::from(height.max(1));
        let lens = stage.lens(camera, f64::from(width) / height)?;
        Ok(View { look, lens, nearest: 0.01 * stage.radius(), height })
    }
}

impl Lights {
    fn paint(&mut self, points: Points, view: &View, surface: &Surface) -> Result<()> {
        let Points { positions, velocities, trail } = points;
        check_pair(positions, velocities)?;
        if let Some(trail) = trail {
            self.add(&trail.tiles(), TRAIL, view, &surface.light)?;
        }
        self.add(&Tiles::now(positions, velocities), BODY, view, &surface.light)
    }

    /// Adds the light of bodies at one or several moments.
    fn add(&mut self, tiles: &Tiles, discs: Discs, view: &View, light: &Buffer) -> Result<()> {
        let drawn = tiles.bodies as u64 * u64::from(tiles.drawn);
        if drawn > MOST_POINTS {
            let (what, quantity) = ("view/glow_place.vert".to_owned(), "number of points");
            return Err(Error::OverLimit { what, quantity, found: drawn, limit: MOST_POINTS });
        }
        if drawn == 0 {
            return Ok(());
        }
        let View { look, lens, nearest, height } = view;
        let Discs { strength, size, most, least, suns } = discs;
        let sun = if suns { look.sun.min(f32::MAX) } else { f32::MAX };
        let (across, up) = (light.width() as f32, light.height() as f32);
        let pixel = f64::from(up) / height;
        let unit = f64::from(size * look.radius) * lens.share_of(1.0, 1.0) * f64::from(up);
        let least = least.unwrap_or(f64::from(look.least) * pixel);
        let radii = [unit, least, (most * f64::from(up)).max(least), *nearest];
        let numbers = [tiles.bodies as f32, tiles.rows as f32, tiles.moments as f32, tiles.newest as f32];
        let [x, y, _, w] = lens.matrix(1.0, *nearest);
        self.program
            .bind_stream("positions", tiles.positions)?
            .bind_stream("velocities", tiles.velocities)?
            .bind_stream("palette", &self.palette)?
            .bind_float("matrix_x", x)?
            .bind_float("matrix_y", y)?
            .bind_float("matrix_w", w)?
            .bind_float("tiles", numbers)?
            .bind_float("radii", radii.map(|v| v as f32))?
            .bind_float("canvas", [across, up])?
            .bind_float("growth", look.growth)?
            .bind_float("low_high", look.speeds)?
            .bind_float("magnitudes", look.magnitudes)?
            .bind_float("sun", sun)?
            .bind_float("strength", strength)?;
        let targets = [light];
        self.program.onto(&targets).adding().counted_triangles(3 * drawn as u32).run()?;
        self.program.release_streams();
        Ok(())
    }
}

/// The colour in linear light, in its brightest part at least `darkest`.
pub(super) fn as_light(colour: [u8; 3], darkest: f32) -> [f32; 3] {
    let linear = colour.map(|c| {
        let c = f32::from(c) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    });
    let missing = (darkest - linear.into_iter().fold(0.0, f32::max)).max(0.0);
    linear.map(|c| c + missing)
}
