//! The matrix of the flow, whose entries passes compute from where the vertices are (row E3).

use std::ops::Range;

use super::layout::{Layout, Rows};
use crate::gl::{Format, Shape, Texture};
use crate::layout::Packed2x2;
use crate::linalg::{Algebra, Op, PLAIN, Streams, Vector};
use crate::pug::{Buffer, Domain};
use crate::{Limits, Result};

/// M + L for three coordinates at once: an operator on vectors of a texel a vertex, (x, y, z, 0) each, which all solvers
/// take for what they are, vectors of four numbers a texel.
///
/// | pass | writes | fetches |
/// |---|---|---|
/// | entries | a_ij and m_ij of every edge, at both of its ends | 5 an entry |
/// | diagonal | a_ii = Σ (m_ij − a_ij), of one of the two systems | 1 an entry |
/// | force | −L x = Σ −a_ij (x_j − x_i): differences, so that a mesh far from the origin loses nothing | 2 an entry |
/// | product | a_ii x_i + Σ a_ij x_j | 2 an entry |
///
/// Rows of the boundary's curves have a system of their own, which is solved first. A row takes part where the diagonal
/// is not 0, and that is drawn for one system at a time.
pub(super) struct FlowMatrix {
    pub(super) algebra: Algebra,
    /// Four elements a texel.
    pub(super) vectors: Packed2x2,
    /// Column and row of each vertex.
    pub(super) places: Vec<(u32, u32)>,
    pub(super) rectangles: Vec<Drawn>,
    pub(super) diagonal: Vector,
}

/// The textures of a rectangle of rows.
pub(super) struct Drawn {
    pub rows: Rows,
    corners: Texture,
    pub entries: Texture,
}

/// One of the two systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum System {
    Surface,
    Curves,
}

/// What the entries are computed with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Weights {
    /// λΔt.
    pub time_step: f32,
    /// The part of the area of its triangles that a vertex has.
    pub share: f32,
}

