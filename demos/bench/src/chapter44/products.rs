//! Matrix–vector products, in each storage.

use anyhow::Result;
use quadrille::linalg::{Algebra, Banded, BoundaryCondition, Dense, Packed2x2, Points, Stencil};
use quadrille::numeric::Csr;
use quadrille_oracle::matrices;

use super::super::cpu::{Diagonals, Full, Sparse};
use super::super::interleave::Pair;
use super::super::row::{Bench, Row};
use super::problem::Problem;
use crate::bare::{DenseProduct, FiveDiagonal, Scatter};

const SIDES: [u32; 2] = [1024, 512];

/// Where the neighbours of a cell lie, the cell itself first: as the bare loop takes its diagonals.
const FIVE_POINTS: [(i64, i64); 5] = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)];

pub fn rows(divisor: u32) -> Vec<Row> {
    let mut rows = Vec::new();
    for side in SIDES {
        let size = format!("{side}x{side} unknowns");
        let side = side / divisor;
        rows.push(Row::new("banded product, 5 diagonals", &size, move |bench| banded(bench, side)));
        rows.push(Row::new("stencil product, 5 points", &size, move |bench| stencil(bench, side)));
        rows.push(Row::new("points product, 5 diagonals", &size, move |bench| points(bench, poisson(side)?)));
    }
    let side = 512 / divisor;
    let build = move |bench: &Bench| points(bench, scattered(side)?);
    rows.push(Row::new("points product, 8 anywhere in a row", "512x512 unknowns", build));
    for n in [1024, 2048] {
        let build = move |bench: &Bench| dense(bench, n / divisor);
        rows.push(Row::new("dense product", &format!("{n} unknowns"), build));
    }
    rows
}

/// The five-point matrix on a grid of that side.
fn poisson(side: u32) -> Result<Problem> {
    let layout = Packed2x2::grid(side, side)?;
    Ok(Problem::new(Csr::poisson(side as usize, side as usize)?, layout))
}

/// How far from the main diagonal the five lie on a grid of that side.
pub fn offsets(side: u32) -> [isize; 5] {
    FIVE_POINTS.map(|(dx, dy)| dx as isize + dy as isize * side as isize)
}

/// The five-point matrix without a matrix.
pub fn poisson_stencil(algebra: &Algebra, layout: Packed2x2) -> quadrille::Result<Stencil> {
    let points = FIVE_POINTS.map(|point| (point, if point == (0, 0) { 4.0 } else { -1.0 }));
    Stencil::new(algebra, layout, BoundaryCondition::Dirichlet, &points)
}

fn banded(bench: &Bench, side: u32) -> Result<Pair> {
    let problem = poisson(side)?;
    let layout = problem.layout;
    let algebra = Algebra::new(&bench.gpu);
    let operator = Banded::new(&algebra, layout, problem.matrix.clone())?;
    let x = problem.packed_x()?;
    let mut diagonals = Vec::new();
    for offset in offsets(side) {
        let mut diagonal = vec![0.0; layout.len()];
        for (row, column, value) in problem.matrix.triplets() {
            if column as isize - row as isize == offset {
                diagonal[row] = value as f32;
            }
        }
        diagonals.push(layout.pack(&diagonal, 0.0)?);
    }
    let (width, height) = layout.texels();
    let pair = problem.pair(
        bench,
        &algebra,
        operator,
        |bare| {
            let diagonals = std::array::from_fn(|i| diagonals[i].as_slice());
            FiveDiagonal::banded(bare, width, height, &x, diagonals)
        },
        |lap| layout.unpack(&lap.texels()),
    )?;
    beside(&problem, pair, side)
}

fn stencil(bench: &Bench, side: u32) -> Result<Pair> {
    let problem = poisson(side)?;
    let layout = problem.layout;
    let algebra = Algebra::new(&bench.gpu);
    let operator = poisson_stencil(&algebra, layout)?;
    let x = problem.packed_x()?;
    let (width, height) = layout.texels();
    let pair = problem.pair(
        bench,
        &algebra,
        operator,
        |bare| FiveDiagonal::stencil(bare, width, height, &x, [4.0, -1.0]),
        |lap| layout.unpack(&lap.texels()),
    )?;
    beside(&problem, pair, side)
}

/// Eight entries a row, anywhere.
fn scattered(side: u32) -> Result<Problem> {
    let layout = Packed2x2::grid(side, side)?;
    Ok(Problem::new(matrices::random(layout.len(), layout.len(), 8, 8, 1)?, layout))
}

fn points(bench: &Bench, problem: Problem) -> Result<Pair> {
    let layout = problem.layout;
    let algebra = Algebra::new(&bench.gpu);
    let operator = Points::new(&algebra, layout, layout, problem.matrix.clone())?;
    let x = problem.packed_x()?;
    let (width, height) = layout.texels();
    let row = |row| problem.matrix.row(row).map(|(column, value)| (column, value as f32));
    let pair = problem.pair(
        bench,
        &algebra,
        operator,
        |bare| Scatter::new(bare, width, height, &x, (0..problem.matrix.rows()).map(row)),
        |lap| layout.unpack(&lap.texels()),
    )?;
    problem.on_the_cpu(pair, "sprs", || Sparse::new(&problem.matrix))
}

fn dense(bench: &Bench, n: u32) -> Result<Pair> {
    let side = n as usize;
    let layout = Packed2x2::folded(side)?;
    let problem = Problem::new(matrices::random(side, side, side, side, 1)?, layout);
    let algebra = Algebra::new(&bench.gpu);
    let operator = Dense::from_csr(&algebra, layout, layout, &problem.matrix)?;
    let values: Vec<f32> = problem.matrix.triplets().map(|(.., value)| value as f32).collect();
    let pair = problem.pair(
        bench,
        &algebra,
        operator,
        |bare| DenseProduct::new(bare, n, &values, &problem.x),
        |lap| lap.texels(),
    )?;
    problem.on_the_cpu(pair, "loop", || Ok(Full { columns: side, values: values.clone() }))
}

/// By sprs, and by the diagonals in a loop.
fn beside(problem: &Problem, pair: Pair, side: u32) -> Result<Pair> {
    let pair = problem.on_the_cpu(pair, "sprs", || Sparse::new(&problem.matrix))?;
    problem.on_the_cpu(pair, "diagonals", || Ok(Diagonals::new(&problem.matrix, &offsets(side))))
}
