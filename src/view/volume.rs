//! Liquid and smoke in a box of voxels: rays that walk through it (rows D4, D5).

use super::boxes::Stage;
use super::camera::Camera;
use super::canvas::{Canvas, NEAREST, Surface, ToneMap};
use super::lens::Lens;
use crate::gl::{Compare, DepthTest, GlowFramebuffer, Mask, Rect};
use crate::linalg::{PLAIN, Vector, Voxels, of_voxels};
use crate::pug::{Buffer, Domain, Gpu, Precision, Prelude, Program};
use crate::{Error, Result, kernels};

/// Absorption of smoke of density 1, along the longest side of its box.
const ABSORPTION: f32 = 30.0;

/// Steps of a ray, and the rays of a pixel: a card must be able to loop so often.
const STEPS: u32 = 4 * (256 + 64);

/// Iterations that a loop may make on any driver known: one for each slice above a voxel.
const SLICES_ABOVE: u32 = 60_000;

/// The matter that fills a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// Below 0 in a signed distance in voxels.
    Water,
    /// By its density, 0 to 1.
    Smoke,
}

/// A field of voxels as [`March`] and [`Slices`](super::Slices) show it: z is up, y towards the viewer.
#[derive(Clone, Copy)]
pub struct Volume<'a> {
    /// The box.
    pub voxels: Voxels,
    /// One value a voxel.
    pub field: &'a Vector,
    /// The meaning of the values.
    pub matter: Medium,
    /// The heat of smoke, 0 to 1, one value a voxel: it glows by that. `None` for cold smoke.
    pub heat: Option<&'a Vector>,
}

impl Volume<'_> {
    /// The box in space: a voxel is a unit.
    pub fn stage(&self) -> Stage {
        let [nx, ny, nz] = self.voxels.size().map(f64::from);
        Stage { low: [0.0; 3], high: [nx, nz, ny], ground: None }
    }

    /// Columns and rows of the map of its slices.
    pub fn map(&self) -> (u32, u32) {
        let ([nx, ny, nz], beside) = (self.voxels.size(), self.beside());
        (beside * (nx + 1), nz.div_ceil(beside) * (ny + 1))
    }

    /// The voxel at a place of the map of slices, in texels, and the slice that it is in: `None` between slices and beyond the last.
    pub fn voxel(&self, [x, y]: [f64; 2]) -> Option<[f64; 3]> {
        let ([nx, ny, nz], beside) = (self.voxels.size().map(f64::from), f64::from(self.beside()));
        let (column, row) = ((x / (nx + 1.0)).floor(), (y / (ny + 1.0)).floor());
        let (x, y, slice) = (x - column * (nx + 1.0), y - row * (ny + 1.0), row * beside + column);
        let inside = column >= 0.0 && row >= 0.0 && column < beside && x < nx && y < ny && slice < nz;
        inside.then_some([x, y, slice + 0.5])
    }

    /// The number of the programs that cast its rays.
    fn rays(&self) -> usize {
        match self.matter {
            Medium::Water => 0,
            Medium::Smoke => 1 + usize::from(self.heat.is_some()),
        }
    }

    /// Slices side by side in it, so that it is about square.
    pub(super) fn beside(&self) -> u32 {
        let [nx, ny, nz] = self.voxels.size();
        let square = f64::from(nz) * f64::from(ny + 1) / f64::from(nx + 1);
        (square.sqrt().ceil() as u32).clamp(1, nz)
    }
}

/// Draws volumes by fragments alone, a ray each.
///
/// Distances from water are first brought nearer to the mean of their neighbours, by four tenths of a voxel at most, so that the surface has no
/// stairs. The field is then spread, a pass of four fetches a voxel, so that a value between voxels is two fetches. A ray meets
/// water where φ changes sign: it walks as far as φ says, two voxels or a hundredth of the box at most, and the last step is cut by the chord. The
/// normal is the gradient there; light is mirrored, broken and absorbed along a straight way to the floor. Smoke is summed
/// front to back in equal steps, in a light from above that one more pass has made for all voxels; its rim is where half of it is; where it is hot it glows, by Wien's law. Where the light of
/// neighbouring pixels differs, four rays more are cast in place of the first.
pub struct March {
    canvas: Canvas,
    /// The first ray of each pixel, and the next four, of water, of smoke and of smoke that glows.
    rays: [[Program; 2]; 3],
    /// Closes the pixels in which one ray is enough.
    edges: Program,
    /// The first rays of the last picture.
    first: Option<Buffer>,
    gpu: Gpu,
    /// The spread fields of the last picture, kept for the next one of such a box.
    spread: [Option<Buffer>; 3],
}

