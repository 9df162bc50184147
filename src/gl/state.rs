//! The one cached place through which all GL state goes, so that a pass sets everything it needs
//! and the driver hears only of what changed.

use glow::HasContext;

use super::{Edges, Rect};

/// Texture units we ever use.
pub(crate) const UNITS: usize = 16;

/// How a fragment meets the texel that is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blend {
    /// It replaces it.
    #[default]
    Replace,
    /// It is added to it.
    Add,
}

/// Which fragments pass the depth and stencil tests, and what they leave there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mask {
    /// Depth test; `None` lets all pass and writes nothing.
    pub depth: Option<DepthTest>,
    /// Stencil test; `None` lets all pass and writes nothing.
    pub stencil: Option<StencilTest>,
}

impl Mask {
    /// The same tests, which leave nothing there.
    pub(super) fn writing_nothing(self) -> Mask {
        Mask {
            depth: self.depth.map(|test| DepthTest { write: false, ..test }),
            stencil: self.stencil.map(|test| StencilTest { write: false, ..test }),
        }
    }

    /// Lets all fragments pass and write: for clearing.
    pub(super) fn writing_all() -> Mask {
        Mask {
            depth: Some(DepthTest { compare: Compare::Always, write: true }),
            stencil: Some(StencilTest { compare: Compare::Always, reference: 0, write: true }),
        }
    }
}

/// Depth test of a pass whose quad lies at the pass's depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthTest {
    /// The comparison that passes.
    pub compare: Compare,
    /// Passing fragments write their depth if set.
    pub write: bool,
}

/// Stencil test against a reference value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StencilTest {
    /// The comparison that passes (reference `compare` stored).
    pub compare: Compare,
    /// The reference value.
    pub reference: u8,
    /// Passing fragments write the reference if set.
    pub write: bool,
}

/// A comparison of a depth or stencil test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// Passes always.
    Always,
    /// Passes where it is less than what is stored.
    Less,
    /// Passes where it equals what is stored.
    Equal,
    /// Passes where it differs from what is stored.
    NotEqual,
}

impl Compare {
    fn gl(self) -> u32 {
        match self {
            Compare::Always => glow::ALWAYS,
            Compare::Less => glow::LESS,
            Compare::Equal => glow::EQUAL,
            Compare::NotEqual => glow::NOTEQUAL,
        }
    }
}

/// One sampler object for each edge rule; all of them nearest-texel.
pub(super) struct Samplers([glow::Sampler; 3]);

impl Samplers {
    pub fn new(gl: &glow::Context) -> Result<Samplers, String> {
        let sampler = |wrap: u32| {
            // SAFETY: the context is current; parameters are constants of the sampler object.
            unsafe {
                let sampler = gl.create_sampler()?;
                gl.sampler_parameter_i32(sampler, glow::TEXTURE_MIN_FILTER, glow::NEAREST as i32);
                gl.sampler_parameter_i32(sampler, glow::TEXTURE_MAG_FILTER, glow::NEAREST as i32);
                gl.sampler_parameter_i32(sampler, glow::TEXTURE_WRAP_S, wrap as i32);
                gl.sampler_parameter_i32(sampler, glow::TEXTURE_WRAP_T, wrap as i32);
                Ok::<_, String>(sampler)
            }
        };
        Ok(Samplers([sampler(glow::CLAMP_TO_EDGE)?, sampler(glow::REPEAT)?, sampler(glow::MIRRORED_REPEAT)?]))
    }

    pub fn of(&self, edges: Edges) -> glow::Sampler {
        self.0[edges as usize]
    }

    pub fn delete(&self, gl: &glow::Context) {
        for &sampler in &self.0 {
            // SAFETY: made by `new` in this context.
            unsafe { gl.delete_sampler(sampler) };
        }
    }
}

/// The known state of the context; `None` is "not known", so the next setter speaks.
#[derive(Default)]
pub(super) struct State {
    framebuffer: Option<Option<glow::Framebuffer>>,
    viewport: Option<[i32; 4]>,
    program: Option<Option<glow::Program>>,
    vertex_array: Option<Option<glow::VertexArray>>,
    unit: Option<usize>,
    textures: [Option<glow::Texture>; UNITS],
    samplers: [Option<glow::Sampler>; UNITS],
    blend: Option<Blend>,
    mask: Option<Mask>,
    fixed: bool,
    /// Calls of OpenGL since they were last asked for.
    calls: u64,
}

impl State {
    /// Forgets the known state: foreign code may have changed it.
    pub fn forget(&mut self) {
        *self = State { calls: self.calls, ..State::default() };
    }

    /// The calls of OpenGL since this was asked for.
    pub fn take_calls(&mut self) -> u64 {
        std::mem::take(&mut self.calls)
    }

