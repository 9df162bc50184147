//! Where the picture lies in the window, and which cell a pixel is.

use anyhow::Result;
use quadrille::Rect;
use quadrille::view::{Ray, keep_aspect};

use crate::picture::{Layout, Picture};

/// A picture somewhere in a window. Row 0 of a field is its top row, or the farthest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Pixels from the left and the top of the window.
    left: u32,
    top: u32,
    width: u32,
    height: u32,
    layout: Layout,
}

impl Place {
    /// A map in the middle of `area` (in points), as large as its aspect allows, or what is seen in perspective all
    /// over it; `None` in an area of no pixels.
    ///
    /// # Errors
    /// Those of the camera.
    pub fn new(picture: &dyn Picture, area: egui::Rect, scale: f32) -> Result<Option<Place>> {
        let aspect = f64::from(area.width()) / f64::from(area.height());
        Ok(Place::of(picture.layout(aspect)?, area, scale))
    }

    pub(super) fn of(layout: Layout, area: egui::Rect, scale: f32) -> Option<Place> {
        let pixels = |points: f32| (points * scale).round().max(0.0) as u32;
        let (left, top) = (pixels(area.left()), pixels(area.top()));
        let (right, bottom) = (pixels(area.right()), pixels(area.bottom()));
        if right <= left || bottom <= top {
            return None;
        }
        let (width, height) = (right - left, bottom - top);
        let Layout::Map { columns, rows } = layout else {
            return Some(Place { left, top, width, height, layout });
        };
        let inside = keep_aspect(columns, rows, width, height);
        let (left, top) = (left + inside.x0, top + inside.y0);
        Some(Place { left, top, width: inside.width(), height: inside.height(), layout })
    }

    /// The same in OpenGL's pixels, whose rows count from the bottom of the window.
    pub fn viewport(&self, window_height: u32) -> Rect {
        let y1 = window_height.saturating_sub(self.top);
        Rect::new(self.left, y1.saturating_sub(self.height), self.left + self.width, y1)
    }

    /// Returns true if the scene lies in space and has no cells.
    pub fn is_space(&self) -> bool {
        matches!(self.layout, Layout::Space(_))
    }

    /// The place in the window, in points, of a place in the picture.
    pub fn point(&self, [x, y]: [f32; 2], scale: f32) -> egui::Pos2 {
        let along = |first: u32, length: u32, share: f32| (first as f32 + share * length as f32) / scale;
        egui::pos2(along(self.left, self.width, x), along(self.top, self.height, y))
    }

    /// The place in the window, in points, of the middle of a cell; `None` where there are no cells.
    pub fn point_of_cell(&self, cell: [u32; 2], scale: f32) -> Option<egui::Pos2> {
        self.point_at(cell.map(|c| c as f32 + 0.5), scale)
    }

    /// The place in the window, in points, of one in cells; `None` where there are no cells.
    pub fn point_at(&self, at: [f32; 2], scale: f32) -> Option<egui::Pos2> {
        let middle = at.map(f64::from);
        let share = match &self.layout {
            &Layout::Map { columns, rows } => [middle[0] / f64::from(columns), middle[1] / f64::from(rows)],
            Layout::Water { perspective, .. } => perspective.picture_of(middle),
            Layout::Space(_) => return None,
        };
        Some(self.point(share.map(|v| v as f32), scale))
    }

    /// A pixel's place in the picture, (0, 0) its upper left corner and (1, 1) its lower right.
    fn share(&self, x: f32, y: f32) -> [f32; 2] {
        [(x - self.left as f32) / self.width as f32, (y - self.top as f32) / self.height as f32]
    }

    /// The place in cells of a pixel; the middle of the first cell is (0.5, 0.5). No number in the sky, farther from
    /// the grid than it is long, and where there are no cells.
    pub fn cell(&self, x: f32, y: f32) -> [f32; 2] {
        let [x, y] = self.share(x, y);
        match &self.layout {
            &Layout::Map { columns, rows } => [x * columns as f32, y * rows as f32],
            &Layout::Water { columns, rows, perspective } => {
                let most = 2.0 * columns.max(rows) as f32;
                match perspective.cell_of([x.into(), y.into()]).map(|cell| cell.map(|c| c as f32)) {
                    Some(cell) if cell.iter().all(|c| c.abs() <= most) => cell,
                    _ => [f32::NAN; 2],
                }
            }
            Layout::Space(_) => [f32::NAN; 2],
        }
    }

    /// All that is seen at a pixel, of what lies in space.
    pub fn ray(&self, x: f32, y: f32) -> Option<Ray> {
        match &self.layout {
            Layout::Space(lens) => Some(lens.ray(self.share(x, y).map(f64::from))),
            _ => None,
        }
    }

    /// Pixels of the picture up and down.
    pub fn height(&self) -> f32 {
        self.height as f32
    }

    /// Returns true if a pixel lies on the picture.
    pub fn covers(&self, x: f32, y: f32) -> bool {
        let inside = |v: f32, first: u32, length: u32| (first as f32..(first + length) as f32).contains(&v);
        inside(x, self.left, self.width) && inside(y, self.top, self.height)
    }

