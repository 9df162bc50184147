//! The flags of a run that goes on: those of the command line, and of the state what was not given.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};
use serde_json::Value;

use super::State;
use crate::cli::{Cli, Command as Words, DemoName};
use crate::files::named;
use crate::output;

/// A flag whose value is saved, and another one that brings a value of its own if it is given and differs from the saved one;
/// "" for none.
pub type Kept = (&'static str, &'static str);

/// The demo of the command line as it goes on from a state of its own, by the flags that it keeps: a flag that was given
/// counts and, where the state says otherwise, is said; else the state's.
///
/// # Errors
/// A value that is none of its flag.
pub fn resumed(name: &str, kept: &[Kept], state: &State, path: &Path) -> Result<DemoName> {
    let mut line: Vec<OsString> = std::env::args_os().collect();
    let command = Cli::command();
    let matches = Cli::command().try_get_matches_from(&line)?;
    let of_demo = matches.subcommand_matches("demo").and_then(|demo| demo.subcommand_matches(name));
    let own = command.find_subcommand("demo").and_then(|demo| demo.find_subcommand(name));
    let (Some(of_demo), Some(own)) = (of_demo, own) else { return Err(anyhow!("no demo {name}")) };
    let given = Given { own, matches: of_demo, state };
    for &(flag, master) in kept {
        let Some(saved) = given.saved(flag) else { continue };
        let overruled = given
            .typed(master)
            .is_some_and(|typed| given.saved(master).is_none_or(|saved| !is_same(&typed, &saved)));
        match given.typed(flag) {
            Some(typed) if !is_same(&typed, &saved) => {
                let file = path.display();
                output::complain(&format!(
                    "{} counts: {file} was saved with {}",
                    said(flag, &typed),
                    said(flag, &saved)
                ));
            }
            Some(_) => {}
            None if overruled || saved == "false" => {}
            None if saved == "true" => line.push(format!("--{flag}").into()),
            None => line.push(format!("--{flag}={saved}").into()),
        }
    }
    let matches = Cli::command().try_get_matches_from(&line).map_err(|error| {
        let text = error.to_string();
        let text = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        named(path, anyhow!("{}", plain(&text)))
    })?;
    match Cli::from_arg_matches(&matches)?.command {
        Words::Demo { demo } => demo.context("no demo"),
        _ => Err(anyhow!("no demo")),
    }
}

/// The typed and the saved values of flags.
struct Given<'a> {
    own: &'a Command,
    matches: &'a ArgMatches,
    state: &'a State,
}

impl Given<'_> {
    /// What stands on the command line: "true" of a flag without a value.
    fn typed(&self, flag: &str) -> Option<String> {
        let argument = self.own.get_arguments().find(|argument| argument.get_long() == Some(flag))?;
        let id = argument.get_id().as_str();
        if self.matches.value_source(id) != Some(ValueSource::CommandLine) {
            return None;
        }
        match argument.get_action().takes_values() {
            true => Some(self.matches.get_raw(id)?.next_back()?.to_string_lossy().into_owned()),
            false => Some("true".to_owned()),
        }
    }

    /// The same of the state.
    fn saved(&self, flag: &str) -> Option<String> {
        match self.state.values.get(&flag.replace('-', "_"))? {
            Value::String(text) => Some(text.clone()),
            Value::Null => None,
            value => Some(value.to_string()),
        }
    }
}

/// A text of a file as a terminal may have it.
fn plain(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_debug().collect() } else { vec![c] }).collect()
}

fn said(flag: &str, value: &str) -> String {
    match plain(value).as_str() {
        "true" => format!("--{flag}"),
        "false" => format!("no --{flag}"),
        value => format!("--{flag} {value}"),
    }
}

/// Returns true if both stand for one value: 1/50 is 0.02.
fn is_same(a: &str, b: &str) -> bool {
    let number = |text: &str| -> Option<f64> {
        let one = |text: &str| text.trim().parse::<f64>().ok();
        match text.split_once('/') {
            None => one(text),
            Some((above, below)) => Some(one(above)? / one(below)?),
        }
    };
    a.eq_ignore_ascii_case(b) || number(a).zip(number(b)).is_some_and(|(a, b)| a == b || a as f32 == b as f32)
}
