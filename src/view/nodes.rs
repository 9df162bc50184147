//! Numbers at the nodes of a rectangle with y upward, as colours with contour lines and arrows; those of a line as a curve.
//!
//! A picture has any number of pixels: numbers are linear between nodes. Nothing is read back.

use super::{Tones, check_ends, keep_aspect};
use crate::gl::{Format, GlowFramebuffer, Rect, Shape};
use crate::pug::{Buffer, Domain, Gpu, Operator, Prelude, Program, Reduction};
use crate::{Result, kernels};

/// Contour lines at most.
pub const MOST_CONTOURS: usize = 8;

/// Nodes from arrow to arrow, as a part of the shorter side.
const ARROWS: f32 = 1.0 / 20.0;

/// Draws numbers at nodes.
pub struct Nodes {
    /// The program of colours: with arrows, by logarithms, with lines of equal shares, with a mask.
    colour: Option<([bool; 4], Program)>,
    curve: Program,
    turn: Program,
    palette: Buffer,
    /// The mask of a rectangle without one.
    everywhere: Buffer,
    lengths: Option<(Program, Reduction, Buffer)>,
    gpu: Gpu,
}

/// The numbers of a rectangle as they are to be drawn.
#[derive(Clone, Copy)]
pub struct NodeColours<'a> {
    /// A number a node.
    pub values: &'a Buffer,
    /// 1 at the nodes that belong to the domain; without it all do.
    pub inside: Option<&'a Buffer>,
    /// The numbers of the first and of the last colour.
    pub ends: [f32; 2],
    /// The colour outside the domain and of what is no number: red, green, blue in 0 to 1.
    pub missing: [f32; 3],
    /// The last colour is beside the first: a jump from one end to the other is none.
    pub cyclic: bool,
    /// The scale between the ends, and lines of equal shares over it.
    pub tones: Tones,
    /// Numbers at which lines are drawn, [`MOST_CONTOURS`] at most.
    pub contours: &'a [f32],
    /// A vector field drawn over it: along x and along y.
    pub arrows: Option<[&'a Buffer; 2]>,
    /// The row that is the upper one of the picture, where the rows of `values` are a ring: a buffer whose edges repeat.
    pub ring: Option<u32>,
}

/// The numbers of a line as they are to be drawn.
#[derive(Clone, Copy)]
pub struct NodeCurve<'a> {
    /// A row of numbers for each moment.
    pub rows: &'a Buffer,
    /// The newest row.
    pub row: u32,
    /// Curves of earlier moments, 6 at most.
    pub earlier: u32,
    /// Rows between two of them.
    pub apart: u32,
    /// The numbers near the lower and the upper end of the picture.
    pub ends: [f32; 2],
}

impl Nodes {
    /// Compiles the kernels.
    ///
    /// # Errors
    /// Those of buffers and programs.
    pub fn new(gpu: &Gpu, colours: &[[u8; 3]; 256]) -> Result<Nodes> {
        let palette = gpu.buffer(256, 1).components(3).named("palette").build()?;
        let everywhere = gpu.buffer(1, 1).named("everywhere").init(&[1.0])?;
        let (curve, turn) = (gpu.builtin("view/nodes_curve.frag")?, gpu.builtin("view/nodes_turn.frag")?);
        let gpu = gpu.clone();
        let mut nodes = Nodes { colour: None, curve, turn, palette, everywhere, lengths: None, gpu };
        nodes.program([false; 4])?;
        nodes.set_colours(colours)?;
        Ok(nodes)
    }

    fn program(&mut self, wanted: [bool; 4]) -> Result<&mut Program> {
        super::variant(&mut self.colour, wanted, || {
            let kernel = kernels::named("view/nodes_colour.frag")?.with(Prelude::Tones);
            let names = ["ARROWS", "LOGARITHMIC", "LINES", "MASKED"].into_iter().zip(wanted);
            self.gpu.load(names.fold(kernel, |kernel, (name, is_so)| kernel.define(name, u32::from(is_so))))
        })
    }

    /// Changes the colours.
    ///
    /// # Errors
    /// Those of writing a buffer.
    pub fn set_colours(&self, colours: &[[u8; 3]; 256]) -> Result<()> {
        let values: Vec<f32> = colours.iter().flatten().map(|&c| f32::from(c) / 255.0).collect();
        self.palette.write(&values)
    }

    /// Draws a rectangle into the part `place` of a framebuffer, `None` for the window.
    ///
    /// # Errors
    /// [`crate::Error::BadParameter`] if the ends are equal or not finite.
    pub fn draw(
        &mut self,
        look: &NodeColours,
        framebuffer: Option<GlowFramebuffer>,
        place: Rect,
    ) -> Result<()> {
        let (width, height) = (look.values.width() as f32, look.values.height() as f32);
        self.colours_onto(look, Domain::new(0.0, 0.0, width, height), framebuffer, place)
    }

