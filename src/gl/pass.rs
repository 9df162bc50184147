//! The one thing that happens: (kernel, streams in, constants, domains) → range of a target.
//!
//! Vertices that fetch wait, on llvmpipe: its vertex programs run when they are called and read textures that its
//! threads are still drawing (Mesa 22.3.6: one least-squares solve over points in seven was wrong in its last digits
//! or worse). A pass whose vertex program has streams finishes everything before it there; 190 solves of the same test
//! were right.

use glow::HasContext;

use super::framebuffer::DepthStencil;
use super::points::VertexBuffer;
use super::program::Program;
use super::state::{Blend, Mask};
use super::{Context, Edges, Format, Rect, Shape, Texture};
use crate::{Error, Result};

/// The target of a pass.
#[derive(Clone, Copy)]
pub enum Target<'a> {
    /// One texture for each RANGE of the kernel, in order.
    Textures(&'a [&'a Texture]),
    /// A framebuffer of somebody else's, `None` for the window.
    Framebuffer(Option<glow::Framebuffer>),
}

impl Target<'_> {
    /// Returns true if blending into it needs EXT_float_blend; of foreign framebuffers only their owner knows.
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
#[derive(Clone, Copy)]
pub enum Geometry<'a> {
    /// The quad over the range.
    Quad,
    /// One point for each vertex of the buffer.
    Points(&'a VertexBuffer),
    /// This many points without attributes: the vertex kernel goes by `gl_VertexID`.
    CountedPoints(u32),
    /// One strip of triangles over this many vertices without attributes: each triangle shares two with the
    /// one before, and the vertex kernel sets `gl_Position` by `gl_VertexID`.
    CountedStrip(u32),
    /// Triangles over this many vertices without attributes, three each; the vertex kernel as for a strip.
    CountedTriangles(u32),
}

/// A pass, with the whole state it needs.
pub struct Pass<'a> {
    /// The kernel.
    pub program: &'a Program,
    /// The texture and edge rule of each stream, in the program's order.
    pub streams: &'a [Option<(&'a Texture, Edges)>],
    /// The constants, in the program's order; unused components are 0.
    pub constants: &'a [[f32; 4]],
    /// x0, y0, x1, y1 of each domain in texels, in the program's order.
    pub domains: &'a [[f32; 4]],
    /// The target that is written.
    pub target: Target<'a>,
    /// Where.
    pub range: Rect,
    /// How fragments meet what is there.
    pub blend: Blend,
    /// Depth and stencil surface, tests and the quad's depth.
    pub depth_stencil: Option<(&'a DepthStencil, Mask, f32)>,
    /// The geometry that is drawn.
    pub geometry: Geometry<'a>,
}

impl Context {
    /// Draws the pass.
    ///
    /// # Errors
    /// [`Error::OtherContext`], [`Error::Unbound`], [`Error::Feedback`], [`Error::WrongShape`] for a number of targets that
    /// is not the kernel's, [`Error::OutsideTarget`], [`Error::OverLimit`] for more vertices than OpenGL counts;
    /// [`Error::Unsupported`] for blending where the limits have none; [`Error::Driver`] for a combination of targets that
    /// the driver refuses.
    pub fn draw(&self, pass: &Pass) -> Result<()> {
        self.check_pass(pass)?;
        let gl = self.gl();
        if pass.program.fetches_in_vertex && self.hasty_vertices {
            self.finish();
        }
        let framebuffer = match pass.target {
            Target::Framebuffer(framebuffer) => framebuffer,
            Target::Textures(targets) => Some(self.framebuffer_of(targets, pass.depth_stencil.map(|d| d.0))?),
        };
        let target_size = match pass.target {
            Target::Textures([first, ..]) => (first.shape().width, first.shape().height),
            _ => (pass.range.x1, pass.range.y1),
        };
        if pass.blend == Blend::Add && !self.limits.float_blend && pass.target.is_float32() {
            return Err(Error::Unsupported {
                what: format!("additive blending in {}", pass.program.kernel),
                needs: "EXT_float_blend",
                renderer: self.limits_name().to_owned(),
            });
        }
        let (mask, depth) =
            pass.depth_stencil.map_or((Mask::default(), 0.0), |(_, mask, depth)| (mask, depth));
        // Points and triangles are placed by their own coordinates over the whole target, quads by the viewport.
        let viewport = match pass.geometry {
            Geometry::Quad => pass.range,
            _ => Rect::whole(target_size.0, target_size.1),
        };
        {
            let mut state = self.state.borrow_mut();
            state.fixed(gl);
            state.framebuffer(gl, framebuffer);
            state.viewport(gl, viewport);
            state.blend(gl, pass.blend);
            state.mask(gl, mask);
            state.program(gl, Some(pass.program.program));
            state.vertex_array(
                gl,
                Some(match pass.geometry {
                    Geometry::Points(vertices) => vertices.vertex_array(),
                    _ => self.empty_vertex_array(),
                }),
            );
        }
        pass.program.set_uniforms(gl, pass, depth, target_size);
        // A stream that the compiler removed has no slot.
        for (slot, stream) in pass.streams.iter().take(pass.program.streams.len()).enumerate() {
            if let Some((texture, edges)) = stream {
                pass.program.set_stream(self, slot, texture, *edges);
            }
        }
        self.draw_geometry(pass);
        self.count(|c| c.passes += 1);
        Ok(())
    }

