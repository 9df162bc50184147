//! Bodies from a file.

use std::path::Path;

use anyhow::{Result, bail, ensure};
use quadrille::sim::nbody::Body;

use super::start::{LEAST, MOST};
use super::{NUMBERS, PARTS};
use crate::demo::Request;
use crate::state::Array;

/// The columns of a state.
const COLUMNS: [&str; NUMBERS] = ["x", "y", "z", "vx", "vy", "vz", "mass"];

/// Numbers that a step can square lie between it and its negative.
const FARTHEST: f32 = 1e15;

/// The bodies of the file that it begins with.
pub fn bodies(request: &Request) -> Result<Option<Vec<Body>>> {
    let is_one = |shape: &[u64]| matches!(shape, [_, 7] | [_, 7, 1]);
    let expected = "(bodies, 7): x, y, z, vx, vy, vz, mass";
    let read = |path: &Path| request.host.array(path, Some((&is_one, expected)));
    let Some(array) = request.array(&PARTS, read)? else { return Ok(None) };
    match (check(&array).and_then(|()| rows(&array)), request.path()) {
        (Err(error), Some(path)) => bail!("{}: {error}", path.display()),
        (bodies, _) => bodies.map(Some),
    }
}

/// Confirms that there are as many as there may be, each of numbers that a step can be made from.
fn check(array: &Array) -> Result<()> {
    let found = array.height as u64;
    let many = if found == 1 { "1 body".to_owned() } else { format!("{found} bodies") };
    ensure!((LEAST..=MOST).contains(&found), "{many}: expected {LEAST} to {MOST}");
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