    /// The picture of a rectangle, filled by the middle of it: red, green, blue, alpha, row after row from the top.
    ///
    /// # Errors
    /// As [`Nodes::draw`].
    pub fn picture(&mut self, look: &NodeColours, [width, height]: [u32; 2]) -> Result<Vec<u8>> {
        let (columns, rows) = (look.values.width(), look.values.height());
        // The part of the nodes that has the picture's aspect; a ring is stretched.
        let part = match look.ring {
            None => keep_aspect(width, height, columns, rows),
            Some(_) => Rect::whole(columns, rows),
        };
        let [x0, y0, x1, y1] = [part.x0, part.y0, part.x1, part.y1].map(|v| v as f32);
        let picture = self.gpu.context().texture(Shape { width, height, format: Format::Rgba8 })?;
        // Row 0 of the picture's memory is the first of a file, its upper one.
        self.colours_onto(
            look,
            Domain::new(x0, y1, x1, y0),
            Some(picture.framebuffer()),
            Rect::whole(width, height),
        )?;
        picture.read_bytes()
    }

    fn colours_onto(
        &mut self,
        look: &NodeColours,
        nodes: Domain,
        framebuffer: Option<GlowFramebuffer>,
        place: Rect,
    ) -> Result<()> {
        let [low, high] = look.ends;
        check_ends(low, high)?;
        let [x0, y0, x1, y1] = nodes.corners;
        let rows = look.values.height() as f32;
        let mut nodes = nodes;
        if let Some(first) = look.ring {
            // The columns of a ring of rows are none: an enlarged picture ends at its outer nodes.
            let margin = if place.width() > look.values.width() { 0.5 } else { 0.0 };
            let first = first as f32;
            nodes = Domain::new(x0 + margin, rows - y0 + first, x1 - margin, rows - y1 + first);
        }
        let pixel = [(x1 - x0).abs() / place.width() as f32, (y1 - y0).abs() / place.height() as f32];
        let longest = match look.arrows {
            Some([along, up]) => Some(self.longest(along, up, look.inside)?),
            None => None,
        };
        let (palette, everywhere) = (self.palette.clone(), self.everywhere.clone());
        let tones = look.tones;
        let (has_arrows, has_mask) = (look.arrows.is_some(), look.inside.is_some());
        let program = self.program([has_arrows, tones.logarithmic, tones.lines > 0, has_mask])?;
        let level = |at: usize| look.contours.get(at).copied().unwrap_or(0.0);
        let lines = look.contours.len().min(MOST_CONTOURS) as f32;
        program
            .bind_stream("values", look.values)?
            .bind_stream("palette", &palette)?
            .bind_float("low_high", [low, high])?
            .bind_float("pixel", pixel)?
            .bind_float("missing", look.missing)?
            .bind_float("lines", lines)?
            .bind_float("cyclic", f32::from(u8::from(look.cyclic)))?
            .bind_float("levels", [level(0), level(1), level(2), level(3)])?
            .bind_float("more_levels", [level(4), level(5), level(6), level(7)])?
            .bind_domain("coords", nodes)?;
        if has_arrows || has_mask {
            program.bind_stream("inside", look.inside.unwrap_or(&everywhere))?;
        }
        if tones.lines > 0 {
            program.bind_float("parts", tones.lines as f32)?;
        }
        if let (Some([along, up]), Some(longest)) = (look.arrows, &longest) {
            let shorter = look.values.width().min(look.values.height()) as f32;
            program
                .bind_stream("along", along)?
                .bind_stream("up", up)?
                .bind_stream("longest", longest)?
                .bind_float("between", (ARROWS * shorter).max(2.0))?;
        }
        program.onto_framebuffer(framebuffer, place).run()?;
        program.release_streams();
        Ok(())
    }

    /// The length of the longest arrow inside the mask, which stays on the GPU.
    fn longest(&mut self, along: &Buffer, up: &Buffer, inside: Option<&Buffer>) -> Result<Buffer> {
        let fits = |lengths: &Buffer| (lengths.width(), lengths.height()) == (along.width(), along.height());
        let (mut program, largest, lengths) = match self.lengths.take().filter(|(.., known)| fits(known)) {
            Some(known) => known,
            None => {
                let lengths = self.gpu.buffer(along.width(), along.height()).named("lengths").build()?;
                (self.gpu.builtin("view/arrow_length.frag")?, self.gpu.reduction(Operator::max()), lengths)
            }
        };
        program.bind_stream("along", along)?.bind_stream("up", up)?;
        program.bind_stream("inside", inside.unwrap_or(&self.everywhere))?;
        program.run(&lengths)?;
        program.release_streams();
        let longest = largest.both(&lengths)?;
        self.lengths = Some((program, largest, lengths));
        Ok(longest)
    }

