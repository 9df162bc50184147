//! The one way to draw, for all rooms: a pass names its parts and ends in [`Pass::onto`].
//!
//! On llvmpipe, a pass whose vertex program has streams first finishes everything before it. llvmpipe runs vertex
//! programs when they are called, and reads textures that its threads are still drawing (Mesa 22.3.6: one of seven
//! least-squares solves over points was wrong in its last digits or worse). With the wait, 190 solves of the same test
//! were right.

use std::rc::Rc;

use glow::HasContext;

use super::framebuffer::DepthStencil;
use super::linked::{Bound, ConstantSlot, Constants, Linked, MAX_DOMAINS};
use super::observe::Drawn;
use super::points::VertexBuffer;
use super::state::{Blend, Mask, State, UNITS};
use super::{Context, Edges, Format, Rect, Shape, Texture};
use crate::{Error, Result};

/// The share of a tally that a fragment leaves: 255/256. Its powers stay apart in 32 bits, and above 0, up to twenty thousand of them.
pub(crate) const TALLIED: f32 = 1.0 - 1.0 / 256.0;

/// The target of a pass.
#[derive(Clone, Copy)]
enum Target<'t> {
    /// One texture for each RANGE of the kernel, in order.
    Textures(&'t [&'t Texture]),
    /// A foreign framebuffer, `None` for the window.
    Framebuffer(Option<glow::Framebuffer>),
}

impl Target<'_> {
    /// Returns true if blending into it needs EXT_float_blend; the formats of foreign framebuffers are not known.
    fn is_float32(&self) -> bool {
        let float32 = |format| matches!(format, Format::R32F | Format::Rg32F | Format::Rgba32F);
        matches!(self, Target::Textures(targets) if targets.iter().any(|t| float32(t.shape().format)))
    }

    /// Returns true if the texture is written, or the framebuffer is the texture's own.
    fn is(&self, texture: &Texture) -> bool {
        match self {
            Target::Textures(targets) => targets.iter().any(|t| t.storage.serial == texture.storage.serial),
            Target::Framebuffer(framebuffer) => *framebuffer == Some(texture.storage.framebuffer),
        }
    }
}

/// The geometry of a pass.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub enum Geometry<'a> {
    /// The quad over the range.
    Quad,
    /// One point for each vertex of the buffer.
    Points(&'a VertexBuffer),
    /// This many points without attributes: the vertex kernel uses `gl_VertexID`.
    CountedPoints(u32),
    /// One strip of triangles over this many vertices without attributes: each triangle shares two with the
    /// one before, and the vertex kernel sets `gl_Position` by `gl_VertexID`.
    CountedStrip(u32),
    /// Triangles over this many vertices without attributes, three each; the vertex kernel as for a strip.
    CountedTriangles(u32),
}

/// A pass in the making: (kernel, streams in, constants, domains) → range of targets. Settings that are not given keep
/// their default, and nothing is allocated. [`Pass::onto`] draws it.
#[doc(hidden)]
pub struct Pass<'a> {
    context: &'a Context,
    kernel: Rc<Linked>,
    streams: [Bound<'a>; UNITS],
    /// How many streams were given; those past the units are not kept.
    count: usize,
    constants: Constants<'a>,
    domains: Option<&'a [[f32; 4]]>,
    range: Option<Rect>,
    blend: Blend,
    depth_stencil: Option<(&'a DepthStencil, Mask, f32)>,
    geometry: Geometry<'a>,
}

impl Context {
    /// Begins a pass of that kernel.
    #[doc(hidden)]
    pub fn pass(&self, kernel: Rc<Linked>) -> Pass<'_> {
        Pass {
            context: self,
            kernel,
            streams: [None; UNITS],
            count: 0,
            constants: Constants::Floats(&[]),
            domains: None,
            range: None,
            blend: Blend::Replace,
            depth_stencil: None,
            geometry: Geometry::Quad,
        }
    }
}

impl<'a> Pass<'a> {
    /// The next streams, in the order in which the kernel declares them. Beyond their edges they repeat the nearest texel.
    pub fn streams<'t: 'a>(&mut self, textures: impl IntoIterator<Item = &'t Texture>) -> &mut Self {
        self.streams_by(Edges::Clamp, textures)
    }

