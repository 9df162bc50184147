//! Gray–Scott reaction–diffusion (row C7): two reactants on a grid, and the patterns they make.
//!
//! # References
//! Harris, *Mapping Computational Concepts to GPUs*, §31.5; Pearson, *Complex Patterns in a Simple System*,
//! Science 261, 1993; pattern classes ν and π after Munafo.

use std::path::Path;

use super::disc::{Disc, Tip};
use crate::gl::Edges;
use crate::numeric::Random;
use crate::pug::{Buffer, DoubleBuffer, DoubleBufferBuilder, Gpu, Precision, Program, StreamHandle};
use crate::{Error, Result};

/// F, k and the two diffusion rates, per step of Δt = 1 on unit cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// F: how fast u is fed and everything is drained.
    pub feed: f32,
    /// k: how much faster v is drained.
    pub kill: f32,
    /// Du, the share of u that a step replaces by its neighbours' mean: 4 D_u Δt/h², at most 1.
    pub du: f32,
    /// Dv, the same of v.
    pub dv: f32,
}

impl Default for Parameters {
    /// Worms that fill the plane; Pearson's D_u = 2·10⁻⁵ and D_v = 10⁻⁵ on cells of 2.5/256.
    fn default() -> Parameters {
        Parameters::of(0.037, 0.06)
    }
}

impl Parameters {
    /// These F and k with Pearson's diffusion rates.
    pub const fn of(feed: f32, kill: f32) -> Parameters {
        Parameters { feed, kill, du: 0.8389, dv: 0.4194 }
    }

    /// The preset of that name, or of that class of Pearson's, case aside.
    pub fn preset(name: &str) -> Option<Parameters> {
        let is = |known: &str| !known.is_empty() && known.eq_ignore_ascii_case(name);
        PRESETS.iter().find(|preset| is(preset.name) || is(preset.class)).map(|preset| preset.parameters)
    }

    /// Checks that a step neither blows up nor divides by nothing.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for diffusion outside 0 to 1, and F or k that are negative or not finite.
    pub fn check(&self) -> Result<()> {
        let within = |name, value: f32, most: f32| {
            let expected = format!("0 to {most}");
            let bad = Error::BadParameter { name, found: value.to_string(), expected };
            if (0.0..=most).contains(&value) { Ok(()) } else { Err(bad) }
        };
        within("F", self.feed, 1.0)?;
        within("k", self.kill, 1.0)?;
        within("Du", self.du, 1.0)?;
        within("Dv", self.dv, 1.0)
    }

    /// F, k, Du, Dv as the reference takes them: the 32-bit values, exactly.
    pub fn as_f64(&self) -> [f64; 4] {
        [self.feed, self.kill, self.du, self.dv].map(f64::from)
    }
}

/// A named place in the (F, k) plane.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name on the command line.
    pub name: &'static str,
    /// The letter of its class of patterns by Pearson and Munafo, as it is pronounced; empty for none.
    pub class: &'static str,
    /// The pattern that grows there.
    pub shows: &'static str,
    /// Where it is.
    pub parameters: Parameters,
}

const fn preset(
    name: &'static str,
    class: &'static str,
    feed: f32,
    kill: f32,
    shows: &'static str,
) -> Preset {
    Preset { name, class, shows, parameters: Parameters::of(feed, kill) }
}

/// The default, then Pearson's classes α to μ, then two of Munafo's.
///
/// His ξ, ρ and σ need other beginnings than squares thrown on a plane, and die from these.
pub const PRESETS: &[Preset] = &[
    preset("coral", "", 0.037, 0.06, "worms that branch and fill the plane"),
    preset("wavelets", "alpha", 0.010, 0.047, "short waves that come and go without end, in space and time"),
    preset("turbulence", "beta", 0.026, 0.051, "waves without order on an even background"),
    preset("winding-worms", "gamma", 0.022, 0.051, "worms that wind for ever"),
    preset(
        "holes",
        "delta",
        0.030,
        0.055,
        "dark holes in a bright plane, which stand in order: a Turing pattern",
    ),
    preset("dying-spots", "epsilon", 0.018, 0.055, "spots that divide and die, for ever"),
    preset("crowding-spots", "zeta", 0.026, 0.059, "spots that divide; where they crowd some die"),
    preset("spots-and-worms", "eta", 0.034, 0.063, "spots, and worms between them"),
    preset("loops", "theta", 0.038, 0.061, "worms and loops"),
    preset("holes-and-stripes", "iota", 0.046, 0.0594, "dark holes and stripes in a bright plane"),
    preset("labyrinth", "kappa", 0.050, 0.063, "stripes that branch: a labyrinth"),
    preset(
        "dividing-spots",
        "lambda",
        0.034,
        0.065,
        "spots that divide like cells, until they fill the plane",
    ),
    preset("growing-worms", "mu", 0.046, 0.065, "worms that grow at their ends"),
    preset("still-spots", "nu", 0.054, 0.067, "spots that stand still, each by itself: solitons"),
    preset("worms-and-solitons", "pi", 0.062, 0.061, "worms and single spots; the u-skate world is near"),
];

