//! Liquid and smoke in a box of voxels (rows D4, D5): what the pressure projection was made for.
//!
//! A field is first spread to one texel a voxel, which holds its 2×2 neighbours in the slice. So an interpolation
//! between voxels takes two fetches, and a path with the fields that it carries takes 14 instead of 56.
//!
//! Velocities lie on faces (the MAC grid of [`projection`](super::projection)), all else at the centres of voxels. z is
//! up. A step is
//!
//! 1. Δt: no path crosses more than [`Parameters::across`] voxels. It stays on the GPU;
//! 2. u, v, w and what they carry are fetched from where the flow comes from, q(x) ← q(x − Δt u), by the midpoint rule;
//! 3. a liquid's φ, a distance from the surface, is made one again, and the surface moved by a hair so that the volume stays;
//! 4. gravity, or what lifts warm smoke, which cools, and pulls down dense smoke;
//! 5. the projection, from the last pressure (row D4), with the surface between voxels (row D5);
//! 6. a liquid's velocity is extended into the air, for the paths of the next step.
//!
//! Nothing is read back but the history of the solver.
//!
//! # Units
//! Metres, seconds. The longest side of a box is [`Parameters::length`]; φ is in voxels, as the projection has it.
//!
//! # References
//! Batty, Wiebe & Houston, *High Performance Production-Quality Fluid Simulation via NVIDIA's QuadroFX*, 2003; Stam,
//! *Stable Fluids*, 1999; Foster & Fedkiw, *Practical Animation of Liquids*, 2001.

mod flow;
mod parameters;
pub mod scenes;
mod smoke;
mod state;
mod surface;
mod water;

pub use flow::Flow;
pub use parameters::Parameters;
pub use smoke::Smoke;
pub use state::State;
pub use water::Water;
