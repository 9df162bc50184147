//! Simulations: a state, parameters with units, and `step()`. No window here.

pub mod branches;
pub mod clouds;
pub mod contact;
mod disc;
pub mod fluid;
pub mod formats;
pub mod geometric_flow;
pub mod gray_scott;
pub mod heat;
pub mod liquid;
pub mod nbody;
pub mod projection;
pub mod wave;

pub use branches::Branches;
pub use clouds::Clouds;
pub use disc::{Disc, Outline, Tip};
pub use geometric_flow::GeometricFlow;
pub use gray_scott::GrayScott;
pub use heat::Heat;
pub use nbody::NBody;
pub use projection::Projection;
pub use wave::Wave;
