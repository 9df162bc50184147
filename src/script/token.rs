//! The words a script is made of.

use winnow::stream::ContainsToken;

use super::Span;

/// A word, and where it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token<'s> {
    pub word: Word<'s>,
    pub span: Span,
}

/// The meaning of a token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Word<'s> {
    Number(f64),
    /// A text between double quotes.
    Text(&'s str),
    Name(&'s str),
    Mark(Mark),
}

/// A token of one spelling, or one that the lexer makes of blanks and ends of lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mark {
    Plus,
    Minus,
    Times,
    Over,
    DotTimes,
    DotOver,
    /// `'` behind its operand.
    Transpose,
    Assign,
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    /// `:` of a part.
    Colon,
    /// A comma, or blanks between two elements.
    Comma,
    /// `;` or the end of a line between brackets.
    RowEnd,
    /// `;` or the end of a line outside of them; the last token of every script.
    End,
}

/// One character or two and what they mean; the longer ones first.
pub(super) const MARKS: &[(&str, Mark)] = &[
    (".*", Mark::DotTimes),
    ("./", Mark::DotOver),
    ("+", Mark::Plus),
    ("-", Mark::Minus),
    ("*", Mark::Times),
    ("/", Mark::Over),
    ("'", Mark::Transpose),
    ("=", Mark::Assign),
    ("(", Mark::Open),
    (")", Mark::Close),
    ("[", Mark::OpenBracket),
    ("]", Mark::CloseBracket),
    (",", Mark::Comma),
    (":", Mark::Colon),
];

impl Word<'_> {
    /// Returns true if a value may end with it.
    pub fn ends_operand(self) -> bool {
        match self {
            Word::Mark(mark) => matches!(mark, Mark::Close | Mark::CloseBracket | Mark::Transpose),
            _ => true,
        }
    }

    /// Returns true if a value may begin with it, signs aside.
    pub fn begins_operand(self) -> bool {
        match self {
            Word::Mark(mark) => matches!(mark, Mark::Open | Mark::OpenBracket),
            _ => true,
        }
    }
}

impl Token<'_> {
    /// As a message says what was found.
    pub fn found(self, text: &str) -> String {
        let spelt = text.get(self.span.start..self.span.end).unwrap_or_default();
        match self.word {
            Word::Number(_) => format!("the number {}", excerpt(spelt)),
            Word::Text(_) => format!("the text {}", excerpt(spelt)),
            Word::Name(_) => format!("the name {}", excerpt(spelt)),
            Word::Mark(Mark::Comma) if spelt.trim().is_empty() => "a blank between elements".to_owned(),
            Word::Mark(_) if spelt.starts_with('\n') => "the end of the line".to_owned(),
            Word::Mark(_) if spelt.is_empty() => "the end".to_owned(),
            Word::Mark(_) => format!("`{spelt}`"),
        }
    }
}

/// The start of what somebody wrote, fit for a message.
pub(super) fn excerpt(text: &str) -> String {
    let shown: String = text.chars().take(40).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(40).is_some() { format!("{shown}...") } else { shown }
}

impl ContainsToken<&Token<'_>> for Mark {
    fn contains_token(&self, token: &Token<'_>) -> bool {
        token.word == Word::Mark(*self)
    }
}
