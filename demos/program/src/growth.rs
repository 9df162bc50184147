//! `quadrille bench growth`: how the time of a step, or of a solve, grows with the number of unknowns; where it is latency, and by what power
//! it grows beyond that.

use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use quadrille::Gpu;
use quadrille::layout::Packed2x2;
use quadrille::linalg::{Algebra, Banded, NinePoint};
use quadrille::numeric::Csr;
use quadrille::solve::{Cycle, Iteration, Missing, Multigrid, Pcg, Polynomial, Settings, solve, solve_by};
use quadrille_gallery::demo::{About, Demo, Request};
use quadrille_gallery::list;
use quadrille_gallery::plot::{Curve, Plot};
use serde_json::{Value, json};

use crate::cli::GrowthArguments;
use crate::demo::host;
use crate::output::{self, Usage};
use crate::{interrupt, plot};

/// Six sizes, each twice the one before along every axis but the last, which ends where a card still steps at once.
const SIZES: usize = 6;

/// A demo or a solver at six sizes.
struct Case {
    name: &'static str,
    work: Work,
    /// Cells along an axis, or bodies.
    sizes: [u32; SIZES],
    /// Axes: the unknowns are the size to this power.
    axes: u32,
}

enum Work {
    /// The name of a demo and its parameters, as a web address has them; `SIZE` is the size.
    Demo(&'static str, &'static str),
    /// Poisson's equation, b = 1, to 10⁻⁵.
    Solver(Solver),
}

#[derive(Clone, Copy)]
enum Solver {
    Plain,
    Chebyshev,
    Multigrid,
    Mgcg,
}

const SQUARES: [u32; SIZES] = [64, 128, 256, 512, 1024, 2048];
const SMALL_SQUARES: [u32; SIZES] = [32, 64, 128, 256, 512, 1024];
/// Nodes of nested grids.
const NODES: [u32; SIZES] = [33, 65, 129, 257, 513, 1025];

const CASES: [Case; 14] = [
    demo("reaction-diffusion", "reaction-diffusion", "size=SIZExSIZE", SQUARES),
    demo("wave", "wave", "size=SIZExSIZE", SQUARES),
    demo("wave, implicit", "wave", "size=SIZExSIZE&scheme=implicit", SQUARES),
    demo("heat", "heat", "size=SIZExSIZE", SMALL_SQUARES),
    demo("sandpile", "sandpile", "size=SIZExSIZE", SQUARES),
    demo("branches", "branches", "size=SIZExSIZE&way=branch", SQUARES),
    demo("fluid", "fluid", "size=SIZExSIZE", SMALL_SQUARES),
    demo("clouds", "clouds", "size=SIZExSIZE", SMALL_SQUARES),
    Case { axes: 3, ..demo("liquid", "liquid", "size=SIZE", [8, 16, 32, 64, 96, 128]) },
    Case { axes: 1, ..demo("nbody", "nbody", "bodies=SIZE", [256, 512, 1024, 2048, 4096, 8192]) },
    solver("Poisson, cg", Solver::Plain, SMALL_SQUARES),
    solver("Poisson, cg with chebyshev", Solver::Chebyshev, SMALL_SQUARES),
    solver("Poisson, multigrid", Solver::Multigrid, NODES),
    solver("Poisson, mgcg", Solver::Mgcg, NODES),
];

const fn demo(name: &'static str, demo: &'static str, address: &'static str, sizes: [u32; SIZES]) -> Case {
    Case { name, work: Work::Demo(demo, address), sizes, axes: 2 }
}

const fn solver(name: &'static str, solver: Solver, sizes: [u32; SIZES]) -> Case {
    Case { name, work: Work::Solver(solver), sizes, axes: 2 }
}

/// The time of one size.
#[derive(Clone, Copy)]
struct Point {
    unknowns: f64,
    seconds: f64,
    passes: f64,
}

