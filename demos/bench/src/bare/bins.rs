//! The histogram of an image: a point for each pixel, which fetches it and adds 1 to its bin by blending.

use quadrille::glow::{self, HasContext};

use super::BareLoop;
use super::device::{Bare, Program, Shape, Target};
use quadrille::Result;

/// A pixel's number makes its place and its brightness, 0 to 1, that of its bin.
const POINT: &str = "
uniform sampler2D image;
uniform float bins;
void main() {
    int width = textureSize(image, 0).x, row = gl_VertexID / width;
    float brightness = texelFetch(image, ivec2(gl_VertexID - row * width, row), 0).x;
    float bin = min(floor(brightness * bins), bins - 1.0);
    gl_Position = vec4((bin + 0.5) * 2.0 / bins - 1.0, 0.0, 0.0, 1.0);
    gl_PointSize = 1.0;
}";

const ONE: &str = "
out vec4 one;
void main() {
    one = vec4(1.0, 0.0, 0.0, 0.0);
}";

/// Counts into one of two targets and then the other.
pub struct BinPoints {
    bare: Bare,
    program: Program,
    image: Target,
    targets: [Target; 2],
    newest: usize,
}

impl BinPoints {
    /// Counts width × height pixels from 0 to 1.
    ///
    /// # Errors
    /// Those of the driver, and of pixels that do not fit the size.
    pub fn new(bare: &Bare, width: u32, height: u32, pixels: &[f32], bins: u32) -> Result<BinPoints> {
        let program = bare.program_of(POINT, ONE)?;
        program.floats("bins", &[bins as f32]);
        let pairs: Vec<f32> = pixels.iter().flat_map(|&pixel| [pixel, 0.0]).collect();
        let image = bare.target(Shape { components: 2, ..Shape::rgba(width, height) }, Some(&pairs))?;
        let target = || bare.target(Shape::rgba(bins, 1), None);
        Ok(BinPoints { bare: bare.clone(), program, image, targets: [target()?, target()?], newest: 0 })
    }

    /// The newest counts.
    pub fn counts(&self) -> Vec<f32> {
        self.targets[self.newest].texels().into_iter().step_by(4).collect()
    }
}

impl BareLoop for BinPoints {
    fn draw(&mut self, rounds: u32) {
        let gl = self.bare.gl();
        let Shape { width, height, .. } = self.image.shape;
        self.bare.begin();
        // SAFETY: every object is alive; nothing is read that is drawn.
        unsafe {
            gl.use_program(Some(self.program.program));
            gl.viewport(0, 0, self.targets[0].shape.width as i32, 1);
            gl.bind_texture(glow::TEXTURE_2D, Some(self.image.texture));
            gl.enable(glow::BLEND);
            gl.blend_func(glow::ONE, glow::ONE);
            gl.clear_color(0.0, 0.0, 0.0, 0.0);
            for _ in 0..rounds {
                self.newest = 1 - self.newest;
                gl.bind_framebuffer(glow::FRAMEBUFFER, Some(self.targets[self.newest].framebuffer));
                gl.clear(glow::COLOR_BUFFER_BIT);
                gl.draw_arrays(glow::POINTS, 0, (width * height) as i32);
            }
            gl.disable(glow::BLEND);
        }
    }

    fn texel(&self) -> [f32; 4] {
        self.targets[self.newest].first_texel()
    }
}