/// The values of a painted cell: enough of v to start a pattern anywhere.
const PAINT: [f32; 2] = [0.5, 0.25];

/// Those of an erased one, where nothing grows by itself.
const BARE: [f32; 2] = [1.0, 0.0];

/// The simulation: the two concentrations on the GPU, and the kernel that steps them.
pub struct GrayScott {
    state: DoubleBuffer,
    step: Program,
    disc: Disc,
    concentration: StreamHandle,
    parameters: Parameters,
    edges: Edges,
}

impl GrayScott {
    /// width × height cells in the state that [`seed`] gives for `seed_number`.
    ///
    /// # Errors
    /// Those of [`Parameters::check`] and of making a buffer.
    pub fn new(
        gpu: &Gpu,
        width: u32,
        height: u32,
        parameters: Parameters,
        edges: Edges,
        seed_number: u64,
    ) -> Result<GrayScott> {
        GrayScott::with_precision(gpu, width, height, parameters, edges, seed_number, Precision::Float32)
    }

    /// [`GrayScott::new`] with the concentrations stored in another number format.
    ///
    /// # Errors
    /// As [`GrayScott::new`].
    pub fn with_precision(
        gpu: &Gpu,
        width: u32,
        height: u32,
        parameters: Parameters,
        edges: Edges,
        seed_number: u64,
        precision: Precision,
    ) -> Result<GrayScott> {
        // The buffers first: a size that they refuse must not cost the memory of its seed.
        let state = concentrations(gpu, width, height, edges, precision).build()?;
        state.write(&seed(width, height, seed_number))?;
        GrayScott::of(gpu, state, parameters, edges)
    }

    /// Starts from a state: pairs (u, v), row after row.
    ///
    /// # Errors
    /// As [`GrayScott::new`]; [`Error::WrongLength`].
    pub fn from_state(
        gpu: &Gpu,
        width: u32,
        height: u32,
        parameters: Parameters,
        edges: Edges,
        state: &[f32],
    ) -> Result<GrayScott> {
        let state = concentrations(gpu, width, height, edges, Precision::Float32).init(state)?;
        GrayScott::of(gpu, state, parameters, edges)
    }

    fn of(gpu: &Gpu, state: DoubleBuffer, parameters: Parameters, edges: Edges) -> Result<GrayScott> {
        let mut step = gpu.builtin("sim/gray_scott_step.frag")?;
        bind(&mut step, parameters)?;
        let concentration = step.stream("concentration")?;
        let disc = Disc::new(gpu)?;
        Ok(GrayScott { state, step, disc, concentration, parameters, edges })
    }

    /// Changes F, k and the diffusion rates from the next step on.
    ///
    /// # Errors
    /// Those of [`Parameters::check`].
    pub fn set_parameters(&mut self, parameters: Parameters) -> Result<()> {
        bind(&mut self.step, parameters)?;
        self.parameters = parameters;
        Ok(())
    }

    /// One step: one pass, five fetches and one texel written a cell.
    pub fn step(&mut self) -> Result<()> {
        let _scope = self.state.front().context().scope("step");
        self.step.bind_stream(self.concentration, self.state.front())?;
        self.step.run(self.state.back())?;
        self.state.swap();
        Ok(())
    }

    /// Sets every cell within the radius of (x, y), in cells, to (u, v) = (1/2, 1/4), or those of another [`Tip`]; wraps around on a torus.
    pub fn paint(&mut self, x: f32, y: f32, tip: impl Into<Tip>) -> Result<()> {
        self.set_disc([x, y], tip.into(), PAINT)
    }

