//! Clouds against their f64 loops, and against what is known of air.

mod kernels;
mod physics;
mod sky;
mod state;