    /// [`Pass::streams`] with an edge rule.
    pub fn streams_by<'t: 'a>(
        &mut self,
        edges: Edges,
        textures: impl IntoIterator<Item = &'t Texture>,
    ) -> &mut Self {
        for texture in textures {
            self.stream(edges, texture);
        }
        self
    }

    /// The next stream.
    pub(crate) fn stream(&mut self, edges: Edges, texture: &'a Texture) {
        if let Some(slot) = self.streams.get_mut(self.count) {
            *slot = Some((texture, edges));
        }
        self.count += 1;
    }

    /// All constants, in the order of declaration; components that a constant has not are 0.
    pub fn constants(&mut self, constants: &'a [[f32; 4]]) -> &mut Self {
        self.constants = Constants::Floats(constants);
        self
    }

    /// All constants of any types, in the order of declaration: the 32 bits of each of their numbers.
    pub(crate) fn words(&mut self, constants: &'a [Vec<u32>]) -> &mut Self {
        self.constants = Constants::Words(constants);
        self
    }

    /// x0, y0, x1, y1 of each domain in texels, in the order of declaration. By default every domain is the range.
    pub fn domains(&mut self, domains: &'a [[f32; 4]]) -> &mut Self {
        self.domains = Some(domains);
        self
    }

    /// Writes only this part of the targets. Unsaid, all of the first.
    pub fn over(&mut self, range: Rect) -> &mut Self {
        self.range = Some(range);
        self
    }

    /// How fragments meet what is there. Unsaid, they replace it.
    pub fn blended(&mut self, blend: Blend) -> &mut Self {
        self.blend = blend;
        self
    }

    /// Draws only the fragments that pass the tests of `mask`; the quad lies at `depth`, 0 near to 1 far.
    pub fn masked(&mut self, surface: &'a DepthStencil, mask: Mask, depth: f32) -> &mut Self {
        self.depth_stencil = Some((surface, mask, depth));
        self
    }

    /// Draws points or triangles instead of a quad.
    pub fn geometry(&mut self, geometry: Geometry<'a>) -> &mut Self {
        self.geometry = geometry;
        self
    }

    /// Draws the pass into one texture for each RANGE of the kernel, in order.
    ///
    /// # Errors
    /// [`Error::OtherContext`], [`Error::Unbound`], [`Error::Feedback`], [`Error::WrongShape`] for a number of targets that
    /// is not the kernel's, [`Error::OutsideTarget`], [`Error::OverLimit`] for more vertices than OpenGL counts;
    /// [`Error::Unsupported`] for blending where the limits have none; [`Error::Driver`] for a combination of targets that
    /// the driver refuses, and where its compiler left streams or constants out, which would shift those after them.
    pub fn onto(&self, targets: &[&Texture]) -> Result<()> {
        self.draw(Target::Textures(targets))
    }

    /// Draws the pass into a foreign framebuffer, `None` for the window, over a range that must be given.
    ///
    /// # Errors
    /// As [`Pass::onto`].
    pub fn onto_framebuffer(&self, framebuffer: Option<glow::Framebuffer>) -> Result<()> {
        self.draw(Target::Framebuffer(framebuffer))
    }