    /// Puts GL's defaults there, whatever was before, for foreign code.
    pub fn reset(&mut self, gl: &glow::Context) {
        self.fixed(gl);
        self.framebuffer(gl, None);
        self.program(gl, None);
        self.vertex_array(gl, None);
        self.blend(gl, Blend::Replace);
        self.mask(gl, Mask::default());
        for unit in 0..UNITS {
            self.active_unit(gl, unit);
            // SAFETY: unbinding needs no object.
            unsafe {
                gl.bind_texture(glow::TEXTURE_2D, None);
                gl.bind_sampler(unit as u32, None);
            }
        }
        self.active_unit(gl, 0);
        // SAFETY: constants.
        unsafe {
            gl.blend_equation(glow::FUNC_ADD);
            gl.blend_func(glow::ONE, glow::ZERO);
            gl.blend_color(0.0, 0.0, 0.0, 0.0);
            gl.depth_func(glow::LESS);
            gl.depth_mask(true);
            gl.stencil_func(glow::ALWAYS, 0, u32::MAX);
            gl.stencil_op(glow::KEEP, glow::KEEP, glow::KEEP);
            gl.stencil_mask(u32::MAX);
            gl.pixel_store_i32(glow::PACK_ALIGNMENT, 4);
            gl.pixel_store_i32(glow::UNPACK_ALIGNMENT, 4);
            gl.enable(glow::DITHER);
            if !gl.version().is_embedded {
                gl.disable(glow::PROGRAM_POINT_SIZE);
            }
        }
        self.textures = Default::default();
        self.samplers = Default::default();
        self.fixed = false;
    }

    /// Sets the state that every pass needs and no pass changes.
    pub fn fixed(&mut self, gl: &glow::Context) {
        if !std::mem::replace(&mut self.fixed, true) {
            // SAFETY: constants.
            unsafe {
                for off in [
                    glow::SCISSOR_TEST,
                    glow::CULL_FACE,
                    glow::DITHER,
                    glow::SAMPLE_ALPHA_TO_COVERAGE,
                    glow::SAMPLE_COVERAGE,
                    glow::POLYGON_OFFSET_FILL,
                    glow::RASTERIZER_DISCARD,
                ] {
                    gl.disable(off);
                }
                if !gl.version().is_embedded {
                    gl.disable(glow::FRAMEBUFFER_SRGB);
                    gl.disable(glow::COLOR_LOGIC_OP);
                    gl.polygon_mode(glow::FRONT_AND_BACK, glow::FILL);
                    gl.enable(glow::PROGRAM_POINT_SIZE);
                }
                gl.depth_range_f32(0.0, 1.0);
                gl.color_mask(true, true, true, true);
                gl.bind_buffer(glow::PIXEL_PACK_BUFFER, None);
                gl.bind_buffer(glow::PIXEL_UNPACK_BUFFER, None);
                for (name, value) in [
                    (glow::PACK_ALIGNMENT, 1),
                    (glow::UNPACK_ALIGNMENT, 1),
                    (glow::PACK_ROW_LENGTH, 0),
                    (glow::UNPACK_ROW_LENGTH, 0),
                    (glow::PACK_SKIP_ROWS, 0),
                    (glow::PACK_SKIP_PIXELS, 0),
                    (glow::UNPACK_SKIP_ROWS, 0),
                    (glow::UNPACK_SKIP_PIXELS, 0),
                ] {
                    gl.pixel_store_i32(name, value);
                }
            }
        }
    }

    pub fn framebuffer(&mut self, gl: &glow::Context, framebuffer: Option<glow::Framebuffer>) {
        if self.framebuffer != Some(framebuffer) {
            self.framebuffer = Some(framebuffer);
            self.calls += 1;
            // SAFETY: the framebuffer is alive: deletion goes through `forget_framebuffer`.
            unsafe { gl.bind_framebuffer(glow::FRAMEBUFFER, framebuffer) };
        }
    }

    pub fn viewport(&mut self, gl: &glow::Context, range: Rect) {
        let viewport = [range.x0 as i32, range.y0 as i32, range.width() as i32, range.height() as i32];
        if self.viewport != Some(viewport) {
            self.viewport = Some(viewport);
            self.calls += 1;
            // SAFETY: plain numbers.
            unsafe { gl.viewport(viewport[0], viewport[1], viewport[2], viewport[3]) };
        }
    }

    pub fn program(&mut self, gl: &glow::Context, program: Option<glow::Program>) {
        if self.program != Some(program) {
            self.program = Some(program);
            self.calls += 1;
            // SAFETY: the program is alive: deletion goes through `forget_program`.
            unsafe { gl.use_program(program) };
        }
    }

    pub fn vertex_array(&mut self, gl: &glow::Context, array: Option<glow::VertexArray>) {
        if self.vertex_array != Some(array) {
            self.vertex_array = Some(array);
            self.calls += 1;
            // SAFETY: the array is alive: deletion goes through `forget_vertex_array`.
            unsafe { gl.bind_vertex_array(array) };
        }
    }

    pub fn texture(&mut self, gl: &glow::Context, unit: usize, texture: glow::Texture) {
        if self.textures[unit] != Some(texture) {
            self.textures[unit] = Some(texture);
            self.calls += 1;
            self.active_unit(gl, unit);
            // SAFETY: the texture is alive.
            unsafe { gl.bind_texture(glow::TEXTURE_2D, Some(texture)) };
        }
    }

