//! Independent square matrices in one texture (row B10): the groups that a system falls into.
//!
//! The solver keeps momentum, step and end of each group in a texel of its own, so a hundred groups take the passes of
//! one.

use std::borrow::Cow;

use super::plan::{ENOUGH, MOST_PARTS};
use super::{DenseOperator, Group, Matrix};
use crate::gl::{Format, Shape, Texture};
use crate::linalg::Algebra;
use crate::{Error, Result};

/// A block-diagonal matrix: groups of any sizes, each multiplied by its own part of the vector, all in one product.
///
/// The groups lie one below the other in one texture, packed as a [`Matrix`] is, with columns counted from the group's
/// first. For each row of texels, a small texture holds the place and the length of its group's part of x. So k groups
/// of n unknowns cost k n² multiply–adds; the whole matrix would cost k² n². The largest group comes first, so that
/// neighbouring fragments run loops of similar length.
///
/// # Shapes
/// Each group begins at a multiple of four rows; its vectors are [`Matrix`]es of [`Blocks::rows`] rows and one column, zeros
/// between the groups: [`Blocks::scatter`] and [`Blocks::gather`] bring elements there and back.
///
/// # References
/// Moravánszky, *Dense Matrix Algebra on the GPU*, section 6: objects that do not touch are solved apart.
pub struct Blocks {
    algebra: Algebra,
    /// In the order they were given.
    groups: Vec<Part>,
    rows: usize,
    widest: usize,
    entries: Texture,
    /// One texel for each row of texels: (its group's first texel of x, its group's columns).
    extents: Texture,
}

struct Part {
    start: usize,
    n: usize,
    entries: Vec<f32>,
}

impl Part {
    fn group(&self) -> Group<'_> {
        Group { start: self.start, n: self.n, entries: Cow::Borrowed(&self.entries) }
    }
}

const MULTIPLY: &str = "matrix/blocks_multiply.frag";
const MERGE: &str = "matrix/merge.frag";

/// The least number of columns in a part: fewer are not worth the pass that adds parts up.
const FEWEST: usize = 32;

/// Fetches for four columns: a texel of x, and four of the matrix.
const FETCHES: u32 = 5;

impl Blocks {
    /// The block-diagonal matrix of these groups: the entries of each, row after row, and its number of rows.
    ///
    /// # Errors
    /// [`Error::Empty`] for no groups or a group of no rows; [`Error::WrongLength`]; [`Error::OverLimit`] past the texture
    /// limit; [`Error::OutOfMemory`].
    pub fn from_groups(algebra: &Algebra, groups: &[(&[f32], usize)]) -> Result<Blocks> {
        for (index, &(entries, n)) in groups.iter().enumerate() {
            let what = || format!("group {index}");
            if n == 0 {
                return Err(Error::Empty { what: what(), width: 0, height: 0 });
            }
            let expected = n.saturating_mul(n);
            if entries.len() != expected {
                let shape = format!("{n}x{n}");
                return Err(Error::WrongLength { what: what(), found: entries.len(), expected, shape });
            }
        }
        let mut order: Vec<usize> = (0..groups.len()).collect();
        order.sort_by_key(|&index| std::cmp::Reverse(groups[index].1));
        let Some(widest) = order.first().map(|&index| groups[index].1) else {
            return Err(Error::Empty { what: "blocks".into(), width: 0, height: 0 });
        };
        let mut parts: Vec<Part> =
            groups.iter().map(|&(entries, n)| Part { start: 0, n, entries: entries.to_vec() }).collect();
        let mut rows = 0;
        for index in order {
            parts[index].start = rows;
            rows += parts[index].n.next_multiple_of(4);
        }
        let shape = within_limits(algebra, widest.next_multiple_of(4), rows / 4)?;
        let context = algebra.context();
        let entries = context.texture(shape)?;
        let extents = context.texture(Shape { width: 1, format: Format::Rg32F, ..shape })?;
        let blocks = Blocks { algebra: algebra.clone(), groups: parts, rows, widest, entries, extents };
        blocks.upload()?;
        Ok(blocks)
    }

    fn upload(&self) -> Result<()> {
        let (shape, extents) = (self.entries.shape(), self.extents.shape());
        let mut texels = vec![0.0; 4 * shape.width as usize * shape.height as usize];
        let mut of_rows = vec![0.0; 2 * extents.height as usize];
        for Part { start, n, entries } in &self.groups {
            for (row, entries) in entries.chunks(*n).enumerate() {
                let row = start + row;
                let line = 4 * shape.width as usize * (row / 4);
                for (column, &entry) in entries.iter().enumerate() {
                    texels[line + 4 * column + row % 4] = entry;
                }
            }
            for texel in start / 4..(start + n).div_ceil(4) {
                of_rows[2 * texel] = (start / 4) as f32;
                of_rows[2 * texel + 1] = *n as f32;
            }
        }
        self.entries.upload(shape.rect(), &texels)?;
        self.extents.upload(extents.rect(), &of_rows)
    }

    /// Rows of a vector, padding included.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The first row of each group, in the order they were given.
    pub fn starts(&self) -> impl Iterator<Item = usize> {
        self.groups.iter().map(|group| group.start)
    }

