//! Dense matrices of vectors on the GPU, and changes of their entries there.

use super::{Dense, MOST, Page};
use crate::gl::{Rect, Texture};
use crate::layout::Packed2x2;
use crate::linalg::entries::{self, Replacements};
use crate::linalg::{Algebra, Factor, Vector};
use crate::{Error, Result};

const COLUMN: &str = "linalg/dense_column.frag";

impl Page {
    /// Draws a vector into the texels of a column: one pass.
    fn draw(&self, column: &Vector, line: u32) -> Result<()> {
        let algebra = column.algebra();
        let height = self.texture.shape().height;
        let range = Rect::new(line, 0, line + 1, height);
        algebra
            .pass(COLUMN, crate::linalg::PLAIN)?
            .streams([column.texture()])
            .constants(&[[self.of_result.start as f32, 0.0, 0.0, 0.0]])
            .domains(&[Rect::whole(1, height).corners()])
            .over(range)
            .onto(&[&self.texture])
    }
}

impl Dense {
    /// The matrix of these columns, which are vectors on the GPU, one for each element of a vector of the layout
    /// `columns`. One pass for each column (and for each texture that holds a part of it), without a read-back.
    ///
    /// # Errors
    /// As [`Dense::new`]; [`Error::WrongShape`] and [`Error::OtherContext`] for a vector that does not fit.
    pub fn from_columns(
        algebra: &Algebra,
        rows: Packed2x2,
        columns: Packed2x2,
        vectors: &[&Vector],
    ) -> Result<Dense> {
        if vectors.len() != columns.len() {
            let (what, shape) = ("columns of a dense matrix".to_owned(), columns.to_string());
            return Err(Error::WrongLength { what, found: vectors.len(), expected: columns.len(), shape });
        }
        let elements = rows.len() as u64 * columns.len() as u64;
        if elements > MOST {
            let what = format!("dense matrix of {} x {}", rows.len(), columns.len());
            return Err(Error::OverLimit { what, quantity: "elements", found: elements, limit: MOST });
        }
        for vector in vectors {
            vector.same_context(algebra)?;
            vector.has_layout(rows, "column of a dense matrix")?;
        }
        Dense::of_pages(algebra, rows, columns, |page| {
            page.texture.clear([0.0; 4]);
            let lines = vectors.iter().enumerate().filter_map(|(j, v)| Some((v, page.line(columns, j)?)));
            lines.into_iter().try_for_each(|(vector, line)| page.draw(vector, line))
        })
    }

    /// Replaces column j by a vector on the GPU: one pass for each texture that holds a part of it, without a
    /// read-back. After a change, the first product in f64 reads the matrix back once.
    ///
    /// # Errors
    /// [`Error::OutsideMatrix`] for a column that is not there; [`Error::WrongShape`], [`Error::OtherContext`].
    pub fn set_column(&mut self, j: usize, values: &Vector) -> Result<()> {
        entries::check_inside(&[(0, j, 0.0)], (self.rows.len(), self.columns.len()))?;
        values.same_context(&self.algebra)?;
        values.has_layout(self.rows, "column of a dense matrix")?;
        self.has_changed(); // before the first pass: whatever ends this half-way, no copy in f64 is older than the textures
        for page in &self.pages {
            if let Some(line) = page.line(self.columns, j) {
                page.draw(values, line)?;
            }
        }
        Ok(())
    }

