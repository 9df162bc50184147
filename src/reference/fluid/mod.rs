//! Fluids in two dimensions, in f64.

pub mod transport;
