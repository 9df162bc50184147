//! Programs of applications: GLSL of somebody else's, whose uniforms, blocks, attributes and outputs are told by name.
//!
//! Nothing of it goes through the cache of state: each draw begins with OpenGL's own state at the start, as an application
//! that has just opened its context finds it, and makes, sets and deletes all that it needs.

use std::rc::Rc;

use glow::HasContext;

use super::format::{byte_of, number_of};
use super::glsl_type::GlslType;
use super::{Context, Edges, log};
use crate::{Error, Result};

/// A stage for the driver, the files it is made of, names and texts, and for each of its lines the file and the line there.
pub(crate) struct Stage {
    pub text: String,
    pub files: Vec<(String, String)>,
    pub lines: Vec<(usize, u32)>,
}

/// The kind of an active uniform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UniformKind {
    Value(GlslType),
    Sampler2d,
    /// Another type, by OpenGL's number.
    Other(u32),
}

/// The place that the values of a uniform go to.
enum Place {
    Location(glow::UniformLocation),
    Block { block: usize, offset: usize, element: usize, column: usize, row_major: bool },
}

/// An active uniform, or a member of a block.
pub(crate) struct Uniform {
    pub name: String,
    pub kind: UniformKind,
    /// Elements; 1 where it is no array.
    pub len: usize,
    place: Place,
}

/// An attribute of the vertex stage.
pub(crate) struct Attribute {
    pub name: String,
    pub kind: Option<GlslType>,
    location: u32,
}

/// The storage of texels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// Four 32-bit floats.
    #[default]
    Float,
    /// Four bytes, each standing for 0 to 1.
    Bytes,
    /// Four bytes, of which three hold sRGB: a shader reads and writes linear values, 0 to 1.
    Srgb,
}

/// The values between the texels of a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Filter {
    /// The nearest texel (`GL_NEAREST`).
    #[default]
    Nearest,
    /// Between the four around (`GL_LINEAR`).
    Linear,
    /// The same, and between two levels of a pyramid where the picture is made smaller (`GL_LINEAR_MIPMAP_LINEAR`).
    Trilinear,
}

/// A texture for one draw: RGBA, row 0 at v = 0.
pub(crate) struct TextureInput<'a> {
    pub uniform: &'a Uniform,
    pub size: (u32, u32),
    pub texels: &'a [f32],
    pub storage: Storage,
    pub filter: Filter,
    pub wrap: Edges,
}

/// Vertices for one draw, three to a triangle, interleaved: each attribute with its components; `None` is skipped.
pub(crate) struct Vertices<'a> {
    pub attributes: Vec<(Option<&'a Attribute>, usize)>,
    pub values: &'a [f32],
    pub count: usize,
}

/// One draw.
pub(crate) struct ForeignDraw<'a> {
    pub size: (u32, u32),
    pub values: Vec<(&'a Uniform, &'a [u32])>,
    pub textures: Vec<TextureInput<'a>>,
    pub vertices: Vertices<'a>,
    pub storage: Storage,
    /// Tests and writes depth, which begins as 1.
    pub depth: bool,
}

/// The results of a draw: RGBA of each output, row 0 first, and the depth.
pub(crate) struct Drawn {
    pub outputs: Vec<Vec<f32>>,
    pub depth: Option<Vec<f32>>,
}

/// A linked program of an application.
pub(crate) struct ForeignProgram {
    context: Rc<Context>,
    program: glow::Program,
    pub uniforms: Vec<Uniform>,
    pub attributes: Vec<Attribute>,
    /// Bytes of each uniform block.
    blocks: Vec<usize>,
    /// The location of each of the outputs asked for; none where the compiler left it out.
    pub locations: Vec<Option<u32>>,
}

/// Objects of one draw, deleted with it.
#[derive(Default)]
struct Objects {
    textures: Vec<glow::Texture>,
    framebuffers: Vec<glow::Framebuffer>,
    buffers: Vec<glow::Buffer>,
    vertex_arrays: Vec<glow::VertexArray>,
}

