//! A fluid in a flat box: its dye, or one of its numbers through a colour map, around solids, with particles as points.
//!
//! The picture is one pass of 8 fetches a pixel, interpolated in the kernel so that values inside solids are left out.
//! Before it, one pass draws the particles as points, added in half floats; the logarithm of their number gives the
//! brightness.

use super::particles::{Lights, Particles};
use super::points::as_light;
use crate::gl::{Format, GlowFramebuffer, Rect, Shape};
use crate::pug::{Buffer, Domain, Gpu, Program};
use crate::sim::fluid::{Grid, Kind};
use crate::{Error, Result, kernels};

/// The arrays of a fluid that a picture shows, all on the fluid's grid.
#[derive(Clone, Copy)]
pub struct FluidFields<'a> {
    /// Where its numbers lie.
    pub grid: Grid,
    /// Two components at the grid's nodes.
    pub velocity: &'a Buffer,
    /// 1 in a solid, else 0, at the grid's centres.
    pub solids: &'a Buffer,
    /// The quantity that is coloured.
    pub shade: Shade<'a>,
    /// The particles drawn over it, if any.
    pub particles: Option<Particles<'a>>,
}

/// The quantity that the colours of a fluid show.
#[derive(Clone, Copy)]
pub enum Shade<'a> {
    /// The first three components are light of three colours, 0 or more.
    Dye(&'a Buffer),
    /// A component of what lies at the centres, from the map's first colour to its last.
    Scalar {
        /// At the grid's centres.
        field: &'a Buffer,
        /// Which one, from 0.
        component: usize,
        /// Its value at the first colour and at the last.
        ends: [f32; 2],
    },
    /// |u|, from 0 to that.
    Speed(f32),
    /// The flow out of each cell through its four sides, by its area, from − that to that. A side between nodes has the mean of
    /// its ends: what a projection by central differences does not see is seen here.
    Divergence(f32),
    /// Nothing: particles are seen best.
    Dark,
}

/// Draws fluids straight from the buffers that they are computed in: nothing is read back, nothing uploaded.
///
/// A picture without particles is one pass with a texel for each pixel, and 8 fetches of dye or of a scalar and the solids around
/// it, interpolated here because not every driver filters 32-bit floats (12 of a speed). Particles are a pass of points before
/// that, two or three fetches each, added up in half floats, which every driver can, and one more fetch a pixel; many of
/// them in one pixel are told apart by the logarithm of their number.
///
/// North is up.
pub struct FlatFluid {
    paint: Option<(Variant, Program)>,
    palette: Buffer,
    lights: Lights,
    gpu: Gpu,
}

/// `SHADE` and `LIGHTS` of the kernel.
type Variant = (i32, i32);

impl FlatFluid {
    /// A map of 256 colours, red, green and blue in 0 to 255.
    ///
    /// # Errors
    /// Those of making a buffer and a program.
    pub fn new(gpu: &Gpu, colours: &[[u8; 3]; 256]) -> Result<FlatFluid> {
        let palette = gpu.buffer(256, 1).components(3).named("palette").build()?;
        let mut fluid = FlatFluid { paint: None, palette, lights: Lights::new(gpu)?, gpu: gpu.clone() };
        fluid.set_colours(colours)?;
        Ok(fluid)
    }

    /// Changes the colours of scalars.
    pub fn set_colours(&mut self, colours: &[[u8; 3]; 256]) -> Result<()> {
        let light = colours.iter().flat_map(|&colour| as_light(colour, 0.0));
        self.palette.write(&light.collect::<Vec<f32>>())
    }

    /// Changes the colours of particles. Dark ones are made lighter: light cannot be black.
    pub fn set_particle_colours(&mut self, colours: &[[u8; 3]; 256]) -> Result<()> {
        self.lights.set_colours(colours)
    }

    /// Draws the box into the part `place` of a framebuffer, `None` for the window: whoever wants the box's aspect gives a
    /// place of it, as [`keep_aspect`](super::keep_aspect) does.
    ///
    /// # Errors
    /// [`Error::WrongShape`] for buffers that are not of the grid; [`Error::BadParameter`] for ends without sense;
    /// [`Error::OverLimit`] for particles on a card whose vertex programs cannot fetch, and for more than 2²⁴;
    /// [`Error::OutOfMemory`].
    pub fn draw(
        &mut self,
        basin: &FluidFields,
        framebuffer: Option<GlowFramebuffer>,
        place: Rect,
    ) -> Result<()> {
        // OpenGL's framebuffers have their last row on top, and so has the box.
        let upright = |[right, top]: [f32; 2]| Domain::new(0.0, 0.0, right, top);
        self.paint(basin, framebuffer, place, upright)
    }

    /// A picture of width × height pixels: red, green, blue, alpha, row after row from the top.
    ///
    /// # Errors
    /// As [`FlatFluid::draw`].
    pub fn picture(&mut self, basin: &FluidFields, (width, height): (u32, u32)) -> Result<Vec<u8>> {
        let picture = self.gpu.context().texture(Shape { width, height, format: Format::Rgba8 })?;
        // A file's first row is its upper one.
        let turned = |[right, top]: [f32; 2]| Domain::new(0.0, top, right, 0.0);
        self.paint(basin, Some(picture.framebuffer()), Rect::whole(width, height), turned)?;
        picture.read_bytes()
    }