const CORNERS: &str = "sim/voxel_corners.frag";
const SHADOW: &str = "view/volume_shadow.frag";
const SMOOTH: &str = "view/volume_smooth.frag";

impl March {
    /// Compiles the kernels.
    ///
    /// # Errors
    /// [`Error::OverLimit`] under the limits of a card without loops.
    pub fn new(gpu: &Gpu) -> Result<March> {
        let found = gpu.limits().loop_iterations;
        if found < STEPS {
            let (what, quantity) = ("view/volume_march.frag".to_owned(), "number of iterations");
            return Err(Error::OverLimit { what, quantity, found: STEPS.into(), limit: found.into() });
        }
        let march = kernels::named("view/volume_march.frag")?.with(Prelude::Voxels);
        let load = |smoke, hot, refined| {
            gpu.load(march.clone().define("SMOKE", smoke).define("HOT", hot).define("REFINED", refined))
        };
        let rays = |smoke, hot| Ok::<_, Error>([load(smoke, hot, 0)?, load(smoke, hot, 1)?]);
        let canvas = Canvas::new(gpu, ToneMap::Clipped, 1)?;
        let edges = gpu.load(kernels::named("view/volume_edges.frag")?)?;
        Ok(March {
            canvas,
            rays: [rays(0, 0)?, rays(1, 0)?, rays(1, 1)?],
            edges,
            first: None,
            gpu: gpu.clone(),
            spread: [None, None, None],
        })
    }

    /// Texels of the canvas along each side of a pixel, 1 to 4; 1 unless said: a ray is dear.
    pub fn set_samples(&mut self, samples: u32) {
        self.canvas.set_samples(samples);
    }

    /// Draws into the part `place` of a framebuffer, `None` for the window.
    ///
    /// # Errors
    /// Those of [`Camera::check`]; [`Error::OverLimit`] for a box of which a texture does not hold a texel a voxel, or
    /// whose slices are more than a loop may count; [`Error::WrongShape`] for a vector that is no field of its box.
    pub fn draw(
        &mut self,
        volume: Volume,
        camera: &Camera,
        framebuffer: Option<GlowFramebuffer>,
        place: Rect,
    ) -> Result<()> {
        let lens = volume.stage().lens(camera, aspect(place.width(), place.height()))?;
        self.prepare(volume, &lens)?;
        let March { canvas, rays, edges, first, gpu, .. } = self;
        canvas
            .draw(framebuffer, place, |surface| cast(gpu, (&mut rays[volume.rays()], edges), first, surface))
    }

    /// A picture of width × height pixels: red, green, blue, alpha, row after row from the top.
    ///
    /// # Errors
    /// As [`March::draw`].
    pub fn picture(
        &mut self,
        volume: Volume,
        camera: &Camera,
        (width, height): (u32, u32),
    ) -> Result<Vec<u8>> {
        let lens = volume.stage().lens(camera, aspect(width, height))?;
        self.prepare(volume, &lens)?;
        let March { canvas, rays, edges, first, gpu, .. } = self;
        canvas.picture(width, height, |surface| cast(gpu, (&mut rays[volume.rays()], edges), first, surface))
    }

    /// Spreads what a ray fetches, and binds it: two passes for water, three for smoke, four if that is hot.
    fn prepare(&mut self, volume: Volume, lens: &Lens) -> Result<()> {
        let Volume { voxels, field, matter, heat } = volume;
        field.has_layout(voxels.layout(), "field of voxels")?;
        if let Some(heat) = heat {
            heat.has_layout(voxels.layout(), "heat of voxels")?;
        }
        let March { rays, spread, gpu, .. } = self;
        let smoothed = if matter == Medium::Water { Some(smooth(voxels, field)?) } else { None };
        let corners = corners(gpu, voxels, smoothed.as_ref().unwrap_or(field), spread[0].take())?;
        let programs = &mut rays[volume.rays()];
        for program in programs.iter_mut() {
            bind(program, voxels, lens)?;
            program.bind_stream("field", &corners)?;
        }
        spread[0] = Some(corners);
        if matter == Medium::Smoke {
            let longest = voxels.size().into_iter().fold(1, u32::max);
            let absorption = ABSORPTION / longest as f32;
            let light = shadow(voxels, field, absorption)?;
            let corners = self::corners(gpu, voxels, &light, spread[1].take())?;
            for program in programs.iter_mut() {
                program.bind_stream("shade", &corners)?.bind_float("absorption", absorption)?;
            }
            spread[1] = Some(corners);
            if let Some(heat) = heat {
                let corners = self::corners(gpu, voxels, heat, spread[2].take())?;
                for program in programs {
                    program.bind_stream("heat", &corners)?;
                }
                spread[2] = Some(corners);
            }
        }
        Ok(())
    }
}

