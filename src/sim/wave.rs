//! The wave equation ∂²y/∂t² = c²∇²y on a grid (rows A11, A12), by linear algebra on packed vectors.
//!
//! With β = c²Δt²/h² and L y = y_E + y_W + y_N + y_S − 4y:
//!
//! | scheme | step | stable | cost |
//! |---|---|---|---|
//! | explicit | y' = (2 + βL) y − y_last | β ≤ ½ | one product |
//! | implicit | (1 − αL) y' = (2 + αL) y − y_last, α = β/2 | always | a product, then Chebyshev steps of one pass each, or cycles of multigrid |
//!
//! The implicit scheme damps: a mode for which −L y = s y shrinks by (1 + αs)^(−½) a step. The eigenvalues of its matrix lie between 1 and
//! 1 + 4β, so its steps need no dot products and wait for nothing (`src/sim/wave/implicit.rs`).
//!
//! Walls are cells without water: L is the sum of y_n − y over the neighbours that have some, so that waves are reflected. It stays
//! symmetric, its eigenvalues stay between −8 and 0, and both schemes are what they were; but the matrices have coefficients a cell.
//!
//! # References
//! Krüger & Westermann, *A GPU Framework for Solving Systems of Linear Equations*, GPU Gems 2, §44.4.

mod cycles;
mod implicit;
mod rim;

pub use self::implicit::Solved;

use self::implicit::Implicit;
use self::rim::rim;
use crate::linalg::{Algebra, Banded, BoundaryCondition, LinearOperator, Op, Packed2x2, Stencil, Vector};
use crate::numeric::Random;
use crate::pug::{Buffer, Gpu, Program};
use crate::{Error, Result};

/// How a step is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// One matrix–vector product a step; blows up past β = ½.
    #[default]
    Explicit,
    /// A linear system a step; takes any β.
    Implicit,
}

/// The parameters of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// How a step is made.
    pub scheme: Scheme,
    /// β = c²Δt²/h²: the square of how many cells a wave runs in a step.
    pub beta: f32,
    /// The sides: `Dirichlet` holds the water at 0 one cell beyond them, `Neumann` lets it slide up and down; `Periodic` is refused.
    pub edges: BoundaryCondition,
    /// True if waves leave: they fade in a strip along the sides ([`Parameters::fading`]), and `edges` is what lies behind it.
    pub absorbing: bool,
    /// γ: a step multiplies the heights of both its times by exp(−γ), so that all waves fade alike, as exp(−γ n) after n steps. It takes
    /// two passes more, unless `absorbing` has taken them.
    pub damping: f32,
    /// The tolerance of the implicit scheme: the residual, as part of ‖right-hand side‖, to which a step is solved.
    pub tolerance: f32,
}

/// The largest β of a stable explicit step.
pub const STABLE: f32 = 0.5;

impl Default for Parameters {
    /// As fast as the explicit scheme is stable, with a margin, between fixed edges.
    fn default() -> Parameters {
        Parameters {
            scheme: Scheme::Explicit,
            beta: 0.45,
            edges: BoundaryCondition::Dirichlet,
            absorbing: false,
            damping: 0.0,
            tolerance: 1e-6,
        }
    }
}

/// Cells of the strip in which waves fade, and how many of them the shorter side has at least.
const STRIP: f32 = 40.0;
const STRIPS: f32 = 8.0;

/// How much a wave fades on its way over a cell at the outer end of the strip.
const FADING: f32 = 0.3;

impl Parameters {
    /// Checks that a step is one. An explicit step past [`STABLE`] is none of its business.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for β outside 0 to 10 000 a tolerance outside 10⁻⁷ to 0.1, or damping outside 0 to 1.
    pub fn check(&self) -> Result<()> {
        let bad = |name, found: f32, expected: &str| {
            Err(Error::BadParameter { name, found: found.to_string(), expected: expected.to_owned() })
        };
        if !(self.beta > 0.0 && self.beta <= 1e4) {
            return bad("beta", self.beta, "above 0, at most 10000");
        }
        if !(1e-7..=0.1).contains(&self.tolerance) {
            return bad("tolerance", self.tolerance, "1e-7 to 0.1");
        }
        if !(0.0..=1.0).contains(&self.damping) {
            return bad("damping", self.damping, "0 to 1");
        }
        Ok(())
    }