    fn paint(
        &mut self,
        basin: &FluidFields,
        framebuffer: Option<GlowFramebuffer>,
        place: Rect,
        lies: impl Fn([f32; 2]) -> Domain,
    ) -> Result<()> {
        basin.check()?;
        let lights = match &basin.particles {
            Some(particles) => {
                let size = (place.width(), place.height());
                Some(self.lights.draw(particles, basin.grid, basin.velocity, size)?)
            }
            None => None,
        };
        let program = variant(&mut self.paint, &self.gpu, (basin.shade.number(), lights.is_some().into()))?;
        basin.bind(program, &self.palette, place)?;
        if let Some((lights, white)) = lights {
            let whole = [lights.width() as f32, lights.height() as f32];
            program
                .bind_stream("lights", lights)?
                .bind_float("white", white)?
                .bind_domain("pixel", lies(whole))?;
        }
        program.bind_domain("place", lies(basin.grid.cells.map(|cells| cells as f32)))?;
        program.onto_framebuffer(framebuffer, place).run()?;
        program.release_streams();
        Ok(())
    }
}

/// The kernel in that variant, which is kept for the next picture. The context knows the texts of all that it has compiled.
fn variant<'a>(
    kept: &'a mut Option<(Variant, Program)>,
    gpu: &Gpu,
    wanted: Variant,
) -> Result<&'a mut Program> {
    let program = match kept.take() {
        Some((known, program)) if known == wanted => program,
        _ => {
            let kernel = kernels::named("view/fluid_paint.frag")?;
            gpu.load(kernel.define("SHADE", wanted.0).define("LIGHTS", wanted.1))?
        }
    };
    Ok(&mut kept.insert((wanted, program)).1)
}

impl Shade<'_> {
    /// `SHADE` of the kernel.
    fn number(&self) -> i32 {
        match self {
            Shade::Dye(_) => 0,
            Shade::Scalar { .. } => 1,
            Shade::Speed(_) => 2,
            Shade::Divergence(_) => 3,
            Shade::Dark => 4,
        }
    }

    /// The values of the map's first and last colour.
    fn ends(&self) -> [f32; 2] {
        match *self {
            Shade::Dye(_) | Shade::Dark => [0.0, 1.0],
            Shade::Scalar { ends, .. } => ends,
            Shade::Speed(most) => [0.0, most],
            Shade::Divergence(most) => [-most, most],
        }
    }
}

impl FluidFields<'_> {
    fn check(&self) -> Result<()> {
        let FluidFields { grid, velocity, solids, shade, .. } = self;
        let field = match shade {
            Shade::Dye(field) | Shade::Scalar { field, .. } => Some(*field),
            Shade::Speed(_) | Shade::Divergence(_) | Shade::Dark => None,
        };
        let buffers =
            [(Some(*velocity), grid.nodes()), (Some(*solids), grid.centres()), (field, grid.centres())];
        for (buffer, [width, height]) in buffers {
            if let Some(buffer) = buffer.filter(|buffer| (buffer.width(), buffer.height()) != (width, height))
            {
                let (what, found) = ("picture of a fluid".to_owned(), buffer.describe());
                return Err(Error::WrongShape { what, found, expected: format!("{width}x{height} texels") });
            }
        }
        let [low, high] = shade.ends();
        if !(low.is_finite() && high.is_finite() && low != high) {
            let (found, expected) = (format!("{low} to {high}"), "two different finite ends".to_owned());
            return Err(Error::BadParameter { name: "range of the colour map", found, expected });
        }
        Ok(())
    }

    /// Binds all but particles and domains.
    fn bind(&self, program: &mut Program, palette: &Buffer, place: Rect) -> Result<()> {
        let Grid { kind, cells, spacing, periodic } = self.grid;
        let again = [0, 1].map(|axis| if periodic[axis] { cells[axis] as f32 } else { 0.0 });
        program
            .bind_stream("solids", self.solids)?
            .bind_float("period", again)?
            .bind_float("first_centre", self.grid.first_centre())?
            .bind_float("pixels", place.width() as f32 / cells[0] as f32)?;
        if let Shade::Dye(field) | Shade::Scalar { field, .. } = self.shade {
            program.bind_stream("field", field)?;
        }
        if let Shade::Scalar { component, .. } = self.shade {
            let mut channels = [0.0; 4];
            channels[component.min(3)] = 1.0;
            program.bind_float("channels", channels)?;
        }
        if let Shade::Speed(_) | Shade::Divergence(_) = self.shade {
            let first_faces = match kind {
                Kind::Collocated => [0.0; 4],
                Kind::Staggered => [0.0, 0.5, 0.5, 0.0],
            };
            program.bind_stream("velocity", self.velocity)?.bind_float("first_faces", first_faces)?;
        }
        if let Shade::Divergence(_) = self.shade {
            program.bind_float("spacing", spacing)?;
        }
        if !matches!(self.shade, Shade::Dye(_) | Shade::Dark) {
            program.bind_stream("palette", palette)?.bind_float("low_high", self.shade.ends())?;
        }
        Ok(())
    }
}
