//! Inputs of the matrix language, and what must hold for all of them: `make fuzz` feeds what it makes up, the tests what it
//! has found and what they make up themselves.

use quadrille::script::{Fault, is_open, parse};

/// Parses a text.
///
/// # Panics
/// A text with an open bracket is taken; a fault is not [`sound`].
pub fn feed(text: &str) {
    let open = is_open(text);
    match parse(text) {
        Ok(_) => assert!(!open, "{text:?}"),
        Err(fault) => sound(text, &fault),
    }
}

/// Confirms that a fault is one line about a part of the text.
pub fn sound(text: &str, fault: &Fault) {
    let (span, message) = (fault.span, &fault.message);
    assert!(text.get(span.start..span.end).is_some(), "{span:?} of {text:?}");
    assert!(!message.is_empty() && !message.contains(char::is_control), "{message:?} of {text:?}");
    let (line, column) = span.place(text);
    assert!(line <= text.matches('\n').count() + 1 && column <= text.chars().count() + 1);
}
