//! The demos.

pub mod branches;
pub mod clouds;
mod flow;
pub mod fluid;
pub mod formats;
pub mod heat;
pub mod histogram;
pub mod liquid;
pub mod nbody;
pub mod reaction_diffusion;
pub mod smooth;
pub mod sort;
pub mod wall;
pub mod wave;
