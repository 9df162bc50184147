//! The demos.

pub mod reaction_diffusion;
pub mod wave;
