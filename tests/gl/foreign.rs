//! Foreign code in our context finds OpenGL's defaults, and whatever it leaves disturbs no pass.

use std::rc::Rc;

use quadrille::gl::{Compare, Context, DepthTest, Edges, GlowContext, Kernel, Mask, StencilTest};
use quadrille::glow::{self, HasContext};
use quadrille::{Buffer, Gpu, Operator, Program, Rect, Result};

use crate::support::{copying, counting, on_gpu};

/// Everything a pass can do, once: several streams and edge rules, targets, blending, masks, points,
/// read-backs, reductions. Returns what came out, for comparing.
fn everything(gpu: &Gpu) -> Result<Vec<f32>> {
    let buffer = |edges| gpu.buffer(8, 8).edges(edges).init(&counting(64));
    let (a, b) = (buffer(Edges::Repeat)?, buffer(Edges::Mirror)?);
    let text = "uniform Stream a, b, c; DOMAIN at; RANGE float r; RANGE vec4 s;
                void main() { r = valueOffset(a, at, ivec2(-1, 0)).x + valueOffset(b, at, ivec2(0, 1)).x;
                              s = value2(c, at) + vec4(1.0, 2.0, 3.0, 4.0); }";
    let mut three = gpu.program("three.frag", text)?;
    three.bind_stream("a", &a)?.bind_stream("b", &b)?.bind_stream("c", &buffer(Edges::Clamp)?)?;
    let (r, s) = (gpu.buffer(8, 8).build()?, gpu.buffer(8, 8).components(4).build()?);
    three.onto(&[&r, &s]).run()?;
    three.onto(&[&r, &s]).over(Rect::new(1, 2, 5, 7)).adding().run()?;
    let surface = gpu.depth_stencil(8, 8)?;
    let depth = Some(DepthTest { compare: Compare::Less, write: true });
    let stencil = Some(StencilTest { compare: Compare::NotEqual, reference: 1, write: true });
    let mask = Mask { depth, stencil };
    let copy = copying(gpu, &a)?;
    copy.onto(&[&r]).over(Rect::new(0, 0, 3, 3)).masked(&surface, mask, 0.25).run()?;
    let unseen = Mask { depth, stencil: None };
    copy.onto(&[&r]).over(Rect::new(0, 0, 4, 1)).masked(&surface, unseen, 0.5).adding().run()?;
    let vertex = Kernel::new("k.vert", "VERTEX vec2 p; void main() { scatter(p); }");
    let fragment = Kernel::new("k.frag", "RANGE float v; void main() { v = 1000.0; }");
    let vertices = gpu.vertices(&[("p", 2)], &[7.0, 7.0, 6.0, 5.0, 0.0, 0.0])?;
    let points = gpu.load_scatter(vertex, fragment)?;
    points.onto(&[&r]).over(Rect::new(1, 1, 8, 8)).points(&vertices).adding().run()?;
    let mut found = [r.data()?, s.data_async()?.wait()?].concat();
    found.extend(gpu.reduction(Operator::sum()).value(&s)?);
    Ok(found)
}

