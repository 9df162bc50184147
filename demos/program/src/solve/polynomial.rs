//! `--preconditioner chebyshev`: conjugate gradients preconditioned by a polynomial of the matrix.

use anyhow::{Result, bail};
use quadrille::linalg::LinearOperator;
use quadrille::solve::{Iteration, Pcg, Polynomial};

use super::input::System;
use crate::cli::{MethodName, PreconditionerName, SolveArguments};
use crate::files::shown;
use crate::output::Usage;

/// Terms where nobody says how many: by counted passes, 8, 12 and 16 take about as long for Poisson's equation on 512² cells.
const TERMS: usize = 12;

/// Refuses what does not go with it, by its name.
pub fn check(arguments: &SolveArguments) -> Result<()> {
    let chebyshev = arguments.preconditioner == PreconditionerName::Chebyshev;
    let line = match arguments.terms {
        Some(terms) if !chebyshev => format!("--terms {terms}: only --preconditioner chebyshev has terms"),
        _ if chebyshev && arguments.method == MethodName::Bicgstab => {
            "--preconditioner chebyshev: it is for symmetric matrices, --method cg".to_owned()
        }
        _ => return Ok(()),
    };
    Err(Usage(line).into())
}

/// The iteration, where it was asked for.
pub fn method<'a>(
    arguments: &SolveArguments,
    system: &System,
    stored: &'a dyn LinearOperator,
) -> Result<Option<Box<dyn Iteration + 'a>>> {
    if arguments.preconditioner != PreconditionerName::Chebyshev {
        return Ok(None);
    }
    let csr = system.stored();
    if let Some(row) = csr.diagonal().iter().position(|&d| d <= 0.0) {
        let (name, row, value) = (shown(&arguments.matrix), row + 1, csr.entry(row, row));
        bail!(
            "{name}: entry ({row}, {row}) is {value}: --preconditioner chebyshev needs a positive definite matrix"
        );
    }
    let terms = arguments.terms.unwrap_or(TERMS);
    let polynomial = Polynomial::new(stored, csr.norm_inf(), terms)?;
    Ok(Some(Box::new(Pcg::new(stored.algebra(), stored.columns(), polynomial)?)))
}
