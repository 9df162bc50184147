//! Changing the entries of a matrix of points on the GPU, and reading them back.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::vertices::{Vertex, batch_of, each_vertex};
use super::{Order, Points};
use crate::gl::{Format, Shape, Texture};
use crate::linalg::entries::Replacements;
use crate::linalg::{Factor, entries};
use crate::numeric::Csr;
use crate::{Error, Result};

/// Texels across a texture of entries.
const WIDTH: u32 = 2048;

/// Vertices that a kernel can count.
const MOST: usize = 1 << 24;

/// Where the entries of a vertex lie: its batch and its number there.
struct Counter {
    order: Order,
    limits: crate::gl::Limits,
    rows: crate::layout::Packed2x2,
    counts: Vec<usize>,
}

impl Counter {
    fn of(points: &Points) -> Counter {
        let limits = *points.algebra.gpu().limits();
        Counter { order: points.order, limits, rows: points.rows, counts: vec![0; points.batches.len()] }
    }

    /// The batch and the place of the next vertex.
    fn next(&mut self, vertex: &Vertex) -> (usize, usize) {
        let batch = batch_of(self.order, &self.limits, self.rows, vertex.round);
        self.counts[batch] += 1;
        (batch, self.counts[batch] - 1)
    }
}

impl Points {
    /// A = a A, a constant or a scalar on the GPU: one pass, and nothing is read back. From the first change on, a product
    /// fetches entries out of a texture of their own, one more fetch a vertex; the first [`matrix`](Points::matrix), product in
    /// f64 or product with Aᵀ after a change reads them back once.
    ///
    /// # Errors
    /// [`Error::OtherContext`]; [`Error::OverLimit`] past 2²⁴ points of a pass; [`Error::OutOfMemory`].
    pub fn scale<'a>(&mut self, a: impl Into<Factor<'a>>) -> Result<()> {
        self.entries()?;
        entries::scale(&self.algebra, a.into(), self.entries.get_mut().map_or(&mut [], Vec::as_mut_slice))?;
        self.has_changed();
        Ok(())
    }

    /// A = A + B, of the same entries.
    ///
    /// # Errors
    /// As [`Points::axpy`].
    pub fn add(&mut self, b: &Points) -> Result<()> {
        self.axpy(1.0, b)
    }

    /// A = A + a B, where B has entries in the same places and the same layouts: one pass.
    ///
    /// # Errors
    /// [`Error::WrongShape`] for other layouts or places, and as [`Points::scale`].
    pub fn axpy<'a>(&mut self, a: impl Into<Factor<'a>>, b: &Points) -> Result<()> {
        if !self.algebra.is(&b.algebra) {
            return Err(Error::OtherContext { what: "a matrix of points".into() });
        }
        let places =
            |matrix: &Points| matrix.pattern.triplets().map(|(row, column, _)| (row, column)).collect();
        let (own, others): (Vec<_>, Vec<_>) = (places(self), places(b));
        if (self.rows, self.columns) != (b.rows, b.columns) || own != others {
            let shape = |matrix: &Points, places: &[_]| {
                format!("{} entries, from {} to {}", places.len(), matrix.columns, matrix.rows)
            };
            let (found, expected) = (shape(b, &others), shape(self, &own) + ", in the same places");
            return Err(Error::WrongShape { what: "sum of matrices of points".into(), found, expected });
        }
        self.entries()?;
        let others: Vec<_> = b.entries()?.iter().map(Some).collect();
        let own = self.entries.get_mut().map_or(&mut [][..], Vec::as_mut_slice);
        entries::add(&self.algebra, a.into(), own, &others)?;
        self.has_changed();
        Ok(())
    }

    /// Replaces entries by (row, column, value): two passes over their texels, after a walk through the matrix on the CPU. Only
    /// entries that are stored can be replaced; the last value of a place counts.
    ///
    /// # Errors
    /// [`Error::OutsideMatrix`]; [`Error::BadParameter`] for an entry that is not stored; as [`Points::scale`]. The
    /// first two change nothing.
    pub fn set_entries(&mut self, values: &[(usize, usize, f64)]) -> Result<()> {
        entries::check_inside(values, (self.pattern.rows(), self.pattern.columns()))?;
        let mut wanted: HashMap<(usize, usize), f64> =
            values.iter().map(|&(row, column, value)| ((row, column), value)).collect();
        let mut replacements: Vec<Replacements> = Vec::new();
        replacements.resize_with(self.batches.len(), Replacements::default);
        let (mut counter, width) = (Counter::of(self), self.width());
        each_vertex(self.order, self.rows, &self.pattern, |vertex| {
            let (batch, number) = counter.next(&vertex);
            let texel = (number as u32 % width, number as u32 / width);
            for (channel, entry) in vertex.entries.iter().enumerate() {
                if let Some(value) = wanted.remove(&(entry.row, entry.column)) {
                    replacements[batch].put(texel, channel, value as f32);
                }
            }
        });
        if let Some(&place) = wanted.keys().min() {
            return Err(entries::no_place("matrix of points", place));
        }
        self.entries()?;
        self.has_changed(); // before the first pass: whatever ends this half-way, no copy in f64 is older than the textures
        for (replacements, texture) in replacements.iter().zip(self.entries()?) {
            replacements.draw(&self.algebra, texture)?;
        }
        Ok(())
    }

    fn has_changed(&mut self) {
        self.changed = true;
        self.read = OnceCell::new();
        self.transposed = OnceCell::new();
    }

    /// The textures of entries, one for each batch: at first they hold what the vertices do.
    pub(super) fn entries(&self) -> Result<&[Texture]> {
        if let Some(textures) = self.entries.get() {
            return Ok(textures);
        }
        if let Some(found) = self.batches.iter().map(|batch| batch.vertices.len()).find(|&len| len > MOST) {
            let what = "entries of a matrix of points that are changed".to_owned();
            let (found, limit) = (found as u64, MOST as u64);
            return Err(Error::OverLimit { what, quantity: "number of points", found, limit });
        }
        let mut all: Vec<Vec<f32>> = vec![Vec::new(); self.batches.len()];
        let mut counter = Counter::of(self);
        each_vertex(self.order, self.rows, &self.pattern, |vertex| {
            let (batch, _) = counter.next(&vertex);
            let mut four = [0.0; 4];
            four.iter_mut().zip(vertex.entries).for_each(|(four, entry)| *four = entry.value as f32);
            all[batch].extend(four);
        });
        let textures = all.into_iter().map(|values| self.texture_of(values)).collect::<Result<_>>()?;
        Ok(self.entries.get_or_init(|| textures))
    }

    /// Texels across the textures of entries.
    fn width(&self) -> u32 {
        WIDTH.min(self.algebra.gpu().limits().texture_size)
    }

    fn texture_of(&self, mut values: Vec<f32>) -> Result<Texture> {
        let width = self.width();
        let height = (values.len() / 4).div_ceil(width as usize);
        values.resize(4 * width as usize * height, 0.0);
        let shape = Shape { width, height: height as u32, format: Format::Rgba32F };
        let texture = self.algebra.context().texture(shape)?;
        texture.upload(shape.rect(), &values)?;
        Ok(texture)
    }

    /// The entries that the GPU holds, in the places of those that were given.
    pub(super) fn read(&self) -> Result<Csr> {
        let read = |texture: &Texture| texture.read(texture.shape().rect());
        let values = self.entries()?.iter().map(read).collect::<Result<Vec<_>>>()?;
        let mut triplets = Vec::with_capacity(self.pattern.nonzeros());
        let mut counter = Counter::of(self);
        each_vertex(self.order, self.rows, &self.pattern, |vertex| {
            let (batch, number) = counter.next(&vertex);
            let four = values[batch][4 * number..].iter();
            triplets.extend(vertex.entries.iter().zip(four).map(|(e, &v)| (e.row, e.column, f64::from(v))));
        });
        Csr::from_triplets(self.pattern.rows(), self.pattern.columns(), triplets)
    }
}
