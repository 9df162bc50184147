//! A choice between two amounts of work, taken in squares of a chequerboard, and a loop that ends early.

use anyhow::{Result, ensure};
use quadrille::sim::Branches;
use quadrille::sim::branches::{BOUND, Branching, Parameters};
use quadrille::{Buffer, Gpu};

use super::super::super::interleave::Pair;
use super::super::super::row::Rows;
use super::super::super::row::{Bench, Row};
use super::super::super::stepping::{check, numbers};
use super::Drawing;

const GRID: u32 = 1024;
const SQUARES: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
/// 200 operations against 2, and 4 against 2.
const HEAVY: u32 = 100;
const LIGHT: u32 = 2;

/// The treatment of the mask.
#[derive(Clone, Copy, PartialEq)]
enum Mask {
    Kept,
    Anew,
}

pub fn rows(divisor: u32) -> Rows {
    let mut rows: Rows = SQUARES.iter().map(|&square| heavy(divisor, square)).collect();
    let light = |square| row(divisor, "light branch", LIGHT, square, (Branching::Arithmetic, Mask::Kept));
    rows.push([1, 8, 64].map(light).into());
    let exit = Row::new("loop, early exit", "512x512, at most 256 trips", move |bench| exits(bench, divisor));
    rows.push(vec![Row { remark: Some("bare: all trips"), ..exit }]);
    rows
}

fn heavy(divisor: u32, square: u32) -> Vec<Row> {
    let mut ways = [Branching::Arithmetic, Branching::ZCull, Branching::StencilCull]
        .map(|way| (way, Mask::Kept))
        .to_vec();
    if square == 32 {
        ways.push((Branching::ZCull, Mask::Anew));
    }
    ways.into_iter().map(|way| row(divisor, "heavy branch", HEAVY, square, way)).collect()
}

fn row(divisor: u32, what: &str, trips: u32, square: u32, (way, mask): (Branching, Mask)) -> Row {
    let by = match mask {
        Mask::Kept => way.name().to_owned(),
        Mask::Anew => format!("{}, mask drawn each time", way.name()),
    };
    let size = format!("{GRID}x{GRID}, squares of {square}x{square}");
    let build = move |bench: &Bench| {
        let drawing =
            |way, mask| drawing(&bench.gpu, GRID / divisor, Parameters { way, square, trips }, mask);
        Ok(Pair::new(drawing(way, mask)?, drawing(Branching::Branch, Mask::Kept)?))
    };
    Row { remark: Some("bare: a branch"), ..Row::new(&format!("{what} by {by}"), &size, build) }
}

/// Checked against f64 once.
fn drawing(gpu: &Gpu, side: u32, parameters: Parameters, mask: Mask) -> Result<Drawing<Draw>> {
    let x = numbers((side * side) as usize);
    let branches = Branches::new(gpu, &gpu.buffer(side, side).init(&x)?, parameters)?;
    let expected: Vec<f64> =
        quadrille_oracle::branches::results(branches.parameters(), &x, side).into_iter().flatten().collect();
    let draw: Draw = Box::new(move |target| {
        if mask == Mask::Anew {
            branches.draw_mask()?;
        }
        branches.draw(target)
    });
    let mut drawing = Drawing::new(gpu, side, draw)?;
    check("a choice", &drawing.drawn()?, expected.into_iter(), BOUND)?;
    Ok(drawing)
}

type Draw = Box<dyn FnMut(&Buffer) -> quadrille::Result<()>>;

/// Orbits of z² + c around the set that they never leave.
fn exits(bench: &Bench, divisor: u32) -> Result<Pair> {
    let (gpu, side) = (&bench.gpu, 512 / divisor);
    let values = gpu.buffer(side, side).build()?;
    let orbits = |way: Branching| -> Result<_> {
        let orbits = Branches::new(gpu, &values, Parameters { way, square: 1, trips: 256 })?;
        Ok(Drawing::new(gpu, side, move |target: &Buffer| orbits.draw(target))?)
    };
    let (mut early, mut whole) = (orbits(Branching::EarlyExit)?, orbits(Branching::AllTrips)?);
    ensure!(early.drawn()? == whole.drawn()?, "a loop that ends early counts otherwise");
    Ok(Pair::new(early, whole))
}
