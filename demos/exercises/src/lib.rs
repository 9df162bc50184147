//! Exercises of the book and their judge, free of their hosts: no command line, files or terminal.
//!
//! ```text
//! told       an exercise as its folder tells it; the packed ones
//! judge      a kernel held against its cases: solved, wrong and where, or refused
//! explain    errors of compiling in a sentence;  words: the scan of a kernel's text that this needs
//! show       results as lines of 80 columns
//! progress   how far a learner is
//! ```
//!
//! Two hosts stand over it: `quadrille exercise` (`demos/program/src/exercise/`) and a page (`demos/web/exercises/`).

pub mod explain;
pub mod judge;
pub mod progress;
#[cfg(test)]
mod reference;
pub mod show;
pub mod told;
mod words;
