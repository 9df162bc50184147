//! Statements, run one after the other.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::arithmetic::{self, Side};
use super::ast::{Action, Expression, Kind, Name, Statement};
use super::check::{self, Check};
use super::functions::{self, Machine};
use super::known::{Bounds, Judged, Known, Refusal};
use super::parts::{self, Extent};
use super::value::{Table, Value};
use super::{Fault, Host, Span, parse, show};
use crate::linalg::Algebra;
use crate::matrix::Matrix;
use crate::numeric::Random;

/// Elements of the largest matrix, unless said otherwise: 1 GiB of 32-bit floats.
pub const MOST_ELEMENTS: usize = 1 << 28;

/// The variables of a script, and what it takes to go on with it.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use quadrille::script::{Host, Interpreter, Table};
/// use quadrille::{Gpu, linalg::Algebra};
///
/// struct Printed(Vec<String>);
///
/// impl Host for Printed {
///     fn load(&mut self, name: &str, _: usize) -> Result<Table, String> {
///         Err(format!("{name}: there are no files here"))
///     }
///     fn save(&mut self, name: &str, _: &Table) -> Result<(), String> {
///         Err(format!("{name}: there are no files here"))
///     }
///     fn print(&mut self, line: &str) -> Result<(), String> {
///         self.0.push(line.to_owned());
///         Ok(())
///     }
///     fn seconds(&mut self) -> f64 {
///         0.0
///     }
/// }
///
/// let mut printed = Printed(Vec::new());
/// let mut interpreter = Interpreter::new(&Algebra::new(&Gpu::headless()?));
/// interpreter.run("A = [1 2; 3 4]\nx = [5; 6]\nprint A * x\nx' * x", &mut printed)?;
/// assert_eq!(printed.0, ["  17", "  39", "61"]);
///
/// let fault = interpreter.run("B = 1\nA * [1 2 3]", &mut printed).unwrap_err();
/// assert_eq!(
///     fault.message,
///     "the shapes do not fit `*`: found 2 x 2 and 1 x 3, expected 1 column on the left or 2 rows on the right"
/// );
/// assert_eq!(fault.span.place("B = 1\nA * [1 2 3]"), (2, 1));
/// # Ok(())
/// # }
/// ```
pub struct Interpreter {
    algebra: Algebra,
    bounds: Bounds,
    names: BTreeMap<String, Value>,
    random: Random,
}

impl Interpreter {
    /// Without variables, and with matrices of at most [`MOST_ELEMENTS`].
    pub fn new(algebra: &Algebra) -> Interpreter {
        Interpreter::with_limit(algebra, MOST_ELEMENTS)
    }

    /// Limits matrices to that many elements.
    pub fn with_limit(algebra: &Algebra, elements: usize) -> Interpreter {
        let side = algebra.gpu().limits().texture_size as usize;
        let bounds = Bounds { elements, rows: side.saturating_mul(4), columns: side };
        Interpreter { algebra: algebra.clone(), bounds, names: BTreeMap::new(), random: Random(1) }
    }

    /// Runs a script: parsed as a whole, then looked through as far as shapes are known, then run to its end or to its
    /// first error. What was set before the error stays set.
    ///
    /// # Errors
    /// The first mistake.
    pub fn run(&mut self, text: &str, host: &mut dyn Host) -> Result<(), Fault> {
        let statements = parse(text)?;
        let known = self.names.iter().map(|(name, value)| (name.clone(), value.known())).collect();
        let mut check = Check { bounds: &self.bounds, names: known, host: &*host, saved: BTreeMap::new() };
        statements.iter().try_for_each(|statement| check.statement(statement))?;
        statements.iter().try_for_each(|statement| self.statement(statement, host))
    }

    /// The variables in alphabetical order, each with what it is: `3 x 4`, `the number 2`.
    pub fn names(&self) -> impl Iterator<Item = (&str, String)> {
        self.names.iter().map(|(name, value)| (name.as_str(), value.known().described()))
    }

