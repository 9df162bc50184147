//! The option `--precision double-single`: what it goes with, its storage, its solver.

use anyhow::Result;
use quadrille::Gpu;
use quadrille::linalg::{Algebra, DoubleStorage, Packed2x2};
use quadrille::solve::DoubleSolver;

use super::choice::{self, Choice};
use super::input::System;
use super::storage::{Storage, check_diagonals, on_grid};
use super::{Prepared, Solver, Stored, describe};
use crate::cli::{MethodName, PrecisionName, PreconditionerName, SolveArguments, StorageName};
use crate::interrupt;
use crate::output::Usage;

/// Refuses what has no form in double-single, by its name.
pub fn check(arguments: &SolveArguments) -> Result<()> {
    let SolveArguments { method, preconditioner, storage, precision, .. } = arguments;
    if *precision == PrecisionName::Single {
        return Ok(());
    }
    let refused = |line: String| Err(Usage(line).into());
    if *method != MethodName::Cg {
        return refused(format!("--method {method}: in double-single there is cg alone"));
    }
    if *preconditioner != PreconditionerName::None {
        return refused(format!("--preconditioner {preconditioner}: in double-single cg has none"));
    }
    let other = match storage {
        StorageName::Dense => Storage::Dense,
        StorageName::Points => Storage::Points,
        StorageName::Auto | StorageName::Banded | StorageName::Gather => return Ok(()),
    };
    refused(format!("--storage {other}: in double-single there are banded and gather"))
}

/// The matrix on the GPU in numbers of two floats, and its solver.
pub fn prepare(arguments: &SolveArguments, system: &System, gpu: &Gpu) -> Result<Prepared> {
    let csr = system.stored();
    // The costs that are kept are of 32 bits.
    let choose = || choice::choose(arguments.storage, csr, gpu.limits(), None);
    let Choice { storage, mut reason } = interrupt::at_once("a storage was chosen", choose)?;
    let banded = storage == Storage::Banded;
    if storage == Storage::Dense {
        reason = format!("{reason}; in double-single all its entries are gathered");
    }
    let name = if banded { Storage::Banded } else { Storage::Gather }.to_string();
    let stored = Stored { name, reason, cycle: None };
    describe(arguments, system, &stored, gpu);
    let make = || -> Result<DoubleSolver> {
        let algebra = Algebra::new(gpu);
        let (layout, storage) = match banded {
            true => {
                check_diagonals(csr)?;
                (on_grid(csr, gpu.limits())?, DoubleStorage::Banded)
            }
            false => (Packed2x2::folded(csr.rows())?, DoubleStorage::Gather),
        };
        Ok(DoubleSolver::new(&algebra, layout, storage, csr.clone())?)
    };
    let solver = interrupt::at_once("the matrix was stored", make)?;
    Ok(Prepared { solver: Solver::Double(Box::new(solver)), guess: None, stored })
}