/// The state that differs from OpenGL's own at the start: name, found, expected.
fn differing(gl: &GlowContext) -> Vec<(&'static str, i32, i32)> {
    let embedded = gl.version().is_embedded;
    let mut found: Vec<(&str, i32, i32)> = Vec::new();
    // SAFETY: queries of single integers, with the context current.
    unsafe {
        let integer = |name| gl.get_parameter_i32(name);
        for (name, code) in [
            ("draw framebuffer", glow::DRAW_FRAMEBUFFER_BINDING),
            ("read framebuffer", glow::READ_FRAMEBUFFER_BINDING),
            ("renderbuffer", glow::RENDERBUFFER_BINDING),
            ("program", glow::CURRENT_PROGRAM),
            ("vertex array", glow::VERTEX_ARRAY_BINDING),
            ("array buffer", glow::ARRAY_BUFFER_BINDING),
            ("pack buffer", glow::PIXEL_PACK_BUFFER_BINDING),
            ("unpack buffer", glow::PIXEL_UNPACK_BUFFER_BINDING),
            ("pack row length", glow::PACK_ROW_LENGTH),
            ("unpack row length", glow::UNPACK_ROW_LENGTH),
            ("stencil reference", glow::STENCIL_REF),
            ("blend destination", glow::BLEND_DST_RGB),
            ("blend alpha destination", glow::BLEND_DST_ALPHA),
        ] {
            found.push((name, integer(code), 0));
        }
        for (name, code, expected) in [
            ("active unit", glow::ACTIVE_TEXTURE, glow::TEXTURE0),
            ("blend source", glow::BLEND_SRC_RGB, glow::ONE),
            ("blend alpha source", glow::BLEND_SRC_ALPHA, glow::ONE),
            ("blend equation", glow::BLEND_EQUATION_RGB, glow::FUNC_ADD),
            ("depth function", glow::DEPTH_FUNC, glow::LESS),
            ("stencil function", glow::STENCIL_FUNC, glow::ALWAYS),
            ("stencil on failure", glow::STENCIL_FAIL, glow::KEEP),
            ("stencil on passing", glow::STENCIL_PASS_DEPTH_PASS, glow::KEEP),
            ("pack alignment", glow::PACK_ALIGNMENT, 4),
            ("unpack alignment", glow::UNPACK_ALIGNMENT, 4),
        ] {
            found.push((name, integer(code), expected as i32));
        }
        // In a page it is no number.
        found.push(("depth write mask", gl.get_parameter_bool(glow::DEPTH_WRITEMASK).into(), 1));
        found.push(("stencil write mask", integer(glow::STENCIL_WRITEMASK) & 0xff, 0xff));
        let switch = |code| i32::from(gl.is_enabled(code));
        for (name, code, expected) in [
            ("blending", glow::BLEND, 0),
            ("depth test", glow::DEPTH_TEST, 0),
            ("stencil test", glow::STENCIL_TEST, 0),
            ("scissor test", glow::SCISSOR_TEST, 0),
            ("culling", glow::CULL_FACE, 0),
            ("dithering", glow::DITHER, 1),
        ] {
            found.push((name, switch(code), expected));
        }
        if !embedded {
            found.push(("program point size", switch(glow::PROGRAM_POINT_SIZE), 0));
            found.push(("sRGB", switch(glow::FRAMEBUFFER_SRGB), 0));
        }
        for unit in 0..16 {
            gl.active_texture(glow::TEXTURE0 + unit);
            found.push(("texture of a unit", integer(glow::TEXTURE_BINDING_2D), 0));
            found.push(("sampler of a unit", integer(glow::SAMPLER_BINDING), 0));
        }
        gl.active_texture(glow::TEXTURE0);
    }
    found.retain(|(_, found, expected)| found != expected);
    found
}

/// Objects of foreign code, and the worst state it can leave them in.
struct Mess {
    gl: Rc<GlowContext>,
    textures: Vec<glow::Texture>,
    sampler: glow::Sampler,
    buffer: glow::Buffer,
    framebuffer: glow::Framebuffer,
    vertex_array: glow::VertexArray,
}

impl Mess {
    fn new(gl: &Rc<GlowContext>) -> std::result::Result<Mess, String> {
        // SAFETY: objects are made and bound, with the context current.
        unsafe {
            let mess = Mess {
                gl: gl.clone(),
                textures: (0..16).map(|_| gl.create_texture()).collect::<std::result::Result<_, _>>()?,
                sampler: gl.create_sampler()?,
                buffer: gl.create_buffer()?,
                framebuffer: gl.create_framebuffer()?,
                vertex_array: gl.create_vertex_array()?,
            };
            gl.sampler_parameter_i32(mess.sampler, glow::TEXTURE_MAG_FILTER, glow::LINEAR as i32);
            for (unit, &texture) in (0..).zip(&mess.textures) {
                gl.active_texture(glow::TEXTURE0 + unit);
                gl.bind_texture(glow::TEXTURE_2D, Some(texture));
                gl.bind_sampler(unit, Some(mess.sampler));
            }
            gl.active_texture(glow::TEXTURE5);
            gl.bind_framebuffer(glow::DRAW_FRAMEBUFFER, Some(mess.framebuffer));
            gl.bind_framebuffer(glow::READ_FRAMEBUFFER, None);
            gl.bind_vertex_array(Some(mess.vertex_array));
            for target in [glow::ARRAY_BUFFER, glow::PIXEL_PACK_BUFFER, glow::PIXEL_UNPACK_BUFFER] {
                gl.bind_buffer(target, Some(mess.buffer));
            }
            mess.set();
            Ok(mess)
        }
    }