    /// Returns true if waves grow without bound.
    pub fn is_unstable(&self) -> bool {
        self.scheme == Scheme::Explicit && self.beta > STABLE
    }

    /// The factors by which each step multiplies the heights of both its times: exp(−γ) everywhere, and where waves leave exp(−0.3 √β s²) times that for
    /// a cell whose middle is d cells from the nearest side, with s = 1 − d/w, and 1 where d ≥ w, the width of the strip: 40 cells, and an eighth of the shorter side at most.
    /// A wave runs √β cells a step, so it fades alike at any β, to e⁻⁸ on its way to the side and back for w = 40. Waves longer than
    /// the strip are sent back in part.
    ///
    /// Cerjan, Kosloff, Kosloff & Reshef, *A nonreflecting boundary condition for discrete acoustic and elastic wave equations*,
    /// Geophysics 50 (1985).
    pub fn fading(&self, width: u32, height: u32) -> Option<Vec<f32>> {
        let strip = STRIP.min(width.min(height) as f32 / STRIPS);
        let depth = |place: u32, side: u32| 1.0 - (place.min(side - 1 - place) as f32 + 0.5) / strip;
        let of = |x, y| {
            let depth = if self.absorbing { depth(x, width).max(depth(y, height)).max(0.0) } else { 0.0 };
            (-FADING * self.beta.sqrt() * depth * depth - self.damping).exp()
        };
        (self.absorbing || self.damping > 0.0)
            .then(|| (0..height).flat_map(|y| (0..width).map(move |x| of(x, y))).collect())
    }

    /// The factor of L at the newest heights: β or α.
    fn forward(&self) -> f32 {
        match self.scheme {
            Scheme::Explicit => self.beta,
            Scheme::Implicit => self.beta / 2.0,
        }
    }
}

/// Where L looks.
const NEIGHBOURS: [(i64, i64); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];

/// The matrix `diagonal` + `factor` L: symmetric with either rule for the edges, and with any walls.
fn matrix(
    algebra: &Algebra,
    grid: Packed2x2,
    edges: BoundaryCondition,
    walls: Option<&Walls>,
    diagonal: f32,
    factor: f32,
) -> Result<Box<dyn LinearOperator>> {
    match walls {
        None => {
            let own = [((0, 0), diagonal - 4.0 * factor)];
            let points: Vec<_> = NEIGHBOURS.map(|way| (way, factor)).into_iter().chain(own).collect();
            Ok(Box::new(Stencil::new(algebra, grid, edges, &points)?))
        }
        Some(walls) => {
            let (diagonal, factor) = (f64::from(diagonal), f64::from(factor));
            let (width, height) = (i64::from(grid.width()), i64::from(grid.height()));
            let cells = || (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)));
            // Beyond an edge lies water that is held, or a wall that it slides along.
            let beyond = edges == BoundaryCondition::Dirichlet;
            let inside = |x: i64, y: i64| (0..width).contains(&x) && (0..height).contains(&y);
            let wet =
                |x: i64, y: i64| if inside(x, y) { !walls.cells[(y * width + x) as usize] } else { beyond };
            let coupled = |x: i64, y: i64, (dx, dy): (i64, i64)| wet(x, y) && wet(x + dx, y + dy);
            let own = |(x, y): (i64, i64)| {
                let neighbours = NEIGHBOURS.iter().filter(|&&way| coupled(x, y, way)).count();
                diagonal - factor * neighbours as f64
            };
            let mut diagonals = vec![((0, 0), cells().map(own).collect::<Vec<f64>>())];
            for way in NEIGHBOURS {
                let each = |(x, y): (i64, i64)| if coupled(x, y, way) { factor } else { 0.0 };
                diagonals.push((way, cells().map(each).collect()));
            }
            Ok(Box::new(Banded::on_grid(algebra, grid, &diagonals)?))
        }
    }
}