/// A case as it was measured.
struct Grown {
    name: &'static str,
    points: Vec<Point>,
}

/// Batches that a figure is the median of, and the least time of each.
const BATCHES: usize = 5;
const BATCH: Duration = Duration::from_millis(40);

/// Measures the cases whose names contain `--only`, and prints a table or JSON.
///
/// # Errors
/// No such case; those of the demos and solvers; those of the plot's file.
pub fn run(arguments: &GrowthArguments) -> Result<()> {
    let only = arguments.only.as_deref().unwrap_or("").to_lowercase();
    let chosen: Vec<&Case> = CASES.iter().filter(|case| case.name.to_lowercase().contains(&only)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = CASES.iter().map(|case| case.name).collect();
        return Err(
            Usage(format!("--only {only}: nothing is called so; there are {}", names.join("; "))).into()
        );
    }
    if let Some(path) = &arguments.plot {
        crate::files::check_extension(path, "png", "a picture")?;
    }
    interrupt::note_and_say("this size");
    let gpu = arguments.context.headless()?;
    let mut grown = Vec::new();
    for case in chosen {
        grown.push(measure(&gpu, case, arguments)?);
        if interrupt::asked() {
            return Err(output::Interrupted("interrupted: nothing was written".to_owned()).into());
        }
    }
    if let Some(path) = &arguments.plot {
        draw(path, &grown, &gpu)?;
    }
    output::say(&match arguments.json {
        true => format!("{:#}", report(&grown, &gpu)),
        false => table(&grown, &gpu),
    })
}

/// All sizes of a case, up to the first whose figure would take longer than allowed.
fn measure(gpu: &Gpu, case: &Case, arguments: &GrowthArguments) -> Result<Grown> {
    let mut points: Vec<Point> = Vec::new();
    for &size in &case.sizes[..arguments.sizes] {
        let unknowns = f64::from(size).powi(case.axes as i32);
        // Warming up is a batch more; by the growth of the last two sizes, or in proportion.
        let power = exponent(&points).unwrap_or(1.0).max(1.0);
        let next = points.last().map_or(0.0, |last| last.seconds * (unknowns / last.unknowns).powf(power));
        if next * (BATCHES + 2) as f64 > arguments.seconds || interrupt::asked() {
            break;
        }
        let (seconds, passes) =
            one(gpu, &case.work, size).with_context(|| format!("{} of size {size}", case.name))?;
        points.push(Point { unknowns, seconds, passes });
    }
    Ok(Grown { name: case.name, points })
}

/// Seconds and passes of a step, or of a solve.
fn one(gpu: &Gpu, work: &Work, size: u32) -> Result<(f64, f64)> {
    match *work {
        Work::Demo(name, address) => {
            let about: &'static About =
                list::named(name).ok_or_else(|| anyhow!("no demo is called {name}"))?;
            let values =
                about.values_of(&address.replace("SIZE", &size.to_string())).map_err(|line| anyhow!(line))?;
            let request = Request {
                values,
                seed: None,
                load: None,
                draws: false,
                windowless: true,
                saves_one_array: false,
                exports: Vec::new(),
                host: Rc::new(host::Program::new()),
            };
            let mut demo = about.begin(gpu, &Rc::new(request))?;
            let mut made = 0;
            timed(gpu, &mut || {
                made += 1;
                step(demo.as_mut(), made)
            })
        }
        Work::Solver(solver) => solving(gpu, solver, size),
    }
}

fn step(demo: &mut dyn Demo, made: u64) -> Result<()> {
    if demo.is_over() {
        demo.reset(1)?;
    }
    demo.before_step(made)?;
    demo.step()
}

