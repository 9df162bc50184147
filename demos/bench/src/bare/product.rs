//! The product of a five-diagonal matrix, A as a grid has it, and a vector packed 2×2.

use quadrille::glow::{self, HasContext};

use super::BareLoop;
use super::device::{Bare, Program, Shape, Target};
use quadrille::Result;

/// Each texel holds the elements (0, 0), (0, 1), (1, 0), (1, 1) of a block of the grid.
const NEIGHBOURS: &str = "
    vec4 here = textureLod(x, at, 0.0);
    vec4 west = textureLodOffset(x, at, 0.0, ivec2(-1, 0)), east = textureLodOffset(x, at, 0.0, ivec2(1, 0));
    vec4 north = textureLodOffset(x, at, 0.0, ivec2(0, -1)), south = textureLodOffset(x, at, 0.0, ivec2(0, 1));
    west = vec4(west.g, here.r, west.a, here.b);
    east = vec4(here.g, east.r, here.a, east.b);
    north = vec4(north.ba, here.rg);
    south = vec4(here.ba, south.rg);";

/// A diagonal is a texture; where it leaves the grid it holds 0, so that what is read there does not count.
const BANDED: &str = "
uniform sampler2D x, diagonal, to_west, to_east, to_north, to_south;
ACROSS in vec2 at;
out vec4 y;
void main() {
    NEIGHBOURS
    y = textureLod(diagonal, at, 0.0) * here + textureLod(to_west, at, 0.0) * west
      + textureLod(to_east, at, 0.0) * east + textureLod(to_north, at, 0.0) * north
      + textureLod(to_south, at, 0.0) * south;
}";

/// A constant for each diagonal: x lies inside a border of zeros, one texel wide.
const STENCIL: &str = "
uniform sampler2D x;
uniform float centre, side;
ACROSS in vec2 at;
out vec4 y;
void main() {
    NEIGHBOURS
    y = centre * here + side * (west + east + north + south);
}";

const INSIDE_THE_BORDER: &str = "
uniform sampler2D x;
ACROSS out vec2 at;
void main() {
    vec2 corner = vec2(float((gl_VertexID & 1) << 1), float(gl_VertexID & 2)), all = vec2(textureSize(x, 0));
    at = (1.0 + corner * (all - 2.0)) / all;
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}";

/// y = A x, drawn into one of two targets and then the other, so that no product is overdrawn before it is made.
pub struct FiveDiagonal {
    bare: Bare,
    program: Program,
    /// x, and the diagonals where each is a texture.
    inputs: Vec<Target>,
    targets: [Target; 2],
    newest: usize,
}

impl FiveDiagonal {
    /// Multiplies by diagonals in textures. All are width × height texels of 2×2 elements: x; the diagonal itself, then the factors of
    /// the neighbours in the west, east, north and south.
    ///
    /// # Errors
    /// Those of the driver, and of values that do not fit the size.
    pub fn banded(
        bare: &Bare,
        width: u32,
        height: u32,
        x: &[f32],
        diagonals: [&[f32]; 5],
    ) -> Result<FiveDiagonal> {
        let shape = Shape::rgba(width, height);
        let program = bare.program(&BANDED.replace("NEIGHBOURS", NEIGHBOURS))?;
        let names = ["x", "diagonal", "to_west", "to_east", "to_north", "to_south"];
        names.into_iter().zip(0..).for_each(|(name, unit)| program.unit(name, unit));
        let values = [x].into_iter().chain(diagonals);
        let inputs = values.map(|values| bare.target(shape, Some(values))).collect::<Result<_>>()?;
        FiveDiagonal::new(bare, program, inputs, shape)
    }

    /// Multiplies by constants: `centre` on the diagonal, `side` for each of the four neighbours, 0 beyond the edges. The
    /// grid's sides must be even.
    ///
    /// # Errors
    /// As [`FiveDiagonal::banded`].
    pub fn stencil(
        bare: &Bare,
        width: u32,
        height: u32,
        x: &[f32],
        [centre, side]: [f32; 2],
    ) -> Result<FiveDiagonal> {
        let program = bare.program_of(INSIDE_THE_BORDER, &STENCIL.replace("NEIGHBOURS", NEIGHBOURS))?;
        program.floats("centre", &[centre]);
        program.floats("side", &[side]);
        let row = 4 * width as usize;
        let mut bordered = vec![0.0; row + 8];
        for values in x.chunks(row) {
            bordered.extend([0.0; 4]);
            bordered.extend(values);
            bordered.extend([0.0; 4]);
        }
        bordered.extend(vec![0.0; row + 8]);
        let inputs = vec![bare.target(Shape::rgba(width + 2, height + 2), Some(&bordered))?];
        FiveDiagonal::new(bare, program, inputs, Shape::rgba(width, height))
    }

    fn new(bare: &Bare, program: Program, inputs: Vec<Target>, shape: Shape) -> Result<FiveDiagonal> {
        let targets = [bare.target(shape, None)?, bare.target(shape, None)?];
        Ok(FiveDiagonal { bare: bare.clone(), program, inputs, targets, newest: 0 })
    }

    /// The newest product: four components a texel.
    pub fn texels(&self) -> Vec<f32> {
        self.targets[self.newest].texels()
    }
}

impl BareLoop for FiveDiagonal {
    fn draw(&mut self, rounds: u32) {
        let gl = self.bare.gl();
        let Shape { width, height, .. } = self.targets[0].shape;
        self.bare.begin();
        // SAFETY: every object is alive; nothing is read that is drawn.
        unsafe {
            gl.use_program(Some(self.program.program));
            gl.viewport(0, 0, width as i32, height as i32);
            for (input, unit) in self.inputs.iter().zip(glow::TEXTURE0..) {
                gl.active_texture(unit);
                gl.bind_texture(glow::TEXTURE_2D, Some(input.texture));
            }
            for _ in 0..rounds {
                self.newest = 1 - self.newest;
                gl.bind_framebuffer(glow::FRAMEBUFFER, Some(self.targets[self.newest].framebuffer));
                gl.draw_arrays(glow::TRIANGLES, 0, 3);
            }
        }
    }

    fn texel(&self) -> [f32; 4] {
        self.targets[self.newest].first_texel()
    }
}
