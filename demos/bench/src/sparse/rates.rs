//! The rates of Bolz et al. on a GeForce FX: products, conjugate gradients and sums on a mesh, products on
//! a grid.

use std::time::Instant;

use anyhow::Result;
use quadrille::linalg::{Algebra, Banded, Gather, Packed2x2, Scalar, Vector};
use quadrille::numeric::Csr;
use quadrille::solve::FusedCg;
use quadrille_oracle as oracle;

use super::super::chapter44::gradients::Loop;
use super::super::chapter44::problem::Problem;
use super::super::chapter44::table::finished;
use super::super::cpu::{Gradients, Sparse, Threads};
use super::super::interleave::{Elapsed, Pair, Work};
use super::super::row::Rows;
use super::super::row::{Bench, Row};
use super::super::stepping::{check, numbers};
use super::products::{Storage, group};
use super::samples::{Kind, Sample};

/// The paper's mesh has 37 000 vertices; it does not say in which order, nor how many neighbours they have.
fn mesh(kind: Kind, divisor: u32) -> Sample {
    Sample::of(kind, 192 / divisor, 192 / divisor)
}

pub fn rows(divisor: u32) -> Rows {
    let side = 200 / divisor;
    let sum = Row::new("vector sum", &format!("{side}x{side} values"), move |bench| sum(bench, side));
    let nodes = 256 / divisor + 1;
    let grid = Row::new("nine diagonals", &format!("{nodes}x{nodes} nodes"), move |bench| nine(bench, nodes));
    let mut groups = of_mesh(mesh(Kind::Mesh, divisor));
    groups.extend(of_mesh(mesh(Kind::UnevenMesh, divisor)));
    groups.push(vec![said(sum, "sums", "GeForce FX 3400/s")]);
    groups.push(vec![said(grid, "products", "GeForce FX 1370/s, Pentium 4 750")]);
    groups
}

fn said(row: Row, what: &'static str, paper: &'static str) -> Row {
    Row { counted: Some((1.0, what)), remark: Some(paper), ..row }
}

fn of_mesh(sample: Sample) -> Rows {
    let (name, vertices) = (sample.name(), sample.width * sample.height);
    let cg = format!("{name}, CG loop");
    let cg = Row::new(&cg, &format!("{vertices} rows"), move |bench| gradients(bench, sample));
    let mut products = group(sample, &[Storage::Gather, Storage::Segments, Storage::Points]);
    for row in products.iter_mut().filter(|row| !row.name.contains("segments")) {
        row.remark = Some("bare: gather; GeForce FX 120 products/s at 37k vertices, Pentium 4 75");
    }
    vec![products, vec![said(cg, "iterations", "GeForce FX 110/s at 37k vertices")]]
}

/// Steps that are checked.
const STEPS: usize = 3;

fn gradients(bench: &Bench, sample: Sample) -> Result<Pair> {
    let (matrix, layout) = (sample.matrix()?, sample.layout()?);
    let b = numbers(layout.len());
    let algebra = Algebra::new(&bench.gpu);
    let a = Box::new(Gather::new(&algebra, layout, layout, matrix.clone())?);
    let method = Box::new(FusedCg::new(&algebra, layout, None)?);
    let mut library = Loop { a, b: algebra.vector(layout, &b)?, x: algebra.zeros(layout)?, method };
    library.run(STEPS as u32)?;
    let wide: Vec<f64> = b.iter().map(|&b| f64::from(b)).collect();
    let expected = oracle::cg(&matrix, &wide, None, 0.0, STEPS).x;
    let largest = expected.iter().fold(0.0f64, |most, value| value.abs().max(most));
    // As in the chapter's own rows: some 50 roundings in each of α and β, and a step takes over what the last one erred.
    let bound = 2f64.powi(STEPS as i32) * 100.0 * 2f64.powi(-24) * largest;
    check("conjugate gradients", &library.x.get()?, expected.iter().copied(), bound)?;
    let mut pair = Pair::alone(library).at_least(32);
    for threads in Threads::BOTH {
        let mut sparse = Gradients::new(Sparse::new(&matrix)?, threads, &b);
        (0..STEPS).for_each(|_| sparse.step());
        check("conjugate gradients on the CPU", &sparse.x, expected.iter().copied(), bound)?;
        pair = pair.beside(threads.name("sprs"), sparse);
    }
    Ok(pair)
}

struct Summing {
    x: Vector,
    sum: Scalar,
}

impl Work for Summing {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        (0..times).try_for_each(|_| self.x.sum(&mut self.sum))?;
        Ok(finished(self.x.algebra(), clock))
    }
}

fn sum(bench: &Bench, side: u32) -> Result<Pair> {
    let layout = Packed2x2::grid(side, side)?;
    let values = numbers(layout.len());
    let algebra = Algebra::new(&bench.gpu);
    let mut library = Summing { x: algebra.vector(layout, &values)?, sum: algebra.scalar(0.0)? };
    library.run(1)?;
    let exact: f64 = values.iter().map(|&value| f64::from(value)).sum();
    let size: f64 = values.iter().map(|&value| f64::from(value.abs())).sum();
    let depth = f64::from(values.len().next_power_of_two().ilog2() + 2);
    check("vector sum", &[library.sum.get()?], [exact].into_iter(), depth * 2f64.powi(-24) * size)?;
    Ok(Pair::alone(library))
}

/// A matrix of nine points that differ from node to node, on (2ʲ + 1)² nodes.
fn nine(bench: &Bench, side: u32) -> Result<Pair> {
    let layout = Packed2x2::grid(side, side)?;
    let around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)));
    let diagonal = |k: usize| numbers((k + 1) * layout.len()).split_off(k * layout.len());
    let diagonals: Vec<((i64, i64), Vec<f64>)> = around
        .enumerate()
        .map(|(k, point)| (point, diagonal(k).into_iter().map(f64::from).collect()))
        .collect();
    let algebra = Algebra::new(&bench.gpu);
    let banded = Banded::on_grid(&algebra, layout, &diagonals)?;
    let matrix: Csr = banded.matrix()?.clone();
    let problem = Problem::new(matrix, layout);
    let pair = problem.alone(&algebra, banded)?;
    problem.on_the_cpu(pair, "sprs", || Sparse::new(&problem.matrix))
}
