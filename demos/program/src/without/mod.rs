//! Parts that a build may be without: what each says when it is asked for.
//!
//! A module of this folder stands for that of the same name where the feature is off (`main.rs`, `script/mod.rs`).

use anyhow::{Result, anyhow};

use crate::cli::Command;

/// The line of a part that was left out.
pub fn missing(parts: &str, feature: &str) -> anyhow::Error {
    anyhow!("this build has no {parts}: build with --features {feature}")
}

/// Refuses what a long run would come to only at its end.
///
/// # Errors
/// The part that this build is without.
pub fn refuse(command: &Command) -> Result<()> {
    let plots = match command {
        Command::Solve(arguments) => arguments.plot.is_some(),
        Command::Demo { demo: Some(demo) } => demo.exports.iter().any(|(export, _)| export.plot),
        _ => false,
    };
    match plots && !cfg!(feature = "plots") {
        true => Err(missing("plots", "plots")),
        false => Ok(()),
    }
}
