//! The sum of all texels, in passes that each take X × Y of them to one.

use quadrille::glow::{self, HasContext};

use super::BareLoop;
use super::device::{Bare, Program, Shape, Target};
use quadrille::Result;

/// Which texels one fragment adds, `side` × `side` of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Taking {
    /// Neighbours.
    Adjacent(u32),
    /// As far apart as the result is wide and high.
    Far(u32),
}

/// Far texels lie a constant part of the texture apart: no size is needed.
const FAR: &str = "
ACROSS out vec2 at;
void main() {
    vec2 corner = vec2(float((gl_VertexID & 1) << 1), float(gl_VertexID & 2));
    at = corner / SIDES;
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}";

/// The middle of a block of texels, moved to the centre of its first.
const ADJACENT: &str = "
uniform sampler2D values;
ACROSS out vec2 at;
void main() {
    vec2 corner = vec2(float((gl_VertexID & 1) << 1), float(gl_VertexID & 2));
    at = corner - (SIDES - 1.0) * 0.5 / vec2(textureSize(values, 0));
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}";

/// A chain of ever smaller targets, twice, so that a sum never overwrites the one before it.
pub struct Sum {
    bare: Bare,
    source: Target,
    programs: Vec<((u32, u32), Program)>,
    chains: [Vec<Level>; 2],
    newest: usize,
}

struct Level {
    program: usize,
    target: Target,
}

impl Sum {
    /// Sums RGBA32F texels; both sides must be powers of two.
    ///
    /// # Errors
    /// Those of the driver, and of values that do not fit the size.
    pub fn new(bare: &Bare, width: u32, height: u32, taking: Taking, values: &[f32]) -> Result<Sum> {
        let source = bare.target(Shape::rgba(width, height), Some(values))?;
        let mut sum =
            Sum { bare: bare.clone(), source, programs: Vec::new(), chains: Default::default(), newest: 0 };
        let (Taking::Adjacent(side) | Taking::Far(side)) = taking;
        for chain in 0..2 {
            let (mut width, mut height) = (width, height);
            while width * height > 1 {
                let sides = (side.min(width), side.min(height));
                (width, height) = (width / sides.0, height / sides.1);
                let program = sum.program(sides, taking)?;
                let target = bare.target(Shape::rgba(width, height), None)?;
                sum.chains[chain].push(Level { program, target });
            }
        }
        Ok(sum)
    }

    /// The place of the program for blocks of that many texels.
    fn program(&mut self, sides: (u32, u32), taking: Taking) -> Result<usize> {
        if let Some(place) = self.programs.iter().position(|program| program.0 == sides) {
            return Ok(place);
        }
        let (x, y) = sides;
        let all = (0..y).flat_map(|j| (0..x).map(move |i| (i, j)));
        let (vertex, fetches): (_, Vec<String>) = match taking {
            Taking::Far(_) => {
                let part = |i, n| f64::from(i) / f64::from(n);
                let fetch =
                    |(i, j)| format!("texture(values, at + vec2({:?}, {:?}))", part(i, x), part(j, y));
                (FAR, all.map(fetch).collect())
            }
            Taking::Adjacent(_) => {
                let fetch = |(i, j)| format!("textureOffset(values, at, ivec2({i}, {j}))");
                (ADJACENT, all.map(fetch).collect())
            }
        };
        let vertex = vertex.replace("SIDES", &format!("vec2({x}.0, {y}.0)"));
        let fragment = format!(
            "uniform sampler2D values;\nACROSS in vec2 at;\nout vec4 total;\nvoid main() {{ total = {}; }}",
            tree(&fetches)
        );
        self.programs.push((sides, self.bare.program_of(&vertex, &fragment)?));
        Ok(self.programs.len() - 1)
    }
}

/// The terms added two by two: the shortest way for the processor and for the rounding error.
fn tree(terms: &[String]) -> String {
    match terms {
        [term] => term.clone(),
        _ => {
            let (left, right) = terms.split_at(terms.len() / 2);
            format!("({} + {})", tree(left), tree(right))
        }
    }
}

impl BareLoop for Sum {
    fn draw(&mut self, rounds: u32) {
        let gl = self.bare.gl();
        let mut in_use = usize::MAX;
        self.bare.begin();
        // SAFETY: every object is alive; each level reads the one before it.
        unsafe {
            for _ in 0..rounds {
                self.newest = 1 - self.newest;
                let mut from = &self.source;
                for level in &self.chains[self.newest] {
                    let Shape { width, height, .. } = level.target.shape;
                    if level.program != in_use {
                        in_use = level.program;
                        gl.use_program(Some(self.programs[in_use].1.program));
                    }
                    gl.bind_framebuffer(glow::FRAMEBUFFER, Some(level.target.framebuffer));
                    gl.viewport(0, 0, width as i32, height as i32);
                    gl.bind_texture(glow::TEXTURE_2D, Some(from.texture));
                    gl.draw_arrays(glow::TRIANGLES, 0, 3);
                    from = &level.target;
                }
            }
        }
    }

    fn texel(&self) -> [f32; 4] {
        let last = self.chains[self.newest].last();
        last.map_or(&self.source, |level| &level.target).first_texel()
    }
}
