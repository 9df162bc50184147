//! `quadrille demo`: runs a demo in a window or without one, or lists the demos.
//!
//! ```text
//! chosen     a demo with its parameters, its state and its files
//! host       the clock, warnings and files that demos take from their host
//! resume     the parameters of a run that goes on: those of the command line, the others from the state
//! state      State <-> .npz
//! headless   a number of steps, with frames, checks, a progress bar and a summary
//! record     the frames, states and other files of a run
//! pace       steps in batches
//! ```

pub mod chosen;
mod headless;
mod host;
mod pace;
pub mod record;
mod resume;
mod state;

use anyhow::Result;
use quadrille_gallery::demo::About;
use quadrille_gallery::list::DEMOS;
use quadrille_gallery::param::{Kind, Values};

use self::chosen::Chosen;
use crate::cli::DemoCommand;
use crate::{interrupt, output, window};

/// Runs a demo, or lists them.
///
/// # Errors
/// Those of the run.
pub fn run(command: Option<DemoCommand>) -> Result<()> {
    let Some(command) = command else { return list() };
    if let Some(lines) = asked_for_a_list(command.about, &command.values) {
        return output::say(&lines.join("\n"));
    }
    let chosen = Chosen::new(command)?;
    if chosen.arguments.is_windowless() {
        interrupt::note(interrupt::say_if_late);
        headless::run(&chosen)
    } else {
        window::run(&chosen)
    }
}

/// The names that a parameter knows, where `help` was given in place of one.
fn asked_for_a_list(about: &'static About, values: &Values) -> Option<Vec<String>> {
    about.params().find_map(|param| match param.kind {
        Kind::Name(known) if values.text(param.name) == Some("help") => Some(known()),
        _ => None,
    })
}

fn list() -> Result<()> {
    let width = DEMOS.iter().map(|about| about.name.len()).max().unwrap_or(0);
    DEMOS.iter().try_for_each(|about| output::say(&format!("{:width$}  {}", about.name, about.shows)))
}