/// The factors by which waves fade, if they do.
fn fading(algebra: &Algebra, grid: Packed2x2, parameters: &Parameters) -> Result<Option<Vector>> {
    let Some(factors) = parameters.fading(grid.width(), grid.height()) else { return Ok(None) };
    Ok(Some(algebra.vector(grid, &factors)?))
}

/// Cells without water.
struct Walls {
    cells: Vec<bool>,
    /// 0 in them, 1 in all others.
    open: Vector,
}

/// The simulation: the heights of two steps on the GPU, and the matrices that make the next.
pub struct Wave {
    /// The newest heights, those before them, and a vector that neither needs.
    y: Vector,
    last: Vector,
    spare: Vector,
    /// 2 + βL or 2 + αL.
    forward: Box<dyn LinearOperator>,
    walls: Option<Walls>,
    /// The factors by which waves fade.
    fading: Option<Vector>,
    implicit: Option<Implicit>,
    /// The newest heights one a texel, as of the last [`Wave::refresh`]; or a drop, on its way into them.
    heights: Buffer,
    drop: Program,
    parameters: Parameters,
}

impl Wave {
    /// width × height cells of still water, into which the first drop of [`Wave::reset`] has fallen.
    ///
    /// # Errors
    /// Those of [`Parameters::check`] and of making a buffer.
    pub fn new(gpu: &Gpu, width: u32, height: u32, parameters: Parameters, seed: u64) -> Result<Wave> {
        let mut wave = Wave::still(gpu, width, height, parameters)?;
        wave.reset(seed)?;
        Ok(wave)
    }

    /// Starts from a state: pairs (y, y_last), row after row.
    ///
    /// # Errors
    /// As [`Wave::new`]; [`Error::WrongLength`].
    pub fn from_state(
        gpu: &Gpu,
        width: u32,
        height: u32,
        parameters: Parameters,
        state: &[f32],
    ) -> Result<Wave> {
        let mut wave = Wave::still(gpu, width, height, parameters)?;
        wave.set_state(state)?;
        Ok(wave)
    }

    fn still(gpu: &Gpu, width: u32, height: u32, parameters: Parameters) -> Result<Wave> {
        parameters.check()?;
        // The buffer first: its refusals are in the words of its user.
        let heights = gpu.buffer(width, height).named("heights").build()?;
        let (algebra, grid) = (Algebra::new(gpu), Packed2x2::grid(width, height)?);
        Ok(Wave {
            y: algebra.zeros(grid)?,
            last: algebra.zeros(grid)?,
            spare: algebra.zeros(grid)?,
            forward: matrix(&algebra, grid, parameters.edges, None, 2.0, parameters.forward())?,
            walls: None,
            fading: fading(&algebra, grid, &parameters)?,
            implicit: match parameters.scheme {
                Scheme::Explicit => None,
                Scheme::Implicit => Some(Implicit::new(&algebra, grid, &parameters, None)?),
            },
            heights,
            drop: gpu.builtin("sim/wave_drop.frag")?,
            parameters,
        })
    }

    /// Changes scheme, β, edges and tolerance from the next step on.
    ///
    /// A new β is a new Δt, so the speed y − y_last of the water, which is taken over as it is, means another one. Where
    /// edges begin to let the water slide, what its speed had in common goes: nothing would ever stop it.
    ///
    /// # Errors
    /// Those of [`Parameters::check`].
    pub fn set_parameters(&mut self, parameters: Parameters) -> Result<()> {
        parameters.check()?;
        let (algebra, grid) = (self.y.algebra().clone(), self.y.layout());
        let walls = self.walls.as_ref();
        let forward = matrix(&algebra, grid, parameters.edges, walls, 2.0, parameters.forward())?;
        let fading = fading(&algebra, grid, &parameters)?;
        let implicit = match parameters.scheme {
            Scheme::Explicit => None,
            Scheme::Implicit => Some(Implicit::new(&algebra, grid, &parameters, walls)?),
        };
        if parameters.edges == BoundaryCondition::Neumann
            && self.parameters.edges == BoundaryCondition::Dirichlet
        {
            self.stop_drift()?;
        }
        (self.forward, self.implicit, self.fading) = (forward, implicit, fading);
        self.parameters = parameters;
        Ok(())
    }

