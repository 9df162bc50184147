//! Facts about a value before it is computed, and the rules by which shapes fit.
//!
//! The same rules serve twice: over a whole script before its first statement runs, where much is unknown, and
//! over the values themselves before each operation, where nothing is. No pass is made for shapes that do not fit.

use super::ast::Operator;
use super::token::excerpt;

/// As much as is known.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Known {
    /// A number or a matrix: what a file holds, say.
    Anything,
    /// A number; it may be known.
    Number(Option<f64>),
    /// A matrix of that many rows and columns; 1 x 1 is a number.
    Matrix(usize, usize),
    /// A text between quotes.
    Text(String),
    /// No value: what [`save`](super::functions) gives.
    Nothing,
}

/// Why something cannot be done, and which argument is to blame.
#[derive(Debug, PartialEq)]
pub(super) struct Refusal {
    /// From 0; `None` if it is all of them together.
    pub argument: Option<usize>,
    pub message: String,
}

pub(super) type Judged<T> = Result<T, Refusal>;

impl Refusal {
    pub fn of(argument: usize, message: impl Into<String>) -> Refusal {
        Refusal { argument: Some(argument), message: message.into() }
    }
}

impl From<String> for Refusal {
    fn from(message: String) -> Refusal {
        Refusal { argument: None, message }
    }
}

impl From<crate::Error> for Refusal {
    fn from(error: crate::Error) -> Refusal {
        error.to_string().into()
    }
}

/// How large a matrix may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub elements: usize,
    pub rows: usize,
    pub columns: usize,
}

impl Bounds {
    /// The shape of a matrix that is to be.
    ///
    /// # Errors
    /// It has no elements, or too many.
    pub fn shape(&self, rows: usize, columns: usize) -> Judged<Known> {
        if rows == 0 || columns == 0 {
            return Err(
                format!("a matrix of {rows} x {columns} has no elements, expected at least 1 x 1").into()
            );
        }
        let elements = rows.checked_mul(columns).filter(|elements| *elements <= self.elements);
        match elements.filter(|_| rows <= self.rows && columns <= self.columns) {
            Some(1) => Ok(Known::Number(None)),
            Some(_) => Ok(Known::Matrix(rows, columns)),
            None => {
                let Bounds { elements, rows: most_rows, columns: most_columns } = self;
                let message = format!(
                    "a matrix of {rows} x {columns} is too large: at most {most_rows} rows, {most_columns} columns and \
                     {elements} elements are allowed"
                );
                Err(message.into())
            }
        }
    }

    /// The shape of `left operator right`.
    ///
    /// # Errors
    /// Shapes that do not fit, with both of them; text; a result that is too large.
    pub fn combined(&self, operator: Operator, left: &Known, right: &Known) -> Judged<Known> {
        use Operator::{Over, Times};
        let sign = operator.sign();
        for (side, operand) in [("left", left), ("right", right)] {
            if let Known::Text(_) = operand {
                let found = operand.described();
                return Err(format!(
                    "found {found} on the {side} of `{sign}`, expected a number or a matrix"
                )
                .into());
            }
        }
        match (left, right) {
            (Known::Number(a), Known::Number(b)) => {
                Ok(Known::Number(a.zip(*b).map(|(a, b)| apply(operator, a, b))))
            }
            (_, Known::Matrix(rows, columns)) if operator == Over => {
                let solve = "A ./ B divides element by element, solve(A, b) solves A x = b";
                let left = left.described();
                Err(format!("`/` divides by a number: found {left} / {rows} x {columns}, where {solve}")
                    .into())
            }
            (Known::Matrix(m, k), Known::Matrix(l, n)) if operator == Times => match k == l {
                true => self.shape(*m, *n),
                false => Err(unfit(
                    sign,
                    left,
                    right,
                    &format!("{} on the left or {} on the right", counted(*l, "column"), counted(*k, "row")),
                )),
            },
            (Known::Matrix(rows, columns), Known::Matrix(..)) => match left == right {
                true => Ok(Known::Matrix(*rows, *columns)),
                false => Err(unfit(sign, left, right, "the same shape twice, or a number")),
            },
            (Known::Matrix(rows, columns), Known::Number(_))
            | (Known::Number(_), Known::Matrix(rows, columns)) => Ok(Known::Matrix(*rows, *columns)),
            _ => Ok(Known::Anything),
        }
    }

