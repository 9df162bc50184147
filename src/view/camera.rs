//! A camera that looks at a ground plane of cells: perspective, and the way back from a pixel to a cell.
//!
//! World: x to the right along a row, y up, z towards the viewer down the rows; the middle of the grid at rest
//! is the origin, and the grid's longer side is 2, so that a picture looks alike at every size.

use crate::{Error, Result};

/// Where the viewer stands: an orbit around the middle of the grid. Angles in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Turns around the vertical: 0 looks along the columns with row 0 farthest; more walks to the right.
    pub azimuth: f32,
    /// Above the horizon: 90 looks straight down, as on a map.
    pub elevation: f32,
    /// In units of the distance from which the whole grid just fits into the picture.
    pub distance: f32,
    /// Angle between the picture's upper and lower edge.
    pub field_of_view: f32,
}

impl Default for Camera {
    fn default() -> Camera {
        Camera { azimuth: 25.0, elevation: 35.0, distance: 1.0, field_of_view: 30.0 }
    }
}

impl Camera {
    /// Checks that there is something to see from there.
    ///
    /// # Errors
    /// [`Error::BadParameter`].
    pub fn check(&self) -> Result<()> {
        let within = |name, value: f32, low: f32, high: f32| match (low..=high).contains(&value) {
            true => Ok(()),
            false => {
                let (found, expected) = (value.to_string(), format!("{low} to {high}"));
                Err(Error::BadParameter { name, found, expected })
            }
        };
        within("azimuth", self.azimuth, -3600.0, 3600.0)?;
        within("elevation", self.elevation, 1.0, 90.0)?;
        within("distance", self.distance, 0.1, 100.0)?;
        within("field of view", self.field_of_view, 1.0, 120.0)
    }
}

type Vector = [f64; 3];

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn add(a: Vector, b: Vector, scale: f64) -> Vector {
    [a[0] + b[0] * scale, a[1] + b[1] * scale, a[2] + b[2] * scale]
}

/// How far below rest the body of water reaches, and how far above it waves are given room, in world units.
pub(super) const FLOOR: f64 = 0.14;
pub(super) const ROOM: f64 = 0.06;

/// A camera before a grid of columns × rows cells and a picture of some aspect.
///
/// # Shapes
/// Cells: (0, 0) is the outer corner of the first cell, (columns, rows) that of the last. Pictures: (0, 0) is
/// the upper left corner, (1, 1) the lower right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Perspective {
    columns: f64,
    rows: f64,
    eye: Vector,
    right: Vector,
    up: Vector,
    /// From the eye to the middle of the grid, of length 1.
    ahead: Vector,
    /// Cotangents of half the angle of view across and up.
    zoom: [f64; 2],
    /// By how much the picture is moved up its frame, so that the grid lies in the middle of it.
    shift: f64,
    distance: f64,
}

impl Perspective {
    /// The camera before that grid, for a picture of width / height = `aspect`.
    ///
    /// # Errors
    /// Those of [`Camera::check`].
    pub fn new(camera: &Camera, columns: u32, rows: u32, aspect: f64) -> Result<Perspective> {
        camera.check()?;
        let (turn, rise) = (f64::from(camera.azimuth).to_radians(), f64::from(camera.elevation).to_radians());
        let ahead = [-turn.sin() * rise.cos(), -rise.sin(), -turn.cos() * rise.cos()];
        let right = [turn.cos(), 0.0, -turn.sin()];
        let up = [-turn.sin() * rise.sin(), rise.cos(), -turn.cos() * rise.sin()];
        let tall = 1.0 / (f64::from(camera.field_of_view).to_radians() / 2.0).tan();
        let zoom = [tall / aspect.clamp(1e-3, 1e3), tall];
        let (columns, rows) = (f64::from(columns.max(1)), f64::from(rows.max(1)));
        let still =
            Perspective { columns, rows, eye: [0.0; 3], right, up, ahead, zoom, shift: 0.0, distance: 0.0 };
        // Of a corner p at distance d, |x| zoom <= d + p·ahead: the farthest corner decides.
        let needs = |p: Vector| {
            let across = (dot(p, right).abs() * zoom[0]).max(dot(p, up).abs() * zoom[1]);
            across - dot(p, ahead)
        };
        let distance = still.corners().map(needs).into_iter().fold(0.1, f64::max) * 1.04;
        let distance = distance * f64::from(camera.distance);
        let mut placed = Perspective { eye: add([0.0; 3], ahead, -distance), distance, ..still };
        let heights = placed.corners().map(|p| placed.on_screen(p)[1]);
        let (low, high) = heights.iter().fold((f64::MAX, f64::MIN), |(l, h), &y| (l.min(y), h.max(y)));
        if low.is_finite() && high.is_finite() {
            placed.shift = (low + high) / 2.0;
        }
        Ok(placed)
    }

