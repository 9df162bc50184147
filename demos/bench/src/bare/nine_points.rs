//! Products of nine-point matrices and vectors packed 2×2 on a grid, and the passes of a V-cycle on several of them.

use quadrille::glow::{self, HasContext};

use super::BareLoop;
use super::device::{Bare, Program, Shape, Target};
use quadrille::Result;

/// Each texel holds the elements (0, 0), (1, 0), (0, 1), (1, 1) of a block of the grid. Where an entry leaves the grid it
/// is 0, so that what is read there does not count. SWEEP makes a sweep of damped Jacobi of it, by two fetches more.
const NINE: &str = "
uniform sampler2D x, a0, a1, a2, a3, a4, a5, a6, a7, a8;
#ifdef SWEEP
uniform sampler2D b, inverse;
#endif
ACROSS in vec2 at;
out vec4 y;
void main() {
    vec4 c = textureLod(x, at, 0.0);
    vec4 w = textureLodOffset(x, at, 0.0, ivec2(-1, 0)), e = textureLodOffset(x, at, 0.0, ivec2(1, 0));
    vec4 s = textureLodOffset(x, at, 0.0, ivec2(0, -1)), n = textureLodOffset(x, at, 0.0, ivec2(0, 1));
    vec4 sw = textureLodOffset(x, at, 0.0, ivec2(-1, -1)), se = textureLodOffset(x, at, 0.0, ivec2(1, -1));
    vec4 nw = textureLodOffset(x, at, 0.0, ivec2(-1, 1)), ne = textureLodOffset(x, at, 0.0, ivec2(1, 1));
    y = textureLod(a0, at, 0.0) * vec4(sw.a, s.b, w.g, c.r) + textureLod(a1, at, 0.0) * vec4(s.ba, c.rg)
      + textureLod(a2, at, 0.0) * vec4(s.a, se.b, c.g, e.r) + textureLod(a3, at, 0.0) * vec4(w.g, c.r, w.a, c.b)
      + textureLod(a4, at, 0.0) * c + textureLod(a5, at, 0.0) * vec4(c.g, e.r, c.a, e.b)
      + textureLod(a6, at, 0.0) * vec4(w.a, c.b, nw.g, n.r) + textureLod(a7, at, 0.0) * vec4(c.ba, n.rg)
      + textureLod(a8, at, 0.0) * vec4(c.a, e.b, n.g, ne.r);
#ifdef SWEEP
    y = c + 0.8 * textureLod(inverse, at, 0.0) * (textureLod(b, at, 0.0) - y);
#endif
}";

/// The sweep where only the four nearest neighbours have entries.
const FIVE: &str = "
uniform sampler2D x, a1, a3, a4, a5, a7, b, inverse;
ACROSS in vec2 at;
out vec4 y;
void main() {
    vec4 c = textureLod(x, at, 0.0);
    vec4 w = textureLodOffset(x, at, 0.0, ivec2(-1, 0)), e = textureLodOffset(x, at, 0.0, ivec2(1, 0));
    vec4 s = textureLodOffset(x, at, 0.0, ivec2(0, -1)), n = textureLodOffset(x, at, 0.0, ivec2(0, 1));
    y = textureLod(a1, at, 0.0) * vec4(s.ba, c.rg) + textureLod(a3, at, 0.0) * vec4(w.g, c.r, w.a, c.b)
      + textureLod(a4, at, 0.0) * c + textureLod(a5, at, 0.0) * vec4(c.g, e.r, c.a, e.b)
      + textureLod(a7, at, 0.0) * vec4(c.ba, n.rg);
    y = c + 0.8 * textureLod(inverse, at, 0.0) * (textureLod(b, at, 0.0) - y);
}";

const COPY: &str = "
uniform sampler2D x;
ACROSS in vec2 at;
out vec4 y;
void main() {
    y = textureLod(x, at, 0.0);
}";

/// The names of the textures that a pass reads, in the order of texture units.
const NAMES: [&str; 12] = ["x", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "b", "inverse"];

/// The passes of a cycle on a grid of so many texels.
#[derive(Clone, Copy)]
pub struct Level {
    /// Columns and rows of texels.
    pub texels: [u32; 2],
    /// True if only the four nearest neighbours have entries: a sweep has 12 fetches then, and 20 otherwise.
    pub five: bool,
    /// Copies on the way down, each a pass of one fetch: what is neither a sweep nor a way between two levels.
    pub copies: u32,
    /// Sweeps on the way down, the residual counted among them, and on the way up.
    pub sweeps: [u32; 2],
}

/// A product on one grid, again and again.
pub struct NinePoints {
    bare: Bare,
    program: Program,
    grid: Grid,
}

/// The passes of a V-cycle down its levels and up again, whatever they compute. Between two levels a copy of one fetch a
/// texel goes. As in a cycle, each pass reads what the one before it wrote.
pub struct NineCycle {
    bare: Bare,
    nine: Program,
    five: Program,
    copy: Program,
    levels: Vec<(Level, Grid)>,
}

/// The textures read on a grid, each with its unit, and two targets in turns, so that none is overdrawn before it is made.
struct Grid {
    texels: [u32; 2],
    inputs: Vec<(u32, Target)>,
    targets: [Target; 2],
    newest: usize,
}