    fn statement(&mut self, statement: &Statement, host: &mut dyn Host) -> Result<(), Fault> {
        if host.interrupted() {
            return Err(Fault::new(statement.span, "interrupted before this statement"));
        }
        match &statement.action {
            Action::Assign(name, value) => {
                let value = self.evaluation(host).value(value)?;
                self.names.insert(name.text.clone(), value);
                Ok(())
            }
            Action::Print(items) => self.print(items, host),
            Action::Show(shown) => self.show(shown, host),
            Action::Time(timed) => {
                self.algebra.gpu().finish();
                let start = host.seconds();
                self.statement(timed, host)?;
                self.algebra.gpu().finish();
                let line = format!("took {}", show::duration(host.seconds() - start));
                printed(host, statement.span, &[line])
            }
        }
    }

    /// Prints numbers and texts side by side, and each matrix on lines of its own.
    fn print(&mut self, items: &[Expression], host: &mut dyn Host) -> Result<(), Fault> {
        let mut words: Vec<String> = Vec::new();
        for item in items {
            let value = self.evaluation(host).value(item)?;
            let lines = check::at(value.lines(), item.span, &[])?;
            if matches!(value, Value::Matrix(_)) {
                if !words.is_empty() {
                    printed(host, item.span, &[std::mem::take(&mut words).join(" ")])?;
                }
                printed(host, item.span, &lines)?;
            } else {
                words.extend(lines);
            }
        }
        match (words.is_empty(), items.last()) {
            (false, Some(last)) => printed(host, last.span, &[words.join(" ")]),
            _ => Ok(()),
        }
    }

    /// Prints a bare expression, with its name if it has one.
    fn show(&mut self, shown: &Expression, host: &mut dyn Host) -> Result<(), Fault> {
        let value = self.evaluation(host).expression(shown)?;
        let mut lines = check::at(value.lines(), shown.span, &[])?;
        match (&shown.kind, &value) {
            (Kind::Variable(name), Value::Matrix(matrix)) => {
                lines.insert(0, format!("{name} = ({} x {})", matrix.rows(), matrix.columns()));
            }
            (Kind::Variable(name), _) => lines.iter_mut().for_each(|line| *line = format!("{name} = {line}")),
            _ => {}
        }
        printed(host, shown.span, &lines)
    }

    fn evaluation<'a>(&'a mut self, host: &'a mut dyn Host) -> Evaluation<'a> {
        let Interpreter { algebra, bounds, names, random } = self;
        Evaluation { names, machine: Machine { algebra, bounds, random, host } }
    }
}

fn printed(host: &mut dyn Host, span: Span, lines: &[String]) -> Result<(), Fault> {
    lines.iter().try_for_each(|line| host.print(line)).map_err(|message| Fault::new(span, message))
}

/// One expression on its way to a value.
struct Evaluation<'a> {
    names: &'a BTreeMap<String, Value>,
    machine: Machine<'a>,
}

