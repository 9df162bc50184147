//! Pictures in any framebuffer: numbers through a colour map, heights as a lit surface or the water of a pool, boxes on a ground,
//! bodies as points that glow, the faces of a mesh, fluids in a flat box, clouds in a sky, histograms over their images, sorting
//! networks, numbers at nodes as colours and curves.

mod arrows;
mod bars;
mod block;
mod boxes;
mod camera;
mod canvas;
mod extremes;
mod faces;
mod fluid;
mod height_field;
mod lens;
mod light;
mod mesh_nodes;
mod network;
mod nodes;
mod particles;
mod points;
mod pool;
mod sky;
mod slices;
mod space;
mod streamlines;
mod tones;
mod trail;
mod volume;

pub use bars::{BarScale, Bars};
pub use block::{Block, nearest};
pub use boxes::{Boxes, Stage};
pub use camera::{Camera, Perspective};
pub use extremes::{Extremes, Magnitude};
pub use faces::{Faces, FacesLook};
pub use fluid::{FlatFluid, FluidFields, Shade};
pub use height_field::HeightField;
pub use lens::{Lens, Ray};
pub use network::Network;
pub use nodes::{MOST_CONTOURS, NodeColours, NodeCurve, Nodes};
pub use particles::{Particles, Tint};
pub use points::{Glow, Look, Points};
pub use pool::{Ball, Pool};
pub use sky::{Sky, SkyContent};
pub use slices::Slices;
pub use tones::Tones;
pub use trail::Trail;
pub use volume::{March, Medium, Volume};

use crate::gl::{Format, GlowFramebuffer, Rect, Shape};
use crate::pug::{Buffer, Domain, Gpu, Prelude, Program};
use crate::{Error, Result, kernels};

/// How an element becomes a colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mapping {
    /// Weights of the components whose sum is shown.
    pub channels: [f32; 4],
    /// The value of the map's first colour.
    pub low: f32,
    /// The value of its last colour.
    pub high: f32,
    /// The colour of what is no number: red, green, blue in 0 to 1.
    pub missing: [f32; 3],
    /// The scale between the ends, and lines over it.
    pub tones: Tones,
    /// Numbers between the middles of four elements are interpolated; else an element is a square of one colour.
    pub smooth: bool,
    /// If set, the second component of an element is light, by which its colour is multiplied and past 1 made whiter, and the third
    /// the share of this colour (red, green, blue in 0 to 1) that lies over it.
    pub over: Option<[f32; 3]>,
    /// If above 0, elements are lit from the upper left as a surface whose height is the number: so many elements from `low` to
    /// `high`. Numbers are then those of a quadratic B-spline of nine elements.
    pub relief: f32,
    /// Draws what is no number as blocks with smooth outlines, lit from the upper left, with shadows; else it is squares of one colour.
    pub blocks: bool,
}

impl Mapping {
    /// No map has it, so that a NaN that should not be there is seen.
    pub const MAGENTA: [f32; 3] = [1.0, 0.0, 1.0];

    /// One component, from `low` to `high`, NaN in magenta.
    pub fn of_component(component: usize, low: f32, high: f32) -> Mapping {
        let mut channels = [0.0; 4];
        channels[component.min(3)] = 1.0;
        let (missing, tones) = (Mapping::MAGENTA, Tones::default());
        Mapping { channels, low, high, missing, tones, smooth: false, over: None, relief: 0.0, blocks: false }
    }
}

/// Draws buffers as pictures. Row 0 is the top row, as in an image file.
///
/// A picture is one pass, of two fetches a pixel; four more where numbers are interpolated or lines drawn, nine in their place with
/// a relief, 25 with blocks, and one more with a tint.
pub struct ColourMap {
    paint: Option<(Variant, Program)>,
    palette: Buffer,
    tint: Option<Buffer>,
    gpu: Gpu,
}

/// `LOGARITHMIC`, `LINES`, `SMOOTH`, `OVER`, `TINT`, `RELIEF` and `BLOCKS` of the kernel.
type Variant = [bool; 7];

impl ColourMap {
    /// A map of 256 colours, red, green and blue in 0 to 255.
    ///
    /// # Errors
    /// Those of making a buffer and a program.
    pub fn new(gpu: &Gpu, colours: &[[u8; 3]; 256]) -> Result<ColourMap> {
        let palette = gpu.buffer(256, 1).components(3).named("palette").build()?;
        let mut map = ColourMap { paint: None, palette, tint: None, gpu: gpu.clone() };
        map.set_colours(colours)?;
        map.program(Variant::default())?;
        Ok(map)
    }

    /// Changes the colours.
    pub fn set_colours(&mut self, colours: &[[u8; 3]; 256]) -> Result<()> {
        let values: Vec<f32> = colours.iter().flatten().map(|&c| f32::from(c) / 255.0).collect();
        self.palette.write(&values)
    }

    /// Shows the first columns and rows in colours of their own from now on, as many as `tint` has, in place of the map's: (red, green, blue)
    /// of brightness 1, that is 0.299 red + 0.587 green + 0.114 blue = 1, times the share of the number, which remains its brightness. A
    /// colour with a part beyond 1 is mixed with the grey of its brightness as far as it must.
    pub fn set_tint(&mut self, tint: Option<&Buffer>) {
        self.tint = tint.cloned();
    }

