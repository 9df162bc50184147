//! Runs of a program: all checks, then one pass.
//!
//! A stream that is bound to the output is refused with the names of stream and buffer; the paper unbinds such a stream
//! (row C3).

use std::rc::Rc;

use super::{Buffer, ConstantKey, Precision, Program, StreamKey, Value};
use crate::gl::{
    Blend, DepthStencil, Geometry, GlowFramebuffer, MAX_DOMAINS, Mask, Rect, Rounding, TARGETS, Texture,
    VertexBuffer, type_name,
};
use crate::{Error, Result};

impl Program {
    /// Runs the kernel over all of `target` (`pugRunProgram`).
    ///
    /// # Errors
    /// [`Error::Feedback`] if a bound stream reads `target`, [`Error::Unbound`], [`Error::Access`],
    /// [`Error::OtherContext`]; [`Error::WrongShape`] if the kernel writes fewer components than it has.
    pub fn run(&self, target: &Buffer) -> Result<()> {
        self.onto(&[target]).run()
    }

    /// Runs the kernel over part of `target`; the rest stays as it is.
    ///
    /// # Errors
    /// As [`Program::run`]; [`Error::OutsideTarget`], [`Error::Empty`].
    pub fn run_over(&self, target: &Buffer, range: Rect) -> Result<()> {
        self.onto(&[target]).over(range).run()
    }

    /// Begins a run with several targets, a range, blending, a mask, points or triangles. Two targets at once:
    /// [`Derivatives`](crate::streams::Derivatives).
    pub fn onto<'a>(&'a self, targets: &'a [&'a Buffer]) -> Run<'a> {
        Run {
            program: self,
            targets,
            framebuffer: None,
            range: None,
            blend: Blend::Replace,
            depth_stencil: None,
            geometry: Geometry::Quad,
            streams: Vec::new(),
            constants: None,
        }
    }

    /// Begins a run over part of a foreign framebuffer; `None` is the window. The framebuffer of a bound buffer
    /// ([`Texture::framebuffer`]) is refused; textures that foreign code attached to its own framebuffer are not known
    /// here.
    pub fn onto_framebuffer(&self, framebuffer: Option<GlowFramebuffer>, range: Rect) -> Run<'_> {
        Run { framebuffer: Some(framebuffer), range: Some(range), ..self.onto(&[]) }
    }
}