    /// The elements of a vector, from those of each group in the order they were given.
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn scatter(&self, parts: &[&[f32]]) -> Result<Vec<f32>> {
        let wrong = |what: String, found: usize, expected: usize| {
            let shape = format!("{} groups", self.groups.len());
            Error::WrongLength { what, found, expected, shape }
        };
        if parts.len() != self.groups.len() {
            return Err(wrong("parts of a vector".into(), parts.len(), self.groups.len()));
        }
        let mut elements = vec![0.0; self.rows];
        for (index, (group, part)) in self.groups.iter().zip(parts).enumerate() {
            if part.len() != group.n {
                return Err(wrong(format!("part {index} of a vector"), part.len(), group.n));
            }
            elements[group.start..group.start + group.n].copy_from_slice(part);
        }
        Ok(elements)
    }

    /// Each group's part of a vector's elements, in the order the groups were given.
    ///
    /// # Errors
    /// [`Error::WrongLength`].
    pub fn gather<'a>(&self, elements: &'a [f32]) -> Result<Vec<&'a [f32]>> {
        if elements.len() != self.rows {
            let (what, shape) = ("vector of blocks".to_owned(), format!("{} groups", self.groups.len()));
            return Err(Error::WrongLength { what, found: elements.len(), expected: self.rows, shape });
        }
        Ok(self.groups.iter().map(|group| &elements[group.start..group.start + group.n]).collect())
    }

    /// The passes of a product, and the number of parts and of their columns in each: enough parts to keep the GPU
    /// busy, or as many as the fetches of a pass require.
    fn cut(&self) -> (usize, usize) {
        let limits = self.algebra.gpu().limits();
        let (height, columns) = (self.rows / 4, self.widest.next_multiple_of(4));
        let fetched = 4 * (limits.fetches.saturating_sub(1) / FETCHES).max(1) as usize;
        let most = (limits.texture_size as usize / height)
            .min(limits.fetches.saturating_sub(1) as usize)
            .clamp(1, MOST_PARTS as usize);
        let wanted = (ENOUGH as usize).div_ceil(height).min(columns / FEWEST).max(columns.div_ceil(fetched));
        let parts = wanted.clamp(1, most);
        (parts, columns.div_ceil(parts).next_multiple_of(4).min(fetched))
    }
}

impl DenseOperator for Blocks {
    fn algebra(&self) -> &Algebra {
        &self.algebra
    }

    fn size(&self) -> usize {
        self.rows
    }

    /// Draws one pass, or one of parts and one that adds them up; more if a card's fetches or textures require it.
    fn apply(&self, x: &Matrix, y: &mut Matrix) -> Result<()> {
        x.is_vector_of(self, "vector of blocks")?;
        y.is_vector_of(self, "vector of blocks")?;
        let (parts, count) = self.cut();
        let pass = |constants: [[f32; 4]; 2], target: &Texture| {
            self.algebra
                .pass(MULTIPLY, &[])?
                .streams([&self.entries, x.texture(), &self.extents])
                .constants(&constants)
                .onto(&[target])
        };
        let constants = |first: usize| [[first as f32, 0.0, 0.0, 0.0], [count as f32, 0.0, 0.0, 0.0]];
        if parts == 1 && count >= self.widest {
            return pass(constants(0), y.texture());
        }
        let shape = Shape { width: parts as u32, ..y.texture().shape() };
        for first in (0..self.widest).step_by(parts * count) {
            let partial = self.algebra.context().texture(shape)?;
            pass(constants(first), &partial)?;
            self.add_up(&partial, parts, first > 0, y)?;
        }
        Ok(())
    }

    fn groups(&self) -> Result<Vec<Group<'_>>> {
        Ok(self.groups.iter().map(Part::group).collect())
    }
}

impl Blocks {
    /// y = the sum of the parts, or y plus it.
    fn add_up(&self, partial: &Texture, parts: usize, onto: bool, y: &mut Matrix) -> Result<()> {
        let constants = [[1.0; 4], [parts as f32; 4], [1.0; 4]];
        let constants = &constants[..2 + usize::from(onto)];
        let shape = y.texture().shape();
        let next = y.texture_alike()?;
        self.algebra
            .pass(MERGE, &[("PARTS", 1), ("SCALED", 0), ("BETA", i32::from(onto)), ("PADDED", 0)])?
            .streams([partial])
            .streams(onto.then_some(y.texture()))
            .constants(constants)
            .domains(&[shape.rect().corners(); 2])
            .onto(&[&next])?;
        y.replace_texture(next);
        Ok(())
    }
}

fn within_limits(algebra: &Algebra, width: usize, height: usize) -> Result<Shape> {
    let limit = algebra.gpu().limits().texture_size;
    let side = |quantity, found: usize| match u32::try_from(found) {
        Ok(size) if size <= limit => Ok(size),
        _ => {
            let (what, found, limit) = ("blocks".to_owned(), found as u64, limit.into());
            Err(Error::OverLimit { what, quantity, found, limit })
        }
    };
    let (width, height) = (side("columns of a group", width)?, side("texels of four rows", height)?);
    Ok(Shape { width, height, format: Format::Rgba32F })
}
