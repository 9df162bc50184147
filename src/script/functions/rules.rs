//! Rules of the functions: facts about results from facts about arguments.

use super::super::known::{Bounds, Judged, Known, Refusal, counted};
use super::wrong;

/// The largest whole number up to which none is left out in 64-bit floats.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// `zeros(rows, columns)`
pub fn sized(bounds: &Bounds, arguments: &[Known]) -> Judged<Known> {
    match (count(arguments, 0, "rows")?, count(arguments, 1, "columns")?) {
        (Some(rows), Some(columns)) => bounds.shape(rows, columns),
        _ => Ok(Known::Anything),
    }
}

/// `identity(n)`
pub fn square(bounds: &Bounds, arguments: &[Known]) -> Judged<Known> {
    match count(arguments, 0, "rows and columns")? {
        Some(n) => bounds.shape(n, n),
        None => Ok(Known::Anything),
    }
}

/// `random(rows, columns[, seed])`
pub fn random(bounds: &Bounds, arguments: &[Known]) -> Judged<Known> {
    if let Some(seed) = arguments.get(2) {
        whole(seed, 2, "a whole number as seed")?;
    }
    sized(bounds, arguments)
}

/// `transpose(A)`
pub fn transpose(_: &Bounds, arguments: &[Known]) -> Judged<Known> {
    matrix(arguments, 0).map(|known| known.clone().transposed())
}

/// Element by element.
pub fn same(_: &Bounds, arguments: &[Known]) -> Judged<Known> {
    matrix(arguments, 0).map(|known| match known {
        Known::Number(value) => Known::Number(value.map(f64::abs)),
        known => known.clone(),
    })
}

/// A number from all elements.
pub fn measure(_: &Bounds, arguments: &[Known]) -> Judged<Known> {
    matrix(arguments, 0).map(|_| Known::Number(None))
}

/// `max(A)`, `max(A, number)`, `max(number, A)`
pub fn extreme(_: &Bounds, arguments: &[Known]) -> Judged<Known> {
    let first = matrix(arguments, 0)?;
    if arguments.len() < 2 {
        return Ok(Known::Number(None));
    }
    match (first, matrix(arguments, 1)?) {
        (Known::Matrix(..), Known::Matrix(rows, columns)) => {
            let message = "a number: one matrix is compared with one number";
            Err(wrong(1, &Known::Matrix(*rows, *columns), message))
        }
        (Known::Number(_), Known::Number(_)) => Ok(Known::Number(None)),
        (Known::Matrix(rows, columns), Known::Number(_))
        | (Known::Number(_), Known::Matrix(rows, columns)) => Ok(Known::Matrix(*rows, *columns)),
        _ => Ok(Known::Anything),
    }
}

/// `dot(A, B)`
pub fn dot(_: &Bounds, arguments: &[Known]) -> Judged<Known> {
    let (a, b) = (matrix(arguments, 0)?, matrix(arguments, 1)?);
    match (a.shape(), b.shape()) {
        (Some(left), Some(right)) if left != right => {
            let message =
                format!("found {} and {}, expected the same shape twice", a.described(), b.described());
            Err(message.into())
        }
        _ => Ok(Known::Number(None)),
    }
}

/// `solve(A, b[, tolerance])`: as many columns as b has.
pub fn solve(bounds: &Bounds, arguments: &[Known]) -> Judged<Known> {
    let (a, b) = system(arguments)?;
    match (a.shape(), b.shape()) {
        (Some((n, _)), Some((rows, _))) if rows != n => {
            Err(wrong(1, b, &format!("{}, as A is {n} x {n}", counted(n, "row"))))
        }
        (_, Some((rows, columns))) => bounds.shape(rows, columns),
        _ => Ok(Known::Anything),
    }
}

