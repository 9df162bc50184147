//! Products of nine-point matrices and vectors packed 2×2, on a grid or on one after the other as a V-cycle has them.

use glow::HasContext;

use super::Lap;
use super::device::{Bare, Program, Shape, Target};
use crate::Result;

/// Each texel holds the elements (0, 0), (1, 0), (0, 1), (1, 1) of a block of the grid. Where an entry leaves the grid it
/// is 0, so that what is read there does not count.
const PRODUCT: &str = "
uniform sampler2D x, a0, a1, a2, a3, a4, a5, a6, a7, a8;
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
}";

/// The same where only the four nearest neighbours have entries.
const FIVE: &str = "
uniform sampler2D x, a1, a3, a4, a5, a7;
ACROSS in vec2 at;
out vec4 y;
void main() {
    vec4 c = textureLod(x, at, 0.0);
    vec4 w = textureLodOffset(x, at, 0.0, ivec2(-1, 0)), e = textureLodOffset(x, at, 0.0, ivec2(1, 0));
    vec4 s = textureLodOffset(x, at, 0.0, ivec2(0, -1)), n = textureLodOffset(x, at, 0.0, ivec2(0, 1));
    y = textureLod(a1, at, 0.0) * vec4(s.ba, c.rg) + textureLod(a3, at, 0.0) * vec4(w.g, c.r, w.a, c.b)
      + textureLod(a4, at, 0.0) * c + textureLod(a5, at, 0.0) * vec4(c.g, e.r, c.a, e.b)
      + textureLod(a7, at, 0.0) * vec4(c.ba, n.rg);
}";

const COPY: &str = "
uniform sampler2D x;
ACROSS in vec2 at;
out vec4 y;
void main() {
    y = textureLod(x, at, 0.0);
}";

const NAMES: [&str; 9] = ["a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"];

/// What is drawn on a grid of so many texels in a round.
#[derive(Clone, Copy)]
pub struct Level {
    /// Columns and rows of texels.
    pub texels: [u32; 2],
    /// Products, each a pass of 18 fetches, or of 10 where there are five points.
    pub products: u32,
    /// Whether only the four nearest neighbours have entries.
    pub five: bool,
    /// Copies, each a pass of one fetch.
    pub copies: u32,
}

/// The passes of some levels, one level after the other. Products read x and are drawn into two targets in turns, so that
/// none is overdrawn before it is made.
pub struct NinePoints {
    bare: Bare,
    nine: Program,
    five: Program,
    copy: Program,
    grids: Vec<Grid>,
}

struct Grid {
    level: Level,
    /// x, and the nine entries from (−1, −1) row by row.
    inputs: Vec<Target>,
    targets: [Target; 2],
    newest: usize,
}

impl NinePoints {
    /// y = A x on one grid.
    ///
    /// # Errors
    /// Those of the driver, and of values that do not fit the size.
    pub fn product(bare: &Bare, texels: [u32; 2], x: &[f32], entries: [&[f32]; 9]) -> Result<NinePoints> {
        let level = Level { texels, products: 1, five: false, copies: 0 };
        let values: Vec<Option<&[f32]>> = [x].into_iter().chain(entries).map(Some).collect();
        NinePoints::new(bare, vec![Grid::new(bare, level, &values)?])
    }

    /// Passes on several grids, whatever they compute: what a cycle costs by hand.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn levels(bare: &Bare, levels: &[Level]) -> Result<NinePoints> {
        let grids = levels.iter().map(|&level| Grid::new(bare, level, &[None; 10])).collect::<Result<_>>()?;
        NinePoints::new(bare, grids)
    }

    fn new(bare: &Bare, grids: Vec<Grid>) -> Result<NinePoints> {
        let (nine, five, copy) = (bare.program(PRODUCT)?, bare.program(FIVE)?, bare.program(COPY)?);
        for product in [&nine, &five] {
            product.unit("x", 0);
            NAMES.into_iter().zip(1..).for_each(|(name, unit)| product.unit(name, unit));
        }
        copy.unit("x", 0);
        Ok(NinePoints { bare: bare.clone(), nine, five, copy, grids })
    }

    /// The newest result on the last grid: four components a texel.
    pub fn texels(&self) -> Vec<f32> {
        self.grids.last().map_or_else(Vec::new, |grid| grid.targets[grid.newest].texels())
    }

    fn draw_grid(&self, grid: &mut Grid) {
        let gl = self.bare.gl();
        let Level { texels: [width, height], products, five, copies } = grid.level;
        let product = if five { &self.five } else { &self.nine };
        // SAFETY: every object is alive; nothing is read that is drawn.
        unsafe {
            gl.viewport(0, 0, width as i32, height as i32);
            for (input, unit) in grid.inputs.iter().zip(glow::TEXTURE0..) {
                gl.active_texture(unit);
                gl.bind_texture(glow::TEXTURE_2D, Some(input.texture));
            }
            for (program, passes) in [(product, products), (&self.copy, copies)] {
                gl.use_program(Some(program.program));
                for _ in 0..passes {
                    grid.newest = 1 - grid.newest;
                    gl.bind_framebuffer(glow::FRAMEBUFFER, Some(grid.targets[grid.newest].framebuffer));
                    gl.draw_arrays(glow::TRIANGLES, 0, 3);
                }
            }
        }
    }
}

impl Grid {
    fn new(bare: &Bare, level: Level, values: &[Option<&[f32]>]) -> Result<Grid> {
        let [width, height] = level.texels;
        let shape = Shape::rgba(width, height);
        let zeros = vec![0.0; 4 * width as usize * height as usize];
        let filled = |values: &Option<&[f32]>| bare.target(shape, Some(values.unwrap_or(&zeros)));
        let inputs = values.iter().map(filled).collect::<Result<_>>()?;
        let targets = [bare.target(shape, None)?, bare.target(shape, None)?];
        Ok(Grid { level, inputs, targets, newest: 0 })
    }
}

impl Lap for NinePoints {
    fn draw(&mut self, rounds: u32) {
        self.bare.begin();
        let mut grids = std::mem::take(&mut self.grids);
        for _ in 0..rounds {
            grids.iter_mut().for_each(|grid| self.draw_grid(grid));
        }
        self.grids = grids;
    }

    fn texel(&self) -> [f32; 4] {
        self.grids.last().map_or([0.0; 4], |grid| grid.targets[grid.newest].first_texel())
    }
}
