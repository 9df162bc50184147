//! Matrices without any order, as points (row A5).

mod entries;
mod vertices;

use std::cell::OnceCell;
use std::rc::Rc;

use super::{Algebra, LinearOperator, Op, Vector, operator};
use crate::gl::{Blend, Format, Geometry, Kernel, Linked, Rect, Rounding, Shape, Texture};
use crate::layout::Packed2x2;
use crate::numeric::Csr;
use crate::{Result, kernels};

use vertices::{Batch, Order, batches};

/// A sparse matrix of any shape: a vertex for each four non-zeros of a row.
///
/// The position of a vertex is the row's place in the result; its attributes are the four entries and the places of
/// their columns in x. A product draws all vertices as points, and blending adds those of one row, in their order. It
/// is a pass that writes y or 0, and a pass of points with four fetches each. The vertex fetches and multiplies, where
/// the paper's fragment did: vertices could not fetch before 2004. It hands on one number instead of thirteen, which
/// takes a third of the time on llvmpipe.
///
/// # Without blending of 32-bit floats, or vertices that fetch
/// No card of the paper's time blends 32-bit floats. There the entries are sorted into rounds: a vertex has up to four
/// entries of the four rows that share a texel, and round k holds the k-th vertex of every texel, so no two points of a
/// round meet. This gives the fewest rounds. Rounds lie one below the other in a texture: one pass of points draws as
/// many as fit (into 64 MiB, and into the fetches of a fragment), and one more adds them up. The fragment fetches, as
/// in the paper. A texel whose rows have m entries together needs ⌈m/4⌉ rounds, and the longest counts for all: one
/// long row makes every product expensive.
///
/// # References
/// Krüger & Westermann, GPU Gems 2 ch. 44, §44.2.3 and §44.3.3.
pub struct Points {
    algebra: Algebra,
    rows: Packed2x2,
    columns: Packed2x2,
    /// Where the entries are; and what they are, until some are changed.
    pattern: Rc<Csr>,
    order: Order,
    /// For entries in the vertices, and in textures.
    kernels: [OnceCell<Rc<Linked>>; 2],
    batches: Vec<Batch>,
    /// The entries in textures of their own, four of a vertex in each texel: made when they are first asked for.
    entries: OnceCell<Vec<Texture>>,
    /// True once the entries differ from those of the vertices.
    changed: bool,
    /// The matrix in f64 since it was changed, read back when it is first asked for.
    read: OnceCell<Csr>,
    /// Aᵀ, made when it is first asked for.
    transposed: OnceCell<Vec<Batch>>,
}

impl Points {
    /// The matrix as points, from vectors of the layout `columns` to vectors of the layout `rows`.
    ///
    /// # Errors
    /// [`Error::WrongShape`](crate::Error::WrongShape) where a layout does not fit;
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn new(algebra: &Algebra, rows: Packed2x2, columns: Packed2x2, matrix: Csr) -> Result<Points> {
        operator::check_layouts("matrix of points", &matrix, rows, columns)?;
        let order = Order::of(algebra.gpu().limits());
        let batches = batches(algebra, order, rows, columns, &matrix)?;
        Ok(Points {
            algebra: algebra.clone(),
            rows,
            columns,
            pattern: Rc::new(matrix),
            order,
            kernels: Default::default(),
            batches,
            entries: OnceCell::new(),
            changed: false,
            read: OnceCell::new(),
            transposed: OnceCell::new(),
        })
    }

    /// The matrix in f64: as it was given, or, after a change, the GPU's copy, read back when first asked for.
    ///
    /// # Errors
    /// Those of reading back: [`ContextLost`](crate::Error::ContextLost); [`Driver`](crate::Error::Driver) where the driver refuses the read.
    pub fn matrix(&self) -> Result<&Csr> {
        if !self.changed {
            return Ok(&self.pattern);
        }
        if let Some(matrix) = self.read.get() {
            return Ok(matrix);
        }
        let matrix = self.read()?;
        Ok(self.read.get_or_init(|| matrix))
    }

    /// Points that a product draws.
    pub fn points(&self) -> usize {
        self.batches.iter().map(|batch| batch.vertices.len()).sum()
    }

