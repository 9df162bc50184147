//! `quadrille script`: a file of matrix operations, the same from standard input, or a prompt.

mod folder;
mod prompt;
mod report;

use std::io::{IsTerminal, Read};
use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
use quadrille::linalg::Algebra;
use quadrille::script::{self, Interpreter};

use crate::cli::ScriptArguments;
use crate::files::named;
use crate::interrupt;
use crate::output::Pointed;
use folder::Folder;

/// # Errors
/// The first mistake of the script, shown in its text; whatever else keeps it from running.
pub fn run(arguments: &ScriptArguments) -> Result<()> {
    let source = match &arguments.file {
        Some(path) => Some((path.display().to_string(), read(path)?)),
        None if std::io::stdin().is_terminal() => None,
        None => Some(("<stdin>".to_owned(), read_standard_input()?)),
    };
    if let Some((name, text)) = &source {
        // What is no script needs no GPU to be told so.
        script::parse(text).map_err(|fault| Pointed(report::shown(name, text, &fault)))?;
    }
    let gpu = arguments.context.headless()?;
    let mut interpreter = Interpreter::new(&Algebra::new(&gpu));
    interrupt::note(|| ());
    match source {
        Some((name, text)) => run_text(&name, &text, &mut interpreter),
        None => prompt::run(&mut interpreter, &gpu.driver().renderer),
    }
}

/// Runs a whole script; what it saves appears when it has succeeded.
fn run_text(name: &str, text: &str, interpreter: &mut Interpreter) -> Result<()> {
    let mut folder = Folder::staged();
    match interpreter.run(text, &mut folder) {
        Ok(()) => folder.commit(),
        Err(fault) => Err(Pointed(report::shown(name, text, &fault)).into()),
    }
}

fn read(path: &Path) -> Result<String> {
    let read = || -> Result<String> {
        ensure!(!std::fs::metadata(path)?.is_dir(), "is a directory, where a script was expected");
        text(std::fs::read(path)?)
    };
    read().map_err(|error| named(path, error))
}

fn read_standard_input() -> Result<String> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).context("standard input")?;
    text(bytes).context("standard input")
}

fn text(bytes: Vec<u8>) -> Result<String> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
        anyhow!("line {line} is no text: found a byte that is not UTF-8")
    })?;
    // Where lines end by a lone CR, as on old Macs, it is the end of a line like any other.
    Ok(if text.contains('\n') { text } else { text.replace('\r', "\n") })
}
