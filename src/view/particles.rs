//! Particles of a fluid as points of light, one or two pixels each.

use super::points::as_light;
use crate::pug::{Buffer, Gpu, Precision, Program};
use crate::sim::fluid::{Grid, Kind};
use crate::{Error, Result, kernels};

/// They are numbered by floats.
const MOST: u64 = 1 << 24;

/// Fewer than one in so many pixels are points of two pixels a side.
const SPARSE: f32 = 40.0;

/// Points in one pixel that are told from no more: of a picture with few, and beside those that there are in the mean.
const WHITE: [f32; 2] = [6.0, 12.0];

/// The colour of a particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tint {
    /// How fast it is, from 0 to that.
    Speed(f32),
    /// Its number.
    Number,
}

/// Points in a fluid.
#[derive(Clone, Copy)]
pub struct Particles<'a> {
    /// Folded array: x and y in lengths from the south-west corner, age, number.
    pub positions: &'a Buffer,
    /// The same before the last steps, newest first: fainter and fainter points, which make a trail.
    pub past: &'a [Buffer],
    /// The colour of the particles.
    pub tint: Tint,
}

/// Draws particles on a canvas of their own.
pub(super) struct Lights {
    /// Once they are drawn: a card whose vertex programs cannot fetch can do without.
    program: Option<Program>,
    palette: Buffer,
    /// The light of the last picture, kept for the next one of its size; its last row is the upper one.
    light: Option<Buffer>,
    gpu: Gpu,
}

impl Lights {
    pub fn new(gpu: &Gpu) -> Result<Lights> {
        let white = [1.0; 3 * 256];
        let palette = gpu.buffer(256, 1).components(3).named("particle palette").init(&white)?;
        Ok(Lights { program: None, palette, light: None, gpu: gpu.clone() })
    }

    pub fn set_colours(&mut self, colours: &[[u8; 3]; 256]) -> Result<()> {
        let light = colours.iter().flat_map(|&colour| as_light(colour, 0.45));
        self.palette.write(&light.collect::<Vec<f32>>())
    }

    /// Their light, a texel for each pixel of a picture, and how much of it is white.
    pub fn draw(
        &mut self,
        particles: &Particles,
        grid: Grid,
        velocity: &Buffer,
        (width, height): (u32, u32),
    ) -> Result<(&Buffer, f32)> {
        let Particles { positions, past, tint } = particles;
        let count = positions.len();
        if count as u64 > MOST {
            let (what, quantity) = ("view/particles_place.vert".to_owned(), "number of points");
            return Err(Error::OverLimit { what, quantity, found: count as u64, limit: MOST });
        }
        for moment in std::iter::once(*positions).chain(*past) {
            if moment.components() != 4 || moment.len() != count {
                let (found, expected) = (moment.describe(), format!("x, y, age, number of {count}"));
                return Err(Error::WrongShape { what: "particles".to_owned(), found, expected });
            }
        }
        let share = count as f32 / (width as f32 * height as f32);
        let side = if share * SPARSE < 1.0 { 2.0 } else { 1.0 };
        let (fastest, by_number) = match *tint {
            Tint::Speed(most) => (most.max(1e-30), 0.0),
            Tint::Number => (1.0, 1.0 / count as f32),
        };
        let program = match &mut self.program {
            Some(program) => program,
            none => none.insert(load(&self.gpu)?),
        };
        program
            .bind_stream("velocity", velocity)?
            .bind_stream("palette", &self.palette)?
            .bind_float("box", grid.size())?
            .bind_float("points", side)?
            .bind_float("cells", grid.cells.map(|cells| cells as f32))?
            .bind_float("last", grid.centres().map(|count| count as f32 - 1.0))?
            .bind_float("to_node", if grid.kind == Kind::Collocated { 0.5 } else { 0.0 })?
            .bind_float("fastest", fastest)?
            .bind_float("by_number", by_number)?;
        let light = clean(&mut self.light, &self.gpu, (width, height))?;
        for (age, moment) in std::iter::once(*positions).chain(*past).enumerate() {
            let left = 1.0 - age as f32 / (past.len() + 1) as f32;
            program.bind_stream("positions", moment)?.bind_float("faint", left * left)?;
            program.onto(&[light]).adding().counted_points(count as u32).run()?;
        }
        program.release_streams();
        Ok((light, WHITE[0] + WHITE[1] * side * side * share))
    }
}

fn load(gpu: &Gpu) -> Result<Program> {
    let place = kernels::named("view/particles_place.vert")?;
    gpu.load_scatter(place, kernels::named("view/particles_shade.frag")?)
}

/// An empty canvas of that size, the last one if it fits.
fn clean<'a>(kept: &'a mut Option<Buffer>, gpu: &Gpu, (width, height): (u32, u32)) -> Result<&'a Buffer> {
    let light = match kept.take().filter(|light| (light.width(), light.height()) == (width, height)) {
        Some(light) => light,
        None => {
            let light = gpu.buffer(width, height).components(4).precision(Precision::Float16);
            light.named("light of particles").build()?
        }
    };
    light.texture().clear([0.0; 4]);
    Ok(kept.insert(light))
}
