//! Functions that reach outside.

use super::super::Table;
use super::super::known::{Bounds, Judged, Known, Refusal};
use super::super::value::Value;
use super::Machine;
use crate::matrix::Matrix;

/// `load("file")`
pub fn load(machine: &mut Machine, arguments: &[Value]) -> Judged<Value> {
    let name = name(arguments);
    let Table { rows, columns, elements } = machine.host.load(name, machine.bounds.elements)?;
    loaded(machine.bounds, name, rows, columns)?;
    Value::of(Matrix::new(machine.algebra, rows, columns, &elements)?)
}

/// Names the facts known of a file with this name and shape, before it is loaded.
///
/// # Errors
/// It is too large.
pub fn loaded(bounds: &Bounds, name: &str, rows: usize, columns: usize) -> Judged<Known> {
    let named = |refusal: Refusal| Refusal::from(format!("{name}: {}", refusal.message));
    bounds.shape(rows, columns).map_err(named)
}

/// `save("file", A)`
pub fn save(machine: &mut Machine, arguments: &[Value]) -> Judged<Value> {
    let table = arguments[1].table()?;
    machine.host.save(name(arguments), &table)?;
    Ok(Value::Nothing)
}

fn name(arguments: &[Value]) -> &str {
    match arguments.first() {
        Some(Value::Text(name)) => name,
        _ => "",
    }
}
