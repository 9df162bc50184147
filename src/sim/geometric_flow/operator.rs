//! The matrix of the flow as a linear operator, and its entries read back.
//!
//! A long row continues where the pass before it ended: the sum so far is a stream. So a Radeon 9700 takes 14 edges a
//! pass.

use std::collections::HashMap;

use super::matrix::{Drawn, FlowMatrix, Form};
use crate::Result;
use crate::layout::Packed2x2;
use crate::linalg::{Algebra, LinearOperator, Op, SIDE, Vector};
use crate::numeric::Csr;

impl FlowMatrix {
    /// The entries of M + L as they are now, read back: (i, j, a_ij) by the numbers of the vertices, of the rows that take part;
    /// j may come more than once.
    pub fn entries(&self) -> Result<Vec<(usize, usize, f64)>> {
        let vertices: HashMap<_, _> = self.places.iter().enumerate().map(|(i, &place)| (place, i)).collect();
        let own = self.scales.texture().read(self.scales.texture().shape().rect())?;
        let mut found = Vec::new();
        for Drawn { rows, entries, .. } in &self.rectangles {
            let values = entries.read(entries.shape().rect())?;
            for (i, &(column, row)) in self.places.iter().enumerate() {
                let diagonal = own[self.texel((column, row)) + 3];
                if diagonal == 0.0 || row < rows.range.y0 || row >= rows.range.y1 {
                    continue;
                }
                found.push((i, i, diagonal.into()));
                for slot in 0..rows.slots {
                    let (x, y) = rows.texel((column, row), slot);
                    let texel = &values[4 * (y as usize * rows.texels.0 as usize + x as usize)..][..2];
                    let (below, beside) = (texel[1].floor(), texel[1].fract() * SIDE as f32);
                    let j = vertices.get(&(beside as u32, below as u32));
                    found.extend(j.filter(|&&j| j != i).map(|&j| (i, j, texel[0].into())));
                }
            }
        }
        Ok(found)
    }

    /// The first number of a vertex's texel.
    fn texel(&self, (column, row): (u32, u32)) -> usize {
        4 * (row as usize * self.vectors.texels().0 as usize + column as usize)
    }

    /// The scaled matrix on the elements of a vector, four a vertex; none where it cannot be read back, as after a lost device.
    fn truth(&self) -> Option<Csr> {
        let scales = self.scales.texture().read(self.scales.texture().shape().rect()).ok()?;
        let scale = |vertex: usize| f64::from(scales[self.texel(self.places[vertex])]);
        let width = self.vectors.width() as usize;
        let element = |vertex: usize, k: usize| {
            let (column, row) = self.places[vertex];
            (2 * row as usize + k / 2) * width + 2 * column as usize + k % 2
        };
        let four = |(i, j, a): (usize, usize, f64)| (0..4).map(move |k| (element(i, k), element(j, k), a));
        let scaled = self.entries().ok()?.into_iter().map(|(i, j, a)| (i, j, scale(i) * a * scale(j)));
        Csr::from_triplets(self.vectors.len(), self.vectors.len(), scaled.flat_map(four)).ok()
    }
}

impl LinearOperator for FlowMatrix {
    fn algebra(&self) -> &Algebra {
        &self.algebra
    }

    fn rows(&self) -> Packed2x2 {
        self.vectors
    }

    fn columns(&self) -> Packed2x2 {
        self.vectors
    }

    /// Writes the texels of vertices; the others of `out` hold the 0 that they were made with.
    fn apply(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        self.check(op, x, out)?;
        self.sum(Form::Product(x, op), out.texture())
    }

    /// The rows that take part are those of a symmetric matrix.
    fn apply_transposed(&self, op: Op, x: &Vector, out: &mut Vector) -> Result<()> {
        self.apply(op, x, out)
    }

    /// The product, of no elements where the entries cannot be read back.
    fn multiply(&self, x: &[f64]) -> Vec<f64> {
        self.truth().map_or_else(Vec::new, |matrix| matrix.multiply(x))
    }

    fn multiply_transposed(&self, x: &[f64]) -> Vec<f64> {
        self.multiply(x)
    }

    fn diagonal(&self) -> Vec<f64> {
        self.truth().map_or_else(Vec::new, |matrix| matrix.diagonal())
    }
}
