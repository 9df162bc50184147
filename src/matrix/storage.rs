//! A matrix in a texture: making, setting, getting, resizing (row B1).

use super::elements::Elements;
use super::packed::{blocks, pack, unpack};
use crate::gl::{Format, ReadBack, Rect, Shape, Texture};
use crate::linalg::{Algebra, Padding, Texels};
use crate::{Error, Result};

/// A dense matrix on the GPU: n × m elements in a texture m wide and ⌈n/4⌉ high, four consecutive rows of one column in
/// each texel, so that columns, which are vectors, fill their texels (row B1). The padding below the last row always
/// holds zeros.
///
/// # Shapes
/// Rows up to four times the texture limit, columns up to it. A vector is a matrix of one column.
///
/// # References
/// Moravánszky, *Dense Matrix Algebra on the GPU*, §2.1.
pub struct Matrix {
    algebra: Algebra,
    rows: u32,
    columns: u32,
    texture: Texture,
}

impl Matrix {
    /// The matrix of these elements, row after row.
    ///
    /// # Errors
    /// [`Error::Empty`]; [`Error::WrongLength`]; [`Error::OverLimit`] past the texture limit; [`Error::OutOfMemory`].
    pub fn new(algebra: &Algebra, rows: usize, columns: usize, elements: &[f32]) -> Result<Matrix> {
        let mut matrix = Matrix::uninitialised(algebra, rows, columns)?;
        matrix.set(elements)?;
        Ok(matrix)
    }

    /// A matrix of zeros.
    ///
    /// # Errors
    /// As [`Matrix::new`].
    pub fn zeros(algebra: &Algebra, rows: usize, columns: usize) -> Result<Matrix> {
        let matrix = Matrix::uninitialised(algebra, rows, columns)?;
        matrix.texture.clear([0.0; 4]);
        Ok(matrix)
    }

    /// The identity of n rows and columns, drawn: nothing is uploaded.
    ///
    /// # Errors
    /// As [`Matrix::new`].
    pub fn identity(algebra: &Algebra, n: usize) -> Result<Matrix> {
        let matrix = Matrix::uninitialised(algebra, n, n)?;
        Elements::Identity.draw(&matrix, &matrix.texture)?;
        Ok(matrix)
    }

    /// A matrix with the old contents of a pooled texture: every texel must be written next.
    pub(crate) fn uninitialised(algebra: &Algebra, rows: usize, columns: usize) -> Result<Matrix> {
        let limit = algebra.gpu().limits().texture_size;
        let within = |quantity, found: usize, limit: u64| {
            let what = || format!("matrix {rows}x{columns}");
            match u32::try_from(found) {
                Ok(0) => Err(Error::Empty { what: what(), width: columns as u32, height: rows as u32 }),
                Ok(size) if u64::from(size) <= limit => Ok(size),
                _ => Err(Error::OverLimit { what: what(), quantity, found: found as u64, limit }),
            }
        };
        let rows = within("number of rows", rows, 4 * u64::from(limit))?;
        let columns = within("number of columns", columns, limit.into())?;
        let texture = texture(algebra, rows, columns)?;
        Ok(Matrix { algebra: algebra.clone(), rows, columns, texture })
    }

    /// n.
    pub fn rows(&self) -> usize {
        self.rows as usize
    }

    /// m.
    pub fn columns(&self) -> usize {
        self.columns as usize
    }

    /// (rows, columns).
    pub fn shape(&self) -> (usize, usize) {
        (self.rows(), self.columns())
    }

    /// The algebra that made it.
    pub fn algebra(&self) -> &Algebra {
        &self.algebra
    }

    pub(crate) fn texture(&self) -> &Texture {
        &self.texture
    }

    /// Takes over a texture of the same shape whose texels are all written.
    pub(crate) fn replace_texture(&mut self, texture: Texture) {
        self.texture = texture;
    }

    /// A texture for another matrix of this shape, out of the pool.
    pub(crate) fn texture_alike(&self) -> Result<Texture> {
        texture(&self.algebra, self.rows, self.columns)
    }

