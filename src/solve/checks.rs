//! What a system has to be for a solver to begin.

use super::refine::norm;
use super::{Method, Preconditioner, Settings, bad, check_tolerance};
use crate::linalg::{LinearOperator, Packed2x2};
use crate::{Error, Result};

/// Shapes, lengths, finite numbers, and settings that go together.
pub(super) fn check(
    a: &dyn LinearOperator,
    b: &[f64],
    guess: Option<&[f64]>,
    settings: &Settings,
) -> Result<()> {
    let (rows, columns) = (a.rows(), a.columns());
    if settings.method != Method::Cgls && rows != columns {
        let (found, expected) = if rows.len() == columns.len() {
            (format!("rows of {rows}, columns of {columns}"), "one layout, or least squares")
        } else {
            let found = format!("{} rows and {} columns", rows.len(), columns.len());
            (found, "as many rows as columns, or least squares")
        };
        return Err(Error::WrongShape { what: "matrix".to_owned(), found, expected: expected.to_owned() });
    }
    finite("right-hand side", b, rows)?;
    if !norm(b).is_finite() {
        return Err(bad("right-hand side", "a norm above 1.8e308".into(), "one that an f64 holds"));
    }
    if let Some(guess) = guess {
        finite("guess", guess, columns)?;
    }
    check_tolerance(settings.tolerance)?;
    if settings.method == Method::Cgls && settings.preconditioner != Preconditioner::None {
        return Err(bad("preconditioner", "jacobi".into(), "none, for least squares"));
    }
    Ok(())
}

fn finite(name: &'static str, values: &[f64], layout: Packed2x2) -> Result<()> {
    if values.len() != layout.len() {
        let (what, shape) = (name.to_owned(), layout.to_string());
        return Err(Error::WrongLength { what, found: values.len(), expected: layout.len(), shape });
    }
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(at) => Err(bad(name, format!("{} at element {at}", values[at]), "finite numbers")),
    }
}
