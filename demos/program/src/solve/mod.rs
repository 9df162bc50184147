//! `quadrille solve`: a system of linear equations from Matrix Market files.
//!
//! ```text
//! input      the files of A, b and the guess, and what a method asks of them
//! singular   matrices that constants are solved by 0 of, rows of zeros, and what they ask of b
//! storage    which storage of the GPU fits the matrix, and why
//! estimate   the same by costs that were measured and kept
//! grid       the grid of a nine-point matrix, by its entries
//! multigrid  the methods on grids
//! polynomial the preconditioner chebyshev
//! double     the option --precision double-single
//! report     what is printed, the history as .csv
//! ```

mod choice;
mod double;
mod estimate;
mod grid;
mod input;
mod multigrid;
mod polynomial;
mod report;
mod singular;
mod storage;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use quadrille::Gpu;
use quadrille::linalg::{Algebra, Costs, LinearOperator};
use quadrille::solve::{
    DoubleSolver, Iteration, Method, Preconditioning, Progress, Report as Solved, Scaled, Settings, solve_by,
    solve_scaled, solve_with,
};

use crate::cli::{MethodName, PrecisionName, PreconditionerName, SolveArguments};
use crate::costs::{Kept, own_limits};
use crate::files::{atomic, check_extension, ignored_state_home, not_replaced, shown};
use crate::interrupt;
use crate::output::{self, Usage};
use choice::Choice;
use input::System;
use report::Report;
use singular::Singular;