    /// Ends every pass: checks it, tells OpenGL the changes of state, draws it and counts it.
    fn draw(&self, target: Target) -> Result<()> {
        let (context, kernel) = (self.context, &*self.kernel);
        let target_size = match target {
            Target::Textures([first, ..]) => Some((first.shape().width, first.shape().height)),
            _ => None,
        };
        let whole = || target_size.map_or(Rect::whole(0, 0), |(width, height)| Rect::whole(width, height));
        let range = self.range.unwrap_or_else(whole);
        self.check(target, range)?;
        // The canvas may have its next context by now, to which this program and these textures are strangers.
        if context.is_lost() {
            return Ok(());
        }
        let observer = context.observer();
        let drawn = Drawn {
            context,
            kernel: &self.kernel,
            streams: &self.streams[..self.count],
            constants: self.constants,
            domains: self.domains,
            range,
            targets: if let Target::Textures(targets) = target { targets } else { &[] },
            blend: self.blend,
            mask: self.depth_stencil.map(|(_, mask, depth)| (mask, depth)),
            geometry: self.geometry,
        };
        // A texture in which each fragment leaves a trace, where an observer asks for one.
        let tally = match &observer {
            Some(observer) if observer.before(&drawn)? => Some(self.tally(target, range)?),
            _ => None,
        };
        let gl = context.gl();
        if kernel.fetches_in_vertex && context.hasty_vertices {
            self.settle();
        }
        let witness = self.witness(target, range)?;
        let framebuffer = match target {
            Target::Framebuffer(framebuffer) => framebuffer,
            Target::Textures(targets) => {
                Some(context.framebuffer_of(targets, self.depth_stencil.map(|d| d.0))?)
            }
        };
        let target_size = target_size.unwrap_or((range.x1, range.y1));
        let (mask, depth) =
            self.depth_stencil.map_or((Mask::default(), 0.0), |(_, mask, depth)| (mask, depth));
        // Points and triangles are placed by their own coordinates over the whole target, quads by the viewport.
        let viewport = match self.geometry {
            Geometry::Quad => range,
            _ => Rect::whole(target_size.0, target_size.1),
        };
        {
            let mut state = context.state.borrow_mut();
            state.fixed(gl);
            state.take_calls(); // those of uploads and read-backs since the last pass
            state.framebuffer(gl, framebuffer);
            state.viewport(gl, viewport);
            state.blend(gl, self.blend);
            state.mask(gl, mask);
            state.program(gl, Some(kernel.program));
            state.vertex_array(
                gl,
                Some(match self.geometry {
                    Geometry::Points(vertices) => vertices.vertex_array(),
                    _ => context.empty_vertex_array(),
                }),
            );
        }
        let unsaid;
        let domains = match self.domains {
            Some(domains) => domains,
            None => {
                unsaid = [range.corners(); MAX_DOMAINS];
                &unsaid
            }
        };
        let places = (domains, &self.streams[..self.count]);
        let mut calls = kernel.set_constants(gl, self.constants);
        calls += kernel.set_places(gl, places, depth, target_size);
        // The unit that is active comes first: it need not be made active again.
        let active = context.state.borrow().active().min(self.count);
        for slot in (active..self.count).chain(0..active) {
            if let Some((texture, edges)) = self.streams[slot] {
                calls += kernel.set_stream(context, slot, texture, edges);
            }
        }
        // The viewport keeps a quad inside its range, and other primitives inside the whole of a texture. Of a foreign framebuffer nobody
        // knows the size, and a large point may reach beyond the viewport there.
        let kept = matches!(self.geometry, Geometry::Quad)
            || (matches!(target, Target::Textures(_)) && range == viewport);
        let cut = (!kept).then_some(range);
        if let Some(witness) = witness {
            self.draw_witness(witness, (framebuffer, mask), cut, State::blend_to_zero);
        }
        if let Some((_, tally)) = &tally {
            let fade: fn(&mut State, &glow::Context) = |state, gl| state.blend_to_share(gl, TALLIED);
            self.draw_witness(*tally, (framebuffer, mask), cut, fade);
        }
        self.draw_geometry(cut);
        calls += context.state.borrow_mut().take_calls() + if cut.is_some() { 4 } else { 1 };
        context.count(|c| {
            c.passes += 1;
            c.calls += calls;
        });
        match observer {
            None => Ok(()),
            Some(observer) => observer.after(&drawn, tally.as_ref().map(|(texture, _)| texture)),
        }
    }

    /// Waits for what is drawn into the streams. A page has no other wait than to read them.
    fn settle(&self) {
        self.context.finish();
        if self.context.driver().in_page {
            for (texture, _) in self.streams[..self.count].iter().flatten() {
                self.context.read_texel(texture.storage);
            }
        }
    }

    /// The framebuffer in which this pass is to leave its mark, where a query of samples has witnesses.
    fn witness(&self, target: Target, range: Rect) -> Result<Option<glow::Framebuffer>> {
        if self.context.marks.borrow().is_none() {
            return Ok(None);
        }
        let (width, height) = match target {
            Target::Textures([first, ..]) => (first.shape().width, first.shape().height),
            _ => (range.x1, range.y1),
        };
        self.context.witness_of(width, height, self.depth_stencil.map(|d| d.0))
    }