impl Evaluation<'_> {
    fn value(&mut self, expression: &Expression) -> Result<Value, Fault> {
        match (self.expression(expression)?, &expression.kind) {
            (Value::Nothing, Kind::Call(name, _)) => Err(check::no_value(name, expression.span)),
            (value, _) => Ok(value),
        }
    }

    fn expression(&mut self, expression: &Expression) -> Result<Value, Fault> {
        match &expression.kind {
            Kind::Number(value) => Ok(Value::Number(*value)),
            Kind::Text(text) => Ok(Value::Text(text.clone())),
            Kind::Variable(name) => self.variable(name, expression.span),
            Kind::All | Kind::Through(..) => Err(parts::no_part(expression.span)),
            Kind::Call(name, arguments) => self.call(name, arguments, expression.span),
            Kind::Elements(rows) => self.elements(rows, expression.span),
            Kind::Transpose(_) => {
                let side = self.side(expression)?;
                check::at(side.settled(self.machine.algebra), expression.span, &[])
            }
            Kind::Minus(operand) => {
                let value = self.value(operand)?;
                check::numeric(value.known(), "-", operand.span)?;
                check::at(arithmetic::negated(value), expression.span, &[])
            }
            Kind::Chain(first, rest) => {
                let mut left = self.side(first)?;
                for (operator, operand) in rest {
                    let right = self.side(operand)?;
                    let judged = self.machine.bounds.combined(*operator, &left.known(), &right.known());
                    let span = first.span.to(operand.span);
                    check::at(judged, span, &[])?;
                    let value = arithmetic::combined(self.machine.algebra, *operator, left, right);
                    left = Side { value: check::at(value, span, &[])?, transposed: false };
                }
                check::at(left.settled(self.machine.algebra), expression.span, &[])
            }
        }
    }

    /// One side of an operator: a transpose is left to the operator.
    fn side(&mut self, expression: &Expression) -> Result<Side, Fault> {
        let Kind::Transpose(operand) = &expression.kind else {
            return Ok(Side { value: self.value(expression)?, transposed: false });
        };
        let value = self.value(operand)?;
        check::numeric(value.known(), "'", operand.span)?;
        Ok(Side { value, transposed: true })
    }

    fn variable(&self, name: &str, span: Span) -> Result<Value, Fault> {
        let found = self.names.get(name).cloned();
        found.ok_or_else(|| check::not_set(name, span, self.names.keys().map(String::as_str)))
    }

    fn call(&mut self, name: &Name, arguments: &[Expression], span: Span) -> Result<Value, Fault> {
        if let (Some(of), Err(_)) = (self.names.get(&name.text).cloned(), functions::named(&name.text)) {
            return self.part(name, &of, arguments, span);
        }
        let values = arguments.iter().map(|argument| self.value(argument)).collect::<Result<Vec<_>, _>>()?;
        let known: Vec<Known> = values.iter().map(Value::known).collect();
        check::called(self.machine.bounds, name, span, arguments, &known)?;
        let function = functions::named(&name.text).map_err(|message| Fault::new(name.span, message))?;
        let places: Vec<Span> = arguments.iter().map(|argument| argument.span).collect();
        check::at((function.run)(&mut self.machine, &values), span, &places)
    }

    /// A part of a variable: one pass.
    fn part(
        &mut self,
        name: &Name,
        of: &Value,
        arguments: &[Expression],
        span: Span,
    ) -> Result<Value, Fault> {
        let places = parts::places(arguments, |place| self.value(place).map(|value| value.known()))?;
        let spans: Vec<Span> = arguments.iter().map(|argument| argument.span).collect();
        let extents = parts::extents(&name.text, &of.known(), &places);
        match (check::at(extents, span, &spans)?, of) {
            ((Extent::These(rows), Extent::These(columns)), Value::Matrix(matrix)) => {
                let part = matrix.part(rows, columns).map_err(Refusal::from);
                check::at(part.and_then(Value::of), span, &[])
            }
            _ => Ok(of.clone()), // a number is its only part
        }
    }

    fn elements(&mut self, rows: &[Vec<Expression>], span: Span) -> Result<Value, Fault> {
        let mut values: Vec<Vec<Value>> = Vec::new();
        for row in rows {
            values.push(row.iter().map(|element| self.value(element)).collect::<Result<_, _>>()?);
        }
        let known: Vec<Vec<Known>> =
            values.iter().map(|row| row.iter().map(Value::known).collect()).collect();
        check::blocks(self.machine.bounds, rows, &known, span)?;
        let places: Vec<Span> = rows.iter().flatten().map(|element| element.span).collect();
        check::at(assembled(self.machine.algebra, &values), span, &places)
    }
}

/// One matrix of blocks whose shapes fit. It is put together on the CPU: blocks that are matrices are read back.
fn assembled(algebra: &Algebra, rows: &[Vec<Value>]) -> Judged<Value> {
    if let [row] = rows
        && let [Value::Number(value)] = row[..]
    {
        return Ok(Value::Number(value));
    }
    let (mut elements, mut height, mut at) = (Vec::new(), 0, 0);
    for row in rows {
        let mut tables = Vec::with_capacity(row.len());
        for value in row {
            tables.push(value.table().map_err(|mut refusal| {
                refusal.argument = Some(at);
                refusal
            })?);
            at += 1;
        }
        let tall = tables.first().map_or(0, |table: &Table| table.rows);
        for i in 0..tall {
            for Table { columns, elements: block, .. } in &tables {
                elements.extend_from_slice(&block[i * columns..(i + 1) * columns]);
            }
        }
        height += tall;
    }
    let width = elements.len() / height.max(1);
    Ok(Value::Matrix(Rc::new(Matrix::new(algebra, height, width, &elements)?)))
}
