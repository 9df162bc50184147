//! Simulations: a state, parameters with units, and `step()`. No window here.

pub mod gray_scott;

pub use gray_scott::GrayScott;