impl Objects {
    fn delete(self, gl: &glow::Context) {
        // SAFETY: all of them were made by the draw that ends here.
        unsafe {
            self.textures.into_iter().for_each(|object| gl.delete_texture(object));
            self.framebuffers.into_iter().for_each(|object| gl.delete_framebuffer(object));
            self.buffers.into_iter().for_each(|object| gl.delete_buffer(object));
            self.vertex_arrays.into_iter().for_each(|object| gl.delete_vertex_array(object));
        }
    }
}

fn refused(what: &str) -> impl Fn(String) -> Error + '_ {
    move |message| Error::Driver { what: what.to_owned(), message }
}

/// Copies a depth texture to colours, which every dialect reads back.
const DEPTH_VERTEX: &str = "void main() { gl_Position = vec4(float((gl_VertexID & 1) << 2) - 1.0, float((gl_VertexID & 2) << 1) - 1.0, 0.0, 1.0); }";
const DEPTH_FRAGMENT: &str = "uniform sampler2D depths; out vec4 colour;
void main() { colour = vec4(texelFetch(depths, ivec2(gl_FragCoord.xy), 0).r); }";

impl Context {
    /// Links a program of an application; `outputs` are the names whose locations are asked for, `stages` its vertex and its
    /// fragment stage.
    ///
    /// # Errors
    /// [`Error::Compile`] by the file and line of the stage, [`Error::Link`].
    pub(crate) fn foreign_program(
        self: &Rc<Self>,
        [vertex, fragment]: [&Stage; 2],
        outputs: &[String],
    ) -> Result<ForeignProgram> {
        let name = fragment.files.first().map_or_else(String::new, |(name, _)| name.clone());
        self.alive("a program")?;
        let program = self.foreign(|gl| link(gl, &name, [vertex, fragment]))?;
        self.count(|c| c.compiles += 1);
        let mut made = ForeignProgram {
            context: self.clone(),
            program,
            uniforms: Vec::new(),
            attributes: Vec::new(),
            blocks: Vec::new(),
            locations: Vec::new(),
        };
        self.foreign(|gl| made.reflect(gl, outputs));
        Ok(made)
    }

    /// Lets foreign code draw, and names every error of OpenGL that it leaves pending.
    pub(crate) fn foreign_errors<T>(
        &self,
        work: impl FnOnce(&Rc<glow::Context>) -> T,
    ) -> (T, Vec<&'static str>) {
        self.drain_errors();
        self.foreign(|gl| {
            let result = work(gl);
            (result, (0..8).map_while(|_| self.take_error()).collect())
        })
    }
}

fn compile(gl: &glow::Context, stage: u32, text: &Stage) -> Result<glow::Shader> {
    // SAFETY: the shader is deleted where it is not returned.
    unsafe {
        let shader = gl.create_shader(stage).map_err(refused("a shader"))?;
        gl.shader_source(shader, &text.text);
        gl.compile_shader(shader);
        if gl.get_shader_compile_status(shader) {
            return Ok(shader);
        }
        let log = gl.get_shader_info_log(shader);
        gl.delete_shader(shader);
        Err(log::compile_error_of(&text.files, &text.lines, log))
    }
}

fn link(gl: &glow::Context, name: &str, [vertex, fragment]: [&Stage; 2]) -> Result<glow::Program> {
    let vertex = compile(gl, glow::VERTEX_SHADER, vertex)?;
    let fragment = compile(gl, glow::FRAGMENT_SHADER, fragment);
    // SAFETY: shaders are deleted once, here; a program that does not link, too.
    unsafe {
        let fragment = fragment.inspect_err(|_| gl.delete_shader(vertex))?;
        let program = gl.create_program().map_err(refused("a program"))?;
        for shader in [vertex, fragment] {
            gl.attach_shader(program, shader);
        }
        gl.link_program(program);
        for shader in [vertex, fragment] {
            gl.detach_shader(program, shader);
            gl.delete_shader(shader);
        }
        if gl.get_program_link_status(program) {
            return Ok(program);
        }
        let message = super::compile::link_error(&gl.get_program_info_log(program));
        gl.delete_program(program);
        Err(Error::Link { kernel: name.to_owned(), message })
    }
}

