//! The beginning of every hand-written loop: a program, a float texture, a framebuffer around it.

use std::rc::Rc;

use quadrille::glow::{self, HasContext};

use quadrille::{Error, Result};

/// The one triangle that covers the target; `at` runs from 0 to 1 across it: normalised coordinates for free.
const TRIANGLE: &str = "
ACROSS out vec2 at;
void main() {
    vec2 corner = vec2(float((gl_VertexID & 1) << 1), float(gl_VertexID & 2));
    at = corner;
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}";

/// A current context, and the vertex array without which nothing is drawn. Clones share both.
#[derive(Clone)]
pub struct Bare {
    shared: Rc<Shared>,
}

struct Shared {
    gl: Rc<glow::Context>,
    vertex_array: glow::VertexArray,
    embedded: bool,
}

/// A float texture of one of the formats used here.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub width: u32,
    pub height: u32,
    /// 1 for R32F, 2 for RG32F, 4 for RGBA32F.
    pub components: usize,
    pub wrap: u32,
}

impl Shape {
    pub fn rgba(width: u32, height: u32) -> Shape {
        Shape { width, height, components: 4, wrap: glow::CLAMP_TO_EDGE }
    }

    fn formats(self) -> (i32, u32) {
        match self.components {
            1 => (glow::R32F as i32, glow::RED),
            2 => (glow::RG32F as i32, glow::RG),
            _ => (glow::RGBA32F as i32, glow::RGBA),
        }
    }
}

impl Bare {
    /// Takes a current context as it is.
    ///
    /// # Errors
    /// [`Error::Driver`] where there are no vertex arrays.
    pub fn new(gl: Rc<glow::Context>) -> Result<Bare> {
        // SAFETY: the context is current.
        let vertex_array = unsafe { gl.create_vertex_array() }.map_err(refused("a vertex array"))?;
        let embedded = gl.version().is_embedded;
        Ok(Bare { shared: Rc::new(Shared { gl, vertex_array, embedded }) })
    }

    pub(super) fn gl(&self) -> &glow::Context {
        &self.shared.gl
    }

    /// Sets the state that stays through every loop.
    pub(super) fn begin(&self) {
        // SAFETY: the vertex array is alive.
        unsafe {
            self.gl().disable(glow::DITHER);
            self.gl().bind_vertex_array(Some(self.shared.vertex_array));
            self.gl().active_texture(glow::TEXTURE0);
        }
    }

    /// Compiles a fragment shader to run over the triangle.
    pub(super) fn program(&self, fragment: &str) -> Result<Program> {
        self.program_of(TRIANGLE, fragment)
    }

    pub(super) fn program_of(&self, vertex: &str, fragment: &str) -> Result<Program> {
        let gl = self.gl();
        let head = if self.shared.embedded {
            "#version 300 es\nprecision highp float;\nprecision highp sampler2D;\n#define ACROSS\n"
        } else {
            "#version 330 core\n#define ACROSS noperspective\n"
        };
        // SAFETY: shaders are deleted with the program, which `Program` owns from here on.
        unsafe {
            let program = gl.create_program().map_err(refused("a program"))?;
            let made = Program { bare: self.clone(), program };
            for (stage, text) in [(glow::VERTEX_SHADER, vertex), (glow::FRAGMENT_SHADER, fragment)] {
                let shader = gl.create_shader(stage).map_err(refused("a shader"))?;
                gl.shader_source(shader, &format!("{head}{text}"));
                gl.compile_shader(shader);
                gl.attach_shader(program, shader);
                gl.delete_shader(shader);
                if !gl.get_shader_compile_status(shader) {
                    return Err(refused("a shader")(gl.get_shader_info_log(shader)));
                }
            }
            gl.link_program(program);
            if !gl.get_program_link_status(program) {
                return Err(refused("a program")(gl.get_program_info_log(program)));
            }
            Ok(made)
        }
    }

