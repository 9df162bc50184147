//! The check of a script before it runs: names that are not set, functions that do not exist, shapes that cannot fit,
//! files that do not exist, as far as they are known without running anything.
//!
//! A script has no branches, so each of these faults is certain, and it is better to report it now than after an hour.
//! The rules (`known.rs`, `functions/rules.rs`) work on the facts that are known so far. The interpreter applies the
//! same rules again before each operation, when all facts are known.

use std::collections::BTreeMap;

use super::ast::{Action, Expression, Kind, Name, Statement};
use super::functions::{self, FUNCTIONS};
use super::known::{Bounds, Judged, Known};
use super::token::excerpt;
use super::{Fault, Host, Span, parts};

/// The facts known of the variables at some place of a script, and of the files saved before.
pub(super) struct Check<'a> {
    pub bounds: &'a Bounds,
    pub names: BTreeMap<String, Known>,
    pub host: &'a dyn Host,
    pub saved: BTreeMap<String, Known>,
}

impl Check<'_> {
    /// Follows a statement.
    ///
    /// # Errors
    /// The first thing in it that cannot be.
    pub fn statement(&mut self, statement: &Statement) -> Result<(), Fault> {
        match &statement.action {
            Action::Assign(name, value) => {
                let known = self.value(value)?;
                self.names.insert(name.text.clone(), known);
            }
            Action::Print(items) => {
                for item in items {
                    self.value(item)?;
                }
            }
            Action::Show(shown) => {
                self.expression(shown)?;
            }
            Action::Time(timed) => self.statement(timed)?,
        }
        Ok(())
    }

    /// Returns the facts known of an expression that must have a value.
    fn value(&mut self, expression: &Expression) -> Result<Known, Fault> {
        match (self.expression(expression)?, &expression.kind) {
            (Known::Nothing, Kind::Call(name, _)) => Err(no_value(name, expression.span)),
            (known, _) => Ok(known),
        }
    }

    fn expression(&mut self, expression: &Expression) -> Result<Known, Fault> {
        match &expression.kind {
            Kind::Number(value) => Ok(Known::Number(Some(*value))),
            Kind::Text(text) => Ok(Known::Text(text.clone())),
            Kind::Variable(name) => {
                let known = self.names.get(name);
                known
                    .cloned()
                    .ok_or_else(|| not_set(name, expression.span, self.names.keys().map(String::as_str)))
            }
            Kind::All | Kind::Through(..) => Err(parts::no_part(expression.span)),
            Kind::Call(name, arguments) if self.is_part(name) => {
                let of = self.names.get(&name.text).cloned().unwrap_or(Known::Anything);
                let places = parts::places(arguments, |place| self.value(place))?;
                let spans: Vec<Span> = arguments.iter().map(|argument| argument.span).collect();
                let extents = parts::extents(&excerpt(&name.text), &of, &places);
                let (rows, columns) = at(extents, expression.span, &spans)?;
                Ok(parts::known(&rows, &columns))
            }
            Kind::Call(name, arguments) => {
                let known =
                    arguments.iter().map(|argument| self.value(argument)).collect::<Result<Vec<_>, _>>()?;
                let result = called(self.bounds, name, expression.span, arguments, &known)?;
                at(self.file(&name.text, &known, result), expression.span, &[])
            }
            Kind::Elements(rows) => {
                let row = |row: &Vec<Expression>| row.iter().map(|element| self.value(element)).collect();
                let known = rows.iter().map(row).collect::<Result<Vec<Vec<Known>>, _>>()?;
                blocks(self.bounds, rows, &known, expression.span)
            }
            Kind::Transpose(operand) => {
                let known = numeric(self.value(operand)?, "'", operand.span)?;
                Ok(known.transposed())
            }
            Kind::Minus(operand) => Ok(numeric(self.value(operand)?, "-", operand.span)?.negated()),
            Kind::Chain(first, rest) => {
                let mut left = self.value(first)?;
                for (operator, operand) in rest {
                    let right = self.value(operand)?;
                    let combined = self.bounds.combined(*operator, &left, &right);
                    left = at(combined, first.span.to(operand.span), &[])?;
                }
                Ok(left)
            }
        }
    }
}