    /// World units a cell.
    pub fn cell_size(&self) -> f64 {
        2.0 / self.columns.max(self.rows)
    }

    /// Half the grid's sides in world units.
    pub(super) fn half(&self) -> [f64; 2] {
        [self.columns * self.cell_size() / 2.0, self.rows * self.cell_size() / 2.0]
    }

    /// The corners of the box that the water fills.
    fn corners(&self) -> [Vector; 8] {
        let [x, z] = self.half();
        std::array::from_fn(|i| {
            let sign = |bit: usize| if i & bit == 0 { -1.0 } else { 1.0 };
            [x * sign(1), if i & 2 == 0 { -FLOOR } else { ROOM }, z * sign(4)]
        })
    }

    /// Across and up, −1 to 1 inside the picture.
    fn on_screen(&self, p: Vector) -> [f64; 2] {
        let from_eye = add(p, self.eye, -1.0);
        let depth = dot(from_eye, self.ahead).max(1e-6);
        let [across, tall] = self.zoom;
        [dot(from_eye, self.right) * across / depth, dot(from_eye, self.up) * tall / depth - self.shift]
    }

    /// The place in the picture of a place in cells on the plane at rest.
    pub fn picture_of(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let size = self.cell_size();
        let p = [(x - self.columns / 2.0) * size, 0.0, (y - self.rows / 2.0) * size];
        let [across, up] = self.on_screen(p);
        [(across + 1.0) / 2.0, (1.0 - up) / 2.0]
    }

    /// The place in cells where the ray through a place in the picture meets the plane at rest; `None` for a
    /// ray that goes up to the sky. It may lie outside the grid.
    pub fn cell_of(&self, [x, y]: [f64; 2]) -> Option<[f64; 2]> {
        let (across, up) = (x * 2.0 - 1.0, 1.0 - y * 2.0 + self.shift);
        let ray = add(add(self.ahead, self.right, across / self.zoom[0]), self.up, up / self.zoom[1]);
        let way = -self.eye[1] / ray[1];
        if !(way.is_finite() && way > 0.0) {
            return None;
        }
        let (p, size) = (add(self.eye, ray, way), self.cell_size());
        Some([p[0] / size + self.columns / 2.0, p[2] / size + self.rows / 2.0])
    }

    /// The rows of the matrix that takes (x, y, z, 1) to clip coordinates.
    pub(super) fn matrix(&self) -> [[f32; 4]; 4] {
        let row = |axis: Vector, scale: f64| {
            [axis[0] * scale, axis[1] * scale, axis[2] * scale, -dot(axis, self.eye) * scale]
        };
        let depth = row(self.ahead, 1.0);
        let [across, tall] = [row(self.right, self.zoom[0]), row(self.up, self.zoom[1])];
        // The box lies within 3 of the origin; what is nearer than a hundredth is not drawn.
        let (near, far) = ((self.distance - 3.0).max(0.01), self.distance + 3.0);
        let shifted: [f64; 4] = std::array::from_fn(|i| tall[i] - self.shift * depth[i]);
        let mut deep = depth.map(|d| d * (far + near) / (far - near));
        deep[3] -= 2.0 * far * near / (far - near);
        [across, shifted, deep, depth].map(|row| row.map(|v| v as f32))
    }

