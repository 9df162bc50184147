//! Full matrices as columns (row A3).

use super::{Algebra, LinearOperator, Op, Vector, operator};
use crate::gl::{Format, Rect, Shape, Texture};
use crate::layout::Packed2x2;
use crate::reference::Csr;
use crate::{Error, Result};

/// A matrix of any shape as the set of its columns, each a packed vector.
///
/// The columns lie in textures as the elements of x lie in x: column j has its block of texels where element j has
/// its place, so that one texel of x meets the four columns that it multiplies. A product is a pass of partial sums,
/// 5 fetches for 16 multiply–adds, and one that adds them up; or several of them where `Limits` allow fewer fetches,
/// shorter loops or smaller textures.
///
/// # References
/// Krüger & Westermann, GPU Gems 2 ch. 44, §44.2.2.
pub struct Dense {
    algebra: Algebra,
    rows: Packed2x2,
    columns: Packed2x2,
    /// In f64, row after row.
    entries: Vec<f64>,
    pages: Vec<Page>,
}

/// A texture of column blocks, and which texels of x they belong to.
struct Page {
    texture: Texture,
    of: Rect,
}

/// Elements at most: 2 GiB of 32-bit floats.
const MOST: u64 = 1 << 29;

/// Iterations that a loop may make on any driver known.
const ITERATIONS: u32 = 60_000;

/// Texels that keep a GPU busy, and the parts that a product is cut into at most to get so many.
const ENOUGH: u32 = 16_384;
const MOST_PARTS: u32 = 32;

const SUM_PARTS: &str = "linalg/sum_parts.frag";
const PRODUCT: &str = "linalg/dense.frag";
const TRANSPOSED: &str = "linalg/dense_transposed.frag";

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
        let mut dense =
            Dense { algebra: algebra.clone(), rows, columns, entries: entries.to_vec(), pages: Vec::new() };
        for of in page_rects(rows, columns, algebra.gpu().limits().texture_size)? {
            let page = dense.page(of)?;
            dense.pages.push(page);
        }
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

    fn page(&self, of: Rect) -> Result<Page> {
        let (width, height) = self.rows.texels();
        let shape = Shape {
            width: 2 * width * of.width(),
            height: 2 * height * of.height(),
            format: Format::Rgba32F,
        };
        let texture = self.algebra.context().texture(shape)?;
        let mut texels = vec![0.0; 4 * shape.width as usize * shape.height as usize];
        for j in 0..self.columns.len() {
            let (x, y) = self.columns.place(j);
            if !(of.x0..of.x1).contains(&(x / 2)) || !(of.y0..of.y1).contains(&(y / 2)) {
                continue;
            }
            let column: Vec<f32> =
                (0..self.rows.len()).map(|i| self.entries[i * self.columns.len() + j] as f32).collect();
            let block = self.rows.pack(&column, 0.0)?;
            let (left, top) = ((x - 2 * of.x0) * width, (y - 2 * of.y0) * height);
            for (line, block) in block.chunks(4 * width as usize).enumerate() {
                let start = 4 * ((top as usize + line) * shape.width as usize + left as usize);
                texels[start..start + block.len()].copy_from_slice(block);
            }
        }
        texture.upload(texture.shape().rect(), &texels)?;
        Ok(Page { texture, of })
    }

    /// The passes of a product: `over` are the texels of x to go through, cut so that the limits are kept.
    fn parts(&self, over: Rect) -> Vec<Rect> {
        let limits = self.algebra.gpu().limits();
        let loops =
            if limits.loop_iterations == 0 { ITERATIONS } else { limits.loop_iterations.min(ITERATIONS) };
        // Five fetches for each texel of x, and one for what is added.
        let most = (limits.fetches.saturating_sub(1) / 5).min(loops / 2).max(1);
        let width = over.width().min(most);
        let height = (most / width).clamp(1, over.height());
        let mut parts = Vec::new();
        for y in (over.y0..over.y1).step_by(height as usize) {
            for x in (over.x0..over.x1).step_by(width as usize) {
                parts.push(Rect::new(x, y, (x + width).min(over.x1), (y + height).min(over.y1)));
            }
        }
        parts
    }

    /// out = base ± what one page's columns of `part` make of x: one pass, or, where the result has so few texels that
    /// they would leave the machine idle, one of partial sums and one that adds them up.
    fn product(&self, (page, part): (&Page, Rect), x: &Vector, base: Base, target: &Texture) -> Result<()> {
        let (width, height) = self.rows.texels();
        let most = self.algebra.gpu().limits().texture_size.min(MOST_PARTS * height) / height;
        let wanted = ENOUGH.div_ceil(width * height).clamp(1, most.max(1));
        let rows = part.height().div_ceil(wanted);
        let parts = part.height().div_ceil(rows);
        if parts == 1 || self.algebra.gpu().limits().fetches < parts {
            return self.pass(
                PRODUCT,
                (page, part),
                (x, Some(part.height())),
                base,
                (target, target.shape().rect()),
            );
        }
        let shape = Shape { width, height: height * parts, format: Format::Rgba32F };
        let partial = self.algebra.context().texture(shape)?;
        self.pass(PRODUCT, (page, part), (x, Some(rows)), (0, None), (&partial, shape.rect()))?;
        let program = self.algebra.program(SUM_PARTS, [("BASE", base.0), ("", 0), ("", 0)])?;
        let constants = [[height as f32, 0.0, 0.0, 0.0], [parts as f32, 0.0, 0.0, 0.0]];
        let streams = [&partial, base.1.unwrap_or(&partial)];
        let count = 1 + usize::from(base.1.is_some());
        self.algebra.draw(&program, &streams[..count], &constants, None, &[target])
    }

    /// One pass of a product or of a transposed one.
    fn pass(
        &self,
        kernel: &'static str,
        (page, part): (&Page, Rect),
        (x, rows): (&Vector, Option<u32>),
        (sign, base): Base,
        (target, range): (&Texture, Rect),
    ) -> Result<()> {
        let program = self.algebra.program(kernel, [("BASE", sign), ("", 0), ("", 0)])?;
        let pair = |x: u32, y: u32| [x as f32, y as f32, 0.0, 0.0];
        let (width, height) = self.rows.texels();
        let constants = [
            pair(width, height),
            pair(part.x0, part.y0),
            pair(part.width(), part.height()),
            pair(page.of.x0, page.of.y0),
            pair(rows.unwrap_or(0), 0),
        ];
        let constants = &constants[..4 + usize::from(rows.is_some())];
        let mut streams = [&page.texture; 3];
        streams[1] = x.texture();
        streams[2] = base.unwrap_or(&page.texture);
        let count = 2 + usize::from(base.is_some());
        self.algebra.draw_over(&program, &streams[..count], constants, None, &[target], range)
    }
}