    fn set(&self) {
        let gl = &self.gl;
        // SAFETY: plain numbers; the last one is an error left pending on purpose.
        unsafe {
            for switch in [
                glow::BLEND,
                glow::DEPTH_TEST,
                glow::STENCIL_TEST,
                glow::SCISSOR_TEST,
                glow::CULL_FACE,
                glow::RASTERIZER_DISCARD,
                glow::POLYGON_OFFSET_FILL,
                glow::SAMPLE_ALPHA_TO_COVERAGE,
                glow::SAMPLE_COVERAGE,
            ] {
                gl.enable(switch);
            }
            if !gl.version().is_embedded {
                gl.enable(glow::FRAMEBUFFER_SRGB);
                gl.enable(glow::COLOR_LOGIC_OP);
                gl.polygon_mode(glow::FRONT_AND_BACK, glow::LINE);
                gl.disable(glow::PROGRAM_POINT_SIZE);
            }
            gl.viewport(1, 2, 3, 4);
            gl.scissor(0, 0, 1, 1);
            gl.color_mask(false, true, false, true);
            gl.blend_func_separate(glow::ZERO, glow::SRC_COLOR, glow::DST_ALPHA, glow::ZERO);
            gl.blend_equation(glow::FUNC_REVERSE_SUBTRACT);
            gl.depth_func(glow::NEVER);
            gl.depth_mask(false);
            gl.depth_range_f32(0.9, 0.1);
            gl.polygon_offset(3.0, 1000.0);
            gl.stencil_func(glow::NEVER, 3, 0xf0);
            gl.stencil_op(glow::INVERT, glow::INVERT, glow::INVERT);
            gl.stencil_mask(0x55);
            gl.cull_face(glow::FRONT_AND_BACK);
            gl.sample_coverage(0.0, false);
            for (name, value) in [
                (glow::PACK_ALIGNMENT, 8),
                (glow::UNPACK_ALIGNMENT, 8),
                (glow::PACK_ROW_LENGTH, 13),
                (glow::UNPACK_ROW_LENGTH, 13),
                (glow::PACK_SKIP_ROWS, 2),
                (glow::PACK_SKIP_PIXELS, 3),
                (glow::UNPACK_SKIP_ROWS, 2),
                (glow::UNPACK_SKIP_PIXELS, 3),
            ] {
                gl.pixel_store_i32(name, value);
            }
            gl.enable(0xffff);
        }
    }
}

impl Drop for Mess {
    fn drop(&mut self) {
        // SAFETY: made by `new`.
        unsafe {
            self.textures.iter().for_each(|&texture| self.gl.delete_texture(texture));
            self.gl.delete_sampler(self.sampler);
            self.gl.delete_buffer(self.buffer);
            self.gl.delete_framebuffer(self.framebuffer);
            self.gl.delete_vertex_array(self.vertex_array);
        }
    }
}

#[test]
fn foreign_code_finds_the_defaults() -> Result<()> {
    on_gpu(|gpu| {
        assert_eq!(gpu.glow(|gl| differing(gl)), [], "before anything is drawn");
        for _ in 0..2 {
            everything(gpu)?;
            assert_eq!(gpu.glow(|gl| differing(gl)), []);
        }
        Ok(())
    })
}

#[test]
fn whatever_foreign_code_leaves_disturbs_no_pass() -> Result<()> {
    on_gpu(|gpu| {
        let clean = everything(gpu)?;
        let mess = gpu.glow(Mess::new);
        assert!(mess.is_ok(), "{:?}", mess.err());
        assert_eq!(everything(gpu)?, clean, "after a mess");
        if let Ok(mess) = &mess {
            gpu.glow(|_| mess.set());
        }
        assert_eq!(everything(gpu)?, clean, "after a second one");
        drop(mess);
        gpu.glow(|_| ());
        assert_eq!(everything(gpu)?, clean, "after its objects are gone");
        Ok(())
    })
}

