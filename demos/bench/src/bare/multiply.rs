//! The product of two square matrices, several columns of the result at a time.

use quadrille::glow::{self, HasContext};

use super::BareLoop;
use super::device::{Bare, Program, Shape, Target, refused};
use quadrille::{Error, Result};

/// Texel (j, i) of a matrix holds rows 4i to 4i + 3 of column j. Target t takes the columns from t n / TARGETS on: each
/// block of A that is fetched meets a block of B for each of them.
const PRODUCT: &str = "
uniform sampler2D a, b;
ACROSS in vec2 at;
DECLARE
void main() {
    vec2 pitch = 1.0 / vec2(textureSize(a, 0));
    float blocks = float(textureSize(b, 0).y);
    BEGIN
    for (float k = 0.0; k < blocks; k += 1.0) {
        vec2 corner = vec2((4.0 * k + 0.5) * pitch.x, at.y);
        float down = (k + 0.5) * pitch.y;
        vec4 a0 = textureLod(a, corner, 0.0);
        vec4 a1 = textureLodOffset(a, corner, 0.0, ivec2(1, 0));
        vec4 a2 = textureLodOffset(a, corner, 0.0, ivec2(2, 0));
        vec4 a3 = textureLodOffset(a, corner, 0.0, ivec2(3, 0));
        vec4 column;
        ADD
    }
    END
}";

/// C = A B of n × n.
pub struct Multiply {
    bare: Bare,
    program: Program,
    factors: [Target; 2],
    chunks: Vec<Target>,
    together: glow::Framebuffer,
    results: [Target; 2],
    newest: usize,
}

impl Multiply {
    /// By 1, 2, 4 or 8 render targets, which must divide n, as 4 must. Elements come as texels.
    ///
    /// # Errors
    /// Those of the driver; [`Error::WrongShape`] for another n, [`Error::WrongLength`] for values that do not fit.
    pub fn new(bare: &Bare, n: u32, targets: u32, a: &[f32], b: &[f32]) -> Result<Multiply> {
        if n == 0 || !n.is_multiple_of(4) || targets == 0 || !n.is_multiple_of(targets) {
            let what = format!("matrix for {targets} targets");
            let (found, expected) = (format!("{n} rows"), "a multiple of 4 and of the targets".to_owned());
            return Err(Error::WrongShape { what, found, expected });
        }
        let each = |line: &dyn Fn(u32) -> String| (0..targets).map(line).collect::<String>();
        let declare = each(&|t| format!("layout(location = {t}) out vec4 c{t};\n"));
        let begin = each(&|t| format!("float x{t} = (at.x + {t}.0) / {targets}.0; vec4 s{t} = vec4(0.0);\n"));
        let add = each(&|t| {
            format!(
                "column = textureLod(b, vec2(x{t}, down), 0.0);\n\
                 s{t} += a0 * column.x + a1 * column.y + a2 * column.z + a3 * column.w;\n"
            )
        });
        let end = each(&|t| format!("c{t} = s{t};\n"));
        let text = PRODUCT.replace("DECLARE", &declare).replace("BEGIN", &begin);
        let program = bare.program(&text.replace("ADD", &add).replace("END", &end))?;
        program.unit("b", 1);
        let of = |width, values| bare.target(Shape::rgba(width, n / 4), values);
        let chunks = (0..targets).map(|_| of(n / targets, None)).collect::<Result<Vec<Target>>>()?;
        let together = together(bare, &chunks)?;
        let (factors, results) = ([of(n, Some(a))?, of(n, Some(b))?], [of(n, None)?, of(n, None)?]);
        Ok(Multiply { bare: bare.clone(), program, factors, chunks, together, results, newest: 0 })
    }

    /// The newest product.
    pub fn texels(&self) -> Vec<f32> {
        self.results[self.newest].texels()
    }
}

/// A framebuffer of all of them.
fn together(bare: &Bare, chunks: &[Target]) -> Result<glow::Framebuffer> {
    let gl = bare.gl();
    // SAFETY: all objects are alive.
    unsafe {
        let framebuffer = gl.create_framebuffer().map_err(refused("a framebuffer"))?;
        gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
        let mut places = Vec::new();
        for (place, chunk) in (glow::COLOR_ATTACHMENT0..).zip(chunks) {
            gl.framebuffer_texture_2d(glow::FRAMEBUFFER, place, glow::TEXTURE_2D, Some(chunk.texture), 0);
            places.push(place);
        }
        gl.draw_buffers(&places);
        Ok(framebuffer)
    }
}

impl BareLoop for Multiply {
    fn draw(&mut self, rounds: u32) {
        let gl = self.bare.gl();
        self.bare.begin();
        let Shape { width, height, .. } = self.chunks[0].shape;
        // SAFETY: every object is alive, and no pass reads what it draws.
        unsafe {
            gl.use_program(Some(self.program.program));
            gl.viewport(0, 0, width as i32, height as i32);
            for _ in 0..rounds {
                self.newest = 1 - self.newest;
                for (unit, factor) in (glow::TEXTURE0..).zip(&self.factors) {
                    gl.active_texture(unit);
                    gl.bind_texture(glow::TEXTURE_2D, Some(factor.texture));
                }
                let result = &self.results[self.newest];
                if self.chunks.len() == 1 {
                    gl.bind_framebuffer(glow::FRAMEBUFFER, Some(result.framebuffer));
                    gl.draw_arrays(glow::TRIANGLES, 0, 3);
                    continue;
                }
                gl.bind_framebuffer(glow::FRAMEBUFFER, Some(self.together));
                gl.draw_arrays(glow::TRIANGLES, 0, 3);
                gl.active_texture(glow::TEXTURE0);
                gl.bind_texture(glow::TEXTURE_2D, Some(result.texture));
                for (t, chunk) in self.chunks.iter().enumerate() {
                    gl.bind_framebuffer(glow::FRAMEBUFFER, Some(chunk.framebuffer));
                    let (x, width, height) = (t as i32 * width as i32, width as i32, height as i32);
                    gl.copy_tex_sub_image_2d(glow::TEXTURE_2D, 0, x, 0, 0, 0, width, height);
                }
            }
        }
    }

    fn texel(&self) -> [f32; 4] {
        self.results[self.newest].first_texel()
    }
}

impl Drop for Multiply {
    fn drop(&mut self) {
        // SAFETY: made by `together`.
        unsafe { self.bare.gl().delete_framebuffer(self.together) };
    }
}