/// `lcp(A, b[, tolerance])`: one column.
pub fn lcp(bounds: &Bounds, arguments: &[Known]) -> Judged<Known> {
    let (a, b) = system(arguments)?;
    match (a.shape(), b.shape()) {
        (Some((n, _)), Some((rows, columns @ 2..))) if rows == n => {
            let found = format!("found {n} x {columns}, expected {n} x 1: one right-hand side at a time");
            Err(Refusal::of(1, found))
        }
        (Some((n, _)), Some(shape)) if shape != (n, 1) => {
            Err(wrong(1, b, &format!("{n} x 1, as A is {n} x {n}")))
        }
        (None, Some((_, columns))) if columns != 1 => Err(wrong(1, b, "one column")),
        (_, Some((n, _))) | (Some((n, _)), None) => bounds.shape(n, 1),
        (None, None) => Ok(Known::Anything),
    }
}

/// A, which is square, and b; a tolerance behind them makes sense.
fn system(arguments: &[Known]) -> Judged<(&Known, &Known)> {
    let (a, b) = (matrix(arguments, 0)?, matrix(arguments, 1)?);
    match arguments.get(2) {
        Some(Known::Number(Some(tolerance)))
            if *tolerance > f64::from(f32::MIN_POSITIVE) && *tolerance < 1.0 => {}
        None | Some(Known::Number(None) | Known::Anything) => {}
        Some(known) => return Err(wrong(2, known, "a number between 0 and 1 as tolerance")),
    }
    match a.shape() {
        Some((rows, columns)) if rows != columns => Err(wrong(0, a, "a square matrix")),
        _ => Ok((a, b)),
    }
}

/// `size(A)`
pub fn size(_: &Bounds, arguments: &[Known]) -> Judged<Known> {
    matrix(arguments, 0).map(|_| Known::Matrix(1, 2))
}

/// `rows(A)`
pub fn rows(_: &Bounds, arguments: &[Known]) -> Judged<Known> {
    matrix(arguments, 0).map(|known| Known::Number(known.shape().map(|(rows, _)| rows as f64)))
}

/// `columns(A)`
pub fn columns(_: &Bounds, arguments: &[Known]) -> Judged<Known> {
    matrix(arguments, 0).map(|known| Known::Number(known.shape().map(|(_, columns)| columns as f64)))
}

/// `load("file")`
pub fn load(_: &Bounds, arguments: &[Known]) -> Judged<Known> {
    text(arguments, 0)?;
    Ok(Known::Anything)
}

/// `save("file", A)`
pub fn save(_: &Bounds, arguments: &[Known]) -> Judged<Known> {
    text(arguments, 0)?;
    matrix(arguments, 1)?;
    Ok(Known::Nothing)
}

/// An argument that is a matrix, a number, or not yet known.
fn matrix(arguments: &[Known], at: usize) -> Judged<&Known> {
    match &arguments[at] {
        known @ (Known::Text(_) | Known::Nothing) => Err(wrong(at, known, "a matrix or a number")),
        known => Ok(known),
    }
}

fn text(arguments: &[Known], at: usize) -> Judged<()> {
    match &arguments[at] {
        Known::Text(_) => Ok(()),
        known => Err(wrong(at, known, "the name of a file in double quotes")),
    }
}

/// How many rows or columns are asked for, if it is known.
fn count(arguments: &[Known], at: usize, what: &str) -> Judged<Option<usize>> {
    whole(&arguments[at], at, &format!("a whole number of {what}"))
        .map(|count| count.map(|count| count as usize))
}

/// A whole number of at least 0, if it is known.
pub fn whole(known: &Known, at: usize, expected: &str) -> Judged<Option<f64>> {
    match known {
        Known::Anything | Known::Number(None) => Ok(None),
        Known::Number(Some(value)) if *value >= 0.0 && *value <= WHOLE && value.trunc() == *value => {
            Ok(Some(*value))
        }
        Known::Number(Some(value)) if *value > WHOLE => {
            Err(wrong(at, known, &format!("{expected} below 2^53")))
        }
        known => Err(wrong(at, known, expected)),
    }
}
