//! The shortest way from nothing to one step of Gray–Scott and a number of it: what a start-up must cost.
//!
//! Even the context is made by hand here; not a line of the library is used.

use glutin::api::egl::device::Device;
use glutin::api::egl::display::Display;
use glutin::config::{ConfigSurfaceTypes, ConfigTemplateBuilder};
use glutin::context::{ContextApi, ContextAttributesBuilder, GlProfile, Version};
use glutin::prelude::*;
use quadrille::glow::{self, HasContext};

/// Cells a side.
const SIDE: i32 = 64;

const VERTEX: &str = "
out vec2 at;
void main() {
    at = vec2(float((gl_VertexID & 1) << 1), float(gl_VertexID & 2));
    gl_Position = vec4(at * 2.0 - 1.0, 0.0, 1.0);
}";

const FRAGMENT: &str = "
uniform sampler2D newest;
in vec2 at;
out vec2 next;
const vec2 rates = vec2(0.8389, 0.4194);
const float F = 0.037, k = 0.06;
void main() {
    vec2 here = texture(newest, at).xy;
    vec2 around = textureOffset(newest, at, ivec2(1, 0)).xy + textureOffset(newest, at, ivec2(-1, 0)).xy
                + textureOffset(newest, at, ivec2(0, 1)).xy + textureOffset(newest, at, ivec2(0, -1)).xy;
    float uvv = here.x * here.y * here.y;
    next = (1.0 - rates) * here + 0.25 * rates * around + vec2(F * (1.0 - here.x) - uvv, uvv - (F + k) * here.y);
}";

/// Opens a context on that EGL device, compiles, steps once from u = 1/2, v = 1/4 and returns (u, v) of a cell.
///
/// # Errors
/// The driver's words.
pub fn start(embedded: bool, device: usize) -> Result<[f32; 2], String> {
    let devices = Device::query_devices().map_err(|e| e.to_string())?;
    let device = devices.into_iter().nth(device).ok_or("no such EGL device")?;
    // SAFETY: the device was just listed and no raw display handle is passed.
    let display = unsafe { Display::with_device(&device, None) }.map_err(|e| e.to_string())?;
    let template = ConfigTemplateBuilder::new()
        .with_surface_type(ConfigSurfaceTypes::empty())
        .with_alpha_size(0)
        .build();
    // SAFETY: the template names no native window.
    let mut configs = unsafe { display.find_configs(template) }.map_err(|e| e.to_string())?;
    let config = configs.next().ok_or("no config")?;
    let attributes = ContextAttributesBuilder::new();
    let attributes = if embedded {
        attributes.with_context_api(ContextApi::Gles(Some(Version::new(3, 0))))
    } else {
        let api = ContextApi::OpenGl(Some(Version::new(3, 3)));
        attributes.with_context_api(api).with_profile(GlProfile::Core)
    };
    // SAFETY: attributes name no window and share no context.
    let context = unsafe { display.create_context(&config, &attributes.build(None)) };
    let context = context.map_err(|e| e.to_string())?;
    let _current = context.make_current_surfaceless().map_err(|e| e.to_string())?;
    // SAFETY: the context is current on this thread, and the loader is its display's.
    let gl = unsafe { glow::Context::from_loader_function_cstr(|name| display.get_proc_address(name)) };
    // SAFETY: the context is current.
    unsafe { step(&gl, embedded) }
}

/// One step on a new context, which goes with the process.
unsafe fn step(gl: &glow::Context, embedded: bool) -> Result<[f32; 2], String> {
    let head = if embedded { "#version 300 es\nprecision highp float;\n" } else { "#version 330 core\n" };
    let state = [0.5f32, 0.25].repeat((SIDE * SIDE) as usize);
    // SAFETY: every object is made here, and `state` fills the texture.
    unsafe {
        let program = gl.create_program()?;
        for (stage, text) in [(glow::VERTEX_SHADER, VERTEX), (glow::FRAGMENT_SHADER, FRAGMENT)] {
            let shader = gl.create_shader(stage)?;
            gl.shader_source(shader, &format!("{head}{text}"));
            gl.compile_shader(shader);
            gl.attach_shader(program, shader);
        }
        gl.link_program(program);
        if !gl.get_program_link_status(program) {
            return Err(gl.get_program_info_log(program));
        }
        let (old, _) = target(gl, Some(bytemuck::cast_slice(&state)))?;
        let (_, new) = target(gl, None)?;
        gl.bind_vertex_array(Some(gl.create_vertex_array()?));
        gl.use_program(Some(program));
        gl.viewport(0, 0, SIDE, SIDE);
        gl.bind_framebuffer(glow::FRAMEBUFFER, Some(new));
        gl.bind_texture(glow::TEXTURE_2D, Some(old));
        gl.draw_arrays(glow::TRIANGLES, 0, 3);
        let mut texel = [0f32; 4];
        let pixels = glow::PixelPackData::Slice(Some(bytemuck::cast_slice_mut(&mut texel)));
        gl.read_pixels(0, 0, 1, 1, glow::RGBA, glow::FLOAT, pixels);
        Ok([texel[0], texel[1]])
    }
}

unsafe fn target(
    gl: &glow::Context,
    values: Option<&[u8]>,
) -> Result<(glow::Texture, glow::Framebuffer), String> {
    // SAFETY: `values`, where given, fill the texture.
    unsafe {
        let texture = gl.create_texture()?;
        gl.bind_texture(glow::TEXTURE_2D, Some(texture));
        for name in [glow::TEXTURE_MIN_FILTER, glow::TEXTURE_MAG_FILTER] {
            gl.tex_parameter_i32(glow::TEXTURE_2D, name, glow::NEAREST as i32);
        }
        let (internal, pixels) = (glow::RG32F as i32, glow::PixelUnpackData::Slice(values));
        gl.tex_image_2d(glow::TEXTURE_2D, 0, internal, SIDE, SIDE, 0, glow::RG, glow::FLOAT, pixels);
        let framebuffer = gl.create_framebuffer()?;
        gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
        let colour = glow::COLOR_ATTACHMENT0;
        gl.framebuffer_texture_2d(glow::FRAMEBUFFER, colour, glow::TEXTURE_2D, Some(texture), 0);
        Ok((texture, framebuffer))
    }
}
