//! A fluid in a flat box: its dye, or one of its numbers through a colour map, around solids, with particles as points.
//!
//! The picture is one pass of 8 fetches a pixel, interpolated in the kernel so that values inside solids are left out.
//! Before it, one pass draws the particles as points, added in half floats; the logarithm of their number gives the
//! brightness.

use super::arrows::Arrows;
use super::particles::{Lights, Particles};
use super::points::as_light;
use super::streamlines::Streamlines;
use super::{Tones, check_ends, variant};
use crate::gl::{Format, GlowFramebuffer, Rect, Shape};
use crate::pug::{Buffer, Domain, Gpu, Prelude, Program};
use crate::sim::fluid::Grid;
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
    ends: Option<[f32; 2]>,
    tones: Tones,
    arrows: Option<(Arrows, f32)>,
    streamlines: Option<(Streamlines, f32)>,
    palette: Buffer,
    lights: Lights,
    gpu: Gpu,
}

/// `SHADE`, `LIGHTS`, `LOGARITHMIC`, `LINES` and `STREAMLINES` of the kernel.
type Variant = [i32; 5];

impl FlatFluid {
    /// A map of 256 colours, red, green and blue in 0 to 255.
    ///
    /// # Errors
    /// Those of making a buffer and a program.
    pub fn new(gpu: &Gpu, colours: &[[u8; 3]; 256]) -> Result<FlatFluid> {
        let palette = gpu.buffer(256, 1).components(3).named("palette").build()?;
        let (lights, tones) = (Lights::new(gpu)?, Tones::default());
        let (paint, ends, arrows, streamlines, gpu) = (None, None, None, None, gpu.clone());
        let mut fluid = FlatFluid { paint, ends, tones, arrows, streamlines, palette, lights, gpu };
        fluid.set_colours(colours)?;
        Ok(fluid)
    }

    /// Changes the colours of scalars.
    pub fn set_colours(&mut self, colours: &[[u8; 3]; 256]) -> Result<()> {
        let light = colours.iter().flat_map(|&colour| as_light(colour, 0.0));
        self.palette.write(&light.collect::<Vec<f32>>())
    }

    /// Sets the numbers of the first and of the last colour in place of those of [`Shade`], or takes them back.
    pub fn set_ends(&mut self, ends: Option<[f32; 2]>) {
        self.ends = ends;
    }

    /// Changes the scale of numbers in colours, and the lines over them. A divergence, one number a cell, has no lines.
    pub fn set_tones(&mut self, tones: Tones) {
        self.tones = tones;
    }

    /// Draws arrows along the velocity from the next picture on, that of this speed as long as they get, or none any more: a pass
    /// more a picture, of two fetches a pixel.
    ///
    /// # Errors
    /// Those of making a program.
    pub fn set_arrows(&mut self, most: Option<f32>) -> Result<()> {
        self.arrows = match (most, self.arrows.take()) {
            (None, _) => None,
            (Some(most), Some((arrows, _))) => Some((arrows, most)),
            (Some(most), None) => Some((Arrows::new(&self.gpu)?, most)),
        };
        Ok(())
    }

    /// Draws streamlines from the next picture on, which fade where the speed is less than 3 % of this one, or none any more: three passes
    /// more a picture, of 92 fetches a texel of at most 768 along the longer side.
    ///
    /// # Errors
    /// [`Error::OverLimit`] on a card without loops; those of making a program.
    pub fn set_streamlines(&mut self, most: Option<f32>) -> Result<()> {
        self.streamlines = match (most, self.streamlines.take()) {
            (None, _) => None,
            (Some(most), Some((streamlines, _))) => Some((streamlines, most)),
            (Some(most), None) => Some((Streamlines::new(&self.gpu)?, most)),
        };
        Ok(())
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
        let ends = self.ends.unwrap_or(basin.shade.ends());
        check_ends(ends[0], ends[1])?;
        let size = (place.width(), place.height());
        let lights = match &basin.particles {
            Some(particles) => Some(self.lights.draw(particles, basin.grid, basin.velocity, size)?),
            None => None,
        };
        let streaks = match &mut self.streamlines {
            Some((streamlines, most)) => Some(streamlines.draw(basin.grid, basin.velocity, *most, size)?),
            None => None,
        };
        let numbers = !matches!(basin.shade, Shade::Dye(_) | Shade::Dark);
        let lines = if matches!(basin.shade, Shade::Divergence(_)) { 0 } else { self.tones.lines };
        let drawn = numbers && lines > 0;
        let logarithmic = numbers && self.tones.logarithmic;
        let wanted = [
            basin.shade.number(),
            lights.is_some().into(),
            logarithmic.into(),
            drawn.into(),
            streaks.is_some().into(),
        ];
        let program = variant(&mut self.paint, wanted, || {
            let kernel = kernels::named("view/fluid_paint.frag")?.with(Prelude::Tones);
            let names = ["SHADE", "LIGHTS", "LOGARITHMIC", "LINES", "STREAMLINES"].into_iter().zip(wanted);
            self.gpu.load(names.fold(kernel, |kernel, (name, value)| kernel.define(name, value)))
        })?;
        basin.bind(program, &self.palette, ends, place)?;
        if drawn {
            program.bind_float("lines", lines as f32)?;
        }
        if let Some((lights, white)) = lights {
            let whole = [lights.width() as f32, lights.height() as f32];
            program
                .bind_stream("lights", lights)?
                .bind_float("white", white)?
                .bind_domain("pixel", lies(whole))?;
        }
        if let Some(streaks) = streaks {
            let whole = [streaks.width() as f32, streaks.height() as f32];
            program.bind_stream("streamlines", streaks)?.bind_domain("streak", lies(whole))?;
        }
        let whole = lies(basin.grid.cells.map(|cells| cells as f32));
        program.bind_domain("place", whole)?;
        program.onto_framebuffer(framebuffer, place).run()?;
        program.release_streams();
        match &mut self.arrows {
            Some((arrows, most)) => {
                arrows.draw((basin.grid, basin.velocity, *most), framebuffer, place, whole)
            }
            None => Ok(()),
        }
    }
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
    pub fn ends(&self) -> [f32; 2] {
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
        Ok(())
    }

    /// Binds all but particles and domains.
    fn bind(&self, program: &mut Program, palette: &Buffer, ends: [f32; 2], place: Rect) -> Result<()> {
        let Grid { cells, spacing, periodic, .. } = self.grid;
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
            program
                .bind_stream("velocity", self.velocity)?
                .bind_float("first_faces", self.grid.first_faces())?;
        }
        if let Shade::Divergence(_) = self.shade {
            program.bind_float("spacing", spacing)?;
        }
        if !matches!(self.shade, Shade::Dye(_) | Shade::Dark) {
            program.bind_stream("palette", palette)?.bind_float("low_high", ends)?;
        }
        Ok(())
    }
}
