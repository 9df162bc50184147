//! The matrix language (row B9).

pub mod ast;
mod fault;
mod lexer;
mod parser;
mod token;

pub use fault::{Fault, Span};
pub use parser::{is_open, parse};

/// How many brackets may be open, one inside the other: what bounds the depth of every tree.
pub const NESTING: usize = 64;