impl Check<'_> {
    /// Returns true if the parentheses behind this name hold places of a part.
    fn is_part(&self, name: &Name) -> bool {
        self.names.contains_key(&name.text) && functions::named(&name.text).is_err()
    }

    /// Asks the host for what a function that reads a file will find; returns `result` for all others.
    fn file(&mut self, function: &str, arguments: &[Known], result: Known) -> Judged<Known> {
        match (function, arguments) {
            ("save", [Known::Text(name), value]) => {
                self.host.check(name)?;
                self.saved.insert(self.host.place(name), value.clone());
                Ok(result)
            }
            ("load", [Known::Text(name)]) => match self.saved.get(&self.host.place(name)) {
                Some(Known::Number(_)) => Ok(Known::Number(None)),
                Some(saved) => Ok(saved.clone()),
                None => match self.host.look(name)? {
                    Some((rows, columns)) => functions::loaded(self.bounds, name, rows, columns),
                    None => Ok(result),
                },
            },
            _ => Ok(result),
        }
    }
}

/// Gives a refusal its place: that of the argument it is about, or of all.
pub(super) fn at<T>(judged: Judged<T>, all: Span, arguments: &[Span]) -> Result<T, Fault> {
    judged.map_err(|refusal| {
        let argument = refusal.argument.and_then(|at| arguments.get(at).copied());
        Fault::new(argument.unwrap_or(all), refusal.message)
    })
}

/// Returns the facts known of a call's result.
///
/// # Errors
/// There is no such function; its arguments do not fit.
pub(super) fn called(
    bounds: &Bounds,
    name: &Name,
    span: Span,
    arguments: &[Expression],
    known: &[Known],
) -> Result<Known, Fault> {
    let function = functions::named(&name.text).map_err(|message| Fault::new(name.span, message))?;
    let places: Vec<Span> = arguments.iter().map(|argument| argument.span).collect();
    let judged = function.judged(bounds, known).map_err(|mut refusal| {
        refusal.message = format!("{}: {}", function.name, refusal.message);
        refusal
    });
    at(judged, span, &places)
}

/// The shape of what stands between `[` and `]`.
///
/// # Errors
/// Those of [`Bounds::blocks`], at the element that they are about.
pub(super) fn blocks(
    bounds: &Bounds,
    rows: &[Vec<Expression>],
    known: &[Vec<Known>],
    span: Span,
) -> Result<Known, Fault> {
    let places: Vec<Span> = rows.iter().flatten().map(|element| element.span).collect();
    at(bounds.blocks(known), span, &places)
}

/// Returns the operand of `'` or `-`, which must be a number or a matrix.
///
/// # Errors
/// It is a text.
pub(super) fn numeric(known: Known, sign: &str, span: Span) -> Result<Known, Fault> {
    match known {
        Known::Text(_) => {
            let found = known.described();
            Err(Fault::new(span, format!("found {found} with `{sign}`, expected a number or a matrix")))
        }
        known => Ok(known),
    }
}

/// The fault of a call that gives nothing where a value is needed.
pub(super) fn no_value(name: &Name, span: Span) -> Fault {
    Fault::new(span, format!("{} gives no value: it stands alone in a statement", name.text))
}

/// The fault of a name that has no value, and what may have been meant.
pub(super) fn not_set<'a>(name: &str, span: Span, names: impl Iterator<Item = &'a str>) -> Fault {
    let function = FUNCTIONS.iter().find(|function| function.name == name);
    let meant = functions::nearest(name, names).map(|near| format!("did you mean `{near}`?"));
    let hint = match (function, functions::elsewhere(name)) {
        (Some(function), _) => format!("the function is called as {}", function.usage),
        (None, Some(elsewhere)) => meant.unwrap_or(elsewhere),
        (None, None) => meant.unwrap_or_else(|| "a name gets its value by `name = value`".to_owned()),
    };
    Fault::new(span, format!("`{}` has no value: {hint}", excerpt(name)))
}
