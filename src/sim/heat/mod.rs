//! Heat on a plate around obstacles (row C9): one problem, and seven ways to spare what need not be computed.
//!
//! u' = u + β Σ (u_n − u) over the open neighbours n of a free cell. An obstacle is insulating: no heat flows through its
//! faces. A source keeps its temperature; so does what lies beyond a side that holds one. At β = 1/4 a step is one sweep of
//! Jacobi's relaxation, so the same steps show heat spreading and find the state in which it ends.
//!
//! ```
//! # fn main() -> quadrille::Result<()> {
//! use quadrille::Gpu;
//! use quadrille::sim::heat::{Brush, Flow, Heat, Parameters};
//!
//! let gpu = Gpu::headless()?;
//! let mut heat = Heat::new(&gpu, 64, 64, Parameters::default(), Flow::Combined, 1)?;
//! heat.paint(Brush::Obstacle, 20.0, 32.0, 6.0)?;
//! let ended = heat.until_steady(1e-3, 10_000, 1)?;
//! assert!(ended.done && ended.sweeps == heat.steps());
//! # Ok(())
//! # }
//! ```
//!
//! A cell that is culled keeps what the *buffer* held that the pass wrote into, and the buffers take turns. So both must hold
//! the same temperature wherever a cell is not free: every brush, reset and new state sees to that, and no way of stepping
//! changes it.
//!
//! # References
//! Harris, *Mapping Computational Concepts to GPUs*, course slides, "GPGPU Flow Control Strategies".

mod flow;
mod kernels;
mod parameters;
mod seed;

use std::cell::RefCell;

pub use flow::Flow;
pub use parameters::{Parameters, STABLE, Sides};
pub use seed::{STATE, seed};

use self::kernels::HeatKernels;
use self::parameters::check_temperature;
use super::disc::{Disc, Outline, Tip};
use crate::pug::{Buffer, ConstantHandle, DoubleBuffer, Ended, Gpu, Program, StreamHandle, until_none};
use crate::{Error, Rect, Result};

/// The mark that the mouse leaves on the plate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Brush {
    /// An insulating obstacle. It keeps the temperature of the plate that it covers, for when it is erased.
    Obstacle,
    /// The bare plate, at the temperature that it has.
    Erase,
    /// A source that holds this temperature.
    Source(f32),
}

/// The simulation: temperatures and cells on the GPU, and one way to step them.
pub struct Heat {
    gpu: Gpu,
    temperature: DoubleBuffer,
    /// R = open, G = free, each 1 or 0.
    cells: Buffer,
    kernels: HeatKernels,
    /// True if the masks of the kernels are those of the cells and sides.
    prepared: bool,
    flow: Flow,
    parameters: Parameters,
    steps: u64,
    disc: Disc,
    change: Change,
    picture: Picture,
}

/// The pass that an occlusion query counts, and what it draws on.
struct Change {
    program: Program,
    before: StreamHandle,
    after: StreamHandle,
    tolerance: ConstantHandle,
    scrap: Buffer,
}

/// Temperatures with the obstacles among them, for drawing.
struct Picture {
    program: RefCell<Program>,
    temperature: StreamHandle,
    shown: Buffer,
}

impl Heat {
    /// width × height cells in the state that [`seed`] gives for `seed_number`.
    ///
    /// # Errors
    /// Those of [`Parameters::check`] and of making a buffer.
    pub fn new(
        gpu: &Gpu,
        width: u32,
        height: u32,
        parameters: Parameters,
        flow: Flow,
        seed_number: u64,
    ) -> Result<Heat> {
        let mut heat = Heat::empty(gpu, width, height, parameters, flow)?;
        heat.reset(seed_number)?;
        Ok(heat)
    }

    /// Starts from a state: (temperature, open, free), row after row; see [`STATE`].
    ///
    /// # Errors
    /// As [`Heat::new`] and [`Heat::set_state`].
    pub fn from_state(
        gpu: &Gpu,
        width: u32,
        height: u32,
        parameters: Parameters,
        flow: Flow,
        state: &[f32],
    ) -> Result<Heat> {
        let mut heat = Heat::empty(gpu, width, height, parameters, flow)?;
        heat.set_state(state)?;
        Ok(heat)
    }