impl ForeignProgram {
    /// Asks OpenGL what the program uses.
    fn reflect(&mut self, gl: &glow::Context, outputs: &[String]) {
        let program = self.program;
        let bare = |name: &str| name.strip_suffix("[0]").unwrap_or(name).to_owned();
        // SAFETY: the program is linked; indices run over what is active in it.
        unsafe {
            let blocks = gl.get_program_parameter_i32(program, glow::ACTIVE_UNIFORM_BLOCKS).max(0) as u32;
            for block in 0..blocks {
                gl.uniform_block_binding(program, block, block);
                let bytes =
                    gl.get_active_uniform_block_parameter_i32(program, block, glow::UNIFORM_BLOCK_DATA_SIZE);
                self.blocks.push(bytes.max(0) as usize);
            }
            for index in 0..gl.get_active_uniforms(program) {
                let Some(active) = gl.get_active_uniform(program, index) else { continue };
                let ask = |parameter| {
                    let found = gl.get_active_uniforms_parameter(program, &[index], parameter);
                    found.first().copied().unwrap_or(-1)
                };
                let place = match ask(glow::UNIFORM_BLOCK_INDEX) {
                    block if block >= 0 => Place::Block {
                        block: block as usize,
                        offset: ask(glow::UNIFORM_OFFSET).max(0) as usize,
                        element: ask(glow::UNIFORM_ARRAY_STRIDE).max(0) as usize,
                        column: ask(glow::UNIFORM_MATRIX_STRIDE).max(0) as usize,
                        row_major: ask(glow::UNIFORM_IS_ROW_MAJOR) == 1,
                    },
                    _ => match gl.get_uniform_location(program, &active.name) {
                        Some(location) => Place::Location(location),
                        None => continue,
                    },
                };
                let kind = match (GlslType::of(active.utype), active.utype) {
                    (Some(kind), _) => UniformKind::Value(kind),
                    (None, glow::SAMPLER_2D) => UniformKind::Sampler2d,
                    (None, other) => UniformKind::Other(other),
                };
                let (name, len) = (bare(&active.name), active.size.max(1) as usize);
                self.uniforms.push(Uniform { name, kind, len, place });
            }
            for index in 0..gl.get_active_attributes(program) {
                let Some(active) = gl.get_active_attribute(program, index) else { continue };
                // `gl_VertexID` and its like are listed and have no location.
                let Some(location) = gl.get_attrib_location(program, &active.name) else { continue };
                let kind = GlslType::of(active.atype);
                self.attributes.push(Attribute { name: bare(&active.name), kind, location });
            }
            let location = |name: &String| u32::try_from(gl.get_frag_data_location(program, name)).ok();
            self.locations = outputs.iter().map(location).collect();
        }
    }

    /// Draws once. Row 0 of what comes back has `gl_FragCoord.y` = ½. The caller keeps sizes within the limits, and gives as
    /// many texels, values and words as it says.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the driver does not filter 32-bit floats, [`Error::OverLimit`] for too many textures or
    /// outputs, [`Error::Driver`] with the error that OpenGL reports.
    pub(crate) fn draw(&self, draw: &ForeignDraw) -> Result<Drawn> {
        self.check(draw)?;
        self.context.alive("a shader")?;
        self.context.count(|c| c.passes += 1);
        self.context.drain_errors();
        self.context.foreign(|gl| {
            let mut objects = Objects::default();
            let drawn = self.draw_with(gl, draw, &mut objects);
            objects.delete(gl);
            match (drawn, self.context.take_error()) {
                (Ok(_), Some(error)) => Err(refused("to draw a shader")(error.to_owned())),
                (drawn, _) => drawn,
            }
        })
    }

