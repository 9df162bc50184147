//! Multigrid and conjugate gradients that a cycle preconditions: what they ask of the matrix, and their parts.

use std::fmt::{Display, Formatter};

use anyhow::Result;
use quadrille::linalg::{Algebra, NinePoint, Packed2x2};
use quadrille::solve::{Cg, Cycle, Iteration, Missing, Multigrid, Pcg, Smoother};

use super::grid::Grid;
use super::input::System;
use super::{Prepared, Solver, Stored};
use crate::cli::{
    CycleName, MethodName, MultigridArguments, PreconditionerName, SmootherName, SolveArguments, StorageName,
    Sweeps,
};
use crate::interrupt;
use crate::output::{Usage, counted};

/// ω of damped Jacobi.
const DAMPING: f32 = 0.8;

/// Flags that contradict each other: of multigrid where there is none, and those that mean nothing with it.
pub fn check(arguments: &SolveArguments) -> Result<()> {
    let SolveArguments { method, storage, preconditioner, multigrid, .. } = arguments;
    let refused = |line: String| Err(Usage(line).into());
    if !method.on_grid() {
        return match multigrid.given() {
            Some(flag) => {
                refused(format!("{flag}: {method} has no levels; it is for --method multigrid and mgcg"))
            }
            None => Ok(()),
        };
    }
    if *storage != StorageName::Auto {
        return refused(format!("--storage: {method} stores nine points on a grid"));
    }
    if *preconditioner != PreconditionerName::None {
        return refused(format!("--preconditioner {preconditioner}: {method} has its own"));
    }
    let (cycle, sweeps) = (multigrid.cycle.unwrap_or_default(), multigrid.sweeps.unwrap_or_default());
    if *method == MethodName::Mgcg && sweeps.before != sweeps.after {
        let (before, after) = (sweeps.before, sweeps.after);
        return refused(format!("--sweeps {before},{after}: mgcg needs as many after as before"));
    }
    if cycle == CycleName::Full && *method == MethodName::Mgcg {
        return refused("--cycle full: mgcg needs the same cycle each time, v or w".to_owned());
    }
    if cycle == CycleName::Full && arguments.guess.is_some() {
        return refused("--guess: --cycle full starts from nothing".to_owned());
    }
    Ok(())
}

/// The matrix on its grid, and the method with its levels.
///
/// # Errors
/// A matrix that is not nine-point on the grid, the first such entry named; those of the levels.
pub fn prepare(arguments: &SolveArguments, system: &System, algebra: &Algebra) -> Result<Prepared> {
    let csr = system.stored();
    let asked = arguments.multigrid.grid;
    let grid = interrupt::at_once("a grid was found", || Grid::of(csr, asked))?;
    let layout = grid.layout(algebra.gpu().limits().texture_size)?;
    let said = Said::of(&arguments.multigrid);
    let store = || NinePoint::from_csr(algebra, layout, grid.periodic, csr);
    let a = interrupt::at_once("the matrix was stored", store)?;
    let make = || Multigrid::new(&a, missing(system), said.cycle());
    let multigrid = interrupt::at_once("the levels were made", make)?;
    let levels = counted(multigrid.levels() as u64, "level");
    let reason = format!("{grid} {}, {}; {levels}", grid.found(asked.is_some()), grid.sides());
    let stored = Stored { name: "nine points".to_owned(), reason, cycle: Some(said.to_string()) };
    super::describe(arguments, system, &stored, algebra.gpu());
    let guess = match said.name {
        CycleName::Full => Some(full(&multigrid, algebra, layout, system)?),
        CycleName::V | CycleName::W => None,
    };
    let method: Box<dyn Iteration> = match arguments.method {
        MethodName::Mgcg if Pcg::fits(algebra.gpu().limits()) => {
            Box::new(Pcg::new(algebra, layout, multigrid)?)
        }
        MethodName::Mgcg => Box::new(Cg::with(algebra, layout, multigrid)?),
        _ => Box::new(multigrid),
    };
    Ok(Prepared { solver: Solver::Single(Box::new(a), Some(method)), guess, stored })
}

/// A row of zeros is no node at all where constants are solved by 0, and otherwise a node whose value is fixed.
fn missing(system: &System) -> Missing {
    match &system.singular {
        Some(singular) if singular.count() > 0 => Missing::Absent,
        _ => Missing::Fixed,
    }
}

/// The result of full multigrid on b, which is scaled so that 32 bits hold it: where the cycles start from.
fn full(multigrid: &Multigrid, algebra: &Algebra, layout: Packed2x2, system: &System) -> Result<Vec<f64>> {
    let times = |x: &[f64]| system.scaled.as_ref().map_or_else(|| x.to_vec(), |(scales, _)| scales.times(x));
    let b = times(&system.b);
    let largest = b.iter().fold(0.0, |most: f64, b| most.max(b.abs()));
    let scale = if largest > 0.0 { largest } else { 1.0 };
    let scaled: Vec<f32> = b.iter().map(|b| (b / scale) as f32).collect();
    let mut x = algebra.zeros(layout)?;
    multigrid.full(&algebra.vector(layout, &scaled)?, &mut x)?;
    let x: Vec<f64> = x.get()?.into_iter().map(|x| f64::from(x) * scale).collect();
    Ok(times(&x))
}

/// A cycle as the flags say it.
struct Said {
    name: CycleName,
    sweeps: Sweeps,
    smoother: SmootherName,
}

impl Said {
    fn of(arguments: &MultigridArguments) -> Said {
        let MultigridArguments { cycle, sweeps, smoother, .. } = arguments;
        Said {
            name: cycle.unwrap_or_default(),
            sweeps: sweeps.unwrap_or_default(),
            smoother: smoother.unwrap_or_default(),
        }
    }

    fn cycle(&self) -> Cycle {
        let Sweeps { before, after } = self.sweeps;
        let visits = if self.name == CycleName::W { 2 } else { 1 };
        let smoother = match self.smoother {
            SmootherName::Jacobi => Smoother::Jacobi { damping: DAMPING },
            SmootherName::RedBlack => Smoother::RedBlack,
        };
        Cycle { before, after, visits, smoother }
    }
}

/// "V(2,2), jacobi".
impl Display for Said {
    fn fmt(&self, f: &mut Formatter) -> std::fmt::Result {
        let Sweeps { before, after } = self.sweeps;
        let name = match self.name {
            CycleName::V => "V",
            CycleName::W => "W",
            CycleName::Full => "full, then V",
        };
        let smoother = match self.smoother {
            SmootherName::Jacobi => "jacobi",
            SmootherName::RedBlack => "red-black",
        };
        write!(f, "{name}({before},{after}), {smoother}")
    }
}
