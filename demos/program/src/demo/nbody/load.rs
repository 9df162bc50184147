//! Bodies from a file.

use std::path::Path;

use anyhow::{Result, bail, ensure};
use quadrille::sim::nbody::Body;

use super::{NUMBERS, PARTS};
use crate::cli::{BODIES, DemoArguments};
use crate::files::{Array, npy};

/// What the columns of a state are.
const COLUMNS: [&str; NUMBERS] = ["x", "y", "z", "vx", "vy", "vz", "mass"];

/// Numbers that a step can square lie between it and its negative.
const FARTHEST: f32 = 1e15;

/// The bodies of the file of `--load`.
pub fn bodies(arguments: &DemoArguments) -> Result<Option<Vec<Body>>> {
    let is_one = |shape: &[u64]| matches!(shape, [_, 7] | [_, 7, 1]);
    let read = |path: &Path| npy::read_shape(path, is_one, "(bodies, 7): x, y, z, vx, vy, vz, mass");
    let Some(array) = arguments.array(&PARTS, read)? else { return Ok(None) };
    match (check(&array).and_then(|()| rows(&array)), &arguments.load) {
        (Err(error), Some(path)) => bail!("{}: {error}", path.display()),
        (bodies, _) => bodies.map(Some),
    }
}

/// As many as there may be, each of numbers that a step can be made from.
fn check(array: &Array) -> Result<()> {
    let (least, most) = BODIES.into_inner();
    let found = array.height as u64;
    let many = if found == 1 { "1 body".to_owned() } else { format!("{found} bodies") };
    ensure!((least..=most).contains(&found), "{many}: expected {least} to {most}");
    for (place, &value) in array.values.iter().enumerate() {
        let (row, column) = (place / NUMBERS, place % NUMBERS);
        let is_mass = column == NUMBERS - 1;
        let low = if is_mass { 0.0 } else { -FARTHEST };
        if !(low..=FARTHEST).contains(&value) {
            let value = if value.abs() >= 1e6 { format!("{value:e}") } else { value.to_string() };
            let (name, low) = (COLUMNS[column], if is_mass { "0" } else { "-1e15" });
            bail!("{name} = {value} in row {row}, column {column} (from 0): expected {low} to 1e15");
        }
    }
    Ok(())
}

/// A body for each row: position, velocity, mass.
pub fn rows(array: &Array) -> Result<Vec<Body>> {
    let (rows, rest) = array.values.as_chunks::<NUMBERS>();
    ensure!(rest.is_empty() && array.width == NUMBERS, "a state of {} numbers a body", array.width);
    let body = |row: &[f32; NUMBERS]| {
        let [x, y, z, u, v, w, mass] = row.map(f64::from);
        Body { position: [x, y, z], velocity: [u, v, w], mass }
    };
    Ok(rows.iter().map(body).collect())
}

/// A line about bodies that went so far that no step can be made from them any more.
pub fn strays(state: &Array) -> Option<String> {
    let (rows, _) = state.values.as_chunks::<NUMBERS>();
    let is_far = |row: &&[f32; NUMBERS]| row.iter().any(|value| value.is_finite() && value.abs() > FARTHEST);
    let found = rows.iter().filter(is_far).count();
    let bodies = if found == 1 { "body is" } else { "bodies are" };
    (found > 0)
        .then(|| format!("{found} {bodies} past 1e15 in place or velocity, where --load takes none from"))
}
