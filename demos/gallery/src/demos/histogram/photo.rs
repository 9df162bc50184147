//! The image with its bars as they are seen: below it, or beside it where there is more room.

use std::cell::Cell;

use anyhow::Result;
use quadrille::view::Bars;
use quadrille::{Buffer, Rect};

use super::field;
use crate::image::Image;
use crate::param::Values;
use crate::picture::{Brush, FieldPicture, FieldView, Layout, Numbers, Picture, Source};

pub struct PhotoPicture<'a> {
    pub bars: &'a mut Bars,
    pub image: &'a Buffer,
    pub view: &'a mut FieldView,
    /// The room of the picture is wide: the bars are to stand beside the image once it is prepared.
    pub is_wide: &'a Cell<bool>,
}

impl PhotoPicture<'_> {
    fn field(&mut self) -> FieldPicture<'_> {
        FieldPicture { field: field(self.bars), view: self.view }
    }
}

impl Picture for PhotoPicture<'_> {
    /// A file has the bars below the image, whatever the window has.
    fn image(&mut self) -> Result<Image> {
        let is_moved = self.bars.set_beside(false)?;
        if is_moved {
            self.bars.draw(self.image)?;
        }
        let image = self.field().image()?;
        if is_moved {
            self.bars.set_beside(true)?;
        }
        Ok(image)
    }

    fn draw(&mut self, place: Rect) -> Result<()> {
        self.field().draw(place)
    }

    /// Where the image is larger.
    fn layout(&self, aspect: f64) -> Result<Layout> {
        let sizes = self.bars.sizes();
        // The room is as high as 1, and as wide as its aspect.
        let scale = |[columns, rows]: [u32; 2]| (aspect / f64::from(columns)).min(1.0 / f64::from(rows));
        let [below, beside] = sizes.map(scale);
        self.is_wide.set(beside > below);
        let [columns, rows] = sizes[usize::from(beside > below)];
        Ok(Layout::Map { columns, rows })
    }

    /// None while the bars are to stand elsewhere: its cells are not those of the picture yet.
    fn numbers(&self) -> Option<Numbers<'_>> {
        let numbers = self.view.numbers(&field(self.bars));
        let is_there = self.bars.is_beside() == self.is_wide.get();
        Some(if is_there { numbers } else { Numbers { source: Source::Unread, ..numbers } })
    }

    fn say(&self, values: &mut Values) {
        self.view.say(&field(self.bars), values);
    }

    fn brush(&mut self) -> Option<&mut Brush> {
        Some(self.view.brush())
    }

    #[cfg(feature = "panel")]
    fn widgets(&mut self, ui: &mut egui::Ui) -> Result<()> {
        self.field().widgets(ui)
    }
}