    /// A texture of ones, as large as the target, and the framebuffer that draws into it: each fragment that passes multiplies by
    /// [`TALLIED`].
    fn tally(&self, target: Target, range: Rect) -> Result<(Texture, glow::Framebuffer)> {
        let Target::Textures([first, ..]) = target else {
            let what = self.kernel.kernel.clone();
            return Err(Error::Driver { what, message: format!("no texture to count in over {range}") });
        };
        let Shape { width, height, .. } = first.shape();
        // The observer hears nothing of it.
        let observer = self.context.observer.take();
        let tally = first.context.texture(Shape { width, height, format: Format::R32F });
        let tally = tally.inspect(|tally| tally.clear([1.0; 4]));
        self.context.observer.replace(observer);
        let tally = tally?;
        let framebuffer = self.context.framebuffer_of(&[&tally], self.depth_stencil.map(|d| d.0))?;
        Ok((tally, framebuffer))
    }

    /// Draws the pass as it is about to be drawn, but for the values: `blend` says what each fragment that passes writes.
    fn draw_witness(
        &self,
        witness: glow::Framebuffer,
        (framebuffer, mask): (Option<glow::Framebuffer>, Mask),
        cut: Option<Rect>,
        blend: fn(&mut State, &glow::Context),
    ) {
        let gl = &self.context.gl;
        {
            let mut state = self.context.state.borrow_mut();
            state.framebuffer(gl, Some(witness));
            state.mask(gl, mask.writing_nothing());
            blend(&mut state, gl);
        }
        self.draw_geometry(cut);
        let mut state = self.context.state.borrow_mut();
        state.framebuffer(gl, framebuffer);
        state.mask(gl, mask);
        state.blend(gl, self.blend);
    }

    /// Checks that nothing is missing, too much, of another context, or both read and written. Otherwise OpenGL would
    /// read beyond buffers, use old bindings, or give a random result.
    fn check(&self, target: Target, range: Rect) -> Result<()> {
        let kernel = &*self.kernel;
        let name = || kernel.kernel.clone();
        let of_other = |what: &str| Error::OtherContext { what: what.to_owned() };
        let ours = |context: &Context, what: &str| match std::ptr::eq(context, self.context) {
            true => Ok(()),
            false => Err(of_other(what)),
        };
        if kernel.context != self.context.serial {
            return Err(of_other("program"));
        }
        self.check_counts()?;
        for (slot, stream) in kernel.streams.iter().zip(&self.streams) {
            let Some((texture, _)) = stream else { continue };
            ours(&texture.context, "texture of a stream")?;
            if target.is(texture) {
                let (stream, buffer) = (slot.name.clone(), texture.describe());
                return Err(Error::Feedback { kernel: name(), stream, buffer });
            }
        }
        self.check_target(target, range)?;
        if let Some((surface, ..)) = self.depth_stencil {
            ours(surface.context(), "depth-stencil surface")?;
        }
        let count = match self.geometry {
            Geometry::Quad => 3,
            Geometry::Points(vertices) => {
                ours(vertices.context(), "vertex buffer")?;
                vertices.len() as u64
            }
            Geometry::CountedPoints(count)
            | Geometry::CountedStrip(count)
            | Geometry::CountedTriangles(count) => count.into(),
        };
        let limit = i32::MAX as u64;
        if count > limit {
            let (what, quantity) = (name(), "number of vertices");
            return Err(Error::OverLimit { what, quantity, found: count, limit });
        }
        if self.blend == Blend::Add && !self.context.limits.float_blend && target.is_float32() {
            return Err(Error::Unsupported {
                what: format!("additive blending in {}", name()),
                needs: "EXT_float_blend",
                renderer: self.context.limits_name().to_owned(),
            });
        }
        Ok(())
    }

