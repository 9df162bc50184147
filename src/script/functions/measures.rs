//! Functions that look at all elements of a matrix. Their results are read back: numbers live on the CPU.

use std::rc::Rc;

use super::super::known::Judged;
use super::super::value::{Value, single};
use super::Machine;
use crate::linalg::Scalar;
use crate::matrix::Matrix;
use crate::numeric::{larger, smaller};

/// `sum(A)`
pub fn sum(machine: &mut Machine, arguments: &[Value]) -> Judged<Value> {
    measured(machine, &arguments[0], |value| value, Matrix::sum)
}

/// `norm(A)`: of a vector ‖x‖₂, of a matrix ‖A‖_F.
pub fn norm(machine: &mut Machine, arguments: &[Value]) -> Judged<Value> {
    measured(machine, &arguments[0], f64::abs, Matrix::nrm2)
}

/// `dot(A, B)`
pub fn dot(machine: &mut Machine, arguments: &[Value]) -> Judged<Value> {
    match (&arguments[0], &arguments[1]) {
        (Value::Matrix(a), Value::Matrix(b)) => {
            measured(machine, &arguments[0], |value| value, |_, product| a.dot(b, product))
        }
        (Value::Number(a), Value::Number(b)) => Ok(Value::Number(a * b)),
        _ => Ok(Value::Nothing),
    }
}

/// `max(A)`, `max(A, number)`; what is no number wins.
pub fn max(machine: &mut Machine, arguments: &[Value]) -> Judged<Value> {
    extreme(machine, arguments, larger, Matrix::max, Matrix::set_max)
}

/// `min(A)`, `min(A, number)`
pub fn min(machine: &mut Machine, arguments: &[Value]) -> Judged<Value> {
    extreme(machine, arguments, smaller, Matrix::min, Matrix::set_min)
}

/// `size(A)`
pub fn size(machine: &mut Machine, arguments: &[Value]) -> Judged<Value> {
    let (rows, columns) = arguments[0].known().shape().unwrap_or_default();
    Value::of(Matrix::new(machine.algebra, 1, 2, &[rows as f32, columns as f32])?)
}

/// `rows(A)`
pub fn rows(_: &mut Machine, arguments: &[Value]) -> Judged<Value> {
    Ok(Value::Number(arguments[0].known().shape().unwrap_or_default().0 as f64))
}

/// `columns(A)`
pub fn columns(_: &mut Machine, arguments: &[Value]) -> Judged<Value> {
    Ok(Value::Number(arguments[0].known().shape().unwrap_or_default().1 as f64))
}

/// A number from a matrix by `of_matrix`, from a number by `of_number`.
fn measured(
    machine: &Machine,
    value: &Value,
    of_number: fn(f64) -> f64,
    of_matrix: impl FnOnce(&Matrix, &mut Scalar) -> crate::Result<()>,
) -> Judged<Value> {
    match value {
        Value::Number(value) => Ok(Value::Number(of_number(*value))),
        Value::Matrix(matrix) => {
            let mut result = machine.algebra.scalar(0.0)?;
            of_matrix(matrix, &mut result)?;
            Ok(Value::Number(result.get()?.into()))
        }
        value => Ok(value.clone()),
    }
}

fn extreme(
    machine: &Machine,
    arguments: &[Value],
    of_two: fn(f64, f64) -> f64,
    of_all: fn(&Matrix, &mut Scalar) -> crate::Result<()>,
    of_each: fn(&mut Matrix, &Matrix, f32) -> crate::Result<()>,
) -> Judged<Value> {
    match arguments {
        [Value::Number(a), Value::Number(b)] => Ok(Value::Number(of_two(*a, *b))),
        [Value::Matrix(matrix), Value::Number(number)] | [Value::Number(number), Value::Matrix(matrix)] => {
            let mut result = Matrix::zeros(machine.algebra, matrix.rows(), matrix.columns())?;
            of_each(&mut result, matrix, single(*number)?)?;
            Ok(Value::Matrix(Rc::new(result)))
        }
        [value, ..] => measured(machine, value, |value| value, of_all),
        [] => Ok(Value::Nothing),
    }
}