    /// A plate of obstacles only.
    fn empty(gpu: &Gpu, width: u32, height: u32, parameters: Parameters, flow: Flow) -> Result<Heat> {
        parameters.check()?;
        let temperature = gpu.buffer(width, height).named("temperature").double().build()?;
        let cells = gpu.buffer(width, height).components(2).named("cells").build()?;
        let change = gpu.builtin("flow/change_ask.frag")?;
        let mut show = gpu.builtin("sim/heat_show.frag")?;
        show.bind_stream("cells", &cells)?.bind_float("obstacle", f32::NAN)?;
        draw_isotherm(&mut show, None)?;
        Ok(Heat {
            kernels: HeatKernels::new(gpu, flow, &parameters, &cells)?,
            prepared: false,
            disc: Disc::new(gpu)?,
            change: Change {
                before: change.stream("before")?,
                after: change.stream("after")?,
                tolerance: change.constant("tolerance")?,
                program: change,
                scrap: gpu.buffer(width, height).named("change").build()?,
            },
            picture: Picture {
                temperature: show.stream("temperature")?,
                program: RefCell::new(show),
                shown: gpu.buffer(width, height).named("picture").build()?,
            },
            gpu: gpu.clone(),
            steps: 0,
            temperature,
            cells,
            flow,
            parameters,
        })
    }

    /// One step: the passes of its [`Flow`]; and, if cells have changed, those that make its masks anew.
    pub fn step(&mut self) -> Result<()> {
        let _scope = self.temperature.front().context().scope("step");
        self.prepare()?;
        self.kernels.step(&self.temperature)?;
        self.temperature.swap();
        self.steps += 1;
        Ok(())
    }

    /// Makes the masks anew if cells have changed: else the next step does.
    pub fn prepare(&mut self) -> Result<()> {
        if !self.prepared {
            self.kernels.prepare()?;
            self.prepared = true;
        }
        Ok(())
    }

    /// Steps until none changes a cell by more than `epsilon`, `most` steps at most; asks after each `every` of them, which
    /// costs a pass and a wait for its answer. [`Heat::ask`] is for those who cannot wait.
    pub fn until_steady(&mut self, epsilon: f32, most: u64, every: u64) -> Result<Ended> {
        let gpu = self.gpu.clone();
        // Sweeps and questions take turns.
        let heat = RefCell::new(self);
        until_none(&gpu, most, every, |_| heat.borrow_mut().step(), || heat.borrow_mut().ask(epsilon))
    }

    /// Draws a fragment for each cell that the last step has changed by more than `epsilon`: for an occlusion query around it.
    pub fn ask(&mut self, epsilon: f32) -> Result<()> {
        let Change { program, before, after, tolerance, scrap } = &mut self.change;
        program
            .bind_stream(*before, self.temperature.back())?
            .bind_stream(*after, self.temperature.front())?
            .bind_float(*tolerance, epsilon)?;
        program.run(scrap)
    }

    /// Paints every cell whose centre lies within the radius of (x, y), in cells, or those of another [`Tip`]: two passes or three, and a
    /// copy. A cell is free or not, so a soft tip is round.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for a source whose temperature is none.
    pub fn paint(&mut self, brush: Brush, x: f32, y: f32, tip: impl Into<Tip>) -> Result<()> {
        let tip = match tip.into() {
            Tip { radius, outline: Outline::Soft } => Tip::from(radius),
            tip => tip,
        };
        let cell = match brush {
            Brush::Obstacle => [0.0, 0.0],
            Brush::Erase => [1.0, 1.0],
            Brush::Source(_) => [1.0, 0.0],
        };
        if let Brush::Source(temperature) = brush {
            check_temperature(temperature)?;
            self.disc.paint(self.temperature.front(), [x, y], tip, [temperature; 4])?;
        }
        if let Some(painted) = self.disc.paint(&self.cells, [x, y], tip, [cell[0], cell[1], 0.0, 0.0])? {
            self.agree(painted);
        }
        Ok(())
    }

    /// Gives both buffers the newest temperatures there, and the masks another look.
    fn agree(&mut self, changed: Rect) {
        self.temperature.back().texture().copy_from(self.temperature.front().texture(), changed);
        self.prepared = false;
    }

    /// Makes the steps in another way from now on; nothing of the state changes.
    ///
    /// # Errors
    /// Those of making what the kernels need; the old one then stays.
    pub fn set_flow(&mut self, flow: Flow) -> Result<()> {
        if flow != self.flow {
            self.kernels = HeatKernels::new(&self.gpu, flow, &self.parameters, &self.cells)?;
            (self.flow, self.prepared) = (flow, false);
        }
        Ok(())
    }

