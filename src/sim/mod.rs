//! Simulations: a state, parameters with units, and `step()`. No window here.

pub mod contact;
pub mod formats;
pub mod gray_scott;
pub mod nbody;
pub mod wave;

pub use gray_scott::GrayScott;
pub use nbody::NBody;
pub use wave::Wave;
