//! Benchmarks: the library beside hand-written OpenGL, in one context, taking turns.

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
mod report;
mod row;
mod small;
mod sparse;
mod start;
mod stepping;
mod steps;
mod streams;
mod suite;
mod transfer;

use anyhow::Result;

use crate::cli::{BenchArguments, Suite};

/// `quadrille bench`.
pub fn run(arguments: &BenchArguments) -> Result<()> {
    match &arguments.suite {
        Suite::Passes(arguments) => suite::run(passes::all(), 31, arguments),
        Suite::Chapter44(arguments) => suite::run(chapter44::all(), 11, arguments),
        Suite::Dense(arguments) => suite::run(dense::all(), 7, arguments),
        Suite::Sparse(arguments) => suite::run(sparse::all(), 7, arguments),
        Suite::Costs(arguments) => costs::run(arguments),
        Suite::Fluids(arguments) => suite::run(fluids::all(), 7, arguments),
        Suite::Streams(arguments) => suite::run(streams::all(), 7, arguments),
        Suite::Start { bare, context } => start::once(*bare, context),
    }
}
