//! The message of every error when each of its words is hostile.

use std::io;
use std::path::PathBuf;

use super::{Error, shown};

/// One of each variant, all of whose texts are this one.
fn all(word: &str) -> Vec<Error> {
    let text = || word.to_owned();
    let many = || vec![text(); 300];
    let path = PathBuf::from(word);
    vec![
        Error::NoContext { tried: vec![text(), text()], hint: text() },
        Error::UnknownDevice { asked: text(), found: many() },
        Error::BadOption { name: "--api", found: text(), expected: "gl or gles" },
        Error::OldContext { version: text() },
        Error::Unsupported { what: text(), needs: "blending", renderer: text() },
        Error::Empty { what: text(), width: 0, height: 1 },
        Error::OverLimit { what: text(), quantity: "width", found: 2, limit: 1 },
        Error::WrongLength { what: text(), found: 1, expected: 2, shape: text() },
        Error::OutsideTarget { what: text(), range: text(), width: 1, height: 1 },
        Error::WrongShape { what: text(), found: text(), expected: text() },
        Error::OutOfMemory { what: text(), bytes: 1 },
        Error::Driver { what: text(), message: text() },
        Error::Compile { kernel: text(), line: 1, text: text(), message: text(), others: 2, log: text() },
        Error::Link { kernel: text(), message: text() },
        Error::Declaration { kernel: text(), line: 1, text: text(), expected: text() },
        Error::UnknownKernel { name: text(), has: many() },
        Error::UnknownName { kernel: text(), kind: "stream", name: text(), has: many() },
        Error::UnusedName { kernel: text(), kind: "stream", name: text(), has: many() },
        Error::DroppedName { kernel: text(), kind: "stream", name: text(), range: text() },
        Error::WrongType { kernel: text(), name: text(), declared: text(), bound: text(), has: many() },
        Error::Unbound { kernel: text(), kind: "stream", name: text() },
        Error::Feedback { kernel: text(), stream: text(), buffer: text() },
        Error::Access { buffer: text(), mode: "read-only", used: "written by a pass" },
        Error::OtherContext { what: text() },
        Error::OutsideMatrix { row: 2, column: 2, rows: 1, columns: 1 },
        Error::BadParameter { name: "n", found: text(), expected: text() },
        Error::BadMesh { place: text(), fault: text() },
        Error::Io { path, cause: io::Error::other(text()) },
        Error::NotFinite {
            pass: 1,
            kernel: text(),
            scope: text().into(),
            target: text(),
            texel: (1, 2),
            value: f32::NAN,
            inputs: text().into(),
        },
        Error::StepNotFinite { field: text(), step: 7, place: text() },
        Error::StepNotSolved { step: 7, residual: 0.1, iterations: 30, tolerance: 1e-3 },
        Error::StepSingular { step: 7.0, limit: text(), when: "" },
        Error::ContextLost { what: text() },
        Error::EndlessWait { what: text(), instead: "TimeQuery::poll" },
    ]
}

/// A variant that is not among [`all`] does not compile here.
fn number(error: &Error) -> usize {
    match error {
        Error::NoContext { .. } => 0,
        Error::UnknownDevice { .. } => 1,
        Error::BadOption { .. } => 2,
        Error::OldContext { .. } => 3,
        Error::Unsupported { .. } => 4,
        Error::Empty { .. } => 5,
        Error::OverLimit { .. } => 6,
        Error::WrongLength { .. } => 7,
        Error::OutsideTarget { .. } => 8,
        Error::WrongShape { .. } => 9,
        Error::OutOfMemory { .. } => 10,
        Error::Driver { .. } => 11,
        Error::Compile { .. } => 12,
        Error::Link { .. } => 13,
        Error::Declaration { .. } => 14,
        Error::UnknownKernel { .. } => 15,
        Error::UnknownName { .. } => 16,
        Error::UnusedName { .. } => 17,
        Error::DroppedName { .. } => 18,
        Error::WrongType { .. } => 19,
        Error::Unbound { .. } => 20,
        Error::Feedback { .. } => 21,
        Error::Access { .. } => 22,
        Error::OtherContext { .. } => 23,
        Error::OutsideMatrix { .. } => 24,
        Error::BadParameter { .. } => 25,
        Error::BadMesh { .. } => 26,
        Error::Io { .. } => 27,
        Error::NotFinite { .. } => 28,
        Error::StepNotFinite { .. } => 29,
        Error::StepNotSolved { .. } => 30,
        Error::StepSingular { .. } => 31,
        Error::ContextLost { .. } => 32,
        Error::EndlessWait { .. } => 33,
    }
}

#[test]
fn no_error_repeats_a_control_character_or_a_text_without_end() {
    let hostile = format!("\x1b[2J\x07\n{}\u{9b}31m", "x".repeat(20_000));
    let errors = all(&hostile);
    assert_eq!(errors.iter().map(number).collect::<Vec<_>>(), (0..34).collect::<Vec<_>>());
    for error in errors {
        let line = error.to_string();
        assert!(!line.contains(char::is_control), "{}", shown(line));
        // 300 names of 160 characters, and what stands before them.
        assert!(line.chars().count() < 60_000, "{} characters: {}", line.chars().count(), shown(line));
    }
}

#[test]
fn plain_words_are_repeated_as_they_are() {
    for error in all("größe \"a\".frag") {
        let line = error.to_string();
        assert!([24, 30].contains(&number(&error)) || line.contains("größe \"a\".frag"), "{line}");
    }
}

#[test]
fn what_a_main_that_returns_the_error_prints_is_its_sentence() {
    for error in all("größe \"a\".frag") {
        assert_eq!(format!("{error:?}"), error.to_string());
        assert_eq!(format!("{error:#?}"), error.to_string());
    }
}