/// What is added to a pass, and its sign.
type Base<'a> = (i32, Option<&'a Texture>);

/// What is added to a pass: y at first, then what the passes before made.
fn base<'a>(op: Op<'a>, partial: Option<&'a Texture>) -> Base<'a> {
    match partial {
        Some(partial) => (1, Some(partial)),
        None => (op.sign(), op.vector().map(Vector::texture)),
    }
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
        operator::check(self.algebra(), self.columns, self.rows, op, x, out)?;
        let passes: Vec<(&Page, Rect)> = self
            .pages
            .iter()
            .flat_map(|page| self.parts(page.of).into_iter().map(move |p| (page, p)))
            .collect();
        let mut partial: Option<Texture> = None;
        for (place, &pass) in passes.iter().enumerate() {
            let last = place + 1 == passes.len();
            let target = if last { None } else { Some(self.algebra.texture(self.rows)?) };
            let to = target.as_ref().unwrap_or(out.texture());
            self.product(pass, x, base(op, partial.as_ref()), to)?;
            partial = target;
        }
        Ok(())
    }

    fn apply_transposed(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        operator::check(self.algebra(), self.rows, self.columns, op, x, out)?;
        let parts = self.parts(x.texture().shape().rect());
        let mut partial: Option<Texture> = None;
        for (place, &part) in parts.iter().enumerate() {
            let last = place + 1 == parts.len();
            let target = if last { None } else { Some(self.algebra.texture(self.columns)?) };
            let to = target.as_ref().unwrap_or(out.texture());
            for page in &self.pages {
                self.pass(TRANSPOSED, (page, part), (x, None), base(op, partial.as_ref()), (to, page.of))?;
            }
            partial = target;
        }
        Ok(())
    }

    fn multiply(&self, x: &[f64]) -> Vec<f64> {
        let row = |entries: &[f64]| entries.iter().zip(x).map(|(a, x)| a * x).sum();
        self.entries.chunks(self.columns.len()).map(row).collect()
    }

    fn multiply_transposed(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; self.columns.len()];
        for (entries, x) in self.entries.chunks(self.columns.len()).zip(x) {
            y.iter_mut().zip(entries).for_each(|(y, a)| *y += a * x);
        }
        y
    }

    fn diagonal(&self) -> Vec<f64> {
        let n = self.rows.len().min(self.columns.len());
        (0..n).map(|i| self.entries[i * self.columns.len() + i]).collect()
    }
}

/// The texels of x whose columns go into one texture each.
fn page_rects(rows: Packed2x2, columns: Packed2x2, limit: u32) -> Result<Vec<Rect>> {
    let ((width, height), (over_x, over_y)) = (rows.texels(), columns.texels());
    let (across, down) = (limit / (2 * width), limit / (2 * height));
    if across == 0 || down == 0 {
        let what = format!("dense matrix with columns of {rows}");
        let found = u64::from(2 * width.max(height));
        return Err(Error::OverLimit { what, quantity: "texture size", found, limit: limit.into() });
    }
    let tiles = |y: u32| {
        let bottom = (y + down).min(over_y);
        (0..over_x).step_by(across as usize).map(move |x| Rect::new(x, y, (x + across).min(over_x), bottom))
    };
    Ok((0..over_y).step_by(down as usize).flat_map(tiles).collect())
}
