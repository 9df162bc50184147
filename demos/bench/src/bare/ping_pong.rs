//! Loops of one program that reads one of two textures and draws into the other.

use quadrille::glow::{self, HasContext};

use super::BareLoop;
use super::device::{Bare, Program, Shape, Target};
use quadrille::Result;

const AXPY: &str = "
uniform sampler2D newest, x;
uniform float a;
ACROSS in vec2 at;
out vec4 next;
void main() {
    next = a * texture(x, at) + texture(newest, at);
}";

const COPY: &str = "
uniform sampler2D newest;
ACROSS in vec2 at;
out vec4 next;
void main() {
    next = texture(newest, at);
}";

/// Pasted together from doublings, because a loop in a shader costs more than what is in it.
const MULTIPLY_ADD: &str = "
#define R0
#define R1 value = value * scale + shift;
#define R2 R1 R1
#define R4 R2 R2
#define R8 R4 R4
#define R16 R8 R8
#define R32 R16 R16
#define R64 R32 R32
#define R128 R64 R64
#define R256 R128 R128
uniform sampler2D newest;
uniform float scale, shift;
ACROSS in vec2 at;
out vec4 next;
void main() {
    vec4 value = texture(newest, at);
    OPERATIONS
    next = value;
}";

const GRAY_SCOTT: &str = "
uniform sampler2D newest;
uniform vec2 rates;
uniform float F, k;
ACROSS in vec2 at;
out vec2 next;
void main() {
    vec2 here = texture(newest, at).xy;
    vec2 around = textureOffset(newest, at, ivec2(1, 0)).xy + textureOffset(newest, at, ivec2(-1, 0)).xy
                + textureOffset(newest, at, ivec2(0, 1)).xy + textureOffset(newest, at, ivec2(0, -1)).xy;
    float uvv = here.x * here.y * here.y;
    next = (1.0 - rates) * here + 0.25 * rates * around + vec2(F * (1.0 - here.x) - uvv, uvv - (F + k) * here.y);
}";

/// Two targets, of which one is read while the other is drawn.
pub struct PingPong {
    bare: Bare,
    program: Program,
    targets: [Target; 2],
    newest: usize,
    /// A texture that every pass reads besides, on unit 1.
    beside: Option<Target>,
}

impl PingPong {
    /// y' = a x + y over RGBA32F texels.
    ///
    /// # Errors
    /// Those of the driver, and of values that do not fit the size.
    pub fn axpy(bare: &Bare, width: u32, height: u32, a: f32, x: &[f32], y: &[f32]) -> Result<PingPong> {
        let shape = Shape::rgba(width, height);
        let program = bare.program(AXPY)?;
        program.floats("a", &[a]);
        program.unit("x", 1);
        let beside = Some(bare.target(shape, Some(x))?);
        Ok(PingPong { beside, ..PingPong::new(bare, program, shape, y)? })
    }

    /// The same texels over and over: what writing them costs.
    ///
    /// # Errors
    /// As [`PingPong::axpy`].
    pub fn copy(bare: &Bare, width: u32, height: u32, values: &[f32]) -> Result<PingPong> {
        PingPong::new(bare, bare.program(COPY)?, Shape::rgba(width, height), values)
    }

    /// Each component v becomes v · scale + shift, `operations` times over: 0, or a power of two up to 256.
    ///
    /// # Errors
    /// As [`PingPong::axpy`].
    pub fn multiply_add(
        bare: &Bare,
        width: u32,
        height: u32,
        operations: u32,
        [scale, shift]: [f32; 2],
        values: &[f32],
    ) -> Result<PingPong> {
        let program = bare.program(&MULTIPLY_ADD.replace("OPERATIONS", &format!("R{operations}")))?;
        program.floats("scale", &[scale]);
        program.floats("shift", &[shift]);
        PingPong::new(bare, program, Shape::rgba(width, height), values)
    }

    /// Gray–Scott on a torus; `state` is (u, v) of each cell. RG32F takes half the memory of RGBA32F.
    ///
    /// # Errors
    /// As [`PingPong::axpy`].
    pub fn gray_scott(
        bare: &Bare,
        width: u32,
        height: u32,
        [feed, kill, du, dv]: [f32; 4],
        state: &[f32],
    ) -> Result<PingPong> {
        let program = bare.program(GRAY_SCOTT)?;
        program.floats("rates", &[du, dv]);
        program.floats("F", &[feed]);
        program.floats("k", &[kill]);
        PingPong::new(bare, program, Shape { width, height, components: 2, wrap: glow::REPEAT }, state)
    }

    fn new(bare: &Bare, program: Program, shape: Shape, values: &[f32]) -> Result<PingPong> {
        let targets = [bare.target(shape, Some(values))?, bare.target(shape, None)?];
        Ok(PingPong { bare: bare.clone(), program, targets, newest: 0, beside: None })
    }

    /// The newest state: four components a texel.
    pub fn texels(&self) -> Vec<f32> {
        self.targets[self.newest].texels()
    }
}

impl BareLoop for PingPong {
    fn draw(&mut self, rounds: u32) {
        let gl = self.bare.gl();
        let Shape { width, height, .. } = self.targets[0].shape;
        self.bare.begin();
        // SAFETY: every object is alive; nothing is read that is drawn.
        unsafe {
            gl.use_program(Some(self.program.program));
            gl.viewport(0, 0, width as i32, height as i32);
            if let Some(beside) = &self.beside {
                gl.active_texture(glow::TEXTURE1);
                gl.bind_texture(glow::TEXTURE_2D, Some(beside.texture));
            }
            gl.active_texture(glow::TEXTURE0);
            for _ in 0..rounds {
                gl.bind_framebuffer(glow::FRAMEBUFFER, Some(self.targets[1 - self.newest].framebuffer));
                gl.bind_texture(glow::TEXTURE_2D, Some(self.targets[self.newest].texture));
                gl.draw_arrays(glow::TRIANGLES, 0, 3);
                self.newest = 1 - self.newest;
            }
        }
    }

    fn texel(&self) -> [f32; 4] {
        self.targets[self.newest].first_texel()
    }
}
