//! A wall in a state: bodies in 64 bits, and what their contacts did last, from which the next solve starts.

use anyhow::{Context, Result, ensure};
use quadrille::sim::contact::{Body, Impulse};

use super::load::{is_cube, of_numbers, sided};
use crate::state::{Named, State};

/// The arrays of each contact; the number of bodies stands for the ground.
const OF_CONTACTS: [&str; 5] =
    ["contact_bodies", "contact_feature", "contact_place", "contact_normal", "contact_friction"];

pub fn arrays(bodies: &[Body], impulses: &[Impulse], glow: &[f32]) -> Vec<Named> {
    let (n, m) = (bodies.len(), impulses.len());
    let three =
        |name, of: fn(&Body) -> [f64; 3]| Named::of_f64(name, &[n, 3], bodies.iter().flat_map(of).collect());
    let mut arrays = vec![
        three("position", |body| body.position),
        Named::of_f64("orientation", &[n, 4], bodies.iter().flat_map(|body| body.orientation).collect()),
        three("velocity", |body| body.velocity),
        three("angular_velocity", |body| body.angular_velocity),
        Named::of_f32("glow", &[n], glow.to_vec()),
    ];
    if !bodies.iter().all(is_cube) {
        arrays.push(three("half_sides", |body| body.half_sides));
        arrays.push(Named::of_f64("mass", &[n], bodies.iter().map(|body| body.mass).collect()));
    }
    if m > 0 {
        let pair = |(first, second): (usize, Option<usize>)| [first as u64, second.unwrap_or(n) as u64];
        let of_each = |of: fn(&Impulse) -> [f64; 3]| impulses.iter().flat_map(of).collect();
        let [with, feature, place, normal, friction] = OF_CONTACTS;
        arrays.extend([
            Named::of_whole(
                with,
                &[m, 2],
                impulses.iter().flat_map(|impulse| pair(impulse.bodies)).collect(),
            ),
            Named::of_whole(feature, &[m], impulses.iter().map(|impulse| impulse.feature).collect()),
            Named::of_f64(place, &[m, 3], of_each(|impulse| impulse.place)),
            Named::of_f64(normal, &[m], impulses.iter().map(|impulse| impulse.normal).collect()),
            Named::of_f64(friction, &[m, 3], of_each(|impulse| impulse.friction)),
        ]);
    }
    arrays
}

pub fn bodies(state: &State) -> Result<Vec<Body>> {
    let n = state.array("position", 2)?.shape[0];
    let [position, velocity, spin] =
        ["position", "velocity", "angular_velocity"].map(|name| lines::<3>(state, name, n));
    let (position, velocity, spin) = (position?, velocity?, spin?);
    let orientation = lines::<4>(state, "orientation", n)?;
    let sides = match state.has("half_sides") {
        true => {
            let mass = state.array("mass", 1)?.f64s()?;
            ensure!(mass.len() == n, "mass of {} bodies, expected {n}", mass.len());
            Some((lines::<3>(state, "half_sides", n)?, mass))
        }
        false => None,
    };
    let body = |i: usize| {
        let ([a, b, c], [x, y, z, w]) = (position[i], orientation[i]);
        let ([d, e, f], [g, h, k]) = (velocity[i], spin[i]);
        let cube = of_numbers([a, b, c, x, y, z, w, d, e, f, g, h, k]);
        let sided = cube.and_then(|cube| match &sides {
            Some((half_sides, mass)) => sided(cube, half_sides[i], mass[i]),
            None => Ok(cube),
        });
        sided.with_context(|| format!("body {} of {n}", i + 1))
    };
    (0..n).map(body).collect()
}

/// A count among its single values, if it has one of that name.
pub fn whole(state: &State, name: &str) -> Option<usize> {
    usize::try_from(state.values.get(name)?.as_u64()?).ok()
}

pub fn impulses(state: &State, bodies: usize) -> Result<Vec<Impulse>> {
    let [with, feature, place, normal, friction] = OF_CONTACTS;
    if !state.has(with) {
        return Ok(Vec::new());
    }
    let pairs = state.array(with, 2)?;
    let (m, pairs) = (pairs.shape[0], pairs.wholes()?.as_chunks::<2>().0);
    let features = state.array(feature, 1)?.wholes()?;
    let (places, frictions) = (lines::<3>(state, place, m)?, lines::<3>(state, friction, m)?);
    let normals = state.array(normal, 1)?.f64s()?;
    ensure!(
        [pairs.len(), features.len(), normals.len()] == [m; 3],
        "arrays of contacts of {m}, {}, {} and {} contacts",
        pairs.len(),
        features.len(),
        normals.len()
    );
    let number = |body: u64| usize::try_from(body).unwrap_or(usize::MAX);
    let impulse = |i: usize| {
        let [first, second] = pairs[i].map(number);
        let bodies = (first, (second != bodies).then_some(second));
        Impulse { bodies, feature: features[i], place: places[i], normal: normals[i], friction: frictions[i] }
    };
    Ok((0..m).map(impulse).collect())
}

pub fn glow(state: &State, bodies: usize) -> Result<Vec<f32>> {
    let glow = state.array("glow", 1)?.f32s()?;
    ensure!(glow.len() == bodies, "glow of {} bodies, expected {bodies}", glow.len());
    Ok(glow)
}

/// Reads so many lines of N numbers.
fn lines<const N: usize>(state: &State, name: &str, count: usize) -> Result<Vec<[f64; N]>> {
    let found = state.array(name, 2)?;
    ensure!(
        found.shape == [count, N],
        "array \"{name}\" has shape {:?}; expected [{count}, {N}]",
        found.shape
    );
    Ok(found.f64s()?.as_chunks::<N>().0.to_vec())
}
