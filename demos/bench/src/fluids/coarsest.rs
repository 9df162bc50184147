//! Where the coarsest level begins: a V-cycle whose levels end at 5², 9², 17² or 33² nodes, solved there by their inverse. A
//! larger inverse saves passes and costs fetches, and time of the CPU whenever the levels are made.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use quadrille::linalg::{Algebra, LinearOperator, Vector};
use quadrille::solve::{Coarsest, Cycle, Missing, Multigrid};

use super::super::chapter44::table::finished;
use super::super::interleave::{Elapsed, Pair, Work};
use super::super::row::Rows;
use super::super::row::{Bench, Measured, Row};
use super::super::stepping::numbers;
use super::{cycles, nodes, size};

const INTERVALS: u32 = 512;

/// Sides of the coarsest level; 9 is that of the default.
const SIDES: [u32; 4] = [5, 9, 17, 33];

const NAME: &str = "inverse on the coarsest level, V(2,2)";

/// One group: the cycles take turns.
pub fn rows(divisor: u32) -> Rows {
    let side = nodes(INTERVALS, divisor);
    let row = |coarsest: u32| Row {
        counted: Some((1.0, "cycles")),
        remark: (cycles::COARSEST == coarsest).then_some("the default"),
        ..Row::new(NAME, &of(side, coarsest), move |bench| cycling(bench, side, coarsest))
    };
    vec![SIDES.into_iter().filter(|&coarsest| coarsest < side).map(row).collect()]
}

/// "513x513 nodes, 81 inverted".
fn of(side: u32, coarsest: u32) -> String {
    format!("{}, {} inverted", size(side), coarsest * coarsest)
}

struct Cycling {
    multigrid: Multigrid,
    b: Vector,
    x: Vector,
    passes: u64,
    made: Duration,
}

impl Work for Cycling {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        (0..times).try_for_each(|_| self.multigrid.cycle(&self.b, &mut self.x))?;
        Ok(finished(self.x.algebra(), clock))
    }

    fn said(&self) -> Option<String> {
        Some(format!("{} passes; levels made in {:.1} ms", self.passes, self.made.as_secs_f64() * 1e3))
    }
}

fn cycling(bench: &Bench, side: u32, coarsest: u32) -> Result<Pair> {
    let algebra = Algebra::new(&bench.gpu);
    let a = cycles::poisson(&algebra, side)?;
    let direct = Coarsest::Direct { nodes: (coarsest * coarsest) as usize };
    let mut multigrid = Multigrid::with(&a, Missing::Fixed, Cycle::default(), direct)?;
    let last = multigrid.matrices().last().map(|a| a.rows().len());
    ensure!(last == Some((coarsest * coarsest) as usize), "the coarsest level has {last:?} nodes");
    cycles::check(&a, &multigrid)?;
    let made = making(bench, || multigrid.rebuild(&a))?;
    let layout = a.rows();
    let (b, x) = (algebra.vector(layout, &numbers(layout.len()))?, algebra.zeros(layout)?);
    let mut cycling = Cycling { multigrid, b, x, passes: 0, made };
    let before = bench.gpu.counters().passes;
    cycling.run(1)?;
    cycling.passes = bench.gpu.counters().passes - before;
    Ok(Pair::alone(cycling))
}

/// The least time of three, the programs being there already.
fn making(bench: &Bench, mut make: impl FnMut() -> quadrille::Result<()>) -> Result<Duration> {
    let mut least = Duration::MAX;
    for _ in 0..3 {
        bench.gpu.finish();
        let clock = Instant::now();
        make()?;
        bench.gpu.finish();
        least = least.min(clock.elapsed());
    }
    Ok(least)
}

/// Which of them is the quickest.
pub fn best(rows: &[Measured]) -> Option<String> {
    let rows: Vec<&Measured> = rows.iter().filter(|measured| measured.row.name == NAME).collect();
    let time = |measured: &&&Measured| {
        let figure = measured.timing.gpu.unwrap_or(measured.timing.wall);
        figure.library
    };
    let quickest = rows.iter().min_by(|one, other| time(one).total_cmp(&time(other)))?;
    let default = rows.iter().find(|measured| measured.row.remark.is_some())?;
    (rows.len() > 1).then(|| {
        format!(
            "A V(2,2)-cycle is the quickest with {}: {:.0} µs, by default {:.0} µs.",
            quickest.row.size,
            time(&quickest) * 1e3,
            time(&default) * 1e3
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::interleave::Timing;
    use super::*;

    #[test]
    fn the_quickest_is_named_beside_the_default() {
        let measured = |(row, library): (Row, f64)| Measured {
            row,
            timing: Timing::of_processes(vec![(library, f64::NAN)]),
        };
        let rows = rows(1).remove(0).into_iter().zip([0.5, 0.45, 0.4, 0.42]).map(measured);
        let rows: Vec<Measured> = rows.collect();
        let line =
            "A V(2,2)-cycle is the quickest with 513x513 nodes, 289 inverted: 400 µs, by default 450 µs.";
        assert_eq!(best(&rows).as_deref(), Some(line));
        assert_eq!(best(&rows[..1]), None, "nothing is the quickest of one");
    }
}
