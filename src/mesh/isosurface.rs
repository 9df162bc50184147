//! Surfaces of functions as meshes.

use std::collections::HashMap;

use super::Mesh;
use super::shapes::check_size;
use super::space::{Point, difference, dot};
use crate::Result;

/// Columns, rows and layers of a corner, and of the cell whose least corner it is.
type Place = [u32; 3];

impl Mesh {
    /// The surface where `f` is 0 in a cube of n³ cells, by surface nets (Gibson, *Constrained Elastic Surface Nets*, 1998): a vertex in each
    /// cell that the surface passes, in the mean of the places where it crosses the cell's edges, and two triangles for each edge
    /// that it crosses. `f` is below 0 inside. Where the surface leaves the cube there is a boundary; where two parts of it pass
    /// through one cell they share a vertex there.
    ///
    /// # Errors
    /// [`Error::OverLimit`](crate::Error::OverLimit) past 2²⁴ cells; [`Error::BadMesh`](crate::Error::BadMesh) if nothing of the surface is in the cube.
    pub fn isosurface(n: u32, low: Point, side: f64, f: impl Fn(Point) -> f64) -> Result<Mesh> {
        check_size("number of cells", u64::from(n).saturating_pow(3))?;
        let along = n as usize + 1;
        let step = side / f64::from(n.max(1));
        let at = |place: [f64; 3]| -> Point { std::array::from_fn(|k| low[k] + step * place[k]) };
        let number = |[x, y, z]: Place| (z as usize * along + y as usize) * along + x as usize;
        let places = (0..=n).flat_map(|z| (0..=n).flat_map(move |y| (0..=n).map(move |x| [x, y, z])));
        let values: Vec<f64> = places.map(|place| f(at(place.map(f64::from)))).collect();
        // The sum of the crossings of each cell, and how many there are.
        let mut crossings: HashMap<Place, ([f64; 3], f64)> = HashMap::new();
        let (mut order, mut quads) = (Vec::new(), Vec::new());
        for z in 0..=n {
            for (y, x) in (0..=n).flat_map(|y| (0..=n).map(move |x| (y, x))) {
                for axis in (0..3).filter(|&axis| [x, y, z][axis] < n) {
                    let from = [x, y, z];
                    let mut to = from;
                    to[axis] += 1;
                    let (a, b) = (values[number(from)], values[number(to)]);
                    if (a < 0.0) == (b < 0.0) {
                        continue;
                    }
                    let mut crossing = from.map(f64::from);
                    crossing[axis] += a / (a - b);
                    let (one, two) = ((axis + 1) % 3, (axis + 2) % 3);
                    // The four cells around the edge, against the clock seen from its far end.
                    let around = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|back: [u32; 2]| {
                        let mut cell = from;
                        cell[one] = cell[one].wrapping_sub(back[0]);
                        cell[two] = cell[two].wrapping_sub(back[1]);
                        cell
                    });
                    for cell in around.into_iter().filter(|cell| cell.iter().all(|&k| k < n)) {
                        let (sum, count) = crossings.entry(cell).or_insert_with(|| {
                            order.push(cell);
                            ([0.0; 3], 0.0)
                        });
                        *sum = std::array::from_fn(|k| sum[k] + crossing[k]);
                        *count += 1.0;
                    }
                    if around.iter().flatten().all(|&k| k < n) {
                        let [p, q, r, s] = around;
                        quads.push(if a < 0.0 { [p, q, r, s] } else { [s, r, q, p] });
                    }
                }
            }
        }
        let points: Vec<Point> = order
            .iter()
            .map(|cell| {
                let (sum, count) = crossings[cell];
                at(sum.map(|v| v / count))
            })
            .collect();
        let vertices: HashMap<Place, u32> = order.into_iter().zip(0..).collect();
        let far = |a: u32, b: u32| {
            let way = difference(points[a as usize], points[b as usize]);
            dot(way, way)
        };
        let faces = quads.into_iter().flat_map(|quad| {
            let [p, q, r, s] = quad.map(|cell| vertices[&cell]);
            // Cut along the shorter diagonal.
            if far(p, r) < far(q, s) { [[p, q, r], [p, r, s]] } else { [[p, q, s], [q, r, s]] }
        });
        let faces: Vec<_> = faces.collect();
        Mesh::new(points.iter().map(|p| p.map(|x| x as f32)).collect(), faces)
    }
}