    fn check(&self, draw: &ForeignDraw) -> Result<()> {
        let limits = self.context.limits();
        let over = |quantity, found: usize, limit: u32| match found > limit as usize {
            true => {
                let (found, limit) = (found as u64, u64::from(limit));
                Err(Error::OverLimit { what: "a shader".to_owned(), quantity, found, limit })
            }
            false => Ok(()),
        };
        over("number of textures", draw.textures.len(), limits.streams)?;
        over("number of outputs", self.targets(), limits.targets)?;
        let filtered =
            |texture: &TextureInput| texture.storage == Storage::Float && texture.filter != Filter::Nearest;
        match draw.textures.iter().find(|texture| filtered(texture) && !limits.float_filter) {
            Some(texture) => Err(Error::Unsupported {
                what: format!("filtering of 32-bit floats in \"{}\"", texture.uniform.name),
                needs: "OES_texture_float_linear",
                renderer: self.context.limits_name().to_owned(),
            }),
            None => Ok(()),
        }
    }

    /// Colour attachments: one more than the last location.
    fn targets(&self) -> usize {
        self.locations.iter().flatten().max().map_or(0, |last| *last as usize + 1)
    }

    fn draw_with(&self, gl: &glow::Context, draw: &ForeignDraw, objects: &mut Objects) -> Result<Drawn> {
        let (width, height) = (draw.size.0 as i32, draw.size.1 as i32);
        // SAFETY: every object is made here, and sizes are within limits.
        let (framebuffer, depths) = unsafe {
            let framebuffer = gl.create_framebuffer().map_err(refused("a framebuffer"))?;
            objects.framebuffers.push(framebuffer);
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
            let mut attached = Vec::new();
            for target in 0..self.targets() as u32 {
                if !self.locations.contains(&Some(target)) {
                    attached.push(glow::NONE);
                    continue;
                }
                let texture = empty_texture(gl, draw.storage, draw.size)?;
                objects.textures.push(texture);
                let attachment = glow::COLOR_ATTACHMENT0 + target;
                gl.framebuffer_texture_2d(glow::FRAMEBUFFER, attachment, glow::TEXTURE_2D, Some(texture), 0);
                attached.push(attachment);
            }
            gl.draw_buffers(&attached);
            let depths = draw.depth.then(|| depth_texture(gl, draw.size)).transpose()?;
            if let Some(depths) = depths {
                objects.textures.push(depths);
                let (both, to) = (glow::DEPTH_ATTACHMENT, glow::TEXTURE_2D);
                gl.framebuffer_texture_2d(glow::FRAMEBUFFER, both, to, Some(depths), 0);
                gl.enable(glow::DEPTH_TEST);
            }
            let status = gl.check_framebuffer_status(glow::FRAMEBUFFER);
            if status != glow::FRAMEBUFFER_COMPLETE {
                let size = format!("{width}x{height} {:?}", draw.storage);
                let message = format!("framebuffer status {status:#06x}");
                return Err(Error::Driver { what: format!("a target of {size}"), message });
            }
            (framebuffer, depths)
        };
        // After the targets: making a texture binds it, too.
        self.set_inputs(gl, draw, objects)?;
        // SAFETY: all inputs are set, and the vertices cover `count` of them.
        unsafe {
            gl.viewport(0, 0, width, height);
            gl.disable(glow::DITHER);
            if draw.storage == Storage::Srgb && !gl.version().is_embedded {
                gl.enable(glow::FRAMEBUFFER_SRGB);
            }
            gl.clear_color(0.0, 0.0, 0.0, 0.0);
            gl.clear(glow::COLOR_BUFFER_BIT | glow::DEPTH_BUFFER_BIT);
            gl.draw_arrays(glow::TRIANGLES, 0, draw.vertices.count as i32);
            gl.disable(glow::DEPTH_TEST);
            gl.enable(glow::DITHER);
            if !gl.version().is_embedded {
                gl.disable(glow::FRAMEBUFFER_SRGB);
            }
        }
        let mut outputs = Vec::new();
        for location in &self.locations {
            outputs.push(match location {
                Some(location) => {
                    // SAFETY: the attachment is there.
                    unsafe { gl.read_buffer(glow::COLOR_ATTACHMENT0 + location) };
                    read(gl, draw.storage, draw.size)
                }
                None => Vec::new(),
            });
        }
        let depth = match depths {
            Some(depths) => {
                // SAFETY: the framebuffer is alive, and the depth no more read while it is attached.
                unsafe {
                    gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
                    gl.framebuffer_texture_2d(
                        glow::FRAMEBUFFER,
                        glow::DEPTH_ATTACHMENT,
                        glow::TEXTURE_2D,
                        None,
                        0,
                    );
                }
                Some(self.read_depth(gl, depths, draw.size, objects)?)
            }
            None => None,
        };
        // SAFETY: OpenGL's own state at the start.
        unsafe {
            gl.bind_framebuffer(glow::FRAMEBUFFER, None);
            gl.use_program(None);
            gl.bind_vertex_array(None);
        }
        Ok(Drawn { outputs, depth })
    }

