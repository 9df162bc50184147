//! `quadrille script`: a file of matrix operations, the same from standard input, or a prompt.
//!
//! The files of a script appear together. Each `save` writes a complete draft to the disk, and a later `load` reads it;
//! all drafts are renamed when the script has ended well, or none.

mod folder;
#[cfg_attr(not(feature = "prompt"), path = "../without/prompt.rs")]
mod prompt;
pub mod report;

use std::io::{IsTerminal, Read};
use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
use quadrille::linalg::Algebra;
use quadrille::script::{self, Interpreter};

use crate::cli::ScriptArguments;
use crate::files::{named, shown};
use crate::interrupt;
use crate::output::{Interrupted, Pointed};
use folder::Folder;

/// # Errors
/// The first mistake of the script, shown in its text; whatever else keeps it from running.
pub fn run(arguments: &ScriptArguments) -> Result<()> {
    let source = match &arguments.file {
        Some(path) => Some((shown(path), read(path, "a script")?)),
        None if std::io::stdin().is_terminal() => None,
        None => Some(("<stdin>".to_owned(), read_standard_input()?)),
    };
    if let Some((name, text)) = &source {
        // A text that is no script is refused without a GPU.
        script::parse(text).map_err(|fault| Pointed(report::drawn(name, text, &fault)))?;
    }
    let gpu = arguments.context.headless()?;
    let mut interpreter = Interpreter::new(&Algebra::new(&gpu));
    interrupt::note_and_say("this operation");
    match source {
        Some((name, text)) => run_text(&name, &text, &mut interpreter),
        None => prompt::run(&mut interpreter, &gpu.driver().renderer),
    }
}

/// Runs a whole script; what it saves appears when it has succeeded.
fn run_text(name: &str, text: &str, interpreter: &mut Interpreter) -> Result<()> {
    let mut folder = Folder::staged();
    match interpreter.run(text, &mut folder) {
        Ok(()) if interrupt::asked() => {
            let line = "interrupted at the end of the script: nothing was written";
            Err(Interrupted(line.to_owned()).into())
        }
        Ok(()) => folder.commit(),
        Err(fault) => Err(Pointed(report::drawn(name, text, &fault)).into()),
    }
}

/// The text of a file, which is `what`.
///
/// # Errors
/// One line that begins with the file's name.
pub fn read(path: &Path, what: &str) -> Result<String> {
    let read = || -> Result<String> {
        ensure!(!std::fs::metadata(path)?.is_dir(), "is a directory, where {what} was expected");
        text(bytes(std::fs::File::open(path)?, what)?)
    };
    read().map_err(|error| named(path, error))
}

fn read_standard_input() -> Result<String> {
    bytes(std::io::stdin().lock(), "a script").and_then(text).context("standard input")
}

/// No script is longer; what has no end must not take all memory.
const LONGEST: u64 = 1 << 24;

fn bytes(input: impl Read, what: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(LONGEST + 1).read_to_end(&mut bytes)?;
    ensure!(bytes.len() as u64 <= LONGEST, "longer than 16 MiB: not {what}");
    Ok(bytes)
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
