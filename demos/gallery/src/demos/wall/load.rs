//! Cubes from a file.

use std::path::Path;

use anyhow::{Context, Result, bail};
use quadrille::sim::contact::Body;

use super::NUMBERS;
use crate::demo::Host;
use crate::state::Array;

/// The most that a number may be: metres, metres a second, radians a second. Past that 32 bits do not tell contacts apart, and
/// a step is farther than any wall is wide.
const FARTHEST: f64 = 1e4;
const FASTEST: f64 = 1e3;

/// The most that the length of a quaternion may miss 1 by; it is made 1.
const LENGTH: f64 = 1e-3;

/// The part of it that roundings of 64 bits leave.
const EXACT: f64 = 1e-14;

/// Reads unit cubes of a kilogram where a file says.
pub fn bodies(host: &dyn Host, path: &Path) -> Result<Vec<Body>> {
    let Array { height, width, components, values } = host.array(path, None)?;
    if width != NUMBERS || components != 1 {
        let shape = if components == 1 { String::new() } else { format!(" x {components}") };
        bail!("{}: {height} x {width}{shape} numbers, bodies have {NUMBERS} each", path.display());
    }
    let rows = values.chunks(NUMBERS).zip(1..);
    let bodies = rows.map(|(row, number)| {
        body(row).with_context(|| format!("{}: body {number} of {height}", path.display()))
    });
    bodies.collect()
}

fn body(row: &[f32]) -> Result<Body> {
    of_numbers(std::array::from_fn(|k| row.get(k).copied().map_or(f64::NAN, f64::from)))
}

/// Makes a unit cube of a kilogram: position, quaternion, velocity, angular velocity.
pub fn of_numbers(numbers: [f64; NUMBERS]) -> Result<Body> {
    let [px, py, pz, x, y, z, w, vx, vy, vz, ax, ay, az] = numbers;
    let position = within("position", [px, py, pz], FARTHEST, "m")?;
    let velocity = within("velocity", [vx, vy, vz], FASTEST, "m/s")?;
    let angular_velocity = within("angular velocity", [ax, ay, az], FASTEST, "rad/s")?;
    let length = [x, y, z, w].iter().map(|v| v * v).sum::<f64>().sqrt();
    let is_unit = (length - 1.0).abs() <= LENGTH; // and a NaN is not
    if !is_unit {
        bail!("its quaternion has the length {length:.4}, expected 1 within {LENGTH}");
    }
    // A length that is 1 in 64 bits is not changed, to the bit.
    let length = if (length - 1.0).abs() <= EXACT { 1.0 } else { length };
    let orientation = [x, y, z, w].map(|v| v / length);
    Ok(Body { orientation, velocity, angular_velocity, ..Body::cube(1.0, 1.0, position) })
}

fn within(name: &str, vector: [f64; 3], most: f64, unit: &str) -> Result<[f64; 3]> {
    match vector.iter().find(|number| number.is_nan() || number.abs() > most) {
        None => Ok(vector),
        Some(number) => bail!("{name} {number:?} {unit}, expected {most} {unit} at most"),
    }
}
