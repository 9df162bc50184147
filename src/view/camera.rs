//! Where a camera stands, and what it sees of a ground plane of cells: perspective, and the way back from a pixel to
//! a cell.
//!
//! World of a grid: x to the right along a row, y up, z towards the viewer down the rows; the middle of the grid at rest
//! is the origin, and the grid's longer side is 2, so that a picture looks alike at every size.

use super::lens::Lens;
use crate::{Error, Result};

/// Where the viewer stands: an orbit around the middle of a grid, or of a stage. Angles in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Turns around the vertical: 0 looks from the front, down the columns with row 0 farthest; more walks to the
    /// right.
    pub azimuth: f32,
    /// Above the horizon: 90 looks straight down, as on a map.
    pub elevation: f32,
    /// In units of the distance from which the whole of it just fits into the picture.
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
    lens: Lens,
}

impl Perspective {
    /// The camera before that grid, for a picture of width / height = `aspect`.
    ///
    /// # Errors
    /// Those of [`Camera::check`].
    pub fn new(camera: &Camera, columns: u32, rows: u32, aspect: f64) -> Result<Perspective> {
        let (columns, rows) = (f64::from(columns.max(1)), f64::from(rows.max(1)));
        let [x, z] = half(columns, rows);
        let water = [[-x, -FLOOR, -z], [x, ROOM, z]];
        Ok(Perspective { columns, rows, lens: Lens::new(camera, [0.0; 3], water, aspect)? })
    }

    /// World units a cell.
    pub fn cell_size(&self) -> f64 {
        cell_size(self.columns, self.rows)
    }

    /// Half the grid's sides in world units.
    pub(super) fn half(&self) -> [f64; 2] {
        half(self.columns, self.rows)
    }

    /// The place in the picture of a place in cells on the plane at rest.
    pub fn picture_of(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let size = self.cell_size();
        let p = [(x - self.columns / 2.0) * size, 0.0, (y - self.rows / 2.0) * size];
        self.lens.picture_of(p)
    }

    /// The place in cells where the ray through a place in the picture meets the plane at rest; `None` for a
    /// ray that goes up to the sky. It may lie outside the grid.
    pub fn cell_of(&self, place: [f64; 2]) -> Option<[f64; 2]> {
        let ray = self.lens.ray(place);
        let way = -ray.from[1] / ray.along[1];
        if !(way.is_finite() && way > 0.0) {
            return None;
        }
        let (p, size) = (ray.at(way), self.cell_size());
        Some([p[0] / size + self.columns / 2.0, p[2] / size + self.rows / 2.0])
    }

    /// The part of the picture's height that a side of a cell covers at most: at the nearest corner.
    pub(super) fn largest_cell(&self) -> f64 {
        let [x, z] = self.half();
        let depth = |[x, z]: [f64; 2]| self.lens.depth_of([x, ROOM, z]);
        let nearest = [[-x, -z], [-x, z], [x, -z], [x, z]].map(depth).into_iter().fold(f64::MAX, f64::min);
        self.lens.share_of(self.cell_size(), nearest.max(1e-6))
    }

    /// The rows of the matrix that takes (x, y, z, 1) to clip coordinates: what is drawn lies within `reach` of the origin.
    pub(super) fn matrix(&self, reach: f64) -> [[f32; 4]; 4] {
        self.lens.matrix(reach, 0.01)
    }

    /// The places in a picture that lie above the horizon: see [`Lens::horizon`].
    pub(super) fn horizon(&self) -> [f32; 4] {
        self.lens.horizon()
    }

    /// Where the viewer's eye is.
    pub(super) fn eye(&self) -> [f32; 3] {
        self.lens.eye()
    }
}

/// World units a cell: the longer side of the grid is 2.
fn cell_size(columns: f64, rows: f64) -> f64 {
    2.0 / columns.max(rows)
}

fn half(columns: f64, rows: f64) -> [f64; 2] {
    [columns, rows].map(|n| n * cell_size(columns, rows) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::super::space::corners;
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
                    let place = [
                        (cell[0] - f64::from(columns) / 2.0) * perspective.cell_size(),
                        0.0,
                        (cell[1] - f64::from(rows) / 2.0) * perspective.cell_size(),
                    ];
                    if perspective.lens.depth_of(place) < 0.01 {
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
        let rows = perspective.matrix(3.0);
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
                let [x, z] = perspective.half();
                let corners = corners([-x, -FLOOR, -z], [x, ROOM, z]);
                let places = corners.map(|p| perspective.lens.on_screen(p));
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
