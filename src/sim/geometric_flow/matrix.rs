//! The matrix of the flow, whose entries are computed by passes from the positions of the vertices (row E3).
//!
//! The product is a sum of differences, Σ aᵢⱼ (yⱼ − sᵢyᵢ/sⱼ) + mᵢyᵢ, because a mass is less than a rounding of a
//! sliver's diagonal. The scaling costs three more passes a step (inverse, scaled entries, displacements) and none an
//! iteration.

use std::ops::Range;

use super::layout::{Layout, Rows};
use crate::gl::{Format, Shape, Texture};
use crate::layout::Packed2x2;
use crate::linalg::{Algebra, Op, PLAIN, Vector};
use crate::mesh::THINNEST;
use crate::pug::Buffer;
use crate::{Limits, Result};

/// S (M + L) S for three coordinates at once: an operator on vectors of a texel a vertex, (x, y, z, 0) each, which all solvers
/// take for what they are, vectors of four numbers a texel. S is diagonal, of the powers of two next to 1/√a_ii.
///
/// | pass | writes | fetches |
/// |---|---|---|
/// | entries | a_ij and m_ij of every edge, at both of its ends | 5 an entry |
/// | scales | s_i and a_ii = Σ (m_ij − a_ij), of one of the two systems | 1 an entry |
/// | inverse | 1 / s_i² a_ii | 1 an entry |
/// | scaled entries | s_i s_j a_ij, s_i / s_j and s_i² m_ij | 4 an entry |
/// | force | −S L x, s_i Σ −a_ij (x_j − x_i): differences, so that a mesh far from the origin loses nothing | 2 an entry |
/// | product | m_i y_i + Σ a_ij (y_j − s_i y_i / s_j), of the scaled entries | 2 an entry |
///
/// The product is a sum of differences too: beside the cotangents of a sliver the mass of a vertex is less than a rounding of
/// the diagonal. Only products are drawn in each iteration.
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
    /// (s_i, s_i, s_i, a_ii): 1 and 0 where a row takes no part.
    pub(super) scales: Vector,
    inverse: Vector,
}

/// The textures of a rectangle of rows.
pub(super) struct Drawn {
    pub rows: Rows,
    corners: Texture,
    pub entries: Texture,
    /// Those of S (M + L) S.
    scaled: Texture,
}

/// One of the two systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum System {
    Surface,
    Curves,
}

/// The parameters that the entries are computed with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Weights {
    /// λΔt.
    pub time_step: f32,
    /// The part of the area of its triangles that a vertex has.
    pub share: f32,
}

/// The quantity that is summed along a row.
#[derive(Clone, Copy)]
pub(super) enum Form<'a> {
    Product(&'a Vector, Op<'a>),
    Force(&'a Vector),
    Scales(System),
    Curvature(&'a Vector, f32),
    Inverse(System),
}

const ENTRIES: &str = "sim/mesh_entries.frag";
const ROWS: &str = "sim/mesh_rows.frag";
const SCALED: &str = "sim/mesh_scaled.frag";

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
        let (scales, inverse) = (algebra.zeros(vectors)?, algebra.zeros(vectors)?);
        Ok(FlowMatrix {
            algebra: algebra.clone(),
            vectors,
            places: layout.places,
            rectangles,
            scales,
            inverse,
        })
    }

    /// All entries of both systems, from where the vertices are.
    pub fn compute(&self, positions: &Vector, weights: Weights) -> Result<()> {
        let constants =
            [weights.time_step, weights.share, THINNEST as f32].map(|value| [value, 0.0, 0.0, 0.0]);
        for Drawn { corners, entries, .. } in &self.rectangles {
            self.algebra
                .pass(ENTRIES, PLAIN)?
                .streams([positions.texture(), corners])
                .constants(&constants)
                .onto(&[entries])?;
        }
        Ok(())
    }

    /// Makes this the matrix of one of the systems: draws its scales, its scaled entries, and the inverse of its diagonal.
    pub fn become_that_of(&mut self, system: System) -> Result<()> {
        self.sum(Form::Scales(system), self.scales.texture())?;
        self.sum(Form::Inverse(system), self.inverse.texture())?;
        for Drawn { corners, entries, scaled, .. } in &self.rectangles {
            self.algebra
                .pass(SCALED, PLAIN)?
                .streams([entries, corners, self.scales.texture()])
                .constants(&[[system.which(), 0.0, 0.0, 0.0]])
                .onto(&[scaled])?;
        }
        Ok(())
    }

    /// The inverse of the scaled diagonal for each coordinate: Jacobi's preconditioner. One pass.
    pub fn inverse_diagonal(&self) -> Result<Vector> {
        self.inverse.try_clone()
    }

    /// out = −S L x.
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
        Drawn { rows, entries, scaled, .. }: &Drawn,
        slots: Range<u32>,
        begun: Option<&Texture>,
        out: &Texture,
    ) -> Result<()> {
        let ends = slots.end == rows.slots;
        let (number, base, x, which) = match form {
            Form::Product(x, op) => (0, op, Some(x), None),
            Form::Force(x) => (1, Op::Null, Some(x), None),
            Form::Scales(system) => (2, Op::Null, None, Some(system.which())),
            Form::Curvature(x, scale) => (3, Op::Null, Some(x), Some(scale).filter(|_| ends)),
            Form::Inverse(system) => (4, Op::Null, None, Some(system.which())),
        };
        let entries = if number == 0 { scaled } else { entries };
        let base = if ends { base } else { Op::Null };
        let count = slots.len() as u32;
        let variant = [
            ("FORM", number),
            ("BASE", base.sign()),
            ("SLOTS", if OWN_KERNEL.contains(&count) { count as i32 } else { 0 }),
            ("BEGUN", i32::from(begun.is_some())),
            ("ENDS", i32::from(ends)),
        ];
        let (width, height) = (rows.range.width(), rows.range.height());
        let constants =
            [[width, height, rows.down, count].map(|v| v as f32), [which.unwrap_or(0.0), 0.0, 0.0, 0.0]];
        let constants = &constants[..1 + usize::from(which.is_some())];
        let domains = [rows.plane(slots.start), rows.range].map(|rect| rect.corners());
        self.algebra
            .pass(ROWS, &variant)?
            .streams([entries])
            .streams(x.map(Vector::texture))
            .streams((number == 1 && ends).then_some(self.scales.texture()))
            .streams(base.vector().map(Vector::texture))
            .streams(begun)
            .constants(constants)
            .domains(&domains)
            .over(rows.range)
            .onto(&[out])
    }
}

impl System {
    /// The number that the kernels know it by.
    fn which(self) -> f32 {
        f32::from(self == System::Curves)
    }
}

/// Slots that a fragment may sum: two fetches each, and four for its own position, scale, what is added, and the sum so far.
fn most_slots(limits: &Limits) -> u32 {
    let loops = if limits.loop_iterations == 0 { ITERATIONS } else { limits.loop_iterations };
    (limits.fetches.saturating_sub(4) / 2).min(loops).clamp(1, ITERATIONS)
}

impl Drawn {
    fn new(algebra: &Algebra, mut rows: Rows) -> Result<Drawn> {
        let (width, height) = rows.texels;
        let texture = || algebra.context().texture(Shape { width, height, format: Format::Rgba32F });
        let (corners, entries, scaled) = (texture()?, texture()?, texture()?);
        let values = std::mem::take(&mut rows.corners);
        corners.upload(corners.shape().rect(), values.as_flattened())?;
        Ok(Drawn { rows, corners, entries, scaled })
    }
}