    /// Uniforms, blocks, textures and vertices.
    fn set_inputs(&self, gl: &glow::Context, draw: &ForeignDraw, objects: &mut Objects) -> Result<()> {
        let mut blocks: Vec<Vec<u8>> = self.blocks.iter().map(|bytes| vec![0; *bytes]).collect();
        // SAFETY: the program is linked; values have the type and number of their uniform.
        unsafe {
            gl.use_program(Some(self.program));
            for (uniform, words) in &draw.values {
                let UniformKind::Value(kind) = uniform.kind else { continue };
                match &uniform.place {
                    Place::Location(location) => kind.set(gl, location, words),
                    &Place::Block { block, offset, element, column, row_major } => {
                        let bytes = &mut blocks[block];
                        put(bytes, offset, (element, column, row_major), kind, words);
                    }
                }
            }
            for (binding, bytes) in (0..).zip(&blocks) {
                let buffer = gl.create_buffer().map_err(refused("a uniform buffer"))?;
                objects.buffers.push(buffer);
                gl.bind_buffer(glow::UNIFORM_BUFFER, Some(buffer));
                gl.buffer_data_u8_slice(glow::UNIFORM_BUFFER, bytes, glow::STATIC_DRAW);
                gl.bind_buffer_base(glow::UNIFORM_BUFFER, binding, Some(buffer));
            }
            for (unit, texture) in (0..).zip(&draw.textures) {
                gl.active_texture(glow::TEXTURE0 + unit);
                objects.textures.push(input_texture(gl, texture)?);
                if let Place::Location(location) = &texture.uniform.place {
                    gl.uniform_1_i32(Some(location), unit as i32);
                }
            }
            let array = gl.create_vertex_array().map_err(refused("a vertex array"))?;
            objects.vertex_arrays.push(array);
            gl.bind_vertex_array(Some(array));
            let buffer = gl.create_buffer().map_err(refused("a vertex buffer"))?;
            objects.buffers.push(buffer);
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
            let values: &[u8] = bytemuck::cast_slice(draw.vertices.values);
            gl.buffer_data_u8_slice(glow::ARRAY_BUFFER, values, glow::STATIC_DRAW);
            let stride = 4 * draw.vertices.attributes.iter().map(|(_, n)| *n as i32).sum::<i32>();
            let mut offset = 0;
            for (attribute, components) in &draw.vertices.attributes {
                let components = *components as i32;
                if let Some(Attribute { location, .. }) = attribute {
                    gl.enable_vertex_attrib_array(*location);
                    gl.vertex_attrib_pointer_f32(*location, components, glow::FLOAT, false, stride, offset);
                }
                offset += 4 * components;
            }
            gl.bind_buffer(glow::ARRAY_BUFFER, None);
        }
        Ok(())
    }

