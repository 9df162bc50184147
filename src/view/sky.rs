//! Clouds in a sky: cloud water in a flat box, seen from beside, in the light of a sun above it (row C12).

use super::canvas::{Canvas, ToneMap};
use crate::gl::{GlowFramebuffer, Rect};
use crate::layout::Edges;
use crate::pug::{Buffer, Domain, Gpu, Prelude, Program};
use crate::sim::fluid::Grid;
use crate::{Error, Result, kernels};

/// Optical depth of a metre of cloud of 1 kg/kg: that of droplets of about 40 micrometres. Small ones have four times as
/// much, and no edges to be seen on cells of tens of metres.
const EXTINCTION: f32 = 40.0;

/// Sides of heads of cloud, m: large ones, and smaller ones that these are made of.
const HEADS: [(f32, &str, &str); 3] =
    [(190.0, "large", "of_large"), (80.0, "middling", "of_middling"), (36.0, "small", "of_small")];

/// How high the sun stands at least.
const LOWEST: f32 = 0.06;

/// Fetches of cloud water on the way to it.
const STEPS: u32 = 64;

/// How much of the height of the box the way to the sun is followed, if cells are small.
const REACH: f32 = 0.6;

/// The quantity that a sky shows.
#[derive(Clone, Copy)]
pub struct SkyContent<'a> {
    /// Where the numbers lie: scalars at the middles of cells, lengths in metres.
    pub grid: Grid,
    /// The third component is cloud water, kg/kg.
    pub air: &'a Buffer,
    /// The time of day that lights it, in hours: the sun rises at 6 in the east, at the right, and sets at 18.
    pub hour: f32,
    /// The condensation level, in cells, at which clouds begin. Where there is one, bases are flat there and clouds are heaps: before the slice stand
    /// its own clouds, lower above that level and a little aside; and behind a periodic one the slice again, smaller and smaller towards the horizon.
    pub level: Option<f32>,
    /// The height of a dashed line, in cells.
    pub line: Option<f32>,
    /// How far the air has moved to the east, in cells: the heads of clouds move with it.
    pub drift: f32,
    /// First column, columns and rows that are shown.
    pub shown: [f32; 3],
}

impl<'a> SkyContent<'a> {
    /// The whole box on an afternoon without wind or condensation level.
    pub fn whole(grid: Grid, air: &'a Buffer) -> SkyContent<'a> {
        let [width, height] = grid.cells.map(|n| n as f32);
        SkyContent { grid, air, hour: 15.0, level: None, line: None, drift: 0.0, shown: [0.0, width, height] }
    }
}

/// A unit of the way to the sun; before dawn and after dusk that at them.
fn sun(hour: f32) -> [f32; 2] {
    let angle = (hour.clamp(6.0, 18.0) - 6.0) / 12.0 * std::f32::consts::PI;
    let up = angle.sin().max(LOWEST);
    [(1.0 - up * up).sqrt().copysign(angle.cos()), up]
}

/// Draws clouds by fragments alone: a pass over the cells, 64 and 48 places of 4 fetches towards sun and sky; one over each of three lattices of
/// heads, of which each is as large as there is cloud water where it stands; and one over the pixels, which look at the nine heads around them, of
/// two sizes, and of the third and of the light where there is a cloud, in the slice and in up to four behind it.
pub struct Sky {
    canvas: Canvas,
    light: Program,
    heads: Program,
    near: Program,
    shade: Program,
    /// The depths, the heads, and where there are any, of the last picture, kept for the next one of such a box.
    depths: Option<Buffer>,
    lattices: Vec<Buffer>,
    cloudy: Option<Buffer>,
    gpu: Gpu,
}

impl Sky {
    /// Compiles the kernels.
    ///
    /// # Errors
    /// [`Error::OverLimit`] under the limits of a card without loops.
    pub fn new(gpu: &Gpu) -> Result<Sky> {
        let found = gpu.limits().loop_iterations;
        if found < STEPS {
            let (what, quantity) = ("view/sky_light.frag".to_owned(), "number of iterations");
            return Err(Error::OverLimit { what, quantity, found: STEPS.into(), limit: found.into() });
        }
        let canvas = Canvas::new(gpu, ToneMap::Clipped, 1)?;
        let load = |name| gpu.load(kernels::named(name)?.with(Prelude::Fluid));
        Ok(Sky {
            canvas,
            light: load("view/sky_light.frag")?,
            heads: load("view/sky_heads.frag")?,
            near: load("view/sky_near.frag")?,
            shade: load("view/sky_shade.frag")?,
            depths: None,
            lattices: Vec::new(),
            cloudy: None,
            gpu: gpu.clone(),
        })
    }

    /// Draws into the part `place` of a framebuffer, `None` for the window. If it is higher than what is shown, there is sky above.
    ///
    /// # Errors
    /// [`Error::WrongShape`] for air that is not of the grid; [`Error::BadParameter`] for an hour that is not finite.
    pub fn draw(
        &mut self,
        overcast: SkyContent,
        framebuffer: Option<GlowFramebuffer>,
        place: Rect,
    ) -> Result<()> {
        let [_, columns, rows] = overcast.shown;
        self.prepare(overcast, rows.max(columns * place.height() as f32 / place.width() as f32))?;
        let Sky { canvas, shade, .. } = self;
        canvas.draw(framebuffer, place, |surface| shade.run(&surface.light))?;
        self.release();
        Ok(())
    }

