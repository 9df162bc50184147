//! Arithmetic of data on the CPU: sparse matrices by rows, in f64, repeatable random numbers, and extrema that keep a NaN.

#[cfg(any(feature = "nalgebra-sparse", feature = "sprs"))]
mod conversions;
mod csr;
mod extrema;
mod random;

pub use csr::Csr;
pub(crate) use extrema::{larger, smaller};
pub use random::Random;
