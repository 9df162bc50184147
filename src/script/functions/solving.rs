//! Functions that solve for what a product gives.

use std::ops::ControlFlow;
use std::rc::Rc;

use super::super::known::{Judged, Refusal, counted};
use super::super::show;
use super::super::value::{Value, single};
use super::Machine;
use crate::matrix::Matrix;
use crate::solve::{Bounds, LcpSettings, LcpSolver, Progress, Reason, matrix_cg_with};

/// The default tolerance of the residual relative to ‖b‖.
const TOLERANCE: f32 = 1e-5;

const MOST_ITERATIONS: usize = 10_000;

/// `solve(A, b[, tolerance])`: conjugate gradients from x = 0, with the residual recomputed in 64 bits at their end;
/// of several columns of b one after the other.
pub fn solve(machine: &mut Machine, arguments: &[Value]) -> Judged<Value> {
    let System { a, entries, b, tolerance } = System::new(machine, "solve", arguments)?;
    even(a.rows(), &entries)?;
    let (n, columns) = b.shape();
    if columns == 1 {
        return Value::of(solve_one(machine, "solve", &a, &b, tolerance)?);
    }
    let mut elements = vec![0.0; n * columns];
    for column in 0..columns {
        let name = format!("solve: column {} of b", column + 1);
        let x = solve_one(machine, &name, &a, &b.part(0..n, column..column + 1)?, tolerance)?.get()?;
        elements[column..].iter_mut().step_by(columns).zip(x).for_each(|(element, x)| *element = x);
    }
    Value::of(Matrix::new(machine.algebra, n, columns, &elements)?)
}

/// x with A x = b of one column.
fn solve_one(machine: &Machine, name: &str, a: &Matrix, b: &Matrix, tolerance: f32) -> Judged<Matrix> {
    let mut x = Matrix::zeros(machine.algebra, b.rows(), 1)?;
    let bounds = Bounds { tolerance, max_iterations: MOST_ITERATIONS, check_every: 16 };
    let report = matrix_cg_with(a, b, &mut x, bounds, &mut until_interrupted(machine))?;
    if report.converged() {
        return Ok(x);
    }
    let work = counted(report.iterations, "iteration");
    Err(not_solved(name, report.reason, &work, report.relative_residual, tolerance))
}

/// `lcp(A, b[, tolerance])`: x ≥ 0, A x + b ≥ 0, x'(A x + b) = 0, by projected gradients from x = 0.
pub fn lcp(machine: &mut Machine, arguments: &[Value]) -> Judged<Value> {
    let System { a, entries, b, tolerance } = System::new(machine, "lcp", arguments)?;
    let n = a.rows();
    if let Some((at, found)) = (0..n).zip(entries.iter().step_by(n + 1)).find(|(_, found)| **found <= 0.0) {
        let at = at + 1;
        let message = format!("lcp: found {found} in row {at}, column {at}, expected a diagonal above 0");
        return Err(Refusal::of(0, message));
    }
    let mut x = Matrix::zeros(machine.algebra, n, 1)?;
    let settings = LcpSettings { tolerance, max_sweeps: MOST_ITERATIONS, ..LcpSettings::default() };
    let mut watch = until_interrupted(machine);
    let report = LcpSolver::new(&*a)?.solve_with(&b, None, &mut x, &settings, &mut watch)?;
    if report.converged() {
        return Value::of(x);
    }
    let work = counted(report.sweeps, "sweep");
    Err(not_solved("lcp", report.reason, &work, report.relative_residual, tolerance))
}

/// Goes on until an end is asked for.
fn until_interrupted<'a>(machine: &'a Machine) -> impl FnMut(&Progress) -> ControlFlow<()> + 'a {
    let host = &*machine.host;
    move |_| if host.interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// The system and tolerance of `solve` and `lcp`.
struct System {
    a: Rc<Matrix>,
    /// A's, row after row.
    entries: Vec<f32>,
    b: Rc<Matrix>,
    tolerance: f32,
}

impl System {
    /// # Errors
    /// Numbers that are not finite.
    fn new(machine: &Machine, name: &str, arguments: &[Value]) -> Judged<System> {
        let tolerance = match arguments.get(2) {
            Some(Value::Number(value)) => single(*value)?,
            _ => TOLERANCE,
        };
        let (a, entries) = finite(machine, name, arguments, 0)?;
        let (b, _) = finite(machine, name, arguments, 1)?;
        Ok(System { a, entries, b, tolerance })
    }
}

/// An argument as a matrix of finite numbers on the GPU, and these numbers.
fn finite(machine: &Machine, name: &str, arguments: &[Value], at: usize) -> Judged<(Rc<Matrix>, Vec<f32>)> {
    let matrix = match &arguments[at] {
        Value::Matrix(matrix) => matrix.clone(),
        Value::Number(value) => Rc::new(Matrix::new(machine.algebra, 1, 1, &[single(*value)?])?),
        _ => return Err(Refusal::of(at, "expected a matrix")),
    };
    let elements = matrix.get()?;
    match elements.iter().position(|element| !element.is_finite()) {
        None => Ok((matrix, elements)),
        Some(place) => {
            let (row, column, found) =
                (place / matrix.columns() + 1, place % matrix.columns() + 1, elements[place]);
            Err(Refusal::of(
                at,
                format!("{name}: found {found} in row {row}, column {column}, expected finite numbers"),
            ))
        }
    }
}

/// Confirms that a matrix is symmetric, but for what products such as A' * A are rounded by.
fn even(n: usize, elements: &[f32]) -> Judged<()> {
    let largest = elements.iter().fold(0.0_f32, |largest, element| largest.max(element.abs()));
    let pairs = (0..n).flat_map(|row| (row + 1..n).map(move |column| (row, column)));
    let pair = |(row, column)| (row, column, elements[row * n + column], elements[column * n + row]);
    let Some((row, column, above, below)) = pairs.map(pair).find(|(.., a, b)| (a - b).abs() > 1e-5 * largest)
    else {
        return Ok(());
    };
    let (row, column) = (row + 1, column + 1);
    let message = format!(
        "solve: found {above} in row {row}, column {column} but {below} in row {column}, column {row}, expected a symmetric \
         matrix; solve(A' * A, A' * b) takes any"
    );
    Err(Refusal::of(0, message))
}

fn not_solved(name: &str, reason: Reason, work: &str, residual: f64, tolerance: f32) -> Refusal {
    if reason == Reason::Stopped {
        return format!("{name}: interrupted after {work}").into();
    }
    let shown = show::number(residual);
    let found = format!("found a relative residual of {shown} after {work}, expected {tolerance:e}");
    match reason {
        Reason::Indefinite | Reason::ZeroDivisor => {
            format!("{name}: A is not positive definite in 32-bit floats (singular or badly conditioned): {found}")
        }
        // A residual above this does not come from rounding.
        Reason::Stalled if residual < 0.01 => format!(
            "{name}: did not converge: {found}; 32-bit floats reach about {residual:.0e} here: use a larger tolerance"
        ),
        _ => format!("{name}: did not converge: {reason}; {found}; is A positive definite?"),
    }
    .into()
}
