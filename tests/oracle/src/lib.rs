//! The oracle: plain f64 loops, the "before" half of every kernel.
//!
//! From the library it takes only types, constants, parameters and [`Csr`](quadrille::numeric::Csr); never an algorithm
//! that is held against it.

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

mod direct;
mod krylov;
mod space;

pub use direct::direct_solve;
pub use krylov::{Solved, bicgstab, cg, cgls, jacobi_bicgstab, jacobi_cg};