    /// A picture of width × height pixels: red, green, blue, alpha, row after row from the top.
    ///
    /// # Errors
    /// As [`Sky::draw`].
    pub fn picture(&mut self, overcast: SkyContent, (width, height): (u32, u32)) -> Result<Vec<u8>> {
        self.prepare(overcast, overcast.shown[2])?;
        let Sky { canvas, shade, .. } = self;
        let picture = canvas.picture(width, height, |surface| shade.run(&surface.light))?;
        self.release();
        Ok(picture)
    }

    fn release(&mut self) {
        self.light.release_streams();
        self.heads.release_streams();
        self.near.release_streams();
        self.shade.release_streams();
    }

    /// Makes the light, and binds what a picture of so many rows is made of.
    fn prepare(&mut self, overcast: SkyContent, rows: f32) -> Result<()> {
        let SkyContent { grid, air, hour, level, line, drift, shown: [first, columns, _] } = overcast;
        if !hour.is_finite() {
            let (found, expected) = (hour.to_string(), "a finite number".to_owned());
            return Err(Error::BadParameter { name: "hour", found, expected });
        }
        let [width, height] = grid.centres();
        if [air.width(), air.height()] != [width, height] || air.components() < 3 {
            let expected = format!("{width}x{height} of 3 or 4 components");
            return Err(Error::WrongShape { what: "air of a sky".into(), found: air.describe(), expected });
        }
        let fits = |known: &Buffer| (known.width(), known.height()) == (width, height);
        let depths = match self.depths.take().filter(fits) {
            Some(depths) => depths,
            None => grid.scalar(&self.gpu, 3).named("light in clouds").build()?,
        };
        let counts = [width as f32, height as f32];
        let periodic = grid.periodic.map(|periodic| f32::from(u8::from(periodic)));
        let stride = (REACH * counts[1] / STEPS as f32).max(1.0);
        self.light
            .bind_stream("air", air)?
            .bind_float("counts", counts)?
            .bind_float("periodic", periodic)?
            .bind_float("sun", sun(hour))?
            .bind_float("stride", stride)?
            .bind_float("depth", EXTINCTION * grid.spacing)?;
        self.light.run(&depths)?;
        self.shade
            .bind_stream("clouds", &depths)?
            .bind_float("counts", counts)?
            .bind_float("periodic", periodic)?
            .bind_float("shown", [columns, rows])?
            .bind_float("first", first)?
            .bind_float("drift", drift)?
            .bind_float("sun", sun(hour))?
            .bind_float("level", level.unwrap_or(-1.0))?
            .bind_float("marked", line.unwrap_or(-1.0))?
            // The canvas has its last row on top, as the box has.
            .bind_domain("place", Domain::new(first, 0.0, first + columns, rows))?;
        self.heads
            .bind_stream("clouds", &depths)?
            .bind_float("counts", counts)?
            .bind_float("periodic", periodic)?
            .bind_float("drift", drift)?
            .bind_float("level", level.unwrap_or(-1.0))?;
        let mut known = std::mem::take(&mut self.lattices).into_iter();
        for (seed, (side, name, lattice_of)) in (0u8..).zip(HEADS) {
            let sides = [width, height].map(|n| (n as f32 * grid.spacing / side).round().max(1.0) as u32);
            let fits = |heads: &Buffer| [heads.width(), heads.height()] == sides;
            let heads = match known.next().filter(fits) {
                Some(heads) => heads,
                None => {
                    let edges = if grid.periodic[0] { Edges::Repeat } else { Edges::Clamp };
                    let heads = self.gpu.buffer(sides[0], sides[1]).components(4).edges(edges);
                    heads.named("heads of clouds").build()?
                }
            };
            let lattice = sides.map(|n| n as f32);
            self.heads.bind_float("lattice", lattice)?.bind_float("seed", f32::from(seed))?.run(&heads)?;
            self.shade.bind_stream(name, &heads)?.bind_float(lattice_of, lattice)?;
            if name != "small" {
                self.near.bind_stream(name, &heads)?.bind_float(lattice_of, lattice)?;
            }
            self.lattices.push(heads);
        }
        let (columns, rows) = (self.lattices[0].width(), self.lattices[0].height());
        let cloudy =
            match self.cloudy.take().filter(|known| (known.width(), known.height()) == (columns, rows)) {
                Some(known) => known,
                None => self.gpu.buffer(columns, rows).components(1).named("where clouds are").build()?,
            };
        self.near.bind_float("periodic", periodic)?.run(&cloudy)?;
        self.shade.bind_stream("near", &cloudy)?;
        self.cloudy = Some(cloudy);
        self.depths = Some(depths);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sun_rises_at_the_right_stands_high_at_noon_and_sets_at_the_left() {
        for hour in 0..=24 {
            let [across, up] = sun(hour as f32);
            assert!((across.hypot(up) - 1.0).abs() < 1e-6 && up >= LOWEST);
            assert!(if hour < 12 { across > 0.0 } else { hour == 12 || across < 0.0 }, "{hour}");
        }
        assert!(sun(12.0)[1] > 0.9999 && sun(9.0)[1] < sun(10.0)[1] && sun(9.0)[1] > sun(16.0)[1]);
    }
}