fn solving(gpu: &Gpu, solver: Solver, side: u32) -> Result<(f64, f64)> {
    let algebra = Algebra::new(gpu);
    let layout = Packed2x2::grid(side, side)?;
    let matrix = Csr::poisson(side as usize, side as usize)?;
    let (high, b) = (matrix.norm_inf(), vec![1.0; layout.len()]);
    let settings = Settings { tolerance: 1e-5, ..Settings::default() };
    let mut on = |_: &_| ControlFlow::Continue(());
    if let Solver::Plain | Solver::Chebyshev = solver {
        let a = Banded::new(&algebra, layout, matrix)?;
        return timed(gpu, &mut || {
            let found = match solver {
                Solver::Plain => solve(&a, &b, None, &settings)?,
                _ => {
                    let method = Pcg::new(&algebra, layout, Polynomial::new(&a, high, 12)?)?;
                    solve_by(Box::new(method), &a, &b, None, &settings, &mut on)?
                }
            };
            converged(&found.report)
        });
    }
    let a = NinePoint::from_csr(&algebra, layout, [false; 2], &matrix)?;
    let settings = Settings { check_every: 1, ..settings };
    timed(gpu, &mut || {
        let multigrid = Multigrid::new(&a, Missing::Fixed, Cycle::default())?;
        let method: Box<dyn Iteration> = match solver {
            Solver::Mgcg => Box::new(Pcg::new(&algebra, layout, multigrid)?),
            _ => Box::new(multigrid),
        };
        let found = solve_by(method, &a, &b, None, &settings, &mut on)?;
        converged(&found.report)
    })
}

fn converged(report: &quadrille::solve::Report) -> Result<()> {
    match report.converged() {
        true => Ok(()),
        false => Err(anyhow!("it did not converge: {}", report.reason)),
    }
}

/// The median of some batches, each as long as a clock needs, after two repetitions that compile and allocate.
fn timed(gpu: &Gpu, work: &mut dyn FnMut() -> Result<()>) -> Result<(f64, f64)> {
    let mut batch = |times: u32| -> Result<(f64, f64)> {
        let (before, clock) = (gpu.counters().passes, Instant::now());
        (0..times).try_for_each(|_| work())?;
        gpu.finish();
        let (seconds, passes) = (clock.elapsed().as_secs_f64(), gpu.counters().passes - before);
        Ok((seconds / f64::from(times), passes as f64 / f64::from(times)))
    };
    batch(1)?;
    let once = batch(1)?.0;
    let times = (BATCH.as_secs_f64() / once.max(1e-6)).ceil().clamp(1.0, 10_000.0) as u32;
    let mut batches = (0..BATCHES).map(|_| batch(times)).collect::<Result<Vec<_>>>()?;
    batches.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(batches[BATCHES / 2])
}

/// The power of the unknowns by which the time of the last three sizes grows, by least squares of logarithms.
fn exponent(points: &[Point]) -> Option<f64> {
    let last = &points[points.len().saturating_sub(3)..];
    if last.len() < 2 {
        return None;
    }
    let logs = || last.iter().map(|point| (point.unknowns.ln(), point.seconds.ln()));
    let count = last.len() as f64;
    let [x, y] = logs().fold([0.0; 2], |[x, y], log| [x + log.0 / count, y + log.1 / count]);
    let (over, under) = logs().fold((0.0, 0.0), |(over, under), log| {
        (over + (log.0 - x) * (log.1 - y), under + (log.0 - x).powi(2))
    });
    Some(over / under)
}

/// The unknowns at which the smallest size's time has doubled: below, a step takes as long whatever its size. Logarithms are taken for
/// straight between two sizes.
fn latency_ends(points: &[Point]) -> Option<f64> {
    let twice = 2.0 * points.first()?.seconds;
    points.windows(2).find_map(|two| {
        let [a, b] = [two[0], two[1]];
        (a.seconds < twice && b.seconds >= twice).then(|| {
            let share = (twice / a.seconds).ln() / (b.seconds / a.seconds).ln();
            a.unknowns * (b.unknowns / a.unknowns).powf(share)
        })
    })
}