    /// Binds a texture whose texels or parameters are to be set: those calls go to the active unit. A name becomes a texture
    /// as it is bound so for the first time.
    pub fn texture_to_set(&mut self, gl: &glow::Context, texture: glow::Texture) {
        self.active_unit(gl, 0);
        if self.textures[0] != Some(texture) {
            self.textures[0] = Some(texture);
            self.calls += 1;
            // SAFETY: the texture is alive.
            unsafe { gl.bind_texture(glow::TEXTURE_2D, Some(texture)) };
        }
    }

    /// The unit that is active as far as is known.
    pub fn active(&self) -> usize {
        self.unit.unwrap_or(0)
    }

    fn active_unit(&mut self, gl: &glow::Context, unit: usize) {
        if self.unit != Some(unit) {
            self.unit = Some(unit);
            self.calls += 1;
            // SAFETY: the unit is below UNITS.
            unsafe { gl.active_texture(glow::TEXTURE0 + unit as u32) };
        }
    }

    pub fn sampler(&mut self, gl: &glow::Context, unit: usize, sampler: glow::Sampler) {
        if self.samplers[unit] != Some(sampler) {
            self.samplers[unit] = Some(sampler);
            self.calls += 1;
            // SAFETY: the unit is below UNITS, the sampler lives as long as the context.
            unsafe { gl.bind_sampler(unit as u32, Some(sampler)) };
        }
    }

    pub fn blend(&mut self, gl: &glow::Context, blend: Blend) {
        if self.blend != Some(blend) {
            self.blend = Some(blend);
            self.calls += if blend == Blend::Replace { 1 } else { 3 };
            // SAFETY: constants.
            unsafe {
                match blend {
                    Blend::Replace => gl.disable(glow::BLEND),
                    Blend::Add => {
                        gl.enable(glow::BLEND);
                        gl.blend_equation(glow::FUNC_ADD);
                        gl.blend_func(glow::ONE, glow::ONE);
                    }
                }
            }
        }
    }

    /// Lets a fragment write 0, whatever its value is, until another rule is set.
    pub fn blend_to_zero(&mut self, gl: &glow::Context) {
        self.blend = None;
        // SAFETY: constants.
        unsafe {
            gl.enable(glow::BLEND);
            gl.blend_equation(glow::FUNC_ADD);
            gl.blend_func(glow::ZERO, glow::ZERO);
        }
    }

    /// Lets a fragment multiply what is there by a factor, whatever its value is, until another rule is set.
    pub fn blend_to_share(&mut self, gl: &glow::Context, factor: f32) {
        self.blend = None;
        // SAFETY: numbers and constants.
        unsafe {
            gl.enable(glow::BLEND);
            gl.blend_equation(glow::FUNC_ADD);
            gl.blend_func(glow::ZERO, glow::CONSTANT_COLOR);
            gl.blend_color(factor, factor, factor, factor);
        }
    }

    pub fn mask(&mut self, gl: &glow::Context, mask: Mask) {
        if self.mask == Some(mask) {
            return;
        }
        self.mask = Some(mask);
        self.calls += if mask.depth.is_some() { 3 } else { 1 } + if mask.stencil.is_some() { 4 } else { 1 };
        // SAFETY: constants.
        unsafe {
            match mask.depth {
                None => gl.disable(glow::DEPTH_TEST),
                Some(test) => {
                    gl.enable(glow::DEPTH_TEST);
                    gl.depth_func(test.compare.gl());
                    gl.depth_mask(test.write);
                }
            }
            match mask.stencil {
                None => gl.disable(glow::STENCIL_TEST),
                Some(test) => {
                    gl.enable(glow::STENCIL_TEST);
                    gl.stencil_func(test.compare.gl(), i32::from(test.reference), 0xff);
                    gl.stencil_op(glow::KEEP, glow::KEEP, glow::REPLACE);
                    gl.stencil_mask(if test.write { 0xff } else { 0 });
                }
            }
        }
    }

    /// GL unbinds what it deletes and may give its name out again: so must we.
    pub fn forget_texture(&mut self, texture: glow::Texture) {
        for bound in self.textures.iter_mut().filter(|bound| **bound == Some(texture)) {
            *bound = None;
        }
    }

    /// See [`State::forget_texture`].
    pub fn forget_framebuffer(&mut self, framebuffer: glow::Framebuffer) {
        if self.framebuffer == Some(Some(framebuffer)) {
            self.framebuffer = None;
        }
    }

    /// See [`State::forget_texture`].
    pub fn forget_program(&mut self, program: glow::Program) {
        if self.program == Some(Some(program)) {
            self.program = None;
        }
    }

    /// See [`State::forget_texture`].
    pub fn forget_vertex_array(&mut self, array: glow::VertexArray) {
        if self.vertex_array == Some(Some(array)) {
            self.vertex_array = None;
        }
    }
}
