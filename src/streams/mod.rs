//! Scatter, gather, and the further techniques of chapter 31's slides: each an array or an image, and passes of `pug`.
//!
//! | | how | passes |
//! |---|---|---|
//! | [`Histogram`] | points that add 1 to their bin, or fragments that look at all pixels | 2, and by gather a few small ones for each target |
//! | [`PrefixSum`] | sums of four go up a tree, totals come down | 2 ⌈log₄ n⌉ |
//! | [`Sort`] | a bitonic network on four keys a texel, two compare distances a pass | ≈ ¼ log₂² n |
//! | [`Pyramid`] | domains larger and smaller than the range | one a level, each way |
//! | [`Equalise`] | a histogram, its prefix sum, and a pass that looks it up | those and 1 |
//! | [`Derivatives`] | two targets of one kernel | 1 |
//!
//! # References
//! Harris, *Mapping Computational Concepts to GPUs*, §31.2.3 (scatter and gather), §31.3.5 (domains, several
//! targets), and the course's slides.

mod derivatives;
mod equalise;
mod gather;
mod histogram;
mod network;
mod pyramid;
mod scan;
mod scatter;
mod sort;

pub use derivatives::Derivatives;
pub use equalise::Equalise;
pub use histogram::{Bins, By, Counts, Histogram};
pub use pyramid::Pyramid;
pub use scan::PrefixSum;
pub use sort::Sort;

use crate::pug::Buffer;
use crate::{Error, Result};

/// Elements of an array whose indices are all exact as 32-bit floats.
const LONGEST: usize = 1 << 24;

/// Checks that a float can count that many elements.
fn check_length(what: &str, len: usize) -> Result<()> {
    if len == 0 {
        return Err(Error::Empty { what: what.to_owned(), width: 0, height: 1 });
    }
    if len > LONGEST {
        let (what, quantity) = (what.to_owned(), "number of elements");
        return Err(Error::OverLimit { what, quantity, found: len as u64, limit: LONGEST as u64 });
    }
    Ok(())
}

/// Checks that a buffer is an array of that many numbers.
fn check_array(what: &str, buffer: &Buffer, len: usize) -> Result<()> {
    if buffer.len() == len && buffer.components() == 1 {
        return Ok(());
    }
    let found = format!("{} of {} elements", buffer.describe(), buffer.len());
    Err(Error::WrongShape {
        what: what.to_owned(),
        found,
        expected: format!("{len} elements of one component"),
    })
}
