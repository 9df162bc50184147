//! The CPU oracle: plain f64 loops, the "before" half of every kernel.

pub mod branches;
pub mod clouds;
pub mod fluid;
pub mod geometric_flow;
pub mod gray_scott;
pub mod heat;
pub mod lcp;
pub mod liquid;
pub mod matrices;
pub mod multigrid;
pub mod nbody;
pub mod orbit;
pub mod streams;
pub mod voxels;
pub mod wave;

#[cfg(any(feature = "nalgebra-sparse", feature = "sprs"))]
mod conversions;
mod csr;
mod direct;
mod krylov;
mod random;
pub(crate) mod space;

pub use csr::Csr;
pub use direct::direct_solve;
pub use krylov::{Solved, bicgstab, cg, cgls, jacobi_bicgstab, jacobi_cg};
pub use random::Random;