    /// That nothing is missing, of another context, or both read and written: OpenGL would read beyond buffers, take what an
    /// earlier pass left bound, or leave the result to chance.
    fn check_pass(&self, pass: &Pass) -> Result<()> {
        let program = pass.program;
        let kernel = || program.kernel.clone();
        let ours = |context: &Context, what: &str| match std::ptr::eq(context, self) {
            true => Ok(()),
            false => Err(Error::OtherContext { what: what.to_owned() }),
        };
        let unbound = |kind, name: &str| Error::Unbound { kernel: kernel(), kind, name: name.to_owned() };
        ours(&program.context, "program")?;
        for (place, slot) in program.streams.iter().enumerate() {
            let Some(&Some((texture, _))) = pass.streams.get(place) else {
                return Err(unbound("stream", &slot.name));
            };
            ours(&texture.context, "texture of a stream")?;
            if pass.target.is(texture) {
                let (stream, buffer) = (slot.name.clone(), texture.describe());
                return Err(Error::Feedback { kernel: kernel(), stream, buffer });
            }
        }
        if let Some(slot) = program.constants.get(pass.constants.len()) {
            return Err(unbound("constant", &slot.name));
        }
        if let Some(name) = program.domains.get(pass.domains.len()) {
            return Err(unbound("domain", name));
        }
        self.check_targets(pass)?;
        if let Some((surface, ..)) = pass.depth_stencil {
            ours(surface.context(), "depth-stencil surface")?;
        }
        let count = match pass.geometry {
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
            let (what, quantity) = (kernel(), "number of vertices");
            return Err(Error::OverLimit { what, quantity, found: count, limit });
        }
        Ok(())
    }

    /// One texture of this context for each output, none of them twice, and the range inside all of them.
    fn check_targets(&self, pass: &Pass) -> Result<()> {
        let (range, outputs) = (pass.range, pass.program.outputs.len());
        let what = || pass.program.kernel.clone();
        let outside =
            |width, height| Error::OutsideTarget { what: what(), range: range.to_string(), width, height };
        let Target::Textures(targets) = pass.target else {
            let most = i32::MAX as u32;
            return if range.x1 > most || range.y1 > most { Err(outside(most, most)) } else { Ok(()) };
        };
        if targets.len() != outputs {
            let (found, expected) =
                (format!("{} targets", targets.len()), format!("{outputs}, one for each RANGE"));
            return Err(Error::WrongShape { what: what(), found, expected });
        }
        for (place, target) in targets.iter().enumerate() {
            if !std::ptr::eq(&*target.context, self) {
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

    /// The viewport keeps a quad inside the range; the rest needs the scissors, which nobody else has on.
    fn draw_geometry(&self, pass: &Pass) {
        let gl = &self.gl;
        let (mode, count) = match pass.geometry {
            // SAFETY: everything the pass needs is bound; the vertices come from `gl_VertexID`.
            Geometry::Quad => return unsafe { gl.draw_arrays(glow::TRIANGLES, 0, 3) },
            Geometry::Points(vertices) => (glow::POINTS, vertices.len() as i32),
            Geometry::CountedPoints(count) => (glow::POINTS, count as i32),
            Geometry::CountedStrip(count) => (glow::TRIANGLE_STRIP, count as i32),
            Geometry::CountedTriangles(count) => (glow::TRIANGLES, count as i32),
        };
        let [x, y] = [pass.range.x0, pass.range.y0].map(|v| v as i32);
        let [width, height] = [pass.range.width(), pass.range.height()].map(|v| v as i32);
        // SAFETY: everything the pass needs is bound, and the buffer holds that many vertices.
        unsafe {
            gl.enable(glow::SCISSOR_TEST);
            gl.scissor(x, y, width, height);
            gl.draw_arrays(mode, 0, count);
            gl.disable(glow::SCISSOR_TEST);
        }
    }
}
