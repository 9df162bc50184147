//! The product of a dense matrix and a vector: partial sums of the rows, and the sums of these.

use quadrille::glow::{self, HasContext};

use super::BareLoop;
use super::device::{Bare, Program, Shape, Target};
use quadrille::{Error, Result};

/// Partial sums of a row. Enough that a small matrix still makes fragments by the thousand.
const PARTS: u32 = 16;

/// Texel (j, i) of the matrix holds rows 4i to 4i + 3 of column j; texel k of x elements 4k to 4k + 3. Part p sums
/// the four columns of texel p of x, of texel p + 16, and so on: neighbouring fragments read neighbouring texels.
const PARTIAL: &str = "
uniform sampler2D matrix, x;
ACROSS in vec2 at;
out vec4 part;
void main() {
    vec2 size = vec2(textureSize(matrix, 0));
    float first = floor(gl_FragCoord.x) * 4.0 + 0.5;
    vec4 sum = vec4(0.0);
    for (float j = first; j < size.x; j += STEP) {
        vec2 column = vec2(j / size.x, at.y);
        vec4 factors = textureLod(x, vec2((j + 1.5) / size.x, 0.5), 0.0);
        sum += textureLod(matrix, column, 0.0) * factors.r;
        sum += textureLodOffset(matrix, column, 0.0, ivec2(1, 0)) * factors.g;
        sum += textureLodOffset(matrix, column, 0.0, ivec2(2, 0)) * factors.b;
        sum += textureLodOffset(matrix, column, 0.0, ivec2(3, 0)) * factors.a;
    }
    part = sum;
}";

/// Each offset is a whole number of texels: a constant part of the texture.
const TOTAL: &str = "
uniform sampler2D parts;
ACROSS in vec2 at;
out vec4 y;
void main() {
    vec4 sum = vec4(0.0);
    TERMS
    y = sum;
}";

/// y = A x, four elements of y a texel, one above the other.
pub struct DenseProduct {
    bare: Bare,
    partial: Program,
    total: Program,
    matrix: Target,
    x: Target,
    parts: [Target; 2],
    targets: [Target; 2],
    newest: usize,
}

impl DenseProduct {
    /// Multiplies by a matrix of n × n values, row after row; n a multiple of 64.
    ///
    /// # Errors
    /// Those of the driver; [`Error::WrongLength`] for values that do not fit.
    pub fn new(bare: &Bare, n: u32, values: &[f32], x: &[f32]) -> Result<DenseProduct> {
        let side = n as usize;
        if values.len() != side * side || !n.is_multiple_of(4 * PARTS) {
            let (found, expected) = (values.len(), side * side);
            return Err(Error::WrongLength {
                what: "matrix".into(),
                found,
                expected,
                shape: format!("{n}x{n}"),
            });
        }
        let mut packed = Vec::with_capacity(values.len());
        for rows in values.chunks(4 * side) {
            packed.extend((0..side).flat_map(|j| (0..4).map(move |i| rows[i * side + j])));
        }
        let partial = bare.program(&PARTIAL.replace("STEP", &format!("{:?}", f64::from(4 * PARTS))))?;
        partial.unit("x", 1);
        let term = |p: u32| {
            let place = (f64::from(p) + 0.5) / f64::from(PARTS);
            format!("sum += textureLod(parts, vec2({place:?}, at.y), 0.0);")
        };
        let terms: Vec<String> = (0..PARTS).map(term).collect();
        let total = bare.program(&TOTAL.replace("TERMS", &terms.join("\n    ")))?;
        let of = |width, values| bare.target(Shape::rgba(width, n / 4), values);
        Ok(DenseProduct {
            bare: bare.clone(),
            partial,
            total,
            matrix: of(n, Some(&packed))?,
            x: bare.target(Shape::rgba(n / 4, 1), Some(x))?,
            parts: [of(PARTS, None)?, of(PARTS, None)?],
            targets: [of(1, None)?, of(1, None)?],
            newest: 0,
        })
    }

    /// The newest product.
    pub fn texels(&self) -> Vec<f32> {
        self.targets[self.newest].texels()
    }
}

impl BareLoop for DenseProduct {
    fn draw(&mut self, rounds: u32) {
        let gl = self.bare.gl();
        self.bare.begin();
        // SAFETY: every object is alive; the second pass reads what the first has drawn.
        unsafe {
            gl.active_texture(glow::TEXTURE1);
            gl.bind_texture(glow::TEXTURE_2D, Some(self.x.texture));
            gl.active_texture(glow::TEXTURE0);
            for _ in 0..rounds {
                self.newest = 1 - self.newest;
                let (parts, target) = (&self.parts[self.newest], &self.targets[self.newest]);
                let height = target.shape.height as i32;
                gl.use_program(Some(self.partial.program));
                gl.bind_framebuffer(glow::FRAMEBUFFER, Some(parts.framebuffer));
                gl.viewport(0, 0, PARTS as i32, height);
                gl.bind_texture(glow::TEXTURE_2D, Some(self.matrix.texture));
                gl.draw_arrays(glow::TRIANGLES, 0, 3);
                gl.use_program(Some(self.total.program));
                gl.bind_framebuffer(glow::FRAMEBUFFER, Some(target.framebuffer));
                gl.viewport(0, 0, 1, height);
                gl.bind_texture(glow::TEXTURE_2D, Some(parts.texture));
                gl.draw_arrays(glow::TRIANGLES, 0, 3);
            }
        }
    }

    fn texel(&self) -> [f32; 4] {
        self.targets[self.newest].first_texel()
    }
}
