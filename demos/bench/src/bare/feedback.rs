//! Feedback as it was before framebuffer objects: draw, then copy what was drawn to where it is read.

use quadrille::glow::{self, HasContext};

use super::BareLoop;
use super::device::{Bare, Program, Shape, Target};
use quadrille::Result;

const SHIFT: &str = "
uniform sampler2D newest;
uniform float scale, shift;
ACROSS in vec2 at;
out vec4 next;
void main() {
    next = texture(newest, at) * scale + shift;
}";

/// Draws each component v · scale + shift into one texture and copies it to the other (§31.2.1).
pub struct CopyToTexture {
    bare: Bare,
    program: Program,
    drawn: Target,
    read: Target,
}

impl CopyToTexture {
    /// Starts from these values.
    ///
    /// # Errors
    /// Those of the driver, and of values that do not fit the size.
    pub fn new(
        bare: &Bare,
        width: u32,
        height: u32,
        [scale, shift]: [f32; 2],
        values: &[f32],
    ) -> Result<CopyToTexture> {
        let program = bare.program(SHIFT)?;
        program.floats("scale", &[scale]);
        program.floats("shift", &[shift]);
        let shape = Shape::rgba(width, height);
        let (drawn, read) = (bare.target(shape, None)?, bare.target(shape, Some(values))?);
        Ok(CopyToTexture { bare: bare.clone(), program, drawn, read })
    }

    /// The newest state: four components a texel.
    pub fn texels(&self) -> Vec<f32> {
        self.read.texels()
    }
}

impl BareLoop for CopyToTexture {
    fn draw(&mut self, rounds: u32) {
        let gl = self.bare.gl();
        let (width, height) = (self.drawn.shape.width as i32, self.drawn.shape.height as i32);
        self.bare.begin();
        // SAFETY: every object is alive; the two textures are as large as the viewport.
        unsafe {
            gl.use_program(Some(self.program.program));
            gl.viewport(0, 0, width, height);
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(self.drawn.framebuffer));
            gl.bind_texture(glow::TEXTURE_2D, Some(self.read.texture));
            for _ in 0..rounds {
                gl.draw_arrays(glow::TRIANGLES, 0, 3);
                gl.copy_tex_sub_image_2d(glow::TEXTURE_2D, 0, 0, 0, 0, 0, width, height);
            }
        }
    }

    fn texel(&self) -> [f32; 4] {
        self.read.first_texel()
    }
}
