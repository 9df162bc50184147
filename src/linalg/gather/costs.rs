//! The costs by which a layout is chosen.

use super::Plan;
use crate::layout::Packed2x2;
use crate::numeric::Csr;
use crate::{Limits, Result};

/// The costs of passes and fetches, in fetches of one texel.
///
/// The default comes from counting fetches, for any card. A program may measure a driver once and keep other numbers
/// for it. Nothing here measures: the same matrix and the same costs always give the same layout.
///
/// # References
/// Bolz et al., *Sparse Matrix Solvers on the GPU*, §3.2.2: the shape of rectangles from measured costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// A pass, before its first texel.
    pub pass: f64,
    /// A texel written.
    pub texel: f64,
    /// An element of x copied into a texel of its own.
    pub copy: f64,
    /// The further cost of an element of x where four share a texel.
    pub packed: f64,
    /// Texels across a rectangle of rows of one length; `None` makes rectangles as square as can be.
    pub width: Option<u32>,
}

/// Fetches of a slot of four rows: addresses, entries, and four elements of x.
const SLOT: f64 = 6.0;

/// Fetches that bring four sums to their rows: an address texel and the four.
const ORDER: f64 = 5.0;

impl Default for Costs {
    /// The default: a pass costs 2¹⁶ fetches, a texel two; a copy of x pays for itself with two entries a column.
    fn default() -> Costs {
        Costs { pass: 65_536.0, texel: 2.0, copy: 1.0, packed: 0.5, width: None }
    }
}

impl Costs {
    /// The cost of a rectangle of that many groups of four rows.
    pub(super) fn class(&self, groups: usize, slots: usize) -> f64 {
        self.pass + groups as f64 * (self.texel + SLOT * slots as f64)
    }

    /// The cost of a product of the matrix as a [`Gather`](super::Gather), in fetches: no GPU is asked.
    ///
    /// # Errors
    /// [`OverLimit`](crate::Error::OverLimit) for a row that no texture holds.
    pub fn of_product(
        &self,
        matrix: &Csr,
        rows: Packed2x2,
        columns: Packed2x2,
        limits: &Limits,
    ) -> Result<f64> {
        let plan = Plan::new(matrix, rows, columns, limits.texture_size, self)?;
        let fetched = plan.slots() as f64;
        let x = (self.pass + self.copy * columns.len() as f64).min(self.packed * fetched);
        Ok(plan.cost() + x)
    }

    /// Returns true if it is cheaper to copy the n elements of x first than to fetch that many from texels of four.
    pub(super) fn copies(&self, n: usize, fetched: usize) -> bool {
        self.pass + self.copy * (n as f64) < self.packed * fetched as f64
    }

    /// The cost of the pass that brings the sums of that many groups to their rows.
    pub(super) fn order(&self, groups: usize) -> f64 {
        self.pass + groups as f64 * (self.texel + ORDER)
    }
}