pub fn run(arguments: &SolveArguments) -> Result<()> {
    interrupt::note_and_say("these iterations");
    if arguments.method == MethodName::Cgls && arguments.preconditioner != PreconditionerName::None {
        let line = format!("--preconditioner {}: cgls has none", arguments.preconditioner);
        return Err(Usage(line).into());
    }
    polynomial::check(arguments)?;
    multigrid::check(arguments)?;
    double::check(arguments)?;
    check_outputs(arguments)?;
    let system = interrupt::at_once("the files were read", || System::read(arguments))?;
    if let Some(line) = system.singular.as_ref().and_then(Singular::warning) {
        output::complain(&line);
    }
    let gpu = arguments.context.headless()?;
    let renderer = gpu.driver().renderer.clone();
    end_if_interrupted("the matrix was read")?;
    let prepare = match arguments.precision {
        PrecisionName::Single => prepare,
        PrecisionName::DoubleSingle => double::prepare,
    };
    let prepared = prepare(arguments, &system, &gpu).with_context(|| shown(&arguments.matrix))?;
    let Prepared { solver, guess, stored } = prepared;
    end_if_interrupted("the matrix was stored")?;
    let began = Instant::now();
    let bar = progress(arguments.json);
    let settings = settings(arguments);
    let (b, guess) = (&system.b, guess.as_deref().or(system.guess.as_deref()));
    let mut watch = |at: &Progress| {
        bar.set_message(words(at));
        interrupt::watch()
    };
    let mut solution = match solver {
        Solver::Double(mut solver) => solver.solve(b, guess, &settings, &mut watch)?,
        Solver::Single(operator, method) => {
            let (a, stored) = (&system.matrix.csr, operator.as_ref());
            let scaled = system.scaled.as_ref().map(|(scales, _)| Scaled { a, scales, stored });
            let method = match method {
                Some(method) => Some(method as Box<dyn Iteration + '_>),
                None => polynomial::method(arguments, &system, stored)?,
            };
            match (method, scaled) {
                (method, Some(scaled)) => solve_scaled(scaled, method, b, guess, &settings, &mut watch)?,
                (Some(method), None) => solve_by(method, stored, b, guess, &settings, &mut watch)?,
                (None, None) => solve_with(stored, b, guess, &settings, &mut watch)?,
            }
        }
    };
    bar.finish_and_clear();
    let time = began.elapsed();
    let Solved { iterations, refinements, .. } = solution.report;
    end_if_interrupted(&report::work(iterations, refinements))?;
    if let Some(singular) = &system.singular {
        singular.centre(&mut solution.x);
    }
    let report = Report { arguments, system: &system, stored: &stored, solution: &solution, time, renderer };
    let written = report.write_files()?;
    let said = report.print(&written);
    // A solve that did not converge did not, whether anybody reads of it or not.
    report.verdict().and(said)
}

/// The matrix on the GPU, and what solves it.
struct Prepared {
    solver: Solver,
    /// Where the iteration starts, if the method knows better.
    guess: Option<Vec<f64>>,
    stored: Stored,
}

enum Solver {
    /// In 32 bits: the matrix, and the method where its name alone does not make it.
    Single(Box<dyn LinearOperator>, Option<Box<dyn Iteration>>),
    /// In double-single.
    Double(Box<DoubleSolver>),
}

/// How the matrix is stored and why so, and the cycle of methods that have one.
struct Stored {
    name: String,
    reason: String,
    cycle: Option<String>,
}

fn prepare(arguments: &SolveArguments, system: &System, gpu: &Gpu) -> Result<Prepared> {
    let (algebra, csr) = (Algebra::new(gpu), system.stored());
    if arguments.method.on_grid() {
        return multigrid::prepare(arguments, system, &algebra);
    }
    let kept = kept_costs(gpu);
    let choose = || choice::choose(arguments.storage, csr, gpu.limits(), kept.as_ref());
    let Choice { storage, reason } = interrupt::at_once("a storage was chosen", choose)?;
    let stored = Stored { name: storage.to_string(), reason, cycle: None };
    describe(arguments, system, &stored, gpu);
    let costs = kept.map_or_else(Costs::default, |kept| kept.costs.of_gather());
    let operator = interrupt::at_once("the matrix was stored", || storage.build(&algebra, csr, &costs))?;
    Ok(Prepared { solver: Solver::Single(operator, None), guess: None, stored })
}

/// Says what --verbose asks for.
fn describe(arguments: &SolveArguments, system: &System, stored: &Stored, gpu: &Gpu) {
    if arguments.verbose {
        system.describe(arguments);
        output::remark(&format!("storage {}: {}", stored.name, stored.reason));
        output::remark(&format!("device {}", gpu.driver().renderer));
        ignored_state_home().iter().for_each(|line| output::remark(line));
    }
}

/// The costs of this driver that were kept. Those that cannot be read are done without, and under the limits of an old card there are none:
/// its passes are not the driver's.
fn kept_costs(gpu: &Gpu) -> Option<Kept> {
    if !own_limits(gpu) {
        return None;
    }
    Kept::of(gpu).unwrap_or_else(|error| {
        let remedy =
            "storage goes by structure; measure anew with `quadrille bench costs`, or remove the file";
        output::complain(&format!("warning: {error:#}: {remedy}"));
        None
    })
}

/// Ends the run if it was interrupted, before it writes anything.
fn end_if_interrupted(after: &str) -> Result<()> {
    match interrupt::asked() {
        true => {
            let line = format!("interrupted after {after}: nothing was written");
            Err(output::Interrupted(line).into())
        }
        false => Ok(()),
    }
}

/// Finds out before anything is computed whether the files can be written, and that no input is among them.
fn check_outputs(arguments: &SolveArguments) -> Result<()> {
    let SolveArguments { matrix, rhs, out, history, plot, .. } = arguments;
    let kinds = [
        (out, "mtx", "a Matrix Market array"),
        (history, "csv", "comma-separated values"),
        (plot, "png", "a picture"),
    ];
    for (path, extension, holds) in kinds {
        let Some(path) = path else { continue };
        check_extension(path, extension, holds)?;
        let read: Vec<&Path> =
            [Some(matrix), rhs.as_ref()].into_iter().flatten().map(PathBuf::as_path).collect();
        not_replaced(&read, path)?;
        atomic::check(path)?;
    }
    Ok(())
}

fn settings(arguments: &SolveArguments) -> Settings {
    let method = match arguments.method {
        MethodName::Cg => Method::Cg,
        MethodName::Bicgstab => Method::BiCgStab,
        MethodName::Cgls => Method::Cgls,
        // Made already: what remains is a square matrix.
        MethodName::Multigrid | MethodName::Mgcg => Method::BiCgStab,
    };
    let preconditioner = match arguments.preconditioner {
        // A polynomial has a method of its own, made already.
        PreconditionerName::None | PreconditionerName::Chebyshev => Preconditioning::None,
        PreconditionerName::Jacobi => Preconditioning::Jacobi,
    };
    let defaults = Settings::default();
    let max_iterations = arguments.max_iterations.unwrap_or(defaults.max_iterations);
    // A cycle gains as much as many iterations, and takes as long.
    let check_every = if arguments.method.on_grid() { 1 } else { defaults.check_every };
    let tolerance = arguments.tolerance;
    Settings { method, preconditioner, tolerance, max_iterations, check_every, ..defaults }
}

/// Iterations and residual on a terminal; hidden elsewhere.
fn progress(hidden: bool) -> ProgressBar {
    if hidden {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}");
    let bar =
        ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

fn words(at: &Progress) -> String {
    let work = report::work(at.iterations, at.refinements);
    format!("{work}, relative residual {:.2e}", at.relative_residual)
}