    /// Sets the walls, true for a cell without water: what water there was in it is gone. With walls a step fetches five coefficients a
    /// cell besides; without any it is as it was.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::OutOfMemory`]. Then nothing has changed.
    pub fn set_walls(&mut self, cells: &[bool]) -> Result<()> {
        if cells.len() != self.y.len() {
            let (what, shape) = ("walls of waves".to_owned(), "a flag a cell".to_owned());
            return Err(Error::WrongLength { what, found: cells.len(), expected: self.y.len(), shape });
        }
        if self.walls() == Some(cells) || self.walls.is_none() && !cells.contains(&true) {
            return Ok(());
        }
        let (algebra, grid, parameters) = (self.y.algebra().clone(), self.y.layout(), self.parameters);
        let walls = match cells.contains(&true) {
            true => {
                let mut open = algebra.zeros(grid)?;
                open.set(&cells.iter().map(|&wall| f32::from(u8::from(!wall))).collect::<Vec<_>>())?;
                Some(Walls { cells: cells.to_vec(), open })
            }
            false => None,
        };
        let forward = matrix(&algebra, grid, parameters.edges, walls.as_ref(), 2.0, parameters.forward())?;
        let implicit = match parameters.scheme {
            Scheme::Explicit => None,
            Scheme::Implicit => Some(Implicit::new(&algebra, grid, &parameters, walls.as_ref())?),
        };
        // All that may fail comes before anything has changed.
        let dried = walls.as_ref().map(|walls| self.dried(walls)).transpose()?;
        (self.forward, self.implicit, self.walls) = (forward, implicit, walls);
        if let Some(dried) = dried {
            [self.y, self.last] = dried;
        }
        Ok(())
    }

    /// The walls, if there are any.
    pub fn walls(&self) -> Option<&[bool]> {
        self.walls.as_ref().map(|walls| walls.cells.as_slice())
    }

    /// The heights of both steps without the water in those walls.
    fn dried(&self, walls: &Walls) -> Result<[Vector; 2]> {
        let mut dried = [self.y.try_clone()?, self.last.try_clone()?];
        for heights in &mut dried {
            heights.mul(&walls.open)?;
        }
        Ok(dried)
    }

    /// y_last += mean(y − y_last).
    fn stop_drift(&mut self) -> Result<()> {
        let mut sum = self.y.algebra().scalar(0.0)?;
        self.spare.set_sum(1.0, &self.y, -1.0, &self.last)?;
        self.spare.sum(&mut sum)?;
        let wet = match &self.walls {
            Some(walls) => {
                self.spare.copy_from(&walls.open)?;
                walls.cells.iter().filter(|&&wall| !wall).count().max(1)
            }
            None => {
                self.spare.fill(1.0)?;
                self.y.len()
            }
        };
        self.last.axpy(sum.times(1.0 / wet as f32), &self.spare)
    }

    /// One step. Explicit: one pass, no read-back; two more where waves leave or are damped. Implicit: k + 3 passes and a sum, k Chebyshev steps of 7 fetches each, which
    /// wait for nothing; k is ⌈arcosh(1/tolerance)/arcosh(1 + 1/(2β))⌉ at most: 23 at β = 5 and 10⁻⁴. After a drop and wherever the
    /// state is set, two steps take all of them, from 0; others begin with heights that go on as they did, where that takes fewer.
    /// The first few steps on take a sum and two passes more.
    ///
    /// Where β is large and the water has no walls, cycles of multigrid cost less: from about β = 50 at 512² cells and 100 at 256², by passes and fetches
    /// (`src/sim/wave/cycles.rs`). Five of them meet 10⁻⁴ at any β, 99 steps at β = 100.
    ///
    /// # Errors
    /// Only those of a lost device: a system that is not solved says so in [`Wave::solved`], a step later.
    pub fn step(&mut self) -> Result<()> {
        let _scope = self.y.algebra().gpu().scope("step");
        match &mut self.implicit {
            None => self.forward.apply(Op::Sub(&self.last), &self.y, &mut self.spare)?,
            Some(implicit) => {
                self.forward.apply(Op::Sub(&self.last), &self.y, implicit.right())?;
                implicit.solve(&self.last, &mut self.spare)?;
            }
        }
        std::mem::swap(&mut self.last, &mut self.y);
        std::mem::swap(&mut self.y, &mut self.spare);
        if let Some(fading) = &self.fading {
            self.y.mul(fading)?;
            self.last.mul(fading)?;
        }
        Ok(())
    }

