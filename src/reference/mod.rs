//! The CPU oracle: plain f64 loops, the "before" half of every kernel.

pub mod gray_scott;

mod csr;

pub use csr::Csr;
