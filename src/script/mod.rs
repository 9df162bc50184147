//! The matrix language (row B9): a small, regular relative of Octave's, over [`Matrix`](crate::matrix::Matrix).
//!
//! ```text
//! A = random(200, 30); b = random(200, 1)      # statements end with their line or a semicolon
//! x = solve(A' * A, A' * b)                    # the transposed product: no transpose is drawn
//! print "residual", norm(A * x - b)
//! save("x.npy", x)
//! ```
//!
//! | | |
//! |---|---|
//! | `A(2, 3)` `A(2, :)` `A(1:4, :)` | a part of a variable, rows and columns from 1 |
//! | `'` | transpose; binds strongest |
//! | `-` `+` | signs |
//! | `*` `/` `.*` `./` | product of matrices; division by a number; element by element |
//! | `+` `-` | sum, difference |
//!
//! A number is never a 1 x 1 matrix: it lives on the CPU, in 64 bits; a matrix lives on the GPU, in 32. A result of 1 x
//! 1, such as `x' * y`, is read back once, where it is computed, and is a number from then on. So `(x' * y) * A` scales
//! A, and a size or a seed may be computed. Each such number costs a wait for the GPU; a script has no loops in which
//! the waits would add up.
//!
//! Variables and functions have separate names: `size = size(A)` sets the variable and leaves the function. A name of
//! both, followed by parentheses, is the function.
//!
//! A text goes through `lexer` (words), `parser` (trees: [`ast`]), `check` (names and shapes, before anything runs) and
//! [`Interpreter`]. Every mistake is a [`Fault`]: one line, and the part of the text it is about. Files, printing and time
//! are the program's: [`Host`].
//!
//! # References
//! Moravánszky, *Dense Matrix Algebra on the GPU*, ShaderX², 2003, section 1.2: its user interface is a script interpreter,
//! which parses matrix operations out of a text stream, manages names, and reads and writes files.

mod arithmetic;
pub mod ast;
mod check;
mod fault;
mod functions;
mod host;
mod interpreter;
mod known;
mod lexer;
mod parser;
mod parts;
mod show;
mod token;
mod value;

pub use fault::{Fault, Span};
#[cfg(feature = "pde")]
pub(crate) use functions::nearest;
pub use functions::{FUNCTIONS, Function};
pub use host::Host;
pub use interpreter::{Interpreter, MOST_ELEMENTS};
pub use parser::{is_open, parse};
pub use value::Table;

/// How many brackets may be open, one inside the other: what bounds the depth of every tree.
pub const NESTING: usize = 64;
