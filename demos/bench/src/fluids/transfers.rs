//! Transfers between levels and between layouts: prolongation and restriction of 257² and 129² nodes, layering and
//! un-layering.

use std::time::Instant;

use anyhow::{Result, ensure};
use quadrille::layout::Quadrants;
use quadrille::linalg::{Algebra, Layered, LinearOperator, Packed2x2, Vector};
use quadrille::solve::{Cycle, Missing, Multigrid};

use super::super::chapter44::table::finished;
use super::super::interleave::{Elapsed, Pair, Work};
use super::super::row::Rows;
use super::super::row::{Bench, Row};
use super::super::stepping::numbers;
use super::{cycles, nodes, size};

const INTERVALS: u32 = 256;

#[derive(Clone, Copy)]
enum Move {
    Prolong,
    Restrict,
    Layer,
    Unlayer,
}

/// One group.
pub fn rows(divisor: u32) -> Rows {
    let side = nodes(INTERVALS, divisor);
    let row = |(name, way, remark)| {
        let build = move |bench: &Bench| match way {
            Move::Prolong | Move::Restrict => between_levels(bench, side, way),
            Move::Layer | Move::Unlayer => between_layouts(bench, side, way),
        };
        Row { counted: Some((1.0, "times")), remark, ..Row::new(name, &size(side), build) }
    };
    let all = [
        ("prolongation", Move::Prolong, Some("GeForce FX 4800/s")),
        ("restriction", Move::Restrict, Some("GeForce FX 6000/s")),
        ("layering", Move::Layer, None),
        ("un-layering", Move::Unlayer, None),
    ];
    vec![all.map(row).into()]
}

/// Vectors of two levels and the way between them.
struct Levels {
    multigrid: Multigrid,
    way: Move,
    fine: Vector,
    coarse: Vector,
    out: [Vector; 2],
}

impl Work for Levels {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        for i in 0..times as usize {
            self.out[i % 2] = match self.way {
                Move::Prolong => self.multigrid.prolong(0, &self.coarse)?,
                _ => self.multigrid.restrict(0, &self.fine)?,
            };
        }
        Ok(finished(self.fine.algebra(), clock))
    }
}

fn between_levels(bench: &Bench, side: u32, way: Move) -> Result<Pair> {
    let algebra = Algebra::new(&bench.gpu);
    let multigrid = Multigrid::new(&cycles::poisson(&algebra, side)?, Missing::Fixed, Cycle::default())?;
    let mut layouts = multigrid.matrices().map(|a| a.rows());
    let (Some(fine), Some(coarse)) = (layouts.next(), layouts.next()) else {
        anyhow::bail!("{} have one level", size(side));
    };
    drop(layouts);
    let to = if matches!(way, Move::Prolong) { fine } else { coarse };
    let vector = |layout: Packed2x2| algebra.vector(layout, &vec![1.0; layout.len()]);
    let (fine, coarse) = (vector(fine)?, vector(coarse)?);
    let out = [algebra.zeros(to)?, algebra.zeros(to)?];
    let mut work = Levels { multigrid, way, fine, coarse, out };
    work.run(1)?;
    let middle = work.out[0].get()?[to.len() / 2];
    ensure!(middle == 1.0, "between levels: ones become {middle}");
    Ok(Pair::alone(work))
}

/// The same vector in both layouts.
struct Layouts {
    way: Move,
    packed: [Vector; 2],
    layered: [Layered; 2],
}

impl Work for Layouts {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        for i in 0..times as usize {
            match self.way {
                Move::Layer => self.layered[i % 2].layer(&self.packed[0])?,
                _ => self.layered[0].unlayer(&mut self.packed[i % 2])?,
            }
        }
        Ok(finished(self.packed[0].algebra(), clock))
    }
}

fn between_layouts(bench: &Bench, side: u32, way: Move) -> Result<Pair> {
    let algebra = Algebra::new(&bench.gpu);
    let layout = Packed2x2::grid(side, side)?;
    let quadrants = Quadrants::new(layout, [false; 2])?;
    let values = numbers(layout.len());
    let packed = [algebra.vector(layout, &values)?, algebra.vector(layout, &values)?];
    let layered = [Layered::of(quadrants, &packed[0])?, Layered::of(quadrants, &packed[0])?];
    let mut work = Layouts { way, packed, layered };
    work.run(2)?;
    ensure!(work.packed[1].get()? == values, "un-layering gives back other values");
    Ok(Pair::alone(work))
}
