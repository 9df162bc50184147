//! Fluids in two dimensions, in f64.

pub mod transport;
mod vessel;

pub use vessel::{Velocity, Vessel};