fn table(grown: &[Grown], gpu: &Gpu) -> String {
    let mut lines = vec![
        format!("{}; {}", gpu.driver().renderer, gpu.driver().version),
        String::new(),
        "| of | unknowns: ms a step or solve (passes) | exponent | latency ends at |".to_owned(),
        "|---|---|---|---|".to_owned(),
    ];
    for Grown { name, points } in grown {
        let each = |p: &Point| format!("{}: {:.3} ({:.0})", p.unknowns, 1e3 * p.seconds, p.passes);
        let times: Vec<String> = points.iter().map(each).collect();
        let exponent = exponent(points).map_or("-".to_owned(), |exponent| format!("{exponent:.2}"));
        let end = latency_ends(points).map_or("beyond".to_owned(), |end| format!("{end:.0}"));
        lines.push(format!("| {name} | {} | {exponent} | {end} |", times.join(", ")));
    }
    lines.join("\n")
}

fn report(grown: &[Grown], gpu: &Gpu) -> Value {
    let case = |Grown { name, points }: &Grown| {
        let each = |p: &Point| json!({ "unknowns": p.unknowns, "ms": 1e3 * p.seconds, "passes": p.passes });
        json!({
            "name": name,
            "sizes": points.iter().map(each).collect::<Vec<_>>(),
            "exponent": exponent(points),
            "latency_ends_at": latency_ends(points),
        })
    };
    let cases: Vec<Value> = grown.iter().map(case).collect();
    json!({ "renderer": gpu.driver().renderer, "version": gpu.driver().version, "cases": cases })
}

/// A colour for each case.
const COLOURS: [[u8; 3]; 7] =
    [[31, 119, 180], [255, 127, 14], [44, 160, 44], [214, 39, 40], [148, 103, 189], [140, 86, 75], [0, 0, 0]];

fn draw(path: &Path, grown: &[Grown], gpu: &Gpu) -> Result<()> {
    let curve = |(place, Grown { name, points }): (usize, &Grown)| Curve {
        name,
        colour: COLOURS[place % COLOURS.len()],
        width: 1 + (place / COLOURS.len()) as u32 * 2,
        points: points.iter().map(|p| (p.unknowns.log2(), 1e3 * p.seconds)).collect(),
    };
    let plot = Plot {
        title: format!("growth on {}", gpu.driver().renderer),
        over: "log2 of the unknowns",
        measure: "ms a step or solve".to_owned(),
        curves: grown.iter().enumerate().map(curve).collect(),
        bound: None,
    };
    plot::write(path, &plot)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(time: impl Fn(f64) -> f64) -> Vec<Point> {
        let of = |size: u32| f64::from(size * size);
        SQUARES.map(|size| Point { unknowns: of(size), seconds: time(of(size)), passes: 1.0 }).into()
    }

    #[test]
    fn powers_are_found_and_latency_ends_where_time_doubles() {
        let near = |found: Option<f64>, expected: f64| {
            assert!(found.is_some_and(|found| (found / expected - 1.0).abs() < 1e-9), "{found:?} {expected}");
        };
        near(exponent(&points(|n| 3e-9 * n.powf(1.5))), 1.5);
        near(exponent(&points(|n| n.powi(2))[..2]), 2.0);
        assert_eq!(exponent(&points(|n| n)[..1]), None);
        // A flat start, then in proportion: the last three sizes alone tell the power.
        let bent = points(|n| n.max(65536.0));
        near(exponent(&bent), 1.0);
        near(latency_ends(&bent), 2.0 * 65536.0);
        near(latency_ends(&points(|n| n)), 2.0 * 4096.0);
        near(latency_ends(&points(|n| n.powf(1.5))), 4096.0 * 2f64.powf(2.0 / 3.0));
        assert_eq!(latency_ends(&points(|_| 1.0)), None);
        assert_eq!(latency_ends(&[]), None);
    }
}
