//! Meshes that need no file.

use std::collections::HashMap;
use std::f64::consts::TAU;

use super::space::{Point, cross, difference, dot, length};
use super::{Mesh, doubled_area};
use crate::numeric::Random;
use crate::{Error, Result};

/// Faces of the largest mesh that is made.
const MOST: u64 = 1 << 24;

/// Radius of the tube of a knot.
const KNOT: f64 = 0.13;

impl Mesh {
    /// A sphere of radius 1: an icosahedron whose faces are cut in four that many times. 12, 42, 162, 642, 2562, ...
    /// vertices.
    ///
    /// # Errors
    /// [`Error::OverLimit`] past 2²⁴ faces.
    pub fn sphere(cuts: u32) -> Result<Mesh> {
        check_size("number of faces", 20u64.saturating_mul(4u64.saturating_pow(cuts)))?;
        let golden = (1.0 + 5.0f64.sqrt()) / 2.0;
        let mut corners: Vec<Point> = Vec::new();
        for (one, long) in [(1.0, golden), (1.0, -golden), (-1.0, golden), (-1.0, -golden)] {
            corners.extend([[0.0, one, long], [one, long, 0.0], [long, 0.0, one]].map(on_sphere));
        }
        let mut faces = icosahedron(&corners);
        for _ in 0..cuts {
            faces = cut(&mut corners, &faces);
        }
        Mesh::new(corners.iter().map(|p| p.map(|x| x as f32)).collect(), faces)
    }

    /// A cube from −1 to 1, each face a grid of n × n squares cut in two: 6n² + 2 vertices.
    ///
    /// # Errors
    /// [`Error::OverLimit`] past 2²⁴ faces; [`Error::BadMesh`] for n = 0.
    pub fn cube(n: u32) -> Result<Mesh> {
        check_size("number of faces", 12 * u64::from(n).saturating_pow(2))?;
        let mut positions = Vec::new();
        let mut numbers = HashMap::new();
        let mut faces = Vec::new();
        for axis in 0..3 {
            for far in [false, true] {
                let mut vertex = |u: u32, v: u32| {
                    let mut place = [0; 3];
                    place[axis] = if far { n } else { 0 };
                    // Seen from outside, u and v go round against the clock.
                    (place[(axis + 1) % 3], place[(axis + 2) % 3]) = if far { (u, v) } else { (v, u) };
                    *numbers.entry(place).or_insert_with(|| {
                        positions.push(place.map(|k| 2.0 * k as f32 / n as f32 - 1.0));
                        positions.len() as u32 - 1
                    })
                };
                squares(n, n, |u, v| faces.extend(halves(u, v, &mut vertex)));
            }
        }
        Mesh::new(positions, faces)
    }

    /// A flat sheet in the plane z = 0, columns × rows squares of side 1 cut in two, about the origin.
    ///
    /// # Errors
    /// As [`Mesh::cube`].
    pub fn sheet(columns: u32, rows: u32) -> Result<Mesh> {
        check_size("number of faces", 2 * u64::from(columns) * u64::from(rows))?;
        let mut faces = Vec::new();
        squares(columns, rows, |u, v| {
            faces.extend(halves(u, v, &mut |u, v| v * (columns + 1) + u));
        });
        let middle = [columns, rows].map(|side| side as f32 / 2.0);
        let position = |v, u| [u as f32 - middle[0], v as f32 - middle[1], 0.0];
        Mesh::new((0..=rows).flat_map(|v| (0..=columns).map(move |u| position(v, u))).collect(), faces)
    }

    /// A trefoil knot of a tube, 9 n squares along and 2 n around, each cut in two: closed, and of the shape of a torus.
    ///
    /// # Errors
    /// As [`Mesh::cube`].
    pub fn knot(n: u32) -> Result<Mesh> {
        let (along, around) = (9 * n, 2 * n);
        check_size("number of faces", 2 * u64::from(along) * u64::from(around))?;
        // The knot lies on a torus, three times through its hole and twice round it.
        let middle = |t: f64| -> Point {
            let out = 2.0 + (3.0 * t).cos();
            [out * (2.0 * t).cos() / 3.6, out * (2.0 * t).sin() / 3.6, (3.0 * t).sin() / 3.6]
        };
        let position = |u: u32, v: u32| {
            let [t, turn] = [u, v].map(f64::from);
            let (t, turn) = (TAU * t / f64::from(along), TAU * turn / f64::from(around));
            let ahead = on_sphere(difference(middle(t + 1e-4), middle(t - 1e-4)));
            // From the middle of the torus' own tube outwards.
            let hub = [2.0 * (2.0 * t).cos() / 3.6, 2.0 * (2.0 * t).sin() / 3.6, 0.0];
            let up = difference(middle(t), hub);
            let side = on_sphere(cross(up, ahead));
            let up = cross(ahead, side);
            std::array::from_fn(|k| {
                (middle(t)[k] + KNOT * (turn.cos() * up[k] + turn.sin() * side[k])) as f32
            })
        };
        let positions =
            (0..along).flat_map(|u| (0..around).map(move |v| (u, v))).map(|(u, v)| position(u, v));
        let mut vertex = |u: u32, v: u32| (u % along.max(1)) * around + v % around.max(1);
        let mut faces = Vec::new();
        squares(along, around, |u, v| faces.extend(halves(u, v, &mut vertex)));
        Mesh::new(positions.collect(), faces)
    }

