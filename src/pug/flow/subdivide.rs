//! Subdivision driven by occlusion queries, which only tell if any fragment passes.

use super::super::{Gpu, Rect};
use super::watcher::{Answer, Watcher};
use crate::Result;

/// The cells of `whole`, at most `smallest` texels a side, about which `ask` lets any fragment pass.
///
/// The search is a quadtree. A cell whose query passes no fragment is finished; any other is cut in four, until its
/// sides are `smallest` or less. All cells of a level are asked before the first answer is taken in, so the CPU waits
/// once a level and not once a cell. It needs only "any samples passed", so it is the same on every dialect.
///
/// `ask` should draw far fewer fragments than the cell has texels, such as one that decides by a bound. A kernel that
/// draws all texels of each cell draws the same texels again on every level, and one pass over everything is faster. A
/// query and a pass for each cell cost the CPU some microseconds, so this pays if the work in the found cells is heavy
/// and the cells are few.
///
/// # Example
/// ```
/// # fn main() -> quadrille::Result<()> {
/// # let gpu = quadrille::Gpu::headless()?;
/// # let nowhere = gpu.buffer(1, 1).build()?;
/// use quadrille::pug::{Rect, subdivide};
///
/// // Cells that the circle of radius 20 around (32, 32) may cross: |distance of the middle - 20| <= half a diagonal.
/// let mut ring = gpu.program("ring.frag", "uniform vec2 middle; uniform float reach; RANGE float crossed;
///     void main() { if (abs(distance(middle, vec2(32.0)) - 20.0) > reach) discard; crossed = 1.0; }")?;
/// let cells = subdivide(&gpu, Rect::whole(64, 64), 8, |cell| {
///     let (width, height) = (cell.width() as f32, cell.height() as f32);
///     ring.bind_float("middle", [cell.x0 as f32 + width / 2.0, cell.y0 as f32 + height / 2.0])?
///         .bind_float("reach", 0.5 * width.hypot(height))?
///         .run(&nowhere)
/// })?;
/// assert!(cells.len() < 64 / 2 && cells.iter().all(|cell| cell.area() == 64));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Those of `ask`.
///
/// # References
/// Harris, course slide 34 ("can be used for subdivision techniques").
pub fn subdivide(
    gpu: &Gpu,
    whole: Rect,
    smallest: u32,
    mut ask: impl FnMut(Rect) -> Result<()>,
) -> Result<Vec<Rect>> {
    let mut subdivision = Subdivision::new(gpu, whole, smallest);
    while !subdivision.is_over() {
        subdivision.step(Watcher::wait, &mut ask)?;
    }
    Ok(subdivision.found)
}

/// The subdivision of [`subdivide`], level by level and without waiting: for windows and browsers.
pub struct Subdivision {
    gpu: Gpu,
    smallest: u32,
    /// Cells of this level, of which so many are answered.
    level: Vec<Rect>,
    answered: usize,
    watcher: Watcher,
    /// Cells that go on: into the next level, and into the result.
    next: Vec<Rect>,
    found: Vec<Rect>,
    asked: u64,
}

impl Subdivision {
    /// Begins with `whole`; a `smallest` of 0 counts as 1.
    pub fn new(gpu: &Gpu, whole: Rect, smallest: u32) -> Subdivision {
        Subdivision {
            gpu: gpu.clone(),
            smallest: smallest.max(1),
            level: Vec::new(),
            answered: 0,
            watcher: Watcher::new(gpu, 1),
            next: Some(whole).filter(|whole| whole.area() > 0).into_iter().collect(),
            found: Vec::new(),
            asked: 0,
        }
    }

    /// Takes in the answers that have arrived, and asks about the next level when this one is complete. Returns true if
    /// it is over.
    ///
    /// # Errors
    /// Those of `ask`; the next call asks about that level again.
    pub fn advance(&mut self, mut ask: impl FnMut(Rect) -> Result<()>) -> Result<bool> {
        self.step(Watcher::arrived, &mut ask)?;
        Ok(self.is_over())
    }

    /// Returns true if every cell is either passed over or found.
    pub fn is_over(&self) -> bool {
        self.answered == self.level.len() && self.next.is_empty()
    }

    /// The smallest cells found so far, level by level.
    pub fn found(&self) -> &[Rect] {
        &self.found
    }

    /// Questions asked so far.
    pub fn asked(&self) -> u64 {
        self.asked
    }

    /// Takes in answers; when all of this level are in, asks about the next.
    fn step(&mut self, answer: Answer, ask: &mut impl FnMut(Rect) -> Result<()>) -> Result<()> {
        while self.answered < self.level.len() {
            let Some((number, samples)) = answer(&mut self.watcher)? else { return Ok(()) };
            self.answered += 1;
            let cell = self.level[number as usize];
            match samples.any() {
                false => {}
                true if cell.width().max(cell.height()) <= self.smallest => self.found.push(cell),
                true => self.next.extend(quarters(cell, self.smallest)),
            }
        }
        let mut watcher = Watcher::new(&self.gpu, self.next.len());
        for (number, &cell) in self.next.iter().enumerate() {
            watcher.ask(number as u64, || ask(cell))?;
        }
        self.asked += self.next.len() as u64;
        (self.level, self.answered, self.watcher) = (std::mem::take(&mut self.next), 0, watcher);
        Ok(())
    }
}

/// The four quarters of a cell; two where only one side is longer than `smallest`.
fn quarters(cell: Rect, smallest: u32) -> impl Iterator<Item = Rect> {
    let middle = |from: u32, to: u32| if to - from > smallest { from + (to - from).div_ceil(2) } else { to };
    let (x, y) = (middle(cell.x0, cell.x1), middle(cell.y0, cell.y1));
    let quarters = [
        Rect::new(cell.x0, cell.y0, x, y),
        Rect::new(x, cell.y0, cell.x1, y),
        Rect::new(cell.x0, y, x, cell.y1),
        Rect::new(x, y, cell.x1, cell.y1),
    ];
    quarters.into_iter().filter(|quarter| quarter.area() > 0)
}