    /// As many streams and constants as the kernel has, and a domain for each of its own.
    fn check_counts(&self) -> Result<()> {
        let kernel = &*self.kernel;
        let given = (self.count, self.constants.len());
        let left = (kernel.streams.len(), kernel.constants.len());
        let domains = self.domains.map_or(usize::MAX, <[_]>::len);
        let fits = |(place, slot): (usize, &ConstantSlot)| match self.constants {
            Constants::Floats(_) => slot.kind.is_float_vector() && slot.len == 0,
            Constants::Words(words) => words.get(place).is_none_or(|words| words.len() == slot.numbers()),
        };
        if let Some(slot) =
            kernel.constants.iter().enumerate().find(|slot| !fits(*slot)).map(|(_, slot)| slot)
        {
            return Err(Error::WrongType {
                kernel: kernel.kernel.clone(),
                name: slot.name.clone(),
                declared: slot.declaration(),
                bound: "a value of another type".into(),
                has: kernel.constants.iter().map(ConstantSlot::declaration).collect(),
            });
        }
        if given == left && domains >= kernel.domains.len() {
            return Ok(());
        }
        let unbound = |kind, name: &str| {
            Err(Error::Unbound { kernel: kernel.kernel.clone(), kind, name: name.to_owned() })
        };
        if let Some(slot) = kernel.streams.get(given.0) {
            return unbound("stream", &slot.name);
        }
        if let Some(slot) = kernel.constants.get(given.1) {
            return unbound("constant", &slot.name);
        }
        if let Some(name) = kernel.domains.get(domains) {
            return unbound("domain", name);
        }
        // A stream or constant that the compiler leaves out would shift all that come after it.
        let message = format!(
            "{} streams and {} constants are given, the compiler left {} and {}",
            given.0, given.1, left.0, left.1
        );
        Err(Error::Driver { what: kernel.kernel.clone(), message })
    }

    /// One texture of this context for each output, none of them twice, and the range inside all of them.
    fn check_target(&self, target: Target, range: Rect) -> Result<()> {
        let outputs = self.kernel.outputs.len();
        let what = || self.kernel.kernel.clone();
        let outside =
            |width, height| Error::OutsideTarget { what: what(), range: range.to_string(), width, height };
        let Target::Textures(targets) = target else {
            let most = i32::MAX as u32;
            return if range.x1 > most || range.y1 > most { Err(outside(most, most)) } else { Ok(()) };
        };
        if targets.len() != outputs {
            let (found, expected) =
                (format!("{} targets", targets.len()), format!("{outputs}, one for each RANGE"));
            return Err(Error::WrongShape { what: what(), found, expected });
        }
        for (place, target) in targets.iter().enumerate() {
            if !std::ptr::eq(&*target.context, self.context) {
                return Err(Error::OtherContext { what: "target".to_owned() });
            }
            if targets[..place].iter().any(|other| other.storage.serial == target.storage.serial) {
                let (found, expected) =
                    (format!("{} twice", target.describe()), "different targets".to_owned());
                return Err(Error::WrongShape { what: what(), found, expected });
            }
            let Shape { width, height, .. } = target.shape();
            if range.x1 > width || range.y1 > height {
                return Err(outside(width, height));
            }
        }
        Ok(())
    }

    /// Draws, inside of `cut` alone where one is given: by the scissor test, which nothing else uses.
    fn draw_geometry(&self, cut: Option<Rect>) {
        let gl = &self.context.gl;
        let (mode, count) = match self.geometry {
            Geometry::Quad => (glow::TRIANGLES, 3),
            Geometry::Points(vertices) => (glow::POINTS, vertices.len() as i32),
            Geometry::CountedPoints(count) => (glow::POINTS, count as i32),
            Geometry::CountedStrip(count) => (glow::TRIANGLE_STRIP, count as i32),
            Geometry::CountedTriangles(count) => (glow::TRIANGLES, count as i32),
        };
        // SAFETY: everything the pass needs is bound, and the buffer holds that many vertices; those of a quad come from `gl_VertexID`.
        unsafe {
            let Some(cut) = cut else { return gl.draw_arrays(mode, 0, count) };
            let [x, y, width, height] = [cut.x0, cut.y0, cut.width(), cut.height()].map(|v| v as i32);
            gl.enable(glow::SCISSOR_TEST);
            gl.scissor(x, y, width, height);
            gl.draw_arrays(mode, 0, count);
            gl.disable(glow::SCISSOR_TEST);
        }
    }
}
