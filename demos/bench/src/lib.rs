//! Benchmarks: the library beside hand-written OpenGL, in one context, taking turns.
//!
//! A [`Suite`] is a table of rows; [`run`] measures and reports them, [`costs`] measures what a driver's passes and products
//! cost. [`bare`], the loops that the rows are held against, is the one room here with `unsafe`. Words and files are the caller's.

#[expect(unsafe_code)]
pub mod bare;
mod chapter44;
mod costs;
mod cpu;
mod dense;
mod feedback;
mod fluids;
mod gray_scott;
mod intensity;
mod interleave;
mod packed;
mod passes;
mod pde;
mod recorded;
mod report;
mod row;
mod rows;
mod small;
mod solving;
mod sparse;
mod start;
mod stepping;
mod steps;
mod streams;
mod suite;
mod transfer;

pub use costs::costs;
pub use start::{bare_start, library_start};
pub use suite::{BenchRequest, Suite, run};