    /// A texture with a framebuffer, filled where values are given.
    pub(super) fn target(&self, shape: Shape, values: Option<&[f32]>) -> Result<Target> {
        let gl = self.gl();
        let (internal, format) = shape.formats();
        let texels = shape.width as usize * shape.height as usize;
        if let Some(found) = values.map(<[f32]>::len)
            && found != texels * shape.components
        {
            let expected = texels * shape.components;
            let shape = format!("{}x{}", shape.width, shape.height);
            return Err(Error::WrongLength { what: "texture".into(), found, expected, shape });
        }
        // SAFETY: `values` fills the texture exactly, as seen above; all objects are alive.
        unsafe {
            let texture = gl.create_texture().map_err(refused("a texture"))?;
            gl.bind_texture(glow::TEXTURE_2D, Some(texture));
            for (name, value) in [
                (glow::TEXTURE_MIN_FILTER, glow::NEAREST),
                (glow::TEXTURE_MAG_FILTER, glow::NEAREST),
                (glow::TEXTURE_WRAP_S, shape.wrap),
                (glow::TEXTURE_WRAP_T, shape.wrap),
                (glow::TEXTURE_MAX_LEVEL, 0),
            ] {
                gl.tex_parameter_i32(glow::TEXTURE_2D, name, value as i32);
            }
            let (width, height) = (shape.width as i32, shape.height as i32);
            let pixels = glow::PixelUnpackData::Slice(values.map(bytemuck::cast_slice));
            gl.tex_image_2d(glow::TEXTURE_2D, 0, internal, width, height, 0, format, glow::FLOAT, pixels);
            let framebuffer = gl.create_framebuffer().map_err(refused("a framebuffer"))?;
            let (all, colour) = (glow::FRAMEBUFFER, glow::COLOR_ATTACHMENT0);
            gl.bind_framebuffer(all, Some(framebuffer));
            gl.framebuffer_texture_2d(all, colour, glow::TEXTURE_2D, Some(texture), 0);
            let made = Target { bare: self.clone(), texture, framebuffer, shape };
            match (gl.check_framebuffer_status(all), gl.get_error()) {
                (glow::FRAMEBUFFER_COMPLETE, glow::NO_ERROR) => Ok(made),
                (status, error) => Err(refused("a target")(format!("{status:#06x}, error {error:#06x}"))),
            }
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: made by `new`.
        unsafe { self.gl.delete_vertex_array(self.vertex_array) };
    }
}

/// A linked program.
pub(super) struct Program {
    bare: Bare,
    pub program: glow::Program,
}

impl Program {
    /// Sets one to four floats, for good.
    pub fn floats(&self, name: &str, values: &[f32]) {
        let gl = self.bare.gl();
        // SAFETY: the program is linked; a location that is not there is ignored by OpenGL.
        unsafe {
            gl.use_program(Some(self.program));
            let location = gl.get_uniform_location(self.program, name);
            match values.len() {
                1 => gl.uniform_1_f32_slice(location.as_ref(), values),
                2 => gl.uniform_2_f32_slice(location.as_ref(), values),
                3 => gl.uniform_3_f32_slice(location.as_ref(), values),
                _ => gl.uniform_4_f32_slice(location.as_ref(), values),
            }
        }
    }

    /// Tells a sampler its texture unit, for good.
    pub fn unit(&self, name: &str, unit: i32) {
        let gl = self.bare.gl();
        // SAFETY: as above.
        unsafe {
            gl.use_program(Some(self.program));
            gl.uniform_1_i32(gl.get_uniform_location(self.program, name).as_ref(), unit);
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: made by `program_of`.
        unsafe { self.bare.gl().delete_program(self.program) };
    }
}

/// A texture that can be drawn into.
pub(super) struct Target {
    bare: Bare,
    pub texture: glow::Texture,
    pub framebuffer: glow::Framebuffer,
    pub shape: Shape,
}

impl Target {
    /// Waits for all that is drawn, and reads the first texel.
    pub fn first_texel(&self) -> [f32; 4] {
        let mut texel = [0.0; 4];
        self.read(1, 1, &mut texel);
        texel
    }

    /// Every texel with its four components.
    pub fn texels(&self) -> Vec<f32> {
        let Shape { width, height, .. } = self.shape;
        let mut all = vec![0.0; width as usize * height as usize * 4];
        self.read(width, height, &mut all);
        all
    }

    /// Reads the lower left corner. RGBA is the one format that ES reads, too.
    pub fn read(&self, width: u32, height: u32, values: &mut [f32]) {
        debug_assert_eq!(values.len(), width as usize * height as usize * 4);
        let gl = self.bare.gl();
        let pixels = glow::PixelPackData::Slice(Some(bytemuck::cast_slice_mut(values)));
        // SAFETY: `values` holds the region exactly.
        unsafe {
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(self.framebuffer));
            gl.read_pixels(0, 0, width as i32, height as i32, glow::RGBA, glow::FLOAT, pixels);
        }
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        let gl = self.bare.gl();
        // SAFETY: made by `target`.
        unsafe {
            gl.delete_framebuffer(self.framebuffer);
            gl.delete_texture(self.texture);
        }
    }
}

pub(super) fn refused(what: &'static str) -> impl Fn(String) -> Error {
    move |message| Error::Driver { what: what.to_owned(), message }
}
