//! One and the same choice made in four ways, and one loop with and without an early exit.
//!
//! In a chequerboard of squares, every second one has heavy work: the same line applied `trips` times, and once in the
//! others. Fragments that are drawn together wait for each other, so a true branch saves half of the work where squares
//! are wide, and nothing where they are narrow. Arithmetic always does both sides. A mask costs two passes over all, and
//! saves what the card culls: whole tiles.

use crate::pug::{Buffer, Cull, Gpu, Program};
use crate::{Error, Result, kernels};

/// x → m x + c, two operations; numbers that begin within ±2 stay below 4.
pub const LINE: [f32; 2] = [0.9, 0.25];

/// The error of squares against f64: a step rounds twice, numbers below 4, and each later step shrinks that by 0.9;
/// that is ten steps' worth.
pub const BOUND: f64 = 10.0 * 2.0 * f32::EPSILON as f64;

/// How it is decided what a fragment does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Branching {
    /// One kernel that asks in every fragment.
    #[default]
    Branch,
    /// Both sides in every fragment, times 0 or 1.
    Arithmetic,
    /// Two passes without a choice, each through its side of a mask in the depth buffer.
    ZCull,
    /// The same by the stencil.
    StencilCull,
    /// Orbits of z² + c, in a loop that ends when |z| > 2.
    EarlyExit,
    /// The same orbits, all trips made: those after the end change nothing.
    AllTrips,
}

impl Branching {
    /// All of them: four choices and two loops.
    pub const ALL: [Branching; 6] = [
        Branching::Branch,
        Branching::Arithmetic,
        Branching::ZCull,
        Branching::StencilCull,
        Branching::EarlyExit,
        Branching::AllTrips,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Branching::Branch => "branch",
            Branching::Arithmetic => "arithmetic",
            Branching::ZCull => "z-cull",
            Branching::StencilCull => "stencil-cull",
            Branching::EarlyExit => "early-exit",
            Branching::AllTrips => "all-trips",
        }
    }

    /// A line about what it does.
    pub fn shows(self) -> &'static str {
        match self {
            Branching::Branch => {
                "squares: one kernel with an if, and each fragment takes its side; fragments that run together wait for both"
            }
            Branching::Arithmetic => {
                "squares: no if, both sides are computed everywhere and the one is taken times 1, the other times 0"
            }
            Branching::ZCull => {
                "squares: two kernels without an if, one for each side; a mask in the depth (z) buffer keeps each from the other's squares before it runs"
            }
            Branching::StencilCull => {
                "squares: the same two kernels, with the mask in the stencil buffer, a few bits a pixel beside its depth"
            }
            Branching::EarlyExit => {
                "orbits: a loop that is left as soon as the orbit has left the circle of radius 2"
            }
            Branching::AllTrips => {
                "orbits: a loop that always makes all trips; those after the orbit has left change nothing"
            }
        }
    }

    /// The way of that name, case aside.
    pub fn named(name: &str) -> Option<Branching> {
        Branching::ALL.into_iter().find(|way| way.name().eq_ignore_ascii_case(name))
    }

    /// Returns true for a loop over orbits, false for a choice between squares.
    pub fn is_loop(self) -> bool {
        matches!(self, Branching::EarlyExit | Branching::AllTrips)
    }

    /// Trips that show its gain: 200 operations against 2, or orbits of 256.
    pub fn trips(self) -> u32 {
        if self.is_loop() { 256 } else { 100 }
    }
}

/// How much is to be done where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// The way.
    pub way: Branching,
    /// Texels along the side of a square, 1 at least; loops have none.
    pub square: u32,
    /// How often a heavy square applies the line, or how often an orbit at most goes on: 1 to 65 535, because one driver
    /// stops all loops there.
    pub trips: u32,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters { way: Branching::default(), square: 8, trips: Branching::default().trips() }
    }
}

/// A choice or a loop, ready to be drawn.
///
/// # References
/// Harris, *Mapping Computational Concepts to GPUs*, course slides 33 (arithmetic), 36 (z-cull, stencil cull) and 38
/// (coherent regions, early exit).
pub struct Branches {
    parameters: Parameters,
    /// Texels across and up.
    size: [u32; 2],
    passes: Passes,
}

/// The part of the plane of c that orbits are counted for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// The c between the middle texels.
    pub centre: [f32; 2],
    /// With 1 the smaller side is 2.5 long, and with z 2.5/z.
    pub zoom: f32,
}

/// All of the set of orbits that never leave.
impl Default for Part {
    fn default() -> Part {
        Part { centre: [-0.75, 0.0], zoom: 1.0 }
    }
}

impl Part {
    /// The c of texel (0, 0), and from one texel's c to the next.
    pub fn plane(&self, width: u32, height: u32) -> ([f32; 2], f32) {
        let pitch = 2.5 / self.zoom / width.min(height).max(1) as f32;
        let [x, y] = self.centre;
        ([x - 0.5 * pitch * width as f32, y - 0.5 * pitch * height as f32], pitch)
    }
}

enum Passes {
    One(Box<Program>),
    Masked(Box<Sides>),
}

/// A kernel for each side, and which texels are whose.
struct Sides {
    open_where_heavy: Program,
    mask: Cull,
    heavy: Program,
    light: Program,
}

