//! Triangles on a small target, in f64: what a fragment gets of the numbers at their corners.

use super::{Pixel, Rounding};

/// A corner: its place in clip coordinates, and N numbers.
#[derive(Clone, Copy)]
pub struct Corner<const N: usize> {
    pub clip: [f64; 4],
    pub numbers: [f64; N],
}

/// Sixteenths of a pixel are what OpenGL asks of places on the target: a middle nearer to an edge lies on it.
const EXACT: f64 = 1.0 / 16.0;

impl<const N: usize> Corner<N> {
    /// The corner on a target of that size, its place rounded to multiples of `snap` pixels (`support::snap`).
    pub fn snapped(self, rounding: &Rounding, size: [u32; 2], snap: f64) -> Corner<N> {
        let mut clip = self.clip;
        for axis in 0..2 {
            clip[axis] = rounding.of(clip[axis], snap * 2.0 / f64::from(size[axis]) * clip[3]);
        }
        Corner { clip, ..self }
    }
}

/// A triangle on a target of some size.
pub struct Triangle<const N: usize> {
    pub corners: [Corner<N>; 3],
    places: [[f64; 2]; 3],
    low: [f64; 2],
    high: [f64; 2],
}

/// Twice the area of the triangle.
pub fn area([a, b, c]: [[f64; 2]; 3]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

impl<const N: usize> Triangle<N> {
    pub fn new(corners: [Corner<N>; 3], size: [u32; 2]) -> Triangle<N> {
        let place = |clip: [f64; 4], axis: usize| 0.5 * f64::from(size[axis]) * (1.0 + clip[axis] / clip[3]);
        let places = corners.map(|Corner { clip, .. }| [place(clip, 0), place(clip, 1)]);
        let bound =
            |of: fn(f64, f64) -> f64| [0, 1].map(|n| places.iter().map(|p| p[n]).reduce(of).unwrap_or(0.0));
        Triangle { corners, places, low: bound(f64::min), high: bound(f64::max) }
    }

    /// Twice its area in pixels.
    pub fn area(&self) -> f64 {
        area(self.places)
    }

    /// The numbers at the middle of a pixel, linear in the world.
    pub fn at(&self, pixel: [u32; 2]) -> Pixel<N> {
        let middle = pixel.map(|x| f64::from(x) + 0.5);
        let outside = |n: usize| middle[n] < self.low[n] - EXACT || middle[n] > self.high[n] + EXACT;
        let ([a, b, c], whole) = (self.places, self.area());
        // A triangle without area covers nothing.
        if outside(0) || outside(1) || whole.abs() < 1e-9 {
            return Pixel::Untouched;
        }
        let sides = [[a, b], [b, c], [c, a]].map(|[from, to]| (to[0] - from[0]).hypot(to[1] - from[1]));
        let parts = [area([middle, b, c]), area([a, middle, c]), area([a, b, middle])];
        // The side after a corner lies across from the corner before it.
        let away = [0, 1, 2].map(|n| parts[n] * whole.signum() / sides[(n + 1) % 3]);
        if away.iter().any(|&away| away < -EXACT) {
            return Pixel::Untouched;
        }
        if away.iter().any(|&away| away < EXACT) {
            return Pixel::Edge;
        }
        // By perspective: shares of the target, divided by w, in parts of their sum.
        let shares = [0, 1, 2].map(|n| parts[n] / self.corners[n].clip[3]);
        let sum: f64 = shares.iter().sum();
        let number = |k: usize| (0..3).map(|n| shares[n] * self.corners[n].numbers[k]).sum::<f64>() / sum;
        Pixel::Is(std::array::from_fn(number))
    }
}
