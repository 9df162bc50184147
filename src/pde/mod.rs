//! Partial differential equations written as formulas: a file, the checks of it, kernels made of it, and steps.
//!
//! ```text
//! read      TOML with the place of everything               tree      formulas as they are written
//! resolve   names, operators, edges: Equations               formula   formulas whose names are known
//! evaluate  a formula over a grid on the CPU, in f64          kernel    the same as a kernel's text
//! split     J u + N of implicit schemes, by the trees         implicit  their steps, with `solve`'s stepper
//! simulation  passes of a step                           notation  equations as on paper
//! cost      passes and fetches of a step, counted      stability  the largest stable step
//! ```
//!
//! The grid is vertex-centred: cells at edges are halves and at corners quarters, so that sums are conserved where nothing flows
//! through the edges. A text goes through [`Equations::read`], which finds every mistake before anything runs: a
//! [`Fault`], one line and the part of the text that it is about. [`Simulation`] steps what was read. Files are the caller's: [`Files`].
//!
//! # References
//! The language is a relative of those of VisualPDE (Walker et al., *VisualPDE: rapid interactive simulations of partial
//! differential equations*, Bull. Math. Biol. 85, 2023) and py-pde (Zwicker, J. Open Source Softw. 5, 2020).

#[cfg(feature = "trace")]
mod cost;
mod equations;
mod evaluate;
mod formula;
mod implicit;
mod kernel;
mod notation;
mod passes;
mod read;
mod resolve;
mod simulation;
mod split;
mod stability;
mod tree;

#[cfg(feature = "trace")]
pub use cost::{CostPart, StepCost};
pub use equations::{
    Advection, Alike, Auxiliary, Edge, Equations, Field, Files, Grid, Image, Named, NoFiles, Overrides,
    Parameter, Preset, Probe, Refusal, Run, Scheme, Show, Split, Total, View,
};
pub use evaluate::Evaluation;
pub use formula::{Axis, Formula, Function, Has, Node, Term};
pub use implicit::Solved;
pub use kernel::{KernelText, Role, kernels};
pub use simulation::{Saved, Shown, Simulation, Snapshot};
pub use stability::{Growth, ShortWaves, Spectrum};
pub use tree::Sign;

pub use crate::script::{Fault, Span};
