//! V-cycles of a Poisson system, from each level down: the difference of two neighbours is a level's own time. Beside each
//! is its floor by hand: the same sweeps down the same grids and up again, and copies for all other passes.

use std::time::Instant;

use anyhow::{Result, ensure};
use quadrille::linalg::{Algebra, LinearOperator, NinePoint, Packed2x2, Vector};
use quadrille::solve::{Cycle, Missing, Multigrid, Preconditioner};

use super::super::chapter44::table::finished;
use super::super::interleave::{Bare, Elapsed, Pair, Work};
use super::super::row::Rows;
use super::super::row::{Bench, Measured, Row};
use super::super::small;
use super::super::stepping::numbers;
use super::{nodes, size};
use crate::bare::{Level, NineCycle};

/// Intervals a side, and sweeps before and after the correction: V(4,2) is the paper's.
const CYCLES: [(u32, [u32; 2]); 4] = [(512, [2, 2]), (512, [4, 2]), (1024, [2, 2]), (1024, [4, 2])];

/// The side of the coarsest level by default.
pub const COARSEST: u32 = 9;

/// A group for each cycle: its levels take turns.
pub fn rows(divisor: u32) -> Rows {
    let group = |(intervals, sweeps): (u32, [u32; 2])| {
        let side = nodes(intervals, divisor);
        let levels = halvings(side);
        let row = |(level, at): (usize, u32)| {
            let row = Row::new(&name(side, sweeps), &from(at), move |bench| pair(bench, side, sweeps, level));
            let whole = level == 0;
            let remark = (whole && intervals == 512 && sweeps == [4, 2])
                .then_some("GeForce FX: a 512² step of two of these in 1/20 s");
            Row { counted: whole.then_some((1.0, "cycles")), remark, ..row }
        };
        levels.into_iter().enumerate().map(row).collect()
    };
    let mut groups: Rows = CYCLES.into_iter().map(group).collect();
    // The cost of a pass before its first texel, measured in the same turns.
    groups[0].extend(small::rows().into_iter().take(1));
    groups
}

fn name(side: u32, [before, after]: [u32; 2]) -> String {
    format!("V({before},{after}) of {}", size(side))
}

fn from(side: u32) -> String {
    format!("from {side}x{side} down")
}

/// Sides of the levels: one of 9 × 9 nodes is the last, solved by its inverse.
fn halvings(side: u32) -> Vec<u32> {
    std::iter::successors(Some(side), |side| Some(side / 2 + 1))
        .take_while(|&side| side >= COARSEST)
        .collect()
}

/// −h²∇² on side² nodes, 0 around them.
pub fn poisson(algebra: &Algebra, side: u32) -> Result<NinePoint> {
    let layout = Packed2x2::grid(side, side)?;
    let mut ones = algebra.zeros(layout)?;
    ones.fill(1.0)?;
    let ends = |at: u32| u8::from(at == 0) + u8::from(at + 1 == side);
    let beyond = |index: usize| {
        let (i, j) = layout.place(index);
        f32::from(ends(i) + ends(j))
    };
    let extra = algebra.vector(layout, &(0..layout.len()).map(beyond).collect::<Vec<f32>>())?;
    Ok(NinePoint::from_weights(layout, [false; 2], &ones, &ones, Some(&extra))?)
}

struct Cycling {
    algebra: Algebra,
    multigrid: Multigrid,
    b: Vector,
    x: Vector,
    /// A level below the finest begins with nothing.
    from_nothing: bool,
    passes: u64,
    below: u64,
}

impl Cycling {
    fn cycle(&mut self) -> quadrille::Result<()> {
        match self.from_nothing {
            true => self.multigrid.precondition(&self.b, &mut self.x),
            false => self.multigrid.cycle(&self.b, &mut self.x),
        }
    }
}

impl Work for Cycling {
    fn run(&mut self, times: u32) -> quadrille::Result<Elapsed> {
        let clock = Instant::now();
        (0..times).try_for_each(|_| self.cycle())?;
        Ok(finished(&self.algebra, clock))
    }

    fn said(&self) -> Option<String> {
        Some(format!("{} passes, {} of them on this level", self.passes, self.passes - self.below))
    }
}

impl Cycling {
    fn new(a: &NinePoint, cycle: Cycle, from_nothing: bool) -> Result<Cycling> {
        let (algebra, layout) = (a.algebra().clone(), a.rows());
        let (b, x) = (algebra.vector(layout, &numbers(layout.len()))?, algebra.zeros(layout)?);
        let multigrid = Multigrid::new(a, Missing::Fixed, cycle)?;
        Ok(Cycling { algebra, multigrid, b, x, from_nothing, passes: 0, below: 0 })
    }
}