    /// Returns true if those cell coordinates are on the picture.
    pub fn contains(&self, [x, y]: [f32; 2]) -> bool {
        match self.layout {
            Layout::Map { columns, rows } | Layout::Water { columns, rows, .. } => {
                (0.0..columns as f32).contains(&x) && (0.0..rows as f32).contains(&y)
            }
            Layout::Space(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::{Rect as Area, pos2};
    use quadrille::view::{Camera, Perspective, Stage};

    fn map(columns: u32, rows: u32, area: Area, scale: f32) -> Option<Place> {
        Place::of(Layout::Map { columns, rows }, area, scale)
    }

    #[test]
    fn the_first_cell_is_top_left_and_the_last_bottom_right() -> Result<(), &'static str> {
        // Twice the pixels: the area is 200 to 800 by 0 to 400, the picture 300 to 700.
        let area = Area::from_min_max(pos2(100.0, 0.0), pos2(400.0, 200.0));
        let place = map(100, 100, area, 2.0).ok_or("no place")?;
        assert_eq!(place.viewport(400), Rect::new(300, 0, 700, 400));
        assert_eq!(place.cell(300.0, 0.0), [0.0, 0.0]);
        assert_eq!(place.cell(302.0, 2.0), [0.5, 0.5]);
        assert_eq!(place.cell(700.0, 400.0), [100.0, 100.0]);
        assert!(place.contains([0.0, 99.9]) && !place.contains([100.0, 5.0]) && !place.contains([5.0, -0.1]));
        Ok(())
    }

    #[test]
    fn what_is_below_the_picture_in_the_window_is_below_it_in_opengl() -> Result<(), &'static str> {
        let area = Area::from_min_max(pos2(0.0, 10.0), pos2(100.0, 110.0));
        let place = map(10, 5, area, 1.0).ok_or("no place")?;
        // 25 pixels above and below it in the area, and 10 more above and 40 more below that.
        assert_eq!(place.viewport(150), Rect::new(0, 65, 100, 115));
        Ok(())
    }

    #[test]
    fn a_pixel_of_a_surface_leads_to_the_cell_that_is_drawn_there() -> Result<(), Box<dyn std::error::Error>>
    {
        let area = Area::from_min_max(pos2(100.0, 20.0), pos2(500.0, 320.0));
        let perspective = Perspective::new(&Camera::default(), 80, 40, 4.0 / 3.0)?;
        let water = |perspective| Layout::Water { columns: 80, rows: 40, perspective };
        let place = Place::of(water(perspective), area, 2.0).ok_or("no place")?;
        for cell in [[0.5, 0.5], [79.5, 0.5], [40.0, 20.0], [3.0, 39.0]] {
            let [x, y] = perspective.picture_of(cell);
            let (x, y) = (200.0 + x as f32 * 800.0, 40.0 + y as f32 * 600.0);
            let found = place.cell(x, y);
            assert!(place.covers(x, y) && place.contains(found));
            assert!((found[0] - cell[0] as f32).hypot(found[1] - cell[1] as f32) < 0.01, "{found:?}");
        }
        // A ray that reaches the water far away, and one that never does.
        let low = Camera { elevation: 3.0, field_of_view: 60.0, ..Camera::default() };
        let place = Place { layout: water(Perspective::new(&low, 80, 40, 4.0 / 3.0)?), ..place };
        for y in 40..640 {
            let found = place.cell(600.0, y as f32);
            assert!(found[0].abs() <= 160.0 || found.iter().all(|c| c.is_nan()) && !place.contains(found));
        }
        assert!(place.cell(600.0, 41.0)[0].is_nan());
        Ok(())
    }

    #[test]
    fn the_ray_of_a_pixel_goes_through_the_place_that_is_drawn_there()
    -> Result<(), Box<dyn std::error::Error>> {
        let area = Area::from_min_max(pos2(100.0, 20.0), pos2(500.0, 320.0));
        let stage = Stage { low: [-5.0, 0.0, -1.0], high: [5.0, 6.0, 1.0], ground: None };
        let lens = stage.lens(&Camera::default(), 4.0 / 3.0)?;
        let place = Place::of(Layout::Space(lens), area, 1.0).ok_or("no place")?;
        for at in [[4.5, 0.5, 0.5], [-4.5, 5.5, 0.5], [0.0, 3.0, -1.0]] {
            let [x, y] = lens.picture_of(at);
            let ray = place.ray(100.0 + x as f32 * 400.0, 20.0 + y as f32 * 300.0).ok_or("no ray")?;
            let met = ray.at(lens.depth_of(at));
            assert!(met.iter().zip(at).all(|(met, at)| (met - at).abs() < 1e-4), "{met:?} for {at:?}");
        }
        assert!(place.is_space() && place.cell(300.0, 100.0)[0].is_nan() && !place.contains([0.5, 0.5]));
        Ok(())
    }

    #[test]
    fn an_area_of_no_pixels_has_no_picture() {
        for (width, height) in [(0.0, 10.0), (10.0, 0.0), (-5.0, 10.0), (0.2, 10.0)] {
            let area = Area::from_min_max(pos2(5.0, 5.0), pos2(5.0 + width, 5.0 + height));
            assert_eq!(map(8, 8, area, 1.0), None);
        }
    }
}
