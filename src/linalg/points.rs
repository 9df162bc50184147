//! Matrices without any order, as points (row A5).

use std::cell::OnceCell;
use std::rc::Rc;

use super::{Algebra, LinearOperator, Op, Vector, operator};
use crate::gl::{Blend, Edges, Geometry, Pass, Program, Rounding, Target, VertexBuffer};
use crate::layout::Packed2x2;
use crate::reference::Csr;
use crate::{Error, Result, kernels};

/// A sparse matrix of any shape: a vertex for each four non-zeros of a row.
///
/// Its position is the row's place in the result, its attributes are the four entries and the places of their
/// columns in x; a product draws all vertices as points, and blending adds those of one row, in their order.
/// Built once; a product is a pass that writes y or 0, and a pass of points with four fetches each. The vertex fetches and
/// multiplies, where the paper's fragment did: vertices could not fetch before 2004, and what they hand on is one number
/// instead of thirteen.
///
/// Needs blending of 32-bit floats (EXT_float_blend on OpenGL ES).
///
/// # References
/// Krüger & Westermann, GPU Gems 2 ch. 44, §44.2.3 and §44.3.3.
pub struct Points {
    algebra: Algebra,
    rows: Packed2x2,
    columns: Packed2x2,
    matrix: Rc<Csr>,
    program: Rc<Program>,
    vertices: Option<VertexBuffer>,
    /// The vertices of Aᵀ, made when they are first asked for.
    transposed: OnceCell<Option<VertexBuffer>>,
}

const ATTRIBUTES: [(&str, usize); 4] =
    [("place", 3), ("entries", 4), ("first_places", 4), ("last_places", 4)];

impl Points {
    /// The matrix as points, from vectors of the layout `columns` to vectors of the layout `rows`.
    ///
    /// # Errors
    /// [`Error::WrongShape`] where a layout does not fit; [`Error::Unsupported`] without float blending;
    /// [`Error::OutOfMemory`].
    pub fn new(algebra: &Algebra, rows: Packed2x2, columns: Packed2x2, matrix: Csr) -> Result<Points> {
        operator::check_layouts("matrix of points", &matrix, rows, columns)?;
        let limits = algebra.gpu().limits();
        if !limits.float_blend {
            return Err(Error::Unsupported {
                what: "a matrix of points".into(),
                needs: "EXT_float_blend",
                renderer: algebra.context().limits_name().to_owned(),
            });
        }
        let (vertex, fragment) =
            (kernels::named("linalg/points.vert")?, kernels::named("linalg/points.frag")?);
        let program = Rc::new(algebra.context().scatter_program(&vertex, &fragment, Rounding::None)?);
        let vertices = vertices(algebra, rows, columns, &matrix)?;
        let (algebra, transposed) = (algebra.clone(), OnceCell::new());
        Ok(Points { algebra, rows, columns, matrix: Rc::new(matrix), program, vertices, transposed })
    }

    /// The matrix as it was given.
    pub fn matrix(&self) -> &Csr {
        &self.matrix
    }

    /// Points that a product draws.
    pub fn points(&self) -> usize {
        self.vertices.as_ref().map_or(0, VertexBuffer::len)
    }

    fn draw(&self, vertices: Option<&VertexBuffer>, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        op.write(out)?;
        let Some(vertices) = vertices else {
            return Ok(());
        };
        let target = out.texture();
        self.algebra.context().draw(&Pass {
            program: &self.program,
            streams: &[Some((x.texture(), Edges::Clamp))],
            constants: &[],
            domains: &[],
            target: Target::Textures(&[target]),
            range: target.shape().rect(),
            blend: Blend::Add,
            depth_stencil: None,
            geometry: Geometry::Points(vertices),
        })
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
        self.draw(self.vertices.as_ref(), op, x, out)
    }

    fn apply_transposed(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        operator::check(self.algebra(), self.rows, self.columns, op, x, out)?;
        if self.transposed.get().is_none() {
            let made = vertices(&self.algebra, self.columns, self.rows, &self.matrix.transpose())?;
            let _ = self.transposed.set(made);
        }
        self.draw(self.transposed.get().and_then(Option::as_ref), op, x, out)
    }

    fn multiply(&self, x: &[f64]) -> Vec<f64> {
        self.matrix.multiply(x)
    }

    fn multiply_transposed(&self, x: &[f64]) -> Vec<f64> {
        self.matrix.multiply_transposed(x)
    }

    fn diagonal(&self) -> Vec<f64> {
        self.matrix.diagonal()
    }
}

/// Row after row, four entries a vertex; none for a matrix without entries.
fn vertices(
    algebra: &Algebra,
    rows: Packed2x2,
    columns: Packed2x2,
    matrix: &Csr,
) -> Result<Option<VertexBuffer>> {
    let mut values =
        Vec::with_capacity(matrix.nonzeros().div_ceil(4) * ATTRIBUTES.iter().map(|a| a.1).sum::<usize>());
    for row in 0..matrix.rows() {
        let (column, line) = rows.place(row);
        let channel = 2 * (line % 2) + column % 2;
        let mut entries = matrix.row(row).peekable();
        while entries.peek().is_some() {
            let mut factors = [0.0; 4];
            let mut places = [0.0; 8];
            for (i, (place, value)) in entries.by_ref().take(4).enumerate() {
                let (x, y) = columns.place(place);
                factors[i] = value as f32;
                places[2 * i..2 * i + 2].copy_from_slice(&[x as f32, y as f32]);
            }
            values.extend([(column / 2) as f32, (line / 2) as f32, channel as f32]);
            values.extend(factors);
            values.extend(places);
        }
    }
    if values.is_empty() {
        return Ok(None);
    }
    Ok(Some(algebra.gpu().vertices(&ATTRIBUTES, &values)?))
}
