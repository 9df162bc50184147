//! Liquid and smoke: what moves against f64, and what must hold of a step whatever happens in it.

mod kernels;
mod smoke;
mod step;
mod touch;
mod volume;
mod water;

use quadrille::linalg::Voxels;
use quadrille::numeric::Random;
use quadrille_oracle::voxels::Faces;

/// Half of the distance between 1 and the next number.
const U: f64 = 1.0 / (1u64 << 24) as f64;

/// Boxes with sides that are odd, even, prime and 1.
const SIZES: [[u32; 3]; 5] = [[5, 4, 3], [7, 7, 7], [1, 1, 1], [2, 1, 9], [11, 6, 5]];

/// Random velocities up to 1 in either direction, 0 at the walls of the box.
fn velocity(voxels: Voxels, seed: u64) -> [Vec<f32>; 3] {
    let mut random = Random(seed);
    [0, 1, 2].map(|axis| {
        let [nx, ny, nz] = voxels.faces(axis);
        let all = (0..nz).flat_map(|k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k])));
        let inside = |face: [u32; 3]| face[axis] > 0 && face[axis] < voxels.size()[axis];
        all.map(|face| if inside(face) { 2.0 * random.unit() - 1.0 } else { 0.0 }).collect()
    })
}

fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&v| v.into()).collect()
}

fn wide_faces(faces: &[Vec<f32>; 3]) -> Faces {
    [0, 1, 2].map(|axis| wide(&faces[axis]))
}

fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |most: f64, v| if v.is_nan() { f64::INFINITY } else { most.max(v.abs()) })
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// How wrong a value may be that was fetched at the end of a path of D voxels among values up to M, in a box of n voxels
/// along its longest side.
///
/// A place is off by 4 roundings of a number up to n and by those of the velocity that led there, which is a threefold mean
/// (24 roundings at most, however a driver computes them). The velocity at the middle of the path is off by what it varies in
/// that distance: by 2D a voxel along each of three axes. So is the value, by 2M.
fn bound(n: f64, d: f64, m: f64) -> f64 {
    let place = U * (4.0 * n + 24.0 * d);
    6.0 * m * place * (1.0 + 6.0 * d) + 24.0 * U * m
}
