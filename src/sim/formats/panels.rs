//! Four panels of one picture, two beside two, with a line between them.

use std::cell::RefCell;

use super::FORMATS;
use crate::gl::Rect;
use crate::pug::{Buffer, BufferBuilder, Gpu, Program, StreamHandle};
use crate::{Error, Result};

/// Where the panels lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Places {
    width: u32,
    height: u32,
}

impl Places {
    /// Texels between panels.
    const GAP: u32 = 2;

    /// Four panels of width × height texels.
    ///
    /// # Errors
    /// [`Error::Empty`] without texels; [`Error::OverLimit`] where the picture's sides are no texture's.
    pub fn new(gpu: &Gpu, width: u32, height: u32) -> Result<Places> {
        if width == 0 || height == 0 {
            return Err(Error::Empty { what: "a panel".to_owned(), width, height });
        }
        let (side, limit) = (width.max(height), gpu.limits().texture_size);
        let found = 2 * u64::from(side) + u64::from(Places::GAP);
        if found > limit.into() {
            let what = format!("a picture of two {width}x{height} panels each way");
            return Err(Error::OverLimit { what, quantity: "side", found, limit: limit.into() });
        }
        Ok(Places { width, height })
    }

    /// Columns and rows of the picture.
    pub fn picture(self) -> (u32, u32) {
        (2 * self.width + Places::GAP, 2 * self.height + Places::GAP)
    }

    /// The panel of that format, in the order of [`FORMATS`].
    pub fn of(self, format: usize) -> Rect {
        let (column, row) = (format as u32 % 2, format as u32 / 2);
        let (x, y) = (column * (self.width + Places::GAP), row * (self.height + Places::GAP));
        Rect::new(x, y, x + self.width, y + self.height)
    }

    /// A picture in the making.
    pub fn buffer(self, gpu: &Gpu, components: usize) -> BufferBuilder {
        let (width, height) = self.picture();
        gpu.buffer(width, height).components(components).named("panels")
    }

    /// Values of a picture that is 0 in its panels and `line` between them, in all components.
    pub fn framed(self, line: &[f32]) -> Vec<f32> {
        let ((width, height), components) = (self.picture(), line.len());
        let mut values = line.repeat(width as usize * height as usize);
        for place in (0..FORMATS.len()).map(|format| self.of(format)) {
            for row in (place.y0..place.y1).map(|y| y as usize * width as usize) {
                let panel = row + place.x0 as usize..row + place.x1 as usize;
                values[panel.start * components..panel.end * components].fill(0.0);
            }
        }
        values
    }
}

/// Copies of the states of four runs in one buffer of 32-bit numbers.
pub(super) struct Copies {
    picture: Buffer,
    places: Places,
    copy: RefCell<(Program, StreamHandle)>,
}

impl Copies {
    /// For states of width × height elements that have as many components as `line`.
    pub fn new(gpu: &Gpu, width: u32, height: u32, line: &[f32]) -> Result<Copies> {
        let places = Places::new(gpu, width, height)?;
        let mut copy = gpu.builtin("sim/panel_copy.frag")?;
        copy.bind_domain("coords", Rect::whole(width, height))?;
        let state = copy.stream("state")?;
        let picture = places.buffer(gpu, line.len()).init(&places.framed(line))?;
        Ok(Copies { picture, places, copy: RefCell::new((copy, state)) })
    }

    /// Copies the states, in the order of [`FORMATS`]: a pass for each.
    pub fn refresh<'a>(&self, states: impl Iterator<Item = &'a Buffer>) -> Result<()> {
        let (copy, state) = &mut *self.copy.borrow_mut();
        for (format, buffer) in states.take(FORMATS.len()).enumerate() {
            copy.bind_stream(*state, buffer)?.run_over(&self.picture, self.places.of(format))?;
        }
        Ok(())
    }

    pub fn picture(&self) -> &Buffer {
        &self.picture
    }

    pub fn places(&self) -> Places {
        self.places
    }
}
