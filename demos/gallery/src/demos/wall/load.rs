//! Cubes from a file.

use std::path::Path;

use anyhow::{Context, Result, bail};
use quadrille::sim::contact::Body;

use super::{NUMBERS, SIDED};
use crate::demo::Host;
use crate::state::Array;

/// The most that a number may be: metres, metres a second, radians a second. Past that 32 bits do not tell contacts apart, and
/// a step is farther than any wall is wide.
const FARTHEST: f64 = 1e4;
const FASTEST: f64 = 1e3;

/// The most that a body may weigh, kilograms.
const HEAVIEST: f64 = 1e6;

/// The most that the length of a quaternion may miss 1 by; it is made 1.
const LENGTH: f64 = 1e-3;

/// The part of it that roundings of 64 bits leave.
const EXACT: f64 = 1e-14;

/// Returns true for a unit cube of a kilogram.
pub fn is_cube(body: &Body) -> bool {
    (body.half_sides, body.mass) == ([0.5; 3], 1.0)
}

/// Reads unit cubes of a kilogram where a file says, or boxes with sides and masses of their own.
pub fn bodies(host: &dyn Host, path: &Path) -> Result<Vec<Body>> {
    let Array { height, width, components, values } = host.array(path, None)?;
    if ![NUMBERS, SIDED].contains(&width) || components != 1 {
        let shape = if components == 1 { String::new() } else { format!(" x {components}") };
        bail!(
            "{}: {height} x {width}{shape} numbers, bodies have {NUMBERS} each, or {SIDED} with sides and mass",
            path.display()
        );
    }
    let rows = values.chunks(width).zip(1..);
    let bodies = rows.map(|(row, number)| {
        body(row).with_context(|| format!("{}: body {number} of {height}", path.display()))
    });
    bodies.collect()
}

fn body(row: &[f32]) -> Result<Body> {
    let number = |k: usize| row.get(k).copied().map_or(f64::NAN, f64::from);
    let cube = of_numbers(std::array::from_fn(number))?;
    match row.len() {
        SIDED => sided(cube, std::array::from_fn(|k| number(NUMBERS + k)), number(SIDED - 1)),
        _ => Ok(cube),
    }
}

/// The same body as a box of those half sides and that mass.
pub fn sided(body: Body, half_sides: [f64; 3], mass: f64) -> Result<Body> {
    let half_sides = within("half side", half_sides, FARTHEST, "m")?;
    let [mass, _, _] = within("mass", [mass, 0.0, 0.0], HEAVIEST, "kg")?;
    let body = Body { half_sides, mass, ..body };
    body.check()?;
    Ok(body)
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