    /// The same mesh with each vertex moved along its normal, at random by `amount` at most: another mesh for another
    /// seed, the same for the same.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for an amount that is not finite.
    pub fn with_noise(&self, amount: f32, seed: u64) -> Result<Mesh> {
        if !amount.is_finite() {
            let (found, expected) = (amount.to_string(), "a finite number".to_owned());
            return Err(Error::BadParameter { name: "noise", found, expected });
        }
        let mut random = Random(seed);
        let moved = self.positions.iter().zip(self.normals()).map(|(position, normal)| {
            let far = amount * random.signed();
            std::array::from_fn(|k| position[k] + far * normal[k])
        });
        self.moved(moved.collect())
    }

    /// The normal of each vertex, of length 1: the mean over its faces, by their areas. 0 where there is none.
    pub fn normals(&self) -> Vec<[f32; 3]> {
        let mut sums = vec![[0.0; 3]; self.positions.len()];
        for (face, triangle) in self.faces.iter().zip(self.triangles()) {
            let normal = doubled_area(triangle);
            for &corner in face {
                sums[corner as usize] = difference(sums[corner as usize], normal.map(|v| -v));
            }
        }
        let unit = |sum: Point| {
            let length = length(sum);
            sum.map(|v| if length > 0.0 { (v / length) as f32 } else { 0.0 })
        };
        sums.into_iter().map(unit).collect()
    }
}

pub(super) fn check_size(quantity: &'static str, found: u64) -> Result<()> {
    if found > MOST {
        return Err(Error::OverLimit { what: "mesh".to_owned(), quantity, found, limit: MOST });
    }
    Ok(())
}

fn squares(columns: u32, rows: u32, mut each: impl FnMut(u32, u32)) {
    (0..rows).for_each(|v| (0..columns).for_each(|u| each(u, v)));
}

/// The two halves of a square of a grid, against the clock. The cut runs the other way in every other square, or the
/// mesh would have a grain.
fn halves(u: u32, v: u32, vertex: &mut impl FnMut(u32, u32) -> u32) -> [[u32; 3]; 2] {
    let [a, b, c, d] = [vertex(u, v), vertex(u + 1, v), vertex(u + 1, v + 1), vertex(u, v + 1)];
    if (u + v).is_multiple_of(2) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
}

fn on_sphere(p: Point) -> Point {
    let length = length(p);
    p.map(|x| x / length)
}

/// All corners of an icosahedron that are each other's neighbours, three at a time, against the clock.
fn icosahedron(corners: &[Point]) -> Vec<[u32; 3]> {
    let near = |a: usize, b: usize| length(difference(corners[a], corners[b])) < 1.2;
    let mut faces = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(c, a) {
                    let outward = dot(doubled_area([corners[a], corners[b], corners[c]]), corners[a]) > 0.0;
                    let [b, c] = if outward { [b, c] } else { [c, b] };
                    faces.push([a as u32, b as u32, c as u32]);
                }
            }
        }
    }
    faces
}

/// Each face in four, by the middles of its edges brought out to the sphere.
fn cut(corners: &mut Vec<Point>, faces: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut middles = HashMap::new();
    let mut middle = |a: u32, b: u32| {
        *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
            let (from, to) = (corners[a as usize], corners[b as usize]);
            corners.push(on_sphere(std::array::from_fn(|k| from[k] + to[k])));
            corners.len() as u32 - 1
        })
    };
    let four = |&[a, b, c]: &[u32; 3]| {
        let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
        [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
    };
    faces.iter().flat_map(four).collect()
}