    /// OpenGL ES reads no depth back: a pass makes colours of it.
    fn read_depth(
        &self,
        gl: &glow::Context,
        depths: glow::Texture,
        size: (u32, u32),
        objects: &mut Objects,
    ) -> Result<Vec<f32>> {
        let head = match self.context.driver.embedded {
            true => "#version 300 es\nprecision highp float;\nprecision highp sampler2D;\n",
            false => "#version 330 core\n",
        };
        let stage =
            |text: &str| Stage { text: format!("{head}{text}"), files: Vec::new(), lines: Vec::new() };
        let program = link(gl, "depth", [&stage(DEPTH_VERTEX), &stage(DEPTH_FRAGMENT)])?;
        // SAFETY: the program is linked, and deleted after its one draw; the target is made here.
        unsafe {
            let target =
                empty_texture(gl, Storage::Float, size).inspect_err(|_| gl.delete_program(program))?;
            objects.textures.push(target);
            let (colour, to) = (glow::COLOR_ATTACHMENT0, glow::TEXTURE_2D);
            gl.framebuffer_texture_2d(glow::FRAMEBUFFER, colour, to, Some(target), 0);
            gl.draw_buffers(&[glow::COLOR_ATTACHMENT0]);
            gl.read_buffer(glow::COLOR_ATTACHMENT0);
            gl.use_program(Some(program));
            gl.active_texture(glow::TEXTURE0);
            gl.bind_texture(glow::TEXTURE_2D, Some(depths));
            gl.bind_sampler(0, None);
            gl.draw_arrays(glow::TRIANGLES, 0, 3);
            gl.delete_program(program);
        }
        Ok(read(gl, Storage::Float, size).into_iter().step_by(4).collect())
    }
}

impl Drop for ForeignProgram {
    fn drop(&mut self) {
        let gl = self.context.gl();
        // SAFETY: made by `foreign_program`, held by nobody else, and no program of the cache.
        unsafe { gl.delete_program(self.program) };
    }
}

impl Storage {
    const fn internal(self) -> u32 {
        match self {
            Storage::Float => glow::RGBA32F,
            Storage::Bytes => glow::RGBA8,
            Storage::Srgb => glow::SRGB8_ALPHA8,
        }
    }

    const fn external(self) -> u32 {
        match self {
            Storage::Float => glow::FLOAT,
            Storage::Bytes | Storage::Srgb => glow::UNSIGNED_BYTE,
        }
    }
}

/// A new texture, bound to the active unit.
///
/// # Safety
/// The context is current, the size within its limits, and the pixels are as many as the size says.
unsafe fn texture(
    gl: &glow::Context,
    storage: Storage,
    (width, height): (u32, u32),
    pixels: Option<&[u8]>,
) -> Result<glow::Texture> {
    // SAFETY: as above.
    unsafe {
        let texture = gl.create_texture().map_err(refused("a texture"))?;
        gl.bind_texture(glow::TEXTURE_2D, Some(texture));
        for (name, value) in [
            (glow::TEXTURE_MIN_FILTER, glow::NEAREST),
            (glow::TEXTURE_MAG_FILTER, glow::NEAREST),
            (glow::TEXTURE_WRAP_S, glow::CLAMP_TO_EDGE),
            (glow::TEXTURE_WRAP_T, glow::CLAMP_TO_EDGE),
        ] {
            gl.tex_parameter_i32(glow::TEXTURE_2D, name, value as i32);
        }
        let internal = storage.internal() as i32;
        let (format, kind) = (glow::RGBA, storage.external());
        let pixels = glow::PixelUnpackData::Slice(pixels);
        let (width, height) = (width as i32, height as i32);
        gl.tex_image_2d(glow::TEXTURE_2D, 0, internal, width, height, 0, format, kind, pixels);
        Ok(texture)
    }
}

/// # Safety
/// As [`texture`].
unsafe fn empty_texture(gl: &glow::Context, storage: Storage, size: (u32, u32)) -> Result<glow::Texture> {
    // SAFETY: as above.
    unsafe { texture(gl, storage, size, None) }
}