    /// The energy of the water, ½ Σ (y − y_last)² − ½ β Σ y_last L y, in units of a height squared a step squared: explicit steps
    /// keep it but for rounding, implicit ones lose some. Four passes, two sums and two read-backs.
    ///
    /// # Errors
    /// Those of a lost device.
    pub fn energy(&self) -> Result<f64> {
        let (algebra, grid) = (self.y.algebra(), self.y.layout());
        let (mut part, mut sum) = (algebra.zeros(grid)?, algebra.scalar(0.0)?);
        part.set_sum(1.0, &self.y, -1.0, &self.last)?;
        part.dot(&part, &mut sum)?;
        let speed = f64::from(sum.get()?);
        // The rest of the matrix, 2 + γ L.
        let mut twice = algebra.zeros(grid)?;
        twice.set_scaled(2.0, &self.y)?;
        self.forward.apply(Op::Sub(&twice), &self.y, &mut part)?;
        part.dot(&self.last, &mut sum)?;
        let bent = f64::from(sum.get()?) * f64::from(self.parameters.beta / self.parameters.forward());
        Ok(0.5 * (speed - bent))
    }

    /// How the system of an implicit step was solved: of the one before the last, whose residual has arrived.
    pub fn solved(&self) -> Option<&Solved> {
        self.implicit.as_ref()?.solved()
    }

    /// The same of the last step, which it waits for.
    pub fn last_solved(&self) -> Result<Option<Solved>> {
        self.implicit.as_ref().map_or(Ok(None), Implicit::last_solved)
    }

    /// The numbers that the next steps go by besides the state: with [`Wave::set_pace`] another wave of the same state and
    /// parameters goes on bit for bit. None for explicit steps.
    pub fn pace(&self) -> Result<Vec<f32>> {
        self.implicit.as_ref().map_or(Ok(Vec::new()), Implicit::pace)
    }

    /// Goes on from the numbers of [`Wave::pace`].
    ///
    /// # Errors
    /// [`Error::BadParameter`] for others.
    pub fn set_pace(&mut self, pace: &[f32]) -> Result<()> {
        let fits = match &mut self.implicit {
            None => pace.is_empty(),
            Some(implicit) => implicit.set_pace(pace),
        };
        if fits {
            return Ok(());
        }
        let (found, expected) = (format!("{pace:?}"), "what a wave of the same parameters gave".to_owned());
        Err(Error::BadParameter { name: "pace", found, expected })
    }

    /// Says that the water has been changed from outside.
    fn disturb(&mut self) {
        if let Some(implicit) = &mut self.implicit {
            implicit.forget();
        }
    }

