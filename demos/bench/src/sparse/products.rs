//! The same products in every storage that fits, beside a loop written by hand and sprs on the CPU.

use std::cell::OnceCell;
use std::rc::Rc;

use anyhow::Result;
use quadrille::linalg::{Algebra, Banded, Costs, Dense, Gather, Points};

use super::super::chapter44::problem::Problem;
use super::super::cpu::Sparse;
use super::super::interleave::Pair;
use super::super::row::Rows;
use super::super::row::{Bench, Row};
use super::samples::{Kind, Sample};
use super::segments;
use crate::bare::{FiveDiagonal, Gathering, Scatter};

#[derive(Clone, Copy, PartialEq)]
pub enum Storage {
    Banded,
    Gather,
    /// The elements fetched out of the packed x, however many there are.
    GatherPacked,
    /// The paper's own: where a row starts, and its entries side by side.
    Segments,
    Points,
    Dense,
}

impl Storage {
    fn name(self) -> &'static str {
        match self {
            Storage::Banded => "banded",
            Storage::Gather => "gather",
            Storage::GatherPacked => "gather, x packed",
            Storage::Segments => "segments and row starts",
            Storage::Points => "points",
            Storage::Dense => "dense",
        }
    }
}

/// A group for each matrix: its storages take turns.
pub fn rows(divisor: u32) -> Rows {
    use Storage::{Banded, Dense, Gather, GatherPacked, Points, Segments};
    let side = 1024 / divisor;
    let sample = |kind| Sample::of(kind, side, side);
    vec![
        group(sample(Kind::Grid), &[Banded, Gather, Points]),
        group(sample(Kind::Offsets), &[Banded, Gather, GatherPacked, Points]),
        group(sample(Kind::Random), &[Gather, GatherPacked, Segments, Points]),
        group(sample(Kind::PowerLaw), &[Gather, Points]),
        group(Sample::of(Kind::PowerLaw, 64 / divisor, 64 / divisor), &[Gather, Points, Dense]),
    ]
}

/// A row for each storage; they share the matrix, which the first of them makes.
pub fn group(sample: Sample, storages: &[Storage]) -> Vec<Row> {
    let problem: Rc<OnceCell<Problem>> = Rc::default();
    let n = sample.width * sample.height;
    let row = |&storage: &Storage| {
        let problem = problem.clone();
        let build = move |bench: &Bench| {
            if problem.get().is_none() {
                let _ = problem.set(Problem::new(sample.matrix()?, sample.layout()?));
            }
            match problem.get() {
                Some(problem) => product(bench, &sample, problem, storage),
                None => anyhow::bail!("no matrix"),
            }
        };
        let name = format!("{}, {}", sample.name(), storage.name());
        let row = Row::new(&name, &format!("{n} rows"), build);
        let remark = Some(match sample.kind {
            _ if storage == Storage::Segments => "one row a fragment, x and y with one element a texel",
            Kind::Grid => "bare: five diagonals",
            Kind::PowerLaw => "bare: points",
            Kind::Offsets | Kind::Random | Kind::Mesh | Kind::UnevenMesh => "bare: gather",
        });
        Row { counted: Some((sample.entries() as f64, "non-zeros")), remark, ..row }
    };
    storages.iter().map(row).collect()
}

fn product(bench: &Bench, sample: &Sample, problem: &Problem, storage: Storage) -> Result<Pair> {
    let algebra = Algebra::new(&bench.gpu);
    let (layout, matrix) = (problem.layout, || problem.matrix.clone());
    match storage {
        Storage::Banded => {
            by_hand(bench, &algebra, sample, problem, Banded::new(&algebra, layout, matrix())?)
        }
        Storage::Points => {
            by_hand(bench, &algebra, sample, problem, Points::new(&algebra, layout, layout, matrix())?)
        }
        Storage::Segments => segments::product(bench, problem),
        Storage::Dense => {
            let dense = Dense::from_csr(&algebra, layout, layout, &problem.matrix)?;
            by_hand(bench, &algebra, sample, problem, dense)
        }
        Storage::GatherPacked => {
            let costs = Costs { packed: 0.0, ..Costs::default() };
            let gather = Gather::by_costs(&algebra, layout, layout, matrix(), &costs)?;
            by_hand(bench, &algebra, sample, problem, gather)
        }
        Storage::Gather => {
            let gather = Gather::new(&algebra, layout, layout, matrix())?;
            let pair = by_hand(bench, &algebra, sample, problem, gather)?;
            problem.on_the_cpu(pair, "sprs", || Sparse::new(&problem.matrix))
        }
    }
}

/// Beside the loop that somebody would write for this matrix alone: diagonals of a grid, points for rows of very
/// different lengths, and a gather with as many slots as the longest row for all others.
fn by_hand(
    bench: &Bench,
    algebra: &Algebra,
    sample: &Sample,
    problem: &Problem,
    operator: impl quadrille::linalg::LinearOperator + 'static,
) -> Result<Pair> {
    let layout = problem.layout;
    let (x, (width, height)) = (problem.packed_x()?, layout.texels());
    let row = |row| problem.matrix.row(row).map(|(column, value)| (column, value as f32));
    let rows = (0..problem.matrix.rows()).map(row);
    match sample.kind {
        Kind::Grid => {
            let mut diagonals = Vec::new();
            for offset in sample.offsets() {
                let mut diagonal = vec![0.0; layout.len()];
                for (row, column, value) in problem.matrix.triplets() {
                    if column as isize - row as isize == offset {
                        diagonal[row] = value as f32;
                    }
                }
                diagonals.push(layout.pack(&diagonal, 0.0)?);
            }
            let diagonals: Vec<&[f32]> = diagonals.iter().map(Vec::as_slice).collect();
            let make = |bare: &_| {
                FiveDiagonal::banded(bare, width, height, &x, std::array::from_fn(|i| diagonals[i]))
            };
            problem.pair(bench, algebra, operator, make, |lap| layout.unpack(&lap.texels()))
        }
        Kind::PowerLaw => {
            let make = |bare: &_| Scatter::new(bare, width, height, &x, rows);
            problem.pair(bench, algebra, operator, make, |lap| layout.unpack(&lap.texels()))
        }
        Kind::Offsets | Kind::Random | Kind::Mesh | Kind::UnevenMesh => {
            let longest = (0..problem.matrix.rows()).map(|row| problem.matrix.row(row).count()).max();
            let longest = longest.unwrap_or(0) as u32;
            let make = |bare: &_| Gathering::new(bare, (width, height), longest, &x, rows);
            problem.pair(bench, algebra, operator, make, |lap| layout.unpack(&lap.texels()))
        }
    }
}