fn pair(bench: &Bench, side: u32, sweeps: [u32; 2], level: usize) -> Result<Pair> {
    let algebra = Algebra::new(&bench.gpu);
    let cycle = Cycle { before: sweeps[0], after: sweeps[1], ..Cycle::default() };
    let whole = Multigrid::new(&poisson(&algebra, side)?, Missing::Fixed, cycle)?;
    let mut from_each = Vec::new();
    for (at, a) in whole.matrices().enumerate().skip(level) {
        let mut cycling = Cycling::new(a, cycle, at > 0)?;
        if at == level {
            check(a, &cycling.multigrid)?;
        }
        cycling.cycle()?; // what is made only once
        let before = bench.gpu.counters().passes;
        cycling.cycle()?;
        cycling.passes = bench.gpu.counters().passes - before;
        from_each.push(cycling);
    }
    let by_hand = by_hand(&from_each, sweeps);
    let lap = bench.bare(|bare| NineCycle::new(bare, &by_hand))?;
    let below = from_each.get(1).map_or(0, |below| below.passes);
    let library = Cycling { below, ..from_each.swap_remove(0) };
    Ok(Pair::new(library, Bare { gpu: bench.gpu.clone(), lap }))
}

/// The passes of a cycle as somebody would write them: its sweeps and residuals, and copies for the first sweep from nothing,
/// for the ways between levels and for what is left, the inverse's passes on the coarsest level. Five points become nine
/// on the first coarse level.
fn by_hand(from_each: &[Cycling], [before, after]: [u32; 2]) -> Vec<Level> {
    let last = from_each.len() - 1;
    let level = |(i, cycling): (usize, &Cycling)| {
        let (width, height) = cycling.x.layout().texels();
        let five = i == 0 && !cycling.from_nothing;
        // The way to a coarse level makes its first sweep, too; a residual follows the sweeps.
        let sweeps = if i == last { [0, 0] } else { [before + u32::from(five), after] };
        let copies = u32::from(i == 0 && i < last && cycling.from_nothing);
        Level { texels: [width, height], five, copies, sweeps }
    };
    let mut levels: Vec<Level> = from_each.iter().enumerate().map(level).collect();
    levels[last].copies += from_each[last].passes as u32;
    levels
}

/// Fails unless two cycles lower the residual sixteenfold.
pub fn check(a: &NinePoint, multigrid: &Multigrid) -> Result<()> {
    let algebra = a.algebra();
    let wide = |values: Vec<f32>| values.into_iter().map(f64::from).collect::<Vec<f64>>();
    let b = a.multiply(&wide(numbers(a.rows().len())));
    let rounded: Vec<f32> = b.iter().map(|&b| b as f32).collect();
    let (gpu_b, mut x) = (algebra.vector(a.rows(), &rounded)?, algebra.zeros(a.rows())?);
    for _ in 0..2 {
        multigrid.cycle(&gpu_b, &mut x)?;
    }
    let product = a.multiply(&wide(x.get()?));
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
    let left = norm(&mut b.iter().zip(&product).map(|(b, p)| b - p)) / norm(&mut b.iter().copied());
    ensure!(left <= 1.0 / 16.0, "two V-cycles leave {left:.3} of the residual");
    Ok(())
}

/// Each level's own time: what a cycle from it takes more than one from the level below.
pub fn levels(rows: &[Measured]) -> Vec<String> {
    let groups = rows.chunk_by(|a, b| a.row.name == b.row.name);
    let cycles = groups.filter(|group| group[0].row.name.starts_with("V(") && group.len() > 1);
    let line = |group: &[Measured]| {
        let time = |measured: &Measured| {
            let figure = measured.timing.gpu.unwrap_or(measured.timing.wall);
            (figure.library * 1e3, figure.bare * 1e3)
        };
        let own = |at: usize| {
            let (here, below) = (time(&group[at]), group.get(at + 1).map_or((0.0, 0.0), time));
            let side = group[at].row.size.trim_start_matches("from ").trim_end_matches(" down");
            format!("{side} {:.0} ({:.0})", here.0 - below.0, here.1 - below.1)
        };
        let each: Vec<String> = (0..group.len()).map(own).collect();
        format!("{}, µs of each level (by hand): {}", group[0].row.name, each.join(", "))
    };
    cycles.map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::interleave::Timing;
    use super::*;

    #[test]
    fn a_level_takes_what_the_next_one_does_not() {
        let measured = |side: u32, library: f64, bare: f64| Measured {
            row: Row::alone(&name(17, [2, 2]), &from(side), |_| anyhow::bail!("measured already")),
            timing: Timing::of_processes(vec![(library, bare)]),
        };
        let rows = [measured(17, 0.2, 0.1), measured(9, 0.05, 0.04)];
        let line = "V(2,2) of 17x17 nodes, µs of each level (by hand): 17x17 150 (60), 9x9 50 (40)";
        assert_eq!(levels(&rows), [line]);
        assert!(levels(&rows[..1]).is_empty(), "nothing is known of a level alone");
    }
}
