//! Functions that reach outside.

use super::super::Table;
use super::super::known::{Judged, Refusal};
use super::super::value::Value;
use super::Machine;
use crate::matrix::Matrix;

/// `load("file")`
pub fn load(machine: &mut Machine, arguments: &[Value]) -> Judged<Value> {
    let name = name(arguments);
    let Table { rows, columns, elements } = machine.host.load(name, machine.bounds.elements)?;
    machine
        .bounds
        .shape(rows, columns)
        .map_err(|refusal| Refusal::from(format!("{name}: {}", refusal.message)))?;
    Value::of(Matrix::new(machine.algebra, rows, columns, &elements)?)
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
