//! The number formats of Table 31-1 side by side (row C11): one simulation in each of them, against itself in f64.
//!
//! | | what runs | what is seen |
//! |---|---|---|
//! | [`Comparison::gray_scott`] | reaction and diffusion | chopped patterns grow late: each step takes a little from them |
//! | [`Comparison::wave`] | the explicit wave, which damps nothing | chopped waves lose their height |
//! | [`Comparison::orbits`] | four planets around a fixed sun | chopped places and speeds shrink: planets fall |
//! | [`Counter`] | n + 1 | counters that stop at 2048, 131 072 and 16 777 216 |
//!
//! The formats of ATI's cards are emulated: a pass computes in 32 bits and chops the values that it *stores*. The cards
//! rounded after every operation, so a step here is more exact than theirs was; a step of one addition, as the
//! counter's, is the same. NVIDIA's 16-bit format is the driver's own, and the driver chooses how it rounds stores.
//! [`stores_halves_to_nearest`] finds that out; llvmpipe and the H200 chop. This matters more than some of the bits:
//! chopped errors all have one sign and grow with the steps, rounded errors cancel and grow with their root. Where the
//! driver chops, both 16-bit formats err alike; where it rounds, NVIDIA's comes near to 24 chopped bits.
//!
//! The wave here is not [`super::Wave`]: that one is made of packed vectors of `linalg`, which are 32 bits wide. It is
//! the same explicit scheme as a kernel of one cell a texel.
//!
//! # References
//! Harris, *Mapping Computational Concepts to GPUs*, Table 31-1.

mod comparison;
mod counter;
mod miss;
mod panels;
mod subjects;
mod trails;

pub use comparison::{Comparison, Snapshot};
pub use counter::{Count, Counter};
pub use miss::{Look, Miss};
pub use subjects::Orbits;

use crate::Result;
use crate::pug::{Gpu, Precision};

/// The formats in the order of the panels: the first row of the picture, then the second.
pub const FORMATS: [Precision; 4] = Precision::ALL;

/// Returns true if the driver rounds to nearest what a pass stores in [`Precision::Float16`]; OpenGL lets it chop.
pub fn stores_halves_to_nearest(gpu: &Gpu) -> Result<bool> {
    // Three quarters of the way from 1 to the next number of ten bits.
    let between = gpu.buffer(1, 1).init(&[1.0 + 0.75 / 1024.0])?;
    let half = gpu.buffer(1, 1).precision(Precision::Float16).build()?;
    gpu.builtin("sim/panel_copy.frag")?.bind_stream("state", &between)?.run(&half)?;
    Ok(half.data()? != [1.0])
}
