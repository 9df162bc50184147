//! A choice between two amounts of work, taken in squares of a chequerboard, and a loop that ends early.

use anyhow::{Result, ensure};
use quadrille::gl::Kernel;
use quadrille::pug::Cull;
use quadrille::{Buffer, Gpu, Program, kernels};

use super::super::super::interleave::{Pair, Work};
use super::super::super::row::{Bench, Row};
use super::super::super::stepping::{check, numbers};
use super::super::super::suite::Rows;
use super::Drawing;

const GRID: u32 = 1024;
const SQUARES: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
/// x → m x + c, two operations.
const LINE: [f32; 2] = [0.9, 0.25];
/// 200 operations against 2, and 4 against 2.
const HEAVY: u32 = 100;
const LIGHT: u32 = 2;

/// The ways to choose.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Branch = 0,
    Arithmetic = 1,
    ZCull,
    StencilCull,
    /// The mask is drawn each time.
    ZCullAnew,
}

pub fn rows(divisor: u32) -> Rows {
    let mut rows: Rows = SQUARES.iter().map(|&square| heavy(divisor, square)).collect();
    rows.push([1, 8, 64].map(|square| row(divisor, "light branch", LIGHT, square, Way::Arithmetic)).into());
    let exit = Row::new("loop, early exit", "512x512, at most 256 trips", move |bench| exits(bench, divisor));
    rows.push(vec![Row { remark: Some("bare: all trips"), ..exit }]);
    rows
}

fn heavy(divisor: u32, square: u32) -> Vec<Row> {
    let ways: &[Way] = match square {
        32 => &[Way::Arithmetic, Way::ZCull, Way::StencilCull, Way::ZCullAnew],
        _ => &[Way::Arithmetic, Way::ZCull, Way::StencilCull],
    };
    ways.iter().map(|&way| row(divisor, "heavy branch", HEAVY, square, way)).collect()
}

fn row(divisor: u32, what: &str, steps: u32, square: u32, way: Way) -> Row {
    let by = match way {
        Way::Branch => "a branch",
        Way::Arithmetic => "arithmetic",
        Way::ZCull => "z-cull",
        Way::StencilCull => "stencil-cull",
        Way::ZCullAnew => "z-cull, mask drawn each time",
    };
    let size = format!("{GRID}x{GRID}, squares of {square}x{square}");
    let build = move |bench: &Bench| {
        let problem = Problem::new(&bench.gpu, GRID / divisor, steps, square)?;
        Ok(Pair::of(problem.work(way)?, *problem.drawing(Way::Branch)?))
    };
    Row { remark: Some("bare: a branch"), ..Row::new(&format!("{what} by {by}"), &size, build) }
}

/// The texels of a grid, half of them in heavy squares.
struct Problem {
    gpu: Gpu,
    x: Vec<f32>,
    values: Buffer,
    steps: u32,
    square: u32,
}

type Draw = Box<dyn FnMut(&Buffer) -> quadrille::Result<()>>;

impl Problem {
    fn new(gpu: &Gpu, side: u32, steps: u32, square: u32) -> Result<Problem> {
        let x = numbers((side * side) as usize);
        let values = gpu.buffer(side, side).init(&x)?;
        Ok(Problem { gpu: gpu.clone(), x, values, steps, square })
    }

    fn work(&self, way: Way) -> Result<Box<dyn Work>> {
        Ok(self.drawing(way)?)
    }

    /// Checked against f64 once.
    fn drawing(&self, way: Way) -> Result<Box<Drawing<Draw>>> {
        let draw = match way {
            Way::Branch | Way::Arithmetic => self.one_pass(way as u32)?,
            Way::ZCull | Way::ZCullAnew => self.culled(Cull::depth, way == Way::ZCullAnew)?,
            Way::StencilCull => self.culled(Cull::stencil, false)?,
        };
        let mut drawing = Drawing::new(&self.gpu, self.values.width(), draw)?;
        // Two roundings a step of numbers below 4, which each later step shrinks by 0.9: ten steps' worth.
        let bound = 10.0 * 2.0 * f64::from(f32::EPSILON);
        let expected = (0..self.x.len()).map(|i| self.expected(i));
        check("a choice", &drawing.drawn()?, expected, bound)?;
        Ok(Box::new(drawing))
    }

    fn expected(&self, i: usize) -> f64 {
        let (column, row) = (i as u32 % self.values.width(), i as u32 / self.values.width());
        let steps = if (column / self.square + row / self.square) % 2 == 1 { self.steps } else { 1 };
        let [m, c] = LINE.map(f64::from);
        (0..steps).fold(f64::from(self.x[i]), |x, _| m * x + c)
    }

    fn program(&self, side: u32) -> Result<Program> {
        let mut program = self.gpu.load(self.kernel(side)?)?;
        program.bind_stream("values", &self.values)?.bind_float("line", LINE)?;
        Ok(program)
    }

    fn kernel(&self, side: u32) -> Result<Kernel> {
        Ok(kernels::named("flow/regions_work.frag")?.define("SIDE", side).define("STEPS", self.steps))
    }

    fn one_pass(&self, side: u32) -> Result<Draw> {
        let mut program = self.program(side)?;
        program.bind_float("squares", 1.0 / self.square as f32)?;
        Ok(Box::new(move |target| program.run(target)))
    }

    /// Two passes, each through its side of the mask.
    fn culled(&self, mask: fn(&Gpu, u32, u32) -> quadrille::Result<Cull>, each_time: bool) -> Result<Draw> {
        let (light, heavy) = (self.program(2)?, self.program(3)?);
        let mut open_where_heavy = self.gpu.load(self.kernel(4)?)?;
        open_where_heavy.bind_float("squares", 1.0 / self.square as f32)?;
        let mask = mask(&self.gpu, self.values.width(), self.values.height())?;
        mask.draw(&open_where_heavy)?;
        Ok(Box::new(move |target| {
            if each_time {
                mask.draw(&open_where_heavy)?;
            }
            mask.only(heavy.onto(&[target])).run()?;
            mask.except(light.onto(&[target])).run()
        }))
    }
}

/// Orbits of z² + c around the set that they never leave.
fn exits(bench: &Bench, divisor: u32) -> Result<Pair> {
    let (gpu, side) = (&bench.gpu, 512 / divisor);
    let orbits = |exit: u32| -> Result<_> {
        let kernel = kernels::named("flow/orbit_count.frag")?.define("EXIT", exit).define("TRIPS", 256);
        let mut program = gpu.load(kernel)?;
        program.bind_float("origin", [-2.0, -1.25])?.bind_float("pitch", 2.5 / side as f32)?;
        Ok(Drawing::new(gpu, side, move |target: &Buffer| program.run(target))?)
    };
    let (mut early, mut whole) = (orbits(1)?, orbits(0)?);
    ensure!(early.drawn()? == whole.drawn()?, "a loop that ends early counts otherwise");
    Ok(Pair::new(early, whole))
}