    /// A = a A, for a constant or a scalar on the GPU: one pass for each texture, without a read-back.
    ///
    /// # Errors
    /// [`Error::OtherContext`], [`Error::OutOfMemory`].
    pub fn scale<'a>(&mut self, a: impl Into<Factor<'a>>) -> Result<()> {
        self.exchange(|algebra, textures| entries::scale(algebra, a.into(), textures))
    }

    /// A = A + B.
    ///
    /// # Errors
    /// As [`Dense::axpy`].
    pub fn add(&mut self, b: &Dense) -> Result<()> {
        self.axpy(1.0, b)
    }

    /// A = A + a B, of the same layouts: one pass for each texture, without a read-back.
    ///
    /// # Errors
    /// [`Error::WrongShape`], and as [`Dense::scale`].
    pub fn axpy<'a>(&mut self, a: impl Into<Factor<'a>>, b: &Dense) -> Result<()> {
        if !self.algebra.is(&b.algebra) {
            return Err(Error::OtherContext { what: "a dense matrix".into() });
        }
        if (self.rows, self.columns) != (b.rows, b.columns) {
            let shape = |dense: &Dense| format!("a matrix from {} to {}", dense.columns, dense.rows);
            let (found, expected) = (shape(b), shape(self));
            return Err(Error::WrongShape { what: "sum of dense matrices".into(), found, expected });
        }
        let others: Vec<_> = b.pages.iter().map(|page| Some(&page.texture)).collect();
        self.exchange(|algebra, textures| entries::add(algebra, a.into(), textures, &others))
    }

    /// Replaces entries by (row, column, value): two passes over the texels of each texture concerned. If a place is
    /// listed twice, the last value counts.
    ///
    /// # Errors
    /// [`Error::OutsideMatrix`], which changes nothing; [`Error::OutOfMemory`].
    pub fn set_entries(&mut self, values: &[(usize, usize, f64)]) -> Result<()> {
        entries::check_inside(values, (self.rows.len(), self.columns.len()))?;
        self.has_changed();
        for page in &self.pages {
            let mut replacements = Replacements::default();
            for &(row, column, value) in values {
                let (x, y) = self.rows.place(row);
                let (Some(line), true) = (page.line(self.columns, column), page.of_result.contains(&(y / 2)))
                else {
                    continue;
                };
                let down = (y / 2 - page.of_result.start) * self.rows.texels().0 + x / 2;
                replacements.put((line, down), (2 * (y % 2) + x % 2) as usize, value as f32);
            }
            replacements.draw(&self.algebra, &page.texture)?;
        }
        Ok(())
    }

    /// Lets the pages' textures be exchanged for others.
    fn exchange(&mut self, by: impl FnOnce(&Algebra, &mut [Texture]) -> Result<()>) -> Result<()> {
        let pages = std::mem::take(&mut self.pages);
        let (places, mut textures): (Vec<_>, Vec<Texture>) =
            pages.into_iter().map(|page| ((page.of_x, page.of_result), page.texture)).unzip();
        let done = by(&self.algebra, &mut textures);
        let page = |((of_x, of_result), texture)| Page { texture, of_x, of_result };
        self.pages = places.into_iter().zip(textures).map(page).collect();
        done?;
        self.has_changed();
        Ok(())
    }

    fn has_changed(&mut self) {
        self.entries.take();
    }

    /// The entries in f64, row after row: as they were given, or, if the GPU has made or changed them, the GPU's copy,
    /// read back when they are first asked for.
    ///
    /// # Errors
    /// Those of reading back: [`ContextLost`](crate::Error::ContextLost); [`Driver`](crate::Error::Driver) where the driver refuses the read.
    pub fn entries(&self) -> Result<&[f64]> {
        if let Some(entries) = self.entries.get() {
            return Ok(entries);
        }
        let mut entries = vec![0.0; self.rows.len() * self.columns.len()];
        for page in &self.pages {
            let shape = page.texture.shape();
            let texels = page.texture.read(shape.rect())?;
            let first = 4 * (page.of_result.start * self.rows.texels().0) as usize;
            let length = 4 * shape.width as usize;
            for j in 0..self.columns.len() {
                let Some(line) = page.line(self.columns, j) else { continue };
                for i in 0..self.rows.len() {
                    let Some(slot) = self.rows.slot(i).checked_sub(first) else { continue };
                    let place = slot / 4 * length + 4 * line as usize + slot % 4;
                    if let Some(&value) = texels.get(place) {
                        entries[i * self.columns.len() + j] = value.into();
                    }
                }
            }
        }
        Ok(self.entries.get_or_init(|| entries))
    }
}
