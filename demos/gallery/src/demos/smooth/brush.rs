//! A brush on a mesh: it raises the surface under the mouse, or dents it, and the flow heals that.

use quadrille::mesh::Mesh;
use quadrille::view::Ray;

type Point = [f64; 3];

/// The effect of the left button.
#[cfg_attr(not(feature = "panel"), allow(dead_code, reason = "a panel has the others"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    Raise,
    Dent,
    Turn,
}

/// The brush as its user has set it.
#[derive(Clone, Copy)]
pub struct Hand {
    pub tool: Tool,
    /// A share of half the longest side of the mesh.
    pub radius: f64,
}

impl Hand {
    pub const FIRST: Hand = Hand { tool: Tool::Raise, radius: 0.24 };
}

/// Radii from one dab of a stroke to the next at least, and how high a dab is.
const APART: f64 = 0.3;
const HIGH: f64 = 0.4;

/// The place where a ray meets a mesh first.
#[derive(Clone, Copy, Debug)]
pub struct Met {
    pub place: Point,
    /// Outwards, of length 1.
    normal: Point,
}

fn wide(p: [f32; 3]) -> Point {
    p.map(f64::from)
}

fn minus(a: Point, b: Point) -> Point {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The first face that a ray goes through, by Möller and Trumbore.
pub fn met(mesh: &Mesh, ray: &Ray) -> Option<Met> {
    let mut first: Option<(f64, Point)> = None;
    for face in mesh.faces() {
        let [a, b, c] = face.map(|vertex| wide(mesh.positions()[vertex as usize]));
        let (e, f) = (minus(b, a), minus(c, a));
        let p = cross(ray.along, f);
        let twice = dot(e, p);
        if twice == 0.0 {
            continue;
        }
        let from = minus(ray.from, a);
        let u = dot(from, p) / twice;
        let q = cross(from, e);
        let (v, way) = (dot(ray.along, q) / twice, dot(f, q) / twice);
        let inside = u >= 0.0 && v >= 0.0 && u + v <= 1.0 && way > 0.0;
        if inside && first.is_none_or(|(nearest, _)| way < nearest) {
            first = Some((way, cross(e, f)));
        }
    }
    let (way, across) = first?;
    // A sheet is seen from both sides: what is raised comes towards the viewer.
    let length = dot(across, across).sqrt() * if dot(across, ray.along) > 0.0 { -1.0 } else { 1.0 };
    Some(Met { place: ray.at(way), normal: across.map(|part| part / length) })
}

/// Returns true if the next dab of a stroke is due: the ray is far enough from the last one, however high that has become.
pub fn is_due(last: Option<Point>, ray: &Ray, radius: f64) -> bool {
    let aside = |last: Point| {
        let across = cross(minus(last, ray.from), ray.along);
        (dot(across, across) / dot(ray.along, ray.along)).sqrt()
    };
    last.is_none_or(|last| aside(last) >= APART * radius)
}

/// Moves the vertices of the side that was met, and within the radius of it, along the normal of all of these: by most in the middle, and by
/// nothing at the rim, (1 - d²/r²)². Those in `fixed` stay.
pub fn dab(mesh: &Mesh, met: &Met, radius: f64, inwards: bool, fixed: &[bool]) -> Vec<[f32; 3]> {
    let normals = mesh.normals();
    // A sheet has no inside: both of its sides move.
    let closed = mesh.volume().is_some();
    let shares: Vec<f64> = (0..normals.len())
        .map(|vertex| {
            let away = minus(wide(mesh.positions()[vertex]), met.place);
            let within = (1.0 - dot(away, away) / (radius * radius)).max(0.0);
            let is_here = !closed || dot(wide(normals[vertex]), met.normal) > 0.0;
            if is_here && !fixed[vertex] { within * within } else { 0.0 }
        })
        .collect();
    // One normal for all: noise must not tear the surface apart.
    let mut sum = met.normal.map(|part| 1e-9 * part);
    for (share, normal) in shares.iter().zip(&normals) {
        let normal = wide(*normal);
        let sign = if dot(normal, met.normal) < 0.0 { -1.0 } else { 1.0 };
        (0..3).for_each(|k| sum[k] += sign * share * normal[k]);
    }
    let length = dot(sum, sum).sqrt();
    let high = if inwards { -HIGH } else { HIGH } * radius / length;
    let moved = |(position, share): (&[f32; 3], &f64)| {
        let position = wide(*position);
        [0, 1, 2].map(|k| (position[k] + high * share * sum[k]) as f32)
    };
    mesh.positions().iter().zip(&shares).map(moved).collect()
}

/// The middle of what a closed mesh holds.
fn centroid(mesh: &Mesh) -> Point {
    let origin = wide(mesh.positions()[0]);
    let (mut sum, mut six) = ([0.0; 3], 0.0);
    for face in mesh.faces() {
        let [a, b, c] = face.map(|vertex| minus(wide(mesh.positions()[vertex as usize]), origin));
        let volume = dot(a, cross(b, c));
        six += volume;
        (0..3).for_each(|k| sum[k] += volume * (a[k] + b[k] + c[k]) / 4.0);
    }
    [0, 1, 2].map(|k| origin[k] + sum[k] / six)
}

/// The middle and the factor by which a mesh has the volume `wanted` again; `None` of an open one, and of one that holds nothing.
pub fn blown(mesh: &Mesh, wanted: f64) -> Option<(Point, f64)> {
    let times = (wanted / mesh.volume()?).cbrt();
    (times.is_finite() && times > 0.0).then(|| (centroid(mesh), times))
}

/// All positions that many times as far from the middle.
pub fn scaled(positions: &[[f32; 3]], (middle, times): (Point, f64)) -> Vec<[f32; 3]> {
    let place = |position: &[f32; 3]| {
        let position = wide(*position);
        [0, 1, 2].map(|k| (middle[k] + times * (position[k] - middle[k])) as f32)
    };
    positions.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use anyhow::{Context, Result};

    use super::*;

    #[test]
    fn a_ray_meets_the_near_side_and_a_dab_moves_what_is_there() -> Result<()> {
        let ball = Mesh::sphere(4)?;
        let ray = Ray { from: [0.1, 0.2, 5.0], along: [0.0, 0.0, -2.0] };
        let found = met(&ball, &ray).context("the ball is there")?;
        // A facet of a sphere of 2560 faces is within a hundredth of it.
        let radius = dot(found.place, found.place).sqrt();
        let of_ball = f64::from(ball.bounds()[1][0]);
        assert!((radius / of_ball - 1.0).abs() < 0.01 && found.place[2] > 0.0, "{found:?}");
        assert!(dot(found.normal, found.place) > 0.95 * radius);
        let fixed = vec![false; ball.positions().len()];
        let first = ball.volume().context("closed")?;
        for inwards in [false, true] {
            let moved = ball.moved(dab(&ball, &found, 0.4 * of_ball, inwards, &fixed))?;
            // A dab is HIGH radii high over a disc: (1 - d²/r²)² holds a third of a cylinder, on a curved disc somewhat less.
            let dab = std::f64::consts::PI / 3.0 * HIGH * (0.4 * of_ball).powi(3);
            let gone = (moved.volume().context("closed")? - first) * if inwards { -1.0 } else { 1.0 };
            assert!((0.7..1.1).contains(&(gone / dab)), "{gone} of {dab}");
            let far = |(a, b): (&[f32; 3], &[f32; 3])| a != b && a[2] < 0.0;
            assert!(!ball.positions().iter().zip(moved.positions()).any(far), "nothing behind it");
        }
        assert!(met(&ball, &Ray { from: [0.0, 0.0, 5.0], along: [0.0, 1.0, 0.0] }).is_none());
        Ok(())
    }

    #[test]
    fn a_mesh_is_blown_up_about_its_middle_to_the_volume_that_it_had() -> Result<()> {
        let ball = Mesh::sphere(3)?;
        let volume = ball.volume().context("closed")?;
        let small: Vec<[f32; 3]> = ball.positions().iter().map(|p| p.map(|x| 0.5 * x + 0.25)).collect();
        let small = ball.moved(small)?;
        let (middle, times) = blown(&small, volume).context("closed")?;
        assert!(
            (times - 2.0).abs() < 1e-5 && middle.iter().all(|x| (x - 0.25).abs() < 1e-6),
            "{middle:?} {times}"
        );
        let large = ball.moved(scaled(small.positions(), (middle, times)))?;
        assert!((large.volume().context("closed")? / volume - 1.0).abs() < 1e-6);
        assert!(blown(&Mesh::sheet(3, 3)?, 1.0).is_none());
        Ok(())
    }
}
