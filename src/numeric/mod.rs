//! Arithmetic of data on the CPU: sparse matrices by rows, in f64, and repeatable random numbers.

#[cfg(any(feature = "nalgebra-sparse", feature = "sprs"))]
mod conversions;
mod csr;
mod random;

pub use csr::Csr;
pub use random::Random;