    /// A drop falls at (x, y), in cells: adds a bump of `amount` and a rim that takes its volume back, `radius` wide, to the
    /// heights of both steps, so that the water there has the speed that it had. At fixed edges it is tapered: a step there would ring.
    /// The volume is that of the cells it falls on, cut by an edge or not: their sum is 0 but for rounding. Where too few cells
    /// are hit for a rim nothing falls. What falls on walls is lost, with its part of the volume.
    ///
    /// # Errors
    /// [`Error::BadParameter`] unless all are finite.
    pub fn drop(&mut self, x: f32, y: f32, radius: f32, amount: f32) -> Result<()> {
        if ![x, y, radius, amount].iter().all(|v| v.is_finite()) {
            let (found, expected) =
                (format!("{amount} at {x}, {y}, {radius} wide"), "finite numbers".to_owned());
            return Err(Error::BadParameter { name: "drop", found, expected });
        }
        let radius = radius.max(1.0);
        let sides = [self.width() as f32, self.height() as f32];
        let taper = match self.parameters.edges {
            BoundaryCondition::Dirichlet => sides.map(|side| radius.min((side + 1.0) / 2.0)),
            BoundaryCondition::Neumann | BoundaryCondition::Periodic => [0.5; 2],
        };
        let beyond = sides.map(|side| side + 0.5);
        let Some(rim) = rim([x, y], radius, beyond, taper) else { return Ok(()) };
        self.drop
            .bind_float("centre", [x, y])?
            .bind_float("radius", radius)?
            .bind_float("beyond", beyond)?
            .bind_float("taper", taper)?
            .bind_float("rim", rim)?
            .bind_float("amount", amount)?;
        self.drop.run(&self.heights)?;
        self.spare.pack(&self.heights)?;
        if let Some(walls) = &self.walls {
            self.spare.mul(&walls.open)?;
        }
        self.y.add(&self.spare)?;
        self.last.add(&self.spare)?;
        self.disturb();
        Ok(())
    }

    /// The drop of rain of that number: everywhere, large or small, and always the same for one seed.
    pub fn rain(&mut self, seed: u64, number: u64) -> Result<()> {
        let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ number);
        let (width, height) = (self.width() as f32, self.height() as f32);
        let (x, y) = (random.unit() * width, random.unit() * height);
        let radius = (width.max(height) / 20.0).max(2.0) * (0.6 + 0.8 * random.unit());
        self.drop(x, y, radius, -0.6 - 0.4 * random.unit())
    }

    /// Back to still water with the first drop of that seed: near the middle.
    pub fn reset(&mut self, seed: u64) -> Result<()> {
        self.y.fill(0.0)?;
        self.last.fill(0.0)?;
        self.disturb();
        let mut random = Random(seed);
        let (width, height) = (self.width() as f32, self.height() as f32);
        let (x, y) = (0.3 + 0.4 * random.unit(), 0.3 + 0.4 * random.unit());
        self.drop(x * width, y * height, (width.max(height) / 16.0).max(2.0), -1.0)
    }

    /// Goes on from another state: pairs (y, y_last), row after row.
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn set_state(&mut self, state: &[f32]) -> Result<()> {
        let expected = 2 * self.y.len();
        if state.len() != expected {
            let (what, shape) = ("state of waves".to_owned(), "2 heights a cell".to_owned());
            return Err(Error::WrongLength { what, found: state.len(), expected, shape });
        }
        let (pairs, _) = state.as_chunks::<2>();
        let heights = |which: usize| -> Result<Vector> {
            let mut heights = self.y.algebra().zeros(self.y.layout())?;
            heights.set(&pairs.iter().map(|pair| pair[which]).collect::<Vec<_>>())?;
            if let Some(walls) = &self.walls {
                heights.mul(&walls.open)?;
            }
            Ok(heights)
        };
        // All that may fail comes before anything has changed.
        (self.y, self.last) = (heights(0)?, heights(1)?);
        self.disturb();
        Ok(())
    }

    /// Reads the whole state back: pairs (y, y_last), row after row.
    pub fn state(&self) -> Result<Vec<f32>> {
        Ok(self.y.get()?.into_iter().zip(self.last.get()?).flat_map(<[f32; 2]>::from).collect())
    }

    /// Brings [`Wave::heights`] up to date: one pass.
    pub fn refresh(&self) -> Result<()> {
        self.y.unpack(&self.heights)
    }

    /// The heights as of the last [`Wave::refresh`], one a texel: for drawing. A drop is made here too, so refresh after
    /// it.
    pub fn heights(&self) -> &Buffer {
        &self.heights
    }

    /// The parameters in force.
    pub fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// Cells a row.
    pub fn width(&self) -> u32 {
        self.heights.width()
    }

    /// Rows.
    pub fn height(&self) -> u32 {
        self.heights.height()
    }
}