/// What is summed along a row.
#[derive(Clone, Copy)]
pub(super) enum Form<'a> {
    Product(&'a Vector, Op<'a>),
    Force(&'a Vector),
    Diagonal(System),
    Curvature(&'a Vector, f32),
}

const ENTRIES: &str = "sim/mesh_entries.frag";
const ROWS: &str = "sim/mesh_rows.frag";

/// Numbers of slots that a kernel of their own counts; others go round a loop that ends where a constant says.
const OWN_KERNEL: std::ops::RangeInclusive<u32> = 2..=16;

/// Iterations that a loop may make on any driver known.
const ITERATIONS: u32 = 60_000;

impl FlowMatrix {
    /// Room for the entries of that layout.
    pub fn new(algebra: &Algebra, layout: Layout) -> Result<FlowMatrix> {
        let vectors = Packed2x2::grid(2 * layout.field.0, 2 * layout.field.1)?;
        let drawn = |rows| Drawn::new(algebra, rows);
        let rectangles = layout.rectangles.into_iter().map(drawn).collect::<Result<_>>()?;
        let (algebra, places, diagonal) = (algebra.clone(), layout.places, algebra.zeros(vectors)?);
        Ok(FlowMatrix { algebra, vectors, places, rectangles, diagonal })
    }

    /// All entries of both systems, from where the vertices are.
    pub fn compute(&self, positions: &Vector, weights: Weights) -> Result<()> {
        let program = self.algebra.program(ENTRIES, PLAIN)?;
        let constants = [[weights.time_step, 0.0, 0.0, 0.0], [weights.share, 0.0, 0.0, 0.0]];
        for Drawn { corners, entries, .. } in &self.rectangles {
            self.algebra.draw(&program, &[positions.texture(), corners], &constants, None, &[entries])?;
        }
        Ok(())
    }

    /// Makes this the matrix of one of the systems: draws its diagonal.
    pub fn become_that_of(&mut self, system: System) -> Result<()> {
        self.sum(Form::Diagonal(system), self.diagonal.texture())
    }

    /// The inverse of the diagonal for each coordinate: Jacobi's preconditioner. One pass.
    pub fn inverse_diagonal(&self) -> Result<Vector> {
        self.diagonal.try_clone()
    }

    /// out = −L x.
    pub fn force(&self, x: &Vector, out: &mut Vector) -> Result<()> {
        self.sum(Form::Force(x), out.texture())
    }

    /// out = (x, the length of scale · Σ a_ij (x_j − x_i) / Σ m_ij).
    pub fn curvature(&self, x: &Vector, scale: f32, out: &Buffer) -> Result<()> {
        self.sum(Form::Curvature(x, scale), out.texture())
    }

    /// One pass for each rectangle, or several for rows that are longer than a pass: each goes on with the sums of the one before.
    pub(super) fn sum(&self, form: Form, out: &Texture) -> Result<()> {
        let most = most_slots(self.algebra.gpu().limits());
        for drawn in &self.rectangles {
            let mut begun = None;
            for first in (0..drawn.rows.slots).step_by(most as usize) {
                let slots = first..drawn.rows.slots.min(first + most);
                let ends = slots.end == drawn.rows.slots;
                let sums = if ends { None } else { Some(self.algebra.context().texture(out.shape())?) };
                self.draw(form, drawn, slots, begun.as_ref(), sums.as_ref().unwrap_or(out))?;
                begun = sums;
            }
        }
        Ok(())
    }

    /// A pass over some slots of a rectangle, on top of what `begun` holds; its last slots end the sum.
    fn draw(
        &self,
        form: Form,
        Drawn { rows, entries, .. }: &Drawn,
        slots: Range<u32>,
        begun: Option<&Texture>,
        out: &Texture,
    ) -> Result<()> {
        let ends = slots.end == rows.slots;
        let (number, base, x, which) = match form {
            Form::Product(x, op) => (0, op, Some(x), None),
            Form::Force(x) => (1, Op::Null, Some(x), None),
            Form::Diagonal(system) => (2, Op::Null, None, Some(f32::from(system == System::Curves))),
            Form::Curvature(x, scale) => (3, Op::Null, Some(x), Some(scale).filter(|_| ends)),
        };
        let base = if ends { base } else { Op::Null };
        let count = slots.len() as u32;
        let variant = [
            ("FORM", number),
            ("BASE", base.sign()),
            ("SLOTS", if OWN_KERNEL.contains(&count) { count as i32 } else { 0 }),
            ("BEGUN", i32::from(begun.is_some())),
            ("ENDS", i32::from(ends)),
        ];
        let program = self.algebra.program(ROWS, &variant)?;
        let streams = Streams::of(entries)
            .add(x.map(Vector::texture))
            .add((number < 2 && ends).then_some(self.diagonal.texture()))
            .add(base.vector().map(Vector::texture))
            .add(begun);
        let (width, height) = (rows.range.width(), rows.range.height());
        let constants =
            [[width, height, rows.down, count].map(|v| v as f32), [which.unwrap_or(0.0), 0.0, 0.0, 0.0]];
        let constants = &constants[..1 + usize::from(which.is_some())];
        let domains = [rows.plane(slots.start), rows.range].map(|rect| Domain::from(rect).corners);
        self.algebra.draw_over(&program, &streams, constants, Some(&domains), &[out], rows.range)
    }
}

/// Slots that a fragment may sum: two fetches each, and four for its own position, diagonal, what is added, and the sum so far.
fn most_slots(limits: &Limits) -> u32 {
    let loops = if limits.loop_iterations == 0 { ITERATIONS } else { limits.loop_iterations };
    (limits.fetches.saturating_sub(4) / 2).min(loops).clamp(1, ITERATIONS)
}

impl Drawn {
    fn new(algebra: &Algebra, mut rows: Rows) -> Result<Drawn> {
        let (width, height) = rows.texels;
        let texture = || algebra.context().texture(Shape { width, height, format: Format::Rgba32F });
        let (corners, entries) = (texture()?, texture()?);
        let values = std::mem::take(&mut rows.corners);
        corners.upload(corners.shape().rect(), values.as_flattened())?;
        Ok(Drawn { rows, corners, entries })
    }
}
