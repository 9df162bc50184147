//! A rectangle out of a matrix.

use std::ops::Range;

use super::Matrix;
use crate::{Error, Result};

const PART: &str = "matrix/part.frag";

impl Matrix {
    /// Copies the rows and columns of two ranges, from 0, into a matrix of its own: one pass of one fetch a texel, or
    /// of two if the first row is not a multiple of four.
    ///
    /// # Errors
    /// [`Error::Empty`] for an empty range; [`Error::BadParameter`] for one that runs past the last row or column;
    /// [`Error::OutOfMemory`].
    pub fn part(&self, rows: Range<usize>, columns: Range<usize>) -> Result<Matrix> {
        within("rows of a part", &rows, self.rows())?;
        within("columns of a part", &columns, self.columns())?;
        let part = Matrix::uninitialised(self.algebra(), rows.len(), columns.len())?;
        let (width, height) = (part.texture().shape().width as f32, part.texture().shape().height as f32);
        let (x, y) = (columns.start as f32, (rows.start / 4) as f32);
        self.algebra()
            .pass(PART, &[("SHIFT", (rows.start % 4) as i32)])?
            .streams([self.texture()])
            .constants(&[[rows.len() as f32, 0.0, 0.0, 0.0]])
            .domains(&[[x, y, x + width, y + height], [0.0, 0.0, width, height]])
            .onto(&[part.texture()])?;
        Ok(part)
    }
}

/// Checks that a range ends within the matrix; [`Matrix::uninitialised`] refuses empty ranges.
fn within(name: &'static str, range: &Range<usize>, size: usize) -> Result<()> {
    if range.end <= size {
        return Ok(());
    }
    let (found, expected) = (format!("{range:?}"), format!("a range within 0..{size}"));
    Err(Error::BadParameter { name, found, expected })
}
