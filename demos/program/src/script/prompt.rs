//! The prompt: one statement after the other, with what was typed before.

use std::io::ErrorKind;
use std::path::PathBuf;

use anyhow::Result;
use quadrille::script::{self, FUNCTIONS, Interpreter};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{
    Cmd, ConditionalEventHandler, Config, Editor, Event, EventContext, EventHandler, Helper, KeyEvent,
    RepeatCount,
};

use super::{Folder, report};
use crate::files::{shown, state_folder};
use crate::{cli, interrupt, output};

/// Reads and runs statements until Ctrl-D.
///
/// # Errors
/// The terminal fails, or nobody reads what is printed. A mistake is shown and ends nothing.
pub fn run(interpreter: &mut Interpreter, renderer: &str) -> Result<()> {
    let config = Config::builder().auto_add_history(true).build();
    let mut editor: Editor<Brackets, FileHistory> = Editor::with_config(config)?;
    editor.set_helper(Some(Brackets));
    let end = KeyEvent::ctrl('d');
    editor.bind_sequence(end, EventHandler::Conditional(Box::new(DropOpen)));
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
            Err(ReadlineError::Io(error)) if error.kind() == ErrorKind::InvalidData => {
                output::remark(
                    "<prompt>: found a byte that is not UTF-8: what was typed before it is dropped",
                );
            }
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
    let word = line.trim().trim_end_matches(';').trim_end();
    let word = word.strip_suffix("()").unwrap_or(word);
    let is_variable = interpreter.names().any(|(name, _)| name == word);
    match word {
        _ if is_variable => {}
        "quit" | "exit" => return Ok(false),
        "help" => return output::say(&help()).map(|()| true),
        _ if topic(word).is_some() => return output::say(&topic(word).unwrap_or_default()).map(|()| true),
        "names" | "who" => return names(interpreter).map(|()| true),
        _ => {}
    }
    match interpreter.run(line, folder) {
        Err(_) if folder.reader_is_gone() => Err(std::io::Error::from(ErrorKind::BrokenPipe).into()),
        Err(fault) => {
            output::draw(&report::drawn("<prompt>", line, &fault));
            Ok(true)
        }
        Ok(()) => Ok(true),
    }
}

const WORDS: &str = "\
At the prompt:
  help        this; help norm: one function
  names       the variables and their shapes; who is the same
  quit, exit  as Ctrl-D
  A line goes on while a bracket is open; Ctrl-C, and Ctrl-D then, drop what was typed. Ctrl-C ends a solve and keeps the
  variables. What was typed is kept from one prompt to the next, {history}; Ctrl-R searches it.";

/// All that there is to say.
fn help() -> String {
    let place =
        history().map_or("were there a folder for it".to_owned(), |path| format!("in {}", shown(path)));
    format!("{}\n\n{}", cli::language(), WORDS.replace("{history}", &place))
}

/// The topic that `help name` asks for.
fn topic(line: &str) -> Option<String> {
    let asked = line.strip_prefix("help")?;
    let name = asked.strip_prefix([' ', '\t', '('])?.trim_matches(|c: char| " \t()\"".contains(c));
    Some(match FUNCTIONS.iter().find(|function| function.name == name) {
        Some(function) => format!("{}  {}", function.usage, function.about),
        None => {
            let all: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
            format!("there is no function `{}`: there are {}", shown(name), all.join(", "))
        }
    })
}

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
    let state = state_folder()?;
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

/// Ctrl-D behind lines with an open bracket: they are dropped. Elsewhere it does what it always does.
struct DropOpen;

impl ConditionalEventHandler for DropOpen {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext) -> Option<Cmd> {
        let line = context.line();
        (context.pos() == line.len() && script::is_open(line)).then_some(Cmd::Interrupt)
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