/// A run in the making.
#[must_use = "a run does nothing until `.run()`"]
pub struct Run<'a> {
    program: &'a Program,
    targets: &'a [&'a Buffer],
    framebuffer: Option<Option<GlowFramebuffer>>,
    range: Option<Rect>,
    blend: Blend,
    depth_stencil: Option<(&'a DepthStencil, Mask, f32)>,
    geometry: Geometry<'a>,
    /// Buffers in the place of those that are bound.
    streams: Vec<(usize, &'a Buffer)>,
    /// All constants, where this run has some of its own; none of those that nobody bound.
    constants: Option<Vec<Vec<u32>>>,
}

impl<'a> Run<'a> {
    /// Reads this buffer in this run alone: what is bound to the program stays, and a program that nobody may change can read
    /// something else in each run.
    ///
    /// # Errors
    /// As [`Program::bind_stream`].
    pub fn stream(mut self, stream: impl StreamKey, buffer: &'a Buffer) -> Result<Self> {
        let place = stream.stream_in(self.program)?;
        self.program.check_stream(buffer)?;
        self.streams.push((place, buffer));
        Ok(self)
    }

    /// Has this value of a constant in this run alone.
    ///
    /// # Errors
    /// As [`Program::bind_constant`].
    pub fn constant(mut self, constant: impl ConstantKey, value: impl Value) -> Result<Self> {
        let place = constant.constant_in(self.program)?;
        let constants = self.constants.get_or_insert_with(|| self.program.constants.clone());
        self.program.words_of(place, &value, &mut constants[place])?;
        Ok(self)
    }

    /// The buffer that a stream reads in this run.
    fn bound(&self, place: usize) -> Option<&Buffer> {
        let own = self.streams.iter().rfind(|(stream, _)| *stream == place).map(|(_, buffer)| *buffer);
        own.or(self.program.streams[place].as_ref())
    }

    /// The words of all constants in this run.
    fn words(&self) -> &[Vec<u32>] {
        self.constants.as_ref().unwrap_or(&self.program.constants)
    }

    /// Writes only these elements.
    pub fn over(self, range: Rect) -> Self {
        Run { range: Some(range), ..self }
    }

    /// Adds to the values that the target has; [`Buffer::write`] sets them. Where the driver cannot blend 32-bit floats, and for emulated formats, the sum
    /// of a quad takes one more pass into a texture of the pool and a copy for each target; points cannot be added
    /// there. Targets that are all of [`Precision::Fixed8`] can be blended everywhere.
    pub fn adding(self) -> Self {
        Run { blend: Blend::Add, ..self }
    }

    /// Draws only the fragments that pass the tests of `mask`; the quad lies at `depth`, 0 near to 1 far.
    pub fn masked(self, surface: &'a DepthStencil, mask: Mask, depth: f32) -> Self {
        Run { depth_stencil: Some((surface, mask, depth)), ..self }
    }

    /// Draws the vertices as points instead of a quad: scatter.
    pub fn points(self, vertices: &'a VertexBuffer) -> Self {
        Run { geometry: Geometry::Points(vertices), ..self }
    }

    /// Draws `count` points without attributes: the vertex kernel uses `gl_VertexID`.
    pub fn counted_points(self, count: u32) -> Self {
        Run { geometry: Geometry::CountedPoints(count), ..self }
    }

    /// Draws one strip of triangles over `count` vertices without attributes: the vertex kernel sets `gl_Position` from
    /// `gl_VertexID`. Fragments have the depth of their triangle.
    pub fn counted_strip(self, count: u32) -> Self {
        Run { geometry: Geometry::CountedStrip(count), ..self }
    }

    /// Draws triangles over `count` vertices without attributes, three each: the vertex kernel sets `gl_Position` from
    /// `gl_VertexID`. Fragments have the depth of their triangle.
    pub fn counted_triangles(self, count: u32) -> Self {
        Run { geometry: Geometry::CountedTriangles(count), ..self }
    }

    /// Checks everything and draws.
    ///
    /// # Errors
    /// See [`Program::run`]; [`Error::WrongShape`] for targets that differ in size or number from what the
    /// kernel writes, and for vertices that differ from what it declares; [`Error::Unsupported`] for added
    /// points where the driver has no float blending.
    pub fn run(self) -> Result<()> {
        let range = self.check_targets()?;
        self.check_streams()?;
        self.check_geometry()?;
        let [first, ..] = self.targets else {
            return self.draw(&[], range, self.blend);
        };
        // Blending knows nothing of the formats that passes emulate: their sums have to go through a kernel.
        let emulated = self.rounding() != Rounding::None;
        let blends = self.program.context().limits().float_blend
            || self.targets.iter().all(|target| target.precision() == Precision::Fixed8);
        if self.blend == Blend::Add && (emulated || !blends) {
            match self.geometry {
                Geometry::Quad => return self.add_by_ping_pong(range),
                _ if emulated => return Err(self.no_rounded_blending()),
                _ => {}
            }
        }
        let mut textures = [first.texture(); TARGETS];
        for (texture, target) in textures.iter_mut().zip(self.targets) {
            *texture = target.texture();
        }
        self.draw(&textures[..self.targets.len()], range, self.blend)
    }

    fn no_rounded_blending(&self) -> Error {
        Error::Unsupported {
            what: format!("adding points of {} to an emulated format", self.program.name()),
            needs: "blending that rounds as the format does",
            renderer: self.program.context().limits_name().to_owned(),
        }
    }

    fn draw(&self, targets: &[&Texture], range: Rect, blend: Blend) -> Result<()> {
        let program = self.program;
        let mut domains = [[0.0; 4]; MAX_DOMAINS];
        for (slot, domain) in domains.iter_mut().zip(&program.domains) {
            *slot = domain.unwrap_or(range.into()).corners;
        }
        let mut pass = program.context().pass(program.variant(self.rounding())?.clone());
        for buffer in (0..program.streams.len()).filter_map(|place| self.bound(place)) {
            pass.stream(buffer.edges(), buffer.texture());
        }
        if let Some((surface, mask, depth)) = self.depth_stencil {
            pass.masked(surface, mask, depth);
        }
        pass.words(self.words()).domains(&domains).over(range).blended(blend).geometry(self.geometry);
        match self.framebuffer {
            Some(framebuffer) => pass.onto_framebuffer(framebuffer),
            None => pass.onto(targets),
        }
    }

    /// target = target + kernel where floats cannot be blended: kernel → a, target + a → b, b → target.
    fn add_by_ping_pong(&self, range: Rect) -> Result<()> {
        let context = self.program.context();
        let mut added = Vec::new();
        for target in self.targets {
            let texture = context.texture(target.texture().shape())?;
            texture.clear([0.0; 4]); // a fragment that is discarded or masked adds nothing
            added.push(texture);
        }
        self.draw(&added.iter().collect::<Vec<_>>(), range, Blend::Replace)?;
        for (target, added) in self.targets.iter().zip(&added) {
            let sum = context.texture(target.texture().shape())?;
            let adder = self.program.adder(self.rounding())?.clone();
            context.pass(adder).streams([target.texture(), added]).over(range).onto(&[&sum])?;
            target.texture().copy_from(&sum, range);
        }
        Ok(())
    }

    /// How the targets store: the same for all of them, as `check_targets` has seen.
    fn rounding(&self) -> Rounding {
        self.targets.first().map_or(Rounding::None, |target| target.precision().rounding())
    }

    /// One target for each output, alike in size and rounding, each wide enough; the range inside them.
    fn check_targets(&self) -> Result<Rect> {
        let program = self.program;
        let outputs = &program.linked().outputs;
        let kernel = || program.name().to_owned();
        if self.framebuffer.is_none() && self.targets.len() != outputs.len() {
            let names: Vec<&str> = outputs.iter().map(|(name, _)| name.as_str()).collect();
            let found =
                format!("{} target{}", self.targets.len(), if self.targets.len() == 1 { "" } else { "s" });
            let expected = format!("{}, for RANGE {}", outputs.len(), names.join(", "));
            return Err(Error::WrongShape { what: kernel(), found, expected });
        }
        for (target, (output, components)) in self.targets.iter().zip(outputs) {
            program.check_context(target)?;
            if target.access() == super::Access::Read {
                let (mode, used) = ("read-only", "written by a pass");
                return Err(Error::Access { buffer: target.describe(), mode, used });
            }
            if *components < target.components() {
                return Err(Error::WrongShape {
                    what: format!("{}: RANGE {} {output}", kernel(), type_name(*components)),
                    found: format!("{} to write", target.describe()),
                    expected: format!("at most {components} components"),
                });
            }
        }
        let Some((first, others)) = self.targets.split_first() else {
            let range = self.range.unwrap_or(Rect::whole(0, 0));
            let (width, height) = (i32::MAX as u32, i32::MAX as u32);
            if range.x1 > width || range.y1 > height {
                return Err(Error::OutsideTarget { what: kernel(), range: range.to_string(), width, height });
            }
            return not_empty(kernel, range);
        };
        for (place, other) in self.targets.iter().enumerate() {
            if let Some(before) = self.targets[..place].iter().position(|target| target.is(other)) {
                let range = |place: usize| outputs.get(place).map_or("", |(name, _)| name.as_str());
                let found = format!(
                    "{} twice, for RANGE {} and RANGE {}",
                    other.describe(),
                    range(before),
                    range(place)
                );
                let expected = "a buffer of its own for each RANGE".to_owned();
                return Err(Error::WrongShape { what: kernel(), found, expected });
            }
        }
        for other in others {
            let same = other.rect() == first.rect() && other.precision().rounding() == self.rounding();
            if !same {
                let (found, expected) =
                    (other.describe(), format!("another of the shape of {}", first.describe()));
                return Err(Error::WrongShape { what: kernel(), found, expected });
            }
        }
        let range = self.range.unwrap_or(first.rect());
        if range.x1 > first.width() || range.y1 > first.height() {
            let (width, height) = (first.width(), first.height());
            return Err(Error::OutsideTarget { what: kernel(), range: range.to_string(), width, height });
        }
        not_empty(kernel, range)
    }

    /// Everything bound, and nothing read that is written.
    fn check_streams(&self) -> Result<()> {
        let program = self.program;
        let kernel = || program.name().to_owned();
        let slots = &program.linked().streams;
        for (place, slot) in slots.iter().enumerate() {
            let Some(buffer) = self.bound(place) else {
                return Err(Error::Unbound { kernel: kernel(), kind: "stream", name: slot.name.clone() });
            };
            if self.writes(buffer) {
                let (stream, buffer) = (slot.name.clone(), buffer.describe());
                return Err(Error::Feedback { kernel: kernel(), stream, buffer });
            }
        }
        match self.words().iter().zip(&program.linked().constants).find(|(words, _)| words.is_empty()) {
            Some((_, slot)) => {
                Err(Error::Unbound { kernel: kernel(), kind: "constant", name: slot.name.clone() })
            }
            None => Ok(()),
        }
    }

    /// Returns true if the buffer is a target, or its framebuffer the one that is drawn into.
    fn writes(&self, buffer: &Buffer) -> bool {
        self.targets.iter().any(|target| target.is(buffer))
            || self.framebuffer == Some(Some(buffer.texture().framebuffer()))
    }

    /// Points need a vertex kernel that declares their attributes; quads must not have one.
    fn check_geometry(&self) -> Result<()> {
        let program = self.program;
        let wrong = |found: &str, expected: &str| Error::WrongShape {
            what: program.name().to_owned(),
            found: found.to_owned(),
            expected: expected.to_owned(),
        };
        if let Some((surface, _, depth)) = self.depth_stencil {
            if !(0.0..=1.0).contains(&depth) {
                let (found, expected) = (depth.to_string(), "0 (near) to 1 (far)".to_owned());
                return Err(Error::BadParameter { name: "depth", found, expected });
            }
            let first = self.targets.first().map(|t| (t.width(), t.height()));
            if first != Some((surface.width(), surface.height())) || !surface.of_context(program.context()) {
                let size = format!("depth-stencil surface {}x{}", surface.width(), surface.height());
                return Err(wrong(&size, "the size and context of the target"));
            }
        }
        match (self.geometry, program.scatters()) {
            (Geometry::Quad, false) => Ok(()),
            (Geometry::Quad, true) => Err(wrong("a quad", "points: this program has a vertex kernel")),
            (Geometry::CountedPoints(count), true) => self.check_counted("points", count),
            (Geometry::CountedStrip(count) | Geometry::CountedTriangles(count), true) => {
                self.check_counted("vertices", count)
            }
            (Geometry::CountedStrip(_) | Geometry::CountedTriangles(_), false) => {
                Err(wrong("vertices", "a quad: this program has no vertex kernel"))
            }
            (_, false) => Err(wrong("points", "a quad: this program has no vertex kernel")),
            (Geometry::Points(vertices), true) => {
                if !Rc::ptr_eq(vertices.context(), program.context()) {
                    return Err(Error::OtherContext { what: "vertex buffer".into() });
                }
                let given = vertices.attributes().iter().map(|(name, _)| name);
                if given.eq(&program.linked().vertices) {
                    return Ok(());
                }
                let given: Vec<&str> = vertices.attributes().iter().map(|(name, _)| name.as_str()).collect();
                let declared = program.linked().vertices.join(", ");
                Err(wrong(&format!("vertices with {}", given.join(", ")), &format!("VERTEX {declared}")))
            }
        }
    }

    /// No more vertices than OpenGL counts, and a vertex kernel that asks for no attributes.
    fn check_counted(&self, of: &'static str, count: u32) -> Result<()> {
        let (program, limit) = (self.program, i32::MAX as u32);
        let what = program.name().to_owned();
        if count > limit {
            let (found, limit) = (count.into(), limit.into());
            return Err(Error::OverLimit { what, quantity: "number of vertices", found, limit });
        }
        if program.linked().vertices.is_empty() {
            return Ok(());
        }
        let expected = format!("vertices with VERTEX {}", program.linked().vertices.join(", "));
        Err(Error::WrongShape { what, found: format!("counted {of}"), expected })
    }
}

fn not_empty(kernel: impl Fn() -> String, range: Rect) -> Result<Rect> {
    if range.area() == 0 {
        let what = format!("{}: range {range}", kernel());
        return Err(Error::Empty { what, width: range.width(), height: range.height() });
    }
    Ok(range)
}