/// # Safety
/// As [`texture`], of which the texels of the input are as many as its size says.
unsafe fn input_texture(gl: &glow::Context, input: &TextureInput) -> Result<glow::Texture> {
    let rounded: Vec<u8>;
    let pixels = match input.storage {
        Storage::Float => bytemuck::cast_slice(input.texels),
        Storage::Bytes | Storage::Srgb => {
            rounded = input.texels.iter().copied().map(byte_of).collect();
            &rounded
        }
    };
    let wrap = match input.wrap {
        Edges::Clamp => glow::CLAMP_TO_EDGE,
        Edges::Repeat => glow::REPEAT,
        Edges::Mirror => glow::MIRRORED_REPEAT,
    };
    let (smaller, larger) = match input.filter {
        Filter::Nearest => (glow::NEAREST, glow::NEAREST),
        Filter::Linear => (glow::LINEAR, glow::LINEAR),
        Filter::Trilinear => (glow::LINEAR_MIPMAP_LINEAR, glow::LINEAR),
    };
    // SAFETY: as above.
    unsafe {
        let texture = texture(gl, input.storage, input.size, Some(pixels))?;
        for (name, value) in [
            (glow::TEXTURE_MIN_FILTER, smaller),
            (glow::TEXTURE_MAG_FILTER, larger),
            (glow::TEXTURE_WRAP_S, wrap),
            (glow::TEXTURE_WRAP_T, wrap),
        ] {
            gl.tex_parameter_i32(glow::TEXTURE_2D, name, value as i32);
        }
        if input.filter == Filter::Trilinear {
            gl.generate_mipmap(glow::TEXTURE_2D);
        }
        Ok(texture)
    }
}

/// # Safety
/// As [`texture`].
unsafe fn depth_texture(gl: &glow::Context, (width, height): (u32, u32)) -> Result<glow::Texture> {
    // SAFETY: as above.
    unsafe {
        let texture = gl.create_texture().map_err(refused("a texture"))?;
        gl.bind_texture(glow::TEXTURE_2D, Some(texture));
        for name in [glow::TEXTURE_MIN_FILTER, glow::TEXTURE_MAG_FILTER] {
            gl.tex_parameter_i32(glow::TEXTURE_2D, name, glow::NEAREST as i32);
        }
        let internal = glow::DEPTH_COMPONENT32F as i32;
        let (format, nothing) = (glow::DEPTH_COMPONENT, glow::PixelUnpackData::Slice(None));
        let (width, height) = (width as i32, height as i32);
        gl.tex_image_2d(glow::TEXTURE_2D, 0, internal, width, height, 0, format, glow::FLOAT, nothing);
        Ok(texture)
    }
}

/// RGBA of the attachment that is to be read, row 0 first.
fn read(gl: &glow::Context, storage: Storage, (width, height): (u32, u32)) -> Vec<f32> {
    let values = 4 * width as usize * height as usize;
    let (width, height, kind) = (width as i32, height as i32, storage.external());
    let mut floats = vec![0.0_f32; if storage == Storage::Float { values } else { 0 }];
    let mut bytes = vec![0_u8; if storage == Storage::Float { 0 } else { values }];
    let room = match storage {
        Storage::Float => bytemuck::cast_slice_mut(&mut floats),
        Storage::Bytes | Storage::Srgb => &mut bytes[..],
    };
    // SAFETY: the receiver has room for all values, and rows of four components need no padding.
    unsafe {
        gl.read_pixels(0, 0, width, height, glow::RGBA, kind, glow::PixelPackData::Slice(Some(room)));
    }
    if storage != Storage::Float {
        floats.extend(bytes.into_iter().map(number_of));
    }
    floats
}

/// Puts values into the bytes of a block, by the strides that OpenGL told; what would lie beyond the end is left out.
fn put(
    bytes: &mut [u8],
    offset: usize,
    (element, column, row_major): (usize, usize, bool),
    kind: GlslType,
    words: &[u32],
) {
    for (i, &word) in words.iter().enumerate() {
        let (whole, part) = (i / kind.components(), i % kind.components());
        let (c, r) = (part / kind.rows, part % kind.rows);
        let inside = match row_major {
            true => r * column + 4 * c,
            false => c * column + 4 * r,
        };
        let at = offset + whole * element + inside;
        if let Some(place) = bytes.get_mut(at..at + 4) {
            place.copy_from_slice(&word.to_ne_bytes());
        }
    }
}
