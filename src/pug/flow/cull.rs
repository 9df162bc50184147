//! Masks in the depth or stencil buffer: fragments that fail the test cost no kernel.
//!
//! A mask has two sides: `only` and `except` run two kernels without a branch. The kernel that makes the mask is a
//! program of its own, because a kernel that discards runs before the test. Use a mask for regions that stay the same
//! for many passes.
//!
//! A culled texel keeps the value in its buffer, and the buffers of a double buffer take turns. So a brush, a reset or
//! a new state must copy what it wrote from the front buffer to the back.

use super::super::{Compare, DepthTest, Gpu, Mask, Program, Run, StencilTest};
use crate::Result;
use crate::gl::DepthStencil;

/// A mask of width × height texels, each *open* or *closed*, that later passes run through.
///
/// The test is made before the kernel, by whole tiles where a card can. So a closed texel costs almost nothing, and a
/// kernel that would begin with `if (obstacle) ...` needs neither the branch nor its fetch. As in the slides:
///
/// | | depth | stencil |
/// |---|---|---|
/// | [`clear`](Cull::clear), all open | 1 | 0 |
/// | [`close`](Cull::close), fragments of this run close their texels | quad at 0 | writes 1 |
/// | [`only`](Cull::only), runs where it is open | quad at 0.5, passes if less | passes if 0 |
/// | [`except`](Cull::except), runs where it is closed | quad at 0, passes if equal | passes if 1 |
///
/// A mask pays when it serves many passes and its regions are wide: cards cull by tiles, so a chequerboard of
/// single texels culls nothing. It costs a pass to draw and four bytes a texel.
///
/// Only the pass that draws the mask should discard, so the mask has a kernel of its own: cards of that time run a
/// kernel that discards before the test. The results are right everywhere; a GeForce FX just culls nothing.
///
/// # Example
/// ```
/// # fn main() -> quadrille::Result<()> {
/// # let gpu = quadrille::Gpu::headless()?;
/// # let heat = gpu.buffer(64, 64).build()?;
/// # let step = gpu.program("one.frag", "RANGE float r; void main() { r = 1.0; }")?;
/// use quadrille::pug::Cull;
///
/// // Discards where later passes are to run: left of the middle.
/// let wall = gpu.program("wall.frag", "DOMAIN at; RANGE float closed;
///     void main() { if (at.x < 32.0) discard; closed = 1.0; }")?;
/// let mask = Cull::depth(&gpu, 64, 64)?;
/// mask.draw(&wall)?;                                  // once, until the wall changes
/// mask.only(step.onto(&[&heat])).run()?;              // in every step
/// assert_eq!(heat.data()?[30..34], [1.0, 1.0, 0.0, 0.0]);
/// # Ok(())
/// # }
/// ```
///
/// # References
/// Harris, course slides 36 (z-cull, stencil cull) and 37 (masks kept until obstacles change).
pub struct Cull {
    gpu: Gpu,
    surface: DepthStencil,
    by: By,
}

/// Which test keeps fragments out.
#[derive(Clone, Copy)]
enum By {
    Depth,
    Stencil,
}

impl Cull {
    /// A z-cull mask, all open.
    ///
    /// # Errors
    /// [`Error::Empty`](crate::Error::Empty), [`Error::OverLimit`](crate::Error::OverLimit),
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn depth(gpu: &Gpu, width: u32, height: u32) -> Result<Cull> {
        Cull::new(gpu, width, height, By::Depth)
    }

    /// A stencil-cull mask, all open.
    ///
    /// # Errors
    /// As [`Cull::depth`].
    pub fn stencil(gpu: &Gpu, width: u32, height: u32) -> Result<Cull> {
        Cull::new(gpu, width, height, By::Stencil)
    }

    fn new(gpu: &Gpu, width: u32, height: u32, by: By) -> Result<Cull> {
        Ok(Cull { gpu: gpu.clone(), surface: gpu.depth_stencil(width, height)?, by })
    }

    /// Draws the mask anew with a kernel that discards where later passes are to run. The colour output is dropped.
    ///
    /// # Errors
    /// As [`Program::run`]; all is open then.
    pub fn draw(&self, program: &Program) -> Result<()> {
        self.clear()?;
        let nowhere = self.gpu.buffer(self.surface.width(), self.surface.height()).build()?;
        self.close(program.onto(&[&nowhere])).run()
    }

    /// Opens all texels.
    ///
    /// # Errors
    /// [`Driver`](crate::Error::Driver) where the driver refuses the surface.
    pub fn clear(&self) -> Result<()> {
        self.surface.clear(1.0, 0)
    }

    /// Makes a run that also closes the texels of its fragments, except those that it discards.
    pub fn close<'a>(&'a self, run: Run<'a>) -> Run<'a> {
        self.masked(run, Compare::Always, 1, 0.0, true)
    }

    /// Makes a run through the open texels. The mask and the rest of the targets do not change.
    pub fn only<'a>(&'a self, run: Run<'a>) -> Run<'a> {
        match self.by {
            By::Depth => self.masked(run, Compare::Less, 0, 0.5, false),
            By::Stencil => self.masked(run, Compare::Equal, 0, 0.5, false),
        }
    }

    /// Makes a run through the closed texels: the other side of the branch.
    pub fn except<'a>(&'a self, run: Run<'a>) -> Run<'a> {
        self.masked(run, Compare::Equal, 1, 0.0, false)
    }

    /// Columns.
    pub fn width(&self) -> u32 {
        self.surface.width()
    }

    /// Rows.
    pub fn height(&self) -> u32 {
        self.surface.height()
    }

    /// A quad at that depth, or with that stencil reference.
    fn masked<'a>(
        &'a self,
        run: Run<'a>,
        compare: Compare,
        reference: u8,
        depth: f32,
        write: bool,
    ) -> Run<'a> {
        let mask = match self.by {
            By::Depth => Mask { depth: Some(DepthTest { compare, write }), stencil: None },
            By::Stencil => Mask { depth: None, stencil: Some(StencilTest { compare, reference, write }) },
        };
        run.masked(&self.surface, mask, depth)
    }
}
