//! The reading of drivers' compile logs: file, line and message of each error.

use super::kernel::{Kernel, prelude_line};
use super::source::{HEAD, KERNEL};
use crate::Error;

/// One error of a log.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    source: u32,
    line: u32,
    message: String,
}

/// Mesa writes `0:12(5): error: words`, NVIDIA `0(12) : error C1008: words`, ANGLE `ERROR: 0:12: words`:
/// the first number is the source, the second the line, and the words come last.
fn entry(line: &str) -> Option<Entry> {
    let lower = line.to_ascii_lowercase();
    let error = lower.find("error")?;
    let place = if error == 0 { line.trim_start_matches("ERROR:").trim() } else { &line[..error] };
    let mut numbers = place.split(|c: char| !c.is_ascii_digit()).filter(|s| !s.is_empty());
    let source = numbers.next()?.parse().ok()?;
    let number = numbers.next()?.parse().ok()?;
    let message = if error == 0 {
        place.splitn(3, ':').nth(2)?
    } else {
        line[error..].split_once(':').map_or(&line[error..], |(_, words)| words)
    };
    Some(Entry { source, line: number, message: message.trim().to_owned() })
}

/// The first error of the log, with the text of its line, and the number of the others.
pub(super) fn compile_error(kernel: &Kernel, vertex: bool, log: String) -> Error {
    let errors: Vec<Entry> = log.lines().filter_map(entry).collect();
    let others = errors.len().saturating_sub(1);
    let Some(first) = errors.into_iter().next() else {
        let message =
            log.lines().find(|l| !l.trim().is_empty()).unwrap_or("no words from the driver").to_owned();
        return Error::Compile {
            kernel: kernel.name.clone(),
            line: 0,
            text: String::new(),
            message,
            others,
            log,
        };
    };
    let (name, text) = match first.source {
        KERNEL => (kernel.name.clone(), kernel.line(first.line).to_owned()),
        HEAD => (format!("{} (prelude)", kernel.name), prelude_line(kernel, vertex, first.line).to_owned()),
        _ => (kernel.name.clone(), String::new()),
    };
    Error::Compile { kernel: name, line: first.line, text, message: first.message, others, log }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logs_of_three_drivers_are_read() {
        for (line, message) in [
            ("0:12(5): error: `x' undeclared", "`x' undeclared"),
            ("0(12) : error C1008: undefined variable \"x\"", "undefined variable \"x\""),
            ("ERROR: 0:12: 'x' : undeclared identifier", "'x' : undeclared identifier"),
        ] {
            assert_eq!(entry(line), Some(Entry { source: 0, line: 12, message: message.to_owned() }));
        }
        assert_eq!(entry("0:3(1): warning: nothing"), None);
        assert_eq!(entry(""), None);
    }
}
