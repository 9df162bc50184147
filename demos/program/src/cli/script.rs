//! The command line of `quadrille script`, and the language in a screen.

use std::path::PathBuf;

use clap::Args;
use quadrille::script::FUNCTIONS;

use super::ContextArguments;

#[derive(Args)]
#[command(after_help = language())]
pub struct ScriptArguments {
    /// The script; without one, a prompt, or what comes on standard input. Files that it names are found from the
    /// current folder; those that it saves appear together when it has reached its end
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub context: ContextArguments,
}

const STATEMENTS: &str = "\
The language:
  A = [1 2; 3 4]          elements apart by blanks or commas, rows by ; or lines: [1 -2] has two
  B = 2 * A' * A + 1      ' transposes; then signs; then * / .* ./; then + -
  A .* B ./ 3             element by element; * is the product of matrices, / divides by a number
  A(2, 3) A(1:4, :)       parts of a variable; rows and columns count from 1
  A                       alone, a value is printed; print \"norm\", norm(A) prints several
  time B = A * B          says how long it took, until the GPU has done it
  # comment               % too; a statement ends with its line or a ; (which silences nothing)

Functions:
";

const VALUES: &str = "
Matrices have 32-bit floats on the GPU; numbers have 64 bits, and what is 1 x 1 is a number.
solve takes a symmetric positive definite A, any other as solve(A' * A, A' * b), and each column of b by itself.
Names, shapes and files are looked at before anything runs. Interrupted, a script exits with 130.";

/// Statements, functions and values, to be read at once.
pub fn language() -> String {
    let width = FUNCTIONS.iter().map(|function| function.usage.len()).max().unwrap_or_default();
    let function =
        |function: &quadrille::script::Function| format!("  {:width$}  {}\n", function.usage, function.about);
    let functions: String = FUNCTIONS.iter().map(function).collect();
    format!("{STATEMENTS}{functions}{VALUES}")
}
