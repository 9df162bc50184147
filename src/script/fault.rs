//! A mistake in a script: its place and its message.
//!
//! A `Fault` is no `Error`: it has a line and the part of the text that it is about. The library knows no file and
//! draws no underline; `demos/program/src/script/` does, with annotate-snippets.

use std::fmt::{Display, Formatter};

use crate::error::shown_message;

/// A part of a script's text, in bytes: from `start` to before `end`, both between characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Its first byte.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
}

impl Span {
    /// From the first of two parts to the end of the other.
    pub fn to(self, last: Span) -> Span {
        Span { start: self.start, end: last.end.max(self.start) }
    }

    /// The line and the column where it starts, both from 1; columns count characters.
    pub fn place(self, text: &str) -> (usize, usize) {
        let before = text.get(..self.start).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        (before.matches('\n').count() + 1, line.chars().count() + 1)
    }
}

/// One mistake: the part of the text it is about, and one line that says what is wrong, what was found and what
/// was expected.
///
/// It does not show the text: the caller has the text and knows the terminal.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The part to underline. It may be empty, at the end of the text.
    pub span: Span,
    /// The line.
    pub message: String,
}

impl Fault {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Fault {
        Fault { span, message: shown_message(message.into()) }
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut Formatter) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}