    fn apply_batches(
        &self,
        (batches, entries): (&[Batch], &[Texture]),
        op: Op,
        x: &Vector,
        out: &mut Vector,
    ) -> Result<()> {
        let own = |number: usize| entries.get(number);
        match self.order {
            Order::Rows => {
                op.write(out)?;
                let mut each = batches.iter().enumerate();
                each.try_for_each(|(number, batch)| {
                    self.draw((batch, own(number)), x, Blend::Add, out.texture())
                })
            }
            Order::Rounds => {
                let Some((last, before)) = batches.split_last() else { return op.write(out) };
                if let (true, 1, Op::Null) = (before.is_empty(), last.rounds, op) {
                    out.texture().clear([0.0; 4]);
                    return self.draw((last, own(0)), x, Blend::Replace, out.texture());
                }
                let mut partial: Option<Texture> = None;
                for (number, batch) in before.iter().enumerate() {
                    let target = self.algebra.texture(out.layout())?;
                    self.add_rounds((batch, own(number)), (op, partial.as_ref()), x, out.layout(), &target)?;
                    partial = Some(target);
                }
                let (base, layout) = ((op, partial.as_ref()), out.layout());
                self.add_rounds((last, own(before.len())), base, x, layout, out.texture())
            }
        }
    }

    /// target = base + the rounds of a batch: a pass of points, and one that adds them up.
    fn add_rounds(
        &self,
        (batch, entries): (&Batch, Option<&Texture>),
        (op, partial): (Op, Option<&Texture>),
        x: &Vector,
        layout: Packed2x2,
        target: &Texture,
    ) -> Result<()> {
        let (width, height) = layout.texels();
        let shape = Shape { width, height: height * batch.rounds, format: Format::Rgba32F };
        let rounds = self.algebra.context().texture(shape)?;
        rounds.clear([0.0; 4]);
        self.draw((batch, entries), x, Blend::Replace, &rounds)?;
        let whole = (target, Rect::whole(width, height));
        operator::add_parts(&self.algebra, (&rounds, batch.rounds), op.base(partial), whole)
    }

    /// Draws the points of a batch. Their entries come from their vertices, or from a texture if there is one.
    fn draw(
        &self,
        (batch, entries): (&Batch, Option<&Texture>),
        x: &Vector,
        blend: Blend,
        target: &Texture,
    ) -> Result<()> {
        let cell = &self.kernels[usize::from(entries.is_some())];
        let kernel = match cell.get() {
            Some(kernel) => kernel,
            None => {
                let kernel = self.kernel(entries.is_some())?;
                cell.get_or_init(|| kernel)
            }
        };
        self.algebra
            .context()
            .pass(kernel.clone())
            .streams([x.texture()])
            .streams(entries)
            .blended(blend)
            .geometry(Geometry::Points(&batch.vertices))
            .onto(&[target])
    }

    fn kernel(&self, own_entries: bool) -> Result<Rc<Linked>> {
        let [vertex, fragment] = match self.order {
            Order::Rows => ["linalg/points.vert", "linalg/points.frag"],
            Order::Rounds => ["linalg/points_rounds.vert", "linalg/points_rounds.frag"],
        };
        let variant = |name| Ok(kernels::named(name)?.define("OWN_ENTRIES", i32::from(own_entries)));
        let (vertex, fragment): (Kernel, Kernel) = (variant(vertex)?, variant(fragment)?);
        self.algebra.context().compile_scatter(&vertex, &fragment, Rounding::None)
    }
}

impl LinearOperator for Points {
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
        let entries = if self.changed { self.entries()? } else { &[] };
        self.apply_batches((&self.batches, entries), op, x, out)
    }

    fn apply_transposed(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        operator::check(self.algebra(), self.rows, self.columns, op, x, out)?;
        if self.transposed.get().is_none() {
            let transpose = self.matrix()?.transpose();
            let _ =
                self.transposed.set(batches(&self.algebra, self.order, self.columns, self.rows, &transpose)?);
        }
        self.apply_batches((self.transposed.get().map_or(&[], Vec::as_slice), &[]), op, x, out)
    }

    /// Returns no elements where changed entries cannot be read back, as after a lost device.
    fn multiply(&self, x: &[f64]) -> Vec<f64> {
        self.matrix().map_or_else(|_| Vec::new(), |matrix| matrix.multiply(x))
    }

    fn multiply_transposed(&self, x: &[f64]) -> Vec<f64> {
        self.matrix().map_or_else(|_| Vec::new(), |matrix| matrix.multiply_transposed(x))
    }

    fn diagonal(&self) -> Vec<f64> {
        self.matrix().map_or_else(|_| Vec::new(), Csr::diagonal)
    }
}