/// Each kind of call is the first to meet the mess once.
#[test]
fn a_mess_disturbs_neither_uploads_nor_read_backs_nor_clears() -> Result<()> {
    on_gpu(|gpu| {
        let buffer = gpu.buffer(11, 10).init(&counting(110))?;
        let mess = gpu.glow(Mess::new);
        assert!(mess.is_ok(), "{:?}", mess.as_ref().err());
        let again = || gpu.glow(|_| mess.iter().for_each(Mess::set));
        assert_eq!(buffer.data()?, counting(110));
        again();
        assert_eq!(buffer.data_async()?.wait()?, counting(110));
        again();
        buffer.write(&[5.0; 110])?;
        assert_eq!(buffer.data()?, [5.0; 110]);
        again();
        assert_eq!(gpu.buffer(11, 10).build()?.data()?, [0.0; 110]);
        again();
        let copy = gpu.buffer(11, 10).build()?;
        again();
        copy.copy_from(&buffer)?;
        assert_eq!(copy.data()?, [5.0; 110]);
        let surface = gpu.depth_stencil(11, 10)?;
        again();
        surface.clear(1.0, 0)?;
        let mask = Mask { depth: Some(DepthTest { compare: Compare::Less, write: false }), stencil: None };
        again();
        copying(gpu, &buffer)?.onto(&[&copy]).masked(&surface, mask, 0.999).adding().run()?;
        assert_eq!(copy.data()?, [10.0; 110]);
        Ok(())
    })
}

#[test]
fn most_passes_draw_into_the_textures_own_framebuffer() -> Result<()> {
    on_gpu(|gpu| {
        let (source, target) = (gpu.buffer(2, 2).init(&counting(4))?, gpu.buffer(2, 2).build()?);
        let gl = gpu.glow(Rc::clone);
        copying(gpu, &source)?.run(&target)?;
        // SAFETY: one query, with the context current.
        let bound = unsafe { gl.get_parameter_framebuffer(glow::DRAW_FRAMEBUFFER_BINDING) };
        assert_eq!(bound, Some(target.texture().framebuffer()), "no second framebuffer for one target");
        Ok(())
    })
}

#[test]
fn a_second_gpu_works_in_the_context_of_foreign_code() -> Result<()> {
    on_gpu(|host| {
        let inside = host.glow(|gl| {
            // SAFETY: the host's context is current in here.
            let guest = Gpu::of(unsafe { Context::from_glow(gl.clone(), None) }?);
            everything(&guest)
        })?;
        assert_eq!(inside, everything(host)?);
        Ok(())
    })
}

/// Two of ours on one context of OpenGL, in turns and without a word between them: each sets what the other has changed.
#[test]
fn two_on_one_context_find_each_others_state() -> Result<()> {
    on_gpu(|host| {
        let mut functions = None;
        host.glow(|gl| {
            functions = Some(gl.clone());
            Ok(())
        })?;
        let Some(functions) = functions else { return Ok(()) };
        // SAFETY: the host's context is current and stays so: there is no other on this thread.
        let guest = Gpu::of(unsafe { Context::from_glow(functions, None) }?);
        let adding = |gpu: &Gpu, amount: f32| -> Result<(Buffer, Program)> {
            let text = "uniform Stream a; uniform float amount; DOMAIN at; RANGE float r; void main() { r = value2(a, at).x + amount; }";
            let mut program = gpu.program("add.frag", text)?;
            program.bind_stream("a", &gpu.buffer(5, 3).init(&counting(15))?)?.bind_float("amount", amount)?;
            Ok((gpu.buffer(5, 3).build()?, program))
        };
        let ((ours, by_us), (theirs, by_them)) = (adding(host, 100.0)?, adding(&guest, 1000.0)?);
        for _ in 0..3 {
            by_us.run(&ours)?;
            by_them.run(&theirs)?;
        }
        let plus = |amount: f32| counting(15).iter().map(|v| v + amount).collect::<Vec<_>>();
        assert_eq!((ours.data()?, theirs.data()?), (plus(100.0), plus(1000.0)));
        Ok(())
    })
}
