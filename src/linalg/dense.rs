//! Full matrices as columns (row A3).
//!
//! A dense matrix is columns of texels: four of them for each texel of x, which meet the four elements that they are multiplied by. A
//! result of few texels is summed in parts that lie beside each other and take the texels of x in turn: the whole GPU has work, and
//! neighbouring fragments fetch neighbouring texels.

mod entries;

use std::cell::OnceCell;
use std::ops::Range;

use super::operator::{self, Base};
use super::{Algebra, LinearOperator, Op, Vector};
use crate::gl::{Format, Rect, Shape, Texture};
use crate::layout::Packed2x2;
use crate::numeric::Csr;
use crate::{Error, Result};

/// A matrix of any shape as the set of its columns, each a packed vector.
///
/// Each texel of x has four columns of a texture: those that its elements are multiplied by, a texel for four rows. A product is a pass
/// of partial sums, 5 fetches for 16 multiply–adds, and one that adds them up; so is one with Aᵀ. It takes several of them if `Limits`
/// allow fewer fetches, shorter loops or smaller textures.
///
/// # References
/// Krüger & Westermann, GPU Gems 2 ch. 44, §44.2.2.
pub struct Dense {
    algebra: Algebra,
    rows: Packed2x2,
    columns: Packed2x2,
    /// In f64, row after row: as they were given, or read back when they are first asked for.
    entries: OnceCell<Vec<f64>>,
    pages: Vec<Page>,
}

/// A texture of columns: those of some rows of x's texels, and of them what makes some rows of the result's.
struct Page {
    texture: Texture,
    of_x: Range<u32>,
    of_result: Range<u32>,
}

impl Page {
    /// The column of texels that holds column j, if it is in this page.
    fn line(&self, columns: Packed2x2, j: usize) -> Option<u32> {
        let first = 4 * (self.of_x.start * columns.texels().0) as usize;
        let line = columns.slot(j).checked_sub(first)? as u32;
        (line < self.texture.shape().width).then_some(line)
    }

    /// Uploads its part of all columns.
    fn upload(&self, rows: Packed2x2, columns: Packed2x2, entries: &[f64]) -> Result<()> {
        let shape = self.texture.shape();
        let (length, height) = (4 * shape.width as usize, shape.height as usize);
        let mut texels = vec![0.0; length * height];
        let first = 4 * (self.of_result.start * rows.texels().0) as usize;
        for j in 0..columns.len() {
            let Some(line) = self.line(columns, j) else { continue };
            let column: Vec<f32> = (0..rows.len()).map(|i| entries[i * columns.len() + j] as f32).collect();
            let packed = rows.pack(&column, 0.0)?;
            for (four, row) in packed[first..].chunks_exact(4).zip(texels.chunks_exact_mut(length)) {
                row[4 * line as usize..][..4].copy_from_slice(four);
            }
        }
        self.texture.upload(shape.rect(), &texels)
    }
}

/// Elements at most: 2 GiB of 32-bit floats.
const MOST: u64 = 1 << 29;

/// Iterations that a loop may make on any driver known.
const ITERATIONS: u32 = 60_000;

/// The texels that keep a GPU busy, and the largest number of parts that a product is cut into to get that many.
const ENOUGH: u32 = 16_384;
const MOST_PARTS: u32 = 32;

/// Texels of x that a fragment goes through in less time than a second pass takes.
const FEW: u32 = 8;

/// Rows of x's texels that a part goes through at least.
const LEAST: u32 = 4;

const PRODUCT: &str = "linalg/dense.frag";
const SUM: &str = "linalg/dense_sum.frag";

