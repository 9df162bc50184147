//! Nine-point matrices out of what is known of them: sparse rows, weights of a flow, or the equation alone.

use std::rc::Rc;

use super::{NinePoint, OWN, edges, entry_of, flags, full_grid, seam, texels_and_elements};
use crate::layout::Packed2x2;
use crate::linalg::{Algebra, Vector};
use crate::reference::Csr;
use crate::reference::multigrid::{self, Boundary};
use crate::{Error, Result};

const WEIGHTS: &str = "linalg/nine_point_weights.frag";

impl NinePoint {
    /// A sparse matrix whose entries all lie between neighbours on the grid. Its products in f64 are by the entries as
    /// they are given here.
    ///
    /// # Errors
    /// As [`NinePoint::new`]; [`Error::WrongShape`] unless the matrix has as many rows and columns as the grid has nodes;
    /// [`Error::BadParameter`] names an entry between nodes that are no neighbours.
    pub fn from_csr(
        algebra: &Algebra,
        layout: Packed2x2,
        periodic: [bool; 2],
        matrix: &Csr,
    ) -> Result<NinePoint> {
        crate::linalg::operator::check_layouts("nine-point matrix", matrix, layout, layout)?;
        let mut entries: [Option<Vec<f32>>; 9] = [const { None }; 9];
        for (row, column, value) in matrix.triplets() {
            let ((x, y), (to_x, to_y)) = (layout.place(row), layout.place(column));
            let dx = step(x, to_x, layout.width(), periodic[0]);
            let dy = step(y, to_y, layout.height(), periodic[1]);
            let Some(offset) = dx.zip(dy) else {
                let found = format!("entry ({row}, {column}), from node ({x}, {y}) to ({to_x}, {to_y})");
                let expected = "entries between neighbours on the grid".to_owned();
                return Err(Error::BadParameter { name: "nine-point matrix", found, expected });
            };
            if value != 0.0 {
                entries[entry_of(offset)].get_or_insert_with(|| vec![0.0; layout.len()])[row] = value as f32;
            }
        }
        let mut vectors = [const { None }; 9];
        for (vector, values) in vectors.iter_mut().zip(entries) {
            *vector = values.map(|values| algebra.vector(layout, &values)).transpose()?;
        }
        let made = NinePoint::new(algebra, layout, periodic, vectors)?;
        let _ = made.matrix.set(Rc::new(matrix.clone()));
        Ok(made)
    }

    /// (A x)ᵢ = Σ wᵢⱼ (xᵢ − xⱼ) + extraᵢ xᵢ over the four neighbours: the five-point matrix of a flow, from the weight of
    /// each node to its east neighbour (i + 1) and its north one (j + 1), which are on the GPU. Five passes of one to
    /// seven fetches.
    ///
    /// A weight of 0 lets nothing through: a node without any, and without extra, takes no part. Weights across an edge of
    /// the grid count as 0, unless that axis is periodic. `extra` is what a node loses to what is known: σ h², or the
    /// weight to a fixed value beyond the grid, whose right side is that weight times the value.
    ///
    /// # Errors
    /// As [`NinePoint::new`].
    pub fn from_weights(
        layout: Packed2x2,
        periodic: [bool; 2],
        to_east: &Vector,
        to_north: &Vector,
        extra: Option<&Vector>,
    ) -> Result<NinePoint> {
        let algebra = to_east.algebra();
        full_grid(layout)?;
        for weights in [Some(to_east), Some(to_north), extra].into_iter().flatten() {
            weights.same_context(algebra)?;
            weights.has_layout(layout, "weights of a nine-point matrix")?;
        }
        let sides = [layout.width(), layout.height()];
        let periodic = [periodic[0] && sides[0] > 1, periodic[1] && sides[1] > 1];
        let wrap = edges(periodic);
        let mut entries = [const { None }; 9];
        for part in [1, 3, OWN, 5, 7] {
            let along = if part == 3 || part == 5 { sides[0] } else { sides[1] };
            if part != OWN && along == 1 {
                continue;
            }
            let own = part == OWN;
            let variant = [
                ("PART", part as i32),
                ("EXTRA", i32::from(own && extra.is_some())),
                ("SEAM", seam(layout, periodic)),
            ];
            let program = algebra.program(WEIGHTS, &variant)?;
            let x = (own || part == 3 || part == 5).then_some(to_east);
            let y = (own || part == 1 || part == 7).then_some(to_north);
            let streams = [x, y, extra.filter(|_| own)];
            let streams: Vec<_> = streams.into_iter().flatten().map(Vector::texture).collect();
            let [across, down] = flags(periodic);
            let constants = [layout.bounds(), [across, down, 0.0, 0.0]];
            let vector = Vector::uninitialised(algebra, layout)?;
            let domains = texels_and_elements(layout);
            algebra.draw_by(wrap, &program, &streams, &constants, Some(&domains), &[vector.texture()])?;
            entries[part] = Some(vector);
        }
        NinePoint::of(algebra, layout, periodic, entries)
    }

    /// h²(−∇² + σ) by five points, `sigma` being σ h²: [`NinePoint::helmholtz`] with σ = 0.
    ///
    /// # Errors
    /// As [`NinePoint::new`].
    pub fn poisson(algebra: &Algebra, layout: Packed2x2, boundary: Boundary) -> Result<NinePoint> {
        NinePoint::helmholtz(algebra, layout, boundary, 0.0)
    }

    /// h²(−∇² + σ) by five points, `sigma` being σ h².
    ///
    /// # Errors
    /// As [`NinePoint::new`].
    pub fn helmholtz(
        algebra: &Algebra,
        layout: Packed2x2,
        boundary: Boundary,
        sigma: f32,
    ) -> Result<NinePoint> {
        let matrix =
            multigrid::helmholtz(layout.width() as usize, layout.height() as usize, boundary, sigma.into())?;
        NinePoint::from_csr(algebra, layout, [boundary == Boundary::Periodic; 2], &matrix)
    }
}

/// −1, 0 or 1 along a side from one node to another, around its end if it is periodic.
fn step(from: u32, to: u32, side: u32, periodic: bool) -> Option<i64> {
    let by = i64::from(to) - i64::from(from);
    let around = i64::from(side) - 1;
    match by {
        -1..=1 => Some(by),
        _ if periodic && by == around => Some(-1),
        _ if periodic && by == -around => Some(1),
        _ => None,
    }
}