impl NinePoints {
    /// y = A x on one grid.
    ///
    /// # Errors
    /// Those of the driver, and of values that do not fit the size.
    pub fn product(bare: &Bare, texels: [u32; 2], x: &[f32], entries: [&[f32]; 9]) -> Result<NinePoints> {
        let inputs = [x].into_iter().chain(entries).map(Some);
        let grid = Grid::new(bare, texels, (0..).zip(inputs))?;
        Ok(NinePoints { bare: bare.clone(), program: program(bare, NINE)?, grid })
    }

    /// The newest result: four components a texel.
    pub fn texels(&self) -> Vec<f32> {
        self.grid.newest().texels()
    }
}

impl NineCycle {
    /// The levels of a cycle, the finest first.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn new(bare: &Bare, levels: &[Level]) -> Result<NineCycle> {
        let level = |&level: &Level| {
            // The units of entries that lead to corners.
            let read = (1..NAMES.len() as u32).filter(|unit| !(level.five && [1, 3, 7, 9].contains(unit)));
            Ok((level, Grid::new(bare, level.texels, read.map(|unit| (unit, None)))?))
        };
        let levels = levels.iter().map(level).collect::<Result<_>>()?;
        let nine = program(bare, &format!("#define SWEEP\n{NINE}"))?;
        let (five, copy) = (program(bare, FIVE)?, program(bare, COPY)?);
        Ok(NineCycle { bare: bare.clone(), nine, five, copy, levels })
    }

    fn visit(&mut self, at: usize, from: Option<usize>, copies: u32, sweeps: u32) {
        let gl = self.bare.gl();
        let copies = copies + u32::from(from.is_some());
        let mut x = self.levels[from.unwrap_or(at)].1.newest().texture;
        let (Level { five, .. }, grid) = &mut self.levels[at];
        let sweep = if *five { &self.five } else { &self.nine };
        grid.viewport(gl);
        if sweeps > 0 {
            grid.bind(gl);
        }
        // SAFETY: every object is alive; nothing is read that is drawn.
        unsafe {
            gl.active_texture(glow::TEXTURE0);
            for (program, passes) in [(&self.copy, copies), (sweep, sweeps)] {
                if passes > 0 {
                    gl.use_program(Some(program.program));
                }
                for _ in 0..passes {
                    gl.bind_texture(glow::TEXTURE_2D, Some(x));
                    x = grid.draw(gl);
                }
            }
        }
    }
}

fn program(bare: &Bare, fragment: &str) -> Result<Program> {
    let program = bare.program(fragment)?;
    NAMES.into_iter().zip(0..).for_each(|(name, unit)| program.unit(name, unit));
    Ok(program)
}

impl Grid {
    /// Inputs without values are zeros.
    fn new<'a>(
        bare: &Bare,
        texels: [u32; 2],
        inputs: impl Iterator<Item = (u32, Option<&'a [f32]>)>,
    ) -> Result<Grid> {
        let [width, height] = texels;
        let shape = Shape::rgba(width, height);
        let zeros = vec![0.0; 4 * width as usize * height as usize];
        let zeros = Some(&zeros[..]);
        let inputs = inputs
            .map(|(unit, values)| Ok((unit, bare.target(shape, values.or(zeros))?)))
            .collect::<Result<_>>()?;
        let targets = [bare.target(shape, zeros)?, bare.target(shape, zeros)?];
        Ok(Grid { texels, inputs, targets, newest: 0 })
    }

    fn newest(&self) -> &Target {
        &self.targets[self.newest]
    }

    fn viewport(&self, gl: &glow::Context) {
        let [width, height] = self.texels.map(|side| side as i32);
        // SAFETY: plain numbers.
        unsafe { gl.viewport(0, 0, width, height) };
    }

    fn bind(&self, gl: &glow::Context) {
        for (unit, input) in &self.inputs {
            // SAFETY: the texture is alive.
            unsafe {
                gl.active_texture(glow::TEXTURE0 + unit);
                gl.bind_texture(glow::TEXTURE_2D, Some(input.texture));
            }
        }
    }

    /// Draws into the older target, which is the newer one from now on.
    fn draw(&mut self, gl: &glow::Context) -> glow::Texture {
        self.newest = 1 - self.newest;
        let Target { texture, framebuffer, .. } = *self.newest();
        // SAFETY: both are alive; the caller has bound a program and what it reads.
        unsafe {
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
            gl.draw_arrays(glow::TRIANGLES, 0, 3);
        }
        texture
    }
}

impl BareLoop for NinePoints {
    fn draw(&mut self, rounds: u32) {
        self.bare.begin();
        let gl = self.bare.gl();
        self.grid.viewport(gl);
        self.grid.bind(gl);
        // SAFETY: the program is alive.
        unsafe { gl.use_program(Some(self.program.program)) };
        for _ in 0..rounds {
            self.grid.draw(gl);
        }
    }

    fn texel(&self) -> [f32; 4] {
        self.grid.newest().first_texel()
    }
}

impl BareLoop for NineCycle {
    fn draw(&mut self, rounds: u32) {
        self.bare.begin();
        let last = self.levels.len() - 1;
        for _ in 0..rounds {
            for at in 0..=last {
                let Level { copies, sweeps, .. } = self.levels[at].0;
                self.visit(at, at.checked_sub(1), copies, sweeps[0]);
            }
            for at in (0..last).rev() {
                self.visit(at, Some(at + 1), 0, self.levels[at].0.sweeps[1]);
            }
        }
    }

    fn texel(&self) -> [f32; 4] {
        self.levels[0].1.newest().first_texel()
    }
}
