//! A script as a tree. Every part of it knows where it stands in the text.

use super::Span;

/// One statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The action of the statement.
    pub action: Action,
    /// All of it, without its end.
    pub span: Span,
}

/// The action of a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// `name = value`
    Assign(Name, Expression),
    /// `print a, b`
    Print(Vec<Expression>),
    /// An expression alone: its value is printed, if it has one.
    Show(Expression),
    /// `time statement`
    Time(Box<Statement>),
}

/// A name and where it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// A part of the text that has a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// The kind of the expression.
    pub kind: Kind,
    /// All of it, with its parentheses.
    pub span: Span,
}

/// The kinds of expressions.
///
/// Only brackets nest: operators in a row lie side by side, so that a tree is no deeper than
/// [`NESTING`](super::NESTING), however long the line.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// `2.5`
    Number(f64),
    /// `"file.npy"`
    Text(String),
    /// `A`
    Variable(String),
    /// `zeros(3, 4)`; of a variable, a part: `A(1, :)`.
    Call(Name, Vec<Expression>),
    /// `:` between the parentheses of a part: all rows, or all columns.
    All,
    /// `i:k` there.
    Through(Box<Expression>, Box<Expression>),
    /// `[1 2; 3 4]`, row after row.
    Elements(Vec<Vec<Expression>>),
    /// `A'`
    Transpose(Box<Expression>),
    /// `-A`
    Minus(Box<Expression>),
    /// `a + b - c`, or `a * b / c`: from left to right.
    Chain(Box<Expression>, Vec<(Operator, Expression)>),
}

/// An operator between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`: the matrix product, or a number times a matrix.
    Times,
    /// `/`: by a number.
    Over,
    /// `.*`: element by element.
    DotTimes,
    /// `./`: element by element.
    DotOver,
}

impl Operator {
    /// As it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Times => "*",
            Operator::Over => "/",
            Operator::DotTimes => ".*",
            Operator::DotOver => "./",
        }
    }
}