    /// Changes β and the sides from the next step on.
    ///
    /// # Errors
    /// Those of [`Parameters::check`].
    pub fn set_parameters(&mut self, parameters: Parameters) -> Result<()> {
        parameters.check()?;
        self.kernels.set_parameters(&parameters)?;
        // The weights know which sides hold a temperature, and nothing of beta.
        self.prepared &= parameters.sides == self.parameters.sides;
        self.parameters = parameters;
        Ok(())
    }

    /// Goes back to the state of that seed.
    pub fn reset(&mut self, seed_number: u64) -> Result<()> {
        self.set_state(&seed(self.width(), self.height(), seed_number))
    }

    /// Goes on from another state, as if no step had been made: (temperature, open, free), row after row; see [`STATE`].
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::BadParameter`] for a temperature that is none, and cells that are not free, held or
    /// obstacles.
    pub fn set_state(&mut self, state: &[f32]) -> Result<()> {
        let expected = STATE * self.cells.len();
        if state.len() != expected {
            let (what, shape) =
                ("state of a plate".to_owned(), "temperature, open and free a cell".to_owned());
            return Err(Error::WrongLength { what, found: state.len(), expected, shape });
        }
        let (state, _) = state.as_chunks::<STATE>();
        for (i, &[temperature, open, free]) in state.iter().enumerate() {
            check_temperature(temperature)?;
            if ![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]].contains(&[open, free]) {
                let (x, y) = (i % self.width() as usize, i / self.width() as usize);
                let found = format!("({open}, {free}) of cell ({x}, {y})");
                let expected = "(0, 0) in an obstacle, (1, 0) where it is held, (1, 1) elsewhere".to_owned();
                return Err(Error::BadParameter { name: "(open, free)", found, expected });
            }
        }
        self.temperature.write(&state.iter().map(|cell| cell[0]).collect::<Vec<_>>())?;
        self.cells.write(&state.iter().flat_map(|cell| [cell[1], cell[2]]).collect::<Vec<_>>())?;
        self.agree(self.cells.rect());
        self.steps = 0;
        Ok(())
    }

    /// Reads the whole state back: (temperature, open, free), row after row.
    pub fn state(&self) -> Result<Vec<f32>> {
        let (temperature, cells) = (self.temperature.data()?, self.cells.data()?);
        let (cells, _) = cells.as_chunks::<2>();
        Ok(temperature.into_iter().zip(cells).flat_map(|(t, &[open, free])| [t, open, free]).collect())
    }

    /// The newest temperatures. An obstacle's is that of the plate it covers.
    pub fn temperature(&self) -> &Buffer {
        self.temperature.front()
    }

    /// The cells: (open, free) = (0, 0) in an obstacle, (1, 0) in a source, (1, 1) elsewhere.
    pub fn cells(&self) -> &Buffer {
        &self.cells
    }

    /// Draws the isotherm of that temperature into [`Heat::picture`], or none, from the next [`Heat::refresh`] on: where it runs the
    /// picture has 1, or 0 if its temperature is ½ or more.
    ///
    /// # Errors
    /// Those of binding a constant.
    pub fn set_isotherm(&self, level: Option<f32>) -> Result<()> {
        draw_isotherm(&mut self.picture.program.borrow_mut(), level)
    }

    /// Brings [`Heat::picture`] up to date: one pass of two fetches, or six with an isotherm.
    pub fn refresh(&self) -> Result<()> {
        let Picture { program, temperature, shown } = &self.picture;
        let mut program = program.borrow_mut();
        program.bind_stream(*temperature, self.temperature.front())?;
        program.run(shown)
    }

    /// The temperatures as of the last [`Heat::refresh`], NaN in obstacles, for a colour of their own.
    pub fn picture(&self) -> &Buffer {
        &self.picture.shown
    }

    /// The state that was set is the one after so many steps.
    pub fn set_steps(&mut self, steps: u64) {
        self.steps = steps;
    }

    /// Steps since the state was set.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// How a step is made.
    pub fn flow(&self) -> Flow {
        self.flow
    }

    /// The parameters in force.
    pub fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// Cells a row.
    pub fn width(&self) -> u32 {
        self.cells.width()
    }

    /// Rows.
    pub fn height(&self) -> u32 {
        self.cells.height()
    }
}

fn draw_isotherm(show: &mut Program, level: Option<f32>) -> Result<()> {
    let lines = f32::from(u8::from(level.is_some()));
    let level = level.unwrap_or(0.0);
    let line = if level < 0.5 { 1.0 } else { 0.0 };
    show.bind_float("lines", lines)?.bind_float("level", level)?.bind_float("line", line)?;
    Ok(())
}
