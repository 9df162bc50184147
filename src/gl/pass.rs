//! The one thing that happens: (kernel, streams in, constants, domains) → range of a target.

use glow::HasContext;

use super::framebuffer::DepthStencil;
use super::points::VertexBuffer;
use super::program::Program;
use super::state::{Blend, Mask};
use super::{Context, Edges, Format, Rect, Texture};
use crate::{Error, Result};

/// What a pass writes.
#[derive(Clone, Copy)]
pub enum Target<'a> {
    /// One texture for each RANGE of the kernel, in order.
    Textures(&'a [&'a Texture]),
    /// A framebuffer of somebody else's, `None` for the window.
    Framebuffer(Option<glow::Framebuffer>),
}

impl Target<'_> {
    /// Whether blending into it needs EXT_float_blend; of foreign framebuffers only their owner knows.
    fn is_float32(&self) -> bool {
        let float32 = |format| matches!(format, Format::R32F | Format::Rg32F | Format::Rgba32F);
        matches!(self, Target::Textures(targets) if targets.iter().any(|t| float32(t.shape().format)))
    }
}

/// What is drawn.
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
    /// What is written.
    pub target: Target<'a>,
    /// Where.
    pub range: Rect,
    /// How fragments meet what is there.
    pub blend: Blend,
    /// Depth and stencil surface, tests and the quad's depth.
    pub depth_stencil: Option<(&'a DepthStencil, Mask, f32)>,
    /// What is drawn.
    pub geometry: Geometry<'a>,
}

impl Context {
    /// Draws the pass. The caller has checked what `pug` promises: sizes, bindings, feedback.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for blending where the limits have none; [`Error::Driver`] for a combination
    /// of targets that the driver refuses.
    pub fn draw(&self, pass: &Pass) -> Result<()> {
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
