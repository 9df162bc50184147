//! The costs of passes and products on one driver.

use super::Costs;

/// Costs measured on a driver, in nanoseconds: a program compares storages by them, and keeps them between runs.
///
/// [`DriverCosts::of_gather`] returns the costs by which the layout of a [`Gather`](super::Gather) is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DriverCosts {
    /// A pass, before its first texel.
    pub pass: f64,
    /// A fetch of a gather.
    pub fetch: f64,
    /// A texel that a gather writes.
    pub texel: f64,
    /// An element of x copied into a texel of its own.
    pub copy: f64,
    /// The further cost of an element of x where four share a texel.
    pub packed: f64,
    /// An element of a stored diagonal whose neighbours in x are near on the field.
    pub banded: f64,
    /// The same of a diagonal that reads x by computed addresses.
    pub far_banded: f64,
    /// An element of a dense matrix.
    pub dense: f64,
    /// An entry of a matrix of points; none where floats are not blended.
    pub points: Option<f64>,
    /// Texels across the rectangles of a gather; none for as square as can be.
    pub width: Option<u32>,
}

impl DriverCosts {
    /// Costs of a gather, in fetches.
    pub fn of_gather(&self) -> Costs {
        let DriverCosts { pass, fetch, texel, copy, packed, width, .. } = *self;
        let fetch = fetch.max(1e-3);
        Costs { pass: pass / fetch, texel: texel / fetch, copy: copy / fetch, packed: packed / fetch, width }
    }
}
