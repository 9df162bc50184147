//! Functions that make matrices.

use std::rc::Rc;

use super::super::arithmetic;
use super::super::known::Judged;
use super::super::value::Value;
use super::Machine;
use crate::matrix::Matrix;
use crate::numeric::Random;

/// `zeros(rows, columns)`
pub fn zeros(machine: &mut Machine, arguments: &[Value]) -> Judged<Value> {
    Value::of(Matrix::zeros(machine.algebra, count(arguments, 0), count(arguments, 1))?)
}

/// `ones(rows, columns)`
pub fn ones(machine: &mut Machine, arguments: &[Value]) -> Judged<Value> {
    let mut ones = Matrix::zeros(machine.algebra, count(arguments, 0), count(arguments, 1))?;
    ones.fill(1.0)?;
    Value::of(ones)
}

/// `identity(n)`
pub fn identity(machine: &mut Machine, arguments: &[Value]) -> Judged<Value> {
    Value::of(Matrix::identity(machine.algebra, count(arguments, 0))?)
}

/// `random(rows, columns[, seed])`: 24 bits each, from 0 to 1 without 1. Without a seed, the numbers after those of
/// the call before.
pub fn random(machine: &mut Machine, arguments: &[Value]) -> Judged<Value> {
    let (rows, columns) = (count(arguments, 0), count(arguments, 1));
    let mut seeded = Random(count(arguments, 2) as u64);
    let random = if arguments.len() > 2 { &mut seeded } else { &mut *machine.random };
    let elements: Vec<f32> = (0..rows.saturating_mul(columns)).map(|_| random.unit()).collect();
    Value::of(Matrix::new(machine.algebra, rows, columns, &elements)?)
}

/// `transpose(A)`
pub fn transpose(machine: &mut Machine, arguments: &[Value]) -> Judged<Value> {
    match &arguments[0] {
        Value::Matrix(matrix) => Ok(Value::Matrix(Rc::new(arithmetic::transposed(machine.algebra, matrix)?))),
        value => Ok(value.clone()),
    }
}

/// `abs(A)`
pub fn abs(machine: &mut Machine, arguments: &[Value]) -> Judged<Value> {
    match &arguments[0] {
        Value::Number(value) => Ok(Value::Number(value.abs())),
        Value::Matrix(matrix) => {
            let mut result = Matrix::zeros(machine.algebra, matrix.rows(), matrix.columns())?;
            result.set_magnitude(matrix)?;
            Ok(Value::Matrix(Rc::new(result)))
        }
        value => Ok(value.clone()),
    }
}

/// A number that a rule has found to be whole.
fn count(arguments: &[Value], at: usize) -> usize {
    match arguments.get(at) {
        Some(Value::Number(value)) => *value as usize,
        _ => 0,
    }
}