    /// Where the viewer's eye is.
    pub(super) fn eye(&self) -> [f32; 3] {
        self.eye.map(|v| v as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAMERAS: [[f32; 4]; 6] = [
        [25.0, 35.0, 1.0, 30.0],
        [0.0, 90.0, 1.0, 45.0],
        [-130.0, 10.0, 0.6, 60.0],
        [90.0, 60.0, 3.0, 20.0],
        [200.0, 1.0, 1.0, 30.0],
        [720.0, 45.0, 0.3, 100.0],
    ];

    fn camera([azimuth, elevation, distance, field_of_view]: [f32; 4]) -> Camera {
        Camera { azimuth, elevation, distance, field_of_view }
    }

    #[test]
    fn a_cell_goes_to_a_pixel_and_comes_back() -> Result<()> {
        for (columns, rows) in [(1, 1), (512, 512), (31, 57), (1, 100), (2048, 16)] {
            for (numbers, aspect) in CAMERAS.iter().flat_map(|c| [0.5, 1.0, 1.9].map(|a| (c, a))) {
                let perspective = Perspective::new(&camera(*numbers), columns, rows, aspect)?;
                for (i, j) in (0..5).flat_map(|i| (0..5).map(move |j| (i, j))) {
                    let cell = [f64::from(columns * i) / 4.0, f64::from(rows * j) / 4.0];
                    let ahead = add(
                        [
                            (cell[0] - f64::from(columns) / 2.0) * perspective.cell_size(),
                            0.0,
                            (cell[1] - f64::from(rows) / 2.0) * perspective.cell_size(),
                        ],
                        perspective.eye,
                        -1.0,
                    );
                    if dot(ahead, perspective.ahead) < 0.01 {
                        continue; // behind the eye, which is near the grid in some of these
                    }
                    let back = perspective.cell_of(perspective.picture_of(cell)).unwrap_or([f64::NAN; 2]);
                    let far = (back[0] - cell[0]).abs().max((back[1] - cell[1]).abs());
                    assert!(far < 1e-6 * f64::from(columns.max(rows)), "{cell:?} {back:?} {numbers:?}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn the_matrix_of_the_kernel_agrees_with_the_pixel() -> Result<()> {
        let perspective = Perspective::new(&camera(CAMERAS[0]), 300, 100, 1.5)?;
        let rows = perspective.matrix();
        for cell in [[0.0, 0.0], [300.0, 0.0], [0.0, 100.0], [300.0, 100.0], [150.0, 50.0]] {
            let size = perspective.cell_size();
            let place = [(cell[0] - 150.0) * size, 0.0, (cell[1] - 50.0) * size, 1.0];
            let clip = rows.map(|r| r.iter().zip(place).map(|(&a, b)| f64::from(a) * b).sum::<f64>());
            let [x, y] = perspective.picture_of(cell);
            assert!((clip[0] / clip[3] - (x * 2.0 - 1.0)).abs() < 1e-5);
            assert!((clip[1] / clip[3] - (1.0 - y * 2.0)).abs() < 1e-5);
            assert!((-1.0..=1.0).contains(&(clip[2] / clip[3])) && clip[3] > 0.0);
        }
        Ok(())
    }

    #[test]
    fn the_whole_grid_is_in_the_picture_and_fills_it() -> Result<()> {
        for (columns, rows) in [(512, 512), (31, 57), (1, 100), (2048, 16)] {
            for aspect in [0.5, 1.0, 1.9] {
                let perspective = Perspective::new(&Camera::default(), columns, rows, aspect)?;
                let places = perspective.corners().map(|p| perspective.on_screen(p));
                let most = places.iter().flatten().fold(0.0f64, |most, v| most.max(v.abs()));
                assert!((0.7..=1.0).contains(&most), "{most} for {columns}x{rows} at {aspect}");
            }
        }
        Ok(())
    }

    #[test]
    fn row_0_is_far_and_column_0_left_and_the_sky_has_no_cell() -> Result<()> {
        let front = Camera { azimuth: 0.0, elevation: 20.0, ..Camera::default() };
        let perspective = Perspective::new(&front, 100, 100, 1.0)?;
        let [near, far] = [[50.0, 100.0], [50.0, 0.0]].map(|cell| perspective.picture_of(cell));
        assert!(far[1] < near[1] && (far[0] - 0.5).abs() < 1e-9);
        assert!(perspective.picture_of([0.0, 50.0])[0] < 0.5);
        let up = Camera { field_of_view: 100.0, elevation: 5.0, ..front };
        assert_eq!(Perspective::new(&up, 100, 100, 1.0)?.cell_of([0.5, 0.0]), None);
        for bad in [Camera { elevation: 0.0, ..front }, Camera { distance: f32::NAN, ..front }] {
            assert!(matches!(bad.check(), Err(Error::BadParameter { .. })));
        }
        Ok(())
    }
}
