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
pub mod host;
mod pace;
pub mod record;
pub mod resume;
pub mod state;

use anyhow::Result;
use quadrille_gallery::demo::About;
use quadrille_gallery::list::{DEMOS, all};
use quadrille_gallery::param::{Kind, Values};

use self::chosen::Chosen;
use crate::cli::{ContextArguments, DemoCommand};
use crate::{interrupt, output, window};

/// Runs a demo; without one opens the gallery, or lists the demos.
///
/// # Errors
/// Those of the run.
pub fn run(command: Option<DemoCommand>) -> Result<()> {
    let Some(command) = command else { return gallery() };
    if let Some(lines) = asked_for_a_list(command.about, &command.values) {
        return output::say(&lines.join("\n"));
    }
    let chosen = Chosen::new(command)?;
    if chosen.arguments.is_windowless() {
        interrupt::note(interrupt::say_if_late);
        headless::run(&chosen)
    } else {
        window::run(Some(&chosen), &chosen.arguments.context)
    }
}

/// The names that a parameter knows, where `help` was given in place of one.
fn asked_for_a_list(about: &'static About, values: &Values) -> Option<Vec<String>> {
    about.params().find_map(|param| match param.kind {
        Kind::Name(known) if values.text(param.name) == Some("help") => Some(known()),
        _ => None,
    })
}

/// Opens the gallery, or lists the demos where there is no display.
fn gallery() -> Result<()> {
    match window::has_display() {
        true => window::run(None, &ContextArguments { api: None, device: None, limits: None }),
        false => list(),
    }
}

fn list() -> Result<()> {
    let width = DEMOS.iter().map(|about| about.name.len()).max().unwrap_or(0);
    DEMOS.iter().try_for_each(|about| output::say(&format!("{:width$}  {}", about.name, about.shows)))?;
    let files = all().filter(|about| about.equation.is_some());
    let files: Vec<_> = files.map(|about| about.name).collect();
    output::say(&format!("\nEquations, by `quadrille pde NAME`:\n{}", files.join(" ")))
}
