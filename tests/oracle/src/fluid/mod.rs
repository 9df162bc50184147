//! Fluids in two dimensions, in f64.

mod domain;
pub mod transport;

pub use domain::{Domain, Velocity};
