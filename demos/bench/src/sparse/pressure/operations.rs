//! The paper's table: how often each operation runs in a projection, and how long it takes (row D6).

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::Result;
use quadrille::linalg::LinearOperator;
use quadrille::pug::Step;
use quadrille::solve::{Bounds, Operation, SteeredCg};

use super::super::super::interleave::Timing;
use super::super::super::row::{Bench, Row};
use super::solvers::{MOST, TOLERANCE};
use super::water::Water;

/// The counted parts: setting up with the upload of a velocity, reading the pressure back, and the operations of the
/// iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Setup,
    ReadBack,
    Of(Operation),
}

const PARTS: [(Part, &str); 6] = [
    (Part::Setup, "setup"),
    (Part::ReadBack, "read-back of the pressure"),
    (Part::Of(Operation::Multiply), "matrix-vector multiply"),
    (Part::Of(Operation::Dot), "dot product"),
    (Part::Of(Operation::ScaleAdd), "scale-add"),
    (Part::Of(Operation::Precondition), "vector precondition"),
];

/// Every operation of one projection: which, and how long.
type Parts = Vec<(Part, Duration)>;

pub fn rows(side: u32) -> Vec<Row> {
    let size = format!("{side}x{side}x{side} voxels to {TOLERANCE:e}");
    let shared: Rc<RefCell<Option<Rc<Parts>>>> = Rc::default();
    let mut rows: Vec<Row> = PARTS
        .into_iter()
        .map(|(part, name)| {
            let shared = shared.clone();
            Row::alone(&format!("the paper's table: {name}"), &size, move |bench| {
                let parts = measured(bench, side, &shared)?;
                let of_it =
                    parts.iter().filter(|(of, _)| *of == part).map(|(_, took)| took.as_secs_f64() * 1e3);
                Ok(timing(of_it.collect()))
            })
        })
        .collect();
    rows.push(Row::alone("the paper's table: all of it", &size, move |bench| {
        let parts = measured(bench, side, &shared)?;
        let together = parts.iter().map(|(_, took)| took.as_secs_f64() * 1e3).sum();
        let unsynchronised = unsynchronised(bench, side)?.as_secs_f64() * 1e3;
        let mut timing = Timing::of_processes(vec![(together, f64::NAN)]);
        timing.beside.push(("nothing timed in between".to_owned(), unsynchronised));
        Ok(timing)
    }));
    rows
}

/// The mean of a part's times, and what the paper's table says besides: count and total.
fn timing(times: Vec<f64>) -> Timing {
    let (count, total) = (times.len(), times.iter().sum::<f64>());
    let mut timing = Timing::of_processes(vec![(total / count.max(1) as f64, f64::NAN)]);
    timing.said = Some(format!("{count} times, together {total:.1} ms"));
    timing
}

/// Measured once for all rows.
fn measured(bench: &Bench, side: u32, shared: &RefCell<Option<Rc<Parts>>>) -> Result<Rc<Parts>> {
    if let Some(parts) = &*shared.borrow() {
        return Ok(parts.clone());
    }
    let mut parts = Parts::new();
    // The first time compiles.
    for _ in 0..2 {
        parts.clear();
        project(bench, side, &mut |part, work| {
            parts.push((part, took(bench, part, work)?));
            Ok(())
        })?;
    }
    let parts = Rc::new(parts);
    *shared.borrow_mut() = Some(parts.clone());
    Ok(parts)
}

type Clock<'a> = &'a mut dyn FnMut(Part, &mut dyn FnMut() -> quadrille::Result<()>) -> quadrille::Result<()>;

/// By the GPU's clock where it measures the work, else from an idle GPU to an idle GPU. What the CPU takes part in,
/// as in uploads and sums that it ends, is timed from end to end in any case.
fn took(
    bench: &Bench,
    part: Part,
    work: &mut dyn FnMut() -> quadrille::Result<()>,
) -> quadrille::Result<Duration> {
    let on_gpu = !matches!(part, Part::Setup | Part::ReadBack | Part::Of(Operation::Dot));
    bench.gpu.finish();
    if bench.timers() && on_gpu {
        return bench.gpu.time(work)?.1.wait();
    }
    let clock = Instant::now();
    work()?;
    bench.gpu.finish();
    Ok(clock.elapsed())
}

/// A projection's solve as the paper has it, each part handed to the clock.
fn project(bench: &Bench, side: u32, clock: Clock) -> Result<()> {
    let mut water = Water::new(&bench.gpu, side)?;
    let (a, velocity) = (water.matrix()?, water.velocity());
    let (mut b, mut x) = (water.algebra().zeros(a.rows())?, water.algebra().zeros(a.rows())?);
    let mut inverse = x.try_clone()?;
    clock(Part::Setup, &mut || {
        b = water.right_side(&velocity)?;
        inverse = a.inverse_diagonal()?;
        Ok(())
    })?;
    let method = SteeredCg::new(&bench.gpu, Step::Adjacent(2), 16)?;
    let bounds = Bounds { tolerance: TOLERANCE, max_iterations: MOST, check_every: 1 };
    method.solve(&a, &inverse, (&b, &mut x), bounds, &mut |operation, work| match operation {
        Operation::Setup => clock(Part::Setup, work),
        operation => clock(Part::Of(operation), work),
    })?;
    clock(Part::ReadBack, &mut || x.get().map(drop))?;
    Ok(())
}

/// The same without a look at any clock in between.
fn unsynchronised(bench: &Bench, side: u32) -> Result<Duration> {
    let mut whole = Duration::ZERO;
    project(bench, side, &mut |_, work| {
        let clock = Instant::now();
        work()?;
        whole += clock.elapsed();
        Ok(())
    })?;
    Ok(whole)
}
