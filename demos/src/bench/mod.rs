//! Benchmarks: the library beside hand-written OpenGL, in one context, taking turns.

mod feedback;
mod gray_scott;
mod intensity;
mod interleave;
mod packed;
mod passes;
mod report;
mod row;
mod small;
mod start;
mod stepping;
mod steps;
mod transfer;

use anyhow::Result;

use crate::cli::{BenchArguments, Suite};

/// `quadrille bench`.
pub fn run(arguments: &BenchArguments) -> Result<()> {
    match &arguments.suite {
        Suite::Passes(arguments) => passes::run(arguments),
        Suite::Start { bare, context } => start::once(*bare, context),
    }
}