    /// Draws a curve into the part `place` of a framebuffer, `None` for the window.
    ///
    /// # Errors
    /// [`crate::Error::BadParameter`] if the ends are equal or not finite.
    pub fn draw_curve(
        &mut self,
        curve: &NodeCurve,
        framebuffer: Option<GlowFramebuffer>,
        place: Rect,
    ) -> Result<()> {
        self.curve_onto(curve, false, framebuffer, place)
    }

    /// The picture of a curve: red, green, blue, alpha, row after row from the top.
    ///
    /// # Errors
    /// As [`Nodes::draw_curve`].
    pub fn curve_picture(&mut self, curve: &NodeCurve, [width, height]: [u32; 2]) -> Result<Vec<u8>> {
        let picture = self.gpu.context().texture(Shape { width, height, format: Format::Rgba8 })?;
        self.curve_onto(curve, true, Some(picture.framebuffer()), Rect::whole(width, height))?;
        picture.read_bytes()
    }

    fn curve_onto(
        &mut self,
        curve: &NodeCurve,
        turned: bool,
        framebuffer: Option<GlowFramebuffer>,
        place: Rect,
    ) -> Result<()> {
        let [low, high] = curve.ends;
        check_ends(low, high)?;
        let width = curve.rows.width() as f32;
        // From the first node to the last.
        let [bottom, top] = if turned { [1.0, 0.0] } else { [0.0, 1.0] };
        let pixel = [(width - 1.0) / place.width() as f32, 1.0 / place.height() as f32];
        self.curve
            .bind_stream("rows", curve.rows)?
            .bind_stream("palette", &self.palette)?
            .bind_float("low_high", [low, high])?
            .bind_float("pixel", pixel)?
            .bind_float("row", curve.row as f32)?
            .bind_float("apart", curve.apart as f32)?
            .bind_float("earlier", curve.earlier.min(6) as f32)?
            .bind_float("tick", tick(high - low))?
            .bind_domain("coords", Domain::new(0.5, bottom, width - 0.5, top))?;
        self.curve.onto_framebuffer(framebuffer, place).run()?;
        self.curve.release_streams();
        Ok(())
    }

    /// Writes a row of numbers into a row of moments.
    ///
    /// # Errors
    /// A buffer of another width.
    pub fn keep_row(&mut self, values: &Buffer, moments: &Buffer, row: u32) -> Result<()> {
        self.turn
            .bind_stream("values", values)?
            .bind_float("middle_scale", [0.0, 1.0])?
            .bind_domain("coords", values.rect())?;
        self.turn.run_over(moments, Rect::new(0, row, values.width(), row + 1))?;
        self.turn.release_streams();
        Ok(())
    }

    /// Writes the numbers of a rectangle as heights about −1 to 1 for [`super::HeightField`], whose row 0 is the farthest.
    ///
    /// # Errors
    /// [`crate::Error::BadParameter`] if the ends are equal or not finite; a buffer of another size.
    pub fn heights(&mut self, values: &Buffer, [low, high]: [f32; 2], heights: &Buffer) -> Result<()> {
        check_ends(low, high)?;
        let (width, height) = (values.width() as f32, values.height() as f32);
        self.turn
            .bind_stream("values", values)?
            .bind_float("middle_scale", [0.5 * (low + high), 2.0 / (high - low)])?
            .bind_domain("coords", Domain::new(0.0, height, width, 0.0))?;
        self.turn.run(heights)?;
        self.turn.release_streams();
        Ok(())
    }
}

/// The distance of lines across a range: 1, 2 or 5 times a power of ten, 3 to 8 of them.
fn tick(range: f32) -> f32 {
    let rough = (range.abs() / 5.0).max(f32::MIN_POSITIVE);
    let power = 10f32.powf(rough.log10().floor());
    let times = [1.0, 2.0, 5.0, 10.0].into_iter().find(|times| times * power >= 0.99 * rough);
    times.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::tick;

    #[test]
    fn lines_lie_at_round_numbers() {
        let near = |a: f32, b: f32| (a / b - 1.0).abs() < 1e-5;
        for (range, expected) in [(1.0, 0.2), (1.1, 0.5), (7.0, 2.0), (0.03, 0.01), (2000.0, 500.0)] {
            assert!(near(tick(range), expected), "{range}: {}", tick(range));
        }
    }
}