fn aspect(width: u32, height: u32) -> f64 {
    f64::from(width) / f64::from(height.max(1))
}

pub(super) fn size(voxels: Voxels) -> [f32; 4] {
    let [nx, ny, nz] = voxels.size().map(|n| n as f32);
    [nx, ny, nz, 0.0]
}

fn corners(gpu: &Gpu, voxels: Voxels, field: &Vector, known: Option<Buffer>) -> Result<Buffer> {
    let (width, height) = (voxels.layout().width(), voxels.layout().height());
    let corners = match known.filter(|known| (known.width(), known.height()) == (width, height)) {
        Some(known) => known,
        None => gpu.buffer(width, height).components(4).named("corners").build()?,
    };
    let algebra = field.algebra();
    let last = size(voxels).map(|n| n - 1.0);
    algebra
        .pass(CORNERS, PLAIN)?
        .streams([field.texture()])
        .constants(&[voxels.tiling(), last])
        .onto(&[corners.texture()])?;
    Ok(corners)
}

/// Distances without the stairs of voxels.
fn smooth(voxels: Voxels, distance: &Vector) -> Result<Vector> {
    let algebra = distance.algebra();
    let smoothed = Vector::uninitialised(algebra, voxels.layout())?;
    algebra
        .pass_of(SMOOTH, PLAIN, of_voxels)?
        .streams([distance.texture()])
        .constants(&[voxels.tiling(), size(voxels)])
        .onto(&[smoothed.texture()])?;
    Ok(smoothed)
}

/// How much light from above reaches each voxel.
fn shadow(voxels: Voxels, density: &Vector, absorption: f32) -> Result<Vector> {
    let algebra = density.algebra();
    let (found, limit) = (voxels.size()[2], algebra.gpu().limits().loop_iterations.min(SLICES_ABOVE));
    if found > limit {
        let (what, quantity) = (SHADOW.to_owned(), "number of iterations");
        return Err(Error::OverLimit { what, quantity, found: found.into(), limit: limit.into() });
    }
    let light = Vector::uninitialised(algebra, voxels.layout())?;
    algebra
        .pass(SHADOW, PLAIN)?
        .streams([density.texture()])
        .constants(&[voxels.tiling(), size(voxels), [absorption, 0.0, 0.0, 0.0]])
        .onto(&[light.texture()])?;
    Ok(light)
}

/// A ray of the picture is linear in its place. Space has y up, the box z.
fn bind(program: &mut Program, voxels: Voxels, lens: &Lens) -> Result<()> {
    let in_box = |[x, y, z]: [f64; 3]| [x, z, y].map(|v| v as f32);
    let along = |place: [f64; 2]| lens.ray(place).along;
    let from = along([0.0, 0.0]);
    let to = |place| std::array::from_fn(|k| along(place)[k] - from[k]);
    let [tiles, size] = [voxels.tiling(), size(voxels)].map(|[x, y, z, _]| [x, y, z]);
    program
        .bind_float("tiles", tiles)?
        .bind_float("size", size)?
        .bind_float("eye", in_box(lens.ray([0.5, 0.5]).from))?
        .bind_float("upper_left", in_box(from))?
        .bind_float("across", in_box(to([1.0, 0.0])))?
        .bind_float("down", in_box(to([0.0, 1.0])))?
        // The canvas has its last row on top.
        .bind_domain("place", Domain::new(0.0, 1.0, 1.0, 0.0))?;
    Ok(())
}

/// A ray a pixel; where those of neighbours differ four more in its place. The others' pixels are closed by their depth.
fn cast(
    gpu: &Gpu,
    ([one, more], edges): (&mut [Program; 2], &mut Program),
    first: &mut Option<Buffer>,
    surface: &Surface,
) -> Result<()> {
    const OPEN: Mask =
        Mask { depth: Some(DepthTest { compare: Compare::Less, write: false }), stencil: None };
    let (width, height) = (surface.light.width(), surface.light.height());
    let rays = match first.take().filter(|rays| (rays.width(), rays.height()) == (width, height)) {
        Some(rays) => rays,
        None => {
            let rays = gpu.buffer(width, height).components(4).precision(Precision::Float16);
            rays.named("first rays").build()?
        }
    };
    one.run(&rays)?;
    one.release_streams();
    let targets = [&surface.light];
    edges.bind_stream("rays", &rays)?;
    edges.onto(&targets).masked(&surface.depth, NEAREST, 0.0).run()?;
    edges.release_streams();
    more.bind_float("pixel", [1.0 / width as f32, 1.0 / height as f32])?;
    more.onto(&targets).masked(&surface.depth, OPEN, 0.5).run()?;
    more.release_streams();
    *first = Some(rays);
    Ok(())
}