    /// The shape of blocks side by side and below each other; each row with its shapes.
    ///
    /// # Errors
    /// No blocks; rows of a block row that differ, or widths of block rows; text. The argument is the number of
    /// the block, row after row.
    pub fn blocks(&self, rows: &[Vec<Known>]) -> Judged<Known> {
        let (mut height, mut width, mut at) = (0_usize, None, 0);
        for row in rows {
            let (mut tall, mut wide) = (None, 0_usize);
            for block in row {
                let Some((rows, columns)) = block.shape_of_block(at)? else { return Ok(Known::Anything) };
                if let Some(before) = tall.filter(|tall| *tall != rows) {
                    let message = format!(
                        "the elements of one row differ in height: found {}, expected {} as before it",
                        block.described(),
                        counted(before, "row")
                    );
                    return Err(Refusal::of(at, message));
                }
                tall = Some(rows);
                wide = wide.saturating_add(columns);
                at += 1;
            }
            if let Some(before) = width.filter(|width| *width != wide) {
                let first = at - row.len();
                let message = format!(
                    "the rows differ in length: found {}, expected {before} as above",
                    counted(wide, "column")
                );
                return Err(Refusal::of(first, message));
            }
            width = Some(wide);
            height = height.saturating_add(tall.unwrap_or_default());
        }
        match width {
            Some(width) => self.shape(height, width),
            None => Err("`[]` has no elements, expected at least one".to_owned().into()),
        }
    }
}

/// `1 row`, `2 rows`.
pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Two numbers combined.
pub(super) fn apply(operator: Operator, a: f64, b: f64) -> f64 {
    match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Times | Operator::DotTimes => a * b,
        Operator::Over | Operator::DotOver => a / b,
    }
}

/// The refusal of two shapes that do not fit.
fn unfit(what: &str, left: &Known, right: &Known, expected: &str) -> Refusal {
    let (left, right) = (left.described(), right.described());
    format!("the shapes do not fit `{what}`: found {left} and {right}, expected {expected}").into()
}

impl Known {
    /// Rows and columns of what is a matrix or can be one; a number is 1 x 1.
    pub fn shape(&self) -> Option<(usize, usize)> {
        match self {
            Known::Number(_) => Some((1, 1)),
            Known::Matrix(rows, columns) => Some((*rows, *columns)),
            _ => None,
        }
    }

    fn shape_of_block(&self, at: usize) -> Judged<Option<(usize, usize)>> {
        match self {
            Known::Text(_) => {
                let message =
                    format!("found {} in a matrix, expected a number or a matrix", self.described());
                Err(Refusal::of(at, message))
            }
            known => Ok(known.shape()),
        }
    }

    /// The result of `'`.
    pub fn transposed(self) -> Known {
        match self {
            Known::Matrix(rows, columns) => Known::Matrix(columns, rows),
            other => other,
        }
    }

    /// The result of a leading `-`.
    pub fn negated(self) -> Known {
        match self {
            Known::Number(value) => Known::Number(value.map(|value| -value)),
            other => other,
        }
    }

    /// As a message names it: `3 x 4`, `the number 2`.
    pub fn described(&self) -> String {
        match self {
            Known::Anything => "a value".to_owned(),
            Known::Number(Some(value)) => format!("the number {}", super::show::number(*value)),
            Known::Number(None) => "a number".to_owned(),
            Known::Matrix(rows, columns) => format!("{rows} x {columns}"),
            Known::Text(text) => format!("the text \"{}\"", excerpt(text)),
            Known::Nothing => "nothing".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { elements: 100, rows: 50, columns: 50 };

    fn line(judged: Judged<Known>) -> String {
        judged.map_or_else(|refusal| refusal.message, |known| known.described())
    }

    #[test]
    fn shapes_of_results_follow_from_shapes() {
        use Known::{Matrix, Number};
        use Operator::*;
        for (operator, left, right, result) in [
            (Times, Matrix(3, 4), Matrix(4, 2), "3 x 2"),
            (Times, Matrix(1, 4), Matrix(4, 1), "a number"),
            (Times, Number(Some(2.0)), Matrix(4, 2), "4 x 2"),
            (Add, Matrix(3, 4), Matrix(3, 4), "3 x 4"),
            (Add, Matrix(3, 4), Number(None), "3 x 4"),
            (DotOver, Number(None), Matrix(2, 2), "2 x 2"),
            (Over, Number(Some(1.0)), Number(Some(4.0)), "the number 0.25"),
            (Times, Known::Anything, Matrix(2, 2), "a value"),
            (
                Times,
                Matrix(3, 4),
                Matrix(5, 2),
                "the shapes do not fit `*`: found 3 x 4 and 5 x 2, expected 5 columns on the left or 4 rows on the \
                 right",
            ),
            (
                Subtract,
                Matrix(3, 4),
                Matrix(4, 3),
                "the shapes do not fit `-`: found 3 x 4 and 4 x 3, expected the same shape twice, or a number",
            ),
            (
                Times,
                Matrix(50, 1),
                Matrix(1, 50),
                "a matrix of 50 x 50 is too large: at most 50 rows, 50 columns and 100 elements are allowed",
            ),
        ] {
            assert_eq!(line(BOUNDS.combined(operator, &left, &right)), result);
        }
    }
}