    /// Returns true if the last texels have elements that are padding.
    pub(crate) fn is_padded(&self) -> bool {
        !self.rows.is_multiple_of(4)
    }

    /// Uploads all elements, row after row.
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn set(&mut self, elements: &[f32]) -> Result<()> {
        let expected = self.rows().saturating_mul(self.columns());
        if elements.len() != expected {
            let shape = format!("{}x{}", self.rows, self.columns);
            return Err(Error::WrongLength { what: "matrix".into(), found: elements.len(), expected, shape });
        }
        self.texture.upload(self.texture.shape().rect(), &pack(self.rows, self.columns, elements))
    }

    /// Reads all elements back, row after row, and waits for them.
    pub fn get(&self) -> Result<Vec<f32>> {
        Ok(unpack(self.rows, self.columns, &self.texture.read(self.texture.shape().rect())?))
    }

    /// Starts reading back: [`Matrix::elements_of`] brings the texels that arrive in order.
    ///
    /// # Errors
    /// [`Error::Driver`] where the driver has no buffer for it.
    pub fn get_async(&self) -> Result<ReadBack> {
        self.texture.read_async(self.texture.shape().rect())
    }

    /// The elements, row after row, from the texels of an asynchronous read-back of this matrix.
    ///
    /// # Errors
    /// [`Error::WrongLength`] for those of a matrix of another size.
    pub fn elements_of(&self, texels: &[f32]) -> Result<Vec<f32>> {
        let Shape { width, height, .. } = self.texture.shape();
        let expected = 4 * width as usize * height as usize;
        if texels.len() != expected {
            let (what, shape) = ("texels of a matrix".into(), format!("{}x{}", self.rows, self.columns));
            return Err(Error::WrongLength { what, found: texels.len(), expected, shape });
        }
        Ok(unpack(self.rows, self.columns, texels))
    }

    /// Another matrix of the same elements: one pass.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn try_clone(&self) -> Result<Matrix> {
        let mut copy = Matrix::uninitialised(&self.algebra, self.rows(), self.columns())?;
        copy.copy_from(self)?;
        Ok(copy)
    }

    /// Resizes the matrix to that many rows and columns. Elements that are in both stay, new ones are 0.
    ///
    /// # Errors
    /// As [`Matrix::new`]; then the matrix is as it was.
    pub fn resize(&mut self, rows: usize, columns: usize) -> Result<()> {
        if self.shape() == (rows, columns) {
            return Ok(());
        }
        let mut resized = Matrix::zeros(&self.algebra, rows, columns)?;
        let kept = self.rows.min(resized.rows);
        let common = Rect::whole(self.columns.min(resized.columns), blocks(kept));
        Elements::Pad(self, kept, 0.0).draw_over(&resized, resized.texture(), common)?;
        std::mem::swap(self, &mut resized);
        Ok(())
    }

    /// That the other lives in the same context and has the same shape.
    pub(crate) fn same_shape(&self, other: &Matrix, what: &str) -> Result<()> {
        self.same_context(&other.algebra)?;
        if self.shape() == other.shape() {
            return Ok(());
        }
        Err(wrong_shape(what, other.shape(), self.shape()))
    }

    pub(crate) fn same_context(&self, other: &Algebra) -> Result<()> {
        if self.algebra.is(other) { Ok(()) } else { Err(Error::OtherContext { what: "a matrix".into() }) }
    }
}

impl Texels for Matrix {
    fn texture(&self) -> &Texture {
        &self.texture
    }

    fn padding(&self) -> Option<Padding> {
        self.is_padded().then_some(Padding::Rows(self.rows as f32))
    }
}

/// `found` where `expected` was needed.
pub(super) fn wrong_shape(what: &str, found: (usize, usize), expected: (usize, usize)) -> Error {
    let [found, expected] = [found, expected].map(|(rows, columns)| format!("{rows}x{columns}"));
    Error::WrongShape { what: what.to_owned(), found, expected }
}

fn texture(algebra: &Algebra, rows: u32, columns: u32) -> Result<Texture> {
    let shape = Shape { width: columns, height: blocks(rows), format: Format::Rgba32F };
    algebra.context().texture(shape)
}