impl Dense {
    /// The matrix of these entries, row after row.
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::OverLimit`] where not even one column fits a texture; [`Error::OutOfMemory`].
    pub fn new(algebra: &Algebra, rows: Packed2x2, columns: Packed2x2, entries: &[f64]) -> Result<Dense> {
        let expected = rows.len().saturating_mul(columns.len());
        if entries.len() != expected {
            let (what, shape) = ("dense matrix".to_owned(), format!("{} x {}", rows.len(), columns.len()));
            return Err(Error::WrongLength { what, found: entries.len(), expected, shape });
        }
        let dense = Dense::of_pages(algebra, rows, columns, |page| page.upload(rows, columns, entries))?;
        let _ = dense.entries.set(entries.to_vec());
        Ok(dense)
    }

    /// The entries of a sparse matrix, zeros between them.
    ///
    /// # Errors
    /// As [`Dense::new`]; [`Error::WrongShape`] where a layout does not fit, [`Error::OverLimit`] past 2²⁹ elements.
    pub fn from_csr(algebra: &Algebra, rows: Packed2x2, columns: Packed2x2, matrix: &Csr) -> Result<Dense> {
        operator::check_layouts("dense matrix", matrix, rows, columns)?;
        let elements = matrix.rows() as u64 * matrix.columns() as u64;
        if elements > MOST {
            let what = format!("dense matrix of {} x {}", matrix.rows(), matrix.columns());
            return Err(Error::OverLimit { what, quantity: "elements", found: elements, limit: MOST });
        }
        let mut entries = vec![0.0; elements as usize];
        for (row, column, value) in matrix.triplets() {
            entries[row * matrix.columns() + column] = value;
        }
        Dense::new(algebra, rows, columns, &entries)
    }

    /// Textures that hold the columns.
    pub fn pages(&self) -> usize {
        self.pages.len()
    }

    /// All pages, filled one by one.
    fn of_pages(
        algebra: &Algebra,
        rows: Packed2x2,
        columns: Packed2x2,
        mut fill: impl FnMut(&Page) -> Result<()>,
    ) -> Result<Dense> {
        let ((width, _), (across, _)) = (rows.texels(), columns.texels());
        let mut made = Vec::new();
        for (of_x, of_result) in pages(rows, columns, algebra.gpu().limits().texture_size)? {
            let (lines, height) = (4 * of_x.len() as u32 * across, width * of_result.len() as u32);
            let shape = Shape { width: lines, height, format: Format::Rgba32F };
            let page = Page { texture: algebra.context().texture(shape)?, of_x, of_result };
            fill(&page)?;
            made.push(page);
        }
        Ok(Dense { algebra: algebra.clone(), rows, columns, entries: OnceCell::new(), pages: made })
    }

    /// The texels of x that the passes of a product go through: each of these rows once, cut so that the limits are kept.
    fn parts<'a>(&self, across: u32, rows: impl Iterator<Item = &'a Range<u32>>) -> Vec<Rect> {
        let limits = self.algebra.gpu().limits();
        let loops =
            if limits.loop_iterations == 0 { ITERATIONS } else { limits.loop_iterations.min(ITERATIONS) };
        // Five fetches for each texel of x, and one for what is added.
        let most = (limits.fetches.saturating_sub(1) / 5).min(loops / 2).max(1);
        let width = across.min(most);
        let height = most / width;
        let mut parts: Vec<Rect> = Vec::new();
        for rows in rows {
            if parts.iter().any(|part| part.y0 == rows.start) {
                continue;
            }
            for y in rows.clone().step_by(height as usize) {
                let below = (y + height).min(rows.end);
                parts.extend(
                    (0..across)
                        .step_by(width as usize)
                        .map(|x| Rect::new(x, y, (x + width).min(across), below)),
                );
            }
        }
        parts
    }

    /// target = base ± the product of one page's columns with `part` of x, or of one page with `part` of x if transposed: one pass; or, if
    /// the result has so few texels that they would leave the GPU idle, a pass of partial sums and one that adds them up.
    fn product(
        &self,
        transposed: bool,
        (page, part): (&Page, Rect),
        x: &Vector,
        base: Base,
        target: &Texture,
    ) -> Result<()> {
        let (layout, rows, origin) = match transposed {
            false => (self.rows, &page.of_result, page.of_x.start),
            true => (self.columns, &page.of_x, page.of_result.start),
        };
        let width = layout.texels().0;
        let range = Rect::new(0, rows.start, width, rows.end);
        let texels = width * range.height();
        let (across, down) = self.split(part, texels);
        let pass = |split: bool, sign: i32| {
            let variant = [("BASE", sign), ("SPLIT", split.into()), ("TRANSPOSED", transposed.into())];
            self.algebra.pass(PRODUCT, &variant)
        };
        let constants =
            |last| [pair(part.x0, part.y0), pair(part.width(), part.height()), pair(origin, 0), last];
        let places = [Rect::whole(width, range.height()).corners(), range.corners()];
        let (sign, base) = base;
        if across * down == 1 {
            return pass(false, sign)?
                .streams([&page.texture, x.texture()])
                .streams(base)
                .constants(&constants(pair(width, 0)))
                .domains(&places)
                .over(range)
                .onto(&[target]);
        }
        let count = across * down;
        let (wide, high) = if transposed { (texels, count) } else { (count, texels) };
        let partial =
            self.algebra.context().texture(Shape { width: wide, height: high, format: Format::Rgba32F })?;
        pass(true, 0)?
            .streams([&page.texture, x.texture()])
            .constants(&constants(pair(across, down)))
            .onto(&[&partial])?;
        let variant = [("BASE", sign), ("TRANSPOSED", transposed.into()), ("COUNT", count as i32)];
        self.algebra
            .pass(SUM, &variant)?
            .streams([&partial])
            .streams(base)
            .constants(&[pair(width, 0)])
            .domains(&places)
            .over(range)
            .onto(&[target])
    }

    /// The parts, across and down, that a product with `part` of x is made in for a result of so many texels.
    fn split(&self, part: Rect, texels: u32) -> (u32, u32) {
        let limits = self.algebra.gpu().limits();
        if part.width() * part.height() <= FEW || texels >= ENOUGH {
            return (1, 1);
        }
        let most = limits.fetches.saturating_sub(1).min(limits.texture_size).clamp(1, MOST_PARTS);
        let across = part.width().div_ceil(part.width().div_ceil(most));
        let enough = ENOUGH.div_ceil(across * texels);
        (across, enough.min(most / across).min(part.height() / LEAST).max(1))
    }

    /// Draws one part after another, each on top of the sum of those before.
    fn add_up(
        &self,
        op: Op,
        parts: &[Rect],
        out: &mut Vector,
        draw: impl Fn(Rect, Base, &Texture) -> Result<()>,
    ) -> Result<()> {
        let mut partial: Option<Texture> = None;
        for (place, &part) in parts.iter().enumerate() {
            let last = place + 1 == parts.len();
            let target = if last { None } else { Some(self.algebra.texture(out.layout())?) };
            draw(part, op.base(partial.as_ref()), target.as_ref().unwrap_or(out.texture()))?;
            partial = target;
        }
        Ok(())
    }
}

fn pair(x: u32, y: u32) -> [f32; 4] {
    [x as f32, y as f32, 0.0, 0.0]
}

impl LinearOperator for Dense {
    fn algebra(&self) -> &Algebra {
        &self.algebra
    }

    fn rows(&self) -> Packed2x2 {
        self.rows
    }

    fn columns(&self) -> Packed2x2 {
        self.columns
    }

    fn apply(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        self.check(op, x, out)?;
        // Pages that lie side by side in x add up; those that lie below each other write different texels.
        let across = self.columns.texels().0;
        let parts = self.parts(across, self.pages.iter().map(|page| &page.of_x));
        self.add_up(op, &parts, out, |part, base, target| {
            let holds = |page: &&Page| page.of_x.contains(&part.y0);
            self.pages
                .iter()
                .filter(holds)
                .try_for_each(|page| self.product(false, (page, part), x, base, target))
        })
    }

    fn apply_transposed(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        operator::check(self.algebra(), self.rows, self.columns, op, x, out)?;
        let across = self.rows.texels().0;
        let parts = self.parts(across, self.pages.iter().map(|page| &page.of_result));
        self.add_up(op, &parts, out, |part, base, target| {
            let holds = |page: &&Page| page.of_result.contains(&part.y0);
            self.pages
                .iter()
                .filter(holds)
                .try_for_each(|page| self.product(true, (page, part), x, base, target))
        })
    }

    /// Returns no elements where changed entries cannot be read back, as after a lost device.
    fn multiply(&self, x: &[f64]) -> Vec<f64> {
        let Ok(all) = self.entries() else { return Vec::new() };
        let row = |entries: &[f64]| entries.iter().zip(x).map(|(a, x)| a * x).sum();
        all.chunks(self.columns.len()).map(row).collect()
    }

    fn multiply_transposed(&self, x: &[f64]) -> Vec<f64> {
        let Ok(all) = self.entries() else { return Vec::new() };
        let mut y = vec![0.0; self.columns.len()];
        for (entries, x) in all.chunks(self.columns.len()).zip(x) {
            y.iter_mut().zip(entries).for_each(|(y, a)| *y += a * x);
        }
        y
    }

    fn diagonal(&self) -> Vec<f64> {
        let Ok(all) = self.entries() else { return Vec::new() };
        let n = self.rows.len().min(self.columns.len());
        (0..n).map(|i| all[i * self.columns.len() + i]).collect()
    }
}

/// Rows of x's texels and rows of the result's that go into one texture each.
fn pages(rows: Packed2x2, columns: Packed2x2, limit: u32) -> Result<Vec<(Range<u32>, Range<u32>)>> {
    let ((width, height), (across, down)) = (rows.texels(), columns.texels());
    let lines = 4 * u64::from(across);
    let (of_x, of_result) = ((u64::from(limit) / lines) as u32, limit / width);
    if of_x == 0 || of_result == 0 {
        let what = format!("dense matrix from vectors of {columns} to {rows}");
        let found = lines.max(width.into());
        return Err(Error::OverLimit { what, quantity: "texture size", found, limit: limit.into() });
    }
    let cut = |whole: u32, most: u32| {
        (0..whole).step_by(most as usize).map(move |start| start..(start + most).min(whole))
    };
    Ok(cut(down, of_x).flat_map(|x| cut(height, of_result).map(move |r| (x.clone(), r))).collect())
}
