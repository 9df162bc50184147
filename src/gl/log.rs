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
    let mut error = first_error(&kernel.name, log, |source, line| match source {
        KERNEL => (kernel.name.clone(), kernel.line(line).to_owned()),
        HEAD => (format!("{} (prelude)", kernel.name), prelude_line(kernel, vertex, line).to_owned()),
        _ => (kernel.name.clone(), String::new()),
    });
    if let Error::Compile { text, message, .. } = &mut error
        && let Some(remedy) = remedy(text, message)
    {
        message.push_str(&remedy);
    }
    error
}

/// The words for an offset that varies, where a driver's own do not say what to write instead.
fn remedy(text: &str, message: &str) -> Option<String> {
    let call = text.split_once("valueOffset").filter(|_| message.to_ascii_lowercase().contains("const"))?.1;
    let arguments = call.trim_start().strip_prefix('(').unwrap_or_default();
    let mut first = arguments.split(',').map(str::trim);
    let plain = |word: &&str| !word.is_empty() && !word.contains(['(', ')']);
    let (stream, at) = match (first.next().filter(plain), first.next().filter(plain)) {
        (Some(stream), Some(at)) => (stream, at),
        _ => ("STREAM", "POSITION"),
    };
    Some(format!(
        "; `valueOffset` takes constants alone: write `value2({stream}, {at} + vec2(dx, dy))`, see quadrille::kernel_language"
    ))
}

/// The same of a text made of these files, names and texts: `lines` has the file of each line, and its line there.
#[cfg(feature = "testing")]
pub(super) fn compile_error_of(files: &[(String, String)], lines: &[(usize, u32)], log: String) -> Error {
    let own = |line: u32| {
        let (file, number) = *lines.get(line.checked_sub(1)? as usize)?;
        Some((files.get(file)?, number))
    };
    let name = files.first().map_or("shader", |(name, _)| name);
    let mut error = first_error(name, log, |_, line| match own(line) {
        Some(((name, text), number)) => (name.clone(), super::kernel::line_of(text, number).to_owned()),
        None => (name.to_owned(), String::new()),
    });
    if let Error::Compile { line, .. } = &mut error
        && let Some((_, number)) = own(*line)
    {
        *line = number;
    }
    error
}

/// `place` gives the file and the text of a line of a source.
fn first_error(name: &str, log: String, place: impl Fn(u32, u32) -> (String, String)) -> Error {
    let errors: Vec<Entry> = log.lines().filter_map(entry).collect();
    let others = errors.len().saturating_sub(1);
    let Some(first) = errors.into_iter().next() else {
        let message =
            log.lines().find(|l| !l.trim().is_empty()).unwrap_or("no words from the driver").to_owned();
        let (kernel, text) = (name.to_owned(), String::new());
        return Error::Compile { kernel, line: 0, text, message, others, log };
    };
    let (kernel, text) = place(first.source, first.line);
    Error::Compile { kernel, line: first.line, text, message: first.message, others, log }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_that_varies_is_told_its_remedy() {
        let words = "Texture offset must be a constant expression";
        let told = |text: &str| remedy(text, words).unwrap_or_default();
        assert!(
            told("r = valueOffset(cells, at, ivec2(i, 0)).x;").contains("`value2(cells, at + vec2(dx, dy))`")
        );
        assert!(told("valueOffset(f(a), at, i)").contains("`value2(STREAM, POSITION + vec2(dx, dy))`"));
        assert!(told("valueOffset").contains("`value2(STREAM, POSITION + vec2(dx, dy))`"));
        assert_eq!(remedy("r = valueOffset(a, b, c);", "syntax error"), None);
        assert_eq!(remedy("const float a = b;", words), None);
    }

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
