//! Fluids in two dimensions (rows E9, E10, A14): a velocity without divergence in a box, and what it carries along, on a
//! collocated or a staggered grid.
//!
//! | | |
//! |---|---|
//! | [`Fluid`] | the whole step, by [`Parameters`], in a [`Setting`] |
//! | [`Transport`] | what moves along the paths of a velocity |
//! | [`Projector`] | the pressure that takes the divergence out, for any [`Sides`] |
//! | [`MassCorrection`] | as much dye after a step as before it |
//! | [`Particles`] | points that show a flow |
//! | [`scenes`] | five of them |
//!
//! # Units
//! Lengths and times are the user's: a velocity is a length in a time, whatever the cells measure. The density is 1.
//!
//! # References
//! Bolz, Farmer, Grinspun & Schröder, *Sparse Matrix Solvers on the GPU*, §4; Stam, *Stable Fluids*, 1999.

mod fade;
mod flow;
mod forces;
mod grid;
mod mass_correction;
mod memory;
mod parameters;
mod particles;
mod pockets;
mod pressure;
pub mod scenes;
mod sides;
mod step;
mod system;
mod transport;
mod viscosity;
mod walls;

pub use flow::{Divergence, Fluid};
pub use grid::{Advection, Grid, Kind};
pub use mass_correction::MassCorrection;
pub use memory::Memory;
pub use parameters::{Parameters, Pressure, Setting};
pub use particles::{Particles, Region};
pub use pressure::Projector;
pub use sides::{Side, Sides};
pub use transport::Transport;
