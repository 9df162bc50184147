//! A camera before a box of space: from a place in the world to one in the picture, and back along a ray.

use super::Camera;
use super::space::{Vector, add, corners, dot};
use crate::Result;

/// Half a line, in world units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it begins.
    pub from: [f64; 3],
    /// Where it goes; of any length.
    pub along: [f64; 3],
}

impl Ray {
    /// The place so many times `along` from the beginning.
    pub fn at(&self, way: f64) -> [f64; 3] {
        add(self.from, self.along, way)
    }
}

/// A perspective in which a box of space just fills the picture when the camera's distance is 1.
///
/// World: x to the right, y up, z towards a viewer whose azimuth is 0. Pictures: (0, 0) is the upper left
/// corner, (1, 1) the lower right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lens {
    eye: Vector,
    right: Vector,
    up: Vector,
    /// From the eye to the middle around which the camera turns, of length 1.
    ahead: Vector,
    /// Cotangents of half the angle of view across and up.
    zoom: [f64; 2],
    /// By how much the picture is moved up its frame, so that the box lies in the middle of it.
    shift: f64,
    distance: f64,
}

impl Lens {
    /// The camera in its orbit around `middle`, before the box from `low` to `high`, for a picture of
    /// width / height = `aspect`.
    ///
    /// # Errors
    /// Those of [`Camera::check`].
    pub fn new(camera: &Camera, middle: [f64; 3], [low, high]: [[f64; 3]; 2], aspect: f64) -> Result<Lens> {
        camera.check()?;
        let (turn, rise) = (f64::from(camera.azimuth).to_radians(), f64::from(camera.elevation).to_radians());
        let ahead = [-turn.sin() * rise.cos(), -rise.sin(), -turn.cos() * rise.cos()];
        let right = [turn.cos(), 0.0, -turn.sin()];
        let up = [-turn.sin() * rise.sin(), rise.cos(), -turn.cos() * rise.sin()];
        let tall = 1.0 / (f64::from(camera.field_of_view).to_radians() / 2.0).tan();
        let zoom = [tall / aspect.clamp(1e-3, 1e3), tall];
        let corners = corners(low, high);
        // For a corner p at distance d,|x| zoom <= d + p·ahead: the farthest corner decides.
        let needs = |corner: Vector| {
            let p = add(corner, middle, -1.0);
            let across = (dot(p, right).abs() * zoom[0]).max(dot(p, up).abs() * zoom[1]);
            across - dot(p, ahead)
        };
        let size =
            corners.iter().flat_map(|&c| add(c, middle, -1.0)).fold(0.0f64, |most, v| most.max(v.abs()));
        let distance = corners.map(needs).into_iter().fold(0.1 * size, f64::max) * 1.04;
        // From nearer than it takes to see all of it, the middle stays where it was in the picture: what is beside the
        // eye, or behind it, has no place there.
        let eye = |times: f32| add(middle, ahead, -distance * f64::from(times));
        let whole = Lens { eye: eye(camera.distance.max(1.0)), right, up, ahead, zoom, shift: 0.0, distance };
        let heights = corners.map(|p| whole.on_screen(p)[1]);
        let (low, high) = heights.iter().fold((f64::MAX, f64::MIN), |(l, h), &y| (l.min(y), h.max(y)));
        let shift = if low.is_finite() && high.is_finite() { (low + high) / 2.0 } else { 0.0 };
        let distance = distance * f64::from(camera.distance);
        Ok(Lens { eye: eye(camera.distance), shift, distance, ..whole })
    }

    /// Across and up, −1 to 1 inside the picture.
    pub(super) fn on_screen(&self, p: Vector) -> [f64; 2] {
        let from_eye = add(p, self.eye, -1.0);
        let depth = dot(from_eye, self.ahead).max(1e-6);
        let [across, tall] = self.zoom;
        [dot(from_eye, self.right) * across / depth, dot(from_eye, self.up) * tall / depth - self.shift]
    }

    /// How far before the eye a place is; behind it below 0.
    pub fn depth_of(&self, place: [f64; 3]) -> f64 {
        dot(add(place, self.eye, -1.0), self.ahead)
    }

    /// The place in the picture of a place before the eye.
    pub fn picture_of(&self, place: [f64; 3]) -> [f64; 2] {
        let [across, up] = self.on_screen(place);
        [(across + 1.0) / 2.0, (1.0 - up) / 2.0]
    }

    /// How much of the picture's height something of that length covers so far before the eye.
    pub fn share_of(&self, length: f64, depth: f64) -> f64 {
        length * self.zoom[1] / depth / 2.0
    }

    /// All that is seen at a place in the picture: from the eye, one unit of depth for each `along`.
    pub fn ray(&self, [x, y]: [f64; 2]) -> Ray {
        let (across, up) = (x * 2.0 - 1.0, 1.0 - y * 2.0 + self.shift);
        let along = add(add(self.ahead, self.right, across / self.zoom[0]), self.up, up / self.zoom[1]);
        Ray { from: self.eye, along }
    }

    /// The rows of the matrix that takes (x, y, z, 1) to clip coordinates. What is farther than `reach` from the
    /// middle in depth is not drawn, nor what is nearer to the eye than `nearest`.
    pub(super) fn matrix(&self, reach: f64, nearest: f64) -> [[f32; 4]; 4] {
        let row = |axis: Vector, scale: f64| {
            [axis[0] * scale, axis[1] * scale, axis[2] * scale, -dot(axis, self.eye) * scale]
        };
        let depth = row(self.ahead, 1.0);
        let [across, tall] = [row(self.right, self.zoom[0]), row(self.up, self.zoom[1])];
        let (near, far) = ((self.distance - reach).max(nearest), self.distance + reach);
        let shifted: [f64; 4] = std::array::from_fn(|i| tall[i] - self.shift * depth[i]);
        let mut deep = depth.map(|d| d * (far + near) / (far - near));
        deep[3] -= 2.0 * far * near / (far - near);
        [across, shifted, deep, depth].map(|row| row.map(|v| v as f32))
    }

    /// How far the ways ahead and up the picture lead up, the tangent of half the angle of view, and by how much the picture is moved up:
    /// what tells how far a place in the picture lies above the horizon.
    pub(super) fn horizon(&self) -> [f32; 4] {
        [self.ahead[1], self.up[1], 1.0 / self.zoom[1], self.shift].map(|v| v as f32)
    }

    /// Where the viewer's eye is.
    pub(super) fn eye(&self) -> [f32; 3] {
        self.eye.map(|v| v as f32)
    }
}
