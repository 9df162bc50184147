//! The driver's description of itself, and its limits.

use glow::HasContext;

use super::limits::Limits;
use crate::{Error, Result};

/// The driver's description of itself.
#[derive(Clone, Debug)]
pub struct Driver {
    /// `GL_RENDERER`.
    pub renderer: String,
    /// `GL_VENDOR`.
    pub vendor: String,
    /// `GL_VERSION`.
    pub version: String,
    /// `GL_SHADING_LANGUAGE_VERSION`.
    pub glsl: String,
    /// The system that opened the context: EGL, GLX, CGL or WGL; `None` for one of somebody else's.
    pub by: Option<&'static str>,
    /// The EGL device of a headless context.
    pub device: Option<String>,
    /// True for OpenGL ES and WebGL.
    pub embedded: bool,
    /// True for WebGL, in a page of a browser: nothing that is asked of the GPU is answered before control has returned to the
    /// event loop, but reads into memory.
    pub in_page: bool,
    /// 32-bit float textures can be rendered to.
    pub float_render: bool,
    /// The number of binary places to which the corners of triangles are rounded, in pixels of the target: `GL_SUBPIXEL_BITS`, at least 4.
    pub subpixel_bits: u32,
    /// GPU time can be asked for.
    pub timers: bool,
    /// A driver that compiles in threads of its own tells whether it is ready.
    pub parallel_compile: bool,
}

/// Words in the names of renderers that draw on the CPU: Mesa's, Google's, Microsoft's and Apple's.
const ON_CPU: [&str; 7] = [
    "llvmpipe",
    "softpipe",
    "software rasterizer",
    "swiftshader",
    "swr",
    "microsoft basic render",
    "apple software",
];

impl Driver {
    /// Returns true for a renderer that is known to draw on the CPU.
    pub fn runs_on_cpu(&self) -> bool {
        let name = self.renderer.to_lowercase();
        ON_CPU.iter().any(|word| name.contains(word))
    }
}

/// The number by which WEBGL_debug_renderer_info tells a true name; the next is the renderer's.
const UNMASKED_VENDOR: u32 = 0x9245;
const UNMASKED_RENDERER: u32 = 0x9246;

/// Asks the driver who it is.
///
/// # Errors
/// [`Error::OldContext`]; [`Error::NoContext`] where it shows that no context is current.
pub(super) fn describe(gl: &glow::Context) -> Result<Driver> {
    let version = gl.version();
    // SAFETY: plain queries of the current context.
    let string = |name| unsafe { gl.get_parameter_string(name) };
    // SAFETY: as above.
    if version.major >= 3 && unsafe { gl.get_parameter_i32(glow::MAX_TEXTURE_SIZE) } < 1 {
        let tried = vec!["the functions given: no context is current on this thread".to_owned()];
        return Err(Error::NoContext { tried, hint: "make theirs current before".to_owned() });
    }
    let words = string(glow::VERSION);
    let in_page = words.contains("WebGL");
    let embedded = version.is_embedded || in_page;
    let enough = if embedded {
        version.major >= 3 || words.contains("WebGL 2")
    } else {
        (version.major, version.minor) >= (3, 3)
    };
    if !enough {
        return Err(Error::OldContext { version: words });
    }
    let has = |name: &str| extension(gl, name);
    // A page is told the true names, where it is told them, under other numbers.
    let named = |name, unmasked| match in_page && has("WEBGL_debug_renderer_info") {
        true => Some(string(unmasked)).filter(|name| !name.is_empty()).unwrap_or_else(|| string(name)),
        false => string(name),
    };
    // SAFETY: as above.
    let subpixel_bits = unsafe { gl.get_parameter_i32(glow::SUBPIXEL_BITS) };
    Ok(Driver {
        subpixel_bits: subpixel_bits.max(4).unsigned_abs(),
        renderer: named(glow::RENDERER, UNMASKED_RENDERER),
        vendor: named(glow::VENDOR, UNMASKED_VENDOR),
        in_page,
        glsl: string(glow::SHADING_LANGUAGE_VERSION),
        version: words,
        by: None,
        device: None,
        embedded,
        float_render: !embedded || has("EXT_color_buffer_float"),
        parallel_compile: has("KHR_parallel_shader_compile") || has("ARB_parallel_shader_compile"),
        timers: !embedded || has("EXT_disjoint_timer_query") || has("EXT_disjoint_timer_query_webgl2"),
    })
}

/// Extension names start with `GL_` natively and do not in a browser.
fn extension(gl: &glow::Context, name: &str) -> bool {
    let extensions = gl.supported_extensions();
    extensions.contains(name) || extensions.contains(&format!("GL_{name}"))
}

/// The limits of the driver.
pub(super) fn driver_limits(gl: &glow::Context, driver: &Driver) -> Limits {
    // SAFETY: plain queries of the current context.
    let integer = |name| unsafe { gl.get_parameter_i32(name) }.max(0) as u32;
    let targets = integer(glow::MAX_DRAW_BUFFERS).min(integer(glow::MAX_COLOR_ATTACHMENTS));
    Limits {
        name: "driver",
        texture_size: integer(glow::MAX_TEXTURE_SIZE).min(integer(glow::MAX_RENDERBUFFER_SIZE)),
        streams: integer(glow::MAX_TEXTURE_IMAGE_UNITS).min(super::state::UNITS as u32),
        vertex_streams: integer(glow::MAX_VERTEX_TEXTURE_IMAGE_UNITS).min(super::state::UNITS as u32),
        targets: targets.min(super::framebuffer::TARGETS as u32),
        fetches: Limits::PLENTY,
        dependent_fetches: Limits::PLENTY,
        instructions: Limits::PLENTY,
        loop_iterations: Limits::PLENTY,
        float_blend: !driver.embedded || extension(gl, "EXT_float_blend"),
        float_filter: !driver.embedded || extension(gl, "OES_texture_float_linear"),
    }
}