    /// Draws all of `buffer` into the part `place` of a framebuffer, `None` for the window.
    ///
    /// OpenGL counts rows from the bottom, so the picture is turned over here.
    ///
    /// # Errors
    /// [`Error::BadParameter`] if the mapping's ends are equal or not finite.
    pub fn draw(
        &mut self,
        buffer: &Buffer,
        mapping: Mapping,
        framebuffer: Option<GlowFramebuffer>,
        place: Rect,
    ) -> Result<()> {
        let (width, height) = (buffer.width() as f32, buffer.height() as f32);
        let program = self.prepare(buffer, mapping)?;
        program.bind_domain("coords", Domain::new(0.0, height, width, 0.0))?;
        program.onto_framebuffer(framebuffer, place).run()?;
        program.release_streams();
        Ok(())
    }

    /// The picture at one pixel an element: red, green, blue, alpha, row after row from the top.
    ///
    /// # Errors
    /// As [`ColourMap::draw`].
    pub fn picture(&mut self, buffer: &Buffer, mapping: Mapping) -> Result<Vec<u8>> {
        let shape = Shape { width: buffer.width(), height: buffer.height(), format: Format::Rgba8 };
        let picture = self.gpu.context().texture(shape)?;
        let program = self.prepare(buffer, mapping)?;
        program.bind_domain("coords", buffer.rect())?;
        // Row 0 of the picture's memory is its first row both in OpenGL and in a file: nothing turns over.
        program.onto_framebuffer(Some(picture.framebuffer()), buffer.rect()).run()?;
        program.release_streams();
        picture.read_bytes()
    }

    fn prepare(&mut self, buffer: &Buffer, mapping: Mapping) -> Result<&mut Program> {
        let Mapping { channels, low, high, missing, tones, smooth, over, relief, blocks } = mapping;
        check_ends(low, high)?;
        let (palette, tint, lines) = (self.palette.clone(), self.tint.clone(), tones.lines > 0);
        let lit = [relief > 0.0, blocks];
        let program =
            self.program([tones.logarithmic, lines, smooth, over.is_some(), tint.is_some(), lit[0], lit[1]])?;
        program
            .bind_stream("picture", buffer)?
            .bind_stream("palette", &palette)?
            .bind_float("channels", channels)?
            .bind_float("low_high", [low, high])?
            .bind_float("missing", missing)?;
        if tones.lines > 0 {
            program.bind_float("lines", tones.lines as f32)?;
        }
        if let Some(tint) = &tint {
            program.bind_stream("tint", tint)?;
        }
        if let Some(over) = over {
            program.bind_float("over", over)?;
        }
        if relief > 0.0 {
            program.bind_float("relief", relief)?;
        }
        Ok(program)
    }

    fn program(&mut self, wanted: Variant) -> Result<&mut Program> {
        let load = || {
            let [logarithmic, lines, smooth, over, tint, relief, blocks] = wanted.map(u32::from);
            let kernel = kernels::named("view/colour_map.frag")?.with(Prelude::Tones);
            let kernel = kernel.define("LOGARITHMIC", logarithmic).define("LINES", lines);
            let kernel = kernel.define("SMOOTH", smooth).define("OVER", over).define("TINT", tint);
            self.gpu.load(kernel.define("RELIEF", relief).define("BLOCKS", blocks))
        };
        variant(&mut self.paint, wanted, load)
    }
}

/// The program of that variant, which is kept for the next picture. The context knows the texts of all that it has compiled.
fn variant<V: PartialEq>(
    kept: &mut Option<(V, Program)>,
    wanted: V,
    load: impl FnOnce() -> Result<Program>,
) -> Result<&mut Program> {
    let program = match kept.take() {
        Some((known, program)) if known == wanted => program,
        _ => load()?,
    };
    Ok(&mut kept.insert((wanted, program)).1)
}

/// Checks the ends of a range of colours.
fn check_ends(low: f32, high: f32) -> Result<()> {
    if low.is_finite() && high.is_finite() && low != high {
        return Ok(());
    }
    let (found, expected) = (format!("{low} to {high}"), "two different finite ends".to_owned());
    Err(Error::BadParameter { name: "range of the colour map", found, expected })
}

/// The largest rectangle of the aspect `width` : `height` in the middle of a window of that size.
pub fn keep_aspect(width: u32, height: u32, window_width: u32, window_height: u32) -> Rect {
    let scale = (f64::from(window_width) / f64::from(width.max(1)))
        .min(f64::from(window_height) / f64::from(height.max(1)));
    let side = |n: u32, most: u32| ((f64::from(n) * scale).round() as u32).clamp(1, most.max(1));
    let (w, h) = (side(width, window_width), side(height, window_height));
    let (x, y) = (window_width.saturating_sub(w) / 2, window_height.saturating_sub(h) / 2);
    Rect::new(x, y, x + w, y + h)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_aspect_is_kept_in_the_middle() {
        assert_eq!(keep_aspect(100, 100, 300, 200), Rect::new(50, 0, 250, 200));
        assert_eq!(keep_aspect(200, 100, 300, 300), Rect::new(0, 75, 300, 225));
        assert_eq!(keep_aspect(1, 1000, 10, 10), Rect::new(4, 0, 5, 10));
    }
}
