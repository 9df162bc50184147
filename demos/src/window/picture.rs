//! Where the picture lies in the window, and which cell a pixel is.

use quadrille::view::keep_aspect;
use quadrille::{Buffer, Rect};

/// A picture of columns × rows cells somewhere in a window. Row 0 is its top row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    columns: u32,
    rows: u32,
    /// Pixels from the left and the top of the window.
    left: u32,
    top: u32,
    width: u32,
    height: u32,
}

impl Place {
    /// In the middle of `area` (in points), as large as its aspect allows; `None` in an area of no pixels.
    pub fn new(state: &Buffer, area: egui::Rect, scale: f32) -> Option<Place> {
        Place::of_cells(state.width(), state.height(), area, scale)
    }

    fn of_cells(columns: u32, rows: u32, area: egui::Rect, scale: f32) -> Option<Place> {
        let pixels = |points: f32| (points * scale).round().max(0.0) as u32;
        let (left, top) = (pixels(area.left()), pixels(area.top()));
        let (right, bottom) = (pixels(area.right()), pixels(area.bottom()));
        if right <= left || bottom <= top {
            return None;
        }
        let inside = keep_aspect(columns, rows, right - left, bottom - top);
        let (width, height) = (inside.width(), inside.height());
        Some(Place { columns, rows, left: left + inside.x0, top: top + inside.y0, width, height })
    }

    /// The same in OpenGL's pixels, whose rows count from the bottom of the window.
    pub fn viewport(&self, window_height: u32) -> Rect {
        let y1 = window_height.saturating_sub(self.top);
        Rect::new(self.left, y1.saturating_sub(self.height), self.left + self.width, y1)
    }

    /// The place in cells of a pixel; the middle of the first cell is (0.5, 0.5).
    pub fn cell(&self, x: f32, y: f32) -> [f32; 2] {
        [
            (x - self.left as f32) / self.width as f32 * self.columns as f32,
            (y - self.top as f32) / self.height as f32 * self.rows as f32,
        ]
    }

    /// Whether those cell coordinates are on the picture.
    pub fn contains(&self, [x, y]: [f32; 2]) -> bool {
        (0.0..self.columns as f32).contains(&x) && (0.0..self.rows as f32).contains(&y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::{Rect as Area, pos2};

    #[test]
    fn the_first_cell_is_top_left_and_the_last_bottom_right() -> Result<(), &'static str> {
        // Twice the pixels: the area is 200 to 800 by 0 to 400, the picture 300 to 700.
        let area = Area::from_min_max(pos2(100.0, 0.0), pos2(400.0, 200.0));
        let place = Place::of_cells(100, 100, area, 2.0).ok_or("no place")?;
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
        let place = Place::of_cells(10, 5, area, 1.0).ok_or("no place")?;
        // 25 pixels above and below it in the area, and 10 more above and 40 more below that.
        assert_eq!(place.viewport(150), Rect::new(0, 65, 100, 115));
        Ok(())
    }

    #[test]
    fn an_area_of_no_pixels_has_no_picture() {
        for (width, height) in [(0.0, 10.0), (10.0, 0.0), (-5.0, 10.0), (0.2, 10.0)] {
            let area = Area::from_min_max(pos2(5.0, 5.0), pos2(5.0 + width, 5.0 + height));
            assert_eq!(Place::of_cells(8, 8, area, 1.0), None);
        }
    }
}
