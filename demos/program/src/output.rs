//! Words to the terminal: a reader that closed its end of the pipe is no error.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Result;

use crate::files::{named, shown, shown_message};

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

/// What a run says of a file that is there now.
pub fn wrote(path: impl AsRef<Path>) -> String {
    format!("wrote {}", shown(path.as_ref()))
}

/// Writes a line to stderr; if that is closed too, there is nobody to tell. Whatever words it has, it is one line, and not a long one.
pub fn complain(line: &str) {
    draw(&format!("quadrille: {}", shown_message(line)));
}

/// Writes such a line that goes with the run and is no complaint.
pub fn remark(line: &str) {
    draw(&shown_message(line));
}

/// Writes lines to stderr as they are, colours with them.
pub fn draw(lines: &str) {
    let _ = writeln!(io::stderr(), "{lines}");
}

/// So many of them: "1 step", "2 steps".
pub fn counted(many: u64, one: &str) -> String {
    format!("{many} {one}{}", if many == 1 { "" } else { "s" })
}

/// How many a second, in two digits at least.
pub fn rate(a_second: f64) -> String {
    if !a_second.is_finite() || a_second >= 10.0 || a_second <= 0.0 {
        return format!("{a_second:.0}");
    }
    let places = (1.0 - a_second.log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{a_second:.places$}")
}

/// Whether that error only says that nobody reads our output any more.
pub fn reader_is_gone(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

/// Arguments that each make sense and do not fit together: exit status 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// A solve that ended without reaching its tolerance: exit status 3.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NotConverged(pub String);

/// A run that somebody ended before its time: exit status 130, as shells have it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Interrupted(pub String);

/// An error that begins with its own place in a text and shows it: nothing is put before it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Pointed(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_many_and_slow_rates_keep_their_digits() {
        assert_eq!([0, 1, 2].map(|n| counted(n, "step")), ["0 steps", "1 step", "2 steps"]);
        let rates = [0.0, 0.0381, 0.5, 1.26, 9.0, 10.4, 1234.5].map(rate);
        assert_eq!(rates, ["0", "0.038", "0.50", "1.3", "9.0", "10", "1234"]);
    }
}
