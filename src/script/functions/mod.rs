//! The functions of the language: what they take, what they give, and the rules between.

mod files;
mod making;
mod measures;
mod rules;
mod solving;

pub(super) use files::loaded;
pub(super) use rules::whole;

use std::ops::RangeInclusive;

use super::Host;
use super::known::{Bounds, Judged, Known, Refusal, counted};
use super::value::Value;
use crate::linalg::Algebra;
use crate::numeric::Random;

/// A function by its name.
pub struct Function {
    /// The name.
    pub name: &'static str,
    /// How it is called: `zeros(rows, columns)`.
    pub usage: &'static str,
    /// The purpose of the function, in a few words.
    pub about: &'static str,
    pub(super) arguments: RangeInclusive<usize>,
    /// Judges the result from the facts known of the arguments.
    pub(super) rule: fn(&Bounds, &[Known]) -> Judged<Known>,
    /// The result, of arguments that the rule has seen.
    pub(super) run: fn(&mut Machine, &[Value]) -> Judged<Value>,
}

/// The state that functions work with.
pub(super) struct Machine<'a> {
    pub algebra: &'a Algebra,
    pub bounds: &'a Bounds,
    pub random: &'a mut Random,
    pub host: &'a mut dyn Host,
}

const fn function(
    name: &'static str,
    usage: &'static str,
    about: &'static str,
    arguments: RangeInclusive<usize>,
    rule: fn(&Bounds, &[Known]) -> Judged<Known>,
    run: fn(&mut Machine, &[Value]) -> Judged<Value>,
) -> Function {
    Function { name, usage, about, arguments, rule, run }
}

/// All functions, in the order of the help.
pub static FUNCTIONS: &[Function] = &[
    function("zeros", "zeros(rows, columns)", "all 0", 2..=2, rules::sized, making::zeros),
    function("ones", "ones(rows, columns)", "all 1", 2..=2, rules::sized, making::ones),
    function("identity", "identity(n)", "1 on the diagonal", 1..=1, rules::square, making::identity),
    function(
        "random",
        "random(rows, columns[, seed])",
        "from 0 to 1, the same in every run",
        2..=3,
        rules::random,
        making::random,
    ),
    function(
        "solve",
        "solve(A, b[, tolerance])",
        "x with A x = b, to 1e-5; A symmetric positive definite",
        2..=3,
        rules::solve,
        solving::solve,
    ),
    function(
        "lcp",
        "lcp(A, b[, tolerance])",
        "x >= 0 with A x + b >= 0, x' * (A x + b) = 0",
        2..=3,
        rules::lcp,
        solving::lcp,
    ),
    function("transpose", "transpose(A)", "as A'", 1..=1, rules::transpose, making::transpose),
    function("abs", "abs(A)", "magnitudes", 1..=1, rules::same, making::abs),
    function(
        "max",
        "max(A[, number])",
        "the largest element, or with a number each; NaN wins",
        1..=2,
        rules::extreme,
        measures::max,
    ),
    function("min", "min(A[, number])", "the smallest, likewise", 1..=2, rules::extreme, measures::min),
    function("sum", "sum(A)", "of all elements", 1..=1, rules::measure, measures::sum),
    function("dot", "dot(A, B)", "sum of A .* B", 2..=2, rules::dot, measures::dot),
    function("norm", "norm(A)", "root of the sum of squares", 1..=1, rules::measure, measures::norm),
    function("size", "size(A)", "[rows columns]", 1..=1, rules::size, measures::size),
    function("rows", "rows(A)", "how many", 1..=1, rules::rows, measures::rows),
    function("columns", "columns(A)", "how many", 1..=1, rules::columns, measures::columns),
    function("load", "load(\"file\")", "a matrix from .mtx, .npy or .csv", 1..=1, rules::load, files::load),
    function("save", "save(\"file\", A)", "a matrix to such a file", 2..=2, rules::save, files::save),
];

/// Names of functions in other languages, and ours for the same.
const ELSEWHERE: &[(&str, &str)] = &[
    ("eye", "identity(n)"),
    ("rand", "random(rows, columns)"),
    ("cols", "columns(A)"),
    ("length", "rows(A) or columns(A)"),
    ("shape", "size(A)"),
    ("disp", "print A"),
    ("display", "print A"),
    ("printf", "print A"),
    ("inv", "solve(A, b)"),
    ("cg", "solve(A, b)"),
    ("pcg", "solve(A, b)"),
    ("pi", "3.14159265358979"),
    ("inf", "1 / 0"),
    ("Inf", "1 / 0"),
    ("tic", "time statement"),
    ("toc", "time statement"),
];

/// The function of that name.
///
/// # Errors
/// There is none; with the one that may have been meant.
pub(super) fn named(name: &str) -> Result<&'static Function, String> {
    match FUNCTIONS.iter().find(|function| function.name == name) {
        Some(function) => Ok(function),
        None => {
            let hint = elsewhere(name).or_else(|| {
                nearest(name, FUNCTIONS.iter().map(|function| function.name))
                    .map(|near| format!("did you mean `{near}`?"))
            });
            let hint = hint.unwrap_or_else(|| {
                let all: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
                format!("there are {}", all.join(", "))
            });
            Err(format!("there is no function `{}`: {hint}", super::token::excerpt(name)))
        }
    }
}

/// Our spelling for a name of another language.
pub(super) fn elsewhere(name: &str) -> Option<String> {
    ELSEWHERE.iter().find(|(other, _)| *other == name).map(|(_, here)| format!("here it is {here}"))
}

/// The candidate that differs from a name by few letters, if one does.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let letters = name.chars().count();
    if letters > 40 {
        return None; // the distance takes the product of both lengths
    }
    let distance = |candidate: &'a str| (strsim::damerau_levenshtein(name, candidate), candidate);
    let near = candidates.map(distance).min()?;
    (near.0 <= letters.div_ceil(3)).then_some(near.1)
}

impl Function {
    /// The facts known of a call's result.
    ///
    /// # Errors
    /// Too many arguments or too few; those of its rule.
    pub(super) fn judged(&self, bounds: &Bounds, arguments: &[Known]) -> Judged<Known> {
        let (least, most, found) = (self.arguments.start(), self.arguments.end(), arguments.len());
        if self.arguments.contains(&found) {
            return (self.rule)(bounds, arguments);
        }
        let expected = if least == most { format!("{least}") } else { format!("{least} or {most}") };
        Err(format!("found {}, expected {expected}: {}", counted(found, "argument"), self.usage).into())
    }
}

/// An argument's fault: what was found there, and what the function takes.
pub(super) fn wrong(argument: usize, known: &Known, expected: &str) -> Refusal {
    Refusal::of(argument, format!("found {}, expected {expected}", known.described()))
}