    /// Sets the same cells to (u, v) = (1, 0), where nothing grows.
    pub fn erase(&mut self, x: f32, y: f32, tip: impl Into<Tip>) -> Result<()> {
        self.set_disc([x, y], tip.into(), BARE)
    }

    fn set_disc(&mut self, [x, y]: [f32; 2], tip: Tip, [u, v]: [f32; 2]) -> Result<()> {
        let (width, height) = (self.width() as f32, self.height() as f32);
        let shifts = if self.edges == Edges::Repeat { &[-1.0, 0.0, 1.0][..] } else { &[0.0] };
        for (i, j) in shifts.iter().flat_map(|i| shifts.iter().map(move |j| (i, j))) {
            self.disc.paint(self.state.front(), [x + i * width, y + j * height], tip, [u, v, 0.0, 0.0])?;
        }
        Ok(())
    }

    /// Goes back to the state of that seed.
    pub fn reset(&mut self, seed_number: u64) -> Result<()> {
        self.state.write(&seed(self.width(), self.height(), seed_number))
    }

    /// Goes on from another state: pairs (u, v), row after row.
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn set_state(&mut self, state: &[f32]) -> Result<()> {
        self.state.write(state)
    }

    /// The newest concentrations: R = u, G = v.
    pub fn state(&self) -> &Buffer {
        self.state.front()
    }

    /// The parameters in force.
    pub fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// The edge rule: `Repeat` makes a torus, `Clamp` lets nothing flow out.
    pub fn edges(&self) -> Edges {
        self.edges
    }

    /// Cells a row.
    pub fn width(&self) -> u32 {
        self.state().width()
    }

    /// Rows.
    pub fn height(&self) -> u32 {
        self.state().height()
    }

    /// From now on [`GrayScott::reload_if_changed`] reads the step kernel from this file.
    pub fn watch(&mut self, kernel: &Path) {
        self.step.watch(kernel);
    }

    /// Reloads the step kernel if its file has changed; says whether it did.
    ///
    /// # Errors
    /// Those of compiling and of binding, once for each change; the old kernel then goes on.
    pub fn reload_if_changed(&mut self) -> Result<bool> {
        if !self.step.file_changed() {
            return Ok(false);
        }
        let mut step = self.step.reloaded()?;
        bind(&mut step, self.parameters)?;
        self.concentration = step.stream("concentration")?;
        self.step = step;
        Ok(true)
    }
}

fn concentrations(
    gpu: &Gpu,
    width: u32,
    height: u32,
    edges: Edges,
    precision: Precision,
) -> DoubleBufferBuilder {
    gpu.buffer(width, height).components(2).precision(precision).edges(edges).named("concentration").double()
}

/// Gives a step kernel its constants.
fn bind(step: &mut Program, parameters: Parameters) -> Result<()> {
    parameters.check()?;
    let Parameters { feed, kill, du, dv } = parameters;
    step.bind_float("DuDv", [du, dv])?.bind_float("F", feed)?.bind_float("k", kill)?;
    Ok(())
}

/// The initial state of a seed: u = 1, v = 0, and a number of squares of (1/2, 1/4) ± 1 % thrown on it.
///
/// The first square lies in the middle, as Pearson's does; the rest, one for each 64 × 64 cells, anywhere.
/// The same seed gives the same bits everywhere.
pub fn seed(width: u32, height: u32, number: u64) -> Vec<f32> {
    let (columns, rows) = (width as usize, height as usize);
    let mut state = [1.0, 0.0].repeat(columns * rows);
    if state.is_empty() {
        return state;
    }
    let mut random = Random(number);
    let side = (columns.min(rows) / 4).clamp(1, 20);
    for square in 0..(columns * rows / 4096).max(1) {
        let anywhere = (random.below(columns), random.below(rows));
        let (x0, y0) = if square == 0 { ((columns - side) / 2, (rows - side) / 2) } else { anywhere };
        for (x, y) in (0..side * side).map(|i| ((x0 + i % side) % columns, (y0 + i / side) % rows)) {
            let cell = (y * columns + x) * 2;
            state[cell] = PAINT[0] * (0.99 + 0.02 * random.unit());
            state[cell + 1] = PAINT[1] * (0.99 + 0.02 * random.unit());
        }
    }
    state
}
