//! Solvers, against f64 on the CPU and against their own promises.

#[path = "../support/mod.rs"]
mod support;

mod poisson;