impl Branches {
    /// Over these values, one a texel within ±2, which the squares work on as they are at each [`Branches::draw`]; of
    /// them orbits take the size alone. A mask is drawn here.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for squares or trips outside their bounds; those of [`Gpu::load`] and of [`Cull::depth`].
    pub fn new(gpu: &Gpu, values: &Buffer, parameters: Parameters) -> Result<Branches> {
        let Parameters { way, square, trips } = parameters;
        if square == 0 {
            let (found, expected) = (square.to_string(), "1 at least".to_owned());
            return Err(Error::BadParameter { name: "square", found, expected });
        }
        if !(1..=65_535).contains(&trips) {
            let (found, expected) = (trips.to_string(), "1 to 65535".to_owned());
            return Err(Error::BadParameter { name: "trips", found, expected });
        }
        let one = |side| work(gpu, values, parameters, side);
        let masked = |mask| Sides::new(gpu, values, parameters, mask);
        let passes = match way {
            Branching::Branch => Passes::One(Box::new(one(0)?)),
            Branching::Arithmetic => Passes::One(Box::new(one(1)?)),
            Branching::ZCull => Passes::Masked(Box::new(masked(Cull::depth)?)),
            Branching::StencilCull => Passes::Masked(Box::new(masked(Cull::stencil)?)),
            Branching::EarlyExit => Passes::One(Box::new(orbits(gpu, values, trips, 1)?)),
            Branching::AllTrips => Passes::One(Box::new(orbits(gpu, values, trips, 0)?)),
        };
        let branches = Branches { parameters, size: [values.width(), values.height()], passes };
        branches.draw_mask()?;
        Ok(branches)
    }

    /// Counts the orbits of that part of the plane from now on; [`Part::default`] unless said. Squares have none.
    ///
    /// # Errors
    /// [`Error::BadParameter`] unless all is finite and the zoom above 0.
    pub fn set_part(&mut self, part: Part) -> Result<()> {
        let Part { centre: [x, y], zoom } = part;
        if !(x.is_finite() && y.is_finite() && zoom.is_finite() && zoom > 0.0) {
            let (found, expected) = (format!("{zoom} at {x}, {y}"), "finite, the zoom above 0".to_owned());
            return Err(Error::BadParameter { name: "part of the plane", found, expected });
        }
        if let Passes::One(program) = &mut self.passes
            && self.parameters.way.is_loop()
        {
            place(program, part, self.size)?;
        }
        Ok(())
    }

    /// The results onto a target of the size of the values: one pass, or two through a mask.
    ///
    /// # Errors
    /// As [`Program::run`].
    pub fn draw(&self, target: &Buffer) -> Result<()> {
        match &self.passes {
            Passes::One(program) => program.run(target),
            Passes::Masked(sides) => {
                let Sides { mask, heavy, light, .. } = sides.as_ref();
                mask.only(heavy.onto(&[target])).run()?;
                mask.except(light.onto(&[target])).run()
            }
        }
    }

    /// Draws the mask anew, where there is one, as a program must whose regions change.
    ///
    /// # Errors
    /// As [`Cull::draw`].
    pub fn draw_mask(&self) -> Result<()> {
        match &self.passes {
            Passes::One(_) => Ok(()),
            Passes::Masked(sides) => sides.mask.draw(&sides.open_where_heavy),
        }
    }

    /// The parameters in force.
    pub fn parameters(&self) -> Parameters {
        self.parameters
    }
}

impl Sides {
    fn new(
        gpu: &Gpu,
        values: &Buffer,
        parameters: Parameters,
        mask: fn(&Gpu, u32, u32) -> Result<Cull>,
    ) -> Result<Sides> {
        Ok(Sides {
            light: work(gpu, values, parameters, 2)?,
            heavy: work(gpu, values, parameters, 3)?,
            open_where_heavy: work(gpu, values, parameters, 4)?,
            mask: mask(gpu, values.width(), values.height())?,
        })
    }
}

/// One of the variants that its kernel lists as SIDE.
fn work(gpu: &Gpu, values: &Buffer, parameters: Parameters, side: u32) -> Result<Program> {
    let Parameters { square, trips, .. } = parameters;
    let kernel = kernels::named("flow/regions_work.frag")?;
    let mut program = gpu.load(kernel.define("SIDE", side).define("STEPS", trips))?;
    if side < 4 {
        program.bind_stream("values", values)?.bind_float("line", LINE)?;
    }
    // A side by itself makes no choice.
    if ![2, 3].contains(&side) {
        program.bind_float("squares", 1.0 / square as f32)?;
    }
    Ok(program)
}

fn orbits(gpu: &Gpu, values: &Buffer, trips: u32, exit: u32) -> Result<Program> {
    let kernel = kernels::named("flow/orbit_count.frag")?;
    let mut program = gpu.load(kernel.define("EXIT", exit).define("TRIPS", trips))?;
    place(&mut program, Part::default(), [values.width(), values.height()])?;
    Ok(program)
}

fn place(program: &mut Program, part: Part, [width, height]: [u32; 2]) -> Result<()> {
    let (origin, pitch) = part.plane(width, height);
    program.bind_float("origin", origin)?.bind_float("pitch", pitch)?;
    Ok(())
}
