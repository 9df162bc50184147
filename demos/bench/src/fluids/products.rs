//! The product of a nine-point matrix on (2ʲ + 1)² nodes: packed 2×2, by hand, and in quadrants.

use std::time::Instant;

use anyhow::{Result, ensure};
use quadrille::layout::Quadrants;
use quadrille::linalg::{Algebra, Layered, LayeredNinePoint, NinePoint, Packed2x2};
use quadrille::numeric::Csr;

use super::super::chapter44::problem::Problem;
use super::super::chapter44::table::finished;
use super::super::interleave::{Elapsed, Pair, Work};
use super::super::row::Rows;
use super::super::row::{Bench, Measured, Row};
use super::super::stepping::numbers;
use super::{nodes, size};
use crate::bare::NinePoints;

/// Intervals a side; the paper's figures are for 256, its penalties for 16 and 32.
const INTERVALS: [u32; 6] = [512, 256, 128, 64, 32, 16];

const PACKED: &str = "nine points, packed";
const LAYERED: &str = "nine points, in quadrants";

/// All sizes in one group: small grids are compared with the large one.
pub fn rows(divisor: u32) -> Rows {
    let both = |intervals: u32| {
        let side = nodes(intervals, divisor);
        let remark = (intervals == 256).then_some("GeForce FX 1370/s, Pentium 4 750");
        let fetches = f64::from(side.div_ceil(2)).powi(2) * 18.0;
        let row = |row: Row| Row {
            counted: Some((1.0, "products")),
            also: Some((fetches * 1e-9, "G fetches")),
            remark,
            ..row
        };
        [
            row(Row::new(PACKED, &size(side), move |bench| packed(bench, side))),
            row(Row::new(LAYERED, &size(side), move |bench| in_quadrants(bench, side))),
        ]
    };
    vec![INTERVALS.into_iter().flat_map(both).collect()]
}

/// Nine entries that differ from node to node; those that lead off the grid are left out.
pub struct Nine {
    pub layout: Packed2x2,
    pub entries: Vec<Vec<f32>>,
    pub matrix: Csr,
}

impl Nine {
    pub fn new(side: u32) -> Result<Nine> {
        let layout = Packed2x2::grid(side, side)?;
        let n = layout.len();
        let mut entries: Vec<Vec<f32>> = numbers(9 * n).chunks(n).map(<[f32]>::to_vec).collect();
        let mut triplets = Vec::with_capacity(9 * n);
        for (k, entry) in entries.iter_mut().enumerate() {
            let (dx, dy) = (k as i64 % 3 - 1, k as i64 / 3 - 1);
            for (i, value) in entry.iter_mut().enumerate() {
                let (column, row) = layout.place(i);
                let (x, y) = (i64::from(column) + dx, i64::from(row) + dy);
                let side = i64::from(side);
                if (0..side).contains(&x) && (0..side).contains(&y) {
                    triplets.push((i, (y * side + x) as usize, f64::from(*value)));
                } else {
                    *value = 0.0;
                }
            }
        }
        Ok(Nine { layout, entries, matrix: Csr::from_triplets(n, n, triplets)? })
    }

    pub fn stored(&self, algebra: &Algebra) -> Result<NinePoint> {
        let mut vectors = Vec::new();
        for entry in &self.entries {
            vectors.push(Some(algebra.vector(self.layout, entry)?));
        }
        let Ok(entries) = vectors.try_into() else { anyhow::bail!("nine entries") };
        Ok(NinePoint::new(algebra, self.layout, [false; 2], entries)?)
    }
}

fn packed(bench: &Bench, side: u32) -> Result<Pair> {
    let nine = Nine::new(side)?;
    let algebra = Algebra::new(&bench.gpu);
    let (a, layout) = (nine.stored(&algebra)?, nine.layout);
    let problem = Problem::new(nine.matrix, layout);
    let (width, height) = layout.texels();
    let x = problem.packed_x()?;
    let entries: Vec<Vec<f32>> =
        nine.entries.iter().map(|entry| layout.pack(entry, 0.0)).collect::<quadrille::Result<_>>()?;
    let make = |bare: &_| {
        let entries = std::array::from_fn(|k| entries[k].as_slice());
        NinePoints::product(bare, [width, height], &x, entries)
    };
    problem.pair(bench, &algebra, a, make, |lap| layout.unpack(&lap.texels()))
}

/// The product in quadrants, its border copied each time. Two results take turns.
struct LayeredProduct {
    algebra: Algebra,
    a: LayeredNinePoint,
    x: Layered,
    y: [Layered; 2],
}

impl Work for LayeredProduct {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        for i in 0..times as usize {
            self.a.apply(&self.x, &mut self.y[i % 2])?;
        }
        Ok(finished(&self.algebra, clock))
    }
}

fn in_quadrants(bench: &Bench, side: u32) -> Result<Pair> {
    let nine = Nine::new(side)?;
    let algebra = Algebra::new(&bench.gpu);
    let a = LayeredNinePoint::of(&nine.stored(&algebra)?)?;
    let quadrants: Quadrants = a.quadrants();
    let problem = Problem::new(nine.matrix, nine.layout);
    let x = Layered::of(quadrants, &algebra.vector(nine.layout, &problem.x)?)?;
    let y = [Layered::zeros(&algebra, quadrants)?, Layered::zeros(&algebra, quadrants)?];
    let mut work = LayeredProduct { algebra: algebra.clone(), a, x, y };
    work.run(1)?;
    let mut found = algebra.zeros(nine.layout)?;
    work.y[0].unlayer(&mut found)?;
    problem.check("product in quadrants", &found.get()?)?;
    let before = bench.gpu.counters().passes;
    work.run(1)?;
    ensure!(bench.gpu.counters().passes - before == 6, "a product and five copies");
    Ok(Pair::alone(work))
}

/// How far the two smallest grids stay behind the rate of nodes of 256 intervals.
pub fn penalties(rows: &[Measured]) -> Option<String> {
    let time = |intervals: u32| {
        let found = rows.iter().find(|m| m.row.name == PACKED && m.row.size == size(intervals + 1));
        found.map(|measured| {
            let figure = measured.timing.gpu.unwrap_or(measured.timing.wall);
            (figure.library, f64::from(intervals + 1).powi(2))
        })
    };
    let (large, nodes) = time(256)?;
    let penalty =
        |intervals| time(intervals).map(|(small, few)| 100.0 * (1.0 - (few / small) / (nodes / large)));
    Some(format!(
        "A product of 33x33 nodes has {:.0}% fewer nodes a second than one of 257x257, 17x17 {:.0}% (GeForce FX: 29% and 50%).",
        penalty(32)?,
        penalty(16)?
    ))
}
