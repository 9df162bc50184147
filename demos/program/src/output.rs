//! Words to the terminal: a reader that closed its end of the pipe is no error.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Result;
use quadrille::error::{shown, shown_message};
use quadrille_gallery::demo::named;
pub use quadrille_gallery::demo::{Interrupted, NotConverged, Usage};
pub use quadrille_gallery::number::{counted, rate};

/// Writes a line to stdout.
pub fn say(line: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(named(Path::new("standard output"), error))
        }
        outcome => Ok(outcome?),
    }
}

/// The line of a run about a file that is there now.
pub fn wrote(path: impl AsRef<Path>) -> String {
    format!("wrote {}", shown(path.as_ref()))
}

/// Writes a line to stderr; if that is closed too, there is nobody to tell. Whatever words it has, it is one line, and not a long one.
pub fn complain(line: &str) {
    // The library names a page of its documentation, which is one of the book as well.
    let line = line.replace("see quadrille::kernel_language", "see \"The kernel language\" in the book");
    draw(&format!("quadrille: {}", shown_message(&line)));
}

/// Writes such a line that goes with the run and is no complaint.
pub fn remark(line: &str) {
    draw(&shown_message(line));
}

/// Writes lines to stderr as they are, colours with them.
pub fn draw(lines: &str) {
    let _ = writeln!(io::stderr(), "{lines}");
}

/// Returns true if the error only says that nobody reads our output any more.
pub fn reader_is_gone(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

/// An error that begins with its own place in a text and shows it: nothing is put before it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Pointed(pub String);

/// An exercise that is not solved yet: what is wrong has been said.
#[derive(Debug, thiserror::Error)]
#[error("not solved")]
pub struct NotSolved;
