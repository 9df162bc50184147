//! Fluids in two dimensions (rows E9, E10): what a velocity carries along, on a collocated or a staggered grid.
//!
//! # Units
//! Lengths and times are the user's: a velocity is a length in a time, whatever the cells measure.
//!
//! # References
//! Bolz, Farmer, Grinspun & Schröder, *Sparse Matrix Solvers on the GPU*, §4; Stam, *Stable Fluids*, 1999.

mod grid;
mod particles;
mod total;
mod transport;

pub use grid::{Advection, Grid, Kind};
pub use particles::{Particles, Region};
pub use total::Total;
pub use transport::Transport;
