//! Values while a script runs.

use std::rc::Rc;

use super::known::{Judged, Known};
use super::show;
use crate::matrix::Matrix;

/// Rows and columns of numbers on the CPU: what goes to files and comes from them.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// How many rows.
    pub rows: usize,
    /// How many columns.
    pub columns: usize,
    /// rows · columns numbers, row after row.
    pub elements: Vec<f32>,
}

/// The value of a name. Numbers live on the CPU, in 64 bits, matrices on the GPU, in 32; a 1 x 1 result is a number.
#[derive(Clone)]
pub(super) enum Value {
    Number(f64),
    /// Shared: `B = A` copies nothing, because no operation changes a matrix that has a name.
    Matrix(Rc<Matrix>),
    Text(String),
    Nothing,
}

impl Value {
    /// The value of a result that may be 1 x 1: then it is read back.
    pub fn of(matrix: Matrix) -> Judged<Value> {
        match matrix.shape() {
            (1, 1) => Ok(Value::Number(matrix.get()?.first().copied().unwrap_or(f32::NAN).into())),
            _ => Ok(Value::Matrix(Rc::new(matrix))),
        }
    }

    /// All that the rules ask for.
    pub fn known(&self) -> Known {
        match self {
            Value::Number(value) => Known::Number(Some(*value)),
            Value::Matrix(matrix) => Known::Matrix(matrix.rows(), matrix.columns()),
            Value::Text(text) => Known::Text(text.clone()),
            Value::Nothing => Known::Nothing,
        }
    }

    /// Its elements on the CPU; none of a text.
    pub fn table(&self) -> Judged<Table> {
        Ok(match self {
            Value::Number(value) => Table { rows: 1, columns: 1, elements: vec![single(*value)?] },
            Value::Matrix(matrix) => {
                let (rows, columns) = matrix.shape();
                Table { rows, columns, elements: matrix.get()? }
            }
            Value::Text(_) | Value::Nothing => Table { rows: 0, columns: 0, elements: Vec::new() },
        })
    }

    /// As it is printed: one line for a number or a text, a line a row for a matrix.
    pub fn lines(&self) -> Judged<Vec<String>> {
        Ok(match self {
            Value::Number(value) => vec![show::number(*value)],
            Value::Matrix(matrix) => show::matrix(matrix.rows(), matrix.columns(), &matrix.get()?),
            Value::Text(text) => vec![text.clone()],
            Value::Nothing => Vec::new(),
        })
    }
}

/// A number as an element of a matrix, rounded to 32 bits.
///
/// # Errors
/// A finite number that 32 bits cannot hold.
pub(super) fn single(value: f64) -> Judged<f32> {
    let rounded = value as f32;
    if value.is_finite() && !rounded.is_finite() {
        let value = show::number(value);
        return Err(
            format!("the number {value} is too large for a matrix: 32-bit floats end at 3.4e38").into()
        );
    }
    Ok(rounded)
}
