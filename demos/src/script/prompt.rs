//! The prompt: one statement after the other, with what was typed before.

use std::path::PathBuf;

use anyhow::Result;
use quadrille::script::{self, Interpreter};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Config, Editor, Helper};

use super::{Folder, report};
use crate::{cli, interrupt, output};

/// Reads and runs statements until Ctrl-D.
///
/// # Errors
/// The terminal fails, or nobody reads what is printed. A mistake is shown and ends nothing.
pub fn run(interpreter: &mut Interpreter, renderer: &str) -> Result<()> {
    let config = Config::builder().auto_add_history(true).build();
    let mut editor: Editor<Brackets, FileHistory> = Editor::with_config(config)?;
    editor.set_helper(Some(Brackets));
    let history = history();
    if let Some(path) = &history {
        let _ = editor.load_history(path); // the first time there is none
    }
    output::say(&format!("Matrices on {renderer}. `help` explains the language, Ctrl-D ends."))?;
    let mut folder = Folder::immediate();
    let outcome = loop {
        match editor.readline("> ") {
            Ok(line) => match answered(&line, interpreter, &mut folder) {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(error) => break Err(error),
            },
            Err(ReadlineError::Interrupted | ReadlineError::Signal(_)) => {}
            Err(ReadlineError::Eof) => break Ok(()),
            Err(error) => break Err(error.into()),
        }
    };
    if let Some(path) = &history {
        let _ = editor.save_history(path); // a prompt without history is a prompt
    }
    outcome
}

/// Runs what was typed; false if it was the wish to leave.
fn answered(line: &str, interpreter: &mut Interpreter, folder: &mut Folder) -> Result<bool> {
    interrupt::forget();
    let word = line.trim();
    let is_variable = interpreter.names().any(|(name, _)| name == word);
    match word {
        _ if is_variable => {}
        "quit" | "exit" => return Ok(false),
        "help" => return output::say(&format!("{}\n\n{WORDS}", cli::language())).map(|()| true),
        "names" | "who" => return names(interpreter).map(|()| true),
        _ => {}
    }
    match interpreter.run(line, folder) {
        Err(_) if folder.reader_is_gone() => Err(std::io::Error::from(std::io::ErrorKind::BrokenPipe).into()),
        Err(fault) => {
            output::remark(&report::shown("<prompt>", line, &fault));
            Ok(true)
        }
        Ok(()) => Ok(true),
    }
}

const WORDS: &str = "\
At the prompt:
  help   this
  names  the variables and their shapes; who is the same
  quit   as Ctrl-D; Ctrl-C gives up the line; a line goes on while a bracket is open";

fn names(interpreter: &Interpreter) -> Result<()> {
    let names: Vec<_> = interpreter.names().collect();
    let width = names.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    if names.is_empty() {
        output::say("no variables yet: a name gets its value by `name = value`")?;
    }
    names.iter().try_for_each(|(name, value)| output::say(&format!("{name:width$}  {value}")))
}

/// Where the history is kept: in the user's folder for the state of programs.
fn history() -> Option<PathBuf> {
    let folder =
        |variable: &str| std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = folder("XDG_STATE_HOME")
        .or_else(|| folder("HOME").map(|home| home.join(".local/state")))
        .or_else(|| folder("LOCALAPPDATA"))?
        .join("quadrille");
    std::fs::create_dir_all(&state).ok()?;
    Some(state.join("script-history"))
}

/// Lets a line go on while a bracket is open.
struct Brackets;

impl Validator for Brackets {
    fn validate(&self, context: &mut ValidationContext) -> rustyline::Result<ValidationResult> {
        Ok(match script::is_open(context.input()) {
            true => ValidationResult::Incomplete,
            false => ValidationResult::Valid(None),
        })
    }
}

impl Helper for Brackets {}
impl Highlighter for Brackets {}
impl Hinter for Brackets {
    type Hint = String;
}
impl Completer for Brackets {
    type Candidate = String;
}
