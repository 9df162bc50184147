//! The cells that an isotherm crosses, found by subdivision: the question of each cell is an occlusion query.

use anyhow::Result;
use quadrille::pug::{StreamHandle, Subdivision, subdivide};
use quadrille::sim::Heat;
use quadrille::{Buffer, Gpu, Program, Rect, kernels};

use crate::number::{counted, written};
use crate::picture::{Mark, place_in};

/// The side of the smallest cells, in texels at most.
const SMALLEST: u32 = 8;

pub struct Isotherm {
    gpu: Gpu,
    /// Without a picture it is not looked for.
    level: Option<f32>,
    search: Option<Search>,
    /// The cells that the last search has found.
    cells: Vec<Rect>,
}

/// A search that goes on from frame to frame, a level of cells at a time.
struct Search {
    subdivision: Subdivision,
    ask: Ask,
}

/// Draws all texels of a cell; those pass that lie on the other side of the isotherm than the next one does, neither of them in an obstacle.
struct Ask {
    program: Program,
    field: StreamHandle,
    open: StreamHandle,
    nowhere: Buffer,
}

impl Ask {
    fn new(gpu: &Gpu, heat: &Heat, level: f32) -> Result<Ask> {
        let mut program =
            gpu.load(kernels::named("flow/isoline_ask.frag")?.define("EXACT", 1).define("MASKED", 1))?;
        program.bind_float("level", level)?;
        let nowhere = gpu.buffer(heat.width(), heat.height()).build()?;
        Ok(Ask { field: program.stream("field")?, open: program.stream("open")?, program, nowhere })
    }

    fn about(&mut self, heat: &Heat, cell: Rect) -> quadrille::Result<()> {
        self.program
            .bind_stream(self.field, heat.temperature())?
            .bind_stream(self.open, heat.cells())?
            .run_over(&self.nowhere, cell)
    }
}

impl Isotherm {
    pub fn new(gpu: &Gpu, level: Option<f32>) -> Isotherm {
        Isotherm { gpu: gpu.clone(), level, search: None, cells: Vec::new() }
    }

    pub fn level(&self) -> Option<f32> {
        self.level
    }

    /// Looks for that one from now on, or for none.
    pub fn set(&mut self, level: Option<f32>) {
        if self.level != level {
            self.level = level;
            self.search = None;
            self.cells.clear();
        }
    }

    /// The number of cells that it crosses now, if anybody wants to know. Waits for each level's answers.
    pub fn count(&self, heat: &Heat) -> Result<Option<usize>> {
        let Some(level) = self.level else { return Ok(None) };
        let mut ask = Ask::new(&self.gpu, heat, level)?;
        let cells = subdivide(&self.gpu, heat.temperature().rect(), SMALLEST, |cell| ask.about(heat, cell))?;
        Ok(Some(cells.len()))
    }

    /// The same for a reader.
    pub fn remark(&self, heat: &Heat) -> Result<Option<String>> {
        let found = self.level.zip(self.count(heat)?);
        Ok(found.map(|(level, cells)| {
            let cells = counted(cells as u64, "cell");
            format!("the isotherm of {} crosses {cells} of at most {SMALLEST}x{SMALLEST}", written(level))
        }))
    }

    /// The edges of the cells, over a picture of the plate.
    pub fn marks(&self, heat: &Heat) -> Vec<Mark> {
        let corner = |x, y| place_in(heat.temperature(), x, y);
        let mark = |cell: &Rect| Mark::Edges(corner(cell.x0, cell.y0), corner(cell.x1, cell.y1));
        self.cells.iter().map(mark).collect()
    }

    /// Goes on with the search, and begins the next when it is over: nothing here waits.
    #[cfg(feature = "panel")]
    pub fn follow(&mut self, heat: &Heat, ui: &egui::Ui) -> Result<()> {
        let Some(level) = self.level else { return Ok(()) };
        let mut search = match self.search.take() {
            Some(search) => search,
            None => Search {
                subdivision: Subdivision::new(&self.gpu, heat.temperature().rect(), SMALLEST),
                ask: Ask::new(&self.gpu, heat, level)?,
            },
        };
        let Search { subdivision, ask } = &mut search;
        if subdivision.advance(|cell| ask.about(heat, cell))? {
            self.cells = subdivision.found().to_vec();
        } else {
            self.search = Some(search);
            // A plate that rests has no other frames.
            ui.ctx().request_repaint();
        }
        Ok(())
    }
}
