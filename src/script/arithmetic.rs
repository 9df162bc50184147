//! Operators on values whose shapes are known to fit ([`Bounds::combined`](super::known::Bounds::combined)).

use std::rc::Rc;

use super::ast::Operator;
use super::known::{self, Judged, Known};
use super::value::{Value, single};
use crate::linalg::Algebra;
use crate::matrix::{Matrix, Operand};

/// A value on one side of an operator. A transpose waits here until it is clear that no product takes it as it is.
#[derive(Clone)]
pub(super) struct Side {
    pub value: Value,
    pub transposed: bool,
}

impl Side {
    pub fn known(&self) -> Known {
        let known = self.value.known();
        if self.transposed { known.transposed() } else { known }
    }

    /// The value by itself: one pass, if a transpose waits.
    pub fn settled(self, algebra: &Algebra) -> Judged<Value> {
        match self.value {
            Value::Matrix(matrix) if self.transposed => {
                Ok(Value::Matrix(Rc::new(transposed(algebra, &matrix)?)))
            }
            value => Ok(value),
        }
    }
}

/// `left operator right`, of shapes that fit.
///
/// # Errors
/// Those of the GPU; a number that is too large for a matrix.
pub(super) fn combined(algebra: &Algebra, operator: Operator, left: Side, right: Side) -> Judged<Value> {
    if let (Value::Matrix(a), Value::Matrix(b), Operator::Times) = (&left.value, &right.value, operator) {
        return product(algebra, operand(a, left.transposed), operand(b, right.transposed));
    }
    match (left.settled(algebra)?, right.settled(algebra)?) {
        (Value::Number(a), Value::Number(b)) => Ok(Value::Number(known::apply(operator, a, b))),
        (Value::Matrix(a), Value::Matrix(b)) => Ok(Value::Matrix(Rc::new(elements(operator, &a, &b)?))),
        (Value::Matrix(a), Value::Number(b)) => {
            Ok(Value::Matrix(Rc::new(match operator {
                Operator::Add => shifted(&a, single(b)?)?,
                Operator::Subtract => shifted(&a, single(-b)?)?,
                Operator::Times | Operator::DotTimes => scaled(a, single(b)?)?,
                // Not times 1 / b, which would be rounded twice.
                Operator::Over | Operator::DotOver => elements(operator, &a, &filled(&a, single(b)?)?)?,
            })))
        }
        (Value::Number(a), Value::Matrix(b)) => Ok(Value::Matrix(Rc::new(match operator {
            Operator::Add => shifted(&b, single(a)?)?,
            Operator::Times | Operator::DotTimes => scaled(b, single(a)?)?,
            Operator::Subtract | Operator::Over | Operator::DotOver => {
                elements(operator, &filled(&b, single(a)?)?, &b)?
            }
        }))),
        _ => Err(format!("`{}` takes numbers and matrices", operator.sign()).into()),
    }
}

/// −value.
pub(super) fn negated(value: Value) -> Judged<Value> {
    Ok(match value {
        Value::Number(value) => Value::Number(-value),
        Value::Matrix(matrix) => Value::Matrix(Rc::new(scaled(matrix, -1.0)?)),
        _ => return Err("`-` takes numbers and matrices".to_owned().into()),
    })
}

/// Aᵀ, drawn.
pub(super) fn transposed(algebra: &Algebra, matrix: &Matrix) -> Judged<Matrix> {
    let mut result = Matrix::zeros(algebra, matrix.columns(), matrix.rows())?;
    result.set_transpose(matrix)?;
    Ok(result)
}

/// A matrix of the same shape with one number everywhere.
pub(super) fn filled(like: &Matrix, value: f32) -> Judged<Matrix> {
    let mut result = Matrix::zeros(like.algebra(), like.rows(), like.columns())?;
    result.fill(value)?;
    Ok(result)
}

fn operand(matrix: &Rc<Matrix>, transposed: bool) -> Operand<'_> {
    if transposed { matrix.t() } else { Operand::from(&**matrix) }
}

fn product(algebra: &Algebra, a: Operand, b: Operand) -> Judged<Value> {
    let mut result = Matrix::zeros(algebra, a.shape().0, b.shape().1)?;
    result.gemm(1.0, a, b, 0.0)?;
    Value::of(result)
}

fn elements(operator: Operator, a: &Matrix, b: &Matrix) -> Judged<Matrix> {
    let mut result = Matrix::zeros(a.algebra(), a.rows(), a.columns())?;
    match operator {
        Operator::Add => result.set_sum(1.0, a, 1.0, b)?,
        Operator::Subtract => result.set_sum(1.0, a, -1.0, b)?,
        Operator::Times | Operator::DotTimes => result.set_product(1.0, a, b)?,
        Operator::Over | Operator::DotOver => result.set_quotient(a, b)?,
    }
    Ok(result)
}

fn shifted(a: &Matrix, by: f32) -> Judged<Matrix> {
    let mut result = Matrix::zeros(a.algebra(), a.rows(), a.columns())?;
    result.set_shifted(a, by)?;
    Ok(result)
}

/// A number times a matrix; in place, where nobody else has it.
fn scaled(a: Rc<Matrix>, by: f32) -> Judged<Matrix> {
    if !by.is_finite() {
        return elements(Operator::DotTimes, &a, &filled(&a, by)?); // what is beyond the edge stays 0
    }
    match Rc::try_unwrap(a) {
        Ok(mut own) => {
            own.scale(by)?;
            Ok(own)
        }
        Err(shared) => {
            let mut result = Matrix::zeros(shared.algebra(), shared.rows(), shared.columns())?;
            result.set_scaled(by, &shared)?;
            Ok(result)
        }
    }
}
